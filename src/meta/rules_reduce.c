/* rules_reduce.c - sums, extremes, moments, sorting. */
#include <config.h>

#include "meta/shape.h"

/* SHAPE without the dimensions in DIMS, or with ones in their place. */
static void
remove_dims(struct fx_shape *shape, uint64_t dims, bool keep)
{
	size_t rank = 0;

	for (size_t i = 0; i < shape->rank; i++) {
		if (!(dims >> i & 1))
			shape->sizes[rank++] = shape->sizes[i];
		else if (keep)
			shape->sizes[rank++] = fx_value_int(1);
	}
	shape->rank = rank;
}

/* What is left of the first argument once "dim" is reduced. */
static bool
reduced(struct fx_shape_call *call, const struct fx_tensor_meta **input_ret,
	struct fx_shape *ret)
{
	uint64_t dims;
	bool keep;

	if (!fx_arg_first(call, input_ret) ||
		!fx_arg_dims(call, "dim", (*input_ret)->rank, &dims) ||
		!fx_arg_bool(call, "keepdim", &keep))
		return false;
	fx_rule_of(*input_ret, ret);
	remove_dims(ret, dims, keep);
	return true;
}

/* Sums of integers are int64. */
static enum fx_dtype
sum_dtype(enum fx_dtype dtype)
{
	return fx_dtype_is_integral(dtype) ? FX_DTYPE_I64 : dtype;
}

void
fx_shape_sum(struct fx_shape_call *call)
{
	const struct fx_value *dim = fx_arg(call, "dim");
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	enum fx_dtype dtype;

	/* x.sum(torch.float32) passes the dtype in front. */
	if (dim->kind == FX_VALUE_DTYPE) {
		fx_rule_fail(call, FX_ERR_TYPE, "dim is a dtype");
		return;
	}
	if (reduced(call, &input, &shape) &&
		fx_arg_dtype(call, "dtype", sum_dtype(input->dtype), &dtype))
		fx_rule_give(call, dtype, &shape);
}

void
fx_shape_mean(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	enum fx_dtype dtype;

	if (!reduced(call, &input, &shape) ||
		!fx_arg_dtype(call, "dtype", input->dtype, &dtype))
		return;
	if (fx_dtype_is_integral(dtype))
		fx_rule_fail(call, FX_ERR_TYPE,
			"a mean of %s is not possible: give a floating dtype",
			fx_dtype_info(dtype)->name);
	else
		fx_rule_give(call, dtype, &shape);
}

/* Extremes of nothing are refused. */
static bool
needs_elements(struct fx_shape_call *call, const struct fx_tensor_meta *input)
{
	uint64_t dims;

	if (!fx_arg_dims(call, "dim", input->rank, &dims))
		return false;
	if (!fx_rule_is_empty(input, dims))
		return true;
	return fx_rule_fail(call, FX_ERR_SHAPE,
		"%s has no elements to choose from", fx_rule_text(call, input));
}

void
fx_shape_reduce(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (reduced(call, &input, &shape) && needs_elements(call, input))
		fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_logsumexp(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (reduced(call, &input, &shape))
		fx_rule_give(call, fx_promote_to_float(input->dtype), &shape);
}

/* A result for each of q, in front, where q is a row of them. */
void
fx_shape_quantile(struct fx_shape_call *call)
{
	const struct fx_value *q = fx_arg(call, "q");
	const struct fx_tensor_meta *each = NULL;
	const struct fx_tensor_meta *input;
	struct fx_shape rest;
	struct fx_shape shape = { .rank = 0 };

	if (!reduced(call, &input, &rest) ||
		!fx_rule_needs_float(call, input) ||
		(q->kind == FX_VALUE_TENSOR &&
			!fx_arg_tensor(call, "q", &each)))
		return;
	if (fx_rule_is_empty(input, UINT64_MAX) || (each && each->rank > 1)) {
		fx_rule_fail(call, FX_ERR_SHAPE, "%s has no such quantiles",
			fx_rule_text(call, input));
		return;
	}
	if (each && !fx_rule_same_dtype(call, input, each))
		return;
	if (each)
		fx_rule_of(each, &shape);
	for (size_t i = 0; i < rest.rank; i++)
		if (!fx_rule_push(call, &shape, rest.sizes[i]))
			return;
	fx_rule_give(call, input->dtype, &shape);
}

/* bool, but uint8 stays as it always was. */
void
fx_shape_any(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (reduced(call, &input, &shape))
		fx_rule_give(call,
			input->dtype == FX_DTYPE_U8 ? FX_DTYPE_U8
						    : FX_DTYPE_BOOL,
			&shape);
}

void
fx_shape_argmax(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (reduced(call, &input, &shape) && needs_elements(call, input))
		fx_rule_give(call, FX_DTYPE_I64, &shape);
}

void
fx_shape_count_nonzero(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (reduced(call, &input, &shape))
		fx_rule_give(call, FX_DTYPE_I64, &shape);
}

/* The greater of two tensors, element by element. */
static void
max_of_two(struct fx_shape_call *call, const struct fx_value *other)
{
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;
	struct fx_promotion promotion = { 0 };
	struct fx_shape shape;

	if (!fx_arg_first(call, &a) ||
		!fx_arg_as_tensor(call, other, "other", &b))
		return;
	fx_rule_of(a, &shape);
	fx_promote_add(&promotion, fx_arg_at(call, 0));
	fx_promote_add(&promotion, other);
	if (fx_rule_broadcast(call, &shape, b->sizes, b->rank))
		fx_rule_give(call, fx_promote_result(&promotion), &shape);
}

/* One element of all, or of each along "dim" with where it stood. */
static void
choose(struct fx_shape_call *call, bool of_nothing)
{
	const struct fx_value *dim = fx_arg(call, "dim");
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (fx_value_is_sequence(dim)) {
		fx_rule_fail(call, FX_ERR_TYPE, "dim must be one integer");
		return;
	}
	if (!reduced(call, &input, &shape) ||
		(!of_nothing && !needs_elements(call, input)))
		return;
	if (dim->kind == FX_VALUE_NONE)
		fx_rule_give(call, input->dtype, &shape);
	else
		fx_rule_give_two(call, input->dtype, FX_DTYPE_I64, &shape);
}

/* The rule of max(x), max(x, dim) and max(x, other), and of mode and kthvalue,
 * which reduce one dimension.
 */
void
fx_shape_max(struct fx_shape_call *call)
{
	const struct fx_value *dim = fx_arg(call, "dim");
	const struct fx_value *other = fx_arg(call, "other");

	if (dim->kind == FX_VALUE_TENSOR)
		other = dim;
	if (other && other->kind == FX_VALUE_TENSOR)
		max_of_two(call, other);
	else
		choose(call, false);
}

/* The median of nothing is NaN; along a dimension it is refused. */
void
fx_shape_median(struct fx_shape_call *call)
{
	choose(call, !fx_arg_is_given(call, "dim"));
}

void
fx_shape_aminmax(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (reduced(call, &input, &shape) && needs_elements(call, input))
		fx_rule_give_two(call, input->dtype, input->dtype, &shape);
}

/* var(x, unbiased) has a bool where others have dimensions. */
static bool
variance_of(struct fx_shape_call *call, enum fx_dtype *dtype_ret,
	struct fx_shape *ret)
{
	const struct fx_value *dim = fx_arg(call, "dim");
	const struct fx_tensor_meta *input;

	if (dim->kind == FX_VALUE_BOOL) {
		if (!fx_arg_first(call, &input))
			return false;
		ret->rank = 0;
	} else if (!reduced(call, &input, ret)) {
		return false;
	}
	*dtype_ret = fx_dtype_real(input->dtype);
	return fx_rule_needs_float(call, input);
}

void
fx_shape_variance(struct fx_shape_call *call)
{
	struct fx_shape shape;
	enum fx_dtype dtype;

	if (variance_of(call, &dtype, &shape))
		fx_rule_give(call, dtype, &shape);
}

void
fx_shape_variance_pair(struct fx_shape_call *call)
{
	struct fx_shape shape;
	enum fx_dtype dtype;

	if (variance_of(call, &dtype, &shape))
		fx_rule_give_two(call, dtype, dtype, &shape);
}

void
fx_shape_norm(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	enum fx_dtype dtype;

	if (reduced(call, &input, &shape) &&
		fx_arg_dtype(call, "dtype", fx_dtype_real(input->dtype),
			&dtype) &&
		fx_rule_needs_float_dtype(call, dtype))
		fx_rule_give(call, dtype, &shape);
}

void
fx_shape_topk(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	struct fx_value k;
	size_t dim;

	if (!fx_arg_first(call, &input) || !fx_arg_size(call, "k", &k) ||
		!fx_arg_dim(call, "dim", input->rank, &dim))
		return;
	fx_rule_of(input, &shape);
	if (k.kind == FX_VALUE_INT &&
		(k.integer < 0 || (!input->rank && k.integer > 1) ||
			(input->rank && shape.sizes[dim].kind == FX_VALUE_INT &&
				k.integer > shape.sizes[dim].integer))) {
		fx_rule_fail(call, FX_ERR_RANGE,
			"k = %lld is out of range for dimension %zu of %s",
			(long long)k.integer, dim, fx_rule_text(call, input));
		return;
	}
	if (input->rank)
		shape.sizes[dim] = k;
	fx_rule_give_two(call, input->dtype, FX_DTYPE_I64, &shape);
}

/* sort(x, dim, descending); with `stable` first in the other overload. */
static bool
sorted(struct fx_shape_call *call, const struct fx_tensor_meta **ret)
{
	size_t dim;

	return fx_arg_first(call, ret) &&
	       fx_arg_dim(call, "dim", (*ret)->rank, &dim);
}

/* Also cummax and cummin. */
void
fx_shape_sort(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (!sorted(call, &input))
		return;
	fx_rule_of(input, &shape);
	fx_rule_give_two(call, input->dtype, FX_DTYPE_I64, &shape);
}

void
fx_shape_argsort(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (sorted(call, &input))
		fx_rule_give_same(call, input, FX_DTYPE_I64);
}

void
fx_shape_dist(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *other;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_tensor(call, "other", &other) ||
		!fx_rule_needs_float(call, input))
		return;
	fx_rule_of(input, &shape);
	if (!fx_rule_broadcast(call, &shape, other->sizes, other->rank))
		return;
	shape.rank = 0;
	fx_rule_give(call, fx_promote_pair(input->dtype, other->dtype), &shape);
}

void
fx_shape_trace(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape = { .rank = 0 };

	if (!fx_arg_first(call, &input))
		return;
	if (input->rank != 2)
		fx_rule_fail(call, FX_ERR_SHAPE, "a matrix is needed, not %s",
			fx_rule_text(call, input));
	else
		fx_rule_give(call, sum_dtype(input->dtype), &shape);
}

void
fx_shape_cumulative(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	enum fx_dtype dtype;
	size_t dim;

	if (fx_arg_first(call, &input) &&
		fx_arg_dim(call, "dim", input->rank, &dim) &&
		fx_arg_dtype(call, "dtype", sum_dtype(input->dtype), &dtype))
		fx_rule_give_same(call, input, dtype);
}

/* x / max(norm(x, p, dim), eps). */
void
fx_shape_normalize(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	uint64_t dims;

	if (fx_arg_first(call, &input) &&
		fx_arg_dims(call, "dim", input->rank, &dims) &&
		fx_rule_needs_float(call, input))
		fx_rule_give_same(call, input, input->dtype);
}
