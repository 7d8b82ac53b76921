/* span.c - caret lines. */
#include <config.h>

#include "base/span.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

#define WIDEST 100

/* Append a line in the form in which it is shown: a tab becomes one blank, and
 * whatever else could disturb a terminal is made visible.
 */
static void
add_shown(struct fx_buf *out, const char *text, size_t length)
{
	size_t from = 0;

	for (size_t i = 0; i <= length; i++) {
		if (i < length && text[i] != '\t')
			continue;
		fx_utf8_add_visible(out, text + from, i - from);
		if (i < length)
			fx_buf_add_char(out, ' ');
		from = i + 1;
	}
}

static size_t
shown_width(const char *text, size_t length)
{
	FX_AUTO_BUF struct fx_buf shown = { 0 };

	add_shown(&shown, text, length);
	return fx_utf8_text_width(fx_buf_text(&shown), shown.length);
}

/* OFFSET or the end of TEXT, whichever comes first. */
static size_t
clamp(const char *text, size_t offset)
{
	return strnlen(text, offset);
}

static size_t
line_begin(const char *text, size_t offset)
{
	while (offset && text[offset - 1] != '\n')
		offset--;
	return offset;
}

int
fx_span_line(const char *text, size_t offset)
{
	int line = 1;

	offset = clamp(text, offset);
	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

int
fx_span_column(const char *text, size_t offset)
{
	size_t begin;

	offset = clamp(text, offset);
	begin = line_begin(text, offset);
	return (int)shown_width(text + begin, offset - begin) + 1;
}

/* The part of a shown line that is printed, in columns. */
struct window {
	size_t begin;
	size_t end;
};

/* The whole line if it fits, else WIDEST columns about CARET. */
static struct window
choose_window(size_t width, size_t caret)
{
	struct window window = { 0, width };

	if (width <= WIDEST)
		return window;
	window.begin = caret > WIDEST / 3 ? caret - WIDEST / 3 : 0;
	if (window.begin + WIDEST > width)
		window.begin = width - WIDEST;
	window.end = window.begin + WIDEST;
	return window;
}

/* Append the window of SHOWN; the columns left out before what is printed,
 * less those of the "..." in their place.
 */
static size_t
add_window(struct fx_buf *out, const struct fx_buf *shown, struct window window)
{
	const char *text = fx_buf_text(shown);
	size_t from = fx_utf8_fit(text, shown->length, window.begin);
	size_t to = fx_utf8_fit(text, shown->length, window.end);
	size_t skipped = fx_utf8_text_width(text, from);

	if (from)
		fx_buf_add(out, "...");
	fx_buf_add_n(out, text + from, to - from);
	if (to < shown->length)
		fx_buf_add(out, "...");
	return from ? skipped - 3 : 0;
}

void
fx_span_print(struct fx_buf *out, const char *text, struct fx_span span,
	int indent)
{
	FX_AUTO_BUF struct fx_buf shown = { 0 };
	size_t offset = clamp(text, span.begin);
	size_t begin = line_begin(text, offset);
	size_t end = offset + strcspn(text + offset, "\n");
	size_t last = FX_MIN(FX_MAX(span.end, offset), end);
	size_t caret = shown_width(text + begin, offset - begin);
	size_t carets = shown_width(text + offset, last - offset);
	struct window window;
	size_t skipped;

	add_shown(&shown, text + begin, end - begin);
	window = choose_window(fx_utf8_text_width(fx_buf_text(&shown),
				       shown.length),
		caret);
	fx_buf_add_repeat(out, ' ', (size_t)indent);
	skipped = add_window(out, &shown, window);
	if (caret + carets > window.end)
		carets = FX_MAX(window.end, caret) - caret;
	fx_buf_add_char(out, '\n');
	fx_buf_add_repeat(out, ' ', (size_t)indent + caret - skipped);
	fx_buf_add_repeat(out, '^', FX_MAX(carets, (size_t)1));
	fx_buf_add_char(out, '\n');
}
