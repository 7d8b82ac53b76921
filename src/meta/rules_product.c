/* rules_product.c - results that hold all pairs of what is given, or as many
 * elements: far more than the arguments have.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "ir/size.h"
#include "meta/shape.h"

/* The vector that parameter NAME has to be. */
static bool
read_vector(struct fx_shape_call *call, const struct fx_value *value,
	const struct fx_tensor_meta **ret)
{
	if (!fx_arg_as_tensor(call, value, "a vector", ret))
		return false;
	if ((*ret)->rank == 1)
		return true;
	return fx_rule_fail(call, FX_ERR_SHAPE, "a vector is needed, not %s",
		fx_rule_text(call, *ret));
}

/* How many ways there are to choose R of N things, which are as many at least.
 */
static bool
choose(struct fx_shape_call *call, int64_t n, int64_t r, int64_t *ret)
{
	int64_t count = 1;

	r = FX_MIN(r, n - r);
	for (int64_t i = 1; i <= r; i++) {
		if (__builtin_mul_overflow(count, n - r + i, &count))
			return fx_rule_fail(call, FX_ERR_LIMIT,
				"there are more than can be counted");
		count /= i;
	}
	*ret = count;
	return true;
}

void
fx_shape_combinations(struct fx_shape_call *call)
{
	struct fx_shape shape = { .rank = 2 };
	const struct fx_tensor_meta *input;
	bool again;
	int64_t n, r, count = 0;

	if (!read_vector(call, fx_arg_at(call, 0), &input) ||
		!fx_arg_int(call, "r", &r) ||
		!fx_arg_bool(call, "with_replacement", &again))
		return;
	if (r < 0) {
		fx_rule_fail(call, FX_ERR_VALUE, "%lld are to be chosen",
			(long long)r);
		return;
	}
	if (!r) {
		shape.rank = 1;
		shape.sizes[0] = fx_value_int(0);
		fx_rule_give(call, input->dtype, &shape);
		return;
	}
	if (input->sizes[0].kind != FX_VALUE_INT) {
		fx_rule_give_up(call, "a number of combinations of %s",
			fx_rule_size_text(call, input->sizes[0]));
		return;
	}
	n = input->sizes[0].integer;
	if (n && again)
		n += r - 1;
	if (n >= r && !choose(call, n, r, &count))
		return;
	shape.sizes[0] = fx_value_int(count);
	shape.sizes[1] = fx_value_int(r);
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_cartesian_prod(struct fx_shape_call *call)
{
	const struct fx_value *tensors = fx_arg(call, "tensors");
	struct fx_shape shape = { .rank = 1 };
	const struct fx_tensor_meta *first = NULL;

	if (!fx_value_is_sequence(tensors) || !tensors->count) {
		fx_rule_fail(call, FX_ERR_VALUE, "there are no tensors");
		return;
	}
	shape.sizes[0] = fx_value_int(1);
	for (uint32_t i = 0; i < tensors->count; i++) {
		const struct fx_tensor_meta *one;

		if (!read_vector(call, &tensors->items[i], &one) ||
			(first && !fx_rule_same_dtype(call, first, one)))
			return;
		first = first ? first : one;
		shape.sizes[0] = fx_mul(call, shape.sizes[0], one->sizes[0]);
	}
	if (tensors->count > 1)
		shape.sizes[shape.rank++] = fx_value_int(tensors->count);
	fx_rule_give(call, first->dtype, &shape);
}

void
fx_shape_block_diag(struct fx_shape_call *call)
{
	const struct fx_value *tensors = fx_arg(call, "tensors");
	struct fx_shape shape = { .rank = 2 };
	struct fx_promotion promotion = { 0 };
	const struct fx_value one = fx_value_int(1);

	if (!fx_value_is_sequence(tensors)) {
		fx_rule_give_up(call, "the tensors are not known");
		return;
	}
	shape.sizes[0] = shape.sizes[1] = fx_value_int(0);
	for (uint32_t i = 0; i < tensors->count; i++) {
		const struct fx_tensor_meta *meta;

		if (!fx_arg_as_tensor(call, &tensors->items[i], "a tensor",
			    &meta))
			return;
		if (meta->rank > 2) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"at most 2 dimensions are joined, not those "
				"of %s",
				fx_rule_text(call, meta));
			return;
		}
		fx_promote_add(&promotion, &tensors->items[i]);
		shape.sizes[0] = fx_add(call, shape.sizes[0],
			meta->rank == 2 ? meta->sizes[0] : one);
		shape.sizes[1] = fx_add(call, shape.sizes[1],
			meta->rank ? meta->sizes[meta->rank - 1] : one);
	}
	fx_rule_give(call, fx_promote_result(&promotion), &shape);
}

void
fx_shape_kron(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;
	struct fx_promotion promotion = { 0 };
	struct fx_shape shape;
	size_t more;

	if (!fx_arg_first(call, &a) || !fx_arg_tensor(call, "other", &b))
		return;
	fx_rule_of(a->rank >= b->rank ? a : b, &shape);
	if (a->rank < b->rank)
		b = a;
	more = shape.rank - b->rank;
	for (size_t i = 0; i < b->rank; i++)
		shape.sizes[more + i] =
			fx_mul(call, shape.sizes[more + i], b->sizes[i]);
	fx_promote_add(&promotion, fx_arg_at(call, 0));
	fx_promote_add(&promotion, fx_arg(call, "other"));
	fx_rule_give(call, fx_promote_result(&promotion), &shape);
}

void
fx_shape_vander(struct fx_shape_call *call)
{
	struct fx_shape shape = { .rank = 2 };
	const struct fx_tensor_meta *input;

	if (!read_vector(call, fx_arg_at(call, 0), &input))
		return;
	shape.sizes[0] = shape.sizes[1] = input->sizes[0];
	if (fx_arg_is_given(call, "N") &&
		!fx_arg_size(call, "N", &shape.sizes[1]))
		return;
	if (shape.sizes[1].kind == FX_VALUE_INT && shape.sizes[1].integer < 0)
		fx_rule_fail(call, FX_ERR_VALUE, "N is negative");
	else
		fx_rule_give(call,
			input->dtype
				? fx_promote_pair(input->dtype, FX_DTYPE_I64)
				: FX_DTYPE_NONE,
			&shape);
}

/* --- diagonals and triangles ---------------------------------------------- */

/* Sides whose product can be counted. */
#define SIDE_LIMIT ((int64_t)1 << 31)

/* How many of ROWS by COLUMNS are on or below the diagonal at OFFSET. */
static int64_t
below(int64_t rows, int64_t columns, int64_t offset)
{
	/* Rows from FIRST on have some, from FULL on all. */
	int64_t first = FX_MIN(FX_MAX(-offset, (int64_t)0), rows);
	int64_t full = FX_MAX(FX_MIN(columns - offset - 1, rows), first);
	int64_t growing = full - first;

	return growing * (first + offset + 1) + growing * (growing - 1) / 2 +
	       (rows - full) * columns;
}

void
fx_shape_triangle_indices(struct fx_shape_call *call)
{
	struct fx_shape shape = { .rank = 2 };
	int64_t rows, columns, offset;
	enum fx_dtype dtype;

	if (!fx_arg_int(call, "row", &rows) ||
		!fx_arg_int(call, "col", &columns) ||
		!fx_arg_int(call, "offset", &offset) ||
		!fx_arg_dtype(call, "dtype", FX_DTYPE_I64, &dtype))
		return;
	if (rows < 0 || columns < 0) {
		fx_rule_fail(call, FX_ERR_VALUE, "a size is negative");
		return;
	}
	if (rows > SIDE_LIMIT || columns > SIDE_LIMIT || offset > SIDE_LIMIT ||
		offset < -SIDE_LIMIT) {
		fx_rule_fail(call, FX_ERR_LIMIT,
			"there are more than can be counted");
		return;
	}
	shape.sizes[0] = fx_value_int(2);
	shape.sizes[1] =
		fx_value_int(strcmp(call->name, "triu_indices") == 0
				     ? rows * columns -
					       below(rows, columns, offset - 1)
				     : below(rows, columns, offset));
	fx_rule_give(call, dtype, &shape);
}

void
fx_shape_diagflat(struct fx_shape_call *call)
{
	struct fx_shape shape = { .rank = 2 };
	const struct fx_tensor_meta *input;
	int64_t offset;

	if (!fx_arg_first(call, &input) || !fx_arg_int(call, "offset", &offset))
		return;
	shape.sizes[0] = fx_add_int(call,
		fx_mul_all(call, input->sizes, input->rank), llabs(offset));
	shape.sizes[1] = shape.sizes[0];
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_diag_embed(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape = { .rank = 0 };
	struct fx_value side;
	size_t first, second;
	size_t from = 0;
	int64_t offset;

	if (!fx_arg_first(call, &input) || !fx_arg_int(call, "offset", &offset))
		return;
	if (!input->rank) {
		fx_rule_fail(call, FX_ERR_SHAPE, "a diagonal is needed");
		return;
	}
	if (!fx_arg_dim(call, "dim1", input->rank + 1, &first) ||
		!fx_arg_dim(call, "dim2", input->rank + 1, &second))
		return;
	if (first == second) {
		fx_rule_fail(call, FX_ERR_VALUE,
			"the two dimensions are the same");
		return;
	}
	side = fx_add_int(call, input->sizes[input->rank - 1], llabs(offset));
	for (size_t i = 0; i <= input->rank; i++)
		if (!fx_rule_push(call, &shape,
			    i == first || i == second ? side
						      : input->sizes[from++]))
			return;
	fx_rule_give(call, input->dtype, &shape);
}

/* The distances of all pairs of rows. */
void
fx_shape_pdist(struct fx_shape_call *call)
{
	struct fx_shape shape = { .rank = 1 };
	const struct fx_tensor_meta *input;

	if (!fx_arg_first(call, &input) || !fx_rule_needs_float(call, input))
		return;
	if (input->rank != 2) {
		fx_rule_fail(call, FX_ERR_SHAPE, "2 dimensions are needed: %s",
			fx_rule_text(call, input));
		return;
	}
	shape.sizes[0] = fx_div_int(call,
		fx_mul(call, input->sizes[0],
			fx_add_int(call, input->sizes[0], -1)),
		2);
	if (fx_size_is_int(input->sizes[0], 0))
		shape.sizes[0] = input->sizes[0];
	fx_rule_give(call, input->dtype, &shape);
}
