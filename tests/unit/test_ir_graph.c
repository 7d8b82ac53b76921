/* test_ir_graph.c - values, building a graph, order, annotations, modules. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/note.h"
#include "ir/order.h"
#include "ir/tensor_meta.h"
#include "ir/value_walk.h"
#include "ir/verify.h"
#include "tests/support/append.h"
#include "tests/support/clock.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit.h"

static struct fx_node *
placeholder(struct fx_graph *graph, const char *name)
{
	return fxt_append(graph, FX_OPCODE_PLACEHOLDER, name, NULL, NULL);
}

static void
values_are_equal_when_their_texts_are(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	const struct fx_value one = fx_value_int(1);
	const struct fx_value truth = fx_value_bool(true);
	const struct fx_value nan_a = fx_value_float((double)NAN);
	const struct fx_value nan_b = fx_value_float((double)-NAN);
	const struct fx_value zero = fx_value_float(0.0);
	const struct fx_value minus = fx_value_float(-0.0);
	const struct fx_value list =
		fx_value_sequence(arena, FX_VALUE_LIST, &one, 1);
	const struct fx_value tuple =
		fx_value_sequence(arena, FX_VALUE_TUPLE, &one, 1);
	const struct fx_value odd = fx_value_string_n(arena, "a\0b", 3);
	const struct fx_value same = fx_value_string_n(arena, "a\0b", 3);
	const struct fx_value other = fx_value_string_n(arena, "a\0c", 3);

	CU_ASSERT_FALSE(fx_value_equal(&one, &truth));
	CU_ASSERT(fx_value_equal(&nan_a, &nan_b));
	CU_ASSERT_FALSE(fx_value_equal(&zero, &minus));
	CU_ASSERT_FALSE(fx_value_equal(&list, &tuple));
	CU_ASSERT(fx_value_equal(&odd, &same));
	CU_ASSERT_FALSE(fx_value_equal(&odd, &other));
}

static void
a_clone_is_equal_and_lives_elsewhere(void)
{
	struct fxt_random random = fxt_random_seed(3);
	FX_AUTO_ARENA struct fx_arena *to = fx_arena_new();

	for (int i = 0; i < 500; i++) {
		struct fx_arena *from = fx_arena_new();
		struct fx_value value =
			fxt_random_value(&random, from, 4, false);
		struct fx_value copy = fx_value_clone(to, &value);

		CU_ASSERT(fx_value_equal(&value, &copy));
		FXT_IS(fx_value_depth(&copy), <=, 4);
		fx_arena_free(from);
		CU_ASSERT(fx_value_equal(&copy, &copy));
	}
}

static void
replacing_a_node_rebuilds_only_what_has_it(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_node *x = placeholder(graph, "x");
	struct fx_node *y = placeholder(graph, "y");
	const struct fx_value two = fx_value_int(2);
	struct fx_value items[3] = { fx_value_node(x) };
	struct fx_value result;
	struct fx_value tuple;
	size_t count = 0;

	items[1] = fx_value_sequence(graph->values, FX_VALUE_LIST, &two, 1);
	items[2] = fx_value_slice(graph->values, fx_value_none(),
		fx_value_node(x), fx_value_node(y));
	tuple = fx_value_sequence(graph->values, FX_VALUE_TUPLE, items, 3);
	result = fx_value_replace_node(graph->values, &tuple, x, &two, &count);
	FXT_EQ(count, 2);
	FXT_EQ(result.items[0].kind, FX_VALUE_INT);
	FXT_EQ(result.items[1].items, items[1].items);
	FXT_EQ(result.items[2].items[1].integer, 2);
	FXT_EQ(result.items[2].items[2].node, y);
	/* The old value is as it was. */
	FXT_EQ(tuple.items[0].node, x);
	FXT_EQ(tuple.items[2].items[1].node, x);
	result = fx_value_replace_node(graph->values, &tuple,
		graph->root.next->next, &two, &count);
	FXT_EQ(count, 3);
	fx_graph_free(graph);
}

/* Bytes a node of two arguments takes in a graph of COUNT. */
static double
bytes_a_node(size_t count)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_node *x = placeholder(graph, "x");
	struct fx_node *last = x;
	double bytes;

	for (size_t i = 1; i < count; i++)
		last = fxt_call(graph, "operator.add", last, x);
	bytes = (double)fx_graph_memory(graph) / (double)count;
	fx_graph_free(graph);
	return bytes;
}

static void
a_node_of_two_arguments_takes_under_300_bytes(void)
{
	/* In all: node, arguments, edges, and its share of the table of names,
	 * which doubles in steps; hence a mean over the sizes between two.
	 */
	static const size_t counts[] = { 70000, 84000, 100000, 119000 };
	double sum = 0;

	for (size_t i = 0; i < FX_ARRAY_LEN(counts); i++)
		sum += bytes_a_node(counts[i]);
#if defined(FX_SANITIZERS) || defined(__SANITIZE_ADDRESS__)
	/* Arenas leave red zones between allocations. */
	sum /= 2;
#endif
	FXT_IS(sum / FX_ARRAY_LEN(counts), <, 300);
}

static void
nodes_are_found_by_name_id_and_position(void)
{
	struct fx_graph *graph = fx_graph_new(7);
	struct fx_node *x = placeholder(graph, "x");
	struct fx_node *a = fxt_call(graph, "torch.relu", x, NULL);
	struct fx_node *b = fxt_call(graph, "torch.relu", a, x);

	FXT_SAME(b->name, "relu_1");
	FXT_EQ(a->id >> 32, 7);
	FXT_EQ(fx_graph_find(graph, "relu_1"), b);
	CU_ASSERT_PTR_NULL(fx_graph_find(graph, "never seen"));
	FXT_EQ(fx_graph_find_id(graph, a->id), a);
	CU_ASSERT_PTR_NULL(fx_graph_find_id(graph, a->id + 100));
	CU_ASSERT_PTR_NULL(fx_graph_find_id(graph, 0));
	FXT_EQ(fx_graph_at(graph, 1), a);
	CU_ASSERT_PTR_NULL(fx_graph_at(graph, 3));
	FXT_EQ(fx_graph_position(graph, b), 2);
	FXT_EQ(fx_node_input_count(b), 2);
	FXT_EQ(fx_node_input(b, 0), a);
	CU_ASSERT_PTR_NULL(fx_graph_output(graph));
	fx_graph_free(graph);
}

static void
a_node_used_twice_is_one_input(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_node *x = placeholder(graph, "x");
	struct fx_node *a = fxt_call(graph, "operator.add", x, x);

	FXT_EQ(a->use_count, 1);
	FXT_EQ(x->user_count, 1);
	FXT_EQ(x->first_user->user, a);
	FXT_OK(fx_verify_error(graph));
	fx_graph_free(graph);
}

static void
a_call_with_ten_thousand_inputs_is_linear(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	static struct fx_value items[10000];
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.cat" };
	struct fx_node *cat;

	for (size_t i = 0; i < FX_ARRAY_LEN(items); i++)
		items[i] = fx_value_node(placeholder(graph, "x"));
	spec.args = fx_value_sequence(graph->values, FX_VALUE_LIST, items,
		FX_ARRAY_LEN(items));
	spec.args =
		fx_value_sequence(graph->values, FX_VALUE_TUPLE, &spec.args, 1);
	cat = fx_graph_append(graph, &spec);
	FXT_EQ(cat->use_count, FX_ARRAY_LEN(items));
	FXT_EQ(fx_node_input(cat, 9999), items[9999].node);
	FXT_OK(fx_verify_error(graph));
	fx_graph_free(graph);
}

static void
insertion_at_one_spot_stays_fast(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_node *x = placeholder(graph, "x");
	struct fx_node *end = fxt_call(graph, "torch.relu", x, NULL);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_GET_ATTR,
		.target = "w" };
	struct fx_node *at;
	double start = fxt_seconds(CLOCK_MONOTONIC);
	size_t count = 1;

	/* Before a fixed node, after a fixed node, and at the very front. */
	for (int i = 0; i < 100000; i++)
		FXT_OK(fx_edit_create(graph, &spec, end, NULL));
	for (int i = 0; i < 50000; i++)
		FXT_OK(fx_edit_create(graph, &spec, x->next, NULL));
	for (int i = 0; i < 50000; i++)
		FXT_OK(fx_edit_create(graph, &spec, fx_graph_first(graph),
			NULL));
	FXT_IS(fxt_seconds(CLOCK_MONOTONIC) - start, <,
		10); /* sanitized, on a busy machine */
	for (at = fx_graph_first(graph); fx_graph_next(at);
		at = fx_graph_next(at), count++)
		if (!fx_node_is_before(at, fx_graph_next(at)))
			break;
	FXT_EQ(count, 200002);
	fx_graph_free(graph);
}

/* x -> a -> b -> d, x -> c -> d */
struct diamond {
	struct fx_graph *graph;
	struct fx_node *x, *a, *b, *c, *d;
};

static struct diamond
new_diamond(void)
{
	struct diamond d = { .graph = fx_graph_new(1) };

	d.x = placeholder(d.graph, "x");
	d.a = fxt_call(d.graph, "torch.relu", d.x, NULL);
	d.b = fxt_call(d.graph, "torch.neg", d.a, NULL);
	d.c = fxt_call(d.graph, "torch.abs", d.x, NULL);
	d.d = fxt_call(d.graph, "torch.add", d.b, d.c);
	return d;
}

static void
dependencies_are_direct_or_not(void)
{
	struct diamond d = new_diamond();

	CU_ASSERT(fx_order_depends(d.d, d.x));
	CU_ASSERT(fx_order_depends(d.b, d.a));
	CU_ASSERT_FALSE(fx_order_depends(d.c, d.a));
	CU_ASSERT_FALSE(fx_order_depends(d.a, d.d));
	CU_ASSERT_FALSE(fx_order_depends(d.a, d.a));
	fx_graph_free(d.graph);
}

static void
check_cone(struct fx_node *node, bool up, int depth, const char *expected)
{
	size_t *positions;
	size_t count;
	char text[16] = "";

	fx_order_cone(node, up, depth, &positions, &count);
	FXT_IS_FATAL(count, <, sizeof(text));
	for (size_t i = 0; i < count; i++)
		text[i] = (char)('0' + positions[i]);
	FXT_SAME(text, expected);
	free(positions);
}

static void
cones_go_as_far_as_asked(void)
{
	struct diamond d = new_diamond();

	check_cone(d.d, true, -1, "01234");
	check_cone(d.d, true, 1, "234");
	check_cone(d.d, true, 0, "4");
	check_cone(d.x, false, 1, "013");
	check_cone(d.a, false, -1, "124");
	fx_graph_free(d.graph);
}

static void
the_shortest_path_is_found(void)
{
	struct diamond d = new_diamond();
	struct fx_node **nodes;
	size_t count;

	fx_order_path(d.x, d.d, &nodes, &count);
	FXT_EQ_FATAL(count, 3);
	CU_ASSERT(nodes[0] == d.x && nodes[1] == d.c && nodes[2] == d.d);
	free(nodes);
	fx_order_path(d.c, d.b, &nodes, &count);
	FXT_EQ(count, 0);
	fx_graph_free(d.graph);
}

static void
sources_and_scopes_are_shared(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	const struct fx_source_frame frame = {
		.file = "m.py", .function = "f", .text = "y = x", .line = 3
	};
	struct fx_source_frame other = frame;
	const struct fx_scope *outer = fx_graph_scope(graph, NULL, "a", "A");

	other.line = 4;
	FXT_EQ(fx_graph_source(graph, &frame, 1),
		fx_graph_source(graph, &frame, 1));
	FXT_IS(fx_graph_source(graph, &frame, 1), !=,
		fx_graph_source(graph, &other, 1));
	FXT_EQ(fx_graph_scope(graph, outer, "a.b", "B"),
		fx_graph_scope(graph, outer, "a.b", "B"));
	FXT_IS(fx_graph_scope(graph, NULL, "a.b", "B"), !=,
		fx_graph_scope(graph, outer, "a.b", "B"));
	fx_graph_free(graph);
}

static void
notes_are_kept_in_their_order(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_node *x = placeholder(graph, "x");
	const char *key;
	const char *text;

	fx_graph_set_note(x, "why", "because");
	fx_graph_set_note(x, "todo", "later");
	fx_graph_set_note(x, "why", "for a reason");
	FXT_EQ(x->note_count, 2);
	CU_ASSERT(fx_graph_note_at(x, 0, &key, &text));
	FXT_SAME(key, "why");
	FXT_SAME(text, "for a reason");
	CU_ASSERT(fx_graph_note_at(x, 1, &key, &text));
	FXT_SAME(key, "todo");
	fx_graph_set_note(x, "why", NULL);
	CU_ASSERT(fx_graph_note_at(x, 0, &key, &text));
	FXT_SAME(key, "todo");
	CU_ASSERT_FALSE(fx_graph_note_at(x, 1, &key, &text));
	fx_graph_set_note(x, "todo", NULL);
	FXT_EQ(x->note_count, 0);
	fx_graph_free(graph);
}

static void
metadata_is_copied(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_node *x = placeholder(graph, "x");
	struct fx_arena *arena = fx_arena_new();
	const int64_t sizes[2] = { 2, 3 };
	struct fx_value meta =
		fx_tensor_meta_ints(arena, FX_DTYPE_F32, sizes, 2);

	fx_graph_set_meta(x, &meta);
	fx_arena_free(arena);
	FXT_EQ(x->meta->tensor->rank, 2);
	FXT_EQ(x->meta->tensor->sizes[1].integer, 3);
	fx_graph_set_meta(x, NULL);
	CU_ASSERT_PTR_NULL(x->meta);
	fx_graph_free(graph);
}

static void
modules_are_walked_and_found(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_module *a = fx_module_new(graph, "my.A");
	struct fx_module *b = fx_module_new(graph, "my.B");
	const int64_t sizes[2] = { 4, 5 };
	struct fx_tensor *w =
		fx_tensor_new(graph, FX_DTYPE_F32, sizes, 2, NULL);
	struct fx_module_walk *walk;
	struct fx_module *at;
	const char *path;
	int count = 0;

	fx_module_add_child(graph->module, "a", a);
	fx_module_add_child(a, "b", b);
	fx_module_add_child(graph->module, "again", b);
	fx_module_add_tensor(b, "w", w);
	fx_module_add_tensor(a, "tied", w);
	FXT_EQ(fx_module_find(graph->module, ""), graph->module);
	FXT_EQ(fx_module_find(graph->module, "a.b"), b);
	CU_ASSERT_PTR_NULL(fx_module_find(graph->module, "a.b.w"));
	CU_ASSERT_PTR_NULL(fx_module_find(graph->module, "a."));
	FXT_EQ(fx_module_find_tensor(graph->module, "again.w"), w);
	CU_ASSERT_PTR_NULL(fx_module_find_tensor(graph->module, "a.b"));
	FXT_EQ(fx_module_parameter_count(graph->module), 20);
	FXT_SAME(fx_class_short_name(b->class_name), "B");
	for (int once = 0; once < 2; once++) {
		walk = fx_module_walk_new(graph->module, once);
		while (fx_module_walk_next(walk, &at, &path))
			count++;
		fx_module_walk_free(walk);
	}
	FXT_EQ(count, 4 + 3);
	fx_graph_free(graph);
}

static void
a_module_of_many_members_is_still_searched_fast(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_module *child = fx_module_new(graph, "my.A");
	double start = fxt_seconds(CLOCK_MONOTONIC);

	for (int i = 0; i < 50000; i++)
		fx_module_add_child(graph->module, fx_intern_format("m%d", i),
			child);
	for (int i = 0; i < 50000; i++)
		FXT_EQ(fx_module_find(graph->module,
			       fx_intern_format("m%d", i)),
			child);
	FXT_IS(fxt_seconds(CLOCK_MONOTONIC) - start, <, 5);
	fx_graph_free(graph);
}

static void
random_graphs_are_sound_and_repeat(void)
{
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct fxt_graph_options options = { .seed = seed,
			.only_python = seed % 2 == 0,
			.no_modules = seed % 5 == 0 };
		struct fx_graph *graph = fxt_random_graph(&options);

		FXT_OK(fx_verify_error(graph));
		fx_graph_free(graph);
	}
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(values_are_equal_when_their_texts_are),
		FXT_CASE(a_clone_is_equal_and_lives_elsewhere),
		FXT_CASE(replacing_a_node_rebuilds_only_what_has_it),
		FXT_CASE(a_node_of_two_arguments_takes_under_300_bytes),
		FXT_CASE(nodes_are_found_by_name_id_and_position),
		FXT_CASE(a_node_used_twice_is_one_input),
		FXT_CASE(a_call_with_ten_thousand_inputs_is_linear),
		FXT_CASE(insertion_at_one_spot_stays_fast),
		FXT_CASE(dependencies_are_direct_or_not),
		FXT_CASE(cones_go_as_far_as_asked),
		FXT_CASE(the_shortest_path_is_found),
		FXT_CASE(sources_and_scopes_are_shared),
		FXT_CASE(notes_are_kept_in_their_order),
		FXT_CASE(metadata_is_copied),
		FXT_CASE(modules_are_walked_and_found),
		FXT_CASE(a_module_of_many_members_is_still_searched_fast),
		FXT_CASE(random_graphs_are_sound_and_repeat),
	};

	return fxt_run("ir graph", cases, FX_ARRAY_LEN(cases));
}
