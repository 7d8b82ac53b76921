/* cmd_dump_script.c - the session as a command file. */
#include <config.h>

#include "base/buf.h"
#include "commands/groups.h"
#include "emit/script.h"
#include "ir/graph.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/session.h"

static void
add_seed(struct fx_buf *text, uint64_t seed, uint64_t before)
{
	if (seed != before)
		fx_buf_addf(text, "seed %llu\n", (unsigned long long)seed);
}

/* The edits go on from the origin; the inputs that were given come last, by
 * the names that they have then.  Weights of a trace follow from its seed.
 */
struct fx_error *
cmd_dump_script(struct cmd_ctx *ctx, struct fx_graph *graph,
	struct fx_buf *text)
{
	const struct fx_traced *traced = fx_model_traced(ctx->model);
	uint64_t seed = traced ? traced->seed : 0;
	struct fx_node *node;

	add_seed(text, seed, 0);
	fx_emit_script(text, graph);
	add_seed(text, fx_session_seed(ctx->session), seed);
	fx_graph_for_each_node (node, graph) {
		const char *input = fx_model_input_text(ctx->model, node);

		if (input)
			fx_buf_addf(text, "input %s = %s\n",
				*node->target == '*' ? node->name
						     : node->target,
				input);
	}
	return NULL;
}
