/* random_value.c - random values. */
#include <config.h>

#include "tests/support/random_graph.h"

#include "base/compiler.h"
#include "base/dtype.h"
#include "ir/value.h"

static const char *
one_of(struct fxt_random *random, const char *const *texts, size_t count)
{
	return texts[fxt_random_below(random, count)];
}
#define ONE_OF(random, texts) one_of((random), (texts), FX_ARRAY_LEN(texts))

static const char *const strings[] = { "", "mean", "it's", "say \"hi\"",
	"both ' and \"", "tab\tand\nline", "\xc3\xa9t\xc3\xa9", "%x",
	"a, b = (c)", "\\", "\x01\x7f", "\xe2\x82\xac", "None" };

static const double reals[] = { 0.0, -0.0, 1.0, 0.1, -2.5, 1e-5, 1e20, 1e16,
	123456789.125, 5e-324, 1.7976931348623157e308, 1.0 / 3 };

static struct fx_value
number(struct fxt_random *random)
{
	static const int64_t integers[] = { 0, 1, 2, 3, 7, 64, 224, -1, -2,
		INT32_MAX, INT64_MAX, -INT64_MAX };

	if (fxt_random_chance(random, 70))
		return fx_value_int(integers[fxt_random_below(random,
			FX_ARRAY_LEN(integers))]);
	return fx_value_float(reals[fxt_random_below(random,
		FX_ARRAY_LEN(reals))]);
}

/* Leaves that Python code keeps. */
static struct fx_value
leaf(struct fxt_random *random, struct fx_arena *arena)
{
	static const char *const devices[] = { "cpu", "cuda:0", "meta" };
	static const char *const layouts[] = { "strided", "sparse_coo" };
	static const char *const formats[] = { "channels_last",
		"contiguous_format", "preserve_format" };
	static const enum fx_dtype dtypes[] = { FX_DTYPE_F32, FX_DTYPE_F16,
		FX_DTYPE_I64, FX_DTYPE_BOOL };

	switch (fxt_random_below(random, 10)) {
	case 0:
		return fx_value_none();
	case 1:
		return fx_value_bool(fxt_random_chance(random, 50));
	case 2:
		return fx_value_string(ONE_OF(random, strings));
	case 3:
		return (struct fx_value){ .kind = FX_VALUE_ELLIPSIS };
	case 4:
		return fx_value_dtype(dtypes[fxt_random_below(random,
			FX_ARRAY_LEN(dtypes))]);
	case 5:
		return fx_value_text(FX_VALUE_DEVICE, ONE_OF(random, devices));
	case 6:
		return fxt_random_chance(random, 50)
			       ? fx_value_text(FX_VALUE_LAYOUT,
					 ONE_OF(random, layouts))
			       : fx_value_text(FX_VALUE_MEMORY_FORMAT,
					 ONE_OF(random, formats));
	case 7:
		return fx_value_complex(arena, 1.5, -2.0);
	default:
		return number(random);
	}
}

/* Leaves that only .fxg keeps, or that Python code may spell otherwise. */
static struct fx_value
odd_leaf(struct fxt_random *random, struct fx_arena *arena)
{
	switch (fxt_random_below(random, 7)) {
	case 0:
		return fx_value_text(FX_VALUE_BIGINT,
			"123456789012345678901234567890");
	case 1:
		return fx_value_bytes(arena, "a\0b\xff'", 5);
	case 2:
		return fx_value_string_n(arena, "nul\0inside", 10);
	case 3:
		return fx_value_text(FX_VALUE_FUNCTION, "torch.relu");
	case 4:
		return fx_value_text(FX_VALUE_OPAQUE,
			"<my.Thing object at 0x7f>");
	case 5:
		return fx_value_float((double)__builtin_nan(""));
	default:
		return fx_value_float((double)-__builtin_inf());
	}
}

static struct fx_value
index_value(struct fxt_random *random)
{
	return fxt_random_chance(random, 30)
		       ? fx_value_none()
		       : fx_value_int((int64_t)fxt_random_below(random, 9) - 3);
}

static struct fx_value
dict(struct fxt_random *random, struct fx_arena *arena, int depth,
	bool only_python)
{
	static const char *const keys[] = { "a", "dim", "x y", "" };
	struct fx_value items[2 * FX_ARRAY_LEN(keys)];
	size_t count = fxt_random_below(random, FX_ARRAY_LEN(keys) + 1);

	for (size_t i = 0; i < count; i++) {
		items[2 * i] = fxt_random_chance(random, 80)
				       ? fx_value_string(keys[i])
				       : fx_value_int((int64_t)i);
		items[2 * i + 1] =
			fxt_random_value(random, arena, depth - 1, only_python);
	}
	return fx_value_dict(arena, items, count);
}

/* Containers that only .fxg keeps. */
static struct fx_value
odd_container(struct fxt_random *random, struct fx_arena *arena)
{
	struct fx_value sizes[3];

	for (size_t i = 0; i < FX_ARRAY_LEN(sizes); i++)
		sizes[i] = fx_value_int((int64_t)fxt_random_below(random, 9));
	switch (fxt_random_below(random, 3)) {
	case 0:
		return fx_value_range(arena, sizes[0], sizes[1],
			fx_value_int(1 + sizes[2].integer));
	case 1:
		return fx_value_sequence(arena, FX_VALUE_SIZE, sizes,
			fxt_random_below(random, 4));
	default:
		return fx_value_namedtuple(arena, "my.models.Point", sizes, 2);
	}
}

struct fx_value
fxt_random_value(struct fxt_random *random, struct fx_arena *arena, int depth,
	bool only_python)
{
	struct fx_value items[3];
	size_t count = fxt_random_below(random, FX_ARRAY_LEN(items) + 1);
	size_t kind = fxt_random_below(random, 12);

	if (depth <= 0 || kind > 5)
		return !only_python && fxt_random_chance(random, 20)
			       ? odd_leaf(random, arena)
			       : leaf(random, arena);
	if (kind == 0 && !only_python)
		return odd_container(random, arena);
	if (kind == 1)
		return fx_value_slice(arena, index_value(random),
			index_value(random), index_value(random));
	if (kind == 2)
		return dict(random, arena, depth, only_python);
	for (size_t i = 0; i < count; i++)
		items[i] =
			fxt_random_value(random, arena, depth - 1, only_python);
	return fx_value_sequence(arena,
		kind == 3 ? FX_VALUE_LIST : FX_VALUE_TUPLE, items, count);
}
