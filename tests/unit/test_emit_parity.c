/* test_emit_parity.c - what torch.fx printed for the same graphs.
 *
 * tests/parity/recorded.json has graphs as .fxg, written by Python code that
 * shares nothing with ours, and torch.fx's own texts for them; oracle.py made
 * it and says whether torch.fx still answers so.
 */
#include <config.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "emit/fx.h"
#include "emit/python.h"
#include "emit/table.h"
#include "ir/graph.h"
#include "ir/graph_hash.h"
#include "ir/verify.h"
#include "load/jsonl.h"
#include "load/open.h"
#include "tests/support/folder.h"
#include "tests/support/unit.h"

static json_t *answers;

static struct fx_graph *
load(const json_t *answer)
{
	const char *text = json_string_value(json_object_get(answer, "fxg"));
	struct fx_load_input input = {
		.text = text,
		.length = strlen(text),
		.serial = 1,
	};
	struct fx_graph *graph = NULL;

	FXT_OK(fx_load_jsonl(&input, &graph));
	return graph;
}

typedef void emit_fn(struct fx_buf *out, struct fx_graph *graph);

/* Whether EMIT gives what torch.fx gave under KEY, for every case. */
static void
compare_all(const char *key, emit_fn *emit)
{
	size_t compared = 0;
	const json_t *answer;
	size_t i;

	json_array_foreach(answers, i, answer)
	{
		const char *name =
			json_string_value(json_object_get(answer, "name"));
		const char *expected =
			json_string_value(json_object_get(answer, key));
		FX_AUTO_BUF struct fx_buf text = { 0 };
		FX_AUTO_GRAPH struct fx_graph *graph = NULL;

		if (!expected)
			continue;
		graph = load(answer);
		CU_ASSERT_PTR_NOT_NULL_FATAL(graph);
		emit(&text, graph);
		if (strcmp(fx_buf_text(&text), expected) != 0)
			printf("\n  case %s, %s:\n", name, key);
		FXT_SAME(fx_buf_text(&text), expected);
		compared++;
	}
	FXT_IS(compared, >, 10);
}

static void
emit_python_exactly(struct fx_buf *out, struct fx_graph *graph)
{
	const struct fx_emit_python options = { .exact = true };

	fx_emit_python(out, graph, &options, NULL);
}

static void
code_is_torch_fx_s(void)
{
	compare_all("python", emit_python_exactly);
}

static void
emit_readable(struct fx_buf *out, struct fx_graph *graph)
{
	const struct fx_emit_python options = {
		.exact = true,
		.verbose = true,
	};

	fx_emit_python(out, graph, &options, NULL);
}

static void
readable_code_is_torch_fx_s(void)
{
	compare_all("readable", emit_readable);
}

static void
emit_listing(struct fx_buf *out, struct fx_graph *graph)
{
	fx_emit_fx(out, graph, NULL);
}

static void
listing_is_torch_fx_s(void)
{
	compare_all("listing", emit_listing);
}

static void
emit_table(struct fx_buf *out, struct fx_graph *graph)
{
	fx_emit_table(out, graph);
}

static void
table_is_torch_fx_s(void)
{
	compare_all("table", emit_table);
}

/* Where torch.fx prints wrong code, the default prints what the graph says
 * (doc/differences.md).
 */
static const struct {
	const char *name;
	const char *right;
} differing[] = {
	{ "wrong_code",
		"\n\n\ndef forward(self, x):\n"
		"    pow_1 = (-2) ** x\n"
		"    pow_2 = (-1.5) ** x\n"
		"    getitem = (-3)[x]\n"
		"    a_class_def = getattr(getattr(self.a, \"class\"), "
		"\"def\")(x)\n"
		"    getattr_1 = getattr(x, 'import')\n"
		"    getattr_2 = (5).real\n"
		"    foo = (5).foo(x)\n"
		"    class_1 = getattr(x, \"class\")()\n"
		"    leaf = __main___leaf(x, **{'a-b': 1}, **{'class': 2})\n"
		"    add = _operator_add(x, 1, alpha = 2)\n"
		"    a_b = getattr(self, \"a\\\"b\")(x)\n"
		"    iadd = _operator_iadd(1, x);  x = None\n"
		"    return (pow_1, pow_2, getitem, a_class_def, getattr_1, "
		"getattr_2, foo, class_1, leaf, add, a_b, iadd)\n    " },
	{ "wrong_signature",
		"\n\n\ndef forward(self, x, y, z):\n"
		"    x_1, x_2, y_1, z, = fx_pytree.tree_flatten_spec("
		"[x, y, z], self._in_spec)\n"
		"    add = x_1 + y_1;  x_1 = y_1 = None\n"
		"    return pytree.tree_unflatten([add], self._out_spec)\n"
		"    " },
};

static const char *
right_code(const json_t *answer)
{
	const char *name = json_string_value(json_object_get(answer, "name"));

	for (size_t i = 0; i < FX_ARRAY_LEN(differing); i++)
		if (strcmp(name, differing[i].name) == 0)
			return differing[i].right;
	return json_string_value(json_object_get(answer, "python"));
}

static void
default_code_is_right_where_torch_fx_s_is_wrong(void)
{
	const json_t *answer;
	size_t i;

	json_array_foreach(answers, i, answer)
	{
		FX_AUTO_GRAPH struct fx_graph *graph = load(answer);
		FX_AUTO_BUF struct fx_buf text = { 0 };

		CU_ASSERT_PTR_NOT_NULL_FATAL(graph);
		fx_emit_python(&text, graph, NULL, NULL);
		FXT_SAME(fx_buf_text(&text), right_code(answer));
	}
}

static void
ranges_cover_each_node_s_own_text(void)
{
	const json_t *answer;
	size_t i;

	json_array_foreach(answers, i, answer)
	{
		FX_AUTO_GRAPH struct fx_graph *graph = load(answer);
		FX_AUTO_BUF struct fx_buf text = { 0 };
		struct fx_emit_ranges ranges = { 0 };
		struct fx_node *node;
		size_t k = 0;

		CU_ASSERT_PTR_NOT_NULL_FATAL(graph);
		fx_emit_python(&text, graph, NULL, &ranges);
		FXT_EQ(ranges.count, graph->node_count);
		fx_graph_for_each_node (node, graph) {
			const struct fx_emit_range *r = &ranges.items[k++];
			const char *wanted = node->opcode == FX_OPCODE_OUTPUT
						     ? "return"
						     : node->name;

			FXT_EQ(r->node, node->id);
			CU_ASSERT(r->begin < r->end && r->end <= text.length);
			CU_ASSERT_PTR_NOT_NULL(memmem(text.data + r->begin,
				r->end - r->begin, wanted, strlen(wanted)));
		}
		fx_emit_ranges_deinit(&ranges);
	}
}

static void
files_of_another_writer_are_sound(void)
{
	const json_t *answer;
	size_t i;

	json_array_foreach(answers, i, answer)
	{
		FX_AUTO_GRAPH struct fx_graph *graph = load(answer);

		CU_ASSERT_PTR_NOT_NULL_FATAL(graph);
		FXT_OK(fx_verify_error(graph));
	}
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(code_is_torch_fx_s),
		FXT_CASE(readable_code_is_torch_fx_s),
		FXT_CASE(listing_is_torch_fx_s),
		FXT_CASE(table_is_torch_fx_s),
		FXT_CASE(default_code_is_right_where_torch_fx_s_is_wrong),
		FXT_CASE(ranges_cover_each_node_s_own_text),
		FXT_CASE(files_of_another_writer_are_sound),
	};
	FX_AUTO_FREE char *path = fxt_source("tests/parity/recorded.json");
	int status;

	answers = json_load_file(path, 0, NULL);
	if (!json_is_array(answers)) {
		printf("no answers in %s\n", path);
		return EXIT_FAILURE;
	}
	status = fxt_run("emit parity", cases, FX_ARRAY_LEN(cases));
	json_decref(answers);
	return status;
}
