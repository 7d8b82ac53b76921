/* save.c - a graph to an .fxg file, with its weights beside it. */
#include <config.h>

#include "load/save.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "emit/jsonl.h"
#include "emit/weights.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "load/safetensors.h"
#include "load/weights_file.h"

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
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_FREE char *name = NULL;
	struct fx_emit_jsonl how = { 0 };
	/* Both or none: without the graph nothing leads to its weights. */
	struct fx_file_writer *files[2];
	struct fx_file_writer *file = NULL;
	size_t count = 0;
	struct fx_error *err;

	fx_weights_collect(&weights, graph);
	if (fx_weights_have_bytes(&weights)) {
		struct fx_hash digest = fx_weights_digest(&weights);
		FX_AUTO_FREE char *beside = NULL;

		name = fx_weights_file_name(path, &digest);
		beside = fx_file_beside(path, name);
		err = write_weights(beside, &weights, &how.weights_size, &file);
		if (err)
			return fx_error_note(err, "while saving %s", path);
		if (file)
			files[count++] = file;
		how.weights_file = name;
	}
	err = fx_emit_jsonl(&text, graph, &weights, &how);
	if (!err)
		err = fx_file_writer_begin(path, text.data, text.length,
			&files[count]);
	if (!err)
		err = fx_file_writers_commit(files, count + 1);
	else if (count)
		fx_file_writer_abort(files[0]);
	return err ? fx_error_note(err, "while saving %s", path) : NULL;
}
