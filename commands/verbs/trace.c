/* trace.c - the trace command: a model of the user's Python as a graph. */
#include <config.h>

#include "commands/verbs/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/canonical.h"
#include "commands/shell/groups.h"
#include "commands/shell/overwrite_guard.h"
#include "commands/shell/shell.h"
#include "ir/module.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"

/* The last step of the dotted name that lies between BEGIN and END. */
static char *
last_step(const char *begin, const char *end)
{
	const char *at = end;

	while (at > begin && at[-1] != '.' && at[-1] != '/')
		at--;
	return fx_xstrndup(at, (size_t)(end - at));
}

/* What to call the graph of SPEC: "Net" of "m.py:models.Net(3)", "m" of
 * "m.py:(lambda x: f(x))"; the caller's.
 */
static char *
name_of(const char *spec)
{
	const char *colon = strchr(spec, ':');
	const char *end = colon ? colon : spec + strlen(spec);
	char *name = colon ? last_step(colon + 1,
				     colon + 1 + strcspn(colon + 1, "([{ "))
			   : fx_xstrdup("");

	if (*name)
		return name;
	free(name);
	if (end - spec > 3 && strncmp(end - 3, ".py", 3) == 0)
		end -= 3;
	return last_step(spec, end);
}

static void
add_version(struct fx_buf *out, const char *torch)
{
	const char *dot = strchr(torch, '.');
	const char *second = dot ? strchr(dot + 1, '.') : NULL;

	fx_buf_add_n(out, torch,
		second ? (size_t)(second - torch) : strlen(torch));
}

/* "; 3 modules kept whole (info trace)". */
static void
add_count(struct fx_buf *text, size_t count, const char *what, const char *how)
{
	if (count)
		fx_buf_addf(text, "; %zu %s%s%s (info trace)", count, what,
			count == 1 ? "" : "s", how);
}

/* "one real run recorded in 41 ms and checked on other values; ...". */
static void
add_recorded(struct fx_buf *text, const struct fx_recording *recording)
{
	fx_buf_addf(text, "one real run recorded in %.0f ms", recording->ms);
	if (recording->is_checked && recording->difference == 0)
		fx_buf_addf(text, " and checked on other values%s",
			recording->sizes && !*recording->sizes ? " and sizes"
							       : "");
	else if (recording->is_checked && recording->difference > 0)
		fx_buf_addf(text, ", on other values off by %.2g",
			recording->difference);
	if (*recording->varied)
		fx_buf_addf(text, "; sizes %s", recording->varied);
}

static void
add_traced(struct fx_buf *text, const struct fx_trace_result *report)
{
	bool is_handed_over = !*report->mode;

	if (is_handed_over)
		fx_buf_addf(text, "%s (%s, torch ", report->how,
			report->python);
	else
		fx_buf_addf(text,
			"%s in %.*f ms (model built in %.0f ms, %s, torch ",
			report->how, report->trace_ms < 10 ? 1 : 0,
			report->trace_ms, report->build_ms, report->python);
	add_version(text, report->torch);
	if (!is_handed_over)
		fx_buf_addf(text, ", %s mode", report->mode);
	fx_buf_add(text, ")");
	if (*report->sizes)
		fx_buf_addf(text, "; sizes %s", report->sizes);
}

void
cmd_trace_say_report(struct cmd_ctx *ctx, struct fx_model *model,
	const struct fx_trace_result *report)
{
	const struct fx_recording *recording =
		fx_model_traced(model)->recording;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_graph *graph = fx_model_graph(model);
	int64_t count = fx_module_parameter_count(graph->module);
	size_t decided = cmd_trace_count_fixed(model);

	fx_buf_addf(&text, "%s: %zu nodes, ", fx_model_name(model),
		graph->node_count);
	fx_number_add_count(&text, (uint64_t)count);
	fx_buf_add(&text, " parameters, ");
	if (recording)
		add_recorded(&text, recording);
	else
		add_traced(&text, report);
	add_count(&text, decided, "specialisation", "");
	add_count(&text, fx_model_traced(model)->kept.count,
		recording ? "call" : "module", " kept whole");
	out_line(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
	out_value_text(ctx->out, "graph", fx_model_name(model));
	out_value_int(ctx->out, "nodes", (int64_t)graph->node_count);
	out_value_int(ctx->out, "parameters", count);
	if (report->remark && *report->remark)
		out_warning(ctx->out, "%s", report->remark);
	if (!recording)
		return;
	out_value_text(ctx->out, "sizes", recording->varied);
	out_value_int(ctx->out, "specialisations", (int64_t)decided);
}

/* What is known of why the graph gives something else than its model, of which
 * it has the number DECIDED of specialisations.
 */
static void
say_difference(struct cmd_ctx *ctx, const struct fx_recording *recording,
	size_t decided)
{
	out_warning(ctx->out,
		"on other values of the same shapes the graph gives something "
		"else than the model: %s%s",
		*recording->differs ? recording->differs
		: decided           ? "what it decided by values is fixed"
				    : "no call or constant says why; it may "
				      "keep what Python counts or stores",
		decided ? " (info trace)" : "");
}

/* A difference that rounding does not explain, or none that could be told. */
static void
warn_of_difference(struct cmd_ctx *ctx, const struct fx_recording *recording,
	size_t decided)
{
	if (recording->problem)
		out_warning(ctx->out,
			"the graph is right for the sizes of -i only: %s",
			recording->problem);
	if (!recording->is_checked)
		return;
	if (recording->differs)
		say_difference(ctx, recording, decided);
	else if (isnan(recording->difference))
		out_warning(ctx->out,
			"not checked: the model refuses other values");
	if (recording->sizes && *recording->sizes && !recording->problem)
		out_note(ctx->out,
			"of other sizes (%s) the model makes another graph: "
			"this one is right for the sizes recorded; --vary "
			"NAME=SPEC records others too",
			recording->sizes);
}

/* What was recorded is computed once more, so that values are there. */
static struct fx_error *
run_recorded(struct cmd_ctx *ctx, struct fx_model *model)
{
	FX_AUTO_STOP struct fx_stop stop = { 0 };
	const struct fx_recording *recording =
		fx_model_traced(model)->recording;

	if (!recording)
		return NULL;
	warn_of_difference(ctx, recording, cmd_trace_count_fixed(model));
	return fx_position_run(ctx->session, model, NULL, &stop);
}

struct texts {
	const char **items;
	size_t count;
	size_t capacity;
};

/* Flags that may be repeated. */
enum list {
	LEAVES,
	CONCRETE,
	INPUTS,
	VARY,
	LIST_COUNT
};

static void
collect_flags(const struct cmd_ctx *ctx, struct texts lists[LIST_COUNT])
{
	static const char *const flags[] = { "leaf", "concrete", "input",
		"vary" };
	const char *text;

	for (int i = 0; i < LIST_COUNT; i++)
		for (size_t j = 0; (text = cmd_flag_at(ctx, flags[i], j)); j++)
			fx_vec_push(&lists[i], text);
}

struct fx_error *
cmd_trace_set_inputs(struct cmd_ctx *ctx, struct fx_model *model)
{
	const struct fx_traced *traced = fx_model_traced(model);
	const char *text;
	struct fx_error *err = NULL;

	ctx->model = model;
	/* Of objects the graph has the tensors in them. */
	if (traced && traced->inputs) {
		for (size_t i = 0; !err && i < traced->input_count; i++)
			err = cmd_set_input(ctx, traced->inputs[i]);
		return err;
	}
	for (size_t i = 0; !err && (text = cmd_flag_at(ctx, "input", i)); i++)
		err = cmd_set_input(ctx, text);
	return err;
}

/* MODEL, or NULL, is what there was of a graph when its trace failed; BEFORE,
 * or NULL, was current until then and is so again.
 */
static struct fx_error *
note_partial(struct cmd_ctx *ctx, struct fx_error *err, struct fx_model *model,
	struct fx_model *before)
{
	size_t count;

	if (!model)
		return err;
	count = fx_model_graph(model)->node_count;
	if (!before)
		return fx_error_note(err,
			"the graph so far, %zu node%s, is open as %s", count,
			count == 1 ? "" : "s", fx_model_name(model));
	fx_session_switch(ctx->session, before);
	return fx_error_note(err,
		"%s stays current; the graph so far, %zu node%s, is open too: "
		"graph %s",
		fx_model_name(before), count, count == 1 ? "" : "s",
		fx_model_name(model));
}

/* What records a run of SPEC, whose trace left MODEL: a line to type, as far as
 * the inputs are known.
 */
static struct fx_error *
note_recording(struct cmd_ctx *ctx, struct fx_error *err, const char *spec,
	struct fx_model *model)
{
	FX_AUTO_BUF struct fx_buf inputs = { 0 };
	FX_AUTO_BUF struct fx_buf unknown = { 0 };
	const char *given;
	struct fx_node *node;

	for (size_t i = 0; (given = cmd_flag_at(ctx, "input", i)); i++)
		fx_buf_addf(&inputs, " -i %s", given);
	fx_graph_for_each_node (node, fx_model_graph(model)) {
		if (cmd_flag_at(ctx, "input", 0) || node->args.count ||
			node->opcode != FX_OPCODE_PLACEHOLDER ||
			fx_node_takes_rest(node))
			continue;
		fx_buf_addf(&inputs, " -i %s=", node->target);
		if (fx_input_add_form(&inputs, node))
			continue;
		fx_buf_add(&inputs, "...");
		fx_buf_addf(&unknown, "%s%s", unknown.length ? ", " : "",
			node->target);
	}
	/* Which of those with a default a run needs is not known. */
	if (!inputs.length)
		return err;
	for (size_t i = 0; (given = cmd_flag_at(ctx, "concrete", i)); i++)
		fx_buf_addf(&inputs, " -i %s", given);
	err = fx_error_note(err,
		"one real run can be recorded: trace %s "
		"--example%s%s",
		spec, cmd_flag(ctx, "train") ? " --train" : "",
		fx_buf_text(&inputs));
	if (!unknown.length)
		return err;
	return fx_error_note(err,
		"for ... of %s goes a shape, f32[2,3], or a value: randn(2, "
		"3), 3, 'text'",
		fx_buf_text(&unknown));
}

/* What leads on from ERR, or NULL: flags that were tried, after what was TYPED,
 * and a recording.
 */
static struct fx_error *
note_ways_out(struct cmd_ctx *ctx, struct fx_error *err,
	const struct fx_trace_result *report, const char *typed,
	struct fx_model *model)
{
	if (err && report->remedy && *report->remedy)
		err = fx_error_hint(err, "tried, and it is traced: %s%s", typed,
			report->remedy);
	if (err && report->can_record && model)
		err = note_recording(ctx, err, cmd_arg_text(ctx, "spec"),
			model);
	return err;
}

/* What a failed trace of SPEC left as NAME makes room for the next one, unless
 * it was edited since.  Returns whether it was current.
 */
static bool
drop_partial(struct cmd_ctx *ctx, const char *spec, const char *name)
{
	struct fx_model *model = fx_session_find_model(ctx->session, name);
	const struct fx_traced *traced = model ? fx_model_traced(model) : NULL;
	bool is_current = model == fx_session_model(ctx->session);

	if (!traced || !traced->is_partial || fx_model_is_unsaved(model) ||
		strcmp(traced->spec, spec) != 0)
		return false;
	cmd_shell_drop(ctx->shell, model);
	return is_current;
}

void
cmd_trace_say_missing_input(struct out *out, struct fx_model *model)
{
	FX_AUTO_BUF struct fx_buf form = { 0 };
	struct fx_node *node;

	fx_graph_for_each_node (node, fx_model_graph(model)) {
		if (node->opcode != FX_OPCODE_PLACEHOLDER || node->args.count ||
			fx_node_takes_rest(node) ||
			fx_model_input_given(model, node))
			continue;
		fx_input_add_hint(&form, node);
		out_note(out,
			"no input yet: input %s = %s, or the shape it takes, "
			"gives shapes and lets it run",
			node->name, fx_buf_text(&form));
		return;
	}
}

/* What was typed, to which flags may be added; the caller's.  What helps an
 * export is another way, which takes no letters: they are said anew.
 */
static char *
typed_line(struct cmd_ctx *ctx)
{
	bool is_export = cmd_flag(ctx, "export") != NULL;
	struct cmd_value *value;

	cmd_canonical_set(ctx, "suggest", NULL);
	if (is_export)
		cmd_canonical_set(ctx, "export", NULL);
	fx_vec_for_each (value, &ctx->parsed->values)
		if (!strcmp(value->name, "input"))
			value->is_left_out =
				is_export && fx_input_has_letters(value->text);
	return cmd_canonical_line(ctx);
}

/* Inputs have lines of their own in a script, but a run that is recorded needs
 * them.  The caller's.
 */
static char *
script_line(struct cmd_ctx *ctx)
{
	if (!cmd_flag(ctx, "example") && !cmd_flag(ctx, "export"))
		cmd_canonical_set(ctx, "input", NULL);
	return cmd_canonical_line(ctx);
}

/* Flags that do not go together. */
static struct fx_error *
check_flags(struct cmd_ctx *ctx)
{
	static const char *const others[] = { "example", "leaf", "concrete",
		"tracer", "partial", "suggest" };

	if (cmd_flag(ctx, "vary") && !cmd_flag(ctx, "example"))
		return fx_error_new(FX_ERR_USAGE,
			"--vary is of a run that is recorded: --example");
	if (cmd_flag(ctx, "partial") && cmd_flag(ctx, "example"))
		return fx_error_new(FX_ERR_USAGE,
			"--partial is of a trace; a run that is recorded gets "
			"through everything");
	if (cmd_flag(ctx, "suggest") && cmd_flag(ctx, "example"))
		return fx_error_new(FX_ERR_USAGE,
			"--suggest says whether a run can be recorded, and "
			"--example records one");
	for (size_t i = 0; i < FX_ARRAY_LEN(others); i++)
		if (cmd_flag(ctx, "export") && cmd_flag(ctx, others[i]))
			return fx_error_new(FX_ERR_USAGE,
				"--export lets torch.export make the graph, "
				"and --%s is of another way",
				others[i]);
	return NULL;
}

/* The lines that REPORT found, each what was TYPED with flags more. */
static void
say_suggested(struct cmd_ctx *ctx, const char *typed,
	const struct fx_trace_result *report)
{
	static const char *const keys[] = { "line", "gives" };

	out_table_begin(ctx->out, "suggestions", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < report->suggested.count; i++) {
		const struct fx_remark *found = &report->suggested.items[i];

		out_cell(ctx->out, FX_ROLE_PLAIN, "%s%s", typed, found->value);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", found->text);
	}
	out_table_end(ctx->out);
}

/* MODEL is traced: give it its inputs, and a recorded one its values. */
static struct fx_error *
begin_traced(struct cmd_ctx *ctx, struct fx_model *model)
{
	struct fx_error *err = cmd_trace_set_inputs(ctx, model);

	if (!err)
		err = run_recorded(ctx, model);
	if (err)
		return err;
	cmd_warn_of_shapes(ctx, model);
	/* A script may give it in its next line; if not, run says so. */
	if (cmd_is_typed(ctx))
		cmd_trace_say_missing_input(ctx->out, model);
	return NULL;
}

struct fx_error *
cmd_trace_exec(struct cmd_ctx *ctx)
{
	struct texts lists[LIST_COUNT] = { 0 };
	const char *spec = cmd_arg_text(ctx, "spec");
	const char *as = cmd_arg_text(ctx, "as");
	FX_AUTO_FREE char *name = as ? fx_xstrdup(as) : name_of(spec);
	bool was_partial = drop_partial(ctx, spec, name);
	struct fx_model *before =
		was_partial ? NULL : fx_session_model(ctx->session);
	FX_AUTO_FREE char *whole = cmd_canonical_line(ctx);
	FX_AUTO_FREE char *line = script_line(ctx);
	FX_AUTO_FREE char *typed = typed_line(ctx);
	struct fx_trace_result report;
	struct fx_model *model = NULL;
	struct fx_error *err;

	err = check_flags(ctx);
	if (err)
		return err;
	collect_flags(ctx, lists);
	cmd_overwrite_guard_traced(ctx, spec);
	err = fx_session_trace(ctx->session,
		&(struct fx_trace_request){
			.spec = spec,
			.tracer = cmd_flag(ctx, "tracer"),
			.leaves = lists[LEAVES].items,
			.leaf_count = lists[LEAVES].count,
			.concrete = lists[CONCRETE].items,
			.concrete_count = lists[CONCRETE].count,
			.train = cmd_flag(ctx, "train"),
			.is_example = cmd_flag(ctx, "example"),
			.is_checked = !cmd_flag(ctx, "no-check"),
			.is_export = cmd_flag(ctx, "export"),
			.is_partial = cmd_flag(ctx, "partial"),
			.is_suggest = cmd_flag(ctx, "suggest"),
			.inputs = lists[INPUTS].items,
			.input_count = lists[INPUTS].count,
			.vary = lists[VARY].items,
			.vary_count = lists[VARY].count,
		},
		&(struct fx_opening){ .name = *name ? name : NULL,
			.line = line,
			.line_with_inputs = whole },
		&report, &model);
	for (int i = 0; i < LIST_COUNT; i++)
		fx_vec_deinit(&lists[i]);
	ctx->shell->has_listed = false;
	if (!err && !model) {
		say_suggested(ctx, typed, &report);
		fx_trace_result_deinit(&report);
		return NULL;
	}
	err = note_ways_out(ctx, err, &report, typed, model);
	if (err)
		err = cmd_model_failed(ctx,
			note_partial(ctx, err, model, before));
	else
		cmd_trace_say_report(ctx, model, &report);
	fx_trace_result_deinit(&report);
	return err ? err : begin_traced(ctx, model);
}

void
cmd_trace_say_capture(struct cmd_ctx *ctx)
{
	const struct fx_traced *traced = fx_model_traced(ctx->model);

	if (!traced)
		return;
	out_field(ctx->out, "spec", FX_ROLE_PLAIN, "%s", traced->spec);
	if (*traced->options)
		out_field(ctx->out, "options", FX_ROLE_PLAIN, "%s",
			traced->options);
	if (*traced->mode)
		out_field(ctx->out, "mode", FX_ROLE_PLAIN, "%s", traced->mode);
	out_field(ctx->out, "python", FX_ROLE_PATH, "%s (%s)", traced->path,
		traced->python);
	out_field(ctx->out, "torch", FX_ROLE_PLAIN, "%s", traced->torch);
	out_field(ctx->out, "built", FX_ROLE_NUMBER, "%.1f ms",
		traced->build_ms);
	out_field(ctx->out, traced->recording ? "recorded" : "traced",
		FX_ROLE_NUMBER, "%.1f ms",
		traced->recording ? traced->recording->ms : traced->trace_ms);
	if (traced->recording && *traced->recording->varied)
		out_field(ctx->out, "sizes", FX_ROLE_PLAIN, "%s",
			traced->recording->varied);
	out_field_bool(ctx->out, "complete", FX_ROLE_PLAIN,
		!traced->is_partial);
}

void
cmd_trace_say_process(struct cmd_ctx *ctx)
{
	int pid = fx_model_process(ctx->model);

	if (pid && fx_model_is_of_program(ctx->model))
		out_field(ctx->out, "process", FX_ROLE_PLAIN,
			"%d, the program, waits; quit lets it go on", pid);
	else if (pid)
		out_field(ctx->out, "process", FX_ROLE_PLAIN,
			"%d holds the weights; kill ends it", pid);
}
