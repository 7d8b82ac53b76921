/* timeline.c - effects of nodes, and taking them back. */
#include <config.h>

#include "run/timeline.h"

#include <stdlib.h>

#include "base/blob.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/env.h"
#include "run/storage.h"

/* --- one effect ---------------------------------------------------------- */

/* Neither the bytes, nor a shape of what is saved already. */
static bool
holds_nothing(const struct fx_saved *saved)
{
	return !saved->bytes && !saved->shape;
}

static size_t
saved_size(const struct fx_saved *saved)
{
	return saved->bytes ? fx_blob_size(saved->bytes) : 0;
}

size_t
fx_timeline_unsave(struct fx_timeline *timeline, struct fx_effect *effect,
	size_t index)
{
	struct fx_saved saved = effect->saved.items[index];
	size_t size = saved_size(&saved);

	fx_vec_remove(&effect->saved, index);
	timeline->saved_bytes -= size;
	fx_blob_unref(saved.bytes);
	fx_blob_unref(saved.shape);
	fx_datum_unref(saved.tensor);
	return size;
}

static void
effect_deinit(struct fx_timeline *timeline, struct fx_effect *effect)
{
	while (effect->saved.count)
		fx_timeline_unsave(timeline, effect, effect->saved.count - 1);
	fx_vec_deinit(&effect->saved);
	fx_blob_unref(effect->random);
}

static bool
has_saved(const struct fx_effect *effect, uintptr_t storage)
{
	for (size_t i = 0; i < effect->saved.count; i++)
		if (effect->saved.items[i].storage == storage)
			return true;
	return false;
}

/* SAVED is taken, but for its tensor. */
static void
save(struct fx_timeline *timeline, struct fx_effect *effect,
	struct fx_saved saved)
{
	fx_datum_ref(saved.tensor);
	timeline->saved_bytes += saved_size(&saved);
	fx_vec_push(&effect->saved, saved);
}

static bool
may_lose(void *context, const struct fx_datum *tensor)
{
	const struct fx_timeline *timeline = context;

	for (size_t i = 0; i < timeline->evictable.count; i++)
		if (timeline->evictable.items[i] == tensor)
			return true;
	return false;
}

/* The shape of TENSOR, and once an effect the bytes of what it lies in. */
static struct fx_error *
save_tensor(struct fx_timeline *timeline, struct fx_effect *effect,
	struct fx_datum *tensor)
{
	const struct fx_backend_ops *ops = tensor->backend->ops;
	struct fx_saved saved = {
		.tensor = tensor,
		.storage = fx_datum_storage(tensor, NULL),
	};
	bool is_saved = has_saved(effect, saved.storage);
	bool is_lost = !is_saved && may_lose(timeline, tensor);
	struct fx_error *err = NULL;

	if (!saved.storage || !ops->storage_save)
		return NULL;
	if (!is_lost && ops->shape_save)
		err = ops->shape_save(tensor->payload, &saved.shape);
	if (!err && !is_lost && !is_saved)
		err = ops->storage_save(tensor->payload, &saved.bytes);
	if (err || (is_saved && !saved.shape)) {
		fx_blob_unref(saved.shape);
		return err;
	}
	save(timeline, effect, saved);
	effect->is_lost = effect->is_lost || is_lost;
	return NULL;
}

struct saving {
	struct fx_timeline *timeline;
	struct fx_effect *effect;
	struct fx_error *err;
};

static bool
save_held(void *context, struct fx_datum *held)
{
	struct saving *saving = context;

	if (held->kind == FX_DATUM_TENSOR)
		saving->err =
			save_tensor(saving->timeline, saving->effect, held);
	return saving->err != NULL;
}

static struct fx_error *
save_datum(struct fx_timeline *timeline, struct fx_effect *effect,
	struct fx_datum *datum)
{
	struct saving saving = { timeline, effect, NULL };

	fx_datum_each_held(datum, save_held, &saving);
	return saving.err;
}

/* The effect of the node that runs now. */
static struct fx_effect *
running_effect(struct fx_timeline *timeline)
{
	struct fx_effect fresh = {
		.graph = timeline->graph,
		.node = timeline->node,
	};

	if (!timeline->has_effect)
		fx_vec_push(&timeline->effects, fresh);
	timeline->has_effect = true;
	return &fx_vec_last(&timeline->effects);
}

/* Values inside NODE go while it runs: a nested graph, a layer.  A tensor that
 * only such a value held has bytes that nobody needs.
 */
static void
unsave_lone(struct fx_timeline *timeline, struct fx_effect *effect)
{
	for (size_t i = effect->saved.count; i-- > 0;)
		if (fx_datum_is_lone(effect->saved.items[i].tensor))
			fx_timeline_unsave(timeline, effect, i);
}

static struct fx_error *
before_call(void *context, struct fx_datum *const *data, uint64_t writes,
	bool may_draw)
{
	struct fx_timeline *timeline = context;
	struct fx_effect *effect;
	struct fx_error *err = NULL;

	if (!timeline->node || (!writes && !timeline->random))
		return NULL;
	effect = running_effect(timeline);
	unsave_lone(timeline, effect);
	if (may_draw && !effect->random)
		effect->random = fx_blob_ref(timeline->random);
	for (size_t i = 0; i < 64 && writes >> i && !err; i++)
		if (writes >> i & 1)
			err = save_datum(timeline, effect, data[i]);
	return err;
}

static void
kept(void *context, struct fx_datum *tensor, struct fx_blob *bytes_taken)
{
	struct fx_timeline *timeline = context;
	uintptr_t storage = fx_datum_storage(tensor, NULL);
	struct fx_effect *effect =
		timeline->node ? running_effect(timeline) : NULL;

	if (effect)
		unsave_lone(timeline, effect);
	if (effect && !has_saved(effect, storage))
		save(timeline, effect,
			(struct fx_saved){ .tensor = tensor,
				.storage = storage,
				.bytes = bytes_taken });
	else
		fx_blob_unref(bytes_taken);
}

static void
count_writes(struct fx_timeline *timeline, const struct fx_effect *effect)
{
	for (size_t i = 0; i < effect->saved.count; i++) {
		uintptr_t storage = effect->saved.items[i].storage;

		fx_map_set(&timeline->generations, storage,
			fx_map_get(&timeline->generations, storage, 0) + 1);
	}
}

/* --- starting ------------------------------------------------------------ */

static void
forget(struct fx_timeline *timeline)
{
	size_t at = 0;
	uintptr_t id;
	uintptr_t storages;

	while (fx_map_next(&timeline->written, &at, &id, &storages))
		free((void *)storages);
	fx_map_deinit(&timeline->written);
	fx_map_deinit(&timeline->kinds);
	fx_timeline_forget_dropped(timeline);
	fx_map_deinit(&timeline->generations);
	fx_map_deinit(&timeline->finite);
	fx_map_deinit(&timeline->strays);
	fx_map_deinit(&timeline->storages);
	timeline->held_bytes = 0;
	fx_blob_unref(timeline->random);
	timeline->random = NULL;
}

struct fx_error *
fx_timeline_start(struct fx_timeline *timeline, struct fx_backend *backend,
	uint64_t seed)
{
	fx_timeline_clear(timeline);
	timeline->backend = backend;
	timeline->watch = (struct fx_plan_watch){
		.context = timeline,
		.before = before_call,
		.kept = kept,
		.may_lose = may_lose,
	};
	if (!backend->ops->has_values || !backend->ops->random_save)
		return NULL;
	if (backend->ops->seed)
		backend->ops->seed(backend, seed);
	return backend->ops->random_save(backend, &timeline->random);
}

void
fx_timeline_clear(struct fx_timeline *timeline)
{
	while (timeline->effects.count)
		fx_timeline_take_back(timeline, NULL);
	fx_vec_deinit(&timeline->effects);
	fx_vec_deinit(&timeline->evictable);
	forget(timeline);
	timeline->node = 0;
	timeline->has_effect = false;
}

/* --- taking back --------------------------------------------------------- */

/* A storage that cannot be written is no longer anybody's: nothing to do. */
static void
put_back_one(const struct fx_saved *saved)
{
	const struct fx_backend_ops *ops = saved->tensor->backend->ops;

	if (saved->shape)
		fx_error_free(ops->shape_restore(saved->tensor->payload,
			saved->shape));
	if (saved->bytes)
		fx_error_free(ops->storage_restore(saved->tensor->payload,
			saved->bytes));
}

static void
put_back(struct fx_timeline *timeline, const struct fx_effect *effect)
{
	const struct fx_plan_watch *watch = &timeline->watch;
	struct fx_backend *backend = timeline->backend;

	count_writes(timeline, effect);
	for (size_t i = effect->saved.count; i-- > 0;) {
		const struct fx_saved *saved = &effect->saved.items[i];

		if (holds_nothing(saved) || fx_datum_is_lone(saved->tensor))
			continue;
		if (watch->protect)
			watch->protect(watch->owner, &saved->tensor, 1);
		put_back_one(saved);
	}
	if (!effect->random)
		return;
	fx_error_free(backend->ops->random_restore(backend, effect->random));
	fx_blob_unref(timeline->random);
	timeline->random = fx_blob_ref(effect->random);
}

bool
fx_timeline_drop_lost(struct fx_timeline *timeline,
	const struct fx_effect *effect, struct fx_env *env)
{
	FX_AUTO_MAP struct fx_map storages = { 0 };
	const struct fx_datum *result = fx_env_get(env, effect->node);
	const struct fx_node *node;

	if (!effect->is_lost)
		return false;
	for (size_t i = 0; i < effect->saved.count; i++)
		if (holds_nothing(&effect->saved.items[i]))
			fx_map_set(&storages, effect->saved.items[i].storage,
				1);
	if (result)
		fx_datum_add_storages(result, &storages);
	if (!storages.count)
		return false;
	fx_graph_for_each_node (node, effect->graph) {
		const struct fx_datum *datum = fx_env_get(env, node->id);

		if (!datum || node->id == effect->node ||
			!fx_datum_lies_in(datum, &storages))
			continue;
		fx_timeline_drop(timeline, node->id, datum, NULL);
		fx_env_drop(env, node->id);
	}
	return true;
}

void
fx_timeline_take_back(struct fx_timeline *timeline, struct fx_env *env)
{
	struct fx_effect effect = fx_vec_pop(&timeline->effects);
	const struct fx_node *node =
		env ? fx_graph_find_id(effect.graph, effect.node) : NULL;

	if (env)
		fx_timeline_drop_lost(timeline, &effect, env);
	if (node)
		fx_env_drop_views(env, node, NULL, NULL);
	put_back(timeline, &effect);
	if (env)
		fx_env_drop(env, effect.node);
	/* It is no longer one that has run and was dropped. */
	fx_timeline_undrop(timeline, effect.node);
	effect_deinit(timeline, &effect);
}

void
fx_timeline_rewind(struct fx_timeline *timeline, const struct fx_graph *graph,
	struct fx_env *env, const struct fx_node *stop)
{
	while (stop && timeline->effects.count) {
		const struct fx_effect *last = &fx_vec_last(&timeline->effects);
		const struct fx_node *node;

		if (last->graph != graph)
			return;
		node = fx_graph_find_id(graph, last->node);
		if (node && fx_node_is_before(node, stop))
			return;
		fx_timeline_take_back(timeline, env);
	}
}

/* --- around a node ------------------------------------------------------- */

void
fx_timeline_begin(struct fx_timeline *timeline, const struct fx_node *node)
{
	timeline->graph = node->graph;
	timeline->node = node->id;
	timeline->has_effect = false;
	fx_map_erase(&timeline->finite, (uintptr_t)node->id);
	fx_vec_clear(&timeline->evictable);
}

/* Whether the generator moved since EFFECT began; its state now is kept. */
static struct fx_error *
look_at_random(struct fx_timeline *timeline, struct fx_effect *effect,
	bool *drew_ret)
{
	struct fx_backend *backend = timeline->backend;
	struct fx_blob *now;
	struct fx_error *err;

	*drew_ret = false;
	if (!effect->random)
		return NULL;
	err = backend->ops->random_save(backend, &now);
	if (err)
		return err;
	*drew_ret = !fx_blob_equal(now, effect->random);
	fx_blob_unref(timeline->random);
	timeline->random = now;
	if (!*drew_ret) {
		fx_blob_unref(effect->random);
		effect->random = NULL;
	}
	return NULL;
}

/* Remember which storages NODE wrote, as its effects from index FIRST on say.
 * The list is kept as long as NODE may run again.
 */
static void
remember_written(struct fx_timeline *timeline, uint64_t node, size_t first)
{
	uintptr_t *storages;
	size_t count = 0;

	for (size_t i = first; i < timeline->effects.count; i++)
		count += timeline->effects.items[i].saved.count;
	storages = fx_xcalloc(count + 1, sizeof(*storages));
	free((void *)fx_map_get(&timeline->written, (uintptr_t)node, 0));
	for (size_t i = first; i < timeline->effects.count; i++) {
		const struct fx_effect *effect = &timeline->effects.items[i];

		for (size_t j = 0; j < effect->saved.count; j++)
			storages[--count] = effect->saved.items[j].storage;
	}
	fx_map_set(&timeline->written, (uintptr_t)node, (uintptr_t)storages);
}

struct fx_error *
fx_timeline_end(struct fx_timeline *timeline)
{
	struct fx_effect *effect;
	struct fx_error *err;
	unsigned kinds = 0;
	bool drew;

	if (!timeline->has_effect) {
		timeline->node = 0;
		return NULL;
	}
	effect = &fx_vec_last(&timeline->effects);
	unsave_lone(timeline, effect);
	err = look_at_random(timeline, effect, &drew);
	if (drew)
		kinds |= FX_SIDE_EFFECT_DRAWS;
	if (effect->saved.count) {
		kinds |= FX_SIDE_EFFECT_WRITES;
		count_writes(timeline, effect);
		remember_written(timeline, effect->node,
			timeline->effects.count - 1);
	}
	if (kinds) {
		fx_map_set(&timeline->kinds, (uintptr_t)effect->node, kinds);
	} else {
		effect_deinit(timeline, effect);
		(void)fx_vec_pop(&timeline->effects);
	}
	timeline->node = 0;
	timeline->has_effect = false;
	return err;
}

void
fx_timeline_fail(struct fx_timeline *timeline, struct fx_env *env)
{
	if (timeline->has_effect) {
		fx_timeline_drop_lost(timeline,
			&fx_vec_last(&timeline->effects), env);
		fx_timeline_take_back(timeline, NULL);
	}
	timeline->node = 0;
	timeline->has_effect = false;
}

size_t
fx_timeline_fold(struct fx_timeline *timeline, const struct fx_graph *graph,
	const struct fx_node *call)
{
	size_t count = timeline->effects.count;
	size_t first = count;
	size_t all;
	unsigned kinds = 0;

	while (first && timeline->effects.items[first - 1].graph == graph) {
		struct fx_effect *effect = &timeline->effects.items[--first];

		kinds |= fx_timeline_kinds(timeline, effect->node);
		effect->graph = call->graph;
		effect->node = call->id;
	}
	/* A while_loop's call has those of earlier turns. */
	all = first;
	while (all && timeline->effects.items[all - 1].node == call->id)
		all--;
	if (all < first)
		kinds |= fx_timeline_kinds(timeline, call->id);
	if (first == count || !kinds)
		return first;
	fx_map_set(&timeline->kinds, (uintptr_t)call->id, kinds);
	remember_written(timeline, call->id, all);
	return first;
}

void
fx_timeline_prune(struct fx_timeline *timeline, size_t first)
{
	for (size_t i = timeline->effects.count; i-- > first;) {
		struct fx_effect *effect = &timeline->effects.items[i];

		unsave_lone(timeline, effect);
		if (effect->saved.count || effect->random)
			continue;
		effect_deinit(timeline, effect);
		fx_vec_remove(&timeline->effects, i);
	}
}

/* What ONE saved later than INTO is needed no more where INTO saved the same
 * storage, or shape of the same tensor.
 */
static void
merge_into(struct fx_timeline *timeline, struct fx_effect *into,
	struct fx_effect *one)
{
	while (one->saved.count) {
		struct fx_saved saved = one->saved.items[0];
		bool has_tensor = false;

		for (size_t i = 0; i < into->saved.count; i++)
			if (into->saved.items[i].tensor == saved.tensor)
				has_tensor = true;
		if (has_saved(into, saved.storage))
			saved.bytes = NULL;
		if (!has_tensor) {
			if (saved.bytes)
				fx_blob_ref(saved.bytes);
			if (saved.shape)
				fx_blob_ref(saved.shape);
			save(timeline, into, saved);
		}
		fx_timeline_unsave(timeline, one, 0);
	}
	if (!into->random)
		into->random = FX_TAKE(one->random);
	into->is_lost = into->is_lost || one->is_lost;
	effect_deinit(timeline, one);
}

size_t
fx_timeline_merge(struct fx_timeline *timeline, size_t first, size_t end)
{
	size_t gone = 0;

	for (; first + 1 < end; end--, gone++) {
		merge_into(timeline, &timeline->effects.items[first],
			&timeline->effects.items[first + 1]);
		fx_vec_remove(&timeline->effects, first + 1);
	}
	return gone;
}

unsigned
fx_timeline_kinds(const struct fx_timeline *timeline, uint64_t node)
{
	return (unsigned)fx_map_get(&timeline->kinds, (uintptr_t)node, 0);
}

void
fx_timeline_keep_random(struct fx_timeline *timeline)
{
	struct fx_backend *backend = timeline->backend;

	if (timeline->random)
		fx_error_free(backend->ops->random_restore(backend,
			timeline->random));
}
