/* literal.c - string literals to bytes. */
#include <config.h>

#include "lang/literal.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/utf8.h"

/* A literal being decoded: from AT up to END into OUT. */
struct decoder {
	const char *at;
	const char *end;
	char *out;
	bool is_bytes;
};

static struct fx_error *
put_code(struct decoder *decoder, uint32_t code)
{
	if (decoder->is_bytes) {
		*decoder->out++ = (char)(code & 0xff);
		return NULL;
	}
	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return fx_error_new(FX_ERR_SYNTAX,
			"U+%04X in a string is no character", code);
	decoder->out += fx_utf8_encode(code, decoder->out);
	return NULL;
}

/* Exactly COUNT hexadecimal digits: \xhh \uhhhh \Uhhhhhhhh. */
static struct fx_error *
decode_hex(struct decoder *decoder, char letter, int count)
{
	uint32_t code = 0;
	int i;

	for (i = 0; i < count; i++) {
		int digit = decoder->at < decoder->end
				    ? fx_number_digit(*decoder->at++, 16)
				    : -1;

		if (digit < 0)
			return fx_error_new(FX_ERR_SYNTAX,
				"\\%c in a string needs %d hexadecimal digits",
				letter, count);
		code = code << 4 | (uint32_t)digit;
	}
	return put_code(decoder, code);
}

static struct fx_error *
decode_octal(struct decoder *decoder, int first)
{
	uint32_t code = (uint32_t)first;
	int i;

	for (i = 0; i < 2 && decoder->at < decoder->end; i++) {
		int digit = fx_number_digit(*decoder->at, 8);

		if (digit < 0)
			break;
		code = code << 3 | (uint32_t)digit;
		decoder->at++;
	}
	return put_code(decoder, code);
}

/* After a backslash. */
static struct fx_error *
decode_escape(struct decoder *decoder)
{
	static const char letters[] = "\\'\"abfnrtv";
	static const char meanings[] = "\\'\"\a\b\f\n\r\t\v";
	char c = *decoder->at++;
	const char *found = c ? strchr(letters, c) : NULL;

	if (found) {
		*decoder->out++ = meanings[found - letters];
		return NULL;
	}
	if (c == '\n')
		return NULL;
	if (fx_number_digit(c, 8) >= 0)
		return decode_octal(decoder, fx_number_digit(c, 8));
	if (c == 'x')
		return decode_hex(decoder, c, 2);
	if (!decoder->is_bytes && (c == 'u' || c == 'U'))
		return decode_hex(decoder, c, c == 'u' ? 4 : 8);
	if (!decoder->is_bytes && c == 'N')
		return fx_error_new(FX_ERR_SYNTAX,
			"\\N{...} in a string is not understood; "
			"write the character or \\u");
	/* Python keeps the backslash of an escape it does not know. */
	*decoder->out++ = '\\';
	*decoder->out++ = c;
	return NULL;
}

static struct fx_error *
decode(struct decoder *decoder, bool is_raw)
{
	struct fx_error *err;

	while (decoder->at < decoder->end) {
		char c = *decoder->at++;

		if (decoder->is_bytes && (unsigned char)c >= 0x80)
			return fx_error_new(FX_ERR_SYNTAX,
				"a bytes literal can have ASCII only");
		if (c != '\\' || is_raw || decoder->at == decoder->end) {
			*decoder->out++ = c;
			continue;
		}
		err = decode_escape(decoder);
		if (err)
			return err;
	}
	return NULL;
}

/* Read the prefix letters at *TEXT; false on one that is none. */
static bool
read_prefix(const char **text, const char *end, bool *raw_ret, bool *bytes_ret)
{
	*raw_ret = false;
	*bytes_ret = false;
	for (; *text < end && **text != '"' && **text != '\''; (*text)++) {
		if (**text == 'r' || **text == 'R')
			*raw_ret = true;
		else if (**text == 'b' || **text == 'B')
			*bytes_ret = true;
		else if (**text != 'u' && **text != 'U')
			return false;
	}
	return true;
}

struct fx_error *
fx_literal_string(struct fx_arena *arena, const char *text, size_t length,
	struct fx_literal *ret)
{
	const char *at = text;
	const char *end = text + length;
	struct decoder decoder;
	struct fx_error *err;
	bool is_raw;
	size_t quotes;
	char *out;

	if (!read_prefix(&at, end, &is_raw, &decoder.is_bytes) || end - at < 2)
		return fx_error_new(FX_ERR_SYNTAX, "this is no string literal");
	quotes = end - at >= 6 && at[1] == at[0] && at[2] == at[0] ? 3 : 1;
	if (end[-1] != at[0])
		return fx_error_new(FX_ERR_SYNTAX, "the string is not closed");
	/* No escape is longer decoded than written. */
	out = fx_arena_alloc(arena, (size_t)(end - at) + 1);
	decoder.at = at + quotes;
	decoder.end = end - quotes;
	decoder.out = out;
	err = decode(&decoder, is_raw);
	if (err)
		return err;
	if (!decoder.is_bytes &&
		fx_utf8_valid(out, (size_t)(decoder.out - out)) <
			(size_t)(decoder.out - out))
		return fx_error_new(FX_ERR_SYNTAX,
			"the string is not UTF-8 text");
	*decoder.out = '\0';
	ret->text = out;
	ret->length = (size_t)(decoder.out - out);
	ret->is_bytes = decoder.is_bytes;
	return NULL;
}
