/* out_lay.c - items as lines of text: widths, branches, carets.
 *
 * The one place where output gets its looks; the plain and terminal sinks and
 * the full screen differ only in what they do with the pieces.  Tables fit
 * their columns to the width; lines go through out_wrap.
 */
#include <config.h>

#include "commands/out_record.h"

#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "commands/out_wrap.h"

/* No column is cut below this. */
#define LEAST_WIDTH 8

/* Nor is one of sentences, which are not cut but go on, given less. */
#define LEAST_PROSE ((size_t)24)

/* Columns of a paragraph, where there are as many. */
#define TEXT_WIDTH ((size_t)78)

static void
put_n(const struct out_layout *layout, enum fx_role role, const char *text,
	size_t length)
{
	/* The one state that is not written with a letter. */
	if (layout->ascii && role == FX_ROLE_STATE && length == 2 &&
		!memcmp(text, "\u00b7", 2))
		put_n(layout, role, ".", 1);
	else if (length)
		layout->piece(layout->context, role, text, length);
}

static void
put(const struct out_layout *layout, enum fx_role role, const char *text)
{
	put_n(layout, role, text, strlen(text));
}

static void
put_blanks(const struct out_layout *layout, size_t count)
{
	static const char blanks[] = "                                ";

	while (count) {
		size_t n = FX_MIN(count, sizeof(blanks) - 1);

		put_n(layout, FX_ROLE_PLAIN, blanks, n);
		count -= n;
	}
}

static void
put_end(const struct out_layout *layout)
{
	layout->line_end(layout->context);
}

/* TEXT with newlines as line ends and other control characters visible. */
static void
put_lines(const struct out_layout *layout, enum fx_role role, const char *text,
	size_t length)
{
	FX_AUTO_BUF struct fx_buf visible = { 0 };
	const char *end = text + length;

	for (;;) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		fx_buf_clear(&visible);
		fx_utf8_add_visible(&visible, text, (size_t)(stop - text));
		put_n(layout, role, fx_buf_text(&visible), visible.length);
		if (!newline)
			return;
		put_end(layout);
		text = newline + 1;
	}
}

static void
lay_pieces(const struct out_item *item, const struct out_layout *layout)
{
	const struct out_cell *cell;

	fx_vec_for_each (cell, &item->cells)
		put_lines(layout, cell->role, out_item_text(item, cell->text),
			cell->length);
	put_end(layout);
}

/* A paragraph, indented throughout. */
static void
lay_text(const struct out_item *item, const struct out_layout *layout)
{
	const struct out_cell *cell = &item->cells.items[0];
	size_t width =
		layout->width ? FX_MIN(layout->width, TEXT_WIDTH) : TEXT_WIDTH;
	struct out_wrap wrap;

	out_wrap_init(&wrap, layout, width);
	wrap.hang = (int)cell->depth;
	put_blanks(&wrap.layout, FX_MIN(cell->depth, width / 4));
	put_lines(&wrap.layout, cell->role, out_item_text(item, cell->text),
		cell->length);
	put_end(&wrap.layout);
	out_wrap_deinit(&wrap);
}

/* Tables. */

struct table {
	const struct out_item *item;
	const struct out_layout *layout;
	size_t columns;
	size_t rows;
	const char **keys;
	bool *detail;
	bool *numeric;
	size_t *widths;
	size_t last; /* column that is shown */
	bool prose;  /* the last has sentences */
};

static const struct out_cell *
cell_at(const struct table *table, size_t row, size_t column)
{
	size_t index = row * table->columns + column;

	return &table->item->cells.items[index];
}

/* The text of CELL, safe to show; SCRATCH is used when it is not already. */
static const char *
cell_text(const struct table *table, const struct out_cell *cell,
	struct fx_buf *scratch)
{
	fx_buf_clear(scratch);
	fx_utf8_add_visible(scratch, out_item_text(table->item, cell->text),
		cell->length);
	return fx_buf_text(scratch);
}

static void
measure_cell(struct table *table, size_t row, size_t column,
	struct fx_buf *scratch)
{
	const struct out_cell *cell = cell_at(table, row, column);
	const char *text = cell_text(table, cell, scratch);
	size_t width = fx_utf8_text_width(text, strlen(text));

	table->widths[column] = FX_MAX(table->widths[column], width);
	if (cell->kind != OUT_CELL_INT && cell->kind != OUT_CELL_DOUBLE &&
		cell->kind != OUT_CELL_NONE)
		table->numeric[column] = false;
	if (column == table->last && strchr(text, ' '))
		table->prose = true;
}

static void
measure(struct table *table)
{
	FX_AUTO_BUF struct fx_buf scratch = { 0 };
	size_t row;
	size_t i;

	for (i = 0; i < table->columns; i++) {
		table->keys[i] =
			out_item_key(table->item, i, &table->detail[i]);
		table->widths[i] = strlen(table->keys[i]);
		table->numeric[i] = true;
		if (!table->detail[i])
			table->last = i;
	}
	for (row = 0; row < table->rows; row++)
		for (i = 0; i < table->columns; i++)
			if (!table->detail[i])
				measure_cell(table, row, i, &scratch);
}

/* The widest column that may become narrower, or -1. */
static int
widest(const struct table *table)
{
	int best = -1;
	size_t i;

	for (i = 0; i < table->columns; i++) {
		if (table->detail[i] || table->numeric[i] ||
			table->widths[i] <= LEAST_WIDTH ||
			(table->prose && i == table->last))
			continue;
		if (best < 0 || table->widths[i] > table->widths[best])
			best = (int)i;
	}
	return best;
}

/* Columns before the last, and the blanks between. */
static size_t
width_before_last(const struct table *table)
{
	size_t total = 0;
	size_t i;

	for (i = 0; i < table->last; i++)
		if (!table->detail[i])
			total += table->widths[i] + 2;
	return total;
}

/* Whether the rows have room now. */
static bool
fit(struct table *table)
{
	size_t last = table->widths[table->last];
	size_t least = table->prose ? FX_MIN(last, LEAST_PROSE) : last;
	size_t width = table->layout->width;
	int column;

	if (!width)
		return true;
	while (width_before_last(table) + least > width &&
		(column = widest(table)) >= 0) {
		table->widths[column]--;
		least -= (size_t)column == table->last;
	}
	return width_before_last(table) + table->widths[table->last] <= width;
}

/* Names are told apart by their ends: one word is cut in its middle. */
static void
put_cut(const struct out_layout *layout, enum fx_role role, const char *text,
	size_t width)
{
	size_t length = strlen(text);
	size_t tail = strchr(text, ' ') ? 0 : width / 2;
	size_t used = fx_utf8_text_width(text, length);
	size_t skip = fx_utf8_fit(text, length, used - tail);
	uint32_t code;

	if (fx_utf8_text_width(text + skip, length - skip) > tail)
		skip += fx_utf8_decode(text + skip, length - skip, &code);
	tail = fx_utf8_text_width(text + skip, length - skip);
	put_n(layout, role, text, fx_utf8_fit(text, length, width - 1 - tail));
	put(layout, FX_ROLE_MUTED, layout->ascii ? "~" : "\u2026");
	put(layout, role, text + skip);
}

/* TEXT padded to its column; *OWED are blanks not written yet, so that no line
 * ends in blanks.
 */
static void
put_cell(const struct table *table, size_t column, enum fx_role role,
	const char *text, size_t *owed)
{
	size_t width = table->widths[column];
	size_t length = strlen(text);
	size_t used = fx_utf8_text_width(text, length);
	bool cut = used > width && !(table->prose && column == table->last);
	size_t pad = used < width ? width - used : 0;

	if (table->numeric[column])
		*owed += pad;
	if (length) {
		put_blanks(table->layout, *owed);
		*owed = 0;
		if (cut)
			put_cut(table->layout, role, text, width);
		else
			put_n(table->layout, role, text, length);
	} else {
		*owed += used;
	}
	*owed += 2 + (table->numeric[column] ? 0 : pad);
}

static void
lay_rows(const struct table *table)
{
	FX_AUTO_BUF struct fx_buf scratch = { 0 };
	size_t owed = 0;
	size_t row;
	size_t i;

	for (i = 0; i < table->columns; i++)
		if (!table->detail[i])
			put_cell(table, i, FX_ROLE_HEAD, table->keys[i], &owed);
	put_end(table->layout);
	for (row = 0; row < table->rows; row++) {
		owed = 0;
		for (i = 0; i < table->columns; i++) {
			const struct out_cell *cell = cell_at(table, row, i);

			if (!table->detail[i])
				put_cell(table, i, cell->role,
					cell_text(table, cell, &scratch),
					&owed);
		}
		put_end(table->layout);
	}
}

static void
lay_more(const struct out_item *item, const struct out_layout *layout)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const char *hint = out_item_text(item, item->hint);
	struct out_wrap wrap;

	if (!item->more)
		return;
	fx_buf_addf(&text, "%s%zu more%s%s", layout->ascii ? "... " : "\u2026 ",
		item->more, *hint ? "; " : "", hint);
	out_wrap_init(&wrap, layout, layout->width);
	put(&wrap.layout, FX_ROLE_MUTED, fx_buf_text(&text));
	put_end(&wrap.layout);
	out_wrap_deinit(&wrap);
}

static void
lay_table(const struct out_item *item, const struct out_layout *layout)
{
	struct table table = { .item = item, .layout = layout };
	FX_AUTO_FREE void *memory = NULL;
	struct out_wrap wrap;
	size_t n = item->columns;

	if (!n || !item->cells.count)
		return;
	/* One block: pointers first, then sizes, then truths. */
	memory = fx_xcalloc(n, sizeof(char *) + sizeof(size_t) + 2);
	table.columns = n;
	table.rows = item->cells.count / n;
	table.keys = memory;
	table.widths = (size_t *)(table.keys + n);
	table.detail = (bool *)(table.widths + n);
	table.numeric = table.detail + n;
	measure(&table);
	if (memchr(table.detail, false, n) == NULL)
		return;
	if (fit(&table)) {
		lay_rows(&table);
	} else {
		out_wrap_init(&wrap, layout, layout->width);
		if (table.prose)
			wrap.hang = (int)width_before_last(&table);
		table.layout = &wrap.layout;
		lay_rows(&table);
		out_wrap_deinit(&wrap);
	}
	lay_more(item, layout);
}

/* Records and trees. */

/* Values that take several rows stay in their column. */
static void
lay_record(const struct out_item *item, const struct out_layout *layout)
{
	const struct out_cell *cell;
	struct out_wrap wrap;
	size_t width = 0;

	out_wrap_init(&wrap, layout, layout->width);
	fx_vec_for_each (cell, &item->cells)
		width = FX_MAX(width, strlen(out_item_text(item, cell->key)));
	wrap.hang = (int)width + 2;
	fx_vec_for_each (cell, &item->cells) {
		const char *key = out_item_text(item, cell->key);

		if (*key == '~')
			continue;
		put(&wrap.layout, FX_ROLE_HEAD, key);
		if (cell->length) {
			put_blanks(&wrap.layout, width - strlen(key) + 2);
			put_lines(&wrap.layout, cell->role,
				out_item_text(item, cell->text), cell->length);
		}
		put_end(&wrap.layout);
	}
	out_wrap_deinit(&wrap);
}

static void
put_branches(const struct out_layout *layout, unsigned depth, uint64_t open)
{
	unsigned i;

	for (i = 1; i < depth; i++) {
		if (i > 63 || !(open >> i & 1))
			put(layout, FX_ROLE_BORDER, "   ");
		else
			put(layout, FX_ROLE_BORDER,
				layout->ascii ? "|  " : "│  ");
	}
	if (!depth)
		return;
	if (depth > 63 || !(open >> depth & 1))
		put(layout, FX_ROLE_BORDER, layout->ascii ? "`- " : "╰─ ");
	else
		put(layout, FX_ROLE_BORDER, layout->ascii ? "|- " : "├─ ");
}

/* Bit d of an item's word: another item at depth d comes later, with none
 * shallower between.  Found in one walk from the end.
 */
static void
lay_tree(const struct out_item *item, const struct out_layout *layout)
{
	size_t count = item->cells.count;
	FX_AUTO_FREE uint64_t *open = fx_xcalloc(count, sizeof(uint64_t));
	uint64_t now = 0;
	size_t i;

	for (i = count; i-- > 0;) {
		unsigned depth = FX_MIN(item->cells.items[i].depth, 63U);

		open[i] = now;
		now &= (UINT64_C(1) << depth) - 1;
		now |= UINT64_C(1) << depth;
	}
	for (i = 0; i < count; i++) {
		const struct out_cell *cell = &item->cells.items[i];

		put_branches(layout, cell->depth, open[i]);
		put_lines(layout, cell->role, out_item_text(item, cell->text),
			cell->length);
		put_end(layout);
	}
}

/* Diagnostics. */

static void
lay_error_head(const struct out_item *item, const struct out_layout *layout)
{
	const struct out_cell *file = out_item_field(item, "file");
	const struct out_cell *line = out_item_field(item, "line");
	FX_AUTO_BUF struct fx_buf place = { 0 };

	if (file && file->kind == OUT_CELL_TEXT) {
		fx_utf8_add_visible(&place, out_item_text(item, file->text),
			file->length);
		if (line && line->kind == OUT_CELL_INT)
			fx_buf_addf(&place, ":%lld", (long long)line->integer);
		fx_buf_add(&place, ": ");
		put(layout, FX_ROLE_PATH, fx_buf_text(&place));
	}
	put(layout, FX_ROLE_ERROR, "error: ");
}

/* The caret's two lines, whole ones: below each other they say where. */
static void
put_caret(const struct out_layout *layout, const char *lines)
{
	const char *carets = strchr(lines, '\n') + 1;
	size_t column = strspn(carets, " ");
	size_t width = layout->width ? layout->width : SIZE_MAX;
	size_t skip = column < width ? 0 : column - width / 2;

	while (*lines) {
		size_t length = strcspn(lines, "\n");
		size_t from = fx_utf8_fit(lines, length, skip);

		put_n(layout, FX_ROLE_PLAIN, lines + from,
			fx_utf8_fit(lines + from, length - from, width));
		put_end(layout);
		lines += length + 1;
	}
}

/* A line of what stands below the message. */
static void
put_below(const struct out_layout *layout, const char *head,
	const struct out_item *item, const struct out_cell *cell)
{
	put(layout, FX_ROLE_NOTE, head);
	put_lines(layout, FX_ROLE_PLAIN, out_item_text(item, cell->text),
		cell->length);
	put_end(layout);
}

static void
lay_error(const struct out_item *item, const struct out_layout *layout)
{
	const struct out_cell *message = out_item_field(item, "message");
	const struct out_cell *caret = out_item_field(item, "caret");
	const struct out_cell *hint = out_item_field(item, "hint");
	const struct out_cell *help = out_item_field(item, "help");
	const struct out_cell *cell;
	struct out_wrap wrap;

	out_wrap_init(&wrap, layout, layout->width);
	lay_error_head(item, &wrap.layout);
	put_lines(&wrap.layout, FX_ROLE_PLAIN,
		out_item_text(item, message->text), message->length);
	put_end(&wrap.layout);
	if (caret)
		put_caret(layout, out_item_text(item, caret->text));
	fx_vec_for_each (cell, &item->cells)
		if (strcmp(out_item_text(item, cell->key), "note") == 0)
			put_below(&wrap.layout, "  ", item, cell);
	if (hint && hint->kind == OUT_CELL_TEXT)
		put_below(&wrap.layout, "  hint: ", item, hint);
	if (help)
		put_below(&wrap.layout, "  see: help ", item, help);
	out_wrap_deinit(&wrap);
}

/* What is one line after the other. */
static void
lay_lines(const struct out_item *item, const struct out_layout *layout)
{
	struct out_wrap wrap;

	out_wrap_init(&wrap, layout, layout->width);
	if (item->kind == OUT_ITEM_WARNING)
		put(&wrap.layout, FX_ROLE_WARNING, "warning: ");
	if (item->kind == OUT_ITEM_TREE)
		lay_tree(item, &wrap.layout);
	else
		lay_pieces(item, &wrap.layout);
	out_wrap_deinit(&wrap);
}

void
out_item_lay(const struct out_item *item, const struct out_layout *layout)
{
	switch (item->kind) {
	case OUT_ITEM_TABLE:
		lay_table(item, layout);
		break;
	case OUT_ITEM_RECORD:
		lay_record(item, layout);
		break;
	case OUT_ITEM_TEXT:
		lay_text(item, layout);
		break;
	case OUT_ITEM_RAW:
		put_n(layout, FX_ROLE_PLAIN,
			out_item_text(item, item->cells.items[0].text),
			item->cells.items[0].length);
		break;
	case OUT_ITEM_VALUE:
		break;
	case OUT_ITEM_TREE:
	case OUT_ITEM_LINE:
	case OUT_ITEM_NOTE:
	case OUT_ITEM_WARNING:
		lay_lines(item, layout);
		break;
	case OUT_ITEM_ERROR:
		lay_error(item, layout);
		break;
	}
}

static void
print_piece(void *context, enum fx_role role, const char *text, size_t length)
{
	(void)role;
	fx_buf_add_n(context, text, length);
}

static void
print_end(void *context)
{
	fx_buf_add_char(context, '\n');
}

void
out_item_print(const struct out_item *item, struct fx_buf *buf)
{
	struct out_layout layout = {
		.context = buf, .piece = print_piece, .line_end = print_end
	};

	out_item_lay(item, &layout);
}
