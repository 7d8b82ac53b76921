/* fold.c - operators of Python on values: dispatch, comparison, truth. */
#include <config.h>

#include "ir/fold.h"

#include <math.h>
#include <string.h>

#include "ir/fold_private.h"
#include "ir/size.h"

/* Containers nested deeper than this are not compared. */
#define DEPTH_LIMIT 200

bool
fx_fold_has(const struct fx_value *value, enum fx_value_kind kind)
{
	size_t count = fx_value_item_count(value);

	if (value->kind == kind)
		return true;
	for (size_t i = 0; i < count; i++)
		if (fx_fold_has(&value->items[i], kind))
			return true;
	return false;
}

bool
fx_fold_is_number(const struct fx_value *value)
{
	switch (value->kind) {
	case FX_VALUE_BOOL:
	case FX_VALUE_INT:
	case FX_VALUE_BIGINT:
	case FX_VALUE_FLOAT:
	case FX_VALUE_COMPLEX:
	case FX_VALUE_SYMBOL:
		return true;
	case FX_VALUE_UNKNOWN:
		return fx_fold_is_some(value, "float") ||
		       fx_fold_is_some(value, "int") ||
		       fx_fold_is_some(value, "bool");
	}
	return false;
}

struct fx_error *
fx_fold_bad_operands(enum fx_ast_op op, const struct fx_value *left,
	const struct fx_value *right)
{
	return fx_error_new(FX_ERR_TYPE,
		"unsupported operand types for %s: \"%s\" and \"%s\"",
		fx_ast_op_text(op), fx_value_kind_name(left->kind),
		fx_value_kind_name(right->kind));
}

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

/* Both known: which is greater, -1, 0, 1, or one of the above. */
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
	if (a->kind == FX_VALUE_COMPLEX && b->kind == FX_VALUE_COMPLEX)
		return a->pair[0] == b->pair[0] && a->pair[1] == b->pair[1];
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

static enum fx_tristate
equal_at(const struct fx_value *a, const struct fx_value *b, int depth)
{
	if (depth > DEPTH_LIMIT)
		return FX_MAYBE;
	if (fx_fold_is_number(a) && fx_fold_is_number(b))
		return equal_numbers(a, b);
	if (a->kind == FX_VALUE_UNKNOWN || b->kind == FX_VALUE_UNKNOWN ||
		a->kind == FX_VALUE_TENSOR || b->kind == FX_VALUE_TENSOR)
		return FX_MAYBE;
	if (fx_fold_is_tuple(a) && fx_fold_is_tuple(b))
		return equal_items(a, b, depth);
	if (a->kind != b->kind)
		return FX_FALSE;
	if (a->kind == FX_VALUE_LIST || a->kind == FX_VALUE_SLICE)
		return equal_items(a, b, depth);
	if (a->kind == FX_VALUE_DICT && fx_fold_has(a, FX_VALUE_UNKNOWN))
		return FX_MAYBE;
	return fx_value_equal(a, b) ? FX_TRUE : FX_FALSE;
}

enum fx_tristate
fx_fold_equal(const struct fx_value *a, const struct fx_value *b)
{
	return equal_at(a, b, 0);
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
	if (a->kind == FX_VALUE_STRING && b->kind == FX_VALUE_STRING) {
		*ret = fx_value_bool(order_satisfies(op,
			compare_strings(a, b)));
		return NULL;
	}
	if ((fx_fold_is_tuple(a) && fx_fold_is_tuple(b)) ||
		(a->kind == FX_VALUE_LIST && b->kind == FX_VALUE_LIST))
		return order_items(arena, op, a, b, ret);
	return fx_fold_bad_operands(op, a, b);
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

	if (haystack->kind == FX_VALUE_STRING) {
		if (needle->kind != FX_VALUE_STRING)
			return fx_fold_bad_operands(FX_AST_IN, needle,
				haystack);
		*ret = fx_value_bool(needle->count == 0 ||
				     memmem(haystack->text, haystack->count,
					     needle->text,
					     needle->count) != NULL);
		return NULL;
	}
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
		a->kind == FX_VALUE_ELLIPSIS || a->kind == FX_VALUE_DTYPE) {
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

static struct fx_error *
fold_comparison(struct fx_arena *arena, enum fx_ast_op op,
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

static bool
is_comparison(enum fx_ast_op op)
{
	return op >= FX_AST_EQ && op <= FX_AST_IS_NOT;
}

static const struct fx_value *
first_unknown(const struct fx_value *a, const struct fx_value *b)
{
	if (a->kind == FX_VALUE_UNKNOWN && !fx_fold_is_number(a))
		return a;
	if (b->kind == FX_VALUE_UNKNOWN && !fx_fold_is_number(b))
		return b;
	return NULL;
}

struct fx_error *
fx_fold_binary(struct fx_arena *arena, enum fx_ast_op op,
	const struct fx_value *left, const struct fx_value *right,
	struct fx_value *ret)
{
	const struct fx_value *unknown = first_unknown(left, right);
	struct fx_error *err = NULL;

	if (op == FX_AST_IS || op == FX_AST_IS_NOT)
		return fold_comparison(arena, op, left, right, ret);
	if (left->kind == FX_VALUE_TENSOR || right->kind == FX_VALUE_TENSOR)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%s of a tensor needs a backend", fx_ast_op_text(op));
	if (unknown) {
		*ret = *unknown;
		return NULL;
	}
	if (is_comparison(op))
		return fold_comparison(arena, op, left, right, ret);
	if (op == FX_AST_ADD && fx_fold_concat(arena, left, right, ret, &err))
		return err;
	if (op == FX_AST_MUL && fx_fold_repeat(arena, left, right, ret, &err))
		return err;
	if (op == FX_AST_MOD && left->kind == FX_VALUE_STRING) {
		*ret = fx_fold_unknown("a formatted string");
		return NULL;
	}
	if (!fx_fold_is_number(left) || !fx_fold_is_number(right) ||
		op == FX_AST_MATMUL)
		return fx_fold_bad_operands(op, left, right);
	return fx_fold_arithmetic(arena, op, left, right, ret);
}

static struct fx_error *
bad_operand(enum fx_ast_op op, const struct fx_value *value)
{
	return fx_error_new(FX_ERR_TYPE,
		"bad operand type for unary %s: \"%s\"", fx_ast_op_text(op),
		fx_value_kind_name(value->kind));
}

struct fx_error *
fx_fold_unary(struct fx_arena *arena, enum fx_ast_op op,
	const struct fx_value *value, struct fx_value *ret)
{
	struct fx_value zero = fx_value_int(0);
	struct fx_value minus_one = fx_value_int(-1);
	bool truth;

	if (op == FX_AST_NOT) {
		*ret = fx_fold_truth(value, &truth) ? fx_value_bool(!truth)
						    : fx_fold_some("bool");
		return NULL;
	}
	if (value->kind == FX_VALUE_TENSOR)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"unary %s of a tensor needs a backend",
			fx_ast_op_text(op));
	if (value->kind == FX_VALUE_UNKNOWN && !fx_fold_is_number(value)) {
		*ret = *value;
		return NULL;
	}
	if (!fx_fold_is_number(value))
		return bad_operand(op, value);
	if (op == FX_AST_POS)
		return fx_fold_arithmetic(arena, FX_AST_ADD, value, &zero, ret);
	if (op == FX_AST_NEG && value->kind == FX_VALUE_FLOAT) {
		*ret = fx_value_float(-value->real);
		return NULL;
	}
	if (op == FX_AST_NEG)
		return fx_fold_arithmetic(arena, FX_AST_MUL, value, &minus_one,
			ret);
	if (value->kind == FX_VALUE_FLOAT || value->kind == FX_VALUE_COMPLEX)
		return bad_operand(op, value);
	/* ~x is -1 - x. */
	return fx_fold_arithmetic(arena, FX_AST_SUB, &minus_one, value, ret);
}

bool
fx_fold_truth(const struct fx_value *value, bool *truth_ret)
{
	switch ((enum fx_value_kind)value->kind) {
	case FX_VALUE_NONE:
		*truth_ret = false;
		return true;
	case FX_VALUE_BOOL:
		*truth_ret = value->truth;
		return true;
	case FX_VALUE_INT:
		*truth_ret = value->integer != 0;
		return true;
	case FX_VALUE_FLOAT:
		*truth_ret = value->real != 0;
		return true;
	case FX_VALUE_COMPLEX:
		*truth_ret = value->pair[0] != 0 || value->pair[1] != 0;
		return true;
	case FX_VALUE_STRING:
	case FX_VALUE_BYTES:
	case FX_VALUE_TUPLE:
	case FX_VALUE_LIST:
	case FX_VALUE_SIZE:
	case FX_VALUE_DICT:
	case FX_VALUE_NAMEDTUPLE:
		*truth_ret = value->count != 0;
		return true;
	case FX_VALUE_BIGINT:
	case FX_VALUE_ELLIPSIS:
	case FX_VALUE_DTYPE:
	case FX_VALUE_DEVICE:
	case FX_VALUE_LAYOUT:
	case FX_VALUE_MEMORY_FORMAT:
	case FX_VALUE_SLICE:
	case FX_VALUE_FUNCTION:
		*truth_ret = true;
		return true;
	case FX_VALUE_NODE:
	case FX_VALUE_RANGE:
	case FX_VALUE_OPAQUE:
	case FX_VALUE_TENSOR:
	case FX_VALUE_SYMBOL:
	case FX_VALUE_UNKNOWN:
	case FX_VALUE_KIND_COUNT:
		break;
	}
	return false;
}
