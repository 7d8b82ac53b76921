/* test_torch_files.c - the torch backend on weights in mapped files: views are
 * read in any part, and when the file is cut short while it is used, that is
 * an error at the node, and the rest goes on.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "guest/shim.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/interp.h"
#include "tests/support/folder.h"
#include "tests/support/read_text.h"
#include "tests/support/torch_side.h"
#include "tests/support/unit.h"

/* Elements of a weight, and the bytes of its file. */
#define COUNT ((int64_t)1 << 20)
#define BYTES ((size_t)COUNT * sizeof(float))

struct world {
	char *folder;
	char *path;
	struct fx_backend *backend;
	struct fx_graph *graph;
	struct fx_env env;
	struct fx_plans plans;
	struct fx_interp interp;
	struct fx_datum *weight;
};

static struct fx_error *
give(void *context, struct fx_node *node, struct fx_datum **ret)
{
	struct world *world = context;

	(void)node;
	*ret = fx_datum_ref(world->weight);
	return NULL;
}

/* A file of 1, 2, 3..., and its bytes mapped. */
static struct fx_blob *
map_numbers(const char *path)
{
	float *numbers = fx_xcalloc((size_t)COUNT, sizeof(*numbers));
	struct fx_blob *blob = NULL;

	for (int64_t i = 0; i < COUNT; i++)
		numbers[i] = (float)(i + 1);
	CU_ASSERT_FATAL(fxt_ok(fx_file_write(path, (const char *)numbers,
		BYTES)));
	CU_ASSERT_FATAL(fxt_ok(fx_blob_map(path, 0, BYTES, &blob)));
	free(numbers);
	return blob;
}

static struct fx_error *
make_weight(struct world *world, struct fx_blob *blob)
{
	struct fx_storage *storage = fx_storage_new(fx_blob_ref(blob));
	int64_t sizes[] = { 1024, COUNT / 1024 };
	const struct fx_tensor tensor = {
		.dtype = FX_DTYPE_F32,
		.rank = 2,
		.sizes = sizes,
		.storage = storage,
	};
	struct fx_error *err = world->backend->ops->from_tensor(world->backend,
		&tensor, &world->weight);

	fx_storage_unref(storage);
	return err;
}

/* BODY on a weight that is the whole of a file. */
static void
world_init(struct world *world, const char *text)
{
	static const struct fx_observer hook = { .records = true };
	struct fx_blob *blob;

	*world = (struct world){ .folder = fxt_folder_new() };
	world->path = fx_xasprintf("%s/weights", world->folder);
	CU_ASSERT_FATAL(fxt_ok(fx_backend_torch_new(NULL, &world->backend)));
	world->graph = fxt_read_graph(text, 1);
	blob = map_numbers(world->path);
	CU_ASSERT_FATAL(fxt_ok(make_weight(world, blob)));
	fx_blob_unref(blob);
	fx_plans_init(&world->plans, world->backend);
	world->interp = (struct fx_interp){
		.graph = world->graph,
		.backend = world->backend,
		.env = &world->env,
		.plans = &world->plans,
		.input = give,
		.input_context = world,
		.observers = &hook,
		.observer_count = 1,
		.next = fx_graph_first(world->graph),
	};
}

static void
world_deinit(struct world *world)
{
	fx_datum_unref(world->weight);
	fx_env_deinit(&world->env);
	fx_plans_deinit(&world->plans);
	fx_graph_free(world->graph);
	fx_backend_free(world->backend);
	fxt_folder_free(world->folder);
	free(world->path);
}

/* The run fails at the node NAME and the message names the file. */
static void
fails_at(struct world *world, const char *name)
{
	struct fx_error *err = fx_interp_run(&world->interp, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_EQ(fx_error_code(err), FX_ERR_FORMAT);
	CU_ASSERT_PTR_NOT_NULL(strstr(fx_error_message(err), world->path));
	FXT_SAME(world->interp.next->name, name);
	fx_error_free(err);
}

static void
a_file_cut_short_is_an_error_at_the_node(void)
{
	struct world world;

	world_init(&world, "def forward(self, x):\n"
			   "    neg = torch.neg(x)\n"
			   "    add = neg + x\n"
			   "    return add\n");
	CU_ASSERT(fxt_ok(fx_interp_run(&world.interp,
		fx_graph_find(world.graph, "add"))));
	FXT_EQ(truncate(world.path, 100000), 0);
	fails_at(&world, "add");
	fails_at(&world, "add");
	/* Zeros are not what was there. */
	FXT_EQ(truncate(world.path, (off_t)BYTES), 0);
	fails_at(&world, "add");
	world_deinit(&world);
}

/* Within the last page there is no fault, only zeros. */
static void
a_few_bytes_less_are_noticed_too(void)
{
	struct world world;

	world_init(&world, "def forward(self, x):\n"
			   "    t = x.t()\n"
			   "    cat = torch.cat([t, t])\n"
			   "    return cat\n");
	CU_ASSERT(fxt_ok(fx_interp_run(&world.interp,
		fx_graph_find(world.graph, "cat"))));
	FXT_EQ(truncate(world.path, (off_t)BYTES - 4), 0);
	fails_at(&world, "cat");
	world_deinit(&world);
}

static void
reading_values_says_so(void)
{
	struct world world;
	const struct fx_backend_ops *ops;
	struct fx_blob *blob;
	struct fx_blob *saved = NULL;
	struct fx_error *err;
	float value = 7;

	world_init(&world, "def forward(self, x):\n    return x\n");
	ops = world.backend->ops;
	CU_ASSERT(fxt_ok(ops->read(world.weight->payload, 5, 1, &value)));
	FXT_EQ(value, 6);
	FXT_EQ(truncate(world.path, 0), 0);
	err = ops->read(world.weight->payload, 5, 1, &value);
	FXT_EQ(err ? fx_error_code(err) : FX_ERR_IO, FX_ERR_FORMAT);
	fx_error_free(err);
	err = ops->storage_save(world.weight->payload, &saved);
	FXT_EQ(err ? fx_error_code(err) : FX_ERR_IO, FX_ERR_FORMAT);
	CU_ASSERT_PTR_NULL(saved);
	fx_error_free(err);
	blob = map_numbers(world.path);
	FXT_EQ(truncate(world.path, 10), 0);
	fx_datum_unref(world.weight);
	world.weight = NULL;
	err = make_weight(&world, blob);
	FXT_EQ(err ? fx_error_code(err) : FX_ERR_IO, FX_ERR_FORMAT);
	fx_error_free(err);
	fx_blob_unref(blob);
	world_deinit(&world);
}

/* --- views --------------------------------------------------------------- */

struct view {
	const char *name;
	size_t size; /* of an element */
};

/* Read all of VIEW in pieces of STEP elements: as its copy has them. */
static void
reads_as_its_copy(struct world *world, const struct view *view, size_t step)
{
	const struct fx_backend_ops *ops = world->backend->ops;
	FX_AUTO_FREE char *copy_name = fx_xasprintf("%s_copy", view->name);
	const struct fx_datum *datum = fx_env_get(&world->env,
		fx_graph_find(world->graph, view->name)->id);
	const struct fx_datum *copy = fx_env_get(&world->env,
		fx_graph_find(world->graph, copy_name)->id);
	FX_AUTO_FREE char *have = fx_xcalloc(step, view->size);
	FX_AUTO_FREE char *want = fx_xcalloc((size_t)COUNT, view->size);
	size_t wrong = 0;

	CU_ASSERT(fxt_ok(ops->read(copy->payload, 0, (size_t)COUNT, want)));
	for (size_t at = 0; at < (size_t)COUNT; at += step) {
		size_t count = FX_MIN(step, (size_t)COUNT - at);

		if (!fxt_ok(ops->read(datum->payload, at, count, have)))
			break;
		wrong += memcmp(have, want + at * view->size,
				 count * view->size) != 0;
	}
	FXT_EQ(wrong, 0);
}

static void
views_are_read_in_any_part(void)
{
	static const struct view views[] = {
		{ "turned", 4 },
		{ "permuted", 4 },
		{ "gaps", 4 },
		{ "swapped", 8 },
		{ "narrow", 1 },
		{ "half", 2 },
		{ "wide", 16 },
	};
	static const size_t steps[] = { COUNT, 65536, 1000, 4099 };
	struct world world;

	world_init(&world, "def forward(self, x):\n"
			   "    turned = x.t()\n"
			   "    turned_copy = turned.contiguous()\n"
			   "    a = x.view(16, 32, 64, 32)\n"
			   "    permuted = a.permute(3, 0, 2, 1)\n"
			   "    permuted_copy = permuted.contiguous()\n"
			   "    b = torch.cat([x, x], 1)\n"
			   "    gaps = b[:, ::2]\n"
			   "    gaps_copy = gaps.contiguous()\n"
			   "    c = x.to(torch.float64).view(512, 4, 512)\n"
			   "    swapped = c.transpose(0, 1)\n"
			   "    swapped_copy = swapped.contiguous()\n"
			   "    d = x.remainder(251).to(torch.uint8)\n"
			   "    narrow = d.t()\n"
			   "    narrow_copy = narrow.contiguous()\n"
			   "    e = x.to(torch.float16).view(2, 2, 2, 131072)\n"
			   "    half = e.permute(1, 3, 0, 2)\n"
			   "    half_copy = half.contiguous()\n"
			   "    f = x.to(torch.complex128)\n"
			   "    wide = f.t().unsqueeze(1)\n"
			   "    wide_copy = wide.contiguous()\n"
			   "    return wide_copy\n");
	CU_ASSERT(fxt_ok(fx_interp_run(&world.interp, NULL)));
	for (size_t i = 0; i < FX_ARRAY_LEN(views); i++)
		for (size_t k = 0; k < FX_ARRAY_LEN(steps); k++)
			reads_as_its_copy(&world, &views[i], steps[k]);
	world_deinit(&world);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_file_cut_short_is_an_error_at_the_node),
		FXT_CASE(a_few_bytes_less_are_noticed_too),
		FXT_CASE(reading_values_says_so),
		FXT_CASE(views_are_read_in_any_part),
	};

	/* Built without libtorch. */
	if (!fxt_has_torch())
		return 77;
	return fxt_run("torch files", cases, FX_ARRAY_LEN(cases));
}
