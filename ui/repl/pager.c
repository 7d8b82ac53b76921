/* pager.c - standard output, page by page on a terminal. */
#include <config.h>

#include "ui/repl/pager.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ui/repl/key.h"

struct pager {
	struct out_stream inner;
	pager_height_fn *height;
	pager_width_fn *width;
	void *context;
	size_t lines; /* on this page */
	int left_by;  /* pager.h */
};

enum {
	ESCAPE = 27,
	SEQUENCE_MS = 50, /* its bytes come together */
};

/* Keys such as Down send several bytes, ESC [ B.  Down is a line and any other
 * a page; Esc alone is itself.
 */
static int
read_key(void)
{
	int key = key_read(-1);
	int last;

	if (key != ESCAPE)
		return key;
	last = key_read(SEQUENCE_MS);
	if (last == KEY_NONE)
		return ESCAPE;
	if (last == '[' || last == 'O')
		do
			last = key_read(SEQUENCE_MS);
		while (last >= ' ' && last < '@');
	if (last < 0 && last != KEY_NONE)
		return last;
	return last == 'B' ? '\n' : ' ';
}

static void
ask(struct pager *pager)
{
	static const char whole[] = "-- more: Enter, Space a page, q ends --";
	static const char least[] = "-- more; q ends --";
	static const char erase[] = "\r\033[K";
	const struct out_stream *inner = &pager->inner;
	size_t width = pager->width(pager->context, true);
	/* On one row, as it is erased. */
	const char *question = width && width < sizeof(whole) ? least : whole;
	/* Before it is asked: a key may come at once. */
	bool is_first = key_hold();
	int key;

	do {
		inner->write(inner->context, true, question, strlen(question));
		key = read_key();
	} while (key == KEY_BACK);
	if (is_first)
		key_let_go();
	inner->write(inner->context, true, erase, sizeof(erase) - 1);
	if (key == KEY_STOP || key == 'q' || key == 'Q' || key == 3 ||
		key == ESCAPE)
		pager->left_by = 'q';
	else if (key == '\n' || key == '\r' || key == 'j')
		pager->lines--;
	else if (key < 128 && isgraph(key))
		pager->left_by = key;
	else
		pager->lines = 0;
}

static void
pager_write(void *context, bool error, const char *text, size_t size)
{
	struct pager *pager = context;
	const struct out_stream *inner = &pager->inner;

	while (size && !pager->left_by) {
		const char *newline = memchr(text, '\n', size);
		size_t length = newline ? (size_t)(newline - text) + 1 : size;
		size_t height = pager->height(pager->context);

		if (!height) {
			inner->write(inner->context, error, text, size);
			return;
		}
		if (pager->lines + 1 >= height)
			ask(pager);
		if (pager->left_by)
			return;
		inner->write(inner->context, error, text, length);
		pager->lines += newline != NULL;
		text += length;
		size -= length;
	}
}

static bool
pager_more(void *context)
{
	struct pager *pager = context;

	return !pager->left_by && pager->inner.more(pager->inner.context);
}

static void
pager_free(void *context)
{
	struct pager *pager = context;

	pager->inner.free(pager->inner.context);
	free(pager);
}

struct out_stream
pager_stream(const struct out_stream *inner, pager_height_fn *height,
	pager_width_fn *width, void *context)
{
	struct pager *pager = FX_NEW(struct pager);

	pager->inner = *inner;
	pager->height = height;
	pager->width = width;
	pager->context = context;
	return (struct out_stream){ .context = pager,
		.write = pager_write,
		.more = pager_more,
		.free = pager_free };
}

void
pager_restart(const struct out_stream *stream)
{
	struct pager *pager = stream->context;

	if (stream->write != pager_write)
		return;
	pager->lines = 0;
	pager->left_by = 0;
}

int
pager_left_by(const struct out_stream *stream)
{
	const struct pager *pager = stream->context;

	return stream->write == pager_write ? pager->left_by : 0;
}
