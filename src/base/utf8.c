/* utf8.c - code points, validity, and what fits on a line. */
#include <config.h>

#include "base/utf8.h"

#include "base/buf.h"

/* Length of the sequence that begins with FIRST, 0 for none. */
static size_t
sequence_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2)
		return 0;
	if (first < 0xe0)
		return 2;
	if (first < 0xf0)
		return 3;
	return first < 0xf5 ? 4 : 0;
}

static bool
is_scalar(uint32_t code, size_t size)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return code >= least[size] && code <= 0x10ffff &&
	       (code < 0xd800 || code > 0xdfff);
}

size_t
fx_utf8_decode(const char *text, size_t length, uint32_t *ret)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t size = sequence_length(bytes[0]);
	uint32_t code;

	*ret = 0xfffd;
	if (size == 1) {
		*ret = bytes[0];
		return 1;
	}
	if (size == 0 || size > length)
		return 1;
	code = bytes[0] & (0xffu >> (size + 1));
	for (size_t i = 1; i < size; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 1;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	if (!is_scalar(code, size))
		return 1;
	*ret = code;
	return size;
}

size_t
fx_utf8_encode(uint32_t code, char out[4])
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | (code >> 18 & 7));
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* Whether the SIZE bytes that decoded to CODE were bad. */
static bool
was_bad(uint32_t code, size_t size)
{
	return code == 0xfffd && size == 1;
}

size_t
fx_utf8_valid(const char *text, size_t length)
{
	uint32_t code;
	size_t size;
	size_t at = 0;

	while (at < length) {
		if ((unsigned char)text[at] < 0x80) {
			at++;
			continue;
		}
		size = fx_utf8_decode(text + at, length - at, &code);
		if (was_bad(code, size))
			return at;
		at += size;
	}
	return length;
}

size_t
fx_utf8_text_width(const char *text, size_t length)
{
	uint32_t code;
	size_t width = 0;

	for (size_t at = 0; at < length;) {
		at += fx_utf8_decode(text + at, length - at, &code);
		width += (size_t)fx_utf8_width(code);
	}
	return width;
}

size_t
fx_utf8_fit(const char *text, size_t length, size_t columns)
{
	uint32_t code;
	size_t width = 0;
	size_t at = 0;

	while (at < length) {
		size_t size = fx_utf8_decode(text + at, length - at, &code);

		width += (size_t)fx_utf8_width(code);
		if (width > columns)
			break;
		at += size;
	}
	return at;
}

/* The short escape of C, or 0. */
static char
short_escape(uint32_t code)
{
	switch (code) {
	case '\n':
		return 'n';
	case '\t':
		return 't';
	case '\r':
		return 'r';
	}
	return 0;
}

/* Control characters, marks of direction, separators of lines, and what
 * overrides and isolates directions.
 */
bool
fx_utf8_disturbs(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ||
	       (code >= 0x200e && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

void
fx_utf8_add_visible(struct fx_buf *out, const char *text, size_t length)
{
	uint32_t code;
	size_t size;

	for (size_t at = 0; at < length; at += size) {
		size = fx_utf8_decode(text + at, length - at, &code);
		if (was_bad(code, size))
			fx_buf_addf(out, "\\x%02x", (unsigned char)text[at]);
		else if (short_escape(code))
			fx_buf_addf(out, "\\%c", short_escape(code));
		else if (!fx_utf8_disturbs(code))
			fx_buf_add_n(out, text + at, size);
		else
			fx_buf_addf(out, code < 0x100 ? "\\x%02x" : "\\u%04x",
				(unsigned)code);
	}
}
