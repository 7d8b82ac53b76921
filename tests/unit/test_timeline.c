/* test_timeline.c - values back in time: writes in place, views, random
 * numbers, edits above the stop.
 *
 * The backend is one of doubles in memory (tests/support/real_backend.h).
 */
#include <config.h>

#include <string.h>

#include "base/intern.h"
#include "ir/edit.h"
#include "ir/value_walk.h"
#include "run/backend.h"
#include "run/summary.h"
#include "tests/support/random_graph.h"
#include "tests/support/real_backend.h"
#include "tests/support/run_world.h"
#include "tests/support/unit.h"

#define WORLD(text) \
	struct fx_backend *backend = NULL; \
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w = \
		fxt_run_world(text, "real", &backend)

/* --- writes in place ----------------------------------------------------- */

static void
going_back_over_a_write_restores_the_bytes(void)
{
	WORLD(fxt_text_in_place);
	const char *x;
	const char *after;

	fxt_start(&w);
	fxt_move(&w, FX_MOVE_STEP, false, 2);
	x = fxt_value(&w, "x");
	fxt_run_to(&w, NULL);
	FXT_IS(fxt_value(&w, "x"), !=, x);
	after = fxt_value(&w, "after");
	fxt_move(&w, FX_MOVE_STEP, true, 5);
	FXT_EQ(fxt_value(&w, "x"), x);
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, false, 1), "@7 end end 1");
	FXT_EQ(fxt_value(&w, "after"), after);
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

/* The history's value NUMBER. */
static const char *
history(struct fxt_world *w, int number)
{
	FX_AUTO_DATUM struct fx_datum *datum =
		fx_session_history(w->session, number);

	return fxt_real_text(datum);
}

static const char *
shown(struct fxt_world *w, const char *expression)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;

	CU_ASSERT_FATAL(fxt_ok(fx_resolve_expression(w->session, w->model,
		expression, false, &datum)));
	return fxt_real_text(datum);
}

static void
what_the_user_has_stays_what_it_is(void)
{
	WORLD(fxt_text_in_place);
	struct fx_datum *pair[2];
	FX_AUTO_DATUM struct fx_datum *both = NULL;
	const char *row;
	const char *written;
	int first;
	int second;

	fxt_start(&w);
	fxt_move(&w, FX_MOVE_STEP, false, 2);
	row = fxt_value(&w, "row");
	first = fx_session_remember(w.session,
		fx_position_value(w.model, fxt_node(&w, "row")));
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@4 after step 1");
	written = fxt_value(&w, "row");
	FXT_IS(written, !=, row);
	FXT_SAME(history(&w, first), row);
	for (size_t i = 0; i < 2; i++)
		pair[i] = fx_datum_ref(fx_position_value(w.model,
			fxt_node(&w, i ? "before" : "row")));
	both = fx_datum_items_take(FX_VALUE_TUPLE, pair, 2);
	second = fx_session_remember(w.session, both);
	fx_session_set_variable(w.session, "b", pair[0]);
	fxt_move(&w, FX_MOVE_STEP, true, 1);
	FXT_SAME(fxt_value(&w, "row"), row);
	FXT_SAME(history(&w, first), row);
	FXT_SAME(shown(&w, "$b"), written);
	FXT_SAME(shown(&w, "$[0]"), written);
	FXT_EQ(second, first + 1);
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

static void
what_stands_in_a_value_twice_is_copied_once(void)
{
	WORLD(fxt_text_in_place);
	FX_AUTO_DATUM struct fx_datum *all = NULL;
	FX_AUTO_DATUM struct fx_datum *kept = NULL;
	const struct fx_value *first;
	const struct fx_value *last;

	fxt_start(&w);
	fxt_move(&w, FX_MOVE_STEP, false, 2);
	all = fx_datum_ref(fx_position_value(w.model, fxt_node(&w, "row")));
	/* A billion times, for who would look at each. */
	for (size_t i = 0; i < 30; i++) {
		struct fx_datum *pair[2] = { all, fx_datum_ref(all) };

		all = fx_datum_items_take(FX_VALUE_LIST, pair, 2);
	}
	fx_session_set_variable(w.session, "b", all);
	fxt_move(&w, FX_MOVE_STEP, false, 1);
	kept = fx_session_variable(w.session, "b");
	first = last = &kept->value;
	while (fx_value_item_count(first)) {
		first = &first->items[0];
		last = &last->items[1];
	}
	CU_ASSERT(kept != all && first->held == last->held);
}

static void
going_back_executes_no_operator(void)
{
	WORLD(fxt_text_in_place);
	size_t calls;

	fxt_run_to(&w, NULL);
	calls = fxt_real_calls(backend);
	fxt_move(&w, FX_MOVE_STEP, true, 6);
	fxt_value(&w, "x");
	FXT_EQ(fxt_real_calls(backend), calls);
}

static void
a_value_left_out_is_of_its_own_time(void)
{
	WORLD(fxt_text_in_place);
	const char *before;

	fxt_run_to(&w, NULL);
	before = fxt_value(&w, "before");
	fxt_run_to(&w, fxt_node(&w, "sum_1"));
	/* before was not needed; x has been written since. */
	FXT_EQ(fxt_value(&w, "before"), before);
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

static void
a_write_that_an_argument_asks_for_is_run_on_the_way(void)
{
	WORLD("def forward(self, x : \"f64[2, 2]\"):\n"
	      "    relu = torch.nn.functional.relu(x, inplace = True)\n"
	      "    neg = torch.neg(x)\n"
	      "    return neg\n");

	fxt_run_to(&w, fxt_node(&w, "neg"));
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

static void
erasing_a_write_makes_its_readers_dirty(void)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	WORLD(fxt_text_in_place);

	fxt_run_to(&w, NULL);
	CU_ASSERT(fxt_ok(fx_model_edit_begin(w.session, w.model, "erase")));
	CU_ASSERT(fxt_ok(fx_edit_erase(fxt_node(&w, "add_"))));
	CU_ASSERT(fxt_ok(fx_model_edit_end(w.model, false, false, &report)));
	FXT_SAME(fxt_select(&w, "dirty"), "before row after sum_1 output");
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
	fx_edit_report_deinit(&report);
	CU_ASSERT(fxt_ok(fx_model_undo(w.model, 1, &report)));
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

/* c reads what d reads. */
static void
edit_c(struct fxt_world *w)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	struct fx_node *c = fxt_node(w, "c");
	struct fx_node *d = fxt_node(w, "d");

	CU_ASSERT(fxt_ok(fx_model_edit_begin(w->session, w->model, "edit")));
	CU_ASSERT(fxt_ok(fx_edit_set_args(c,
		fx_value_clone(w->graph->values, &d->args),
		fx_value_clone(w->graph->values, &d->kwargs))));
	CU_ASSERT(fxt_ok(fx_model_edit_end(w->model, false, false, &report)));
}

static void
undo_and_redo_bring_values_back(void)
{
	WORLD(fxt_text_two_arms);
	FX_AUTO_EDIT_REPORT struct fx_edit_report undone = { 0 };
	FX_AUTO_EDIT_REPORT struct fx_edit_report redone = { 0 };
	const char *before;
	const char *after;
	size_t calls;

	fxt_run_to(&w, NULL);
	before = fxt_value(&w, "c");
	edit_c(&w);
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	after = fxt_value(&w, "c");
	FXT_IS(after, !=, before);
	calls = fxt_real_calls(backend);
	CU_ASSERT(fxt_ok(fx_model_undo(w.model, 1, &undone)));
	FXT_EQ(undone.dirty, 0);
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, false, 1), "@6 end end 0");
	FXT_SAME(fxt_value(&w, "c"), before);
	CU_ASSERT(fxt_ok(fx_model_redo(w.model, 1, &redone)));
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	FXT_SAME(fxt_value(&w, "c"), after);
	FXT_EQ(fxt_real_calls(backend), calls);
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

static void
what_else_changed_is_computed_again_after_undo(void)
{
	WORLD(fxt_text_two_arms);
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	const char *before;

	fxt_run_to(&w, NULL);
	before = fxt_value(&w, "c");
	edit_c(&w);
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	fxt_set_value(&w, "a", "3");
	CU_ASSERT(fxt_ok(fx_model_undo(w.model, 1, &report)));
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	FXT_IS(fxt_value(&w, "c"), !=, before);
}

static void
a_value_is_non_finite_as_long_as_it_is(void)
{
	WORLD("def forward(self, x : \"f64[2]\"):\n"
	      "    a = torch.neg(x)\n"
	      "    b = a.mul_(1e308)\n"
	      "    c = b.mul_(1e308)\n"
	      "    return c\n");

	fxt_run_to(&w, NULL);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "x")), "V");
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "N");
	FXT_SAME(fxt_select(&w, "nonfinite"), "a b c output");
	fxt_move(&w, FX_MOVE_STEP, true, 2);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "V");
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "c")), "·");
	fxt_move(&w, FX_MOVE_STEP, false, 1);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "N");
}

/* --- dirty cones --------------------------------------------------------- */

static void
only_what_depends_on_a_set_value_runs_again(void)
{
	WORLD(fxt_text_two_arms);
	size_t calls;

	fxt_run_to(&w, NULL);
	calls = fxt_real_calls(backend);
	FXT_SAME(fxt_set_value(&w, "a", "a * 0"), "dirty 2");
	calls = fxt_real_calls(backend);
	FXT_SAME(fxt_select(&w, "dirty"), "c output");
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "O");
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, false, 1), "@6 end end 2");
	FXT_EQ(fxt_real_calls(backend), calls + 1);
	FXT_SAME(fxt_value(&w, "c"), "[-0x0p+0 0x0p+0 0x0p+0 0x0p+0]");
}

static void
unsetting_a_value_brings_the_result_back(void)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	WORLD(fxt_text_two_arms);
	const char *c;

	fxt_run_to(&w, NULL);
	c = fxt_value(&w, "c");
	fxt_set_value(&w, "a", "$v * 2");
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	FXT_IS(fxt_value(&w, "c"), !=, c);
	CU_ASSERT(fxt_ok(fx_model_unset_value(w.model, fxt_node(&w, "a"),
		&report)));
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	FXT_EQ(fxt_value(&w, "c"), c);
	FXT_FAILS(fx_model_unset_value(w.model, fxt_node(&w, "a"), &report),
		FX_ERR_NO_VALUE);
}

static void
what_is_set_stays_set_on_another_backend(void)
{
	WORLD(fxt_text_two_arms);
	const char *c;

	fxt_run_to(&w, NULL);
	fxt_set_value(&w, "a", "$v * 2");
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	c = fxt_value(&w, "c");
	fxt_set(&w, "backend meta");
	fxt_run_to(&w, NULL);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "O");
	fxt_set_value(&w, "b", "x * 0");
	fxt_set(&w, "backend auto");
	fxt_run_to(&w, NULL);
	FXT_EQ(fxt_value(&w, "c"), c);
	/* Shapes are no values. */
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "b")), "V");
}

static void
an_input_stays_what_it_was_given_as(void)
{
	WORLD(fxt_text_two_arms);
	FX_AUTO_DATUM struct fx_datum *four = fx_datum_int(4);
	const char *x;

	fxt_run_to(&w, NULL);
	fx_session_set_variable(w.session, "k",
		fx_position_value(w.model, fxt_node(&w, "b")));
	CU_ASSERT(fxt_ok(fx_model_set_input(w.session, w.model, "x",
		"$k * 2")));
	fxt_run_to(&w, NULL);
	x = fxt_value(&w, "x");
	fx_session_set_variable(w.session, "k", four);
	fxt_set(&w, "backend meta");
	fxt_run_to(&w, NULL);
	fxt_set(&w, "backend auto");
	fxt_run_to(&w, NULL);
	FXT_EQ(fxt_value(&w, "x"), x);
}

/* --- random numbers ------------------------------------------------------ */

static void
running_again_draws_the_same_numbers(void)
{
	WORLD(fxt_text_drawing);
	const char *d;

	fxt_run_to(&w, NULL);
	d = fxt_value(&w, "d");
	fxt_move(&w, FX_MOVE_STEP, true, 5);
	fxt_value(&w, "x");
	fxt_move(&w, FX_MOVE_STEP, false, 2);
	fxt_move(&w, FX_MOVE_STEP, true, 1);
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	FXT_EQ(fxt_value(&w, "d"), d);
	fxt_run_to(&w, NULL);
	FXT_EQ(fxt_value(&w, "d"), d);
	fxt_set_value(&w, "b", "$v");
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	FXT_EQ(fxt_value(&w, "d"), d);
}

static void
a_draw_that_is_gone_moves_the_later_ones(void)
{
	WORLD(fxt_text_drawing);

	fxt_run_to(&w, NULL);
	fxt_set_value(&w, "a", "2");
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	CU_ASSERT(fxt_is_as_fresh(&w,
		&(struct fxt_overrides){
			.items = { { fxt_node(&w, "a")->id, "2" } },
			.count = 1 }));
}

/* --- failures ------------------------------------------------------------ */

static void
a_node_that_fails_is_a_stop_and_back_works(void)
{
	struct fx_stop stop = { .number = 0 };
	WORLD("def forward(self, x : \"f64[2, 2]\", y : \"f64[3, 2]\"):\n"
	      "    a = torch.neg(x)\n"
	      "    b = a.add_(1)\n"
	      "    c = a + y\n"
	      "    return c\n");
	const char *a;

	fxt_start(&w);
	fxt_move(&w, FX_MOVE_STEP, false, 1);
	a = fxt_value(&w, "a");
	CU_ASSERT(fxt_ok(fx_position_run(w.session, w.model, NULL, &stop)));
	FXT_EQ(stop.reason, FX_STOP_ERROR);
	FXT_EQ(stop.failed, fxt_node(&w, "c"));
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "c")), "E");
	fx_stop_deinit(&stop);
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, true, 1), "@3 b step 0");
	FXT_EQ(fxt_value(&w, "a"), a);
}

static void
what_does_not_fit_into_memory_is_an_error(void)
{
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };
	WORLD("def forward(self, x : \"f64[9000000, 9000000]\"):\n"
	      "    a = torch.neg(x)\n"
	      "    return a\n");

	CU_ASSERT(fxt_ok(fx_position_run(w.session, w.model, NULL, &stop)));
	FXT_EQ(stop.reason, FX_STOP_ERROR);
	FXT_EQ(fx_error_code(stop.error), FX_ERR_NO_SPACE);
}

/* --- the record limit ---------------------------------------------------- */

static void
values_beyond_the_limit_are_computed_again(void)
{
	WORLD(fxt_text_two_arms);
	const char *a;

	fxt_run_to(&w, NULL);
	a = fxt_value(&w, "a");
	fxt_set(&w, "record limit 90");
	fxt_run_to(&w, NULL);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "S");
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "c")), "V");
	FXT_EQ(fxt_value(&w, "a"), a);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "V");
	/* Looked at, it goes with the next move. */
	fxt_move(&w, FX_MOVE_STEP, true, 1);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "S");
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

static void
little_is_kept_when_values_are_not_recorded(void)
{
	WORLD("def forward(self, x : \"f64[512, 512]\"):\n"
	      "    a = torch.neg(x)\n"
	      "    b = a + x\n"
	      "    c = b + x\n"
	      "    return c\n");

	fxt_set(&w, "record values off");
	fxt_run_to(&w, NULL);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "R");
	CU_ASSERT_PTR_NULL(fx_position_summary(w.model, fxt_node(&w, "a")));
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "c")), "V");
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

static void
what_a_failed_write_spoilt_is_computed_again(void)
{
	struct fx_stop stop = { .number = 0 };
	WORLD("def forward(self, x : \"f64[2, 2]\", y : \"f64[3, 2]\"):\n"
	      "    a = torch.neg(x)\n"
	      "    b = a.add_(y)\n"
	      "    return b\n");
	const char *a;

	fxt_start(&w);
	fxt_move(&w, FX_MOVE_STEP, false, 1);
	a = fxt_value(&w, "a");
	fxt_set(&w, "record values off");
	CU_ASSERT(fxt_ok(fx_position_run(w.session, w.model, NULL, &stop)));
	FXT_EQ(stop.reason, FX_STOP_ERROR);
	FXT_EQ(stop.failed, fxt_node(&w, "b"));
	fx_stop_deinit(&stop);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "R");
	FXT_EQ(fxt_value(&w, "a"), a);
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

static void
what_is_dropped_leaves_its_summary(void)
{
	WORLD(fxt_text_two_arms);
	const struct fx_summary *summary;
	const struct fx_stats *left;
	struct fx_stats stats;

	fxt_start(&w);
	fxt_move(&w, FX_MOVE_STEP, false, 1);
	CU_ASSERT(fxt_ok(fx_stats_compute(fx_position_value(w.model,
						  fxt_node(&w, "a")),
		NULL, &stats)));
	fxt_set(&w, "record limit 100");
	fxt_run_to(&w, NULL);
	summary = fx_position_summary(w.model, fxt_node(&w, "a"));
	CU_ASSERT_PTR_NOT_NULL_FATAL(summary);
	FXT_EQ_FATAL(summary->parts.count, 1);
	left = &summary->parts.items[0].stats;
	FXT_EQ(left->seen, 4);
	FXT_EQ(left->min, stats.min);
	FXT_EQ(left->max_index, stats.max_index);
	FXT_EQ(left->mean, stats.mean);
	/* Before it has run there is nothing to see. */
	fxt_jump(&w, w.model, 1);
	CU_ASSERT_PTR_NULL(fx_position_summary(w.model, fxt_node(&w, "a")));
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "·");
}

static void
a_summary_is_not_shown_before_what_wrote_it(void)
{
	WORLD("def forward(self, x : \"f64[2, 2]\"):\n"
	      "    a = torch.neg(x)\n"
	      "    b = torch.relu_(a)\n"
	      "    c = b + b\n"
	      "    d = c + c\n"
	      "    e = d + d\n"
	      "    return e\n");

	fxt_set(&w, "record limit 40");
	fxt_run_to(&w, NULL);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "S");
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "b")), "S");
	fxt_jump(&w, w.model, 3);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "S");
	fxt_jump(&w, w.model, 2);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "R");
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

static void
what_was_not_finite_still_says_so(void)
{
	WORLD("def forward(self, x : \"f64[2, 2]\"):\n"
	      "    a = torch.neg(x)\n"
	      "    b = a.mul_(1e308)\n"
	      "    c = b.mul_(1e308)\n"
	      "    d = c + c\n"
	      "    e = torch.neg(x)\n"
	      "    return e\n");

	fxt_set(&w, "record limit 40");
	fxt_run_to(&w, NULL);
	CU_ASSERT(fx_position_is_dropped(w.model, fxt_node(&w, "c")));
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "c")), "N");
	FXT_SAME(fxt_select(&w, "nonfinite"), "a b c d");
	CU_ASSERT(fx_position_is_dropped(w.model, fxt_node(&w, "c")));
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(going_back_over_a_write_restores_the_bytes),
		FXT_CASE(what_the_user_has_stays_what_it_is),
		FXT_CASE(what_stands_in_a_value_twice_is_copied_once),
		FXT_CASE(going_back_executes_no_operator),
		FXT_CASE(a_value_left_out_is_of_its_own_time),
		FXT_CASE(a_write_that_an_argument_asks_for_is_run_on_the_way),
		FXT_CASE(erasing_a_write_makes_its_readers_dirty),
		FXT_CASE(undo_and_redo_bring_values_back),
		FXT_CASE(what_else_changed_is_computed_again_after_undo),
		FXT_CASE(a_value_is_non_finite_as_long_as_it_is),
		FXT_CASE(only_what_depends_on_a_set_value_runs_again),
		FXT_CASE(unsetting_a_value_brings_the_result_back),
		FXT_CASE(what_is_set_stays_set_on_another_backend),
		FXT_CASE(an_input_stays_what_it_was_given_as),
		FXT_CASE(running_again_draws_the_same_numbers),
		FXT_CASE(a_draw_that_is_gone_moves_the_later_ones),
		FXT_CASE(a_node_that_fails_is_a_stop_and_back_works),
		FXT_CASE(what_does_not_fit_into_memory_is_an_error),
		FXT_CASE(values_beyond_the_limit_are_computed_again),
		FXT_CASE(little_is_kept_when_values_are_not_recorded),
		FXT_CASE(what_a_failed_write_spoilt_is_computed_again),
		FXT_CASE(what_is_dropped_leaves_its_summary),
		FXT_CASE(a_summary_is_not_shown_before_what_wrote_it),
		FXT_CASE(what_was_not_finite_still_says_so),
	};

	return fxt_run("timeline", cases, FX_ARRAY_LEN(cases));
}
