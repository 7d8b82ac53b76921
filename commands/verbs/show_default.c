/* show_default.c - a node that failed on what an input is by default. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "session/capture.h"
#include "session/model.h"

/* The line that traced the model of CTX with INPUT fixed to its default, and
 * the inputs that are given.
 */
static void
say_fixed_line(struct cmd_ctx *ctx, const struct fx_node *input)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };
	struct fx_graph *graph = fx_model_graph(ctx->model);
	struct fx_node *node;

	fx_buf_add(&line, graph->origin);
	fx_graph_for_each_node (node, graph) {
		const struct fx_input_given *given =
			node->opcode == FX_OPCODE_PLACEHOLDER
				? fx_model_input_given(ctx->model, node)
				: NULL;

		if (given && given->text && !strchr(given->text, ' '))
			fx_buf_addf(&line, " -i %s=%s", node->target,
				given->text);
	}
	out_line(ctx->out, FX_ROLE_NOTE,
		"  hint: %%%s is None, which the trace did not know: %s "
		"--concrete %s=None",
		input->name, fx_buf_text(&line), input->target);
}

void
cmd_say_default(struct cmd_ctx *ctx, const struct fx_node *failed)
{
	const struct fx_traced *traced = fx_model_traced(ctx->model);
	const char *origin = fx_model_graph(ctx->model)->origin;

	if (!failed || failed->graph != fx_model_graph(ctx->model) || !traced ||
		traced->recording || traced->is_partial || !origin ||
		!fx_str_starts(origin, "trace "))
		return;
	for (size_t i = 0; i < fx_node_input_count(failed); i++) {
		const struct fx_node *input = fx_node_input(failed, i);

		if (input->opcode == FX_OPCODE_PLACEHOLDER &&
			input->args.count &&
			input->args.items[0].kind == FX_VALUE_NONE &&
			!fx_model_input_given(ctx->model, input)) {
			say_fixed_line(ctx, input);
			return;
		}
	}
}
