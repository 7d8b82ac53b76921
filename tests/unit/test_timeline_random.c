/* test_timeline_random.c - random sequences of steps, back and onwards, edits,
 * undo, redo, set value and goto: values are always those of a fresh run.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/journal.h"
#include "ir/value_walk.h"
#include "tests/support/random_graph.h"
#include "tests/support/run_world.h"
#include "tests/support/torch_side.h"
#include "tests/support/unit.h"

static const char *const models[] = {
	fxt_text_in_place,
	fxt_text_two_arms,
	fxt_text_drawing,
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
	"def forward(self, x : \"f64[2, 2]\"):\n"
	"    a = torch.dropout(x, 0.5, True)\n"
	"    b = torch.select(a, 0, 0)\n"
	"    c = torch.t(a)\n"
	"    d = b.add_(1)\n"
	"    e = torch.neg(a)\n"
	"    f = c.mul_(2)\n"
	"    return (a, d, e, f)\n",
};

struct walk {
	struct fxt_world *w;
	struct fxt_random random;
	struct fxt_overrides overrides;
	struct fx_map hashes; /* time + 1 -> text of the graph's hash */
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
		err = fx_model_edit_end(w->model, false, false, &report);
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

	switch (fxt_random_below(&walk->random, 10)) {
	case 0:
	case 1:
		fxt_move(w, FX_MOVE_STEP, false, count);
		break;
	case 2:
	case 3:
		fxt_move(w, FX_MOVE_STEP, true, count);
		break;
	case 4:
		fxt_jump(w, w->model,
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
	case 8:
		fx_error_free(fx_model_goto_time(w->model,
			(uint32_t)fxt_random_below(&walk->random, 4), &report));
		break;
	default:
		if (fxt_random_chance(&walk->random, 30))
			set_some_value(walk);
	}
}

/* Whether the graph is what it was at this time, if it was there before. */
static bool
is_same_graph(struct walk *walk)
{
	struct fx_graph *graph = walk->w->graph;
	uintptr_t time = (uintptr_t)fx_journal_now(graph) + 1;
	const char *before;
	const char *now;
	char text[33];

	fx_hash_text(fx_graph_hash(graph), text);
	now = fx_intern(text);
	before = (const char *)fx_map_get(&walk->hashes, time, 0);
	fx_map_set(&walk->hashes, time, (uintptr_t)now);
	return !before || fxt_same(now, before);
}

static bool
walk_is_sound(uint64_t seed, const char *backend, const char *limit)
{
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w =
		fxt_run_world(models[seed % FX_ARRAY_LEN(models)], backend,
			NULL);
	struct walk walk = { .w = &w, .random = fxt_random_seed(seed) };

	if (limit)
		fxt_set(&w, limit);
	fxt_start(&w);
	for (size_t i = 0; i < 14; i++) {
		/* Looking brings back what was dropped. */
		bool looks = !limit || i == 13 ||
			     fxt_random_chance(&walk.random, 30);

		walk_step(&walk);
		if (!is_same_graph(&walk) ||
			(looks && !fxt_is_as_fresh(&w, &walk.overrides))) {
			CU_FAIL("not as fresh");
			fxt_same(fx_intern_format("seed %llu step %zu",
					 (unsigned long long)seed, i),
				"sound");
			fx_map_deinit(&walk.hashes);
			return false;
		}
	}
	fx_map_deinit(&walk.hashes);
	return true;
}

static void
values_are_those_of_a_fresh_run_after_any_sequence(void)
{
	for (uint64_t seed = 0; seed < fxt_part(2500); seed++)
		if (!walk_is_sound(seed, "real", NULL))
			return;
}

static void
so_they_are_when_values_are_dropped(void)
{
	for (uint64_t seed = 0; seed < fxt_part(2500); seed++)
		if (!walk_is_sound(seed + 5000, "real", "record limit 100") ||
			!walk_is_sound(seed + 6000, "real",
				"record values off"))
			return;
}

static void
so_they_are_on_libtorch(void)
{
	if (!fxt_has_torch())
		FXT_SKIP("no libtorch");
	for (uint64_t seed = 0; seed < fxt_part(200); seed++)
		if (!walk_is_sound(seed, "torch", NULL) ||
			!walk_is_sound(seed + 9000, "torch",
				"record limit 100") ||
			!walk_is_sound(seed + 9500, "torch",
				"record values off"))
			return;
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(values_are_those_of_a_fresh_run_after_any_sequence),
		FXT_CASE(so_they_are_when_values_are_dropped),
		FXT_CASE(so_they_are_on_libtorch),
	};

	return fxt_run("timeline random", cases, FX_ARRAY_LEN(cases));
}
