/* location.c - where a node stands: nested graphs, module scopes, source. */
#include <config.h>

#include "base/intern.h"
#include "base/vec.h"
#include "ir/control.h"
#include "session/nested.h"
#include "session/position_private.h"

typedef FX_VEC(struct fx_location) frame_vec;

/* The scopes of NODE; the root is the graph's own frame. */
static void
add_scopes(frame_vec *frames, const struct fx_node *node)
{
	for (const struct fx_scope *scope = node->scope; scope;
		scope = scope->parent) {
		struct fx_location frame = {
			.kind = FX_LOCATION_SCOPE,
			.title = scope->path,
			.detail = scope->class_name,
			.node = node,
		};

		if (*scope->path)
			fx_vec_push(frames, frame);
	}
}

/* Nested graphs are called by the path of the module that has them. */
static const char *
graph_title(const struct fx_model *model, const struct fx_graph *graph)
{
	const char *path = fx_control_path(model->graph, graph);

	return path && *path ? path : model->name;
}

const char *
fx_position_graph_name(const struct fx_model *model)
{
	return graph_title(model, fx_position_graph(model));
}

static void
add_graph(frame_vec *frames, const struct fx_model *model,
	const struct fx_activation *place, const struct fx_node *node)
{
	struct fx_graph *graph = node ? node->graph : model->graph;
	struct fx_location frame = {
		.kind = FX_LOCATION_GRAPH,
		.title = graph_title(model, graph),
		.detail = graph->class_name,
		.node = node,
	};

	if (place && place->loop)
		frame.detail = fx_intern_format("turn %zu of %%%s",
			place->loop->number,
			fx_activation_call(model, place)->name);
	fx_vec_push(frames, frame);
}

static void
add_source(frame_vec *frames, const struct fx_node *node)
{
	if (!node || !node->source)
		return;
	for (size_t i = 0; i < node->source->count; i++) {
		const struct fx_source_frame *source = &node->source->frames[i];
		struct fx_location frame = {
			.kind = FX_LOCATION_SOURCE,
			.title = source->function,
			.detail = source->file,
			.line = source->line,
			.text = source->text,
			.node = node,
		};

		fx_vec_push(frames, frame);
	}
}

/* Innermost first: the scopes and graph of NODE, then those of the call that
 * entered it, and so on; the Python stack of NODE last.
 */
void
fx_position_locations(const struct fx_model *model, const struct fx_node *node,
	struct fx_location **ret, size_t *count_ret)
{
	frame_vec frames = { 0 };
	const struct fx_node *at = node;

	for (size_t i = model->run->activations.count; i-- > 0 && at;) {
		const struct fx_activation *place =
			model->run->activations.items[i];

		if (place->graph != at->graph)
			continue;
		add_scopes(&frames, at);
		add_graph(&frames, model, place, at);
		at = i ? fx_graph_find_id(model->run->activations.items[i - 1]
						  ->graph,
				 place->call)
		       : NULL;
	}
	/* Nothing runs: a node by itself. */
	if (!frames.count && node) {
		add_scopes(&frames, node);
		add_graph(&frames, model, NULL, node);
	}
	if (!node)
		add_graph(&frames, model, NULL, NULL);
	add_source(&frames, node);
	*ret = frames.items;
	*count_ret = frames.count;
}

const struct fx_node *
fx_position_selected(const struct fx_model *model)
{
	const struct fx_node *node = fx_position_node(model);
	const struct fx_graph *entered = fx_model_entered(model);
	FX_AUTO_FREE struct fx_location *frames = NULL;
	const struct fx_activation *place;
	size_t count;

	if (entered) {
		place = fx_run_activation_of(model->run, entered);
		return place ? fx_activation_stop(place) : NULL;
	}
	if (!model->run->frame || model->run->activations.count < 2)
		return node;
	fx_position_locations(model, node, &frames, &count);
	return model->run->frame < count ? frames[model->run->frame].node
					 : node;
}

bool
fx_position_in(const struct fx_model *model, const struct fx_graph *graph,
	size_t *ret)
{
	const struct fx_activation *place =
		fx_run_activation_of(model->run, graph);
	const struct fx_node *node = place ? fx_activation_stop(place) : NULL;

	*ret = !place ? 0
	       : node ? fx_graph_position(place->graph, node)
		      : place->graph->node_count;
	return place != NULL;
}

size_t
fx_position_outer_frame(const struct fx_model *model)
{
	const struct fx_graph *graph = fx_position_graph(model);
	FX_AUTO_FREE struct fx_location *frames = NULL;
	size_t count;

	fx_position_locations(model, fx_position_node(model), &frames, &count);
	for (size_t i = model->run->frame + 1; i < count; i++)
		if (frames[i].kind == FX_LOCATION_GRAPH && frames[i].node &&
			frames[i].node->graph == graph->outer)
			return i;
	return 0;
}

const char *
fx_position_scope(struct fx_model *model, struct fx_node *node)
{
	FX_AUTO_FREE struct fx_location *frames = NULL;
	size_t count;
	size_t index = model->run->frame;
	const char *scope = node->scope ? node->scope->path : "";

	/* A module that is called next has not been entered: one stands in the
	 * scope that calls it.
	 */
	if (!index && node->opcode == FX_OPCODE_CALL_MODULE && node->scope &&
		node->target == scope)
		scope = node->scope->parent ? node->scope->parent->path : "";
	if (!index)
		return scope;
	fx_position_locations(model, node, &frames, &count);
	if (index < count && frames[index].kind == FX_LOCATION_SCOPE)
		return frames[index].title;
	return scope;
}

const char *
fx_position_unit(const struct fx_node *node)
{
	const struct fx_node *before = fx_graph_previous(node);
	const char *unit = NULL;

	for (const struct fx_scope *scope = node->scope; scope;
		scope = scope->parent)
		if (*scope->path &&
			!(before && fx_position_is_inside(before, scope->path)))
			unit = scope->path;
	return unit;
}

size_t
fx_position_turn(const struct fx_model *model)
{
	const struct fx_run *run = model->run;

	for (size_t i = run->activations.count; i-- > 0;)
		if (run->activations.items[i]->loop)
			return run->activations.items[i]->loop->number;
	return 0;
}
