/* torch_value_out.c - what leaves libtorch: results that are whole, and tensors
 * as lists of numbers.
 */
#include <config.h>

#include <stdlib.h>

#include "base/mem.h"
#include "guest/torch_private.h"
#include "run/values.h"

/* --- files ---------------------------------------------------------------- */

struct checking {
	const struct fx_guard *seen;
	struct fx_error *err;
};

/* Whether the file that a tensor lies in, if it is one, is whole. */
static bool
check_file(void *context, struct fx_datum *held)
{
	struct checking *checking = context;

	if (fx_torch_tensor(held))
		checking->err =
			fx_torch_check_file(held->payload, &checking->seen);
	return checking->err != NULL;
}

struct fx_error *
fx_torch_check_result(struct fx_datum *const *data, size_t count,
	struct fx_error *err_taken, struct fx_datum **ret)
{
	struct checking checking = { NULL, NULL };

	for (size_t i = 0; i < count && !checking.err; i++)
		fx_datum_each_held(data[i], check_file, &checking);
	if (!checking.err)
		return err_taken;
	if (err_taken)
		fx_error_free(err_taken);
	else
		fx_datum_unref(*ret);
	*ret = NULL;
	return checking.err;
}

/* --- lists ---------------------------------------------------------------- */

/* Numbers of Python take a hundred times the memory of elements, and so do the
 * lists of a tensor that has none.
 */
#define LIST_LIMIT ((uint64_t)FX_DATUM_ITEM_LIMIT)

struct listing {
	struct fx_extent extent;
	const char *bytes;
	size_t size; /* of an element */
	uint64_t at; /* the element that comes next */
};

/* Dimension I on, as lists in lists. */
static struct fx_datum *
list_from(struct listing *listing, uint32_t i)
{
	size_t count;
	struct fx_datum **items;
	struct fx_datum *list;

	if (i == listing->extent.rank)
		return fx_element_datum(listing->extent.dtype,
			listing->bytes + listing->size * listing->at++);
	count = (size_t)listing->extent.sizes[i];
	items = fx_xcalloc(count + 1, sizeof(struct fx_datum *));
	for (size_t k = 0; k < count; k++)
		items[k] = list_from(listing, i + 1);
	list = fx_datum_items_take(FX_VALUE_LIST, items, count);
	free(items);
	return list;
}

static bool
is_too_long(const struct fx_extent *extent)
{
	uint64_t lists = 1;

	for (uint32_t i = 0; i < extent->rank && lists; i++) {
		if ((uint64_t)extent->sizes[i] > LIST_LIMIT / lists)
			return true;
		lists *= (uint64_t)extent->sizes[i];
	}
	return false;
}

struct fx_error *
fx_torch_list(const struct fx_datum *tensor, struct fx_datum **ret)
{
	struct listing listing = { .at = 0 };
	FX_AUTO_FREE char *bytes = NULL;
	struct fx_error *err = fx_extent_of(tensor, &listing.extent);

	if (err)
		return err;
	if (is_too_long(&listing.extent))
		return fx_error_new(FX_ERR_LIMIT,
			"a list of more than %llu numbers",
			(unsigned long long)LIST_LIMIT);
	listing.size = fx_dtype_info(listing.extent.dtype)->size;
	bytes = fx_xcalloc(listing.extent.count + 1, listing.size);
	listing.bytes = bytes;
	err = fx_values_read(tensor, 0, listing.extent.count, bytes);
	if (!err)
		*ret = list_from(&listing, 0);
	return err;
}

struct fx_error *
fx_torch_address(struct fx_torch *torch, struct fx_datum *tensor,
	struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *offset = NULL;
	struct fx_extent extent;
	size_t size;
	uintptr_t storage = fx_torch_storage(tensor->payload, &size);
	struct fx_error *err = fx_extent_of(tensor, &extent);

	if (!err)
		err = fx_torch_apply(torch, "aten::storage_offset", &tensor, 1,
			&offset);
	if (err)
		return err;
	size = fx_dtype_info(extent.dtype)->size;
	*ret = fx_datum_int(extent.count
				    ? (int64_t)storage + offset->value.integer *
								 (int64_t)size
				    : 0);
	return NULL;
}
