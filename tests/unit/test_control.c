/* test_control.c - cond, while_loop and what calls a graph: run as one node,
 * entered, stopped in and gone back through.
 *
 * What is seen while stepping onwards is what must be seen at each place
 * whatever led there.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/vec.h"
#include "run/backend.h"
#include "session/activation.h"
#include "session/breakpoint.h"
#include "session/session_private.h"
#include "tests/support/random.h"
#include "tests/support/real_backend.h"
#include "tests/support/run_world.h"
#include "tests/support/unit.h"

/* A loop of five turns whose body draws, writes into what it is given, and has
 * a cond that writes too; the flags that are carried say how often.
 */
static const char looping[] =
	"class GraphModule(torch.nn.Module):\n"
	"    def forward(self, x : \"f64[2, 2]\"):\n"
	"        a = torch.neg(x)\n"
	"        b = torch.dropout(a, 0.5, True)\n"
	"        more = self.more\n"
	"        turn = self.turn\n"
	"        loop = torch.ops.higher_order.while_loop(more, turn,"
	" (True, True, True, True, True, False, a), (b,))\n"
	"        c = torch.dropout(a, 0.5, True)\n"
	"        d = c.add_(b)\n"
	"        return (d, loop)\n"
	"    class more(torch.nn.Module):\n"
	"        def forward(self, f, g, h, i, j, k, y, b):\n"
	"            e = torch.neg(y)\n"
	"            w = e.add_(1)\n"
	"            return f\n"
	"    class turn(torch.nn.Module):\n"
	"        def forward(self, f, g, h, i, j, k, y, b):\n"
	"            p = torch.dropout(y, 0.5, True)\n"
	"            q = b.add_(1)\n"
	"            yes = self.yes\n"
	"            no = self.no\n"
	"            pick = torch.ops.higher_order.cond(g, yes, no, (p, b))\n"
	"            s = pick + b\n"
	"            return (g, h, i, j, k, False, s)\n"
	"        class yes(torch.nn.Module):\n"
	"            def forward(self, p, b):\n"
	"                m = torch.relu_(p)\n"
	"                n = m + b\n"
	"                return n\n"
	"        class no(torch.nn.Module):\n"
	"            def forward(self, p, b):\n"
	"                n = torch.neg(p)\n"
	"                return n\n";

/* Calls of graphs that draw and write what they are given; one has a call of
 * its own, one is called twice.
 */
static const char calling[] =
	"class GraphModule(torch.nn.Module):\n"
	"    def forward(self, x : \"f64[2, 2]\"):\n"
	"        a = torch.neg(x)\n"
	"        drawn = self.drawn\n"
	"        tag = torch.ops.higher_order.tag_activation_checkpoint(drawn,"
	" a, b = a, use_reentrant = False)\n"
	"        part = self.part\n"
	"        one = torch.ops.higher_order.invoke_subgraph(part, 'part',"
	" tag, a)\n"
	"        off = torch.ops.higher_order.wrap_with_set_grad_enabled("
	"False, part, one, tag)\n"
	"        cast = torch.ops.higher_order.wrap_with_autocast('cpu', None,"
	" False, None, drawn, off)\n"
	"        return (cast, a)\n"
	"    class drawn(torch.nn.Module):\n"
	"        def forward(self, y, b = 2):\n"
	"            p = torch.dropout(y, 0.5, True)\n"
	"            deep = self.deep\n"
	"            wrap = torch.ops.higher_order.wrap(deep, p, b = b)\n"
	"            return wrap\n"
	"        class deep(torch.nn.Module):\n"
	"            def forward(self, p, b):\n"
	"                m = torch.relu_(p)\n"
	"                n = m + b\n"
	"                return n\n"
	"    class part(torch.nn.Module):\n"
	"        def forward(self, c, d):\n"
	"            q = d.add_(1)\n"
	"            r = c + q\n"
	"            return r\n";

static struct fxt_world
real_world(const char *text)
{
	struct fxt_world w = fxt_world_new(text);

	fxt_add_backend(&w, fxt_real_backend_new());
	fxt_set(&w, "backend auto");
	return w;
}

static struct fxt_world
looping_world(void)
{
	return real_world(looping);
}
#define AUTO_WORLD __attribute__((cleanup(fxt_world_free))) struct fxt_world

/* "turn 3 s" for each graph in which execution stands, the outermost first. */
static const char *
place_text(const struct fxt_world *w)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_run *run = w->model->run;

	for (size_t i = 0; i < run->activations.count; i++) {
		const struct fx_activation *place = run->activations.items[i];
		const struct fx_node *stop = fx_activation_stop(place);

		if (place->loop)
			fx_buf_addf(&text, "%s %zu ",
				place->loop->in_body ? "body" : "condition",
				place->loop->number);
		fx_buf_addf(&text, "%s ", stop ? stop->name : "end");
	}
	return fx_intern(fx_buf_text(&text));
}

/* The values that can be seen there, in all graphs. */
static const char *
seen_text(const struct fxt_world *w)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_run *run = w->model->run;
	const struct fx_node *node;

	for (size_t i = 0; i < run->activations.count; i++) {
		const struct fx_activation *place = run->activations.items[i];

		fx_graph_for_each_node (node, place->graph) {
			const struct fx_datum *datum =
				fx_activation_value(place, node);

			if (datum)
				fx_buf_addf(&text, "%s=%s ", node->name,
					fxt_real_text(datum));
		}
	}
	return fx_intern(fx_buf_text(&text));
}

struct way {
	FX_VEC(const char *) places; /* interned */
	FX_VEC(const char *) seen;
};

static void
way_deinit(struct way *way)
{
	fx_vec_deinit(&way->places);
	fx_vec_deinit(&way->seen);
}
FX_DEFINE_DEINIT(way, struct way, way_deinit);

static struct way
walk_onwards(struct fxt_world *w)
{
	struct way way = { .places = { 0 } };

	fxt_start(w);
	fxt_jump(w, w->model, 0);
	for (size_t i = 0; i < 1000; i++) {
		fx_vec_push(&way.places, place_text(w));
		fx_vec_push(&way.seen, seen_text(w));
		if (!fx_position_node(w->model) && !fx_position_depth(w->model))
			return way;
		fxt_move(w, FX_MOVE_STEP, false, 1);
	}
	FXT_SAME(fxt_move(w, FX_MOVE_STEP, false, 1), "the end");
	return way;
}

/* Whether execution stands where it has been, and sees the same. */
static bool
is_on(const struct way *way, const struct fxt_world *w, size_t *index_ret)
{
	const char *place = place_text(w);

	for (size_t i = 0; i < way->places.count; i++)
		if (way->places.items[i] == place) {
			*index_ret = i;
			return way->seen.items[i] == seen_text(w);
		}
	return false;
}

static void
run_as_one_or_by_steps(const char *text, size_t count)
{
	AUTO_WORLD w = real_world(text);
	FX_AUTO(way) struct way way = walk_onwards(&w);
	const char *stepped = seen_text(&w);

	FXT_EQ(way.places.count, count);
	fxt_run_to(&w, NULL);
	FXT_SAME(seen_text(&w), stepped);
}

static void
a_loop_runs_as_one_node_or_turn_by_turn(void)
{
	run_as_one_or_by_steps(looping, 77);
}

static void
a_call_runs_as_one_node_or_step_by_step(void)
{
	run_as_one_or_by_steps(calling, 30);
}

static void
take_every_step_back(const char *text)
{
	AUTO_WORLD w = real_world(text);
	FX_AUTO(way) struct way way = walk_onwards(&w);
	size_t index = 0;

	for (size_t i = way.places.count - 1; i-- > 0;) {
		fxt_move(&w, FX_MOVE_STEP, true, 1);
		if (is_on(&way, &w, &index) && index == i)
			continue;
		FXT_SAME(place_text(&w), way.places.items[i]);
		FXT_SAME(seen_text(&w), way.seen.items[i]);
		return;
	}
}

static void
every_step_is_taken_back(void)
{
	take_every_step_back(looping);
	take_every_step_back(calling);
}

static void
move_at_random(const char *text)
{
	AUTO_WORLD w = real_world(text);
	FX_AUTO(way) struct way way = walk_onwards(&w);
	struct fxt_random random = fxt_random_seed(7);
	size_t index;

	for (size_t i = 0; i < 1500; i++) {
		enum fx_move how =
			fxt_random_chance(&random, 6)    ? FX_MOVE_FINISH
			: fxt_random_chance(&random, 75) ? FX_MOVE_STEP
							 : FX_MOVE_NEXT;

		const char *before = place_text(&w);
		bool back = fxt_random_chance(&random, 50);
		size_t count = 1 + fxt_random_below(&random, 3);
		const char *stop = fxt_move(&w, how, back, count);

		index = way.places.count;
		if (!is_on(&way, &w, &index)) {
			FXT_SAME(fx_intern_format("%s after %s from %s",
					 place_text(&w), stop, before),
				fx_intern_format("%d back %d count %zu", how,
					back, count));
			if (index < way.places.count)
				FXT_SAME(seen_text(&w), way.seen.items[index]);
			return;
		}
	}
}

static void
random_moves_see_what_was_seen(void)
{
	move_at_random(looping);
	move_at_random(calling);
}

/* Of many turns only some are kept, and what lies between is run again. */
static void
turns_that_are_not_kept_are_run_again(void)
{
	AUTO_WORLD w = looping_world();
	FX_AUTO(way) struct way way = walk_onwards(&w);
	const char *loop = fxt_value(&w, "loop");
	const char *d = fxt_value(&w, "d");
	size_t index = 0;

	fxt_set(&w, "record limit 1");
	for (size_t i = way.places.count - 1; i-- > 0;) {
		fxt_move(&w, FX_MOVE_STEP, true, 1);
		is_on(&way, &w, &index);
		FXT_EQ_FATAL(index, i);
	}
	fxt_move(&w, FX_MOVE_STEP, false, way.places.count);
	FXT_SAME(fxt_value(&w, "loop"), loop);
	FXT_SAME(fxt_value(&w, "d"), d);
}

/* --- breakpoints ---------------------------------------------------------- */

static void
break_at(struct fxt_world *w, const char *where, const char *condition,
	size_t ignored)
{
	const struct fx_breakpoint_spec spec = { .where = where,
		.condition = condition };
	const struct fx_breakpoint *breakpoint;

	CU_ASSERT_FATAL(fxt_ok(fx_breakpoint_add(w->session, w->model, &spec,
		&breakpoint)));
	FXT_SAME(breakpoint->where, where);
	if (ignored)
		CU_ASSERT(fxt_ok(fx_breakpoint_ignore(w->session,
			breakpoint->number, ignored)));
}

static void
breakpoints_stop_in_nested_graphs(void)
{
	AUTO_WORLD w = looping_world();

	break_at(&w, "turn.yes.n", "$turn == 3", 0);
	break_at(&w, "turn.s", NULL, 3);
	fxt_run_to(&w, NULL);
	FXT_SAME(place_text(&w), "loop body 3 pick n ");
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	FXT_SAME(place_text(&w), "loop body 4 s ");
	fxt_move(&w, FX_MOVE_CONTINUE, true, 1);
	FXT_SAME(place_text(&w), "loop body 3 s ");
	fxt_move(&w, FX_MOVE_CONTINUE, true, 1);
	FXT_SAME(place_text(&w), "loop body 3 pick n ");
	fxt_move(&w, FX_MOVE_FINISH, false, 1);
	FXT_SAME(place_text(&w), "loop body 3 s ");
	fx_breakpoint_delete_all(w.session);
	fxt_move(&w, FX_MOVE_FINISH, false, 1);
	FXT_SAME(place_text(&w), "c ");
	/* Back from the end, too. */
	break_at(&w, "more.w", "$turn < 3", 0);
	fxt_move(&w, FX_MOVE_CONTINUE, true, 1);
	FXT_SAME(place_text(&w), "loop condition 2 w ");
	fx_breakpoint_delete_all(w.session);
	fxt_move(&w, FX_MOVE_FINISH, true, 1);
	FXT_SAME(place_text(&w), "loop ");
}

/* A fresh run to that place would have it in all turns. */
static void
a_value_set_in_a_loop_leaves_it(void)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	AUTO_WORLD w = looping_world();
	const char *loop;

	break_at(&w, "turn.s", "$turn == 3", 0);
	fxt_run_to(&w, NULL);
	CU_ASSERT(fxt_ok(fx_model_set_value(w.session, w.model,
		fx_graph_find(fx_position_graph(w.model), "p"), "p * 0",
		&report)));
	FXT_SAME(place_text(&w), "loop ");
	CU_ASSERT(report.position_moved);
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	FXT_SAME(place_text(&w), "loop body 3 s ");
	fx_breakpoint_delete_all(w.session);
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	loop = fxt_value(&w, "loop");
	fxt_run_to(&w, NULL);
	FXT_SAME(fxt_value(&w, "loop"), loop);
}

/* --- bad input ------------------------------------------------------------ */

#define WRONG(call, graphs) \
	"class GraphModule(torch.nn.Module):\n" \
	"    def forward(self, x : \"f64[2, 2]\"):\n" \
	"        a = torch.neg(x)\n" \
	"        f = self.f\n" \
	"        g = self.g\n" \
	"        it = torch.ops.higher_order." call "\n" \
	"        return it\n" graphs
#define GRAPH(name, takes, gives) \
	"    class " name "(torch.nn.Module):\n" \
	"        def forward(self, " takes "):\n" \
	"            n = torch.neg(y)\n" \
	"            return " gives "\n"

static const struct {
	const char *text, *message;
} wrong[] = {
	{ WRONG("cond(a, f, g, (a,))",
		  GRAPH("f", "y", "n") GRAPH("g", "y", "n")),
		"the predicate of %it has to be a bool or a tensor of "
		"one element, it is f64[2,2]" },
	{ WRONG("cond(3, f, g, (a,))",
		  GRAPH("f", "y", "n") GRAPH("g", "y", "n")),
		"the predicate of %it has to be a bool or a tensor of "
		"one element, it is int" },
	{ WRONG("cond(True, f, a, (a,))",
		  GRAPH("f", "y", "n") GRAPH("g", "y", "n")),
		"false_fn of %it is %a, which is no module with a "
		"graph of its own" },
	{ WRONG("cond(True, f, g, (a,))", GRAPH("f", "y", "n")),
		"false_fn of %it is %g, which is no module with a "
		"graph of its own" },
	{ WRONG("cond(True, f, g, (a,))",
		  GRAPH("f", "y", "n") GRAPH("g", "y, z", "n")),
		"a graph that %it runs takes 2 arguments, and gets 1" },
	{ WRONG("cond(True, f, g, a)",
		  GRAPH("f", "y", "n") GRAPH("g", "y", "n")),
		"what %it gives its graphs has to be a tuple, it is "
		"f64[2,2]" },
	{ WRONG("while_loop(f, g, (a,))",
		  GRAPH("f", "y", "n") GRAPH("g", "y", "(n,)")),
		"the condition of %it has to give a bool or a b8[], it "
		"gives f64[2,2]" },
	{ WRONG("while_loop(f, g, (a,))",
		  GRAPH("f", "y", "True") GRAPH("g", "y", "(n, n)")),
		"the body of %it gives 2 values, and 1 is carried" },
	{ WRONG("while_loop(f, g, (a,))",
		  GRAPH("f", "y", "True") GRAPH("g", "y", "n")),
		"the body of %it has to give a tuple, it gives "
		"f64[2,2]" },
	{ WRONG("wrap(a, a)", GRAPH("f", "y", "n") GRAPH("g", "y", "n")),
		"graph of %it is %a, which is no module with a graph "
		"of its own" },
	{ WRONG("invoke_subgraph(f, 'f', a, a)",
		  GRAPH("f", "y", "n") GRAPH("g", "y", "n")),
		"torch.ops.higher_order.invoke_subgraph takes 3 "
		"arguments, gets 4" },
	{ WRONG("wrap_with_autocast('cpu', None, True, None, f, a)",
		  GRAPH("f", "y", "n") GRAPH("g", "y", "n")),
		"%it calls a graph under autocast, and graphs run "
		"without" },
};

static void
what_cannot_run_says_why(void)
{
	for (size_t i = 0; i < 2 * FX_ARRAY_LEN(wrong); i++) {
		AUTO_WORLD w = fxt_world_new(wrong[i / 2].text);
		FX_AUTO_STOP struct fx_stop stop = { .number = 0 };
		struct fx_movement step = { .how = i % 2 ? FX_MOVE_STEP
							 : FX_MOVE_CONTINUE,
			.count = 100 };

		fxt_add_backend(&w, fxt_real_backend_new());
		fxt_set(&w, "backend auto");
		fxt_start(&w);
		CU_ASSERT(fxt_ok(fx_position_move(w.session, w.model, &step,
			&stop)));
		FXT_EQ_FATAL(stop.reason, FX_STOP_ERROR);
		FXT_SAME(fx_error_message(stop.error), wrong[i / 2].message);
	}
}

static const char endless[] = WRONG("while_loop(f, g, (a,))",
	GRAPH("f", "y", "True") GRAPH("g", "y", "(n,)"));

static bool
is_tired(void *context)
{
	size_t *left = context;

	*left -= *left > 0;
	return !*left;
}

/* Entered or not; of what it did no more than some turns are held. */
static void
a_loop_without_end_is_stopped(void)
{
	AUTO_WORLD w = fxt_world_new(endless);
	size_t left = 3;
	const struct fx_loop *loop;

	fxt_add_backend(&w, fxt_real_backend_new());
	fxt_set(&w, "backend auto");
	fx_session_set_tick(w.session, is_tired, &left);
	fxt_start(&w);
	FXT_SAME(fxt_move(&w, FX_MOVE_CONTINUE, false, 1), "@4 it interrupt 3");
	break_at(&w, "g.n", "$turn == 10000000", 0);
	do {
		left = 3;
		fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
		FXT_EQ_FATAL(fx_position_depth(w.model), 1);
		loop = fx_run_activation(w.model->run)->loop;
	} while (loop->number < 1000);
	CU_ASSERT(loop->turns.count <= 256);
	fx_breakpoint_delete_all(w.session);
	fxt_move(&w, FX_MOVE_FINISH, true, 1);
	FXT_SAME(place_text(&w), "it ");
}

/* Many turns are gone back over at about the cost of running them: each of a
 * gap is run again once or twice, not once for each that lies before it.
 */
static void
many_turns_are_gone_back_over(void)
{
	AUTO_WORLD w = fxt_world_new(endless);
	const struct fx_loop *loop;
	size_t onwards;
	size_t back;

	fxt_add_backend(&w, fxt_real_backend_new());
	fxt_set(&w, "backend auto");
	break_at(&w, "g.n", "$turn % 1000 == 7", 0);
	for (size_t turn = 7; turn < 8000; turn += 1000) {
		fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
		FXT_EQ_FATAL(fx_position_depth(w.model), 1);
		FXT_EQ(fx_run_activation(w.model->run)->loop->number, turn);
	}
	onwards = fx_position_executed(w.model);
	for (size_t turn = 7007; turn > 7; turn -= 1000) {
		fxt_move(&w, FX_MOVE_CONTINUE, true, 1);
		FXT_SAME(place_text(&w),
			fx_intern_format("it body %zu n ", turn - 1000));
		loop = fx_run_activation(w.model->run)->loop;
		CU_ASSERT(loop->turns.count <= 512);
	}
	back = fx_position_executed(w.model) - onwards;
	CU_ASSERT(back > onwards && back < 4 * onwards);
	fxt_move(&w, FX_MOVE_CONTINUE, false, 1);
	FXT_SAME(place_text(&w), "it body 1007 n ");
	CU_ASSERT(fx_run_activation(w.model->run)->loop->turns.count <= 256);
}

/* --- shapes --------------------------------------------------------------- */

static void
shapes_are_those_that_the_graphs_agree_on(void)
{
	AUTO_WORLD loop = fxt_world_new(WRONG("while_loop(f, g, (a, 3))",
		GRAPH("f", "y, i", "True") GRAPH("g", "y, i", "(n, i + 1)")));
	AUTO_WORLD cond = fxt_world_new(WRONG("cond(a[0, 0], f, g, (a,))",
		GRAPH("f", "y", "(n, y[0])") GRAPH("g", "y", "(n, y)")));

	fxt_run_to(&cond, NULL);
	FXT_SAME(fxt_print(&cond, "it"),
		"(f64[2,2], unknown (it may be f64[2] or f64[2,2]))");
	fxt_run_to(&loop, NULL);
	FXT_SAME(fxt_print(&loop, "it"),
		"(f64[2,2], unknown (it may be 3 or 4))");
	FXT_SAME(fxt_states(&loop), "MMMMMM");
	/* One node, as nobody knows where it would go on. */
	fxt_jump(&loop, loop.model, 4);
	FXT_SAME(fxt_move(&loop, FX_MOVE_STEP, false, 1), "@5 output step 0");
}

static void
calls_have_the_shapes_of_their_graphs(void)
{
	AUTO_WORLD w = fxt_world_new(calling);

	fxt_run_to(&w, NULL);
	FXT_SAME(fxt_print(&w, "cast"), "f64[2,2]");
	fxt_jump(&w, w.model, 3);
	FXT_SAME(fxt_move(&w, FX_MOVE_STEP, false, 1), "@2 p step 2");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_loop_runs_as_one_node_or_turn_by_turn),
		FXT_CASE(a_call_runs_as_one_node_or_step_by_step),
		FXT_CASE(every_step_is_taken_back),
		FXT_CASE(random_moves_see_what_was_seen),
		FXT_CASE(turns_that_are_not_kept_are_run_again),
		FXT_CASE(breakpoints_stop_in_nested_graphs),
		FXT_CASE(a_value_set_in_a_loop_leaves_it),
		FXT_CASE(what_cannot_run_says_why),
		FXT_CASE(a_loop_without_end_is_stopped),
		FXT_CASE(many_turns_are_gone_back_over),
		FXT_CASE(shapes_are_those_that_the_graphs_agree_on),
		FXT_CASE(calls_have_the_shapes_of_their_graphs),
	};

	return fxt_run("control", cases, FX_ARRAY_LEN(cases));
}
