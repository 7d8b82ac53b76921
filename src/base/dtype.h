/* dtype.h - element types by number and by name. */
#ifndef FX_BASE_DTYPE_H
#define FX_BASE_DTYPE_H

#include <stddef.h>

enum fx_dtype_category {
	FX_DTYPE_CATEGORY_BOOL,
	FX_DTYPE_CATEGORY_INT,
	FX_DTYPE_CATEGORY_FLOAT,
	FX_DTYPE_CATEGORY_COMPLEX,
	FX_DTYPE_CATEGORY_QUANTIZED,
};

enum fx_dtype {
	FX_DTYPE_NONE,
#define FX_DTYPE(id, name, short_name, st, size, category, rank, numpy, part) \
	FX_DTYPE_##id,
#include "base/dtypes.def"
	FX_DTYPE_COUNT
};

struct fx_dtype_info {
	const char *name;
	const char *short_name;
	const char *safetensors;
	size_t size;
	enum fx_dtype_category category;
	int rank;
	const char *numpy;
	enum fx_dtype part;
};

const struct fx_dtype_info *fx_dtype_info(enum fx_dtype dtype);

/* By "float32" or an alias ("float", "half", "double", "long", ...), by "f32",
 * by a safetensors name, by numpy's descr; NONE when unknown.
 */
enum fx_dtype fx_dtype_find(const char *name);
enum fx_dtype fx_dtype_find_short(const char *name);
enum fx_dtype fx_dtype_find_safetensors(const char *name);
enum fx_dtype fx_dtype_find_numpy(const char *descr);

/* float32 of complex64 and so on; others stay. */
enum fx_dtype fx_dtype_real(enum fx_dtype dtype);
/* complex64 of float32 and so on; NONE of what is no part of one. */
enum fx_dtype fx_dtype_complex(enum fx_dtype part);

#endif /* FX_BASE_DTYPE_H */
