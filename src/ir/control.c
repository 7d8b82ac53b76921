/* control.c - the graphs that nodes run. */
#include <config.h>

#include "ir/control.h"

#include <string.h>

#include "base/compiler.h"
#include "base/intern.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/signature.h"

/* Graphs within graphs deeper than this have no path. */
#define DEPTH_LIMIT 100

const char *
fx_control_parameter(const struct fx_node *node, size_t index)
{
	return fx_signature_of((enum fx_op)node->op)->parameters[index].name;
}

const struct fx_value *
fx_control_argument(const struct fx_node *node, size_t index)
{
	const struct fx_value *value = fx_node_arg(node, index);

	return value ? value
		     : fx_node_kwarg(node, fx_control_parameter(node, index));
}

struct fx_graph *
fx_control_owned(const struct fx_node *node)
{
	struct fx_module *module;

	if (node->opcode != FX_OPCODE_CALL_MODULE)
		return NULL;
	module = fx_module_find(node->graph->module, node->target);
	return module ? module->graph : NULL;
}

struct fx_graph *
fx_control_given(const struct fx_node *node)
{
	const struct fx_module *module;

	if (node->opcode != FX_OPCODE_GET_ATTR)
		return NULL;
	module = fx_module_find(node->graph->module, node->target);
	return module ? module->graph : NULL;
}

bool
fx_control_lacks_shapes(const struct fx_graph *graph)
{
	const struct fx_node *node;

	if (graph->shapeless)
		fx_graph_for_each_node (node, graph)
			if (fx_node_is_shapeless(node) &&
				!fx_control_given(node))
				return true;
	return false;
}

/* The graph of the module that a get_attr argument names, or NULL. */
static struct fx_graph *
graph_at(const struct fx_node *node, size_t index)
{
	const struct fx_value *value = fx_control_argument(node, index);

	return value && value->kind == FX_VALUE_NODE
		       ? fx_control_given(value->node)
		       : NULL;
}

/* The place of NAME among the parameters of NODE's operator; their count where
 * it has none.
 */
static size_t
find_parameter(const struct fx_node *node, const char *name)
{
	const struct fx_signature *signature =
		fx_signature_of((enum fx_op)node->op);
	size_t index = 0;

	while (index < signature->count &&
		strcmp(signature->parameters[index].name, name) != 0)
		index++;
	return index;
}

static size_t
first_graph(const struct fx_node *node)
{
	if (fx_control_calls(node))
		return find_parameter(node, "graph");
	return fx_control_loops(node) ? FX_LOOP_GRAPHS : FX_BRANCH_GRAPHS;
}

/* Whether the operators of NODE's graph are others than it prints. */
static bool
is_under_autocast(const struct fx_node *node)
{
	size_t index = find_parameter(node, "enabled");
	const struct fx_value *value;

	if (index == fx_signature_of((enum fx_op)node->op)->count)
		return false;
	value = fx_control_argument(node, index);
	return !value || value->kind != FX_VALUE_BOOL || value->truth;
}

struct fx_graph *
fx_control_called(const struct fx_node *node)
{
	if (!fx_control_calls(node))
		return fx_control_owned(node);
	return is_under_autocast(node) ? NULL
				       : graph_at(node, first_graph(node));
}

size_t
fx_control_own_count(const struct fx_node *node)
{
	const struct fx_signature *signature;
	size_t count = 0;

	if (!fx_control_calls(node))
		return 0;
	signature = fx_signature_of((enum fx_op)node->op);
	while (!signature->parameters[count].is_rest)
		count++;
	return count;
}

bool
fx_control_is_own(const struct fx_node *node, const char *name)
{
	return fx_control_calls(node) &&
	       find_parameter(node, name) <
		       fx_signature_of((enum fx_op)node->op)->count;
}

struct fx_node *
fx_control_giver(const struct fx_node *node)
{
	const struct fx_value *value =
		fx_control_calls(node)
			? fx_control_argument(node, first_graph(node))
			: NULL;

	return value && value->kind == FX_VALUE_NODE ? value->node : NULL;
}

bool
fx_control_changes_state(const struct fx_node *node)
{
	return fx_control_calls(node) && first_graph(node) > 0;
}

const struct fx_value *
fx_control_operand(const struct fx_node *node, size_t index, const char *target)
{
	const struct fx_value *value =
		fx_node_arg(node, fx_control_own_count(node) + index);

	if (value || fx_control_is_own(node, target))
		return value;
	return fx_node_kwarg(node, target);
}

size_t
fx_control_graphs(const struct fx_node *node, struct fx_graph *graphs_ret[2])
{
	if (!fx_control_is(node)) {
		graphs_ret[0] = fx_control_called(node);
		return graphs_ret[0] || fx_control_calls(node);
	}
	for (size_t i = 0; i < 2; i++)
		graphs_ret[i] = graph_at(node, first_graph(node) + i);
	return 2;
}

bool
fx_control_runs(const struct fx_node *node, const struct fx_graph *graph)
{
	struct fx_graph *graphs[2];
	size_t count = fx_control_graphs(node, graphs);

	return (count && graphs[0] == graph) ||
	       (count > 1 && graphs[1] == graph);
}

bool
fx_control_holds(const struct fx_node *node, const struct fx_graph *graph)
{
	struct fx_graph *graphs[2];
	size_t count = fx_control_graphs(node, graphs);

	for (size_t i = 0; i < count; i++)
		if (graphs[i] && fx_control_path(graphs[i], graph))
			return true;
	return false;
}

struct fx_error *
fx_control_need(const struct fx_node *node, struct fx_graph *graphs_ret[2])
{
	size_t count = fx_control_graphs(node, graphs_ret);

	if (is_under_autocast(node))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%%%s calls a graph under autocast, and graphs run "
			"without",
			node->name);
	for (size_t i = 0; i < count; i++) {
		size_t index = first_graph(node) + i;
		const struct fx_value *value = fx_control_argument(node, index);

		if (graphs_ret[i])
			continue;
		if (value && value->kind == FX_VALUE_NODE)
			return fx_error_new(FX_ERR_TYPE,
				"%s of %%%s is %%%s, which is no module with a "
				"graph of its own",
				fx_control_parameter(node, index), node->name,
				value->node->name);
		return fx_error_new(FX_ERR_TYPE,
			"%s of %%%s has to be a module with a graph of its own",
			fx_control_parameter(node, index), node->name);
	}
	return NULL;
}

struct fx_error *
fx_control_check(const struct fx_node *node, const struct fx_graph *graph,
	size_t count)
{
	const struct fx_node *inner;
	size_t wanted = 0;

	fx_graph_for_each_node (inner, graph)
		wanted += inner->opcode == FX_OPCODE_PLACEHOLDER;
	if (wanted == count)
		return NULL;
	return fx_error_new(FX_ERR_TYPE,
		"a graph that %%%s runs takes %zu argument%s, and gets %zu",
		node->name, wanted, wanted == 1 ? "" : "s", count);
}

static const char *
path_below(struct fx_graph *root, const struct fx_graph *graph, int depth)
{
	struct fx_module_walk *walk;
	struct fx_module *module;
	const char *path;
	const char *found = NULL;

	if (root == graph)
		return fx_intern("");
	if (depth > DEPTH_LIMIT)
		return NULL;
	walk = fx_module_walk_new(root->module, true);
	while (!found && fx_module_walk_next(walk, &module, &path)) {
		const char *rest =
			module->graph && module->graph != root
				? path_below(module->graph, graph, depth + 1)
				: NULL;

		if (rest)
			found = *rest ? fx_module_path(path, rest)
				      : fx_intern(path);
	}
	fx_module_walk_free(walk);
	return found;
}

const char *
fx_control_path(struct fx_graph *root, const struct fx_graph *graph)
{
	return path_below(root, graph, 0);
}

struct fx_graph *
fx_control_graph_at(struct fx_graph *root, const char *path)
{
	const struct fx_module *module = root->module;

	while (*path) {
		size_t length = strcspn(path, ".");
		const struct fx_member *member =
			fx_module_member(module, fx_intern_n(path, length));

		if (!member || !member->child)
			return NULL;
		module = member->child;
		path += length + (path[length] == '.');
		if (!module->graph)
			continue;
		root = module->graph;
		module = root->module;
	}
	return module == root->module ? root : NULL;
}

uint32_t
fx_control_highest_number(struct fx_graph *root)
{
	struct fx_module_walk *walk = fx_module_walk_new(root->module, true);
	struct fx_module *module;
	uint32_t highest = 0;
	const char *path;

	while (fx_module_walk_next(walk, &module, &path)) {
		uint32_t below;

		if (!module->graph)
			continue;
		below = fx_control_highest_number(module->graph);
		highest = FX_MAX(highest, module->graph->serial >> 16);
		highest = FX_MAX(highest, below);
	}
	fx_module_walk_free(walk);
	return highest;
}

static struct fx_node *
caller_from(const struct fx_graph *graph, struct fx_node *node)
{
	while (node && !fx_control_runs(node, graph))
		node = fx_graph_next(node);
	return node;
}

struct fx_node *
fx_control_first_caller(const struct fx_graph *graph)
{
	return graph->outer ? caller_from(graph, fx_graph_first(graph->outer))
			    : NULL;
}

struct fx_node *
fx_control_next_caller(const struct fx_graph *graph, const struct fx_node *node)
{
	return caller_from(graph, fx_graph_next(node));
}

static struct fx_node *
find_below(struct fx_graph *root, const char *text, int depth)
{
	struct fx_module_walk *walk = fx_module_walk_new(root->module, true);
	struct fx_node *found = NULL;
	struct fx_module *module;
	const char *path;

	while (!found && depth < DEPTH_LIMIT &&
		fx_module_walk_next(walk, &module, &path)) {
		size_t length = strlen(path);
		const char *rest;

		if (!module->graph || module->graph == root ||
			strncmp(text, path, length) != 0 || text[length] != '.')
			continue;
		rest = text + length + 1;
		found = fx_graph_find(module->graph, fx_intern(rest));
		if (!found)
			found = find_below(module->graph, rest, depth + 1);
	}
	fx_module_walk_free(walk);
	return found;
}

struct fx_node *
fx_control_find(struct fx_graph *root, const char *text)
{
	return find_below(root, text + (*text == '%'), 0);
}
