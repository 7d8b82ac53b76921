/* random_module.c - random module trees. */
#include <config.h>

#include "tests/support/random_graph.h"

#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "ir/module.h"

enum {
	ELEMENTS = 24, /* of a storage */
};

static const char *const classes[] = { "torch.nn.modules.linear.Linear",
	"torch.nn.modules.conv.Conv2d", "torch.nn.modules.activation.ReLU",
	"torch.nn.modules.container.Sequential", "my.models.Block" };

static struct fx_storage *
random_storage(struct fxt_random *random)
{
	struct fx_blob *blob;
	struct fx_error *err = fx_blob_new(ELEMENTS * sizeof(float), &blob);
	float *data;

	fx_assert(!err);
	data = fx_blob_data(blob);
	for (size_t i = 0; i < ELEMENTS; i++)
		data[i] = (float)fxt_random_below(random, 1000) / 8;
	return fx_storage_new(blob);
}

/* A tensor in STORAGE: all of it, or a part with strides of its own. */
static const struct fx_tensor *
tensor_in(struct fxt_random *random, struct fx_graph *graph,
	struct fx_storage *storage)
{
	static const int64_t shapes[][2] = { { 4, 6 }, { 24, 1 }, { 2, 3 } };
	size_t which = fxt_random_below(random, FX_ARRAY_LEN(shapes));
	struct fx_tensor *tensor =
		fx_tensor_new(graph, FX_DTYPE_F32, shapes[which], 2, storage);

	tensor->is_buffer = fxt_random_chance(random, 30);
	tensor->is_persistent =
		tensor->is_buffer && fxt_random_chance(random, 70);
	tensor->requires_grad = !tensor->is_buffer;
	if (which == 2) {
		/* A transposed view into the middle. */
		int64_t *strides =
			fx_arena_alloc(graph->permanent, 2 * sizeof(*strides));

		strides[0] = 1;
		strides[1] = 4;
		tensor->strides = strides;
		tensor->offset = 5;
	}
	return tensor;
}

static void
add_tensors(struct fxt_random *random, struct fx_graph *graph,
	struct fx_module *module)
{
	struct fx_storage *storage = random_storage(random);
	const struct fx_tensor *weight = tensor_in(random, graph, storage);

	fx_module_add_tensor(module, "weight", weight);
	if (fxt_random_chance(random, 30)) /* tied */
		fx_module_add_tensor(module, "tied", weight);
	if (fxt_random_chance(random, 30)) /* in the same storage */
		fx_module_add_tensor(module, "view",
			tensor_in(random, graph, storage));
	if (fxt_random_chance(random, 30)) /* registered as None */
		fx_module_add_tensor(module, "bias", NULL);
	if (fxt_random_chance(random, 30)) /* bytes not attached */
		fx_module_add_tensor(module, "empty",
			tensor_in(random, graph, NULL));
	fx_storage_unref(storage);
}

static void
configure(struct fxt_random *random, struct fx_graph *graph,
	struct fx_module *module)
{
	static const char *const keys[] = { "stride", "eps", "padding_mode" };
	struct fx_value items[2 * FX_ARRAY_LEN(keys)];

	for (size_t i = 0; i < FX_ARRAY_LEN(keys); i++) {
		items[2 * i] = fx_value_string(keys[i]);
		items[2 * i + 1] =
			fxt_random_value(random, graph->permanent, 1, true);
	}
	module->config = fx_value_dict(graph->permanent, items,
		fxt_random_below(random, FX_ARRAY_LEN(keys) + 1));
}

struct fx_module *
fxt_random_module(struct fxt_random *random, struct fx_graph *graph, int depth)
{
	size_t which = fxt_random_below(random, FX_ARRAY_LEN(classes));
	struct fx_module *module = fx_module_new(graph, classes[which]);
	size_t children = depth > 0 ? fxt_random_below(random, 4) : 0;
	struct fx_module *child = NULL;

	configure(random, graph, module);
	module->training = fxt_random_chance(random, 50);
	module->is_leaf = strncmp(classes[which], "torch", 5) == 0;
	if (fxt_random_chance(random, 60))
		add_tensors(random, graph, module);
	for (size_t i = 0; i < children; i++) {
		/* Sometimes the child before stands at a second path. */
		if (!child || fxt_random_chance(random, 85))
			child = fxt_random_module(random, graph, depth - 1);
		fx_module_add_child(module, fx_intern_format("%zu", i), child);
	}
	if (fxt_random_chance(random, 10))
		fx_module_add_child(module, "nothing", NULL);
	return module;
}
