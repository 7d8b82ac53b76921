/* reduce.c - the smallest graph that fails alike, also as files. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/canonical.h"
#include "commands/shell/groups.h"
#include "commands/shell/overwrite_guard.h"
#include "commands/shell/shell.h"
#include "commands/verbs/diff.h"
#include "commands/verbs/show.h"
#include "emit/reproduce.h"
#include "session/model.h"
#include "session/reduce.h"
#include "session/session.h"

#define TRIES   2000
#define SECONDS 60

static FX_NODISCARD struct fx_error *
read_number(const struct cmd_ctx *ctx, const char *flag, double *ret)
{
	const char *text = cmd_flag(ctx, flag);

	if (!text)
		return NULL;
	if (!fx_number_parse_double(text, strlen(text), ret) || !(*ret >= 0) ||
		*ret > 1e9)
		return fx_error_new(FX_ERR_VALUE,
			"--%s takes a number that is not negative, not \"%s\"",
			flag, text);
	return NULL;
}

static FX_NODISCARD struct fx_error *
read_options(struct cmd_ctx *ctx, struct fx_reduce_options *ret)
{
	const char *against = cmd_flag(ctx, "against");
	int64_t tries = cmd_flag_int(ctx, "tries", TRIES);
	struct fx_error *err;

	*ret = (struct fx_reduce_options){
		.node = cmd_arg_node(ctx, "node"),
		.rtol = 1e-5,
		.isolate = cmd_flag(ctx, "isolate") != NULL,
		.seconds = SECONDS,
	};
	if (tries < 1)
		return fx_error_new(FX_ERR_RANGE,
			"--tries takes a number from 1 on");
	ret->tries = (size_t)tries;
	err = read_number(ctx, "rtol", &ret->rtol);
	if (!err)
		err = read_number(ctx, "seconds", &ret->seconds);
	if (!err && against)
		err = cmd_find_model(ctx, against, &ret->against);
	if (!err && ret->against == ctx->model)
		err = fx_error_new(FX_ERR_USAGE,
			"reduce: %s against itself gives the same",
			fx_model_name(ctx->model));
	if (!err && ret->against && ret->node)
		err = fx_error_new(FX_ERR_USAGE,
			"reduce: --against looks at all nodes, and takes none");
	return err;
}

/* --- files --------------------------------------------------------------- */

struct files {
	struct cmd_ctx *ctx;
	char *folder; /* NULL: the graph alone */
	char *graph;  /* .fxg */
};

static void
files_deinit(struct files *files)
{
	free(files->folder);
	free(files->graph);
}

/* Where -o wants what NAME is called written; nothing without it. */
static FX_NODISCARD struct fx_error *
find_files(struct files *files, const char *name)
{
	const char *to = cmd_flag(files->ctx, "output");
	FX_AUTO_FREE char *path = to ? fx_file_expand(to) : NULL;
	struct fx_error *err;

	if (!to)
		return NULL;
	err = cmd_overwrite_guard_allowed(files->ctx);
	if (err)
		return err;
	if (fx_str_ends(path, ".py"))
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "reduce -o writes several files "
					     "for Python: it takes a folder"),
			"reduce -o %.*s", (int)strlen(path) - 3, path);
	if (fx_str_ends(path, ".fxg")) {
		files->graph = FX_TAKE(path);
	} else {
		files->folder = FX_TAKE(path);
		files->graph = fx_xasprintf("%s/%s.fxg", files->folder, name);
	}
	return cmd_overwrite_guard_check_save(files->ctx, files->graph);
}

static FX_NODISCARD struct fx_error *
write_program(struct files *files, const struct fx_reduction *reduction,
	const struct fx_reduce_options *options)
{
	const char *const fails[] = {
		[FX_FAILING_NOT] = NULL,
		[FX_FAILING_ERROR] = NULL,
		[FX_FAILING_NONFINITE] = reduction->is_nan ? "has_nan(result)"
							   : "has_inf(result)",
		[FX_FAILING_VALUE] = "is_far(result, expected, rtol)",
	};
	struct fx_reproduce how = {
		.what = reduction->what,
		.fails = fails[reduction->kind],
		.rtol = options->rtol,
		.seed = fx_session_seed(files->ctx->session),
	};
	FX_AUTO_FREE char *path =
		fx_xasprintf("%s/" FX_REPRODUCE_FILE, files->folder);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err = cmd_overwrite_guard_check(files->ctx, path);

	if (err)
		return err;
	if (reduction->kind == FX_FAILING_VALUE)
		how.expected = FX_KEPT_EXPECTED;
	fx_emit_reproduce(&text, fx_model_graph(files->ctx->model), &how);
	err = fx_file_write(path, text.data, text.length);
	if (err)
		return err;
	cmd_overwrite_guard_written(files->ctx, path);
	out_line(files->ctx->out, FX_ROLE_PLAIN,
		"%s: python3 %s fails alike, with torch alone", path, path);
	return NULL;
}

static FX_NODISCARD struct fx_error *
save_graph(struct files *files)
{
	struct fx_save_report saved;
	struct fx_error *err = fx_session_save(files->ctx->session,
		files->ctx->model, files->graph, &saved);

	if (!err) {
		out_value_text(files->ctx->out, "file", files->graph);
		out_line(files->ctx->out, FX_ROLE_PLAIN, "%s saved to %s",
			fx_model_name(files->ctx->model), files->graph);
	}
	fx_save_report_deinit(&saved);
	return err;
}

/* The graph can always be saved; that Python has no way to make a module is no
 * reason to leave it out.
 */
static FX_NODISCARD struct fx_error *
write_files(struct files *files, const struct fx_reduction *reduction,
	const struct fx_reduce_options *options)
{
	struct fx_error *err = NULL;

	if (!files->graph)
		return NULL;
	if (!cmd_overwrite_guard_may_replace(files->ctx, files->graph))
		return cmd_overwrite_guard_not_written(files->ctx);
	if (files->folder && mkdir(files->folder, 0777) && errno != EEXIST)
		return fx_file_error("make", files->folder, errno);
	err = save_graph(files);
	if (err || !files->folder)
		return err;
	err = cmd_dump_folder(files->ctx, files->folder, NULL);
	if (err && fx_error_code(err) == FX_ERR_UNSUPPORTED) {
		out_warning(files->ctx->out,
			"nothing is written for Python: %s",
			fx_error_message(err));
		fx_error_free(err);
		return NULL;
	}
	return err ? err : write_program(files, reduction, options);
}

/* --- the command --------------------------------------------------------- */

static void
say_reduction(struct cmd_ctx *ctx, const struct fx_reduction *reduction)
{
	static const char *const words[] = {
		[FX_FAILING_NOT] = "nothing",
		[FX_FAILING_ERROR] = "error",
		[FX_FAILING_NONFINITE] = "nonfinite",
		[FX_FAILING_VALUE] = "value",
	};

	out_value_text(ctx->out, "failure", words[reduction->kind]);
	out_value_text(ctx->out, "node", reduction->node);
	out_value_text(ctx->out, "what", reduction->what);
	out_value_int(ctx->out, "nodes_before",
		(int64_t)reduction->nodes_before);
	out_value_int(ctx->out, "tries", (int64_t)reduction->tries);
	out_line(ctx->out, FX_ROLE_WARNING, "%s", reduction->what);
	if (reduction->infinite)
		out_note(ctx->out,
			"its input %%%s holds infinities: reduce %s finds "
			"where from",
			reduction->infinite, reduction->infinite);
	if (reduction->comes_and_goes)
		out_warning(ctx->out,
			"it does not fail alike each time it runs, though the "
			"seed is the same");
	if (reduction->stopped)
		out_warning(ctx->out,
			"stopped by %s: this is the smallest so far",
			reduction->stopped);
	out_line(ctx->out, FX_ROLE_PLAIN,
		"%zu of %zu nodes fail alike (%zu %s)",
		reduction->graph->node_count, reduction->nodes_before,
		reduction->tries, reduction->tries == 1 ? "try" : "tries");
}

/* As NAME says, else by the graph that was reduced; the caller's. */
static FX_NODISCARD struct fx_error *
choose_name(const struct cmd_ctx *ctx, char **ret)
{
	const char *as = cmd_arg_text(ctx, "as");

	*ret = NULL;
	if (as && fx_session_find_model(ctx->session, as))
		return fx_error_new(FX_ERR_NAME_TAKEN,
			"there is a graph \"%s\" already", as);
	*ret = as ? fx_xstrdup(as)
		  : fx_xasprintf("%s_reduced", fx_model_name(ctx->model));
	for (int i = 2; fx_session_find_model(ctx->session, *ret); i++) {
		free(*ret);
		*ret = fx_xasprintf("%s_reduced_%d", fx_model_name(ctx->model),
			i);
	}
	return NULL;
}

struct fx_error *
cmd_reduce_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_REDUCTION struct fx_reduction reduction = { .graph = NULL };
	FX_AUTO_FREE char *name = NULL;
	FX_AUTO_FREE char *line = NULL;
	struct files files = { .ctx = ctx };
	struct fx_reduce_options options;
	struct fx_error *err = read_options(ctx, &options);

	if (!err)
		err = choose_name(ctx, &name);
	if (!err)
		err = find_files(&files, name);
	if (!err)
		err = fx_reduce(ctx->session, ctx->model, &options, &reduction);
	if (!err) {
		line = cmd_canonical_line(ctx);
		say_reduction(ctx, &reduction);
		ctx->model = fx_reduction_open(ctx->session, ctx->model,
			&reduction,
			&(struct fx_opening){ .name = name, .line = line });
		ctx->shell->has_listed = false;
		cmd_say_opened(ctx, ctx->model);
		err = write_files(&files, &reduction, &options);
	}
	files_deinit(&files);
	return err;
}
