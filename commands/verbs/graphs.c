/* graphs.c - the open graphs and those within them: listed, copied, entered. */
#include <config.h>

#include "commands/verbs/graphs.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/canonical.h"
#include "commands/shell/cmd.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "ir/control.h"
#include "session/model.h"
#include "session/nested.h"
#include "session/position.h"
#include "session/session.h"

/* The names of the nodes that run GRAPH, each once. */
static void
cell_callers(struct cmd_ctx *ctx, const struct fx_graph *graph)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	const struct fx_node *call = fx_control_first_caller(graph);

	for (; call; call = fx_control_next_caller(graph, call))
		fx_buf_addf(&names, "%s%s", names.length ? ", " : "",
			call->name);
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&names));
}

static void
say_nested(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "current", "path", "nodes",
		"callers" };
	struct fx_nested_graphs graphs;
	const struct fx_graph *now;

	if (!ctx->model)
		return;
	now = fx_position_graph(ctx->model);
	fx_model_nested(ctx->model, &graphs);
	if (graphs.count)
		out_table_begin(ctx->out, "nested", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < graphs.count; i++) {
		const struct fx_graph *graph = graphs.items[i];

		out_cell(ctx->out, FX_ROLE_CURRENT, "%s",
			graph == now ? "*" : "");
		out_cell(ctx->out, FX_ROLE_SCOPE, "/%s",
			fx_model_graph_path(ctx->model, graph));
		out_cell_int(ctx->out, FX_ROLE_NUMBER,
			(int64_t)graph->node_count);
		cell_callers(ctx, graph);
	}
	if (graphs.count)
		out_table_end(ctx->out);
	fx_vec_deinit(&graphs);
}

struct fx_error *
cmd_list_graphs(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "current", "number", "name",
		"nodes", "file", "unsaved" };
	size_t count = fx_session_model_count(ctx->session);
	struct fx_model *now = fx_session_model(ctx->session);
	size_t i;

	if (!count)
		out_line(ctx->out, FX_ROLE_PLAIN, "No graph is open.");
	out_table_begin(ctx->out, "graphs", FX_ARRAY_LEN(keys), keys);
	for (i = 0; i < count; i++) {
		struct fx_model *model = fx_session_model_at(ctx->session, i);
		const char *path = fx_model_path(model);

		out_cell(ctx->out, FX_ROLE_CURRENT, "%s",
			model == now ? "*" : "");
		out_cell_int(ctx->out, FX_ROLE_NUMBER, fx_model_number(model));
		out_cell(ctx->out, FX_ROLE_NODE, "%s", fx_model_name(model));
		out_cell_int(ctx->out, FX_ROLE_NUMBER,
			(int64_t)fx_model_graph(model)->node_count);
		if (path)
			out_cell(ctx->out, FX_ROLE_PATH, "%s", path);
		else
			out_cell_none(ctx->out, "");
		out_cell_bool(ctx->out, FX_ROLE_PLAIN,
			fx_model_is_unsaved(model));
	}
	out_table_end(ctx->out);
	say_nested(ctx);
	return NULL;
}

struct fx_error *
cmd_copy_graph(struct cmd_ctx *ctx, struct fx_model *model)
{
	struct fx_opening as = { .name = cmd_arg_text(ctx, "as") };
	FX_AUTO_FREE char *line = NULL;
	struct fx_model *copy;
	struct fx_error *err;

	if (!as.name)
		return fx_error_new(FX_ERR_USAGE,
			"graph copy: expected as NAME");
	cmd_canonical_set(ctx, "name", fx_model_name(model));
	as.line = line = cmd_canonical_line(ctx);
	err = fx_session_copy(ctx->session, model, &as, &copy);
	if (err)
		return err;
	cmd_say_opened(ctx, copy);
	return NULL;
}

struct fx_error *
cmd_enter_graph(struct cmd_ctx *ctx, const char *what)
{
	const char *path = strchr(what, '/') + 1;
	FX_AUTO_FREE char *name = fx_xstrndup(what, (size_t)(path - what) - 1);
	struct fx_model *model = ctx->model;
	struct fx_error *err = NULL;

	if (*name)
		err = cmd_find_graph(ctx->session, name, &model);
	else if (!model)
		err = fx_session_need_model(ctx->session, &model);
	if (!err)
		err = fx_model_enter(model, path);
	if (err)
		return err;
	fx_session_switch(ctx->session, model);
	ctx->shell->has_listed = false;
	cmd_say_opened(ctx, model);
	return NULL;
}
