/* rules_repeat.c - repeating, rolling and masking elements. */
#include <config.h>

#include "meta/shape.h"

/* Every dimension repeated; TILE may name fewer than there are. */
static void
repeat(struct fx_shape_call *call, bool tile)
{
	const struct fx_tensor_meta *input;
	struct fx_shape times;
	struct fx_shape shape;
	size_t rank;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_as_sizes(call, fx_arg_at(call, 1), "repeats", &times))
		return;
	if (times.rank < input->rank && !tile) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%zu repeats are fewer than the dimensions of %s",
			times.rank, fx_rule_text(call, input));
		return;
	}
	rank = FX_MAX(times.rank, (size_t)input->rank);
	shape.rank = rank;
	for (size_t i = 0; i < rank; i++) {
		size_t old = rank - input->rank;
		size_t new = rank - times.rank;
		struct fx_value size =
			i < old ? fx_value_int(1) : input->sizes[i - old];
		struct fx_value by =
			i < new ? fx_value_int(1) : times.sizes[i - new];

		if (by.kind == FX_VALUE_INT && by.integer < 0) {
			fx_rule_fail(call, FX_ERR_VALUE,
				"a number of repeats is negative");
			return;
		}
		shape.sizes[i] = fx_mul(call, size, by);
	}
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_repeat(struct fx_shape_call *call)
{
	repeat(call, false);
}

void
fx_shape_tile(struct fx_shape_call *call)
{
	repeat(call, true);
}

void
fx_shape_repeat_interleave(struct fx_shape_call *call)
{
	const struct fx_value *repeats = fx_arg(call, "repeats");
	const struct fx_value *output = fx_arg(call, "output_size");
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	struct fx_value size;
	size_t dim = 0;

	if (!fx_arg_first(call, &input))
		return;
	fx_rule_of(input, &shape);
	if (fx_arg_is_given(call, "dim")) {
		if (!input->rank) {
			fx_rule_fail(call, FX_ERR_RANGE,
				"a tensor without dimensions has no dim");
			return;
		}
		if (!fx_arg_dim(call, "dim", input->rank, &dim))
			return;
	} else {
		shape.sizes[0] = fx_mul_all(call, input->sizes, input->rank);
		shape.rank = 1;
	}
	if (shape.rank == 0) {
		shape.sizes[0] = fx_value_int(1);
		shape.rank = 1;
	}
	if (output->kind == FX_VALUE_INT || output->kind == FX_VALUE_SYMBOL) {
		shape.sizes[dim] = *output;
	} else if (repeats->kind == FX_VALUE_NONE ||
		   repeats->kind == FX_VALUE_TENSOR) {
		fx_rule_give_up(call,
			"how often elements are repeated depends on data");
		return;
	} else if (!fx_arg_as_size(call, repeats, "repeats", &size)) {
		return;
	} else if (size.kind == FX_VALUE_INT && size.integer < 0) {
		fx_rule_fail(call, FX_ERR_VALUE,
			"a number of repeats is negative");
		return;
	} else {
		shape.sizes[dim] = fx_mul(call, shape.sizes[dim], size);
	}
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_roll(struct fx_shape_call *call)
{
	const struct fx_value *dims = fx_arg(call, "dims");
	const struct fx_value *shifts = fx_arg(call, "shifts");
	const struct fx_tensor_meta *input;
	size_t dim_count = fx_value_is_sequence(dims) ? dims->count : 1;
	size_t shift_count = fx_value_is_sequence(shifts) ? shifts->count : 1;

	if (!fx_arg_first(call, &input))
		return;
	if (shift_count == 0) {
		fx_rule_fail(call, FX_ERR_VALUE, "shifts are needed");
		return;
	}
	if (dim_count != shift_count && !(dim_count == 0 && shift_count == 1)) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%zu shifts do not fit %zu dimensions", shift_count,
			dim_count);
		return;
	}
	for (size_t i = 0; i < dim_count; i++) {
		const struct fx_value *one =
			fx_value_is_sequence(dims) ? &dims->items[i] : dims;
		int64_t dim;
		size_t at;

		if (!fx_arg_as_int(call, one, "dims", &dim) ||
			!fx_rule_dim(call, dim, input->rank, &at))
			return;
	}
	fx_rule_give_same(call, input, input->dtype);
}

void
fx_shape_tril(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (!fx_arg_first(call, &input))
		return;
	if (input->rank < 2)
		fx_rule_fail(call, FX_ERR_SHAPE, "a matrix is needed, not %s",
			fx_rule_text(call, input));
	else
		fx_rule_give_same(call, input, input->dtype);
}
