/* out.c - collects what commands say into items and hands them on.
 *
 * Offset 0 of an item's text is the empty string.  The order of a delivery is:
 * the JSON wrapper of the running command if there is one, else the redirect,
 * else the sink; then the tee.
 */
#include <config.h>

#include "commands/out.h"

#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/span.h"
#include "commands/out_private.h"
#include "commands/out_record.h"

struct out {
	const struct out_sink *sink;
	void *context;
	struct out *tee;
	struct out *target;
	struct out *json; /* owned: the running command as JSON */
	int json_depth;   /* commands begun inside it and not ended */
	int depth;        /* commands begun and not ended */
	int quiet_depth;  /* from this depth on notes are dropped; 0: none */
	struct out_item *item; /* being collected: a table, record or tree */
	struct out_item *line; /* pieces of the line being collected */
};

struct out *
out_new(const struct out_sink *sink, void *context)
{
	struct out *out = FX_NEW(struct out);

	out->sink = sink;
	out->context = context;
	return out;
}

void
out_free(struct out *out)
{
	if (!out)
		return;
	out_free(out->json);
	out_item_unref(out->item);
	out_item_unref(out->line);
	out->sink->free(out->context);
	free(out);
}

void
out_tee(struct out *out, struct out *another)
{
	out->tee = another;
}

struct out *
out_redirect(struct out *out, struct out *target)
{
	struct out *earlier = out->target;

	out->target = target;
	return earlier;
}

static bool
is_diagnostic(const struct out_item *item)
{
	return item->kind == OUT_ITEM_NOTE || item->kind == OUT_ITEM_WARNING;
}

/* Only results follow a redirect; notes still reach the user. */
static void
pass_on(struct out *out, struct out_item *item)
{
	if (out->target && !is_diagnostic(item))
		out_deliver(out->target, item);
	else
		out->sink->item(out->context, item);
}

void
out_deliver(struct out *out, struct out_item *item)
{
	bool diagnostic = is_diagnostic(item);

	if (diagnostic && out->quiet_depth)
		return;
	if (out->json && !diagnostic)
		out_deliver(out->json, item);
	else
		pass_on(out, item);
	if (out->tee)
		out_deliver(out->tee, item);
}

/* Building items. */

static struct out_item *
item_new(enum out_item_kind kind, const char *name)
{
	struct out_item *item = FX_NEW(struct out_item);

	item->references = 1;
	item->kind = kind;
	fx_buf_add_char(&item->text, '\0');
	item->name = out_item_add_text(item, name);
	return item;
}

struct out_item *
out_item_ref(struct out_item *item)
{
	item->references++;
	return item;
}

void
out_item_unref(struct out_item *item)
{
	if (!item || --item->references)
		return;
	fx_vec_deinit(&item->cells);
	fx_buf_deinit(&item->text);
	free(item);
}

size_t
out_item_add_text(struct out_item *item, const char *text)
{
	size_t at = item->text.length;

	if (!text || !*text)
		return 0;
	fx_buf_add_n(&item->text, text, strlen(text) + 1);
	return at;
}

static struct out_cell *
add_cell(struct out_item *item, enum out_cell_kind kind, enum fx_role role,
	const char *text)
{
	struct out_cell cell = { .kind = (uint8_t)kind, .role = (uint8_t)role };

	cell.text = out_item_add_text(item, text);
	cell.length = text ? strlen(text) : 0;
	fx_vec_push(&item->cells, cell);
	return &fx_vec_last(&item->cells);
}

FX_PRINTF(3, 0)
static struct out_cell *
add_formatted(struct out_item *item, enum fx_role role, const char *format,
	va_list args)
{
	struct out_cell cell = { .kind = OUT_CELL_TEXT, .role = (uint8_t)role };

	cell.text = item->text.length;
	fx_buf_addv(&item->text, format, args);
	cell.length = item->text.length - cell.text;
	fx_buf_add_char(&item->text, '\0');
	fx_vec_push(&item->cells, cell);
	return &fx_vec_last(&item->cells);
}

static void
add_list(struct out_item *item, struct out_cell *cell, const char *const *items,
	size_t count)
{
	size_t at = item->text.length;
	size_t i;

	for (i = 0; i < count; i++)
		fx_buf_add_n(&item->text, items[i], strlen(items[i]) + 1);
	cell->list = at;
	cell->list_count = (uint32_t)count;
}

static void
finish(struct out *out, struct out_item **item)
{
	struct out_item *done = FX_TAKE(*item);

	if (done)
		out_deliver(out, done);
	out_item_unref(done);
}

/* A command may fail between begin and end; what it had collected is shown by
 * the end of the command, so nothing is ever lost or mixed up.
 */
static struct out_item *
begin(struct out *out, enum out_item_kind kind, const char *name)
{
	finish(out, &out->line);
	finish(out, &out->item);
	out->item = item_new(kind, name);
	return out->item;
}

static struct out_item *
collecting(struct out *out)
{
	fx_assert(out->item);
	return out->item;
}

/* Tables. */

void
out_table_begin(struct out *out, const char *name, size_t columns,
	const char *const *keys)
{
	struct out_item *item = begin(out, OUT_ITEM_TABLE, name);
	size_t i;

	item->columns = columns;
	item->keys = item->text.length;
	for (i = 0; i < columns; i++)
		fx_buf_add_n(&item->text, keys[i], strlen(keys[i]) + 1);
}

void
out_cell(struct out *out, enum fx_role role, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_formatted(collecting(out), role, format, args);
	va_end(args);
}

static struct out_cell *
add_int(struct out *out, enum fx_role role, int64_t number)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct out_cell *cell;

	fx_buf_add_int(&text, number);
	cell = add_cell(collecting(out), OUT_CELL_INT, role,
		fx_buf_text(&text));
	cell->integer = number;
	return cell;
}

static struct out_cell *
add_bool(struct out *out, enum fx_role role, bool truth)
{
	struct out_cell *cell = add_cell(collecting(out), OUT_CELL_BOOL, role,
		truth ? "yes" : "no");

	cell->integer = truth;
	return cell;
}

static struct out_cell *
add_texts(struct out *out, enum fx_role role, const char *const *items,
	size_t count)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct out_cell *cell;
	size_t i;

	for (i = 0; i < count; i++)
		fx_buf_addf(&text, "%s%s", i ? ", " : "", items[i]);
	cell = add_cell(collecting(out), OUT_CELL_LIST, role,
		fx_buf_text(&text));
	add_list(out->item, cell, items, count);
	return cell;
}

static struct out_cell *
add_shape(struct out *out, const char *text, const char *const *sizes,
	size_t count, bool known)
{
	struct out_cell *cell = add_cell(collecting(out),
		known ? OUT_CELL_SHAPE : OUT_CELL_NONE, FX_ROLE_SHAPE, text);

	if (known)
		add_list(out->item, cell, sizes, count);
	return cell;
}

void
out_cell_int(struct out *out, enum fx_role role, int64_t number)
{
	add_int(out, role, number);
}

void
out_cell_double(struct out *out, enum fx_role role, double number)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct out_cell *cell;

	fx_buf_addf(&text, "%.6g", number);
	cell = add_cell(collecting(out), OUT_CELL_DOUBLE, role,
		fx_buf_text(&text));
	cell->real = number;
}

void
out_cell_none(struct out *out, const char *text)
{
	add_cell(collecting(out), OUT_CELL_NONE, FX_ROLE_MUTED, text);
}

void
out_cell_bool(struct out *out, enum fx_role role, bool truth)
{
	add_bool(out, role, truth);
}

void
out_cell_list(struct out *out, enum fx_role role, const char *const *items,
	size_t count)
{
	add_texts(out, role, items, count);
}

void
out_cell_shape(struct out *out, const char *text, const char *const *sizes,
	size_t count, bool known)
{
	add_shape(out, text, sizes, count, known);
}

void
out_table_more(struct out *out, size_t more, const char *hint)
{
	struct out_item *item = collecting(out);

	item->more = more;
	item->hint = out_item_add_text(item, hint);
}

void
out_table_end(struct out *out)
{
	finish(out, &out->item);
}

/* Records. */

void
out_record_begin(struct out *out, const char *name)
{
	begin(out, OUT_ITEM_RECORD, name);
}

void
out_field(struct out *out, const char *key, enum fx_role role,
	const char *format, ...)
{
	size_t at = out_item_add_text(collecting(out), key);
	va_list args;

	va_start(args, format);
	add_formatted(out->item, role, format, args)->key = at;
	va_end(args);
}

void
out_field_int(struct out *out, const char *key, enum fx_role role,
	int64_t number)
{
	size_t at = out_item_add_text(collecting(out), key);

	add_int(out, role, number)->key = at;
}

void
out_field_bool(struct out *out, const char *key, enum fx_role role, bool truth)
{
	size_t at = out_item_add_text(collecting(out), key);

	add_bool(out, role, truth)->key = at;
}

void
out_field_list(struct out *out, const char *key, enum fx_role role,
	const char *const *items, size_t count)
{
	size_t at = out_item_add_text(collecting(out), key);

	add_texts(out, role, items, count)->key = at;
}

void
out_field_shape(struct out *out, const char *key, const char *text,
	const char *const *sizes, size_t count, bool known)
{
	size_t at = out_item_add_text(collecting(out), key);

	add_shape(out, text, sizes, count, known)->key = at;
}

void
out_record_end(struct out *out)
{
	finish(out, &out->item);
}

/* Lines. */

static struct out_item *
line_item(struct out *out)
{
	if (!out->line)
		out->line = item_new(OUT_ITEM_LINE, NULL);
	return out->line;
}

void
out_piece(struct out *out, enum fx_role role, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_formatted(line_item(out), role, format, args);
	va_end(args);
}

void
out_line_end(struct out *out)
{
	line_item(out);
	finish(out, &out->line);
}

void
out_line(struct out *out, enum fx_role role, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_formatted(line_item(out), role, format, args);
	va_end(args);
	finish(out, &out->line);
}

/* Trees. */

void
out_tree_begin(struct out *out, const char *name)
{
	begin(out, OUT_ITEM_TREE, name);
}

void
out_tree_item(struct out *out, int depth, enum fx_role role, const char *format,
	...)
{
	va_list args;

	va_start(args, format);
	add_formatted(collecting(out), role, format, args)->depth =
		(uint16_t)depth;
	va_end(args);
}

void
out_tree_end(struct out *out)
{
	finish(out, &out->item);
}

/* One cell each. */

void
out_raw(struct out *out, const char *text, size_t length)
{
	struct out_item *item = item_new(OUT_ITEM_RAW, NULL);
	struct out_cell cell = { .kind = OUT_CELL_TEXT, .length = length };

	cell.text = item->text.length;
	fx_buf_add_n(&item->text, text, length);
	fx_buf_add_char(&item->text, '\0');
	fx_vec_push(&item->cells, cell);
	finish(out, &item);
}

void
out_value_int(struct out *out, const char *key, int64_t number)
{
	struct out_item *item = item_new(OUT_ITEM_VALUE, key);

	add_cell(item, OUT_CELL_INT, FX_ROLE_PLAIN, NULL)->integer = number;
	finish(out, &item);
}

void
out_value_text(struct out *out, const char *key, const char *text)
{
	struct out_item *item = item_new(OUT_ITEM_VALUE, key);

	add_cell(item, text ? OUT_CELL_TEXT : OUT_CELL_NONE, FX_ROLE_PLAIN,
		text);
	finish(out, &item);
}

void
out_value_bool(struct out *out, const char *key, bool truth)
{
	struct out_item *item = item_new(OUT_ITEM_VALUE, key);

	add_cell(item, OUT_CELL_BOOL, FX_ROLE_PLAIN, NULL)->integer = truth;
	finish(out, &item);
}

void
out_note(struct out *out, const char *format, ...)
{
	struct out_item *item = item_new(OUT_ITEM_NOTE, NULL);
	va_list args;

	va_start(args, format);
	add_formatted(item, FX_ROLE_NOTE, format, args);
	va_end(args);
	finish(out, &item);
}

void
out_warning(struct out *out, const char *format, ...)
{
	struct out_item *item = item_new(OUT_ITEM_WARNING, NULL);
	va_list args;

	va_start(args, format);
	add_formatted(item, FX_ROLE_WARNING, format, args);
	va_end(args);
	finish(out, &item);
}

/* Errors. */

static void
add_error_field(struct out_item *item, const char *key, const char *text)
{
	size_t at = out_item_add_text(item, key);

	add_cell(item, text ? OUT_CELL_TEXT : OUT_CELL_NONE, FX_ROLE_ERROR,
		text)
		->key = at;
}

static void
add_caret(struct out_item *item, const struct fx_error *err)
{
	FX_AUTO_BUF struct fx_buf caret = { 0 };
	struct fx_span span = fx_error_span(err);

	/* Carets under all of a text say nothing that the message does not. */
	if (!fx_error_text(err) ||
		(!span.begin && span.end >= strlen(fx_error_text(err))))
		return;
	fx_span_print(&caret, fx_error_text(err), span, 2);
	add_error_field(item, "caret", fx_buf_text(&caret));
	add_cell(item, OUT_CELL_INT, FX_ROLE_ERROR, NULL)->integer =
		fx_span_column(fx_error_text(err), span.begin);
	fx_vec_last(&item->cells).key = out_item_add_text(item, "column");
}

static struct out_item *
error_item(const struct fx_error *err)
{
	struct out_item *item = item_new(OUT_ITEM_ERROR, "error");
	size_t i;
	size_t key;

	add_error_field(item, "code", fx_error_word(fx_error_code(err)));
	add_error_field(item, "message", fx_error_message(err));
	add_error_field(item, "hint", fx_error_hint_text(err));
	add_error_field(item, "file", fx_error_file(err));
	key = out_item_add_text(item, "line");
	add_cell(item, fx_error_line(err) > 0 ? OUT_CELL_INT : OUT_CELL_NONE,
		FX_ROLE_ERROR, NULL)
		->integer = fx_error_line(err);
	fx_vec_last(&item->cells).key = key;
	add_caret(item, err);
	for (i = 0; i < fx_error_note_count(err); i++)
		add_error_field(item, "note", fx_error_note_text(err, i));
	return item;
}

static void
json_end(struct out *out)
{
	out_free(FX_TAKE(out->json));
	out->json_depth = 0;
}

void
out_error(struct out *out, const struct fx_error *err)
{
	struct out_item *item = error_item(err);

	finish(out, &out->line);
	finish(out, &out->item);
	finish(out, &item);
	if (out->json && !out->json_depth)
		json_end(out);
}

/* Commands. */

static void
raw_write(void *context, bool error, const char *text, size_t size)
{
	struct out *out = context;
	struct out_item *item = item_new(OUT_ITEM_RAW, NULL);
	struct out_cell cell = { .kind = OUT_CELL_TEXT, .length = size };

	(void)error;
	cell.text = item->text.length;
	fx_buf_add_n(&item->text, text, size);
	fx_buf_add_char(&item->text, '\0');
	fx_vec_push(&item->cells, cell);
	pass_on(out, item);
	out_item_unref(item);
}

static bool
raw_more(void *context)
{
	struct out *out = context;

	return out->target ? out_more(out->target)
			   : out->sink->more(out->context);
}

static void
raw_free(void *context)
{
	(void)context;
}

/* Whether what OUT gets ends in a JSON sink already. */
static bool
is_json(const struct out *out)
{
	while (out->target)
		out = out->target;
	return out->json || out->sink == out_json_sink();
}

void
out_as_json(struct out *out)
{
	struct out_stream stream = { out, raw_write, raw_more, raw_free };

	if (is_json(out))
		return;
	if (out->json)
		json_end(out);
	out->json = out_new_json(&stream);
	out->json_depth = 0;
}

void
out_be_quiet(struct out *out)
{
	if (!out->quiet_depth)
		out->quiet_depth = out->depth + 1;
}

void
out_command_begin(struct out *out, const char *command)
{
	out->depth++;
	if (out->json) {
		out->json_depth++;
		out_command_begin(out->json, command);
	} else if (out->target) {
		out_command_begin(out->target, command);
	} else {
		out->sink->begin(out->context, command);
	}
	if (out->tee)
		out_command_begin(out->tee, command);
}

void
out_command_end(struct out *out, bool ok)
{
	finish(out, &out->line);
	finish(out, &out->item);
	if (out->quiet_depth >= out->depth)
		out->quiet_depth = 0;
	out->depth--;
	if (out->json) {
		out_command_end(out->json, ok);
		if (!--out->json_depth && ok)
			json_end(out);
	} else if (out->target) {
		out_command_end(out->target, ok);
	} else {
		out->sink->end(out->context, ok);
	}
	if (out->tee)
		out_command_end(out->tee, ok);
}

bool
out_more(struct out *out)
{
	if (out->target)
		return out_more(out->target);
	return out->sink->more(out->context);
}

size_t
out_default_rows(struct out *out)
{
	if (out->json)
		return 0;
	if (out->target)
		return out_default_rows(out->target);
	return out->sink->rows(out->context);
}
