/* test_ir_edit.c - what edits do, and what they refuse. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/verify.h"
#include "tests/support/append.h"
#include "tests/support/unit.h"

/* x -> conv1 -> relu -> conv2 -> add(conv2, relu) -> output, journal open and a
 * transaction begun.
 */
struct net {
	struct fx_graph *graph;
	struct fx_node *x, *conv1, *relu, *conv2, *add, *output;
};

static struct net
new_net(void)
{
	struct net n = { .graph = fx_graph_new(1) };
	struct fx_graph *g = n.graph;

	g->name = fx_intern("net");
	fx_module_add_child(g->module, "conv1",
		fx_module_new(g, "torch.nn.modules.conv.Conv2d"));
	fx_module_add_child(g->module, "conv2",
		fx_module_new(g, "torch.nn.modules.conv.Conv2d"));
	n.x = fxt_append(g, FX_OPCODE_PLACEHOLDER, "x", NULL, NULL);
	n.conv1 = fxt_append(g, FX_OPCODE_CALL_MODULE, "conv1", n.x, NULL);
	n.relu = fxt_append(g, FX_OPCODE_CALL_FUNCTION, "torch.relu", n.conv1,
		NULL);
	n.conv2 = fxt_append(g, FX_OPCODE_CALL_MODULE, "conv2", n.relu, NULL);
	n.add = fxt_append(g, FX_OPCODE_CALL_FUNCTION, "operator.add", n.conv2,
		n.relu);
	n.output = fxt_append(g, FX_OPCODE_OUTPUT, "output", n.add, NULL);
	fx_journal_open(g, "test");
	fx_journal_begin(g, "test");
	return n;
}

static void
end(struct net *n)
{
	FXT_OK(fx_journal_commit(n->graph, NULL));
	FXT_OK(fx_verify_error(n->graph));
	fx_graph_free(n->graph);
}

/* The error has CODE and says MESSAGE; HINT may be null. */
static void
check_error(struct fx_error *err, enum fx_error_code code, const char *message,
	const char *hint)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_EQ(fx_error_code(err), code);
	FXT_SAME(fx_error_message(err), message);
	if (hint)
		FXT_SAME(fx_error_hint_text(err), hint);
	fx_error_free(err);
}

static void
erasing_a_used_node_names_its_users(void)
{
	struct net n = new_net();

	check_error(fx_edit_erase(n.relu), FX_ERR_IN_USE,
		"%relu still has 2 users: %conv2 arg 0, %add arg 1",
		"erase %relu --to %conv1");
	check_error(fx_edit_erase(n.add), FX_ERR_IN_USE,
		"%add still has 1 user: %output arg 0",
		"erase %add --to %conv2");
	CU_ASSERT(n.relu->is_in_graph);
	end(&n);
}

static void
an_unused_node_goes_and_frees_its_inputs(void)
{
	struct net n = new_net();

	FXT_OK(fx_edit_erase(n.output));
	FXT_OK(fx_edit_erase(n.add));
	FXT_EQ(n.conv2->user_count, 0);
	FXT_EQ(n.relu->user_count, 1);
	CU_ASSERT_PTR_NULL(fx_graph_find(n.graph, "add"));
	CU_ASSERT_PTR_NULL(fx_graph_find_id(n.graph, n.add->id));
	/* As in torch.fx the name is not given again by itself. */
	FXT_SAME(fxt_next_name(&n.graph->names, "add"), "add_1");
	FXT_FAILS(fx_edit_erase(n.add), FX_ERR_NO_NODE);
	end(&n);
}

static void
a_new_node_goes_before_the_output(void)
{
	struct net n = new_net();
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.neg",
		.args = fxt_args(n.graph, n.add, NULL) };
	struct fx_node *neg;

	FXT_OK(fx_edit_create(n.graph, &spec, NULL, &neg));
	FXT_EQ(fx_graph_next(neg), n.output);
	FXT_SAME(neg->name, "neg");
	FXT_EQ(neg->born, 1);
	FXT_EQ(n.add->last_user->user, neg);
	end(&n);
}

static void
a_name_is_an_identifier_and_free(void)
{
	struct net n = new_net();
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.neg",
		.name = "relu",
		.name_is_exact = true };

	check_error(fx_edit_create(n.graph, &spec, NULL, NULL),
		FX_ERR_NAME_TAKEN, "the name \"relu\" is taken", NULL);
	spec.name = "not this";
	check_error(fx_edit_create(n.graph, &spec, NULL, NULL), FX_ERR_BAD_NAME,
		"\"not this\" is no name of a node: ASCII letters, digits and "
		"_, no digit first",
		NULL);
	FXT_FAILS(fx_edit_set_name(n.relu, "class"), FX_ERR_BAD_NAME);
	FXT_FAILS(fx_edit_set_name(n.relu, "abs"), FX_ERR_BAD_NAME);
	FXT_FAILS(fx_edit_set_name(n.relu, "torch"), FX_ERR_BAD_NAME);
	FXT_FAILS(fx_edit_set_name(n.relu, ""), FX_ERR_BAD_NAME);
	FXT_FAILS(fx_edit_set_name(n.relu, "add"), FX_ERR_NAME_TAKEN);
	spec.name = "relu";
	spec.name_is_exact = false;
	FXT_OK(fx_edit_create(n.graph, &spec, NULL, NULL));
	CU_ASSERT_PTR_NOT_NULL(fx_graph_find(n.graph, "relu_1"));
	end(&n);
}

static void
a_renamed_node_can_have_its_name_back(void)
{
	struct net n = new_net();

	FXT_OK(fx_edit_set_name(n.relu, "act"));
	FXT_EQ(fx_graph_find(n.graph, "act"), n.relu);
	CU_ASSERT_PTR_NULL(fx_graph_find(n.graph, "relu"));
	FXT_OK(fx_edit_set_name(n.conv2, "relu"));
	FXT_FAILS(fx_edit_set_name(n.relu, "relu"), FX_ERR_NAME_TAKEN);
	FXT_OK(fx_edit_set_name(n.conv2, "conv2"));
	FXT_OK(fx_edit_set_name(n.relu, "relu"));
	FXT_OK(fx_journal_commit(n.graph, NULL));
	FXT_OK(fx_journal_undo(n.graph, 1));
	FXT_EQ(fx_graph_find(n.graph, "relu"), n.relu);
	FXT_EQ(fx_graph_find(n.graph, "conv2"), n.conv2);
	fx_journal_begin(n.graph, "test");
	end(&n);
}

static void
targets_must_exist(void)
{
	struct net n = new_net();
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_MODULE,
		.target = "conv3" };

	check_error(fx_edit_create(n.graph, &spec, NULL, NULL),
		FX_ERR_NO_MODULE, "no module \"conv3\" in net",
		"nearest: conv1, conv2");
	spec.opcode = FX_OPCODE_GET_ATTR;
	spec.target = "conv1.weight";
	FXT_FAILS(fx_edit_create(n.graph, &spec, NULL, NULL), FX_ERR_NO_MODULE);
	spec.target = "conv1..weight";
	FXT_FAILS(fx_edit_create(n.graph, &spec, NULL, NULL),
		FX_ERR_BAD_TARGET);
	spec.opcode = FX_OPCODE_CALL_METHOD;
	spec.target = "a.b";
	FXT_FAILS(fx_edit_create(n.graph, &spec, NULL, NULL),
		FX_ERR_BAD_TARGET);
	spec.target = "";
	FXT_FAILS(fx_edit_create(n.graph, &spec, NULL, NULL),
		FX_ERR_BAD_TARGET);
	FXT_FAILS(fx_edit_set_target(n.conv1, "conv9"), FX_ERR_NO_MODULE);
	FXT_OK(fx_edit_set_target(n.conv1, "conv2"));
	FXT_OK(fx_edit_set_opcode(n.conv1, FX_OPCODE_CALL_FUNCTION,
		"torch.neg"));
	end(&n);
}

static void
a_graph_from_bare_code_may_name_any_path(void)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_MODULE,
		.target = "layer1.0.conv1" };
	struct fx_node *node;

	fx_journal_open(graph, "code");
	fx_journal_begin(graph, "insert");
	FXT_OK(fx_edit_create(graph, &spec, NULL, &node));
	FXT_OK(fx_edit_set_module(graph, "other",
		fx_module_new(graph, "my.A")));
	FXT_OK(fx_journal_commit(graph, NULL));
	FXT_OK(fx_verify_error(graph));
	FXT_SAME(node->name, "layer1_0_conv1");
	fx_graph_free(graph);
}

static void
arguments_are_checked(void)
{
	struct net n = new_net();
	struct net other = new_net();
	struct fx_value deep = fx_value_none();
	const struct fx_value pair[2] = { fx_value_int(1), fx_value_int(2) };
	const struct fx_value kwargs = fx_value_dict(n.graph->values, pair, 1);

	FXT_FAILS(fx_edit_set_args(n.relu, fx_value_int(1), fx_value_none()),
		FX_ERR_TYPE);
	FXT_FAILS(fx_edit_set_args(n.relu, fx_value_none(), kwargs),
		FX_ERR_TYPE);
	check_error(fx_edit_set_args(n.relu, fxt_args(n.graph, other.x, NULL),
			    fx_value_none()),
		FX_ERR_VALUE, "%x belongs to another graph", NULL);
	for (int i = 0; i < 250; i++)
		deep = fx_value_sequence(n.graph->values, FX_VALUE_TUPLE, &deep,
			1);
	FXT_FAILS(fx_edit_set_args(n.relu, deep, fx_value_none()),
		FX_ERR_LIMIT);
	FXT_EQ(n.relu->args.items[0].node, n.conv1);
	end(&other);
	end(&n);
}

static void
what_is_not_defined_yet_cannot_be_used(void)
{
	struct net n = new_net();
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.neg",
		.args = fxt_args(n.graph, n.add, NULL) };
	struct fx_node *y;

	check_error(fx_edit_create(n.graph, &spec, n.relu, NULL), FX_ERR_ORDER,
		"%add would be used before it is defined", NULL);
	spec.args = fxt_args(n.graph, n.x, NULL);
	FXT_OK(fx_edit_create(n.graph, &spec, NULL, &y));
	check_error(fx_edit_set_args(n.conv2, fxt_args(n.graph, y, NULL),
			    fx_value_none()),
		FX_ERR_ORDER, "%neg stands after %conv2, which would use it",
		"move %neg before %conv2");
	end(&n);
}

static void
cycles_are_refused_with_their_path(void)
{
	struct net n = new_net();
	struct fx_value add = fx_value_node(n.add);
	struct fx_value itself = fx_value_node(n.relu);

	check_error(fx_edit_set_args(n.conv1, fxt_args(n.graph, n.add, NULL),
			    fx_value_none()),
		FX_ERR_CYCLE,
		"set would make a cycle: %conv1 -> %relu -> %add -> %conv1; "
		"nothing changed",
		NULL);
	check_error(fx_edit_replace_uses(n.conv1, &add, NULL, NULL, NULL),
		FX_ERR_CYCLE,
		"rauw would make a cycle: %relu -> %add -> %relu; "
		"nothing changed",
		NULL);
	check_error(fx_edit_set_args(n.relu, fxt_args(n.graph, n.relu, NULL),
			    fx_value_none()),
		FX_ERR_CYCLE,
		"set would make a cycle: %relu -> %relu; nothing changed",
		NULL);
	FXT_FAILS(fx_edit_replace_uses(n.relu, &itself, NULL, NULL, NULL),
		FX_ERR_VALUE);
	FXT_EQ(n.relu->args.items[0].node, n.conv1);
	end(&n);
}

static bool
is_not(void *context, struct fx_node *user)
{
	return user != context;
}

static void
a_node_is_spliced_in(void)
{
	struct net n = new_net();
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.neg",
		.args = fxt_args(n.graph, n.relu, NULL) };
	struct fx_node *neg;
	struct fx_value with;
	size_t count;

	FXT_OK(fx_edit_create(n.graph, &spec, n.conv2, &neg));
	with = fx_value_node(neg);
	FXT_OK(fx_edit_replace_uses(n.relu, &with, is_not, neg, &count));
	FXT_EQ(count, 2);
	FXT_EQ(n.conv2->args.items[0].node, neg);
	FXT_EQ(n.add->args.items[1].node, neg);
	FXT_EQ(n.relu->user_count, 1);
	end(&n);
}

static void
uses_may_become_any_value(void)
{
	struct net n = new_net();
	const struct fx_value half = fx_value_float(0.5);
	struct fx_value list;

	FXT_OK(fx_edit_replace_uses(n.conv2, &half, NULL, NULL, NULL));
	FXT_EQ(n.add->args.items[0].kind, FX_VALUE_FLOAT);
	list = fx_value_node(n.x);
	list = fx_value_sequence(n.graph->values, FX_VALUE_LIST, &list, 1);
	FXT_OK(fx_edit_replace_uses(n.relu, &list, NULL, NULL, NULL));
	FXT_EQ(n.add->args.items[1].items[0].node, n.x);
	FXT_EQ(n.x->last_user->user, n.add);
	end(&n);
}

static void
moves_stay_between_inputs_and_users(void)
{
	struct net n = new_net();

	check_error(fx_edit_move(n.relu, n.x), FX_ERR_ORDER,
		"%relu cannot move there: %relu uses %conv1 (arg 0)", NULL);
	check_error(fx_edit_move(n.relu, n.add), FX_ERR_ORDER,
		"%relu cannot move there: %conv2 uses %relu (arg 0)", NULL);
	FXT_FAILS(fx_edit_move(n.relu, NULL), FX_ERR_ORDER);
	FXT_OK(fx_edit_move(n.relu, n.relu));
	FXT_OK(fx_edit_move(n.relu, n.conv2)); /* where it is */
	FXT_EQ(fx_journal_counts(n.graph).changed, 0);
	end(&n);
}

static void
a_free_node_moves(void)
{
	struct net n = new_net();
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.neg",
		.args = fxt_args(n.graph, n.x, NULL) };
	struct fx_node *neg;

	FXT_OK(fx_edit_create(n.graph, &spec, NULL, &neg));
	FXT_OK(fx_edit_move(neg, n.conv1));
	FXT_EQ(fx_graph_position(n.graph, neg), 1);
	FXT_OK(fx_edit_move(neg, NULL));
	FXT_EQ(fx_graph_next(neg), n.output);
	end(&n);
}

static void
relaxed_edits_are_checked_at_the_end(void)
{
	struct net n = new_net();
	struct fx_hash before = fx_graph_hash(n.graph);

	fx_edit_relax(n.graph);
	FXT_OK(fx_edit_set_args(n.conv1, fxt_args(n.graph, n.add, NULL),
		fx_value_none()));
	FXT_FAILS(fx_journal_commit(n.graph, NULL), FX_ERR_ORDER);
	/* It was taken back. */
	FXT_EQ(n.conv1->args.items[0].node, n.x);
	CU_ASSERT(fx_hash_equal(before, fx_graph_hash(n.graph)));
	fx_journal_begin(n.graph, "again");
	fx_edit_relax(n.graph);
	FXT_OK(fx_edit_move(n.relu, NULL));
	FXT_OK(fx_edit_move(n.relu, n.conv2));
	end(&n);
}

static void
modules_are_put_with_their_parents(void)
{
	struct net n = new_net();
	struct fx_graph *g = n.graph;
	struct fx_module *leaf = fx_module_new(g, "my.Leaf");
	struct fx_module *root = g->module;

	FXT_OK(fx_edit_set_module(g, "block.0.act", leaf));
	FXT_EQ(fx_module_find(root, "block.0.act"), leaf);
	FXT_SAME(fx_module_find(root, "block.0")->class_name,
		"torch.nn.modules.module.Module");
	FXT_EQ(fx_journal_counts(g).modules, 1);
	FXT_OK(fx_edit_set_module(g, "block.0.act", NULL));
	CU_ASSERT_PTR_NULL(fx_module_find(root, "block.0.act"));
	FXT_FAILS(fx_edit_set_module(g, "block.0.act", NULL), FX_ERR_NO_MODULE);
	FXT_FAILS(fx_edit_set_module(g, "a..b", leaf), FX_ERR_BAD_NAME);
	FXT_FAILS(fx_edit_set_module(g, "", leaf), FX_ERR_BAD_NAME);
	FXT_FAILS(fx_edit_set_module(g, "block.0",
			  fx_module_find(root, "block")),
		FX_ERR_VALUE);
	end(&n);
}

static void
members_return_to_their_places(void)
{
	struct net n = new_net();
	struct fx_graph *g = n.graph;
	struct fx_module *other = fx_module_new(g, "my.Other");
	struct fx_module *old = fx_module_find(g->module, "conv1");
	struct fx_hash before = fx_graph_hash(g);

	FXT_OK(fx_edit_set_module(g, "conv1", other));
	FXT_OK(fx_edit_set_module(g, "conv1", NULL));
	FXT_OK(fx_edit_set_module(g, "conv3", other));
	FXT_EQ(g->module->member_count, 2);
	CU_ASSERT_FALSE(fx_hash_equal(before, fx_graph_hash(g)));
	fx_journal_abort(g);
	FXT_EQ(g->module->members[0].child, old);
	CU_ASSERT(fx_hash_equal(before, fx_graph_hash(g)));
	fx_journal_begin(g, "test");
	end(&n);
}

static void
tensors_are_bound_and_taken_away(void)
{
	struct net n = new_net();
	struct fx_graph *g = n.graph;
	const int64_t sizes[1] = { 8 };
	struct fx_tensor *t = fx_tensor_new(g, FX_DTYPE_F32, sizes, 1, NULL);

	FXT_OK(fx_edit_bind_tensor(g, "conv1.bias", t));
	FXT_EQ(fx_module_find_tensor(g->module, "conv1.bias"), t);
	FXT_FAILS(fx_edit_bind_tensor(g, "conv1", t), FX_ERR_NO_MODULE);
	FXT_FAILS(fx_edit_set_module(g, "conv1.bias", fx_module_new(g, "my.A")),
		FX_ERR_NO_MODULE);
	FXT_FAILS(fx_edit_bind_tensor(g, "conv1.bias.x", t), FX_ERR_NO_MODULE);
	FXT_OK(fx_edit_bind_tensor(g, "conv1.bias", NULL));
	CU_ASSERT_PTR_NULL(fx_module_find_tensor(g->module, "conv1.bias"));
	FXT_FAILS(fx_edit_bind_tensor(g, "conv1.bias", NULL), FX_ERR_NO_MODULE);
	end(&n);
}

static void
modules_do_not_nest_without_end(void)
{
	struct net n = new_net();
	FX_AUTO_BUF struct fx_buf path = { 0 };

	for (int i = 0; i < 250; i++)
		fx_buf_add(&path, i ? ".m" : "m");
	FXT_FAILS(fx_edit_set_module(n.graph, fx_buf_text(&path),
			  fx_module_new(n.graph, "my.A")),
		FX_ERR_LIMIT);
	end(&n);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(erasing_a_used_node_names_its_users),
		FXT_CASE(an_unused_node_goes_and_frees_its_inputs),
		FXT_CASE(a_new_node_goes_before_the_output),
		FXT_CASE(a_name_is_an_identifier_and_free),
		FXT_CASE(a_renamed_node_can_have_its_name_back),
		FXT_CASE(targets_must_exist),
		FXT_CASE(a_graph_from_bare_code_may_name_any_path),
		FXT_CASE(arguments_are_checked),
		FXT_CASE(what_is_not_defined_yet_cannot_be_used),
		FXT_CASE(cycles_are_refused_with_their_path),
		FXT_CASE(a_node_is_spliced_in),
		FXT_CASE(uses_may_become_any_value),
		FXT_CASE(moves_stay_between_inputs_and_users),
		FXT_CASE(a_free_node_moves),
		FXT_CASE(relaxed_edits_are_checked_at_the_end),
		FXT_CASE(modules_are_put_with_their_parents),
		FXT_CASE(members_return_to_their_places),
		FXT_CASE(tensors_are_bound_and_taken_away),
		FXT_CASE(modules_do_not_nest_without_end),
	};

	return fxt_run("ir edit", cases, FX_ARRAY_LEN(cases));
}
