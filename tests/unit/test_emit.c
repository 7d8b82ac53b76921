/* test_emit.c - text forms beyond what is compared with torch.fx. */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "emit/dot.h"
#include "emit/fx.h"
#include "emit/python.h"
#include "emit/script.h"
#include "emit/table.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "ops/dialect.h"
#include "tests/support/append.h"
#include "tests/support/unit.h"

/* x -> relu (unused) and neg -> output. */
static struct fx_graph *
small_graph(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_node *x =
		fxt_append(graph, FX_OPCODE_PLACEHOLDER, "x", NULL, NULL);
	struct fx_node *neg;

	fxt_append(graph, FX_OPCODE_CALL_FUNCTION, "torch.relu", x, NULL);
	neg = fxt_append(graph, FX_OPCODE_CALL_FUNCTION, "operator.neg", x,
		NULL);
	fxt_append(graph, FX_OPCODE_OUTPUT, "output", neg, NULL);
	return graph;
}

static void
emits(struct fx_graph *graph, const struct fx_emit_python *options,
	const char *expected)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };

	fx_emit_python(&out, graph, options, NULL);
	FXT_SAME(fx_buf_text(&out), expected);
}

#define OLDER \
	"\n\n\ndef forward(self, x):\n" \
	"    relu = torch.relu(x)\n" \
	"    neg = -x;  x = None\n" \
	"    return neg\n    "
#define NEWER \
	"\n\n\ndef forward(self, x):\n" \
	"    relu = torch.relu(x);  relu = None\n" \
	"    neg = -x;  x = None\n" \
	"    return neg\n    "

static void
the_graph_s_dialect_is_the_default(void)
{
	static const struct fx_emit_python older = { .dialect = "1.13" };
	static const struct fx_emit_python newer = { .dialect = "2.x" };
	static const struct fx_emit_python automatic = { .dialect = "auto" };
	FX_AUTO_GRAPH struct fx_graph *graph = small_graph();

	emits(graph, NULL, NEWER);
	emits(graph, &older, OLDER);
	graph->dialect = fx_intern("1.13.1");
	emits(graph, NULL, OLDER);
	emits(graph, &automatic, OLDER);
	emits(graph, &newer, NEWER);
}

/* A call of TARGET with A and B, called NAME. */
static struct fx_node *
named_call(const char *name, const char *target, struct fx_node *a,
	struct fx_node *b)
{
	struct fx_node_spec spec = {
		.opcode = FX_OPCODE_CALL_FUNCTION,
		.target = target,
		.name = name,
		.args = fxt_args(a->graph, a, b),
	};

	return fx_graph_append(a->graph, &spec);
}

/* As torch 1.13 prints it. */
static void
nodes_and_globals_are_named_in_turn(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	struct fx_node *x =
		fxt_append(graph, FX_OPCODE_PLACEHOLDER, "x", NULL, NULL);
	struct fx_node *first = named_call("math_sqrt", "torch.relu", x, NULL);
	struct fx_node *last = named_call("sqrt", "math.sqrt", first, NULL);

	last = named_call("math_sqrt_1", "torch.relu", last, NULL);
	last = named_call("math_floor", "torch.add", last, first);
	last = named_call("floor", "math.floor", last, NULL);
	fxt_append(graph, FX_OPCODE_OUTPUT, "output", last, NULL);
	emits(graph, NULL,
		"\n\n\ndef forward(self, x):\n"
		"    math_sqrt = torch.relu(x);  x = None\n"
		"    sqrt = math_sqrt_1(math_sqrt)\n"
		"    math_sqrt_2 = torch.relu(sqrt);  sqrt = None\n"
		"    math_floor = torch.add(math_sqrt_2, math_sqrt);  "
		"math_sqrt_2 = math_sqrt = None\n"
		"    floor = math_floor_1(math_floor);  math_floor = None\n"
		"    return floor\n    ");
}

/* As torch 2.13 prints them; what 1.13 does is recorded. */
static void
a_container_s_type_alone_is_python_s_in_2_x(void)
{
	static const struct fx_emit_python newer = { .dialect = "2.x" };
	FX_AUTO_GRAPH struct fx_graph *graph = small_graph();
	struct fx_node *relu = fx_graph_find(graph, "relu");

	relu->type = fx_intern("typing.Tuple");
	relu->next->type = fx_intern("typing.Tuple[int, typing.Type]");
	emits(graph, &newer,
		"\n\n\ndef forward(self, x):\n"
		"    relu : tuple = torch.relu(x);  relu = None\n"
		"    neg : typing_Tuple[int,type] = -x;  x = None\n"
		"    return neg\n    ");
}

static void
versions_are_read(void)
{
	unsigned version = 0;

	CU_ASSERT(fx_dialect_parse("1.13", &version) && version == 1013);
	CU_ASSERT(fx_dialect_parse("2.13.0+cpu", &version) && version == 2013);
	CU_ASSERT(fx_dialect_parse("2.x", &version) &&
		  version == FX_DIALECT_NEWEST);
	CU_ASSERT_FALSE(fx_dialect_parse("auto", &version));
	CU_ASSERT_FALSE(fx_dialect_parse("2", &version));
	CU_ASSERT_FALSE(fx_dialect_parse("2.", &version));
	CU_ASSERT_FALSE(fx_dialect_parse("two", &version));
	CU_ASSERT_FALSE(fx_dialect_parse("2.x1", &version));
	CU_ASSERT_FALSE(fx_dialect_parse("99999.1", &version));
	CU_ASSERT_FALSE(fx_dialect_parse("", &version));
	CU_ASSERT_FALSE(fx_dialect_parse(NULL, &version));
}

static void
readable_code_of_2_x_has_shapes_and_sources(void)
{
	static const struct fx_emit_python options = { .verbose = true,
		.class_name = "Small" };
	FX_AUTO_GRAPH struct fx_graph *graph = small_graph();
	const struct fx_source_frame frame = { .file = "m.py",
		.function = "forward",
		.text = "y = -x",
		.line = 3 };
	struct fx_node *x = fx_graph_find(graph, "x");
	struct fx_node *neg = fx_graph_find(graph, "neg");
	const int64_t sizes[] = { 2, 3 };
	struct fx_value shape =
		fx_tensor_meta_ints(graph->values, FX_DTYPE_F32, sizes, 2);

	fx_graph_set_meta(x, &shape);
	fx_graph_set_meta(neg, &shape);
	neg->source = fx_graph_source(graph, &frame, 1);
	emits(graph, &options,
		"class Small(torch.nn.Module):\n"
		"    def forward(self, x: \"f32[2, 3]\"):\n"
		"        # No stacktrace found for following nodes\n"
		"        relu = torch.relu(x);  relu = None\n"
		"\n"
		"        # File: m.py:3 in forward, code: y = -x\n"
		"        neg: \"f32[2, 3]\" = -x;  x = None\n"
		"        return neg\n");
}

static void
graphs_of_children_are_inner_classes(void)
{
	static const struct fx_emit_python options = { .verbose = true };
	FX_AUTO_GRAPH struct fx_graph *graph = small_graph();
	struct fx_module *child = fx_module_new(graph, "torch.nn.Module");

	child->graph = small_graph();
	fx_module_add_child(graph->module, "branch", child);
	emits(graph, &options,
		"class GraphModule(torch.nn.Module):\n"
		"    def forward(self, x):\n"
		"        # No stacktrace found for following nodes\n"
		"        relu = torch.relu(x);  relu = None\n"
		"        neg = -x;  x = None\n"
		"        return neg\n"
		"\n"
		"    class branch(torch.nn.Module):\n"
		"        def forward(self, x):\n"
		"            # No stacktrace found for following nodes\n"
		"            relu = torch.relu(x);  relu = None\n"
		"            neg = -x;  x = None\n"
		"            return neg\n");
}

static void
nested_inputs_declare_their_types_in_2_x(void)
{
	static const struct fx_emit_python older = { .dialect = "1.13" };
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	const char *inputs[] = { fx_intern("a") };
	const struct fx_pytree pytree = { .input_count = 1,
		.inputs = inputs,
		.in_text = "[a]",
		.has_outputs = true };
	struct fx_node *x =
		fxt_append(graph, FX_OPCODE_PLACEHOLDER, "a_1", NULL, NULL);

	fxt_append(graph, FX_OPCODE_PLACEHOLDER, "a_2", NULL, NULL);
	fxt_append(graph, FX_OPCODE_OUTPUT, "output", x, NULL);
	x->type = fx_intern("torch.Tensor");
	graph->pytree = &pytree;
	emits(graph, NULL,
		"\n\n\ndef forward(self, a):\n"
		"    a_1 : torch.Tensor; \n\n"
		"    a_1 , a_2, = fx_pytree.tree_flatten_spec([a], "
		"self._in_spec)\n"
		"    return pytree.tree_unflatten(a_1, self._out_spec)\n    ");
	emits(graph, &older,
		"\n\n\ndef forward(self, a):\n"
		"    a_1, a_2, = fx_pytree.tree_flatten_spec([a], "
		"self._in_spec)\n"
		"    return pytree.tree_unflatten(a_1, self._out_spec)\n    ");
}

static void
listing_counts_users_as_its_version_does(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = small_graph();
	FX_AUTO_BUF struct fx_buf out = { 0 };

	fx_emit_fx_node(&out, fx_graph_first(graph), "2.0");
	FXT_SAME(fx_buf_text(&out), "%x : [#users=2] = placeholder[target=x]");
	fx_buf_clear(&out);
	fx_emit_fx_node(&out, fx_graph_first(graph), "2.1");
	FXT_SAME(fx_buf_text(&out),
		"%x : [num_users=2] = placeholder[target=x]");
}

static void
an_empty_graph_has_every_form(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_BUF struct fx_buf out = { 0 };

	emits(graph, NULL, "\n\n\ndef forward(self):\n    pass\n    ");
	fx_emit_fx(&out, graph, NULL);
	FXT_SAME(fx_buf_text(&out), "graph():");
	fx_buf_clear(&out);
	fx_emit_table(&out, graph);
	FXT_SAME(fx_buf_text(&out),
		"opcode    name    target    args    kwargs\n"
		"--------  ------  --------  ------  --------\n");
}

static void
dot_draws_boxes_with_escaped_labels(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = small_graph();
	FX_AUTO_BUF struct fx_buf out = { 0 };

	graph->class_name = fx_intern("a\"b\\c&d\n");
	fx_emit_dot(&out, graph);
	FXT_SAME(fx_buf_text(&out),
		"digraph \"a\\\"b\\\\c&amp;d\\\\n\" {\n"
		"  rankdir=TB;\n"
		"  node [shape=box, style=\"filled,rounded\", fontsize=10, "
		"fontname=\"Courier\"];\n"
		"  \"x\" [label=\"%x\\lplaceholder x\\l\", "
		"fillcolor=\"AliceBlue\"];\n"
		"  \"relu\" [label=\"%relu\\lcall_function torch.relu\\l\", "
		"fillcolor=\"DarkSeaGreen1\"];\n"
		"  \"neg\" [label=\"%neg\\lcall_function operator.neg\\l\", "
		"fillcolor=\"DarkSeaGreen1\"];\n"
		"  \"output\" [label=\"%output\\loutput\\l\", "
		"fillcolor=\"PowderBlue\"];\n"
		"  \"x\" -> \"relu\";\n"
		"  \"x\" -> \"neg\";\n"
		"  \"neg\" -> \"output\";\n"
		"}\n");
}

static void
script_has_the_current_branch(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = small_graph();
	FX_AUTO_BUF struct fx_buf out = { 0 };

	fx_journal_open(graph, "load a.fxg");
	fx_journal_begin(graph, "ren relu r");
	fx_journal_describe(graph, "rename %relu r", "edit");
	FXT_OK(fx_edit_set_name(fx_graph_find(graph, "relu"), "r"));
	FXT_OK(fx_journal_commit(graph, NULL));
	FXT_OK(fx_journal_undo(graph, 1));
	fx_journal_begin(graph, "rename neg n");
	fx_journal_describe(graph, "rename %neg n", "edit");
	FXT_OK(fx_edit_set_name(fx_graph_find(graph, "neg"), "n"));
	FXT_OK(fx_journal_commit(graph, NULL));
	fx_journal_begin(graph, "something\nodd");
	FXT_OK(fx_edit_set_name(fx_graph_find(graph, "n"), "m"));
	FXT_OK(fx_journal_commit(graph, NULL));
	fx_emit_script(&out, graph, NULL, NULL);
	FXT_SAME(fx_buf_text(&out), "load a.fxg\n"
				    "rename %neg n\n"
				    "# not scriptable: something\n"
				    "#   odd\n");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(the_graph_s_dialect_is_the_default),
		FXT_CASE(nodes_and_globals_are_named_in_turn),
		FXT_CASE(a_container_s_type_alone_is_python_s_in_2_x),
		FXT_CASE(versions_are_read),
		FXT_CASE(readable_code_of_2_x_has_shapes_and_sources),
		FXT_CASE(graphs_of_children_are_inner_classes),
		FXT_CASE(nested_inputs_declare_their_types_in_2_x),
		FXT_CASE(listing_counts_users_as_its_version_does),
		FXT_CASE(an_empty_graph_has_every_form),
		FXT_CASE(dot_draws_boxes_with_escaped_labels),
		FXT_CASE(script_has_the_current_branch),
	};

	return fxt_run("emit", cases, FX_ARRAY_LEN(cases));
}
