/* nonfinite_cache.c - which values hold NaN or infinities: looked at once, and
 * again when a storage that they lie in was written.
 */
#include <config.h>

#include "ir/graph.h"
#include "ir/side_effects.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/storage.h"
#include "run/summary.h"
#include "session/activation.h"
#include "session/session_private.h"

struct writes {
	const struct fx_timeline *timeline;
	size_t before; /* until the node began that runs now ... */
	size_t since;  /* ... and by it */
};

static bool
count_writes(void *context, uintptr_t storage, size_t bytes)
{
	struct writes *writes = context;
	const struct fx_timeline *timeline = writes->timeline;
	const struct fx_effect *now =
		timeline->has_effect ? &fx_vec_last(&timeline->effects) : NULL;

	(void)bytes;
	writes->before +=
		(size_t)fx_map_get(&timeline->generations, storage, 0);
	for (size_t i = 0; now && i < now->saved.count; i++)
		if (now->saved.items[i].storage == storage) {
			writes->since++;
			break;
		}
	return false;
}

/* How often the storages of DATUM were written, or put back. */
static struct writes
writes_of(const struct fx_timeline *timeline, const struct fx_datum *datum)
{
	struct writes writes = { .timeline = timeline };

	fx_datum_see_storages(datum, count_writes, &writes);
	return writes;
}

/* What the cache holds of a value of the GENERATION: in one word that is not 0,
 * one more where it is not finite.
 */
static uintptr_t
word_of(size_t generation)
{
	return (uintptr_t)generation * 4 + 2;
}

static bool
has_dtype_of(const struct fx_datum *result, const struct fx_datum *input)
{
	return result->kind != FX_DATUM_TENSOR ||
	       (input->kind == FX_DATUM_TENSOR &&
		       fx_kind_of(result).dtype == fx_kind_of(input).dtype);
}

/* Whether NODE, which runs now, cannot have made anything but finite numbers of
 * what it was given, which was looked at.  (What it writes in place was looked
 * at before it did.)
 */
static bool
must_be_finite(const struct fx_model *model, const struct fx_node *node,
	const struct fx_datum *result)
{
	const struct fx_timeline *timeline = &model->run->timeline;
	const struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);
	size_t count = fx_node_input_count(node);

	if (timeline->node != node->id || !place || !count ||
		!(fx_op_info(fx_node_operation(node))->traits & FX_OP_BOUNDED))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct fx_node *input = fx_node_input(node, i);
		const struct fx_datum *datum =
			fx_activation_value(place, input);

		if (!datum || (i == 0 && !has_dtype_of(result, datum)) ||
			fx_map_get(&timeline->finite, (uintptr_t)input->id,
				0) !=
				word_of(writes_of(timeline, datum).before))
			return false;
	}
	return true;
}

bool
fx_model_datum_is_nonfinite(struct fx_model *model, const struct fx_node *node,
	const struct fx_datum *datum)
{
	struct fx_timeline *timeline = &model->run->timeline;
	struct writes writes = writes_of(timeline, datum);
	uintptr_t now = word_of(writes.before + writes.since);
	uintptr_t known = fx_map_get(&timeline->finite, (uintptr_t)node->id, 0);
	bool found;

	if (known == now || known == now + 1)
		return known & 1;
	found = !must_be_finite(model, node, datum) &&
		fx_datum_is_nonfinite(datum);
	fx_map_set(&timeline->finite, (uintptr_t)node->id, now + found);
	return found;
}

bool
fx_model_is_nonfinite(struct fx_model *model, const struct fx_activation *place,
	const struct fx_node *node)
{
	const struct fx_datum *datum = fx_activation_value(place, node);
	const struct fx_summary *summary =
		datum ? NULL : fx_position_summary(model, node);

	if (!model->backend->ops->has_values)
		return false;
	if (!datum)
		return summary && fx_summary_is_nonfinite(summary);
	return fx_model_datum_is_nonfinite(model, node, datum);
}
