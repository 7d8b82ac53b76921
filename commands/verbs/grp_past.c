/* grp_past.c - going back to where a run stood, and going past nodes. */
#include <config.h>

#include "commands/shell/groups.h"

const struct cmd_entry cmd_group_past[] = {
	{
		.name = "checkpoint",
		.summary = "keep where the run stands, to return to",
		.help = "Keeps the place of the edits in the timeline, the "
			"inputs, the values that were set, the seed and the "
			"position; restart puts all of them back. The values "
			"that were computed are kept too, shared with the "
			"run, within record limit; where nodes write in place, "
			"restart computes them again. info checkpoints lists "
			"them, delete checkpoint N takes one away.",
		.synonyms = "save state snapshot bookmark fork past return "
			    "later",
		.needs = CMD_NEED_GRAPH,
		.args = { { "name", CMD_ARG_WORD, CMD_OPTIONAL,
			"what to call it", NULL } },
		.examples = { { "checkpoint", "restart 1 returns here" },
			{ "checkpoint pre", "or restart pre" } },
		.exec = cmd_checkpoint_exec,
	},
	{
		.name = "restart",
		.summary = "return to a checkpoint",
		.help = "By its number or name. Execution stands where it "
			"stood, the graph is as it was, and so are inputs, "
			"values that were set and random numbers. Edits made "
			"since are not lost: info undo lists them, goto tN "
			"goes there.",
		.synonyms = "checkpoint back past state return load snapshot",
		.needs = CMD_NEED_GRAPH,
		.args = { { "checkpoint", CMD_ARG_WORD, 0, "its number or name",
			NULL } },
		.examples = { { "restart 1", "to checkpoint 1" } },
		.exec = cmd_restart_exec,
	},
	{
		.name = "skip",
		.summary = "let step go through nodes without stopping",
		.help = "A node, a set, a module scope with all in it, a line "
			"of the model's source, or file and a name; without "
			"any, the scope of the stop. step, next and their "
			"reverses run these nodes but do not stop at them or "
			"enter the graphs that they run; breakpoints do stop. "
			"skip delete, enable and disable take numbers or mean "
			"all; info skip lists them.",
		.synonyms = "step over ignore uninteresting jump without "
			    "stopping",
		.needs = CMD_NEED_GRAPH,
		.args = { { "where", CMD_ARG_SPEC, CMD_OPTIONAL | CMD_REPEATED,
			"a place; file NAME; delete, enable, disable and "
			"numbers",
			NULL } },
		.examples = { { "skip {target~\"*relu*\"}", "every relu" },
			{ "skip layer1", "all of a scope" },
			{ "skip disable 1", "for a while" } },
		.exec = cmd_skip_exec,
	},
	{ .name = NULL },
};
