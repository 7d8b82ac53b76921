/* probe_search.c - which elements decide: guessing and halving. */
#include <config.h>

#include "run/probe_private.h"

#include <math.h>
#include <string.h>

#include "base/blob.h"
#include "ir/node.h"
#include "ir/side_effects.h"
#include "meta/promote.h"
#include "run/datum.h"
#include "run/replay.h"
#include "run/stats_private.h"

static struct fx_error *
keep_first(struct fx_probe *probe, uint64_t count, bool *bad_ret)
{
	return fx_probe_keep(probe, probe->candidates.items, count, bad_ret);
}

/* --- guesses ------------------------------------------------------------- */

/* How far element INDEX of LEAF lies from the one in question, each dimension
 * taken as a fraction of its size; dimensions are those from the last one back.
 */
static double
distance(const struct fx_leaf *leaf, uint64_t index,
	const struct fx_extent *extent, const int64_t *place)
{
	int64_t mine[FX_RANK_LIMIT];
	double sum = 0;

	fx_extent_unravel(&leaf->extent, index, mine);
	for (uint32_t i = 1; i <= FX_MIN(leaf->extent.rank, extent->rank);
		i++) {
		int64_t a = leaf->extent.sizes[leaf->extent.rank - i];
		int64_t b = extent->sizes[extent->rank - i];
		double off =
			((double)mine[leaf->extent.rank - i] + 0.5) /
				(double)a -
			((double)place[extent->rank - i] + 0.5) / (double)b;

		sum += a == 1 || b == 1 ? 0 : off * off;
	}
	return sum;
}

static bool
find_extent(const struct fx_probe *probe, struct fx_extent *ret)
{
	const struct fx_spot *spot = &probe->spot;
	const struct fx_node *of = spot->written ? spot->written : spot->node;
	struct fx_datum *tensor =
		fx_datum_tensor_at(fx_replay_value(spot->replay, of),
			spot->number);
	FX_AUTO_ERROR struct fx_error *err =
		tensor ? fx_extent_of(tensor, ret) : NULL;

	return tensor && !err;
}

static bool
is_candidate(const struct fx_leaf *leaf, uint64_t index)
{
	return memcmp((char *)fx_blob_data(leaf->bytes) + index * leaf->size,
		       (char *)fx_blob_data(leaf->others) + index * leaf->size,
		       leaf->size) != 0;
}

/* Bring the candidate that lies nearest to the front. */
static void
guess(struct fx_probe *probe, const struct fx_extent *extent,
	const int64_t *place)
{
	double best = INFINITY;
	size_t at = 0;
	uint64_t first;

	for (size_t i = 0; i < probe->candidates.count; i++) {
		uint64_t index;
		const struct fx_leaf *leaf = fx_probe_leaf(probe,
			probe->candidates.items[i], &index);
		double now = distance(leaf, index, extent, place);

		if (now < best) {
			best = now;
			at = i;
		}
	}
	first = probe->candidates.items[0];
	probe->candidates.items[0] = probe->candidates.items[at];
	probe->candidates.items[at] = first;
}

/* The element of LEAF at the same fraction of each dimension. */
static uint64_t
same_place(const struct fx_leaf *leaf, const struct fx_extent *extent,
	const int64_t *place)
{
	uint64_t index = 0;

	for (uint32_t i = 0; i < leaf->extent.rank; i++) {
		int64_t size = leaf->extent.sizes[i];
		uint32_t back = leaf->extent.rank - i;
		int64_t at = 0;

		if (back <= extent->rank) {
			uint32_t other = extent->rank - back;

			at = place[other] * size / extent->sizes[other];
		}
		index = index * (uint64_t)size + (uint64_t)at;
	}
	return index;
}

/* Whether the one at the same place makes it wrong alone: most often the only
 * call that is needed.
 */
static struct fx_error *
try_same_place(struct fx_probe *probe, const struct fx_extent *extent,
	const int64_t *place, struct fx_probe_finding *ret)
{
	for (size_t i = 0; i < probe->leaves.count; i++) {
		const struct fx_leaf *leaf = &probe->leaves.items[i];
		uint64_t index;
		struct fx_error *err;
		bool bad;

		if (!leaf->others)
			continue;
		index = same_place(leaf, extent, place);
		if (!is_candidate(leaf, index))
			continue;
		index += leaf->first;
		err = fx_probe_keep(probe, &index, 1, &bad);
		if (err)
			return err;
		if (!bad)
			continue;
		ret->elements[0] = index;
		ret->count = 1;
		return NULL;
	}
	return NULL;
}

static void
collect(struct fx_probe *probe)
{
	for (size_t k = 0; k < probe->leaves.count; k++) {
		const struct fx_leaf *leaf = &probe->leaves.items[k];

		for (uint64_t i = 0; leaf->others && i < leaf->extent.count;
			i++)
			if (is_candidate(leaf, i))
				fx_vec_push(&probe->candidates,
					leaf->first + i);
	}
}

/* --- wrong ones above ---------------------------------------------------- */

static struct fx_error *
add_nonfinite(struct fx_probe *probe, struct fx_leaf *leaf)
{
	bool found;
	struct fx_error *err;

	if (fx_dtype_is_integer(leaf->extent.dtype))
		return NULL;
	err = fx_stats_find_nonfinite(leaf->tensor, &leaf->extent, NULL,
		&found);
	if (err || !found)
		return err;
	err = fx_probe_take_part(probe, leaf);
	if (err)
		return err;
	memcpy(fx_blob_data(leaf->others), fx_blob_data(leaf->bytes),
		(size_t)leaf->extent.count * leaf->size);
	fx_elements_clean(leaf->extent.dtype, fx_blob_data(leaf->others),
		leaf->extent.count);
	return NULL;
}

static struct fx_error *
add_huge(struct fx_probe *probe, struct fx_leaf *leaf)
{
	struct fx_error *err;

	if (!fx_dtype_is_float(leaf->extent.dtype))
		return NULL;
	err = fx_probe_take_part(probe, leaf);
	for (uint64_t i = 0; !err && i < leaf->extent.count; i++) {
		size_t at = (size_t)i * leaf->size;
		char *other = (char *)fx_blob_data(leaf->others) + at;
		const double one = 1;
		double number[2];

		memcpy(other, (char *)fx_blob_data(leaf->bytes) + at,
			leaf->size);
		fx_elements_decode(leaf->extent.dtype, other, 1, &number[0],
			&number[1]);
		if (fabs(number[0]) > probe->limit)
			fx_elements_encode(leaf->extent.dtype, &one, NULL, 1,
				other);
	}
	return err;
}

/* What is not true in LEAF, if it is one of truths. */
static struct fx_error *
add_false(struct fx_probe *probe, struct fx_leaf *leaf)
{
	struct fx_error *err;

	if (leaf->extent.dtype != FX_DTYPE_BOOL)
		return NULL;
	err = fx_probe_take_part(probe, leaf);
	if (!err)
		fx_leaf_fill(leaf, 1);
	return err;
}

static struct fx_error *
read_reference(struct fx_probe *probe, struct fx_leaf *leaf)
{
	const struct fx_datum *tensor =
		fx_datum_tensor_at(fx_replay_value(probe->spot.other,
					   leaf->mate),
			leaf->number);
	struct fx_extent extent;
	struct fx_error *err = NULL;

	if (tensor)
		err = fx_extent_of(tensor, &extent);
	if (err)
		return err;
	if (!tensor || !fx_extent_same_sizes(&extent, &leaf->extent)) {
		probe->lacks_reference = true;
		return NULL;
	}
	err = fx_probe_take_part(probe, leaf);
	if (err)
		return err;
	if (extent.dtype == leaf->extent.dtype)
		return fx_values_read(tensor, 0, (size_t)extent.count,
			fx_blob_data(leaf->others));
	leaf->cast = tensor;
	for (uint64_t i = 0; i < extent.count && !err; i++) {
		double number[2];

		err = fx_values_numbers(tensor, i, 1, &number[0], &number[1]);
		fx_elements_encode(leaf->extent.dtype, &number[0], &number[1],
			1, (char *)fx_blob_data(leaf->others) + i * leaf->size);
	}
	return err;
}

static double
largest_of(const struct fx_leaf *leaf)
{
	double real[FX_VALUES_CHUNK];
	double largest = 0;

	for (uint64_t at = 0; at < leaf->extent.count; at += FX_VALUES_CHUNK) {
		size_t count = (size_t)FX_MIN(leaf->extent.count - at,
			FX_VALUES_CHUNK);

		fx_elements_decode(leaf->extent.dtype,
			(char *)fx_blob_data(leaf->others) + at * leaf->size,
			count, real, NULL);
		for (size_t i = 0; i < count; i++)
			if (isfinite(real[i]) && fabs(real[i]) > largest)
				largest = fabs(real[i]);
	}
	return largest;
}

static struct fx_error *
add_differing(struct fx_probe *probe, struct fx_leaf *leaf)
{
	struct fx_error *err;

	if (!leaf->mate) {
		probe->lacks_reference = true;
		return NULL;
	}
	err = read_reference(probe, leaf);
	if (err || !leaf->others)
		return err;
	leaf->scale = largest_of(leaf);
	return NULL;
}

/* What may be wrong in LEAF, and what stands for it. */
static struct fx_error *
add_wrong(struct fx_probe *probe, struct fx_leaf *leaf)
{
	if (probe->fault == FX_FAULT_DIFFERS)
		return add_differing(probe, leaf);
	if (probe->fault == FX_FAULT_HUGE)
		return add_huge(probe, leaf);
	if (probe->fault == FX_FAULT_FALSE)
		return add_false(probe, leaf);
	return add_nonfinite(probe, leaf);
}

static void
to_front(struct fx_probe *probe, size_t place, size_t from)
{
	uint64_t taken = probe->candidates.items[from];

	memmove(probe->candidates.items + place + 1,
		probe->candidates.items + place,
		(from - place) * sizeof(taken));
	probe->candidates.items[place] = taken;
}

/* How many of the first candidates, FROM or more, have to stay for it to be
 * wrong: END are enough.
 */
static struct fx_error *
fewest(struct fx_probe *probe, uint64_t from, uint64_t end, uint64_t *ret)
{
	uint64_t low = from;
	bool bad;
	struct fx_error *err = keep_first(probe, from, &bad);

	*ret = bad ? from : end;
	while (!err && !bad && *ret - low > 1) {
		uint64_t middle = low + (*ret - low) / 2;
		bool now;

		err = keep_first(probe, middle, &now);
		if (now)
			*ret = middle;
		else
			low = middle;
	}
	return err;
}

/* Of the candidates, few that make it wrong with all others replaced. */
static struct fx_error *
narrow(struct fx_probe *probe, struct fx_probe_finding *ret)
{
	uint64_t end = probe->candidates.count;

	while (ret->count < FX_PROBE_TOGETHER) {
		uint64_t needed;
		bool bad = true;
		struct fx_error *err =
			fewest(probe, ret->count + 1, end, &needed);

		if (err)
			return err;
		to_front(probe, ret->count, (size_t)needed - 1);
		ret->elements[ret->count] = probe->candidates.items[ret->count];
		ret->count++;
		if (needed > ret->count)
			err = keep_first(probe, ret->count, &bad);
		if (err || bad)
			return err;
		end = needed;
	}
	ret->is_more = true;
	return NULL;
}

/* By which elements, with all replaced it being right. */
static struct fx_error *
find_elements(struct fx_probe *probe, struct fx_probe_finding *ret)
{
	struct fx_extent extent;
	int64_t place[FX_RANK_LIMIT];
	bool has_place = find_extent(probe, &extent) &&
			 probe->spot.element < extent.count;
	struct fx_error *err = NULL;

	if (has_place) {
		fx_extent_unravel(&extent, probe->spot.element, place);
		err = try_same_place(probe, &extent, place, ret);
	}
	if (err || ret->count)
		return err;
	collect(probe);
	if (!probe->candidates.count) {
		ret->answer = FX_PROBE_GONE;
		return NULL;
	}
	if (has_place)
		guess(probe, &extent, place);
	return narrow(probe, ret);
}

bool
fx_probe_is_given_other(const struct fx_probe *probe)
{
	const struct fx_leaf *leaf;

	fx_vec_for_each (leaf, &probe->leaves)
		if (leaf->others &&
			memcmp(fx_blob_data(leaf->bytes),
				fx_blob_data(leaf->others),
				(size_t)leaf->extent.count * leaf->size))
			return true;
	return false;
}

bool
fx_probe_cast(const struct fx_probe *probe, uint64_t *element_ret)
{
	struct fx_extent extent;
	int64_t place[FX_RANK_LIMIT];
	bool has_place = find_extent(probe, &extent) &&
			 probe->spot.element < extent.count;

	if (has_place)
		fx_extent_unravel(&extent, probe->spot.element, place);
	for (size_t i = 0; i < probe->leaves.count; i++) {
		const struct fx_leaf *leaf = &probe->leaves.items[i];

		if (!leaf->others || !leaf->cast)
			continue;
		*element_ret = leaf->first;
		if (has_place)
			*element_ret += same_place(leaf, &extent, place);
		return true;
	}
	return false;
}

/* Whether it is wrong when called as it was: not where that cannot be again. */
static struct fx_error *
is_still_wrong(struct fx_probe *probe, bool *ret)
{
	struct fx_error *err = NULL;

	*ret = true;
	if (fx_side_effects(probe->spot.node) & FX_SIDE_EFFECT_DRAWS) {
		err = fx_probe_see(probe);
		*ret = probe->is_bad;
	}
	return err;
}

struct fx_error *
fx_probe_follow(struct fx_probe *probe, struct fx_probe_finding *ret)
{
	bool bad;
	struct fx_error *err = is_still_wrong(probe, &bad);

	*ret = (struct fx_probe_finding){ .answer = FX_PROBE_GONE };
	if (err || !bad)
		return err;
	fx_probe_forget(probe);
	for (size_t i = 0; i < probe->leaves.count && !err; i++)
		err = add_wrong(probe, &probe->leaves.items[i]);
	if (!err && probe->total)
		err = fx_probe_keep(probe, NULL, 0, &bad);
	if (!err && bad)
		err = fx_probe_see(probe);
	if (err)
		return err;
	ret->answer = FX_PROBE_FOLLOWS;
	if (!bad)
		return find_elements(probe, ret);
	ret->answer = probe->is_bad ? FX_PROBE_PRODUCED : FX_PROBE_GONE;
	return NULL;
}
