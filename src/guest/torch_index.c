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
		fx_torch_value(torch->scratch, data[i], &values[i]);
	err = torch->shim->match(&site, &plan);
	if (err)
		return err;
	err = torch->shim->call(plan, values, &again, &result);
	torch->shim->plan_free(plan);
	if (!err)
		*ret = fx_torch_result(torch->shim, &result);
	return err;
}

/* An index being applied: VIEW is what remains of the tensor. */
struct indexing {
	struct fx_torch *torch;
	struct fx_datum *view; /* owned */
	size_t dim;            /* of it, that the next item is about */
	FX_VEC(struct fx_datum *) advanced; /* by dimension; owned, or NULL */
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
apply_slice(struct indexing *indexing, const struct fx_datum *slice)
{
	FX_AUTO_DATUM struct fx_datum *dim =
		fx_datum_int((int64_t)indexing->dim);
	FX_AUTO_DATUM struct fx_datum *one = fx_datum_int(1);
	struct fx_datum *step =
		slice->items[2]->kind == FX_DATUM_NONE ? one : slice->items[2];
	struct fx_datum *rest[] = { dim, slice->items[0], slice->items[1],
		step };

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

/* INDEX is taken; it stands for COUNT dimensions from here on. */
static void
add_advanced(struct indexing *indexing, struct fx_datum *index_taken,
	size_t count)
{
	while (indexing->advanced.count < indexing->dim)
		fx_vec_push(&indexing->advanced, NULL);
	fx_vec_push(&indexing->advanced, index_taken);
	indexing->dim += count;
}

/* A list of numbers, bools or lists as a tensor. */
static struct fx_error *
tensor_of_list(struct indexing *indexing, struct fx_datum *list,
	struct fx_datum **ret)
{
	return fx_torch_apply(indexing->torch, "aten::tensor", &list, 1, ret);
}

static bool
is_bool_tensor(const struct fx_datum *datum)
{
	struct fx_kind kind = fx_kind_of(datum);

	return datum->kind == FX_DATUM_TENSOR && kind.dtype == FX_DTYPE_BOOL;
}

static struct fx_error *
apply_tensor(struct indexing *indexing, struct fx_datum *index)
{
	struct fx_kind kind = fx_kind_of(index);
	struct fx_datum *number;
	struct fx_error *err = NULL;

	if (kind.rank == 0 && kind.dtype != FX_DTYPE_BOOL) {
		err = fx_torch_apply(indexing->torch, "aten::item", &index, 1,
			&number);
		if (err)
			return err;
		err = number->kind == FX_DATUM_INT
			      ? apply_int(indexing, number->integer)
			      : fx_error_new(FX_ERR_TYPE,
					"a tensor that is an index has to be "
					"of integers or bools");
		fx_datum_unref(number);
		return err;
	}
	if (kind.rank == 0)
		err = add_dimension(indexing);
	if (!err)
		add_advanced(indexing, fx_datum_ref(index),
			kind.dtype == FX_DTYPE_BOOL
				? (size_t)FX_MAX(kind.rank, (int16_t)1)
				: 1);
	return err;
}

static struct fx_error *
apply_bool(struct indexing *indexing, bool truth)
{
	FX_AUTO_DATUM struct fx_datum *plain = fx_datum_bool(truth);
	struct fx_datum *tensor;
	struct fx_error *err = fx_torch_apply(indexing->torch,
		"aten::tensor.bool", &plain, 1, &tensor);

	if (!err)
		err = apply_tensor(indexing, tensor);
	else
		return err;
	fx_datum_unref(tensor);
	return err;
}

static bool
is_ellipsis(const struct fx_datum *datum)
{
	return datum->kind == FX_DATUM_PLAIN &&
	       datum->value.kind == FX_VALUE_ELLIPSIS;
}

static struct fx_error *
apply_list(struct indexing *indexing, struct fx_datum *list)
{
	struct fx_datum *tensor;
	struct fx_error *err = tensor_of_list(indexing, list, &tensor);

	if (err)
		return err;
	err = apply_tensor(indexing, tensor);
	fx_datum_unref(tensor);
	return err;
}

/* REST: dimensions that an ellipsis stands for. */
static struct fx_error *
apply_item(struct indexing *indexing, struct fx_datum *item, size_t rest)
{
	switch ((enum fx_datum_kind)item->kind) {
	case FX_DATUM_INT:
		return apply_int(indexing, item->integer);
	case FX_DATUM_SLICE:
		return apply_slice(indexing, item);
	case FX_DATUM_NONE: {
		struct fx_error *err = add_dimension(indexing);

		indexing->dim++;
		return err;
	}
	case FX_DATUM_BOOL:
		return apply_bool(indexing, item->truth);
	case FX_DATUM_TENSOR:
		return apply_tensor(indexing, item);
	case FX_DATUM_LIST:
	case FX_DATUM_TUPLE:
	case FX_DATUM_SIZE:
		return apply_list(indexing, item);
	default:
		if (!is_ellipsis(item))
			return fx_error_new(FX_ERR_TYPE,
				"a tensor cannot be indexed by %s",
				fx_datum_kind_name(item));
		indexing->dim += rest;
		return NULL;
	}
}

/* How many dimensions of the tensor ITEM is about. */
static size_t
consumed(const struct fx_datum *item)
{
	if (item->kind == FX_DATUM_NONE || item->kind == FX_DATUM_BOOL ||
		is_ellipsis(item))
		return 0;
	if (is_bool_tensor(item))
		return (size_t)fx_kind_of(item).rank;
	return 1;
}

/* An index that is no tuple is one item; a list is a tuple if it holds
 * anything but numbers.
 */
static bool
is_several(const struct fx_datum *index)
{
	return index->kind == FX_DATUM_TUPLE || index->kind == FX_DATUM_SIZE;
}

static struct fx_error *
apply_all(struct indexing *indexing, struct fx_datum *index)
{
	struct fx_datum *const *items =
		is_several(index) ? index->items : &index;
	size_t count = is_several(index) ? index->count : 1;
	size_t rank = (size_t)fx_kind_of(indexing->view).rank;
	size_t used = 0;
	struct fx_error *err = NULL;

	for (size_t i = 0; i < count; i++)
		used += consumed(items[i]);
	if (used > rank)
		return fx_error_new(FX_ERR_RANGE,
			"too many indices for a tensor of %zu dimensions",
			rank);
	for (size_t i = 0; i < count && !err; i++)
		err = apply_item(indexing, items[i], rank - used);
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
	list = fx_datum_items_take(FX_DATUM_LIST, items, count);
	free(items);
	return list;
}

struct fx_error *
fx_torch_getitem(struct fx_torch *torch, struct fx_datum *const *data,
	struct fx_datum **ret)
{
	struct indexing indexing = { .torch = torch,
		.view = fx_datum_ref(data[0]) };
	struct fx_error *err = apply_all(&indexing, data[1]);

	if (!err && indexing.advanced.count) {
		FX_AUTO_DATUM struct fx_datum *list = advanced_list(&indexing);

		err = apply_view(&indexing, "aten::index.Tensor", &list, 1);
	}
	if (!err)
		*ret = fx_datum_ref(indexing.view);
	indexing_deinit(&indexing);
	return err;
}

/* VALUE as a tensor of the dtype of the view, which index_put_ wants. */
static struct fx_error *
fitting_tensor(const struct indexing *indexing, struct fx_datum *value,
	struct fx_datum **ret)
{
	struct fx_value dtype =
		fx_value_dtype(fx_kind_of(indexing->view).dtype);
	FX_AUTO_DATUM struct fx_datum *wanted = fx_datum_from_value(&dtype);
	struct fx_datum *data[] = { NULL, wanted };
	struct fx_error *err;

	if (value->kind == FX_DATUM_TENSOR) {
		*ret = fx_datum_ref(value);
		return NULL;
	}
	err = fx_torch_apply(indexing->torch, "aten::scalar_tensor", &value, 1,
		&data[0]);
	if (!err)
		err = fx_torch_apply(indexing->torch, "aten::to.dtype", data, 2,
			ret);
	fx_datum_unref(data[0]);
	return err;
}

static struct fx_error *
put(struct indexing *indexing, struct fx_datum *value)
{
	struct fx_datum *fitting;
	struct fx_error *err;

	if (!indexing->advanced.count)
		return apply_view(indexing,
			value->kind == FX_DATUM_TENSOR ? "aten::copy_"
						       : "aten::fill_",
			&value, 1);
	err = fitting_tensor(indexing, value, &fitting);
	if (err)
		return err;
	FX_AUTO_DATUM struct fx_datum *list = advanced_list(indexing);
	struct fx_datum *rest[] = { list, fitting };

	err = apply_view(indexing, "aten::index_put_", rest, 2);
	fx_datum_unref(fitting);
	return err;
}

struct fx_error *
fx_torch_setitem(struct fx_torch *torch, struct fx_datum *const *data,
	struct fx_datum **ret)
{
	struct indexing indexing = { .torch = torch,
		.view = fx_datum_ref(data[0]) };
	struct fx_error *err = apply_all(&indexing, data[1]);

	if (!err)
		err = put(&indexing, data[2]);
	if (!err)
		*ret = fx_datum_none();
	indexing_deinit(&indexing);
	return err;
}
