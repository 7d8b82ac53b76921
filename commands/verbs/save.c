/* save.c - the command save: a graph as .fxg, or what stops as commands. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "commands/out/out.h"
#include "commands/shell/data_files.h"
#include "commands/shell/groups.h"
#include "commands/shell/overwrite_guard.h"
#include "commands/shell/shell.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/own_code.h"
#include "session/session.h"

/* What comes with fxdb is for the next one too. */
static FX_NODISCARD struct fx_error *
check_not_bundled(struct cmd_ctx *ctx, const char *path)
{
	const char *name = fx_model_name(ctx->model);

	if (!path || !cmd_is_data_file(path))
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "%s comes with fxdb and keeps its file; "
				     "save needs a name",
				     name),
		"save my_%s.fxg", name);
}

/* Another ending promises another form, which torch.load would ask for. */
static void
say_form(struct cmd_ctx *ctx, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	const char *dot = strrchr(file, '.');

	if (dot && dot != file && strcmp(dot, ".fxg") != 0)
		out_note(ctx->out,
			"%s is written as .fxg, which load reads; dump folder "
			"DIR writes a module for Python",
			file);
}

/* Print what was saved to PATH, and the other files that were written with it.
 */
static void
say_saved(struct cmd_ctx *ctx, const char *path,
	const struct fx_save_report *saved)
{
	FX_AUTO_BUF struct fx_buf size = { 0 };
	FX_AUTO_BUF struct fx_buf beside = { 0 };
	FX_AUTO_BUF struct fx_buf own_code = { 0 };

	fx_number_add_bytes(&size, saved->size);
	if (saved->weights) {
		fx_buf_addf(&beside, ", weights in %s (", saved->weights);
		fx_number_add_bytes(&beside, saved->weights_size);
		fx_buf_add_char(&beside, ')');
		out_value_text(ctx->out, "weights", saved->weights);
		out_value_int(ctx->out, "weights_bytes",
			(int64_t)saved->weights_size);
	}
	out_value_text(ctx->out, "file", path);
	out_value_int(ctx->out, "bytes", (int64_t)saved->size);
	out_line(ctx->out, FX_ROLE_PLAIN, "%s saved to %s (%s)%s",
		fx_model_name(ctx->model), path, fx_buf_text(&size),
		fx_buf_text(&beside));
	say_form(ctx, path);
	if (saved->removed)
		out_note(ctx->out, "removed %s, the weights before",
			saved->removed);
	fx_model_add_own_code(&own_code, ctx->model);
	if (own_code.length)
		out_warning(ctx->out,
			"without the Python of %s: what is loaded stops there",
			fx_buf_text(&own_code));
	if (fx_model_left_behind(ctx->model))
		out_warning(ctx->out,
			"without the values of %s: a file of weights cannot "
			"hold them",
			fx_model_left_behind(ctx->model));
}

struct fx_error *
cmd_save_exec(struct cmd_ctx *ctx)
{
	const char *named = cmd_arg_text(ctx, "file");
	const char *other = cmd_arg_text(ctx, "other");
	FX_AUTO_FREE char *path = NULL;
	struct fx_save_report saved;
	struct fx_error *err;

	if (named && !strcmp(named, "breakpoints"))
		return cmd_save_breakpoints(ctx, other);
	if (other)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "save: unexpected \"%s\"", other),
			"save breakpoints FILE, or save FILE");
	/* A copy: saving sets the model's path anew. */
	if (!named) {
		named = fx_model_path(ctx->model);
		err = check_not_bundled(ctx, named);
		if (err)
			return err;
	}
	if (named)
		path = fx_xstrdup(named);
	if (!path)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "%s was not loaded from a file of "
					     "its own",
					     fx_model_name(ctx->model)),
			"save FILE");
	err = cmd_overwrite_guard_check_save(ctx, path);
	if (err)
		return err;
	if (!cmd_overwrite_guard_may_replace(ctx, path)) {
		out_line(ctx->out, FX_ROLE_PLAIN, "Not saved.");
		return NULL;
	}
	err = fx_session_save(ctx->session, ctx->model, path, &saved);
	if (!err)
		say_saved(ctx, path, &saved);
	fx_save_report_deinit(&saved);
	return err;
}
