/* parameters.c - what stands for parameters in one run.
 *
 * An object is known by the storage and by how the tensor lies in it, not by
 * the tensor: an operator in place may have given the object another shape, and
 * tied parameters are several tensors of a graph.
 */
#include <config.h>

#include "run/parameters.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ir/module.h"
#include "run/datum.h"

struct fx_parameter {
	struct fx_storage *storage; /* referenced */
	enum fx_dtype dtype;
	int64_t offset;
	uint32_t rank;
	int64_t *layout; /* owned: sizes, then strides unless contiguous */
	bool has_strides;
	struct fx_datum *datum; /* referenced */
	size_t next;            /* of the same storage: place + 1 */
};

static bool
is_for(const struct fx_parameter *one, const struct fx_tensor *tensor)
{
	size_t bytes = tensor->rank * sizeof(*one->layout);
	bool has_strides = !fx_tensor_is_contiguous(tensor);

	if (one->dtype != tensor->dtype || one->offset != tensor->offset ||
		one->rank != tensor->rank || one->has_strides != has_strides)
		return false;
	if (!bytes)
		return true;
	return memcmp(one->layout, tensor->sizes, bytes) == 0 &&
	       (!has_strides || memcmp(one->layout + one->rank, tensor->strides,
					bytes) == 0);
}

static const struct fx_parameter *
first_of(const struct fx_parameters *parameters, const struct fx_tensor *tensor)
{
	size_t at =
		fx_map_get(&parameters->last, (uintptr_t)tensor->storage, 0);

	return at ? &parameters->items.items[at - 1] : NULL;
}

struct fx_datum *
fx_parameters_find(const struct fx_parameters *parameters,
	const struct fx_tensor *tensor)
{
	const struct fx_parameter *one = first_of(parameters, tensor);

	while (one && !is_for(one, tensor))
		one = one->next ? &parameters->items.items[one->next - 1]
				: NULL;
	return one ? one->datum : NULL;
}

struct fx_datum *
fx_parameters_beside(const struct fx_parameters *parameters,
	const struct fx_tensor *tensor)
{
	const struct fx_parameter *one = first_of(parameters, tensor);

	return one ? one->datum : NULL;
}

void
fx_parameters_add(struct fx_parameters *parameters,
	const struct fx_tensor *tensor, struct fx_datum *datum)
{
	uintptr_t storage = (uintptr_t)tensor->storage;
	size_t bytes = tensor->rank * sizeof(int64_t);
	struct fx_parameter fresh = {
		.storage = fx_storage_ref(tensor->storage),
		.dtype = tensor->dtype,
		.offset = tensor->offset,
		.rank = tensor->rank,
		.layout = fx_xcalloc(2 * (size_t)tensor->rank + 1,
			sizeof(int64_t)),
		.has_strides = !fx_tensor_is_contiguous(tensor),
		.datum = fx_datum_ref(datum),
		.next = fx_map_get(&parameters->last, storage, 0),
	};

	if (bytes)
		memcpy(fresh.layout, tensor->sizes, bytes);
	if (bytes && fresh.has_strides)
		memcpy(fresh.layout + fresh.rank, tensor->strides, bytes);
	fx_vec_push(&parameters->items, fresh);
	fx_map_set(&parameters->last, storage, parameters->items.count);
}

struct fx_error *
fx_parameters_name_missing(struct fx_error *err_taken, const char *path)
{
	if (!err_taken || fx_error_code(err_taken) != FX_ERR_NO_VALUE)
		return err_taken;
	fx_error_free(err_taken);
	return fx_error_hint(fx_error_new(FX_ERR_NO_VALUE, "%s has no values",
				     path),
		"set value %s = ... gives it some", path);
}

void
fx_parameters_clear(struct fx_parameters *parameters)
{
	for (size_t i = 0; i < parameters->items.count; i++) {
		struct fx_parameter *one = &parameters->items.items[i];

		fx_datum_unref(one->datum);
		fx_storage_unref(one->storage);
		free(one->layout);
	}
	fx_vec_deinit(&parameters->items);
	fx_map_deinit(&parameters->last);
}
