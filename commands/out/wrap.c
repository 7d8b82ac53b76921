/* wrap.c - lines broken between words.
 *
 * A terminal breaks a line wherever its edge is.  Rows that go on are indented
 * below what the line begins with, so that one sees where the next line is.
 */
#include <config.h>

#include "commands/out/wrap.h"

#include <ctype.h>
#include <string.h>

#include "base/compiler.h"
#include "base/utf8.h"

enum {
	DEEPER = 4,       /* rows that go on, than the first */
	LONG_WORD = 1000, /* bytes of one that are looked at */
};

/* What stands before the words: branches of a tree, marks of a listing. */
static bool
is_margin(enum fx_role role)
{
	return role == FX_ROLE_BORDER || role == FX_ROLE_CURRENT ||
	       role == FX_ROLE_BREAKPOINT;
}

/* Bytes that the line begins with before any word: its margin, blanks. */
static size_t
lead_length(const struct out_wrap *wrap)
{
	const char *text = fx_buf_text(&wrap->text);
	size_t length = 0;

	for (size_t i = 0;
		i < wrap->runs.count && is_margin(wrap->runs.items[i].role);
		i++)
		length = wrap->runs.items[i].end;
	while (text[length] == ' ')
		length++;
	return length;
}

/* Bytes of a picture between bars, as |_.:  :|, which TEXT begins with, or 0:
 * no letters or digits, but blanks of its own.
 */
static size_t
picture_length(const char *text, size_t length)
{
	size_t at = 1;

	if (*text != '|')
		return 0;
	while (at < length && text[at] != '|')
		if (isalnum((unsigned char)text[at++]))
			return 0;
	return at < length ? at + 1 : 0;
}

/* Bytes of the counts that end a tensor's line, "nan 2@[0,1] inf 1@[0,0]" or
 * one of the two, if TEXT begins with them, or 0.
 */
static size_t
counts_length(const char *text, size_t length)
{
	static const char *const words[] = { "nan ", "inf " };
	size_t at = 0;

	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++) {
		size_t begin = at + (at && at < length);
		size_t digit = begin + strlen(words[i]);

		if (digit >= length ||
			memcmp(text + begin, words[i], digit - begin) != 0 ||
			!isdigit((unsigned char)text[digit]))
			continue;
		for (at = digit; at < length && text[at] != ' '; at++)
			;
	}
	return at;
}

/* Bytes of TEXT up to the end of its first word, after blanks. */
static size_t
word_end(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length && text[at] == ' ')
		at++;
	at += counts_length(text + at, length - at);
	while (at < length && text[at] != ' ') {
		size_t picture = picture_length(text + at, length - at);

		at += picture ? picture : 1;
	}
	return at;
}

/* How much of a word to cut off where at most FITS bytes of it fit: up to a dot
 * or slash between letters, as in paths, if one is near.
 */
static size_t
part_length(const char *text, size_t fits)
{
	for (size_t at = fits; at > fits / 2; at--)
		if (strchr("./", text[at - 1]) &&
			isalpha((unsigned char)text[at]))
			return at;
	return fits;
}

/* How many of the LENGTH bytes of TEXT, of which no row begins in the first
 * LEAD, make a row of COLUMNS: whole words, or as much of one as fits.
 */
static size_t
row_length(const char *text, size_t length, size_t lead, size_t columns)
{
	size_t fits = fx_utf8_fit(text, length, columns);
	size_t seen = FX_MIN(length, fits + LONG_WORD);
	size_t cut = 0;
	size_t end = lead;
	uint32_t code;

	if (fits == length)
		return length;
	while (end <= fits) {
		cut = end;
		end += word_end(text + end, seen - end);
	}
	if (cut > lead)
		return cut;
	return fits ? part_length(text, fits)
		    : fx_utf8_decode(text, length, &code);
}

/* Hand on bytes FROM to END, in the runs that they belong to. */
static void
hand_on(const struct out_wrap *wrap, size_t from, size_t end)
{
	const struct out_wrap_run *run = wrap->runs.items;

	for (; from < end; run++) {
		size_t stop = FX_MIN(run->end, end);

		if (stop <= from)
			continue;
		wrap->to->piece(wrap->to->context, run->role,
			wrap->text.data + from, stop - from);
		from = stop;
	}
}

static void
hand_on_blanks(const struct out_wrap *wrap, size_t count)
{
	FX_AUTO_BUF struct fx_buf blanks = { 0 };

	fx_buf_add_repeat(&blanks, ' ', count);
	if (count)
		wrap->to->piece(wrap->to->context, FX_ROLE_PLAIN,
			fx_buf_text(&blanks), count);
}

static void
wrap_piece(void *context, enum fx_role role, const char *text, size_t length)
{
	struct out_wrap *wrap = context;
	struct out_wrap_run run = { .role = role };

	fx_buf_add_n(&wrap->text, text, length);
	run.end = wrap->text.length;
	fx_vec_push(&wrap->runs, run);
}

/* Deeper than the line, in a quarter of the width; else below where it begins,
 * in half of it: something has to fit beside the blanks.
 */
static size_t
hang_of(const struct out_wrap *wrap, size_t lead, size_t width)
{
	size_t begin = fx_utf8_text_width(fx_buf_text(&wrap->text), lead);

	if (wrap->hang >= 0)
		return FX_MIN((size_t)wrap->hang, width / 4);
	return FX_MAX(FX_MIN(begin + DEEPER, width / 4),
		FX_MIN(begin, width / 2));
}

/* HANG, or less where only that leaves WIDTH for the first word of TEXT. */
static size_t
indent_of(const char *text, size_t length, size_t hang, size_t width)
{
	size_t seen = FX_MIN(length, LONG_WORD);
	size_t word = fx_utf8_text_width(text, word_end(text, seen));

	return word <= width ? FX_MIN(hang, width - word) : hang;
}

static void
wrap_line_end(void *context)
{
	struct out_wrap *wrap = context;
	const char *text = fx_buf_text(&wrap->text);
	size_t length = wrap->text.length;
	size_t width = wrap->layout.width ? wrap->layout.width : SIZE_MAX;
	size_t lead = lead_length(wrap);
	size_t hang = hang_of(wrap, lead, width);
	size_t room = width;
	size_t at = 0;

	while (at < length) {
		size_t begin = at;
		size_t end;

		at += row_length(text + at, length - at, lead, room);
		end = at;
		while (end > begin && end < length && text[end - 1] == ' ')
			end--;
		hand_on(wrap, begin, end);
		while (at < length && text[at] == ' ')
			at++;
		if (at < length && end > begin)
			wrap->to->line_end(wrap->to->context);
		room = width - indent_of(text + at, length - at, hang, width);
		if (at < length)
			hand_on_blanks(wrap, width - room);
		lead = 0;
	}
	wrap->to->line_end(wrap->to->context);
	fx_buf_clear(&wrap->text);
	fx_vec_clear(&wrap->runs);
}

void
out_wrap_init(struct out_wrap *wrap, const struct out_layout *to, size_t width)
{
	*wrap = (struct out_wrap){ .to = to, .hang = -1 };
	wrap->layout = (struct out_layout){ .width = width,
		.ascii = to->ascii,
		.context = wrap,
		.piece = wrap_piece,
		.line_end = wrap_line_end };
}

void
out_wrap_deinit(struct out_wrap *wrap)
{
	fx_buf_deinit(&wrap->text);
	fx_vec_deinit(&wrap->runs);
}
