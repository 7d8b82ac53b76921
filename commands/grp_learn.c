/* grp_learn.c - lessons and demonstrations. */
#include <config.h>

#include "commands/cmd_shell.h"
#include "commands/groups.h"

const struct cmd_entry cmd_group_learn[] = {
	{
		.name = "tutorial",
		.summary = "a lesson that sees what you do",
		.help = "Goes on where it was left, in this session or an "
			"earlier one. A number begins that lesson, again the "
			"same one anew; hint helps, skip does a step for you, "
			"stop leaves. A lesson has a graph of its own, and "
			"any command that does what a step asks for will do.",
		.synonyms = "learn lesson course begin beginner teach",
		.needs = CMD_ASIDE,
		.args = { { "what", CMD_ARG_WORD, CMD_OPTIONAL,
			"a lesson's number, or list, hint, skip, stop, again",
			NULL } },
		.examples = { { "tutorial list", "the lessons" } },
		.exec = cmd_tutorial_exec,
	},
	{ .name = NULL },
};
