/* grp_break.c - breakpoints. */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "lang/parse.h"
#include "session/breakpoint.h"
#include "session/position.h"
#include "session/resolve.h"

static void
say_breakpoint(struct cmd_ctx *ctx, const struct fx_breakpoint *breakpoint)
{
	const char *kind = cmd_breakpoint_kind(breakpoint->is_temporary);
	FX_AUTO_FREE struct fx_node **nodes = NULL;
	const struct fx_node *first;
	size_t count = 0;

	fx_breakpoint_nodes(ctx->session, breakpoint, &nodes, &count);
	first = count ? nodes[0] : NULL;
	out_value_int(ctx->out, "number", breakpoint->number);
	out_value_int(ctx->out, "matches", (int64_t)count);
	if (!count)
		out_line(ctx->out, FX_ROLE_BREAKPOINT, "%s %d (%s) pending.",
			kind, breakpoint->number, breakpoint->where);
	else if (count == 1)
		out_line(ctx->out, FX_ROLE_BREAKPOINT, "%s %d at @%zu %s", kind,
			breakpoint->number,
			fx_graph_position(first->graph, first), first->name);
	else
		out_line(ctx->out, FX_ROLE_BREAKPOINT,
			"%s %d: %zu nodes, first @%zu %s", kind,
			breakpoint->number, count,
			fx_graph_position(first->graph, first), first->name);
}

/* Where to stop when nothing was said: before the node at the stop. */
static FX_NODISCARD struct fx_error *
default_place(struct cmd_ctx *ctx, const char *condition, char **ret)
{
	FX_AUTO_FREE char *usual = NULL;
	struct fx_node *node;
	struct fx_error *err = cmd_here(ctx, &node);

	if (err) {
		usual = cmd_usual_condition(ctx, condition);
		return fx_error_hint(err,
			"break NODE; break {} if %s stops at any", usual);
	}
	*ret = fx_xasprintf("%%%s", node->name);
	return NULL;
}

/* A condition is evaluated at each hit; that it can be read is seen now. */
static FX_NODISCARD struct fx_error *
check_condition(const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_ast *tree;

	if (!text)
		return NULL;
	return fx_parse_expression(arena, text, strlen(text),
		FX_PARSE_DESIGNATORS | FX_PARSE_EQUAL_COMPARES, &tree);
}

/* It can be put right later, and a nested graph has other names.  Before the
 * start what values would say is not known.
 */
static void
warn_of_condition(struct cmd_ctx *ctx, const char *text)
{
	struct fx_error *err = NULL;
	const char *hint;
	bool truth;

	if (text && ctx->model)
		err = fx_resolve_condition(ctx->session, ctx->model, text,
			&truth);
	if (err && fx_error_code(err) != FX_ERR_NOT_RUN &&
		fx_error_code(err) != FX_ERR_NO_VALUE &&
		((fx_error_code(err) != FX_ERR_TYPE &&
			 fx_error_code(err) != FX_ERR_NOT_KNOWN) ||
			fx_position_is_started(ctx->model))) {
		/* A name may be a function's; else values are missing yet. */
		hint = fx_error_code(err) == FX_ERR_NO_NODE
			       ? fx_error_hint_text(err)
			       : NULL;
		out_warning(ctx->out, "the condition cannot be tested: %s%s%s",
			fx_error_message(err), hint ? "; " : "",
			hint ? hint : "");
	}
	fx_error_free(err);
}

/* Of several nodes, the first may stand above what the condition asks for. */
static void
warn_of_late(struct cmd_ctx *ctx, const struct fx_breakpoint *breakpoint)
{
	struct fx_node *at;
	const struct fx_node *late =
		fx_breakpoint_late(ctx->session, breakpoint, &at);

	if (late)
		out_warning(ctx->out,
			"before @%zu %%%s, the first of them, %%%s has not "
			"run: the condition cannot be tested there, and "
			"execution stops",
			fx_graph_position(at->graph, at), at->name, late->name);
}

static bool
wants_pending(struct cmd_ctx *ctx, const struct fx_error *err)
{
	FX_AUTO_FREE char *question = NULL;

	if (!ctx->front->is_interactive(ctx->front->context))
		return false;
	question = fx_xasprintf("%s%s%s. Make the breakpoint pending?",
		fx_error_message(err), fx_error_note_count(err) ? "; " : "",
		fx_error_note_count(err) ? fx_error_note_text(err, 0) : "");
	return ctx->front->confirm(ctx->front->context, question);
}

static struct fx_error *
break_exec(struct cmd_ctx *ctx)
{
	const char *where = cmd_arg_text(ctx, "where");
	const char *condition = cmd_arg_text(ctx, "if");
	struct fx_breakpoint_spec spec = { .condition = condition,
		.is_temporary = ctx->entry->variant,
		.is_pending = cmd_flag(ctx, "pending") };
	FX_AUTO_FREE char *place = where ? fx_xstrdup(where) : NULL;
	const struct fx_breakpoint *breakpoint;
	struct fx_error *err = NULL;

	err = check_condition(condition);
	if (!err && !place)
		err = default_place(ctx, condition, &place);
	if (err)
		return err;
	spec.where = place;
	err = fx_breakpoint_add(ctx->session, ctx->model, &spec, &breakpoint);
	if (err && fx_error_code(err) == FX_ERR_NO_NODE &&
		wants_pending(ctx, err)) {
		fx_error_free(err);
		spec.is_pending = true;
		err = fx_breakpoint_add(ctx->session, ctx->model, &spec,
			&breakpoint);
	}
	if (err)
		return err;
	say_breakpoint(ctx, breakpoint);
	warn_of_condition(ctx, condition);
	warn_of_late(ctx, breakpoint);
	return NULL;
}

/* info breakpoints. */

static void
cell_state(struct cmd_ctx *ctx, const struct fx_breakpoint *breakpoint)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_add(&text, breakpoint->is_enabled ? "on" : "off");
	if (breakpoint->is_temporary)
		fx_buf_add(&text, ", once");
	if (breakpoint->is_pending)
		fx_buf_add(&text, ", pending");
	if (breakpoint->ignore_count)
		fx_buf_addf(&text, ", ignores %zu", breakpoint->ignore_count);
	out_cell(ctx->out, FX_ROLE_STATE, "%s", fx_buf_text(&text));
}

struct fx_error *
cmd_say_breakpoints(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "number", "state", "where",
		"condition", "nodes", "hits", "~enabled", "~temporary",
		"~pending", "~ignore" };
	size_t count = fx_breakpoint_count(ctx->session);
	size_t i;

	if (!count)
		out_line(ctx->out, FX_ROLE_PLAIN, "No breakpoints.");
	out_table_begin(ctx->out, "breakpoints", FX_ARRAY_LEN(keys), keys);
	for (i = 0; i < count; i++) {
		const struct fx_breakpoint *b =
			fx_breakpoint_at(ctx->session, i);

		out_cell_int(ctx->out, FX_ROLE_NUMBER, b->number);
		cell_state(ctx, b);
		out_cell(ctx->out, FX_ROLE_NODE, "%s", b->where);
		if (b->condition)
			out_cell(ctx->out, FX_ROLE_PLAIN, "%s", b->condition);
		else
			out_cell_none(ctx->out, "");
		out_cell_int(ctx->out, FX_ROLE_NUMBER, (int64_t)b->match_count);
		out_cell_int(ctx->out, FX_ROLE_NUMBER, (int64_t)b->hit_count);
		out_cell_bool(ctx->out, FX_ROLE_PLAIN, b->is_enabled);
		out_cell_bool(ctx->out, FX_ROLE_PLAIN, b->is_temporary);
		out_cell_bool(ctx->out, FX_ROLE_PLAIN, b->is_pending);
		out_cell_int(ctx->out, FX_ROLE_NUMBER,
			(int64_t)b->ignore_count);
	}
	out_table_end(ctx->out);
	return NULL;
}

/* Numbers: "1-3 5". */

typedef struct fx_error *number_fn(struct cmd_ctx *ctx, int number);

static FX_NODISCARD struct fx_error *
bad_number(const char *text)
{
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "expected a number or a range such as "
				     "1-3, got \"%s\"",
				     text),
		"info breakpoints lists them; erase NODE is for nodes");
}

/* Gaps in a range are allowed, an empty one is not. */
static FX_NODISCARD struct fx_error *
do_between(struct cmd_ctx *ctx, int first, int last, number_fn *act)
{
	size_t done = 0;

	for (size_t i = fx_breakpoint_count(ctx->session); i-- > 0;) {
		int number = fx_breakpoint_at(ctx->session, i)->number;
		struct fx_error *err;

		if (number < first || number > last)
			continue;
		err = act(ctx, number);
		if (err)
			return err;
		done++;
	}
	if (done)
		return NULL;
	return fx_error_new(FX_ERR_NO_NAME, "no breakpoint from %d to %d",
		first, last);
}

static FX_NODISCARD struct fx_error *
do_range(struct cmd_ctx *ctx, const char *text, number_fn *act)
{
	const char *dash = strchr(text, '-');
	size_t length = dash ? (size_t)(dash - text) : strlen(text);
	int64_t first;
	int64_t last;

	if (!fx_number_parse_int(text, length, &first))
		return bad_number(text);
	last = first;
	if (dash && !fx_number_parse_int(dash + 1, strlen(dash + 1), &last))
		return bad_number(text);
	if (first < 0 || last < first || last > INT32_MAX)
		return bad_number(text);
	if (last == first)
		return act(ctx, (int)first);
	return do_between(ctx, (int)first, (int)last, act);
}

static FX_NODISCARD struct fx_error *
do_numbers(struct cmd_ctx *ctx, number_fn *act)
{
	size_t count = cmd_arg_count(ctx, "numbers");
	struct fx_error *err;
	size_t i;

	for (i = 0; i < count; i++) {
		err = do_range(ctx, cmd_arg_text_at(ctx, "numbers", i), act);
		if (err)
			return err;
	}
	return NULL;
}

static struct fx_error *
enable_one(struct cmd_ctx *ctx, int number)
{
	return fx_breakpoint_enable(ctx->session, number, ctx->entry->variant);
}

static struct fx_error *
delete_one(struct cmd_ctx *ctx, int number)
{
	return fx_breakpoint_delete(ctx->session, number);
}

/* enable and disable: those given, or all. */
static struct fx_error *
enable_exec(struct cmd_ctx *ctx)
{
	struct fx_error *err = NULL;

	if (cmd_arg_count(ctx, "numbers"))
		return do_numbers(ctx, enable_one);
	for (size_t i = 0; !err && i < fx_breakpoint_count(ctx->session); i++)
		err = enable_one(ctx,
			fx_breakpoint_at(ctx->session, i)->number);
	return err;
}

static struct fx_error *
delete_exec(struct cmd_ctx *ctx)
{
	if (cmd_arg_count(ctx, "numbers"))
		return do_numbers(ctx, delete_one);
	if (fx_breakpoint_count(ctx->session) &&
		ctx->front->is_interactive(ctx->front->context) &&
		!cmd_confirm(ctx, "Delete all breakpoints?"))
		return NULL;
	fx_breakpoint_delete_all(ctx->session);
	return NULL;
}

/* condition, ignore. */

/* The number of the breakpoint; none has one that an int does not hold. */
static int
number_of(struct cmd_ctx *ctx)
{
	return (int)FX_MIN(cmd_arg_int(ctx, "number", 0), (int64_t)INT32_MAX);
}

static struct fx_error *
condition_exec(struct cmd_ctx *ctx)
{
	int number = number_of(ctx);
	const char *text = cmd_arg_text(ctx, "condition");
	struct fx_error *err;

	err = check_condition(text);
	if (!err)
		err = fx_breakpoint_set_condition(ctx->session, number, text);
	if (err)
		return err;
	warn_of_condition(ctx, text);
	warn_of_late(ctx, fx_breakpoint_find(ctx->session, number));
	if (text)
		out_line(ctx->out, FX_ROLE_BREAKPOINT,
			"Breakpoint %d stops only if %s", number, text);
	else
		out_line(ctx->out, FX_ROLE_BREAKPOINT,
			"Breakpoint %d now always stops.", number);
	return NULL;
}

static struct fx_error *
ignore_exec(struct cmd_ctx *ctx)
{
	int number = number_of(ctx);
	int64_t count = cmd_arg_int(ctx, "count", 0);
	struct fx_error *err;

	err = fx_breakpoint_ignore(ctx->session, number, (size_t)count);
	if (err)
		return err;
	out_line(ctx->out, FX_ROLE_BREAKPOINT,
		"Breakpoint %d ignores the next %lld hits.", number,
		(long long)count);
	return NULL;
}

#define WHERE_ARGS \
	{ \
		{ "where", CMD_ARG_LOCATION, CMD_OPTIONAL, \
			"a node, set, scope or FILE.py:LINE; the stop", \
			NULL }, \
		{ \
			"if", CMD_ARG_CONDITION, CMD_OPTIONAL | CMD_KEYWORD, \
				"stop only when this is true", NULL \
		} \
	}
#define WHERE_FLAGS \
	{ \
		{ \
			"pending", 'p', CMD_ARG_END, \
				"also when nothing matches now" \
		} \
	}
#define NUMBERS_ARGS \
	{ \
		{ \
			"numbers", CMD_ARG_NUMBERS, \
				CMD_OPTIONAL | CMD_REPEATED, \
				"numbers and ranges, 1-3 5; all", NULL \
		} \
	}

const struct cmd_entry cmd_group_break[] = {
	{
		.name = "break",
		.aliases = "b",
		.summary = "stop before a node",
		.help = "Stops before each node that matches: a node, a query, "
			"a module scope (its first node) or a line of the "
			"model's source; {} is every node, @10:@20 a range. "
			"When nothing matches it is an error, "
			"unless -p makes it pending. Execution stops before "
			"the node, so a condition tests the values of nodes "
			"above it: .-1 is the one before (the first node has "
			"none: false).",
		.synonyms = "breakpoint stop halt pause first nan inf "
			    "condition large values exceeds bound threshold "
			    "limit range",
		.needs = CMD_NEED_GRAPH,
		.args = WHERE_ARGS,
		.flags = WHERE_FLAGS,
		.examples = { { "break add", "before %add" },
			{ "b {target~\"*relu*\"}", "before every relu" },
			{ "b {} if absmax(.-1) > 100",
				"behind the first node that exceeds a bound" },
			{ "b net.py:12 -p", "before what that line made" } },
		.exec = break_exec,
	},
	{
		.name = "tbreak",
		.aliases = "tb",
		.summary = "stop before a node once",
		.help = "Like break, but the breakpoint goes away when it is "
			"hit.",
		.synonyms = "temporary breakpoint once",
		.needs = CMD_NEED_GRAPH,
		.args = WHERE_ARGS,
		.flags = WHERE_FLAGS,
		.examples = { { "tbreak relu", "once" } },
		.exec = break_exec,
		.variant = true,
	},
	{
		.name = "enable",
		.summary = "switch breakpoints on",
		.help = "Without numbers all of them.",
		.synonyms = "breakpoint on",
		.args = NUMBERS_ARGS,
		.examples = { { "enable 1", "breakpoint 1" } },
		.exec = enable_exec,
		.variant = true,
	},
	{
		.name = "disable",
		.aliases = "dis",
		.summary = "switch breakpoints off",
		.help = "They stay, but do not stop. Without numbers all of "
			"them.",
		.synonyms = "breakpoint off",
		.args = NUMBERS_ARGS,
		.examples = { { "disable 1-3", "three of them" } },
		.exec = enable_exec,
	},
	{
		.name = "delete",
		.aliases = "d",
		.summary = "delete breakpoints",
		.help = "Without numbers all of them, after a question.",
		.synonyms = "remove breakpoint clear",
		.args = NUMBERS_ARGS,
		.examples = { { "delete 1", "breakpoint 1" },
			{ "d 1-3 5", "several" } },
		.exec = delete_exec,
	},
	{
		.name = "condition",
		.summary = "give a breakpoint a condition, or take it away",
		.help = "The breakpoint stops only when the condition is true; "
			"without one it always stops.",
		.synonyms = "breakpoint if only",
		.needs = CMD_NEED_GRAPH,
		.args = { { "number", CMD_ARG_INT, 0, "which breakpoint",
				  NULL },
			{ "condition", CMD_ARG_CONDITION, CMD_OPTIONAL,
				"when to stop", NULL } },
		.examples = { { "condition 1 %relu.shape[0] > 4",
			"an expression" } },
		.exec = condition_exec,
	},
	{
		.name = "ignore",
		.summary = "let a breakpoint pass some hits",
		.help = "The next COUNT hits do not stop.",
		.synonyms = "breakpoint skip count",
		.args = { { "number", CMD_ARG_INT, 0, "which breakpoint",
				  NULL },
			{ "count", CMD_ARG_INT, 0, "how many hits", NULL } },
		.examples = { { "ignore 1 2", "the next two" } },
		.exec = ignore_exec,
	},
	{ .name = NULL },
};
