/* test_process.c - programs that are started and listened to. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "guest/process.h"
#include "run/ticker.h"
#include "tests/support/unit.h"

static struct fx_error *
shell(const char *script, int timeout_ms, char **ret)
{
	const char *argv[] = { "sh", "-c", script, NULL };

	return fx_process_output(argv, timeout_ms, ret);
}

static void
what_a_program_prints_comes_back(void)
{
	FX_AUTO_FREE char *text = NULL;

	FXT_OK(shell("echo one; echo two >&2; echo three", 20000, &text));
	FXT_SAME(text, "one\nthree\n");
}

static void
how_a_program_failed_is_said(void)
{
	FX_AUTO_FREE char *text = NULL;
	FX_AUTO_ERROR struct fx_error *err = shell("exit 5", 20000, &text);

	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_EQ(fx_error_code(err), FX_ERR_CHILD);
	FXT_SAME(fx_error_message(err), "sh ended with exit status 5");
}

/* Also when it has closed its output and there is nothing to wait for. */
static void
a_program_that_does_not_end_is_ended(void)
{
	static const char *const scripts[] = { "sleep 60", "exec >&-; sleep 60",
		"exec >&- 2>&-; exec sleep 60" };

	for (size_t i = 0; i < FX_ARRAY_LEN(scripts); i++) {
		long long began = fx_clock_ms();
		FX_AUTO_FREE char *text = NULL;
		FX_AUTO_ERROR struct fx_error *err =
			shell(scripts[i], 200, &text);

		CU_ASSERT_PTR_NOT_NULL_FATAL(err);
		FXT_SAME(fx_error_message(err),
			"sh did not answer within 200 ms");
		FXT_IS(fx_clock_ms() - began, <, 30000);
	}
}

static void
programs_are_found_where_path_says(void)
{
	FX_AUTO_FREE char *shell = fx_process_find("sh");
	FX_AUTO_FREE char *same = shell ? fx_process_find(shell) : NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(shell);
	FXT_EQ(shell[strlen(shell) - 3], '/');
	FXT_SAME(same, shell);
	CU_ASSERT_PTR_NULL(fx_process_find("no-such-program-anywhere"));
	CU_ASSERT_PTR_NULL(fx_process_find("/no/such/program"));
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(what_a_program_prints_comes_back),
		FXT_CASE(how_a_program_failed_is_said),
		FXT_CASE(a_program_that_does_not_end_is_ended),
		FXT_CASE(programs_are_found_where_path_says),
	};

	return fxt_run("process", cases, FX_ARRAY_LEN(cases));
}
