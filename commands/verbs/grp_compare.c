/* grp_compare.c - two graphs, or one at two times, on the same inputs. */
#include <config.h>

#include "commands/shell/groups.h"

#define VERIFY_FLAGS \
	{ "inputs", 0, CMD_ARG_INT, \
		"how many inputs are tried: 3, at most 16" }, \
	{ \
		"rtol", 0, CMD_ARG_WORD, \
			"in the graph's own dtypes, this much of the largest " \
			"element" \
	}

const struct cmd_entry cmd_group_compare[] = {
	{
		.name = "compare",
		.summary = "show where the values of two graphs part",
		.help = "Both run on one input, the session's or one made up "
			"by its seed, and each node's value is compared with "
			"that of the node it is paired with (as diff pairs "
			"them): the largest difference, also relative to the "
			"largest element and in steps of the dtype, the cosine "
			"and the signal to noise in dB. What parted is listed, "
			"then the first and the largest of them, and where it "
			"dies out. One graph is compared with the current one; "
			"a file .npz has arrays by the names of nodes; --dtype "
			"f64 runs the second one, or the same once more, in "
			"f64. The run and its values stay as they are. In a "
			"script a difference is a failed check.",
		.synonyms = "difference values error numeric divergence sqnr "
			    "cosine ulp dtype precision",
		.needs = CMD_NEED_GRAPH,
		.args = { { "before", CMD_ARG_GRAPH, 0,
				  "a graph; . is this one", NULL },
			{ "after", CMD_ARG_WORD, CMD_OPTIONAL,
				"another, or a file .npz", NULL } },
		.flags = { { "dtype", 0, CMD_ARG_WORD,
				   "floats of the second one: f64" },
			{ "rtol", 0, CMD_ARG_WORD,
				"no more than this has not parted: 0, of other "
				"dtypes 1e-5" },
			{ "max", 'm', CMD_ARG_INT, "at most this many rows" } },
		.examples = { { "compare base exp", "node by node" },
			{ "compare . --dtype f64", "what rounding does" },
			{ "compare . gold.npz", "with arrays of numpy" } },
		.exec = cmd_compare_exec,
	},
	{
		.name = "verify",
		.summary = "whether two graphs give the same",
		.help = "Both run on the session's inputs and on others like "
			"them, floats as f64, and may differ by 1e-12 of the "
			"largest element of an output; --rtol compares in the "
			"graph's own dtypes. Without arguments the graph as it "
			"was opened against now; tN against now; a graph "
			"against the current one; or two graphs. The run, its "
			"values and random numbers stay as they are. In a "
			"script it is a check: the exit status is 1 when they "
			"differ, or when nothing could be tried.",
		.synonyms = "same equal equivalent check compare output",
		.needs = CMD_NEED_GRAPH,
		.args = { { "before", CMD_ARG_GRAPH, CMD_OPTIONAL,
				  "a graph or tN", NULL },
			{ "after", CMD_ARG_GRAPH, CMD_OPTIONAL, "another graph",
				NULL } },
		.flags = { VERIFY_FLAGS },
		.examples = { { "verify", "all edits so far" },
			{ "verify base exp --inputs 5 --rtol 1e-4",
				"two graphs, as they are" } },
		.exec = cmd_verify_exec,
	},
	{
		.name = "bisect",
		.summary = "find the edit since which something fails",
		.help = "Halves the edits between two times (as it was opened, "
			"and now) until one is left. What fails is verify "
			"against the first of them or, with if, a condition on "
			"the graph that holds at the first. The graph is left "
			"as it is now.",
		.synonyms = "which edit broke guilty culprit since when blame",
		.needs = CMD_NEED_GRAPH,
		.args = { { "from", CMD_ARG_WORD, CMD_OPTIONAL,
				  "tN, where all was well", NULL },
			{ "to", CMD_ARG_WORD, CMD_OPTIONAL,
				"tN, where it fails", NULL },
			{ "if", CMD_ARG_CONDITION, CMD_OPTIONAL | CMD_KEYWORD,
				"what is to hold", NULL } },
		.flags = { VERIFY_FLAGS },
		.examples = { { "bisect", "since when the output is another" },
			{ "bisect t1 t3 if count{op=output} = 1",
				"since when a condition fails" } },
		.exec = cmd_bisect_exec,
	},
	{ .name = NULL },
};
