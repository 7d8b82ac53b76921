/* say_cause.c - a way from a wrong value to its cause, in words. */
#include <config.h>

#include "commands/verbs/why.h"

#include <math.h>

#include "base/buf.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/cmd.h"
#include "commands/verbs/show.h"
#include "emit/construct.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ops/formula.h"
#include "session/model.h"
#include "session/nested.h"
#include "session/position.h"
#include "session/why.h"

/* Steps of a long way that are shown at its beginning. */
#define SHOWN_FIRST 3

/* --- the steps ----------------------------------------------------------- */

static bool
is_node(const struct fx_cause_step *step)
{
	return step->call || step->role == FX_CAUSE_INPUT ||
	       step->name == step->node->name;
}

/* Where STEP's graph is nested; NULL: the user is there. */
static const char *
path_of(struct cmd_ctx *ctx, const struct fx_cause_step *step)
{
	const struct fx_graph *graph = step->node->graph;

	return step->is_inside || graph == fx_position_graph(ctx->model)
		       ? NULL
		       : fx_model_graph_path(ctx->model, graph);
}

/* "%act[0,1]"; "%first.act[0,1]" of another graph than where the user is. */
void
cmd_add_element(struct cmd_ctx *ctx, struct fx_buf *out,
	const struct fx_cause_step *step)
{
	const char *path = path_of(ctx, step);

	fx_buf_addf(out, "%s%s%s%s%s",
		is_node(step) && !step->is_inside ? "%" : "", path ? path : "",
		path && *path ? "." : "", step->name, step->index);
	if (path && !*path)
		fx_buf_addf(out, " of %s", fx_model_name(ctx->model));
}

static void
say_element(struct cmd_ctx *ctx, const struct fx_cause_step *step)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	cmd_add_element(ctx, &text, step);
	out_piece(ctx->out, FX_ROLE_NODE, "%s", fx_buf_text(&text));
}

/* Steps that are part of the way, not of what is to blame at its end. */
size_t
cmd_way_length(const struct fx_cause *cause)
{
	size_t count = 0;

	while (count < cause->steps.count &&
		fx_cause_is_way(&cause->steps.items[count]))
		count++;
	return count;
}

/* The last step of the first COUNT that a listing of the graph has. */
static const struct fx_cause_step *
last_outside(const struct fx_cause *cause, size_t count)
{
	while (count > 1 && cause->steps.items[count - 1].is_inside)
		count--;
	return &cause->steps.items[count - 1];
}

static bool
has_turns(const struct fx_cause *cause)
{
	for (size_t i = 0; i < cause->steps.count; i++)
		if (cause->steps.items[i].turn)
			return true;
	return false;
}

void
cmd_say_way(struct cmd_ctx *ctx, const struct fx_cause *cause)
{
	static const char *const hidden[] = { "~step", "~node", "~element",
		"~value", "~wanted", "~role", "~call", "~inside", "~graph",
		"~turn" };
	static const char *const shown[] = { "step", "node", "element", "value",
		"wanted", "role", "call", "2inside", "~graph", "turn" };
	bool is_shown = cmd_flag(ctx, "path");
	bool has_turn = has_turns(cause);

	out_table_begin(ctx->out, "way", FX_ARRAY_LEN(shown) - !has_turn,
		is_shown ? shown : hidden);
	for (size_t i = 0; i < cause->steps.count; i++) {
		const struct fx_cause_step *step = &cause->steps.items[i];
		const char *path = path_of(ctx, step);

		path = path ? path : "";
		out_cell_int(ctx->out, FX_ROLE_NUMBER, (int64_t)i);
		out_cell(ctx->out, FX_ROLE_NODE, "%s%s%s", path,
			*path ? "." : "", step->name);
		out_cell(ctx->out, FX_ROLE_NUMBER, "%s", step->index);
		out_cell(ctx->out, FX_ROLE_NUMBER, "%s", step->value);
		if (step->wanted)
			out_cell(ctx->out, FX_ROLE_NUMBER, "%s", step->wanted);
		else
			out_cell_none(ctx->out, "");
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s",
			fx_cause_role_name(step->role));
		out_cell(ctx->out, FX_ROLE_TARGET, "%s",
			step->call ? step->call : "");
		out_cell(ctx->out, FX_ROLE_NODE, "%s",
			step->is_inside ? step->node->name : "");
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s",
			fx_model_graph_path(ctx->model, step->node->graph));
		if (has_turn && step->turn)
			out_cell_int(ctx->out, FX_ROLE_NUMBER,
				(int64_t)step->turn);
		else if (has_turn)
			out_cell_none(ctx->out, "");
	}
	out_table_end(ctx->out);
}

/* "is NaN", "is 0.5, not 0.25". */
static void
say_value(struct cmd_ctx *ctx, const struct fx_cause_step *step)
{
	const char *value = step->value;

	if (isnan(step->number[0]))
		value = "NaN";
	out_piece(ctx->out, FX_ROLE_PLAIN, " is %s", value);
	if (step->wanted)
		out_piece(ctx->out, FX_ROLE_PLAIN,
			fx_str_equal(step->value, step->wanted) ? ", as there"
								: ", not %s",
			step->wanted);
}

/* With how many more elements together. */
static void
say_together(struct cmd_ctx *ctx, const struct fx_cause_step *step)
{
	if (step->is_more)
		out_piece(ctx->out, FX_ROLE_PLAIN, " (many together)");
	else if (step->together)
		out_piece(ctx->out, FX_ROLE_PLAIN, " (%zu together)",
			step->together + 1);
}

/* "%output[0,711] is NaN from %fc[0,711] from ... from %bn2[0,40,0,0]". */
static void
say_way(struct cmd_ctx *ctx, const struct fx_cause *cause, size_t count)
{
	const struct fx_cause_step *end = last_outside(cause, count);
	bool has_gap = false;
	bool is_told = true;
	bool was_nan = false;
	size_t shown = 0;

	for (size_t i = 0; i < count; i++) {
		const struct fx_cause_step *step = &cause->steps.items[i];

		if (step->is_inside)
			continue;
		/* An infinity that a NaN comes from. */
		is_told |= was_nan && !isnan(step->number[0]);
		was_nan = isnan(step->number[0]);
		if (shown >= SHOWN_FIRST && step < end - 1 &&
			(step->node != end->node || step->name == end->name) &&
			step->role == FX_CAUSE_PASSES && !is_told &&
			count > SHOWN_FIRST + 2) {
			if (!has_gap)
				out_piece(ctx->out, FX_ROLE_MUTED, " from ...");
			has_gap = true;
			continue;
		}
		if (shown++)
			out_piece(ctx->out, FX_ROLE_PLAIN, " from ");
		say_element(ctx, step);
		if (step == end && step->turn)
			out_piece(ctx->out, FX_ROLE_PLAIN, " in turn %zu",
				step->turn);
		if (is_told || (step == end && step->wanted))
			say_value(ctx, step);
		is_told = step->role == FX_CAUSE_MAKES;
		say_together(ctx, step);
	}
	out_line_end(ctx->out);
}

/* --- how it ends --------------------------------------------------------- */

/* "running_var[40] = -0.25" of a parameter, "%sub[0,3] = 0". */
static void
add_blamed(struct cmd_ctx *ctx, struct fx_buf *out,
	const struct fx_cause_step *step)
{
	cmd_add_element(ctx, out, step);
	fx_buf_addf(out, " = %s", step->value);
}

static const char *
reason_of(const struct fx_cause_step *end, const struct fx_cause_step *blamed)
{
	const struct fx_reason_case what = { .target = end->call,
		.parameter = blamed ? blamed->argument : NULL,
		.value = blamed ? blamed->number[0] : NAN,
		.result = end->number[0],
		.kind = end->role == FX_CAUSE_MAKES ? FX_REASON_INFINITE
			: blamed                    ? FX_REASON_ANY
						    : FX_REASON_NONE };

	return end->call ? fx_reason_find(&what) : NULL;
}

const char *
cmd_formula_name(const struct fx_node *node)
{
	const struct fx_module *module =
		node->opcode == FX_OPCODE_CALL_MODULE
			? fx_module_find(node->graph->module, node->target)
			: NULL;

	return module ? module->class_name : node->target;
}

/* An input of a layer, or of a nested graph. */
static bool
is_given(const struct fx_cause_step *step)
{
	return !step->call &&
	       (step->is_inside ||
		       (step->node->opcode == FX_OPCODE_PLACEHOLDER &&
			       step->node->graph->outer));
}

/* What is to blame, and what that comes from: each as the graph has it, or by
 * the name that the operation has for it.
 */
static void
add_blame(struct cmd_ctx *ctx, struct fx_buf *out, const struct fx_cause *cause,
	size_t way)
{
	const struct fx_cause_step *told = NULL;
	size_t turn = cause->steps.items[way - 1].turn;

	for (size_t i = way; i < cause->steps.count; i++) {
		const struct fx_cause_step *step = &cause->steps.items[i];
		bool is_last = i + 1 == cause->steps.count;

		/* What a layer is given is told as what it comes from. */
		if (is_given(step) && !is_last &&
			step[1].role == FX_CAUSE_LEADS)
			continue;
		if (step->role == FX_CAUSE_LEADS && told && !is_last)
			continue;
		fx_buf_add(out, !told                          ? ", "
				: step->role == FX_CAUSE_LEADS ? ", from "
							       : " or ");
		told = step;
		if (step->is_inside && step->argument)
			fx_buf_addf(out, "%s%s = %s", step->argument,
				step->index, step->value);
		else
			add_blamed(ctx, out, step);
		if (step->turn && step->turn != turn)
			fx_buf_addf(out, " in turn %zu", step->turn);
		turn = step->turn;
		if (step->is_more)
			fx_buf_add(out, " and others");
	}
}

static void
say_produced(struct cmd_ctx *ctx, const struct fx_cause *cause, size_t way)
{
	const struct fx_cause_step *end = &cause->steps.items[way - 1];
	FX_AUTO_BUF struct fx_buf text = { 0 };
	bool is_blamed = way < cause->steps.count;
	const char *reason =
		reason_of(end, is_blamed ? &cause->steps.items[way] : NULL);

	cmd_add_formula(&text, end->call, NULL);
	if (!text.length && end->call)
		fx_buf_add(&text, end->call);
	add_blame(ctx, &text, cause, way);
	if (!is_blamed && fx_str_equal(end->value, "False"))
		fx_buf_addf(&text, ": explain %s%s has its numbers", end->name,
			end->index);
	else if (reason || !is_blamed)
		fx_buf_addf(&text, ": %s",
			reason ? reason : "whatever it is given");
	out_line(ctx->out, FX_ROLE_PLAIN, "  = %s", fx_buf_text(&text));
	out_value_text(ctx->out, "reason", reason);
}

/* How NODE is called in its graph: as it is constructed, or as it stands. */
static void
add_how(struct fx_buf *out, struct fx_node *node)
{
	struct fx_module *module =
		node->opcode == FX_OPCODE_CALL_MODULE
			? fx_module_find(node->graph->module, node->target)
			: NULL;

	if (!module || !fx_emit_construct(out, node->graph, module))
		cmd_add_call(out, node);
}

static void
say_other_call(struct cmd_ctx *ctx, const struct fx_cause *cause,
	const struct fx_cause_step *end)
{
	FX_AUTO_BUF struct fx_buf how = { 0 };
	FX_AUTO_BUF struct fx_buf there = { 0 };

	add_how(&how, end->node);
	if (cause->mate && !cause->detail)
		add_how(&there, cause->mate);
	if (fx_str_equal(fx_buf_text(&there), fx_buf_text(&how)))
		fx_buf_clear(&there);
	out_line(ctx->out, FX_ROLE_PLAIN, "  %s how it is computed: %s%s%s%s%s",
		cause->is_given_other ? "with what it is given there it would "
					"differ all the same, by"
		: cause->is_rounded   ? "all it is given is the same there, up "
					"to rounding, but not"
				    : "all it is given is the same there, but "
				      "not",
		fx_buf_text(&how), cause->detail ? "; " : "",
		cause->detail ? cause->detail : "",
		there.length ? "; there it is " : "", fx_buf_text(&there));
}

static void
say_end(struct cmd_ctx *ctx, const struct fx_cause *cause, size_t way)
{
	static const char *const ends[] = {
		[FX_CAUSE_PARAMETER] = "a parameter or buffer",
		[FX_CAUSE_INPUT] = "an input",
		[FX_CAUSE_CONSTANT] = "a constant of the graph",
		[FX_CAUSE_UNASKED] = "it cannot be asked further",
		[FX_CAUSE_LOST] = "called again it gives something else: it "
				  "is random, or its value was changed",
	};
	const struct fx_cause_step *end = &cause->steps.items[way - 1];
	FX_AUTO_BUF struct fx_buf text = { 0 };

	cmd_add_element(ctx, &text, end);
	if (end->role == FX_CAUSE_PRODUCES && end->wanted)
		say_other_call(ctx, cause, end);
	else if (end->role == FX_CAUSE_PRODUCES)
		say_produced(ctx, cause, way);
	else if (end->role < FX_ARRAY_LEN(ends) && ends[end->role])
		out_line(ctx->out, FX_ROLE_PLAIN, "  %s = %s%s%s: %s",
			fx_buf_text(&text) + (*fx_buf_text(&text) == '%'),
			end->value, end->wanted ? ", there " : "",
			end->wanted ? end->wanted : "",
			cause->detail ? cause->detail : ends[end->role]);
}

/* NaN that was made of infinities. */
static void
say_made(struct cmd_ctx *ctx, const struct fx_cause *cause, size_t way)
{
	for (size_t i = 0; i < way; i++) {
		const struct fx_cause_step *step = &cause->steps.items[i];
		const char *reason;
		FX_AUTO_BUF struct fx_buf text = { 0 };

		if (step->role != FX_CAUSE_MAKES)
			continue;
		cmd_add_element(ctx, &text, step);
		reason = reason_of(step, NULL);
		out_line(ctx->out, FX_ROLE_PLAIN, "  NaN first at %s: %s",
			fx_buf_text(&text), reason ? reason : "of infinities");
	}
}

void
cmd_say_cause_values(struct cmd_ctx *ctx, const struct fx_cause *cause,
	size_t way)
{
	const struct fx_cause_step *first = &cause->steps.items[0];
	const struct fx_cause_step *end = &cause->steps.items[way - 1];
	const struct fx_cause_step *last = &fx_vec_last(&cause->steps);

	out_value_text(ctx->out, "node", first->name);
	out_value_text(ctx->out, "element", first->index);
	out_value_text(ctx->out, "value", first->value);
	out_value_text(ctx->out, "wanted", first->wanted);
	out_value_text(ctx->out, "from", end->name);
	out_value_text(ctx->out, "from_element", end->index);
	out_value_text(ctx->out, "role", fx_cause_role_name(end->role));
	out_value_text(ctx->out, "cause", last->name);
	out_value_text(ctx->out, "cause_element", last->index);
	out_value_text(ctx->out, "cause_value", last->value);
}

void
cmd_say_cause(struct cmd_ctx *ctx, const struct fx_cause *cause)
{
	size_t way = cmd_way_length(cause);

	say_way(ctx, cause, way);
	say_made(ctx, cause, way);
	say_end(ctx, cause, way);
}

void
cmd_say_no_fault(struct cmd_ctx *ctx, const struct fx_why *why)
{
	const struct fx_cause_step *step = &why->cause.steps.items[0];

	say_element(ctx, step);
	out_piece(ctx->out, FX_ROLE_PLAIN, " is %s: %s", step->value,
		why->fault == FX_FAULT_DIFFERS
			? "what the reference has"
			: "finite; explain has its numbers, --against GRAPH "
			  "finds where it parts from a reference");
	out_line_end(ctx->out);
	out_value_text(ctx->out, "node", step->name);
	out_value_text(ctx->out, "element", step->index);
	out_value_text(ctx->out, "value", step->value);
}
