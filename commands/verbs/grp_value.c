/* grp_value.c - evaluating and showing values. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "commands/verbs/tensor_rows.h"
#include "ir/graph.h"
#include "run/datum.h"
#include "session/display.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"

/* The value itself for JSON. */
static void
say_plain_value(struct cmd_ctx *ctx, const struct fx_datum *datum,
	const char *text)
{
	switch (datum->value.kind) {
	case FX_VALUE_BOOL:
		out_value_bool(ctx->out, "value", datum->value.truth);
		break;
	case FX_VALUE_INT:
		out_value_int(ctx->out, "value", datum->value.integer);
		break;
	case FX_VALUE_NONE:
		out_value_text(ctx->out, "value", NULL);
		break;
	default:
		out_value_text(ctx->out, "value", text);
	}
	out_value_text(ctx->out, "kind", fx_datum_kind_name(datum));
}

/* Where EXPRESSION is the name of a node: it may be no longer what it gave. */
static void
say_writer(struct cmd_ctx *ctx, const char *expression)
{
	const char *name = expression + (*expression == '%');
	const struct fx_node *node =
		ctx->model ? fx_graph_find(fx_position_graph(ctx->model), name)
			   : NULL;

	if (node)
		cmd_say_writer(ctx, node);
}

/* What EXPRESSION begins with, "&" or "sizeof", may be known from gdb. */
static FX_NODISCARD struct fx_error *
hint_habit(const char *expression, struct fx_error *err_taken)
{
	FX_AUTO_FREE char *key = NULL;

	if (!expression || !*expression)
		return err_taken;
	key = fx_xasprintf("print %.*s",
		FX_MAX((int)strcspn(expression, " \t([.&"), 1), expression);
	return cmd_hint_word(err_taken, key);
}

static struct fx_error *
print_exec(struct cmd_ctx *ctx)
{
	const char *expression = cmd_arg_text(ctx, "expression");
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO(tensors) struct cmd_tensor_rows tensors = { 0 };
	struct fx_error *err;
	int number;

	err = cmd_evaluate(ctx, expression ? expression : "$", &datum);
	if (err)
		err = hint_habit(expression, err);
	if (!err)
		err = cmd_print_tensors(ctx, datum, &text, &tensors);
	if (err)
		return err;
	number = fx_session_remember(ctx->session, datum);
	out_value_int(ctx->out, "history", number);
	say_plain_value(ctx, datum, fx_buf_text(&text));
	out_piece(ctx->out, FX_ROLE_MUTED, "$%d =", number);
	cmd_say_value(ctx, FX_ROLE_PLAIN, fx_buf_text(&text));
	cmd_say_tensors(ctx->out, &tensors);
	if (expression)
		say_writer(ctx, expression);
	if (tensors.list.count && *ctx->format && strchr("xot", *ctx->format))
		out_note(ctx->out,
			"/%s is for integers; /v shows what a tensor holds",
			ctx->format);
	return NULL;
}

/* Displays. */

static struct fx_error *
display_exec(struct cmd_ctx *ctx)
{
	const char *expression = cmd_arg_text(ctx, "expression");
	struct fx_error *err;
	int number;

	if (!expression)
		return cmd_say_displays(ctx);
	err = cmd_check_expression(expression);
	if (err)
		return err;
	number = fx_display_add(ctx->session, expression, ctx->format);
	out_value_int(ctx->out, "number", number);
	cmd_say_display(ctx, number, expression, ctx->format);
	return NULL;
}

struct fx_error *
cmd_say_displays(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "number", "expression", "format" };
	size_t count = fx_display_count(ctx->session);
	const char *expression;
	const char *format;
	size_t i;
	int number;

	if (!count)
		out_line(ctx->out, FX_ROLE_PLAIN,
			"Nothing is displayed; display .-1 shows each node's "
			"value as it runs.");
	out_table_begin(ctx->out, "displays", FX_ARRAY_LEN(keys), keys);
	for (i = 0; i < count; i++) {
		fx_display_at(ctx->session, i, &number, &expression, &format);
		out_cell_int(ctx->out, FX_ROLE_NUMBER, number);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", expression);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", format ? format : "");
	}
	out_table_end(ctx->out);
	return NULL;
}

static FX_NODISCARD struct fx_error *
delete_all_displays(struct cmd_ctx *ctx)
{
	const char *expression;
	const char *format;
	struct fx_error *err;
	int number;

	while (fx_display_at(ctx->session, 0, &number, &expression, &format)) {
		err = fx_display_delete(ctx->session, number);
		if (err)
			return err;
	}
	return NULL;
}

static struct fx_error *
undisplay_exec(struct cmd_ctx *ctx)
{
	size_t count = cmd_arg_count(ctx, "numbers");
	struct fx_error *err = NULL;
	int64_t number;
	size_t i;

	if (!count)
		return delete_all_displays(ctx);
	for (i = 0; i < count && !err; i++) {
		const char *text = cmd_arg_text_at(ctx, "numbers", i);

		if (!fx_number_parse_int(text, strlen(text), &number) ||
			number < 0 || number > INT32_MAX)
			return fx_error_new(FX_ERR_USAGE,
				"expected a number, got \"%s\"", text);
		err = fx_display_delete(ctx->session, (int)number);
	}
	return err;
}

const struct cmd_entry cmd_group_value[] = {
	{
		.name = "print",
		.aliases = "p inspect",
		.summary = "evaluate an expression and show it",
		.help = "The result becomes $1, $2 and so on. A tensor is "
			"shown in one line: its least and greatest value and "
			"where they are, mean and standard deviation of what "
			"is finite, a histogram "
			"and how many are NaN or infinite. /v shows its "
			"values as PyTorch does, /s the shape only, /r "
			"Python's repr, /x integers in hexadecimal. Without an "
			"expression the last value is shown again.",
		.synonyms = "evaluate show value expression calculate values "
			    "tensor large nan inf compare outputs",
		.needs = CMD_TAKES_FORMAT | CMD_LOOKS,
		.args = { { "expression", CMD_ARG_EXPR, CMD_OPTIONAL,
			"what to evaluate", NULL } },
		.examples = { { "print %relu.shape", "the shape of a value" },
			{ "p count{op=call_module}", "the size of a set" },
			{ "p $1 + 1", "with an earlier value" } },
		.exec = print_exec,
	},
	{
		.name = "display",
		.summary = "show an expression at every stop",
		.help = "Formats are those of print. Without an expression the "
			"ones there are.",
		.synonyms = "watch show every stop",
		.needs = CMD_NEED_GRAPH | CMD_TAKES_FORMAT | CMD_LOOKS,
		.args = { { "expression", CMD_ARG_EXPR, CMD_OPTIONAL,
			"what to show", NULL } },
		.examples = { { "display .-1", "the value computed last" } },
		.exec = display_exec,
	},
	{
		.name = "undisplay",
		.summary = "stop displaying an expression",
		.help = "By number; without numbers all of them.",
		.synonyms = "delete display",
		.args = { { "numbers", CMD_ARG_NUMBERS,
			CMD_OPTIONAL | CMD_REPEATED, "which", NULL } },
		.examples = { { "undisplay 1", "the first" } },
		.exec = undisplay_exec,
	},
	{
		.name = "x",
		.summary = "show raw elements of a tensor, nodes, or a map",
		.help = "The format is a count, a letter and a size, as in "
			"gdb: d u x o t f c of the bits of units of 1, 2, 4 or "
			"8 bytes (b h w g), else of elements, complex ones as "
			"two. Without a letter they are shown as what they "
			"are. x/5i lists nodes; x/m draws the last two "
			"dimensions as shades, NaN and infinities as !. The "
			"empty line goes on.",
		.synonyms = "examine memory bytes bits hex raw elements "
			    "picture image heatmap heat map",
		.needs = CMD_TAKES_FORMAT | CMD_REPEATS | CMD_LOOKS,
		.args = { { "expression", CMD_ARG_EXPR, CMD_OPTIONAL,
			"which tensor, or node", NULL } },
		.examples = { { "x/8f conv1.weight", "eight elements" },
			{ "x/4xw conv1.weight[1]", "their bits" },
			{ "x/5i relu", "five nodes" },
			{ "x/m conv1.weight[0,0]", "a map" } },
		.exec = cmd_x_exec,
	},
	{
		.name = "stats",
		.summary = "tell statistics of a tensor, also by a dimension",
		.help = "How many elements, the least and greatest that are no "
			"NaN, mean, deviation and norm of the finite ones, how "
			"many are not 0, NaN or infinite. --by takes a "
			"dimension (negative from the end) or channel, the "
			"second one: then a row for each index of it. The "
			"tensors of a tuple have a row each; complex elements "
			"count by their absolute values. Without an expression "
			"of the last value.",
		.synonyms = "statistics min max mean std norm describe channel "
			    "axis dead",
		.needs = CMD_LISTS | CMD_LOOKS,
		.args = { { "expression", CMD_ARG_EXPR, CMD_OPTIONAL,
			"which tensor", NULL } },
		.flags = { { "by", 0, CMD_ARG_WORD,
			"channel, or a dimension" } },
		.examples = { { "stats layer1.0.conv1.weight",
				      "of a parameter" },
			{ "stats layer1.0.conv1.weight --by 0 -s norm -m 5",
				"of its filters, large ones first" } },
		.exec = cmd_stats_exec,
	},
	{
		.name = "hist",
		.summary = "show a histogram of a tensor's elements",
		.help = "Of the finite ones, in --bins of the same width from "
			"the least to the greatest (16), the last with both "
			"ends; complex elements by their absolute values.",
		.synonyms = "histogram distribution bins plot spread",
		.needs = CMD_LISTS | CMD_LOOKS,
		.args = { { "expression", CMD_ARG_EXPR, CMD_OPTIONAL,
			"which tensor", NULL } },
		.flags = { { "bins", 0, CMD_ARG_INT, "how many; 16" } },
		.examples = { { "hist conv1.weight --bins 8",
			"in eight bins" } },
		.exec = cmd_hist_exec,
	},
	{
		.name = "freq",
		.summary = "count how often each value stands in a tensor",
		.help = "Frequent ones first: integers, truths, floats that "
			"are equal, or with --round those that are equal when "
			"rounded to so many digits behind the point. All NaN "
			"count as one value.",
		.synonyms = "frequency unique values counts bincount "
			    "value_counts",
		.needs = CMD_LISTS,
		.args = { { "expression", CMD_ARG_EXPR, CMD_OPTIONAL,
			"which tensor", NULL } },
		.flags = { { "round", 0, CMD_ARG_INT,
			"digits behind the point" } },
		.examples = { { "freq bn1.weight --round 1 -m 5",
			"by tenths" } },
		.exec = cmd_freq_exec,
	},
	{
		.name = "find",
		.summary = "list where elements of a tensor meet a condition",
		.help = "After the tensor a condition on $v, which is each "
			"element: the first part of the line that is an "
			"expression is the tensor. / searches nodes.",
		.synonyms = "where nonzero indices elements nan inf locate "
			    "which",
		.needs = CMD_LISTS,
		.args = { { "expression", CMD_ARG_EXPR, 0,
			"a tensor, a blank and a condition", NULL } },
		.examples = { { "find conv1.weight isnan($v)", "where NaN is" },
			{ "find conv1.weight[0] abs($v) > 0.05 -s value -m 5",
				"large elements, the largest first" } },
		.exec = cmd_find_exec,
	},
	{ .name = NULL },
};
