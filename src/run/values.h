/* values.h - the elements of tensors, whichever backend holds them.
 *
 * The functions on values of run/backend.h, asked so that a backend without
 * them is an error and not a null pointer, and what elements mean: every dtype
 * decoded to numbers.  Summaries, text, comparison and files stand on this.
 */
#ifndef FX_RUN_VALUES_H
#define FX_RUN_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"
#include "ir/tensor_meta.h"

struct fx_backend;
struct fx_blob;

/* Elements that loops over a tensor read at once; COUNT of any size works. */
#define FX_VALUES_CHUNK 4096

/* A tensor's dtype and plain sizes. */
struct fx_extent {
	enum fx_dtype dtype;
	uint32_t rank;
	int64_t sizes[FX_RANK_LIMIT];
	uint64_t count; /* of elements */
};

/* The extent of DATUM.  TYPE when it is no tensor, or its dtype or a size is
 * not known; LIMIT for too many dimensions or elements.
 */
FX_NODISCARD struct fx_error *fx_extent_of(const struct fx_datum *datum,
	struct fx_extent *ret);
FX_NODISCARD struct fx_error *
fx_extent_of_meta(const struct fx_tensor_meta *meta, struct fx_extent *ret);
bool fx_extent_same_sizes(const struct fx_extent *a, const struct fx_extent *b);
/* The place of element INDEX in row-major order: RANK numbers. */
void fx_extent_unravel(const struct fx_extent *extent, uint64_t index,
	int64_t *ret);
/* Append "[2, 3]"; where element INDEX lies, "[0, 2]", "" for rank 0. */
void fx_extent_print(struct fx_buf *out, const struct fx_extent *extent);
void fx_extent_print_index(struct fx_buf *out, const struct fx_extent *extent,
	uint64_t index);

/* Whether the elements of TENSOR can be read; not of what is no tensor. */
bool fx_values_known(const struct fx_datum *tensor);

/* COUNT elements in row-major order from element FIRST, as they are, to BYTES.
 * TYPE when the values are not known, RANGE outside of the tensor.
 */
FX_NODISCARD struct fx_error *fx_values_read(const struct fx_datum *tensor,
	uint64_t first, size_t count, void *bytes);

/* Read elements as fx_values_read does, and convert them to numbers.  IMAG may
 * be NULL; it is set to 0 for elements that are not complex.
 */
FX_NODISCARD struct fx_error *fx_values_numbers(const struct fx_datum *tensor,
	uint64_t first, size_t count, double *real, double *imag);

/* The one element of TENSOR as a bool, int, float or complex datum. */
FX_NODISCARD struct fx_error *fx_values_item(const struct fx_datum *tensor,
	struct fx_datum **ret);

/* The same of element INDEX in row-major order. */
FX_NODISCARD struct fx_error *fx_values_item_at(const struct fx_datum *tensor,
	uint64_t index, struct fx_datum **ret);

/* A tensor of BACKEND from row-major BYTES, which are copied.  TYPE when the
 * backend cannot hold values.
 */
FX_NODISCARD struct fx_error *fx_values_write(struct fx_backend *backend,
	const struct fx_tensor_meta *meta, const void *bytes,
	struct fx_datum **ret);

/* All elements of TENSOR in row-major order; the caller's.  The extent too. */
FX_NODISCARD struct fx_error *fx_values_read_all(const struct fx_datum *tensor,
	struct fx_extent *extent_ret, struct fx_blob **ret);
/* TENSOR as nested lists of numbers.  LIMIT: it has more than LIMIT numbers, or
 * lists without any.
 */
FX_NODISCARD struct fx_error *fx_values_list(const struct fx_datum *tensor,
	uint64_t limit, struct fx_datum **ret);
/* Replace *DATUM by a copy that belongs to BACKEND, so that nothing writes into
 * tensors that others have.  A tensor without values may be shared instead.
 */
FX_NODISCARD struct fx_error *fx_datum_make_own(struct fx_backend *backend,
	struct fx_datum **datum);

/* --- elements ------------------------------------------------------------ */

/* COUNT elements of DTYPE at BYTES (which need no alignment) as numbers, and
 * back, rounded to nearest even; IMAG may be NULL.  Integers above 2^53 lose
 * digits: see fx_element_int.  Quantized dtypes are their integers.
 */
void fx_elements_decode(enum fx_dtype dtype, const void *bytes, size_t count,
	double *real, double *imag);
void fx_elements_encode(enum fx_dtype dtype, const double *real,
	const double *imag, size_t count, void *bytes);

/* Element INDEX of integers (BOOL: 0 or 1), exactly; U64 as its bits. */
int64_t fx_element_int(enum fx_dtype dtype, const void *bytes, size_t index);

/* Append the element at INDEX of BYTES the way Python shows the number: True,
 * -3, 0.1, (1+2j).
 */
void fx_element_print(struct fx_buf *out, enum fx_dtype dtype,
	const void *bytes, size_t index);

/* Integers, bool and quantized ones. */
bool fx_dtype_is_integer(enum fx_dtype dtype);

#endif /* FX_RUN_VALUES_H */
