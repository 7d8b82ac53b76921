/* value.c - making and comparing values. */
#include <config.h>

#include "ir/value.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"

static const char *const kind_names[] = {
	[FX_VALUE_NONE] = "None",
	[FX_VALUE_BOOL] = "bool",
	[FX_VALUE_INT] = "int",
	[FX_VALUE_BIGINT] = "int",
	[FX_VALUE_FLOAT] = "float",
	[FX_VALUE_COMPLEX] = "complex",
	[FX_VALUE_STRING] = "str",
	[FX_VALUE_BYTES] = "bytes",
	[FX_VALUE_ELLIPSIS] = "ellipsis",
	[FX_VALUE_DTYPE] = "dtype",
	[FX_VALUE_DEVICE] = "device",
	[FX_VALUE_LAYOUT] = "layout",
	[FX_VALUE_MEMORY_FORMAT] = "memory_format",
	[FX_VALUE_NODE] = "node",
	[FX_VALUE_SLICE] = "slice",
	[FX_VALUE_TUPLE] = "tuple",
	[FX_VALUE_LIST] = "list",
	[FX_VALUE_DICT] = "dict",
	[FX_VALUE_RANGE] = "range",
	[FX_VALUE_SIZE] = "torch.Size",
	[FX_VALUE_NAMEDTUPLE] = "namedtuple",
	[FX_VALUE_FUNCTION] = "function",
	[FX_VALUE_OPAQUE] = "object",
	[FX_VALUE_TENSOR] = "tensor",
	[FX_VALUE_SYMBOL] = "symbol",
	[FX_VALUE_UNKNOWN] = "unknown",
	[FX_VALUE_NODE_ID] = "node",
	[FX_VALUE_HELD] = "tensor",
};
_Static_assert(FX_ARRAY_LEN(kind_names) == FX_VALUE_KIND_COUNT,
	"every kind has a name");

struct fx_value
fx_value_string(const char *text)
{
	const char *interned = fx_intern(text);

	return (struct fx_value){ .kind = FX_VALUE_STRING,
		.count = (uint32_t)fx_intern_length(interned),
		.text = interned };
}

/* LENGTH bytes in ARENA, with a NUL behind them. */
static const char *
copy_bytes(struct fx_arena *arena, const char *bytes, size_t length)
{
	char *copy = fx_arena_alloc(arena, length + 1);

	if (length > 0)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

struct fx_value
fx_value_string_n(struct fx_arena *arena, const char *text, size_t length)
{
	bool has_nul = length > 0 && memchr(text, '\0', length);

	fx_assert(length <= UINT32_MAX);
	return (struct fx_value){ .kind = FX_VALUE_STRING,
		.count = (uint32_t)length,
		.text = has_nul ? copy_bytes(arena, text, length)
				: fx_intern_n(text, length) };
}

struct fx_value
fx_value_bytes(struct fx_arena *arena, const char *bytes, size_t length)
{
	fx_assert(length <= UINT32_MAX);
	return (struct fx_value){ .kind = FX_VALUE_BYTES,
		.count = (uint32_t)length,
		.text = copy_bytes(arena, bytes, length) };
}

struct fx_value
fx_value_complex(struct fx_arena *arena, double real, double imag)
{
	double *pair = fx_arena_alloc(arena, 2 * sizeof(*pair));

	pair[0] = real;
	pair[1] = imag;
	return (struct fx_value){ .kind = FX_VALUE_COMPLEX, .pair = pair };
}

struct fx_value
fx_value_dtype(int dtype)
{
	return (struct fx_value){ .kind = FX_VALUE_DTYPE, .integer = dtype };
}

struct fx_value
fx_value_text(enum fx_value_kind kind, const char *text)
{
	const char *interned = fx_intern(text);
	size_t length = interned ? fx_intern_length(interned) : 0;

	return (struct fx_value){ .kind = (uint8_t)kind,
		.count = (uint32_t)length,
		.text = interned };
}

struct fx_value
fx_value_unknown_input(const char *name)
{
	return (struct fx_value){ .kind = FX_VALUE_UNKNOWN,
		.is_input = true,
		.count = (uint32_t)fx_intern_length(name),
		.text = name };
}

const char *
fx_value_why(const struct fx_value *unknown)
{
	return unknown->is_input
		       ? fx_intern_format("%%%s is not known", unknown->text)
		       : unknown->text;
}

const char *
fx_value_opaque_part(const struct fx_value *value, int which,
	size_t *length_ret)
{
	const char *text = value->text, *end;

	while (text && which-- > 0) {
		text = strchr(text, FX_VALUE_PART);
		text = text ? text + 1 : NULL;
	}
	if (!text)
		return NULL;
	end = strchr(text, FX_VALUE_PART);
	*length_ret = end ? (size_t)(end - text) : strlen(text);
	return text;
}

struct fx_value
fx_value_plain(const struct fx_value *value)
{
	const char *text;
	size_t length;
	int64_t number;

	if (value->kind != FX_VALUE_OPAQUE)
		return *value;
	text = fx_value_opaque_part(value, 3, &length);
	if (text && fx_str_starts(text, "str "))
		return fx_value_string(text + 4);
	if (text && fx_str_starts(text, "int ") &&
		fx_number_parse_int(text + 4, length - 4, &number))
		return fx_value_int(number);
	return *value;
}

/* COUNT items copied into ARENA.  Of none there is a place all the same, as C
 * has no offsets, not even 0, from a null pointer.
 */
static const struct fx_value *
copy_items(struct fx_arena *arena, const struct fx_value *items, size_t count)
{
	static const struct fx_value nothing;
	struct fx_value *copy;

	if (count == 0)
		return &nothing;
	copy = fx_arena_alloc(arena, count * sizeof(*copy));
	memcpy(copy, items, count * sizeof(*copy));
	return copy;
}

struct fx_value
fx_value_sequence(struct fx_arena *arena, enum fx_value_kind kind,
	const struct fx_value *items, size_t count)
{
	fx_assert(count <= UINT32_MAX);
	return (struct fx_value){ .kind = (uint8_t)kind,
		.count = (uint32_t)count,
		.items = copy_items(arena, items, count) };
}

struct fx_value
fx_value_dict(struct fx_arena *arena, const struct fx_value *items,
	size_t count)
{
	fx_assert(count <= UINT32_MAX / 2);
	return (struct fx_value){ .kind = FX_VALUE_DICT,
		.count = (uint32_t)count,
		.items = copy_items(arena, items, 2 * count) };
}

static struct fx_value
triple(struct fx_arena *arena, enum fx_value_kind kind,
	const struct fx_value items[3])
{
	return (struct fx_value){ .kind = (uint8_t)kind,
		.count = 3,
		.items = copy_items(arena, items, 3) };
}

struct fx_value
fx_value_slice(struct fx_arena *arena, struct fx_value lower,
	struct fx_value upper, struct fx_value step)
{
	const struct fx_value items[3] = { lower, upper, step };

	return triple(arena, FX_VALUE_SLICE, items);
}

struct fx_value
fx_value_range(struct fx_arena *arena, struct fx_value start,
	struct fx_value stop, struct fx_value step)
{
	const struct fx_value items[3] = { start, stop, step };

	return triple(arena, FX_VALUE_RANGE, items);
}

struct fx_value
fx_value_namedtuple(struct fx_arena *arena, const char *class_name,
	const struct fx_value *fields, size_t count)
{
	struct fx_value *items;

	fx_assert(count < UINT32_MAX);
	items = fx_arena_alloc(arena, (count + 1) * sizeof(*items));
	items[0] = fx_value_string(class_name);
	if (count > 0)
		memcpy(items + 1, fields, count * sizeof(*items));
	return (struct fx_value){ .kind = FX_VALUE_NAMEDTUPLE,
		.count = (uint32_t)count,
		.items = items };
}

size_t
fx_value_count_items(const struct fx_value *value)
{
	switch ((enum fx_value_kind)value->kind) {
	case FX_VALUE_TUPLE:
	case FX_VALUE_LIST:
	case FX_VALUE_SIZE:
		return value->count;
	case FX_VALUE_DICT:
		return 2 * (size_t)value->count;
	case FX_VALUE_SLICE:
	case FX_VALUE_RANGE:
		return 3;
	case FX_VALUE_NAMEDTUPLE:
		return (size_t)value->count + 1;
	case FX_VALUE_NONE:
	case FX_VALUE_BOOL:
	case FX_VALUE_INT:
	case FX_VALUE_BIGINT:
	case FX_VALUE_FLOAT:
	case FX_VALUE_COMPLEX:
	case FX_VALUE_STRING:
	case FX_VALUE_BYTES:
	case FX_VALUE_ELLIPSIS:
	case FX_VALUE_DTYPE:
	case FX_VALUE_DEVICE:
	case FX_VALUE_LAYOUT:
	case FX_VALUE_MEMORY_FORMAT:
	case FX_VALUE_NODE:
	case FX_VALUE_FUNCTION:
	case FX_VALUE_OPAQUE:
	case FX_VALUE_TENSOR:
	case FX_VALUE_SYMBOL:
	case FX_VALUE_UNKNOWN:
	case FX_VALUE_NODE_ID:
	case FX_VALUE_HELD:
	case FX_VALUE_KIND_COUNT:
		return 0;
	}
	return 0;
}

const struct fx_value *
fx_value_dict_get(const struct fx_value *dict, const char *key)
{
	if (dict->kind != FX_VALUE_DICT)
		return NULL;
	for (size_t i = 0; i < dict->count; i++)
		if (dict->items[2 * i].kind == FX_VALUE_STRING &&
			dict->items[2 * i].count == strlen(key) &&
			fx_str_equal(dict->items[2 * i].text, key))
			return &dict->items[2 * i + 1];
	return NULL;
}

/* As text: NaN is NaN, 0.0 is not -0.0. */
static bool
same_double(double a, double b)
{
	return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static bool
same_text(const struct fx_value *a, const struct fx_value *b)
{
	if (a->is_input != b->is_input)
		return false;
	if (a->text == b->text)
		return a->count == b->count;
	return a->text && b->text && a->count == b->count &&
	       memcmp(a->text, b->text, a->count) == 0;
}

static bool
same_items(const struct fx_value *a, const struct fx_value *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!fx_value_equal(&a[i], &b[i]))
			return false;
	return true;
}

static bool
same_tensor(const struct fx_tensor_meta *a, const struct fx_tensor_meta *b)
{
	if (a->dtype != b->dtype || a->has_shape != b->has_shape ||
		a->rank != b->rank || !a->strides != !b->strides ||
		!fx_str_equal(a->device, b->device))
		return false;
	return same_items(a->sizes, b->sizes, a->rank) &&
	       (!a->strides || same_items(a->strides, b->strides, a->rank));
}

/* A and B are of one kind. */
static bool
same_payload(const struct fx_value *a, const struct fx_value *b)
{
	switch ((enum fx_value_kind)a->kind) {
	case FX_VALUE_NONE:
	case FX_VALUE_ELLIPSIS:
		return true;
	case FX_VALUE_BOOL:
		return a->truth == b->truth;
	case FX_VALUE_INT:
	case FX_VALUE_DTYPE:
	case FX_VALUE_NODE_ID:
		return a->integer == b->integer;
	case FX_VALUE_FLOAT:
		return same_double(a->real, b->real);
	case FX_VALUE_COMPLEX:
		return same_double(a->pair[0], b->pair[0]) &&
		       same_double(a->pair[1], b->pair[1]);
	case FX_VALUE_BIGINT:
	case FX_VALUE_STRING:
	case FX_VALUE_BYTES:
	case FX_VALUE_DEVICE:
	case FX_VALUE_LAYOUT:
	case FX_VALUE_MEMORY_FORMAT:
	case FX_VALUE_FUNCTION:
	case FX_VALUE_OPAQUE:
	case FX_VALUE_UNKNOWN:
		return same_text(a, b);
	case FX_VALUE_NODE:
		return a->node == b->node;
	case FX_VALUE_HELD:
		return a->held == b->held;
	case FX_VALUE_TENSOR:
		return same_tensor(a->tensor, b->tensor);
	case FX_VALUE_SYMBOL:
		return fx_size_equal(*a, *b);
	case FX_VALUE_SLICE:
	case FX_VALUE_TUPLE:
	case FX_VALUE_LIST:
	case FX_VALUE_DICT:
	case FX_VALUE_RANGE:
	case FX_VALUE_SIZE:
	case FX_VALUE_NAMEDTUPLE:
		return a->count == b->count &&
		       same_items(a->items, b->items, fx_value_item_count(a));
	case FX_VALUE_KIND_COUNT:
		return false;
	}
	return false;
}

bool
fx_value_equal(const struct fx_value *a, const struct fx_value *b)
{
	return a->kind == b->kind && same_payload(a, b);
}

const char *
fx_value_kind_name(enum fx_value_kind kind)
{
	return kind_names[kind];
}
