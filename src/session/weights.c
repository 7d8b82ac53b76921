/* weights.c - values for parameters and buffers that have none: a graph from a
 * file without weights can be run all the same.
 *
 * Statistics and biases start as PyTorch starts them.  Matrices and windows
 * get normal numbers scaled by how many inputs an output has, so that values
 * neither grow nor vanish over many layers.  Each tensor's numbers depend on
 * the seed and its path only.
 */
#include <config.h>

#include <math.h>
#include <string.h>

#include "base/blob.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "session/model.h"

/* What members of such a name are filled with; RANK is the highest for which
 * that holds.
 */
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

/* splitmix64: the next 64 bits of STATE. */
static uint64_t
next_bits(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Above 0, at most 1. */
static double
next_uniform(uint64_t *state)
{
	return ((double)(next_bits(state) >> 11) + 1) * 0x1p-53;
}

static double
next_normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(next_uniform(state)));

	return radius * cos(2 * acos(-1) * next_uniform(state));
}

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

static void
fill(struct fx_blob *blob, const struct fx_tensor *tensor, uint64_t state,
	const double *value)
{
	double scale = sqrt(2 / fan_in(tensor));
	size_t count = (size_t)fx_tensor_numel(tensor);
	float *floats = fx_blob_data(blob);
	double *doubles = fx_blob_data(blob);

	for (size_t i = 0; i < count; i++) {
		double x = value ? *value : next_normal(&state) * scale;

		if (tensor->dtype == FX_DTYPE_F32)
			floats[i] = (float)x;
		else
			doubles[i] = x;
	}
}

/* Whole numbers are 0, and so are those of types that are not written here. */
static bool
has_numbers(const struct fx_tensor *tensor)
{
	return tensor->dtype == FX_DTYPE_F32 || tensor->dtype == FX_DTYPE_F64;
}

static const double *
fixed_value(const char *name, uint32_t rank)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(fixed); i++)
		if (!strcmp(fixed[i].name, name) && rank <= fixed[i].rank)
			return &fixed[i].value;
	return NULL;
}

static FX_NODISCARD struct fx_error *
make_tensor(struct fx_graph *graph, const struct fx_tensor *old,
	const char *path, uint64_t seed, const struct fx_tensor **ret)
{
	const char *dot = strrchr(path, '.');
	const char *name = dot ? dot + 1 : path;
	struct fx_storage *storage;
	struct fx_blob *blob;
	struct fx_error *err = fx_blob_new(fx_tensor_bytes(old), &blob);

	if (err)
		return fx_error_note(err, "for %s", path);
	if (has_numbers(old))
		fill(blob, old, state_for(seed, path),
			fixed_value(name, old->rank));
	storage = fx_storage_new(blob);
	*ret = fx_tensor_new_like(graph, old, storage);
	fx_storage_unref(storage);
	return NULL;
}

/* The tensor that stands for OLD from now on; MADE has those so far, as a
 * tensor at two paths stays one.
 */
static FX_NODISCARD struct fx_error *
bind(struct fx_graph *graph, const struct fx_tensor *old, const char *path,
	uint64_t seed, struct fx_map *made)
{
	const struct fx_tensor *tensor =
		(const struct fx_tensor *)fx_map_get(made, (uintptr_t)old, 0);
	struct fx_error *err = NULL;

	if (!tensor) {
		err = make_tensor(graph, old, path, seed, &tensor);
		if (!err)
			fx_map_set(made, (uintptr_t)old, (uintptr_t)tensor);
	}
	return err ? err : fx_edit_bind_tensor(graph, path, tensor);
}

/* Paths of members that have a tensor without values, in order. */
struct places {
	FX_VEC(char *) paths;
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

			if (tensor &&
				!(tensor->storage && tensor->storage->blob))
				fx_vec_push(&ret->paths,
					fx_xasprintf("%s%s%s", path,
						*path ? "." : "",
						member->name));
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
