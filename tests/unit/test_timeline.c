/* test_timeline.c - values back in time: writes in place, views, random
 * numbers, edits above the stop.
 *
 * The backend is one of doubles in memory (tests/support/real_backend.h).  A
 * fresh copy of the graph, run from its start, says what values must be.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/value_walk.h"
#include "load/open.h"
#include "run/backend.h"
#include "session/breakpoint.h"
#include "tests/support/random_graph.h"
#include "tests/support/real_backend.h"
#include "tests/support/session_text.h"
#include "tests/support/unit.h"

#define WORLD(text) \
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w = \
		world_new(text, "real"); \
	struct fx_backend *backend = fx_test_backend; \
	(void)backend

static struct fx_backend *fx_test_backend;

/* On the backend "real" of doubles, or on "torch". */
static struct fxt_world
world_new(const char *text, const char *name)
{
	struct fxt_world world = fxt_world_new(text);

	fx_test_backend = NULL;
	if (fx_str_equal(name, "torch")) {
		fxt_set(&world, "backend torch");
		return world;
	}
	fx_test_backend = fxt_real_backend_new();
	fx_session_add_backend(world.session, fx_test_backend);
	fxt_set(&world, "backend auto");
	return world;
}

static const char *
start(struct fxt_world *w)
{
	struct fx_stop stop = { .number = 0 };

	CU_ASSERT(fxt_ok(fx_position_start(w->session, w->model, &stop)));
	return fxt_stop(w, &stop);
}

static const char *
run(struct fxt_world *w, struct fx_node *to)
{
	struct fx_stop stop = { .number = 0 };

	CU_ASSERT(fxt_ok(fx_position_run(w->session, w->model, to, &stop)));
	return fxt_stop(w, &stop);
}

static const char *
move(struct fxt_world *w, enum fx_move how, bool back, size_t count)
{
	struct fx_stop stop = { .number = 0 };

	CU_ASSERT(fxt_ok(fx_position_move(w->session, w->model,
		&(struct fx_movement){ how, back, count }, &stop)));
	return fxt_stop(w, &stop);
}

static const char *
jump(struct fxt_world *w, struct fx_model *model, size_t position)
{
	struct fx_stop stop = { .number = 0 };

	CU_ASSERT(fxt_ok(fx_position_goto(w->session, model, position, &stop)));
	return fxt_stop(w, &stop);
}

/* The value of node NAME of MODEL, or why there is none. */
static const char *
value_in(struct fxt_world *w, struct fx_model *model, const char *name)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	FX_AUTO_FREE char *text = fx_xasprintf("%%%s", name);
	struct fx_error *err =
		fx_resolve_expression(w->session, model, text, false, &datum);
	const char *said;

	if (!err)
		return fxt_real_text(datum);
	said = fx_intern_format("error: %s", fx_error_message(err));
	fx_error_free(err);
	return said;
}

static const char *
value(struct fxt_world *w, const char *name)
{
	return value_in(w, w->model, name);
}

static const char *
set_value(struct fxt_world *w, const char *name, const char *expression)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };

	CU_ASSERT(fxt_ok(fx_model_set_value(w->session, w->model,
		fxt_node(w, name), expression, &report)));
	return fx_intern_format("dirty %zu", report.dirty);
}

/* --- the fresh copy ----------------------------------------------------------
 */

/* What the user set, which a copy of the graph does not have. */
struct overrides {
	struct {
		uint64_t node;
		const char *expression;
	} items[64];
	size_t count;
};

static void
copy_overrides(struct fxt_world *w, struct fx_model *copy,
	const struct overrides *overrides)
{
	struct fx_graph *to = fx_model_graph(copy);

	for (size_t i = 0; overrides && i < overrides->count; i++) {
		FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
		const struct fx_node *node =
			fx_graph_find_id(w->graph, overrides->items[i].node);

		if (node)
			CU_ASSERT(fxt_ok(fx_model_set_value(w->session, copy,
				fx_graph_find(to, node->name),
				overrides->items[i].expression, &report)));
	}
}

/* Whether all values that can be seen are those of a fresh run to the same
 * place.
 */
static bool
is_as_fresh(struct fxt_world *w, const struct overrides *overrides)
{
	struct fx_model *copy = NULL;
	size_t position = fx_position_get(w->model);
	bool same = true;

	CU_ASSERT(fxt_ok(fx_session_copy(w->session, w->model, "fresh",
		&copy)));
	copy_overrides(w, copy, overrides);
	jump(w, copy, position);
	for (size_t i = 0; i < position && same; i++) {
		const char *name = fx_graph_at(w->graph, i)->name;
		const char *mine = value(w, name);
		const char *theirs = value_in(w, copy, name);

		same = fxt_same(mine, theirs);
		if (!same)
			fxt_same(name, "the node");
	}
	fx_session_drop(w->session, copy);
	fx_session_switch(w->session, w->model);
	return same;
}

/* --- writes in place
 * ----------------------------------------------------------- */

static const char in_place[] = "def forward(self, x : \"f64[2, 2]\"):\n"
			       "    before = torch.neg(x)\n"
			       "    row = torch.select(x, 0, 1)\n"
			       "    add_ = row.add_(3)\n"
			       "    after = torch.neg(x)\n"
			       "    sum_1 = torch.sum(row)\n"
			       "    return (before, after, sum_1)\n";

static void
going_back_over_a_write_restores_the_bytes(void)
{
	WORLD(in_place);
	const char *x;
	const char *after;

	start(&w);
	move(&w, FX_MOVE_STEP, false, 2);
	x = value(&w, "x");
	run(&w, NULL);
	CU_ASSERT(value(&w, "x") != x);
	after = value(&w, "after");
	move(&w, FX_MOVE_STEP, true, 5);
	CU_ASSERT(value(&w, "x") == x);
	CU_ASSERT(is_as_fresh(&w, NULL));
	FXT_SAME(move(&w, FX_MOVE_CONTINUE, false, 1), "@7 end end 1");
	CU_ASSERT(value(&w, "after") == after);
	CU_ASSERT(is_as_fresh(&w, NULL));
}

static void
going_back_executes_no_operator(void)
{
	WORLD(in_place);
	size_t calls;

	run(&w, NULL);
	calls = fxt_real_calls(backend);
	move(&w, FX_MOVE_STEP, true, 6);
	value(&w, "x");
	CU_ASSERT_EQUAL(fxt_real_calls(backend), calls);
}

static void
a_value_left_out_is_of_its_own_time(void)
{
	WORLD(in_place);
	const char *before;

	run(&w, NULL);
	before = value(&w, "before");
	run(&w, fxt_node(&w, "sum_1"));
	/* before was not needed; x has been written since. */
	CU_ASSERT(value(&w, "before") == before);
	CU_ASSERT(is_as_fresh(&w, NULL));
}

static void
erasing_a_write_makes_its_readers_dirty(void)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	WORLD(in_place);

	run(&w, NULL);
	CU_ASSERT(fxt_ok(fx_model_edit_begin(w.session, w.model, "erase")));
	CU_ASSERT(fxt_ok(fx_edit_erase(fxt_node(&w, "add_"))));
	CU_ASSERT(fxt_ok(fx_model_edit_end(w.session, w.model, false, false,
		&report)));
	FXT_SAME(fxt_select(&w, "dirty"), "before row after sum_1 output");
	move(&w, FX_MOVE_CONTINUE, false, 1);
	CU_ASSERT(is_as_fresh(&w, NULL));
	fx_edit_report_deinit(&report);
	CU_ASSERT(fxt_ok(fx_model_undo(w.model, 1, &report)));
	CU_ASSERT(is_as_fresh(&w, NULL));
	move(&w, FX_MOVE_CONTINUE, false, 1);
	CU_ASSERT(is_as_fresh(&w, NULL));
}

/* --- dirty cones
 * ------------------------------------------------------------------ */

static const char two_arms[] = "def forward(self, x : \"f64[2, 2]\"):\n"
			       "    a = torch.neg(x)\n"
			       "    b = torch.relu(x)\n"
			       "    c = a + a\n"
			       "    d = b + b\n"
			       "    return (c, d)\n";

static void
only_what_depends_on_a_set_value_runs_again(void)
{
	WORLD(two_arms);
	size_t calls;

	run(&w, NULL);
	calls = fxt_real_calls(backend);
	FXT_SAME(set_value(&w, "a", "a * 0"), "dirty 2");
	calls = fxt_real_calls(backend);
	FXT_SAME(fxt_select(&w, "dirty"), "c output");
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "O");
	FXT_SAME(move(&w, FX_MOVE_CONTINUE, false, 1), "@6 end end 2");
	CU_ASSERT_EQUAL(fxt_real_calls(backend), calls + 1);
	FXT_SAME(value(&w, "c"), "[-0x0p+0 0x0p+0 0x0p+0 0x0p+0]");
}

static void
unsetting_a_value_brings_the_result_back(void)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	WORLD(two_arms);
	const char *c;

	run(&w, NULL);
	c = value(&w, "c");
	set_value(&w, "a", "$v * 2");
	move(&w, FX_MOVE_CONTINUE, false, 1);
	CU_ASSERT(value(&w, "c") != c);
	CU_ASSERT(fxt_ok(fx_model_unset_value(w.model, fxt_node(&w, "a"),
		&report)));
	move(&w, FX_MOVE_CONTINUE, false, 1);
	CU_ASSERT(value(&w, "c") == c);
	FXT_FAILS(fx_model_unset_value(w.model, fxt_node(&w, "a"), &report),
		FX_ERR_NO_VALUE);
}

/* --- random numbers
 * ----------------------------------------------------------------- */

static const char drawing[] = "def forward(self, x : \"f64[2, 2]\"):\n"
			      "    a = torch.dropout(x, 0.5, True)\n"
			      "    b = torch.neg(x)\n"
			      "    c = torch.dropout(b, 0.5, True)\n"
			      "    d = c + a\n"
			      "    return d\n";

static void
running_again_draws_the_same_numbers(void)
{
	WORLD(drawing);
	const char *d;

	run(&w, NULL);
	d = value(&w, "d");
	move(&w, FX_MOVE_STEP, true, 5);
	value(&w, "x");
	move(&w, FX_MOVE_STEP, false, 2);
	move(&w, FX_MOVE_STEP, true, 1);
	move(&w, FX_MOVE_CONTINUE, false, 1);
	CU_ASSERT(value(&w, "d") == d);
	run(&w, NULL);
	CU_ASSERT(value(&w, "d") == d);
	set_value(&w, "b", "$v");
	move(&w, FX_MOVE_CONTINUE, false, 1);
	CU_ASSERT(value(&w, "d") == d);
}

static void
a_draw_that_is_gone_moves_the_later_ones(void)
{
	WORLD(drawing);

	run(&w, NULL);
	set_value(&w, "a", "2");
	move(&w, FX_MOVE_CONTINUE, false, 1);
	CU_ASSERT(is_as_fresh(&w,
		&(struct overrides){
			.items = { { fxt_node(&w, "a")->id, "2" } },
			.count = 1 }));
}

/* --- failures
 * -------------------------------------------------------------------------- */

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

	start(&w);
	move(&w, FX_MOVE_STEP, false, 1);
	a = value(&w, "a");
	CU_ASSERT(fxt_ok(fx_position_run(w.session, w.model, NULL, &stop)));
	CU_ASSERT_EQUAL(stop.reason, FX_STOP_ERROR);
	CU_ASSERT_PTR_EQUAL(stop.failed, fxt_node(&w, "c"));
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "c")), "E");
	fx_stop_deinit(&stop);
	FXT_SAME(move(&w, FX_MOVE_STEP, true, 1), "@3 b step 0");
	CU_ASSERT(value(&w, "a") == a);
}

/* --- the record limit
 * -------------------------------------------------------------------- */

static void
values_beyond_the_limit_are_computed_again(void)
{
	WORLD(two_arms);
	const char *a;

	run(&w, NULL);
	a = value(&w, "a");
	fxt_set(&w, "record limit 100");
	run(&w, NULL);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "R");
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "c")), "V");
	CU_ASSERT(value(&w, "a") == a);
	FXT_SAME(fx_model_state(w.model, fxt_node(&w, "a")), "V");
	CU_ASSERT(is_as_fresh(&w, NULL));
}

/* --- nested graphs
 * ------------------------------------------------------------ */

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
	FX_AUTO_LOADED struct fx_loaded loaded = { .graph = NULL };
	struct fx_load_input input = {
		.text = inner_text,
		.length = strlen(inner_text),
		.serial = 77,
	};
	struct fx_module *module = fx_module_new(graph, "Sub");
	bool ok = fxt_ok(fx_open_text(&input, &loaded));

	CU_ASSERT_FATAL(ok);
	module->graph = FX_TAKE(loaded.graph);
	fx_module_add_child(graph->module, "sub", module);
}

static void
nested_graphs_are_taken_back_wholly(void)
{
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w =
		fxt_world_prepared(outer_text, nest);
	struct fxt_random random = fxt_random_seed(5);

	fx_session_add_backend(w.session, fxt_real_backend_new());
	fxt_set(&w, "backend auto");
	start(&w);
	for (size_t i = 0; i < 600; i++) {
		enum fx_move how =
			fxt_random_chance(&random, 15)   ? FX_MOVE_FINISH
			: fxt_random_chance(&random, 70) ? FX_MOVE_STEP
							 : FX_MOVE_NEXT;

		move(&w, how, fxt_random_chance(&random, 45),
			1 + fxt_random_below(&random, 3));
		if (!fx_position_depth(w.model) && !is_as_fresh(&w, NULL)) {
			CU_FAIL("not as fresh");
			return;
		}
	}
}

/* --- sequences
 * ------------------------------------------------------------------------------
 */

static const char *const models[] = {
	in_place,
	two_arms,
	drawing,
	"def forward(self, x : \"f64[2, 3]\"):\n"
	"    a = torch.t(x)\n"
	"    b = a.add_(1)\n"
	"    c = torch.dropout(b, 0.5, True)\n"
	"    d = c.mul_(2)\n"
	"    e = torch.sum(x)\n"
	"    f = d + 1\n"
	"    return (e, f)\n",
	"def forward(self, x : \"f64[4]\", y : \"f64[4]\"):\n"
	"    a = x + y\n"
	"    b = torch.relu_(a)\n"
	"    c = torch.dropout_(b, 0.25, True)\n"
	"    d = a * y\n"
	"    e = y.add_(d)\n"
	"    f = torch.neg(y)\n"
	"    g = torch.dropout(f, 0.5, True)\n"
	"    return (g, e)\n",
	"def forward(self, x : \"f64[2, 2]\"):\n"
	"    a = x.view(4)\n"
	"    b = torch.select(x, 0, 0)\n"
	"    c = b.mul_(2)\n"
	"    d = torch.neg(a)\n"
	"    e = a.add_(d)\n"
	"    f = torch.sum(b)\n"
	"    g = torch.sum(x)\n"
	"    h = f + g\n"
	"    return h\n",
	"def forward(self, x : \"f64[3]\"):\n"
	"    a = torch.dropout(x, 0.5, True)\n"
	"    b = torch.dropout(a, 0.5, True)\n"
	"    c = a - b\n"
	"    d = c.neg_()\n"
	"    e = torch.relu(c)\n"
	"    return e\n",
	"def forward(self, x : \"f64[2, 2]\"):\n"
	"    a = torch.neg(x)\n"
	"    b = torch.relu_(a)\n"
	"    c = torch.neg(x)\n"
	"    d = torch.relu_(c)\n"
	"    e = b + d\n"
	"    f = torch.relu_(e)\n"
	"    return f\n",
	"def forward(self, x : \"f64[2]\", y : \"f64[2]\"):\n"
	"    a = x * y\n"
	"    b = a + x\n"
	"    c = torch.sum(b)\n"
	"    d = b * c\n"
	"    e = torch.neg(d)\n"
	"    return e\n",
	"def forward(self, x : \"f64[2, 2]\"):\n"
	"    a = torch.select(x, 0, 0)\n"
	"    b = torch.select(x, 0, 1)\n"
	"    c = a.add_(b)\n"
	"    d = b.add_(a)\n"
	"    e = torch.dropout_(a, 0.5, True)\n"
	"    f = a + b\n"
	"    return (c, d, e, f)\n",
};

struct walk {
	struct fxt_world *w;
	struct fxt_random random;
	struct overrides overrides;
};

static struct fx_node *
any_node(struct walk *walk)
{
	return fx_graph_at(walk->w->graph,
		fxt_random_below(&walk->random, walk->w->graph->node_count));
}

/* One of a computing node's arguments becomes another node above it. */
static struct fx_error *
edit_argument(struct walk *walk, struct fx_node *node)
{
	struct fx_node *other = any_node(walk);
	struct fx_value args = node->args;
	struct fx_value items[8];
	size_t count = fx_value_item_count(&args);

	if (node->opcode == FX_OPCODE_OUTPUT || !count || count > 8)
		return fx_error_new(FX_ERR_VALUE, "not this one");
	memcpy(items, args.items, count * sizeof(*items));
	items[0] = fx_value_node(other);
	args.items = items;
	return fx_edit_set_args(node,
		fx_value_clone(walk->w->graph->values, &args),
		fx_value_clone(walk->w->graph->values, &node->kwargs));
}

static struct fx_error *
insert(struct walk *walk, struct fx_node *before)
{
	static const struct {
		enum fx_opcode opcode;
		const char *target;
	} kinds[] = {
		{ FX_OPCODE_CALL_FUNCTION, "torch.neg" },
		{ FX_OPCODE_CALL_METHOD, "neg_" },
		{ FX_OPCODE_CALL_FUNCTION, "torch.relu_" },
	};
	size_t which = fxt_random_below(&walk->random, 3);
	struct fx_node *above = fx_graph_previous(before);
	struct fx_value item;
	struct fx_node_spec spec = {
		.opcode = kinds[which].opcode,
		.target = kinds[which].target,
	};
	struct fx_node *made;
	struct fx_error *err;

	if (!above || above->opcode == FX_OPCODE_OUTPUT)
		return fx_error_new(FX_ERR_VALUE, "not here");
	item = fx_value_node(above);
	spec.args = fx_value_sequence(walk->w->graph->values, FX_VALUE_TUPLE,
		&item, 1);
	err = fx_edit_create(walk->w->graph, &spec, before, &made);
	if (!err && before->opcode != FX_OPCODE_OUTPUT &&
		fxt_random_chance(&walk->random, 60)) {
		struct fx_value items[8];
		struct fx_value args = before->args;
		size_t count = fx_value_item_count(&args);

		if (!count || count > 8)
			return NULL;
		memcpy(items, args.items, count * sizeof(*items));
		items[0] = fx_value_node(made);
		args.items = items;
		err = fx_edit_set_args(before,
			fx_value_clone(walk->w->graph->values, &args),
			fx_value_clone(walk->w->graph->values,
				&before->kwargs));
	}
	return err;
}

static void
edit(struct walk *walk)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	struct fxt_world *w = walk->w;
	struct fx_node *node = any_node(walk);
	struct fx_error *err;

	CU_ASSERT_FATAL(fxt_ok(fx_model_edit_begin(w->session, w->model,
		"edit")));
	switch (fxt_random_below(&walk->random, 4)) {
	case 0:
		err = edit_argument(walk, node);
		break;
	case 1:
		err = insert(walk, node);
		break;
	case 2:
		/* What is made up for an input depends on its place. */
		err = node->opcode == FX_OPCODE_PLACEHOLDER
			      ? fx_error_new(FX_ERR_VALUE, "not this one")
			      : fx_edit_move(node, any_node(walk));
		break;
	default:
		err = node->opcode == FX_OPCODE_PLACEHOLDER ||
				      node->opcode == FX_OPCODE_OUTPUT
			      ? fx_error_new(FX_ERR_VALUE, "not this one")
			      : fx_edit_erase(node);
	}
	if (!err)
		err = fx_model_edit_end(w->session, w->model, false, false,
			&report);
	else
		fx_model_edit_abort(w->model);
	fx_error_free(err);
}

static void
set_some_value(struct walk *walk)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	FX_AUTO_FREE char *expression = NULL;
	struct fx_node *node = any_node(walk);
	struct fx_node *from = any_node(walk);

	if (node->opcode == FX_OPCODE_OUTPUT ||
		from->opcode == FX_OPCODE_OUTPUT ||
		walk->overrides.count == FX_ARRAY_LEN(walk->overrides.items))
		return;
	/* A constant, so that a copy can be set alike. */
	expression = fx_xasprintf("%zu", fxt_random_below(&walk->random, 5));
	if (!fxt_ok(fx_model_set_value(walk->w->session, walk->w->model, node,
		    expression, &report)))
		return;
	walk->overrides.items[walk->overrides.count].node = node->id;
	walk->overrides.items[walk->overrides.count++].expression =
		fx_intern(expression);
}

static void
walk_step(struct walk *walk)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	struct fxt_world *w = walk->w;
	size_t count = 1 + fxt_random_below(&walk->random, 4);

	switch (fxt_random_below(&walk->random, 9)) {
	case 0:
	case 1:
		move(w, FX_MOVE_STEP, false, count);
		break;
	case 2:
	case 3:
		move(w, FX_MOVE_STEP, true, count);
		break;
	case 4:
		jump(w, w->model,
			fxt_random_below(&walk->random,
				w->graph->node_count + 1));
		break;
	case 5:
		edit(walk);
		break;
	case 6:
		fx_error_free(fx_model_undo(w->model, 1, &report));
		break;
	case 7:
		fx_error_free(fx_model_redo(w->model, 1, &report));
		break;
	default:
		if (fxt_random_chance(&walk->random, 30))
			set_some_value(walk);
	}
}

static bool
walk_is_sound(uint64_t seed, const char *backend, const char *limit)
{
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w =
		world_new(models[seed % FX_ARRAY_LEN(models)], backend);
	struct walk walk = { .w = &w, .random = fxt_random_seed(seed) };

	if (limit)
		fxt_set(&w, limit);
	start(&w);
	for (size_t i = 0; i < 14; i++) {
		walk_step(&walk);
		if (!is_as_fresh(&w, &walk.overrides)) {
			CU_FAIL("not as fresh");
			fxt_same(fx_intern_format("seed %llu step %zu",
					 (unsigned long long)seed, i),
				"sound");
			return false;
		}
	}
	return true;
}

static void
values_are_those_of_a_fresh_run_after_any_sequence(void)
{
	for (uint64_t seed = 0; seed < 2000; seed++)
		if (!walk_is_sound(seed, "real", NULL))
			return;
}

static void
so_they_are_when_values_are_dropped(void)
{
	for (uint64_t seed = 0; seed < 600; seed++)
		if (!walk_is_sound(seed + 5000, "real", "record limit 100"))
			return;
}

/* Whether there is a libtorch to run on. */
static bool
has_torch(void)
{
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w =
		world_new(models[0], "torch");
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };
	FX_AUTO_ERROR struct fx_error *err =
		fx_position_start(w.session, w.model, &stop);

	return !err;
}

static void
so_they_are_on_libtorch(void)
{
	if (!has_torch())
		FXT_SKIP("no libtorch");
	for (uint64_t seed = 0; seed < 200; seed++)
		if (!walk_is_sound(seed, "torch", NULL) ||
			!walk_is_sound(seed + 9000, "torch",
				"record limit 100"))
			return;
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(going_back_over_a_write_restores_the_bytes),
		FXT_CASE(going_back_executes_no_operator),
		FXT_CASE(a_value_left_out_is_of_its_own_time),
		FXT_CASE(erasing_a_write_makes_its_readers_dirty),
		FXT_CASE(only_what_depends_on_a_set_value_runs_again),
		FXT_CASE(unsetting_a_value_brings_the_result_back),
		FXT_CASE(running_again_draws_the_same_numbers),
		FXT_CASE(a_draw_that_is_gone_moves_the_later_ones),
		FXT_CASE(a_node_that_fails_is_a_stop_and_back_works),
		FXT_CASE(values_beyond_the_limit_are_computed_again),
		FXT_CASE(nested_graphs_are_taken_back_wholly),
		FXT_CASE(values_are_those_of_a_fresh_run_after_any_sequence),
		FXT_CASE(so_they_are_when_values_are_dropped),
		FXT_CASE(so_they_are_on_libtorch),
	};

	return fxt_run("timeline", cases, FX_ARRAY_LEN(cases));
}
