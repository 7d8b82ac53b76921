/* grp_pass.c - passes, differences, shapes. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/python_pass.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "pass/engine.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/session.h"
#include "session/verify.h"

/* pass. */

static struct fx_error *
list_passes(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "pass", "does", "options" };
	const struct fx_pass *pass;
	size_t i;

	out_table_begin(ctx->out, "passes", FX_ARRAY_LEN(keys), keys);
	for (i = 0; (pass = fx_pass_at(i)); i++) {
		out_cell(ctx->out, FX_ROLE_KEYWORD, "%s", pass->name);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", pass->summary);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", pass->options);
	}
	out_table_end(ctx->out);
	return NULL;
}

struct pass_edit {
	struct cmd_ctx *ctx;
	struct fx_pass_run run;
	struct fx_verify *verify; /* NULL: it is off, or nothing is kept */
	struct fx_verify_result verified;
};

/* Asking needs a user; without one everything is applied. */
static enum fx_pass_answer
ask(void *context, const struct fx_candidate *candidate)
{
	struct pass_edit *edit = context;
	const struct front *front = edit->ctx->front;
	FX_AUTO_FREE char *prompt = NULL;
	FX_AUTO_FREE char *line = NULL;

	prompt = fx_xasprintf("%s? [y]es [n]o [a]ll [q]uit [x] take all back ",
		candidate->text);
	line = front->read_line(front->context, prompt);
	switch (line ? *line : 'q') {
	case 'y':
	case '\0':
		return FX_PASS_APPLY;
	case 'a':
		return FX_PASS_REST;
	case 'x':
		return FX_PASS_ABORT;
	case 'q':
		return FX_PASS_QUIT;
	}
	return FX_PASS_SKIP;
}

static void
show(void *context, const struct fx_candidate *candidate, bool applied)
{
	struct pass_edit *edit = context;

	out_cell(edit->ctx->out, FX_ROLE_CHANGED, "%s",
		applied ? "done" : "skipped");
	out_cell(edit->ctx->out, FX_ROLE_PLAIN, "%s", candidate->text);
}

static bool
tick(void *context)
{
	struct pass_edit *edit = context;
	const struct front *front = edit->ctx->front;

	return front->tick(front->context);
}

struct fx_error *
cmd_verify_pass(struct cmd_ctx *ctx, const char *name, struct fx_verify *verify,
	struct fx_verify_result *ret)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err =
		fx_verify_graph(verify, fx_model_graph(ctx->model), ret);
	bool is_strict = fx_verify_mode(ctx->session) == FX_VERIFY_MODE_STRICT;

	if (err)
		return err;
	fx_verify_print(&text, ret);
	if (ret->verdict == FX_VERDICT_DIFFERS)
		return fx_error_new(FX_ERR_CHECK,
			"refused: %s changed output: %s; graph kept", name,
			fx_buf_text(&text));
	if (ret->verdict == FX_VERDICT_UNKNOWN && is_strict)
		return fx_error_hint(fx_error_new(FX_ERR_CHECK,
					     "refused: %s was %s; graph kept",
					     name, fx_buf_text(&text)),
			"set verify on");
	return NULL;
}

void
cmd_say_verified(struct cmd_ctx *ctx, const struct fx_verify_result *verified)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (cmd_flag(ctx, "dry-run"))
		return;
	if (verified)
		fx_verify_print(&text, verified);
	else
		fx_buf_add(&text, "not verified: set verify is off");
	out_line(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
}

static struct fx_error *
pass_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	static const char *const keys[] = { "status", "step" };
	struct pass_edit *edit = data;
	struct fx_error *err;

	(void)script;
	edit->run.context = edit;
	edit->run.show = show;
	edit->run.tick = tick;
	if (cmd_flag(ctx, "step") &&
		ctx->front->is_interactive(ctx->front->context))
		edit->run.ask = ask;
	out_table_begin(ctx->out, "steps", FX_ARRAY_LEN(keys), keys);
	err = fx_pass_apply(fx_model_graph(ctx->model), &edit->run);
	out_table_end(ctx->out);
	cmd_canonical_set(ctx, "step", NULL);
	if (!err && edit->verify && edit->run.applied)
		err = cmd_verify_pass(ctx, edit->run.pass->name, edit->verify,
			&edit->verified);
	return err;
}

static FX_NODISCARD struct fx_error *
unknown_pass(const char *name)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	const struct fx_pass *pass;
	size_t i;

	for (i = 0; (pass = fx_pass_at(i)); i++)
		fx_buf_addf(&names, "%s%s", i ? ", " : "", pass->name);
	return fx_error_note(fx_error_new(FX_ERR_NO_NAME, "no pass \"%s\"",
				     name),
		"passes: %s", fx_buf_text(&names));
}

/* PASS reads parameters, which may still be in the process that traced them.
 */
static FX_NODISCARD struct fx_error *
need_weights(struct cmd_ctx *ctx, const struct fx_pass *pass)
{
	FX_AUTO_FREE char *skipped = NULL;
	struct fx_error *err = NULL;
	size_t count;

	if (!pass->needs_weights)
		return NULL;
	err = fx_model_fetch_weights(ctx->model, &skipped);
	count = err ? 0 : fx_model_count_weightless(ctx->model);
	if (count)
		out_note(ctx->out,
			"%zu parameters and buffers have no values, which %s "
			"needs; weights random makes some up",
			count, pass->name);
	return err;
}

static FX_NODISCARD struct fx_error *
run_pass(struct cmd_ctx *ctx)
{
	struct pass_edit edit = { .ctx = ctx };
	const char *name = cmd_arg_text(ctx, "name");
	FX_AUTO_BUF struct fx_buf options = { 0 };
	struct fx_error *err;
	size_t i;

	if (!name)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "pass run: expected the name of "
					     "a pass"),
			"pass lists them");
	if (cmd_is_python_pass(name))
		return cmd_python_pass(ctx, name);
	edit.run.pass = fx_pass_find(name);
	if (!edit.run.pass)
		return unknown_pass(name);
	for (i = 0; i < cmd_arg_count(ctx, "options"); i++)
		fx_buf_addf(&options, "%s%s", i ? " " : "",
			cmd_arg_text_at(ctx, "options", i));
	edit.run.options = options.length ? options.data : NULL;
	if (fx_verify_mode(ctx->session) != FX_VERIFY_MODE_OFF &&
		!cmd_flag(ctx, "dry-run"))
		edit.verify = fx_verify_new(ctx->session, ctx->model,
			&(struct fx_verify_options){
				.claim = edit.run.pass->claim });
	err = need_weights(ctx, edit.run.pass);
	if (!err)
		err = cmd_edit(ctx, edit.run.pass->name, pass_edit, &edit);
	if (!err && edit.run.applied)
		cmd_say_verified(ctx, edit.verify ? &edit.verified : NULL);
	fx_verify_free(edit.verify);
	fx_verify_result_deinit(&edit.verified);
	if (err)
		return err;
	out_value_int(ctx->out, "candidates", (int64_t)edit.run.candidates);
	out_value_int(ctx->out, "applied", (int64_t)edit.run.applied);
	return NULL;
}

/* What the last pass changed. */
static FX_NODISCARD struct fx_error *
diff_pass(struct cmd_ctx *ctx)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);
	uint32_t id = fx_journal_now(graph);
	const struct fx_transaction *t = fx_journal_get(graph, id);

	while (t && t->id &&
		(!t->maker || !(fx_pass_find(t->maker) ||
				      cmd_is_python_pass(t->maker))))
		t = fx_journal_get(graph, t->parent);
	if (!t || !t->id)
		return fx_error_new(FX_ERR_NO_NAME, "no pass has changed %s",
			fx_model_name(ctx->model));
	out_line(ctx->out, FX_ROLE_PLAIN, "t%u: %s", t->id, t->command);
	return cmd_diff_times(ctx, t->parent, t->id);
}

static struct fx_error *
pass_exec(struct cmd_ctx *ctx)
{
	const char *what = cmd_arg_text(ctx, "action");
	struct fx_model *model;
	struct fx_error *err;

	if (!what || !strcmp(what, "list"))
		return list_passes(ctx);
	if (!ctx->model)
		return fx_session_need_model(ctx->session, &model);
	if (!strcmp(what, "diff"))
		return diff_pass(ctx);
	err = fx_session_need_writable(ctx->session);
	return err ? err : run_pass(ctx);
}

/* shapes. */

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
	struct fx_graph *graph = fx_model_graph(ctx->model);
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
	return NULL;
}

static struct fx_error *
shapes_exec(struct cmd_ctx *ctx)
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
	return NULL;
}

const struct cmd_entry cmd_group_pass[] = {
	{
		.name = "pass",
		.summary = "list or run passes, or show what one changed",
		.help = "A pass runs as one transaction, is verified and "
			"reported; undo takes it back whole. -n only shows the "
			"steps, -s asks before each one. A function of your "
			"Python from GraphModule to GraphModule is one too: "
			"python:FILE.py:FUNCTION, python:package.FUNCTION.",
		.synonyms = "optimize transform dead code elimination dce run "
			    "unused nodes optimise simplify remove",
		.args = { { "action", CMD_ARG_WORD, CMD_OPTIONAL, "what to do",
				  "list|run|diff" },
			{ "name", CMD_ARG_PASS, CMD_OPTIONAL, "which pass",
				NULL },
			{ "options", CMD_ARG_WORD, CMD_OPTIONAL | CMD_REPEATED,
				"words that the pass takes", NULL } },
		.flags = { { "step", 's', CMD_ARG_END, "ask for each step" },
			{ "dry-run", 'n', CMD_ARG_END,
				"show the steps, change nothing" },
			{ "force", 'f', CMD_ARG_END,
				"allow shapes that cannot be" } },
		.examples = { { "pass", "list the passes" },
			{ "pass run dce", "drop what nobody uses" },
			{ "pass run python:passes.py:fold",
				"a pass of your Python" },
			{ "pass diff", "what the last pass changed" } },
		.exec = pass_exec,
	},
	{
		.name = "diff",
		.summary = "show what differs between graphs or times",
		.help = "Nodes are paired by names where calls agree, else by "
			"structure: a node that is called otherwise is "
			"renamed (=), one whose target or arguments differ is "
			"changed (~), and which ones is said. Modules, "
			"parameters and buffers are paired by path. --script "
			"says the commands that, typed into the first, make "
			"the second; ids, values and breakpoints of what is "
			"the same stay. A comment there tells what no command "
			"makes. Without "
			"arguments the graph as it was opened against now; tN "
			"against now; a graph against the current one; or two "
			"graphs. Of values: set $was = output, edit, run, then "
			"print difference($was, output). In a script a "
			"difference is a failed check: the exit status is 1. "
			"help flags tells of -o, -g and others.",
		.synonyms = "compare changes difference changed before after "
			    "versions what",
		.needs = CMD_NEED_GRAPH,
		.args = { { "before", CMD_ARG_GRAPH, CMD_OPTIONAL,
				  "a graph or tN", NULL },
			{ "after", CMD_ARG_GRAPH, CMD_OPTIONAL, "another graph",
				NULL } },
		.flags = { { "script", 0, CMD_ARG_END,
			"the commands that turn the first into the second" } },
		.examples = { { "diff", "all edits so far" },
			{ "diff base exp --script -o exp.fxdb",
				"as commands, to be typed into base" },
			{ "diff base exp", "two graphs" } },
		.exec = cmd_diff_exec,
	},
	{
		.name = "shapes",
		.summary = "propagate shapes without data",
		.help = "From the inputs through the rule of each operation; a "
			"name instead of a number is a symbol. Inputs that "
			"were given stay for running. What has no shape is "
			"listed with the reason. -e explains one node.",
		.synonyms = "shape propagate dtype infer meta mismatch wrong "
			    "sizes dimensions",
		.needs = CMD_NEED_GRAPH,
		.args = { { "input", CMD_ARG_SPEC, CMD_OPTIONAL | CMD_REPEATED,
			"x=f32[N,3,H,W]", NULL } },
		.flags = { { "explain", 'e', CMD_ARG_NODE,
				   "why this node has its shape" },
			{ "max", 'm', CMD_ARG_INT, "at most this many rows" } },
		.examples = { { "shapes x=f32[1,8]", "give an input" },
			{ "shapes -e relu", "explain one node" } },
		.exec = shapes_exec,
	},
	{ .name = NULL },
};
