/* weights.c - values for parameters and buffers that have none: a graph from a
 * file without weights can be run all the same.
 *
 * Statistics and biases start as PyTorch starts them.  Matrices and windows
 * get normal numbers scaled by how many inputs an output has, so that values
 * neither grow nor vanish over many layers.  Those of a new layer are what
 * PyTorch gives it (ops/initial.h).  Each tensor's numbers depend on the seed
 * and its path only.
 */
#include <config.h>

#include <math.h>
#include <string.h>

#include "base/blob.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ops/initial.h"
#include "run/values.h"
#include "session/session_private.h"

/* Elements that are made at once. */
#define CHUNK 256

/* New layers of more bytes stay without values. */
#define FRESH_LIMIT ((size_t)1 << 30)

/* The numbers that fill members with these names, up to the given RANK. */
static const struct {
	const char *name;
	uint32_t rank;
	double value;
} fixed[] = {
	{ "running_mean", UINT32_MAX, 0 },
	{ "running_var", UINT32_MAX, 1 },
	{ "num_batches_tracked", UINT32_MAX, 0 },
	{ "bias", 1, 0 },
	{ "weight", 1, 1 },
};

static uint64_t
state_for(uint64_t seed, const char *path)
{
	uint64_t state = seed ^ UINT64_C(0xcbf29ce484222325);

	for (; *path; path++)
		state = (state ^ (unsigned char)*path) *
			UINT64_C(0x100000001b3);
	return state;
}

/* How many inputs an element of the result of TENSOR has. */
static double
fan_in(const struct fx_tensor *tensor)
{
	double count = 1;

	for (uint32_t i = 1; i < tensor->rank; i++)
		count *= (double)tensor->sizes[i];
	return count > 0 ? count : 1;
}

/* What fills a tensor: NUMBER, or random numbers if BOUND or DEVIATION is set.
 */
struct filling {
	double number;
	double bound;     /* uniform between plus and minus it; 0: not */
	double deviation; /* normal; 0: not */
};

static double
next_number(const struct filling *filling, uint64_t *state)
{
	if (filling->bound > 0)
		return filling->bound * (2 * fx_random_uniform(state) - 1);
	if (filling->deviation > 0)
		return filling->deviation * fx_random_normal(state);
	return filling->number;
}

static void
fill(struct fx_blob *blob, const struct fx_tensor *tensor,
	const struct filling *filling, uint64_t state)
{
	size_t size = fx_dtype_info(tensor->dtype)->size;
	size_t count = (size_t)fx_tensor_numel(tensor);
	double numbers[CHUNK];

	for (size_t i = 0; i < count; i += CHUNK) {
		size_t some = FX_MIN((size_t)CHUNK, count - i);

		for (size_t j = 0; j < some; j++)
			numbers[j] = next_number(filling, &state);
		fx_elements_encode(tensor->dtype, numbers, NULL, some,
			(char *)fx_blob_data(blob) + i * size);
	}
}

static struct filling
guess_filling(const char *name, const struct fx_tensor *tensor)
{
	struct filling filling = { .number = 0 };

	for (size_t i = 0; i < FX_ARRAY_LEN(fixed); i++)
		if (fx_str_equal(fixed[i].name, name) &&
			tensor->rank <= fixed[i].rank) {
			filling.number = fixed[i].value;
			return filling;
		}
	filling.deviation = sqrt(2 / fan_in(tensor));
	return filling;
}

static FX_NODISCARD struct fx_error *
make_tensor(struct fx_graph *graph, const struct fx_tensor *old,
	const struct filling *filling, uint64_t state,
	const struct fx_tensor **ret)
{
	struct fx_storage *storage;
	struct fx_blob *blob;
	struct fx_error *err = fx_blob_new(fx_tensor_bytes(old), &blob);

	if (err)
		return err;
	/* Whole numbers are 0. */
	if (!fx_dtype_is_integer(old->dtype))
		fill(blob, old, filling, state);
	storage = fx_storage_new(blob);
	*ret = fx_tensor_new_like(graph, old, storage);
	fx_storage_unref(storage);
	return NULL;
}

/* The tensor that stands for OLD from now on; MADE has those so far by their
 * storages, as what is tied stays so.
 */
static FX_NODISCARD struct fx_error *
bind(struct fx_graph *graph, const struct fx_tensor *old, const char *path,
	uint64_t seed, struct fx_map *made)
{
	uintptr_t key =
		(uintptr_t)(old->storage ? (const void *)old->storage : old);
	const struct fx_tensor *tensor =
		(const struct fx_tensor *)fx_map_get(made, key, 0);
	const char *dot = strrchr(path, '.');
	struct filling filling = guess_filling(dot ? dot + 1 : path, old);
	struct fx_error *err = NULL;

	if (tensor && !old->offset && fx_tensor_is_contiguous(old) &&
		fx_tensor_bytes(tensor) == fx_tensor_bytes(old))
		tensor = fx_tensor_clone(graph, old, tensor->storage);
	else
		err = make_tensor(graph, old, &filling, state_for(seed, path),
			&tensor);
	if (err)
		return fx_error_note(err, "for %s", path);
	fx_map_set(made, key, (uintptr_t)tensor);
	return fx_edit_bind_tensor(graph, path, tensor);
}

/* Paths of members that have a tensor without values, in order. */
struct places {
	FX_VEC(char *) paths;
	uint64_t bytes; /* of all of them */
};

static void
find_places(struct fx_module *root, struct places *ret)
{
	struct fx_module_walk *walk = fx_module_walk_new(root, false);
	struct fx_module *module;
	const char *path;

	while (fx_module_walk_next(walk, &module, &path)) {
		for (size_t i = 0; i < module->member_count; i++) {
			const struct fx_member *member = &module->members[i];
			const struct fx_tensor *tensor = member->tensor;

			if (!tensor ||
				(tensor->storage && tensor->storage->blob))
				continue;
			fx_vec_push(&ret->paths,
				fx_xasprintf("%s%s%s", path, *path ? "." : "",
					member->name));
			if (__builtin_add_overflow(ret->bytes,
				    (uint64_t)fx_tensor_bytes(tensor),
				    &ret->bytes))
				ret->bytes = UINT64_MAX;
		}
	}
	fx_module_walk_free(walk);
}

size_t
fx_model_count_weightless(const struct fx_model *model)
{
	struct places places = { .paths = { 0 } };
	size_t count;

	find_places(fx_model_graph(model)->module, &places);
	count = places.paths.count;
	for (size_t i = 0; i < count; i++)
		free(places.paths.items[i]);
	fx_vec_deinit(&places.paths);
	return count;
}

struct fx_error *
fx_model_random_weights(struct fx_model *model, uint64_t seed)
{
	struct fx_graph *graph = fx_model_graph(model);
	FX_AUTO_MAP struct fx_map made = { 0 };
	struct places places = { .paths = { 0 } };
	struct fx_error *err = NULL;

	find_places(graph->module, &places);
	err = fx_check_bytes("the parameters take", places.bytes);
	for (size_t i = 0; i < places.paths.count; i++) {
		char *path = places.paths.items[i];

		if (!err)
			err = bind(graph,
				fx_module_find_tensor(graph->module, path),
				path, seed, &made);
		free(path);
	}
	fx_vec_deinit(&places.paths);
	return err;
}

/* --- a layer that is made ------------------------------------------------ */

/* Rank 1 has neither: PyTorch refuses it, and no row asks. */
static double
fan_sum(const struct fx_tensor *tensor)
{
	double field = 1;

	if (tensor->rank < 2)
		return 1;
	for (uint32_t i = 2; i < tensor->rank; i++)
		field *= (double)tensor->sizes[i];
	return ((double)tensor->sizes[0] + (double)tensor->sizes[1]) * field;
}

static double
hidden_size(const struct fx_module *module)
{
	const struct fx_value *size =
		fx_value_dict_get(&module->config, fx_intern("hidden_size"));

	return size && size->kind == FX_VALUE_INT && size->integer > 0
		       ? (double)size->integer
		       : 1;
}

/* How TENSOR, which is NAME of MODULE, starts. */
static struct filling
initial_filling(const struct fx_module *module, const char *name,
	const struct fx_tensor *tensor)
{
	const struct fx_initial *row =
		fx_initial_find(module->class_name, name);
	const struct fx_member *member =
		fx_module_member(module, fx_intern("weight"));
	const struct fx_tensor *weight =
		member && member->tensor ? member->tensor : tensor;
	struct filling filling = { .number = 0 };

	switch (row->rule) {
	case FX_INITIAL_NUMBER:
		filling.number = row->number;
		break;
	case FX_INITIAL_NORMAL:
		filling.deviation = row->number;
		break;
	case FX_INITIAL_FAN:
		filling.bound = 1 / sqrt(fan_in(weight));
		break;
	case FX_INITIAL_COLUMNS:
		filling.bound = 1 / sqrt(weight->rank > 1 && weight->sizes[1]
						    ? (double)weight->sizes[1]
						    : 1);
		break;
	case FX_INITIAL_HIDDEN:
		filling.bound = 1 / sqrt(hidden_size(module));
		break;
	case FX_INITIAL_XAVIER:
		filling.bound = sqrt(6 / fan_sum(tensor));
		break;
	case FX_INITIAL_XAVIER_NORMAL:
		filling.deviation = sqrt(2 / fan_sum(tensor));
		break;
	}
	return filling;
}

/* An embedding's padding is zeros. */
static void
clear_padding(const struct fx_module *module, const struct fx_tensor *tensor)
{
	const struct fx_value *row =
		fx_value_dict_get(&module->config, fx_intern("padding_idx"));
	size_t size;

	if (!row || row->kind != FX_VALUE_INT || tensor->rank != 2 ||
		row->integer < 0 || row->integer >= tensor->sizes[0])
		return;
	size = (size_t)tensor->sizes[1] * fx_dtype_info(tensor->dtype)->size;
	memset((char *)fx_blob_data(tensor->storage->blob) +
			(size_t)row->integer * size,
		0, size);
}

static FX_NODISCARD struct fx_error *
fill_module(struct fx_graph *graph, struct fx_module *module, const char *path,
	uint64_t seed)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; i < module->member_count && !err; i++) {
		struct fx_member *member = &module->members[i];
		struct filling filling;
		FX_AUTO_FREE char *whole =
			fx_xasprintf("%s.%s", path, member->name);

		if (!member->tensor)
			continue;
		filling = initial_filling(module, member->name, member->tensor);
		err = make_tensor(graph, member->tensor, &filling,
			state_for(seed, whole), &member->tensor);
		if (err)
			return fx_error_note(err, "for %s", whole);
		clear_padding(module, member->tensor);
	}
	return err;
}

static bool
is_too_large(struct fx_module *module)
{
	struct fx_module_walk *walk = fx_module_walk_new(module, true);
	const char *path;
	size_t left = FRESH_LIMIT;
	bool fits = true;

	while (fits && fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count && fits; i++) {
			const struct fx_tensor *tensor =
				module->members[i].tensor;
			size_t bytes = tensor ? fx_tensor_bytes(tensor) : 0;

			fits = bytes <= left;
			left -= fits ? bytes : 0;
		}
	fx_module_walk_free(walk);
	return !fits;
}

/* Whether the model's weights are there.  Those of a capture are fetched when
 * they are needed, so they count.
 */
static bool
has_values(const struct fx_model *model)
{
	return (model->capture && !model->has_weights) ||
	       !fx_model_count_weightless(model);
}

struct fx_error *
fx_model_fill_fresh(const struct fx_model *model, struct fx_graph *graph,
	struct fx_module *module, const char *path, uint64_t seed)
{
	struct fx_module_walk *walk;
	struct fx_error *err = NULL;
	const char *below;

	if (!has_values(model) || is_too_large(module))
		return NULL;
	walk = fx_module_walk_new(module, true);
	while (!err && fx_module_walk_next(walk, &module, &below)) {
		FX_AUTO_FREE char *whole =
			fx_xasprintf("%s%s%s", path, *below ? "." : "", below);

		err = fill_module(graph, module, whole, seed);
	}
	fx_module_walk_free(walk);
	return err;
}
