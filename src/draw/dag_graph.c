/* dag_graph.c - from a graph to the form that drawings are made from, whole or
 * with its scopes folded.
 */
#include <config.h>

#include "draw/dag.h"

#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/vec.h"
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

struct fx_dag *
fx_dag_of_graph(struct fx_graph *graph)
{
	struct fx_dag *dag = fx_dag_new();
	const struct fx_node *node;

	fx_dag_reserve(dag, graph->node_count);
	fx_graph_for_each_node (node, graph) {
		fx_dag_add(dag, kind_of(node), node->name)->node = node;
		for (size_t i = 0; i < fx_node_input_count(node); i++)
			fx_dag_add_input(dag, (uint32_t)fx_graph_position(graph,
						      fx_node_input(node, i)));
	}
	return dag;
}

/* A node for RUN, whose first one is NODE, without inputs. */
static void
add_run(struct fx_dag *dag, const struct fx_dag_run *run,
	const struct fx_node *node)
{
	struct fx_dag_node *to =
		fx_dag_add(dag, run->fold ? FX_DAG_FOLD : kind_of(node),
			run->fold ? run->fold : node->name);

	to->origin = (uint32_t)run->first;
	to->folded = (uint32_t)run->count;
	to->node = run->fold ? NULL : node;
	if (run->fold)
		to->label = fx_intern_format("%s (%zu node%s)", run->fold,
			run->count, run->count == 1 ? "" : "s");
}

void
fx_dag_fill(struct fx_dag *dag, struct fx_graph *graph,
	const struct fx_dag_run *runs, size_t count)
{
	/* Of a position, the number of its run and 1. */
	FX_AUTO_FREE uint32_t *map =
		fx_xcalloc(graph->node_count + 1, sizeof(*map));

	dag->count = 0;
	dag->input_count = 0;
	fx_dag_reserve(dag, count);
	for (size_t r = 0; r < count; r++) {
		const struct fx_node *node = fx_graph_at(graph, runs[r].first);

		add_run(dag, &runs[r], node);
		for (size_t i = 0; i < runs[r].count; i++)
			map[runs[r].first + i] = (uint32_t)r + 1;
		for (size_t i = 0; i < runs[r].count; i++) {
			for (size_t k = 0; k < fx_node_input_count(node); k++) {
				uint32_t input = map[fx_graph_position(graph,
					fx_node_input(node, k))];

				if (input && input != r + 1)
					fx_dag_add_input(dag, input - 1);
			}
			node = fx_graph_next(node);
		}
	}
}

struct fx_dag *
fx_dag_of_runs(struct fx_graph *graph, const struct fx_dag_run *runs,
	size_t count)
{
	struct fx_dag *dag = fx_dag_new();

	fx_dag_fill(dag, graph, runs, count);
	return dag;
}

/* PATH cut to its first DEPTH steps, interned. */
static const char *
dag_cut_path(const char *path, int depth)
{
	const char *end = path;

	while (*end) {
		if (*end == '.' && --depth == 0)
			break;
		end++;
	}
	return fx_intern_n(path, (size_t)(end - path));
}

/* PATH without its last step; NULL at the root. */
static const char *
owner_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? fx_intern_n(path, (size_t)(dot - path)) : NULL;
}

const char *
fx_dag_scope(const struct fx_node *node, const char *before)
{
	switch ((enum fx_opcode)node->opcode) {
	case FX_OPCODE_CALL_MODULE:
	case FX_OPCODE_GET_ATTR:
		return owner_of(node->target);
	case FX_OPCODE_CALL_FUNCTION:
	case FX_OPCODE_CALL_METHOD:
		if (!node->scope)
			return before;
		return *node->scope->path ? node->scope->path : NULL;
	case FX_OPCODE_PLACEHOLDER:
	case FX_OPCODE_OUTPUT:
	case FX_OPCODE_COUNT:
		break;
	}
	return NULL;
}

const char *
fx_dag_scope_alone(const struct fx_node *node)
{
	const struct fx_node *at = node;

	/* Back to a node that says its scope by itself. */
	while (at && !at->scope &&
		(at->opcode == FX_OPCODE_CALL_FUNCTION ||
			at->opcode == FX_OPCODE_CALL_METHOD))
		at = fx_graph_previous(at);
	return fx_dag_scope(node, at ? fx_dag_scope(at, NULL) : NULL);
}

struct fx_dag *
fx_dag_fold(struct fx_graph *graph, int depth)
{
	FX_VEC(struct fx_dag_run) runs = { 0 };
	const struct fx_node *node;
	const char *scope = NULL;
	struct fx_dag *folded;
	size_t position = 0;

	fx_graph_for_each_node (node, graph) {
		struct fx_dag_run run = { .first = position++, .count = 1 };

		scope = fx_dag_scope(node, scope);
		run.fold = scope ? dag_cut_path(scope, depth) : NULL;
		if (run.fold && runs.count &&
			fx_vec_last(&runs).fold == run.fold)
			fx_vec_last(&runs).count++;
		else
			fx_vec_push(&runs, run);
	}
	folded = fx_dag_of_runs(graph, runs.items, runs.count);
	fx_vec_deinit(&runs);
	return folded;
}
