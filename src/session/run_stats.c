/* run_stats.c - numbers about what was run and what is kept. */
#include <config.h>

#include "run/backend.h"
#include "run/storage.h"
#include "session/activation.h"
#include "session/position_private.h"

static void
count_nodes(const struct fx_model *model, struct fx_run_stats *ret)
{
	const struct fx_activation *place = model->places.items[0];
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
	const struct fx_timeline *timeline = &model->timeline;
	const struct fx_node *node;

	*ret = (struct fx_run_stats){
		.saved_bytes = timeline->saved_bytes,
		.effects = timeline->effects.count,
		.dropped = timeline->dropped.count,
		.recomputed = timeline->recomputed,
		.rerun = model->rerun,
		.failed = model->failures.count,
	};
	if (!model->places.count)
		return;
	fx_graph_for_each_node (node, model->graph)
		ret->summarised += fx_position_summary(model, node) != NULL;
	fx_record_limit_count(model);
	ret->held_bytes = timeline->held_bytes;
	count_nodes(model, ret);
}

struct fx_datum *
fx_position_value(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_activation *place =
		fx_model_activation_of(model, node->graph);

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
	const struct fx_timeline *timeline = &model->timeline;
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
