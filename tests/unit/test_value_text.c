/* test_value_text.c - values as text in each style, and back. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "ir/graph.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit.h"

/* A graph with one node %x, whose arena the values live in. */
static struct fx_graph *
small_graph(void)
{
	struct fx_graph *graph = fx_graph_new(1);

	fx_graph_append(graph, &(struct fx_node_spec){
				       .opcode = FX_OPCODE_PLACEHOLDER,
				       .target = "x",
			       });
	return graph;
}

FX_NODISCARD static struct fx_error *
read(struct fx_graph *graph, const char *text, struct fx_value *ret)
{
	struct fx_ast *expr = NULL;
	struct fx_error *err = fx_parse_expression(graph->values, text,
		strlen(text), FX_PARSE_DESIGNATORS, &expr);

	if (err)
		return err;
	return fx_value_from_ast(graph->values, graph, text, expr, ret);
}

static void
prints_as(const char *text, enum fx_value_style style, const char *expected)
{
	FX_AUTO_GRAPH struct fx_graph *graph = small_graph();
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_value value = { 0 };

	FXT_OK(read(graph, text, &value));
	fx_value_print_as(&out, &value, style);
	FXT_SAME(fx_buf_text(&out), expected);
}

static void
code_is_python_s_repr(void)
{
	static const char *const same[] = { "None", "True", "-3", "1e-05",
		"0.1", "1e+20", "(1+2j)", "'it\\'s \"x\"'", "\"it's\"",
		"b'a\\x00'", "Ellipsis", "torch.float16", "torch.strided",
		"torch.channels_last", "device(type='cuda', index=1)", "(x,)",
		"()", "[x, (1, 2)]", "{'k': x, 3: None}", "slice(None, x, 2)",
		"range(0, 5)", "range(0, 5, 2)", "inf", "-inf", "nan", "-0.0",
		"18446744073709551616", "-18446744073709551616",
		"-9223372036854775808", "torch.nn.functional.relu" };

	for (size_t i = 0; i < FX_ARRAY_LEN(same); i++)
		prints_as(same[i], FX_STYLE_CODE, same[i]);
	prints_as("...", FX_STYLE_CODE, "Ellipsis");
	prints_as("torch.Size([1, 2])", FX_STYLE_CODE, "(1, 2)");
	prints_as("torch.device('cpu')", FX_STYLE_CODE, "device(type='cpu')");
}

static void
listing_drops_quotes_but_not_inside_slices(void)
{
	prints_as("['a', (x, 'b'), {'k': x}]", FX_STYLE_LISTING,
		"[a, (%x, b), {k: %x}]");
	prints_as("slice(x, 'a', None)", FX_STYLE_LISTING,
		"slice(x, 'a', None)");
	prints_as("dict([(('a', 1), 'b')])", FX_STYLE_LISTING, "{('a', 1): b}");
	prints_as("device('cuda:0')", FX_STYLE_LISTING, "cuda:0");
	prints_as("(device('cpu'),)", FX_STYLE_PLAIN, "(device(type='cpu'),)");
	prints_as("(x, 'a')", FX_STYLE_PLAIN, "(x, 'a')");
	prints_as("dict([(opaque('<E.A: 1>', '1'), [opaque('<B>', 'B')])])",
		FX_STYLE_LISTING, "{1: [B]}");
	prints_as("opaque('<E.A: 1>', 'E.A', 'm:E.A')", FX_STYLE_CODE,
		"<E.A: 1>");
}

static void
exact_text_reads_back(void)
{
	static const char *const same[] = { "%x", "complex(-0.0, 2.0)",
		"complex(nan, -inf)", "torch.Size([1, 2])",
		"torch.device('cuda:0')", "namedtuple('m.P', 1, %x)",
		"function('my_leaf')", "function('m.f')", "operator.add",
		"torch.relu", "opaque('<E.A: 1>')",
		"(1, opaque('<E.A: 1>', 'E.A', 'm:E.A'))", "unknown('why')",
		"unknown('')", "tensor('f32[1, 64][64, 1]cpu')",
		"tensor('?[2, 3]')", "tensor('f16[...]')", "tensor('?[...]')",
		"sym('s77')", "(sym('2*s77'), [tensor('i64[][]')])",
		"'\\x00\\x1b\\n'" };

	for (size_t i = 0; i < FX_ARRAY_LEN(same); i++)
		prints_as(same[i], FX_STYLE_EXACT, same[i]);
}

static void
every_random_value_survives_the_exact_style(void)
{
	struct fxt_random random = fxt_random_seed(7);

	for (int i = 0; i < 3000; i++) {
		FX_AUTO_GRAPH struct fx_graph *graph = small_graph();
		FX_AUTO_BUF struct fx_buf out = { 0 };
		struct fx_value value =
			fxt_random_value(&random, graph->values, 4, false);
		struct fx_value again = { 0 };

		fx_value_print_as(&out, &value, FX_STYLE_EXACT);
		FXT_OK(read(graph, fx_buf_text(&out), &again));
		CU_ASSERT(fx_value_equal(&value, &again));
	}
}

static void
shapes_are_short(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = small_graph();
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_value value = { 0 };

	FXT_OK(read(graph,
		"(tensor('f32[2, 3]'), sym('s0'), unknown('?'), "
		"{'a': tensor('i64[]')}, 3)",
		&value));
	fx_value_print_shape(&out, &value, true);
	FXT_SAME(fx_buf_text(&out), "(f32[2, 3], Sym(s0), ?, {'a': i64[]}, 3)");
	fx_buf_clear(&out);
	fx_value_print_shape(&out, &value, false);
	FXT_SAME(fx_buf_text(&out), "(f32[2,3],Sym(s0),?,{'a':i64[]},3)");
}

static void
refuses(const char *text, enum fx_error_code code)
{
	FX_AUTO_GRAPH struct fx_graph *graph = small_graph();
	struct fx_value value = { 0 };

	FXT_FAILS(read(graph, text, &value), code);
}

static void
what_is_no_value_is_refused(void)
{
	refuses("x + 1", FX_ERR_SYNTAX);
	refuses("x.shape", FX_ERR_SYNTAX);
	refuses("f(x)", FX_ERR_SYNTAX);
	refuses("-x", FX_ERR_SYNTAX);
	refuses("[*x]", FX_ERR_SYNTAX);
	refuses("slice()", FX_ERR_SYNTAX);
	refuses("slice(1, 2, 3, 4)", FX_ERR_SYNTAX);
	refuses("device(3)", FX_ERR_SYNTAX);
	refuses("torch.Size(3)", FX_ERR_SYNTAX);
	refuses("complex('a', 2)", FX_ERR_SYNTAX);
	refuses("float('one')", FX_ERR_SYNTAX);
	refuses("opaque(3)", FX_ERR_SYNTAX);
	refuses("opaque()", FX_ERR_SYNTAX);
	refuses("y", FX_ERR_NO_NODE);
	refuses("%y", FX_ERR_NO_NODE);
	refuses("(1, [2, y])", FX_ERR_NO_NODE);
}

static void
deep_nesting_is_an_error(void)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_GRAPH struct fx_graph *graph = small_graph();
	struct fx_value value = { 0 };
	struct fx_error *err;

	fx_buf_add_repeat(&text, '[', 5000);
	fx_buf_add_repeat(&text, ']', 5000);
	err = read(graph, fx_buf_text(&text), &value);
	CU_ASSERT_PTR_NOT_NULL(err);
	fx_error_free(err);
	/* The tree leans left: high, though nothing nests. */
	fx_buf_clear(&text);
	fx_buf_add(&text, "1");
	for (int i = 0; i < 100000; i++)
		fx_buf_add(&text, "+1");
	err = read(graph, fx_buf_text(&text), &value);
	CU_ASSERT_PTR_NOT_NULL(err);
	fx_error_free(err);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(code_is_python_s_repr),
		FXT_CASE(listing_drops_quotes_but_not_inside_slices),
		FXT_CASE(exact_text_reads_back),
		FXT_CASE(every_random_value_survives_the_exact_style),
		FXT_CASE(shapes_are_short),
		FXT_CASE(what_is_no_value_is_refused),
		FXT_CASE(deep_nesting_is_an_error),
	};

	return fxt_run("value text", cases, FX_ARRAY_LEN(cases));
}
