/* test_ir_pair.c - which nodes of two graphs are one and the same. */
#include <config.h>

#include <stdlib.h>

#include "base/buf.h"
#include "ir/clone.h"
#include "ir/diff.h"
#include "ir/edit.h"
#include "ir/pair.h"
#include "tests/support/append.h"
#include "tests/support/random.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit.h"

/* How many pairs of A and B are of each kind. */
struct tally {
	size_t kinds[FX_CHANGE_SAME + 1];
};

static struct tally
tally(struct fx_graph *a, struct fx_graph *b)
{
	FX_AUTO_PAIRS struct fx_pairs pairs = { .counts = { 0 } };
	struct tally ret = { .kinds = { 0 } };
	struct fx_change *rows;
	size_t count;

	fx_pairs_make(a, b, NULL, &pairs);
	fx_graph_diff(&pairs, &rows, &count);
	for (size_t i = 0; i < count; i++)
		ret.kinds[rows[i].kind]++;
	free(rows);
	return ret;
}

/* Give the nodes of GRAPH each other's names, or with IS_FRESH new ones. */
static void
rename_all(struct fx_graph *graph, struct fxt_random *random, bool is_fresh)
{
	size_t count = graph->node_count;
	const char **names = calloc(count + 1, sizeof(*names));
	struct fx_node *node;
	size_t i = 0;

	fx_graph_for_each_node (node, graph)
		names[i++] = node->name;
	for (i = count; i > 1; i--) {
		size_t other = fxt_random_below(random, i);
		const char *name = names[i - 1];

		names[i - 1] = names[other];
		names[other] = name;
	}
	i = 0;
	fx_graph_for_each_node (node, graph) {
		FX_AUTO_BUF struct fx_buf name = { 0 };

		fx_buf_addf(&name, "renamed_%zu", i++);
		FXT_OK(fx_edit_set_name(node, fx_buf_text(&name)));
	}
	i = 0;
	fx_graph_for_each_node (node, graph)
		if (!is_fresh)
			FXT_OK(fx_edit_set_name(node, names[i++]));
	free(names);
}

static void
other_names_are_renames_only(void)
{
	for (uint64_t seed = 0; seed < 200; seed++) {
		const struct fxt_graph_options options = { .seed = seed,
			.node_count = seed % 2 ? 0 : 300 };
		struct fx_graph *a = fxt_random_graph(&options);
		struct fx_graph *b = fx_graph_clone(a, 2, NULL);
		struct fxt_random random = fxt_random_seed(seed);
		struct tally t;

		rename_all(b, &random, seed % 4 < 2);
		t = tally(a, b);
		FXT_EQ(t.kinds[FX_CHANGE_RENAMED] + t.kinds[FX_CHANGE_SAME],
			a->node_count);
		if (seed % 4 < 2)
			FXT_EQ(t.kinds[FX_CHANGE_SAME], 0);
		fx_graph_free(a);
		fx_graph_free(b);
	}
}

/* Nodes that look alike in themselves are told apart by their surroundings. */
static void
a_change_is_seen_where_it_is(void)
{
	struct fx_graph *a = fxt_chain(1000);
	struct fx_graph *b = fx_graph_clone(a, 2, NULL);
	struct fxt_random random = fxt_random_seed(3);
	struct tally t;

	rename_all(b, &random, true);
	FXT_OK(fx_edit_set_target(fx_graph_at(b, 300), "torch.neg"));
	FXT_OK(fx_edit_set_target(fx_graph_at(b, 600), "torch.neg"));
	t = tally(a, b);
	FXT_EQ(t.kinds[FX_CHANGE_CHANGED], 2);
	FXT_EQ(t.kinds[FX_CHANGE_RENAMED], a->node_count - 2);
	fx_graph_free(a);
	fx_graph_free(b);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(other_names_are_renames_only),
		FXT_CASE(a_change_is_seen_where_it_is),
	};

	return fxt_run("ir pair", cases, FX_ARRAY_LEN(cases));
}
