/* unit.h - a unit test program: a list of facts, each a function.
 *
 *	static void
 *	an_empty_map_has_nothing(void)
 *	{
 *		FXT_EQ(map.count, 0);
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
#include <stdint.h>

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

/* How many of ALL random cases to try: FXT_PERCENT of them where the
 * environment has it (1 to 100), at least one.
 */
size_t fxt_part(size_t all);

/* Whether there was no ERR; it is printed and freed if there was. */
bool fxt_ok(struct fx_error *err);

/* Whether ERR has CODE; it is freed. */
bool fxt_fails(struct fx_error *err, enum fx_error_code code);

/* Whether ACTUAL equals EXPECTED; both are printed if not. */
bool fxt_same(const char *actual, const char *expected);

/* A number or a pointer of any type, for comparing and for showing. */
struct fxt_shown {
	enum {
		FXT_INT,
		FXT_UINT,
		FXT_REAL,
		FXT_POINTER,
		FXT_TEXT
	} kind;
	int64_t integer;
	uint64_t natural;
	double real;
	const void *pointer;
};

struct fxt_shown fxt_int(int64_t integer);
struct fxt_shown fxt_uint(uint64_t natural);
struct fxt_shown fxt_real(double real);
struct fxt_shown fxt_pointer(const void *pointer);
struct fxt_shown fxt_text(const char *text);

/* VALUE by its type; texts are compared as pointers, too (see FXT_SAME). */
#define FXT_SHOWN(value) \
	_Generic((value), \
		bool: fxt_uint, \
		char: fxt_int, \
		signed char: fxt_int, \
		short: fxt_int, \
		int: fxt_int, \
		long: fxt_int, \
		long long: fxt_int, \
		unsigned char: fxt_uint, \
		unsigned short: fxt_uint, \
		unsigned: fxt_uint, \
		unsigned long: fxt_uint, \
		unsigned long long: fxt_uint, \
		float: fxt_real, \
		double: fxt_real, \
		char *: fxt_text, \
		const char *: fxt_text, \
		default: fxt_pointer)(value)

/* Whether ACTUAL stands to EXPECTED as OP says ("==", "<" ...), compared as
 * numbers whatever their signs; both are printed if not.
 */
bool fxt_is(struct fxt_shown actual, const char *op, struct fxt_shown expected);

/* What both assertions below do: the values are printed when they do not fit,
 * and the words are those of the test.
 */
#define FXT_COMPARE(actual, op, expected, fatal) \
	CU_assertImplementation(fxt_is(FXT_SHOWN(actual), #op, \
					FXT_SHOWN(expected)), \
		__LINE__, #actual " " #op " " #expected, __FILE__, "", \
		(fatal))

/* ACTUAL OP EXPECTED, as in FXT_IS(count, >, 3): each is evaluated once. */
#define FXT_IS(actual, op, expected) \
	((void)FXT_COMPARE(actual, op, expected, CU_FALSE))
#define FXT_IS_FATAL(actual, op, expected) \
	((void)FXT_COMPARE(actual, op, expected, CU_TRUE))
#define FXT_EQ(actual, expected)       FXT_IS(actual, ==, expected)
#define FXT_EQ_FATAL(actual, expected) FXT_IS_FATAL(actual, ==, expected)

#define FXT_OK(err)                CU_ASSERT(fxt_ok(err))
#define FXT_FAILS(err, code)       CU_ASSERT(fxt_fails((err), (code)))
#define FXT_SAME(actual, expected) CU_ASSERT(fxt_same((actual), (expected)))

#endif /* FX_TESTS_SUPPORT_UNIT_H */
