/* save_breakpoints.c - all stops as a command file, which source reads. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/overwrite_guard.h"
#include "commands/verbs/breakpoint.h"
#include "ir/graph.h"
#include "session/breakpoint.h"
#include "session/model.h"
#include "session/session.h"

/* Breakpoints of one node are set from anywhere, by its path. */
static bool
is_of_node(const struct fx_breakpoint *b)
{
	return b->kind == FX_STOP_KIND_BREAK && !b->is_set &&
	       !strchr(b->where, ':');
}

/* Go to the graph in which B was set, where its line means something else in
 * *NOW, "mlp/first", interned: NULL, the current one.
 */
static void
add_graph(struct fx_buf *out, struct fx_session *session,
	const struct fx_breakpoint *b, const char **now)
{
	const struct fx_model *current = fx_session_model(session);
	const struct fx_model *model = current;
	const char *path = b ? fx_breakpoint_graph(b, &model) : "";
	const char *wanted = NULL;

	if (b && is_of_node(b) && !b->condition)
		path = "";
	if (model != current || *path)
		wanted = fx_intern_format("%s%s", fx_model_name(model), path);
	if (wanted != *now)
		fx_buf_addf(out, "graph %s%s",
			wanted ? wanted : fx_model_name(current),
			wanted ? "\n" : "/\n");
	*now = wanted;
}

/* A watch of a graph within is set in that graph, by the node's name there:
 * where it is shown, the path of the graph stands before it.
 */
static void
add_watch(struct fx_buf *out, struct fx_session *session,
	const struct fx_breakpoint *b)
{
	const struct fx_model *model;
	const char *path = fx_breakpoint_graph(b, &model);
	size_t length = strlen(path);
	FX_AUTO_BUF struct fx_buf line = { 0 };
	const char *text;
	const char *where;

	fx_breakpoint_print(session, b, &line);
	text = fx_buf_text(&line);
	where = length && *b->where ? strstr(text, b->where) : NULL;
	if (!where || strncmp(where, path + 1, length - 1) != 0 ||
		where[length - 1] != '.') {
		fx_buf_add(out, text);
		return;
	}
	fx_buf_add_n(out, text, (size_t)(where - text));
	fx_buf_add(out, where + length);
}

/* A breakpoint on one node has its present name. */
static void
add_line(struct fx_buf *out, struct fx_session *session,
	const struct fx_breakpoint *b)
{
	struct fx_node **nodes = NULL;
	size_t count = 0;

	if (is_of_node(b))
		fx_breakpoint_nodes(session, b, &nodes, &count);
	if (count == 1)
		fx_buf_addf(out, "%sbreak %%%s", b->is_temporary ? "t" : "",
			fx_breakpoint_place(b, nodes[0]));
	else if (b->kind == FX_STOP_KIND_DPRINTF)
		fx_buf_addf(out, "dprintf -p %s,%s",
			*b->where ? b->where : "{}", b->what);
	else if (b->kind == FX_STOP_KIND_WATCH)
		add_watch(out, session, b);
	else
		fx_breakpoint_print(session, b, out);
	free(nodes);
	if (b->kind == FX_STOP_KIND_BREAK || b->kind == FX_STOP_KIND_WATCH)
		fx_buf_add(out, " -p");
	if (b->condition && b->kind != FX_STOP_KIND_DPRINTF)
		fx_buf_addf(out, " if %s", b->condition);
	fx_buf_add_char(out, '\n');
	if (b->condition && b->kind == FX_STOP_KIND_DPRINTF)
		fx_buf_addf(out, "condition $bpnum %s\n", b->condition);
}

void
cmd_add_breakpoints(struct fx_buf *out, struct fx_session *session)
{
	const char *now = NULL;

	for (size_t i = 0; i < fx_breakpoint_count(session); i++) {
		const struct fx_breakpoint *b = fx_breakpoint_at(session, i);

		add_graph(out, session, b, &now);
		add_line(out, session, b);
		if (b->commands)
			fx_buf_addf(out, "commands\n%send\n", b->commands);
		if (b->ignore_count)
			fx_buf_addf(out, "ignore $bpnum %zu\n",
				b->ignore_count);
		if (b->enable_count)
			fx_buf_addf(out, "enable count %zu $bpnum\n",
				b->enable_count);
		else if (b->kind != FX_STOP_KIND_BREAK && b->is_temporary)
			fx_buf_add(out, "enable delete $bpnum\n");
		if (!b->is_enabled)
			fx_buf_add(out, "disable $bpnum\n");
	}
	add_graph(out, session, NULL, &now);
}

struct fx_error *
cmd_save_breakpoints(struct cmd_ctx *ctx, const char *path)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	size_t count = fx_breakpoint_count(ctx->session);
	struct fx_error *err;

	if (!path)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "save breakpoints: expected a "
					     "file"),
			"save breakpoints stops.fxdb");
	if (!count) {
		out_line(ctx->out, FX_ROLE_PLAIN, "Nothing to save.");
		return NULL;
	}
	err = cmd_overwrite_guard_check(ctx, path);
	if (err)
		return err;
	cmd_add_breakpoints(&text, ctx->session);
	err = fx_file_write(path, fx_buf_text(&text), text.length);
	if (!err)
		out_line(ctx->out, FX_ROLE_PLAIN,
			"Saved to %s: source %s sets them again.", path, path);
	return err;
}
