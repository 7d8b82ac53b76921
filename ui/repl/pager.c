/* pager.c - standard output, page by page on a terminal. */
#include <config.h>

#include "ui/repl/pager.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "ui/signals.h"

struct pager {
	struct out_stream inner;
	struct pager_terminal terminal;
	size_t lines;   /* on this page */
	size_t written; /* by this command, without pages */
	int left_by;    /* pager.h */
};

enum {
	ESCAPE = 27,
	SEQUENCE_MS = 50, /* its bytes come together */
	PASTE_MS = 500,   /* the bytes of a paste, over a slow line too */
	PASTE = -100,     /* instead of a key */
	MUCH = 32768,     /* from here on Ctrl-C stops what is written */
	PIECE = 4096,     /* written at once then */
};

/* Read a paste to its end, or until nothing more comes.  Return what ended it:
 * a key, or one of KEY_STOP and KEY_BACK.
 */
static int
skip_paste(void)
{
	static const char end[] = "\033[201~";
	size_t at = 0;
	int key;

	do {
		key = key_read(PASTE_MS);
		at = key == end[at] ? at + 1 : key == *end;
	} while (key >= 0 && end[at]);
	return key;
}

/* Keys such as Down send several bytes, ESC [ B.  Down is a line and any other
 * a page; Esc alone is itself.  What is pasted answers nothing, and begins no
 * command either.
 */
static int
read_key(void)
{
	int number = 0;
	int key = key_read(-1);
	int last;

	if (key != ESCAPE)
		return key;
	last = key_read(SEQUENCE_MS);
	if (last == KEY_NONE)
		return ESCAPE;
	if (last == '[' || last == 'O')
		do {
			last = key_read(SEQUENCE_MS);
			number = isdigit(last) ? number * 10 + last - '0'
					       : number;
		} while (last >= ' ' && last < '@' && number < 1000);
	if (last == '~' && number == 200) {
		last = skip_paste();
		return last == KEY_STOP || last == KEY_BACK ? last : PASTE;
	}
	if (last < 0 && last != KEY_NONE)
		return last;
	return last == 'B' ? '\n' : ' ';
}

static void
ask(struct pager *pager)
{
	static const char whole[] = "-- more: Enter, Space a page, q ends --";
	static const char least[] = "-- more; q ends --";
	/* Pastes are marked as long as it is asked (signals.c). */
	static const char marked[] = "\033[?2004h";
	static const char erase[] = "\r\033[K\033[?2004l";
	const struct out_stream *inner = &pager->inner;
	size_t width = pager->terminal.width(pager->terminal.context, true);
	/* On one row, as it is erased. */
	const char *question = width && width < sizeof(whole) ? least : whole;
	/* Before it is asked: a key may come at once. */
	bool is_first = key_hold();
	int key;

	do {
		inner->write(inner->context, true, marked, strlen(marked));
		inner->write(inner->context, true, question, strlen(question));
		key = read_key();
		if (key == PASTE)
			inner->write(inner->context, true, erase,
				strlen(erase));
	} while (key == KEY_BACK || key == PASTE);
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

/* Without pages. */
static void
write_on(struct pager *pager, bool error, const char *text, size_t size)
{
	const struct pager_terminal *terminal = &pager->terminal;
	const struct out_stream *inner = &pager->inner;

	while (size) {
		size_t length = FX_MIN(size, (size_t)PIECE);

		if (pager->written >= MUCH &&
			terminal->stopped(terminal->context)) {
			pager->left_by = 'q';
			return;
		}
		inner->write(inner->context, error, text, length);
		pager->written += length;
		text += length;
		size -= length;
	}
}

static void
pager_write(void *context, bool error, const char *text, size_t size)
{
	struct pager *pager = context;
	const struct out_stream *inner = &pager->inner;

	while (size && !pager->left_by) {
		const char *newline = memchr(text, '\n', size);
		size_t length = newline ? (size_t)(newline - text) + 1 : size;
		size_t height = pager->terminal.height(pager->terminal.context);

		if (!height) {
			write_on(pager, error, text, size);
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
pager_stream(const struct out_stream *inner,
	const struct pager_terminal *terminal)
{
	struct pager *pager = FX_NEW(struct pager);

	pager->inner = *inner;
	pager->terminal = *terminal;
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
	pager->written = 0;
	pager->left_by = 0;
}

int
pager_left_by(const struct out_stream *stream)
{
	const struct pager *pager = stream->context;

	return stream->write == pager_write ? pager->left_by : 0;
}

/* One key of the terminal, without its Enter. */

/* The terminal as it was found; signal handlers have no user pointer. */
static struct termios found;
static bool is_held;

bool
key_hold(void)
{
	struct termios raw;

	if (is_held || tcgetattr(STDIN_FILENO, &found) < 0)
		return false;
	raw = found;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	ui_signals_give(UI_KEYS_SINGLE, &found);
	is_held = true;
	/* At once: to wait until what was said is read leaves time to type. */
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	return true;
}

static void
let_go(int when)
{
	tcsetattr(STDIN_FILENO, when, &found);
	ui_signals_give(UI_KEYS_NOBODY, NULL);
	is_held = false;
}

void
key_release(void)
{
	if (is_held)
		let_go(TCSAFLUSH);
}

void
key_let_go(void)
{
	if (is_held)
		let_go(TCSADRAIN);
}

static int
wait_for_key(int timeout_ms)
{
	unsigned char key;

	for (;;) {
		enum ui_input input = ui_signals_wait(timeout_ms);

		ui_signals_die();
		if (ui_signals_take_interrupt())
			return KEY_STOP;
		if (ui_signals_take_change() & UI_CHANGE_BACK)
			return KEY_BACK;
		if (input == UI_INPUT_NONE)
			return KEY_NONE;
		if (input == UI_INPUT_KEY)
			return read(STDIN_FILENO, &key, 1) == 1 ? key
								: KEY_STOP;
	}
}

int
key_read(int timeout_ms)
{
	bool is_first = key_hold();
	int key = is_held ? wait_for_key(timeout_ms) : KEY_STOP;

	if (is_first)
		key_let_go();
	return key;
}
