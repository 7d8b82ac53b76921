/* explain.c - the command explain: how a node computes, and one element of what
 * it gave with its numbers.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/verbs/show.h"
#include "commands/verbs/why.h"
#include "ir/graph.h"
#include "ir/signature.h"
#include "ops/formula.h"
#include "ops/optab.h"
#include "session/session.h"
#include "session/why.h"

/* --- formulas ------------------------------------------------------------ */

/* How an operand is written: by its name, or by its value, a negative one in
 * brackets where it would be read otherwise before REST.
 */
static void
add_operand(struct cmd_ctx *ctx, struct fx_buf *out,
	const struct fx_cause_step *step, const char *rest, bool is_number)
{
	const char *text = fx_buf_text(out);
	bool is_plain = is_number || !step->name;

	if (is_plain && *step->value == '-' &&
		(fx_str_starts(rest, " ** ") ||
			(out->length && text[out->length - 1] == '-')))
		fx_buf_addf(out, "(%s)", step->value);
	else if (is_plain)
		fx_buf_add(out, step->value);
	else if (step->is_inside && !step->call)
		fx_buf_addf(out, "%s%s",
			*step->argument == '1' ? "input" : step->argument,
			step->index);
	else
		cmd_add_element(ctx, out, step);
}

static const struct fx_cause_step *
find_operand(const struct fx_cause *cause, const char *name, size_t length)
{
	const struct fx_signature *signature =
		cause->op ? fx_signature_of((enum fx_op)cause->op) : NULL;
	size_t place = length == 1 && *name >= '1' && *name <= '9'
			       ? (size_t)(*name - '1')
			       : SIZE_MAX;

	for (size_t i = 1; i < cause->steps.count; i++) {
		const struct fx_cause_step *step = &cause->steps.items[i];
		const char *argument = step->argument;

		if (signature && place < signature->count
				? !strcmp(argument,
					  signature->parameters[place].name)
				: strlen(argument) == length &&
					  !strncmp(argument, name, length))
			return step;
	}
	return NULL;
}

/* The formula TEXT with its operands; without a part in [] that lacks one.
 * False when another is missing.
 */
static bool
add_filled(struct cmd_ctx *ctx, struct fx_buf *out, const char *text,
	const struct fx_cause *cause, bool is_number)
{
	size_t begin = 0;
	bool is_whole = true;
	bool in_part = false;
	bool lacks = false;

	for (const char *at = text; *at; at++) {
		size_t length = *at == '{' ? strcspn(at, "}") : 0;
		bool is_sum = length && at[1] == '+';
		const struct fx_cause_step *step =
			length ? find_operand(cause, at + 1,
					 is_sum ? 1 : length - 1)
			       : NULL;

		if (*at == '[') {
			in_part = true;
			lacks = false;
			begin = out->length;
		} else if (*at == ']') {
			in_part = false;
			if (lacks)
				fx_buf_truncate(out, begin);
		} else if (!length) {
			fx_buf_add_char(out, *at);
		} else {
			if (step && is_sum && !is_number)
				fx_buf_add_n(out, at + 2, length - 2);
			else if (step)
				add_operand(ctx, out, step, at + length + 1,
					is_number);
			lacks |= !step;
			is_whole &= step || in_part;
			at += length;
		}
	}
	return is_whole;
}

/* "over %score[:,0,0]": which elements those of a sum, or the largest of which,
 * lie along; an axis that is not the one meant is seen in it.
 */
static void
say_among(struct cmd_ctx *ctx, const struct fx_cause *cause)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (size_t i = 1; i < cause->steps.count; i++) {
		struct fx_cause_step step = cause->steps.items[i];

		if (!step.among)
			continue;
		/* What a layer is given has a name of its own inside. */
		if (step.is_inside && !step.call)
			step.name = text.length ? "y" : "x";
		fx_buf_add(&text, text.length ? " and " : "  over ");
		step.index = step.among;
		cmd_add_element(ctx, &text, &step);
	}
	if (text.length)
		out_line(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
}

/* The elements that the terms written out are of. */
static void
say_terms(struct cmd_ctx *ctx, const struct fx_cause *cause)
{
	static const char *const heads[] = { "~node", "~element", "~value" };

	if (!cause->terms)
		return;
	out_value_int(ctx->out, "terms", (int64_t)cause->terms);
	out_table_begin(ctx->out, "largest", FX_ARRAY_LEN(heads), heads);
	for (size_t i = 1; i < cause->steps.count; i++) {
		const struct fx_cause_step *step = &cause->steps.items[i];

		if (strcmp(step->argument, "term") != 0)
			continue;
		out_cell(ctx->out, FX_ROLE_NODE, "%s", step->name);
		out_cell(ctx->out, FX_ROLE_NUMBER, "%s", step->index);
		out_cell(ctx->out, FX_ROLE_NUMBER, "%s", step->value);
	}
	out_table_end(ctx->out);
}

static void
say_formula(struct cmd_ctx *ctx, const struct fx_cause *cause,
	const struct fx_formula *formula)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	FX_AUTO_BUF struct fx_buf numbers = { 0 };

	if (!add_filled(ctx, &names, formula->text, cause, false)) {
		fx_buf_clear(&names);
		cmd_add_formula(&names, cause->steps.items[0].call, NULL);
		out_line(ctx->out, FX_ROLE_PLAIN,
			"  = %s, of many elements: their numbers are not shown",
			fx_buf_text(&names));
		out_value_text(ctx->out, "formula", fx_buf_text(&names));
		return;
	}
	add_filled(ctx, &numbers, formula->text, cause, true);
	out_line(ctx->out, FX_ROLE_PLAIN, "  = %s", fx_buf_text(&names));
	if (strcmp(fx_buf_text(&numbers), cause->steps.items[0].value) != 0)
		out_line(ctx->out, FX_ROLE_PLAIN, "  = %s",
			fx_buf_text(&numbers));
	out_value_text(ctx->out, "formula", fx_buf_text(&names));
	out_value_text(ctx->out, "numbers", fx_buf_text(&numbers));
	say_among(ctx, cause);
	say_terms(ctx, cause);
}

static struct fx_error *
explain_element(struct cmd_ctx *ctx, const struct cmd_element *element)
{
	const struct fx_why_wish wish = { .target = FX_WHY_NODE,
		.node = element->node,
		.index = element->index,
		.count = element->count,
		.last = element->last };
	FX_AUTO(cause) struct fx_cause cause = { .op = 0 };
	struct fx_error *err =
		fx_why_explain(ctx->session, ctx->model, &wish, &cause);
	const struct fx_cause_step *step;
	const struct fx_formula *formula;
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (err)
		return err;
	step = &cause.steps.items[0];
	cmd_add_element(ctx, &text, step);
	out_piece(ctx->out, FX_ROLE_NODE, "%s", fx_buf_text(&text));
	out_piece(ctx->out, FX_ROLE_PLAIN, " = %s", step->value);
	out_line_end(ctx->out);
	out_value_text(ctx->out, "node", step->name);
	out_value_text(ctx->out, "element", step->index);
	out_value_text(ctx->out, "value", step->value);
	formula = cause.formula;
	if (cause.is_set)
		out_line(ctx->out, FX_ROLE_PLAIN, "  set by hand");
	else if (cause.is_constant)
		out_line(ctx->out, FX_ROLE_PLAIN,
			"  no element of what %s is given goes into it",
			step->call ? step->call : step->name);
	else if (formula)
		say_formula(ctx, &cause, formula);
	else
		out_line(ctx->out, FX_ROLE_PLAIN, "  %s%s",
			step->call ? "no formula is known of "
				   : "nothing computes it here",
			step->call ? step->call : "");
	return NULL;
}

struct fx_error *
cmd_explain_exec(struct cmd_ctx *ctx)
{
	struct cmd_element element;
	struct fx_error *err =
		cmd_read_element(ctx, cmd_arg_text(ctx, "what"), &element);

	if (err)
		return err;
	if (strchr(cmd_arg_text(ctx, "what"), '['))
		return explain_element(ctx, &element);
	cmd_explain_node(ctx, element.node);
	return NULL;
}
