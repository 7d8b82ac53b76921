/* rules_factory.c - new tensors. */
#include <config.h>

#include <math.h>

#include "ir/fold.h"
#include "ir/size.h"
#include "meta/shape.h"

/* The dtype of a tensor made of the number VALUE. */
static enum fx_dtype
dtype_of_number(const struct fx_value *value)
{
	struct fx_promotion promotion = { 0 };

	fx_promote_add(&promotion, value);
	return fx_promote_result(&promotion);
}

static bool
not_negative(struct fx_shape_call *call, const struct fx_shape *shape)
{
	for (size_t i = 0; i < shape->rank; i++)
		if (shape->sizes[i].kind == FX_VALUE_INT &&
			shape->sizes[i].integer < 0)
			return fx_rule_fail(call, FX_ERR_VALUE,
				"size %lld is negative",
				(long long)shape->sizes[i].integer);
	return true;
}

static void
give_new(struct fx_shape_call *call, enum fx_dtype fallback,
	const struct fx_shape *shape)
{
	enum fx_dtype dtype;

	if (not_negative(call, shape) &&
		fx_arg_dtype(call, "dtype", fallback, &dtype))
		fx_rule_give(call, dtype, shape);
}

void
fx_shape_factory(struct fx_shape_call *call)
{
	struct fx_shape shape;

	if (fx_arg_sizes(call, "size", &shape))
		give_new(call, FX_DTYPE_F32, &shape);
}

void
fx_shape_full(struct fx_shape_call *call)
{
	struct fx_shape shape;

	if (fx_arg_sizes(call, "size", &shape))
		give_new(call, dtype_of_number(fx_arg(call, "fill_value")),
			&shape);
}

/* How many numbers there are from START to END. */
static bool
arange_length(struct fx_shape_call *call, const struct fx_value *parts,
	struct fx_value *ret)
{
	struct fx_value distance;
	struct fx_value steps;
	int64_t step = parts[2].integer;

	if (step == 0)
		return fx_rule_fail(call, FX_ERR_VALUE, "the step is zero");
	if (step > (int64_t)1 << 53 || step < -((int64_t)1 << 53))
		return fx_rule_give_up(call, "the step is too large");
	distance = fx_size_sub(call->arena, parts[1], parts[0]);
	if (distance.kind == FX_VALUE_INT &&
		(step > 0 ? distance.integer < 0 : distance.integer > 0))
		return fx_rule_fail(call, FX_ERR_VALUE,
			"the step leads away from the end");
	steps = fx_add_int(call, distance, step > 0 ? step - 1 : step + 1);
	*ret = fx_div_int(call, steps, step);
	return true;
}

static bool
float_length(struct fx_shape_call *call, const struct fx_value *parts,
	struct fx_value *ret)
{
	double numbers[3];
	double count;

	for (size_t i = 0; i < 3; i++) {
		if (parts[i].kind == FX_VALUE_INT)
			numbers[i] = (double)parts[i].integer;
		else if (parts[i].kind == FX_VALUE_FLOAT)
			numbers[i] = parts[i].real;
		else
			return fx_rule_give_up(call, "a bound is not known");
	}
	count = ceil((numbers[1] - numbers[0]) / numbers[2]);
	if (numbers[2] == 0 || !isfinite(count) || count < 0 || count > 1e15)
		return fx_rule_fail(call, FX_ERR_VALUE,
			"%g to %g by %g is no range", numbers[0], numbers[1],
			numbers[2]);
	*ret = fx_value_int((int64_t)count);
	return true;
}

void
fx_shape_arange(struct fx_shape_call *call)
{
	struct fx_value parts[3] = { *fx_arg(call, "start"),
		*fx_arg(call, "end"), *fx_arg(call, "step") };
	struct fx_shape shape = { .rank = 1 };
	bool is_float = false;
	enum fx_dtype dtype;

	if (!fx_arg_dtype(call, "dtype", FX_DTYPE_NONE, &dtype))
		return;
	/* A single bound is the end. */
	if (parts[1].kind == FX_VALUE_NONE) {
		parts[1] = parts[0];
		parts[0] = fx_value_int(0);
	}
	if (parts[0].kind == FX_VALUE_NONE)
		parts[0] = fx_value_int(0);
	for (size_t i = 0; i < 3; i++) {
		/* With an integer dtype the bounds are cut to integers first.
		 */
		if (fx_dtype_is_integral(dtype) &&
			parts[i].kind == FX_VALUE_FLOAT &&
			fabs(parts[i].real) < 1e15)
			parts[i] = fx_value_int((int64_t)parts[i].real);
		is_float |= dtype_of_number(&parts[i]) == FX_DTYPE_F32;
		if (!fx_fold_is_number(&parts[i]) ||
			parts[i].kind == FX_VALUE_UNKNOWN) {
			fx_rule_give_up(call, "a bound is not known");
			return;
		}
	}
	if (is_float || parts[2].kind != FX_VALUE_INT
			? !float_length(call, parts, &shape.sizes[0])
			: !arange_length(call, parts, &shape.sizes[0]))
		return;
	give_new(call, is_float ? FX_DTYPE_F32 : FX_DTYPE_I64, &shape);
}

void
fx_shape_iota(struct fx_shape_call *call)
{
	struct fx_shape shape = { .rank = 1 };

	if (fx_arg_size(call, "length", &shape.sizes[0]))
		give_new(call, FX_DTYPE_I64, &shape);
}

void
fx_shape_linspace(struct fx_shape_call *call)
{
	struct fx_shape shape = { .rank = 1 };

	if (fx_arg_size(call, "steps", &shape.sizes[0]))
		give_new(call, FX_DTYPE_F32, &shape);
}

void
fx_shape_eye(struct fx_shape_call *call)
{
	struct fx_shape shape = { .rank = 2 };

	if (!fx_arg_size(call, "n", &shape.sizes[0]))
		return;
	shape.sizes[1] = shape.sizes[0];
	if (fx_arg_is_given(call, "m") &&
		!fx_arg_size(call, "m", &shape.sizes[1]))
		return;
	give_new(call, FX_DTYPE_F32, &shape);
}

/* randint(high, size) or randint(low, high, size); each by name too. */
void
fx_shape_randint(struct fx_shape_call *call)
{
	const struct fx_value *bounds = fx_arg(call, "bounds");
	const struct fx_value *size = fx_arg(call, "size");
	struct fx_shape shape;

	if (size->kind == FX_VALUE_NONE && bounds->count)
		size = &bounds->items[bounds->count - 1];
	if (!fx_value_is_sequence(size)) {
		fx_rule_fail(call, FX_ERR_TYPE, "a size is needed");
		return;
	}
	if (fx_arg_as_sizes(call, size, "size", &shape))
		give_new(call, FX_DTYPE_I64, &shape);
}

void
fx_shape_randperm(struct fx_shape_call *call)
{
	struct fx_shape shape = { .rank = 1 };

	if (fx_arg_size(call, "n", &shape.sizes[0]))
		give_new(call, FX_DTYPE_I64, &shape);
}

/* The common dtype of the numbers in nested lists, and the lists' shape. */
static bool
read_data(struct fx_shape_call *call, const struct fx_value *data,
	struct fx_promotion *promotion, size_t depth, struct fx_shape *shape)
{
	if (!fx_value_is_sequence(data)) {
		if (depth != shape->rank)
			return fx_rule_fail(call, FX_ERR_VALUE,
				"lists of different lengths");
		if (!fx_fold_is_number(data))
			return fx_rule_give_up(call,
				"the data are not plain numbers");
		fx_promote_add(promotion, data);
		return true;
	}
	if (depth >= shape->rank ||
		fx_size_differs(shape->sizes[depth], fx_value_int(data->count)))
		return fx_rule_fail(call, FX_ERR_VALUE,
			"lists of different lengths");
	for (uint32_t i = 0; i < data->count; i++)
		if (!read_data(call, &data->items[i], promotion, depth + 1,
			    shape))
			return false;
	return true;
}

/* The shape that the first items of nested lists suggest. */
static void
guess_shape(const struct fx_value *data, struct fx_shape *shape)
{
	shape->rank = 0;
	while (fx_value_is_sequence(data) && shape->rank < FX_RANK_LIMIT) {
		shape->sizes[shape->rank++] = fx_value_int(data->count);
		if (!data->count)
			return;
		data = &data->items[0];
	}
}

void
fx_shape_tensor(struct fx_shape_call *call)
{
	const struct fx_value *data = fx_arg(call, "data");
	struct fx_promotion promotion = { 0 };
	enum fx_dtype fallback;
	struct fx_shape shape;

	if (data->kind == FX_VALUE_TENSOR) {
		const struct fx_tensor_meta *meta;

		if (!fx_arg_tensor(call, "data", &meta))
			return;
		fx_rule_of(meta, &shape);
		give_new(call, meta->dtype, &shape);
		return;
	}
	guess_shape(data, &shape);
	if (!read_data(call, data, &promotion, 0, &shape))
		return;
	fallback = fx_promote_result(&promotion);
	/* x.new_tensor(data) has the dtype of x. */
	if (fx_arg(call, "input") &&
		fx_arg(call, "input")->kind == FX_VALUE_TENSOR)
		fallback = fx_arg(call, "input")->tensor->dtype;
	give_new(call, fallback ? fallback : FX_DTYPE_F32, &shape);
}

void
fx_shape_scalar_tensor(struct fx_shape_call *call)
{
	struct fx_shape shape = { .rank = 0 };

	give_new(call, FX_DTYPE_F32, &shape);
}

void
fx_shape_like(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input))
		return;
	fx_rule_of(input, &shape);
	give_new(call, input->dtype, &shape);
}

void
fx_shape_new(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (fx_arg_first(call, &input) && fx_arg_sizes(call, "size", &shape))
		give_new(call, input->dtype, &shape);
}

void
fx_shape_multinomial(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	struct fx_value count;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_size(call, "num_samples", &count))
		return;
	if (input->rank < 1 || input->rank > 2 ||
		!fx_rule_needs_float(call, input)) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"1 or 2 dimensions are needed, not those of %s",
			fx_rule_text(call, input));
		return;
	}
	fx_rule_of(input, &shape);
	shape.sizes[shape.rank - 1] = count;
	fx_rule_give(call, FX_DTYPE_I64, &shape);
}
