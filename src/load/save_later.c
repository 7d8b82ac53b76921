/* save_later.c - a graph at once, and its weights in pieces. */
#include <config.h>

#include "load/save_later.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "emit/jsonl.h"
#include "emit/weights.h"
#include "load/safetensors.h"

struct fx_save_later {
	char *path;
	struct fx_buf text; /* with the name of the weights file */
	struct fx_safetensors_writer *writer;
};

void
fx_save_later_free(struct fx_save_later *later)
{
	if (!later)
		return;
	fx_safetensors_writer_free(later->writer);
	fx_buf_deinit(&later->text);
	free(later->path);
	free(later);
}

/* "g1.safetensors" for g1.fxg; the caller's. */
static char *
weights_name(const char *path)
{
	FX_AUTO_FREE char *base = fx_file_basename(path);
	size_t stem = strcspn(base, ".");

	return fx_xasprintf("%.*s.safetensors", (int)stem, base);
}

static FX_NODISCARD struct fx_error *
begin(struct fx_save_later *later, struct fx_graph *graph,
	const struct fx_weights *weights)
{
	FX_AUTO_FREE char *name = weights_name(later->path);
	FX_AUTO_FREE char *beside = fx_file_beside(later->path, name);
	struct fx_emit_jsonl how = { .leaves_digests_out = true,
		.weights_file = name };
	struct fx_error *err = fx_safetensors_writer_new(beside, weights,
		&how.weights_size, &later->writer);

	return err ? err : fx_emit_jsonl(&later->text, graph, weights, &how);
}

struct fx_error *
fx_save_later_new(struct fx_graph *graph, const char *path,
	struct fx_save_later **ret)
{
	static const struct fx_emit_jsonl alone = { .leaves_digests_out =
							    true };
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_save_later *later;
	struct fx_error *err;

	*ret = NULL;
	fx_weights_collect(&weights, graph);
	err = fx_emit_jsonl(&text, graph, &weights, &alone);
	if (!err)
		err = fx_file_write(path, text.data, text.length);
	if (err || !fx_weights_have_bytes(&weights))
		return err;
	later = FX_NEW(struct fx_save_later);
	later->path = fx_xstrdup(path);
	err = begin(later, graph, &weights);
	if (err)
		fx_save_later_free(later);
	else
		*ret = later;
	return err;
}

struct fx_error *
fx_save_later_go_on(struct fx_save_later *later, uint64_t size, bool *done_ret)
{
	struct fx_file_writer *files[2] = { NULL };
	struct fx_error *err =
		fx_safetensors_writer_go_on(later->writer, size, &files[0]);

	*done_ret = files[0];
	if (err || !files[0])
		return err;
	err = fx_file_writer_begin(later->path, later->text.data,
		later->text.length, &files[1]);
	if (!err)
		return fx_file_writers_commit(files, 2);
	fx_file_writer_abort(files[0]);
	return err;
}
