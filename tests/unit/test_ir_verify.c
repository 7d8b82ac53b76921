/* test_ir_verify.c - every problem is found, and nothing else. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "ir/graph.h"
#include "ir/graph_private.h"
#include "ir/module.h"
#include "ir/verify.h"
#include "tests/support/append.h"
#include "tests/support/unit.h"

/* x -> lin -> relu -> output */
struct net {
	struct fx_graph *graph;
	struct fx_node *x, *lin, *relu, *output;
};

static struct net
new_net(void)
{
	struct net n = { .graph = fx_graph_new(1) };
	struct fx_module *lin = fx_module_new(n.graph, "torch.nn.Linear");
	const int64_t sizes[1] = { 2 };

	fx_module_add_child(n.graph->module, "lin", lin);
	fx_module_add_tensor(lin, "weight",
		fx_tensor_new(n.graph, FX_DTYPE_F32, sizes, 1, NULL));
	n.x = fxt_append(n.graph, FX_OPCODE_PLACEHOLDER, "x", NULL, NULL);
	n.lin = fxt_append(n.graph, FX_OPCODE_CALL_MODULE, "lin", n.x, NULL);
	n.relu = fxt_append(n.graph, FX_OPCODE_CALL_FUNCTION, "torch.relu",
		n.lin, NULL);
	n.output =
		fxt_append(n.graph, FX_OPCODE_OUTPUT, "output", n.relu, NULL);
	return n;
}

/* The first problem of the net has CODE, at NODE; then the net goes. */
static void
check(struct net *n, const char *code, const char *node)
{
	struct fx_problem *problems;
	size_t count;

	fx_verify(n->graph, 10, &problems, &count);
	FXT_IS_FATAL(count, >, 0);
	FXT_SAME(problems[0].code, code);
	if (node)
		FXT_SAME(problems[0].node, node);
	FXT_IS(strlen(problems[0].detail), >, 10);
	free(problems);
	FXT_FAILS(fx_verify_error(n->graph), FX_ERR_LINT);
	fx_graph_free(n->graph);
}

static void
a_sound_graph_has_no_problems(void)
{
	struct net n = new_net();

	FXT_OK(fx_verify_error(n.graph));
	fx_graph_free(n.graph);
}

static void
missing_targets_are_found(void)
{
	struct net n = new_net();

	n.lin->target = fx_intern("nope");
	check(&n, "missing-target", "lin");
	n = new_net();
	n.lin->target = fx_intern("lin.weight");
	check(&n, "not-a-module", "lin");
	n = new_net();
	n.lin->target = fx_intern("lin.weight.x");
	check(&n, "not-a-module", "lin");
	n = new_net();
	n.relu->target = fx_intern("");
	check(&n, "bad-target", "relu");
}

static void
attributes_may_be_plain(void)
{
	struct net n = new_net();
	const struct fx_value pair[2] = { fx_value_string("eps"),
		fx_value_float(1e-5) };

	n.graph->module->members[0].child->config =
		fx_value_dict(n.graph->permanent, pair, 1);
	fxt_append(n.graph, FX_OPCODE_GET_ATTR, "lin.eps", NULL, NULL);
	fxt_append(n.graph, FX_OPCODE_GET_ATTR, "lin.weight", NULL, NULL);
	fxt_append(n.graph, FX_OPCODE_GET_ATTR, "lin", NULL, NULL);
	FXT_OK(fx_verify_error(n.graph));
	fx_graph_free(n.graph);
}

static void
use_before_definition_is_found(void)
{
	struct net n = new_net();
	uint64_t order = n.lin->order;

	/* Exchange lin and relu. */
	n.x->next = n.relu;
	n.relu->previous = n.x;
	n.relu->next = n.lin;
	n.lin->previous = n.relu;
	n.lin->next = n.output;
	n.output->previous = n.lin;
	n.lin->order = n.relu->order;
	n.relu->order = order;
	check(&n, "use-before-definition", "relu");
}

static void
broken_lists_are_found(void)
{
	struct net n = new_net();

	n.graph->node_count++;
	check(&n, "broken-list", NULL);
	n = new_net();
	n.graph->shapeless++;
	check(&n, "miscounted", NULL);
	n = new_net();
	n.lin->previous = n.relu;
	check(&n, "broken-list", "x");
	n = new_net();
	n.relu->order = 1;
	check(&n, "broken-order", "relu");
}

static void
nodes_without_a_shape_are_counted(void)
{
	struct net n = new_net();
	struct fx_value unknown = { .kind = FX_VALUE_UNKNOWN,
		.text = fx_intern("no rule") };

	fx_graph_set_meta(n.lin, &unknown);
	fx_graph_set_meta(n.lin, &unknown);
	fx_graph_set_meta(n.output, &unknown);
	FXT_EQ(n.graph->shapeless, 2);
	fx_graph_unlink(n.graph, n.output);
	FXT_EQ(n.graph->shapeless, 1);
	fx_graph_link(n.graph, n.output, n.relu);
	FXT_EQ(n.graph->shapeless, 2);
	fx_graph_set_meta(n.lin, NULL);
	fx_graph_set_meta(n.output, NULL);
	FXT_EQ(n.graph->shapeless, 0);
	fx_graph_free(n.graph);
}

static void
broken_edges_are_found(void)
{
	struct net n = new_net();

	n.relu->uses[0].input = n.x;
	check(&n, "broken-users", "lin");
	n = new_net();
	n.lin->user_count = 2;
	check(&n, "broken-users", "lin");
	n = new_net();
	n.lin->first_user = n.lin->last_user = NULL;
	n.lin->user_count = 0;
	check(&n, "broken-uses", "relu");
}

static void
names_lead_to_their_nodes(void)
{
	struct net n = new_net();

	n.relu->name = n.lin->name;
	check(&n, "duplicate-name", "lin");
	n = new_net();
	n.relu->name = fx_intern("other");
	check(&n, "lost-name", "other");
	n = new_net();
	n.relu->name = fx_intern("not one");
	check(&n, "bad-name", "not one");
	n = new_net();
	n.relu->id += 1000;
	check(&n, "lost-id", "relu");
}

static void
bad_nodes_are_found(void)
{
	struct net n = new_net();

	n.relu->opcode = FX_OPCODE_COUNT + 1;
	check(&n, "unknown-opcode", "relu");
	n = new_net();
	n.relu->kwargs = fx_value_int(1);
	check(&n, "bad-arguments", "relu");
	n = new_net();
	fxt_append(n.graph, FX_OPCODE_OUTPUT, "output", n.relu, NULL);
	check(&n, "many-outputs", "output_1");
}

static void
foreign_arguments_are_found(void)
{
	struct net n = new_net();
	struct net other = new_net();
	const struct fx_value item = fx_value_node(other.x);

	n.relu->args =
		fx_value_sequence(n.graph->values, FX_VALUE_TUPLE, &item, 1);
	check(&n, "foreign-argument", "relu");
	fx_graph_free(other.graph);
}

static void
problems_stop_at_the_limit(void)
{
	struct net n = new_net();
	struct fx_problem *problems;
	size_t count;

	for (int i = 0; i < 10; i++)
		fxt_append(n.graph, FX_OPCODE_GET_ATTR, "nope", NULL, NULL);
	fx_verify(n.graph, 3, &problems, &count);
	FXT_EQ(count, 3);
	free(problems);
	fx_verify(n.graph, 100, &problems, &count);
	FXT_EQ(count, 10);
	free(problems);
	fx_graph_free(n.graph);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_sound_graph_has_no_problems),
		FXT_CASE(missing_targets_are_found),
		FXT_CASE(attributes_may_be_plain),
		FXT_CASE(use_before_definition_is_found),
		FXT_CASE(broken_lists_are_found),
		FXT_CASE(nodes_without_a_shape_are_counted),
		FXT_CASE(broken_edges_are_found),
		FXT_CASE(names_lead_to_their_nodes),
		FXT_CASE(bad_nodes_are_found),
		FXT_CASE(foreign_arguments_are_found),
		FXT_CASE(problems_stop_at_the_limit),
	};

	return fxt_run("ir verify", cases, FX_ARRAY_LEN(cases));
}
