/* test_eval.c - expressions and queries, as a person types them. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/edit.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "run/eval.h"
#include "session/session_private.h"
#include "tests/support/append.h"
#include "tests/support/session_text.h"
#include "tests/support/unit.h"

#define WORLD(text) \
	__attribute__((cleanup(fxt_world_free))) struct fxt_world w = \
		fxt_world_prepared(text, add_modules)

static const char net[] = "class Net(torch.nn.Module):\n"
			  "    def forward(self, x : \"f32[2, 3]\"):\n"
			  "        layer1_conv = self.layer1.conv(x)\n"
			  "        layer1_bn1 = self.layer1.bn1(layer1_conv)\n"
			  "        layer10 = self.layer10(layer1_bn1)\n"
			  "        add = layer10 + x\n"
			  "        softmax = torch.softmax(add, dim = -1)\n"
			  "        split = torch.split(softmax, 1)\n"
			  "        getitem = split[0]\n"
			  "        view = getitem.view(-1, 3)\n"
			  "        return view\n";

/* layer1 (conv, bn1), layer10 and the buffer w, as a file would have them. */
static void
add_modules(struct fx_graph *graph)
{
	static const int64_t sizes[] = { 4, 3 };
	struct fx_module *root = graph->module;
	struct fx_module *layer = fx_module_new(graph, "torch.nn.Sequential");
	struct fx_module *relu[3];
	struct fx_tensor *w =
		fx_tensor_new(graph, FX_DTYPE_F32, sizes, 2, NULL);

	for (int i = 0; i < 3; i++) {
		struct fx_value items[2] = { fx_value_string("inplace"),
			fx_value_bool(i == 1) };

		relu[i] = fx_module_new(graph,
			"torch.nn.modules.activation.ReLU");
		relu[i]->is_leaf = true;
		relu[i]->training = true;
		relu[i]->config = fx_value_dict(graph->permanent, items, 1);
	}
	w->is_buffer = true;
	fx_module_add_child(layer, "conv", relu[0]);
	fx_module_add_child(layer, "bn1", relu[1]);
	fx_module_add_child(root, "layer1", layer);
	fx_module_add_child(root, "layer10", relu[2]);
	fx_module_add_tensor(root, "w", w);
}

static void
run_all(struct fxt_world *w)
{
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };

	CU_ASSERT(fxt_ok(fx_position_run(w->session, w->model, NULL, &stop)));
}

struct example {
	const char *text;
	const char *says;
};

static void
check_all(struct fxt_world *w, const struct example *examples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!fxt_same(fxt_print(w, examples[i].text),
			    examples[i].says)) {
			printf("  for: %s\n", examples[i].text);
			CU_FAIL();
		}
}

static void
plain_values_follow_python(void)
{
	static const struct example examples[] = {
		{ "1 + 2 * 3", "7" },
		{ "-7 // 2", "-4" },
		{ "-7 % 3", "2" },
		{ "2 ** 100", "1267650600228229401496703205376" },
		{ "True + 1", "2" },
		{ "1 / 4", "0.25" },
		{ "1 < 2 < 3", "True" },
		{ "1 < 2 > 3", "False" },
		{ "0 or 'a'", "'a'" },
		{ "[] and 1", "[]" },
		{ "not []", "True" },
		{ "3 if 1 > 2 else 4", "4" },
		{ "(1, 2)[1]", "2" },
		{ "[1, 2, 3][-2:]", "[2, 3]" },
		{ "(1,)", "(1,)" },
		{ "[1, 2, 3][5]",
			"error: index 5 is out of range: the list has 3 "
			"items" },
		{ "'abc'[1]", "'b'" },
		{ "{'a': 1}['a']", "1" },
		{ "2 in [1, 2]", "True" },
		{ "'b' not in 'abc'", "False" },
		{ "len([1, 2])", "2" },
		{ "max(3, 4)", "4" },
		{ "math.sqrt(16)", "4.0" },
		{ "math.pi", "3.141592653589793" },
		{ "torch.float32", "torch.float32" },
		{ "None is None", "True" },
		{ "1 == 1.0", "True" },
		{ "(1, 2) == [1, 2]", "False" },
		{ "1j * 1j", "(-1+0j)" },
		{ "'a' 'b' + \"c\"", "'abc'" },
		{ "~5", "-6" },
		{ "1 << 3 | 1", "9" },
		{ "", "error: expected a value, found the end (column 1)" },
	};
	WORLD(net);

	check_all(&w, examples, FX_ARRAY_LEN(examples));
}

static void
nodes_paths_and_attributes_are_found_in_order(void)
{
	static const struct example examples[] = {
		{ "x", "f32[2,3]" },
		{ "%add.shape", "torch.Size([2, 3])" },
		{ "add.shape[1]", "3" },
		{ "%add.op", "'call_function'" },
		{ "add.target", "'operator.add'" },
		{ "%add.args", "(%layer10, %x)" },
		{ "%add.args[1].users", "{%layer1_conv, %add}" },
		{ "%softmax.kwargs", "{'dim': -1}" },
		{ "%softmax.kwargs.dim", "-1" },
		{ "%x.users", "{%layer1_conv, %add}" },
		{ "len(%x.users)", "2" },
		{ "%add in %x.users", "True" },
		{ "%view in %x.users", "False" },
		{ "%layer1_conv.scope", "'layer1.conv'" },
		{ "w", "f32[4,3]" },
		{ "self.w.shape", "torch.Size([4, 3])" },
		{ "layer1.bn1.inplace", "True" },
		{ "getattr(self, \"layer10\").training", "True" },
		{ "layer1.conv", "ReLU()" },
		{ "%split.0", "f32[1,3]" },
		{ "%split[1].shape", "torch.Size([1, 3])" },
		{ "@4.name", "'add'" },
		{ ".-1.name", "'output'" },
		{ "%x is %x", "True" },
		{ "%x is %add", "False" },
		{ "%x is None", "False" },
		{ "ad", "error: no node \"ad\" in net" },
		{ "@99", "error: no node @99 in net: it has 10 nodes" },
		{ "layer1.nothing",
			"error: layer1 has no child, parameter, buffer or "
			"attribute \"nothing\"" },
		{ "$3", "error: the value history is empty" },
		{ "$q", "error: there is no variable $q" },
	};
	WORLD(net);

	run_all(&w);
	check_all(&w, examples, FX_ARRAY_LEN(examples));
}

static void
a_shape_is_known_before_running_but_a_value_is_not(void)
{
	WORLD(net);

	FXT_SAME(fxt_print(&w, "add.shape"), "torch.Size([2, 3])");
	FXT_SAME(fxt_print(&w, "add"),
		"error: net has not been run; use \"start\" or \"run\"");
	FXT_SAME(fxt_print(&w, "."),
		"error: net has not been run; use \"start\" or \"run\"");
}

static void
calls_look_among_functions_first(void)
{
	static const struct example examples[] = {
		{ "torch.relu(add)", "f32[2,3]" },
		{ "relu(add).shape", "torch.Size([2, 3])" },
		{ "softmax(add, dim=1)", "f32[2,3]" },
		{ "add + 1", "f32[2,3]" },
		{ "add.dim()", "2" },
		{ "numel(add)", "6" },
		{ "shape(add)", "torch.Size([2, 3])" },
		{ "count{op=call_module}", "3" },
		{ "count{op=call_module} = 3",
			"error: expected an operator or the end after \"}\", "
			"found \"=\" (column 23)" },
		{ "layer10(1)",
			"error: %layer10 is a node and cannot be called" },
		{ "torch.rleu(add)",
			"error: no function \"torch.rleu\" is known" },
		{ "absmax(add)", "error: absmax needs values; the meta backend "
				 "computes shapes and dtypes only" },
		{ "len()", "error: len is called with 0 arguments; it is "
			   "len(x)" },
		{ "lambda: 1", "error: lambda is not part of the debugger's "
			       "expressions" },
		{ "1(2)", "error: a int cannot be called" },
	};
	WORLD(net);

	run_all(&w);
	check_all(&w, examples, FX_ARRAY_LEN(examples));
}

static void
conditions_take_one_equal_sign(void)
{
	bool truth = false;
	WORLD(net);

	CU_ASSERT(fxt_ok(fx_resolve_condition(w.session, w.model,
		"count{op=call_module} = 3 and 2 in [1,2]", &truth)));
	CU_ASSERT(truth);
	run_all(&w);
	FXT_FAILS(fx_resolve_condition(w.session, w.model, "add > 1", &truth),
		FX_ERR_NOT_KNOWN);
}

static const struct example queries[] = {
	{ "{op=call_module}", "layer1_conv layer1_bn1 layer10" },
	{ "op=call_module and in layer1", "layer1_conv layer1_bn1" },
	{ "{op=call_module and in layer1 and not "
	  "target~\"*.bn*\"}",
		"layer1_conv" },
	{ "not in layer1 and op != placeholder and op != output",
		"layer10 add softmax split getitem view" },
	{ "target~softmax", "softmax" },
	{ "target~\"torch.*\"", "softmax split" },
	{ "name~r\"^layer1_\"", "layer1_conv layer1_bn1" },
	{ "name~r\"\\d$\"", "layer1_bn1 layer10" },
	{ "target=operator.add", "add" },
	{ "module=ReLU", "layer1_conv layer1_bn1 layer10" },
	{ "module=nn.ReLU and users=1", "layer1_conv layer1_bn1 layer10" },
	{ "users>1", "x" },
	{ "users=0", "output" },
	{ "inputs>=2", "add" },
	{ "inputs=%x", "layer1_conv add" },
	{ "dtype=f32 and op=call_method", "view" },
	{ "shape=[2,3] and op=placeholder", "x" },
	{ "shape=[*,3] and op=placeholder", "x" },
	{ "shape=[*,4]", "" },
	{ "@2:@4", "layer1_bn1 layer10 add" },
	{ "@4,@2", "layer1_bn1 layer10 add" },
	{ "users(%x)", "layer1_conv add" },
	{ "up(%add, 1)", "x layer10 add" },
	{ "down(getitem)", "getitem view output" },
	{ "path(x, softmax)", "x add softmax" },
	{ "name in (add, view)", "add view" },
	{ "layer1", "layer1_conv layer1_bn1" },
	{ "layer1.bn1", "layer1_bn1" },
	{ "%add", "add" },
	{ "add", "add" },
	{ "pass=origin and op=output", "output" },
	{ "tagged", "view" },
	{ "", "x layer1_conv layer1_bn1 layer10 add softmax split "
	      "getitem view output" },
	{ "op=cal_module", "error: query: \"cal_module\" is no "
			   "opcode" },
	{ "name~r\"(\"", "error: query: regular expression r\"(\": Unmatched ( "
			 "or \\(" },
	{ "name~r\"(a{999}){999}\"",
		"error: query: the regular expression repeats more "
		"than 2000 times" },
	{ "name~r\"(a)\\1\"",
		"error: query: regular expression r\"(a)\\1\": back "
		"references are not supported" },
	{ "nothing", "error: no node \"nothing\" in net" },
};

static void
queries_select_nodes(void)
{
	WORLD(net);

	fx_map_set(&w.model->tags, (uintptr_t)fxt_node(&w, "view")->id, 1);
	for (size_t i = 0; i < FX_ARRAY_LEN(queries); i++)
		if (!fxt_same(fxt_select(&w, queries[i].text),
			    queries[i].says)) {
			printf("  for: %s\n", queries[i].text);
			CU_FAIL();
		}
	/* The last set is $_. */
	CU_ASSERT_PTR_NOT_NULL(fxt_select(&w, "{op=call_method}"));
	FXT_SAME(fxt_print(&w, "$_"), "{%view}");
	FXT_SAME(fxt_print(&w, "len($_) == 1"), "True");
	FXT_SAME(fxt_select(&w, "$_ or add"), "add view");
}

static void
scopes_narrow_paths(void)
{
	const char *path = NULL;
	WORLD(net);

	CU_ASSERT(fxt_ok(fx_resolve_scope(w.model, "layer1", &path)));
	fx_model_set_scope(w.model, path);
	CU_ASSERT(fxt_ok(fx_resolve_scope(w.model, "bn1", &path)));
	FXT_SAME(path, "layer1.bn1");
	FXT_SAME(fxt_select(&w, "in bn1"), "layer1_bn1");
	FXT_SAME(fxt_print(&w, "bn1.inplace"), "True");
	CU_ASSERT(fxt_ok(fx_resolve_scope(w.model, "..", &path)));
	FXT_SAME(path, "");
	FXT_FAILS(fx_resolve_scope(w.model, "layer9", &path), FX_ERR_NO_MODULE);
}

static void
sets_know_set_operators(void)
{
	static const struct example examples[] = {
		{ "users(%x) & down(%add, 0)", "{%add}" },
		{ "users(%x) - down(%add, 0)", "{%layer1_conv}" },
		{ "down(%view, 0) | users(%x)", "{%layer1_conv, %add, %view}" },
		{ "users(%x)[0]", "%layer1_conv" },
		{ "users(%x)[0].target", "'layer1.conv'" },
		{ "users(%x) == users(%x)", "True" },
		{ "users(%x) > 1", "True" },
		{ "users(%x).shape", "error: a set of nodes has no attribute "
				     "\"shape\"" },
	};
	WORLD(net);

	check_all(&w, examples, FX_ARRAY_LEN(examples));
}

static void
an_error_points_at_its_place(void)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err;
	struct fx_span span;
	WORLD(net);

	run_all(&w);
	err = fx_resolve_expression(w.session, w.model, "1 + addd + 2", false,
		&datum);
	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	span = fx_error_span(err);
	FXT_EQ(span.begin, 4);
	FXT_EQ(span.end, 8);
	FXT_SAME(fx_error_note_text(err, 0), "nearest: add");
	fx_error_free(err);
}

static void
long_chains_are_refused_or_read_without_overflow(void)
{
	FX_AUTO_BUF struct fx_buf sum = { 0 };
	FX_AUTO_BUF struct fx_buf chain = { 0 };
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	WORLD(net);

	fx_buf_add(&sum, "1");
	fx_buf_add(&chain, "x");
	for (int i = 0; i < 50000; i++) {
		fx_buf_add(&sum, " + 1");
		fx_buf_add(&chain, ".T");
	}
	FXT_FAILS(fx_resolve_expression(w.session, w.model, fx_buf_text(&sum),
			  false, &datum),
		FX_ERR_LIMIT);
	FXT_FAILS(fx_resolve_expression(w.session, w.model, fx_buf_text(&chain),
			  false, &datum),
		FX_ERR_LIMIT);
}

static void
a_query_over_many_nodes_is_linear(void)
{
	FX_AUTO_FREE size_t *positions = NULL;
	struct fx_session *session = fx_session_new();
	struct fx_model *model = fx_session_add_graph(session,
		fxt_chain(100000), "chain", "test");
	size_t count = 0;
	clock_t began = clock();

	CU_ASSERT(fxt_ok(fx_resolve_set(session, model,
		"op=call_function and target~relu and users=1 and "
		"name~r\"5$\" and not dtype=i64",
		&positions, &count)));
	FXT_EQ(count, 10000);
	FXT_IS((double)(clock() - began) / CLOCKS_PER_SEC, <, 0.5);
	fx_session_free(session);
}

struct offered {
	struct fx_buf text;
};

static void
collect(void *context, const char *text)
{
	struct offered *offered = context;

	fx_buf_addf(&offered->text, "%s ", text);
}

static void
completion_offers_what_begins_so(void)
{
	struct offered offered = { .text = { 0 } };
	WORLD(net);

	fx_resolve_complete(w.session, w.model,
		&(struct fx_completion){ FX_COMPLETE_NODES | FX_COMPLETE_PATHS,
			"layer1", collect, &offered });
	FXT_SAME(fx_buf_text(&offered.text),
		"layer1_conv layer1_bn1 layer10 layer1 layer1. "
		"layer1. layer10 ");
	fx_buf_clear(&offered.text);
	fx_resolve_complete(w.session, w.model,
		&(struct fx_completion){
			FX_COMPLETE_NODES, "%ad", collect, &offered });
	FXT_SAME(fx_buf_text(&offered.text), "%add ");
	fx_buf_deinit(&offered.text);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(plain_values_follow_python),
		FXT_CASE(nodes_paths_and_attributes_are_found_in_order),
		FXT_CASE(a_shape_is_known_before_running_but_a_value_is_not),
		FXT_CASE(calls_look_among_functions_first),
		FXT_CASE(conditions_take_one_equal_sign),
		FXT_CASE(queries_select_nodes),
		FXT_CASE(scopes_narrow_paths),
		FXT_CASE(sets_know_set_operators),
		FXT_CASE(an_error_points_at_its_place),
		FXT_CASE(long_chains_are_refused_or_read_without_overflow),
		FXT_CASE(a_query_over_many_nodes_is_linear),
		FXT_CASE(completion_offers_what_begins_so),
	};

	return fxt_run("eval", cases, FX_ARRAY_LEN(cases));
}
