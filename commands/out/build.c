/* build.c - lines, tables, records and trees, collected into items.
 *
 * Offset 0 of an item's text is the empty string.
 */
#include <config.h>

#include "commands/out/out.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/private.h"

struct out_item *
out_item_new(enum out_item_kind kind, const char *name)
{
	struct out_item *item = FX_NEW(struct out_item);

	item->references = 1;
	item->kind = kind;
	fx_buf_add_char(&item->text, '\0');
	item->name = name ? out_item_add_text(item, name) : 0;
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

struct out_cell *
out_item_add_cell(struct out_item *item, enum out_cell_kind kind,
	enum fx_role role, const char *text)
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

void
out_finish(struct out *out, struct out_item **item)
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
	out_finish(out, &out->line);
	out_finish(out, &out->item);
	out->item = out_item_new(kind, name);
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
	cell = out_item_add_cell(collecting(out), OUT_CELL_INT, role,
		fx_buf_text(&text));
	cell->integer = number;
	return cell;
}

static struct out_cell *
add_bool(struct out *out, enum fx_role role, bool truth)
{
	struct out_cell *cell = out_item_add_cell(collecting(out),
		OUT_CELL_BOOL, role, truth ? "yes" : "no");

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
	cell = out_item_add_cell(collecting(out), OUT_CELL_LIST, role,
		fx_buf_text(&text));
	add_list(out->item, cell, items, count);
	return cell;
}

static struct out_cell *
add_shape(struct out *out, const char *text, const char *const *sizes,
	size_t count, bool known)
{
	struct out_cell *cell = out_item_add_cell(collecting(out),
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
	out_cell_digits(out, role, number, 6);
}

void
out_cell_digits(struct out *out, enum fx_role role, double number, int digits)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct out_cell *cell;

	/* The sign of a NaN says nothing. */
	fx_buf_addf(&text, "%.*g", digits,
		isnan(number) ? fabs(number) : number);
	cell = out_item_add_cell(collecting(out), OUT_CELL_DOUBLE, role,
		fx_buf_text(&text));
	cell->real = number;
}

void
out_cell_none(struct out *out, const char *text)
{
	out_item_add_cell(collecting(out), OUT_CELL_NONE, FX_ROLE_MUTED, text);
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
	if (out_arrange_table(out, collecting(out))) {
		out_finish(out, &out->item);
		return;
	}
	out_item_unref(out->item);
	out->item = NULL;
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
out_field_shape(struct out *out, const char *key, const struct out_shape *shape)
{
	size_t at = out_item_add_text(collecting(out), key);

	add_shape(out, shape->text, shape->sizes, shape->count, shape->known)
		->key = at;
}

void
out_record_end(struct out *out)
{
	out_finish(out, &out->item);
}

/* Lines. */

static struct out_item *
line_item(struct out *out)
{
	if (!out->line)
		out->line = out_item_new(OUT_ITEM_LINE, NULL);
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
	out_finish(out, &out->line);
}

void
out_line(struct out *out, enum fx_role role, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_formatted(line_item(out), role, format, args);
	va_end(args);
	out_finish(out, &out->line);
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
	out_finish(out, &out->item);
}

/* One cell each. */

struct out_item *
out_item_of_bytes(enum out_item_kind kind, const char *text, size_t length)
{
	struct out_item *item = out_item_new(kind, NULL);
	struct out_cell cell = { .kind = OUT_CELL_TEXT, .length = length };

	cell.text = item->text.length;
	fx_buf_add_n(&item->text, text, length);
	fx_buf_add_char(&item->text, '\0');
	fx_vec_push(&item->cells, cell);
	return item;
}

void
out_raw(struct out *out, const char *text, size_t length)
{
	struct out_item *item = out_item_of_bytes(OUT_ITEM_RAW, text, length);

	out_finish(out, &item);
}

void
out_text(struct out *out, int indent, const char *text, size_t length)
{
	struct out_item *item = out_item_of_bytes(OUT_ITEM_TEXT, text, length);

	item->cells.items[0].depth = (uint16_t)indent;
	out_finish(out, &item);
}

/* The item of the value KEY, or NULL where nobody that OUT goes to takes it. */
static struct out_item *
value_item(struct out *out, const char *key)
{
	const struct out *at = out;

	while (at->target && !at->json)
		at = at->target;
	return at->json || at->sink->takes_values
		       ? out_item_new(OUT_ITEM_VALUE, key)
		       : NULL;
}

void
out_value_int(struct out *out, const char *key, int64_t number)
{
	struct out_item *item = value_item(out, key);

	if (!item)
		return;
	out_item_add_cell(item, OUT_CELL_INT, FX_ROLE_PLAIN, NULL)->integer =
		number;
	out_finish(out, &item);
}

void
out_value_text(struct out *out, const char *key, const char *text)
{
	struct out_item *item = value_item(out, key);

	if (!item)
		return;
	out_item_add_cell(item, text ? OUT_CELL_TEXT : OUT_CELL_NONE,
		FX_ROLE_PLAIN, text);
	out_finish(out, &item);
}

void
out_value_bool(struct out *out, const char *key, bool truth)
{
	struct out_item *item = value_item(out, key);

	if (!item)
		return;
	out_item_add_cell(item, OUT_CELL_BOOL, FX_ROLE_PLAIN, NULL)->integer =
		truth;
	out_finish(out, &item);
}

void
out_note(struct out *out, const char *format, ...)
{
	struct out_item *item = out_item_new(OUT_ITEM_NOTE, NULL);
	va_list args;

	va_start(args, format);
	add_formatted(item, FX_ROLE_NOTE, format, args);
	va_end(args);
	out_finish(out, &item);
}

void
out_warning(struct out *out, const char *format, ...)
{
	struct out_item *item = out_item_new(OUT_ITEM_WARNING, NULL);
	va_list args;

	va_start(args, format);
	add_formatted(item, FX_ROLE_WARNING, format, args);
	va_end(args);
	out_finish(out, &item);
}
