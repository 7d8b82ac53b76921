/* printf.c - texts with values in them: printf, and what dprintf says. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/breakpoint.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "run/datum.h"
#include "run/values.h"
#include "session/breakpoint.h"
#include "session/session.h"

/* A text being made: the format is read once, from left to right. */
struct making {
	struct cmd_ctx *ctx;
	const char *whose;          /* command it is of */
	bool only_reads;            /* nothing is evaluated */
	bool warns;                 /* then: of names that nothing has */
	const struct fx_node *node; /* of a dprintf, or NULL */
	const char *rest;           /* arguments that are not used yet */
	struct fx_buf *out;
};

/* The end of the argument at TEXT: a comma outside of brackets and quotes. */
static size_t
argument_length(const char *text)
{
	char quote = 0;
	int depth = 0;
	size_t i = 0;

	for (; text[i]; i++) {
		if (quote) {
			quote = text[i] == quote ? 0 : quote;
			i += text[i] == '\\' && text[i + 1];
		} else if (text[i] == '"' || text[i] == '\'') {
			quote = text[i];
		} else if (strchr("([{", text[i])) {
			depth++;
		} else if (strchr(")]}", text[i])) {
			depth--;
		} else if (text[i] == ',' && depth <= 0) {
			break;
		}
	}
	return i;
}

/* The next argument, the caller's; NULL: there is none. */
static char *
next_argument(struct making *making)
{
	const char *begin = making->rest;
	size_t length;

	if (*begin != ',')
		return NULL;
	begin += 1 + strspn(begin + 1, " \t");
	length = argument_length(begin);
	making->rest = begin + length;
	while (length &&
		(begin[length - 1] == ' ' || begin[length - 1] == '\t'))
		length--;
	return fx_xstrndup(begin, length);
}

/* The words of dprintf: of the node the first four, else of what it gave. */
static const char *const words[] = { "name", "op", "target", "scope", "shape",
	"dtype", "stats" };

/* Which one ARGUMENT is, or their number. */
static size_t
find_word(const char *argument)
{
	size_t i = 0;

	while (i < FX_ARRAY_LEN(words) && !fx_str_equal(argument, words[i]))
		i++;
	return i;
}

/* What ARGUMENT means: a word of dprintf, or an expression. */
static char *
expression_of(const struct making *making, const char *argument)
{
	const struct fx_node *node = making->node;
	size_t word = find_word(argument);

	if (!node || word == FX_ARRAY_LEN(words) ||
		fx_graph_find(node->graph, argument))
		return fx_xstrdup(argument);
	if (word == FX_ARRAY_LEN(words) - 1)
		return fx_xstrdup("$v");
	return word < 4 ? fx_xasprintf("%%%s.%s", node->name, argument)
			: fx_xasprintf("$v.%s", argument);
}

/* A datum as the number that it is. */
static FX_NODISCARD struct fx_error *
number_of(struct fx_datum *datum, char letter, double *ret)
{
	FX_AUTO_DATUM struct fx_datum *item = NULL;
	struct fx_error *err = NULL;

	if (datum->kind == FX_DATUM_TENSOR)
		err = fx_values_item(datum, &item);
	if (err)
		return err;
	datum = item ? item : datum;
	switch (datum->value.kind) {
	case FX_VALUE_INT:
		*ret = (double)datum->value.integer;
		return NULL;
	case FX_VALUE_FLOAT:
		*ret = datum->value.real;
		return NULL;
	case FX_VALUE_BOOL:
		*ret = datum->value.truth;
		return NULL;
	default:
		return fx_error_new(FX_ERR_TYPE,
			"printf: %%%c wants a number; %%s shows anything",
			letter);
	}
}

static bool
is_text(const struct fx_datum *datum)
{
	return datum->kind == FX_DATUM_VALUE &&
	       datum->value.kind == FX_VALUE_STRING;
}

/* A conversion such as "%-8.3f": flags other than the minus are read over. */
struct conversion {
	size_t length; /* 0: it is none that is known */
	int width;     /* negative: to the left */
	int precision; /* negative: not given */
	char letter;
};

/* The number at *AT, which moves behind it. */
static int
read_number(const char **at)
{
	int number = 0;

	for (; **at >= '0' && **at <= '9'; (*at)++)
		if (number < 1000)
			number = number * 10 + (**at - '0');
	return number;
}

static struct conversion
read_conversion(const char *spec)
{
	struct conversion conversion = { .precision = -1 };
	size_t flags = strspn(spec + 1, "-+ 0#");
	bool is_left = memchr(spec + 1, '-', flags) != NULL;
	const char *at = spec + 1 + flags;

	conversion.width = read_number(&at) * (is_left ? -1 : 1);
	if (*at == '.') {
		at++;
		conversion.precision = read_number(&at);
	}
	at += strspn(at, "lh");
	conversion.letter = *at;
	if (*at && strchr("sdiuxXfFgGeEc", *at))
		conversion.length = (size_t)(at + 1 - spec);
	return conversion;
}

static void
add_text(struct fx_buf *out, const struct conversion *conversion,
	const char *text)
{
	if (conversion->precision < 0)
		fx_buf_addf(out, "%*s", conversion->width, text);
	else
		fx_buf_addf(out, "%*.*s", conversion->width,
			conversion->precision, text);
}

static void
add_number(struct fx_buf *out, const struct conversion *conversion,
	double number)
{
	int width = conversion->width;
	int precision = conversion->precision;

	switch (conversion->letter) {
	case 'f':
	case 'F':
		fx_buf_addf(out, "%*.*f", width, precision, number);
		break;
	case 'e':
	case 'E':
		fx_buf_addf(out, "%*.*e", width, precision, number);
		break;
	case 'g':
	case 'G':
		fx_buf_addf(out, "%*.*g", width, precision, number);
		break;
	case 'x':
	case 'X':
		fx_buf_addf(out, "%*llx", width, (long long)number);
		break;
	case 'c':
		fx_buf_addf(out, "%c", (char)number);
		break;
	default:
		fx_buf_addf(out, "%*lld", width, (long long)number);
		break;
	}
}

/* Append DATUM by CONVERSION. */
static FX_NODISCARD struct fx_error *
convert(struct making *making, const struct conversion *conversion,
	struct fx_datum *datum)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	double number;
	struct fx_error *err = NULL;

	if (conversion->letter != 's') {
		err = number_of(datum, conversion->letter, &number);
		if (!err && !(fabs(number) < 0x1p63) &&
			strchr("diuxXc", conversion->letter))
			err = fx_error_new(FX_ERR_RANGE,
				"printf: %g is no integer", number);
		if (!err)
			add_number(making->out, conversion, number);
		return err;
	}
	if (is_text(datum))
		fx_buf_add_n(&text, datum->value.text, datum->value.count);
	else
		err = cmd_print_datum(making->ctx, datum, "", &text);
	if (!err)
		add_text(making->out, conversion, fx_buf_text(&text));
	return err;
}

/* How the command is typed. */
static const char *
hint_of(const struct making *making)
{
	return fx_str_equal(making->whose, "printf")
		       ? "printf \"%s\\n\", .-1"
		       : "dprintf {op=call_module},\"%s %s\\n\",name,stats";
}

static FX_NODISCARD struct fx_error *
add_conversion(struct making *making, const struct conversion *conversion)
{
	FX_AUTO_FREE char *argument = next_argument(making);
	FX_AUTO_FREE char *expression = NULL;
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err;

	if (!argument || !*argument)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "%s: nothing is given for %%%c",
					     making->whose, conversion->letter),
			"%s", hint_of(making));
	if (making->warns && find_word(argument) == FX_ARRAY_LEN(words))
		cmd_warn_of_names(making->ctx, "argument", argument);
	if (making->only_reads)
		return cmd_check_condition(argument);
	expression = expression_of(making, argument);
	err = cmd_evaluate(making->ctx, expression, &datum);
	return err ? err : convert(making, conversion, datum);
}

/* The escape that begins at TEXT with a backslash; how long it is. */
static size_t
add_escape(struct fx_buf *out, const char *text)
{
	static const char letters[] = "nt\"\\a";
	static const char means[] = "\n\t\"\\";
	const char *at = text[1] ? strchr(letters, text[1]) : NULL;

	if (!at) {
		fx_buf_add_char(out, '\\');
		return 1;
	}
	if (*at != 'a')
		fx_buf_add_char(out, means[at - letters]);
	return 2;
}

/* How long the format is that TEXT begins with, its quotes and the blanks
 * behind it too; as long as TEXT, if it has no closing quote.
 */
static size_t
format_length(const char *text)
{
	size_t i = 1;

	while (text[i] && text[i] != '"')
		i += 1 + (text[i] == '\\' && text[i + 1]);
	i += text[i] == '"';
	return i + strspn(text + i, " \t");
}

/* The text that FORMAT, in quotes, and its arguments make. */
static FX_NODISCARD struct fx_error *
make(struct making *making, const char *text)
{
	struct fx_error *err = NULL;
	size_t end = *text == '"' ? argument_length(text) : 0;
	const char *at = text + 1;

	making->rest = text + end;
	if (end > 1 && end > format_length(text))
		return fx_error_hint(fx_error_new(FX_ERR_SYNTAX,
					     "%s: expected a comma behind the "
					     "format",
					     making->whose),
			"%s", hint_of(making));
	while (end > 1 && strchr(" \t", text[end - 1]))
		end--;
	if (end < 2 || text[end - 1] != '"')
		return fx_error_hint(fx_error_new(FX_ERR_SYNTAX,
					     end ? "%s: the format has no "
						   "closing quote"
						 : "%s: expected a format in "
						   "double quotes",
					     making->whose),
			"%s", hint_of(making));
	while (!err && at < text + end - 1) {
		struct conversion conversion = { .length = 0 };

		if (*at == '%')
			conversion = read_conversion(at);
		if (*at == '\\') {
			at += add_escape(making->out, at);
		} else if (conversion.length) {
			err = add_conversion(making, &conversion);
			at += conversion.length;
		} else if (*at == '%' && at[1] != '%') {
			return fx_error_new(FX_ERR_USAGE,
				"%s: %%%c is no conversion; %%s %%d %%f "
				"%%g %%x are",
				making->whose, at[1] == '"' ? ' ' : at[1]);
		} else {
			fx_buf_add_char(making->out, *at);
			at += 1 + (*at == '%');
		}
	}
	if (!err && *making->rest == ',')
		return fx_error_new(FX_ERR_USAGE,
			"%s: more is given than the format shows",
			making->whose);
	return err;
}

/* In lines; the last one is ended. */
static void
say(struct out *out, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		out_line(out, FX_ROLE_PLAIN, "%.*s", (int)length, text);
		text += length;
		text += *text == '\n';
	}
}

struct fx_error *
cmd_printf_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct making making = {
		.ctx = ctx, .whose = ctx->entry->name, .out = &text
	};
	struct fx_error *err = make(&making, cmd_arg_text(ctx, "text"));

	if (!err)
		say(ctx->out, fx_buf_text(&text));
	return err;
}

struct fx_error *
cmd_check_format(struct cmd_ctx *ctx, const char *whose, const char *text)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct making making = {
		.ctx = ctx, .whose = whose, .only_reads = true, .out = &out
	};

	return make(&making, text);
}

void
cmd_warn_of_arguments(struct cmd_ctx *ctx, const char *text)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct making making = { .ctx = ctx,
		.whose = "dprintf",
		.only_reads = true,
		.warns = true,
		.out = &out };

	fx_error_free(make(&making, text));
}

void
cmd_dprintf_say(void *context, const struct fx_breakpoint *breakpoint,
	const struct fx_node *node)
{
	struct cmd_shell *shell = context;
	struct cmd_ctx ctx = { .shell = shell,
		.session = shell->session,
		.model = fx_session_model(shell->session),
		.out = shell->stop_commands.out,
		.front = shell->front,
		.line = "",
		.format = "" };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct making making = {
		.ctx = &ctx, .whose = "printf", .node = node, .out = &text
	};
	struct fx_error *err = make(&making, breakpoint->what);

	if (err)
		out_line(ctx.out, FX_ROLE_ERROR, "error in dprintf %d: %s",
			breakpoint->number, fx_error_message(err));
	else
		say(ctx.out, fx_buf_text(&text));
	fx_error_free(err);
}
