/* verify_inputs.c - what graphs are tried on. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/mem.h"
#include "base/random.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/values.h"
#include "run/widen.h"
#include "session/made_up.h"
#include "session/session_private.h"
#include "session/verify_private.h"

void
fx_trial_inputs_deinit(struct fx_trial_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		fx_datum_unref(inputs->items[i]);
	free(inputs->items);
	*inputs = (struct fx_trial_inputs){ .count = 0 };
}

/* --- one tensor ---------------------------------------------------------- */

static struct fx_error *
write_tensor(const struct fx_trial_wish *wish, const struct fx_extent *extent,
	const void *bytes, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value meta = fx_tensor_meta_ints(arena, extent->dtype,
		extent->sizes, extent->rank);

	return fx_values_write(wish->backend, meta.tensor, bytes, ret);
}

/* Elements of TENSOR, each drawn at random. */
static struct fx_error *
draw_from(const struct fx_trial_wish *wish, const struct fx_datum *tensor,
	uint64_t seed, struct fx_datum **ret)
{
	struct fx_extent extent;
	struct fx_blob *from;
	struct fx_blob *to = NULL;
	struct fx_error *err = fx_values_read_all(tensor, &extent, &from);
	size_t size;

	if (err)
		return err;
	size = fx_dtype_info(extent.dtype)->size;
	err = fx_blob_new((size_t)extent.count * size, &to);
	for (uint64_t i = 0; !err && i < extent.count; i++)
		memcpy((char *)fx_blob_data(to) + i * size,
			(char *)fx_blob_data(from) +
				fx_random_bits(&seed) % extent.count * size,
			size);
	if (!err)
		err = write_tensor(wish, &extent, fx_blob_data(to), ret);
	fx_blob_unref(from);
	fx_blob_unref(to);
	return err;
}

/* Every eighth element of *DATUM, from a random one on, 32 times as large, or
 * not finite: what limits values is not seen on numbers that lie around zero.
 */
static struct fx_error *
spread_some(const struct fx_trial_wish *wish, uint64_t seed,
	struct fx_datum **datum)
{
	FX_AUTO_DATUM struct fx_datum *small = *datum;
	static const double odd[] = { NAN, INFINITY, -INFINITY };
	struct fx_extent extent;
	struct fx_blob *blob;
	struct fx_error *err;
	size_t size;

	*datum = NULL;
	err = fx_values_read_all(small, &extent, &blob);
	if (err)
		return err;
	size = fx_dtype_info(extent.dtype)->size;
	for (uint64_t i = fx_random_bits(&seed) % 8; i < extent.count; i += 8) {
		char *at = (char *)fx_blob_data(blob) + i * size;
		double real;
		double imag;

		fx_elements_decode(extent.dtype, at, 1, &real, &imag);
		real = wish->has_nan ? odd[i / 8 % 3] : real * 32;
		fx_elements_encode(extent.dtype, &real, &imag, 1, at);
	}
	err = write_tensor(wish, &extent, fx_blob_data(blob), datum);
	fx_blob_unref(blob);
	return err;
}

static struct fx_error *
generate(const struct fx_trial_wish *wish, const struct fx_extent *extent,
	uint64_t seed, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value meta = fx_tensor_meta_ints(arena, extent->dtype,
		extent->sizes, extent->rank);
	struct fx_error *err = wish->backend->ops->generate(wish->backend,
		meta.tensor, seed, ret);

	return err || (wish->number % 3 != 2 && !wish->has_nan)
		       ? err
		       : spread_some(wish, seed, ret);
}

/* One of EXTENT for PLACEHOLDER that nothing is known of but its shape. */
static struct fx_error *
from_shape(const struct fx_trial_wish *wish, const struct fx_node *placeholder,
	const struct fx_extent *extent, uint64_t seed, struct fx_datum **ret)
{
	static const int64_t ends[FX_TRIAL_ATTEMPTS] = { 16, 4, 2 };
	int64_t rows;

	switch (fx_dtype_info(extent->dtype)->category) {
	case FX_DTYPE_CATEGORY_BOOL:
		return fx_made_up_integers(wish->backend, extent, 2, seed, ret);
	case FX_DTYPE_CATEGORY_INT:
		rows = fx_made_up_rows(placeholder, true);
		return fx_made_up_integers(wish->backend, extent,
			rows ? rows : ends[wish->attempt], seed, ret);
	default:
		return generate(wish, extent, seed, ret);
	}
}

/* --- like the session's -------------------------------------------------- */

struct likeness {
	const struct fx_trial_wish *wish;
	const struct fx_node *placeholder;
	uint64_t seed;
	bool is_made_up; /* the session's was given by its shape */
};

/* Whether TENSOR is all zeros, which hide what is done with them. */
static bool
is_zero(const struct fx_datum *tensor, const struct fx_extent *extent)
{
	double numbers[FX_VALUES_CHUNK];

	for (uint64_t at = 0; at < extent->count; at += FX_VALUES_CHUNK) {
		size_t count = FX_MIN(extent->count - at, FX_VALUES_CHUNK);
		FX_AUTO_ERROR struct fx_error *err =
			fx_values_numbers(tensor, at, count, numbers, NULL);

		for (size_t i = 0; !err && i < count; i++)
			if (numbers[i] != 0)
				return false;
	}
	return true;
}

static struct fx_error *
make_alike(void *context, struct fx_datum *held, struct fx_datum **ret)
{
	struct likeness *likeness = context;
	enum fx_dtype_category category;
	struct fx_extent extent;
	bool is_number;
	struct fx_error *err;

	*ret = fx_datum_ref(held);
	if (held->kind != FX_DATUM_TENSOR)
		return NULL;
	err = fx_extent_of(held, &extent);
	if (err)
		return err;
	likeness->seed++;
	category = fx_dtype_info(extent.dtype)->category;
	if (!extent.count || category == FX_DTYPE_CATEGORY_QUANTIZED)
		return NULL;
	is_number = category != FX_DTYPE_CATEGORY_INT &&
		    category != FX_DTYPE_CATEGORY_BOOL;
	if (!is_number && !likeness->is_made_up && !is_zero(held, &extent)) {
		if (category == FX_DTYPE_CATEGORY_BOOL)
			return NULL;
		fx_datum_unref(FX_TAKE(*ret));
		return draw_from(likeness->wish, held, likeness->seed, ret);
	}
	fx_datum_unref(FX_TAKE(*ret));
	return from_shape(likeness->wish, likeness->placeholder, &extent,
		likeness->seed, ret);
}

static const struct fx_input *
session_input(const struct fx_trial_wish *wish, uint64_t id)
{
	const struct fx_model *model = wish->model;

	for (size_t i = 0; i < model->inputs.count; i++)
		if (model->inputs.items[i].node == id)
			return &model->inputs.items[i];
	return NULL;
}

static bool
is_shape(const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value value;
	FX_AUTO_ERROR struct fx_error *err =
		fx_tensor_meta_parse(arena, text, strlen(text), &value);

	return !err;
}

static struct fx_error *
make_one(const struct fx_trial_wish *wish, size_t index,
	const struct fx_node *placeholder, struct fx_datum **ret)
{
	const struct fx_input *input = session_input(wish, wish->ids[index]);
	struct fx_datum *given = input ? input->datum : NULL;
	uint64_t seed = fx_session_seed(wish->model->session) +
			wish->number * 1000003 + index;
	struct likeness likeness = { wish, placeholder, seed,
		.is_made_up = input && is_shape(input->given.text) };
	const struct fx_value *meta = placeholder->meta;
	struct fx_extent extent;
	struct fx_error *err = NULL;

	*ret = NULL;
	if (given && fx_datum_has_tensor(given) && wish->number)
		err = fx_datum_map(given, make_alike, &likeness, ret);
	else if (given)
		*ret = fx_datum_ref(given);
	else if (fx_value_item_count(&placeholder->args) > 0 ||
		 !placeholder->user_count)
		return NULL;
	else if (!fx_value_has_numbers(meta))
		err = fx_error_new(FX_ERR_NO_INPUT,
			"input %s of %s has no shape", placeholder->target,
			fx_model_name(wish->model));
	else
		err = fx_extent_of_meta(meta->tensor, &extent);
	if (!err && !*ret)
		err = from_shape(wish, placeholder, &extent, seed, ret);
	if (err || !*ret)
		return err;
	err = fx_datum_make_own(wish->backend, ret);
	if (!err && wish->is_wide)
		err = fx_widen_datum(wish->backend, FX_DTYPE_NONE, ret);
	if (err) {
		fx_datum_unref(*ret);
		*ret = NULL;
	}
	return err;
}

struct fx_error *
fx_trial_inputs_make(const struct fx_trial_wish *wish,
	struct fx_trial_inputs *ret)
{
	const struct fx_node *node;
	struct fx_error *err = NULL;

	*ret = (struct fx_trial_inputs){ .count = 0 };
	ret->items = fx_xcalloc(wish->graph->node_count + 1,
		sizeof(struct fx_datum *));
	fx_graph_for_each_node (node, wish->graph) {
		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		err = make_one(wish, ret->count, node, &ret->items[ret->count]);
		if (err)
			break;
		ret->count++;
	}
	if (err)
		fx_trial_inputs_deinit(ret);
	return err;
}
