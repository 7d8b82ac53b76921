/* npy.h - numpy's files of arrays, read and written.
 *
 * Versions 1 to 3 of the format, rows or columns first, either byte order.
 * Arrays of Python objects are pickles and never read.
 */
#ifndef FX_LOAD_NPY_H
#define FX_LOAD_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/dtype.h"
#include "base/error.h"
#include "ir/tensor_meta.h"

struct fx_blob;
struct fx_buf;

/* Longest header that is read. */
#define FX_NPY_HEADER_LIMIT ((size_t)1 << 20)

struct fx_npy {
	enum fx_dtype dtype;
	uint32_t rank;
	int64_t sizes[FX_RANK_LIMIT];
	uint64_t count;       /* of elements */
	struct fx_blob *blob; /* row-major and of our byte order; owned */
};

void fx_npy_deinit(struct fx_npy *array);
FX_DEFINE_DEINIT(npy, struct fx_npy, fx_npy_deinit);
#define FX_AUTO_NPY FX_AUTO(npy)

/* Read PATH.  FORMAT when it is no such file, is cut short, or its header
 * contradicts itself; UNSUPPORTED for an element type that is none of ours or
 * would need unpickling; LIMIT for absurd sizes; IO, NO_SPACE.
 */
FX_NODISCARD struct fx_error *fx_npy_read(const char *path, struct fx_npy *ret);

/* The same for an array of the .npz file at PATH, which may be a .npy file too:
 * the one called NAME, or the only one.  NO_NAME, and the error lists them,
 * when there are several others; NAME may be NULL.
 */
FX_NODISCARD struct fx_error *fx_npz_read(const char *path, const char *name,
	struct fx_npy *ret);

/* Whether the archive at PATH has an array called NAME; true where that cannot
 * be told, and reading says why.
 */
bool fx_npz_has(const char *path, const char *name);

/* What stands before the elements of an array like ARRAY (its blob is not
 * looked at).  UNSUPPORTED when numpy has no such dtype.
 */
FX_NODISCARD struct fx_error *fx_npy_header(const struct fx_npy *array,
	struct fx_buf *ret);

/* Gives COUNT elements from FIRST. */
typedef struct fx_error *fx_npy_source(void *context, uint64_t first,
	size_t count, void *bytes);

/* Write an array like ARRAY (its blob is not looked at) to PATH, atomically.
 * UNSUPPORTED when numpy has no such dtype; what SOURCE fails with.
 */
FX_NODISCARD struct fx_error *fx_npy_write(const char *path,
	const struct fx_npy *array, fx_npy_source *source, void *context);

/* An array of several in a file, and what its elements are asked from. */
struct fx_npy_entry {
	const char *name;    /* borrowed */
	struct fx_npy array; /* its blob is not looked at */
	void *context;
};

/* Write COUNT ENTRIES, whose names differ, to the .npz file at PATH,
 * atomically.  As fx_npy_write.
 */
FX_NODISCARD struct fx_error *fx_npz_write(const char *path,
	const struct fx_npy_entry *entries, size_t count,
	fx_npy_source *source);

#endif /* FX_LOAD_NPY_H */
