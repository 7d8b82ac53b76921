/* files.c - graphs from files and back. */
#include <config.h>

#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"
#include "load/open.h"
#include "load/save.h"
#include "load/weights_file.h"
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

struct fx_error *
fx_session_load(struct fx_session *session, const char *path,
	const struct fx_opening *as, struct fx_model **ret, char **notices_ret)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { .graph = NULL };
	FX_AUTO_FREE char *file = fx_file_expand(path);
	FX_AUTO_FREE char *base = name_of_path(file);
	struct fx_error *err = fx_session_need_room(session);

	if (notices_ret)
		*notices_ret = NULL;
	if (!err)
		err = fx_open_graph(file, as->graph, fx_session_serial(session),
			&loaded);
	if (err)
		return err;
	*ret = fx_session_add_graph(session, FX_TAKE(loaded.graph),
		as->name ? as->name : base, as->line);
	if (loaded.format == FX_FORMAT_FXG)
		fx_model_set_path(*ret, file);
	if (notices_ret && loaded.notices.length)
		*notices_ret = fx_buf_take(&loaded.notices);
	return NULL;
}

void
fx_save_report_deinit(struct fx_save_report *saved)
{
	free(saved->weights);
	free(saved->removed);
}

/* The bytes of the file at PATH, 0 where there is none. */
static uint64_t
size_of(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static void
say_saved(const char *path, struct fx_save_report *ret)
{
	FX_AUTO_FREE char *beside = NULL;

	ret->size = size_of(path);
	ret->weights = fx_weights_file_find(path);
	if (ret->weights) {
		beside = fx_file_beside(path, ret->weights);
		ret->weights_size = size_of(beside);
	}
}

struct fx_error *
fx_session_save(struct fx_session *session, struct fx_model *model,
	const char *path, struct fx_save_report *ret)
{
	FX_AUTO_FREE char *file = fx_file_expand(path);
	FX_AUTO_FREE char *skipped = NULL;
	FX_AUTO_FREE char *former = NULL;
	struct fx_error *err = fx_session_need_writable(session);

	*ret = (struct fx_save_report){ 0 };
	if (err)
		return err;
	err = fx_model_fetch_weights(model, &skipped);
	if (err)
		return fx_error_note(err, "while saving %s", path);
	former = fx_weights_file_find(file);
	err = fx_save(model->graph, file);
	if (err)
		return err;
	if (former && fx_weights_file_drop(file, former))
		ret->removed = FX_TAKE(former);
	say_saved(file, ret);
	fx_model_set_path(model, file);
	model->saved = fx_journal_now(model->graph);
	return NULL;
}
