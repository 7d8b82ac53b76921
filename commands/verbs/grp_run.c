/* grp_run.c - running, onwards and back in time. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "session/breakpoint.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"

/* Show STOP unless the movement failed.  Ctrl-C ends the script around a run
 * too; at the prompt it is an answer like others.
 */
static FX_NODISCARD struct fx_error *
stopped(struct cmd_ctx *ctx, struct fx_error *err, struct fx_stop *stop)
{
	if (err)
		return err;
	cmd_say_stop(ctx, stop);
	if (stop->reason == FX_STOP_INTERRUPT && !cmd_is_typed(ctx))
		return fx_error_new(FX_ERR_INTERRUPTED, "interrupted");
	return NULL;
}

/* The graph that TO is nested in need not run, or not once more. */
static void
say_not_reached(struct cmd_ctx *ctx, const struct fx_node *to,
	const struct fx_stop *stop)
{
	bool is_over =
		stop->reason == FX_STOP_END || stop->reason == FX_STOP_TARGET;

	if (is_over && to->graph != fx_model_graph(ctx->model) &&
		(!stop->node || stop->node->graph != to->graph))
		out_note(ctx->out, "%%%s was not reached.", to->name);
}

/* Warn that the graph is incomplete if its trace failed.  What there is of the
 * graph runs to its end all the same.
 */
static void
warn_of_partial(struct cmd_ctx *ctx)
{
	const struct fx_traced *traced = fx_model_traced(ctx->model);

	if (traced && traced->is_partial)
		out_warning(ctx->out,
			"%s is incomplete, as tracing it failed: this runs "
			"what there is",
			fx_model_name(ctx->model));
}

static struct fx_error *
run_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_STOP struct fx_stop stop = { 0 };
	struct fx_node *to = cmd_flag_node(ctx, "to");

	struct fx_error *err;

	warn_of_partial(ctx);
	err = stopped(ctx, fx_position_run(ctx->session, ctx->model, to, &stop),
		&stop);
	if (!err && stop.reason == FX_STOP_TARGET &&
		!fx_model_has_values(ctx->model))
		out_note(ctx->out, "Shapes only: no values were computed.");
	if (!err && to)
		say_not_reached(ctx, to, &stop);
	return err;
}

static struct fx_error *
start_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_STOP struct fx_stop stop = { 0 };

	warn_of_partial(ctx);
	return stopped(ctx, fx_position_start(ctx->session, ctx->model, &stop),
		&stop);
}

/* In variants of move_exec: against the order of execution. */
#define BACK 0x100

static struct fx_error *
move_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_STOP struct fx_stop stop = { 0 };
	int variant = ctx->entry->variant;
	struct fx_movement movement = { (enum fx_move)(variant & ~BACK),
		(variant & BACK) != 0, (size_t)cmd_arg_int(ctx, "count", 1) };

	return stopped(ctx,
		fx_position_move(ctx->session, ctx->model, &movement, &stop),
		&stop);
}

/* As gdb: with a number, what it stopped at lets it pass that often less one.
 */
static struct fx_error *
continue_on(struct cmd_ctx *ctx)
{
	int64_t count = cmd_arg_int(ctx, "count", 1);
	int number = fx_position_stopped_by(ctx->model);
	const struct fx_breakpoint *b =
		number ? fx_breakpoint_find(ctx->session, number) : NULL;
	struct fx_error *err;

	if (count > 1 && !b)
		out_line(ctx->out, FX_ROLE_PLAIN,
			"Not stopped at a breakpoint: the number is ignored.");
	if (count <= 1 || !b)
		return move_exec(ctx);
	err = fx_breakpoint_ignore(ctx->session, number, (size_t)count - 1);
	if (err)
		return err;
	out_line(ctx->out, FX_ROLE_BREAKPOINT,
		"%s %d ignores the next %lld hit%s.",
		fx_stop_kind_title(b->kind), number, (long long)count - 1,
		count == 2 ? "" : "s");
	return move_exec(ctx);
}

/* Whether a run has come to its end, or to the node that raised and that its
 * graph ends with.
 */
static bool
is_at_end(const struct fx_model *model)
{
	const struct fx_node *node = fx_position_node(model);

	if (!fx_position_is_started(model))
		return false;
	return !node || (!fx_graph_next(node) &&
				!strcmp(fx_model_state(model, node), "E"));
}

/* A program that waits goes on there. */
static struct fx_error *
continue_exec(struct cmd_ctx *ctx)
{
	if (fx_model_is_of_program(ctx->model) && is_at_end(ctx->model))
		return cmd_leave(ctx, "");
	return continue_on(ctx);
}

/* Before the first node of a scope there is nothing to take back in it. */
static struct fx_error *
reverse_finish_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_STOP struct fx_stop stop = { 0 };
	struct fx_movement back = { FX_MOVE_FINISH, true, 1 };
	struct fx_node *node = fx_position_node(ctx->model);
	const char *scope = node ? fx_position_scope(ctx->model, node) : "";
	struct fx_error *err =
		fx_position_move(ctx->session, ctx->model, &back, &stop);

	if (!err && node && stop.node == node && stop.reason == FX_STOP_STEP)
		out_line(ctx->out, FX_ROLE_PLAIN,
			"At the beginning of %s: reverse-step leaves it.",
			scope);
	return stopped(ctx, err, &stop);
}

/* until without a node is gdb's: the next node, never back, which is next. */
static struct fx_error *
until_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_STOP struct fx_stop stop = { 0 };
	struct fx_node *node = cmd_arg_node(ctx, "node");
	struct fx_error *err;

	if (!node)
		return move_exec(ctx);
	if (fx_position_node(ctx->model) == node)
		out_line(ctx->out, FX_ROLE_PLAIN, "Already before %%%s.",
			node->name);
	err = stopped(ctx,
		fx_position_until(ctx->session, ctx->model, node, &stop),
		&stop);
	if (!err)
		say_not_reached(ctx, node, &stop);
	return err;
}

/* goto: end, tN, a node. */

static FX_NODISCARD struct fx_error *
goto_time(struct cmd_ctx *ctx, uint32_t time)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	struct fx_error *err = fx_model_goto_time(ctx->model, time, &report);

	if (err)
		return err;
	cmd_say_edit(ctx, &report);
	return NULL;
}

/* Whether TEXT is tN. */
static bool
is_time(const char *text, int64_t *ret)
{
	return *text == 't' && text[1] >= '0' && text[1] <= '9' &&
	       fx_number_parse_int(text + 1, strlen(text + 1), ret) &&
	       *ret <= UINT32_MAX;
}

/* NODE is of a graph around, which up selected, or of one that was entered. */
static FX_NODISCARD struct fx_error *
other_graph(const struct fx_model *model, const struct fx_node *node)
{
	const char *path = fx_model_graph_path(model, node->graph);
	size_t position;

	if (!fx_position_in(model, node->graph, &position))
		return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
					     "%%%s is in /%s, and execution "
					     "does not stand there",
					     node->name, path),
			"until %s.%s runs on to it, if that graph runs", path,
			node->name);
	return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
				     "%%%s is in a graph around that of "
				     "execution",
				     node->name),
		"until %s runs on to it, reverse-finish goes back out",
		node->name);
}

static struct fx_error *
goto_exec(struct cmd_ctx *ctx)
{
	struct fx_graph *graph = fx_position_innermost(ctx->model);
	const char *where = cmd_arg_text(ctx, "where");
	FX_AUTO_STOP struct fx_stop stop = { 0 };
	size_t position =
		graph->node_count - (fx_position_depth(ctx->model) > 0);
	struct fx_node *node;
	struct fx_error *err;
	int64_t time;

	if (is_time(where, &time))
		return goto_time(ctx, (uint32_t)time);
	if (strcmp(where, "end") != 0) {
		err = fx_resolve_node(ctx->session, ctx->model, where, &node);
		if (err)
			return err;
		if (node->graph != graph)
			return other_graph(ctx->model, node);
		position = fx_graph_position(graph, node);
	}
	return stopped(ctx,
		fx_position_goto(ctx->session, ctx->model, position, &stop),
		&stop);
}

static struct fx_error *
when_exec(struct cmd_ctx *ctx)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);
	size_t count = fx_position_innermost(ctx->model)->node_count;
	bool started = fx_position_is_started(ctx->model);
	size_t undo = fx_journal_undo_count(graph);
	uint32_t time = fx_journal_now(graph);

	out_value_bool(ctx->out, "started", started);
	if (started)
		out_value_int(ctx->out, "position",
			(int64_t)fx_position_get(ctx->model));
	out_value_int(ctx->out, "nodes", (int64_t)count);
	out_value_int(ctx->out, "time", time);
	out_value_int(ctx->out, "edits", (int64_t)undo);
	if (started)
		out_piece(ctx->out, FX_ROLE_PLAIN, "Before @%zu of %zu",
			fx_position_get(ctx->model), count);
	else
		out_piece(ctx->out, FX_ROLE_PLAIN, "Not started, %zu nodes",
			count);
	out_piece(ctx->out, FX_ROLE_PLAIN, "; time t%u, %zu edit%s", time, undo,
		undo == 1 ? "" : "s");
	out_line_end(ctx->out);
	return NULL;
}

static struct fx_error *
kill_exec(struct cmd_ctx *ctx)
{
	int process = fx_model_process(ctx->model);
	bool is_program = fx_model_is_of_program(ctx->model);
	FX_AUTO_FREE char *skipped = NULL;
	FX_AUTO_ERROR struct fx_error *err = NULL;
	const char *word = "";

	fx_position_kill(ctx->model);
	fx_mem_give_back();
	/* The values of what was run go, not what it is run with. */
	err = fx_model_fetch_weights(ctx->model, &skipped);
	fx_model_end_capture(ctx->model);
	if (is_program)
		word = "; the program goes on by itself when fxdb ends";
	else if (process)
		word = err ? "; its Python process ended, and its weights with "
			     "it"
			   : "; its Python process ended, its weights stay";
	out_line(ctx->out, FX_ROLE_PLAIN, "%s is not running now%s.",
		fx_model_name(ctx->model), word);
	return NULL;
}

#define COUNT_ARGS \
	{ \
		{ \
			"count", CMD_ARG_INT, CMD_OPTIONAL | CMD_FROM_ONE, \
				"how many times", NULL \
		} \
	}

const struct cmd_entry cmd_group_run[] = {
	{
		.name = "run",
		.aliases = "r",
		.summary = "run from the start to the first stop",
		.help = "Starts over and runs to the first breakpoint or the "
			"end. --to runs only what that node needs and stops "
			"after it.",
		.synonyms = "execute start go",
		.needs = CMD_NEED_GRAPH | CMD_RUNS_INTO,
		.flags = { { "to", 0, CMD_ARG_NODE, "stop after this node" } },
		.examples = { { "run", "to the first breakpoint or the end" },
			{ "run --to relu", "only what %relu needs" } },
		.exec = run_exec,
	},
	{
		.name = "start",
		.summary = "stop before the first computing node",
		.help = "Starts over; inputs and parameters are there, nothing "
			"has been computed.",
		.synonyms = "begin execute",
		.needs = CMD_NEED_GRAPH,
		.examples = { { "start", "begin stepping" } },
		.exec = start_exec,
	},
	{
		.name = "step",
		.aliases = "s",
		.summary = "run one node, into nested graphs",
		.help = "With set step-unit scope a whole module at once.",
		.synonyms = "forward one node single over into execute",
		.needs = CMD_NEED_GRAPH | CMD_REPEATS | CMD_LOOKS,
		.args = COUNT_ARGS,
		.examples = { { "step", "one node" },
			{ "s 3", "three nodes" } },
		.exec = move_exec,
		.variant = FX_MOVE_STEP,
	},
	{
		.name = "next",
		.aliases = "n",
		.summary = "run one node, over nested graphs",
		.help = "Like step, but a nested graph is one node.",
		.synonyms = "forward over step",
		.needs = CMD_NEED_GRAPH | CMD_REPEATS | CMD_LOOKS,
		.args = COUNT_ARGS,
		.examples = { { "next", "one node" } },
		.exec = move_exec,
		.variant = FX_MOVE_NEXT,
	},
	{
		.name = "continue",
		.aliases = "c",
		.summary = "run on to the next stop",
		.help = "To the next breakpoint or the end; with a number N, "
			"the one at the stop ignores the next N - 1 hits. In a "
			"program that fxdb.debug "
			"stopped, "
			"continue at the end lets the program go on.",
		.synonyms = "go resume run on",
		.needs = CMD_NEED_GRAPH | CMD_LOOKS,
		.args = COUNT_ARGS,
		.examples = { { "continue", "to the next breakpoint" } },
		.exec = continue_exec,
		.variant = FX_MOVE_CONTINUE,
	},
	{
		.name = "until",
		.aliases = "u",
		.summary = "run on to before a node",
		.help = "Breakpoints on the way stop too. Without a node it is "
			"next.",
		.synonyms = "to node advance",
		.needs = CMD_NEED_GRAPH | CMD_RUNS_INTO | CMD_LOOKS,
		.args = { { "node", CMD_ARG_NODE, CMD_OPTIONAL, "where to",
			NULL } },
		.examples = { { "until add", "to before %add" } },
		.exec = until_exec,
		.variant = FX_MOVE_NEXT,
	},
	{
		.name = "advance",
		.summary = "run on to before a node",
		.help = "The same as until with a node.",
		.synonyms = "to node until",
		.needs = CMD_NEED_GRAPH | CMD_RUNS_INTO,
		.args = { { "node", CMD_ARG_NODE, 0, "where to", NULL } },
		.examples = { { "advance add", "to before %add" } },
		.exec = until_exec,
		.variant = FX_MOVE_NEXT,
	},
	{
		.name = "finish",
		.aliases = "fin",
		.summary = "run to the end of this scope",
		.help = "Leaves the module scope at the stop, or the nested "
			"graph.",
		.synonyms = "leave module out",
		.needs = CMD_NEED_GRAPH | CMD_LOOKS,
		.examples = { { "finish", "out of this module" } },
		.exec = move_exec,
		.variant = FX_MOVE_FINISH,
	},
	{
		.name = "reverse-step",
		.aliases = "rs",
		.summary = "go one node back in time",
		.help = "Stops before the node that ran last. At the beginning "
			"it says so and stays.",
		.synonyms = "back backwards previous go back",
		.needs = CMD_NEED_GRAPH | CMD_REPEATS,
		.args = COUNT_ARGS,
		.examples = { { "reverse-step", "one node back" } },
		.exec = move_exec,
		.variant = BACK | FX_MOVE_STEP,
	},
	{
		.name = "reverse-next",
		.aliases = "rn",
		.summary = "go one node back, over nested graphs",
		.help = "Like reverse-step, but a nested graph is one node.",
		.synonyms = "back backwards previous go back",
		.needs = CMD_NEED_GRAPH | CMD_REPEATS,
		.args = COUNT_ARGS,
		.examples = { { "reverse-next", "one node back" } },
		.exec = move_exec,
		.variant = BACK | FX_MOVE_NEXT,
	},
	{
		.name = "reverse-continue",
		.aliases = "rc",
		.summary = "go back to the stop before",
		.help = "Back to the last breakpoint passed, or the beginning; "
			"with a number N, the one at the stop ignores the next "
			"N - 1 hits.",
		.synonyms = "back backwards go back",
		.needs = CMD_NEED_GRAPH | CMD_REPEATS,
		.args = COUNT_ARGS,
		.examples = { { "rc", "back to a breakpoint" } },
		.exec = continue_on,
		.variant = BACK | FX_MOVE_CONTINUE,
	},
	{
		.name = "reverse-finish",
		.summary = "go back to before this scope",
		.help = "Back to where the module scope at the stop was "
			"entered.",
		.synonyms = "back backwards go back",
		.needs = CMD_NEED_GRAPH | CMD_REPEATS,
		.examples = { { "reverse-finish", "before this module" } },
		.exec = reverse_finish_exec,
	},
	{
		.name = "goto",
		.summary = "jump to a position or a time",
		.help = "A node or @N moves execution there, onwards or back, "
			"breakpoints or not; end is past the last node, in a "
			"nested graph before its output; tN takes the edits to "
			"that time.",
		.synonyms = "jump seek time travel go back",
		.needs = CMD_NEED_GRAPH,
		.args = { { "where", CMD_ARG_LOCATION, 0,
			"a node, @N, end or tN", NULL } },
		.examples = { { "goto @0", "to the beginning" },
			{ "goto end", "past the last node" },
			{ "goto t0", "undo all edits" } },
		.exec = goto_exec,
	},
	{
		.name = "when",
		.summary = "say where in time we are",
		.help = "Position, number of nodes, time index, edits.",
		.synonyms = "time position now",
		.needs = CMD_NEED_GRAPH,
		.examples = { { "when", "position and time" } },
		.exec = when_exec,
	},
	{
		.name = "kill",
		.aliases = "k",
		.summary = "drop all values, as before start",
		.help = "Breakpoints, edits and weights stay. The process of a "
			"traced model ends.",
		.synonyms = "stop reset end process memory free values",
		.needs = CMD_NEED_GRAPH,
		.examples = { { "kill", "forget what was run" } },
		.exec = kill_exec,
	},
	{ .name = NULL },
};
