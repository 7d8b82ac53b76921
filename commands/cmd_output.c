/* cmd_output.c - what may be written over. */
#include <config.h>

#include "commands/cmd_output.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "commands/cmd_shell.h"
#include "load/companion.h"
#include "session/model.h"
#include "session/session.h"

/* Whether both paths lead to one file that is there. */
static bool
is_same(const char *a, const char *b)
{
	struct stat one;
	struct stat two;

	return stat(a, &one) == 0 && stat(b, &two) == 0 &&
	       one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* The open graph that was read from PATH or saved there, or NULL. */
static struct fx_model *
find_owner(struct fx_session *session, const char *path)
{
	for (size_t i = 0; i < fx_session_model_count(session); i++) {
		struct fx_model *model = fx_session_model_at(session, i);
		const char *own = fx_model_path(model);

		if (own && is_same(own, path))
			return model;
	}
	return NULL;
}

struct fx_error *
cmd_output_allowed(struct cmd_ctx *ctx)
{
	struct fx_error *err = fx_session_need_writable(ctx->session);

	if (!err && ctx->shell->restricted)
		err = fx_error_new(FX_ERR_READ_ONLY,
			"%s: not in a restricted session", ctx->entry->name);
	return err;
}

struct fx_error *
cmd_output_check(struct cmd_ctx *ctx, const char *path)
{
	FX_AUTO_FREE char *full = fx_file_expand(path);
	struct fx_model *owner = find_owner(ctx->session, full);
	struct fx_error *err;

	if (cmd_flag(ctx, "force"))
		return NULL;
	if (owner)
		err = fx_error_new(FX_ERR_USAGE, "%s holds the graph %s", path,
			fx_model_name(owner));
	else if (fx_companion_is_graph(full))
		err = fx_error_new(FX_ERR_USAGE, "%s holds a graph", path);
	else
		return NULL;
	return fx_error_hint(err, "-f writes over it");
}

bool
cmd_output_may_replace(struct cmd_ctx *ctx, const char *path)
{
	FX_AUTO_FREE char *full = fx_file_expand(path);
	FX_AUTO_FREE char *question = NULL;
	const char *own = fx_model_path(ctx->model);
	struct stat status;

	if (!ctx->front->is_interactive(ctx->front->context) ||
		stat(full, &status) != 0 || (own && is_same(own, full)))
		return true;
	question = fx_xasprintf("%s is there already. Write over it?", path);
	return cmd_confirm(ctx, question);
}
