/* arrays.c - values by the names of nodes, in a file of numpy's. */
#include <config.h>

#include "session/arrays.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/tensor_meta.h"
#include "load/npy.h"
#include "run/datum.h"
#include "run/summary.h"
#include "run/values.h"

struct arrays {
	struct fx_backend *backend;
	const char *path;
	const char *name;
	FX_VEC(char *) names; /* of the tensors in a value, in order */
	size_t taken;
};

/* "split.0" of "[0]", "out.loss" of "['loss']". */
static bool
add_name(void *context, const char *path, const struct fx_datum *tensor)
{
	struct arrays *arrays = context;
	FX_AUTO_BUF struct fx_buf name = { 0 };

	(void)tensor;
	fx_buf_add(&name, arrays->name);
	for (; *path; path++)
		if (*path == '[')
			fx_buf_add_char(&name, '.');
		else if (*path != ']' && *path != '\'')
			fx_buf_add_char(&name, *path);
	fx_vec_push(&arrays->names, fx_xstrdup(fx_buf_text(&name)));
	return fx_npz_has(arrays->path, fx_buf_text(&name));
}

static struct fx_error *
read_one(const struct arrays *arrays, const char *name, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_NPY struct fx_npy array = { .blob = NULL };
	struct fx_value meta;
	struct fx_error *err = fx_npz_read(arrays->path, name, &array);

	if (err)
		return err;
	meta = fx_tensor_meta_ints(arena, array.dtype, array.sizes, array.rank);
	return fx_values_write(arrays->backend, meta.tensor,
		fx_blob_data(array.blob), ret);
}

static struct fx_error *
take(void *context, struct fx_datum *held, struct fx_datum **ret)
{
	struct arrays *arrays = context;

	*ret = held;
	if (held->kind == FX_DATUM_TENSOR)
		return read_one(arrays, arrays->names.items[arrays->taken++],
			ret);
	fx_datum_ref(held);
	return NULL;
}

struct fx_error *
fx_arrays_read(struct fx_backend *backend, const char *path, const char *name,
	struct fx_datum *like, struct fx_datum **ret)
{
	struct arrays arrays = {
		.backend = backend, .path = path, .name = name
	};
	struct fx_error *err = NULL;

	*ret = NULL;
	/* The only array of a file is read under any name. */
	if (fx_npz_has(path, name))
		return read_one(&arrays, name, ret);
	if (!like || like->kind == FX_DATUM_TENSOR)
		return NULL;
	fx_datum_see_tensors(like, add_name, &arrays);
	if (arrays.names.count &&
		fx_npz_has(path, arrays.names.items[arrays.names.count - 1]))
		err = fx_datum_map(like, take, &arrays, ret);
	for (size_t i = 0; i < arrays.names.count; i++)
		free(arrays.names.items[i]);
	fx_vec_deinit(&arrays.names);
	return err;
}
