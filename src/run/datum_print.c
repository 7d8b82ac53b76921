/* datum_print.c - data as text for people. */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "ir/size.h"
#include "ir/value_text.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/tensor_text.h"

/* Containers are shown as "..." once so much is written: what was printed
 * before may stand in a list twice, and that list in the next.
 */
#define TEXT_LIMIT ((size_t)16 << 20)

struct print {
	struct fx_buf *out;
	const struct fx_datum_printer *how;
	size_t start;         /* of the text in OUT */
	char letter;          /* of the format, 0 for none */
	int depth;            /* guards the stack */
	size_t shown;         /* items that are no containers */
	struct fx_error *err; /* the first */
};

static void print_value(struct print *print, const struct fx_value *value);

static void
print_name(struct print *print, uint64_t id)
{
	const char *name = NULL;

	if (print->how->node_name)
		name = print->how->node_name(print->how->context, id);
	if (name)
		fx_buf_addf(print->out, "%%%s", name);
	else
		fx_buf_addf(print->out, "node %" PRIu64, id & UINT32_MAX);
}

static void
print_nodes(struct print *print, const struct fx_datum *datum)
{
	size_t limit = print->how->limit;

	fx_buf_add_char(print->out, '{');
	for (size_t i = 0; i < datum->count; i++) {
		if (limit && i == limit) {
			fx_buf_addf(print->out, ", ... (%" PRIu32 " in all)",
				datum->count);
			break;
		}
		if (i)
			fx_buf_add(print->out, ", ");
		print_name(print, datum->ids[i]);
	}
	fx_buf_add_char(print->out, '}');
}

/* Summaries and values of several tensors have a line each. */
static bool
is_shown_long(const struct print *print, const struct fx_value *value)
{
	size_t count = fx_value_item_count(value);

	if (print->how->is_brief || print->letter == 's' || value->count < 2)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct fx_datum *held = fx_datum_held(&value->items[i]);

		if (held && fx_values_known(held))
			return true;
	}
	return false;
}

static void
print_list(struct print *print, const struct fx_value *value, const char *open,
	const char *close)
{
	bool is_dict = value->kind == FX_VALUE_DICT;
	bool is_long = is_shown_long(print, value);
	size_t limit = print->how->limit;

	fx_buf_add(print->out, open);
	for (size_t i = 0; i < value->count; i++) {
		const struct fx_value *item =
			&value->items[is_dict ? 2 * i + 1 : i];

		if (limit && (i == limit || (i && print->shown >= limit))) {
			fx_buf_addf(print->out, ", ... (%" PRIu32 " in all)",
				value->count);
			break;
		}
		if (i)
			fx_buf_add(print->out, is_long ? ",\n " : ", ");
		if (is_dict) {
			print_value(print, &value->items[2 * i]);
			fx_buf_add(print->out, ": ");
		}
		print_value(print, item);
		print->shown += fx_value_item_count(item) == 0;
	}
	if (value->kind == FX_VALUE_TUPLE && value->count == 1)
		fx_buf_add_char(print->out, ',');
	fx_buf_add(print->out, close);
}

static void
print_binary(struct fx_buf *out, uint64_t bits)
{
	int top = 63;

	while (top > 0 && !(bits >> top & 1))
		top--;
	for (; top >= 0; top--)
		fx_buf_add_char(out, (bits >> top & 1) ? '1' : '0');
}

/* Integers in the base that the format asks for, with Python's prefixes. */
static void
print_int(struct print *print, int64_t integer)
{
	uint64_t bits = integer < 0 ? -(uint64_t)integer : (uint64_t)integer;

	if (!print->letter || !strchr("xot", print->letter)) {
		fx_buf_add_int(print->out, integer);
		return;
	}
	if (integer < 0)
		fx_buf_add_char(print->out, '-');
	if (print->letter == 'x') {
		fx_buf_addf(print->out, "0x%" PRIx64, bits);
	} else if (print->letter == 'o') {
		fx_buf_addf(print->out, "0o%" PRIo64, bits);
	} else {
		fx_buf_add(print->out, "0b");
		print_binary(print->out, bits);
	}
}

static void
tell_tensor(struct print *print, const struct fx_datum *datum,
	const struct fx_stats *stats)
{
	if (print->how->tensor)
		print->how->tensor(print->how->tensor_context, datum, stats);
}

static struct fx_error *
print_summary(struct print *print, const struct fx_datum *datum)
{
	struct fx_stats stats;
	struct fx_error *err =
		fx_stats_compute(datum, print->how->ticker, &stats);

	if (err)
		return err;
	fx_stats_print(print->out, &stats, print->how->is_ascii);
	tell_tensor(print, datum, &stats);
	return NULL;
}

static void
print_shape(struct print *print, const struct fx_datum *tensor, bool is_spaced)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value value = fx_datum_to_value(arena, tensor);

	fx_value_print_shape(print->out, &value, is_spaced);
}

/* Why a value that there was cannot be read any more. */
static void
print_loss(struct print *print, const struct fx_datum *datum)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;

	if (print->how->is_brief || !datum->backend->ops->has_values)
		return;
	err = fx_values_read(datum, 0, 0, NULL);
	/* A TYPE never had any. */
	if (err && fx_error_code(err) != FX_ERR_TYPE)
		fx_buf_addf(print->out, "  (%s)", fx_error_message(err));
}

static void
print_tensor(struct print *print, const struct fx_datum *datum)
{
	struct fx_error *err = NULL;
	bool is_known = !print->how->is_brief && fx_values_known(datum);

	if (print->letter == 's')
		print_shape(print, datum, true);
	else if (print->letter == 'v' || (print->letter == 'r' && is_known))
		err = fx_tensor_text(print->out, datum);
	else if (is_known)
		err = print_summary(print, datum);
	else {
		print_shape(print, datum, false);
		print_loss(print, datum);
		tell_tensor(print, datum, NULL);
	}
	if (print->err)
		fx_error_free(err);
	else
		print->err = err;
}

static void
print_held(struct print *print, const struct fx_datum *datum)
{
	if (datum->kind == FX_DATUM_TENSOR)
		print_tensor(print, datum);
	else if (datum->kind == FX_DATUM_HANDLE)
		datum->backend->ops->print(datum->payload, false, print->out);
	else
		print_nodes(print, datum);
}

/* Whether TEXT has the lines of a module as PyTorch prints it: those after the
 * first are indented, or close it.  Other lines of a file are no lines of ours.
 */
static bool
has_module_lines(const char *text, const char *end)
{
	while ((text = memchr(text, '\n', (size_t)(end - text)))) {
		text++;
		if (!(text < end && *text == ')') &&
			!(end - text > 2 && text[0] == ' ' && text[1] == ' '))
			return false;
	}
	return true;
}

/* As a file says, which may say anything. */
static void
print_opaque(struct print *print, const struct fx_value *value)
{
	size_t length;
	const char *text = fx_value_opaque_part(value, 0, &length);
	const char *end = text + length;
	bool has_lines = has_module_lines(text, end);

	for (;;) {
		const char *line =
			has_lines ? memchr(text, '\n', (size_t)(end - text))
				  : NULL;
		const char *stop = line ? line : end;

		fx_utf8_add_visible(print->out, text, (size_t)(stop - text));
		if (!line)
			return;
		fx_buf_add_char(print->out, '\n');
		text = line + 1;
	}
}

static void
print_inner(struct print *print, const struct fx_value *value)
{
	switch (value->kind) {
	case FX_VALUE_INT:
		print_int(print, value->integer);
		break;
	case FX_VALUE_TUPLE:
		print_list(print, value, "(", ")");
		break;
	case FX_VALUE_LIST:
		print_list(print, value, "[", "]");
		break;
	case FX_VALUE_SIZE:
		print_list(print, value, "torch.Size([", "])");
		break;
	case FX_VALUE_DICT:
		print_list(print, value, "{", "}");
		break;
	case FX_VALUE_SLICE:
		print_list(print, value, "slice(", ")");
		break;
	case FX_VALUE_HELD:
		print_held(print, value->held);
		break;
	case FX_VALUE_NODE_ID:
		print_name(print, (uint64_t)value->integer);
		break;
	case FX_VALUE_SYMBOL:
		fx_size_print(print->out, *value);
		break;
	case FX_VALUE_OPAQUE:
		print_opaque(print, value);
		break;
	case FX_VALUE_UNKNOWN:
		fx_buf_add(print->out, "unknown");
		if (value->text && *value->text)
			fx_buf_addf(print->out, " (%s)", fx_value_why(value));
		break;
	default:
		fx_value_print_as(print->out, value, FX_STYLE_REPR);
	}
}

static void
print_value(struct print *print, const struct fx_value *value)
{
	if (print->depth > FX_DATUM_DEPTH_LIMIT ||
		print->out->length - print->start > TEXT_LIMIT) {
		fx_buf_add(print->out, "...");
		return;
	}
	print->depth++;
	print_inner(print, value);
	print->depth--;
}

struct fx_error *
fx_datum_print(struct fx_buf *out, const struct fx_datum *datum,
	const struct fx_datum_printer *printer)
{
	static const char letters[] = "vsrxdotf";
	const char *format = printer->format ? printer->format : "";
	struct print print = {
		.out = out,
		.how = printer,
		.start = out->length,
		.letter = *format,
	};

	if (*format && (format[1] || !strchr(letters, *format)))
		return fx_error_new(FX_ERR_VALUE,
			"unknown format \"/%s\": use one of v (values), s "
			"(shapes), r (repr), d, x, o, t (integers), f",
			format);
	print_value(&print, &datum->value);
	if (print.err && print.letter == 'v' &&
		fx_error_code(print.err) == FX_ERR_TYPE)
		return fx_error_hint(print.err,
			"print without /v shows what is known");
	return print.err;
}
