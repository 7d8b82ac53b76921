/* lay_table.c - tables as lines of text.
 *
 * Columns are fitted to the width: the widest are cut, then those go that a
 * narrow terminal can be without, and what still has no room goes on below.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "commands/out/put.h"
#include "commands/out/wrap.h"

/* No column is cut below this. */
#define LEAST_WIDTH 8

/* One that may go is worth no less than this. */
#define LEAST_LOOSE 10

/* A column with this mark is what the user reads the listing for: it keeps its
 * width as long as another column can be hidden.
 */
#define FIRST_WHOLE '4'

/* Nor is this one cut before, and it never goes: rows are told apart by it. */
#define TELLS_ROWS '+'

/* While there is one that may go, others are worth this. */
#define LEAST_NAME 12

/* Nor is one of sentences, which are not cut but go on, given less. */
#define LEAST_PROSE ((size_t)24)

struct table {
	const struct out_item *item;
	const struct out_layout *layout;
	size_t columns;
	size_t rows;
	const char **keys;
	bool *hidden; /* a detail, or without room */
	bool *empty;  /* but for its heading */
	bool *numeric;
	char *marks; /* out_item_key */
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
	if (*text)
		table->empty[column] = false;
}

static void
measure(struct table *table)
{
	FX_AUTO_BUF struct fx_buf scratch = { 0 };
	size_t row;
	size_t i;

	for (i = 0; i < table->columns; i++) {
		table->keys[i] = out_item_key(table->item, i, &table->marks[i]);
		table->hidden[i] = table->marks[i] == '~';
		table->widths[i] = strlen(table->keys[i]);
		table->numeric[i] = true;
		table->empty[i] = true;
		if (!table->hidden[i])
			table->last = i;
	}
	for (row = 0; row < table->rows; row++)
		for (i = 0; i < table->columns; i++)
			if (!table->hidden[i])
				measure_cell(table, row, i, &scratch);
}

static bool
may_go(const struct table *table, size_t i)
{
	return table->marks[i] && table->marks[i] != TELLS_ROWS;
}

/* The column that goes first of those that may, or -1: one without a word, or
 * by the marks.
 */
static int
least_needed(const struct table *table)
{
	int best = -1;

	for (size_t i = 0; i < table->columns; i++) {
		if (table->hidden[i])
			continue;
		if (table->empty[i])
			return (int)i;
		if (may_go(table, i) &&
			(best < 0 || table->marks[i] < table->marks[best]))
			best = (int)i;
	}
	return best;
}

/* Whether a column that goes before I is there. */
static bool
has_lesser(const struct table *table, size_t i)
{
	for (size_t k = 0; k < table->columns; k++)
		if (!table->hidden[k] && may_go(table, k) &&
			(!may_go(table, i) ||
				table->marks[k] < table->marks[i]))
			return true;
	return false;
}

/* The width that column I is not cut below. */
static size_t
least_width(const struct table *table, size_t i)
{
	bool is_whole =
		table->marks[i] >= FIRST_WHOLE || table->marks[i] == TELLS_ROWS;

	if (is_whole && has_lesser(table, i))
		return table->widths[i];
	if (may_go(table, i))
		return LEAST_LOOSE;
	return least_needed(table) < 0 ? LEAST_WIDTH : LEAST_NAME;
}

/* The widest column that may become narrower, or -1. */
static int
widest(const struct table *table)
{
	int best = -1;
	size_t i;

	for (i = 0; i < table->columns; i++) {
		if (table->hidden[i] || table->numeric[i] ||
			table->widths[i] <= least_width(table, i) ||
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
		if (!table->hidden[i])
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

/* Fit the rows, without a column or the other; false when they have no room
 * all the same.
 */
static bool
fit_some(struct table *table)
{
	FX_AUTO_FREE size_t *widths =
		fx_xcalloc(table->columns, sizeof(*widths));
	int column;

	memcpy(widths, table->widths, table->columns * sizeof(*widths));
	while (!fit(table)) {
		column = least_needed(table);
		if (column < 0)
			return false;
		table->hidden[column] = true;
		memcpy(table->widths, widths, table->columns * sizeof(*widths));
		for (size_t i = 0; i < table->columns; i++)
			if (!table->hidden[i])
				table->last = i;
	}
	return true;
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
	out_put_n(layout, role, text,
		fx_utf8_fit(text, length, width - 1 - tail));
	out_put(layout, FX_ROLE_MUTED, layout->ascii ? "~" : "\u2026");
	out_put(layout, role, text + skip);
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
		out_put_blanks(table->layout, *owed);
		*owed = 0;
		if (cut)
			put_cut(table->layout, role, text, width);
		else
			out_put_n(table->layout, role, text, length);
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
		if (!table->hidden[i])
			put_cell(table, i, FX_ROLE_HEAD, table->keys[i], &owed);
	out_put_end(table->layout);
	for (row = 0; row < table->rows; row++) {
		owed = 0;
		for (i = 0; i < table->columns; i++) {
			const struct out_cell *cell = cell_at(table, row, i);

			if (!table->hidden[i])
				put_cell(table, i, cell->role,
					cell_text(table, cell, &scratch),
					&owed);
		}
		out_put_end(table->layout);
	}
}

/* Which columns had no room. */
static void
lay_hidden(const struct table *table)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct out_wrap wrap;

	for (size_t i = 0; i < table->columns; i++)
		if (table->hidden[i] && !table->empty[i])
			fx_buf_addf(&text, "%s%s",
				text.length ? ", " : "no room for ",
				table->keys[i]);
	if (!text.length)
		return;
	out_wrap_init(&wrap, table->layout, table->layout->width);
	out_put(&wrap.layout, FX_ROLE_MUTED, fx_buf_text(&text));
	out_put_end(&wrap.layout);
	out_wrap_deinit(&wrap);
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
	out_put(&wrap.layout, FX_ROLE_MUTED, fx_buf_text(&text));
	out_put_end(&wrap.layout);
	out_wrap_deinit(&wrap);
}

void
out_lay_table(const struct out_item *item, const struct out_layout *layout)
{
	struct table table = { .item = item, .layout = layout };
	FX_AUTO_FREE void *memory = NULL;
	struct out_wrap wrap;
	size_t n = item->columns;

	if (!n || !item->cells.count)
		return;
	/* One block: pointers first, then sizes, then truths. */
	memory = fx_xcalloc(n, sizeof(char *) + sizeof(size_t) + 4);
	table.columns = n;
	table.rows = item->cells.count / n;
	table.keys = memory;
	table.widths = (size_t *)(table.keys + n);
	table.hidden = (bool *)(table.widths + n);
	table.empty = table.hidden + n;
	table.numeric = table.empty + n;
	table.marks = (char *)(table.numeric + n);
	measure(&table);
	if (memchr(table.hidden, false, n) == NULL)
		return;
	if (fit_some(&table)) {
		lay_rows(&table);
	} else {
		out_wrap_init(&wrap, layout, layout->width);
		if (table.prose)
			wrap.hang = (int)width_before_last(&table);
		table.layout = &wrap.layout;
		lay_rows(&table);
		out_wrap_deinit(&wrap);
	}
	table.layout = layout;
	lay_hidden(&table);
	lay_more(item, layout);
}
