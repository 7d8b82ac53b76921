/* edit.c - one edit: a transaction, its script, its report. */
#include <config.h>

#include "commands/verbs/edit.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "ir/control.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "ops/layertab.h"
#include "ops/optab.h"
#include "session/model.h"
#include "session/session.h"

static void
take_one(size_t *count, size_t before)
{
	*count -= before < *count ? before : *count;
}

/* Inside begin ... commit the journal counts from the begin on; a node that was
 * changed and then erased counts as erased alone.
 */
void
cmd_edit_take_away(struct fx_edit_counts *counts,
	const struct fx_edit_counts *before)
{
	take_one(&counts->created, before->created);
	take_one(&counts->erased, before->erased);
	take_one(&counts->changed, before->changed);
	take_one(&counts->rewired, before->rewired);
	take_one(&counts->modules, before->modules);
}

/* A single edit describes itself; between begin and commit its words are
 * collected, and commit describes them all.
 */
void
cmd_edit_describe(struct cmd_ctx *ctx, struct fx_graph *graph,
	const char *script, const char *maker)
{
	if (ctx->shell->in_transaction)
		fx_buf_addf(&ctx->shell->transaction, "%s\n", script);
	else
		fx_journal_describe(graph, *script ? script : NULL, maker);
}

/* A script must be allowed what was allowed here: -f on each of its lines,
 * before the dashes after which nothing is a flag.
 */
static void
force_script(struct fx_buf *script)
{
	FX_AUTO_FREE char *lines = fx_buf_take(script);
	const char *at = lines;

	while (*at) {
		size_t length = strcspn(at, "\n");
		FX_AUTO_FREE char *line = fx_xstrndup(at, length);

		cmd_canonical_add_flagged(script, line, "-f");
		at += length;
		if (*at)
			fx_buf_add_char(script, *at++);
	}
}

void
cmd_edit_place(const struct fx_model *model, const struct fx_graph *graph,
	struct fx_buf *script)
{
	const char *path = fx_model_graph_path(model, graph);
	FX_AUTO_FREE char *lines = NULL;

	if (!*path || !script->length)
		return;
	lines = fx_buf_take(script);
	fx_buf_addf(script, "graph /%s\n%s\ngraph /", path, lines);
}

void
cmd_edit_complete(const struct fx_model *model, const struct fx_graph *graph,
	struct fx_buf *script, bool force)
{
	/* What a replay finds impossible, where some shape is not known,
	 * depends on the order in which shapes became known.
	 */
	if (force || fx_control_lacks_shapes(graph) ||
		(graph->outer &&
			fx_control_lacks_shapes(fx_model_graph(model))))
		force_script(script);
	if (graph->outer)
		cmd_edit_place(model, graph, script);
}

void
cmd_note_function(struct cmd_ctx *ctx, const char *target)
{
	if (target && fx_op_find(target) == FX_OP_NONE &&
		!fx_functional_find(target))
		out_note(ctx->out,
			"no rule for %s: shapes are unknown from there on",
			target);
}

static FX_NODISCARD struct fx_error *
run_edit(struct cmd_ctx *ctx, const char *maker, cmd_edit_fn *edit, void *data)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	struct fx_edit_counts before = fx_journal_counts(graph);
	bool in_transaction = ctx->shell->in_transaction;
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	FX_AUTO_BUF struct fx_buf script = { 0 };
	bool dry_run = cmd_flag(ctx, "dry-run");
	bool force = cmd_flag(ctx, "force");
	struct fx_error *err;

	err = fx_model_edit_begin(ctx->session, ctx->model, ctx->line);
	if (err)
		return err;
	cmd_canonical_resolve(ctx);
	err = edit(ctx, data, &script);
	if (err) {
		fx_model_edit_abort(ctx->model);
		return err;
	}
	cmd_canonical_print(&script, ctx->entry, ctx->format, ctx->parsed);
	cmd_edit_complete(ctx->model, graph, &script, force);
	if (!in_transaction)
		cmd_edit_describe(ctx, graph, fx_buf_text(&script), maker);
	err = fx_model_edit_end(ctx->model, dry_run, force, &report);
	if (err)
		return err;
	if (in_transaction && !dry_run)
		cmd_edit_describe(ctx, graph, fx_buf_text(&script), maker);
	if (in_transaction)
		cmd_edit_take_away(&report.counts, &before);
	cmd_say_edit(ctx, &report);
	cmd_note_function(ctx, report.unknown);
	return NULL;
}

struct fx_error *
cmd_edit_check(const struct cmd_ctx *ctx)
{
	const struct cmd_shell *shell = ctx->shell;

	if (shell->in_transaction &&
		shell->transaction_model != fx_model_number(ctx->model))
		return fx_error_new(FX_ERR_USAGE,
			"begin is open for another graph; commit or abort it "
			"first");
	return NULL;
}

struct fx_error *
cmd_edit(struct cmd_ctx *ctx, const char *maker, cmd_edit_fn *edit, void *data)
{
	struct fx_error *err = cmd_edit_check(ctx);

	return err ? err : run_edit(ctx, maker, edit, data);
}

struct fx_error *
cmd_edit_value(struct cmd_ctx *ctx, const char *text, struct fx_value *ret)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_FREE char *named = NULL;
	struct fx_ast *tree;
	struct fx_error *err;

	err = cmd_canonical_expression(ctx, text, "%", &named);
	if (err)
		return err;
	err = fx_parse_expression(arena, named, strlen(named),
		FX_PARSE_DESIGNATORS, &tree);
	if (err)
		return err;
	return fx_value_from_ast(graph->values, graph, named, tree, ret);
}

static uint64_t
seed_of(const struct cmd_ctx *ctx)
{
	return (uint64_t)cmd_flag_int(ctx, "seed",
		(int64_t)fx_session_seed(ctx->session));
}

struct fx_error *
cmd_edit_fill(void *context, struct fx_module *module, const char *path)
{
	const struct cmd_ctx *ctx = context;

	return fx_model_fill_fresh(ctx->model, fx_position_graph(ctx->model),
		module, path, seed_of(ctx));
}

char *
cmd_edit_seed(const struct cmd_ctx *ctx, const struct fx_fragment *fragment)
{
	if (!fragment->module || !fx_module_has_tensors(fragment->module))
		return NULL;
	return cmd_edit_seed_text(ctx);
}

char *
cmd_edit_seed_text(const struct cmd_ctx *ctx)
{
	return fx_xasprintf("%" PRIu64, seed_of(ctx));
}
