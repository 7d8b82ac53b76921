/* test_timeline_nested.c - values back in time where modules own graphs that
 * are stepped into.
 */
#include <config.h>

#include "base/intern.h"
#include "run/backend.h"
#include "session/breakpoint.h"
#include "tests/support/random.h"
#include "tests/support/read_text.h"
#include "tests/support/real_backend.h"
#include "tests/support/run_world.h"
#include "tests/support/unit.h"

static const char outer_text[] = "def forward(self, x : \"f64[2, 2]\"):\n"
				 "    a = torch.neg(x)\n"
				 "    b = torch.dropout(a, 0.5, True)\n"
				 "    sub = self.sub(a, x)\n"
				 "    c = torch.dropout(a, 0.5, True)\n"
				 "    d = c.add_(sub)\n"
				 "    e = a + c\n"
				 "    return (b, e)\n";

static const char inner_text[] = "def forward(self, a, b):\n"
				 "    c = a.add_(1)\n"
				 "    d = torch.dropout(b, 0.5, True)\n"
				 "    e = torch.relu_(b)\n"
				 "    f = c + d\n"
				 "    return f\n";

/* self.sub becomes a module with a graph of its own. */
static void
nest(struct fx_graph *graph)
{
	fxt_read_nested(graph, "sub", inner_text);
}

/* A session on the outer graph, started. */
static struct fxt_world
nested_world(void)
{
	struct fxt_world w = fxt_world_prepared(outer_text, nest);

	fxt_add_backend(&w, fxt_real_backend_new());
	fxt_set(&w, "backend auto");
	fxt_start(&w);
	return w;
}

/* EXPRESSION for NAME of the graph where execution stands. */
static const char *
set_inside(struct fxt_world *w, const char *name, const char *expression)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	struct fx_node *node = fx_graph_find(fx_position_graph(w->model), name);

	CU_ASSERT(fxt_ok(fx_model_set_value(w->session, w->model, node,
		expression, &report)));
	return fx_intern_format("dirty %zu before @%zu", report.dirty,
		fx_position_get(w->model));
}

static void
a_value_set_in_a_nested_graph_stays(void)
{
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w =
		nested_world();
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	const char *with;

	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 2), "@3 sub step 2");
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@2 c step 2");
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 3), "@5 f step 3");
	FXT_SAME(set_inside(&w, "d", "d * 0 + 5"), "dirty 1 before @4");
	FXT_SAME(fxt_move(&w, FX_MOVE_FINISH, false, 1), "@4 c step 3");
	/* f = c + d, and c is a. */
	with = fxt_value(&w, "sub");
	FXT_SAME(with, fxt_value(&w, "a + 5"));
	/* Also where the graph is run at once. */
	fxt_run_to(&w, NULL);
	FXT_SAME(fxt_value(&w, "sub"), with);
	fxt_jump(&w, w.model, 3);
	fxt_move(&w, FX_MOVE_STEP, false, 3);
	CU_ASSERT(fxt_ok(fx_model_unset_value(w.model,
		fx_graph_find(fx_position_graph(w.model), "d"), &report)));
	fxt_move(&w, FX_MOVE_FINISH, false, 1);
	FXT_IS(fxt_value(&w, "sub"), !=, with);
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

static void
setting_a_write_in_a_nested_graph_takes_it_back(void)
{
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w =
		nested_world();
	const char *before;

	fxt_move(&w, FX_MOVE_STEP, false, 2);
	before = fxt_value(&w, "a");
	fxt_move(&w, FX_MOVE_STEP, false, 4);
	set_inside(&w, "c", "c * 0");
	fxt_move(&w, FX_MOVE_FINISH, false, 1);
	FXT_SAME(fxt_value(&w, "a"), before);
}

static void
nest_temporary(struct fx_graph *graph)
{
	fxt_read_nested(graph, "sub",
		"def forward(self, a, b):\n"
		"    c = torch.neg(a)\n"
		"    d = c.add_(1)\n"
		"    e = torch.relu_(d)\n"
		"    f = e + b\n"
		"    return f\n");
}

static void
what_went_with_a_nested_graph_is_not_kept(void)
{
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w =
		fxt_world_prepared("def forward(self, x : \"f64[2, 2]\"):\n"
				   "    a = torch.neg(x)\n"
				   "    sub = self.sub(a, x)\n"
				   "    return sub\n",
			nest_temporary);
	struct fx_run_stats facts;

	fxt_add_backend(&w, fxt_real_backend_new());
	fxt_set(&w, "backend auto");
	fxt_run_to(&w, NULL);
	fx_position_stats(w.model, &facts);
	FXT_EQ(facts.saved_bytes, 0);
	FXT_SAME(fxt_move(&w, FX_MOVE_NEXT, true, 2), "@2 sub step 0");
	CU_ASSERT(fxt_is_as_fresh(&w, NULL));
}

/* The outer graph has another node at that position. */
static void
a_breakpoint_in_a_nested_graph_is_at_its_node(void)
{
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w =
		nested_world();
	FX_AUTO_FREE struct fx_node **nodes = NULL;
	struct fx_breakpoint_spec spec = { .where = "f" };
	const struct fx_breakpoint *breakpoint;
	size_t count;

	fxt_move(&w, FX_MOVE_STEP, false, 3);
	CU_ASSERT_FATAL(fxt_ok(fx_breakpoint_add(w.session, w.model, &spec,
		&breakpoint)));
	fx_breakpoint_nodes(w.session, breakpoint, &nodes, &count);
	FXT_EQ_FATAL(count, 1);
	FXT_SAME(nodes[0]->name, "f");
	FXT_EQ(nodes[0]->graph, fx_position_graph(w.model));
}

static void
nested_graphs_are_taken_back_wholly(void)
{
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w =
		nested_world();
	struct fxt_random random = fxt_random_seed(5);

	for (size_t i = 0; i < 600; i++) {
		enum fx_move how =
			fxt_random_chance(&random, 15)   ? FX_MOVE_FINISH
			: fxt_random_chance(&random, 70) ? FX_MOVE_STEP
							 : FX_MOVE_NEXT;

		fxt_move(&w, how, fxt_random_chance(&random, 45),
			1 + fxt_random_below(&random, 3));
		if (!fx_position_depth(w.model) && !fxt_is_as_fresh(&w, NULL)) {
			CU_FAIL("not as fresh");
			return;
		}
	}
}

/* Where the call was given what is no longer so. */
static void
another_input_leaves_a_nested_graph(void)
{
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w =
		nested_world();
	const char *e;

	fxt_move(&w, FX_MOVE_STEP, false, 1);
	fx_session_set_variable(w.session, "k",
		fx_position_value(w.model, fxt_node(&w, "a")));
	fxt_move(&w, FX_MOVE_STEP, false, 3);
	FXT_EQ(fx_position_depth(w.model), 1);
	CU_ASSERT(fxt_ok(fx_model_set_input(w.session, w.model, "x",
		"$k * 3")));
	FXT_EQ(fx_position_depth(w.model), 0);
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	e = fxt_value(&w, "e");
	fxt_run_to(&w, NULL);
	FXT_EQ(fxt_value(&w, "e"), e);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_value_set_in_a_nested_graph_stays),
		FXT_CASE(setting_a_write_in_a_nested_graph_takes_it_back),
		FXT_CASE(what_went_with_a_nested_graph_is_not_kept),
		FXT_CASE(a_breakpoint_in_a_nested_graph_is_at_its_node),
		FXT_CASE(nested_graphs_are_taken_back_wholly),
		FXT_CASE(another_input_leaves_a_nested_graph),
	};

	return fxt_run("timeline nested", cases, FX_ARRAY_LEN(cases));
}
