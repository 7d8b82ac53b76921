/* rules_join.c - putting tensors together and taking them apart. */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "ir/size.h"
#include "meta/shape.h"

/* The tensors of a list argument. */
struct tensors {
	const struct fx_tensor_meta **metas;
	size_t count;
	enum fx_dtype dtype;
};

static bool
read_tensors(struct fx_shape_call *call, const struct fx_value *list,
	struct tensors *ret)
{
	struct fx_promotion promotion = { 0 };

	if (!list || !fx_value_is_sequence(list))
		return fx_rule_give_up(call, "the tensors are not known");
	if (list->count == 0)
		return fx_rule_fail(call, FX_ERR_VALUE, "there are no tensors");
	ret->count = list->count;
	ret->metas = FX_ARENA_ARRAY(call->arena, const struct fx_tensor_meta *,
		list->count);
	for (size_t i = 0; i < list->count; i++) {
		if (!fx_arg_as_tensor(call, &list->items[i], "a tensor",
			    &ret->metas[i]))
			return false;
		fx_promote_add(&promotion, &list->items[i]);
	}
	ret->dtype = fx_promote_result(&promotion);
	return true;
}

/* [0] joins anything, for history's sake. */
static bool
is_legacy_empty(const struct fx_tensor_meta *meta)
{
	return meta->rank == 1 && fx_size_is_int(meta->sizes[0], 0);
}

/* Join along DIM; -1 counts from the end. */
static void
join(struct fx_shape_call *call, const struct tensors *tensors, int64_t dim)
{
	const struct fx_tensor_meta *first = NULL;
	struct fx_shape shape = { .rank = 0 };
	size_t at = 0;

	for (size_t i = 0; i < tensors->count; i++) {
		const struct fx_tensor_meta *meta = tensors->metas[i];

		if (meta->rank == 0) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"a tensor without dimensions cannot be "
				"joined");
			return;
		}
		if (is_legacy_empty(meta))
			continue;
		if (!first) {
			first = meta;
			fx_rule_of(first, &shape);
			if (!fx_rule_dim(call, dim, first->rank, &at))
				return;
			continue;
		}
		for (uint32_t k = 0; k < meta->rank; k++)
			if (meta->rank != first->rank ||
				(k != at &&
					fx_rule_differs(call, "the other sizes",
						meta->sizes[k],
						first->sizes[k]))) {
				fx_rule_fail(call, FX_ERR_SHAPE,
					"sizes differ besides dimension %zu: "
					"%s and %s",
					at, fx_rule_text(call, first),
					fx_rule_text(call, meta));
				return;
			}
		shape.sizes[at] =
			fx_add(call, shape.sizes[at], meta->sizes[at]);
	}
	if (!first)
		fx_rule_of(tensors->metas[0], &shape);
	fx_rule_give(call, tensors->dtype, &shape);
}

void
fx_shape_cat(struct fx_shape_call *call)
{
	struct tensors tensors;
	int64_t dim;

	if (read_tensors(call, fx_arg(call, "tensors"), &tensors) &&
		fx_arg_int(call, "dim", &dim))
		join(call, &tensors, dim);
}

void
fx_shape_stack(struct fx_shape_call *call)
{
	struct tensors tensors;
	struct fx_shape shape;
	const struct fx_tensor_meta *first;
	size_t dim;

	if (!read_tensors(call, fx_arg(call, "tensors"), &tensors))
		return;
	first = tensors.metas[0];
	if (!fx_arg_dim(call, "dim", (size_t)first->rank + 1, &dim))
		return;
	if (first->rank == FX_RANK_LIMIT) {
		fx_rule_fail(call, FX_ERR_LIMIT, "more than 64 dimensions");
		return;
	}
	for (size_t i = 1; i < tensors.count; i++)
		for (uint32_t k = 0; k < first->rank ||
				     tensors.metas[i]->rank != first->rank;
			k++)
			if (tensors.metas[i]->rank != first->rank ||
				fx_rule_differs(call, "sizes",
					tensors.metas[i]->sizes[k],
					first->sizes[k])) {
				fx_rule_fail(call, FX_ERR_SHAPE,
					"shapes differ: %s and %s",
					fx_rule_text(call, first),
					fx_rule_text(call, tensors.metas[i]));
				return;
			}
	shape.rank = (size_t)first->rank + 1;
	for (size_t i = 0; i < shape.rank; i++)
		shape.sizes[i] = i == dim ? fx_value_int((int64_t)tensors.count)
					  : first->sizes[i - (i > dim)];
	fx_rule_give(call, tensors.dtype, &shape);
}

/* META with at least RANK dimensions, as torch.atleast_Nd makes them. */
static const struct fx_tensor_meta *
at_least(struct fx_shape_call *call, const struct fx_tensor_meta *meta,
	uint32_t rank)
{
	struct fx_tensor_meta *copy;
	struct fx_value *sizes;

	if (meta->rank >= rank)
		return meta;
	copy = FX_ARENA_NEW(call->arena, struct fx_tensor_meta);
	sizes = FX_ARENA_ARRAY(call->arena, struct fx_value, rank);
	*copy = *meta;
	copy->rank = rank;
	copy->sizes = sizes;
	for (uint32_t i = 0; i < rank; i++)
		sizes[i] = fx_value_int(1);
	/* A vector is a row; in three dimensions it stays in the middle, and a
	 * matrix in front.
	 */
	if (meta->rank == 1)
		sizes[rank > 1] = meta->sizes[0];
	if (meta->rank == 2) {
		sizes[0] = meta->sizes[0];
		sizes[1] = meta->sizes[1];
	}
	return copy;
}

static void
join_at_least(struct fx_shape_call *call, uint32_t rank, int64_t dim)
{
	struct tensors tensors;

	if (!read_tensors(call, fx_arg(call, "tensors"), &tensors))
		return;
	for (size_t i = 0; i < tensors.count; i++)
		tensors.metas[i] = at_least(call, tensors.metas[i], rank);
	/* Vectors are stacked horizontally along their only dimension. */
	if (dim == 1 && tensors.metas[0]->rank == 1)
		dim = 0;
	join(call, &tensors, dim);
}

void
fx_shape_hstack(struct fx_shape_call *call)
{
	join_at_least(call, 1, 1);
}

void
fx_shape_vstack(struct fx_shape_call *call)
{
	join_at_least(call, 2, 0);
}

void
fx_shape_dstack(struct fx_shape_call *call)
{
	join_at_least(call, 3, 2);
}

/* Parts of a tensor along one dimension. */
struct parts {
	const struct fx_tensor_meta *input;
	size_t dim;
	struct fx_value *sizes;
	size_t count;
};

/* More parts than this are not listed. */
#define PART_LIMIT 100000

static void
give_parts(struct fx_shape_call *call, const struct parts *parts)
{
	struct fx_value *items =
		FX_ARENA_ARRAY(call->arena, struct fx_value, parts->count);
	struct fx_shape shape;

	fx_rule_of(parts->input, &shape);
	for (size_t i = 0; i < parts->count; i++) {
		shape.sizes[parts->dim] = parts->sizes[i];
		items[i] = fx_rule_value(call, parts->input->dtype, &shape);
	}
	fx_rule_give_tuple(call, items, parts->count);
}

static bool
read_parts(struct fx_shape_call *call, struct parts *parts)
{
	*parts = (struct parts){ .count = 0 };
	if (!fx_arg_first(call, &parts->input))
		return false;
	if (parts->input->rank == 0)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"a tensor without dimensions cannot be divided");
	return fx_arg_dim(call, "dim", parts->input->rank, &parts->dim);
}

/* Pieces of EACH, the last one smaller. */
static void
split_evenly(struct fx_shape_call *call, struct parts *parts, int64_t each)
{
	struct fx_value size = parts->input->sizes[parts->dim];
	int64_t count;

	if (size.kind != FX_VALUE_INT) {
		fx_rule_give_up(call,
			"the number of pieces of a symbolic size is not "
			"known");
		return;
	}
	if (each < 0 || (each == 0 && size.integer != 0)) {
		fx_rule_fail(call, FX_ERR_VALUE,
			"a piece of %lld is impossible", (long long)each);
		return;
	}
	count = each == 0 ? 1 : (size.integer - 1) / each + 1;
	count = size.integer == 0 ? 1 : count;
	if (count > PART_LIMIT) {
		fx_rule_give_up(call, "there are too many pieces");
		return;
	}
	parts->sizes =
		FX_ARENA_ARRAY(call->arena, struct fx_value, (size_t)count);
	parts->count = (size_t)count;
	for (int64_t i = 0; i < count; i++)
		parts->sizes[i] =
			fx_value_int(i + 1 < count ? each
						   : size.integer - i * each);
	give_parts(call, parts);
}

/* Pieces of given sizes, which must be all of it. */
static void
split_sizes(struct fx_shape_call *call, struct parts *parts,
	const struct fx_value *list)
{
	struct fx_value sum = fx_value_int(0);

	parts->sizes =
		FX_ARENA_ARRAY(call->arena, struct fx_value, list->count);
	parts->count = list->count;
	for (size_t i = 0; i < list->count; i++) {
		struct fx_value *size = &parts->sizes[i];

		if (!fx_arg_as_size(call, &list->items[i], "a size", size))
			return;
		if (size->kind == FX_VALUE_INT && size->integer < 0) {
			fx_rule_fail(call, FX_ERR_VALUE, "a size is negative");
			return;
		}
		sum = fx_add(call, sum, *size);
	}
	if (fx_rule_differs(call, "the sum of the sizes", sum,
		    parts->input->sizes[parts->dim]))
		fx_rule_fail(call, FX_ERR_SHAPE,
			"sizes do not add up to dimension %zu of %s",
			parts->dim, fx_rule_text(call, parts->input));
	else
		give_parts(call, parts);
}

/* COUNT pieces, each of SIZE. */
static void
split_alike(struct fx_shape_call *call, struct parts *parts,
	struct fx_value size, int64_t count)
{
	parts->sizes =
		FX_ARENA_ARRAY(call->arena, struct fx_value, (size_t)count);
	for (int64_t i = 0; i < count; i++)
		parts->sizes[i] = size;
	parts->count = (size_t)count;
	give_parts(call, parts);
}

void
fx_shape_split(struct fx_shape_call *call)
{
	const struct fx_value *sizes = fx_arg(call, "split_size_or_sections");
	struct parts parts;
	int64_t each;

	if (!read_parts(call, &parts))
		return;
	if (fx_value_is_sequence(sizes))
		split_sizes(call, &parts, sizes);
	else if (fx_size_equal(*sizes, parts.input->sizes[parts.dim]))
		split_sizes(call, &parts,
			&(struct fx_value){ .kind = FX_VALUE_TUPLE,
				.count = 1,
				.items = sizes });
	else if (fx_arg_as_int(call, sizes, "the size of a piece", &each))
		split_evenly(call, &parts, each);
}

void
fx_shape_chunk(struct fx_shape_call *call)
{
	struct parts parts;
	struct fx_value size;
	struct fx_value rest;
	int64_t count;

	if (!read_parts(call, &parts) || !fx_arg_int(call, "chunks", &count))
		return;
	size = parts.input->sizes[parts.dim];
	if (count < 1 || count > PART_LIMIT) {
		fx_rule_fail(call, FX_ERR_VALUE, "%lld chunks are impossible",
			(long long)count);
		return;
	}
	rest = fx_size_mod(call->arena, size, fx_value_int(count));
	if (fx_size_is_int(rest, 0))
		split_alike(call, &parts, fx_div_int(call, size, count), count);
	else if (size.kind != FX_VALUE_INT)
		fx_rule_give_up(call,
			"whether a symbolic size divides is not known");
	else
		split_evenly(call, &parts, size.integer / count + 1);
}

/* COUNT sections of nearly equal size, the larger ones first. */
static void
split_sections(struct fx_shape_call *call, struct parts *parts, int64_t count)
{
	struct fx_value size = parts->input->sizes[parts->dim];

	if (count < 1 || count > PART_LIMIT) {
		fx_rule_fail(call, FX_ERR_VALUE, "%lld sections are impossible",
			(long long)count);
		return;
	}
	if (size.kind != FX_VALUE_INT) {
		fx_rule_give_up(call,
			"the sections of a symbolic size are not known");
		return;
	}
	parts->sizes =
		FX_ARENA_ARRAY(call->arena, struct fx_value, (size_t)count);
	parts->count = (size_t)count;
	for (int64_t i = 0; i < count; i++)
		parts->sizes[i] = fx_value_int(size.integer / count +
					       (i < size.integer % count));
	give_parts(call, parts);
}

/* Split before each of the indices. */
static void
split_at(struct fx_shape_call *call, struct parts *parts,
	const struct fx_value *indices)
{
	struct fx_value size = parts->input->sizes[parts->dim];
	int64_t from = 0;

	if (size.kind != FX_VALUE_INT) {
		fx_rule_give_up(call,
			"the sections of a symbolic size are not known");
		return;
	}
	parts->count = (size_t)indices->count + 1;
	parts->sizes =
		FX_ARENA_ARRAY(call->arena, struct fx_value, parts->count);
	for (size_t i = 0; i < parts->count; i++) {
		int64_t to = size.integer;

		if (i < indices->count) {
			if (!fx_arg_as_int(call, &indices->items[i], "an index",
				    &to))
				return;
			to = to < 0 ? to + size.integer : to;
			to = FX_MIN(FX_MAX(to, 0), size.integer);
		}
		parts->sizes[i] = fx_value_int(to > from ? to - from : 0);
		from = to;
	}
	give_parts(call, parts);
}

void
fx_shape_tensor_split(struct fx_shape_call *call)
{
	const struct fx_value *how = fx_arg(call, "indices_or_sections");
	struct parts parts;
	int64_t count;

	if (how->kind == FX_VALUE_NONE)
		how = fx_arg(call, "indices");
	if (how->kind == FX_VALUE_NONE)
		how = fx_arg(call, "sections");
	if (!read_parts(call, &parts))
		return;
	if (how->kind == FX_VALUE_TENSOR)
		fx_rule_give_up(call, "the sections depend on data");
	else if (fx_value_is_sequence(how))
		split_at(call, &parts, how);
	else if (fx_arg_as_int(call, how, "the number of sections", &count))
		split_sections(call, &parts, count);
}

void
fx_shape_unbind(struct fx_shape_call *call)
{
	struct parts parts;
	struct fx_shape shape;
	struct fx_value size;
	struct fx_value *items;

	if (!read_parts(call, &parts))
		return;
	size = parts.input->sizes[parts.dim];
	if (size.kind != FX_VALUE_INT || size.integer > PART_LIMIT) {
		fx_rule_give_up(call, "the number of pieces is not known");
		return;
	}
	fx_rule_of(parts.input, &shape);
	fx_rule_drop(&shape, parts.dim);
	items = FX_ARENA_ARRAY(call->arena, struct fx_value,
		(size_t)size.integer);
	for (int64_t i = 0; i < size.integer; i++)
		items[i] = fx_rule_value(call, parts.input->dtype, &shape);
	fx_rule_give_tuple(call, items, (size_t)size.integer);
}

void
fx_shape_meshgrid(struct fx_shape_call *call)
{
	struct tensors tensors;
	struct fx_shape shape;
	struct fx_value *items;

	if (!read_tensors(call, fx_arg(call, "tensors"), &tensors))
		return;
	if (tensors.count > FX_RANK_LIMIT) {
		fx_rule_fail(call, FX_ERR_LIMIT, "more than 64 dimensions");
		return;
	}
	shape.rank = tensors.count;
	for (size_t i = 0; i < tensors.count; i++) {
		if (tensors.metas[i]->rank > 1 ||
			!fx_rule_same_dtype(call, tensors.metas[0],
				tensors.metas[i])) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"vectors of one dtype are needed, not %s",
				fx_rule_text(call, tensors.metas[i]));
			return;
		}
		shape.sizes[i] = tensors.metas[i]->rank
					 ? tensors.metas[i]->sizes[0]
					 : fx_value_int(1);
	}
	if (strcmp(fx_arg_text(call, "indexing"), "xy") == 0 &&
		shape.rank > 1) {
		struct fx_value first = shape.sizes[0];

		shape.sizes[0] = shape.sizes[1];
		shape.sizes[1] = first;
	}
	items = FX_ARENA_ARRAY(call->arena, struct fx_value, tensors.count);
	for (size_t i = 0; i < tensors.count; i++)
		items[i] = fx_rule_value(call, tensors.dtype, &shape);
	fx_rule_give_tuple(call, items, tensors.count);
}

void
fx_shape_broadcast_tensors(struct fx_shape_call *call)
{
	struct tensors tensors;
	struct fx_shape shape = { .rank = 0 };
	struct fx_value *items;

	if (!read_tensors(call, fx_arg(call, "tensors"), &tensors))
		return;
	for (size_t i = 0; i < tensors.count; i++)
		if (!fx_rule_broadcast(call, &shape, tensors.metas[i]->sizes,
			    tensors.metas[i]->rank))
			return;
	items = FX_ARENA_ARRAY(call->arena, struct fx_value, tensors.count);
	for (size_t i = 0; i < tensors.count; i++)
		items[i] = fx_rule_value(call, tensors.metas[i]->dtype, &shape);
	fx_rule_give_tuple(call, items, tensors.count);
}
