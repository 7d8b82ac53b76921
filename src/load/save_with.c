/* save_with.c - an .fxg file and the weights beside it, both or none: without
 * the graph nothing leads to its weights.
 */
#include <config.h>

#include "load/save.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "emit/jsonl.h"
#include "emit/weights.h"
#include "load/weights_file.h"

struct fx_error *
fx_save_with(struct fx_graph *graph, const char *path,
	const struct fx_weights *weights, fx_save_weights_fn *write)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_FREE char *name = NULL;
	struct fx_emit_jsonl how = { 0 };
	struct fx_file_writer *files[2];
	struct fx_file_writer *file = NULL;
	size_t count = 0;
	struct fx_error *err;

	if (fx_weights_have_bytes(weights)) {
		struct fx_hash digest = fx_weights_digest(weights);
		FX_AUTO_FREE char *beside = NULL;

		name = fx_weights_file_name(path, &digest);
		beside = fx_file_beside(path, name);
		err = write(beside, weights, &how.weights_size, &file);
		if (err)
			return fx_error_note(err, "while saving %s", path);
		if (file)
			files[count++] = file;
		how.weights_file = name;
	}
	err = fx_emit_jsonl(&text, graph, weights, &how);
	if (!err)
		err = fx_file_writer_begin(path, text.data, text.length,
			&files[count]);
	if (!err)
		err = fx_file_writers_commit(files, count + 1);
	else if (count)
		fx_file_writer_abort(files[0]);
	return err ? fx_error_note(err, "while saving %s", path) : NULL;
}
