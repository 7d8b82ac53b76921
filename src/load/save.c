/* save.c - a graph to an .fxg file, with its weights beside it. */
#include <config.h>

#include "load/save.h"

#include "base/mem.h"
#include "emit/weights.h"
#include "ir/module.h"
#include "load/safetensors.h"

/* A file of that name has the same bytes, since its name has their digest, so
 * it is kept.  If it is missing or was cut short it is written anew, and the
 * caller has to commit *RET.
 */
FX_NODISCARD static struct fx_error *
write_weights(const char *path, const struct fx_weights *weights,
	uint64_t *size_ret, struct fx_file_writer **ret)
{
	struct fx_safetensors *file = NULL;
	struct fx_error *err = fx_safetensors_open(path, &file);

	fx_error_free(err);
	if (file) {
		bool is_complete = true;

		for (size_t i = 0; i < weights->count; i++)
			if (weights->items[i].storage->blob &&
				!fx_safetensors_find(file,
					weights->items[i].key))
				is_complete = false;
		*size_ret = file->file_size;
		fx_safetensors_free(file);
		if (is_complete)
			return NULL;
	}
	return fx_safetensors_write(path, weights, size_ret, ret);
}

struct fx_error *
fx_save(struct fx_graph *graph, const char *path)
{
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };

	fx_weights_collect(&weights, graph);
	return fx_save_with(graph, path, &weights, write_weights);
}
