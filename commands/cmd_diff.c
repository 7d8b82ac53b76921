/* cmd_diff.c - the command diff: graphs and times compared node by node. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/number.h"
#include "commands/cmd_shell.h"
#include "commands/cmd_show.h"
#include "commands/groups.h"
#include "commands/out.h"
#include "ir/clone.h"
#include "ir/diff.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "session/model.h"
#include "session/session.h"

static void
add_node_line(struct fx_buf *text, const struct fx_node *node)
{
	fx_buf_addf(text, "%s = ", node->name);
	cmd_add_call(text, node);
}

static void
change_cells(struct cmd_ctx *ctx, const struct fx_change *change)
{
	static const struct {
		const char *sign;
		const char *word;
		enum fx_role role;
	} kinds[] = {
		[FX_CHANGE_ADDED] = { "+", "added", FX_ROLE_ADDED },
		[FX_CHANGE_REMOVED] = { "-", "removed", FX_ROLE_REMOVED },
		[FX_CHANGE_CHANGED] = { "~", "changed", FX_ROLE_CHANGED },
		[FX_CHANGE_MOVED] = { ">", "moved", FX_ROLE_CHANGED },
		[FX_CHANGE_SAME] = { " ", "same", FX_ROLE_PLAIN },
	};
	FX_AUTO_BUF struct fx_buf before = { 0 };
	FX_AUTO_BUF struct fx_buf after = { 0 };
	enum fx_role role = kinds[change->kind].role;

	if (change->before)
		add_node_line(&before, change->before);
	if (change->after)
		add_node_line(&after, change->after);
	out_cell(ctx->out, role, "%s", kinds[change->kind].sign);
	out_cell(ctx->out, role, "%s", kinds[change->kind].word);
	out_cell(ctx->out, FX_ROLE_NODE, "%s",
		change->after ? change->after->name : change->before->name);
	if (change->kind == FX_CHANGE_CHANGED)
		out_cell(ctx->out, role, "%s  was  %s", fx_buf_text(&after),
			fx_buf_text(&before));
	else
		out_cell(ctx->out, role, "%s",
			change->after ? fx_buf_text(&after)
				      : fx_buf_text(&before));
	out_cell(ctx->out, FX_ROLE_REMOVED, "%s", fx_buf_text(&before));
	out_cell(ctx->out, FX_ROLE_ADDED, "%s", fx_buf_text(&after));
}

/* Show what differs; the number of rows. */
static size_t
say_diff(struct cmd_ctx *ctx, struct fx_graph *before, struct fx_graph *after)
{
	static const char *const keys[] = { "sign", "~kind", "~name", "node",
		"~before", "~after" };
	FX_AUTO_FREE struct fx_change *changes = NULL;
	size_t rows = 0;
	size_t count;
	size_t i;

	fx_graph_diff(before, after, &changes, &count);
	out_table_begin(ctx->out, "changes", FX_ARRAY_LEN(keys), keys);
	for (i = 0; i < count; i++) {
		if (changes[i].kind == FX_CHANGE_SAME)
			continue;
		rows++;
		change_cells(ctx, &changes[i]);
	}
	out_table_end(ctx->out);
	if (!rows)
		out_line(ctx->out, FX_ROLE_PLAIN, "No differences.");
	return rows;
}

/* A copy of MODEL's graph as it was at TIME; *RET is the caller's. */
static FX_NODISCARD struct fx_error *
graph_at_time(struct cmd_ctx *ctx, uint32_t time, struct fx_graph **ret)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);
	uint32_t now = fx_journal_now(graph);
	struct fx_error *err;

	if (ctx->shell->in_transaction)
		return fx_error_new(FX_ERR_USAGE, "%s: a transaction is open",
			ctx->entry->name);
	err = fx_journal_goto(graph, time);
	if (err)
		return err;
	*ret = fx_graph_clone(graph, fx_session_serial(ctx->session), NULL);
	return fx_journal_goto(graph, now);
}

struct fx_error *
cmd_diff_times(struct cmd_ctx *ctx, uint32_t before, uint32_t after,
	size_t *rows_ret)
{
	FX_AUTO_GRAPH struct fx_graph *old = NULL;
	FX_AUTO_GRAPH struct fx_graph *new = NULL;
	struct fx_error *err = graph_at_time(ctx, before, &old);

	if (!err)
		err = graph_at_time(ctx, after, &new);
	if (err)
		return err;
	*rows_ret = say_diff(ctx, old, new);
	return NULL;
}

/* diff: two graphs, a graph and the current one, or a time and now. */

static FX_NODISCARD struct fx_error *
differ(struct cmd_ctx *ctx, size_t rows)
{
	(void)ctx;
	if (!rows)
		return NULL;
	return fx_error_new(FX_ERR_CHECK, "%zu node%s differ%s", rows,
		rows == 1 ? "" : "s", rows == 1 ? "s" : "");
}

static FX_NODISCARD struct fx_error *
find_model(struct cmd_ctx *ctx, const char *name, struct fx_model **ret)
{
	*ret = !strcmp(name, ".") ? ctx->model
				  : fx_session_find_model(ctx->session, name);
	if (*ret)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NO_GRAPH,
				     "no graph \"%s\" is open", name),
		"graph lists them");
}

struct fx_error *
cmd_diff_exec(struct cmd_ctx *ctx)
{
	const char *first = cmd_arg_text(ctx, "before");
	const char *second = cmd_arg_text(ctx, "after");
	struct fx_graph *graph = fx_model_graph(ctx->model);
	struct fx_model *before;
	struct fx_model *after = ctx->model;
	struct fx_error *err = NULL;
	int64_t time = 0;
	size_t rows;

	if (!first || (*first == 't' && !second &&
			      fx_number_parse_int(first + 1, strlen(first + 1),
				      &time))) {
		if (time < 0 || time > UINT32_MAX)
			return fx_error_new(FX_ERR_RANGE,
				"there is no time \"%s\"", first);
		err = cmd_diff_times(ctx, (uint32_t)time, fx_journal_now(graph),
			&rows);
		return err ? err : differ(ctx, rows);
	}
	err = find_model(ctx, first, &before);
	if (!err && second)
		err = find_model(ctx, second, &after);
	if (err)
		return err;
	return differ(ctx,
		say_diff(ctx, fx_model_graph(before), fx_model_graph(after)));
}
