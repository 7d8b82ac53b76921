/* rules_activation.c - activations, softmax, dropout. */
#include <config.h>

#include "meta/shape.h"

void
fx_shape_relu(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (!fx_arg_first(call, &input))
		return;
	if (input->dtype == FX_DTYPE_BOOL)
		fx_rule_fail(call, FX_ERR_TYPE, "not possible on bool tensors");
	else
		fx_rule_give_same(call, input, input->dtype);
}

/* Activations that exist for floats only. */
void
fx_shape_float_only(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (fx_arg_first(call, &input) && fx_rule_needs_float(call, input))
		fx_rule_give_same(call, input, input->dtype);
}

/* x - tanh(x). */
void
fx_shape_tanhshrink(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (!fx_arg_first(call, &input))
		return;
	if (input->dtype == FX_DTYPE_BOOL)
		fx_rule_fail(call, FX_ERR_TYPE, "bools are not subtracted");
	else
		fx_shape_same_float(call);
}

void
fx_shape_glu(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	size_t dim;

	if (!fx_arg_first(call, &input) || !fx_rule_needs_float(call, input))
		return;
	if (input->rank == 0) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"a tensor without dimensions has no halves");
		return;
	}
	if (!fx_arg_dim(call, "dim", input->rank, &dim))
		return;
	fx_rule_of(input, &shape);
	if (shape.sizes[dim].kind == FX_VALUE_INT &&
		shape.sizes[dim].integer % 2 != 0) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"dimension %zu of %s cannot be halved", dim,
			fx_rule_text(call, input));
		return;
	}
	shape.sizes[dim] = fx_div_int(call, shape.sizes[dim], 2);
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_prelu(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *weight;
	struct fx_value channels = fx_value_int(1);

	if (!fx_arg_first(call, &input) ||
		!fx_arg_tensor(call, "weight", &weight) ||
		!fx_rule_same_dtype(call, input, weight))
		return;
	if (input->rank > 1)
		channels = input->sizes[1];
	if (weight->rank > 1) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"the weight has %u dimensions, not 1", weight->rank);
		return;
	}
	if (weight->rank == 1 && !fx_size_is_int(weight->sizes[0], 1) &&
		!fx_rule_same_size(call, "channels and weights", channels,
			weight->sizes[0]))
		return;
	fx_rule_give_same(call, input, input->dtype);
}

void
fx_shape_softmax(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	enum fx_dtype dtype;
	size_t dim;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_dtype(call, "dtype", input->dtype, &dtype))
		return;
	if (fx_arg_is_given(call, "dim") &&
		!fx_arg_dim(call, "dim", input->rank, &dim))
		return;
	if (fx_rule_needs_float_dtype(call, dtype))
		fx_rule_give_same(call, input, dtype);
}

/* While training only floats are scaled. */
void
fx_shape_dropout(struct fx_shape_call *call)
{
	const struct fx_value *p = fx_arg(call, "p");
	const struct fx_tensor_meta *input;
	bool training;

	if (p->kind == FX_VALUE_FLOAT && !(p->real >= 0 && p->real <= 1)) {
		fx_rule_fail(call, FX_ERR_VALUE,
			"the probability %g is not between 0 and 1", p->real);
		return;
	}
	if (!fx_arg_first(call, &input) ||
		!fx_arg_bool(call, "training", &training))
		return;
	if (!training || fx_rule_needs_float(call, input))
		fx_rule_give_same(call, input, input->dtype);
}

/* The result and the mask. */
void
fx_shape_native_dropout(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input))
		return;
	fx_rule_of(input, &shape);
	fx_rule_give_two(call, input->dtype, FX_DTYPE_BOOL, &shape);
}
