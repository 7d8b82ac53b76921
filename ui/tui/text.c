/* text.c - lines of pieces with roles: what panes of text show. */
#include <config.h>

#include "ui/tui/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "commands/out/wrap.h"

enum {
	HANG = 2, /* panes are narrow */
};

void
tui_text_deinit(struct tui_text *text)
{
	fx_buf_deinit(&text->bytes);
	fx_vec_deinit(&text->pieces);
	fx_vec_deinit(&text->lines);
}

void
tui_text_clear(struct tui_text *text)
{
	fx_buf_clear(&text->bytes);
	fx_vec_clear(&text->pieces);
	fx_vec_clear(&text->lines);
	text->column = 0;
	text->open = 0;
}

static void
add_piece(struct tui_text *text, enum fx_role role, const char *bytes,
	size_t length)
{
	struct tui_piece piece = {
		.offset = text->bytes.length, .length = length, .role = role
	};

	if (!length)
		return;
	fx_buf_add_n(&text->bytes, bytes, length);
	fx_vec_push(&text->pieces, piece);
	text->column += (int)fx_utf8_text_width(bytes, length);
}

/* Add what has neither newlines nor tabs, breaking it at the width. */
static void
add_wrapped(struct tui_text *text, enum fx_role role, const char *bytes,
	size_t length)
{
	while (text->width > 0 && length) {
		size_t room = (size_t)FX_MAX(text->width - text->column, 0);
		size_t fit = fx_utf8_fit(bytes, length, room);

		if (fit == length)
			break;
		if (!fit && !text->column)
			break; /* not even one character fits */
		add_piece(text, role, bytes, fit);
		tui_text_end_line(text);
		bytes += fit;
		length -= fit;
	}
	add_piece(text, role, bytes, length);
}

void
tui_text_add(struct tui_text *text, enum fx_role role, const char *bytes,
	size_t length)
{
	static const char blanks[] = "        ";
	size_t done = 0;

	for (size_t i = 0; i < length; i++) {
		if (bytes[i] != '\n' && bytes[i] != '\t' && bytes[i] != '\r')
			continue;
		add_wrapped(text, role, bytes + done, i - done);
		done = i + 1;
		if (bytes[i] == '\n')
			tui_text_end_line(text);
		else if (bytes[i] == '\t')
			add_wrapped(text, role, blanks,
				8 - (size_t)(text->column % 8));
	}
	add_wrapped(text, role, bytes + done, length - done);
}

void
tui_text_addf(struct tui_text *text, enum fx_role role, const char *format, ...)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	va_list args;

	va_start(args, format);
	fx_buf_addv(&buf, format, args);
	va_end(args);
	tui_text_add(text, role, fx_buf_text(&buf), buf.length);
}

void
tui_text_end_line(struct tui_text *text)
{
	fx_vec_push(&text->lines, text->open);
	text->open = text->pieces.count;
	text->column = 0;
}

static void
lay_piece(void *context, enum fx_role role, const char *bytes, size_t length)
{
	tui_text_add(context, role, bytes, length);
}

static void
lay_line_end(void *context)
{
	tui_text_end_line(context);
}

struct out_layout
tui_text_layout(struct tui_text *text)
{
	return (struct out_layout){ .width = (size_t)text->width,
		.context = text,
		.piece = lay_piece,
		.line_end = lay_line_end };
}

static size_t
line_end(const struct tui_text *text, size_t index)
{
	return index + 1 < text->lines.count ? text->lines.items[index + 1]
					     : text->open;
}

void
tui_text_add_lines(struct tui_text *text, const struct tui_text *from)
{
	struct out_layout layout = tui_text_layout(text);
	struct out_wrap wrap;

	out_wrap_init(&wrap, &layout, layout.width);
	wrap.hang = HANG;
	for (size_t line = 0; line < from->lines.count; line++) {
		for (size_t i = from->lines.items[line];
			i < line_end(from, line); i++) {
			const struct tui_piece *piece = &from->pieces.items[i];

			wrap.layout.piece(&wrap, piece->role,
				from->bytes.data + piece->offset,
				piece->length);
		}
		wrap.layout.line_end(&wrap);
	}
	out_wrap_deinit(&wrap);
}

size_t
tui_text_count(const struct tui_text *text)
{
	return text->lines.count;
}

/* Draw PIECE from COLUMN on; returns the column after it. */
static int
paint_piece(const struct tui_text *text, const struct tui_piece *piece,
	const struct fx_area *area, int row, int column)
{
	struct fx_look look = { .role = piece->role };
	FX_AUTO_BUF struct fx_buf bytes = { 0 };

	fx_buf_add_n(&bytes, text->bytes.data + piece->offset, piece->length);
	return fx_area_text(area, row, column, look, fx_buf_text(&bytes));
}

void
tui_text_paint(const struct tui_text *text, size_t index,
	const struct fx_area *area, int row, int skip)
{
	int column = -skip;

	if (index >= text->lines.count)
		return;
	for (size_t i = text->lines.items[index]; i < line_end(text, index);
		i++)
		column = paint_piece(text, &text->pieces.items[i], area, row,
			column);
}

void
tui_text_print(const struct tui_text *text, struct fx_buf *out)
{
	for (size_t line = 0; line < text->lines.count; line++) {
		for (size_t i = text->lines.items[line];
			i < line_end(text, line); i++)
			fx_buf_add_n(out,
				text->bytes.data + text->pieces.items[i].offset,
				text->pieces.items[i].length);
		fx_buf_add_char(out, '\n');
	}
}

bool
tui_text_has(const struct tui_text *text, size_t index, const char *words)
{
	FX_AUTO_FREE char *line = NULL;
	size_t first;
	size_t end;
	size_t begin;
	size_t stop;

	if (index >= text->lines.count)
		return false;
	first = text->lines.items[index];
	end = line_end(text, index);
	if (first == end)
		return false;
	/* Pieces of a line lie one behind the other. */
	begin = text->pieces.items[first].offset;
	stop = text->pieces.items[end - 1].offset +
	       text->pieces.items[end - 1].length;
	line = fx_xstrndup(text->bytes.data + begin, stop - begin);
	return fx_str_has(line, words);
}

/* The command log holds the commands that were run and their output. */

enum {
	ENTRIES_MAX = 2000,
	ENTRIES_KEPT = 1500,
};

static void
free_entry(struct tui_log_entry *entry)
{
	free(entry->line);
	if (entry->item)
		out_item_unref(entry->item);
}

void
tui_log_deinit(struct tui_log *log)
{
	for (size_t i = 0; i < log->entries.count; i++)
		free_entry(&log->entries.items[i]);
	fx_vec_deinit(&log->entries);
	tui_text_deinit(&log->text);
}

/* Forget the oldest entries now and then. */
static void
shorten(struct tui_log *log)
{
	size_t extra = log->entries.count - ENTRIES_KEPT;

	for (size_t i = 0; i < extra; i++)
		free_entry(&log->entries.items[i]);
	for (size_t i = extra; i < log->entries.count; i++)
		log->entries.items[i - extra] = log->entries.items[i];
	log->entries.count -= extra;
	log->mark -= FX_MIN(log->mark, extra);
	log->laid = 0;
	tui_text_clear(&log->text);
}

static void
add_entry(struct tui_log *log, struct tui_log_entry entry)
{
	fx_vec_push(&log->entries, entry);
	if (log->entries.count > ENTRIES_MAX)
		shorten(log);
}

void
tui_log_addf(struct tui_log *log, enum fx_role role, const char *format, ...)
{
	struct tui_log_entry entry = { .role = role };
	va_list args;

	va_start(args, format);
	entry.line = fx_xvasprintf(format, args);
	va_end(args);
	add_entry(log, entry);
}

void
tui_log_add_item(struct tui_log *log, struct out_item *item)
{
	if (item->kind != OUT_ITEM_VALUE)
		add_entry(log,
			(struct tui_log_entry){ .item = out_item_ref(item) });
}

void
tui_log_mark(struct tui_log *log)
{
	log->mark = log->entries.count;
}

size_t
tui_log_recent(const struct tui_log *log)
{
	return tui_text_count(&log->text) - log->mark_line;
}

void
tui_log_forget_recent(struct tui_log *log)
{
	tui_log_mark(log);
	log->mark_line = tui_text_count(&log->text);
}

static void
lay_entry(struct tui_log *log, const struct tui_log_entry *entry)
{
	struct out_layout layout = tui_text_layout(&log->text);

	layout.ascii = log->ascii;
	if (entry->item) {
		out_item_lay(entry->item, &layout);
		/* Raw text need not end with a newline. */
		if (log->text.open < log->text.pieces.count)
			tui_text_end_line(&log->text);
		return;
	}
	tui_text_addf(&log->text, entry->role, "%s", entry->line);
	tui_text_end_line(&log->text);
}

void
tui_log_lay(struct tui_log *log, int width)
{
	if (log->text.width != width) {
		log->text.width = width;
		log->laid = 0;
		tui_text_clear(&log->text);
	}
	while (log->laid < log->entries.count) {
		if (log->laid == log->mark)
			log->mark_line = tui_text_count(&log->text);
		lay_entry(log, &log->entries.items[log->laid++]);
	}
}
