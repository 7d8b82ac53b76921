/* probe_blame.c - which finite elements are to blame, and on which one alone an
 * element depends.
 */
#include <config.h>

#include "run/probe_private.h"

#include <string.h>

#include "base/blob.h"
#include "meta/promote.h"
#include "run/datum.h"

void
fx_leaf_fill(const struct fx_leaf *leaf, double with)
{
	char one[16];

	fx_elements_encode(leaf->extent.dtype, &with, NULL, 1, one);
	for (uint64_t i = 0; i < leaf->extent.count; i++)
		memcpy((char *)fx_blob_data(leaf->others) + i * leaf->size, one,
			leaf->size);
}

/* --- finite ones that are to blame --------------------------------------- */

/* The smallest part from *LO to before *HI that has to be replaced: one element
 * or, where no half does, several.
 */
static struct fx_error *
halve(struct fx_probe *probe, uint64_t *lo, uint64_t *hi)
{
	while (*hi - *lo > 1) {
		uint64_t middle = *lo + (*hi - *lo) / 2;
		bool bad;
		struct fx_error *err =
			fx_probe_replace(probe, *lo, middle, &bad);

		if (!err && !bad) {
			*hi = middle;
			continue;
		}
		if (!err)
			err = fx_probe_replace(probe, middle, *hi, &bad);
		if (err || bad)
			return err;
		*lo = middle;
	}
	return NULL;
}

static struct fx_error *
blame_leaf(struct fx_probe *probe, struct fx_leaf *leaf, double with,
	struct fx_probe_finding *ret)
{
	uint64_t lo;
	uint64_t hi;
	bool bad;
	struct fx_error *err =
		leaf->others ? NULL : fx_probe_take_part(probe, leaf);

	if (err)
		return err;
	fx_leaf_fill(leaf, with);
	lo = leaf->first;
	hi = lo + leaf->extent.count;
	err = fx_probe_replace(probe, lo, hi, &bad);
	if (err || bad)
		return err;
	err = halve(probe, &lo, &hi);
	if (err)
		return err;
	ret->elements[ret->count++] = lo;
	ret->is_more |= hi - lo > 1;
	return NULL;
}

/* What is false is so for what it is compared with: on each side, whatever
 * would make it true.
 */
static struct fx_error *
blame_sides(struct fx_probe *probe, struct fx_probe_finding *ret)
{
	static const double harmless[] = { 1, 0, -1, 1000, -1000 };
	struct fx_error *err = NULL;

	for (size_t i = 0; i < probe->leaves.count && ret->count < 2; i++) {
		size_t before = ret->count;

		for (size_t k = 0; k < FX_ARRAY_LEN(harmless) && !err &&
				   ret->count == before;
			k++)
			err = blame_leaf(probe, &probe->leaves.items[i],
				harmless[k], ret);
	}
	return err;
}

struct fx_error *
fx_probe_culprit(struct fx_probe *probe, struct fx_probe_finding *ret)
{
	static const double harmless[] = { 1, 0.5 };
	enum fx_fault fault = probe->fault;
	struct fx_error *err = NULL;

	*ret = (struct fx_probe_finding){ .answer = FX_PROBE_PRODUCED };
	fx_probe_forget(probe);
	if (fault == FX_FAULT_FALSE)
		return blame_sides(probe, ret);
	/* 1 / 0 is no better than 0 / 0. */
	probe->fault = FX_FAULT_NONFINITE;
	for (size_t k = 0; k < FX_ARRAY_LEN(harmless) && !ret->count; k++)
		for (int ints = 0; ints < 2 && !err && !ret->count; ints++)
			for (size_t i = 0; i < probe->leaves.count && !err &&
					   ret->count < 2;
				i++) {
				struct fx_leaf *leaf = &probe->leaves.items[i];

				if (fx_dtype_is_integer(leaf->extent.dtype) ==
					ints)
					err = blame_leaf(probe, leaf,
						harmless[k], ret);
			}
	probe->fault = fault;
	return err;
}

/* --- what it depends on -------------------------------------------------- */

static void
disturb(const struct fx_leaf *leaf)
{
	bool is_bool = leaf->extent.dtype == FX_DTYPE_BOOL;

	for (uint64_t i = 0; i < leaf->extent.count; i++) {
		size_t at = (size_t)i * leaf->size;
		double number[2];

		fx_elements_decode(leaf->extent.dtype,
			(char *)fx_blob_data(leaf->bytes) + at, 1, &number[0],
			&number[1]);
		/* The sign too, for what only passes one of them. */
		number[0] = is_bool             ? number[0] == 0
			    : number[0] <= 0    ? 1.5 - number[0]
			    : number[0] < 1e300 ? -1.5 - number[0]
						: 1;
		fx_elements_encode(leaf->extent.dtype, &number[0], &number[1],
			1, (char *)fx_blob_data(leaf->others) + at);
	}
}

struct fx_error *
fx_probe_only(struct fx_probe *probe, struct fx_probe_finding *ret)
{
	enum fx_fault fault = probe->fault;
	uint64_t low = 0;
	uint64_t high;
	bool changes = false;
	bool has_floats = false;
	struct fx_error *err = fx_probe_see(probe);

	*ret = (struct fx_probe_finding){ .answer = FX_PROBE_PRODUCED };
	fx_probe_forget(probe);
	probe->fault = FX_FAULT_CHANGES;
	for (size_t i = 0; i < probe->leaves.count; i++)
		has_floats |= !fx_dtype_is_integer(probe->leaves.items[i]
							   .extent.dtype);
	for (size_t i = 0; i < probe->leaves.count && !err; i++) {
		struct fx_leaf *leaf = &probe->leaves.items[i];

		/* Indices and masks choose; what is chosen is meant. */
		if (fx_dtype_is_integer(leaf->extent.dtype) && has_floats)
			continue;
		err = fx_probe_take_part(probe, leaf);
		if (!err)
			disturb(leaf);
	}
	high = probe->total;
	if (!err && high)
		err = fx_probe_replace(probe, 0, high, &changes);
	while (!err && changes && high - low > 1) {
		uint64_t middle = low + (high - low) / 2;
		bool now;

		err = fx_probe_replace(probe, 0, middle, &now);
		if (now)
			high = middle;
		else
			low = middle;
	}
	if (!err && changes) {
		ret->elements[0] = low;
		err = fx_probe_keep(probe, &low, 1, &changes);
		ret->count = changes ? 2 : 1;
	}
	probe->fault = fault;
	return err;
}
