/* rules_elementwise.c - arithmetic, comparison and what keeps a shape.
 *
 * Operands are tensors and Python numbers; shapes broadcast, dtypes promote
 * (promote.h).
 */
#include <config.h>

#include <string.h>

#include "ir/fold.h"
#include "ir/signature.h"
#include "meta/shape.h"

/* What operands come to. */
struct merged {
	struct fx_shape shape;
	struct fx_promotion promotion;
	bool any_bool; /* an operand is bool */
};

static bool
merge_one(struct fx_shape_call *call, struct merged *merged,
	const struct fx_value *value)
{
	if (value->kind == FX_VALUE_NONE)
		return true;
	if (value->kind == FX_VALUE_TENSOR) {
		if (!value->tensor->has_shape)
			return fx_rule_give_up(call,
				"the shape of an operand is not known");
		merged->any_bool |= value->tensor->dtype == FX_DTYPE_BOOL;
		fx_promote_add(&merged->promotion, value);
		return fx_rule_broadcast(call, &merged->shape,
			value->tensor->sizes, value->tensor->rank);
	}
	if (!fx_fold_is_number(value)) {
		if (value->kind == FX_VALUE_UNKNOWN)
			return fx_rule_give_up(call, "an operand is not known");
		return fx_rule_fail(call, FX_ERR_TYPE,
			"an operand is \"%s\", neither a tensor nor a number",
			fx_value_kind_name(value->kind));
	}
	merged->any_bool |= value->kind == FX_VALUE_BOOL;
	fx_promote_add(&merged->promotion, value);
	return true;
}

/* Merge the positional parameters from FIRST on; keyword-only ones are
 * options.
 */
static bool
merge_from(struct fx_shape_call *call, size_t first, struct merged *merged)
{
	*merged = (struct merged){ .any_bool = false };
	for (size_t i = first; i < call->signature->count; i++) {
		if (call->signature->parameters[i].is_keyword_only)
			break;
		if (!merge_one(call, merged, &call->bound[i]))
			return false;
	}
	return true;
}

static enum fx_dtype
merged_dtype(const struct merged *merged)
{
	return fx_promote_result(&merged->promotion);
}

/* clamp() needs at least one of its bounds. */
static bool
has_bounds(struct fx_shape_call *call)
{
	if (!fx_arg(call, "min") || !fx_arg(call, "max") ||
		fx_arg_is_given(call, "min") || fx_arg_is_given(call, "max"))
		return true;
	return fx_rule_fail(call, FX_ERR_VALUE, "neither min nor max is given");
}

void
fx_shape_broadcast(struct fx_shape_call *call)
{
	struct merged m;

	if (has_bounds(call) && merge_from(call, 0, &m))
		fx_rule_give(call, merged_dtype(&m), &m.shape);
}

/* As broadcast, but torch does not subtract bools. */
void
fx_shape_subtract(struct fx_shape_call *call)
{
	struct merged m;

	if (!merge_from(call, 0, &m))
		return;
	if (m.any_bool) {
		fx_rule_fail(call, FX_ERR_TYPE,
			"bools are not subtracted; use ^ or logical_xor");
		return;
	}
	fx_rule_give(call, merged_dtype(&m), &m.shape);
}

void
fx_shape_broadcast_float(struct fx_shape_call *call)
{
	struct merged m;

	if (merge_from(call, 0, &m))
		fx_rule_give(call, fx_promote_to_float(merged_dtype(&m)),
			&m.shape);
}

/* True division gives floats; with a rounding mode it keeps integers. */
void
fx_shape_divide(struct fx_shape_call *call)
{
	const char *mode = fx_arg_text(call, "rounding_mode");

	if (!*mode)
		fx_shape_broadcast_float(call);
	else if (strcmp(mode, "trunc") == 0 || strcmp(mode, "floor") == 0)
		fx_shape_broadcast(call);
	else
		fx_rule_fail(call, FX_ERR_VALUE,
			"rounding_mode is \"trunc\" or \"floor\", not \"%s\"",
			mode);
}

void
fx_shape_power(struct fx_shape_call *call)
{
	const struct fx_value *base = fx_arg_at(call, 0);
	const struct fx_value *exponent = fx_arg_at(call, 1);

	if (base->kind == FX_VALUE_TENSOR &&
		fx_dtype_is_integral(base->tensor->dtype) &&
		exponent->kind == FX_VALUE_INT && exponent->integer < 0)
		fx_rule_fail(call, FX_ERR_VALUE,
			"integers to negative integer powers are not allowed");
	else
		fx_shape_broadcast(call);
}

void
fx_shape_float_power(struct fx_shape_call *call)
{
	struct merged m;

	if (merge_from(call, 0, &m))
		fx_rule_give(call,
			fx_dtype_is_complex(merged_dtype(&m)) ? FX_DTYPE_C128
							      : FX_DTYPE_F64,
			&m.shape);
}

/* All of one float dtype; the weight may be a number. */
void
fx_shape_lerp(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *start;
	const struct fx_tensor_meta *end;
	struct merged m;

	if (!fx_arg_tensor(call, "input", &start) ||
		!fx_arg_tensor(call, "end", &end) ||
		!fx_rule_needs_float(call, start) ||
		!fx_rule_same_dtype(call, start, end) ||
		!merge_from(call, 0, &m))
		return;
	fx_rule_give(call, start->dtype, &m.shape);
}

void
fx_shape_compare(struct fx_shape_call *call)
{
	struct fx_shape shape = { .rank = 0 };

	for (size_t i = 0; i < 2; i++) {
		struct merged m = { .shape = shape };

		if (!merge_one(call, &m, &call->bound[i]))
			return;
		shape = m.shape;
	}
	fx_rule_give(call, FX_DTYPE_BOOL, &shape);
}

/* A truth that depends on data. */
void
fx_shape_truth(struct fx_shape_call *call)
{
	call->result = fx_fold_unknown("bool");
}

void
fx_shape_bitwise(struct fx_shape_call *call)
{
	struct merged m;
	enum fx_dtype dtype;

	if (!merge_from(call, 0, &m))
		return;
	dtype = merged_dtype(&m);
	if (dtype && !fx_dtype_is_integral(dtype)) {
		fx_rule_fail(call, FX_ERR_TYPE,
			"bits of %s are not operated on; only integers and "
			"bool",
			fx_dtype_info(dtype)->name);
		return;
	}
	fx_rule_give(call, dtype, &m.shape);
}

/* where(condition, a, b); the condition alone asks for indices. */
void
fx_shape_where(struct fx_shape_call *call)
{
	const struct fx_value *condition = fx_arg(call, "condition");
	const struct fx_value *input = fx_arg(call, "input");
	const struct fx_value *other = fx_arg(call, "other");
	struct merged m = { .any_bool = false };
	struct merged shape;

	if (input->kind == FX_VALUE_NONE && other->kind == FX_VALUE_NONE) {
		fx_rule_give_up(call, "how many elements are true depends on "
				      "data");
		return;
	}
	/* In the method x.where(condition, y), the tensor comes first. */
	if (!merge_one(call, &m, input) || !merge_one(call, &m, other))
		return;
	shape = m;
	if (merge_one(call, &shape, condition))
		fx_rule_give(call, merged_dtype(&m), &shape.shape);
}

void
fx_shape_masked_fill(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *mask;
	const struct fx_value *value = fx_arg(call, "value");
	struct fx_shape shape;

	if (!fx_arg_first(call, &input) || !fx_arg_tensor(call, "mask", &mask))
		return;
	if (mask->dtype && mask->dtype != FX_DTYPE_BOOL &&
		mask->dtype != FX_DTYPE_U8) {
		fx_rule_fail(call, FX_ERR_TYPE, "the mask is %s, not bool",
			fx_dtype_info(mask->dtype)->name);
		return;
	}
	if (value->kind == FX_VALUE_TENSOR && value->tensor->has_shape &&
		value->tensor->rank > 0) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"the value has %u dimensions, not 0",
			value->tensor->rank);
		return;
	}
	fx_rule_of(input, &shape);
	if (fx_rule_broadcast(call, &shape, mask->sizes, mask->rank))
		fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_same(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (fx_arg_first(call, &input))
		fx_rule_give_same(call, input, input->dtype);
}

void
fx_shape_same_float(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (fx_arg_first(call, &input))
		fx_rule_give_same(call, input,
			fx_promote_to_float(input->dtype));
}

void
fx_shape_same_bool(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (fx_arg_first(call, &input))
		fx_rule_give_same(call, input, FX_DTYPE_BOOL);
}

void
fx_shape_negate(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (!fx_arg_first(call, &input))
		return;
	if (input->dtype == FX_DTYPE_BOOL)
		fx_rule_fail(call, FX_ERR_TYPE,
			"bools are not negated; use ~ or logical_not");
	else
		fx_rule_give_same(call, input, input->dtype);
}

/* Magnitudes of complex numbers are real; so are their parts. */
void
fx_shape_abs(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (fx_arg_first(call, &input))
		fx_rule_give_same(call, input, fx_dtype_real(input->dtype));
}

void
fx_shape_rounding(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (!fx_arg_first(call, &input))
		return;
	if (input->dtype == FX_DTYPE_BOOL || fx_dtype_is_complex(input->dtype))
		fx_rule_fail(call, FX_ERR_TYPE, "not possible on %s",
			fx_dtype_info(input->dtype)->name);
	else
		fx_rule_give_same(call, input, input->dtype);
}

/* x ** 2: a bool becomes an integer. */
void
fx_shape_square(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (fx_arg_first(call, &input))
		fx_rule_give_same(call, input,
			input->dtype == FX_DTYPE_BOOL ? FX_DTYPE_I64
						      : input->dtype);
}

/* Whether the result of an in-place operation may be put back into DTYPE. */
static bool
can_store(struct fx_shape_call *call, enum fx_dtype result, enum fx_dtype into)
{
	if (!result || !into ||
		fx_dtype_info(result)->category <=
			fx_dtype_info(into)->category)
		return true;
	return fx_rule_fail(call, FX_ERR_TYPE,
		"a result of %s cannot be put into a tensor of %s",
		fx_dtype_info(result)->name, fx_dtype_info(into)->name);
}

static bool
fits_in_place(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	const struct fx_shape *shape)
{
	bool fits = shape->rank == input->rank;

	for (size_t i = 0; fits && i < shape->rank; i++)
		fits = !fx_size_is_int(input->sizes[i], 1) ||
		       fx_size_is_int(shape->sizes[i], 1);
	if (fits)
		return true;
	return fx_rule_fail(call, FX_ERR_SHAPE,
		"%s is too small to hold the result in place",
		fx_rule_text(call, input));
}

/* Apply RULE as for an operation in place: the result has the shape and dtype
 * of the first operand if that operand can hold it.
 */
static void
put_back(struct fx_shape_call *call, fx_shape_rule *rule)
{
	const struct fx_value *first = fx_arg_at(call, 0);
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *result;
	struct fx_shape shape;

	rule(call);
	/* n += x with a number n makes something new. */
	if (call->error || call->result.kind != FX_VALUE_TENSOR ||
		(first->kind != FX_VALUE_TENSOR && fx_fold_is_number(first)) ||
		!fx_arg_first(call, &input))
		return;
	result = call->result.tensor;
	fx_rule_of(result, &shape);
	if (can_store(call, result->dtype, input->dtype) &&
		fits_in_place(call, input, &shape))
		fx_rule_give_same(call, input, input->dtype);
}

void
fx_shape_in_place(struct fx_shape_call *call)
{
	put_back(call, fx_shape_broadcast);
}

void
fx_shape_in_place_subtract(struct fx_shape_call *call)
{
	put_back(call, fx_shape_subtract);
}

void
fx_shape_in_place_divide(struct fx_shape_call *call)
{
	put_back(call, fx_shape_divide);
}

/* copy_: any dtype, but the shape must fit. */
void
fx_shape_in_place_copy(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct merged m;

	if (!fx_arg_first(call, &input))
		return;
	m = (struct merged){ .any_bool = false };
	fx_rule_of(input, &m.shape);
	if (merge_one(call, &m, fx_arg_at(call, 1)) &&
		fits_in_place(call, input, &m.shape))
		fx_rule_give_same(call, input, input->dtype);
}
