/* torch_index_list.c - lists that index a tensor, as tensors of numbers. */
#include <config.h>

#include "base/arena.h"
#include "base/mem.h"
#include "guest/torch_private.h"
#include "ir/fold.h"

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
