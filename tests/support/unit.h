/* unit.h - a unit test program: a list of facts, each a function.
 *
 *	static void
 *	an_empty_map_has_nothing(void)
 *	{
 *		CU_ASSERT_FALSE(...);
 *	}
 *
 *	int
 *	main(void)
 *	{
 *		static const struct fxt_case cases[] = {
 *			FXT_CASE(an_empty_map_has_nothing),
 *		};
 *
 *		return fxt_run("map", cases, FX_ARRAY_LEN(cases));
 *	}
 */
#ifndef FX_TESTS_SUPPORT_UNIT_H
#define FX_TESTS_SUPPORT_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include <CUnit/CUnit.h>

#include "base/compiler.h"
#include "base/error.h"

struct fxt_case {
	const char *name;
	void (*run)(void);
};

#define FXT_CASE(function) \
	{ \
#function, (function) \
	}

/* Run CASES as the suite NAME; the program's exit status.  With the name of a
 * case in the environment variable FXT_ONLY, only that one.
 */
int fxt_run(const char *name, const struct fxt_case *cases, size_t count);

/* Leave the running case, which counts as skipped, because of REASON. */
#define FXT_SKIP(reason) \
	do { \
		fxt_skip(reason); \
		return; \
	} while (0)
void fxt_skip(const char *reason);

/* Whether there was no ERR; it is printed and freed if there was. */
bool fxt_ok(struct fx_error *err);

/* Whether ERR has CODE; it is freed. */
bool fxt_fails(struct fx_error *err, enum fx_error_code code);

/* Whether ACTUAL equals EXPECTED; both are printed if not. */
bool fxt_same(const char *actual, const char *expected);

#define FXT_OK(err)                CU_ASSERT(fxt_ok(err))
#define FXT_FAILS(err, code)       CU_ASSERT(fxt_fails((err), (code)))
#define FXT_SAME(actual, expected) CU_ASSERT(fxt_same((actual), (expected)))

#endif /* FX_TESTS_SUPPORT_UNIT_H */
