/* context.c - what surrounds the stop: values, source, code, stops. */
#include <config.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/verbs/show.h"
#include "commands/verbs/tensor_rows.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "run/stats.h"
#include "run/summary.h"
#include "session/breakpoint.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"
#include "session/settings.h"

/* Lines of the source, nodes of the code, rows of values. */
#define SOURCE_LINES 5
#define NODES_BEFORE 2
#define NODES_AFTER  4
#define VALUE_ROWS   8

/* The choices of the setting, in their order. */
enum {
	CONTEXT_VALUES = 1,
	CONTEXT_SOURCE = 2,
	CONTEXT_CODE = 4,
	CONTEXT_STOPS = 8
};

static void
cell_facts(struct cmd_ctx *ctx, const struct fx_node *node)
{
	FX_AUTO_KNOWN struct cmd_known known = cmd_known_of(ctx, node);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_summary *summary = known.summary;
	bool is_ascii = fx_settings_int(fx_session_settings(ctx->session),
		FX_SET_ASCII);

	if (summary && *summary->parts.items[0].path)
		cmd_add_count(&text, summary->parts.count, "tensor");
	else if (summary)
		fx_stats_print_facts(&text, &summary->parts.items[0].stats,
			is_ascii);
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
}

static void
row_of_node(struct cmd_ctx *ctx, const char *what, const struct fx_node *node)
{
	out_cell(ctx->out, FX_ROLE_MUTED, "%s", what);
	out_cell(ctx->out, FX_ROLE_NODE, "%%%s", node->name);
	cmd_cell_shape(ctx->out, node->meta);
	cell_facts(ctx, node);
}

/* The parameters of the module that NODE calls, at most COUNT; what they hold
 * is for params to say.  Returns how many are left out.
 */
static size_t
rows_of_module(struct cmd_ctx *ctx, const struct fx_node *node, size_t count)
{
	struct fx_module *module =
		fx_module_find(node->graph->module, node->target);
	size_t left = 0;

	for (size_t i = 0; module && i < module->member_count; i++) {
		const struct fx_member *member = &module->members[i];
		const struct fx_tensor *tensor = member->tensor;

		if (!tensor)
			continue;
		if (!count) {
			left++;
			continue;
		}
		count--;
		out_cell(ctx->out, FX_ROLE_MUTED, "%s",
			tensor->is_buffer ? "buffer" : "parameter");
		out_cell(ctx->out, FX_ROLE_SCOPE, "%s.%s", node->target,
			member->name);
		cmd_cell_sizes(ctx->out, tensor->sizes, tensor->rank);
		out_cell_none(ctx->out, "");
	}
	return left;
}

static bool
is_input(const struct fx_node *node, const struct fx_node *input)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (fx_node_input(node, i) == input)
			return true;
	return false;
}

/* What the node before made, and what this one is given. */
static void
say_values(struct cmd_ctx *ctx, const struct fx_node *node)
{
	static const char *const keys[] = { "what", "name", "shape", "value" };
	size_t position = fx_graph_position(node->graph, node);
	const struct fx_node *last =
		position ? fx_graph_at(node->graph, position - 1) : NULL;
	size_t count = fx_node_input_count(node);
	size_t shown = FX_MIN(count, VALUE_ROWS);
	size_t left = count - shown;

	out_table_begin(ctx->out, "context", FX_ARRAY_LEN(keys), keys);
	if (last && !is_input(node, last))
		row_of_node(ctx, "before", last);
	for (size_t i = 0; i < shown; i++)
		row_of_node(ctx, "input", fx_node_input(node, i));
	if (node->opcode == FX_OPCODE_CALL_MODULE)
		left += rows_of_module(ctx, node, VALUE_ROWS - shown);
	if (left)
		out_table_more(ctx->out, left, "node . shows all");
	out_table_end(ctx->out);
}

static void
say_parts(struct cmd_ctx *ctx, int64_t parts)
{
	const struct fx_node *node = fx_position_selected(ctx->model);

	if (!node)
		return;
	if (parts & CONTEXT_VALUES)
		say_values(ctx, node);
	if (parts & CONTEXT_SOURCE)
		cmd_say_source_around(ctx, SOURCE_LINES);
	if (parts & CONTEXT_CODE)
		cmd_say_code_around(ctx, NODES_BEFORE, NODES_AFTER);
	if ((parts & CONTEXT_STOPS) && fx_breakpoint_count(ctx->session))
		fx_error_free(cmd_say_breakpoints(ctx));
}

static int64_t
chosen_parts(struct cmd_ctx *ctx)
{
	return fx_settings_int(fx_session_settings(ctx->session),
		FX_SET_CONTEXT);
}

void
cmd_say_context(struct cmd_ctx *ctx)
{
	say_parts(ctx, chosen_parts(ctx));
}

struct fx_error *
cmd_context_exec(struct cmd_ctx *ctx)
{
	const char *text = cmd_arg_text(ctx, "parts");
	int64_t parts = chosen_parts(ctx);
	struct fx_node *node;
	struct fx_error *err = cmd_here(ctx, &node);

	if (!err && (text || !parts))
		err = fx_settings_read_parts(FX_SET_CONTEXT, text ? text : "on",
			&parts);
	if (err)
		return err;
	cmd_say_node(ctx, node, true);
	say_parts(ctx, parts);
	return NULL;
}
