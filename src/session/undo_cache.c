/* undo_cache.c - values of the graph as it was before the last edits: undo and
 * redo bring them back without running.
 *
 * A time index of the journal stands for one graph exactly, so what was
 * computed at it holds again when undo, redo or goto arrive there: if nothing
 * else changed, no input, no value that was set, no start.  Where nodes write
 * in place or draw numbers this is not tried: the bytes of then are gone.  The
 * last two times are kept, which is going back and forth over an edit.
 */
#include <config.h>

#include "run/backend.h"
#include "run/datum.h"
#include "session/session_private.h"

void
fx_undo_cache_clear(struct fx_model *model)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(model->run->left); i++)
		fx_left_clear(&model->run->left[i]);
}

static bool
has_effects(const struct fx_model *model)
{
	return model->run->timeline.kinds.count ||
	       model->run->timeline.is_off || !model->backend->ops->has_values;
}

void
fx_undo_cache_leave(struct fx_model *model, uint32_t time)
{
	struct fx_left *left = model->run->left;

	model->run->leaves =
		!has_effects(model) && model->run->activations.count == 1;
	if (!model->run->leaves) {
		fx_undo_cache_clear(model);
		return;
	}
	if (left[0].time != time + 1) {
		fx_left_clear(&left[1]);
		left[1] = left[0];
		left[0] = (struct fx_left){ .time = 0 };
	}
	fx_left_clear(&left[0]);
	left[0].time = time + 1;
}

void
fx_undo_cache_keep(struct fx_model *model, uint64_t id, struct fx_datum *datum)
{
	if (model->run->leaves && datum)
		fx_map_set(&model->run->left[0].values, (uintptr_t)id,
			(uintptr_t)fx_datum_ref(datum));
}

/* Give each node that still has no value the value that LEFT holds for it. */
static void
bring_back(struct fx_model *model, const struct fx_left *left)
{
	struct fx_activation *place = model->run->activations.items[0];
	size_t at = 0;
	uintptr_t id;
	uintptr_t datum;

	while (fx_map_next(&left->values, &at, &id, &datum)) {
		const struct fx_node *node = fx_graph_find_id(place->graph, id);

		if (!node || !node->is_in_graph ||
			fx_env_get(&place->env, id) ||
			fx_model_is_overridden(model, node))
			continue;
		fx_env_take(&place->env, id,
			fx_datum_ref((struct fx_datum *)datum));
		fx_map_erase(&model->run->dirty, id);
	}
}

void
fx_undo_cache_arrive(struct fx_model *model, uint32_t time)
{
	bool leaves = model->run->leaves;

	model->run->leaves = false;
	for (size_t i = 0; leaves && i < FX_ARRAY_LEN(model->run->left); i++) {
		struct fx_left *left = &model->run->left[i];

		if (left->time != time + 1)
			continue;
		if (model->run->activations.count == 1 && !has_effects(model))
			bring_back(model, left);
		fx_left_clear(left);
	}
}
