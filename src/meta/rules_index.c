/* rules_index.c - x[...] in all its forms.
 *
 * As torch does it: integers select and vanish, slices and None make
 * dimensions, tensors of indices broadcast together and stand where the first
 * of them stood if they are neighbours, else in front.  A mask takes as many
 * elements as it has truths, which only data tell.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "ir/fold.h"
#include "ir/size.h"
#include "meta/shape.h"

/* An index being applied. */
struct indexing {
	const struct fx_tensor_meta *input;
	size_t at;              /* next dimension of the input */
	struct fx_shape out;    /* dimensions so far, without indices' own */
	struct fx_shape picked; /* what the tensors of indices broadcast to */
	size_t first_picked;    /* where the first stands among OUT */
	size_t pick_count;
	bool is_split; /* a dimension stands between two of them */
};

static bool
take_dim(struct fx_shape_call *call, struct indexing *x, struct fx_value *ret)
{
	if (x->at >= x->input->rank)
		return fx_rule_fail(call, FX_ERR_RANGE,
			"too many indices for %s",
			fx_rule_text(call, x->input));
	*ret = x->input->sizes[x->at++];
	return true;
}

static bool
select_one(struct fx_shape_call *call, struct indexing *x, int64_t index)
{
	struct fx_value size;

	if (!take_dim(call, x, &size))
		return false;
	if (size.kind == FX_VALUE_INT &&
		(index < -size.integer || index >= size.integer))
		return fx_rule_fail(call, FX_ERR_RANGE,
			"index %lld is out of range for dimension %zu of %s",
			(long long)index, x->at - 1,
			fx_rule_text(call, x->input));
	return true;
}

/* Some integer selects, whichever it is. */
static bool
select_some(struct fx_shape_call *call, struct indexing *x)
{
	struct fx_value size = fx_value_none();

	if (!take_dim(call, x, &size))
		return false;
	if (!fx_size_is_int(size, 0))
		return true;
	return fx_rule_fail(call, FX_ERR_RANGE,
		"dimension %zu of %s has no elements to select", x->at - 1,
		fx_rule_text(call, x->input));
}

/* Where a bound of a slice falls in a symbolic SIZE. */
static struct fx_value
symbolic_bound(struct fx_shape_call *call, const struct fx_value *bound,
	struct fx_value size, struct fx_value absent)
{
	if (bound->kind == FX_VALUE_INT && bound->integer < 0)
		return fx_size_max(call->arena, fx_value_int(0),
			fx_add_int(call, size, bound->integer));
	/* Anything beyond all sizes is the end. */
	if (bound->kind == FX_VALUE_INT && bound->integer < (int64_t)1 << 53)
		return bound->integer == 0
			       ? *bound
			       : fx_size_min(call->arena, size, *bound);
	if (bound->kind == FX_VALUE_SYMBOL)
		return fx_size_min(call->arena, size, *bound);
	return bound->kind == FX_VALUE_INT ? size : absent;
}

/* The size of a slice of a dimension of SIZE, one of them symbolic. */
static bool
symbolic_slice(struct fx_shape_call *call, const struct fx_value *slice,
	struct fx_value size, struct fx_value *ret)
{
	const struct fx_value *step = &slice->items[2];
	struct fx_value begin;
	struct fx_value end;

	if (step->kind != FX_VALUE_NONE &&
		(step->kind != FX_VALUE_INT || step->integer < 1))
		return fx_rule_give_up(call,
			"the step of a slice is not known");
	begin = symbolic_bound(call, &slice->items[0], size, fx_value_int(0));
	end = symbolic_bound(call, &slice->items[1], size, size);
	*ret = fx_add(call, end, fx_mul_int(call, begin, -1));
	if (ret->kind == FX_VALUE_INT && ret->integer < 0)
		*ret = fx_value_int(0);
	if (step->kind == FX_VALUE_INT && step->integer > 1)
		*ret = fx_div_int(call,
			fx_add_int(call, *ret, step->integer - 1),
			step->integer);
	return true;
}

static bool
slice_size(struct fx_shape_call *call, const struct fx_value *slice,
	struct fx_value size, struct fx_value *ret)
{
	struct fx_slice_range range;
	struct fx_error *err;

	for (size_t i = 0; i < 3; i++)
		if (slice->items[i].kind == FX_VALUE_UNKNOWN ||
			slice->items[i].kind == FX_VALUE_TENSOR)
			return fx_rule_give_up(call,
				"a bound of a slice is not known");
	if (slice->items[2].kind == FX_VALUE_INT && slice->items[2].integer < 1)
		return fx_rule_fail(call, FX_ERR_VALUE,
			"the step of a slice must be positive");
	if (size.kind != FX_VALUE_INT || fx_fold_has(slice, FX_VALUE_SYMBOL))
		return symbolic_slice(call, slice, size, ret);
	err = fx_fold_slice_range(slice, size.integer, &range);
	if (err) {
		fx_error_free(call->error);
		call->error = err;
		return false;
	}
	*ret = fx_value_int(range.count);
	return true;
}

/* Indices that take no dimension of the input: those of True and False. */
static bool
pick_new(struct fx_shape_call *call, struct indexing *x,
	const struct fx_value *sizes, size_t rank)
{
	if (x->pick_count++ == 0)
		x->first_picked = x->out.rank;
	else if (x->out.rank != x->first_picked)
		x->is_split = true;
	return fx_rule_broadcast(call, &x->picked, sizes, rank);
}

/* A tensor (or list) of indices whose own shape is SIZES. */
static bool
pick(struct fx_shape_call *call, struct indexing *x,
	const struct fx_value *sizes, size_t rank)
{
	struct fx_value dropped;

	return take_dim(call, x, &dropped) && pick_new(call, x, sizes, rank);
}

static bool
pick_tensor(struct fx_shape_call *call, struct indexing *x,
	const struct fx_tensor_meta *index)
{
	if (!index->has_shape)
		return fx_rule_give_up(call, "the shape of an index is not "
					     "known");
	if (index->dtype == FX_DTYPE_BOOL || index->dtype == FX_DTYPE_U8) {
		for (uint32_t i = 0; i < index->rank; i++) {
			struct fx_value size;

			if (!take_dim(call, x, &size))
				return false;
			if (fx_rule_differs(call, "sizes of the mask", size,
				    index->sizes[i]))
				return fx_rule_fail(call, FX_ERR_SHAPE,
					"mask %s does not fit %s",
					fx_rule_text(call, index),
					fx_rule_text(call, x->input));
		}
		return fx_rule_give_up(call,
			"how many elements a mask takes depends on data");
	}
	if (index->dtype && !fx_dtype_is_integral(index->dtype))
		return fx_rule_fail(call, FX_ERR_TYPE,
			"indices are integers or masks, not %s",
			fx_dtype_info(index->dtype)->name);
	/* A number in a tensor selects like a plain one. */
	if (index->rank == 0)
		return select_some(call, x);
	return pick(call, x, index->sizes, index->rank);
}

/* The shape of nested lists of integers. */
static bool
list_shape(const struct fx_value *list, struct fx_shape *ret)
{
	ret->rank = 0;
	while (fx_value_is_sequence(list)) {
		if (ret->rank == FX_RANK_LIMIT)
			return false;
		ret->sizes[ret->rank++] = fx_value_int(list->count);
		if (list->count == 0)
			return true;
		for (uint32_t i = 1; i < list->count; i++)
			if (list->items[i].kind != list->items[0].kind)
				return false;
		list = &list->items[0];
	}
	return list->kind == FX_VALUE_INT;
}

static bool
apply_index(struct fx_shape_call *call, struct indexing *x,
	const struct fx_value *index)
{
	struct fx_shape shape;
	struct fx_value size;

	switch ((enum fx_value_kind)index->kind) {
	case FX_VALUE_INT:
		return select_one(call, x, index->integer);
	case FX_VALUE_SYMBOL:
		return select_some(call, x);
	case FX_VALUE_NONE:
		return fx_rule_push(call, &x->out, fx_value_int(1));
	case FX_VALUE_SLICE:
		return take_dim(call, x, &size) &&
		       slice_size(call, index, size, &size) &&
		       fx_rule_push(call, &x->out, size);
	case FX_VALUE_TENSOR:
		return pick_tensor(call, x, index->tensor);
	case FX_VALUE_LIST:
	case FX_VALUE_TUPLE:
	case FX_VALUE_SIZE:
		if (!list_shape(index, &shape))
			return fx_rule_give_up(call,
				"a list of indices is not made of integers");
		return pick(call, x, shape.sizes, shape.rank);
	case FX_VALUE_UNKNOWN:
		if (index->text && strcmp(index->text, "int") == 0)
			return select_some(call, x);
		return fx_rule_give_up(call, "an index is not known");
	case FX_VALUE_BOOL:
		size = fx_value_int(index->truth);
		return pick_new(call, x, &size, 1);
	case FX_VALUE_RANGE:
		return fx_rule_give_up(call,
			"a range as index is not followed");
	default:
		return fx_rule_fail(call, FX_ERR_TYPE,
			"a \"%s\" is no index of a tensor",
			fx_value_kind_name(index->kind));
	}
}

/* How many dimensions INDEX takes. */
static size_t
dims_taken(const struct fx_value *index)
{
	if (index->kind == FX_VALUE_NONE || index->kind == FX_VALUE_ELLIPSIS ||
		index->kind == FX_VALUE_BOOL)
		return 0;
	if (index->kind == FX_VALUE_TENSOR &&
		(index->tensor->dtype == FX_DTYPE_BOOL ||
			index->tensor->dtype == FX_DTYPE_U8))
		return index->tensor->rank;
	return 1;
}

/* Keep dimensions until REST of them are left. */
static bool
keep_until(struct fx_shape_call *call, struct indexing *x, size_t rest)
{
	while (x->at + rest < x->input->rank)
		if (!fx_rule_push(call, &x->out, x->input->sizes[x->at++]))
			return false;
	return true;
}

static bool
apply_all(struct fx_shape_call *call, struct indexing *x,
	const struct fx_value *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t rest = 0;

		if (items[i].kind != FX_VALUE_ELLIPSIS) {
			if (!apply_index(call, x, &items[i]))
				return false;
			continue;
		}
		for (size_t k = i + 1; k < count; k++) {
			if (items[k].kind == FX_VALUE_ELLIPSIS)
				return fx_rule_fail(call, FX_ERR_VALUE,
					"an index has two ellipses");
			rest += dims_taken(&items[k]);
		}
		if (!keep_until(call, x, rest))
			return false;
	}
	return keep_until(call, x, 0);
}

/* OUT with the dimensions of the indices put in. */
static bool
insert_picked(struct fx_shape_call *call, struct indexing *x,
	struct fx_shape *ret)
{
	size_t place = x->is_split ? 0 : x->first_picked;

	*ret = x->out;
	if (!x->pick_count)
		return true;
	if (x->out.rank + x->picked.rank > FX_RANK_LIMIT)
		return fx_rule_fail(call, FX_ERR_LIMIT,
			"more than 64 dimensions");
	ret->rank = x->out.rank + x->picked.rank;
	for (size_t i = 0; i < x->picked.rank; i++)
		ret->sizes[place + i] = x->picked.sizes[i];
	for (size_t i = place; i < x->out.rank; i++)
		ret->sizes[x->picked.rank + i] = x->out.sizes[i];
	return true;
}

/* Whether INDEX is read as a tuple: torch does so with short lists that hold
 * anything but numbers.
 */
static bool
is_several(const struct fx_value *index)
{
	bool is_short = index->kind == FX_VALUE_LIST &&
			index->count < FX_FOLD_LONG_LIST;

	if (index->kind == FX_VALUE_TUPLE || index->kind == FX_VALUE_SIZE)
		return true;
	for (uint32_t i = 0; is_short && i < index->count; i++) {
		enum fx_value_kind kind = index->items[i].kind;

		if (kind == FX_VALUE_SLICE || kind == FX_VALUE_TENSOR ||
			kind == FX_VALUE_NONE || kind == FX_VALUE_ELLIPSIS ||
			kind == FX_VALUE_RANGE ||
			fx_value_is_sequence(&index->items[i]))
			return true;
	}
	return false;
}

/* The shape of INPUT[INDEX]. */
static bool
indexed(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	const struct fx_value *index, struct fx_shape *ret)
{
	struct indexing x = { .input = input };
	bool has_items = is_several(index);
	const struct fx_value *items = has_items ? index->items : index;
	size_t count = has_items ? index->count : 1;

	return apply_all(call, &x, items, count) &&
	       insert_picked(call, &x, ret);
}

void
fx_shape_getitem(struct fx_shape_call *call)
{
	const struct fx_value *value = fx_arg_at(call, 0);
	const struct fx_tensor_meta *input;
	struct fx_shape shape;

	if (value->kind != FX_VALUE_TENSOR) {
		struct fx_error *err = fx_fold_subscript(call->arena, value,
			fx_arg_at(call, 1), &call->result);

		call->error = err;
		return;
	}
	if (fx_arg_first(call, &input) &&
		indexed(call, input, fx_arg_at(call, 1), &shape))
		fx_rule_give(call, input->dtype, &shape);
}

/* x[index] = value: nothing comes back, but the value must fit. */
void
fx_shape_setitem(struct fx_shape_call *call)
{
	const struct fx_value *value = fx_arg_at(call, 2);
	const struct fx_tensor_meta *input;
	struct fx_shape place;
	struct fx_shape all;

	if (!fx_arg_first(call, &input) ||
		!indexed(call, input, fx_arg_at(call, 1), &place)) {
		if (!call->error)
			call->result = fx_value_none();
		return;
	}
	call->result = fx_value_none();
	if (value->kind != FX_VALUE_TENSOR || !value->tensor->has_shape)
		return;
	/* Leading ones of the value do not matter. */
	all = place;
	for (uint32_t i = 0; i < value->tensor->rank; i++) {
		uint32_t rank = value->tensor->rank - i;

		if (rank > place.rank &&
			fx_size_is_int(value->tensor->sizes[i], 1))
			continue;
		if (!fx_rule_broadcast(call, &all, value->tensor->sizes + i,
			    rank))
			return;
		break;
	}
	for (size_t i = 0; i < all.rank; i++)
		if (all.rank != place.rank ||
			fx_rule_differs(call, "sizes of the place",
				all.sizes[i], place.sizes[i])) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"%s does not fit into the place assigned to",
				fx_rule_text(call, value->tensor));
			return;
		}
}

/* The operator behind it: None keeps a dimension. */
void
fx_shape_index(struct fx_shape_call *call)
{
	const struct fx_value *indices = fx_arg(call, "indices");
	const struct fx_tensor_meta *input;
	struct fx_value none = fx_value_none();
	struct fx_value *items;
	struct fx_value index;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input))
		return;
	if (!fx_value_is_sequence(indices)) {
		fx_rule_give_up(call, "the indices are not known");
		return;
	}
	items = FX_ARENA_ARRAY(call->arena, struct fx_value, indices->count);
	for (uint32_t i = 0; i < indices->count; i++)
		items[i] =
			indices->items[i].kind == FX_VALUE_NONE
				? fx_value_slice(call->arena, none, none, none)
				: indices->items[i];
	index = fx_value_sequence(call->arena, FX_VALUE_TUPLE, items,
		indices->count);
	if (indexed(call, input, &index, &shape))
		fx_rule_give(call, input->dtype, &shape);
}

/* slice(input, dim, start, end, step), and narrow. */
void
fx_shape_slice(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	struct fx_value slice;
	size_t dim;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_dim(call, "dim", input->rank, &dim))
		return;
	if (!input->rank) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"a tensor without dimensions has no slices");
		return;
	}
	slice = fx_value_slice(call->arena, *fx_arg(call, "start"),
		*fx_arg(call, "end"), *fx_arg(call, "step"));
	fx_rule_of(input, &shape);
	if (slice_size(call, &slice, shape.sizes[dim], &shape.sizes[dim]))
		fx_rule_give(call, input->dtype, &shape);
}
