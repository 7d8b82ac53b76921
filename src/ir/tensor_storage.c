/* tensor_storage.c - counted bytes of tensors. */
#include <config.h>

#include "ir/tensor_storage.h"

#include <stdlib.h>

#include "base/blob.h"
#include "base/mem.h"

struct fx_storage *
fx_storage_new(struct fx_blob *blob_taken)
{
	struct fx_storage *storage = FX_NEW(struct fx_storage);

	storage->references = 1;
	storage->blob = blob_taken;
	return storage;
}

/* What the blob is filled by. */
struct filling {
	struct fx_recipe *recipe;
	enum fx_dtype dtype;
};

static void
recipe_unref(struct fx_recipe *recipe)
{
	if (recipe && --recipe->references == 0)
		recipe->free(recipe);
}

static void
fill(void *context, void *data)
{
	const struct filling *filling = context;

	filling->recipe->fill(filling->recipe, filling->dtype, data);
}

static void
filling_free(void *context)
{
	struct filling *filling = context;

	recipe_unref(filling->recipe);
	free(filling);
}

struct fx_error *
fx_storage_new_later(struct fx_recipe *recipe_taken, enum fx_dtype dtype,
	size_t count, struct fx_storage **ret)
{
	struct filling *filling = FX_NEW(struct filling);
	struct fx_blob *blob;
	struct fx_error *err;

	*filling = (struct filling){ recipe_taken, dtype };
	err = fx_blob_new_later(count * fx_dtype_info(dtype)->size, fill,
		filling_free, filling, &blob);
	if (err) {
		filling_free(filling);
		return err;
	}
	*ret = fx_storage_new(blob);
	(*ret)->recipe = recipe_taken;
	recipe_taken->references++;
	return NULL;
}

struct fx_storage *
fx_storage_ref(struct fx_storage *storage)
{
	storage->references++;
	return storage;
}

void
fx_storage_unref(struct fx_storage *storage)
{
	if (!storage || --storage->references > 0)
		return;
	if (storage->blob)
		fx_blob_unref(storage->blob);
	recipe_unref(storage->recipe);
	free(storage);
}
