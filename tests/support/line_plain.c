/* line_plain.c - a small line editor, for screens in tests. */
#include <config.h>

#include "tests/support/line_plain.h"

#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "commands/shell/cmd.h"
#include "commands/shell/shell.h"

struct plain {
	struct tui_line line;
	struct cmd_shell *shell;
	struct fx_buf text;
	size_t cursor;
	const char *prompt;
	char *done; /* finished, not taken */
	bool eof;
	size_t history; /* lines back from the newest, 0: none */
	char **candidates;
};

static void
drop_candidates(struct plain *plain)
{
	tui_line_free_words(plain->candidates);
	plain->candidates = NULL;
}

static void
set_text(struct plain *plain, const char *text)
{
	fx_buf_clear(&plain->text);
	fx_buf_add(&plain->text, text);
	plain->cursor = plain->text.length;
}

static void
plain_open(void *context, const char *prompt)
{
	struct plain *plain = context;

	plain->prompt = prompt;
	plain->history = 0;
	drop_candidates(plain);
	set_text(plain, "");
}

static void
plain_close(void *context)
{
	plain_open(context, "");
}

static void
insert(struct plain *plain, const char *bytes, size_t length)
{
	FX_AUTO_FREE char *tail =
		fx_xstrdup(fx_buf_text(&plain->text) + plain->cursor);

	fx_buf_truncate(&plain->text, plain->cursor);
	fx_buf_add_n(&plain->text, bytes, length);
	plain->cursor += length;
	fx_buf_add(&plain->text, tail);
}

static bool
is_inside(const struct plain *plain, size_t at)
{
	return at < plain->text.length &&
	       ((unsigned char)plain->text.data[at] & 0xc0) == 0x80;
}

static size_t
before(const struct plain *plain, size_t at)
{
	if (at > 0)
		at--;
	while (at > 0 && is_inside(plain, at))
		at--;
	return at;
}

static size_t
after(const struct plain *plain, size_t at)
{
	if (at < plain->text.length)
		at++;
	while (is_inside(plain, at))
		at++;
	return at;
}

static void
erase_before(struct plain *plain)
{
	size_t from = before(plain, plain->cursor);
	FX_AUTO_FREE char *tail =
		fx_xstrdup(fx_buf_text(&plain->text) + plain->cursor);

	fx_buf_truncate(&plain->text, from);
	fx_buf_add(&plain->text, tail);
	plain->cursor = from;
}

static void
walk_history(struct plain *plain, bool back)
{
	size_t count;

	if (!plain->shell)
		return;
	count = plain->shell->history.count;
	if (back && plain->history < count)
		plain->history++;
	else if (!back && plain->history > 0)
		plain->history--;
	set_text(plain,
		plain->history
			? plain->shell->history.items[count - plain->history]
			: "");
}

static void
complete(struct plain *plain)
{
	const char *text = fx_buf_text(&plain->text);
	char **words;
	size_t start;
	size_t common;

	if (!plain->shell)
		return;
	words = cmd_complete(plain->shell, text, plain->cursor, &start);
	if (!words)
		return;
	plain->candidates = words;
	if (!words[0])
		return;
	common = tui_line_common(words);
	if (start <= plain->cursor && common > plain->cursor - start &&
		memcmp(text + start, words[0], plain->cursor - start) == 0) {
		size_t typed = plain->cursor - start;

		insert(plain, words[0] + typed, common - typed);
	}
	if (!words[1]) {
		insert(plain, " ", 1);
		drop_candidates(plain);
	}
}

static void
finish(struct plain *plain)
{
	free(plain->done);
	plain->done = fx_xstrdup(fx_buf_text(&plain->text));
	set_text(plain, "");
}

/* An escape sequence; returns the bytes used. */
static size_t
feed_escape(struct plain *plain, const char *bytes, size_t length)
{
	const char *tilde = memchr(bytes, '~', length);

	if (length < 3 || bytes[1] == 'O')
		return FX_MIN(length, 3);
	if (bytes[2] >= '0' && bytes[2] <= '9')
		return tilde ? (size_t)(tilde - bytes) + 1 : length;
	switch (bytes[2]) {
	case 'A':
		walk_history(plain, true);
		break;
	case 'B':
		walk_history(plain, false);
		break;
	case 'C':
		plain->cursor = after(plain, plain->cursor);
		break;
	case 'D':
		plain->cursor = before(plain, plain->cursor);
		break;
	case 'H':
		plain->cursor = 0;
		break;
	case 'F':
		plain->cursor = plain->text.length;
		break;
	default:
		break;
	}
	return 3;
}

static void
feed_byte(struct plain *plain, char byte)
{
	switch (byte) {
	case '\r':
	case '\n':
		finish(plain);
		break;
	case '\t':
		complete(plain);
		break;
	case 0x7f:
	case '\b':
		erase_before(plain);
		break;
	case 'D' & 0x1f:
		plain->eof = plain->text.length == 0;
		break;
	case 'U' & 0x1f:
		set_text(plain, "");
		break;
	default:
		if ((unsigned char)byte >= 0x20)
			insert(plain, &byte, 1);
	}
}

static void
plain_feed(void *context, const char *bytes, size_t length)
{
	struct plain *plain = context;

	drop_candidates(plain);
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '\033') {
			i += feed_escape(plain, bytes + i, length - i) - 1;
			continue;
		}
		feed_byte(plain, bytes[i]);
	}
}

static void
plain_paste(void *context, const char *text)
{
	drop_candidates(context);
	insert(context, text, strlen(text));
}

static char *
plain_take(void *context, bool *eof_ret)
{
	struct plain *plain = context;

	*eof_ret = plain->eof;
	plain->eof = false;
	return FX_TAKE(plain->done);
}

static void
plain_look(void *context, struct tui_line_look *ret)
{
	struct plain *plain = context;

	ret->prompt = plain->prompt ? plain->prompt : "";
	ret->text = fx_buf_text(&plain->text);
	ret->cursor = plain->cursor;
}

static void
plain_set_text(void *context, const char *text)
{
	set_text(context, text);
}

/* Up walks the shell's lines, and there it is. */
static void
plain_remember(void *context, const char *line)
{
	(void)context;
	(void)line;
}

static char **
plain_candidates(void *context)
{
	return ((struct plain *)context)->candidates;
}

struct tui_line *
fxt_line_plain_new(struct cmd_shell *shell)
{
	struct plain *plain = FX_NEW(struct plain);

	plain->shell = shell;
	plain->line = (struct tui_line){ .context = plain,
		.open = plain_open,
		.close = plain_close,
		.feed = plain_feed,
		.paste = plain_paste,
		.take = plain_take,
		.look = plain_look,
		.set_text = plain_set_text,
		.remember = plain_remember,
		.candidates = plain_candidates };
	return &plain->line;
}

void
fxt_line_plain_free(struct tui_line *line)
{
	struct plain *plain = line->context;

	drop_candidates(plain);
	fx_buf_deinit(&plain->text);
	free(plain->done);
	free(plain);
}
