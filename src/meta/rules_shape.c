/* rules_shape.c - other shapes of the same elements. */
#include <config.h>

#include "ir/size.h"
#include "meta/shape.h"

static bool
is_integer(struct fx_value size)
{
	return size.kind == FX_VALUE_INT || size.kind == FX_VALUE_SYMBOL;
}

/* Put what is left of TOTAL elements in the place of a -1 in SHAPE. */
static bool
infer_size(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	struct fx_value total, struct fx_shape *shape)
{
	struct fx_value known = fx_value_int(1);
	struct fx_value rest;
	size_t hole = shape->rank;

	for (size_t i = 0; i < shape->rank; i++) {
		struct fx_value size = shape->sizes[i];

		if (size.kind == FX_VALUE_INT && size.integer < 0) {
			if (size.integer < -1 || hole < shape->rank)
				return fx_rule_fail(call, FX_ERR_SHAPE,
					"only one size can be -1, none "
					"another negative number");
			hole = i;
		} else {
			known = fx_mul(call, known, size);
		}
	}
	if (!is_integer(known) || !is_integer(total))
		return fx_rule_give_up(call, "a size is not known");
	if (hole == shape->rank) {
		if (!fx_rule_differs(call, "number of elements", total, known))
			return true;
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"%s does not have the number of elements of the new "
			"shape",
			fx_rule_text(call, input));
	}
	if (fx_size_is_int(known, 0))
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"-1 stands for any size, as the others have no "
			"elements");
	rest = fx_size_mod(call->arena, total, known);
	if (fx_rule_differs(call, "number of elements", rest, fx_value_int(0)))
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"%s does not divide into the new shape",
			fx_rule_text(call, input));
	shape->sizes[hole] = fx_size_floordiv(call->arena, total, known);
	return true;
}

/* x.view(dtype): the last dimension grows or shrinks. */
static void
view_as_dtype(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	enum fx_dtype dtype)
{
	struct fx_shape shape;
	int64_t old_size;
	int64_t new_size;
	struct fx_value *last;

	if (!input->dtype || !dtype) {
		fx_rule_give_up(call, "a dtype is not known");
		return;
	}
	old_size = (int64_t)fx_dtype_info(input->dtype)->size;
	new_size = (int64_t)fx_dtype_info(dtype)->size;
	fx_rule_of(input, &shape);
	if (old_size != new_size) {
		if (!shape.rank) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"a tensor without dimensions keeps its size");
			return;
		}
		last = &shape.sizes[shape.rank - 1];
		*last = fx_div_int(call, fx_mul_int(call, *last, old_size),
			new_size);
	}
	fx_rule_give(call, dtype, &shape);
}

void
fx_shape_view(struct fx_shape_call *call)
{
	const struct fx_value *sizes = fx_arg_at(call, 1);
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input))
		return;
	if (fx_value_is_sequence(sizes) && sizes->count == 1 &&
		sizes->items[0].kind == FX_VALUE_DTYPE) {
		view_as_dtype(call, input,
			(enum fx_dtype)sizes->items[0].integer);
		return;
	}
	if (fx_arg_as_sizes(call, sizes, "size", &shape) &&
		infer_size(call, input,
			fx_mul_all(call, input->sizes, input->rank), &shape))
		fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_view_as(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *other;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_tensor(call, "other", &other))
		return;
	fx_rule_of(other, &shape);
	if (infer_size(call, input, fx_mul_all(call, input->sizes, input->rank),
		    &shape))
		fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_flatten(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape = { .rank = 0 };
	size_t first = 0;
	size_t last;

	if (!fx_arg_first(call, &input))
		return;
	last = input->rank ? input->rank - 1 : 0;
	if (fx_arg(call, "start_dim") &&
		(!fx_arg_dim(call, "start_dim", input->rank, &first) ||
			!fx_arg_dim(call, "end_dim", input->rank, &last)))
		return;
	if (first > last) {
		fx_rule_fail(call, FX_ERR_RANGE,
			"start_dim comes after end_dim");
		return;
	}
	if (input->rank == 0) {
		shape.sizes[shape.rank++] = fx_value_int(1);
		fx_rule_give(call, input->dtype, &shape);
		return;
	}
	for (size_t i = 0; i < first; i++)
		shape.sizes[shape.rank++] = input->sizes[i];
	shape.sizes[shape.rank++] =
		fx_mul_all(call, input->sizes + first, last - first + 1);
	for (size_t i = last + 1; i < input->rank; i++)
		shape.sizes[shape.rank++] = input->sizes[i];
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_unflatten(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape parts;
	struct fx_shape shape = { .rank = 0 };
	size_t dim;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_dim(call, "dim", input->rank, &dim) ||
		!fx_arg_sizes(call, "sizes", &parts))
		return;
	if (input->rank == 0 || parts.rank == 0 ||
		input->rank + parts.rank - 1 > FX_RANK_LIMIT) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%s has no dimension to divide into these sizes",
			fx_rule_text(call, input));
		return;
	}
	if (!infer_size(call, input, input->sizes[dim], &parts))
		return;
	for (size_t i = 0; i < dim; i++)
		shape.sizes[shape.rank++] = input->sizes[i];
	for (size_t i = 0; i < parts.rank; i++)
		shape.sizes[shape.rank++] = parts.sizes[i];
	for (size_t i = dim + 1; i < input->rank; i++)
		shape.sizes[shape.rank++] = input->sizes[i];
	fx_rule_give(call, input->dtype, &shape);
}

/* Read a whole list of dimensions of INPUT into ORDER. */
static bool
read_order(struct fx_shape_call *call, const struct fx_value *list, size_t rank,
	size_t *order, size_t *count_ret)
{
	uint64_t seen = 0;
	const struct fx_value *items =
		fx_value_is_sequence(list) ? list->items : list;
	size_t count = fx_value_is_sequence(list) ? list->count : 1;

	if (count > FX_RANK_LIMIT)
		return fx_rule_fail(call, FX_ERR_LIMIT, "too many dimensions");
	for (size_t i = 0; i < count; i++) {
		int64_t dim;

		if (!fx_arg_as_int(call, &items[i], "a dimension", &dim) ||
			!fx_rule_dim(call, dim, rank, &order[i]))
			return false;
		if (seen >> order[i] & 1)
			return fx_rule_fail(call, FX_ERR_VALUE,
				"dimension %zu appears twice", order[i]);
		seen |= (uint64_t)1 << order[i];
	}
	*count_ret = count;
	return true;
}

void
fx_shape_permute(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	size_t order[FX_RANK_LIMIT];
	size_t count;

	if (!fx_arg_first(call, &input) || !read_order(call, fx_arg_at(call, 1),
						   input->rank, order, &count))
		return;
	if (count != input->rank) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%zu dimensions do not order those of %s", count,
			fx_rule_text(call, input));
		return;
	}
	shape.rank = count;
	for (size_t i = 0; i < count; i++)
		shape.sizes[i] = input->sizes[order[i]];
	fx_rule_give(call, input->dtype, &shape);
}

static void
exchange(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	size_t a, size_t b)
{
	struct fx_shape shape;

	fx_rule_of(input, &shape);
	if (shape.rank) {
		shape.sizes[a] = input->sizes[b];
		shape.sizes[b] = input->sizes[a];
	}
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_transpose(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	size_t a;
	size_t b;

	if (fx_arg_first(call, &input) &&
		fx_arg_dim(call, "dim0", input->rank, &a) &&
		fx_arg_dim(call, "dim1", input->rank, &b))
		exchange(call, input, a, b);
}

void
fx_shape_t(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (!fx_arg_first(call, &input))
		return;
	if (input->rank > 2)
		fx_rule_fail(call, FX_ERR_SHAPE,
			"at most 2 dimensions are transposed, not those of %s",
			fx_rule_text(call, input));
	else
		exchange(call, input, 0, input->rank == 2);
}

void
fx_shape_adjoint(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;

	if (!fx_arg_first(call, &input))
		return;
	if (input->rank < 2)
		fx_rule_fail(call, FX_ERR_SHAPE, "%s is no matrix",
			fx_rule_text(call, input));
	else
		exchange(call, input, input->rank - 2, input->rank - 1);
}

void
fx_shape_movedim(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	size_t from[FX_RANK_LIMIT];
	size_t to[FX_RANK_LIMIT];
	size_t count;
	size_t to_count;
	uint64_t moved = 0;
	uint64_t taken = 0;
	size_t next = 0;

	if (!fx_arg_first(call, &input) ||
		!read_order(call, fx_arg(call, "source"), input->rank, from,
			&count) ||
		!read_order(call, fx_arg(call, "destination"), input->rank, to,
			&to_count))
		return;
	if (count != to_count) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%zu dimensions do not move to %zu places", count,
			to_count);
		return;
	}
	shape.rank = input->rank;
	for (size_t i = 0; i < count && input->rank; i++) {
		shape.sizes[to[i]] = input->sizes[from[i]];
		moved |= (uint64_t)1 << from[i];
		taken |= (uint64_t)1 << to[i];
	}
	for (size_t i = 0; i < shape.rank; i++) {
		if (taken >> i & 1)
			continue;
		while (moved >> next & 1)
			next++;
		shape.sizes[i] = input->sizes[next++];
	}
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_squeeze(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape = { .rank = 0 };
	const struct fx_value *dim;
	uint64_t dims;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_dims(call, "dim", input->rank, &dims))
		return;
	/* No dimensions are none here, where reductions take all. */
	dim = fx_arg(call, "dim");
	if (dim && fx_value_is_sequence(dim) && !fx_value_item_count(dim))
		dims = 0;
	for (uint32_t i = 0; i < input->rank; i++) {
		bool asked = dims >> i & 1;

		/* Without a dimension a symbol could be a 1 too. */
		if (asked && !fx_arg_is_given(call, "dim") &&
			input->sizes[i].kind == FX_VALUE_SYMBOL) {
			fx_rule_give_up(call,
				"whether a symbolic size is 1 is not known");
			return;
		}
		if (!asked || !fx_size_is_int(input->sizes[i], 1))
			shape.sizes[shape.rank++] = input->sizes[i];
	}
	fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_unsqueeze(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	size_t dim;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_dim(call, "dim", (size_t)input->rank + 1, &dim))
		return;
	if (input->rank == FX_RANK_LIMIT) {
		fx_rule_fail(call, FX_ERR_LIMIT, "more than 64 dimensions");
		return;
	}
	shape.rank = (size_t)input->rank + 1;
	for (size_t i = 0; i < shape.rank; i++)
		shape.sizes[i] = i == dim ? fx_value_int(1)
					  : input->sizes[i - (i > dim)];
	fx_rule_give(call, input->dtype, &shape);
}

/* INPUT seen as SHAPE, where -1 keeps a size. */
static void
expand_to(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	struct fx_shape *shape)
{
	size_t added = shape->rank - input->rank;

	if (input->rank > shape->rank) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%s has more dimensions than the %zu it should expand "
			"to",
			fx_rule_text(call, input), shape->rank);
		return;
	}
	for (size_t i = 0; i < shape->rank; i++) {
		struct fx_value old =
			i < added ? fx_value_int(1) : input->sizes[i - added];
		struct fx_value *new = &shape->sizes[i];
		bool keeps = fx_size_is_int(*new, -1);

		if ((keeps && i < added) ||
			(!keeps &&
				new->kind == FX_VALUE_INT &&new->integer < 0) ||
			(!keeps && !fx_size_is_int(old, 1) &&
				fx_rule_differs(call, "sizes that expand", old,
					*new))) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"%s does not expand to the new shape at "
				"dimension %zu",
				fx_rule_text(call, input), i);
			return;
		}
		if (keeps)
			*new = old;
	}
	fx_rule_give(call, input->dtype, shape);
}

void
fx_shape_expand(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (fx_arg_first(call, &input) && fx_arg_sizes(call, "size", &shape))
		expand_to(call, input, &shape);
}

void
fx_shape_expand_as(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *other;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_tensor(call, "other", &other))
		return;
	fx_rule_of(other, &shape);
	expand_to(call, input, &shape);
}

void
fx_shape_flip(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	size_t order[FX_RANK_LIMIT];
	size_t count;

	if (fx_arg_first(call, &input) && read_order(call, fx_arg_at(call, 1),
						  input->rank, order, &count))
		fx_rule_give_same(call, input, input->dtype);
}
