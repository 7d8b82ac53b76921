/* grp_pass.c - passes, differences, shapes. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/pass_run.h"
#include "commands/verbs/passing.h"
#include "commands/verbs/shapes.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "pass/engine.h"
#include "session/model.h"
#include "session/passing.h"
#include "session/session.h"

/* pass. */

static const char *
type_word(enum fx_pass_option_type type)
{
	switch (type) {
	case FX_PASS_OPTION_SWITCH:
		return "switch";
	case FX_PASS_OPTION_INT:
		return "number";
	case FX_PASS_OPTION_TEXT:
		break;
	}
	return "word";
}

/* pass list NAME: what one may be told. */
static struct fx_error *
list_options(struct cmd_ctx *ctx, const char *name)
{
	static const char *const keys[] = { "option", "type", "default",
		"does" };
	const struct fx_pass *pass = fx_pass_find(name);
	struct fx_pass_option option;

	if (!pass)
		return cmd_pass_unknown(name);
	out_line(ctx->out, FX_ROLE_PLAIN, "%s: %s (%s)", pass->name,
		pass->summary,
		pass->claim == FX_CLAIM_EXACT ? "exact" : "algebraic");
	out_table_begin(ctx->out, "options", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; fx_pass_option_at(pass, i, &option); i++) {
		out_cell(ctx->out, FX_ROLE_KEYWORD, "%s", option.name);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s",
			option.choices ? option.choices
				       : type_word(option.type));
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", option.initial);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", option.help);
	}
	out_table_end(ctx->out);
	return NULL;
}

static struct fx_error *
list_passes(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "pass", "does", "options" };
	const char *name = cmd_arg_text(ctx, "what");
	const struct fx_pass *pass;
	struct fx_pass_option option;

	if (name)
		return list_options(ctx, name);
	out_table_begin(ctx->out, "passes", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; (pass = fx_pass_at(i)); i++) {
		FX_AUTO_BUF struct fx_buf options = { 0 };

		for (size_t j = 0; fx_pass_option_at(pass, j, &option); j++)
			fx_buf_addf(&options, "%s%s", j ? " " : "",
				option.name);
		out_cell(ctx->out, FX_ROLE_KEYWORD, "%s", pass->name);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", pass->summary);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&options));
	}
	out_table_end(ctx->out);
	return NULL;
}

/* What the candidate that is asked about would change. */
static FX_NODISCARD struct fx_error *
diff_candidate(struct cmd_ctx *ctx, const struct fx_passing *passing)
{
	struct fx_graph *graphs[2];
	struct fx_error *err = fx_passing_preview(passing, graphs);

	if (err || !graphs[0])
		return err;
	err = cmd_diff_graphs(ctx, graphs);
	fx_graph_free(graphs[0]);
	fx_graph_free(graphs[1]);
	return err;
}

/* What the last pass changed. */
static FX_NODISCARD struct fx_error *
diff_pass(struct cmd_ctx *ctx)
{
	const struct fx_passing *passing = fx_session_passing(ctx->session);
	struct fx_graph *graph = fx_model_graph(ctx->model);
	uint32_t id = fx_journal_now(graph);
	const struct fx_transaction *t = fx_journal_get(graph, id);
	struct fx_graph *refused[2];
	const char *why = fx_model_refused(ctx->model, refused);

	if (passing && fx_passing_candidate(passing))
		return diff_candidate(ctx, passing);
	if (why) {
		out_line(ctx->out, FX_ROLE_PLAIN, "%s", why);
		return cmd_diff_graphs(ctx, refused);
	}

	while (t && t->id && !cmd_made_by_pass(t))
		t = fx_journal_get(graph, t->parent);
	if (!t || !t->id)
		return fx_error_new(FX_ERR_NO_NAME, "no pass has changed %s",
			fx_model_name(ctx->model));
	out_line(ctx->out, FX_ROLE_PLAIN, "t%u: %s", t->id, t->command);
	return cmd_diff_times(ctx, t->parent, t->id);
}

static struct fx_error *
unexpected(struct cmd_ctx *ctx, const char *what)
{
	struct fx_error *err = fx_error_new(FX_ERR_USAGE,
		"pass %s: unexpected \"%s\"", what, cmd_arg_text(ctx, "what"));

	return strcmp(what, "diff") != 0
		       ? fx_error_hint(err, "pass %s", what)
		       : fx_error_hint(err, "diff t1 t2 compares two times");
}

static struct fx_error *
pass_exec(struct cmd_ctx *ctx)
{
	const char *what = cmd_arg_text(ctx, "action");
	struct fx_model *model;
	struct fx_error *err;

	if (!what || !strcmp(what, "list"))
		return list_passes(ctx);
	if (strcmp(what, "run") != 0 && cmd_arg_count(ctx, "what"))
		return unexpected(ctx, what);
	if (!ctx->model)
		return fx_session_need_model(ctx->session, &model);
	if (!strcmp(what, "diff"))
		return diff_pass(ctx);
	err = fx_session_need_writable(ctx->session);
	if (err)
		return err;
	return !strcmp(what, "run") ? cmd_pass_run(ctx)
				    : cmd_passing_answer(ctx, what);
}

const struct cmd_entry cmd_group_pass[] = {
	{
		.name = "pass",
		.summary = "list or run passes, or show what one changed",
		.help = "A pass runs as one transaction, is verified and "
			"reported; undo takes it back whole. Several run in a "
			"row, each followed by its options, which pass list "
			"NAME tells of. -n lists the "
			"candidates with their keys, --only takes some of "
			"them, -s stops at each: then a line that is y, n, a, "
			"k or q decides (yes, no, all the rest, stop and keep, "
			"stop and take all back), and any other line is a "
			"command. A pass that changes what the graph computes "
			"is refused (set verify); pass diff shows what it "
			"did. A function of your Python from GraphModule to "
			"GraphModule is one too: python:FILE.py:FUNCTION, "
			"python:package.FUNCTION; its candidates are the "
			"changes that do not need each other.",
		.synonyms = "optimize transform dead code elimination dce run "
			    "unused nodes optimise simplify remove",
		.args = { { "action", CMD_ARG_WORD, CMD_OPTIONAL, "what to do",
				  "list|run|diff|yes|no|all|keep|quit" },
			{ "what", CMD_ARG_PASS, CMD_OPTIONAL | CMD_REPEATED,
				"passes, each with its options", NULL } },
		.flags = { { "step", 's', CMD_ARG_END,
				   "stop at each candidate" },
			{ "only", 0, CMD_ARG_WORD,
				"keys of candidates, with commas between" },
			{ "dry-run", 'n', CMD_ARG_END,
				"show the candidates, change nothing" },
			{ "force", 'f', CMD_ARG_END,
				"allow shapes that cannot be" } },
		.examples = { { "pass", "list the passes" },
			{ "pass run dce", "drop what nobody uses" },
			{ "pass run python:passes.py:fold",
				"a pass of your Python" },
			{ "pass diff",
				"what the last pass changed, or would" } },
		.exec = pass_exec,
	},
	{
		.name = "diff",
		.summary = "show what differs between graphs or times",
		.help = "Nodes are paired by names where calls agree, else by "
			"structure: a node that is called otherwise is "
			"renamed (=), one whose target or arguments differ is "
			"changed (~), and which ones is said. Modules, "
			"parameters and buffers are paired by path, and so "
			"are nested graphs, whose rows stand under /PATH. "
			"--script "
			"says the commands that, typed into the first, make "
			"the second; ids, values and breakpoints of what is "
			"the same stay. They are tried first: a comment "
			"there tells what no command makes. Nested graphs are "
			"entered, outlined and "
			"inlined. Without "
			"arguments the graph as it was opened against now; tN "
			"against now or another tN; a graph against the "
			"current one; or two graphs. Of values: set $was = "
			"output, edit, run, then "
			"print difference($was, output). In a script a "
			"difference is a failed check: the exit status is 1. "
			"help flags tells of -o, -g and others.",
		.synonyms = "compare changes difference changed before after "
			    "versions what",
		.needs = CMD_NEED_GRAPH,
		.args = { { "before", CMD_ARG_GRAPH, CMD_OPTIONAL,
				  "a graph or tN", NULL },
			{ "after", CMD_ARG_GRAPH, CMD_OPTIONAL, "another",
				NULL } },
		.flags = { { "script", 0, CMD_ARG_END,
				   "the commands that turn the first into the "
				   "second" },
			{ "values", 0, CMD_ARG_END,
				"also what their nodes give, as compare" } },
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
			"listed with the reason. -e explains one node. Where "
			"an operation needs two sizes to be equal, symbols "
			"are taken to fulfil that, and it is shown as a "
			"condition with the node that needs it, solved for a "
			"symbol where that is possible; one that contradicts "
			"another names both nodes. Sizes that are given later "
			"and break one are told so. A symbol is not 1, so "
			"sizes that broadcast are equal. That a kernel fits "
			"into its input is no condition that is shown.",
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
		.exec = cmd_shapes_exec,
	},
	{ .name = NULL },
};
