/* torch_index_list.c - lists that index a tensor, as tensors of numbers. */
#include <config.h>

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "guest/torch_private.h"
#include "ir/fold.h"

/* Lists in lists beyond that are no index of anything. */
#define DEPTH_LIMIT 64

struct fx_datum *
fx_torch_sizes(const int64_t *sizes, size_t count)
{
	struct fx_datum **items = fx_xcalloc(count, sizeof(*items));
	struct fx_datum *list;

	for (size_t i = 0; i < count; i++)
		items[i] = fx_datum_int(sizes[i]);
	list = fx_datum_items_take(FX_DATUM_LIST, items, count);
	free(items);
	return list;
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

static bool
is_range(const struct fx_datum *datum)
{
	return datum->kind == FX_DATUM_PLAIN &&
	       datum->value.kind == FX_VALUE_RANGE;
}

bool
fx_torch_is_index_list(const struct fx_datum *datum)
{
	return fx_datum_is_sequence(datum) || is_range(datum);
}

static struct fx_error *plain(struct fx_torch *torch,
	const struct fx_datum *datum, int depth, struct fx_datum **ret);

static struct fx_error *
plain_items(struct fx_torch *torch, const struct fx_datum *list, int depth,
	struct fx_datum **ret)
{
	struct fx_datum **items = fx_xcalloc(list->count, sizeof(*items));
	struct fx_error *err = NULL;
	size_t done = 0;

	while (done < list->count && !err) {
		err = plain(torch, list->items[done], depth + 1, &items[done]);
		done += !err;
	}
	if (err)
		for (size_t i = 0; i < done; i++)
			fx_datum_unref(items[i]);
	else
		*ret = fx_datum_items_take(FX_DATUM_LIST, items, done);
	free(items);
	return err;
}

static struct fx_error *
plain_range(struct fx_torch *torch, const struct fx_datum *range,
	struct fx_datum **ret)
{
	const struct fx_value *items;
	size_t count;
	struct fx_error *err =
		fx_fold_iterate(torch->scratch, &range->value, &items, &count);
	int64_t *numbers;

	if (err)
		return err;
	numbers = FX_ARENA_ARRAY(torch->scratch, int64_t, count);
	for (size_t i = 0; i < count; i++)
		numbers[i] = items[i].integer;
	*ret = fx_torch_sizes(numbers, count);
	return NULL;
}

/* REAL cut off; what no integer is near is out of bounds of any tensor. */
static int64_t
whole(double real)
{
	return real > -0x1p62 && real < 0x1p62 ? (int64_t)real : INT64_MAX;
}

/* DATUM with its tensors as numbers, and its numbers whole. */
static struct fx_error *
plain(struct fx_torch *torch, const struct fx_datum *datum, int depth,
	struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *number = NULL;
	struct fx_error *err;

	if (depth > DEPTH_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"an index of more than %d lists in each other",
			DEPTH_LIMIT);
	if (is_range(datum))
		return plain_range(torch, datum, ret);
	if (fx_datum_is_sequence(datum))
		return plain_items(torch, datum, depth, ret);
	switch ((enum fx_datum_kind)datum->kind) {
	case FX_DATUM_BOOL:
	case FX_DATUM_INT:
		*ret = fx_datum_ref((struct fx_datum *)datum);
		return NULL;
	case FX_DATUM_FLOAT:
		*ret = fx_datum_int(whole(datum->real));
		return NULL;
	case FX_DATUM_TENSOR:
		err = fx_torch_number(torch, datum, &number);
		return err ? err : plain(torch, number, depth + 1, ret);
	default:
		return fx_error_new(FX_ERR_TYPE,
			"a tensor cannot be indexed by a list with %s",
			fx_datum_kind_name(datum));
	}
}

struct fx_error *
fx_torch_index_of_list(struct fx_torch *torch, const struct fx_datum *list,
	struct fx_datum **ret)
{
	struct fx_value wanted = fx_value_dtype(FX_DTYPE_I64);
	FX_AUTO_DATUM struct fx_datum *dtype = fx_datum_from_value(&wanted);
	FX_AUTO_DATUM struct fx_datum *numbers = NULL;
	FX_AUTO_DATUM struct fx_datum *tensor = NULL;
	struct fx_error *err = plain(torch, list, 0, &numbers);

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
