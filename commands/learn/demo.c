/* demo.c - demonstrations: scripts/demo/NAME.fxdb, run with pauses; and the
 * models that come with fxdb.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/data_files.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "session/model.h"
#include "session/session.h"

/* Bytes of a demonstration that are read for its first line. */
#define DEMO_LIMIT ((size_t)1 << 20)

static const char demo_suffix[] = ".fxdb";
static const char model_suffix[] = ".fxg";

static char *
without_suffix(const char *name, const char *suffix)
{
	return fx_xstrndup(name, strlen(name) - strlen(suffix));
}

/* What the first comment of the file at PATH says. */
static char *
first_comment(const char *path)
{
	FX_AUTO_FREE char *text = NULL;
	size_t size;
	struct fx_error *err = fx_file_read(path, DEMO_LIMIT, &text, &size);

	fx_error_free(err);
	if (err || !fx_str_starts(text, "# "))
		return fx_xstrdup("");
	return fx_xstrndup(text + 2, strcspn(text + 2, "\n"));
}

static void
list_demos(struct out *out, const struct cmd_names *names)
{
	static const char *const keys[] = { "demo", "shows" };

	out_line(out, FX_ROLE_HEAD, "demo NAME shows one of these sessions:");
	out_table_begin(out, "demos", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < names->items.count; i++) {
		const char *file = names->items.items[i];
		FX_AUTO_FREE char *name = without_suffix(file, demo_suffix);
		FX_AUTO_FREE char *path = NULL;
		FX_AUTO_FREE char *shows = NULL;
		struct fx_error *err =
			cmd_data_files(CMD_BUNDLE_DEMO, file, &path);

		fx_error_free(err);
		shows = err ? fx_xstrdup("") : first_comment(path);
		out_cell(out, FX_ROLE_KEYWORD, "%s", name);
		out_cell(out, FX_ROLE_PLAIN, "%s", shows);
	}
	out_table_end(out);
}

static void
list_models(struct out *out, const struct cmd_names *names)
{
	static const char *const keys[] = { "model" };

	out_line(out, FX_ROLE_PLAIN, "%s", "");
	out_line(out, FX_ROLE_HEAD,
		"demo --open MODEL opens one of these models, to try things:");
	out_table_begin(out, "models", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < names->items.count; i++) {
		FX_AUTO_FREE char *name =
			without_suffix(names->items.items[i], model_suffix);

		out_cell(out, FX_ROLE_KEYWORD, "%s", name);
	}
	out_table_end(out);
}

static struct fx_error *
list(struct cmd_ctx *ctx)
{
	struct cmd_names names;

	cmd_data_files_names(CMD_BUNDLE_DEMO, demo_suffix, &names);
	list_demos(ctx->out, &names);
	cmd_names_deinit(&names);
	cmd_data_files_names(CMD_BUNDLE_EXAMPLES, model_suffix, &names);
	list_models(ctx->out, &names);
	cmd_names_deinit(&names);
	return NULL;
}

void
cmd_demo_words(void (*offer)(void *context, const char *word), void *context)
{
	struct cmd_names names;

	cmd_data_files_names(CMD_BUNDLE_DEMO, demo_suffix, &names);
	for (size_t i = 0; i < names.items.count; i++) {
		FX_AUTO_FREE char *name =
			without_suffix(names.items.items[i], demo_suffix);

		offer(context, name);
	}
	cmd_names_deinit(&names);
}

/* The path of the file NAME with SUFFIX in BUNDLE; NO_NAME when it has none. */
static FX_NODISCARD struct fx_error *
find(enum cmd_bundle bundle, const char *name, const char *suffix, char **ret)
{
	FX_AUTO_FREE char *file = fx_xasprintf("%s%s", name, suffix);
	struct fx_error *err;

	if (cmd_data_files_have(bundle, name, suffix))
		return cmd_data_files(bundle, file, ret);
	err = fx_error_new(FX_ERR_NO_NAME, "no %s \"%s\" comes with fxdb",
		bundle == CMD_BUNDLE_DEMO ? "demo" : "model", name);
	err = fx_error_hint(err, "demo lists what there is");
	return cmd_hint_example(err, name);
}

static struct fx_error *
open_model(struct cmd_ctx *ctx, const char *name)
{
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_FREE char *line = NULL;
	struct fx_error *err =
		find(CMD_BUNDLE_EXAMPLES, name, model_suffix, &path);

	if (err)
		return err;
	line = fx_xasprintf("load \"%s\"", path);
	return cmd_run(ctx->shell, line, ctx->out);
}

/* What a demonstration did to the models it opened, those from the COUNT-th on,
 * nobody typed: it is no reason to ask before they are dropped.
 */
static void
count_as_saved(struct cmd_ctx *ctx, size_t count)
{
	for (size_t i = count; i < fx_session_model_count(ctx->session); i++)
		fx_model_count_as_saved(fx_session_model_at(ctx->session, i));
}

struct fx_error *
cmd_demo_exec(struct cmd_ctx *ctx)
{
	const char *name = cmd_arg_text(ctx, "name");
	const char *model = cmd_flag(ctx, "open");
	const char *pace = cmd_flag(ctx, "pace");
	struct cmd_source_options options = { .is_paced = true, .pace = -1 };
	FX_AUTO_FREE char *path = NULL;
	struct fx_error *err = NULL;
	size_t count;

	if (model)
		err = open_model(ctx, model);
	if (err || (model && !name))
		return err;
	if (!name)
		return list(ctx);
	if (pace)
		err = cmd_read_pace(pace, &options.pace);
	if (!err)
		err = find(CMD_BUNDLE_DEMO, name, demo_suffix, &path);
	if (err)
		return err;
	if (options.pace < 0 && ctx->front->is_interactive(ctx->front->context))
		out_note(ctx->out, "A key goes on, Ctrl-C stops.");
	count = fx_session_model_count(ctx->session);
	err = cmd_source_with(ctx->shell, path, &options, ctx->out);
	count_as_saved(ctx, count);
	return err;
}
