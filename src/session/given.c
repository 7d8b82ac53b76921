/* given.c - values that the user set, in copies of the graphs they are of. */
#include <config.h>

#include "ir/control.h"
#include "session/override.h"
#include "session/session_private.h"

struct fx_datum *
fx_model_given_in(const struct fx_model *model, struct fx_graph *copy,
	const struct fx_node *node)
{
	const char *path;
	struct fx_graph *graph;

	if (!model->run->overrides.count ||
		node->opcode == FX_OPCODE_PLACEHOLDER)
		return NULL;
	path = fx_control_path(copy, node->graph);
	graph = path ? fx_control_graph_at(model->graph, path) : NULL;
	if (!graph || graph->node_count != node->graph->node_count)
		return NULL;
	node = fx_graph_at(graph, fx_graph_position(node->graph, node));
	return fx_run_given(model->run, node->id);
}
