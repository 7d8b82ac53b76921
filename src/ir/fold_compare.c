/* fold_compare.c - Python's ==, <, in and is. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "ir/fold_private.h"
#include "ir/size.h"

/* Containers nested deeper than this are not compared. */
#define DEPTH_LIMIT 200

/* How two numbers stand to each other, besides -1, 0, 1: one is a NaN; an int
 * is too large to say.
 */
enum {
	UNORDERED = 2,
	TOO_LARGE,
};

/* Two ints, of which at least one has more than 127 bits, and so the longer
 * digits unless the signs decide.
 */
static int
compare_huge(const struct fx_value *a, const struct fx_value *b)
{
	bool is_big = a->kind == FX_VALUE_BIGINT;
	const char *digits = is_big ? a->text : b->text;
	int sign = *digits == '-' ? -1 : 1;
	int order;

	if (a->kind != b->kind)
		return is_big ? sign : -sign;
	if ((*b->text == '-') != (sign < 0))
		return sign;
	order = (a->count > b->count) - (a->count < b->count);
	if (!order)
		order = strcmp(a->text, b->text);
	return sign * ((order > 0) - (order < 0));
}

/* An int against a float: exactly, by way of the float's whole part. */
static int
compare_int_float(const struct fx_value *a, double real)
{
	fx_wide x;
	fx_wide y;
	int order;

	if (isnan(real))
		return UNORDERED;
	if (isinf(real))
		return real > 0 ? -1 : 1;
	if (!fx_fold_wide(a, &x))
		return TOO_LARGE;
	if (fabs(real) >= 0x1p127)
		return real > 0 ? -1 : 1;
	y = (fx_wide)floor(real);
	order = (x > y) - (x < y);
	return order == 0 && real != floor(real) ? -1 : order;
}

/* Compare two known numbers: return -1, 0 or 1 if A is less than, equal to or
 * greater than B, or one of the constants above.
 */
static int
compare_numbers(const struct fx_value *a, const struct fx_value *b)
{
	bool a_float = a->kind == FX_VALUE_FLOAT;
	bool b_float = b->kind == FX_VALUE_FLOAT;
	fx_wide x;
	fx_wide y;
	int order;

	if (a_float && b_float)
		return isnan(a->real) || isnan(b->real)
			       ? UNORDERED
			       : (a->real > b->real) - (a->real < b->real);
	if (b_float)
		return compare_int_float(a, b->real);
	if (a_float) {
		order = compare_int_float(b, a->real);
		return order >= UNORDERED ? order : -order;
	}
	if (fx_fold_wide(a, &x) && fx_fold_wide(b, &y))
		return (x > y) - (x < y);
	return compare_huge(a, b);
}

static bool
is_plain_number(const struct fx_value *value)
{
	return value->kind == FX_VALUE_BOOL || value->kind == FX_VALUE_INT ||
	       value->kind == FX_VALUE_BIGINT || value->kind == FX_VALUE_FLOAT;
}

/* One of A and B is complex. */
static enum fx_tristate
equal_complex(const struct fx_value *a, const struct fx_value *b)
{
	const struct fx_value *z = a->kind == FX_VALUE_COMPLEX ? a : b;
	const struct fx_value *other = z == a ? b : a;
	struct fx_value real = fx_value_float(z->pair[0]);

	if (other->kind == FX_VALUE_COMPLEX)
		return z->pair[0] == other->pair[0] &&
		       z->pair[1] == other->pair[1];
	if (!is_plain_number(other))
		return FX_MAYBE;
	return z->pair[1] == 0 && compare_numbers(&real, other) == 0;
}

static enum fx_tristate
equal_numbers(const struct fx_value *a, const struct fx_value *b)
{
	struct fx_value x = fx_fold_as_size(a);
	struct fx_value y = fx_fold_as_size(b);

	if (is_plain_number(a) && is_plain_number(b)) {
		int order = compare_numbers(a, b);

		return order == TOO_LARGE ? FX_MAYBE
		       : order == 0       ? FX_TRUE
					  : FX_FALSE;
	}
	if (a->kind == FX_VALUE_COMPLEX || b->kind == FX_VALUE_COMPLEX)
		return equal_complex(a, b);
	if (fx_size_equal(x, y))
		return FX_TRUE;
	return fx_size_differs(x, y) ? FX_FALSE : FX_MAYBE;
}

static enum fx_tristate equal_at(const struct fx_value *a,
	const struct fx_value *b, int depth);

static enum fx_tristate
equal_items(const struct fx_value *a, const struct fx_value *b, int depth)
{
	size_t count = fx_value_item_count(a);
	enum fx_tristate result = FX_TRUE;

	if (count != fx_value_item_count(b))
		return FX_FALSE;
	for (size_t i = 0; i < count && result != FX_FALSE; i++) {
		enum fx_tristate one =
			equal_at(&a->items[i], &b->items[i], depth + 1);

		if (one != FX_TRUE)
			result = one;
	}
	return result;
}

/* Whether each key of A is one of B's with an equal value. */
static enum fx_tristate
equal_dicts(const struct fx_value *a, const struct fx_value *b, int depth)
{
	enum fx_tristate result = FX_TRUE;

	if (a->count != b->count)
		return FX_FALSE;
	for (uint32_t i = 0; i < a->count && result != FX_FALSE; i++) {
		enum fx_tristate one = FX_FALSE;

		for (uint32_t j = 0; j < b->count && one == FX_FALSE; j++) {
			/* Most often both have one order. */
			uint32_t at = 2 * ((i + j) % b->count);

			one = equal_at(&a->items[2 * i], &b->items[at],
				depth + 1);
			if (one == FX_FALSE)
				continue;
			if (one == FX_TRUE)
				one = equal_at(&a->items[2 * i + 1],
					&b->items[at + 1], depth + 1);
			break;
		}
		if (one != FX_TRUE)
			result = one;
	}
	return result;
}

/* Ranges are equal when they give the same numbers. */
static enum fx_tristate
equal_ranges(const struct fx_value *a, const struct fx_value *b)
{
	int64_t length, of_b;

	if (!fx_fold_range_length(a, &length) ||
		!fx_fold_range_length(b, &of_b))
		return fx_value_equal(a, b) ? FX_TRUE : FX_MAYBE;
	return length == of_b &&
	       (length == 0 ||
		       (fx_value_equal(&a->items[0], &b->items[0]) &&
			       (length == 1 || fx_value_equal(&a->items[2],
						       &b->items[2]))));
}

static enum fx_tristate
equal_at(const struct fx_value *a, const struct fx_value *b, int depth)
{
	struct fx_value fields[2];

	if (depth > DEPTH_LIMIT)
		return FX_MAYBE;
	if (a->kind == FX_VALUE_NAMEDTUPLE) {
		fields[0] = fx_fold_fields(a);
		a = &fields[0];
	}
	if (b->kind == FX_VALUE_NAMEDTUPLE) {
		fields[1] = fx_fold_fields(b);
		b = &fields[1];
	}
	if (fx_fold_is_number(a) && fx_fold_is_number(b))
		return equal_numbers(a, b);
	if (a->kind == FX_VALUE_HELD && b->kind == FX_VALUE_HELD)
		return a->held == b->held ? FX_TRUE : FX_MAYBE;
	if (a->kind == FX_VALUE_UNKNOWN || b->kind == FX_VALUE_UNKNOWN ||
		a->kind == FX_VALUE_TENSOR || b->kind == FX_VALUE_TENSOR)
		return FX_MAYBE;
	if (fx_fold_is_tuple(a) && fx_fold_is_tuple(b))
		return equal_items(a, b, depth);
	if (a->kind != b->kind)
		return FX_FALSE;
	if (a->kind == FX_VALUE_LIST || a->kind == FX_VALUE_SLICE)
		return equal_items(a, b, depth);
	if (a->kind == FX_VALUE_DICT)
		return equal_dicts(a, b, depth);
	if (a->kind == FX_VALUE_RANGE)
		return equal_ranges(a, b);
	return fx_value_equal(a, b) ? FX_TRUE : FX_FALSE;
}

enum fx_tristate
fx_fold_equal(const struct fx_value *a, const struct fx_value *b)
{
	return equal_at(a, b, 0);
}

bool
fx_fold_is_hashable(const struct fx_value *value)
{
	size_t count = fx_value_item_count(value);

	if (value->kind == FX_VALUE_LIST || value->kind == FX_VALUE_DICT ||
		value->kind == FX_VALUE_SLICE)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!fx_fold_is_hashable(&value->items[i]))
			return false;
	return true;
}

struct fx_value
fx_fold_from_tristate(enum fx_tristate state)
{
	return state == FX_MAYBE ? fx_fold_some("bool")
				 : fx_value_bool(state == FX_TRUE);
}

/* Whether ORDER (-1, 0, 1) is what OP asks for. */
static bool
order_satisfies(enum fx_ast_op op, int order)
{
	if (op == FX_AST_LT)
		return order < 0;
	if (op == FX_AST_LE)
		return order <= 0;
	if (op == FX_AST_GT)
		return order > 0;
	return order >= 0;
}

static struct fx_error *order_values(struct fx_arena *arena, enum fx_ast_op op,
	const struct fx_value *a, const struct fx_value *b,
	struct fx_value *ret);

/* Sequences: the first items that differ decide. */
static struct fx_error *
order_items(struct fx_arena *arena, enum fx_ast_op op, const struct fx_value *a,
	const struct fx_value *b, struct fx_value *ret)
{
	size_t i;

	for (i = 0; i < a->count && i < b->count; i++) {
		enum fx_tristate equal =
			fx_fold_equal(&a->items[i], &b->items[i]);

		if (equal == FX_MAYBE) {
			*ret = fx_fold_some("bool");
			return NULL;
		}
		if (equal == FX_FALSE)
			return order_values(arena, op, &a->items[i],
				&b->items[i], ret);
	}
	*ret = fx_value_bool(order_satisfies(op,
		(a->count > b->count) - (a->count < b->count)));
	return NULL;
}

static int
compare_strings(const struct fx_value *a, const struct fx_value *b)
{
	int order = memcmp(a->text, b->text, FX_MIN(a->count, b->count));

	return order ? (order > 0) - (order < 0)
		     : (a->count > b->count) - (a->count < b->count);
}

static struct fx_error *
order_values(struct fx_arena *arena, enum fx_ast_op op,
	const struct fx_value *a, const struct fx_value *b,
	struct fx_value *ret)
{
	struct fx_value difference;
	int order;

	if (is_plain_number(a) && is_plain_number(b)) {
		order = compare_numbers(a, b);
		*ret = order == TOO_LARGE
			       ? fx_fold_some("bool")
			       : fx_value_bool(order != UNORDERED &&
					       order_satisfies(op, order));
		return NULL;
	}
	if (fx_fold_is_number(a) && fx_fold_is_number(b) &&
		a->kind != FX_VALUE_COMPLEX && b->kind != FX_VALUE_COMPLEX) {
		difference = fx_size_sub(arena, fx_fold_as_size(a),
			fx_fold_as_size(b));
		if (difference.kind != FX_VALUE_INT) {
			*ret = fx_fold_some("bool");
			return NULL;
		}
		order = (difference.integer > 0) - (difference.integer < 0);
		*ret = fx_value_bool(order_satisfies(op, order));
		return NULL;
	}
	if (a->kind == b->kind &&
		(a->kind == FX_VALUE_STRING || a->kind == FX_VALUE_BYTES)) {
		*ret = fx_value_bool(order_satisfies(op,
			compare_strings(a, b)));
		return NULL;
	}
	if ((fx_fold_is_tuple(a) && fx_fold_is_tuple(b)) ||
		(a->kind == FX_VALUE_LIST && b->kind == FX_VALUE_LIST))
		return order_items(arena, op, a, b, ret);
	return fx_fold_bad_operands(op, a, b);
}

static bool
is_byte(const struct fx_value *value)
{
	return value->kind == FX_VALUE_BOOL ||
	       (value->kind == FX_VALUE_INT && value->integer >= 0 &&
		       value->integer < 256);
}

/* NEEDLE in HAYSTACK. */
static struct fx_error *
fold_contains(struct fx_arena *arena, const struct fx_value *needle,
	const struct fx_value *haystack, struct fx_value *ret)
{
	const struct fx_value *items;
	size_t count;
	enum fx_tristate found = FX_FALSE;
	struct fx_error *err;

	if (haystack->kind == FX_VALUE_STRING ||
		(haystack->kind == FX_VALUE_BYTES && !is_byte(needle))) {
		if (needle->kind != haystack->kind)
			return fx_fold_bad_operands(FX_AST_IN, needle,
				haystack);
		*ret = fx_value_bool(needle->count == 0 ||
				     memmem(haystack->text, haystack->count,
					     needle->text,
					     needle->count) != NULL);
		return NULL;
	}
	if (haystack->kind == FX_VALUE_DICT && !fx_fold_is_hashable(needle))
		return fx_error_new(FX_ERR_TYPE,
			"a \"%s\" cannot be the key of a dict",
			fx_value_kind_name(needle->kind));
	err = fx_fold_iterate(arena, haystack, &items, &count);
	if (err)
		return err;
	for (size_t i = 0; i < count && found != FX_TRUE; i++) {
		enum fx_tristate one = fx_fold_equal(needle, &items[i]);

		if (one != FX_FALSE)
			found = one;
	}
	*ret = fx_fold_from_tristate(found);
	return NULL;
}

/* A is B.  Objects other than None and the like have no identity here. */
static struct fx_value
fold_is(const struct fx_value *a, const struct fx_value *b)
{
	bool a_known = a->kind != FX_VALUE_UNKNOWN || fx_fold_is_number(a);
	bool b_known = b->kind != FX_VALUE_UNKNOWN || fx_fold_is_number(b);

	if (!a_known || !b_known)
		return fx_fold_some("bool");
	if (a->kind == FX_VALUE_NONE || b->kind == FX_VALUE_NONE ||
		a->kind == FX_VALUE_BOOL || b->kind == FX_VALUE_BOOL ||
		a->kind == FX_VALUE_ELLIPSIS || a->kind == FX_VALUE_DTYPE ||
		a->kind == FX_VALUE_FUNCTION || b->kind == FX_VALUE_FUNCTION) {
		if (a->kind == FX_VALUE_UNKNOWN || b->kind == FX_VALUE_UNKNOWN)
			return a->kind == FX_VALUE_NONE ||
					       b->kind == FX_VALUE_NONE
				       ? fx_value_bool(false)
				       : fx_fold_some("bool");
		return fx_value_bool(fx_value_equal(a, b));
	}
	if (a->kind != b->kind)
		return fx_value_bool(false);
	return fx_fold_some("bool");
}

static struct fx_value
negate(struct fx_value truth)
{
	return truth.kind == FX_VALUE_BOOL ? fx_value_bool(!truth.truth)
					   : truth;
}

struct fx_error *
fx_fold_compare(struct fx_arena *arena, enum fx_ast_op op,
	const struct fx_value *a, const struct fx_value *b,
	struct fx_value *ret)
{
	struct fx_error *err;

	switch (op) {
	case FX_AST_EQ:
		*ret = fx_fold_from_tristate(fx_fold_equal(a, b));
		return NULL;
	case FX_AST_NE:
		*ret = negate(fx_fold_from_tristate(fx_fold_equal(a, b)));
		return NULL;
	case FX_AST_IS:
		*ret = fold_is(a, b);
		return NULL;
	case FX_AST_IS_NOT:
		*ret = negate(fold_is(a, b));
		return NULL;
	case FX_AST_IN:
		return fold_contains(arena, a, b, ret);
	case FX_AST_NOT_IN:
		err = fold_contains(arena, a, b, ret);
		if (!err)
			*ret = negate(*ret);
		return err;
	default:
		return order_values(arena, op, a, b, ret);
	}
}
