/* error.c - failures as values. */
#include <config.h>

#include "base/error.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/vec.h"

/* Bytes of a word, and of what stands in quotes, that are shown whole; of
 * longer ones the beginning is, in columns.
 */
#define LONGEST 200
#define KEPT    60

struct fx_error {
	enum fx_error_code code;
	char *message;
	char *hint;
	FX_VEC(char *) notes;

	char *text; /* what the user typed, and where in it */
	struct fx_span span;

	char *file;
	int line;
};

static const struct {
	const char *word;
	const char *python;
	const char *help;
	const char *summary;
} errors[] = {
#define FX_ERR(id, word, python, help, summary) \
	{ word, #python, help, summary },
#include "base/error.def"
};

_Static_assert(FX_ARRAY_LEN(errors) == FX_ERR_COUNT, "a code has no row");

/* The LENGTH bytes of TEXT and END, or, of a long text, its beginning, END and
 * how long it is.
 */
static void
add_shortened(struct fx_buf *out, const char *text, size_t length,
	const char *end)
{
	size_t count = 0;

	if (length <= LONGEST) {
		fx_buf_add_n(out, text, length);
		fx_buf_add(out, end);
		return;
	}
	for (size_t i = 0; i < length; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	fx_buf_add_n(out, text, fx_utf8_fit(text, length, KEPT));
	fx_buf_addf(out, "...%s (%zu characters)", end, count);
}

/* What FORMAT makes.  What was typed or stands in a file may be of any length;
 * it is a word of the message, or stands in quotes.
 */
FX_PRINTF(1, 0)
static char *
shown(const char *format, va_list args)
{
	FX_AUTO_FREE char *whole = fx_xvasprintf(format, args);
	FX_AUTO_BUF struct fx_buf out = { 0 };
	const char *at = whole;

	if (strlen(whole) <= LONGEST)
		return FX_TAKE(whole);
	while (*at) {
		const char *close = *at == '"' ? strchr(at + 1, '"') : NULL;
		size_t length =
			close ? (size_t)(close - at) - 1 : strcspn(at, " \n\"");

		if (close || !length)
			fx_buf_add_char(&out, *at++);
		add_shortened(&out, at, length, close ? "\"" : "");
		at += length + (close != NULL);
	}
	return fx_buf_take(&out);
}

struct fx_error *
fx_error_new(enum fx_error_code code, const char *format, ...)
{
	struct fx_error *err = FX_NEW(struct fx_error);
	va_list args;

	err->code = code;
	va_start(args, format);
	err->message = shown(format, args);
	va_end(args);
	return err;
}

struct fx_error *
fx_error_note(struct fx_error *err, const char *format, ...)
{
	va_list args;

	if (!err)
		return NULL;
	va_start(args, format);
	fx_vec_push(&err->notes, shown(format, args));
	va_end(args);
	return err;
}

struct fx_error *
fx_error_hint(struct fx_error *err, const char *format, ...)
{
	va_list args;
	char *hint;

	if (!err)
		return NULL;
	va_start(args, format);
	hint = shown(format, args);
	va_end(args);
	/* Only now: the arguments may come from the old hint. */
	free(err->hint);
	err->hint = hint;
	return err;
}

struct fx_error *
fx_error_at(struct fx_error *err, const char *text, struct fx_span span)
{
	if (!err || err->text)
		return err;
	err->text = fx_xstrdup(text);
	err->span = span;
	return err;
}

struct fx_error *
fx_error_place(struct fx_error *err, const char *file, int line)
{
	if (!err || err->file)
		return err;
	err->file = fx_xstrdup(file);
	err->line = line;
	return err;
}

void
fx_error_free(struct fx_error *err)
{
	if (!err)
		return;
	for (size_t i = 0; i < err->notes.count; i++)
		free(err->notes.items[i]);
	fx_vec_deinit(&err->notes);
	free(err->message);
	free(err->hint);
	free(err->text);
	free(err->file);
	free(err);
}

enum fx_error_code
fx_error_code(const struct fx_error *err)
{
	return err->code;
}

const char *
fx_error_message(const struct fx_error *err)
{
	return err->message;
}

const char *
fx_error_hint_text(const struct fx_error *err)
{
	return err->hint;
}

size_t
fx_error_note_count(const struct fx_error *err)
{
	return err->notes.count;
}

const char *
fx_error_note_text(const struct fx_error *err, size_t index)
{
	return index < err->notes.count ? err->notes.items[index] : NULL;
}

const char *
fx_error_text(const struct fx_error *err)
{
	return err->text;
}

struct fx_span
fx_error_span(const struct fx_error *err)
{
	return err->span;
}

const char *
fx_error_file(const struct fx_error *err)
{
	return err->file;
}

int
fx_error_line(const struct fx_error *err)
{
	return err->line;
}

const char *
fx_error_word(enum fx_error_code code)
{
	return errors[code].word;
}

const char *
fx_error_summary(enum fx_error_code code)
{
	return errors[code].summary;
}

const char *
fx_error_python(enum fx_error_code code)
{
	return errors[code].python;
}

const char *
fx_error_help(enum fx_error_code code)
{
	return errors[code].help;
}
