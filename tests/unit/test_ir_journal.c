/* test_ir_journal.c - transactions, the tree they form, and compaction. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/intern.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/verify.h"
#include "tests/support/append.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit.h"

/* x -> relu, journal open */
static struct fx_graph *
new_graph(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_node *x =
		fxt_append(graph, FX_OPCODE_PLACEHOLDER, "x", NULL, NULL);

	fxt_call(graph, "torch.relu", x, NULL);
	fx_journal_open(graph, "load test");
	return graph;
}

/* One transaction that adds a node NAME. */
static struct fx_node *
insert(struct fx_graph *graph, const char *name)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.neg",
		.name = name,
		.args = fxt_args(graph, fx_graph_first(graph), NULL) };
	struct fx_node *node = NULL;

	fx_journal_begin(graph, fx_intern_format("insert %s", name));
	FXT_OK(fx_edit_create(graph, &spec, NULL, &node));
	FXT_OK(fx_journal_commit(graph, NULL));
	return node;
}

static void
an_empty_transaction_leaves_no_trace(void)
{
	struct fx_graph *graph = new_graph();

	fx_journal_begin(graph, "nothing");
	FXT_OK(fx_journal_commit(graph, NULL));
	FXT_EQ(fx_journal_count(graph), 1);
	FXT_EQ(fx_journal_now(graph), 0);
	CU_ASSERT_FALSE(fx_journal_is_open(graph));
	FXT_FAILS(fx_journal_commit(graph, NULL), FX_ERR_INTERNAL);
	fx_graph_free(graph);
}

static void
a_transaction_says_what_it_was(void)
{
	struct fx_graph *graph = new_graph();
	const struct fx_transaction *t;
	struct fx_edit_counts counts;
	struct fx_node *a = insert(graph, "a");

	fx_journal_begin(graph, "erase a; rename");
	fx_journal_describe(graph, "erase %a", "dce");
	FXT_OK(fx_edit_erase(a));
	FXT_OK(fx_edit_set_name(fx_graph_find(graph, "relu"), "act"));
	FXT_OK(fx_edit_set_type(fx_graph_find(graph, "act"), "int"));
	FXT_OK(fx_journal_commit(graph, &counts));
	CU_ASSERT(counts.erased == 1 && counts.changed == 1);
	CU_ASSERT(counts.created == 0 && counts.rewired == 0);
	t = fx_journal_get(graph, 2);
	FXT_SAME(t->command, "erase a; rename");
	FXT_SAME(t->script, "erase %a");
	FXT_SAME(t->maker, "dce");
	CU_ASSERT(t->id == 2 && t->parent == 1);
	FXT_SAME(fx_journal_get(graph, 0)->command, "load test");
	CU_ASSERT_PTR_NULL(fx_journal_get(graph, 3));
	fx_graph_free(graph);
}

static void
what_comes_and_goes_within_one_counts_for_nothing(void)
{
	struct fx_graph *graph = new_graph();
	struct fx_node_spec spec = { .opcode = FX_OPCODE_GET_ATTR,
		.target = "w" };
	struct fx_edit_counts counts;
	struct fx_node *relu = fx_graph_find(graph, "relu");
	struct fx_node *w;

	fx_journal_begin(graph, "test");
	FXT_OK(fx_edit_create(graph, &spec, relu, &w));
	FXT_OK(fx_edit_set_name(w, "v"));
	FXT_OK(fx_edit_erase(w));
	FXT_OK(fx_edit_set_type(relu, "int"));
	FXT_OK(fx_edit_erase(relu));
	FXT_OK(fx_journal_commit(graph, &counts));
	CU_ASSERT(counts.created == 0 && counts.erased == 1);
	FXT_EQ(counts.changed, 0);
	fx_graph_free(graph);
}

static void
undo_and_redo_walk_the_branch(void)
{
	struct fx_graph *graph = new_graph();

	insert(graph, "a");
	insert(graph, "b");
	FXT_EQ(fx_journal_undo_count(graph), 2);
	FXT_OK(fx_journal_undo(graph, 2));
	CU_ASSERT_PTR_NULL(fx_graph_find(graph, "a"));
	FXT_EQ(fx_journal_redo_count(graph), 2);
	FXT_FAILS(fx_journal_undo(graph, 1), FX_ERR_NO_UNDO);
	FXT_OK(fx_journal_redo(graph, 1));
	CU_ASSERT_PTR_NOT_NULL(fx_graph_find(graph, "a"));
	CU_ASSERT_PTR_NULL(fx_graph_find(graph, "b"));
	FXT_FAILS(fx_journal_redo(graph, 2), FX_ERR_NO_UNDO);
	FXT_EQ(fx_journal_now(graph), 1);
	fx_graph_free(graph);
}

static void
ids_survive_undo_and_redo(void)
{
	struct fx_graph *graph = new_graph();
	uint64_t id = insert(graph, "a")->id;

	FXT_OK(fx_journal_undo(graph, 1));
	CU_ASSERT_PTR_NULL(fx_graph_find_id(graph, id));
	FXT_OK(fx_journal_redo(graph, 1));
	FXT_SAME(fx_graph_find_id(graph, id)->name, "a");
	fx_graph_free(graph);
}

static void
transactions_form_a_tree(void)
{
	struct fx_graph *graph = new_graph();

	insert(graph, "a"); /* t1 */
	insert(graph, "b"); /* t2 */
	FXT_OK(fx_journal_undo(graph, 1));
	insert(graph, "c"); /* t3, beside t2 */
	FXT_EQ(fx_journal_get(graph, 3)->parent, 1);
	FXT_OK(fx_journal_goto(graph, 2));
	CU_ASSERT_PTR_NOT_NULL(fx_graph_find(graph, "b"));
	CU_ASSERT_PTR_NULL(fx_graph_find(graph, "c"));
	FXT_EQ(fx_journal_after(graph, 0), 1);
	FXT_EQ(fx_journal_after(graph, 1), 2);
	FXT_EQ(fx_journal_after(graph, 2), 0);
	FXT_EQ(fx_journal_after(graph, 3), 0);
	/* Redo follows the newest branch. */
	FXT_OK(fx_journal_goto(graph, 0));
	FXT_OK(fx_journal_redo(graph, 2));
	FXT_EQ(fx_journal_now(graph), 3);
	FXT_FAILS(fx_journal_goto(graph, 9), FX_ERR_NO_UNDO);
	FXT_OK(fx_verify_error(graph));
	fx_graph_free(graph);
}

static void
names_are_free_again_after_undo(void)
{
	struct fx_graph *graph = new_graph();
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.relu" };
	struct fx_node *node;

	fx_journal_begin(graph, "insert");
	FXT_OK(fx_edit_create(graph, &spec, NULL, &node));
	FXT_SAME(node->name, "relu_1");
	FXT_OK(fx_edit_create(graph, &spec, NULL, &node));
	FXT_OK(fx_journal_commit(graph, NULL));
	FXT_OK(fx_journal_undo(graph, 1));
	FXT_SAME(fxt_next_name(&graph->names, "relu"), "relu_1");
	FXT_OK(fx_journal_redo(graph, 1));
	FXT_SAME(fxt_next_name(&graph->names, "relu"), "relu_3");
	fx_graph_free(graph);
}

static void
nested_transactions_join_the_outer_one(void)
{
	struct fx_graph *graph = new_graph();

	fx_journal_begin(graph, "outer");
	insert(graph, "a");
	CU_ASSERT(fx_journal_is_open(graph));
	FXT_FAILS(fx_journal_undo(graph, 1), FX_ERR_NO_UNDO);
	insert(graph, "b");
	FXT_OK(fx_journal_commit(graph, NULL));
	FXT_EQ(fx_journal_count(graph), 2);
	FXT_SAME(fx_journal_get(graph, 1)->command, "outer");
	FXT_EQ(fx_journal_get(graph, 1)->counts.created, 2);
	fx_graph_free(graph);
}

static void
aborting_takes_everything_back(void)
{
	struct fx_graph *graph = new_graph();
	struct fx_hash before = fx_graph_hash(graph);

	fx_journal_begin(graph, "outer");
	insert(graph, "a");
	fx_journal_begin(graph, "inner");
	fx_journal_abort(graph);
	CU_ASSERT_FALSE(fx_journal_is_open(graph));
	CU_ASSERT(fx_hash_equal(before, fx_graph_hash(graph)));
	FXT_EQ(fx_journal_count(graph), 1);
	fx_journal_abort(graph); /* nothing is open: nothing happens */
	FXT_OK(fx_verify_error(graph));
	fx_graph_free(graph);
}

static void
a_part_can_be_taken_back(void)
{
	struct fx_graph *graph = new_graph();
	struct fx_edit_counts counts;
	size_t savepoint;

	fx_journal_begin(graph, "outer");
	insert(graph, "a");
	fx_journal_begin(graph, "inner");
	savepoint = fx_savepoint_get(graph);
	insert(graph, "b");
	fx_savepoint_rollback(graph, savepoint);
	FXT_EQ(fx_journal_counts(graph).created, 1);
	FXT_OK(fx_journal_commit(graph, &counts));
	FXT_EQ(counts.created, 1);
	CU_ASSERT_PTR_NOT_NULL(fx_graph_find(graph, "a"));
	CU_ASSERT_PTR_NULL(fx_graph_find(graph, "b"));
	fx_graph_free(graph);
}

static void
touched_nodes_are_listed_once(void)
{
	struct fx_graph *graph = new_graph();
	struct fx_node *relu = fx_graph_find(graph, "relu");
	struct fx_node *a = insert(graph, "a");
	struct fx_touched *touched;
	size_t count;

	fx_journal_begin(graph, "test");
	FXT_OK(fx_edit_set_type(relu, "int"));
	FXT_OK(fx_edit_set_type(relu, NULL));
	FXT_OK(fx_edit_erase(a));
	fx_journal_touched_open(graph, &touched, &count);
	FXT_EQ(count, 2);
	free(touched);
	FXT_OK(fx_journal_commit(graph, NULL));
	fx_journal_touched(graph, 2, &touched, &count);
	FXT_EQ_FATAL(count, 2);
	FXT_EQ(touched[0].node, relu->id);
	FXT_EQ(touched[0].how, FX_TOUCH_CHANGED);
	FXT_SAME(touched[1].name, "a");
	FXT_EQ(touched[1].how, FX_TOUCH_ERASED);
	free(touched);
	fx_journal_touched(graph, 7, &touched, &count);
	FXT_EQ(count, 0);
	fx_graph_free(graph);
}

static void
provenance_says_which_transaction(void)
{
	struct fx_graph *graph = new_graph();
	struct fx_node *relu = fx_graph_find(graph, "relu");
	struct fx_node *a = insert(graph, "a");

	fx_journal_begin(graph, "set");
	FXT_OK(fx_edit_set_type(a, "int"));
	FXT_OK(fx_journal_commit(graph, NULL));
	CU_ASSERT(relu->born == 0 && relu->touched == 0);
	CU_ASSERT(a->born == 1 && a->touched == 2);
	FXT_OK(fx_journal_undo(graph, 1));
	FXT_EQ(a->touched, 1);
	fx_graph_free(graph);
}

static void
the_oldest_is_forgotten_beyond_the_limit(void)
{
	struct fx_graph *graph = new_graph();
	size_t before;

	for (int i = 0; i < 100; i++)
		insert(graph, fx_intern_format("n%d", i));
	fx_journal_set_limit(graph, 4096);
	before = fx_journal_undo_count(graph);
	CU_ASSERT(before > 0 && before < 50);
	FXT_FAILS(fx_journal_goto(graph, 0), FX_ERR_NO_UNDO);
	FXT_FAILS(fx_journal_undo(graph, before + 1), FX_ERR_NO_UNDO);
	FXT_OK(fx_journal_undo(graph, before));
	CU_ASSERT_PTR_NULL(fx_graph_find(graph, "n99"));
	CU_ASSERT_PTR_NOT_NULL(fx_graph_find(graph, "n0"));
	FXT_OK(fx_journal_redo(graph, before));
	/* What it was is still known. */
	FXT_SAME(fx_journal_get(graph, 1)->command, "insert n0");
	fx_graph_compact(graph, true);
	FXT_OK(fx_verify_error(graph));
	fx_graph_free(graph);
}

static void
forgetting_drops_branches_too(void)
{
	struct fx_graph *graph = new_graph();

	for (int i = 0; i < 20; i++) {
		insert(graph, fx_intern_format("n%d", i));
		insert(graph, fx_intern_format("m%d", i));
		FXT_OK(fx_journal_undo(graph, 1));
	}
	fx_journal_set_limit(graph, 1);
	FXT_EQ(fx_journal_undo_count(graph), 0);
	for (uint32_t i = 0; i < fx_journal_count(graph); i++)
		if (i != fx_journal_now(graph))
			FXT_FAILS(fx_journal_goto(graph, i), FX_ERR_NO_UNDO);
	FXT_EQ(fx_journal_redo_count(graph), 0);
	fx_journal_set_limit(graph, 0);
	insert(graph, "z");
	FXT_OK(fx_journal_undo(graph, 1));
	FXT_OK(fx_verify_error(graph));
	fx_graph_free(graph);
}

static void
old_weights_count_under_the_limit(void)
{
	struct fx_graph *graph = new_graph();
	struct fx_module *heavy = fx_module_new(graph, "my.Heavy");
	const int64_t sizes[2] = { 1000, 1000 };

	fx_module_add_tensor(heavy, "w",
		fx_tensor_new(graph, FX_DTYPE_F32, sizes, 2, NULL));
	fx_journal_begin(graph, "set module");
	FXT_OK(fx_edit_set_module(graph, "m", heavy));
	FXT_OK(fx_journal_commit(graph, NULL));
	fx_journal_set_limit(graph, 1000000);
	FXT_EQ(fx_journal_undo_count(graph), 1);
	/* Replaced, its four megabytes are the journal's. */
	fx_journal_begin(graph, "set module");
	FXT_OK(fx_edit_set_module(graph, "m",
		fx_module_new(graph, "my.Light")));
	FXT_OK(fx_journal_commit(graph, NULL));
	FXT_EQ(fx_journal_undo_count(graph), 0);
	fx_graph_free(graph);
}

static void
compaction_gives_memory_back(void)
{
	struct fx_graph *graph = new_graph();
	struct fx_node *relu = fx_graph_find(graph, "relu");
	struct fx_hash before;
	size_t large;
	struct fx_value meta = fx_value_int(1);

	for (int i = 0; i < 20000; i++)
		fx_graph_set_meta(relu, &meta);
	large = fx_graph_memory(graph);
	before = fx_graph_hash(graph);
	fx_graph_compact(graph, false);
	FXT_IS(fx_graph_memory(graph), <, large / 4);
	FXT_EQ(relu->meta->integer, 1);
	CU_ASSERT(fx_hash_equal(before, fx_graph_hash(graph)));
	FXT_OK(fx_verify_error(graph));
	fx_graph_free(graph);
}

static void
compaction_keeps_what_undo_needs(void)
{
	struct fx_graph *graph = new_graph();
	struct fx_hash before = fx_graph_hash(graph);
	struct fx_hash after;

	fx_journal_begin(graph, "test");
	FXT_OK(fx_edit_erase(fx_graph_find(graph, "relu")));
	FXT_OK(fx_journal_commit(graph, NULL));
	insert(graph, "a");
	after = fx_graph_hash(graph);
	fx_graph_compact(graph, true);
	fx_graph_compact(graph, true);
	FXT_OK(fx_journal_undo(graph, 2));
	CU_ASSERT(fx_hash_equal(before, fx_graph_hash(graph)));
	FXT_OK(fx_verify_error(graph));
	fx_graph_compact(graph, true);
	FXT_OK(fx_journal_redo(graph, 2));
	CU_ASSERT(fx_hash_equal(after, fx_graph_hash(graph)));
	fx_graph_free(graph);
}

static void
erased_nodes_go_once_they_are_forgotten(void)
{
	struct fx_graph *graph = new_graph();
	size_t large;

	fx_journal_begin(graph, "make");
	for (int i = 0; i < 5000; i++)
		insert(graph, "n");
	FXT_OK(fx_journal_commit(graph, NULL));
	large = fx_graph_memory(graph);
	fx_journal_begin(graph, "erase");
	while (fx_graph_last(graph)->user_count == 0 && graph->node_count > 2)
		FXT_OK(fx_edit_erase(fx_graph_last(graph)));
	FXT_OK(fx_journal_commit(graph, NULL));
	fx_journal_set_limit(graph, 1);
	fx_graph_compact(graph, true);
	FXT_IS(fx_graph_memory(graph), <, large / 2);
	CU_ASSERT_PTR_NULL(fx_graph_find(graph, "n"));
	/* The name is nobody's, and still not given by itself. */
	FXT_SAME(fxt_next_name(&graph->names, "n"), "n_5000");
	FXT_OK(fx_verify_error(graph));
	fx_graph_free(graph);
}

static void
count_release(void *count)
{
	++*(int *)count;
}

static void
replaced_weights_go_once_they_are_forgotten(void)
{
	static char bytes[16];
	int released = 0;
	struct fx_graph *graph = new_graph();
	const int64_t sizes[1] = { 4 };
	struct fx_storage *storage = fx_storage_new(fx_blob_wrap(bytes,
		sizeof(bytes), count_release, &released));
	struct fx_tensor *old =
		fx_tensor_new(graph, FX_DTYPE_F32, sizes, 1, storage);

	fx_storage_unref(storage);
	fx_journal_begin(graph, "bind");
	FXT_OK(fx_edit_bind_tensor(graph, "w", old));
	FXT_OK(fx_journal_commit(graph, NULL));
	fx_journal_begin(graph, "bind");
	FXT_OK(fx_edit_bind_tensor(graph, "w",
		fx_tensor_new(graph, FX_DTYPE_F32, sizes, 1, NULL)));
	FXT_OK(fx_journal_commit(graph, NULL));
	fx_graph_compact(graph, true);
	FXT_EQ(released, 0);
	FXT_OK(fx_journal_undo(graph, 1));
	FXT_EQ(fx_module_find_tensor(graph->module, "w"), old);
	FXT_OK(fx_journal_redo(graph, 1));
	fx_journal_set_limit(graph, 1);
	fx_graph_compact(graph, true);
	FXT_EQ(released, 1);
	fx_graph_free(graph);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(an_empty_transaction_leaves_no_trace),
		FXT_CASE(a_transaction_says_what_it_was),
		FXT_CASE(what_comes_and_goes_within_one_counts_for_nothing),
		FXT_CASE(undo_and_redo_walk_the_branch),
		FXT_CASE(ids_survive_undo_and_redo),
		FXT_CASE(transactions_form_a_tree),
		FXT_CASE(names_are_free_again_after_undo),
		FXT_CASE(nested_transactions_join_the_outer_one),
		FXT_CASE(aborting_takes_everything_back),
		FXT_CASE(a_part_can_be_taken_back),
		FXT_CASE(touched_nodes_are_listed_once),
		FXT_CASE(provenance_says_which_transaction),
		FXT_CASE(the_oldest_is_forgotten_beyond_the_limit),
		FXT_CASE(forgetting_drops_branches_too),
		FXT_CASE(old_weights_count_under_the_limit),
		FXT_CASE(compaction_gives_memory_back),
		FXT_CASE(compaction_keeps_what_undo_needs),
		FXT_CASE(erased_nodes_go_once_they_are_forgotten),
		FXT_CASE(replaced_weights_go_once_they_are_forgotten),
	};

	return fxt_run("ir journal", cases, FX_ARRAY_LEN(cases));
}
