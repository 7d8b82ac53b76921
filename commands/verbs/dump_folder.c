/* dump_folder.c - writing a graph as a folder that Python imports. */
#include <config.h>

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/overwrite_guard.h"
#include "emit/folder.h"
#include "ir/graph.h"
#include "load/folder.h"
#include "session/capture.h"
#include "session/model.h"

/* PATH without the quotes it may stand in and slashes at the end. */
static char *
folder_of(const char *path)
{
	FX_AUTO_FREE char *expanded = NULL;
	size_t length = strlen(path);

	if (length > 1 && *path == '"' && path[length - 1] == '"') {
		path++;
		length -= 2;
	}
	while (length > 1 && path[length - 1] == '/')
		length--;
	expanded = fx_xstrndup(path, length);
	return fx_file_expand(expanded);
}

/* What is written into a folder. */
static const char *const files[] = { "module.py", "__init__.py",
	FX_FOLDER_READER, FX_FOLDER_WEIGHTS };

/* Set *MAY_RET to whether the files in FOLDER may be written.  The user is
 * asked once, for the first file that exists already.
 */
static FX_NODISCARD struct fx_error *
check_files(struct cmd_ctx *ctx, const char *folder, bool *may_ret)
{
	struct fx_error *err = cmd_overwrite_guard_check(ctx, folder);
	bool has_asked = false;

	*may_ret = true;
	for (size_t i = 0; !err && i < FX_ARRAY_LEN(files); i++) {
		FX_AUTO_FREE char *path =
			fx_xasprintf("%s/%s", folder, files[i]);

		err = cmd_overwrite_guard_check(ctx, path);
		if (err || has_asked || access(path, F_OK) != 0)
			continue;
		has_asked = true;
		*may_ret = cmd_overwrite_guard_may_replace(ctx, path);
	}
	return err;
}

static void
note_files(struct cmd_ctx *ctx, const char *folder)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(files); i++) {
		FX_AUTO_FREE char *path =
			fx_xasprintf("%s/%s", folder, files[i]);

		cmd_overwrite_guard_written(ctx, path);
	}
}

struct fx_error *
cmd_dump_folder(struct cmd_ctx *ctx, const char *path, const char *dialect)
{
	FX_AUTO_FREE char *folder = path ? folder_of(path) : NULL;
	FX_AUTO_FREE char *base = NULL;
	FX_AUTO_FREE char *skipped = NULL;
	uint64_t weights;
	bool may;
	struct fx_error *err = cmd_overwrite_guard_allowed(ctx);

	if (err)
		return err;
	if (!folder || !*folder)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "dump folder: expected where to"),
			"dump folder out");
	err = check_files(ctx, folder, &may);
	if (err)
		return err;
	if (!may)
		return cmd_overwrite_guard_not_written(ctx);
	err = fx_model_fetch_weights(ctx->model, &skipped);
	if (err)
		return fx_error_note(err, "while writing %s", folder);
	err = fx_folder_write(fx_model_graph(ctx->model), folder, dialect,
		&weights);
	if (err)
		return err;
	note_files(ctx, folder);
	if (skipped && *skipped)
		out_note(ctx->out, "without the values of %s", skipped);
	if (fx_model_graph(ctx->model)->pytree)
		out_note(ctx->out,
			"forward takes the flattened inputs one by one, and "
			"gives a flat tuple");
	base = fx_file_basename(folder);
	out_value_text(ctx->out, "file", folder);
	out_line(ctx->out, FX_ROLE_PLAIN, "%s: module.py%s; from %s import %s",
		folder, weights ? " and " FX_FOLDER_WEIGHTS : "", base,
		FX_FOLDER_CLASS);
	return NULL;
}
