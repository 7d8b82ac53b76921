/* number_parse.c - Python's number literals. */
#include <config.h>

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/number.h"

int
fx_number_digit(char c, int base)
{
	int value = -1;

	if (c >= '0' && c <= '9')
		value = c - '0';
	else if (c >= 'a' && c <= 'f')
		value = c - 'a' + 10;
	else if (c >= 'A' && c <= 'F')
		value = c - 'A' + 10;
	return value < base ? value : -1;
}

static int
base_of_prefix(const char *text, size_t length)
{
	if (length < 2 || text[0] != '0')
		return 10;
	switch (text[1]) {
	case 'x':
	case 'X':
		return 16;
	case 'o':
	case 'O':
		return 8;
	case 'b':
	case 'B':
		return 2;
	}
	return 10;
}

/* Digits with single underscores between them, all of TEXT; not more than
 * LIMIT.
 */
static bool
parse_digits(const char *text, size_t length, int base, uint64_t limit,
	uint64_t *ret)
{
	uint64_t number = 0;
	bool after_digit = false;

	for (size_t i = 0; i < length; i++) {
		int value = fx_number_digit(text[i], base);

		if (text[i] == '_' && after_digit) {
			after_digit = false;
			continue;
		}
		if (value < 0)
			return false;
		if (number > (limit - (uint64_t)value) / (uint64_t)base)
			return false;
		number = number * (uint64_t)base + (uint64_t)value;
		after_digit = true;
	}
	*ret = number;
	return after_digit;
}

bool
fx_number_parse_int(const char *text, size_t length, int64_t *ret)
{
	bool is_negative = length && text[0] == '-';
	uint64_t limit = (uint64_t)INT64_MAX + is_negative;
	uint64_t number;
	int base;

	text += is_negative;
	length -= is_negative;
	base = base_of_prefix(text, length);
	if (base != 10) {
		text += 2;
		length -= 2;
		/* 0x_ff is allowed, 0x__ff is not. */
		if (length && *text == '_') {
			text++;
			length--;
		}
	}
	if (!parse_digits(text, length, base, limit, &number))
		return false;
	if (base == 10 && number && text[0] == '0')
		return false;
	*ret = is_negative ? (int64_t)(0 - number) : (int64_t)number;
	return true;
}

/* Copy the digits at *AT to OUT without underscores; how many. */
static size_t
copy_digits(const char *text, size_t length, size_t *at, struct fx_buf *out)
{
	size_t count = 0;

	for (; *at < length; ++*at) {
		char c = text[*at];

		if (c >= '0' && c <= '9') {
			fx_buf_add_char(out, c);
			count++;
			continue;
		}
		if (c != '_' || !count || *at + 1 >= length ||
			fx_number_digit(text[*at + 1], 10) < 0 ||
			text[*at - 1] == '_')
			break;
	}
	return count;
}

/* Copy a float literal in the form that strtod of this locale reads. */
static bool
copy_float(const char *text, size_t length, struct fx_buf *out)
{
	size_t at = 0;
	size_t digits = 0;

	if (length && text[0] == '-')
		fx_buf_add_char(out, text[at++]);
	digits = copy_digits(text, length, &at, out);
	if (at < length && text[at] == '.') {
		fx_buf_add(out, localeconv()->decimal_point);
		at++;
		digits += copy_digits(text, length, &at, out);
	}
	if (!digits)
		return false;
	if (at < length && (text[at] == 'e' || text[at] == 'E')) {
		fx_buf_add_char(out, text[at++]);
		if (at < length && (text[at] == '+' || text[at] == '-'))
			fx_buf_add_char(out, text[at++]);
		if (!copy_digits(text, length, &at, out))
			return false;
	}
	return at == length;
}

bool
fx_number_parse_double(const char *text, size_t length, double *ret)
{
	FX_AUTO_BUF struct fx_buf clean = { 0 };

	if (!copy_float(text, length, &clean))
		return false;
	*ret = strtod(fx_buf_text(&clean), NULL);
	return true;
}
