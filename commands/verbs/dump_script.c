/* dump_script.c - the session as a command file. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"
#include "commands/shell/groups.h"
#include "commands/shell/recovery.h"
#include "commands/shell/shell.h"
#include "emit/script.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "session/capture.h"
#include "session/checkpoint.h"
#include "session/model.h"
#include "session/session.h"

/* An input, and the edit that it stands behind. */
struct given {
	const struct fx_input_given *input;
	uint32_t time;
};

struct script {
	FX_VEC(struct given) inputs; /* in the order of the placeholders */
	uint64_t seed;               /* that the lines so far leave */
	const struct cmd_ctx *ctx;
	const struct fx_graph *graph;

	struct fx_buf given; /* inputs so far that stay, as lines */
	uint64_t given_seed; /* that they leave */
	const char *others;  /* in place of them, those that a value read */
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

static void
find_inputs(struct script *script, const struct fx_model *model,
	struct fx_graph *graph)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		struct given given = { fx_model_input_given(model, node), 0 };

		if (!given.input)
			continue;
		given.time = time_on_way(graph, given.input->time);
		fx_vec_push(&script->inputs, given);
	}
}

/* Whether DECIDED still holds: a result that is set, an edit on the way. */
static bool
holds(const struct script *script, const struct cmd_value_log *decided)
{
	const struct fx_node *node =
		fx_graph_find_id(script->graph, decided->node);

	if (decided->model != fx_model_number(script->ctx->model))
		return false;
	if (!decided->node && !decided->edit)
		return fx_journal_after(script->graph, decided->time) != 0;
	if (!decided->node)
		return time_on_way(script->graph, decided->edit) ==
		       decided->edit;
	return node && fx_model_is_overridden(script->ctx->model, node);
}

/* The inputs that stay, where a value that was read before wanted others. */
static void
restore_inputs(struct script *script, struct fx_buf *text)
{
	if (script->others && script->given.length) {
		fx_buf_add(text, fx_buf_text(&script->given));
		script->seed = script->given_seed;
	}
	script->others = NULL;
}

/* What DECIDED read has to be there: with the inputs of then, where execution
 * stood.
 */
static void
add_reading(struct script *script, struct fx_buf *text,
	const struct cmd_value_log *decided)
{
	bool same = fx_str_equal(decided->inputs, fx_buf_text(&script->given));

	if (same) {
		restore_inputs(script, text);
	} else if (*decided->inputs &&
		   !fx_str_equal(decided->inputs, script->others)) {
		fx_buf_add(text, decided->inputs);
		script->seed = decided->inputs_seed;
		script->others = decided->inputs;
	}
	add_seed(script, text, decided->seed);
	fx_buf_addf(text, "goto %s\n", decided->where);
}

/* LINE of a session that was recovered may read what that kept. */
static void
add_line(const struct script *script, struct fx_buf *text, const char *line)
{
	const char *folder = cmd_recovery_place(script->ctx->shell->recovery);

	if (folder && strstr(line, folder))
		fx_buf_add(text, "# The next line reads a file that goes when "
				 "this session ends: have a copy of\n# it, and "
				 "name that here.\n");
	fx_buf_addf(text, "%s\n", line);
}

/* Values that were set, and before what reads some, going to where they are. */
static void
add_decided(struct script *script, struct fx_buf *text, uint32_t time)
{
	const struct cmd_value_log *decided;

	fx_vec_for_each (decided, &script->ctx->shell->decided) {
		if (!holds(script, decided) ||
			time_on_way(script->graph, decided->time) != time)
			continue;
		if (decided->where)
			add_reading(script, text, decided);
		if (decided->line)
			add_line(script, text, decided->line);
	}
}

/* Checkpoints that were made at TIME, by going to where they stood, if the
 * lines so far make what determined their runs.
 */
static void
add_checkpoints(struct script *script, struct fx_buf *text, uint32_t time)
{
	struct fx_session *session = script->ctx->session;

	for (size_t i = 0; i < fx_checkpoint_count(session); i++) {
		const struct fx_checkpoint *one = fx_checkpoint_at(session, i);
		struct fx_checkpoint_facts facts = fx_checkpoint_facts(one);
		bool is_made = facts.time == time && !facts.graph &&
			       facts.is_started && fx_checkpoint_is_as_now(one);

		if (facts.model != script->ctx->model ||
			time_on_way(script->graph, facts.time) != time)
			continue;
		if (is_made) {
			add_seed(script, text, facts.seed);
			fx_buf_addf(text, "goto %s%s\n", facts.node ? "%" : "",
				facts.node ? facts.node : "end");
		}
		fx_buf_addf(text, "%scheckpoint%s%s%s\n", is_made ? "" : "# ",
			facts.name ? " " : "", facts.name ? facts.name : "",
			is_made ? ""
				: ", of other edits, inputs or values than "
				  "these lines make, or not in this graph");
	}
}

/* Write each input at the time at which it was given, with the seed that it
 * depends on: an edit may need an input, and an input may need an edit.
 */
static void
add_inputs(void *context, struct fx_buf *text, uint32_t time)
{
	struct script *script = context;

	restore_inputs(script, text);
	for (size_t i = 0; i < script->inputs.count; i++) {
		const struct given *given = &script->inputs.items[i];

		if (given->time != time)
			continue;
		cmd_add_input_line(&script->given, given->input);
		script->given_seed = given->input->seed;
		add_seed(script, text, given->input->seed);
		fx_buf_addf(text, "%sinput %s = %s\n",
			given->input->is_held ? "# " : "", given->input->name,
			given->input->text);
	}
	add_decided(script, text, time);
	add_checkpoints(script, text, time);
}

/* Weights of a trace follow from its seed. */
struct fx_error *
cmd_dump_script(struct cmd_ctx *ctx, struct fx_graph *graph,
	struct fx_buf *text)
{
	const struct fx_traced *traced = fx_model_traced(ctx->model);
	struct script script = { .seed = 0, .ctx = ctx, .graph = graph };

	find_inputs(&script, ctx->model, graph);
	if (traced)
		add_seed(&script, text, traced->seed);
	fx_emit_script(text, graph, add_inputs, &script);
	restore_inputs(&script, text);
	fx_buf_deinit(&script.given);
	add_seed(&script, text, fx_session_seed(ctx->session));
	fx_vec_deinit(&script.inputs);
	return NULL;
}
