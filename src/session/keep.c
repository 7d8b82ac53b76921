/* keep.c - a graph as it is now, on disk for a session that may die, and what
 * was set beside it.
 *
 * Weights that lie in a file of their own are linked; others are written later,
 * when nobody waits for it.
 */
#include <config.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "emit/jsonl.h"
#include "emit/weights.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "load/save_later.h"
#include "load/weights_file.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/override.h"
#include "session/session_private.h"

/* The weights file that MODEL was opened with, in FOLDER too; its name, the
 * caller's, and size.  NULL when there is none.
 */
static char *
link_weights(const struct fx_model *model, const char *folder,
	uint64_t *size_ret)
{
	const char *path = fx_model_path(model);
	FX_AUTO_FREE char *name = path ? fx_weights_file_find(path) : NULL;
	FX_AUTO_FREE char *file = name ? fx_file_beside(path, name) : NULL;
	FX_AUTO_FREE char *here = NULL;
	FX_AUTO_FREE char *full = file ? realpath(file, NULL) : NULL;
	struct stat about;

	if (!full || stat(full, &about))
		return NULL;
	here = fx_xasprintf("%s/%s", folder, name);
	if (link(full, here) && symlink(full, here))
		return NULL;
	*size_ret = (uint64_t)about.st_size;
	return FX_TAKE(name);
}

/* GRAPH alone, with the name of a weights file or without.  Where they are not
 * written nobody needs to read them all for their digests.
 */
static struct fx_error *
save_text(struct fx_graph *graph, const char *path,
	const struct fx_emit_jsonl *how)
{
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err;

	fx_weights_collect(&weights, graph);
	err = fx_emit_jsonl(&text, graph, &weights, how);
	return err ? err : fx_file_write(path, text.data, text.length);
}

struct fx_error *
fx_model_keep(struct fx_model *model, const char *folder, const char *path,
	uint64_t limit, struct fx_save_later **later_ret)
{
	struct fx_graph *graph = fx_model_graph(model);
	struct fx_emit_jsonl how = { .leaves_digests_out = true };
	FX_AUTO_FREE char *skipped = NULL;
	FX_AUTO_FREE char *name = NULL;
	struct fx_error *err;

	*later_ret = NULL;
	name = link_weights(model, folder, &how.weights_size);
	how.weights_file = name;
	if (name || fx_module_bytes(graph->module, NULL) > limit)
		return save_text(graph, path, &how);
	err = fx_model_fetch_weights(model, &skipped);
	if (!err)
		return fx_save_later_new(graph, path, later_ret);
	/* Who has them is gone, or does not answer. */
	fx_error_free(err);
	return save_text(graph, path, &how);
}

size_t
fx_model_count_overrides(const struct fx_model *model)
{
	return model->run->overrides.count;
}

struct fx_datum *
fx_model_get_override(const struct fx_model *model, const struct fx_node *node)
{
	return fx_run_given(model->run, node->id);
}
