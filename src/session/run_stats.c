/* run_stats.c - numbers about what was run and what is kept. */
#include <config.h>

#include "run/backend.h"
#include "run/storage.h"
#include "session/position_private.h"

static void
count_nodes(const struct fx_model *model, struct fx_run_stats *ret)
{
	const struct fx_activation *place = model->run->activations.items[0];
	bool by_python = model->backend == model->python;
	const struct fx_node *node;

	fx_graph_for_each_node (node, model->graph) {
		bool has_value = fx_env_get(&place->env, node->id) != NULL;

		ret->values += has_value;
		if (has_value && fx_position_is_computing(node) &&
			node->opcode != FX_OPCODE_OUTPUT)
			ret->ran++;
	}
	ret->by_python = by_python ? ret->ran
				   : model->backend->fallback_calls -
					     model->fallback_before;
}

void
fx_position_stats(struct fx_model *model, struct fx_run_stats *ret)
{
	const struct fx_timeline *timeline = &model->run->timeline;
	const struct fx_node *node;

	*ret = (struct fx_run_stats){
		.saved_bytes = timeline->saved_bytes,
		.effects = timeline->effects.count,
		.dropped = timeline->dropped.count,
		.recomputed = timeline->recomputed,
		.rerun = model->run->rerun,
		.failed = model->run->failures.count,
	};
	if (!model->run->activations.count)
		return;
	fx_graph_for_each_node (node, model->graph)
		ret->summarised += fx_position_summary(model, node) != NULL;
	fx_record_limit_count(model);
	ret->held_bytes = timeline->held_bytes;
	count_nodes(model, ret);
}

/* Whether the node with ID is there and has been passed. */
static bool
is_above(const struct fx_activation *activation, uint64_t id)
{
	const struct fx_node *node = fx_graph_find_id(activation->graph, id);

	return node && node->is_in_graph &&
	       fx_activation_is_above(activation, node);
}

bool
fx_position_is_dropped(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_activation *activation =
		fx_run_activation_of(model->run, node->graph);

	return activation &&
	       fx_map_has(&model->run->timeline.dropped, (uintptr_t)node->id) &&
	       is_above(activation, node->id);
}

/* One whose storage was written further on does not hold further back. */
const struct fx_summary *
fx_position_summary(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_activation *activation =
		fx_run_activation_of(model->run, node->graph);
	uint64_t writer = 0;
	const struct fx_summary *summary =
		fx_timeline_summary(&model->run->timeline, node->id, &writer);

	if (!activation || !summary || !is_above(activation, node->id) ||
		(writer && !is_above(activation, writer)))
		return NULL;
	return summary;
}

struct fx_datum *
fx_position_value(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);

	return place ? fx_activation_value(place, node) : NULL;
}

static bool
wrote_into(const struct fx_effect *effect, const struct fx_map *storages)
{
	for (size_t i = 0; i < effect->saved.count; i++)
		if (fx_map_has(storages, effect->saved.items[i].storage))
			return true;
	return false;
}

const struct fx_node *
fx_position_writer(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_timeline *timeline = &model->run->timeline;
	const struct fx_datum *datum = fx_position_value(model, node);
	FX_AUTO_MAP struct fx_map storages = { 0 };

	if (!datum || !timeline->effects.count)
		return NULL;
	fx_datum_add_storages(datum, &storages);
	for (size_t i = 0; i < timeline->effects.count; i++) {
		const struct fx_effect *effect = &timeline->effects.items[i];
		const struct fx_node *writer = NULL;

		if (effect->graph == node->graph &&
			wrote_into(effect, &storages))
			writer = fx_graph_find_id(node->graph, effect->node);
		if (writer && fx_node_is_before(node, writer))
			return writer;
	}
	return NULL;
}
