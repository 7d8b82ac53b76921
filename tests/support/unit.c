/* unit.c - running a list of facts through CUnit. */
#include <config.h>

#include "tests/support/unit.h"

#include <CUnit/Basic.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

/* Of longer texts the first line that differs is printed. */
enum {
	LONG_TEXT = 4000
};

static unsigned skipped;

static bool
is_wanted(const struct fxt_case *c)
{
	const char *only = getenv("FXT_ONLY");

	return !only || !*only || strcmp(only, c->name) == 0;
}

int
fxt_run(const char *name, const struct fxt_case *cases, size_t count)
{
	CU_pSuite suite;
	unsigned failures;
	unsigned failed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 99;
	suite = CU_add_suite(name, NULL, NULL);
	for (size_t i = 0; i < count; i++)
		if (is_wanted(&cases[i]))
			CU_add_test(suite, cases[i].name, cases[i].run);
	CU_basic_set_mode(CU_BRM_VERBOSE);
	CU_basic_run_tests();
	failures = CU_get_number_of_failures();
	failed = CU_get_number_of_tests_failed();
	printf("%u passed, %u failed, %u skipped\n",
		CU_get_number_of_tests_run() - failed - skipped, failed,
		skipped);
	CU_cleanup_registry();
	fx_intern_shutdown();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

void
fxt_skip(const char *reason)
{
	printf("\n  skipped: %s\n", reason);
	skipped++;
}

size_t
fxt_part(size_t all)
{
	const char *text = getenv("FXT_PERCENT");
	size_t percent = text ? (size_t)strtoul(text, NULL, 10) : 100;
	size_t part;

	if (percent < 1 || percent > 100)
		percent = 100;
	part = all * percent / 100;
	return part ? part : 1;
}

bool
fxt_ok(struct fx_error *err)
{
	if (!err)
		return true;
	printf("\n  unexpected error: %s\n", fx_error_message(err));
	fx_error_free(err);
	return false;
}

bool
fxt_fails(struct fx_error *err, enum fx_error_code code)
{
	bool as_expected = err && fx_error_code(err) == code;

	if (!err)
		printf("\n  no error, expected %s\n", fx_error_word(code));
	else if (!as_expected)
		printf("\n  error %s (%s), expected %s\n",
			fx_error_word(fx_error_code(err)),
			fx_error_message(err), fx_error_word(code));
	fx_error_free(err);
	return as_expected;
}

bool
fxt_same(const char *actual, const char *expected)
{
	size_t begin = 0;
	int line = 1;

	if (actual && expected && strcmp(actual, expected) == 0)
		return true;
	if (!actual || !expected || strlen(actual) < LONG_TEXT) {
		printf("\n  is:       %s\n  expected: %s\n",
			actual ? actual : "(null)",
			expected ? expected : "(null)");
		return false;
	}
	for (size_t i = 0; actual[i] == expected[i]; i++) {
		if (actual[i] != '\n')
			continue;
		begin = i + 1;
		line++;
	}
	printf("\n  line %d is:  %.*s\n  expected: %.*s\n", line,
		(int)strcspn(actual + begin, "\n"), actual + begin,
		(int)strcspn(expected + begin, "\n"), expected + begin);
	return false;
}

struct fxt_shown
fxt_int(int64_t integer)
{
	return (struct fxt_shown){ .kind = FXT_INT, .integer = integer };
}

struct fxt_shown
fxt_uint(uint64_t natural)
{
	return (struct fxt_shown){ .kind = FXT_UINT, .natural = natural };
}

struct fxt_shown
fxt_real(double real)
{
	return (struct fxt_shown){ .kind = FXT_REAL, .real = real };
}

struct fxt_shown
fxt_pointer(const void *pointer)
{
	return (struct fxt_shown){ .kind = FXT_POINTER, .pointer = pointer };
}

struct fxt_shown
fxt_text(const char *text)
{
	return (struct fxt_shown){ .kind = FXT_TEXT, .pointer = text };
}

static double
real_of(struct fxt_shown a)
{
	return a.kind == FXT_REAL  ? a.real
	       : a.kind == FXT_INT ? (double)a.integer
				   : (double)a.natural;
}

/* A pointer as a number; -1 in *SIGN_RET for what is below zero. */
static uint64_t
magnitude(struct fxt_shown a, int *sign_ret)
{
	*sign_ret = a.kind == FXT_INT && a.integer < 0 ? -1 : 0;
	switch (a.kind) {
	case FXT_INT:
		return (uint64_t)a.integer;
	case FXT_POINTER:
	case FXT_TEXT:
		return (uint64_t)(uintptr_t)a.pointer;
	case FXT_UINT:
	case FXT_REAL:
		break;
	}
	return a.natural;
}

/* Below, equal, above: -1, 0, 1; 2 when one is not a number. */
static int
compare(struct fxt_shown a, struct fxt_shown b)
{
	uint64_t x;
	uint64_t y;
	int x_sign;
	int y_sign;

	if (a.kind == FXT_REAL || b.kind == FXT_REAL) {
		double p = real_of(a);
		double q = real_of(b);

		return p < q ? -1 : p > q ? 1 : p == q ? 0 : 2;
	}
	x = magnitude(a, &x_sign);
	y = magnitude(b, &y_sign);
	if (x_sign != y_sign)
		return x_sign < y_sign ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void
print_shown(const char *head, struct fxt_shown a)
{
	printf("%s", head);
	switch (a.kind) {
	case FXT_INT:
		printf("%" PRId64 "\n", a.integer);
		break;
	case FXT_UINT:
		printf("%" PRIu64 "\n", a.natural);
		break;
	case FXT_REAL:
		printf("%.17g\n", a.real);
		break;
	case FXT_POINTER:
		printf("%p\n", a.pointer);
		break;
	case FXT_TEXT:
		printf("%p \"%s\"\n", a.pointer,
			a.pointer ? (const char *)a.pointer : "(null)");
		break;
	}
}

bool
fxt_is(struct fxt_shown actual, const char *op, struct fxt_shown expected)
{
	int order = compare(actual, expected);
	bool ok = op[0] == '!'   ? order != 0
		  : op[0] == '=' ? order == 0
		  : op[0] == '<' ? order == -1 || (op[1] == '=' && order == 0)
				 : order == 1 || (op[1] == '=' && order == 0);

	if (ok)
		return true;
	print_shown("\n  is:       ", actual);
	printf("  expected: %s", op[0] == '=' ? "" : op);
	print_shown(op[0] == '=' ? "" : " ", expected);
	return false;
}
