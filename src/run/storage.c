/* storage.c - the storages of a datum's tensors. */
#include <config.h>

#include "run/storage.h"

#include "base/map.h"
#include "run/backend.h"
#include "run/datum.h"

uintptr_t
fx_datum_storage(const struct fx_datum *tensor, size_t *bytes_ret)
{
	size_t bytes = 0;
	uintptr_t storage = 0;

	if (tensor->kind == FX_DATUM_TENSOR && tensor->backend->ops->storage)
		storage =
			tensor->backend->ops->storage(tensor->payload, &bytes);
	if (bytes_ret)
		*bytes_ret = bytes;
	return storage;
}

size_t
fx_datum_storage_holders(const struct fx_datum *tensor)
{
	if (tensor->kind != FX_DATUM_TENSOR ||
		!tensor->backend->ops->storage_holders)
		return SIZE_MAX;
	return tensor->backend->ops->storage_holders(tensor->payload);
}

bool
fx_datum_is_lone(const struct fx_datum *tensor)
{
	return tensor->references == 1 && fx_datum_storage_holders(tensor) == 1;
}

struct seeing {
	fx_storage_fn *see;
	void *context;
};

static bool
see_storage(void *context, struct fx_datum *held)
{
	const struct seeing *seeing = context;
	size_t bytes;
	uintptr_t storage = fx_datum_storage(held, &bytes);

	return storage && seeing->see(seeing->context, storage, bytes);
}

bool
fx_datum_see_storages(const struct fx_datum *datum, fx_storage_fn *see,
	void *context)
{
	struct seeing seeing = { see, context };

	return fx_datum_each_held(datum, see_storage, &seeing);
}

static bool
add(void *context, uintptr_t storage, size_t bytes)
{
	(void)bytes;
	fx_map_set(context, storage, 1);
	return false;
}

void
fx_datum_add_storages(const struct fx_datum *datum, struct fx_map *storages)
{
	fx_datum_see_storages(datum, add, storages);
}

static bool
is_in(void *context, uintptr_t storage, size_t bytes)
{
	(void)bytes;
	return fx_map_has(context, storage);
}

bool
fx_datum_lies_in(const struct fx_datum *datum, const struct fx_map *storages)
{
	return fx_datum_see_storages(datum, is_in, (void *)storages);
}
