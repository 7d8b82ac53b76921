/* rules_signal.c - complex numbers, spectra, and statistics of series. */
#include <config.h>

#include <string.h>

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

/* --- spectra ------------------------------------------------------------ */

/* The dimensions that a transform goes over, and how many points in each. */
struct transform {
	size_t dims[FX_RANK_LIMIT];
	struct fx_value sizes[FX_RANK_LIMIT];
	size_t count;
	bool is_sized;
};

/* The dimensions at parameter "dim", or the last COUNT. */
static bool
read_dims(struct fx_shape_call *call, size_t rank, struct transform *ret)
{
	const struct fx_value *dim = fx_arg(call, "dim");
	bool is_list = fx_value_is_sequence(dim);
	uint64_t seen = 0;

	if (dim->kind == FX_VALUE_NONE && ret->count > rank)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"more sizes than dimensions");
	if (dim->kind != FX_VALUE_NONE)
		ret->count = is_list ? dim->count : 1;
	for (size_t i = 0; i < ret->count && i < FX_RANK_LIMIT; i++) {
		int64_t number = (int64_t)i - (int64_t)ret->count;

		if (dim->kind != FX_VALUE_NONE &&
			!fx_arg_as_int(call, is_list ? &dim->items[i] : dim,
				"dim", &number))
			return false;
		if (!fx_rule_dim(call, number, rank, &ret->dims[i]))
			return false;
		if (seen >> ret->dims[i] & 1)
			return fx_rule_fail(call, FX_ERR_VALUE,
				"dimension %zu appears twice", ret->dims[i]);
		seen |= (uint64_t)1 << ret->dims[i];
	}
	return ret->count <= FX_RANK_LIMIT;
}

static bool
read_transform(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	struct transform *ret)
{
	const struct fx_value *s = fx_arg(call, "s");
	struct fx_shape given = { .rank = input->rank };

	if (!s)
		s = fx_arg(call, "n");
	ret->is_sized = s->kind != FX_VALUE_NONE;
	if (ret->is_sized && !fx_arg_as_sizes(call, s, "sizes", &given))
		return false;
	ret->count = given.rank;
	if (!read_dims(call, input->rank, ret))
		return false;
	if (ret->count == 0 || (ret->is_sized && given.rank != ret->count))
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"%zu sizes for %zu dimensions", given.rank, ret->count);
	for (size_t i = 0; i < ret->count; i++) {
		ret->sizes[i] = input->sizes[ret->dims[i]];
		if (ret->is_sized && !fx_size_is_int(given.sizes[i], -1))
			ret->sizes[i] = given.sizes[i];
	}
	return true;
}

/* A real series has a spectrum of half its length and one more. */
static struct fx_value
half_of(struct fx_shape_call *call, struct fx_value size)
{
	return fx_add_int(call, fx_div_int(call, size, 2), 1);
}

/* fft, ifft2, rfftn, ...: the name says what is real and on which side. */
void
fx_shape_fft(struct fx_shape_call *call)
{
	const char *name =
		call->name + (strncmp(call->name, "fft_", 4) ? 0 : 4);
	bool is_inverse = *name == 'i';
	char kind = name[is_inverse];
	bool from_real = kind == (is_inverse ? 'h' : 'r');
	bool to_real = kind == (is_inverse ? 'r' : 'h');
	const struct fx_tensor_meta *input;
	struct transform transform = { .count = 0 };
	struct fx_value *last;
	enum fx_dtype dtype;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input) ||
		!read_transform(call, input, &transform))
		return;
	dtype = fx_promote_to_float(fx_dtype_real(input->dtype));
	if (dtype &&
		(!fx_dtype_complex(dtype) ||
			(from_real && fx_dtype_is_complex(input->dtype)))) {
		fx_rule_fail(call, FX_ERR_TYPE, "%s has no such spectrum",
			fx_rule_text(call, input));
		return;
	}
	last = &transform.sizes[transform.count - 1];
	if (to_real && !(transform.is_sized))
		*last = fx_mul_int(call, fx_add_int(call, *last, -1), 2);
	fx_rule_of(input, &shape);
	for (size_t i = 0; i < transform.count; i++) {
		if (transform.sizes[i].kind == FX_VALUE_INT &&
			transform.sizes[i].integer < 1) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"%s has no data points to transform",
				fx_rule_text(call, input));
			return;
		}
		shape.sizes[transform.dims[i]] = transform.sizes[i];
	}
	if (from_real)
		shape.sizes[transform.dims[transform.count - 1]] =
			half_of(call, *last);
	fx_rule_give(call, to_real ? dtype : fx_dtype_complex(dtype), &shape);
}

/* Windows of n_fft by hop_length, a quarter of that if nothing is said. */
static bool
read_windows(struct fx_shape_call *call, int64_t *window_ret, int64_t *hop_ret,
	bool *is_centered_ret)
{
	*is_centered_ret = false;
	if (!fx_arg_int(call, "n_fft", window_ret) ||
		(fx_arg(call, "center") &&
			!fx_arg_bool(call, "center", is_centered_ret)))
		return false;
	*hop_ret = *window_ret / 4;
	if (fx_arg_is_given(call, "hop_length") &&
		!fx_arg_int(call, "hop_length", hop_ret))
		return false;
	if (*window_ret > 0 && *hop_ret > 0)
		return true;
	return fx_rule_fail(call, FX_ERR_RANGE, "no windows of %lld by %lld",
		(long long)*window_ret, (long long)*hop_ret);
}

/* Whether NAME is true; FALLBACK if nothing is said. */
static bool
truth_of(struct fx_shape_call *call, const char *name, bool fallback)
{
	bool truth = fallback;

	if (fx_arg_is_given(call, name) && !fx_arg_bool(call, name, &truth))
		return fallback;
	return truth;
}

/* Whether what INPUT gives is complex, half of it saying all if it is real. */
static bool
read_stft(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	bool *is_half_ret, bool *gives_complex_ret)
{
	const struct fx_tensor_meta *window;
	bool is_complex;

	if (!fx_arg_optional(call, "window", &window))
		return false;
	if (input->rank < 1 || input->rank > 2 ||
		fx_dtype_is_integral(input->dtype))
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"[N] or [batch, N] of floats is needed, not %s",
			fx_rule_text(call, input));
	is_complex = fx_dtype_is_complex(input->dtype) ||
		     (window && fx_dtype_is_complex(window->dtype));
	*is_half_ret = truth_of(call, "onesided", !is_complex);
	*gives_complex_ret = truth_of(call, "return_complex", is_complex);
	if (is_complex && *is_half_ret)
		return fx_rule_fail(call, FX_ERR_VALUE,
			"one side of a complex spectrum does not say all");
	return true;
}

/* [B, N] gives [B, frequencies, frames]. */
void
fx_shape_stft(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	enum fx_dtype dtype;
	bool gives_complex = false;
	bool is_centered;
	bool is_half = false;
	struct fx_value length;
	struct fx_shape shape;
	int64_t n_fft;
	int64_t hop;

	if (!fx_arg_first(call, &input) ||
		!read_stft(call, input, &is_half, &gives_complex) ||
		!read_windows(call, &n_fft, &hop, &is_centered))
		return;
	fx_rule_of(input, &shape);
	length = fx_add_int(call, shape.sizes[--shape.rank],
		(is_centered ? n_fft / 2 * 2 : 0) - n_fft);
	if (length.kind == FX_VALUE_INT && length.integer < 0) {
		fx_rule_fail(call, FX_ERR_SHAPE, "%s is shorter than a window",
			fx_rule_text(call, input));
		return;
	}
	shape.sizes[shape.rank++] =
		fx_value_int(is_half ? n_fft / 2 + 1 : n_fft);
	shape.sizes[shape.rank++] =
		fx_add_int(call, fx_div_int(call, length, hop), 1);
	dtype = fx_dtype_real(input->dtype);
	if (gives_complex)
		dtype = fx_dtype_complex(dtype);
	else
		shape.sizes[shape.rank++] = fx_value_int(2);
	fx_rule_give(call, dtype, &shape);
}

/* [B, frequencies, frames] gives [B, N]. */
void
fx_shape_istft(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	bool is_centered;
	struct fx_value length;
	struct fx_shape shape;
	int64_t n_fft;
	int64_t hop;
	size_t rank;

	if (!fx_arg_first(call, &input) ||
		!read_windows(call, &n_fft, &hop, &is_centered))
		return;
	/* Torch before 2 also takes pairs. */
	rank = input->rank - (fx_dtype_is_float(input->dtype) && input->rank);
	if (rank < 2 || rank > 3) {
		fx_rule_fail(call, FX_ERR_SHAPE, "a spectrum is needed, not %s",
			fx_rule_text(call, input));
		return;
	}
	fx_rule_of(input, &shape);
	shape.rank = rank - 1;
	length = fx_add_int(call,
		fx_mul_int(call, fx_add_int(call, shape.sizes[rank - 1], -1),
			hop),
		is_centered ? n_fft - n_fft / 2 * 2 : n_fft);
	if (fx_arg_is_given(call, "length") &&
		!fx_arg_size(call, "length", &length))
		return;
	shape.sizes[rank - 2] = length;
	fx_rule_give(call,
		truth_of(call, "return_complex", false)
			? input->dtype
			: fx_dtype_real(input->dtype),
		&shape);
}
