/* test_expand.c - layers become fragments of operator calls. */
#include <config.h>

#include "base/arena.h"
#include "base/buf.h"
#include "ir/decompose.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "tests/support/read_text.h"
#include "tests/support/unit.h"

FX_NODISCARD static struct fx_error *
make(struct fx_graph *graph, const char *class_name, const char *args,
	const char *kwargs, struct fx_module **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value positional = fxt_read_value(arena, args);
	struct fx_value keywords = fxt_read_value(arena, kwargs);

	return fx_layer_construct(graph, class_name, &positional, &keywords,
		ret);
}

static void
a_layer_is_made_from_its_arguments(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	struct fx_module *module;
	const struct fx_value *stride;

	FXT_OK(make(graph, "nn.Conv2d", "(4, 8, 3)",
		"{'stride': 2, 'groups': 2, 'bias': False}", &module));
	FXT_SAME(module->class_name, "torch.nn.modules.conv.Conv2d");
	CU_ASSERT(module->is_leaf);
	stride = fx_value_dict_get(&module->config,
		fx_value_string("stride").text);
	FXT_EQ_FATAL(stride->kind, FX_VALUE_TUPLE);
	FXT_EQ(stride->items[1].integer, 2);
	FXT_EQ(module->member_count, 2);
	FXT_EQ(module->members[0].tensor->sizes[1], 2);
	CU_ASSERT_PTR_NULL(module->members[1].tensor);
}

static void
constructors_refuse_as_torch_does(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	struct fx_module *module;

	FXT_FAILS(make(graph, "Conv2d", "(3, 8, 3)", "{'groups': 2}", &module),
		FX_ERR_VALUE);
	FXT_FAILS(make(graph, "Dropout", "(1.5,)", "{}", &module),
		FX_ERR_VALUE);
	FXT_FAILS(make(graph, "Linear", "(3,)", "{}", &module), FX_ERR_TYPE);
	FXT_FAILS(make(graph, "Linear", "(3, 4)", "{'colour': 1}", &module),
		FX_ERR_TYPE);
	FXT_FAILS(make(graph, "Linear", "(-3, 4)", "{}", &module),
		FX_ERR_VALUE);
	FXT_FAILS(make(graph, "Linear", "('a', 4)", "{}", &module),
		FX_ERR_TYPE);
	FXT_FAILS(make(graph, "Linear", "(1000000000, 1000000000000)", "{}",
			  &module),
		FX_ERR_LIMIT);
	FXT_FAILS(make(graph, "NoSuch", "()", "{}", &module), FX_ERR_NO_NAME);
}

/* The opcodes, targets and arguments of what CLASS_NAME called with INPUT
 * expands to, as a listing.
 */
static void
check_fragment(const char *class_name, const char *args, const char *input,
	const char *expected)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_EXPANDER struct fx_expander *expander = fx_expander_new();
	const struct fx_decomposition *fragment;
	struct fx_value call = fxt_read_value(arena, input);
	struct fx_value none = fx_value_none();
	struct fx_module *module;
	struct fx_node *node;

	FXT_OK(make(graph, class_name, args, "{}", &module));
	module->training = false;
	FXT_OK(fx_decompose_module(expander, module, &call, &none, &fragment));
	fx_graph_for_each_node (node, fragment->graph) {
		if (node->opcode != FX_OPCODE_CALL_FUNCTION &&
			node->opcode != FX_OPCODE_CALL_METHOD)
			continue;
		fx_buf_addf(&out, "%s", node->target);
		fx_value_print_as(&out, &node->args, FX_STYLE_CODE);
		fx_buf_add_char(&out, ';');
	}
	FXT_SAME(fx_buf_text(&out), expected);
}

static void
layers_expand_to_what_tracing_them_prints(void)
{
	check_fragment("Linear", "(4, 5)", "(tensor('f32[2, 4]'),)",
		"torch._C._nn.linear(input_0, weight, bias);");
	check_fragment("Linear", "(4, 5, False)", "(tensor('f32[2, 4]'),)",
		"torch._C._nn.linear(input_0, weight, None);");
	check_fragment("Conv2d", "(3, 8, 3)", "(tensor('f32[1, 3, 8, 8]'),)",
		"torch.conv2d(input_0, weight, bias, (1, 1), (0, 0), (1, 1), "
		"1);");
	check_fragment("Flatten", "()", "(tensor('f32[2, 4]'),)",
		"flatten(input_0, 1, -1);");
	check_fragment("Identity", "()", "(tensor('f32[2, 4]'),)", "");
	/* The rank decides the dimension of softmax. */
	check_fragment("Softmax", "()", "(tensor('f32[2, 4, 5]'),)",
		"torch.nn.functional.softmax(input_0, 0);");
	check_fragment("Softmax", "()", "(tensor('f32[2, 4]'),)",
		"torch.nn.functional.softmax(input_0, 1);");
}

static void
a_fragment_is_kept_by_kind_not_by_size(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_EXPANDER struct fx_expander *expander = fx_expander_new();
	struct fx_value none = fx_value_none();
	struct fx_value small = fxt_read_value(arena, "(tensor('f32[2, 4]'),)");
	struct fx_value large =
		fxt_read_value(arena, "(tensor('f32[20, 4]'),)");
	struct fx_value deep =
		fxt_read_value(arena, "(tensor('f32[1, 2, 4]'),)");
	const struct fx_decomposition *fragments[4];
	struct fx_module *module;

	FXT_OK(make(graph, "Dropout", "()", "{}", &module));
	FXT_OK(fx_decompose_module(expander, module, &small, &none,
		&fragments[0]));
	FXT_OK(fx_decompose_module(expander, module, &large, &none,
		&fragments[1]));
	FXT_OK(fx_decompose_module(expander, module, &deep, &none,
		&fragments[2]));
	module->training = !module->training;
	FXT_OK(fx_decompose_module(expander, module, &small, &none,
		&fragments[3]));
	FXT_EQ(fragments[0], fragments[1]);
	FXT_IS(fragments[0], !=, fragments[2]);
	FXT_IS(fragments[0], !=, fragments[3]);
}

static const struct fx_decomposition *
expand_dropout(struct fx_expander *expander, const char *args)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	struct fx_value none = fx_value_none();
	struct fx_value input = fxt_read_value(arena, "(tensor('f32[2, 4]'),)");
	const struct fx_decomposition *fragment;
	struct fx_module *module;

	FXT_OK(make(graph, "Dropout", args, "{}", &module));
	FXT_OK(fx_decompose_module(expander, module, &input, &none, &fragment));
	return fragment;
}

static void
a_fragment_serves_all_modules_that_are_alike(void)
{
	FX_AUTO_EXPANDER struct fx_expander *expander = fx_expander_new();
	const struct fx_decomposition *first = expand_dropout(expander, "()");

	/* Its graph is gone, and the next module may lie where it lay. */
	FXT_EQ(expand_dropout(expander, "()"), first);
	FXT_IS(expand_dropout(expander, "(0.25,)"), !=, first);
}

static void
an_unknown_class_is_unsupported_not_wrong(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_EXPANDER struct fx_expander *expander = fx_expander_new();
	struct fx_value none = fx_value_none();
	struct fx_value args = fxt_read_value(arena, "(tensor('f32[2, 4]'),)");
	const struct fx_decomposition *fragment;
	struct fx_module *bare = fx_module_new(graph, "torch.nn.Linear");

	FXT_FAILS(fx_decompose_module(expander,
			  fx_module_new(graph, "mine.Odd"), &args, &none,
			  &fragment),
		FX_ERR_UNSUPPORTED);
	/* A layer without its configuration says what is missing. */
	FXT_FAILS(fx_decompose_module(expander, bare, &args, &none, &fragment),
		FX_ERR_UNSUPPORTED);
}

static void
wrong_ranks_are_the_layers_own_refusal(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_EXPANDER struct fx_expander *expander = fx_expander_new();
	struct fx_value none = fx_value_none();
	struct fx_value args = fxt_read_value(arena, "(tensor('f32[2, 4]'),)");
	const struct fx_decomposition *fragment;
	struct fx_module *module;

	FXT_OK(make(graph, "BatchNorm2d", "(4,)", "{}", &module));
	FXT_FAILS(fx_decompose_module(expander, module, &args, &none,
			  &fragment),
		FX_ERR_VALUE);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_layer_is_made_from_its_arguments),
		FXT_CASE(constructors_refuse_as_torch_does),
		FXT_CASE(layers_expand_to_what_tracing_them_prints),
		FXT_CASE(a_fragment_is_kept_by_kind_not_by_size),
		FXT_CASE(a_fragment_serves_all_modules_that_are_alike),
		FXT_CASE(an_unknown_class_is_unsupported_not_wrong),
		FXT_CASE(wrong_ranks_are_the_layers_own_refusal),
	};

	return fxt_run("expand", cases, FX_ARRAY_LEN(cases));
}
