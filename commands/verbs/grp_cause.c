/* grp_cause.c - where a value comes from. */
#include <config.h>

#include "commands/shell/groups.h"

const struct cmd_entry cmd_group_cause[] = {
	{
		.name = "why",
		.summary = "lead a wrong value to what made it so",
		.help = "From an element, or the first NaN, back through the "
			"exact elements it depends on, to the first that is "
			"wrong though all it is given is right, and to the "
			"element of a parameter, an input or a constant that "
			"is to blame. There are no rules for operations: each "
			"is run again with parts of what it was given "
			"replaced. The graph runs once more for it, aside; the "
			"session's run stays as it is. Of a node alone its "
			"worst element is taken: NaN, else infinite, else the "
			"largest. nan (also without a word) is the output's, "
			"else the first that was there. --against GRAPH, or "
			"f64, leads a value that is wrong but finite back to "
			"the first element that differs there; f16 or bf16 "
			"compares with this graph in it, and a file .npz has "
			"arrays by the names of nodes.",
		.synonyms = "cause nan inf root blame provenance "
			    "origin anomaly",
		.needs = CMD_NEED_GRAPH,
		.args = { { "what", CMD_ARG_WORD, CMD_OPTIONAL,
			"NODE[i,...], NODE, nan or inf", NULL } },
		.flags = { { "against", 0, CMD_ARG_WORD,
				   "a graph that is right; f64, f16, bf16: "
				   "this one with such floats; FILE.npz" },
			{ "rtol", 0, CMD_ARG_WORD,
				"no more than this of the largest element is "
				"no difference: 0, of f64 and files 1e-5" },
			{ "path", 'p', CMD_ARG_END,
				"every step, as a table" } },
		.examples = { { "why nan", "where the first NaN comes from" },
			{ "why fc[0,3]", "of one element" },
			{ "why output --against base",
				"the first element that differs" } },
		.exec = cmd_why_exec,
	},
	{
		.name = "explain",
		.summary = "show a node's formula, or one element's numbers",
		.help = "Of a node what it does, as a formula, and the "
			"operators "
			"that a layer is made of, which inline puts in its "
			"place. Of an element the formula with the elements it "
			"is made of, and then "
			"with their values: of what is computed element by "
			"element, of normalisation, and of what only moves "
			"elements, inside of layers too. Of a sum, a product "
			"of matrices, a convolution, a mean, a largest the "
			"terms that count most and the rest as one number. "
			"NODE[] is the element of a tensor without "
			"dimensions. Where no formula is known it says so. "
			"The graph runs once more for it, aside.",
		.synonyms = "formula how computed arithmetic numbers element "
			    "axis dimension dim softmax",
		.needs = CMD_NEED_GRAPH | CMD_LISTS,
		.args = { { "what", CMD_ARG_WORD, 0, "NODE or NODE[i,...]",
			NULL } },
		.examples = { { "explain bn1", "its formula" },
			{ "explain add[0,3,5,5]", "with its numbers" } },
		.exec = cmd_explain_exec,
	},
	{ .name = NULL },
};
