/* test_ir_limits.c - what is huge, deep or many costs what it should, and is
 * refused where it would cost more.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "emit/python.h"
#include "ir/changed_nodes.h"
#include "ir/decompose.h"
#include "ir/edit.h"
#include "ir/fold.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/side_effects.h"
#include "ir/signature.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "lang/parse.h"
#include "meta/propagate.h"
#include "tests/support/unit.h"

FX_NODISCARD static struct fx_error *
read(struct fx_arena *arena, const char *text, struct fx_value *ret)
{
	struct fx_ast *tree;
	struct fx_error *err = fx_parse_expression(arena, text, strlen(text),
		FX_PARSE_PYTHON, &tree);

	return err ? err : fx_value_from_ast(arena, NULL, text, tree, ret);
}

/* RESULT, or the word of ERR, is EXPECTED; an unknown one has a ? before. */
static void
is_as_expected(struct fx_error *err, const struct fx_value *result,
	const char *expected)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };

	if (err)
		fx_buf_add(&out, fx_error_word(fx_error_code(err)));
	else if (result->kind == FX_VALUE_UNKNOWN)
		fx_buf_addf(&out, "?%s", result->text);
	else
		fx_value_print_as(&out, result, FX_STYLE_CODE);
	FXT_SAME(fx_buf_text(&out), expected);
	fx_error_free(err);
}

static void
check_binary(enum fx_ast_op op, const char *left, const char *right,
	const char *expected)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value a = fx_value_none();
	struct fx_value b = fx_value_none();
	struct fx_value result = fx_value_none();

	FXT_OK(read(arena, left, &a));
	FXT_OK(read(arena, right, &b));
	is_as_expected(fx_fold_binary(arena, op, &a, &b, &result), &result,
		expected);
}

static void
check_call(const char *name, const char *argument, const char *expected)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value value = fx_value_none();
	struct fx_value result = fx_value_none();

	FXT_OK(read(arena, argument, &value));
	is_as_expected(fx_fold_call(arena, name, &value, 1, &result), &result,
		expected);
}

/* A little less than 2 to the power of 127. */
#define HUGE "170000000000000000000000000000000000000"

static void
nothing_is_repeated_without_end(void)
{
	check_binary(FX_AST_MUL, "[1, 2]", HUGE, "limit");
	check_binary(FX_AST_MUL, HUGE, "'ab'", "limit");
	check_binary(FX_AST_MUL, "[]", HUGE, "[]");
	check_binary(FX_AST_MUL, "[1]", "-" HUGE, "[]");
}

static void
a_range_may_have_more_numbers_than_an_int_says(void)
{
	check_call("list", "range(-9223372036854775807, 9223372036854775807)",
		"limit");
	check_call("list",
		"range(9223372036854775807, -9223372036854775807, -1)",
		"limit");
	check_call("len", "range(-3, 4, 2)", "4");
}

static void
ints_of_any_length_compare(void)
{
	check_binary(FX_AST_EQ, HUGE "0", HUGE "0", "True");
	check_binary(FX_AST_NE, HUGE "0", HUGE "1", "True");
	check_binary(FX_AST_GT, HUGE "0", "5", "True");
	check_binary(FX_AST_LT, HUGE "0", HUGE, "False");
	check_binary(FX_AST_LT, "-" HUGE "0", "-" HUGE, "True");
	check_binary(FX_AST_LT, "-" HUGE "0", HUGE "0", "True");
	check_binary(FX_AST_GT, "-" HUGE "0", "-" HUGE "1", "True");
	check_binary(FX_AST_GT, HUGE, "1e38", "True");
	check_binary(FX_AST_LT, HUGE, "1e39", "True");
	check_binary(FX_AST_GT, HUGE "0", "1e300", "?bool");
	check_binary(FX_AST_GT, HUGE "0", "float('-inf')", "True");
}

static void
minus_takes_minus_away(void)
{
	static const char *const pairs[][2] = {
		{ "--" HUGE, HUGE },
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "--9223372036854775808", "9223372036854775808" },
		{ "---9223372036854775808", "-9223372036854775808" },
	};
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value value = fx_value_none();

	for (size_t i = 0; i < FX_ARRAY_LEN(pairs); i++)
		is_as_expected(read(arena, pairs[i][0], &value), &value,
			pairs[i][1]);
	FXT_FAILS(read(arena, "float('--5')", &value), FX_ERR_SYNTAX);
	is_as_expected(read(arena, "float('-inf')", &value), &value, "-inf");
}

/* Each step doubles the text, as both operands stand in two places. */
static void
a_symbolic_size_stops_growing(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value m = fx_size_symbol(arena, "M");
	struct fx_value x = fx_size_symbol(arena, "N");

	for (int i = 0; i < 100; i++)
		x = fx_size_clone(arena,
			fx_size_add(arena, fx_size_floordiv(arena, x, m),
				fx_size_mod(arena, x, m)));
	FXT_EQ(x.kind, FX_VALUE_UNKNOWN);
	FXT_IS(fx_arena_size(arena), <, 1 << 20);
}

/* TEXT as a size, printed, is EXPECTED. */
static void
is_size(const char *text, const char *expected)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_value size = fx_value_none();
	struct fx_ast *tree;

	FXT_OK(fx_parse_expression(arena, text, strlen(text), FX_PARSE_PYTHON,
		&tree));
	FXT_OK(fx_size_from_ast(arena, text, tree, &size));
	fx_size_print(&out, size);
	FXT_SAME(fx_buf_text(&out), expected);
}

static void
a_size_of_many_terms_reads_back(void)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (int i = 100; i < 300; i++)
		fx_buf_addf(&text, "%ss%d", i > 100 ? " + " : "", i);
	is_size(fx_buf_text(&text), fx_buf_text(&text));
	is_size("(-9223372036854775807 - 1) % 3", "1");
	is_size("(3*N - 9223372036854775807 - 1) % 3", "1");
}

static void
keywords_cost_their_number(void)
{
	enum {
		COUNT = 20000
	};
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value *items =
		FX_ARENA_ARRAY(arena, struct fx_value, 2 * COUNT);
	struct fx_call_values call = { .name = "f" };
	struct fx_value bound[2];

	for (size_t i = 0; i < COUNT; i++) {
		items[2 * i] = fx_value_string(fx_intern_format("k%zu", i));
		items[2 * i + 1] = fx_value_int((int64_t)i);
	}
	call.args = fx_value_sequence(arena, FX_VALUE_TUPLE, NULL, 0);
	call.kwargs = fx_value_dict(arena, items, COUNT);
	FXT_OK(fx_signature_bind(arena, fx_signature_of(FX_OP_NONE), &call,
		bound));
	CU_ASSERT(fx_value_equal(&bound[1], &call.kwargs));
	FXT_IS(fx_arena_size(arena), <, 8 * COUNT * sizeof(*items));
}

/* Two paths to each of the modules, and so 2 to the power of 40 to the last. */
static void
shared_modules_are_looked_at_once(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_EXPANDER struct fx_expander *expander = fx_expander_new();
	const struct fx_value none = { .kind = FX_VALUE_NONE };
	const int64_t size = 1;
	struct fx_value args =
		fx_tensor_meta_ints(arena, FX_DTYPE_F32, &size, 1);
	const struct fx_decomposition *fragment;
	const struct fx_node_spec call = { .opcode = FX_OPCODE_CALL_MODULE,
		.target = "m" };
	struct fx_module *module = NULL;
	struct fx_module *inner = NULL;
	struct fx_module_walk *walk;
	const char *path;
	size_t count = 0;

	args = fx_value_sequence(arena, FX_VALUE_TUPLE, &args, 1);
	for (int i = 0; i < 40; i++) {
		const struct fx_value empty = { .kind = FX_VALUE_TUPLE };

		FXT_OK(fx_layer_construct(graph,
			inner ? "Sequential" : "Identity", &empty, &none,
			&module));
		if (inner) {
			fx_module_add_child(module, "0", inner);
			fx_module_add_child(module, "1", inner);
		}
		inner = module;
	}
	FXT_FAILS(fx_decompose_module(expander, module, &args, &none,
			  &fragment),
		FX_ERR_LIMIT);
	fx_module_add_child(graph->module, "m", module);
	walk = fx_module_walk_new(graph->module, false);
	while (fx_module_walk_next(walk, &inner, &path))
		count++;
	fx_module_walk_free(walk);
	CU_ASSERT(count > 1000 && count < 1000000);
	FXT_EQ(fx_side_effects(fx_graph_append(graph, &call)), 0);
}

/* A new child of GRAPH, called "a", which is a graph of its own. */
static struct fx_module *
add_inner_graph(struct fx_graph *graph)
{
	struct fx_module *child = fx_module_new(graph, "torch.fx.GraphModule");

	child->graph = fx_graph_new(graph->serial + 1);
	fx_module_add_child(graph->module, "a", child);
	return child;
}

/* Likewise of graphs, of which torch prints each child once. */
static void
shared_graphs_are_printed_once(void)
{
	static const struct fx_emit_python options = { .verbose = true };
	FX_AUTO_GRAPH struct fx_graph *outer = fx_graph_new(1);
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_graph *graph = outer;

	for (uint32_t i = 0; i < 30; i++) {
		struct fx_module *child = add_inner_graph(graph);

		fx_module_add_child(graph->module, "b", child);
		graph = child->graph;
	}
	fx_emit_python(&out, outer, &options, NULL);
	CU_ASSERT_PTR_NOT_NULL(strstr(fx_buf_text(&out), "class a("));
	CU_ASSERT_PTR_NULL(strstr(fx_buf_text(&out), "class b("));
	FXT_IS(out.length, <, 1 << 16);
}

/* The input through the module "a", twice. */
static void
call_twice(struct fx_graph *graph)
{
	const struct fx_node_spec input = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = "x" };
	struct fx_node *node = fx_graph_append(graph, &input);

	for (int i = 0; i < 3; i++) {
		const struct fx_value arg = fx_value_node(node);
		const struct fx_node_spec spec = {
			.opcode = i < 2 ? FX_OPCODE_CALL_MODULE
					: FX_OPCODE_OUTPUT,
			.target = i < 2 ? "a" : "output",
			.args = fx_value_sequence(graph->values, FX_VALUE_TUPLE,
				&arg, 1),
		};

		node = fx_graph_append(graph, &spec);
	}
}

static void
shapes_of_graphs_that_call_others_twice_are_given_up(void)
{
	FX_AUTO_GRAPH struct fx_graph *outer = fx_graph_new(1);
	struct fx_meta_report report = { 0 };
	const struct fx_value meta = fx_value_int(1);
	struct fx_graph *graph = outer;

	for (uint32_t i = 0; i < 40; i++) {
		call_twice(graph);
		graph = add_inner_graph(graph)->graph;
	}
	call_twice(graph);
	fx_graph_set_meta(fx_graph_first(outer), &meta);
	fx_meta_propagate(NULL, outer, false, &report);
	FXT_IS(report.unknown, >, 0);
	fx_meta_report_deinit(&report);
}

static void
numbers_of_elements_do_not_overflow(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	const int64_t huge[3] = { (int64_t)1 << 40, (int64_t)1 << 40, 0 };
	struct fx_tensor *empty =
		fx_tensor_new(graph, FX_DTYPE_F32, huge, 3, NULL);
	struct fx_tensor *full =
		fx_tensor_new(graph, FX_DTYPE_F32, huge, 2, NULL);
	struct fx_tensor *other =
		fx_tensor_new(graph, FX_DTYPE_F32, huge, 2, NULL);

	FXT_EQ(fx_tensor_numel(empty), 0);
	FXT_EQ(fx_tensor_bytes(empty), 0);
	FXT_EQ(fx_tensor_numel(full), INT64_MAX);
	fx_module_add_tensor(graph->module, "a", empty);
	fx_module_add_tensor(graph->module, "b", full);
	fx_module_add_tensor(graph->module, "c", other);
	FXT_EQ(fx_module_parameter_count(graph->module), INT64_MAX);
}

/* A node that reads the attribute at PATH. */
static struct fx_node *
reads(struct fx_graph *graph, const char *path)
{
	const struct fx_node_spec spec = { .opcode = FX_OPCODE_GET_ATTR,
		.target = path };

	return fx_graph_append(graph, &spec);
}

static struct fx_tensor *
scalar(struct fx_graph *graph)
{
	return fx_tensor_new(graph, FX_DTYPE_F32, NULL, 0, NULL);
}

static void
only_what_reads_a_replaced_member_is_affected(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_BITSET struct fx_bitset ids = { 0 };
	FX_AUTO_BITSET struct fx_bitset moved = { 0 };
	struct fx_node *nodes[4];

	for (int i = 0; i < 2; i++) {
		struct fx_module *child =
			fx_module_new(graph, "torch.nn.Module");

		fx_module_add_tensor(child, "weight", scalar(graph));
		fx_module_add_tensor(child, "bias", scalar(graph));
		fx_module_add_child(graph->module, i ? "b" : "a", child);
	}
	nodes[0] = reads(graph, "a.weight");
	nodes[1] = reads(graph, "a.bias");
	nodes[2] = reads(graph, "b.weight");
	nodes[3] = reads(graph, "b.bias");
	fx_journal_open(graph, "test");
	fx_journal_begin(graph, "test");
	FXT_OK(fx_edit_bind_tensor(graph, "a.weight", scalar(graph)));
	FXT_OK(fx_edit_bind_tensor(graph, "b.bias", scalar(graph)));
	FXT_OK(fx_journal_commit(graph, NULL));
	fx_changed_nodes_of(graph, fx_journal_now(graph), &ids, &moved);
	CU_ASSERT(fx_bitset_has(&ids, (uint32_t)nodes[0]->id));
	CU_ASSERT_FALSE(fx_bitset_has(&ids, (uint32_t)nodes[1]->id));
	CU_ASSERT_FALSE(fx_bitset_has(&ids, (uint32_t)nodes[2]->id));
	CU_ASSERT(fx_bitset_has(&ids, (uint32_t)nodes[3]->id));
}

/* Each list holds the one before it twice. */
static void
what_is_known_of_a_result_stops_growing(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	const struct fx_node_spec input = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = "x" };
	const struct fx_value meta = fx_value_int(1);
	struct fx_meta_report report = { 0 };
	struct fx_node *node = fx_graph_append(graph, &input);

	fx_graph_set_meta(node, &meta);
	for (int i = 0; i < 60; i++) {
		const struct fx_value both[2] = { fx_value_node(node),
			fx_value_node(node) };
		struct fx_value pair = fx_value_sequence(graph->values,
			FX_VALUE_TUPLE, both, 2);
		const struct fx_node_spec spec = {
			.opcode = FX_OPCODE_CALL_FUNCTION,
			.target = "builtins.list",
			.args = fx_value_sequence(graph->values, FX_VALUE_TUPLE,
				&pair, 1),
		};

		node = fx_graph_append(graph, &spec);
	}
	fx_meta_propagate(NULL, graph, false, &report);
	FXT_IS(report.known, >, 10);
	FXT_IS(report.unknown, >, 0);
	fx_meta_report_deinit(&report);
}

static void
a_node_goes_before_one_of_its_own_graph(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_GRAPH struct fx_graph *other = fx_graph_new(2);
	const struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = "x" };
	struct fx_node *foreign = fx_graph_append(other, &spec);

	fx_journal_open(graph, "test");
	fx_journal_begin(graph, "test");
	FXT_FAILS(fx_edit_create(graph, &spec, foreign, NULL), FX_ERR_VALUE);
	FXT_OK(fx_journal_commit(graph, NULL));
	FXT_EQ(other->node_count, 1);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(nothing_is_repeated_without_end),
		FXT_CASE(a_range_may_have_more_numbers_than_an_int_says),
		FXT_CASE(ints_of_any_length_compare),
		FXT_CASE(minus_takes_minus_away),
		FXT_CASE(a_symbolic_size_stops_growing),
		FXT_CASE(a_size_of_many_terms_reads_back),
		FXT_CASE(keywords_cost_their_number),
		FXT_CASE(shared_modules_are_looked_at_once),
		FXT_CASE(shared_graphs_are_printed_once),
		FXT_CASE(shapes_of_graphs_that_call_others_twice_are_given_up),
		FXT_CASE(numbers_of_elements_do_not_overflow),
		FXT_CASE(only_what_reads_a_replaced_member_is_affected),
		FXT_CASE(what_is_known_of_a_result_stops_growing),
		FXT_CASE(a_node_goes_before_one_of_its_own_graph),
	};

	return fxt_run("ir limits", cases, FX_ARRAY_LEN(cases));
}
