/* grp_learn.c - lessons and demonstrations. */
#include <config.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "commands/learn/lesson.h"
#include "commands/shell/groups.h"

static void
tutorial_words(void (*offer)(void *context, const char *word), void *context)
{
	static const char *const words[] = { "again", "hint", "list", "skip",
		"stop" };

	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		offer(context, words[i]);
	for (size_t i = 1; i <= cmd_lesson_count(); i++) {
		FX_AUTO_FREE char *number = fx_xasprintf("%zu", i);

		offer(context, number);
	}
}

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
		.words = tutorial_words,
		.examples = { { "tutorial list", "the lessons" } },
		.exec = cmd_tutorial_exec,
	},
	{
		.name = "demo",
		.summary = "show a session, or open a model that comes along",
		.help = "A demonstration is a file of commands, run with "
			"pauses: a key goes on, Ctrl-C stops. Without a name "
			"they are listed, and the models for --open.",
		.synonyms = "lecture example show present bundled model",
		.needs = CMD_ASIDE | CMD_CHANGES_FILES,
		.args = { { "name", CMD_ARG_WORD, CMD_OPTIONAL,
			"which demonstration", NULL } },
		.words = cmd_demo_words,
		.flags = { { "pace", 0, CMD_ARG_WORD,
				   "time after a line: 1s, 500ms, or key" },
			{ "open", 0, CMD_ARG_WORD, "open this model" } },
		.examples = { { "demo", "what there is" },
			{ "demo resnet --pace 2s", "a hunt for a NaN" } },
		.exec = cmd_demo_exec,
	},
	{ .name = NULL },
};
