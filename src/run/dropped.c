/* dropped.c - what stays of values that were dropped: their statistics.
 *
 * They are taken when the value goes, which costs a fraction of what computing
 * it did.  A value whose storage was written in place is what it is only while
 * the last of the nodes that wrote it lies above the stop; further back its
 * summary is not shown.
 */
#include <config.h>

#include "run/timeline.h"

#include <stdlib.h>

#include "base/bitset.h"
#include "base/mem.h"
#include "run/datum.h"
#include "run/storage.h"
#include "run/summary.h"

/* The entry of a dropped value of which no summary is kept. */
#define NO_SUMMARY 1

struct summary {
	struct fx_summary *known;
	uint64_t writer; /* holds behind this node; 0: always */
};

static void
summary_free(uintptr_t entry)
{
	struct summary *summary = (struct summary *)entry;

	if (entry == NO_SUMMARY)
		return;
	fx_summary_free(summary->known);
	free(summary);
}

/* The last node that wrote into what DATUM lies in; 0: nobody. */
static uint64_t
last_writer(const struct fx_timeline *timeline, const struct fx_datum *datum)
{
	FX_AUTO_MAP struct fx_map storages = { 0 };

	fx_datum_add_storages(datum, &storages);
	for (size_t i = timeline->effects.count; storages.count && i-- > 0;) {
		const struct fx_effect *effect = &timeline->effects.items[i];

		for (size_t j = 0; j < effect->saved.count; j++)
			if (fx_map_has(&storages,
				    effect->saved.items[j].storage))
				return effect->node;
	}
	return 0;
}

/* A sample of DATUM, or what SAMPLED knows of it. */
static struct fx_summary *
measure(const struct fx_datum *datum, struct fx_map *sampled)
{
	uintptr_t tensor =
		datum->kind == FX_DATUM_TENSOR ? (uintptr_t)datum->payload : 0;
	struct fx_summary *known;

	if (sampled && tensor && fx_map_has(sampled, tensor))
		return fx_summary_dup((const struct fx_summary *)
				fx_map_get(sampled, tensor, 0));
	known = fx_summary_new_sample(datum);
	if (sampled && tensor && known)
		fx_map_set(sampled, tensor, (uintptr_t)known);
	return known;
}

static struct summary *
summary_new(const struct fx_timeline *timeline, const struct fx_datum *datum,
	struct fx_map *sampled)
{
	struct fx_summary *known =
		timeline->is_off ? NULL : measure(datum, sampled);
	struct summary *summary;

	if (!known)
		return NULL;
	summary = FX_NEW(struct summary);
	summary->known = known;
	summary->writer = last_writer(timeline, datum);
	return summary;
}

bool
fx_timeline_drop(struct fx_timeline *timeline, uint64_t node,
	const struct fx_datum *datum, struct fx_map *sampled)
{
	struct summary *summary = summary_new(timeline, datum, sampled);

	fx_timeline_undrop(timeline, node);
	fx_map_set(&timeline->strays, (uintptr_t)node, 1);
	fx_map_set(&timeline->dropped, (uintptr_t)node,
		summary ? (uintptr_t)summary : NO_SUMMARY);
	return summary != NULL;
}

bool
fx_timeline_undrop(struct fx_timeline *timeline, uint64_t node)
{
	uintptr_t entry =
		fx_map_get(&timeline->dropped, (uintptr_t)node, NO_SUMMARY);

	summary_free(entry);
	return fx_map_erase(&timeline->dropped, (uintptr_t)node);
}

void
fx_timeline_doubt(struct fx_timeline *timeline, const struct fx_bitset *stale)
{
	FX_VEC(uintptr_t) ids = { 0 };
	size_t at = 0;
	uintptr_t id;
	uintptr_t entry;

	while (fx_map_next(&timeline->dropped, &at, &id, &entry)) {
		const struct summary *summary = (const struct summary *)entry;

		if (entry != NO_SUMMARY && summary->writer &&
			fx_bitset_has(stale, (uint32_t)summary->writer))
			fx_vec_push(&ids, id);
	}
	while (ids.count) {
		id = fx_vec_pop(&ids);
		summary_free(fx_map_get(&timeline->dropped, id, NO_SUMMARY));
		fx_map_set(&timeline->dropped, id, NO_SUMMARY);
	}
	fx_vec_deinit(&ids);
}

void
fx_timeline_forget_dropped(struct fx_timeline *timeline)
{
	size_t at = 0;
	uintptr_t id;
	uintptr_t entry;

	while (fx_map_next(&timeline->dropped, &at, &id, &entry))
		summary_free(entry);
	fx_map_deinit(&timeline->dropped);
}

const struct fx_summary *
fx_timeline_summary(const struct fx_timeline *timeline, uint64_t node,
	uint64_t *writer_ret)
{
	uintptr_t entry =
		fx_map_get(&timeline->dropped, (uintptr_t)node, NO_SUMMARY);
	const struct summary *summary = (const struct summary *)entry;

	if (entry == NO_SUMMARY)
		return NULL;
	*writer_ret = summary->writer;
	return summary->known;
}
