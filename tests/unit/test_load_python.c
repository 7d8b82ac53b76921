/* test_load_python.c - generated code and listings read back.
 *
 * The dumps in tests/data/load were printed by torch.fx 1.13 for models of our
 * own (make_dumps.py there); those in the shared cases, when they are there,
 * by torch 2.13.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "emit/fx.h"
#include "emit/python.h"
#include "ir/clone.h"
#include "ir/graph.h"
#include "ir/graph_hash.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "load/folder.h"
#include "load/fx.h"
#include "load/open.h"
#include "load/python.h"
#include "tests/support/folder.h"
#include "tests/support/read_text.h"
#include "tests/support/unit.h"

static char *
data_path(const char *name)
{
	FX_AUTO_FREE char *path = fx_xasprintf("tests/data/load/%s", name);

	return fxt_source(path);
}

static char *
read_data(const char *path)
{
	char *text = NULL;
	size_t size;

	FXT_OK(fx_file_read(path, 0, &text, &size));
	return text ? text : fx_xstrdup("");
}

static char *
python_of(struct fx_graph *graph)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };

	fx_emit_python(&out, graph, NULL, NULL);
	return fx_buf_take(&out);
}

static char *
listing_of(struct fx_graph *graph)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };

	fx_emit_fx(&out, graph, NULL);
	return fx_buf_take(&out);
}

/* "opcode name target" a line. */
static char *
nodes_of(struct fx_graph *graph)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		fx_buf_addf(&out, "%s %s %s\n",
			fx_opcode_word((enum fx_opcode)node->opcode),
			node->name, node->target);
	return fx_buf_take(&out);
}

static const char *const models[] = { "shop", "inplace", "pair" };

static char *
read_model(const char *model, const char *suffix)
{
	FX_AUTO_FREE char *name = fx_xasprintf("%s%s", model, suffix);
	FX_AUTO_FREE char *path = data_path(name);

	return read_data(path);
}

static void
code_of_torch_113_is_read_and_written_the_same(void)
{
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(models); i++) {
		FX_AUTO_FREE char *text = read_model(models[i], ".code.py");
		FX_AUTO_FREE char *nodes = read_model(models[i], ".nodes.txt");
		FX_AUTO_GRAPH struct fx_graph *graph =
			fxt_load(text, fx_load_python, NULL);
		FX_AUTO_FREE char *again = python_of(graph);
		FX_AUTO_FREE char *got = nodes_of(graph);

		FXT_SAME(again, text);
		FXT_SAME(got, nodes);
		FXT_SAME(graph->dialect, "1.13");
	}
}

/* As torch 2.13 prints modules that are called so; 1.13 calls them conv_1. */
static void
names_of_torch_2_keep_their_zeros(void)
{
	static const char text[] =
		"\n\n\ndef forward(self, x):\n"
		"    conv_01 = self.conv_01(x);  x = None\n"
		"    conv_1 = self.conv_1(conv_01);  conv_01 = conv_1 = None\n"
		"    return 0\n    ";
	static const struct fx_node_spec spec = {
		.opcode = FX_OPCODE_CALL_MODULE, .target = "conv_002"
	};
	FX_AUTO_GRAPH struct fx_graph *graph =
		fxt_load(text, fx_load_python, NULL);
	FX_AUTO_GRAPH struct fx_graph *copy = fx_graph_clone(graph, 2, NULL);
	FX_AUTO_FREE char *again = python_of(graph);

	FXT_SAME(again, text);
	FXT_SAME(fx_graph_append(copy, &spec)->name, "conv_002");
	FXT_SAME(fx_graph_append(copy, &spec)->name, "conv_3");
}

static void
readable_text_of_torch_113_is_the_same_graph(void)
{
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(models); i++) {
		FX_AUTO_FREE char *code = read_model(models[i], ".code.py");
		FX_AUTO_FREE char *text = read_model(models[i], ".readable.py");
		FX_AUTO_GRAPH struct fx_graph *a =
			fxt_load(code, fx_load_python, NULL);
		FX_AUTO_GRAPH struct fx_graph *b =
			fxt_load(text, fx_load_python, NULL);

		CU_ASSERT(fx_hash_equal(fx_graph_text_hash(a),
			fx_graph_text_hash(b)));
	}
}

static void
listings_of_torch_113_are_read_and_written_the_same(void)
{
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(models); i++) {
		FX_AUTO_FREE char *text = read_model(models[i], ".listing.txt");
		FX_AUTO_FREE char *nodes = read_model(models[i], ".nodes.txt");
		FX_AUTO_GRAPH struct fx_graph *graph =
			fxt_load(text, fx_load_fx, NULL);
		FX_AUTO_FREE char *again = listing_of(graph);
		FX_AUTO_FREE char *got = nodes_of(graph);

		FXT_SAME(again, text);
		FXT_SAME(got, nodes);
		FXT_SAME(graph->dialect, "1.13");
	}
}

static void
a_folder_gives_the_module_tree(void)
{
	FX_AUTO_FREE char *path = data_path("shop_folder");
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct fx_graph *graph;
	const struct fx_tensor *tensor;

	FXT_OK(fx_load_folder(path, 1, &loaded));
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	graph = loaded.graph;
	FXT_SAME(graph->class_name, "Shop");
	fxt_check_member(graph, "stem", "Conv2d");
	fxt_check_member(graph, "blocks", "Module");
	fxt_check_member(graph, "blocks.0", "Module");
	fxt_check_member(graph, "blocks.1.norm", "BatchNorm2d");
	fxt_check_member(graph, "head", "Linear");
	tensor = fx_module_find_tensor(graph->module, "scale");
	CU_ASSERT_PTR_NOT_NULL_FATAL(tensor);
	FXT_EQ(tensor->rank, 3);
	CU_ASSERT_FALSE(tensor->is_buffer);
	CU_ASSERT(tensor->requires_grad);
	tensor = fx_module_find_tensor(graph->module, "shift");
	CU_ASSERT_PTR_NOT_NULL_FATAL(tensor);
	CU_ASSERT(tensor->is_buffer);
	tensor = fx_module_find_tensor(graph->module, "blocks.1.conv.weight");
	CU_ASSERT_PTR_NOT_NULL_FATAL(tensor);
	FXT_EQ_FATAL(tensor->rank, 4);
	FXT_EQ(tensor->sizes[0], 4);
	FXT_EQ(tensor->sizes[3], 3);
	tensor = fx_module_find_tensor(graph->module,
		"blocks.0.norm.running_var");
	CU_ASSERT_PTR_NOT_NULL_FATAL(tensor);
	CU_ASSERT(tensor->is_buffer);
	CU_ASSERT_PTR_NOT_NULL(strstr(loaded.notices.data, "weights"));
}

static void
verbose_code_has_shapes_sources_and_inner_graphs(void)
{
	static const char text[] =
		"class Outer(torch.nn.Module):\n"
		"    def forward(self, x: \"f32[s0, 3][3, 1]cpu\"):\n"
		"        # File: /m/a b.py:12 in forward, code: y = x + 1, 2\n"
		"        add: \"f32[s0, 3][3, 1]cpu\" = x + 1\n"
		"        body = self.body\n"
		"\n"
		"        # No stacktrace found for following nodes\n"
		"        n: \"Sym(s0)\" = torch.ops.aten.sym_size.int(x, 0)\n"
		"        return (add, body, n)\n"
		"\n"
		"    class body(torch.nn.Module):\n"
		"        def forward(self, a: \"i64[]\"):\n"
		"            return (a,)\n";
	FX_AUTO_GRAPH struct fx_graph *graph =
		fxt_load(text, fx_load_python, NULL);
	struct fx_node *add = fx_graph_find(graph, "add");
	struct fx_node *n = fx_graph_find(graph, "n");
	struct fx_module *body = fx_module_find(graph->module, "body");
	FX_AUTO_BUF struct fx_buf shape = { 0 };

	CU_ASSERT_PTR_NOT_NULL_FATAL(add->meta);
	fx_value_print_shape(&shape, add->meta, true);
	FXT_SAME(fx_buf_text(&shape), "f32[s0, 3]");
	CU_ASSERT_PTR_NOT_NULL_FATAL(add->source);
	FXT_SAME(add->source->frames[0].file, "/m/a b.py");
	FXT_EQ(add->source->frames[0].line, 12);
	FXT_SAME(add->source->frames[0].function, "forward");
	FXT_SAME(add->source->frames[0].text, "y = x + 1, 2");
	CU_ASSERT_PTR_NOT_NULL(fx_graph_find(graph, "body")->source);
	CU_ASSERT_PTR_NULL(n->source);
	FXT_EQ(n->meta->kind, FX_VALUE_SYMBOL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(body);
	CU_ASSERT_PTR_NOT_NULL_FATAL(body->graph);
	FXT_EQ(body->graph->node_count, 2);
	FXT_IS(fx_graph_first(body->graph)->id, !=, fx_graph_first(graph)->id);
	FXT_SAME(graph->dialect, "2.x");
}

static void
check_code(const char *text, const char *expected)
{
	FX_AUTO_GRAPH struct fx_graph *graph =
		fxt_load(text, fx_load_python, NULL);
	FX_AUTO_FREE char *got = nodes_of(graph);

	FXT_SAME(got, expected);
}

static void
nested_code_is_named_as_tracing_would(void)
{
	check_code("def forward(self, x, y):\n"
		   "    z = F.relu(x + y[:, 0]).view(-1, x.shape[0])\n"
		   "    a, b = z.chunk(2)\n"
		   "    z += self.lin(a) @ b.T\n"
		   "    x[0] = z\n"
		   "    c = d = z\n"
		   "    k = -2\n"
		   "    return (c ** k, d)\n",
		"placeholder x x\n"
		"placeholder y y\n"
		"call_function getitem operator.getitem\n"
		"call_function add operator.add\n"
		"call_function relu torch.nn.functional.relu\n"
		"call_function getattr_1 builtins.getattr\n"
		"call_function getitem_1 operator.getitem\n"
		"call_method z view\n"
		"call_method chunk chunk\n"
		"call_function a operator.getitem\n"
		"call_function b operator.getitem\n"
		"call_module lin lin\n"
		"call_function getattr_2 builtins.getattr\n"
		"call_function matmul operator.matmul\n"
		"call_function iadd operator.iadd\n"
		"call_function setitem operator.setitem\n"
		"call_function pow_1 operator.pow\n"
		"output output output\n");
}

static void
paths_of_modules_and_attributes_are_told_from_methods(void)
{
	check_code("def forward(self, x):\n"
		   "    a = getattr(getattr(self.layers, \"0\"), \"1\")(x)\n"
		   "    w = getattr(self.layers, \"0\").weight\n"
		   "    z = getattr(self, \"0\")\n"
		   "    s = getattr(x, 'a b')\n"
		   "    v = x.view(s)\n"
		   "    c = getattr(v, \"class\")(2)\n"
		   "    n = len(v)\n"
		   "    i = isinstance(v, device)\n"
		   "    return a\n",
		"placeholder x x\n"
		"call_module a layers.0.1\n"
		"get_attr w layers.0.weight\n"
		"get_attr z 0\n"
		"call_function s builtins.getattr\n"
		"call_method v view\n"
		"call_method c class\n"
		"call_function n builtins.len\n"
		"call_function i builtins.isinstance\n"
		"output output output\n");
}

static void
torchs_wrong_power_is_read_as_it_was_meant(void)
{
	FX_AUTO_BUF struct fx_buf notices = { 0 };
	FX_AUTO_GRAPH struct fx_graph *graph =
		fxt_load("def forward(self, x):\n"
			 "    pow_1 = -2 ** x;  x = None\n"
			 "    y = -3 ** pow_1\n"
			 "    return y\n",
			fx_load_python, &notices);
	FX_AUTO_FREE char *nodes = nodes_of(graph);

	FXT_SAME(nodes, "placeholder x x\n"
			"call_function pow_1 operator.pow\n"
			"call_function pow_2 operator.pow\n"
			"call_function y operator.neg\n"
			"output output output\n");
	FXT_SAME(fx_buf_text(&notices),
		"pow_1: read as (-2) ** ..., which torch.fx prints without "
		"parentheses\n");
}

static void
strings_without_quotes_are_guessed_and_said(void)
{
	static const char text[] =
		"graph():\n"
		"    %x : [num_users=3] = placeholder[target=x]"
		"(default=(1, 'a'))\n"
		"    %f : [num_users=0] = call_function[target=torch.f](args = "
		"(%x, a, b, , c] {, %d, cpu, 1e-05, 007, (x), [a\nb], "
		"slice(x, None, None), {k: %x, 2: 'q'}, (1+2j), (1,)), "
		"kwargs = {s: }})\n"
		"    %e : [num_users=0] = call_function[target=torch.e](args = "
		"(%x, ), kwargs = {})\n"
		"    return x";
	FX_AUTO_BUF struct fx_buf notices = { 0 };
	FX_AUTO_GRAPH struct fx_graph *graph =
		fxt_load(text, fx_load_fx, &notices);
	FX_AUTO_FREE char *again = listing_of(graph);

	FXT_SAME(again, text);
	CU_ASSERT_PTR_NOT_NULL(strstr(fx_buf_text(&notices), "read as text"));
	FXT_EQ(fx_graph_find(graph, "x")->user_count, 3);
}

/* Each set was tried as a dict that went on to the end: for ever. */
static void
sets_in_a_listing_are_read_in_time(void)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_add(&text,
		"graph():\n    %f : [num_users=0] = "
		"call_function[target=torch.f](args = (), kwargs = {");
	for (int i = 0; i < 1000; i++)
		fx_buf_addf(&text, "k%d: {y}, ", i);
	fx_buf_add(&text, "k: 1})\n    return None");
	{
		FX_AUTO_GRAPH struct fx_graph *graph =
			fxt_load(fx_buf_text(&text), fx_load_fx, NULL);
		FX_AUTO_FREE char *again = listing_of(graph);

		FXT_SAME(again, fx_buf_text(&text));
	}
}

/* What the index says of the graph NAME; the caller frees it. */
static char *
index_nodes(json_t *graphs, const char *name)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	json_t *nodes = json_object_get(json_object_get(graphs, name), "nodes");
	json_t *node;
	size_t i;

	json_array_foreach(nodes, i, node)
		fx_buf_addf(&out, "%s\n", json_string_value(node));
	return fx_buf_take(&out);
}

/* The graphs of child modules, by the index's own tree. */
static void
check_children(struct fx_graph *graph, json_t *graphs, const char *name)
{
	json_t *children =
		json_object_get(json_object_get(graphs, name), "modules");
	const char *path;
	json_t *child;

	json_object_foreach(children, path, child)
	{
		struct fx_module *module = fx_module_find(graph->module, path);
		FX_AUTO_FREE char *wanted =
			index_nodes(graphs, json_string_value(child));
		FX_AUTO_FREE char *got = NULL;

		CU_ASSERT_PTR_NOT_NULL_FATAL(module);
		CU_ASSERT_PTR_NOT_NULL_FATAL(module->graph);
		got = nodes_of(module->graph);
		FXT_SAME(got, wanted);
		check_children(module->graph, graphs, json_string_value(child));
	}
}

static void
check_index(const char *folder, json_t *file, json_t *graphs)
{
	const char *kind = json_string_value(json_object_get(file, "kind"));
	json_t *names = json_object_get(file, "graphs");
	const char *name = json_string_value(json_array_get(names, 0));
	FX_AUTO_FREE char *path = fx_xasprintf("%s/%s%s", folder,
		json_string_value(json_object_get(file, "file")),
		!strcmp(kind, "folder") ? "/module.py" : "");
	FX_AUTO_FREE char *text = read_data(path);
	bool is_listing = !strcmp(kind, "listing");
	FX_AUTO_GRAPH struct fx_graph *graph =
		fxt_load(text, is_listing ? fx_load_fx : fx_load_python, NULL);
	FX_AUTO_FREE char *got = nodes_of(graph);
	FX_AUTO_FREE char *again =
		is_listing ? listing_of(graph) : python_of(graph);
	FX_AUTO_FREE char *wanted = index_nodes(graphs, name);

	FXT_SAME(got, wanted);
	if (!is_listing)
		check_children(graph, graphs, name);
	if (is_listing || !strcmp(kind, "code")) {
		FXT_SAME(again, text);
	} else {
		FX_AUTO_GRAPH struct fx_graph *second =
			fxt_load(again, fx_load_python, NULL);

		CU_ASSERT(fx_hash_equal(fx_graph_text_hash(graph),
			fx_graph_text_hash(second)));
	}
}

/* Every dump in the shared cases that is code, readable or a listing. */
static void
dumps_of_torch_213_are_as_their_index_says(void)
{
	const char *cases = getenv("FXDB_CASES");
	FX_AUTO_FREE char *folder =
		fx_xasprintf("%s/dumps213", cases ? cases : "");
	FX_AUTO_FREE char *path = fx_xasprintf("%s/index.json", folder);
	json_t *index = json_load_file(path, 0, NULL);
	json_t *file;
	size_t count = 0;
	size_t i;

	if (!index)
		FXT_SKIP("the shared cases are not there");
	json_array_foreach(json_object_get(index, "files"), i, file)
	{
		const char *kind =
			json_string_value(json_object_get(file, "kind"));

		if (strcmp(kind, "code") != 0 && strcmp(kind, "listing") != 0 &&
			strcmp(kind, "readable") != 0 &&
			strcmp(kind, "folder") != 0 &&
			strcmp(kind, "exported") != 0)
			continue;
		check_index(folder, file, json_object_get(index, "graphs"));
		count++;
	}
	FXT_IS(count, >=, 24);
	json_decref(index);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(code_of_torch_113_is_read_and_written_the_same),
		FXT_CASE(names_of_torch_2_keep_their_zeros),
		FXT_CASE(readable_text_of_torch_113_is_the_same_graph),
		FXT_CASE(listings_of_torch_113_are_read_and_written_the_same),
		FXT_CASE(a_folder_gives_the_module_tree),
		FXT_CASE(verbose_code_has_shapes_sources_and_inner_graphs),
		FXT_CASE(nested_code_is_named_as_tracing_would),
		FXT_CASE(paths_of_modules_and_attributes_are_told_from_methods),
		FXT_CASE(torchs_wrong_power_is_read_as_it_was_meant),
		FXT_CASE(strings_without_quotes_are_guessed_and_said),
		FXT_CASE(sets_in_a_listing_are_read_in_time),
		FXT_CASE(dumps_of_torch_213_are_as_their_index_says),
	};

	return fxt_run("load python", cases, FX_ARRAY_LEN(cases));
}
