/* unit.c - running a list of facts through CUnit. */
#include <config.h>

#include "tests/support/unit.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

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
	if (actual && expected && strcmp(actual, expected) == 0)
		return true;
	printf("\n  is:       %s\n  expected: %s\n", actual ? actual : "(null)",
		expected ? expected : "(null)");
	return false;
}
