/* Looking at values while stopped: conditions, queries, and that expressions
 * change nothing of what runs.
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "session/breakpoint.h"
#include "session/position.h"
#include "tests/support/real_backend.h"
#include "tests/support/run_world.h"
#include "tests/support/unit.h"

#define WORLD(text) \
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w = \
		fxt_run_world(text, "real", NULL)

static void
break_at(struct fxt_world *w, const char *where, const char *condition)
{
	const struct fx_breakpoint_spec spec = { .where = where,
		.condition = condition };
	const struct fx_breakpoint *breakpoint;

	CU_ASSERT(fxt_ok(fx_breakpoint_add(w->session, w->model, &spec,
		&breakpoint)));
}

static const char *
run(struct fxt_world *w)
{
	return fxt_run_to(w, NULL);
}

static void
a_condition_over_values_decides(void)
{
	WORLD(fxt_text_two_arms);

	break_at(&w, "b", "absmax(%a) < 0");
	break_at(&w, "c", "absmax(%a) > 0 and allfinite(%b) and max(%b) >= 0");
	FXT_SAME(run(&w), "@3 c breakpoint 3");
}

static void
a_condition_over_what_has_not_run_is_a_stop(void)
{
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };
	const struct fx_breakpoint_spec spec = { .where = "b",
		.condition = "absmax(%b) > 0" };
	const struct fx_breakpoint *breakpoint;
	WORLD(fxt_text_two_arms);

	FXT_FAILS(fx_breakpoint_add(w.session, w.model, &spec, &breakpoint),
		FX_ERR_NO_VALUE);
	/* At one of several nodes it can be tested. */
	break_at(&w, "{op=call_function}", "absmax(%b) > 0");
	FXT_OK(fx_position_run(w.session, w.model, NULL, &stop));
	FXT_EQ(stop.reason, FX_STOP_BREAKPOINT);
	CU_ASSERT_PTR_NOT_NULL_FATAL(stop.error);
	CU_ASSERT_PTR_NOT_NULL(strstr(fx_error_message(stop.error),
		"%b has no value yet"));
	FXT_SAME(fxt_stop(&stop), "@1 a breakpoint 1");
}

static void
summaries_are_of_the_values(void)
{
	WORLD(fxt_text_two_arms);

	run(&w);
	fxt_set_value(&w, "a", "x * 0");
	FXT_SAME(fxt_print(&w, "absmax(a)"), "0.0");
	FXT_SAME(fxt_print(&w, "max(a + 2)"), "2.0");
	FXT_SAME(fxt_print(&w, "hasnan(a)"), "False");
	FXT_SAME(fxt_print(&w, "allclose(a, 0, 0, 0)"), "True");
	FXT_SAME(fxt_print(&w, "difference(a, 1)"),
		"'4 of 4 elements differ by more than rtol 1e-05, atol 1e-08; "
		"first at [0,0]: 0.0 and 1.0'");
}

static void
nonfinite_selects_by_values(void)
{
	WORLD(fxt_text_two_arms);

	run(&w);
	FXT_SAME(fxt_select(&w, "nonfinite"), "");
	fxt_set_value(&w, "a", "x * float('inf')");
	run(&w);
	FXT_SAME(fxt_select(&w, "nonfinite and op=call_function"), "a c");
}

static void
looking_writes_nothing(void)
{
	WORLD(fxt_text_in_place);

	run(&w);
	CU_ASSERT_PTR_NOT_NULL(strstr(fxt_print(&w, "x.add_(1)"),
		"would change a value in place"));
	CU_ASSERT_PTR_NOT_NULL(strstr(fxt_print(&w, "torch.relu_(before)"),
		"would change a value in place"));
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

static void
looking_leaves_the_generator_alone(void)
{
	FX_AUTO_FREE char *first = NULL;
	WORLD(fxt_text_drawing);

	fxt_start(&w);
	fxt_move(&w, FX_MOVE_STEP, false, 2);
	first = fx_xstrdup(fxt_print(&w, "torch.dropout(x, 0.5, True)"));
	FXT_SAME(fxt_print(&w, "torch.dropout(x, 0.5, True)"), first);
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_condition_over_values_decides),
		FXT_CASE(a_condition_over_what_has_not_run_is_a_stop),
		FXT_CASE(summaries_are_of_the_values),
		FXT_CASE(nonfinite_selects_by_values),
		FXT_CASE(looking_writes_nothing),
		FXT_CASE(looking_leaves_the_generator_alone),
	};

	return fxt_run("look", cases, FX_ARRAY_LEN(cases));
}
