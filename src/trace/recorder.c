/* recorder.c - what symbolic tracing is, whoever drives it. */
#include <config.h>

#include "trace/recorder.h"

#include <string.h>

void
fx_recorder_init(struct fx_recorder *recorder, uint32_t serial,
	uint64_t generation)
{
	memset(recorder, 0, sizeof(*recorder));
	recorder->graph = fx_graph_new(serial);
	recorder->generation = generation;
}

void
fx_recorder_deinit(struct fx_recorder *recorder)
{
	fx_map_deinit(&recorder->parameters);
	fx_graph_free(recorder->graph);
	recorder->graph = NULL;
	recorder->scope = NULL;
}

struct fx_graph *
fx_recorder_take_graph(struct fx_recorder *recorder)
{
	struct fx_graph *graph = recorder->graph;

	recorder->graph = NULL;
	recorder->scope = NULL;
	fx_map_clear(&recorder->parameters);
	return graph;
}

void
fx_recorder_enter(struct fx_recorder *recorder, const char *path,
	const char *class_name)
{
	recorder->scope = fx_graph_scope_interned(recorder->graph,
		recorder->scope, path, class_name);
}

void
fx_recorder_leave(struct fx_recorder *recorder)
{
	if (recorder->scope)
		recorder->scope = recorder->scope->parent;
}

struct fx_node *
fx_recorder_add(struct fx_recorder *recorder, const struct fx_node_spec *spec)
{
	struct fx_node_spec full = *spec;

	full.scope = recorder->scope;
	return fx_graph_append(recorder->graph, &full);
}

struct fx_node *
fx_recorder_attribute(struct fx_recorder *recorder, const char *path,
	const struct fx_source *source)
{
	return fx_recorder_add(recorder, &(struct fx_node_spec){
						 .opcode = FX_OPCODE_GET_ATTR,
						 .target = path,
						 .source = source,
					 });
}

struct fx_node *
fx_recorder_parameter(struct fx_recorder *recorder, const char *path,
	const struct fx_source *source)
{
	struct fx_node *node = fx_map_get_pointer(&recorder->parameters, path);

	if (node)
		return node;
	node = fx_recorder_attribute(recorder, path, source);
	fx_map_set_pointer(&recorder->parameters, path, node);
	return node;
}
