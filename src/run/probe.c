/* probe.c - calling a node again with elements replaced.
 *
 * The candidates are numbered through all tensors that the node is given.  A
 * try replaces those in a range of them, or all but those, and calls the node.
 */
#include <config.h>

#include "run/probe_private.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "ir/side_effects.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/progress.h"
#include "run/replay.h"
#include "run/ticker.h"

/* More elements than these are not searched. */
#define ELEMENT_LIMIT ((uint64_t)1 << 27)

/* An element is right again when no more than this is left of what it was wrong
 * by: the same operation on other memory may round otherwise.
 */
#define REST 1e-3

/* --- tensors in data ----------------------------------------------------- */

struct counting {
	size_t left;
	struct fx_datum *found;
};

static bool
count_tensor(void *context, struct fx_datum *held)
{
	struct counting *counting = context;

	if (held->kind != FX_DATUM_TENSOR || counting->left--)
		return false;
	counting->found = held;
	return true;
}

struct fx_datum *
fx_datum_tensor_at(const struct fx_datum *datum, size_t number)
{
	struct counting counting = { .left = number };

	if (datum)
		fx_datum_each_held(datum, count_tensor, &counting);
	return counting.found;
}

bool
fx_fault_holds(enum fx_fault fault, const double number[2])
{
	if (fault == FX_FAULT_FALSE)
		return number[0] == 0;
	if (fault == FX_FAULT_NAN)
		return isnan(number[0]) || isnan(number[1]);
	return !isfinite(number[0]) || !isfinite(number[1]);
}

/* --- leaves -------------------------------------------------------------- */

static bool
is_replaceable(const struct fx_extent *extent)
{
	return extent->dtype != FX_DTYPE_NONE && extent->count &&
	       fx_dtype_info(extent->dtype)->category !=
		       FX_DTYPE_CATEGORY_QUANTIZED;
}

/* The input of the reference's node that stands where NODE does. */
static struct fx_node *
mate_of_input(const struct fx_spot *spot, size_t index)
{
	if (!spot->mate || fx_node_input_count(spot->mate) !=
				   fx_node_input_count(spot->node))
		return NULL;
	return fx_node_input(spot->mate, index);
}

static struct fx_error *
add_leaves(struct fx_probe *probe, size_t input)
{
	const struct fx_spot *spot = &probe->spot;
	struct fx_node *node = fx_node_input(spot->node, input);
	struct fx_datum *datum = fx_replay_value(spot->replay, node);
	struct fx_datum *tensor;

	for (size_t k = 0; (tensor = fx_datum_tensor_at(datum, k)); k++) {
		struct fx_leaf leaf = { .node = node,
			.number = k,
			.tensor = tensor,
			.mate = mate_of_input(spot, input) };
		struct fx_error *err = fx_extent_of(tensor, &leaf.extent);

		if (!err)
			err = fx_values_read(tensor, 0, 0, NULL);
		if (err)
			return err;
		if (!is_replaceable(&leaf.extent))
			continue;
		leaf.size = fx_dtype_info(leaf.extent.dtype)->size;
		fx_vec_push(&probe->leaves, leaf);
	}
	return NULL;
}

/* Twice the distance between 1 and the next number, of types of few digits. */
static double
step_of(const struct fx_spot *spot)
{
	const struct fx_node *of = spot->written ? spot->written : spot->node;
	const struct fx_datum *tensor =
		fx_datum_tensor_at(fx_replay_value(spot->replay, of),
			spot->number);
	enum fx_dtype dtype = tensor ? (enum fx_dtype)fx_kind_of(tensor).dtype
				     : FX_DTYPE_NONE;

	return dtype == FX_DTYPE_BF16  ? ldexp(1, -6)
	       : dtype == FX_DTYPE_F16 ? ldexp(1, -9)
				       : 0;
}

struct fx_error *
fx_probe_init(struct fx_probe *probe, const struct fx_spot *spot,
	enum fx_fault fault, double rtol)
{
	struct fx_error *err = NULL;

	*probe = (struct fx_probe){ .spot = *spot,
		.fault = fault,
		.rtol = rtol,
		.step = step_of(spot) };
	for (size_t i = 0; i < fx_node_input_count(spot->node) && !err; i++)
		err = add_leaves(probe, i);
	if (err)
		fx_probe_deinit(probe);
	return err;
}

void
fx_probe_forget(struct fx_probe *probe)
{
	for (size_t i = 0; i < probe->leaves.count; i++) {
		struct fx_leaf *leaf = &probe->leaves.items[i];

		fx_blob_unref(FX_TAKE(leaf->bytes));
		fx_blob_unref(FX_TAKE(leaf->others));
	}
	probe->total = 0;
	fx_vec_clear(&probe->candidates);
}

void
fx_probe_deinit(struct fx_probe *probe)
{
	fx_probe_forget(probe);
	fx_vec_deinit(&probe->leaves);
	fx_vec_deinit(&probe->candidates);
	fx_env_deinit(&probe->env);
}

const struct fx_leaf *
fx_probe_leaf(const struct fx_probe *probe, uint64_t element,
	uint64_t *index_ret)
{
	const struct fx_leaf *found = NULL;

	for (size_t i = 0; i < probe->leaves.count; i++) {
		const struct fx_leaf *leaf = &probe->leaves.items[i];

		if (leaf->others && leaf->first <= element)
			found = leaf;
	}
	*index_ret = found ? element - found->first : 0;
	return found;
}

/* LEAF takes part; its OTHERS are still to be set. */
struct fx_error *
fx_probe_take_part(struct fx_probe *probe, struct fx_leaf *leaf)
{
	struct fx_extent extent;
	struct fx_error *err;

	if (leaf->extent.count > ELEMENT_LIMIT - probe->total)
		return fx_error_new(FX_ERR_LIMIT,
			"%%%s depends on more than %llu elements",
			probe->spot.node->name,
			(unsigned long long)ELEMENT_LIMIT);
	err = fx_values_read_all(leaf->tensor, &extent, &leaf->bytes);
	if (!err)
		err = fx_blob_new((size_t)leaf->extent.count * leaf->size,
			&leaf->others);
	if (err)
		return err;
	leaf->first = probe->total;
	probe->total += leaf->extent.count;
	return NULL;
}

/* --- one try ------------------------------------------------------------- */

static bool
is_other(const double number[2], const double from[2], double room)
{
	for (int i = 0; i < 2; i++) {
		if (isnan(number[i]) != isnan(from[i]))
			return true;
		if (isnan(from[i]) || number[i] == from[i])
			continue;
		/* No room lies between a number and an infinity. */
		if (isinf(number[i]) || isinf(from[i]) ||
			!(fabs(number[i] - from[i]) <= room))
			return true;
	}
	return false;
}

bool
fx_spot_differs(const struct fx_spot *spot, double rtol)
{
	return is_other(spot->value, spot->wanted, rtol * spot->scale);
}

struct fx_error *
fx_spot_read(const struct fx_replay *replay, const struct fx_node *node,
	const struct fx_spot *spot, double ret[2])
{
	const struct fx_datum *tensor =
		fx_datum_tensor_at(fx_replay_value(replay, node), spot->number);
	struct fx_extent extent;
	struct fx_error *err = tensor ? fx_extent_of(tensor, &extent) : NULL;

	if (!err && (!tensor || spot->element >= extent.count))
		err = fx_error_new(FX_ERR_NO_VALUE, "%%%s has no such element",
			node->name);
	return err ? err
		   : fx_values_numbers(tensor, spot->element, 1, &ret[0],
			     &ret[1]);
}

/* What may be left of how far the element was from what is wanted: a share of
 * it, and of numbers of few digits as much as rounding them otherwise does.
 */
static double
rest(const struct fx_probe *probe)
{
	const struct fx_spot *spot = &probe->spot;
	double gap = fabs(spot->value[0] - spot->wanted[0]);
	double rounding = probe->step * fabs(spot->wanted[0]);

	return isfinite(gap) ? fmax(REST * gap, fmin(gap / 2, rounding)) : 0;
}

static bool
is_wrong(const struct fx_probe *probe, const double number[2])
{
	const struct fx_spot *spot = &probe->spot;

	if (probe->fault < FX_FAULT_DIFFERS)
		return fx_fault_holds(probe->fault, number);
	if (probe->fault == FX_FAULT_HUGE)
		return fabs(number[0]) > probe->limit;
	if (probe->fault == FX_FAULT_CHANGES)
		return is_other(number, spot->value, 0);
	return is_other(number, spot->wanted,
		FX_MAX(probe->rtol * spot->scale, rest(probe)));
}

static struct fx_error *
see(void *context, struct fx_datum *result)
{
	struct fx_probe *probe = context;
	struct fx_spot *spot = &probe->spot;
	const struct fx_datum *datum =
		spot->written ? fx_env_get(&probe->env, spot->written->id)
			      : result;
	const struct fx_datum *tensor = fx_datum_tensor_at(datum, spot->number);
	double number[2];
	struct fx_extent extent;
	struct fx_error *err;

	probe->is_bad = false;
	if (!tensor)
		return NULL;
	err = fx_extent_of(tensor, &extent);
	if (err || spot->element >= extent.count)
		return err;
	err = fx_values_numbers(tensor, spot->element, 1, &number[0],
		&number[1]);
	if (err)
		return err;
	if (probe->is_seeing)
		memcpy(spot->value, number, sizeof(number));
	probe->is_bad = is_wrong(probe, number);
	return NULL;
}

struct replacing {
	const struct fx_leaf *leaves;
	struct fx_datum *const *tensors; /* by leaf; NULL: as it is */
	size_t count;
	const struct fx_node *node;
	size_t number;
};

static struct fx_error *
replace_tensor(void *context, struct fx_datum *held, struct fx_datum **ret)
{
	struct replacing *r = context;

	*ret = held;
	if (held->kind == FX_DATUM_TENSOR) {
		for (size_t i = 0; i < r->count; i++)
			if (r->leaves[i].node == r->node &&
				r->leaves[i].number == r->number &&
				r->tensors[i])
				*ret = r->tensors[i];
		r->number++;
	}
	fx_datum_ref(*ret);
	return NULL;
}

/* The values of the node's inputs, with TENSORS, by leaf, in their places. */
static struct fx_error *
fill_env(struct fx_probe *probe, struct fx_datum *const *tensors)
{
	const struct fx_spot *spot = &probe->spot;
	bool writes = fx_side_effects(spot->node) & FX_SIDE_EFFECT_WRITES;
	struct fx_error *err = NULL;

	fx_env_clear(&probe->env);
	for (size_t i = 0; i < fx_node_input_count(spot->node) && !err; i++) {
		struct fx_node *input = fx_node_input(spot->node, i);
		struct replacing replacing = { probe->leaves.items, tensors,
			probe->leaves.count, input, 0 };
		struct fx_datum *datum = fx_replay_value(spot->replay, input);
		struct fx_datum *mine;

		if (!datum)
			continue;
		err = datum->kind == FX_DATUM_TENSOR
			      ? replace_tensor(&replacing, datum, &mine)
			      : fx_datum_map(datum, replace_tensor, &replacing,
					&mine);
		if (!err && writes)
			err = fx_datum_make_own(spot->replay->backend, &mine);
		if (!err)
			fx_env_take(&probe->env, input->id, mine);
	}
	return err;
}

/* Whether the element is wrong with TENSORS.  An operation that cannot take
 * them does not make it wrong.
 */
static struct fx_error *
call(struct fx_probe *probe, struct fx_datum *const *tensors)
{
	struct fx_ticker *ticker = probe->spot.replay->ticker;
	struct fx_error *err = fill_env(probe, tensors);

	if (ticker)
		fx_progress_set_doing(ticker->progress, "asking %s",
			probe->spot.node->name);
	if (!err)
		err = fx_replay_call(probe->spot.replay, probe->spot.node,
			&probe->env, see, probe);
	probe->calls++;
	/* Without its process nothing can be asked any more. */
	if (err && !probe->is_seeing && fx_error_code(err) != FX_ERR_CHILD &&
		fx_error_code(err) != FX_ERR_INTERRUPTED) {
		probe->is_bad = probe->fault == FX_FAULT_CHANGES;
		fx_error_free(err);
		err = NULL;
	}
	if (!err && ticker && fx_ticker_poll(ticker))
		err = fx_error_new(FX_ERR_INTERRUPTED, "interrupted at %%%s",
			probe->spot.node->name);
	return err;
}

static struct fx_error *
write_leaf(const struct fx_probe *probe, const struct fx_leaf *leaf,
	const char *bytes, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value meta = fx_tensor_meta_ints(arena, leaf->extent.dtype,
		leaf->extent.sizes, leaf->extent.rank);

	return fx_values_write(probe->spot.replay->backend, meta.tensor, bytes,
		ret);
}

/* Call it with BYTES, by leaf (NULL: as they are), which are freed. */
static struct fx_error *
try_bytes(struct fx_probe *probe, char **bytes, bool *bad_ret)
{
	size_t count = probe->leaves.count;
	FX_AUTO_FREE struct fx_datum **tensors =
		fx_xcalloc(count + 1, sizeof(struct fx_datum *));
	struct fx_error *err = NULL;

	for (size_t i = 0; i < count && !err; i++)
		if (bytes[i])
			err = write_leaf(probe, &probe->leaves.items[i],
				bytes[i], &tensors[i]);
	if (!err)
		err = call(probe, tensors);
	for (size_t i = 0; i < count; i++) {
		free(bytes[i]);
		fx_datum_unref(tensors[i]);
	}
	*bad_ret = probe->is_bad;
	return err;
}

static char *
copy_bytes(const struct fx_leaf *leaf, const struct fx_blob *from)
{
	size_t size = (size_t)leaf->extent.count * leaf->size;
	char *copy = fx_xmalloc(size);

	memcpy(copy, fx_blob_data(from), size);
	return copy;
}

/* With every element replaced but COUNT of them. */
struct fx_error *
fx_probe_keep(struct fx_probe *probe, const uint64_t *kept, uint64_t count,
	bool *bad_ret)
{
	FX_AUTO_FREE char **bytes =
		fx_xcalloc(probe->leaves.count + 1, sizeof(char *));

	for (size_t i = 0; i < probe->leaves.count; i++) {
		const struct fx_leaf *leaf = &probe->leaves.items[i];

		if (leaf->others)
			bytes[i] = copy_bytes(leaf, leaf->others);
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t index;
		const struct fx_leaf *leaf =
			fx_probe_leaf(probe, kept[i], &index);

		memcpy(bytes[leaf - probe->leaves.items] + index * leaf->size,
			(char *)fx_blob_data(leaf->bytes) + index * leaf->size,
			leaf->size);
	}
	return try_bytes(probe, bytes, bad_ret);
}

/* With the elements from LO to before HI replaced. */
struct fx_error *
fx_probe_replace(struct fx_probe *probe, uint64_t lo, uint64_t hi,
	bool *bad_ret)
{
	FX_AUTO_FREE char **bytes =
		fx_xcalloc(probe->leaves.count + 1, sizeof(char *));

	for (size_t i = 0; i < probe->leaves.count; i++) {
		const struct fx_leaf *leaf = &probe->leaves.items[i];
		uint64_t begin = FX_MAX(lo, leaf->first);
		uint64_t end = FX_MIN(hi, leaf->first + leaf->extent.count);
		size_t at = (size_t)(begin - leaf->first) * leaf->size;

		if (!leaf->others || begin >= end)
			continue;
		bytes[i] = copy_bytes(leaf, leaf->bytes);
		memcpy(bytes[i] + at, (char *)fx_blob_data(leaf->others) + at,
			(size_t)(end - begin) * leaf->size);
	}
	return try_bytes(probe, bytes, bad_ret);
}

struct fx_error *
fx_probe_see(struct fx_probe *probe)
{
	FX_AUTO_FREE struct fx_datum **none =
		fx_xcalloc(probe->leaves.count + 1, sizeof(struct fx_datum *));
	struct fx_error *err;

	probe->is_seeing = true;
	err = call(probe, none);
	probe->is_seeing = false;
	return err;
}

/* --- made finite --------------------------------------------------------- */

/* What is not finite among the COUNT elements at BYTES becomes 1. */
void
fx_elements_clean(enum fx_dtype dtype, char *bytes, uint64_t total)
{
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];
	const double one = 1;
	size_t size = fx_dtype_info(dtype)->size;

	for (uint64_t at = 0; at < total; at += FX_VALUES_CHUNK) {
		size_t count = (size_t)FX_MIN(total - at, FX_VALUES_CHUNK);

		fx_elements_decode(dtype, bytes + at * size, count, real, imag);
		for (size_t i = 0; i < count; i++)
			if (!isfinite(real[i]) || !isfinite(imag[i]))
				fx_elements_encode(dtype, &one, NULL, 1,
					bytes + (at + i) * size);
	}
}

static struct fx_error *
clean_tensor(void *context, struct fx_datum *held, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_extent extent;
	struct fx_blob *bytes;
	struct fx_value meta;
	struct fx_error *err;

	if (held->kind != FX_DATUM_TENSOR) {
		*ret = fx_datum_ref(held);
		return NULL;
	}
	err = fx_values_read_all(held, &extent, &bytes);
	if (err)
		return err;
	fx_elements_clean(extent.dtype, fx_blob_data(bytes), extent.count);
	meta = fx_tensor_meta_ints(arena, extent.dtype, extent.sizes,
		extent.rank);
	err = fx_values_write(context, meta.tensor, fx_blob_data(bytes), ret);
	fx_blob_unref(bytes);
	return err;
}

struct fx_error *
fx_datum_make_finite(struct fx_backend *backend, struct fx_datum *datum,
	struct fx_datum **ret)
{
	if (datum->kind == FX_DATUM_TENSOR)
		return clean_tensor(backend, datum, ret);
	return fx_datum_map(datum, clean_tensor, backend, ret);
}
