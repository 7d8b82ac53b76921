/* test_session.c - moving through a graph, breakpoints, edits and time. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "session/breakpoint.h"
#include "session/settings.h"
#include "tests/support/append.h"
#include "tests/support/clock.h"
#include "tests/support/run_world.h"
#include "tests/support/session_text.h"
#include "tests/support/torch_side.h"
#include "tests/support/unit.h"

#define WORLD(text) \
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w = \
		fxt_world_new(text)

static int
stop_at(struct fxt_world *w, const char *where, const char *condition)
{
	const struct fx_breakpoint *b = NULL;

	CU_ASSERT(fxt_ok(fx_breakpoint_add(w->session, w->model,
		&(struct fx_breakpoint_spec){
			.where = where, .condition = condition },
		&b)));
	return b ? b->number : 0;
}

/* --- stepping ----------------------------------------------------------- */

static void
start_stops_before_the_first_computing_node(void)
{
	WORLD(fxt_small);

	FXT_SAME(fxt_start(&w), "@1 relu step 1");
	FXT_SAME(fxt_states(&w), "M·····");
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 2), "@3 add step 2");
	FXT_SAME(fxt_states(&w), "MMM···");
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, false, 1), "@6 end end 3");
	FXT_SAME(fxt_move(&w, FX_MOVE_NEXT, false, 1), "@6 end end 0");
}

static void
stepping_before_start_is_refused(void)
{
	struct fx_stop stop;
	WORLD(fxt_small);

	FXT_FAILS(fx_position_move(w.session, w.model,
			  &(struct fx_movement){ FX_MOVE_STEP, false, 1 },
			  &stop),
		FX_ERR_NOT_RUN);
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, false, 1), "@6 end end 6");
}

static void
going_back_reads_values_and_onwards_runs_nothing(void)
{
	WORLD(fxt_small);

	fxt_run_to(&w, NULL);
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, true, 2), "@4 mul step 0");
	FXT_SAME(fxt_states(&w), "MMMM··");
	FXT_SAME(fxt_print(&w, "add"), "f32[2,3]");
	FXT_SAME(fxt_print(&w, "mul"),
		"error: %mul has no value yet (stopped before @4, %mul is "
		"@4); \"run --to %mul\" computes it");
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@5 output step 0");
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, true, 1), "@0 x begin 0");
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, true, 1), "@0 x begin 0");
}

static void
running_to_a_node_runs_only_what_it_needs(void)
{
	WORLD(fxt_small);

	FXT_SAME(fxt_run_to(&w, fxt_node(&w, "neg")), "@3 add target 3");
	FXT_SAME(fxt_jump(&w, w.model, 5), "@5 output target 2");
	FXT_SAME(fxt_jump(&w, w.model, 1), "@1 relu target 0");
	FXT_SAME(fxt_jump(&w, w.model, 6), "@6 end end 1");
}

static void
until_counts_breakpoints_and_goto_does_not(void)
{
	struct fx_stop stop = { .number = 0 };
	WORLD(fxt_small);

	stop_at(&w, "neg", NULL);
	fxt_start(&w);
	CU_ASSERT(fxt_ok(fx_position_until(w.session, w.model,
		fxt_node(&w, "mul"), &stop)));
	FXT_SAME(fxt_stop(&stop), "@2 neg breakpoint 1");
	FXT_SAME(fxt_jump(&w, w.model, 0), "@0 x target 0");
	FXT_SAME(fxt_jump(&w, w.model, 4), "@4 mul target 2");
}

static const char scoped[] =
	"class Net(torch.nn.Module):\n"
	"    def forward(self, x : \"f32[2, 3]\"):\n"
	"        layer1_a = self.layer1.a(x);  x = None\n"
	"        layer1_b = self.layer1.b(layer1_a);  layer1_a = None\n"
	"        fc = self.fc(layer1_b);  layer1_b = None\n"
	"        return fc\n";

static void
step_unit_scope_takes_a_module_at_once(void)
{
	const char *rest;
	WORLD(scoped);
	int index = fx_settings_match("step-unit", &rest);

	CU_ASSERT(fxt_ok(fx_settings_set(fx_session_settings(w.session), index,
		"scope")));
	fxt_start(&w);
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@3 fc step 2");
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@4 output step 1");
	fxt_start(&w);
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 2), "@4 output step 3");
}

static void
finish_leaves_the_selected_scope(void)
{
	FX_AUTO_FREE struct fx_location *frames = NULL;
	size_t count;
	WORLD(scoped);

	fxt_start(&w);
	fx_position_locations(w.model, fx_position_node(w.model), &frames,
		&count);
	FXT_EQ_FATAL(count, 3);
	FXT_SAME(frames[0].title, "layer1.a");
	FXT_SAME(frames[1].title, "layer1");
	FXT_SAME(frames[2].title, "net");
	fx_position_set_location(w.model, 1);
	FXT_SAME(fxt_move(&w, FX_MOVE_FINISH, false, 1), "@3 fc step 2");
	fx_position_set_location(w.model, 0);
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, true, 1), "@2 layer1_b step 0");
	fx_position_set_location(w.model, 1);
	FXT_SAME(fxt_move(&w, FX_MOVE_FINISH, true, 1), "@1 layer1_a step 0");
}

/* --- breakpoints -------------------------------------------------------- */

static void
a_condition_decides_and_counts(void)
{
	WORLD(fxt_small);
	int number = stop_at(&w, "{op=call_function}", "count{users>1} > 5");

	FXT_SAME(fxt_run_to(&w, NULL), "@6 end end 6");
	CU_ASSERT(fxt_ok(fx_breakpoint_set_condition(w.session, number,
		". in down(%neg)")));
	FXT_SAME(fxt_run_to(&w, NULL), "@2 neg breakpoint 2");
	FXT_EQ(fx_breakpoint_find(w.session, number)->hit_count, 1);
	CU_ASSERT(fxt_ok(fx_breakpoint_ignore(w.session, number, 1)));
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, false, 1),
		"@4 mul breakpoint 2");
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, true, 1),
		"@3 add breakpoint 0");
}

static void
a_temporary_breakpoint_stops_once(void)
{
	const struct fx_breakpoint *b;
	WORLD(fxt_small);

	CU_ASSERT(fxt_ok(fx_breakpoint_add(w.session, w.model,
		&(struct fx_breakpoint_spec){
			.where = "neg", .is_temporary = true },
		&b)));
	FXT_SAME(fxt_run_to(&w, NULL), "@2 neg breakpoint 2");
	FXT_EQ(fx_breakpoint_count(w.session), 0);
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, false, 1), "@6 end end 4");
}

static void
a_breakpoint_follows_its_node_through_edits(void)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report r = { .position = 0 };
	struct fx_value x;
	WORLD(fxt_small);
	int number = stop_at(&w, "mul", NULL);

	fxt_edit_begin(&w, "rename mul product");
	CU_ASSERT(fxt_ok(fx_edit_set_name(fxt_node(&w, "mul"), "product")));
	fxt_edit_end(&w);
	FXT_SAME(fxt_run_to(&w, NULL), "@4 product breakpoint 4");
	fxt_edit_begin(&w, "erase product --to add");
	x = fx_value_node(fxt_node(&w, "add"));
	CU_ASSERT(fxt_ok(fx_edit_replace_uses(fxt_node(&w, "product"), &x, NULL,
		NULL, NULL)));
	CU_ASSERT(fxt_ok(fx_edit_erase(fxt_node(&w, "product"))));
	FXT_SAME(fxt_edit_end(&w), "+0 -1 ~1 undo 2");
	CU_ASSERT(fx_breakpoint_find(w.session, number)->is_pending);
	FXT_SAME(fxt_run_to(&w, NULL), "@5 end end 5");
	CU_ASSERT(fxt_ok(fx_model_undo(w.model, 1, &r)));
	CU_ASSERT_FALSE(fx_breakpoint_find(w.session, number)->is_pending);
	FXT_SAME(fxt_run_to(&w, NULL), "@4 product breakpoint 4");
}

static void
what_matches_nothing_is_refused_or_pending(void)
{
	const struct fx_breakpoint *b;
	WORLD(fxt_small);

	FXT_FAILS(fx_breakpoint_add(w.session, w.model,
			  &(struct fx_breakpoint_spec){ .where = "nothing" },
			  &b),
		FX_ERR_NO_NODE);
	CU_ASSERT(fxt_ok(fx_breakpoint_add(w.session, w.model,
		&(struct fx_breakpoint_spec){
			.where = "product", .is_pending = true },
		&b)));
	CU_ASSERT(b->is_pending);
	fxt_edit_begin(&w, "rename mul product");
	CU_ASSERT(fxt_ok(fx_edit_set_name(fxt_node(&w, "mul"), "product")));
	fxt_edit_end(&w);
	FXT_SAME(fxt_run_to(&w, NULL), "@4 product breakpoint 4");
	FXT_FAILS(fx_breakpoint_add(w.session, w.model,
			  &(struct fx_breakpoint_spec){ .where = "42" }, &b),
		FX_ERR_USAGE);
}

/* --- inputs, interrupts, size ------------------------------------------- */

static void
an_input_makes_its_cone_dirty(void)
{
	WORLD(fxt_two_inputs);

	fxt_run_to(&w, NULL);
	CU_ASSERT(fxt_ok(fx_model_set_input(w.session, w.model, "z",
		"f32[N, 5]")));
	FXT_SAME(fxt_print(&w, "%z.shape"), "torch.Size([N, 5])");
	FXT_EQ(fx_position_get(w.model), 2);
	FXT_SAME(fx_model_input_text(w.model, fxt_node(&w, "z")), "f32[N, 5]");
	FXT_FAILS(fx_model_set_input(w.session, w.model, "q", "f32[1]"),
		FX_ERR_NO_INPUT);
	FXT_FAILS(fx_model_set_input(w.session, w.model, "x", "f32[1,"),
		FX_ERR_SYNTAX);
}

static bool
always(void *context)
{
	(void)context;
	return true;
}

static void
an_interrupt_keeps_what_has_run(void)
{
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };
	struct fx_session *session = fx_session_new();
	struct fx_model *model = fx_session_add_graph(session,
		fxt_chain(200000), "chain", "test");

	fx_session_set_tick(session, always, NULL);
	CU_ASSERT(fxt_ok(fx_position_run(session, model, NULL, &stop)));
	FXT_EQ(stop.reason, FX_STOP_INTERRUPT);
	CU_ASSERT(stop.position > 0 && stop.position < 200000);
	FXT_EQ(stop.position, stop.executed);
	fx_session_set_tick(session, NULL, NULL);
	CU_ASSERT(fxt_ok(fx_position_move(session, model,
		&(struct fx_movement){ FX_MOVE_CONTINUE, false, 1 }, &stop)));
	FXT_EQ(stop.reason, FX_STOP_END);
	fx_session_free(session);
}

static void
an_interrupt_reaches_a_nested_graph_in_an_expression(void)
{
	struct fx_session *session = fx_session_new();
	struct fx_graph *graph = fxt_chain(1);
	struct fx_module *sub = fx_module_new(graph, "Sub");
	FX_AUTO_DATUM struct fx_datum *value = NULL;
	struct fx_model *model;

	sub->graph = fxt_chain(200000);
	fx_module_add_child(graph->module, "sub", sub);
	model = fx_session_add_graph(session, graph, "chain", "test");
	fx_session_set_tick(session, always, NULL);
	FXT_FAILS(fx_resolve_expression(session, model,
			  "self.sub(torch.ones(2))", false, &value),
		FX_ERR_INTERRUPTED);
	fx_session_set_tick(session, NULL, NULL);
	CU_ASSERT(fxt_ok(fx_resolve_expression(session, model,
		"self.sub(torch.ones(2))", false, &value)));
	fx_session_free(session);
}

static void
there_is_an_end_of_graphs(void)
{
	struct fx_session *session = fx_session_new();
	struct fx_model *model =
		fx_session_add_graph(session, fxt_chain(1), "g0", "test");
	struct fx_error *err = NULL;
	int count = 1;

	for (; !err && count < 70000; count++) {
		FX_AUTO_FREE char *name = fx_xasprintf("g%d", count);

		err = fx_session_copy(session, model,
			&(struct fx_opening){ .name = name, .line = "graph" },
			&model);
	}
	FXT_FAILS(err, FX_ERR_LIMIT);
	FXT_EQ(fx_session_model_count(session), 1000);
	fx_session_free(session);
}

static void
a_step_does_not_depend_on_the_size(void)
{
	struct fx_session *session = fx_session_new();
	struct fx_model *model = fx_session_add_graph(session,
		fxt_chain(100000), "chain", "test");
	struct fx_stop stop = { .number = 0 };
	double began;

	CU_ASSERT(fxt_ok(fx_position_start(session, model, &stop)));
	began = fxt_seconds(CLOCK_MONOTONIC);
	for (int i = 0; i < 1000; i++)
		CU_ASSERT(fxt_ok(fx_position_move(session, model,
			&(struct fx_movement){ FX_MOVE_STEP, i % 3 == 2, 1 },
			&stop)));
	FXT_IS(fxt_seconds(CLOCK_MONOTONIC) - began, <, 0.5);
	fx_session_free(session);
}

/* --- models and settings ------------------------------------------------ */

static void
models_are_numbered_and_named_apart(void)
{
	struct fx_model *copy = NULL;
	WORLD(fxt_small);
	struct fx_model *second =
		fx_session_add_graph(w.session, fxt_chain(2), "net", "test");

	FXT_SAME(fx_model_name(second), "net-2");
	FXT_EQ(fx_session_find_model(w.session, "1"), w.model);
	CU_ASSERT(fxt_ok(fx_session_copy(w.session, w.model,
		&(struct fx_opening){ .name = "third", .line = "graph" },
		&copy)));
	FXT_FAILS(fx_session_copy(w.session, w.model,
			  &(struct fx_opening){
				  .name = "third", .line = "graph" },
			  &copy),
		FX_ERR_NAME_TAKEN);
	CU_ASSERT(fx_hash_equal(fx_graph_hash(fx_model_graph(copy)),
		fx_graph_hash(w.graph)));
	fx_session_drop(w.session, copy);
	FXT_EQ(fx_session_model_count(w.session), 2);
}

static void
settings_are_checked(void)
{
	struct fx_settings *s = fx_settings_new();
	const char *rest;
	int index = fx_settings_match("record limit 512M", &rest);

	FXT_IS_FATAL(index, >=, 0);
	FXT_SAME(rest, "512M");
	CU_ASSERT(fxt_ok(fx_settings_set(s, index, rest)));
	FXT_EQ(fx_settings_int(s, FX_SET_RECORD_LIMIT), (int64_t)512 << 20);
	CU_ASSERT(fxt_ok(fx_settings_set(s, index, "unlimited")));
	FXT_SAME(fx_settings_text(s, index), "unlimited");
	FXT_FAILS(fx_settings_set(s, index, "much"), FX_ERR_SETTING);
	FXT_EQ(fx_settings_match("h", &rest), -2);
	FXT_EQ(fx_settings_match("nothing", &rest), -1);
	index = fx_settings_match("dial 1.13", &rest);
	FXT_SAME(fx_settings_info((size_t)index)->name, "dialect");
	FXT_SAME(rest, "1.13");
	FXT_FAILS(fx_settings_set(s, index, "0.9"), FX_ERR_SETTING);
	index = fx_settings_match("backend abacus", &rest);
	FXT_FAILS(fx_settings_set(s, index, rest), FX_ERR_SETTING);
	index = fx_settings_match("hub limit 3", &rest);
	CU_ASSERT(fxt_ok(fx_settings_set(s, index, rest)));
	FXT_EQ(fx_settings_int(s, FX_SET_HUB_LIMIT), 3);
	fx_settings_free(s);
}

/* Nodes of a dump come from modules that the graph does not have. */
static void
lend_scopes(struct fx_graph *graph)
{
	const struct fx_scope *outer =
		fx_graph_scope(graph, NULL, "encoder", "Encoder");

	fx_graph_find(graph, "relu")->scope = outer;
	fx_graph_find(graph, "neg")->scope =
		fx_graph_scope(graph, outer, "encoder.act", "Act");
}

static void
scopes_that_only_nodes_have_are_found(void)
{
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w =
		fxt_world_prepared(fxt_small, lend_scopes);
	struct fx_scope_paths paths;
	const char *path;
	struct fx_error *err;

	fx_resolve_scope_paths(w.graph, &paths);
	FXT_EQ_FATAL(paths.count, 2);
	FXT_SAME(paths.items[0], "encoder");
	FXT_SAME(paths.items[1], "encoder.act");
	fx_vec_deinit(&paths);
	FXT_OK(fx_resolve_scope(w.model, "encoder.act", &path));
	FXT_SAME(path, "encoder.act");
	err = fx_resolve_scope(w.model, "encodr", &path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_SAME(fx_error_note_text(err, 0), "nearest: encoder");
	fx_error_free(err);
}

static void
a_failure_tells_of_no_unknown_shape(void)
{
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w =
		fxt_run_world("def forward(self, x : \"f64[3, 4]\"):\n"
			      "    a = torch.nonzero(x)\n"
			      "    b = torch.add(a, x)\n"
			      "    return b\n",
			fxt_has_torch() ? "torch" : "real", NULL);

	if (!fxt_has_torch())
		FXT_SKIP("no libtorch");
	CU_ASSERT(fxt_ok(fx_position_run(w.session, w.model, NULL, &stop)));
	FXT_EQ_FATAL(stop.reason, FX_STOP_ERROR);
	for (size_t i = 0; i < fx_error_note_count(stop.error); i++)
		CU_ASSERT_PTR_NULL(strstr(fx_error_note_text(stop.error, i),
			"not known"));
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(start_stops_before_the_first_computing_node),
		FXT_CASE(stepping_before_start_is_refused),
		FXT_CASE(going_back_reads_values_and_onwards_runs_nothing),
		FXT_CASE(running_to_a_node_runs_only_what_it_needs),
		FXT_CASE(until_counts_breakpoints_and_goto_does_not),
		FXT_CASE(step_unit_scope_takes_a_module_at_once),
		FXT_CASE(finish_leaves_the_selected_scope),
		FXT_CASE(a_condition_decides_and_counts),
		FXT_CASE(a_temporary_breakpoint_stops_once),
		FXT_CASE(a_breakpoint_follows_its_node_through_edits),
		FXT_CASE(what_matches_nothing_is_refused_or_pending),
		FXT_CASE(an_input_makes_its_cone_dirty),
		FXT_CASE(an_interrupt_keeps_what_has_run),
		FXT_CASE(an_interrupt_reaches_a_nested_graph_in_an_expression),
		FXT_CASE(there_is_an_end_of_graphs),
		FXT_CASE(a_step_does_not_depend_on_the_size),
		FXT_CASE(models_are_numbered_and_named_apart),
		FXT_CASE(settings_are_checked),
		FXT_CASE(scopes_that_only_nodes_have_are_found),
		FXT_CASE(a_failure_tells_of_no_unknown_shape),
	};

	return fxt_run("session", cases, FX_ARRAY_LEN(cases));
}
