/* torch_index.c - x[...] and x[...] = y of tensors.
 *
 * Numbers select, slices slice, None adds a dimension, and what tensors and
 * lists index is left to one call of index at the end: as Python's tensors do.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/vec.h"
#include "guest/torch_private.h"
#include "ir/fold.h"

struct fx_error *
fx_torch_apply(struct fx_torch *torch, const char *name,
	struct fx_datum *const *data, size_t count, struct fx_datum **ret)
{
	size_t length = strcspn(name, ".");
	struct fxs_value *values =
		FX_ARENA_ARRAY(torch->scratch, struct fxs_value, count);
	struct fxs_site site = {
		.name = fx_arena_strndup(torch->scratch, name, length),
		.overload = name[length] ? name + length + 1 : NULL,
		.values = values,
		.count = count,
	};
	struct fxs_plan *plan = NULL;
	struct fxs_value result;
	struct fx_error *err;
	bool again;

	for (size_t i = 0; i < count; i++)
		fx_torch_value(torch->scratch, &data[i]->value, &values[i]);
	err = torch->shim->match(&site, &plan);
	if (err)
		return err;
	err = torch->shim->call(plan, values, &again, &result);
	torch->shim->plan_free(plan);
	if (!err)
		*ret = fx_torch_result(torch->shim, NULL, &result);
	return err;
}

/* An index being applied: VIEW is what remains of the tensor. */
struct indexing {
	struct fx_torch *torch;
	struct fx_datum *view; /* owned */
	size_t dim;            /* of it, that the next item is about */
	size_t extra;          /* dimensions that masks take beyond one each */
	bool masks_take_one;   /* see does_mask_take_one */
	/* As index has them; owned, or NULL. */
	FX_VEC(struct fx_datum *) advanced;
};

static void
indexing_deinit(struct indexing *indexing)
{
	fx_datum_unref(indexing->view);
	for (size_t i = 0; i < indexing->advanced.count; i++)
		fx_datum_unref(indexing->advanced.items[i]);
	fx_vec_deinit(&indexing->advanced);
}

/* Replace the view by what the operator makes of it. */
static struct fx_error *
apply_view(struct indexing *indexing, const char *name,
	struct fx_datum *const *rest, size_t count)
{
	struct fx_datum *data[6] = { indexing->view };
	struct fx_datum *result;
	struct fx_error *err;

	for (size_t i = 0; i < count; i++)
		data[i + 1] = rest[i];
	err = fx_torch_apply(indexing->torch, name, data, count + 1, &result);
	if (err)
		return err;
	fx_datum_unref(indexing->view);
	indexing->view = result;
	return NULL;
}

/* As Python says it, which select does not. */
static struct fx_error *
check_bounds(const struct indexing *indexing, int64_t index)
{
	const struct fx_torch *torch = indexing->torch;
	struct fxs_info info;
	int64_t size;

	torch->shim->tensor_info(fx_torch_tensor(indexing->view), &info);
	if (indexing->dim >= info.rank)
		return fx_error_new(FX_ERR_RANGE,
			"too many indices for a tensor of %zu dimensions",
			info.rank);
	size = info.sizes[indexing->dim];
	if (index >= -size && index < size)
		return NULL;
	return fx_error_new(FX_ERR_RANGE,
		"index %lld is out of bounds for dimension %zu with size %lld",
		(long long)index, indexing->dim, (long long)size);
}

static struct fx_error *
apply_int(struct indexing *indexing, int64_t index)
{
	struct fx_error *err = check_bounds(indexing, index);
	FX_AUTO_DATUM struct fx_datum *dim =
		fx_datum_int((int64_t)indexing->dim);
	FX_AUTO_DATUM struct fx_datum *at = fx_datum_int(index);
	struct fx_datum *rest[] = { dim, at };

	if (err)
		return err;
	return apply_view(indexing, "aten::select.int", rest, 2);
}

static struct fx_error *
apply_slice(struct indexing *indexing, const struct fx_value *slice)
{
	const struct fx_value *step = &slice->items[2];
	FX_AUTO_DATUM struct fx_datum *dim =
		fx_datum_int((int64_t)indexing->dim);
	FX_AUTO_DATUM struct fx_datum *first =
		fx_datum_from_value(&slice->items[0]);
	FX_AUTO_DATUM struct fx_datum *last =
		fx_datum_from_value(&slice->items[1]);
	FX_AUTO_DATUM struct fx_datum *by = step->kind == FX_VALUE_NONE
						    ? fx_datum_int(1)
						    : fx_datum_from_value(step);
	struct fx_datum *rest[] = { dim, first, last, by };

	indexing->dim++;
	return apply_view(indexing, "aten::slice.Tensor", rest, 4);
}

static struct fx_error *
add_dimension(struct indexing *indexing)
{
	FX_AUTO_DATUM struct fx_datum *dim =
		fx_datum_int((int64_t)indexing->dim);
	struct fx_datum *rest[] = { dim };

	return apply_view(indexing, "aten::unsqueeze", rest, 1);
}

/* INDEX is taken; it stands for COUNT dimensions from here on, but is one in
 * the list.
 */
static void
add_advanced(struct indexing *indexing, struct fx_datum *index_taken,
	size_t count)
{
	while (indexing->advanced.count < indexing->dim - indexing->extra)
		fx_vec_push(&indexing->advanced, NULL);
	fx_vec_push(&indexing->advanced, index_taken);
	indexing->dim += count;
	indexing->extra += count - 1;
}

/* Whether INDEX says of each element whether it is taken. */
static bool
is_mask(const struct fx_datum *index)
{
	struct fx_kind kind = fx_kind_of(index);

	return kind.kind == FX_VALUE_TENSOR &&
	       (kind.dtype == FX_DTYPE_BOOL || kind.dtype == FX_DTYPE_U8);
}

/* How many dimensions INDEX stands for. */
static size_t
dimensions_of(const struct indexing *indexing, const struct fx_datum *index)
{
	return is_mask(index) && !indexing->masks_take_one
		       ? (size_t)fx_kind_of(index).rank
		       : 1;
}

static struct fx_error *
apply_list(struct indexing *indexing, const struct fx_value *list)
{
	struct fx_datum *index;
	struct fx_error *err =
		fx_torch_index_of_list(indexing->torch, list, &index);

	if (!err)
		add_advanced(indexing, index, dimensions_of(indexing, index));
	return err;
}

/* A new dimension of one element, or of none. */
static struct fx_error *
apply_bool(struct indexing *indexing, bool truth)
{
	const struct fx_value zero = fx_value_int(0);
	const struct fx_value list = {
		.kind = FX_VALUE_LIST, .count = truth, .items = &zero
	};
	struct fx_error *err = add_dimension(indexing);

	return err ? err : apply_list(indexing, &list);
}

static struct fx_error *
apply_number(struct indexing *indexing, const struct fx_datum *tensor)
{
	FX_AUTO_DATUM struct fx_datum *number = NULL;
	struct fx_error *err =
		fx_torch_number(indexing->torch, tensor, &number);

	if (err)
		return err;
	if (fx_datum_is(number, FX_VALUE_INT))
		return apply_int(indexing, number->value.integer);
	return fx_error_new(FX_ERR_TYPE,
		"a tensor that is an index has to be of integers or bools");
}

static struct fx_error *
apply_tensor(struct indexing *indexing, struct fx_datum *index)
{
	bool is_all = is_mask(index);
	int16_t rank = fx_kind_of(index).rank;
	struct fx_error *err;
	bool truth;

	if (rank > 0) {
		add_advanced(indexing, fx_datum_ref(index),
			dimensions_of(indexing, index));
		return NULL;
	}
	if (!is_all)
		return apply_number(indexing, index);
	err = fx_datum_truth(index, &truth);
	return err ? err : apply_bool(indexing, truth);
}

/* REST: dimensions that an ellipsis stands for. */
static struct fx_error *
apply_item(struct indexing *indexing, const struct fx_value *item, size_t rest)
{
	struct fx_datum *held = fx_datum_held(item);
	struct fx_error *err;

	switch (item->kind) {
	case FX_VALUE_INT:
		return apply_int(indexing, item->integer);
	case FX_VALUE_SLICE:
		return apply_slice(indexing, item);
	case FX_VALUE_NONE:
		err = add_dimension(indexing);
		indexing->dim++;
		return err;
	case FX_VALUE_BOOL:
		return apply_bool(indexing, item->truth);
	case FX_VALUE_ELLIPSIS:
		indexing->dim += rest;
		return NULL;
	}
	if (held && held->kind == FX_DATUM_TENSOR)
		return apply_tensor(indexing, held);
	if (fx_torch_is_index_list(item))
		return apply_list(indexing, item);
	return fx_error_new(FX_ERR_TYPE, "a tensor cannot be indexed by %s",
		held ? fx_datum_kind_name(held)
		     : fx_value_kind_name((enum fx_value_kind)item->kind));
}

/* How many dimensions of the tensor ITEM is about. */
static size_t
consumed(const struct fx_value *item)
{
	const struct fx_datum *held = fx_datum_held(item);

	if (item->kind == FX_VALUE_NONE || item->kind == FX_VALUE_BOOL ||
		item->kind == FX_VALUE_ELLIPSIS)
		return 0;
	return held && is_mask(held) ? (size_t)fx_kind_of(held).rank : 1;
}

/* Whether a list with ITEM in it means the same as a tuple with the same items.
 */
static bool
is_part(const struct fx_value *item)
{
	return item->kind == FX_VALUE_HELD || item->kind == FX_VALUE_SLICE ||
	       item->kind == FX_VALUE_NONE || item->kind == FX_VALUE_ELLIPSIS ||
	       fx_torch_is_index_list(item);
}

/* Whether the items of INDEX are about a dimension each.  Python's torch takes
 * a short list that holds anything but numbers for a tuple.
 */
static bool
is_several(const struct fx_value *index)
{
	if (index->kind == FX_VALUE_TUPLE || index->kind == FX_VALUE_SIZE)
		return true;
	if (index->kind != FX_VALUE_LIST || index->count >= FX_FOLD_LONG_LIST)
		return false;
	for (size_t i = 0; i < index->count; i++)
		if (is_part(&index->items[i]))
			return true;
	return false;
}

static struct fx_error *
apply_all(struct indexing *indexing, const struct fx_value *index)
{
	const struct fx_value *items = is_several(index) ? index->items : index;
	size_t count = is_several(index) ? index->count : 1;
	size_t rank = (size_t)fx_kind_of(indexing->view).rank;
	size_t used = 0;
	struct fx_error *err = NULL;

	for (size_t i = 0; i < count; i++)
		used += consumed(&items[i]);
	if (used > rank)
		return fx_error_new(FX_ERR_RANGE,
			"too many indices for a tensor of %zu dimensions",
			rank);
	for (size_t i = 0; i < count && !err; i++)
		err = apply_item(indexing, &items[i], rank - used);
	return err;
}

/* The tensors that index, None for dimensions without one. */
static struct fx_datum *
advanced_list(const struct indexing *indexing)
{
	size_t count = indexing->advanced.count;
	struct fx_datum **items = fx_xcalloc(count, sizeof(*items));
	struct fx_datum *list;

	for (size_t i = 0; i < count; i++) {
		struct fx_datum *item = indexing->advanced.items[i];

		items[i] = item ? fx_datum_ref(item) : fx_datum_none();
	}
	list = fx_datum_items_take(FX_VALUE_LIST, items, count);
	free(items);
	return list;
}

/* Before torch 2.9 what follows a mask of several dimensions is about its
 * second: x[mask, 0] fails as there, and x[mask, :, None] has its shape.
 */
static bool
does_mask_take_one(const struct fx_torch *torch)
{
	char *end;
	long major = strtol(torch->shim->version, &end, 10);
	long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;

	return major < 2 || (major == 2 && minor < 9);
}

struct fx_error *
fx_torch_getitem(struct fx_torch *torch, struct fx_datum *const *data,
	struct fx_datum **ret)
{
	struct indexing indexing = { .torch = torch,
		.view = fx_datum_ref(data[0]),
		.masks_take_one = does_mask_take_one(torch) };
	struct fx_error *err = apply_all(&indexing, &data[1]->value);

	if (!err && indexing.advanced.count) {
		FX_AUTO_DATUM struct fx_datum *list = advanced_list(&indexing);

		err = apply_view(&indexing, "aten::index.Tensor", &list, 1);
	}
	if (!err)
		*ret = fx_datum_ref(indexing.view);
	indexing_deinit(&indexing);
	return err;
}

/* VALUE without the dimensions of one element that it begins with: they are
 * no obstacle to Python's assignment.
 */
static struct fx_error *
without_leading(struct fx_torch *torch, struct fx_datum *value,
	struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *sizes = NULL;
	struct fxs_info info;
	size_t skip = 0;

	torch->shim->tensor_info(fx_torch_tensor(value), &info);
	while (skip < info.rank && info.sizes[skip] == 1)
		skip++;
	if (!skip) {
		*ret = fx_datum_ref(value);
		return NULL;
	}
	sizes = fx_torch_sizes(info.sizes + skip, info.rank - skip);
	struct fx_datum *data[] = { value, sizes };

	return fx_torch_apply(torch, "aten::reshape", data, 2, ret);
}

/* VALUE as a tensor; a number gets the view's dtype, which index_put_ wants. */
static struct fx_error *
fitting_tensor(const struct indexing *indexing, struct fx_datum *value,
	struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *sizes = fx_torch_sizes(NULL, 0);
	struct fx_datum *data[] = { indexing->view, sizes, value };

	if (value->kind == FX_DATUM_TENSOR)
		return without_leading(indexing->torch, value, ret);
	if (!fx_fold_is_number(&value->value))
		return fx_error_new(FX_ERR_TYPE,
			"a %s cannot be assigned to elements of a tensor",
			fx_datum_kind_name(value));
	return fx_torch_apply(indexing->torch, "aten::new_full", data, 3, ret);
}

static struct fx_error *
put(struct indexing *indexing, struct fx_datum *value)
{
	FX_AUTO_DATUM struct fx_datum *list = advanced_list(indexing);
	FX_AUTO_DATUM struct fx_datum *fitting = NULL;
	struct fx_error *err = fitting_tensor(indexing, value, &fitting);
	struct fx_datum *rest[] = { list, fitting };

	if (err)
		return err;
	if (!indexing->advanced.count)
		return apply_view(indexing, "aten::copy_", &fitting, 1);
	return apply_view(indexing, "aten::index_put_", rest, 2);
}

struct fx_error *
fx_torch_setitem(struct fx_torch *torch, struct fx_datum *const *data,
	struct fx_datum **ret)
{
	struct indexing indexing = { .torch = torch,
		.view = fx_datum_ref(data[0]),
		.masks_take_one = does_mask_take_one(torch) };
	struct fx_error *err = apply_all(&indexing, &data[1]->value);

	if (!err)
		err = put(&indexing, data[2]);
	if (!err)
		*ret = fx_datum_none();
	indexing_deinit(&indexing);
	return err;
}

/* Lists that index a tensor, as tensors of numbers. */

/* Lists in lists beyond that are no index of anything. */
#define DEPTH_LIMIT 64

struct fx_datum *
fx_torch_sizes(const int64_t *sizes, size_t count)
{
	FX_AUTO_FREE struct fx_value *items = fx_xcalloc(count, sizeof(*items));
	const struct fx_value list = {
		.kind = FX_VALUE_LIST, .count = (uint32_t)count, .items = items
	};

	for (size_t i = 0; i < count; i++)
		items[i] = fx_value_int(sizes[i]);
	return fx_datum_from_value(&list);
}

struct fx_error *
fx_torch_number(struct fx_torch *torch, const struct fx_datum *tensor,
	struct fx_datum **ret)
{
	struct fx_datum *data[] = { (struct fx_datum *)tensor };
	struct fxs_info info;
	bool is_one = true;

	torch->shim->tensor_info(fx_torch_tensor(tensor), &info);
	for (size_t i = 0; i < info.rank; i++)
		is_one = is_one && info.sizes[i] == 1;
	if (!is_one)
		return fx_error_new(FX_ERR_TYPE,
			"only a tensor of one element can be a number of an "
			"index");
	return fx_torch_apply(torch, "aten::item", data, 1, ret);
}

bool
fx_torch_is_index_list(const struct fx_value *value)
{
	return fx_value_is_sequence(value) || value->kind == FX_VALUE_RANGE;
}

/* REAL cut off; what no integer is near is out of bounds of any tensor. */
static int64_t
whole(double real)
{
	return real > -0x1p62 && real < 0x1p62 ? (int64_t)real : INT64_MAX;
}

/* VALUE in the scratch arena with its tensors as numbers, and its numbers
 * whole.
 */
static struct fx_error *
plain(struct fx_torch *torch, const struct fx_value *value, int depth,
	struct fx_value *ret)
{
	const struct fx_datum *held = fx_datum_held(value);
	FX_AUTO_DATUM struct fx_datum *number = NULL;
	const struct fx_value *items;
	struct fx_value *made;
	size_t count;
	struct fx_error *err;

	*ret = *value;
	if (depth > DEPTH_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"an index of more than %d lists in each other",
			DEPTH_LIMIT);
	if (value->kind == FX_VALUE_BOOL || value->kind == FX_VALUE_INT)
		return NULL;
	if (value->kind == FX_VALUE_FLOAT) {
		*ret = fx_value_int(whole(value->real));
		return NULL;
	}
	if (held && held->kind == FX_DATUM_TENSOR) {
		err = fx_torch_number(torch, held, &number);
		return err ? err : plain(torch, &number->value, depth + 1, ret);
	}
	if (!fx_torch_is_index_list(value))
		return fx_error_new(FX_ERR_TYPE,
			"a tensor cannot be indexed by a list with %s",
			fx_value_kind_name((enum fx_value_kind)value->kind));
	err = fx_fold_iterate(torch->scratch, value, &items, &count);
	if (err)
		return err;
	made = FX_ARENA_ARRAY(torch->scratch, struct fx_value, count);
	for (size_t i = 0; i < count && !err; i++)
		err = plain(torch, &items[i], depth + 1, &made[i]);
	*ret = fx_value_sequence(torch->scratch, FX_VALUE_LIST, made, count);
	return err;
}

struct fx_error *
fx_torch_index_of_list(struct fx_torch *torch, const struct fx_value *list,
	struct fx_datum **ret)
{
	struct fx_value wanted = fx_value_dtype(FX_DTYPE_I64);
	FX_AUTO_DATUM struct fx_datum *dtype = fx_datum_from_value(&wanted);
	FX_AUTO_DATUM struct fx_datum *numbers = NULL;
	FX_AUTO_DATUM struct fx_datum *tensor = NULL;
	struct fx_value value;
	struct fx_error *err = plain(torch, list, 0, &value);

	if (!err)
		numbers = fx_datum_from_value(&value);
	if (!err)
		err = fx_torch_apply(torch, "aten::tensor", &numbers, 1,
			&tensor);
	if (err)
		return err;
	if (fx_kind_of(tensor).dtype == FX_DTYPE_BOOL) {
		*ret = fx_datum_ref(tensor);
		return NULL;
	}
	/* An empty list is one of floats for aten::tensor. */
	struct fx_datum *data[] = { tensor, dtype };

	return fx_torch_apply(torch, "aten::to.dtype", data, 2, ret);
}
