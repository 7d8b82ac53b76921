/* shapes.c - the command shapes: propagation, and the conditions it finds. */
#include <config.h>

#include "commands/verbs/shapes.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "meta/size_conditions.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"
#include "session/size_conditions.h"

/* NAME=SPEC: the first = outside brackets. */
static FX_NODISCARD struct fx_error *
set_input(struct cmd_ctx *ctx, const char *text,
	struct fx_error *(*give)(struct fx_session *session,
		struct fx_model *model, const char *name, const char *text))
{
	const char *equals = strchr(text, '=');
	FX_AUTO_FREE char *name = NULL;
	const struct fx_node *node;

	node = fx_graph_find(fx_model_graph(ctx->model), text);
	if (!equals && node && node->opcode != FX_OPCODE_PLACEHOLDER)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "expected NAME=SPEC for an input; "
					     "\"%s\" is a node",
					     text),
			"print %s.shape shows its shape", text);
	if (!equals || equals == text || !equals[1])
		return fx_error_new(FX_ERR_USAGE,
			"expected NAME=SPEC as in x=f32[1,3,224,224], got "
			"\"%s\"",
			text);
	name = fx_xstrndup(text, (size_t)(equals - text));
	return give(ctx->session, ctx->model, name, equals + 1);
}

struct fx_error *
cmd_set_input(struct cmd_ctx *ctx, const char *text)
{
	return set_input(ctx, text, fx_model_set_input);
}

static void
say_problems(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "index", "node", "target",
		"problem" };
	struct fx_graph *graph = fx_position_graph(ctx->model);
	size_t limit = cmd_row_limit(ctx);
	struct fx_node *node;
	size_t position = 0;
	size_t shown = 0;
	size_t more = 0;

	out_table_begin(ctx->out, "problems", FX_ARRAY_LEN(keys), keys);
	fx_graph_for_each_node (node, graph) {
		const char *problem = fx_model_shape_problem(ctx->model, node);
		size_t at = position++;

		if (!problem)
			continue;
		if (limit && shown++ >= limit) {
			more++;
			continue;
		}
		out_cell_int(ctx->out, FX_ROLE_NUMBER, (int64_t)at);
		out_cell(ctx->out, FX_ROLE_NODE, "%s", node->name);
		out_cell(ctx->out, FX_ROLE_TARGET, "%s", node->target);
		out_cell(ctx->out, FX_ROLE_WARNING, "%s", problem);
	}
	if (more)
		out_table_more(ctx->out, more, "-m 0 shows all");
	out_table_end(ctx->out);
}

/* "needs H = 4  at %fc (linear: inner dimensions)", in the text alone. */
static void
say_condition(struct cmd_ctx *ctx, const struct fx_size_condition *item)
{
	const struct fx_graph *graph = fx_model_graph(ctx->model);
	const struct fx_size_condition *against = item->against;
	bool is_broken = item->fact.kind == FX_SIZE_NEVER;
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_size_condition_print(&text, item);
	out_piece(ctx->out, is_broken ? FX_ROLE_ERROR : FX_ROLE_PLAIN,
		"needs %s", fx_buf_text(&text));
	out_piece(ctx->out, FX_ROLE_NODE, "  at %%%s",
		fx_graph_find_id(graph, item->node)->name);
	out_piece(ctx->out, FX_ROLE_MUTED, " (%s)", item->why);
	if (is_broken && !against)
		out_piece(ctx->out, FX_ROLE_ERROR, ": no sizes fulfil it");
	if (is_broken && against) {
		fx_buf_clear(&text);
		fx_size_condition_print(&text, against);
		out_piece(ctx->out, FX_ROLE_ERROR, ": contradicts %s",
			fx_buf_text(&text));
		out_piece(ctx->out, FX_ROLE_NODE, "  at %%%s",
			fx_graph_find_id(graph, against->node)->name);
		out_piece(ctx->out, FX_ROLE_MUTED, " (%s)", against->why);
	}
	out_line_end(ctx->out);
}

/* The same for JSON. */
static void
tell_condition(struct cmd_ctx *ctx, const struct fx_size_condition *item)
{
	const struct fx_graph *graph = fx_model_graph(ctx->model);
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_size_condition_print(&text, item);
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
	out_cell(ctx->out, FX_ROLE_NODE, "%s",
		fx_graph_find_id(graph, item->node)->name);
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s", item->why);
	out_cell_bool(ctx->out, FX_ROLE_PLAIN,
		item->fact.kind != FX_SIZE_NEVER);
	if (item->against)
		out_cell(ctx->out, FX_ROLE_NODE, "%s",
			fx_graph_find_id(graph, item->against->node)->name);
	else
		out_cell_none(ctx->out, "");
}

/* What symbolic sizes have to fulfil, of NODE or (NULL) of all. */
static void
say_conditions(struct cmd_ctx *ctx, const struct fx_node *node)
{
	static const char *const keys[] = { "~needs", "~node", "~why",
		"~possible", "~against" };
	const struct fx_size_conditions *list =
		fx_model_size_conditions(ctx->model);
	const struct fx_size_condition *item;
	size_t limit = cmd_row_limit(ctx);
	size_t count = 0;

	if (!list)
		return;
	out_table_begin(ctx->out, "conditions", FX_ARRAY_LEN(keys), keys);
	fx_vec_for_each (item, &list->items)
		if (item->fact.kind != FX_SIZE_ALWAYS &&
			(!node || node->id == item->node))
			tell_condition(ctx, item);
	out_table_end(ctx->out);
	fx_vec_for_each (item, &list->items) {
		if (item->fact.kind == FX_SIZE_ALWAYS ||
			(node && node->id != item->node))
			continue;
		if (!limit || count++ < limit)
			say_condition(ctx, item);
	}
	if (limit && count > limit)
		out_line(ctx->out, FX_ROLE_MUTED,
			"… %zu more conditions; -m 0 shows all", count - limit);
	if (list->is_full && !node)
		out_line(ctx->out, FX_ROLE_WARNING,
			"more conditions than %zu are not kept",
			list->items.count);
}

static FX_NODISCARD struct fx_error *
explain_shape(struct cmd_ctx *ctx, struct fx_node *node)
{
	const char *problem = fx_model_shape_problem(ctx->model, node);
	FX_AUTO_BUF struct fx_buf shape = { 0 };
	size_t i;

	cmd_add_shape(&shape, node);
	cmd_say_node(ctx, node, false);
	for (i = 0; i < fx_node_input_count(node); i++) {
		FX_AUTO_BUF struct fx_buf text = { 0 };
		struct fx_node *input = fx_node_input(node, i);

		cmd_add_shape(&text, input);
		out_line(ctx->out, FX_ROLE_PLAIN, "  %%%s  %s  set by @%zu",
			input->name, text.length ? text.data : "?",
			fx_graph_position(input->graph, input));
	}
	if (problem)
		out_line(ctx->out, FX_ROLE_WARNING, "  %s", problem);
	else if (shape.length)
		out_line(ctx->out, FX_ROLE_PLAIN, "  gives %s",
			fx_buf_text(&shape));
	say_conditions(ctx, node);
	return NULL;
}

struct fx_error *
cmd_shapes_exec(struct cmd_ctx *ctx)
{
	struct fx_node *node = cmd_flag_node(ctx, "explain");
	struct fx_shape_report report;
	struct fx_error *err;
	size_t i;

	if (ctx->shell->in_transaction && cmd_arg_count(ctx, "input"))
		return fx_error_new(FX_ERR_USAGE,
			"shapes: a transaction is open");
	for (i = 0; i < cmd_arg_count(ctx, "input"); i++) {
		err = set_input(ctx, cmd_arg_text_at(ctx, "input", i),
			fx_model_look);
		if (err)
			return err;
	}
	report = fx_model_propagate(ctx->model);
	if (node)
		return explain_shape(ctx, node);
	out_value_int(ctx->out, "known", (int64_t)report.known);
	out_value_int(ctx->out, "unknown", (int64_t)report.unknown);
	out_value_int(ctx->out, "bad", (int64_t)report.bad);
	say_problems(ctx);
	out_piece(ctx->out, FX_ROLE_PLAIN, "%zu node%s with a shape",
		report.known, report.known == 1 ? "" : "s");
	if (report.unknown)
		out_piece(ctx->out, FX_ROLE_PLAIN, ", %zu without",
			report.unknown);
	if (report.bad)
		out_piece(ctx->out, FX_ROLE_ERROR, ", %zu impossible",
			report.bad);
	if (!report.unknown)
		out_piece(ctx->out, FX_ROLE_PLAIN, "; nodes lists them");
	out_line_end(ctx->out);
	say_conditions(ctx, NULL);
	return NULL;
}
