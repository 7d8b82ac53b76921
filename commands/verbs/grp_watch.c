/* grp_watch.c - stops for what values are and for what happens. */
#include <config.h>

#include "commands/shell/groups.h"
#include "session/watch.h"

static void
watch_words(void (*offer)(void *context, const char *word), void *context)
{
	for (int i = 0; i < FX_WATCH_COUNT; i++)
		if (*fx_watch_word((enum fx_watch_kind)i))
			offer(context, fx_watch_word((enum fx_watch_kind)i));
}

#define EVENT_ARGS \
	{ \
		{ "event", CMD_ARG_WORD, 0, "what happens", \
			"error|pass|rewrite|shape" }, \
			{ "name", CMD_ARG_WORD, CMD_OPTIONAL, \
				"pass: a name or glob", NULL }, \
		{ \
			"if", CMD_ARG_CONDITION, CMD_OPTIONAL | CMD_KEYWORD, \
				"stop only when this is true", NULL \
		} \
	}

const struct cmd_entry cmd_group_watch[] = {
	{
		.name = "watch",
		.summary = "stop after a node whose result is so and so",
		.help = "nan, inf and nonfinite: says whether the node "
			"produced it or had it from another; infinities that "
			"a mask or a constant put there are none. range LOW "
			"HIGH: an element lies outside. shape [1,*,768] and "
			"dtype f16: the result has it; with not before it, "
			"has another. expr EXPR: it is true, $v or . is the "
			"result. mismatch: the shape is not the graph's. A "
			"node may stand behind the word. A node or parameter "
			"alone: its bytes were written and differ. Going "
			"back, reverse-continue stops before such a node.",
		.synonyms = "watchpoint nan inf nonfinite range overflow "
			    "first bad value changes stop data",
		.needs = CMD_NEED_GRAPH,
		.words = watch_words,
		.args = { { "what", CMD_ARG_EXPR, 0,
				  "nan, inf, nonfinite, range, shape, dtype, "
				  "expr, mismatch, or a node or parameter",
				  NULL },
			{ "where", CMD_ARG_LOCATION, CMD_OPTIONAL | CMD_KEYWORD,
				"only results of these nodes", NULL },
			{ "except", CMD_ARG_LOCATION,
				CMD_OPTIONAL | CMD_KEYWORD, "not of these",
				NULL },
			{ "if", CMD_ARG_CONDITION, CMD_OPTIONAL | CMD_KEYWORD,
				"stop only when this is true", NULL } },
		.flags = { { "pending", 'p', CMD_ARG_END,
				   "also when nothing matches now" },
			{ "inside", 0, CMD_ARG_END,
				"also in the graphs that nodes run" },
			{ "location", 'l', CMD_ARG_END,
				"as in gdb; it is always so" } },
		.examples = { { "watch nonfinite",
				      "NaN, or infinities that nobody meant" },
			{ "watch range fc -50 50", "of one node" },
			{ "watch expr std($v) < 1e-6 where {in layer4}",
				"an expression" },
			{ "watch bn1", "what is written into it in place" } },
		.exec = cmd_watch_exec,
	},
	{
		.name = "catch",
		.summary = "stop where something happens",
		.help = "error: a node could not run (it stops anyway; a "
			"catchpoint has commands and conditions). pass [GLOB]: "
			"pass run stops at the first candidate, as with -s "
			"(python: means all passes of Python); "
			"rewrite: it stops too, as with -i. "
			"shape: a result has another shape than the graph "
			"says.",
		.synonyms = "catchpoint error exception pass event",
		.needs = CMD_NEED_GRAPH,
		.args = EVENT_ARGS,
		.examples = { { "catch error", "a node could not run" },
			{ "catch pass fuse*", "before it changes anything" } },
		.exec = cmd_catch_exec,
	},
	{
		.name = "tcatch",
		.summary = "stop where something happens, once",
		.help = "Like catch, but it goes away when it has stopped.",
		.synonyms = "temporary catchpoint once",
		.needs = CMD_NEED_GRAPH,
		.args = EVENT_ARGS,
		.examples = { { "tcatch error", "the first one" } },
		.exec = cmd_catch_exec,
		.variant = true,
	},
	{
		.name = "rbreak",
		.summary = "stop before nodes whose names a pattern fits",
		.help = "A regular expression; one breakpoint stands on all of "
			"the nodes.",
		.synonyms = "breakpoint regular expression regex pattern",
		.needs = CMD_NEED_GRAPH,
		.args = { { "pattern", CMD_ARG_WORD, 0, "a regular expression",
				  NULL },
			{ "if", CMD_ARG_CONDITION, CMD_OPTIONAL | CMD_KEYWORD,
				"stop only when this is true", NULL } },
		.flags = { { "pending", 'p', CMD_ARG_END,
			"also when nothing matches now" } },
		.examples = { { "rbreak relu", "before every relu" } },
		.exec = cmd_rbreak_exec,
	},
	{
		.name = "dprintf",
		.summary = "say something after nodes, without stopping",
		.help = "PLACE,\"FORMAT\",EXPR,... as printf. It is said when "
			"the node has run: $v is its result; name, op, target, "
			"scope, shape and dtype are the node's, stats is the "
			"result in one line. -p before the place: also when "
			"nothing matches now.",
		.synonyms = "print trace log every node printf hook",
		.needs = CMD_NEED_GRAPH | CMD_RAW,
		.args = { { "text", CMD_ARG_REST, 0,
			"PLACE,\"FORMAT\",EXPR,EXPR", NULL } },
		.examples = { { "dprintf {in layer2},\"%s %s\",name,stats",
			"results of a scope as they come" } },
		.exec = cmd_dprintf_exec,
	},
	{
		.name = "printf",
		.summary = "show a text with values in it",
		.help = "%s shows a value as print does, %d %x %f %g %e take "
			"numbers; \\n ends a line.",
		.synonyms = "print format text",
		.needs = CMD_RAW | CMD_LOOKS,
		.args = { { "text", CMD_ARG_REST, 0, "\"FORMAT\", EXPR, EXPR",
			NULL } },
		.examples = { { "printf \"%d nodes\\n\", count{}",
			"a number in a text" } },
		.exec = cmd_printf_exec,
	},
	{
		.name = "commands",
		.summary = "lines to run when a breakpoint or watch stops",
		.help = "Lines up to end; without a number for the one that "
			"was set last, none at all takes them away. If the "
			"first is silent, the stop is not shown. What follows "
			"a line that runs on (continue, step) is not run, as "
			"in gdb.",
		.synonyms = "breakpoint script automatic silent actions",
		.args = { { "numbers", CMD_ARG_NUMBERS,
			CMD_OPTIONAL | CMD_REPEATED,
			"numbers and ranges, 1-3 5; the last", NULL } },
		.examples = { { "commands 2", "then lines, then end" } },
		.exec = cmd_commands_exec,
	},
	{ .name = NULL },
};
