/* release_dead.c - values that nobody needs any more, where none are recorded.
 *
 * They go with the last node that takes them, as in eager PyTorch, so that
 * memory is used again while it is in the cache; what that node overwrites is
 * not saved, or given up with them.  What others lie beside is left to the
 * record limit (record_limit.c), which looks through the graph.
 */
#include <config.h>

#include "run/datum.h"
#include "run/storage.h"
#include "session/session_private.h"

/* Of what NODE overwrote, the bytes of DATUM, which RESULT may lie in now: true
 * if they are given up, as nothing else does.
 */
static bool
give_up_saved(struct fx_timeline *timeline, const struct fx_node *node,
	const struct fx_datum *datum, const struct fx_datum *result)
{
	FX_AUTO_MAP struct fx_map storages = { 0 };
	struct fx_effect *effect;
	size_t at = 0;

	if (!timeline->effects.count)
		return false;
	effect = &fx_vec_last(&timeline->effects);
	if (effect->graph != node->graph || effect->node != node->id)
		return false;
	while (at < effect->saved.count &&
		effect->saved.items[at].tensor != datum)
		at++;
	if (at == effect->saved.count || datum->references != 2)
		return false;
	fx_datum_add_storages(datum, &storages);
	if (fx_datum_storage_holders(datum) >
		1 + (size_t)fx_datum_lies_in(result, &storages))
		return false;
	(void)fx_timeline_unsave(timeline, effect, at);
	effect->is_lost = true;
	return true;
}

void
fx_record_limit_foresee(struct fx_model *model,
	const struct fx_activation *place, const struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_node *input = fx_node_input(node, i);
		const struct fx_datum *datum =
			fx_env_get(&place->env, input->id);

		if (datum && fx_datum_is_lone(datum) &&
			!fx_record_limit_needs(model, place, input, node))
			fx_vec_push(&model->run->timeline.evictable, datum);
	}
}

static void
uncount(struct fx_timeline *timeline, const struct fx_datum *datum)
{
	size_t bytes;
	uintptr_t storage = fx_datum_storage(datum, &bytes);

	if (fx_map_erase(&timeline->storages, storage))
		timeline->held_bytes -= bytes;
}

static void
spend(struct fx_model *model, struct fx_activation *place,
	const struct fx_node *input, const struct fx_node *node)
{
	struct fx_timeline *timeline = &model->run->timeline;
	const struct fx_datum *datum = fx_env_get(&place->env, input->id);

	if (!datum || fx_record_limit_needs(model, place, input, NULL))
		return;
	if (!give_up_saved(timeline, node, datum,
		    fx_env_get(&place->env, node->id))) {
		if (!fx_datum_is_lone(datum))
			return;
		uncount(timeline, datum);
	}
	fx_timeline_drop(timeline, input->id, datum, NULL);
	timeline->dropped_now++;
	fx_env_drop(&place->env, input->id);
}

void
fx_record_limit_spend(struct fx_model *model, struct fx_activation *place,
	const struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		spend(model, place, fx_node_input(node, i), node);
}
