/* test_load_modules.c - the module tree that the `__init__` of a to_folder
 * module makes, and what it cannot make.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "load/open.h"
#include "load/python.h"
#include "tests/support/read_text.h"
#include "tests/support/unit.h"

static void
the_repr_of_a_pickled_module_gives_its_tree(void)
{
	static const char text[] =
		"class Net(torch.nn.Module):\n"
		"    def __init__(self):\n"
		"        super().__init__()\n"
		"        setattr(self, 'net', torch.load(r'net.pt')) # "
		"ModuleList(   (0-2): 3 x Linear(in_features=2, "
		"out_features=3, bias=True)   (3): Sequential(     (act): "
		"Hardtanh(min_val=0.0, max_val=(6.0))   )   (4): "
		"MyOwn(a, b(c)) )\n"
		"        self.lost = torch.load(r'lost.pt')\n"
		"        self.width = 3\n"
		"    def forward(self, x):\n"
		"        return x\n";
	FX_AUTO_GRAPH struct fx_graph *graph =
		fxt_load(text, fx_load_python, NULL);

	fxt_check_member(graph, "net", "ModuleList");
	fxt_check_member(graph, "net.0", "Linear");
	fxt_check_member(graph, "net.2", "Linear");
	fxt_check_member(graph, "net.3", "Sequential");
	fxt_check_member(graph, "net.3.act", "Hardtanh");
	fxt_check_member(graph, "net.4", "MyOwn");
	fxt_check_member(graph, "lost", "Module");
	CU_ASSERT_PTR_NULL(fx_module_find(graph->module, "net.5"));
	CU_ASSERT_PTR_NULL(fx_module_find(graph->module, "width"));
}

/* The graph of a class whose __init__ has the LINE. */
static struct fx_graph *
graph_after(const char *line, struct fx_buf *notices)
{
	FX_AUTO_FREE char *text = fx_xasprintf("class Net(torch.nn.Module):\n"
					       "    def __init__(self):\n"
					       "        %s\n"
					       "    def forward(self, x):\n"
					       "        return x\n",
		line);

	return fxt_load(text, fx_load_python, notices);
}

static void
a_child_that_is_none_hides_none_after_it(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph =
		graph_after("self.net = torch.load(r'net.pt') # Net( (a): "
			    "None (b): ReLU() )",
			NULL);

	fxt_check_member(graph, "net.b", "ReLU");
	CU_ASSERT_PTR_NULL(fx_module_find(graph->module, "net.a"));
}

/* What holds parameters alone is printed so. */
static void
a_container_without_children_is_no_layer(void)
{
	FX_AUTO_BUF struct fx_buf notices = { 0 };
	FX_AUTO_GRAPH struct fx_graph *graph =
		graph_after("self.net = torch.load(r'net.pt') # Module()",
			&notices);

	fxt_check_member(graph, "net", "Module");
	FXT_SAME(fx_buf_text(&notices), "");
}

static void
a_repr_of_too_many_modules_is_cut(void)
{
	FX_AUTO_BUF struct fx_buf notices = { 0 };
	FX_AUTO_GRAPH struct fx_graph *none =
		graph_after("self.net = torch.load('net.pt') # Net( "
			    "(0-999999999999): )",
			&notices);
	FX_AUTO_GRAPH struct fx_graph *many =
		graph_after("self.net = torch.load('net.pt') # Net( "
			    "(0-999999999999): "
			    "9 x Net( (0-999999999): 9 x ReLU() ) )",
			&notices);

	FX_AUTO_GRAPH struct fx_graph *large =
		graph_after("self.net = torch.load('net.pt') # Net( "
			    "(9999999999999999999-9999999999999999999): "
			    "ReLU() )",
			NULL);

	fxt_check_member(none, "net", "Net");
	fxt_check_member(large, "net", "Net");
	fxt_check_member(many, "net.0.0", "ReLU");
	FXT_SAME(fx_buf_text(&notices),
		"__init__: a module that is described in a comment is too "
		"large to read\n");
}

static void
a_parameter_that_no_memory_holds_is_none(void)
{
	FX_AUTO_BUF struct fx_buf notices = { 0 };
	FX_AUTO_GRAPH struct fx_graph *graph =
		graph_after("self.w = "
			    "Parameter(torch.empty([4611686018427387904, 8]))",
			&notices);

	CU_ASSERT_PTR_NULL(fx_module_find_tensor(graph->module, "w"));
	FXT_SAME(fx_buf_text(&notices), "__init__: w is not understood\n");
}

static void
a_member_has_a_name_that_paths_can_have(void)
{
	FX_AUTO_BUF struct fx_buf notices = { 0 };
	FX_AUTO_GRAPH struct fx_graph *dot =
		graph_after("setattr(self, 'a.b', Linear(2, 3))", &notices);
	FX_AUTO_GRAPH struct fx_graph *none =
		graph_after("self.register_buffer('', torch.empty([2]))",
			&notices);
	FX_AUTO_GRAPH struct fx_graph *child =
		graph_after("self.net = torch.load('net.pt') # Net( (a.b): "
			    "ReLU() )",
			&notices);

	FXT_EQ(dot->module->member_count, 0);
	FXT_EQ(none->module->member_count, 0);
	fxt_check_member(child, "net", "Net");
	FXT_SAME(fx_buf_text(&notices),
		"__init__: no member is called \"a.b\"\n"
		"__init__: no member is called \"\"\n");
}

static void
what_init_computes_becomes_no_node(void)
{
	FX_AUTO_BUF struct fx_buf notices = { 0 };
	FX_AUTO_GRAPH struct fx_graph *graph =
		graph_after("self.net = Linear([torch.relu(1)], 2)", &notices);

	FXT_EQ(graph->node_count, 2);
	FXT_EQ(fx_graph_first(graph)->opcode, FX_OPCODE_PLACEHOLDER);
	FXT_SAME(fx_buf_text(&notices),
		"Linear: not constructed, a layer is made of plain values "
		"here, not of calls (line 3, column 28)\n");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(the_repr_of_a_pickled_module_gives_its_tree),
		FXT_CASE(a_child_that_is_none_hides_none_after_it),
		FXT_CASE(a_container_without_children_is_no_layer),
		FXT_CASE(a_repr_of_too_many_modules_is_cut),
		FXT_CASE(a_parameter_that_no_memory_holds_is_none),
		FXT_CASE(a_member_has_a_name_that_paths_can_have),
		FXT_CASE(what_init_computes_becomes_no_node),
	};

	return fxt_run("load modules", cases, FX_ARRAY_LEN(cases));
}
