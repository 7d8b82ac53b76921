/* cmd_dump_script.c - the session as a command file. */
#include <config.h>

#include "base/buf.h"
#include "commands/groups.h"
#include "emit/script.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/session.h"

struct script {
	struct cmd_ctx *ctx;
	struct fx_graph *graph;
	uint64_t seed; /* that the lines so far leave */
};

static void
add_seed(struct script *script, struct fx_buf *text, uint64_t seed)
{
	if (seed != script->seed)
		fx_buf_addf(text, "seed %llu\n", (unsigned long long)seed);
	script->seed = seed;
}

/* The last time before TIME, or it, that lies on the way to now. */
static uint32_t
time_on_way(const struct fx_graph *graph, uint32_t time)
{
	const struct fx_transaction *t = fx_journal_get(graph, time);

	while (t && t->id && t->id != fx_journal_now(graph) &&
		!fx_journal_after(graph, t->id))
		t = fx_journal_get(graph, t->parent);
	return t ? t->id : 0;
}

/* Inputs stand where they were given, with the seed that they follow from:
 * edits may need them, as they may need edits.
 */
static void
add_inputs(void *context, struct fx_buf *text, uint32_t time)
{
	struct script *script = context;
	struct fx_model *model = script->ctx->model;
	struct fx_node *node;

	fx_graph_for_each_node (node, script->graph) {
		const struct fx_input_given *given =
			fx_model_input_given(model, node);

		if (!given || time_on_way(script->graph, given->time) != time)
			continue;
		add_seed(script, text, given->seed);
		fx_buf_addf(text, "input %s = %s\n", given->name, given->text);
	}
}

/* Weights of a trace follow from its seed. */
struct fx_error *
cmd_dump_script(struct cmd_ctx *ctx, struct fx_graph *graph,
	struct fx_buf *text)
{
	const struct fx_traced *traced = fx_model_traced(ctx->model);
	struct script script = { .ctx = ctx, .graph = graph };

	if (traced)
		add_seed(&script, text, traced->seed);
	fx_emit_script_with(text, graph, add_inputs, &script);
	add_seed(&script, text, fx_session_seed(ctx->session));
	return NULL;
}
