/* number.c - floats to text and quantities for people.
 *
 * The shortest text that reads back equal, as Python's repr finds it: short
 * decimals by exact arithmetic; the rest by asking the C library for 15, 16
 * and 17 digits until one reads back.  The library's decimal point depends on
 * the locale, so only its digits are used.
 */
#include <config.h>

#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define MOST_DIGITS 17

/* 0.DIGITS times ten to the POINT. */
struct decimal {
	char digits[MOST_DIGITS + 1];
	int count;
	int point;
};

/* COUNT significant digits of NUMBER, and whether they read back as it. */
static bool
digits_of(double number, int count, struct decimal *ret)
{
	char text[64];
	const char *p;

	snprintf(text, sizeof(text), "%.*e", count - 1, number);
	ret->count = 0;
	for (p = text; *p && *p != 'e'; p++)
		if (*p >= '0' && *p <= '9' && ret->count < MOST_DIGITS)
			ret->digits[ret->count++] = *p;
	ret->point = (int)strtol(p + 1, NULL, 10) + 1;
	return strtod(text, NULL) == number;
}

/* The last digit one higher, without carry: false if it is a nine. */
static bool
raise_last(struct decimal *decimal)
{
	if (decimal->digits[decimal->count - 1] == '9')
		return false;
	decimal->digits[decimal->count - 1]++;
	return true;
}

static bool
reads_back(const struct decimal *decimal, double number)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*se%d", decimal->count, decimal->digits,
		decimal->point - decimal->count);
	return strtod(text, NULL) == number;
}

static void
find_shortest(double number, struct decimal *ret)
{
	/* Subnormal numbers have fewer digits than they are asked for. */
	int count = number < DBL_MIN ? 1 : 15;
	int exponent;

	for (; count < 17; count++)
		if (digits_of(number, count, ret))
			goto strip;
	/* Below a power of two the doubles lie twice as dense, so the nearest
	 * 16 digits can miss it from below while the next ones hit it.
	 */
	if (frexp(number, &exponent) == 0.5 && raise_last(ret) &&
		reads_back(ret, number))
		goto strip;
	digits_of(number, 17, ret);
strip:
	while (ret->count > 1 && ret->digits[ret->count - 1] == '0')
		ret->count--;
}

/* Digits with a point among or after them, or zeros before them. */
static void
add_fixed(struct fx_buf *out, const struct decimal *decimal, bool with_point)
{
	int whole = decimal->point < 0 ? 0 : decimal->point;

	if (decimal->point <= 0) {
		fx_buf_add(out, "0.");
		fx_buf_add_repeat(out, '0', (size_t)-decimal->point);
		fx_buf_add_n(out, decimal->digits, (size_t)decimal->count);
	} else if (whole >= decimal->count) {
		fx_buf_add_n(out, decimal->digits, (size_t)decimal->count);
		fx_buf_add_repeat(out, '0', (size_t)(whole - decimal->count));
		if (with_point)
			fx_buf_add(out, ".0");
	} else {
		fx_buf_add_n(out, decimal->digits, (size_t)whole);
		fx_buf_add_char(out, '.');
		fx_buf_add_n(out, decimal->digits + whole,
			(size_t)(decimal->count - whole));
	}
}

static void
add_scientific(struct fx_buf *out, const struct decimal *decimal)
{
	int exponent = decimal->point - 1;

	fx_buf_add_char(out, decimal->digits[0]);
	if (decimal->count > 1) {
		fx_buf_add_char(out, '.');
		fx_buf_add_n(out, decimal->digits + 1,
			(size_t)decimal->count - 1);
	}
	fx_buf_addf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

/* NUMBER as a whole number over a small power of ten, exactly.  Up to 15
 * digits no two decimals share a double, and the fewest decimals come first,
 * so what is found is the shortest.
 */
static bool
add_short(struct fx_buf *out, double number, bool with_point)
{
	double power = 1;
	double scaled;
	char digits[16];
	int count = 0;
	long long rest;

	for (int places = 0; places <= 6; places++, power *= 10) {
		scaled = rint(number * power);
		if (scaled > 999999999999999.0)
			return false;
		if (scaled / power != number)
			continue;
		rest = (long long)scaled;
		fx_buf_add_int(out, rest / (long long)power);
		if (places == 0)
			fx_buf_add(out, with_point ? ".0" : "");
		if (places == 0)
			return true;
		fx_buf_add_char(out, '.');
		for (rest %= (long long)power; count < places; rest /= 10)
			digits[places - ++count] = (char)('0' + rest % 10);
		fx_buf_add_n(out, digits, (size_t)places);
		return true;
	}
	return false;
}

/* Below this repr uses an exponent. */
#define LEAST_FIXED 1e-4

static void
add_float(struct fx_buf *out, double number, bool with_point)
{
	struct decimal decimal;

	if (isnan(number)) {
		fx_buf_add(out, "nan");
		return;
	}
	if (signbit(number))
		fx_buf_add_char(out, '-');
	number = fabs(number);
	if (isinf(number)) {
		fx_buf_add(out, "inf");
		return;
	}
	if ((number == 0 || number >= LEAST_FIXED) &&
		add_short(out, number, with_point))
		return;
	find_shortest(number, &decimal);
	if (decimal.point > -4 && decimal.point <= 16)
		add_fixed(out, &decimal, with_point);
	else
		add_scientific(out, &decimal);
}

void
fx_number_add_double(struct fx_buf *out, double number)
{
	add_float(out, number, true);
}

void
fx_number_add_complex(struct fx_buf *out, double real, double imag)
{
	bool is_bare = real == 0 && !signbit(real);

	if (!is_bare) {
		fx_buf_add_char(out, '(');
		add_float(out, real, false);
		if (isnan(imag) || !signbit(imag))
			fx_buf_add_char(out, '+');
	}
	add_float(out, imag, false);
	fx_buf_add(out, is_bare ? "j" : "j)");
}

/* NUMBER with PLACES decimals, whatever the locale. */
static void
add_places(struct fx_buf *out, double number, int places)
{
	double power = places == 2 ? 100 : 10;
	long long scaled = llround(number * power);

	fx_buf_add_int(out, scaled / (long long)power);
	fx_buf_addf(out, ".%0*d", places, (int)(scaled % (long long)power));
}

void
fx_number_add_bytes(struct fx_buf *out, uint64_t size)
{
	static const char units[] = "KMGTPE";
	double number = (double)size / 1024;
	int unit = 0;

	if (size < 1024) {
		fx_buf_add_int(out, (long long)size);
		fx_buf_add(out, " B");
		return;
	}
	for (; number >= 1023.95 && units[unit + 1]; unit++)
		number /= 1024;
	add_places(out, number, 1);
	fx_buf_addf(out, " %cB", units[unit]);
}

void
fx_number_add_count(struct fx_buf *out, uint64_t count)
{
	static const char units[] = "kMGTPE";
	double number = (double)count / 1000;
	int unit = 0;

	if (count < 1000) {
		fx_buf_add_int(out, (long long)count);
		return;
	}
	for (; number >= (unit ? 999.995 : 999.95) && units[unit + 1]; unit++)
		number /= 1000;
	add_places(out, number, unit ? 2 : 1);
	fx_buf_addf(out, " %c", units[unit]);
}

int
fx_number_compare_sizes(const void *a, const void *b)
{
	size_t x = *(const size_t *)a;
	size_t y = *(const size_t *)b;

	return (x > y) - (x < y);
}
