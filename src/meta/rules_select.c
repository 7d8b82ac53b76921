/* rules_select.c - selecting, gathering and scattering along dimensions. */
#include <config.h>

#include "ir/size.h"
#include "meta/shape.h"

/* A tensor with dimensions and one of them. */
static bool
read_dim(struct fx_shape_call *call, const char *name,
	const struct fx_tensor_meta **input_ret, size_t *dim_ret)
{
	if (!fx_arg_first(call, input_ret) ||
		!fx_arg_dim(call, name, (*input_ret)->rank, dim_ret))
		return false;
	if ((*input_ret)->rank)
		return true;
	return fx_rule_fail(call, FX_ERR_SHAPE,
		"a tensor without dimensions has none to choose from");
}

void
fx_shape_select(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_value *index = fx_arg(call, "index");
	struct fx_shape shape;
	size_t dim;

	if (!read_dim(call, "dim", &input, &dim))
		return;
	fx_rule_of(input, &shape);
	if (index->kind == FX_VALUE_INT &&
		shape.sizes[dim].kind == FX_VALUE_INT &&
		(index->integer < -shape.sizes[dim].integer ||
			index->integer >= shape.sizes[dim].integer)) {
		fx_rule_fail(call, FX_ERR_RANGE,
			"index %lld is out of range for dimension %zu of %s",
			(long long)index->integer, dim,
			fx_rule_text(call, input));
		return;
	}
	fx_rule_drop(&shape, dim);
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_narrow(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_value *start = fx_arg(call, "start");
	struct fx_shape shape;
	struct fx_value length;
	size_t dim;

	if (!read_dim(call, "dim", &input, &dim) ||
		!fx_arg_size(call, "length", &length))
		return;
	fx_rule_of(input, &shape);
	if (length.kind == FX_VALUE_INT && start->kind == FX_VALUE_INT &&
		shape.sizes[dim].kind == FX_VALUE_INT) {
		int64_t size = shape.sizes[dim].integer;
		int64_t from = start->integer;

		from = from < 0 ? from + size : from;
		if (from < 0 || from > size || length.integer < 0 ||
			length.integer > size - from) {
			fx_rule_fail(call, FX_ERR_RANGE,
				"dimension %zu of %s has no %lld elements "
				"from %lld",
				dim, fx_rule_text(call, input),
				(long long)length.integer,
				(long long)start->integer);
			return;
		}
	}
	shape.sizes[dim] = length;
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_unfold(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	struct fx_value *size;
	int64_t window;
	int64_t step;
	size_t dim;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_dim(call, "dimension", input->rank, &dim) ||
		!fx_arg_int(call, "size", &window) ||
		!fx_arg_int(call, "step", &step))
		return;
	fx_rule_of(input, &shape);
	if (shape.rank == 0) {
		shape.sizes[0] = fx_value_int(1);
		shape.rank = 1;
	}
	size = &shape.sizes[dim];
	if (window < 0 || step < 1 || shape.rank == FX_RANK_LIMIT ||
		(size->kind == FX_VALUE_INT && window > size->integer)) {
		fx_rule_fail(call, FX_ERR_RANGE,
			"windows of %lld by %lld do not fit %s",
			(long long)window, (long long)step,
			fx_rule_text(call, input));
		return;
	}
	*size = fx_add_int(call,
		fx_div_int(call, fx_add_int(call, *size, -window), step), 1);
	if (input->rank)
		shape.sizes[shape.rank++] = fx_value_int(window);
	else
		shape.sizes[0] = fx_value_int(window);
	fx_rule_give(call, input->dtype, &shape);
}

/* The length of diagonal OFFSET of a matrix of ROWS by COLUMNS. */
static struct fx_value
diagonal_length(struct fx_shape_call *call, struct fx_value rows,
	struct fx_value columns, int64_t offset)
{
	if (offset >= 0)
		columns = fx_add_int(call, columns, -offset);
	else
		rows = fx_add_int(call, rows, offset);
	rows = fx_size_min(call->arena, rows, columns);
	return rows.kind == FX_VALUE_INT && rows.integer < 0 ? fx_value_int(0)
							     : rows;
}

static bool
read_offset(struct fx_shape_call *call, const char *name, int64_t *ret)
{
	if (!fx_arg_int(call, name, ret))
		return false;
	if (*ret < (int64_t)1 << 53 && *ret > -((int64_t)1 << 53))
		return true;
	return fx_rule_fail(call, FX_ERR_RANGE, "the offset is too large");
}

void
fx_shape_diagonal(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape = { .rank = 0 };
	int64_t offset;
	size_t a;
	size_t b;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_dim(call, "dim1", input->rank, &a) ||
		!fx_arg_dim(call, "dim2", input->rank, &b) ||
		!read_offset(call, "offset", &offset))
		return;
	if (a == b || input->rank < 2) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"a diagonal needs two dimensions of %s",
			fx_rule_text(call, input));
		return;
	}
	for (uint32_t i = 0; i < input->rank; i++)
		if (i != a && i != b)
			shape.sizes[shape.rank++] = input->sizes[i];
	shape.sizes[shape.rank++] =
		diagonal_length(call, input->sizes[a], input->sizes[b], offset);
	fx_rule_give(call, input->dtype, &shape);
}

static bool
is_far_outside(const struct fx_tensor_meta *input, int64_t offset)
{
	struct fx_value size = input->sizes[offset > 0];

	return size.kind == FX_VALUE_INT &&
	       (offset < 0 ? -offset : offset) > size.integer;
}

/* A matrix from a vector, or a vector from a matrix. */
void
fx_shape_diag(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	int64_t offset;

	if (!fx_arg_first(call, &input) ||
		!read_offset(call, "diagonal", &offset))
		return;
	if (input->rank == 1) {
		shape.sizes[0] = fx_add_int(call, input->sizes[0],
			offset < 0 ? -offset : offset);
		shape.sizes[1] = shape.sizes[0];
		shape.rank = 2;
	} else if (input->rank == 2) {
		shape.sizes[0] = diagonal_length(call, input->sizes[0],
			input->sizes[1], offset);
		shape.rank = 1;
		/* Far outside the matrix is refused, next to it is empty. */
		if (fx_size_is_int(shape.sizes[0], 0) &&
			is_far_outside(input, offset)) {
			fx_rule_fail(call, FX_ERR_RANGE,
				"diagonal %lld is outside %s",
				(long long)offset, fx_rule_text(call, input));
			return;
		}
	} else {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"1 or 2 dimensions are needed, not those of %s",
			fx_rule_text(call, input));
		return;
	}
	fx_rule_give(call, input->dtype, &shape);
}

/* Indices of no elements may be of any type. */
static bool
read_index(struct fx_shape_call *call, const char *name, bool allows_int32,
	const struct fx_tensor_meta **ret)
{
	if (!fx_arg_tensor(call, name, ret))
		return false;
	if (!(*ret)->dtype || (*ret)->dtype == FX_DTYPE_I64 ||
		(allows_int32 && (*ret)->dtype == FX_DTYPE_I32) ||
		fx_rule_is_empty(*ret, UINT64_MAX))
		return true;
	return fx_rule_fail(call, FX_ERR_TYPE, "indices are int64, not %s",
		fx_dtype_info((*ret)->dtype)->name);
}

void
fx_shape_index_select(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *index;
	struct fx_shape shape;
	size_t dim;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_dim(call, "dim", input->rank, &dim) ||
		!read_index(call, "index", true, &index))
		return;
	if (index->rank > 1) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"a vector of indices is needed, not %s",
			fx_rule_text(call, index));
		return;
	}
	fx_rule_of(input, &shape);
	if (shape.rank && fx_size_is_int(shape.sizes[dim], 0) &&
		!(index->rank && fx_size_is_int(index->sizes[0], 0))) {
		fx_rule_fail(call, FX_ERR_RANGE,
			"dimension %zu of %s has no elements to select", dim,
			fx_rule_text(call, input));
		return;
	}
	if (shape.rank)
		shape.sizes[dim] =
			index->rank ? index->sizes[0] : fx_value_int(1);
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_gather(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *index;
	struct fx_shape shape;
	size_t dim;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_dim(call, "dim", input->rank, &dim) ||
		!read_index(call, "index", true, &index))
		return;
	/* A number counts as a vector of one. */
	if (FX_MAX(index->rank, 1) != FX_MAX(input->rank, 1)) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"index and input differ in rank: %s and %s",
			fx_rule_text(call, index), fx_rule_text(call, input));
		return;
	}
	/* Nothing is looked up without an index. */
	for (uint32_t i = 0; i < index->rank && i < input->rank; i++)
		if (i != dim && !fx_rule_is_empty(index, UINT64_MAX) &&
			index->sizes[i].kind == FX_VALUE_INT &&
			input->sizes[i].kind == FX_VALUE_INT &&
			index->sizes[i].integer > input->sizes[i].integer) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"index %s is larger than input %s",
				fx_rule_text(call, index),
				fx_rule_text(call, input));
			return;
		}
	fx_rule_of(index, &shape);
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_take(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *index;

	if (fx_arg_first(call, &input) &&
		read_index(call, "index", false, &index))
		fx_rule_give_same(call, index, input->dtype);
}

/* Indices broadcast with the input in all but one dimension. */
void
fx_shape_take_along_dim(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *index;
	struct fx_shape shape;
	struct fx_shape other;
	size_t dim;

	if (!fx_arg_first(call, &input) ||
		!read_index(call, "indices", false, &index))
		return;
	if (!fx_arg_is_given(call, "dim")) {
		shape.rank = 1;
		shape.sizes[0] = fx_mul_all(call, index->sizes, index->rank);
		fx_rule_give(call, input->dtype, &shape);
		return;
	}
	if (index->rank != input->rank ||
		!fx_arg_dim(call, "dim", input->rank, &dim)) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"index and input differ in rank: %s and %s",
			fx_rule_text(call, index), fx_rule_text(call, input));
		return;
	}
	fx_rule_of(input, &shape);
	fx_rule_of(index, &other);
	if (shape.rank)
		shape.sizes[dim] = other.sizes[dim];
	if (fx_rule_broadcast(call, &shape, other.sizes, other.rank))
		fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_data(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (fx_arg_first(call, &input))
		fx_rule_give_up(call, "the size of the result depends on data");
}

void
fx_shape_as_strided(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (fx_arg_first(call, &input) && fx_arg_sizes(call, "size", &shape))
		fx_rule_give(call, input->dtype, &shape);
}
