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
			"t12 t40 are two times of the current graph, t12 alone "
			"is compared with now; a file .npz has arrays by the "
			"names of nodes; --dtype "
			"f64 runs the second one, or the same once more, in "
			"f64; f16 and bf16 as a module after to(dtype), and "
			"what has no kernel for these is computed in f32 and "
			"rounded, which is said. With a file, --dtype is the "
			"graph's. Values of nodes that were set stand in, of "
			"whichever graph they are. The run and its values stay "
			"as they are. In "
			"a script a "
			"difference is a failed check.",
		.synonyms = "difference values error numeric divergence sqnr "
			    "cosine ulp dtype precision",
		.needs = CMD_NEED_GRAPH | CMD_LISTS,
		.sort_words = cmd_compare_sort_words,
		.args = { { "before", CMD_ARG_GRAPH, 0,
				  "a graph or tN; . is this one", NULL },
			{ "after", CMD_ARG_WORD, CMD_OPTIONAL,
				"another, or a file .npz", NULL } },
		.flags = { { "dtype", 0, CMD_ARG_WORD,
				   "floats of the second one: f64, f16, bf16" },
			{ "rtol", 0, CMD_ARG_WORD,
				"no more than this has not parted: 0, of other "
				"dtypes 1e-5" } },
		.examples = { { "compare base exp", "node by node" },
			{ "compare . --dtype f64", "what rounding does" },
			{ "compare . --dtype bf16 -s max_rel",
				"what bf16 costs, the most first" },
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
			"the graph that holds at the first. Of a pass or a "
			"rewrite the candidate is named, of a pass of Python "
			"or several edits the change, if it can be told "
			"apart. The graph is left as it is now.",
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
	{
		.name = "reduce",
		.summary = "find the smallest graph that fails alike",
		.help = "What fails is a node that cannot run, or makes NaN or "
			"infinities that reach the output (or NODE); with "
			"--against, a node whose value is another than in a "
			"graph that is right. The result is a new graph of the "
			"few nodes that this takes, whose inputs are the "
			"values that were there. Each candidate is judged by "
			"running it: the same node fails with the same error "
			"or the same kind of value. Ctrl-C, --tries and "
			"--seconds end it, and the smallest so far is kept. "
			"-o writes a folder with the graph, the same as a "
			"package for Python, and run.py, which needs torch "
			"alone and fails alike; with a name that ends in "
			".fxg, the graph. The graph, its run and its values "
			"stay as they are.",
		.synonyms = "minimize minify shrink repro reproducer delta "
			    "debugging bug report nan crash",
		.needs = CMD_NEED_GRAPH | CMD_OWN_OUTPUT,
		.args = { { "node", CMD_ARG_NODE, CMD_OPTIONAL,
				  "whose value is to be finite; the output",
				  NULL },
			{ "as", CMD_ARG_WORD, CMD_OPTIONAL | CMD_KEYWORD,
				"what to call it: NAME_reduced", NULL } },
		.flags = { { "against", 0, CMD_ARG_GRAPH,
				   "a graph whose values are right" },
			{ "rtol", 0, CMD_ARG_WORD,
				"no more than this of the largest element is "
				"right too: 1e-5" },
			{ "isolate", 0, CMD_ARG_END,
				"for an operator that crashes: each try in a "
				"process of its own" },
			{ "tries", 0, CMD_ARG_INT, "at most: 2000" },
			{ "seconds", 0, CMD_ARG_WORD, "at most: 60" },
			{ "output", 'o', CMD_ARG_FILE,
				"a folder for Python, or a file .fxg" } },
		.examples = { { "reduce", "what fails, as small as it gets" },
			{ "reduce -o repro", "also as Python that fails" },
			{ "reduce --against base",
				"the node that gives another value" } },
		.exec = cmd_reduce_exec,
	},
	{ .name = NULL },
};
