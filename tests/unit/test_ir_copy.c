/* test_ir_copy.c - hashes, clones and differences. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/intern.h"
#include "ir/clone.h"
#include "ir/diff.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/module.h"
#include "ir/note.h"
#include "ir/pair.h"
#include "ir/verify.h"
#include "tests/support/append.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit.h"

static struct fx_graph *
random_graph(uint64_t seed)
{
	const struct fxt_graph_options options = { .seed = seed };

	return fxt_random_graph(&options);
}

static bool
same_hash(struct fx_graph *a, struct fx_graph *b)
{
	return fx_hash_equal(fx_graph_hash(a), fx_graph_hash(b));
}

static bool
same_text(struct fx_graph *a, struct fx_graph *b)
{
	return fx_hash_equal(fx_graph_text_hash(a), fx_graph_text_hash(b));
}

static void
equal_graphs_have_equal_hashes(void)
{
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct fx_graph *a = random_graph(seed);
		struct fx_graph *b = random_graph(seed);
		struct fx_graph *c = random_graph(seed + 1000);

		CU_ASSERT(same_hash(a, b));
		CU_ASSERT(same_text(a, b));
		CU_ASSERT_FALSE(same_hash(a, c));
		CU_ASSERT_FALSE(same_text(a, c));
		fx_graph_free(a);
		fx_graph_free(b);
		fx_graph_free(c);
	}
}

static void
the_hash_is_the_same_everywhere(void)
{
	struct fx_graph *graph = fx_graph_new(9);
	const struct fx_value args[2] = { fx_value_int(-3),
		fx_value_string("s") };
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = "x" };
	char text[33];

	fx_graph_append(graph, &spec);
	spec = (struct fx_node_spec){ .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.relu",
		.args = fx_value_sequence(graph->values, FX_VALUE_TUPLE, args,
			2) };
	fx_graph_append(graph, &spec);
	/* Files keep these: a change of format needs a new version. */
	fx_hash_text(fx_graph_hash(graph), text);
	FXT_SAME(text, "4cd9d9a4493982fe73b682809289a9a5");
	fx_hash_text(fx_graph_text_hash(graph), text);
	FXT_SAME(text, "4987abaf863009593ddebc5db5f7022c");
	fx_graph_free(graph);
}

static void
ids_notes_and_metadata_do_not_count(void)
{
	struct fx_graph *a = random_graph(4);
	struct fx_graph *b = fx_graph_clone(a, 99, NULL);
	const struct fx_value meta = fx_value_int(3);

	fx_graph_set_note(fx_graph_first(b), "why", "not");
	fx_graph_set_meta(fx_graph_first(b), &meta);
	b->name = fx_intern("another");
	CU_ASSERT(same_hash(a, b));
	fx_graph_free(a);
	fx_graph_free(b);
}

/* Change one thing; the graph hash differs, the text hash as told. */
static void
check_change(void (*change)(struct fx_graph *), bool changes_text)
{
	struct fx_graph *a = random_graph(12);
	struct fx_graph *b = random_graph(12);

	change(b);
	CU_ASSERT_FALSE(same_hash(a, b));
	FXT_EQ(same_text(a, b), !changes_text);
	fx_graph_free(a);
	fx_graph_free(b);
}

static void
change_type(struct fx_graph *graph)
{
	FXT_OK(fx_edit_set_type(fx_graph_first(graph), "my.Type"));
}

static void
change_name(struct fx_graph *graph)
{
	FXT_OK(fx_edit_set_name(fx_graph_first(graph), "renamed"));
}

static void
change_training(struct fx_graph *graph)
{
	graph->module->members[0].child->training ^= true;
}

static void
change_weight(struct fx_graph *graph)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, true);
	struct fx_module *at;
	const char *path;
	struct fx_storage *found = NULL;

	while (fx_module_walk_next(walk, &at, &path))
		for (size_t i = 0; i < at->member_count; i++)
			if (at->members[i].tensor &&
				at->members[i].tensor->storage)
				found = at->members[i].tensor->storage;
	fx_module_walk_free(walk);
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	*(char *)fx_blob_data(found->blob) ^= 1;
}

static void
change_order(struct fx_graph *graph)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = "late" };
	struct fx_node *node;

	FXT_OK(fx_edit_create(graph, &spec, fx_graph_first(graph), &node));
	FXT_OK(fx_edit_move(node, NULL));
}

/* They have a digest of their own: a graph is the same before and after its
 * weights were fetched.
 */
static void
what_weights_hold_does_not_count(void)
{
	struct fx_graph *a = random_graph(12);
	struct fx_graph *b = random_graph(12);

	change_weight(b);
	CU_ASSERT(same_hash(a, b));
	fx_graph_free(a);
	fx_graph_free(b);
}

static void
what_counts_changes_the_hash(void)
{
	check_change(change_type, false);
	check_change(change_name, true);
	check_change(change_training, false);
	check_change(change_order, true);
}

static void
sharing_counts(void)
{
	struct fx_graph *a = fx_graph_new(1);
	struct fx_graph *b = fx_graph_new(1);
	struct fx_module *shared = fx_module_new(a, "my.A");

	fx_module_add_child(a->module, "p", shared);
	fx_module_add_child(a->module, "q", shared);
	fx_module_add_child(b->module, "p", fx_module_new(b, "my.A"));
	fx_module_add_child(b->module, "q", fx_module_new(b, "my.A"));
	CU_ASSERT_FALSE(same_hash(a, b));
	fx_graph_free(a);
	fx_graph_free(b);
}

static void
check_users(const struct fx_node *a, const struct fx_node *b)
{
	struct fx_use *mine = a->first_user;
	struct fx_use *use;

	FXT_EQ(a->user_count, b->user_count);
	fx_node_for_each_user (use, b) {
		CU_ASSERT_PTR_NOT_NULL_FATAL(mine);
		FXT_EQ(mine->user->name, use->user->name);
		mine = mine->next;
	}
}

static void
a_clone_has_everything(void)
{
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct fx_graph *a = random_graph(seed);
		struct fx_graph *b;
		struct fx_node *node;
		struct fx_node *mine;

		/* Users in an order that appending does not give. */
		node = fx_graph_last(a);
		FXT_OK(fx_edit_set_args(node->previous, node->previous->args,
			node->previous->kwargs));
		b = fx_graph_clone(a, 2, NULL);
		FXT_OK(fx_verify_error(b));
		CU_ASSERT(same_hash(a, b));
		mine = fx_graph_first(b);
		fx_graph_for_each_node (node, a) {
			check_users(mine, node);
			FXT_EQ(mine->note_count, node->note_count);
			FXT_EQ(!mine->meta, !node->meta);
			FXT_EQ(mine->id >> 32, 2);
			mine = fx_graph_next(mine);
		}
		FXT_SAME(fxt_next_name(&b->names, "y"),
			fxt_next_name(&a->names, "y"));
		fx_graph_free(a);
		/* It stands alone. */
		FXT_OK(fx_verify_error(b));
		fx_graph_text_hash(b);
		fx_graph_free(b);
	}
}

/* A graph as the module "inner" of GRAPH, the NUMBERth within all of it. */
static struct fx_graph *
add_inner(struct fx_graph *graph, uint32_t number)
{
	struct fx_module *module = fx_module_new(graph, "GraphModule");
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = "x" };

	module->graph = fx_graph_new((graph->serial & 0xffff) + (number << 16));
	fx_module_add_child(graph->module, "inner", module);
	fx_graph_append(module->graph, &spec);
	return module->graph;
}

static struct fx_graph *
inner_of(struct fx_graph *graph)
{
	return fx_module_find(graph->module, "inner")->graph;
}

static void
ids_differ_in_the_graphs_of_a_clone(void)
{
	struct fx_graph *a = random_graph(1);
	struct fx_graph *b;
	struct fx_graph *c;

	add_inner(add_inner(a, 1), 2);
	b = fx_graph_clone(a, 9, NULL);
	c = inner_of(b);
	FXT_EQ(fx_graph_first(b)->id >> 32, 9);
	FXT_EQ(fx_graph_first(c)->id >> 32, (1 << 16) + 9);
	FXT_EQ(fx_graph_first(inner_of(c))->id >> 32, (2 << 16) + 9);
	fx_graph_free(a);
	fx_graph_free(b);
}

static void
values_are_brought_in(void)
{
	struct fx_graph *a = random_graph(1);
	struct fx_map map = { 0 };
	struct fx_graph *b = fx_graph_clone(a, 2, &map);
	struct fx_value items[2] = { fx_value_node(fx_graph_first(a)),
		fx_value_node(NULL) };
	struct fx_graph *c = random_graph(2);
	struct fx_value value;

	items[1].node = fx_graph_first(c); /* not in the map */
	value = fx_value_sequence(a->values, FX_VALUE_LIST, items, 2);
	value = fx_graph_import(b, &value, &map);
	FXT_EQ(value.items[0].node, fx_graph_first(b));
	FXT_EQ(value.items[1].kind, FX_VALUE_NONE);
	fx_map_deinit(&map);
	fx_graph_free(a);
	fx_graph_free(b);
	fx_graph_free(c);
}

static void
add_row(struct fx_buf *out, const struct fx_change *row)
{
	static const char letters[] = { '+', '-', '~', '=', '>', ' ' };
	const struct fx_node *node = row->after ? row->after : row->before;

	fx_buf_addf(out, "%c%s\n", letters[row->kind], node->name);
}

/* a, b, c, d: each uses x only. */
static struct fx_graph *
four(void)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = "x" };
	struct fx_value x = fx_value_node(fx_graph_append(graph, &spec));

	spec.opcode = FX_OPCODE_CALL_FUNCTION;
	spec.target = "torch.relu";
	for (size_t i = 0; i < FX_ARRAY_LEN(names); i++) {
		spec.name = names[i];
		spec.args =
			fx_value_sequence(graph->values, FX_VALUE_TUPLE, &x, 1);
		fx_graph_append(graph, &spec);
	}
	return graph;
}

static void
a_diff_shows_what_came_went_moved_and_changed(void)
{
	struct fx_graph *a = four();
	struct fx_graph *b = four();
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.neg" };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_PAIRS struct fx_pairs pairs = { .counts = { 0 } };
	struct fx_change *rows;
	size_t count;

	FXT_OK(fx_edit_erase(fx_graph_find(b, "b")));
	FXT_OK(fx_edit_move(fx_graph_find(b, "d"), fx_graph_find(b, "a")));
	FXT_OK(fx_edit_set_target(fx_graph_find(b, "c"), "torch.abs"));
	FXT_OK(fx_edit_create(b, &spec, NULL, NULL));
	fx_pairs_make(a, b, NULL, &pairs);
	fx_graph_diff(&pairs, &rows, &count);
	for (size_t i = 0; i < count; i++)
		add_row(&text, &rows[i]);
	FXT_SAME(fx_buf_text(&text), " x\n>d\n a\n-b\n~c\n+neg\n");
	free(rows);
	fx_graph_free(a);
	fx_graph_free(b);
}

static void
equal_graphs_do_not_differ(void)
{
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct fx_graph *a = random_graph(seed);
		struct fx_graph *b = fx_graph_clone(a, 2, NULL);
		FX_AUTO_PAIRS struct fx_pairs pairs = { .counts = { 0 } };
		struct fx_change *rows;
		size_t count;

		fx_pairs_make(a, b, NULL, &pairs);
		fx_graph_diff(&pairs, &rows, &count);
		FXT_EQ(count, a->node_count);
		for (size_t i = 0; i < count; i++)
			FXT_EQ(rows[i].kind, FX_CHANGE_SAME);
		free(rows);
		fx_graph_free(a);
		fx_graph_free(b);
	}
}

static void
a_long_chain_is_freed_without_recursion(void)
{
	struct fx_graph *graph = fxt_chain(200000);

	fx_graph_free(fx_graph_clone(graph, 2, NULL));
	fx_graph_free(graph);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(equal_graphs_have_equal_hashes),
		FXT_CASE(the_hash_is_the_same_everywhere),
		FXT_CASE(ids_notes_and_metadata_do_not_count),
		FXT_CASE(what_counts_changes_the_hash),
		FXT_CASE(what_weights_hold_does_not_count),
		FXT_CASE(sharing_counts),
		FXT_CASE(a_clone_has_everything),
		FXT_CASE(ids_differ_in_the_graphs_of_a_clone),
		FXT_CASE(values_are_brought_in),
		FXT_CASE(a_diff_shows_what_came_went_moved_and_changed),
		FXT_CASE(equal_graphs_do_not_differ),
		FXT_CASE(a_long_chain_is_freed_without_recursion),
	};

	return fxt_run("ir copy", cases, FX_ARRAY_LEN(cases));
}
