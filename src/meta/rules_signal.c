/* rules_signal.c - complex numbers, spectra, and statistics of series. */
#include <config.h>

#include "meta/shape.h"

/* A pair of real tensors of one dtype becomes complex. */
void
fx_shape_complex(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *real;
	const struct fx_tensor_meta *imag;
	enum fx_dtype dtype;
	struct fx_shape shape;

	if (!fx_arg_as_tensor(call, fx_arg_at(call, 0), "part", &real) ||
		!fx_arg_as_tensor(call, fx_arg_at(call, 1), "part", &imag) ||
		!fx_rule_same_dtype(call, real, imag))
		return;
	dtype = fx_dtype_complex(real->dtype);
	if (real->dtype && !dtype) {
		fx_rule_fail(call, FX_ERR_TYPE, "no part of a complex is %s",
			fx_dtype_info(real->dtype)->name);
		return;
	}
	fx_rule_of(real, &shape);
	if (fx_rule_broadcast(call, &shape, imag->sizes, imag->rank))
		fx_rule_give(call, dtype, &shape);
}

void
fx_shape_view_as_complex(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	enum fx_dtype dtype;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input))
		return;
	dtype = fx_dtype_complex(input->dtype);
	fx_rule_of(input, &shape);
	if (!shape.rank ||
		(shape.sizes[shape.rank - 1].kind == FX_VALUE_INT &&
			shape.sizes[shape.rank - 1].integer != 2) ||
		(input->dtype && !dtype)) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"pairs of floats are needed, not %s",
			fx_rule_text(call, input));
		return;
	}
	shape.rank--;
	fx_rule_give(call, dtype, &shape);
}

void
fx_shape_view_as_real(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input))
		return;
	fx_rule_of(input, &shape);
	if (input->dtype && !fx_dtype_is_complex(input->dtype))
		fx_rule_fail(call, FX_ERR_TYPE, "%s is not complex",
			fx_rule_text(call, input));
	else if (fx_rule_push(call, &shape, fx_value_int(2)))
		fx_rule_give(call, fx_dtype_real(input->dtype), &shape);
}

/* A row of INPUT is a variable: one alone has a variance, more a matrix. */
void
fx_shape_covariance(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape = { .rank = 0 };

	if (!fx_arg_first(call, &input))
		return;
	if (input->rank > 2 || input->dtype == FX_DTYPE_BOOL) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"numbers of at most 2 dimensions are needed, not %s",
			fx_rule_text(call, input));
		return;
	}
	if (input->rank == 2 && !fx_size_is_int(input->sizes[0], 1)) {
		shape.sizes[0] = shape.sizes[1] = input->sizes[0];
		shape.rank = 2;
	}
	fx_rule_give(call, fx_promote_to_float(input->dtype), &shape);
}

/* Append what parameter NAME gives, if anything, along DIM of SHAPE. */
static bool
lengthen(struct fx_shape_call *call, const char *name, size_t dim,
	struct fx_shape *shape)
{
	const struct fx_tensor_meta *more;

	if (!fx_arg_optional(call, name, &more))
		return false;
	if (!more)
		return true;
	if (more->rank != shape->rank)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"%s has not as many dimensions as the input", name);
	for (size_t i = 0; i < shape->rank; i++)
		if (i != dim && !fx_rule_same_size(call, name, shape->sizes[i],
					more->sizes[i]))
			return false;
	shape->sizes[dim] = fx_add(call, shape->sizes[dim], more->sizes[dim]);
	return true;
}

void
fx_shape_diff(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	struct fx_value *size;
	int64_t n;
	size_t dim = 0;

	if (!fx_arg_first(call, &input) || !fx_arg_int(call, "n", &n))
		return;
	if (!input->rank || n < 0) {
		fx_rule_fail(call, FX_ERR_SHAPE, "%s has no differences %lld",
			fx_rule_text(call, input), (long long)n);
		return;
	}
	fx_rule_of(input, &shape);
	/* Torch looks at nothing else if it has nothing to do. */
	if (n && (!fx_arg_dim(call, "dim", input->rank, &dim) ||
			 !lengthen(call, "prepend", dim, &shape) ||
			 !lengthen(call, "append", dim, &shape)))
		return;
	size = &shape.sizes[dim];
	if (size->kind == FX_VALUE_INT && size->integer < n)
		*size = fx_value_int(0);
	else
		*size = fx_add_int(call, *size, -n);
	fx_rule_give(call, input->dtype, &shape);
}

/* Areas under y: over x as it broadcasts, or x along DIM alone. */
void
fx_shape_trapezoid(struct fx_shape_call *call)
{
	bool is_cumulative = call->name[0] == 'c';
	const struct fx_tensor_meta *y;
	const struct fx_tensor_meta *x;
	enum fx_dtype dtype;
	struct fx_shape shape;
	size_t dim;
	size_t missing;

	if (!fx_arg_tensor(call, "y", &y) || !fx_arg_optional(call, "x", &x) ||
		!fx_arg_dim(call, "dim", y->rank, &dim))
		return;
	if (!y->rank || y->dtype == FX_DTYPE_BOOL) {
		fx_rule_fail(call, FX_ERR_SHAPE, "%s has no area below it",
			fx_rule_text(call, y));
		return;
	}
	fx_rule_of(y, &shape);
	missing = x && x->rank > 1 ? y->rank - x->rank : dim;
	if (x && (x->rank == 0 || x->rank > y->rank || missing > dim)) {
		fx_rule_give_up(call, "of x it is not known where it varies");
		return;
	}
	if (x && (!fx_rule_same_size(call, "lengths of y and x", y->sizes[dim],
			  x->sizes[dim - missing]) ||
			 (x->rank > 1 && !fx_rule_broadcast(call, &shape,
						 x->sizes, x->rank))))
		return;
	dtype = fx_promote_to_float(x ? fx_promote_pair(y->dtype, x->dtype)
				      : y->dtype);
	if (is_cumulative && !fx_size_is_int(shape.sizes[dim], 0))
		shape.sizes[dim] = fx_add_int(call, shape.sizes[dim], -1);
	else if (!is_cumulative && fx_size_is_int(shape.sizes[dim], 0))
		dtype = y->dtype;
	if (!is_cumulative)
		fx_rule_drop(&shape, dim);
	fx_rule_give(call, dtype, &shape);
}
