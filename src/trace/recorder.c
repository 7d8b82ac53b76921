/* recorder.c - what symbolic tracing is, whoever drives it. */
#include <config.h>

#include "trace/recorder.h"

#include <string.h>

#include "base/hash.h"
#include "base/intern.h"

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
	fx_map_deinit(&recorder->scopes);
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
	fx_map_clear(&recorder->scopes);
	return graph;
}

void
fx_recorder_enter(struct fx_recorder *recorder, const char *path,
	const char *class_name)
{
	const void *parts[3] = { recorder->scope, path, class_name };
	uintptr_t key = (uintptr_t)fx_hash_quick(parts, sizeof(parts)) | 1;
	const struct fx_scope *scope =
		(const struct fx_scope *)fx_map_get(&recorder->scopes, key, 0);

	if (!scope || scope->parent != recorder->scope || scope->path != path ||
		scope->class_name != class_name) {
		scope = fx_graph_scope(recorder->graph, recorder->scope, path,
			class_name);
		fx_map_set(&recorder->scopes, key, (uintptr_t)scope);
	}
	recorder->scope = scope;
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
