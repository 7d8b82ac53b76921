/* inline.c - a call as the operators that it is made of.
 *
 * The decomposition is a small graph.  Its placeholders stand for parameters of
 * the module and for the tensors among the arguments, which may lie in what a
 * node gives: (h, c) of an LSTM is one node and two inputs.
 */
#include <config.h>

#include "ir/inline.h"

#include <stdbool.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/vec.h"
#include "ir/clone.h"
#include "ir/control.h"
#include "ir/decompose.h"
#include "ir/edit.h"
#include "ir/fold.h"
#include "ir/graph.h"
#include "ir/inline_private.h"
#include "ir/module.h"
#include "ir/value_walk.h"
#include "ops/layertab.h"
#include "ops/optab.h"

/* Where an input lies: item INDEX of what PARENT says, or NODE itself. */
struct leaf {
	struct fx_node *node;
	const struct leaf *parent; /* or NULL */
	struct fx_value index;
};

struct inlining {
	struct fx_node *node;
	struct fx_node *before; /* where new nodes go, or NULL: at the end */
	struct fx_arena *arena;
	FX_VEC(const struct leaf *) leaves;
	const struct fx_decomposition *found;
	bool is_call;       /* of something that may have a decomposition */
	struct fx_map made; /* node of the decomposition -> node of the graph */
};

static void
inlining_deinit(struct inlining *inlining)
{
	fx_vec_deinit(&inlining->leaves);
	fx_map_deinit(&inlining->made);
	fx_arena_free(inlining->arena);
}
FX_DEFINE_DEINIT(inlining, struct inlining, inlining_deinit);

/* --- what the call is ---------------------------------------------------- */

/* The name of the type of VALUE, a number that only holds for these inputs, or
 * NULL.
 */
static const char *
number_type(const struct fx_value *value)
{
	switch ((enum fx_value_kind)value->kind) {
	case FX_VALUE_BOOL:
		return "bool";
	case FX_VALUE_INT:
		return "int";
	case FX_VALUE_FLOAT:
		return "float";
	default:
		return NULL;
	}
}

/* The metadata META at LEAF with numbers made unknown; each part that the
 * decomposition takes as an input is added to the leaves.
 */
static struct fx_value
describe(struct inlining *inlining, const struct fx_value *meta,
	const struct leaf *leaf)
{
	size_t count = fx_value_item_count(meta);
	struct fx_value *items;

	if (number_type(meta)) {
		fx_vec_push(&inlining->leaves, leaf);
		return fx_fold_unknown(number_type(meta));
	}
	if (!fx_value_is_sequence(meta) || !count) {
		if (meta->kind == FX_VALUE_TENSOR ||
			meta->kind == FX_VALUE_SYMBOL ||
			meta->kind == FX_VALUE_UNKNOWN)
			fx_vec_push(&inlining->leaves, leaf);
		return *meta;
	}
	items = FX_ARENA_ARRAY(inlining->arena, struct fx_value, count);
	for (size_t i = 0; i < count; i++) {
		struct leaf *item = FX_ARENA_NEW(inlining->arena, struct leaf);

		*item = (struct leaf){ leaf->node, leaf,
			fx_value_int((int64_t)i) };
		items[i] = describe(inlining, &meta->items[i], item);
	}
	return fx_value_sequence(inlining->arena,
		(enum fx_value_kind)meta->kind, items, count);
}

static struct fx_value
describe_argument(void *context, const struct fx_value *value)
{
	struct inlining *inlining = context;
	struct fx_value unknown = fx_fold_unknown("nothing is known of it");
	struct leaf *leaf;

	if (value->kind != FX_VALUE_NODE)
		return *value;
	leaf = FX_ARENA_NEW(inlining->arena, struct leaf);
	*leaf = (struct leaf){ value->node, NULL, fx_value_none() };
	return describe(inlining,
		value->node->meta ? value->node->meta : &unknown, leaf);
}

/* The name of what NODE, no call of a module, calls, or NULL. */
static const char *
function_name(const struct fx_node *node)
{
	if (node->opcode == FX_OPCODE_CALL_METHOD)
		return fx_intern_format("Tensor.%s", node->target);
	return node->opcode == FX_OPCODE_CALL_FUNCTION ? node->target : NULL;
}

bool
fx_inline_applies(const struct fx_node *node)
{
	const char *name = function_name(node);

	return node->opcode == FX_OPCODE_CALL_MODULE ||
	       (fx_control_called(node) && !fx_control_changes_state(node)) ||
	       (name && fx_functional_find(name));
}

static FX_NODISCARD struct fx_error *
not_a_call(const struct fx_node *node)
{
	if (node->op != FX_OP_NONE)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%%%s is an operator, %s: there is nothing to inline",
			node->name, node->target);
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"%%%s is no call of a layer or function", node->name);
}

static FX_NODISCARD struct fx_error *
decompose(struct inlining *inlining, struct fx_expander *expander,
	const struct fx_value *args, const struct fx_value *kwargs)
{
	const struct fx_node *node = inlining->node;
	const char *name = function_name(node);
	const struct fx_module *module;

	if (node->opcode == FX_OPCODE_CALL_MODULE) {
		module = fx_module_find(node->graph->module, node->target);
		if (!module || module->graph)
			return fx_error_new(FX_ERR_UNSUPPORTED,
				"what self.%s is made of is not known",
				node->target);
		inlining->is_call = true;
		return fx_decompose_module(expander, module, args, kwargs,
			&inlining->found);
	}
	if (!name || !fx_functional_find(name))
		return not_a_call(node);
	inlining->is_call = true;
	return fx_decompose_function(expander, name, args, kwargs,
		&inlining->found);
}

static FX_NODISCARD struct fx_error *
look(struct inlining *inlining, struct fx_expander *expander,
	struct fx_node *node)
{
	struct fx_value args;
	struct fx_value kwargs;
	struct fx_error *err;

	inlining->node = node;
	inlining->before = fx_graph_next(node);
	inlining->arena = fx_arena_new();
	args = fx_value_map(inlining->arena, &node->args, describe_argument,
		inlining);
	kwargs = fx_value_map(inlining->arena, &node->kwargs, describe_argument,
		inlining);
	err = decompose(inlining, expander, &args, &kwargs);
	return err && inlining->is_call
		       ? fx_error_note(err, "while inlining %%%s", node->name)
		       : err;
}

struct fx_error *
fx_inline_open(struct fx_expander *expander, struct fx_node *node,
	const struct fx_graph **ret)
{
	FX_AUTO(inlining) struct inlining inlining = { .node = NULL };
	struct fx_error *err = look(&inlining, expander, node);

	if (!err)
		*ret = inlining.found->graph;
	return err;
}

struct fx_error *
fx_inline_check(struct fx_expander *expander, struct fx_node *node)
{
	const struct fx_graph *graph;

	return fx_inline_open(expander, node, &graph);
}

/* The argument that INPUT of the decomposition stands for, or NULL. */
static struct fx_node *
whole_argument(const struct inlining *inlining, const struct fx_node *input)
{
	const struct fx_node *node;
	size_t i = 0;
	size_t leaf = 0;

	fx_graph_for_each_node (node, inlining->found->graph) {
		bool is_member;

		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		is_member = inlining->found->members[i++];
		if (node == input)
			return is_member || inlining->leaves.items[leaf]->parent
				       ? NULL
				       : inlining->leaves.items[leaf]->node;
		leaf += !is_member;
	}
	return NULL;
}

struct fx_node *
fx_inline_forwards(struct fx_expander *expander, struct fx_node *node,
	bool (*is_identity)(const struct fx_node *node), size_t *count_ret)
{
	FX_AUTO(inlining) struct inlining inlining = { .node = NULL };
	struct fx_error *err = look(&inlining, expander, node);
	const struct fx_value *value;

	*count_ret = 0;
	if (err) {
		fx_error_free(err);
		return NULL;
	}
	value = &fx_graph_last(inlining.found->graph)->args.items[0];
	while (value->kind == FX_VALUE_NODE && is_identity(value->node) &&
		value->node->args.count) {
		value = &value->node->args.items[0];
		++*count_ret;
	}
	return value->kind == FX_VALUE_NODE
		       ? whole_argument(&inlining, value->node)
		       : NULL;
}

/* --- nodes --------------------------------------------------------------- */

static FX_NODISCARD struct fx_error *
create(const struct inlining *inlining, struct fx_node_spec *spec,
	struct fx_node **ret)
{
	struct fx_node *node = inlining->node;

	spec->source = node->source;
	spec->scope = node->scope;
	spec->derived = &node->id;
	spec->derived_count = 1;
	return fx_edit_create(node->graph, spec, inlining->before, ret);
}

/* The node that gives what lies at LEAF. */
static FX_NODISCARD struct fx_error *
take_leaf(const struct inlining *inlining, const struct leaf *leaf,
	struct fx_node **ret)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "operator.getitem" };
	struct fx_value items[2];
	struct fx_node *parent;
	struct fx_error *err;

	if (!leaf->parent) {
		*ret = leaf->node;
		return NULL;
	}
	err = take_leaf(inlining, leaf->parent, &parent);
	if (err)
		return err;
	items[0] = fx_value_node(parent);
	items[1] = leaf->index;
	spec.args = fx_value_sequence(parent->graph->values, FX_VALUE_TUPLE,
		items, 2);
	return create(inlining, &spec, ret);
}

static FX_NODISCARD struct fx_error *
take_member(const struct inlining *inlining, const char *name,
	struct fx_node **ret)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_GET_ATTR,
		.target = fx_module_path(inlining->node->target, name) };

	return create(inlining, &spec, ret);
}

static FX_NODISCARD struct fx_error *
bind_inputs(struct inlining *inlining)
{
	const struct fx_decomposition *found = inlining->found;
	struct fx_node *input;
	size_t i = 0;
	size_t leaf = 0;

	fx_graph_for_each_node (input, found->graph) {
		struct fx_node *node;
		struct fx_error *err;

		if (input->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		fx_assert(found->members[i] || leaf < inlining->leaves.count);
		/* What the operators do not use needs no node. */
		if (!input->user_count) {
			leaf += !found->members[i++];
			continue;
		}
		err = found->members[i]
			      ? take_member(inlining, found->members[i], &node)
			      : take_leaf(inlining,
					inlining->leaves.items[leaf++], &node);
		if (err)
			return err;
		i++;
		fx_map_set_pointer(&inlining->made, input, node);
	}
	return NULL;
}

static FX_NODISCARD struct fx_error *
make(struct inlining *inlining, const struct fx_node *from,
	const struct fx_value *result)
{
	struct fx_graph *graph = inlining->node->graph;
	struct fx_node_spec spec = { .opcode = (enum fx_opcode)from->opcode,
		.target = from->target,
		.args = fx_graph_import(graph, &from->args, &inlining->made),
		.kwargs =
			fx_graph_import(graph, &from->kwargs, &inlining->made),
		.is_wrapped = from->is_wrapped };
	struct fx_node *node;
	struct fx_error *err;

	if (result->kind == FX_VALUE_NODE && result->node == from) {
		spec.heir_of = inlining->node;
		spec.meta = inlining->node->meta;
	}
	err = create(inlining, &spec, &node);
	if (!err)
		fx_map_set_pointer(&inlining->made, from, node);
	return err;
}

/* --- the result ---------------------------------------------------------- */

/* Whether NODE is FROM[INDEX] with an index of VALUE, a sequence. */
static bool
takes_item(const struct fx_node *node, const struct fx_node *from,
	const struct fx_value *value, size_t *index_ret)
{
	const struct fx_value *index;

	if (node->op != FX_OP_GETITEM || node->args.count != 2 ||
		node->args.items[0].kind != FX_VALUE_NODE ||
		node->args.items[0].node != from)
		return false;
	index = &node->args.items[1];
	if (index->kind != FX_VALUE_INT || index->integer < 0 ||
		index->integer >= (int64_t)fx_value_item_count(value))
		return false;
	*index_ret = (size_t)index->integer;
	return true;
}

struct fx_error *
fx_inline_give(struct fx_node *node, const struct fx_value *value)
{
	struct fx_use *use = node->first_user;
	struct fx_error *err = NULL;

	while (!err && use && fx_value_is_sequence(value)) {
		struct fx_node *user = use->user;
		size_t index;

		use = use->next;
		if (takes_item(user, node, value, &index))
			err = fx_inline_give(user, &value->items[index]);
	}
	/* What comes next may ask for the shape. */
	if (value->kind == FX_VALUE_NODE && !value->node->meta && node->meta)
		fx_graph_set_meta(value->node, node->meta);
	if (!err)
		err = fx_edit_replace_uses(node, value, NULL, NULL, NULL);
	return err ? err : fx_edit_erase(node);
}

struct fx_error *
fx_inline(struct fx_expander *expander, struct fx_node *node)
{
	FX_AUTO(inlining) struct inlining inlining = { .node = NULL };
	const struct fx_value *result;
	const struct fx_node *from;
	struct fx_value value;
	struct fx_error *err;

	if (fx_control_called(node))
		return fx_inline_graph(node);
	err = look(&inlining, expander, node);
	if (!err)
		err = bind_inputs(&inlining);
	if (err)
		return err;
	result = &fx_graph_last(inlining.found->graph)->args.items[0];
	fx_graph_for_each_node (from, inlining.found->graph) {
		if (from->opcode == FX_OPCODE_PLACEHOLDER ||
			from->opcode == FX_OPCODE_OUTPUT)
			continue;
		err = make(&inlining, from, result);
		if (err)
			return err;
	}
	value = fx_graph_import(node->graph, result, &inlining.made);
	return fx_inline_give(node, &value);
}
