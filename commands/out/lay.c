/* lay.c - items as lines of text: widths, branches, carets.
 *
 * The one place where output gets its looks; the plain and terminal sinks and
 * the full screen differ only in what they do with the pieces.  Lines go
 * through out_wrap; tables are in lay_table.c.
 */
#include <config.h>

#include "commands/out/record.h"

#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "commands/out/put.h"
#include "commands/out/wrap.h"

/* Columns of a paragraph, where there are as many. */
#define TEXT_WIDTH ((size_t)78)

/* TEXT with control characters visible, newlines too: names come from files,
 * and one shall not look like a line of ours.
 */
static void
put_visible(const struct out_layout *layout, enum fx_role role,
	const char *text, size_t length)
{
	FX_AUTO_BUF struct fx_buf visible = { 0 };

	fx_utf8_add_visible(&visible, text, length);
	out_put_n(layout, role, fx_buf_text(&visible), visible.length);
}

/* TEXT, a paragraph of ours, with newlines as line ends. */
static void
put_lines(const struct out_layout *layout, enum fx_role role, const char *text,
	size_t length)
{
	const char *end = text + length;

	for (;;) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		put_visible(layout, role, text, (size_t)(stop - text));
		if (!newline)
			return;
		out_put_end(layout);
		text = newline + 1;
	}
}

static void
lay_pieces(const struct out_item *item, const struct out_layout *layout)
{
	const struct out_cell *cell;

	fx_vec_for_each (cell, &item->cells)
		put_visible(layout, cell->role, out_item_text(item, cell->text),
			cell->length);
	out_put_end(layout);
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
	out_put_blanks(&wrap.layout, FX_MIN(cell->depth, width / 4));
	put_lines(&wrap.layout, cell->role, out_item_text(item, cell->text),
		cell->length);
	out_put_end(&wrap.layout);
	out_wrap_deinit(&wrap);
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
		out_put(&wrap.layout, FX_ROLE_HEAD, key);
		if (cell->length) {
			out_put_blanks(&wrap.layout, width - strlen(key) + 2);
			put_visible(&wrap.layout, cell->role,
				out_item_text(item, cell->text), cell->length);
		}
		out_put_end(&wrap.layout);
	}
	out_wrap_deinit(&wrap);
}

static void
put_branches(const struct out_layout *layout, unsigned depth, uint64_t open)
{
	unsigned i;

	for (i = 1; i < depth; i++) {
		if (i > 63 || !(open >> i & 1))
			out_put(layout, FX_ROLE_BORDER, "   ");
		else
			out_put(layout, FX_ROLE_BORDER,
				layout->ascii ? "|  " : "│  ");
	}
	if (!depth)
		return;
	if (depth > 63 || !(open >> depth & 1))
		out_put(layout, FX_ROLE_BORDER, layout->ascii ? "`- " : "╰─ ");
	else
		out_put(layout, FX_ROLE_BORDER, layout->ascii ? "|- " : "├─ ");
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
		put_visible(layout, cell->role, out_item_text(item, cell->text),
			cell->length);
		out_put_end(layout);
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
		out_put(layout, FX_ROLE_PATH, fx_buf_text(&place));
	}
	out_put(layout, FX_ROLE_ERROR, "error: ");
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

		out_put_n(layout, FX_ROLE_PLAIN, lines + from,
			fx_utf8_fit(lines + from, length - from, width));
		out_put_end(layout);
		lines += length + 1;
	}
}

/* A line of what stands below the message. */
static void
put_below(const struct out_layout *layout, const char *head,
	const struct out_item *item, const struct out_cell *cell)
{
	out_put(layout, FX_ROLE_NOTE, head);
	put_visible(layout, FX_ROLE_PLAIN, out_item_text(item, cell->text),
		cell->length);
	out_put_end(layout);
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
	put_visible(&wrap.layout, FX_ROLE_PLAIN,
		out_item_text(item, message->text), message->length);
	out_put_end(&wrap.layout);
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
	struct out_wrap wrap = { 0 };
	const struct out_layout *lines = layout;

	/* Nothing is broken where nobody says how wide it is. */
	if (layout->width) {
		out_wrap_init(&wrap, layout, layout->width);
		lines = &wrap.layout;
	}
	if (item->kind == OUT_ITEM_WARNING)
		out_put(lines, FX_ROLE_WARNING, "warning: ");
	if (item->kind == OUT_ITEM_TREE)
		lay_tree(item, lines);
	else
		lay_pieces(item, lines);
	if (layout->width)
		out_wrap_deinit(&wrap);
}

void
out_item_lay(const struct out_item *item, const struct out_layout *layout)
{
	switch (item->kind) {
	case OUT_ITEM_TABLE:
		out_lay_table(item, layout);
		break;
	case OUT_ITEM_RECORD:
		lay_record(item, layout);
		break;
	case OUT_ITEM_TEXT:
		lay_text(item, layout);
		break;
	case OUT_ITEM_RAW:
		out_put_n(layout, FX_ROLE_PLAIN,
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
