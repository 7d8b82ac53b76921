/* strided_bytes.h - a tensor whose bytes lie in a blob of ours.
 *
 * What the meta backend knows of parameters and files: views of bytes with
 * strides.
 */
#ifndef FX_RUN_STRIDED_BYTES_H
#define FX_RUN_STRIDED_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fx_blob;
struct fx_tensor;
struct fx_tensor_meta;
struct fx_value;

struct fx_strided_bytes {
	struct fx_blob *blob; /* referenced; NULL: the values are not known */
	int64_t offset;       /* of the first element, in elements */
	int64_t *strides;     /* owned, in elements; NULL: contiguous */
};

void fx_strided_bytes_deinit(struct fx_strided_bytes *held);

/* The elements of a parameter or buffer; not known when it has no bytes or
 * they are too few.
 */
void fx_strided_bytes_of_tensor(const struct fx_tensor *tensor,
	struct fx_strided_bytes *ret);

/* SIZE bytes copied from BYTES, as elements of META, with its strides when it
 * has some.  VALUE when they are too few or too many; NO_SPACE.
 */
FX_NODISCARD struct fx_error *
fx_strided_bytes_copy(const struct fx_tensor_meta *meta, const void *bytes,
	size_t size, struct fx_strided_bytes *ret);

/* The view x[INDEX] of a tensor of META, where INDEX is made of integers,
 * slices, None and "..."; false for others, out of range, or when the values
 * are not known.
 */
bool fx_strided_bytes_index(const struct fx_strided_bytes *held,
	const struct fx_tensor_meta *meta, const struct fx_value *index,
	struct fx_strided_bytes *ret);

/* As fx_backend_ops.read, of a tensor of META. */
FX_NODISCARD struct fx_error *
fx_strided_bytes_read(const struct fx_strided_bytes *held,
	const struct fx_tensor_meta *meta, uint64_t first, size_t count,
	void *bytes);

/* As fx_backend_ops.truth. */
FX_NODISCARD struct fx_error *
fx_strided_bytes_truth(const struct fx_strided_bytes *held,
	const struct fx_tensor_meta *meta, bool *ret);

/* As fx_backend_ops.storage and the next two. */
uintptr_t fx_strided_bytes_storage(const struct fx_strided_bytes *held,
	size_t *bytes_ret);
FX_NODISCARD struct fx_error *
fx_strided_bytes_save(const struct fx_strided_bytes *held,
	struct fx_blob **ret);
FX_NODISCARD struct fx_error *
fx_strided_bytes_restore(const struct fx_strided_bytes *held,
	const struct fx_blob *saved);

#endif /* FX_RUN_STRIDED_BYTES_H */
