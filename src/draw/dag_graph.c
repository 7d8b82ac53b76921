/* dag_graph.c - from a graph to the form that drawings are made from, whole or
 * with its scopes folded.
 */
#include <config.h>

#include "draw/dag.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "ir/graph.h"

static enum fx_dag_kind
kind_of(const struct fx_node *node)
{
	switch ((enum fx_opcode)node->opcode) {
	case FX_OPCODE_PLACEHOLDER:
		return FX_DAG_INPUT;
	case FX_OPCODE_GET_ATTR:
		return FX_DAG_PARAMETER;
	case FX_OPCODE_CALL_MODULE:
		return FX_DAG_MODULE;
	case FX_OPCODE_OUTPUT:
		return FX_DAG_OUTPUT;
	case FX_OPCODE_CALL_FUNCTION:
	case FX_OPCODE_CALL_METHOD:
	case FX_OPCODE_COUNT:
		break;
	}
	return FX_DAG_FUNCTION;
}

/* What a box says: a module by its path, which tells more than its name. */
static const char *
label_of(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_CALL_MODULE ? node->target
						     : node->name;
}

struct fx_dag *
fx_dag_of_graph(struct fx_graph *graph)
{
	struct fx_dag *dag = fx_dag_new();
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		fx_dag_add(dag, kind_of(node), node->name)->label =
			label_of(node);
		for (size_t i = 0; i < fx_node_input_count(node); i++)
			fx_dag_add_input(dag, (uint32_t)fx_graph_position(graph,
						      fx_node_input(node, i)));
	}
	return dag;
}

/* The first DEPTH steps of the module path PATH. */
static const char *
cut_path(const char *path, int depth)
{
	const char *end = path;

	while (*end) {
		if (*end == '.' && --depth == 0)
			break;
		end++;
	}
	return end == path ? NULL : fx_intern_n(path, (size_t)(end - path));
}

/* PATH without its last step, cut to DEPTH; NULL at the root. */
static const char *
owner_of(const char *path, int depth)
{
	const char *dot = strrchr(path, '.');

	if (!dot)
		return NULL;
	return cut_path(fx_intern_n(path, (size_t)(dot - path)), depth);
}

/* The scope that NODE is folded into, or NULL.  A node without a scope of its
 * own goes with the module called BEFORE it: traces of old versions of torch
 * carry none.
 */
static const char *
fold_key(const struct fx_node *node, int depth, const char *before)
{
	switch ((enum fx_opcode)node->opcode) {
	case FX_OPCODE_CALL_MODULE:
	case FX_OPCODE_GET_ATTR:
		return owner_of(node->target, depth);
	case FX_OPCODE_CALL_FUNCTION:
	case FX_OPCODE_CALL_METHOD:
		if (node->scope)
			return cut_path(node->scope->path, depth);
		return before;
	case FX_OPCODE_PLACEHOLDER:
	case FX_OPCODE_OUTPUT:
	case FX_OPCODE_COUNT:
		break;
	}
	return NULL;
}

static void
finish_fold(struct fx_dag *dag)
{
	struct fx_dag_node *last;

	if (!dag->count)
		return;
	last = &dag->nodes[dag->count - 1];
	if (last->kind == FX_DAG_FOLD)
		last->label = fx_intern_format("%s (%u nodes)", last->name,
			last->folded);
}

struct fx_dag *
fx_dag_fold(struct fx_graph *graph, int depth)
{
	struct fx_dag *dag = fx_dag_new();
	uint32_t *group = fx_xcalloc(graph->node_count + 1, sizeof(*group));
	const char *before = NULL;
	const struct fx_node *node;
	uint32_t position = 0;

	fx_graph_for_each_node (node, graph) {
		const char *key = fold_key(node, depth, before);

		if (key && key == before) {
			dag->nodes[dag->count - 1].folded++;
		} else {
			finish_fold(dag);
			fx_dag_add(dag, key ? FX_DAG_FOLD : kind_of(node),
				key ? key : node->name)
				->origin = position;
		}
		before = key;
		group[position] = (uint32_t)dag->count - 1;
		for (size_t i = 0; i < fx_node_input_count(node); i++) {
			uint32_t input = group[fx_graph_position(graph,
				fx_node_input(node, i))];

			if (input != dag->count - 1)
				fx_dag_add_input(dag, input);
		}
		position++;
	}
	finish_fold(dag);
	free(group);
	return dag;
}
