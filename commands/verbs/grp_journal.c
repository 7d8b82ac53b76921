/* grp_journal.c - undo and transactions. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"

static FX_NODISCARD struct fx_error *
check_no_transaction(struct cmd_ctx *ctx)
{
	if (!ctx->shell->in_transaction)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "%s: a transaction is open",
				     ctx->entry->name),
		"commit or abort it first");
}

/* Which edit was taken back or brought back, to who typed it: NEWEST of COUNT.
 */
static void
say_walked(struct cmd_ctx *ctx, uint32_t newest, size_t count)
{
	const struct fx_transaction *t =
		fx_journal_get(fx_model_graph(ctx->model), newest);

	if (!t || !cmd_is_typed(ctx))
		return;
	if (count == 1)
		out_note(ctx->out, "%sne: %s", ctx->entry->name, t->command);
	else
		out_note(ctx->out, "%sne: %s, and %zu before it",
			ctx->entry->name, t->command, count - 1);
}

typedef struct fx_error *walk_fn(struct fx_model *model, size_t count,
	struct fx_edit_report *ret);

static FX_NODISCARD struct fx_error *
walk(struct cmd_ctx *ctx, walk_fn *go)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	int64_t count = cmd_arg_int(ctx, "count", 1);
	struct fx_graph *graph = fx_model_graph(ctx->model);
	uint32_t from = fx_journal_now(graph);
	struct fx_error *err = check_no_transaction(ctx);

	if (err)
		return err;
	err = go(ctx->model, (size_t)count, &report);
	if (err)
		return err;
	cmd_say_edit(ctx, &report);
	/* Of what was redone, now is the newest. */
	say_walked(ctx, go == fx_model_redo ? fx_journal_now(graph) : from,
		(size_t)count);
	return NULL;
}

/* A value that is set is no edit: what takes it back has another name. */
static FX_NODISCARD struct fx_error *
hint_unset(struct cmd_ctx *ctx, struct fx_error *err)
{
	const struct fx_node *node;

	if (!err || fx_error_code(err) != FX_ERR_NO_UNDO)
		return err;
	fx_graph_for_each_node (node, fx_position_graph(ctx->model))
		if (fx_model_is_overridden(ctx->model, node))
			return fx_error_hint(err, "unset value %s", node->name);
	return err;
}

static struct fx_error *
undo_exec(struct cmd_ctx *ctx)
{
	return hint_unset(ctx, walk(ctx, fx_model_undo));
}

static struct fx_error *
redo_exec(struct cmd_ctx *ctx)
{
	return walk(ctx, fx_model_redo);
}

/* info undo: the tree of transactions, in the order they were made. */

static int
depth_of(const struct fx_graph *graph, const struct fx_transaction *t)
{
	int depth = 0;

	while (t && t->id) {
		depth++;
		t = fx_journal_get(graph, t->parent);
	}
	return depth;
}

static void
transaction_row(struct cmd_ctx *ctx, const struct fx_graph *graph,
	const struct fx_transaction *t)
{
	bool now = t->id == fx_journal_now(graph);

	out_cell(ctx->out, FX_ROLE_CURRENT, "%s", now ? "=>" : "");
	out_cell(ctx->out, FX_ROLE_NUMBER, "t%u", t->id);
	out_cell(ctx->out, FX_ROLE_NUMBER, "t%u", t->parent);
	out_cell_int(ctx->out, FX_ROLE_NUMBER, depth_of(graph, t));
	out_cell(ctx->out, FX_ROLE_CHANGED, "+%zu -%zu ~%zu", t->counts.created,
		t->counts.erased, t->counts.changed);
	out_cell(ctx->out, FX_ROLE_MUTED, "%s", t->maker ? t->maker : "");
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s", t->command);
}

struct fx_error *
cmd_say_journal(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "now", "time", "parent", "~depth",
		"nodes", "maker", "command" };
	struct fx_graph *graph = fx_model_graph(ctx->model);
	size_t count = fx_journal_count(graph);
	size_t limit = cmd_row_limit(ctx);
	size_t first = limit && count > limit ? count - limit : 0;
	size_t shown = 0;
	uint32_t id;

	out_table_begin(ctx->out, "transactions", FX_ARRAY_LEN(keys), keys);
	for (id = 0; shown < count && id < UINT32_MAX; id++) {
		const struct fx_transaction *t = fx_journal_get(graph, id);

		/* The oldest may have been forgotten. */
		if (!t && id > 2 * count + 1000000)
			break;
		if (!t)
			continue;
		if (shown++ >= first)
			transaction_row(ctx, graph, t);
	}
	out_table_end(ctx->out);
	out_line(ctx->out, FX_ROLE_PLAIN, "undo: %zu, redo: %zu",
		fx_journal_undo_count(graph), fx_journal_redo_count(graph));
	out_note(ctx->out,
		"=> is now; nodes: + made, - erased, ~ changed; goto TIME "
		"goes to any row, also of another branch");
	return NULL;
}

/* begin, commit, abort. */

static struct fx_error *
begin_exec(struct cmd_ctx *ctx)
{
	struct cmd_shell *shell = ctx->shell;
	struct fx_error *err = check_no_transaction(ctx);

	if (err)
		return err;
	err = fx_model_edit_begin(ctx->session, ctx->model, ctx->line);
	if (err)
		return err;
	shell->in_transaction = true;
	shell->transaction_model = fx_model_number(ctx->model);
	fx_buf_clear(&shell->transaction);
	fx_buf_add(&shell->transaction, "begin\n");
	out_line(ctx->out, FX_ROLE_PLAIN,
		"Transaction open; commit or abort ends it.");
	return NULL;
}

/* The graph that `begin` was typed for. */
static FX_NODISCARD struct fx_error *
open_model(struct cmd_ctx *ctx, struct fx_model **ret)
{
	size_t i;

	*ret = NULL;
	for (i = 0; i < fx_session_model_count(ctx->session); i++) {
		struct fx_model *model = fx_session_model_at(ctx->session, i);

		if (fx_model_number(model) == ctx->shell->transaction_model)
			*ret = model;
	}
	if (ctx->shell->in_transaction && *ret)
		return fx_model_check_edits(*ret);
	cmd_transaction_end(ctx->shell);
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "%s: no transaction is open",
				     ctx->entry->name),
		"begin opens one");
}

static struct fx_error *
commit_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	struct cmd_shell *shell = ctx->shell;
	struct fx_model *model;
	struct fx_error *err = open_model(ctx, &model);

	if (err)
		return err;
	fx_buf_add(&shell->transaction, "commit");
	fx_journal_describe(fx_model_graph(model),
		fx_buf_text(&shell->transaction), "edit");
	/* Each edit has answered for the shapes it leaves. */
	err = fx_model_edit_end(model, false, true, &report);
	cmd_transaction_end(shell);
	if (err)
		return err;
	cmd_say_edit(ctx, &report);
	return NULL;
}

static struct fx_error *
abort_exec(struct cmd_ctx *ctx)
{
	struct fx_model *model;
	struct fx_error *err = open_model(ctx, &model);

	if (err)
		return err;
	fx_model_edit_abort(model);
	cmd_transaction_end(ctx->shell);
	out_line(ctx->out, FX_ROLE_PLAIN, "Everything since begin is undone.");
	return NULL;
}

const struct cmd_entry cmd_group_journal[] = {
	{
		.name = "undo",
		.summary = "take back the last edits",
		.help = "Edits are taken back newest first; one pass or one "
			"transaction is one step. info undo shows them all: "
			"the time each leads to, its parent (the time it was "
			"made at), how many nodes it made, erased and changed, "
			"who made it (a command or a pass), and the command.",
		.synonyms = "revert back edit take back go back changes",
		.needs = CMD_NEED_GRAPH | CMD_NEED_WRITABLE,
		.args = { { "count", CMD_ARG_INT, CMD_OPTIONAL | CMD_FROM_ONE,
			"how many edits", NULL } },
		.examples = { { "undo", "the last edit" },
			{ "undo 3", "the last three" } },
		.exec = undo_exec,
	},
	{
		.name = "redo",
		.summary = "bring undone edits back",
		.help = "Follows the newest branch; goto tN reaches any.",
		.synonyms = "again forward edit",
		.needs = CMD_NEED_GRAPH | CMD_NEED_WRITABLE,
		.args = { { "count", CMD_ARG_INT, CMD_OPTIONAL | CMD_FROM_ONE,
			"how many edits", NULL } },
		.examples = { { "redo", "the edit undone last" } },
		.exec = redo_exec,
	},
	{
		.name = "begin",
		.summary = "open a transaction of several edits",
		.help = "All edits up to commit are one step of undo; abort "
			"takes them back. An edit that fails is taken back "
			"alone.",
		.synonyms = "transaction group several",
		.needs = CMD_NEED_GRAPH | CMD_NEED_WRITABLE,
		.examples = { { "begin", "then edits, then commit" } },
		.exec = begin_exec,
	},
	{
		.name = "commit",
		.summary = "end a transaction",
		.help = "Reports what all its edits did together.",
		.synonyms = "transaction end",
		.examples = { { "commit", "end it" } },
		.exec = commit_exec,
	},
	{
		.name = "abort",
		.summary = "take back a transaction",
		.help = "Everything since begin is undone.",
		.synonyms = "transaction rollback cancel",
		.examples = { { "abort", "as before begin" } },
		.exec = abort_exec,
	},
	{
		.name = "recover",
		.summary = "reopen what a session that died left",
		.help = "A session at the prompt keeps its graphs and edits, "
			"inputs, values that were set, breakpoints, displays "
			"and settings on disk after each command that changed "
			"them, in "
			"$XDG_STATE_HOME/fxdb/sessions/ "
			"(~/.local/state/fxdb/sessions/), and takes them away "
			"when it ends by quit. One that was killed, or whose "
			"machine went down, is listed here and comes back as "
			"it was after its last whole command, with undo. "
			"Large weights that lie in no file are written while "
			"nobody types, up to set recover limit: of a session "
			"that was killed before, or with more, recover says "
			"which are lost. What is kept goes after 30 days or 20 "
			"sessions; set recover limit 0 keeps nothing.",
		.synonyms = "restore crash lost died killed journal",
		.args = { { "number", CMD_ARG_INT, CMD_OPTIONAL | CMD_FROM_ONE,
			"of the list", NULL } },
		.examples = { { "recover", "the sessions that died" } },
		.exec = cmd_recover,
	},
	{ .name = NULL },
};
