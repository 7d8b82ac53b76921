/* nonfinite_cache.c - which values hold NaN or infinities: looked at once, and
 * again when a storage that they lie in was written.
 */
#include <config.h>

#include "run/backend.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/storage.h"
#include "run/summary.h"
#include "session/activation.h"
#include "session/session_private.h"

struct writes {
	const struct fx_map *generations;
	size_t count;
};

static bool
count_writes(void *context, uintptr_t storage, size_t bytes)
{
	struct writes *writes = context;

	(void)bytes;
	writes->count += (size_t)fx_map_get(writes->generations, storage, 0);
	return false;
}

/* How often the storages of DATUM were written, or put back. */
static size_t
generation_of(const struct fx_timeline *timeline, const struct fx_datum *datum)
{
	struct writes writes = { .generations = &timeline->generations };

	fx_datum_see_storages(datum, count_writes, &writes);
	return writes.count;
}

bool
fx_model_datum_is_nonfinite(struct fx_model *model, uint64_t id,
	const struct fx_datum *datum)
{
	struct fx_timeline *timeline = &model->run->timeline;
	/* Generation and answer in one word, which is not 0. */
	uintptr_t now = (uintptr_t)generation_of(timeline, datum) * 4 + 2;
	uintptr_t known = fx_map_get(&timeline->finite, (uintptr_t)id, 0);
	bool found;

	if (known == now || known == now + 1)
		return known & 1;
	found = fx_datum_is_nonfinite(datum);
	fx_map_set(&timeline->finite, (uintptr_t)id, now + found);
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
	return fx_model_datum_is_nonfinite(model, node->id, datum);
}
