/* span.h - a place in a text the user typed, and the caret line under it. */
#ifndef FX_BASE_SPAN_H
#define FX_BASE_SPAN_H

#include <stddef.h>

struct fx_buf;

/* Bytes BEGIN up to END (exclusive) of some text. */
struct fx_span {
	size_t begin;
	size_t end;
};

/* Line of TEXT that contains byte OFFSET, counted from 1. */
int fx_span_line(const char *text, size_t offset);

/* Display column of byte OFFSET in its line, counted from 1. */
int fx_span_column(const char *text, size_t offset);

/* Append the line of TEXT on which SPAN begins, and under it carets below the
 * span; both indented by INDENT blanks, each ended by a newline.  A line wider
 * than 100 columns is cut around the span with "..." on the cut sides.
 */
void fx_span_print(struct fx_buf *out, const char *text, struct fx_span span,
	int indent);

#endif /* FX_BASE_SPAN_H */
