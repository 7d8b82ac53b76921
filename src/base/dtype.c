/* dtype.c - element types by number and by name. */
#include <config.h>

#include "base/dtype.h"

#include <string.h>

#include "base/compiler.h"

static const struct fx_dtype_info infos[] = {
	[FX_DTYPE_NONE] = { "", "", "", 0, FX_DTYPE_CATEGORY_BOOL, 0, "",
		FX_DTYPE_NONE },
#define FX_DTYPE(id, name, short_name, st, size, category, rank, numpy, part) \
	[FX_DTYPE_##id] = { name, short_name, st, size, \
		FX_DTYPE_CATEGORY_##category, rank, numpy, FX_DTYPE_##part },
#include "base/dtypes.def"
};

_Static_assert(FX_ARRAY_LEN(infos) == FX_DTYPE_COUNT, "a dtype has no row");

/* torch's second names, torch.long being torch.int64. */
static const struct {
	const char *name;
	enum fx_dtype dtype;
} aliases[] = {
	{ "half", FX_DTYPE_F16 },
	{ "float", FX_DTYPE_F32 },
	{ "double", FX_DTYPE_F64 },
	{ "short", FX_DTYPE_I16 },
	{ "int", FX_DTYPE_I32 },
	{ "long", FX_DTYPE_I64 },
	{ "chalf", FX_DTYPE_C32 },
	{ "cfloat", FX_DTYPE_C64 },
	{ "cdouble", FX_DTYPE_C128 },
};

const struct fx_dtype_info *
fx_dtype_info(enum fx_dtype dtype)
{
	return &infos[dtype];
}

/* The dtype whose string at OFFSET of its row is WANTED. */
static enum fx_dtype
find_column(const char *wanted, size_t offset)
{
	if (!*wanted)
		return FX_DTYPE_NONE;
	for (int i = FX_DTYPE_NONE + 1; i < FX_DTYPE_COUNT; i++) {
		const char *const *cell = (const char *const *)(const void
				*)((const char *)&infos[i] + offset);

		if (strcmp(*cell, wanted) == 0)
			return (enum fx_dtype)i;
	}
	return FX_DTYPE_NONE;
}

enum fx_dtype
fx_dtype_find(const char *name)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(aliases); i++)
		if (strcmp(aliases[i].name, name) == 0)
			return aliases[i].dtype;
	return find_column(name, offsetof(struct fx_dtype_info, name));
}

enum fx_dtype
fx_dtype_find_short(const char *name)
{
	return find_column(name, offsetof(struct fx_dtype_info, short_name));
}

enum fx_dtype
fx_dtype_find_safetensors(const char *name)
{
	return find_column(name, offsetof(struct fx_dtype_info, safetensors));
}

/* Byte order comes first: < little, > big, | none, = ours. */
enum fx_dtype
fx_dtype_find_numpy(const char *descr)
{
	enum fx_dtype dtype;
	char order = *descr;

	if (order && strchr("<>|=", order))
		descr++;
	dtype = find_column(descr, offsetof(struct fx_dtype_info, numpy));
	if (order == '>' && infos[dtype].size > 1)
		return FX_DTYPE_NONE;
	return dtype;
}

enum fx_dtype
fx_dtype_real(enum fx_dtype dtype)
{
	return infos[dtype].part ? infos[dtype].part : dtype;
}

enum fx_dtype
fx_dtype_complex(enum fx_dtype part)
{
	for (int i = FX_DTYPE_NONE + 1; part && i < FX_DTYPE_COUNT; i++)
		if (infos[i].part == part)
			return (enum fx_dtype)i;
	return FX_DTYPE_NONE;
}
