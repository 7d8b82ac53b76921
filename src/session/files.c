/* files.c - graphs from files and back. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "load/companion.h"
#include "load/open.h"
#include "load/save.h"
#include "session/capture.h"
#include "session/session_private.h"

/* "resnet18" of "models/resnet18.fxg"; a folder's name stays whole. */
static char *
name_of_path(const char *path)
{
	char *name = fx_file_basename(path);
	char *dot = strrchr(name, '.');

	if (dot && dot != name)
		*dot = '\0';
	return name;
}

/* A path as one word of a command line. */
static const char *
quoted_path(const char *path)
{
	if (!strpbrk(path, " \t#'\"\\"))
		return fx_intern(path);
	return fx_intern_format("\"%s\"", path);
}

struct fx_error *
fx_session_load(struct fx_session *session, const char *path, const char *name,
	struct fx_model **ret, char **notices_ret)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { .graph = NULL };
	FX_AUTO_FREE char *file = fx_file_expand(path);
	FX_AUTO_FREE char *base = name_of_path(file);
	struct fx_error *err =
		fx_open(file, fx_session_serial(session), &loaded);

	if (notices_ret)
		*notices_ret = NULL;
	if (err)
		return err;
	*ret = fx_session_add_graph(session, FX_TAKE(loaded.graph),
		name ? name : base,
		fx_intern_format("load %s", quoted_path(path)));
	if (loaded.format == FX_FORMAT_FXG)
		fx_model_set_path(*ret, file);
	if (notices_ret && loaded.notices.length)
		*notices_ret = fx_buf_take(&loaded.notices);
	return NULL;
}

struct fx_error *
fx_session_save(struct fx_session *session, struct fx_model *model,
	const char *path, char **removed_ret)
{
	FX_AUTO_FREE char *file = fx_file_expand(path);
	FX_AUTO_FREE char *skipped = NULL;
	FX_AUTO_FREE char *former = NULL;
	struct fx_error *err;

	if (removed_ret)
		*removed_ret = NULL;
	if (session->is_read_only)
		return fx_error_new(FX_ERR_READ_ONLY,
			"read-only session (--readonly)");
	err = fx_model_fetch_weights(model, &skipped);
	if (err)
		return fx_error_note(err, "while saving %s", path);
	former = fx_companion_find(file);
	err = fx_save(model->graph, file);
	if (err)
		return err;
	if (former && fx_companion_drop(file, former) && removed_ret)
		*removed_ret = FX_TAKE(former);
	fx_model_set_path(model, file);
	model->saved = fx_journal_now(model->graph);
	return NULL;
}
