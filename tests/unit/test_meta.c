/* test_meta.c - shapes through graphs, and through what an edit touched. */
#include <config.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/intern.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "meta/propagate.h"
#include "tests/support/unit.h"

static struct fx_node *
add_input(struct fx_graph *graph, const char *name, const char *spec)
{
	struct fx_node_spec node = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = name };
	struct fx_value meta;
	struct fx_node *added = fx_graph_append(graph, &node);

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

static struct fx_node *
add_unary(struct fx_graph *graph, const char *target, struct fx_node *input)
{
	struct fx_value args[1] = { fx_value_node(input) };

	return add_call(graph, FX_OPCODE_CALL_FUNCTION, target, args, 1);
}

static struct fx_node *
add_binary(struct fx_graph *graph, const char *target, struct fx_node *a,
	struct fx_node *b)
{
	struct fx_value args[2] = { fx_value_node(a), fx_value_node(b) };

	return add_call(graph, FX_OPCODE_CALL_FUNCTION, target, args, 2);
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
	struct fx_node *sum = add_binary(graph, "operator.add", x, y);
	struct fx_value args[2] = { fx_value_node(sum), fx_value_int(1) };
	struct fx_node *flat =
		add_call(graph, FX_OPCODE_CALL_METHOD, "flatten", args, 2);
	struct fx_node *out = add_unary(graph, "torch.relu", flat);

	fx_meta_propagate(NULL, graph, false, &report);
	check_shape(sum, "f32[N, 3, H, W]");
	check_shape(out, "f32[N, 3*H*W]");
	CU_ASSERT_EQUAL(report.known, 5);
	CU_ASSERT_EQUAL(report.failure_count, 0);
}

static void
an_impossible_node_fails_alone(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	struct fx_node *x = add_input(graph, "x", "f32[1, 197, 768]");
	struct fx_node *w = add_input(graph, "w", "f32[512, 768]");
	struct fx_node *bad = add_binary(graph, "operator.matmul", x, w);
	struct fx_node *after = add_unary(graph, "torch.relu", bad);
	struct fx_node *beside = add_unary(graph, "torch.relu", x);

	fx_meta_propagate(NULL, graph, false, &report);
	CU_ASSERT_EQUAL_FATAL(report.failure_count, 1);
	CU_ASSERT_EQUAL(report.failures[0].node, bad->id);
	FXT_SAME(fx_error_message(report.failures[0].error),
		"matmul: inner dimensions differ, 768 and 512: "
		"f32[1, 197, 768] and f32[512, 768]");
	FXT_SAME(fx_error_note_text(report.failures[0].error, 0),
		"%x is f32[1, 197, 768]");
	check_shape(after, "?");
	FXT_SAME(after->meta->text, "%matmul is not known");
	check_shape(beside, "f32[1, 197, 768]");
}

static void
what_no_rule_tells_keeps_what_a_file_said(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	struct fx_node *x = add_input(graph, "x", "f32[2]");
	struct fx_node *odd = add_unary(graph, "mine.odd", x);
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
	CU_ASSERT_EQUAL(report.unknown, 1);
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
	struct fx_node *a = add_unary(graph, "torch.relu", x);
	struct fx_node *b = add_unary(graph, "torch.relu", a);
	struct fx_node *c = add_unary(graph, "torch.relu", y);
	uint64_t ids[2] = { x->id, 12345 };
	struct fx_value fresh;

	fx_meta_propagate(meta, graph, false, &report);
	FXT_OK(fx_tensor_meta_parse(graph->values, "f64[4]", 6, &fresh));
	fx_graph_set_meta(x, &fresh);
	ids[0] = a->id;
	fx_meta_update(meta, graph, ids, 2, &again);
	check_shape(b, "f64[4]");
	check_shape(c, "f32[5]");
	CU_ASSERT_EQUAL(again.changed, 2);
	CU_ASSERT_EQUAL(again.known, 2);
	CU_ASSERT_EQUAL(a->mark + b->mark + c->mark, 0);
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
	struct fx_node *t = add_unary(inner, "torch.t", z);
	struct fx_value args[1] = { fx_value_node(t) };
	struct fx_node *call;

	add_call(inner, FX_OPCODE_OUTPUT, "output", args, 1);
	module->graph = inner;
	fx_module_add_child(graph->module, fx_intern("sub"), module);
	args[0] = fx_value_node(x);
	call = add_call(graph, FX_OPCODE_CALL_MODULE, "sub", args, 1);
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
		node = i % 2 ? add_unary(graph, "torch.relu", node)
			     : add_binary(graph, "operator.add", node, node);
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
	CU_ASSERT(large < 15 * small + 0.05);
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
		FXT_CASE(time_grows_with_the_number_of_nodes),
	};

	return fxt_run("meta", cases, FX_ARRAY_LEN(cases));
}
