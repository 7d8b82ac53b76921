/* fold.c - operators of Python on values: dispatch, truth; fold_compare.c has
 * the comparisons.
 */
#include <config.h>

#include "ir/fold.h"

#include <string.h>

#include "ir/fold_private.h"

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

static bool
is_tensor(const struct fx_value *value)
{
	return value->kind == FX_VALUE_TENSOR || value->kind == FX_VALUE_HELD;
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
		return fx_fold_compare(arena, op, left, right, ret);
	if ((is_tensor(left) && op != FX_AST_IN && op != FX_AST_NOT_IN) ||
		is_tensor(right))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%s of a tensor needs a backend", fx_ast_op_text(op));
	if (unknown) {
		*ret = *unknown;
		return NULL;
	}
	if (is_comparison(op))
		return fx_fold_compare(arena, op, left, right, ret);
	if (op == FX_AST_ADD && fx_fold_concat(arena, left, right, ret, &err))
		return err;
	if (op == FX_AST_MUL && fx_fold_repeat(arena, left, right, ret, &err))
		return err;
	if (op == FX_AST_MOD && left->kind == FX_VALUE_STRING)
		return fx_fold_format(arena, left, right, ret);
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
	if (is_tensor(value))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"unary %s of a tensor needs a backend",
			fx_ast_op_text(op));
	if (value->kind == FX_VALUE_UNKNOWN && !fx_fold_is_number(value)) {
		*ret = *value;
		return NULL;
	}
	if (!fx_fold_is_number(value))
		return bad_operand(op, value);
	if (op == FX_AST_POS && value->kind == FX_VALUE_FLOAT) {
		*ret = *value;
		return NULL;
	}
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
	int64_t length;

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
	case FX_VALUE_NODE_ID:
		*truth_ret = true;
		return true;
	case FX_VALUE_RANGE:
		if (!fx_fold_range_length(value, &length))
			break;
		*truth_ret = length != 0;
		return true;
	case FX_VALUE_NODE:
	case FX_VALUE_HELD:
	case FX_VALUE_OPAQUE:
	case FX_VALUE_TENSOR:
	case FX_VALUE_SYMBOL:
	case FX_VALUE_UNKNOWN:
	case FX_VALUE_KIND_COUNT:
		break;
	}
	return false;
}
