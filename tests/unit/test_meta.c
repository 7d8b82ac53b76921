/* test_meta.c - shapes through graphs, and through what an edit touched. */
#include <config.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "lang/parse.h"
#include "meta/propagate.h"
#include "tests/support/append.h"
#include "tests/support/unit.h"

static struct fx_node *
add_input(struct fx_graph *graph, const char *name, const char *spec)
{
	struct fx_value meta;
	struct fx_node *added =
		fxt_append(graph, FX_OPCODE_PLACEHOLDER, name, NULL, NULL);

	if (spec) {
		FXT_OK(fx_tensor_meta_parse(graph->values, spec, strlen(spec),
			&meta));
		fx_graph_set_meta(added, &meta);
	}
	return added;
}

static struct fx_node *
add_call(struct fx_graph *graph, enum fx_opcode opcode, const char *target,
	const struct fx_value *args, size_t count)
{
	struct fx_node_spec node = { .opcode = opcode, .target = target };

	node.args =
		fx_value_sequence(graph->values, FX_VALUE_TUPLE, args, count);
	return fx_graph_append(graph, &node);
}

static void
check_shape(const struct fx_node *node, const char *expected)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };

	if (node->meta)
		fx_value_print_shape(&out, node->meta, true);
	FXT_SAME(fx_buf_text(&out), expected);
}

static void
shapes_flow_from_the_inputs(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	struct fx_node *x = add_input(graph, "x", "f32[N, 3, H, W]");
	struct fx_node *y = add_input(graph, "y", "i64[3, 1, 1]");
	struct fx_node *sum = fxt_call(graph, "operator.add", x, y);
	struct fx_value args[2] = { fx_value_node(sum), fx_value_int(1) };
	struct fx_node *flat =
		add_call(graph, FX_OPCODE_CALL_METHOD, "flatten", args, 2);
	struct fx_node *out = fxt_call(graph, "torch.relu", flat, NULL);

	fx_meta_propagate(NULL, graph, false, &report);
	check_shape(sum, "f32[N, 3, H, W]");
	check_shape(out, "f32[N, 3*H*W]");
	FXT_EQ(report.known, 5);
	FXT_EQ(report.failure_count, 0);
}

static void
an_impossible_node_fails_alone(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	struct fx_node *x = add_input(graph, "x", "f32[1, 197, 768]");
	struct fx_node *w = add_input(graph, "w", "f32[512, 768]");
	struct fx_node *bad = fxt_call(graph, "operator.matmul", x, w);
	struct fx_node *after = fxt_call(graph, "torch.relu", bad, NULL);
	struct fx_node *beside = fxt_call(graph, "torch.relu", x, NULL);

	fx_meta_propagate(NULL, graph, false, &report);
	FXT_EQ_FATAL(report.failure_count, 1);
	FXT_EQ(report.failures[0].node, bad->id);
	FXT_SAME(fx_error_message(report.failures[0].error),
		"matmul: inner dimensions differ, 768 and 512: "
		"f32[1, 197, 768] and f32[512, 768]");
	FXT_SAME(fx_error_note_text(report.failures[0].error, 0),
		"%x is f32[1, 197, 768]");
	check_shape(after, "?");
	FXT_SAME(fx_value_why(after->meta), "%matmul is not known");
	check_shape(beside, "f32[1, 197, 768]");
}

static void
what_no_rule_tells_keeps_what_a_file_said(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	struct fx_node *x = add_input(graph, "x", "f32[2]");
	struct fx_node *odd = fxt_call(graph, "mine.odd", x, NULL);
	struct fx_value meta;

	FXT_OK(fx_tensor_meta_parse(graph->values, "f32[7]", 6, &meta));
	fx_graph_set_meta(odd, &meta);
	fx_meta_propagate(NULL, graph, true, &report);
	check_shape(odd, "f32[7]");
	fx_meta_propagate(NULL, graph, false, &report);
	check_shape(odd, "?");
	FXT_SAME(odd->meta->text, "mine.odd has no shape rule");
}

static void
inputs_without_a_shape_take_their_default(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	struct fx_value four = fx_value_int(4);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = "k" };
	struct fx_node *x = add_input(graph, "x", NULL);
	struct fx_node *k;
	struct fx_node *zeros;
	struct fx_value args[2];

	spec.args = fx_value_sequence(graph->values, FX_VALUE_TUPLE, &four, 1);
	k = fx_graph_append(graph, &spec);
	args[0] = fx_value_node(k);
	args[1] = fx_value_int(2);
	zeros = add_call(graph, FX_OPCODE_CALL_FUNCTION, "torch.zeros", args,
		2);
	fx_meta_propagate(NULL, graph, false, &report);
	check_shape(zeros, "f32[4, 2]");
	check_shape(x, "?");
	FXT_EQ(report.unknown, 1);
}

static void
an_edit_recomputes_its_cone_only(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_META struct fx_meta *meta = fx_meta_new();
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	FX_AUTO_META_REPORT struct fx_meta_report again = { 0 };
	struct fx_node *x = add_input(graph, "x", "f32[2, 3]");
	struct fx_node *y = add_input(graph, "y", "f32[5]");
	struct fx_node *a = fxt_call(graph, "torch.relu", x, NULL);
	struct fx_node *b = fxt_call(graph, "torch.relu", a, NULL);
	struct fx_node *c = fxt_call(graph, "torch.relu", y, NULL);
	uint64_t ids[2] = { x->id, 12345 };
	struct fx_value fresh;

	fx_meta_propagate(meta, graph, false, &report);
	FXT_OK(fx_tensor_meta_parse(graph->values, "f64[4]", 6, &fresh));
	fx_graph_set_meta(x, &fresh);
	ids[0] = a->id;
	fx_meta_update(meta, graph, ids, 2, &again);
	check_shape(b, "f64[4]");
	check_shape(c, "f32[5]");
	FXT_EQ(again.changed, 2);
	FXT_EQ(again.known, 2);
	FXT_EQ(a->mark + b->mark + c->mark, 0);
}

static void
a_module_that_owns_a_graph_is_followed(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	struct fx_graph *inner = fx_graph_new(2);
	struct fx_module *module = fx_module_new(graph, "GraphModule");
	struct fx_node *x = add_input(graph, "x", "f32[2, 3]");
	struct fx_node *z = add_input(inner, "z", NULL);
	struct fx_node *t = fxt_call(inner, "torch.t", z, NULL);
	struct fx_node *call;

	fxt_append(inner, FX_OPCODE_OUTPUT, "output", t, NULL);
	module->graph = inner;
	fx_module_add_child(graph->module, fx_intern("sub"), module);
	call = fxt_append(graph, FX_OPCODE_CALL_MODULE, "sub", x, NULL);
	fx_meta_propagate(NULL, graph, false, &report);
	check_shape(call, "f32[3, 2]");
}

/* Seconds that a chain of COUNT nodes takes. */
static double
time_chain(size_t count)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	struct fx_node *node = add_input(graph, "x", "f32[8, 16]");
	clock_t begin;

	for (size_t i = 0; i < count; i++)
		node = i % 2 ? fxt_call(graph, "torch.relu", node, NULL)
			     : fxt_call(graph, "operator.add", node, node);
	begin = clock();
	fx_meta_propagate(NULL, graph, false, &report);
	check_shape(node, "f32[8, 16]");
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

static void
time_grows_with_the_number_of_nodes(void)
{
	double small = time_chain(10000);
	double large = time_chain(100000);

	printf("\n  10k nodes %.1f ms, 100k nodes %.1f ms", small * 1e3,
		large * 1e3);
	FXT_IS(large, <, 15 * small + 0.05);
}

/* What TARGET gives on ARGS: a shape, or why there is none. */
static void
check_call(const char *target, const char *args, const char *expected)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_META struct fx_meta *meta = fx_meta_new();
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_meta_call call = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = fx_intern(target),
		.kwargs = fx_value_none() };
	struct fx_ast *tree;
	struct fx_value value;
	struct fx_error *err;

	FXT_OK(fx_parse_expression(arena, args, strlen(args), FX_PARSE_PYTHON,
		&tree));
	FXT_OK(fx_value_from_ast(arena, NULL, args, tree, &call.args));
	err = fx_meta_eval(meta, arena, &call, &value);
	if (err)
		fx_buf_addf(&out, "error: %s", fx_error_message(err));
	else
		fx_value_print_shape(&out, &value, true);
	if (!err && value.kind == FX_VALUE_UNKNOWN)
		fx_buf_addf(&out, " %s", value.text);
	if (!fxt_same(fx_buf_text(&out), expected))
		printf("  for: %s%s\n", target, args);
	FXT_SAME(fx_buf_text(&out), expected);
	fx_error_free(err);
}

/* "tensor('i64[1, 1, ...]')" with COUNT dimensions. */
static void
add_ones(struct fx_buf *out, const char *dtype, int count)
{
	fx_buf_addf(out, "tensor('%s[", dtype);
	for (int i = 0; i < count; i++)
		fx_buf_add(out, i ? ", 1" : "1");
	fx_buf_add(out, "]')");
}

static void
no_rule_gives_more_than_64_dimensions(void)
{
	static const struct {
		const char *target;
		const char *before;
		const char *dtype;
		const char *between;
		const char *after;
		const char *says;
	} calls[] = {
		{ "torch.nn.functional.embedding", "(", "i64", "",
			", tensor('f32[5, 2]'))",
			"error: embedding: more than 64 dimensions" },
		{ "torch._C._nn.one_hot", "(", "i64", "", ", 3)",
			"error: one_hot: more than 64 dimensions" },
		{ "torch.inner", "(", "f32", ", ", ")",
			"error: inner: more than 64 dimensions" },
		{ "torch.functional.tensordot", "(", "f32", ", ", ", 0)",
			"error: tensordot: more than 64 dimensions" },
		{ "torch.functional.einsum", "('...->......', ", "f32", "", ")",
			"error: einsum: more than 64 dimensions" },
		{ "torch.functional.einsum", "('...,a->...a', ", "f32", "",
			", tensor('f32[2]'))",
			"error: einsum: more than 64 dimensions" },
		{ "torch.functional.einsum", "('...,a', ", "f32", "",
			", tensor('f32[2]'))",
			"error: einsum: more than 64 dimensions" },
	};

	for (size_t i = 0; i < FX_ARRAY_LEN(calls); i++) {
		FX_AUTO_BUF struct fx_buf args = { 0 };

		fx_buf_add(&args, calls[i].before);
		add_ones(&args, calls[i].dtype, 64);
		fx_buf_add(&args, calls[i].between);
		if (*calls[i].between)
			add_ones(&args, calls[i].dtype, 64);
		fx_buf_add(&args, calls[i].after);
		check_call(calls[i].target, fx_buf_text(&args), calls[i].says);
	}
}

static void
a_shape_that_is_not_known_is_not_made_up(void)
{
	check_call("torch.max", "(tensor('f32[2]'), tensor('f32[...]'))",
		"? the shape of other is not known");
	check_call("torch.functional.einsum",
		"('...a,...a->...', tensor('f32[N, 2]'), tensor('f32[M, 2]'))",
		"f32[N]");
	check_call("torch.functional.tensordot",
		"(tensor('f32[2, 3]'), tensor('f32[3, 2]'), ([sym('N')], [0]))",
		"? dims is not known");
}

static void
sizes_with_symbols_are_named_in_errors(void)
{
	check_call("torch.matmul",
		"(tensor('f32[2, N + 1]'), tensor('f32[N + 2, 3]'))",
		"error: matmul: inner dimensions differ, N + 1 and N + 2: "
		"f32[2, N + 1] and f32[N + 2, 3]");
}

static void
arguments_of_other_kinds_are_refused(void)
{
	check_call("torch.reshape", "(tensor('f32[2]'), 'a')",
		"error: reshape: size must be an int, not \"str\"");
	check_call("torch.functional.tensordot",
		"(tensor('f32[]'), tensor('f32[]'), ([0], [0]))",
		"error: tensordot: a tensor without dimensions has none to "
		"contract");
	check_call("torch.functional.tensordot",
		"(tensor('f32[2, 3]'), tensor('f32[3, 2]'), ([1, 1], [0, 0]))",
		"error: tensordot: dimension 1 appears twice");
	check_call("torch.ops.aten.native_batch_norm.default",
		"(tensor('f32[0]'), None, None, None, None, True, 0.1, 1e-5)",
		"error: native_batch_norm: f32[0] has no channels");
	check_call("torch.nn.functional.fold",
		"(tensor('f32[25, 9]'), (1, 1), 5, 1, 0, 1)",
		"error: fold: f32[25, 9] is not made of 0 windows of 25");
}

static void
an_operator_in_place_gives_what_the_operator_gives(void)
{
	check_call("operator.iadd", "(tensor('f32[2, 3]'), tensor('i64[3]'))",
		"f32[2, 3]");
	check_call("operator.isub", "(tensor('b8[2]'), True)",
		"error: isub: bools are not subtracted; use ^ or logical_xor");
	check_call("operator.itruediv", "(tensor('i64[2]'), 2)",
		"error: itruediv: a result of float32 cannot be put into a "
		"tensor of int64");
	check_call("operator.itruediv", "(2, tensor('i64[2]'))", "f32[2]");
	check_call("operator.ifloordiv", "(tensor('i64[2]'), 2)", "i64[2]");
	check_call("operator.imatmul",
		"(tensor('f32[2, 3]'), tensor('f32[3, 4]'))", "f32[2, 4]");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(shapes_flow_from_the_inputs),
		FXT_CASE(an_impossible_node_fails_alone),
		FXT_CASE(what_no_rule_tells_keeps_what_a_file_said),
		FXT_CASE(inputs_without_a_shape_take_their_default),
		FXT_CASE(an_edit_recomputes_its_cone_only),
		FXT_CASE(a_module_that_owns_a_graph_is_followed),
		FXT_CASE(no_rule_gives_more_than_64_dimensions),
		FXT_CASE(a_shape_that_is_not_known_is_not_made_up),
		FXT_CASE(sizes_with_symbols_are_named_in_errors),
		FXT_CASE(arguments_of_other_kinds_are_refused),
		FXT_CASE(an_operator_in_place_gives_what_the_operator_gives),
		FXT_CASE(time_grows_with_the_number_of_nodes),
	};

	return fxt_run("meta", cases, FX_ARRAY_LEN(cases));
}
