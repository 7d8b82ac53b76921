/* test_graft.c - text read once, grafted often. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "ir/fragment.h"
#include "ir/graft.h"
#include "ir/graph_hash.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/verify.h"
#include "lang/ast.h"
#include "tests/support/append.h"
#include "tests/support/unit.h"

/* x -> a -> b -> c -> output, each a torch.relu from a line of its own, journal
 * open and a transaction begun.
 */
static struct fx_graph *
new_chain(void)
{
	static const char *const names[] = { "a", "b", "c" };
	struct fx_graph *g = fx_graph_new(1);
	struct fx_node *last =
		fxt_append(g, FX_OPCODE_PLACEHOLDER, "x", NULL, NULL);

	g->module->training = true;
	for (int i = 0; i < 3; i++) {
		struct fx_source_frame frame = { .file = "model.py",
			.line = i + 1 };
		struct fx_value input = fx_value_node(last);
		struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
			.target = "torch.relu",
			.name = names[i],
			.args = fx_value_sequence(g->values, FX_VALUE_TUPLE,
				&input, 1),
			.source = fx_graph_source(g, &frame, 1),
			.scope = fx_graph_scope(g, NULL, names[i], "Block") };

		last = fx_graph_append(g, &spec);
	}
	fxt_append(g, FX_OPCODE_OUTPUT, "output", last, NULL);
	fx_journal_open(g, "test");
	fx_journal_begin(g, "test");
	return g;
}

static struct fx_error *
designated(void *context, const char *text, const struct fx_ast *tree,
	struct fx_node **ret)
{
	(void)text;
	*ret = tree->text ? fx_graph_find(context, tree->text) : NULL;
	return *ret ? NULL : fx_error_new(FX_ERR_NO_NODE, "no such node");
}

static struct fx_error *
read_text(struct fx_graph *g, const char *text, struct fx_fragment *ret)
{
	struct fx_fragment_reader reader = {
		.graph = g, .node = designated, .context = g, .has_input = true
	};

	return fx_fragment_read(&reader, text, ret);
}

static void
each_node_gets_nodes_of_its_own(void)
{
	const uint64_t *ids;
	uint32_t count;
	FX_AUTO_GRAPH struct fx_graph *g = new_chain();
	FX_AUTO_FRAGMENT struct fx_fragment fragment = { 0 };
	struct fx_graft graft = { .fragment = &fragment };
	struct fx_hash before = fx_graph_hash(g);
	struct fx_hash after;
	uint64_t old_id = fx_graph_find(g, "b")->id;
	struct fx_node *b;

	FXT_OK(read_text(g, "torch.neg($v) + 1", &fragment));
	for (const char *name = "abc"; *name; name++) {
		const char text[2] = { *name, '\0' };
		const struct fx_node *wraps;

		FXT_OK(fx_graft_replace(&graft, fx_graph_find(g, text),
			&wraps));
		CU_ASSERT_PTR_NULL(wraps);
	}
	FXT_OK(fx_journal_commit(g, NULL));
	FXT_OK(fx_verify_error(g));
	b = fx_graph_find(g, "b");
	FXT_SAME(b->target, "operator.add");
	FXT_SAME(fx_node_input(b, 0)->target, "torch.neg");
	FXT_SAME(fx_node_input(fx_node_input(b, 0), 0)->name, "a");
	/* Where it comes from is kept. */
	CU_ASSERT(b->source && b->source->frames[0].line == 2);
	CU_ASSERT(b->scope && !strcmp(b->scope->path, "b"));
	ids = fx_graph_derived(b, &count);
	CU_ASSERT(count == 1 && ids[0] == old_id);
	after = fx_graph_hash(g);
	FXT_OK(fx_journal_undo(g, 1));
	FXT_OK(fx_verify_error(g));
	CU_ASSERT(fx_hash_equal(fx_graph_hash(g), before));
	CU_ASSERT(fx_graph_find(g, "b")->id == old_id);
	FXT_OK(fx_journal_redo(g, 1));
	FXT_OK(fx_verify_error(g));
	CU_ASSERT(fx_hash_equal(fx_graph_hash(g), after));
	CU_ASSERT_PTR_EQUAL(fx_graph_find(g, "b"), b);
}

static void
what_reads_a_node_wraps_it(void)
{
	FX_AUTO_GRAPH struct fx_graph *g = new_chain();
	FX_AUTO_FRAGMENT struct fx_fragment fragment = { 0 };
	struct fx_graft graft = { .fragment = &fragment };
	struct fx_node *b = fx_graph_find(g, "b");
	const struct fx_node *wraps;

	FXT_OK(read_text(g, "torch.neg(%b)", &fragment));
	FXT_OK(fx_graft_replace(&graft, b, &wraps));
	FXT_OK(fx_journal_commit(g, NULL));
	FXT_OK(fx_verify_error(g));
	CU_ASSERT(wraps && b->is_in_graph);
	CU_ASSERT_PTR_EQUAL(fx_node_input(fx_graph_find(g, "c"), 0), wraps);
	CU_ASSERT_PTR_EQUAL(fx_node_input(wraps, 0), b);
}

static void
a_new_module_is_in_the_mode_of_the_graph(void)
{
	FX_AUTO_GRAPH struct fx_graph *g = new_chain();
	FX_AUTO_FRAGMENT struct fx_fragment fragment = { 0 };
	struct fx_graft graft = { .fragment = &fragment };
	const struct fx_node *wraps;
	const struct fx_module *first;
	const struct fx_module *second;

	FXT_OK(read_text(g, "nn.Dropout(0.5)($v)", &fragment));
	FXT_OK(fx_graft_replace(&graft, fx_graph_find(g, "a"), &wraps));
	FXT_OK(fx_graft_replace(&graft, fx_graph_find(g, "b"), &wraps));
	FXT_OK(fx_journal_commit(g, NULL));
	first = fx_module_find(g->module, "dropout");
	second = fx_module_find(g->module, "dropout_1");
	CU_ASSERT(first && second && first != second);
	CU_ASSERT(first && first->training);
	FXT_SAME(fx_graph_find(g, "b")->target, "dropout_1");
}

static void
words_are_those_of_the_nodes(void)
{
	FX_AUTO_GRAPH struct fx_graph *g = new_chain();
	FX_AUTO_FRAGMENT struct fx_fragment fragment = { 0 };
	FX_AUTO_BUF struct fx_buf words = { 0 };
	FX_AUTO_BUF struct fx_buf placed = { 0 };

	FXT_OK(read_text(g, "%a in nn.ReLU()(%b + $v);  b = None", &fragment));
	fx_fragment_print(&fragment, NULL, &words);
	FXT_SAME(fx_buf_text(&words), "%a in nn.ReLU()(%b + $v)");
	fx_fragment_print(&fragment, "act", &placed);
	FXT_SAME(fx_buf_text(&placed), "%a in self.act(%b + $v)");
	fx_journal_abort(g);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(each_node_gets_nodes_of_its_own),
		FXT_CASE(what_reads_a_node_wraps_it),
		FXT_CASE(a_new_module_is_in_the_mode_of_the_graph),
		FXT_CASE(words_are_those_of_the_nodes),
	};

	return fxt_run("graft", cases, FX_ARRAY_LEN(cases));
}
