/* grp_break.c - breakpoints. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/breakpoint.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "session/breakpoint.h"
#include "session/model.h"
#include "session/position.h"

static void
say_breakpoint(struct cmd_ctx *ctx, const struct fx_breakpoint *breakpoint)
{
	const char *kind = cmd_breakpoint_kind(breakpoint->is_temporary);
	FX_AUTO_FREE struct fx_node **nodes = NULL;
	const struct fx_model *model;
	const struct fx_node *first;
	size_t count = 0;

	fx_breakpoint_graph(breakpoint, &model);
	fx_breakpoint_nodes(ctx->session, breakpoint, &nodes, &count);
	first = count ? nodes[0] : NULL;
	out_value_int(ctx->out, "number", breakpoint->number);
	out_value_int(ctx->out, "matches", (int64_t)count);
	if (!count && !breakpoint->is_pending)
		out_line(ctx->out, FX_ROLE_BREAKPOINT, "%s %d at %s in %s",
			kind, breakpoint->number, breakpoint->where,
			fx_model_name(model));
	else if (!count)
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

	/* As gdb has it, no is what is taken where nobody is asked. */
	if (!ctx->front->is_interactive(ctx->front->context) ||
		!fx_settings_int(ctx->shell->settings, FX_SET_CONFIRM))
		return false;
	question = fx_xasprintf("%s%s%s. Make the breakpoint pending?",
		fx_error_message(err), fx_error_note_count(err) ? "; " : "",
		fx_error_note_count(err) ? fx_error_note_text(err, 0) : "");
	return ctx->front->confirm(ctx->front->context, question);
}

struct fx_error *
cmd_break_at(struct cmd_ctx *ctx, const char *where)
{
	const char *condition = cmd_arg_text(ctx, "if");
	struct fx_breakpoint_spec spec = { .condition = condition,
		.is_temporary = ctx->entry->variant,
		.is_pending = cmd_flag(ctx, "pending") };
	FX_AUTO_FREE char *place = where ? fx_xstrdup(where) : NULL;
	const struct fx_breakpoint *breakpoint;
	struct fx_error *err = NULL;

	err = cmd_check_condition(condition);
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
	cmd_warn_of_condition(ctx, condition);
	warn_of_late(ctx, breakpoint);
	return NULL;
}

static struct fx_error *
break_exec(struct cmd_ctx *ctx)
{
	return cmd_break_at(ctx, cmd_arg_text(ctx, "where"));
}

/* Numbers: "1-3 5". */

static FX_NODISCARD struct fx_error *
bad_number(const char *text)
{
	if (!strcmp(text, "display"))
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "\"display\" is no breakpoint"),
			"undisplay N ends what is shown at every stop");
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "expected a number or a range such as "
				     "1-3, got \"%s\"",
				     text),
		"info breakpoints lists them; erase NODE is for nodes");
}

/* Gaps in a range are allowed, an empty one is not. */
static FX_NODISCARD struct fx_error *
do_between(struct cmd_ctx *ctx, int first, int last, cmd_number_fn *act)
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
do_range(struct cmd_ctx *ctx, const char *text, cmd_number_fn *act)
{
	const char *dash = strchr(text, '-');
	size_t length = dash ? (size_t)(dash - text) : strlen(text);
	int64_t first;
	int64_t last;

	if (!strcmp(text, "$bpnum"))
		return act(ctx, fx_breakpoint_last(ctx->session));
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

/* enable once 1: the word before the numbers is none of them. */
static bool
is_mode(const char *text)
{
	return !strcmp(text, "once") || !strcmp(text, "delete") ||
	       !strcmp(text, "breakpoints") || !strcmp(text, "count");
}

struct fx_error *
cmd_do_numbers(struct cmd_ctx *ctx, cmd_number_fn *act)
{
	size_t count = cmd_arg_count(ctx, "numbers");
	struct fx_error *err;
	size_t i;

	for (i = 0; i < count && i < 2; i++) {
		const char *text = cmd_arg_text_at(ctx, "numbers", i);

		if (!is_mode(text))
			break;
		/* enable count 3 1: what follows is no breakpoint yet. */
		i += !strcmp(text, "count");
	}
	for (; i < count; i++) {
		err = do_range(ctx, cmd_arg_text_at(ctx, "numbers", i), act);
		if (err)
			return err;
	}
	return NULL;
}

static struct fx_error *
find_one(struct cmd_ctx *ctx, int number)
{
	if (fx_breakpoint_find(ctx->session, number))
		return NULL;
	return fx_error_new(FX_ERR_NO_NAME, "there is no breakpoint %d",
		number);
}

struct fx_error *
cmd_check_numbers(struct cmd_ctx *ctx)
{
	return cmd_do_numbers(ctx, find_one);
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

static struct fx_error *
enable_once(struct cmd_ctx *ctx, int number)
{
	return fx_breakpoint_enable_for(ctx->session, number, 1, false);
}

static struct fx_error *
enable_delete(struct cmd_ctx *ctx, int number)
{
	return fx_breakpoint_enable_for(ctx->session, number, 0, true);
}

static struct fx_error *
enable_count(struct cmd_ctx *ctx, int number)
{
	const char *text = cmd_arg_text_at(ctx, "numbers", 1);
	int64_t count;

	if (!fx_number_parse_int(text, strlen(text), &count) || count < 1)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "enable count: expected how many "
					     "hits, got \"%s\"",
					     text),
			"enable count 3 %d", number);
	return fx_breakpoint_enable_for(ctx->session, number, (size_t)count,
		false);
}

/* enable once 1, enable delete 1, enable count 3 1: as in gdb. */
static struct fx_error *
enable_for(struct cmd_ctx *ctx, const char *mode)
{
	size_t wanted = strcmp(mode, "count") ? 2 : 3;

	if (cmd_arg_count(ctx, "numbers") < wanted)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "enable %s: expected numbers of "
					     "breakpoints",
					     mode),
			wanted == 2 ? "enable %s 1" : "enable %s 3 1", mode);
	return cmd_do_numbers(ctx, wanted == 3             ? enable_count
				   : !strcmp(mode, "once") ? enable_once
							   : enable_delete);
}

/* enable and disable: those given, or all. */
static struct fx_error *
enable_exec(struct cmd_ctx *ctx)
{
	struct fx_error *err = NULL;
	const char *mode = cmd_arg_text_at(ctx, "numbers", 0);

	if (ctx->entry->variant && mode && is_mode(mode) &&
		strcmp(mode, "breakpoints") != 0)
		return enable_for(ctx, mode);
	if (mode && (cmd_arg_count(ctx, "numbers") > 1 ||
			    strcmp(mode, "breakpoints") != 0))
		return cmd_do_numbers(ctx, enable_one);
	for (size_t i = 0; !err && i < fx_breakpoint_count(ctx->session); i++)
		err = enable_one(ctx,
			fx_breakpoint_at(ctx->session, i)->number);
	return err;
}

static struct fx_error *
delete_exec(struct cmd_ctx *ctx)
{
	const char *first = cmd_arg_text_at(ctx, "numbers", 0);

	if (first &&
		(!strcmp(first, "checkpoint") || !strcmp(first, "checkpoints")))
		return cmd_delete_checkpoints(ctx);
	if (first && (cmd_arg_count(ctx, "numbers") > 1 ||
			     strcmp(first, "breakpoints") != 0))
		return cmd_do_numbers(ctx, delete_one);
	if (fx_breakpoint_count(ctx->session) &&
		ctx->front->is_interactive(ctx->front->context) &&
		!cmd_confirm(ctx, "Delete all breakpoints?"))
		return NULL;
	fx_breakpoint_delete_all(ctx->session);
	return NULL;
}

/* condition, ignore. */

/* The number of the breakpoint; none has one that an int does not hold. */
static FX_NODISCARD struct fx_error *
number_of(struct cmd_ctx *ctx, int *ret)
{
	const char *text = cmd_arg_text(ctx, "number");
	int64_t number = fx_breakpoint_last(ctx->session);

	if (strcmp(text, "$bpnum") != 0 &&
		(!fx_number_parse_int(text, strlen(text), &number) ||
			number < 0))
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "%s: expected the number of a "
					     "breakpoint, got \"%s\"",
					     ctx->entry->name, text),
			"info breakpoints lists them");
	*ret = (int)FX_MIN(number, (int64_t)INT32_MAX);
	return NULL;
}

static struct fx_error *
condition_exec(struct cmd_ctx *ctx)
{
	int number = 0;
	const char *text = cmd_arg_text(ctx, "condition");
	const struct fx_breakpoint *breakpoint;
	const char *title;
	struct fx_error *err;

	err = number_of(ctx, &number);
	if (!err)
		err = cmd_check_condition(text);
	if (!err)
		err = fx_breakpoint_set_condition(ctx->session, number, text);
	if (err)
		return err;
	breakpoint = fx_breakpoint_find(ctx->session, number);
	title = fx_stop_kind_title(breakpoint->kind);
	if (breakpoint->kind == FX_STOP_KIND_BREAK) {
		cmd_warn_of_condition(ctx, text);
		warn_of_late(ctx, breakpoint);
	} else if (!breakpoint->is_inside) {
		cmd_warn_of_names(ctx, "condition", text);
	}
	if (text)
		out_line(ctx->out, FX_ROLE_BREAKPOINT, "%s %d stops only if %s",
			title, number, text);
	else
		out_line(ctx->out, FX_ROLE_BREAKPOINT,
			"%s %d now always stops.", title, number);
	return NULL;
}

static struct fx_error *
ignore_exec(struct cmd_ctx *ctx)
{
	int number = 0;
	int64_t count = cmd_arg_int(ctx, "count", 0);
	struct fx_error *err = number_of(ctx, &number);

	if (err)
		return err;
	err = fx_breakpoint_ignore(ctx->session, number, (size_t)count);
	if (err)
		return err;
	out_line(ctx->out, FX_ROLE_BREAKPOINT,
		"%s %d ignores the next %lld hit%s.",
		fx_stop_kind_title(fx_breakpoint_find(ctx->session, number)
					   ->kind),
		number, (long long)count, count == 1 ? "" : "s");
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
		.help = "Without numbers all of them. enable once disables "
			"them again after a hit, enable count N after N hits; "
			"enable delete deletes them after one.",
		.synonyms = "breakpoint on watch",
		.args = NUMBERS_ARGS,
		.examples = { { "enable 1", "breakpoint 1" },
			{ "enable once 1", "until its next hit" } },
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
		.summary = "delete breakpoints and watches",
		.help = "Without numbers all of them, after a question. delete "
			"checkpoint N takes a checkpoint away.",
		.synonyms = "remove breakpoint watch clear",
		.args = NUMBERS_ARGS,
		.examples = { { "delete 1", "breakpoint 1" },
			{ "d 1-3 5", "several" },
			{ "delete checkpoint 1",
				"what restart 1 returns to" } },
		.exec = delete_exec,
	},
	{
		.name = "clear",
		.aliases = "cl",
		.summary = "delete the breakpoints at a place",
		.help = "All that stand on one of its nodes; without a place, "
			"on the node of the stop. Watches and catchpoints are "
			"for delete.",
		.synonyms = "remove delete breakpoint here",
		.needs = CMD_NEED_GRAPH,
		.args = { { "where", CMD_ARG_LOCATION, CMD_OPTIONAL,
			"as for break", NULL } },
		.examples = { { "clear relu", "those at %relu" } },
		.exec = cmd_clear_exec,
	},
	{
		.name = "condition",
		.summary = "give a breakpoint a condition, or take it away",
		.help = "The breakpoint stops only when the condition is true; "
			"without one it always stops.",
		.synonyms = "breakpoint if only",
		.needs = CMD_NEED_GRAPH,
		.args = { { "number", CMD_ARG_NUMBERS, 0, "which breakpoint",
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
		.args = { { "number", CMD_ARG_NUMBERS, 0, "which breakpoint",
				  NULL },
			{ "count", CMD_ARG_INT, 0, "how many hits", NULL } },
		.examples = { { "ignore 1 2", "the next two" } },
		.exec = ignore_exec,
	},
	{ .name = NULL },
};
