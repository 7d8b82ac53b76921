/* test_session_edit.c - edits beside execution: values, shapes, position. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/journal.h"
#include "ir/value_text.h"
#include "session/breakpoint.h"
#include "session/settings.h"
#include "tests/support/session_text.h"
#include "tests/support/unit.h"

#define WORLD(text) \
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w = \
		fxt_world_new(text)

/* relu(ANCHOR) after it, called NAME, used by nobody. */
static void
insert(struct fxt_world *w, const char *anchor, const char *name)
{
	struct fx_node *node = fxt_node(w, anchor);
	struct fx_value argument = fx_value_node(node);
	struct fx_node_spec spec = {
		.opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.relu",
		.name = name,
		.name_is_exact = true,
		.args = fx_value_sequence(w->graph->values, FX_VALUE_TUPLE,
			&argument, 1),
	};
	struct fx_node *made;

	CU_ASSERT(fxt_ok(fx_edit_create(w->graph, &spec, fx_graph_next(node),
		&made)));
}

static void
an_edit_above_moves_the_position_back(void)
{
	WORLD(fxt_small);

	fxt_jump(&w, w.model, 4);
	fxt_edit_begin(&w, "insert after relu : y = torch.relu(relu)");
	insert(&w, "relu", "y");
	FXT_SAME(fxt_edit_end(&w), "+1 -0 ~0 to @2 undo 1");
	FXT_SAME(fxt_states(&w), "MM·····");
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 3), "@5 mul step 1");
}

static void
an_edit_below_keeps_the_position(void)
{
	WORLD(fxt_small);

	fxt_jump(&w, w.model, 2);
	fxt_edit_begin(&w, "insert after add : y = torch.relu(add)");
	insert(&w, "add", "y");
	FXT_SAME(fxt_edit_end(&w), "+1 -0 ~0 undo 1");
	FXT_EQ(fx_position_get(w.model), 2);
}

static void
only_the_dirty_cone_runs_again(void)
{
	struct fx_value items[2];
	WORLD(fxt_small);

	fxt_run_to(&w, NULL);
	fxt_edit_begin(&w, "set %add.args[1] = %relu");
	items[0] = items[1] = fx_value_node(fxt_node(&w, "relu"));
	CU_ASSERT(fxt_ok(fx_edit_set_args(fxt_node(&w, "add"),
		fx_value_sequence(w.graph->values, FX_VALUE_TUPLE, items, 2),
		fx_value_none())));
	FXT_SAME(fxt_edit_end(&w), "+0 -0 ~1 to @3 undo 1");
	FXT_SAME(fxt_states(&w), "MMMDDD");
	FXT_SAME(fxt_select(&w, "{dirty}"), "add mul output");
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, false, 1), "@6 end end 3");
	FXT_SAME(fxt_states(&w), "MMMMMM");
}

static void
renaming_and_moving_keep_values(void)
{
	WORLD(fxt_small);

	fxt_run_to(&w, NULL);
	fxt_edit_begin(&w, "rename add sum_1");
	CU_ASSERT(fxt_ok(fx_edit_set_name(fxt_node(&w, "add"), "total")));
	FXT_SAME(fxt_edit_end(&w), "+0 -0 ~1 undo 1");
	FXT_SAME(fxt_states(&w), "MMMMMM");
	FXT_SAME(fxt_print(&w, "total"), "f32[2,3]");
}

static void
a_dry_run_changes_nothing(void)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report r = { .position = 0 };
	WORLD(fxt_small);
	struct fx_hash before = fx_graph_hash(w.graph);

	fxt_jump(&w, w.model, 4);
	fxt_edit_begin(&w, "insert after relu : y = torch.relu(relu)");
	insert(&w, "relu", "y");
	CU_ASSERT(fxt_ok(fxt_edit_finish(&w, true, false, &r)));
	FXT_EQ(r.counts.created, 1);
	FXT_EQ(r.touched_count, 1);
	CU_ASSERT(r.dry_run);
	CU_ASSERT(fx_hash_equal(before, fx_graph_hash(w.graph)));
	FXT_EQ(fx_position_get(w.model), 4);
	FXT_SAME(fxt_states(&w), "MMMM··");
}

static void
an_edit_inside_begin_fails_alone(void)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report r = { .position = 0 };
	struct fx_hash one;
	WORLD(fxt_small);
	struct fx_hash none = fx_graph_hash(w.graph);

	fxt_edit_begin(&w, "begin");
	fxt_edit_begin(&w, "insert after relu : y = torch.relu(relu)");
	insert(&w, "relu", "y");
	FXT_SAME(fxt_edit_end(&w), "+1 -0 ~0 undo 0");
	one = fx_graph_hash(w.graph);
	fxt_edit_begin(&w, "insert after relu : z = torch.relu(relu)");
	insert(&w, "relu", "z");
	fx_model_edit_abort(w.model);
	CU_ASSERT_PTR_NULL(fx_graph_find(w.graph, "z"));
	CU_ASSERT_PTR_NOT_NULL(fx_graph_find(w.graph, "y"));
	CU_ASSERT(fx_hash_equal(one, fx_graph_hash(w.graph)));
	fxt_edit_begin(&w, "insert after relu : z = torch.relu(relu)");
	insert(&w, "relu", "z");
	CU_ASSERT(fxt_ok(fxt_edit_finish(&w, true, false, &r)));
	CU_ASSERT_PTR_NULL(fx_graph_find(w.graph, "z"));
	FXT_SAME(fxt_edit_end(&w), "+1 -0 ~0 undo 1");
	fx_edit_report_deinit(&r);
	CU_ASSERT(fxt_ok(fx_model_undo(w.model, 1, &r)));
	CU_ASSERT(fx_hash_equal(none, fx_graph_hash(w.graph)));
	fxt_edit_begin(&w, "begin");
	fxt_edit_begin(&w, "insert after relu : y = torch.relu(relu)");
	insert(&w, "relu", "y");
	fxt_edit_end(&w);
	fx_model_edit_abort(w.model);
	CU_ASSERT(fx_hash_equal(none, fx_graph_hash(w.graph)));
}

static void
use_z(struct fxt_world *w)
{
	struct fx_value items[2] = { fx_value_node(fxt_node(w, "x")),
		fx_value_node(fxt_node(w, "z")) };

	fxt_edit_begin(w, "set %add.args[1] = %z");
	CU_ASSERT(fxt_ok(fx_edit_set_args(fxt_node(w, "add"),
		fx_value_sequence(w->graph->values, FX_VALUE_TUPLE, items, 2),
		fx_value_none())));
}

static void
an_impossible_shape_is_refused_unless_forced(void)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report r = { .position = 0 };
	struct fx_error *err;
	WORLD(fxt_two_inputs);
	struct fx_hash before = fx_graph_hash(w.graph);

	use_z(&w);
	err = fxt_edit_finish(&w, false, false, &r);
	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_EQ(fx_error_code(err), FX_ERR_SHAPE);
	CU_ASSERT(!strncmp(fx_error_message(err),
		"set leaves 1 node with an impossible shape, first %add: ",
		strlen("set leaves 1 node with an impossible shape, first "
		       "%add: ")));
	fx_error_free(err);
	CU_ASSERT(fx_hash_equal(before, fx_graph_hash(w.graph)));
	FXT_SAME(fxt_print(&w, "%mul.meta"), "f32[2,3]");
	FXT_SAME(fxt_states(&w), "······");
	use_z(&w);
	CU_ASSERT(fxt_ok(fxt_edit_finish(&w, false, true, &r)));
	FXT_EQ(r.bad_shapes, 1);
	FXT_SAME(fxt_states(&w), "···E··");
	FXT_SAME(fxt_run_to(&w, NULL), "@3 add error 3");
	fx_edit_report_deinit(&r);
	CU_ASSERT(fxt_ok(fx_model_undo(w.model, 1, &r)));
	FXT_SAME(fxt_states(&w), "MMM···");
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, false, 1), "@6 end end 3");
}

static void
goto_time_sets_edits_and_position(void)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report r = { .position = 0 };
	WORLD(fxt_small);

	fxt_jump(&w, w.model, 4);
	fxt_edit_begin(&w, "insert after relu : y = torch.relu(relu)");
	insert(&w, "relu", "y");
	fxt_edit_end(&w);
	fxt_jump(&w, w.model, 6);
	CU_ASSERT(fxt_ok(fx_model_goto_time(w.model, 0, &r)));
	FXT_EQ(fx_position_get(w.model), 4);
	FXT_EQ(w.graph->node_count, 6);
	fx_edit_report_deinit(&r);
	CU_ASSERT(fxt_ok(fx_model_goto_time(w.model, 1, &r)));
	FXT_EQ(fx_position_get(w.model), 6);
	FXT_EQ(w.graph->node_count, 7);
	FXT_FAILS(fx_model_redo(w.model, 1, &r), FX_ERR_NO_UNDO);
}

static void
erasing_the_stop_stands_before_what_follows(void)
{
	struct fx_value x;
	WORLD(fxt_small);

	fxt_jump(&w, w.model, 4);
	fxt_edit_begin(&w, "erase mul --to add");
	x = fx_value_node(fxt_node(&w, "add"));
	CU_ASSERT(fxt_ok(fx_edit_replace_uses(fxt_node(&w, "mul"), &x, NULL,
		NULL, NULL)));
	CU_ASSERT(fxt_ok(fx_edit_erase(fxt_node(&w, "mul"))));
	fxt_edit_end(&w);
	FXT_EQ(fx_position_get(w.model), 4);
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@5 end end 1");
}

static void
a_read_only_session_refuses_edits(void)
{
	WORLD(fxt_small);

	fx_session_set_read_only(w.session, true);
	FXT_FAILS(fx_model_edit_begin(w.session, w.model, "erase x"),
		FX_ERR_READ_ONLY);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(an_edit_above_moves_the_position_back),
		FXT_CASE(an_edit_below_keeps_the_position),
		FXT_CASE(only_the_dirty_cone_runs_again),
		FXT_CASE(renaming_and_moving_keep_values),
		FXT_CASE(a_dry_run_changes_nothing),
		FXT_CASE(an_edit_inside_begin_fails_alone),
		FXT_CASE(an_impossible_shape_is_refused_unless_forced),
		FXT_CASE(goto_time_sets_edits_and_position),
		FXT_CASE(erasing_the_stop_stands_before_what_follows),
		FXT_CASE(a_read_only_session_refuses_edits),
	};

	return fxt_run("session edits", cases, FX_ARRAY_LEN(cases));
}
