/* test_base_number.c - numbers as Python writes and reads them. */
#include <config.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/number.h"
#include "tests/support/folder.h"
#include "tests/support/random.h"
#include "tests/support/unit.h"

static bool
repr_is(double number, const char *expected)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	fx_number_add_double(&buf, number);
	return fxt_same(fx_buf_text(&buf), expected);
}

static void
floats_look_like_pythons_repr(void)
{
	CU_ASSERT(repr_is(0.0, "0.0"));
	CU_ASSERT(repr_is(-0.0, "-0.0"));
	CU_ASSERT(repr_is(1.0, "1.0"));
	CU_ASSERT(repr_is(-1.5, "-1.5"));
	CU_ASSERT(repr_is(0.1, "0.1"));
	CU_ASSERT(repr_is(0.1 + 0.2, "0.30000000000000004"));
	CU_ASSERT(repr_is(1e-5, "1e-05"));
	CU_ASSERT(repr_is(0.0001, "0.0001"));
	CU_ASSERT(repr_is(0.00012345, "0.00012345"));
	CU_ASSERT(repr_is(9.9999e-5, "9.9999e-05"));
	CU_ASSERT(repr_is(1e15, "1000000000000000.0"));
	CU_ASSERT(repr_is(9999999999999998.0, "9999999999999998.0"));
	CU_ASSERT(repr_is(1e16, "1e+16"));
	CU_ASSERT(repr_is(1e20, "1e+20"));
	CU_ASSERT(repr_is(123456789012345680.0, "1.2345678901234568e+17"));
	CU_ASSERT(repr_is(1e100, "1e+100"));
	CU_ASSERT(repr_is(INFINITY, "inf"));
	CU_ASSERT(repr_is(-INFINITY, "-inf"));
	CU_ASSERT(repr_is(NAN, "nan"));
	CU_ASSERT(repr_is(-NAN, "nan"));
	CU_ASSERT(repr_is(5e-324, "5e-324"));
	CU_ASSERT(repr_is(DBL_MAX, "1.7976931348623157e+308"));
	CU_ASSERT(repr_is(DBL_MIN, "2.2250738585072014e-308"));
	CU_ASSERT(repr_is(0x1p-44, "5.684341886080802e-14"));
	CU_ASSERT(repr_is(9007199254740993.0, "9007199254740992.0"));
	CU_ASSERT(repr_is(0.70710678118654752, "0.7071067811865476"));
	CU_ASSERT(repr_is(123456.789, "123456.789"));
	CU_ASSERT(repr_is(1e22, "1e+22"));
	CU_ASSERT(repr_is(1e23, "1e+23"));
}

static double
double_of(uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* Every power of two, then decimals, then any bits at all. */
static double
sample(int i, struct fxt_random *random)
{
	if (i < 2098)
		return ldexp(1, i - 1074);
	if (i < 4000)
		return (double)(fxt_random_word(random) % 2000000) /
		       pow(10, (double)(fxt_random_word(random) % 12));
	if (i < 5000)
		return (double)(float)(fxt_random_word(random) % 1000) / 777.0f;
	if (i < 6000)
		return rint(ldexp((double)fxt_random_word(random), -5));
	return double_of(fxt_random_word(random));
}

#define SAMPLES 20000

/* Write the samples as hexadecimal bits; a file name in PATH. */
static void
write_samples(char *path)
{
	struct fxt_random random = fxt_random_seed(1);
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	for (int i = 0; i < SAMPLES; i++) {
		double number = sample(i, &random);
		uint64_t bits;

		memcpy(&bits, &number, sizeof(bits));
		fprintf(file, "%016llx\n", (unsigned long long)bits);
	}
	fclose(file);
}

static const char script[] =
	"import sys,struct\n"
	"for line in open(sys.argv[1]):\n"
	"    print(repr(struct.unpack('>d', bytes.fromhex(line))[0]))\n";

static void
compare_with(FILE *python)
{
	struct fxt_random random = fxt_random_seed(1);
	char line[64];
	int wrong = 0;
	int i;

	for (i = 0; i < SAMPLES && fgets(line, sizeof(line), python); i++) {
		line[strcspn(line, "\n")] = '\0';
		wrong += !repr_is(sample(i, &random), line);
	}
	FXT_EQ(i, SAMPLES);
	FXT_EQ(wrong, 0);
}

static void
twenty_thousand_floats_agree_with_python(void)
{
	char path[] = "/tmp/fxdb-number-XXXXXX";
	FX_AUTO_BUF struct fx_buf command = { 0 };
	FILE *python;

	if (access("/usr/bin/python3", X_OK) != 0)
		FXT_SKIP("no /usr/bin/python3");
	write_samples(path);
	fx_buf_addf(&command, "/usr/bin/python3 -I -S -c \"%s\" %s", script,
		path);
	python = popen(fx_buf_text(&command), "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(python);
	compare_with(python);
	pclose(python);
	unlink(path);
}

static void
floats_read_back_equal(void)
{
	struct fxt_random random = fxt_random_seed(99);
	int wrong = 0;

	for (int i = 0; i < SAMPLES; i++) {
		FX_AUTO_BUF struct fx_buf buf = { 0 };
		double number = sample(i, &random);
		double back = 0;

		if (!isfinite(number))
			continue;
		fx_number_add_double(&buf, number);
		wrong += !fx_number_parse_double(fx_buf_text(&buf), buf.length,
				 &back) ||
			 memcmp(&back, &number, sizeof(back)) != 0;
	}
	FXT_EQ(wrong, 0);
}

static bool
complex_is(double real, double imag, const char *expected)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	fx_number_add_complex(&buf, real, imag);
	return fxt_same(fx_buf_text(&buf), expected);
}

static void
complex_numbers_look_like_pythons_repr(void)
{
	CU_ASSERT(complex_is(1, 2, "(1+2j)"));
	CU_ASSERT(complex_is(0, 2, "2j"));
	CU_ASSERT(complex_is(0, -2.5, "-2.5j"));
	CU_ASSERT(complex_is(-0.0, 2, "(-0+2j)"));
	CU_ASSERT(complex_is(1.5, -0.0, "(1.5-0j)"));
	CU_ASSERT(complex_is(0, 0, "0j"));
	CU_ASSERT(complex_is(1e20, 1e-7, "(1e+20+1e-07j)"));
	CU_ASSERT(complex_is(NAN, NAN, "(nan+nanj)"));
	CU_ASSERT(complex_is(-INFINITY, INFINITY, "(-inf+infj)"));
}

static void
int_literals_are_read_as_python_does(void)
{
	static const struct {
		const char *text;
		int64_t number;
	} good[] = {
		{ "0", 0 },
		{ "00", 0 },
		{ "7", 7 },
		{ "-7", -7 },
		{ "1_000", 1000 },
		{ "0x1F", 31 },
		{ "0X_ff", 255 },
		{ "0o17", 15 },
		{ "0b101", 5 },
		{ "9223372036854775807", INT64_MAX },
		{ "-9223372036854775808", INT64_MIN },
		{ "0x7fffffffffffffff", INT64_MAX },
	};
	static const char *const bad[] = { "", "-", "+1", "1_", "_1", "1__0",
		"0x", "0x_", "0xg", "0b2", "0o8", "012", "1.0", "1e5", "a",
		" 1", "1 ", "9223372036854775808", "--1", "0xffffffffffffffff",
		"99999999999999999999999" };
	int64_t number;

	for (size_t i = 0; i < FX_ARRAY_LEN(good); i++) {
		number = 12345;
		CU_ASSERT(fx_number_parse_int(good[i].text,
			strlen(good[i].text), &number));
		FXT_EQ(number, good[i].number);
	}
	for (size_t i = 0; i < FX_ARRAY_LEN(bad); i++)
		if (fx_number_parse_int(bad[i], strlen(bad[i]), &number)) {
			fxt_same(bad[i], "no int");
			CU_FAIL("bad int taken");
		}
}

static void
float_literals_are_read_as_python_does(void)
{
	static const struct {
		const char *text;
		double number;
	} good[] = {
		{ "1.", 1 },
		{ ".5", 0.5 },
		{ "1e5", 1e5 },
		{ "1E+5", 1e5 },
		{ "1_0.2_5e-1_0", 10.25e-10 },
		{ "3", 3 },
		{ "-2.5", -2.5 },
		{ "1e400", INFINITY },
		{ "0.1", 0.1 },
	};
	static const char *const bad[] = { "", ".", "e5", "1e", "1e+", "1._5",
		"1_.5", "_1.0", "1.0_", "inf", "nan", "0x1p3", "1.0.0", "1,5",
		"1.5 ", "1__0.0", "1e_5" };
	double number;

	for (size_t i = 0; i < FX_ARRAY_LEN(good); i++) {
		number = 12345;
		CU_ASSERT(fx_number_parse_double(good[i].text,
			strlen(good[i].text), &number));
		FXT_EQ(number, good[i].number);
	}
	for (size_t i = 0; i < FX_ARRAY_LEN(bad); i++)
		if (fx_number_parse_double(bad[i], strlen(bad[i]), &number)) {
			fxt_same(bad[i], "none");
			CU_FAIL("bad float taken");
		}
}

/* Make the locale in a folder of our own, as few machines have it. */
static bool
enter_german(const char *folder)
{
	FX_AUTO_BUF struct fx_buf command = { 0 };
	FILE *pipe;

	fx_buf_addf(&command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>&1",
		folder);
	pipe = popen(fx_buf_text(&command), "r");
	while (pipe && fgetc(pipe) != EOF)
		continue;
	if (pipe)
		pclose(pipe);
	setenv("LOCPATH", folder, 1);
	return setlocale(LC_NUMERIC, "de_DE.UTF-8");
}

static void
a_locale_with_a_comma_changes_nothing(void)
{
	char *folder = fxt_folder_new();
	double number = 0;
	bool is_german = enter_german(folder);

	fxt_folder_free(folder);
	if (!is_german)
		FXT_SKIP("no locale de_DE (Debian package: locales)");
	FXT_SAME(localeconv()->decimal_point, ",");
	CU_ASSERT(repr_is(0.1 + 0.2, "0.30000000000000004"));
	CU_ASSERT(repr_is(0x1p-44, "5.684341886080802e-14"));
	CU_ASSERT(fx_number_parse_double("1.5e3", 5, &number));
	FXT_EQ(number, 1500);
	setlocale(LC_NUMERIC, "C");
}

static bool
bytes_are(uint64_t size, const char *expected)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	fx_number_add_bytes(&buf, size);
	return fxt_same(fx_buf_text(&buf), expected);
}

static bool
count_is(uint64_t count, const char *expected)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	fx_number_add_count(&buf, count);
	return fxt_same(fx_buf_text(&buf), expected);
}

static void
quantities_are_short(void)
{
	CU_ASSERT(bytes_are(0, "0 B"));
	CU_ASSERT(bytes_are(980, "980 B"));
	CU_ASSERT(bytes_are(1536, "1.5 KB"));
	CU_ASSERT(bytes_are(46827520, "44.7 MB"));
	CU_ASSERT(bytes_are(1048575, "1.0 MB"));
	CU_ASSERT(bytes_are(UINT64_MAX, "16.0 EB"));
	CU_ASSERT(count_is(0, "0"));
	CU_ASSERT(count_is(980, "980"));
	CU_ASSERT(count_is(1500, "1.5 k"));
	CU_ASSERT(count_is(11689512, "11.69 M"));
	CU_ASSERT(count_is(999999, "1.00 M"));
	CU_ASSERT(count_is(1040000000, "1.04 G"));
}

static void
assertions_compare_numbers_of_any_sign(void)
{
	CU_ASSERT(fxt_is(FXT_SHOWN(-1), "<", FXT_SHOWN((size_t)0)));
	CU_ASSERT(fxt_is(FXT_SHOWN(SIZE_MAX), ">", FXT_SHOWN(-1)));
	CU_ASSERT(fxt_is(FXT_SHOWN(2), "==", FXT_SHOWN(2.0)));
	CU_ASSERT(fxt_is(FXT_SHOWN(true), "!=", FXT_SHOWN(0)));
	CU_ASSERT(fxt_is(FXT_SHOWN(""), "!=", FXT_SHOWN(NULL)));
	CU_ASSERT(fxt_is(FXT_SHOWN(NAN), "!=", FXT_SHOWN(NAN)));
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(assertions_compare_numbers_of_any_sign),
		FXT_CASE(floats_look_like_pythons_repr),
		FXT_CASE(twenty_thousand_floats_agree_with_python),
		FXT_CASE(floats_read_back_equal),
		FXT_CASE(complex_numbers_look_like_pythons_repr),
		FXT_CASE(int_literals_are_read_as_python_does),
		FXT_CASE(float_literals_are_read_as_python_does),
		FXT_CASE(a_locale_with_a_comma_changes_nothing),
		FXT_CASE(quantities_are_short),
	};

	return fxt_run("base number", cases, FX_ARRAY_LEN(cases));
}
