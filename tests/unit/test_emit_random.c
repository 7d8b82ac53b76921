/* test_emit_random.c - random graphs as text and back. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "emit/fx.h"
#include "emit/python.h"
#include "ir/graph.h"
#include "ir/graph_hash.h"
#include "load/open.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit.h"

#define GRAPHS 1000

static void
load(struct fx_buf *text, struct fx_loaded *ret)
{
	struct fx_load_input input = {
		.text = fx_buf_text(text),
		.length = text->length,
		.serial = 2,
	};

	FXT_OK(fx_open_text(&input, ret));
}

static struct fx_graph *
random_graph(uint64_t seed)
{
	const struct fxt_graph_options options = {
		.seed = seed,
		.only_python = true,
		.no_modules = true,
		.no_annotations = true,
	};

	return fxt_random_graph(&options);
}

static void
code_keeps_the_text_hash(struct fx_graph *graph, const char *dialect)
{
	const struct fx_emit_python options = { .dialect = dialect };
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_BUF struct fx_buf second = { 0 };
	bool is_same;

	fx_emit_python(&text, graph, &options, NULL);
	load(&text, &loaded);
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	is_same = fx_hash_equal(fx_graph_text_hash(graph),
		fx_graph_text_hash(loaded.graph));
	CU_ASSERT(is_same);
	fx_emit_python(&second, loaded.graph, &options, NULL);
	if (!is_same && strcmp(second.data, text.data) == 0)
		printf("\n  text:\n%s\n", fx_buf_text(&text));
	FXT_SAME(fx_buf_text(&second), fx_buf_text(&text));
}

static void
code_of_random_graphs_keeps_their_text_hash(void)
{
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		FX_AUTO_GRAPH struct fx_graph *graph = random_graph(seed);

		code_keeps_the_text_hash(graph, seed % 2 ? "1.13" : "2.x");
	}
}

static void
readable_code_keeps_the_text_hash_too(void)
{
	static const struct fx_emit_python options = {
		.verbose = true,
		.dialect = "2.x",
	};

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		FX_AUTO_GRAPH struct fx_graph *graph = random_graph(seed);
		FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
		FX_AUTO_BUF struct fx_buf text = { 0 };

		fx_emit_python(&text, graph, &options, NULL);
		load(&text, &loaded);
		CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
		CU_ASSERT(fx_hash_equal(fx_graph_text_hash(graph),
			fx_graph_text_hash(loaded.graph)));
	}
}

/* Text that looks like a node, like several arguments, or like several lines
 * reads as that: a listing has no quotes.
 */
static bool
is_odd(const struct fx_value *value)
{
	size_t count = fx_value_item_count(value);

	if (value->kind == FX_VALUE_STRING)
		return !value->count ||
		       strpbrk(value->text, "%,=:()[]{}'\"\n") != NULL;
	for (size_t i = 0; i < count; i++)
		if (is_odd(&value->items[i]))
			return true;
	return false;
}

static bool
has_odd_text(const struct fx_graph *graph)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (is_odd(&node->args) || is_odd(&node->kwargs))
			return true;
	return false;
}

static void
listings_of_random_graphs_are_stable(void)
{
	int compared = 0;

	for (uint64_t seed = 1; compared < GRAPHS; seed++) {
		FX_AUTO_GRAPH struct fx_graph *graph = random_graph(seed);
		FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
		FX_AUTO_BUF struct fx_buf text = { 0 };
		FX_AUTO_BUF struct fx_buf second = { 0 };

		if (has_odd_text(graph))
			continue;
		compared++;
		fx_emit_fx(&text, graph, "2.x");
		load(&text, &loaded);
		CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
		fx_emit_fx(&second, loaded.graph, "2.x");
		FXT_SAME(fx_buf_text(&second), fx_buf_text(&text));
	}
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(code_of_random_graphs_keeps_their_text_hash),
		FXT_CASE(readable_code_keeps_the_text_hash_too),
		FXT_CASE(listings_of_random_graphs_are_stable),
	};

	return fxt_run("emit random", cases, FX_ARRAY_LEN(cases));
}
