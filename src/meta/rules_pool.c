/* rules_pool.c - pooling. */
#include <config.h>

#include <string.h>

#include "ir/size.h"
#include "meta/shape.h"

/* A pooling over the last SPATIAL dimensions. */
struct pool {
	size_t spatial;
	const struct fx_tensor_meta *input;
	int64_t kernel[3];
	int64_t stride[3];
	int64_t padding[3];
	int64_t dilation[3];
	bool ceil_mode;
	bool allows_empty;
};

/* [C, spatial...] or [N, C, spatial...]; all but N have elements. */
static bool
check_input(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	size_t spatial)
{
	if (input->rank != spatial + 1 && input->rank != spatial + 2)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"%zu or %zu dimensions are needed, not those of %s",
			spatial + 1, spatial + 2, fx_rule_text(call, input));
	if (!fx_rule_is_empty(input, ~(uint64_t)1))
		return true;
	return fx_rule_fail(call, FX_ERR_SHAPE, "%s has a dimension of size 0",
		fx_rule_text(call, input));
}

/* A stride of None or () is the kernel. */
static bool
read_stride(struct fx_shape_call *call, struct pool *pool)
{
	const struct fx_value *stride = fx_arg(call, "stride");

	if (!stride || stride->kind == FX_VALUE_NONE ||
		(fx_value_is_sequence(stride) && stride->count == 0)) {
		memcpy(pool->stride, pool->kernel, sizeof(pool->stride));
		return true;
	}
	return fx_arg_ints(call, "stride", pool->spatial, pool->stride);
}

static bool
read_pool(struct fx_shape_call *call, struct pool *pool)
{
	if (!fx_arg_first(call, &pool->input) ||
		!check_input(call, pool->input, pool->spatial) ||
		!fx_arg_ints(call, "kernel_size", pool->spatial,
			pool->kernel) ||
		!read_stride(call, pool) ||
		!fx_arg_bool(call, "ceil_mode", &pool->ceil_mode))
		return false;
	for (size_t i = 0; i < pool->spatial; i++)
		pool->dilation[i] = 1;
	if (fx_arg(call, "padding") &&
		!fx_arg_ints(call, "padding", pool->spatial, pool->padding))
		return false;
	if (fx_arg(call, "dilation") &&
		!fx_arg_ints(call, "dilation", pool->spatial, pool->dilation))
		return false;
	for (size_t i = 0; i < pool->spatial; i++) {
		if (pool->kernel[i] < 1 || pool->stride[i] < 1 ||
			pool->dilation[i] < 1)
			return fx_rule_fail(call, FX_ERR_VALUE,
				"kernel, stride and dilation must be "
				"positive");
		if (pool->padding[i] < 0 ||
			pool->padding[i] > pool->kernel[i] / 2)
			return fx_rule_fail(call, FX_ERR_VALUE,
				"padding must be at most half the kernel");
	}
	return true;
}

/* How many windows fit into one dimension. */
static struct fx_value
window_count(struct fx_shape_call *call, const struct pool *pool, size_t i)
{
	struct fx_value size =
		pool->input->sizes[pool->input->rank - pool->spatial + i];
	int64_t reach = pool->dilation[i] * (pool->kernel[i] - 1) + 1;
	int64_t stride = pool->stride[i];
	struct fx_value room =
		fx_add_int(call, size, 2 * pool->padding[i] - reach);
	struct fx_value count;

	if (pool->ceil_mode)
		room = fx_add_int(call, room, stride - 1);
	count = fx_add_int(call, fx_div_int(call, room, stride), 1);
	/* A window must begin inside the input or its left padding. */
	if (pool->ceil_mode && count.kind == FX_VALUE_INT &&
		size.kind == FX_VALUE_INT &&
		(count.integer - 1) * stride - pool->padding[i] >= size.integer)
		count.integer--;
	else if (pool->ceil_mode && count.kind == FX_VALUE_SYMBOL)
		count = fx_size_min(call->arena, count,
			fx_add_int(call,
				fx_div_int(call,
					fx_add_int(call, size,
						pool->padding[i] - 1),
					stride),
				1));
	if (count.kind == FX_VALUE_INT &&
		count.integer < (pool->allows_empty ? 0 : 1))
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%s is too small for a window of %lld",
			fx_rule_text(call, pool->input), (long long)reach);
	return count;
}

static bool
pooled(struct fx_shape_call *call, const struct pool *pool,
	struct fx_shape *ret)
{
	fx_rule_of(pool->input, ret);
	for (size_t i = 0; i < pool->spatial; i++)
		ret->sizes[ret->rank - pool->spatial + i] =
			window_count(call, pool, i);
	return !call->error;
}

/* The values, with return_indices also where they came from. */
static void
give_with_indices(struct fx_shape_call *call, enum fx_dtype dtype,
	const struct fx_shape *shape)
{
	bool wants_indices;

	if (!fx_arg_bool(call, "return_indices", &wants_indices))
		return;
	if (wants_indices)
		fx_rule_give_two(call, dtype, FX_DTYPE_I64, shape);
	else
		fx_rule_give(call, dtype, shape);
}

void
fx_shape_max_pool(struct fx_shape_call *call)
{
	struct pool pool = { .spatial = fx_rule_spatial(call) };
	struct fx_shape shape;
	bool wants_indices;

	if (!fx_arg_bool(call, "return_indices", &wants_indices))
		return;
	/* In one dimension no window at all is fine. */
	pool.allows_empty = pool.spatial == 1 && !wants_indices;
	if (read_pool(call, &pool) && fx_rule_needs_float(call, pool.input) &&
		pooled(call, &pool, &shape))
		give_with_indices(call, pool.input->dtype, &shape);
}

/* In three dimensions the kernel must fit the input without its padding. */
static bool
fits_unpadded(struct fx_shape_call *call, const struct pool *pool)
{
	for (size_t i = 0; pool->spatial == 3 && i < 3; i++) {
		struct fx_value size =
			pool->input->sizes[pool->input->rank - 3 + i];

		if (size.kind == FX_VALUE_INT && size.integer < pool->kernel[i])
			return fx_rule_fail(call, FX_ERR_SHAPE,
				"%s is smaller than the kernel",
				fx_rule_text(call, pool->input));
	}
	return true;
}

void
fx_shape_avg_pool(struct fx_shape_call *call)
{
	const struct fx_value *divisor = fx_arg(call, "divisor_override");
	struct pool pool = { .spatial = fx_rule_spatial(call) };
	struct fx_shape shape;

	if (divisor && divisor->kind == FX_VALUE_INT && divisor->integer == 0) {
		fx_rule_fail(call, FX_ERR_VALUE, "the divisor is zero");
		return;
	}
	if (read_pool(call, &pool) && fits_unpadded(call, &pool) &&
		pooled(call, &pool, &shape))
		fx_rule_give(call, pool.input->dtype, &shape);
}

void
fx_shape_lp_pool(struct fx_shape_call *call)
{
	struct pool pool = { .spatial = fx_rule_spatial(call) };
	struct fx_shape shape;

	if (read_pool(call, &pool) && fx_rule_needs_float(call, pool.input) &&
		pooled(call, &pool, &shape))
		fx_rule_give(call, pool.input->dtype, &shape);
}

/* The output size is given; None keeps the input's. */
void
fx_shape_adaptive_pool(struct fx_shape_call *call)
{
	size_t spatial = fx_rule_spatial(call);
	const struct fx_value *sizes = fx_arg(call, "output_size");
	bool is_list = fx_value_is_sequence(sizes);
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input) || !check_input(call, input, spatial) ||
		!fx_rule_needs_float(call, input))
		return;
	if (is_list && sizes->count != spatial && sizes->count != 1) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"output_size needs %zu integers, not %u", spatial,
			sizes->count);
		return;
	}
	fx_rule_of(input, &shape);
	for (size_t i = 0; i < spatial; i++) {
		const struct fx_value *one =
			is_list ? &sizes->items[sizes->count == 1 ? 0 : i]
				: sizes;
		struct fx_value *size = &shape.sizes[shape.rank - spatial + i];

		if (one->kind == FX_VALUE_NONE)
			continue;
		if (!fx_arg_as_size(call, one, "output_size", size))
			return;
		if (size->kind == FX_VALUE_INT && size->integer < 0) {
			fx_rule_fail(call, FX_ERR_VALUE,
				"output_size must not be negative");
			return;
		}
	}
	give_with_indices(call, input->dtype, &shape);
}

/* What was pooled goes back to where the indices say. */
void
fx_shape_max_unpool(struct fx_shape_call *call)
{
	size_t spatial = fx_rule_spatial(call);
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *indices;
	struct fx_shape sizes;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_tensor(call, "indices", &indices) ||
		!fx_arg_sizes(call, "output_size", &sizes))
		return;
	if (sizes.rank != spatial || input->rank != indices->rank ||
		(input->rank != spatial + 1 && input->rank != spatial + 2)) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%s at %s is not unpooled in %zu dimensions",
			fx_rule_text(call, input), fx_rule_text(call, indices),
			spatial);
		return;
	}
	fx_rule_of(input, &shape);
	for (size_t i = 0; i < spatial; i++)
		shape.sizes[shape.rank - spatial + i] = sizes.sizes[i];
	fx_rule_give(call, input->dtype, &shape);
}
