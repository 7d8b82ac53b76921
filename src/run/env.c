/* env.c - values by node, owning its references. */
#include <config.h>

#include "run/env.h"

#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/node.h"
#include "ir/side_effects.h"
#include "run/datum.h"
#include "run/storage.h"

void
fx_env_deinit(struct fx_env *env)
{
	fx_env_clear(env);
	free(env->values);
	env->values = NULL;
	env->capacity = 0;
}

static void
reserve(struct fx_env *env, size_t index)
{
	size_t wanted = FX_MAX(index + 1, env->capacity + env->capacity / 2);

	env->values = fx_xrealloc(env->values, wanted * sizeof(*env->values));
	memset(env->values + env->capacity, 0,
		(wanted - env->capacity) * sizeof(*env->values));
	env->capacity = wanted;
}

void
fx_env_take(struct fx_env *env, uint64_t id, struct fx_datum *datum_taken)
{
	uint32_t index = (uint32_t)id;

	if (index >= env->capacity)
		reserve(env, index);
	if (env->values[index])
		fx_datum_unref(env->values[index]);
	else
		env->count++;
	env->values[index] = datum_taken;
}

void
fx_env_drop(struct fx_env *env, uint64_t id)
{
	uint32_t index = (uint32_t)id;

	if (index >= env->capacity || !env->values[index])
		return;
	fx_datum_unref(env->values[index]);
	env->values[index] = NULL;
	env->count--;
}

void
fx_env_clear(struct fx_env *env)
{
	for (size_t i = 0; i < env->capacity && env->count; i++)
		if (env->values[i]) {
			fx_datum_unref(env->values[i]);
			env->values[i] = NULL;
			env->count--;
		}
}

/* --- views --------------------------------------------------------------- */

static bool
forget_storage(void *context, uintptr_t storage, size_t bytes)
{
	(void)bytes;
	fx_map_erase(context, storage);
	return false;
}

/* What NODE gave and none of its inputs lies in. */
static struct fx_map
own_storages(const struct fx_env *env, const struct fx_node *node)
{
	const struct fx_datum *result = fx_env_get(env, node->id);
	struct fx_map storages = { 0 };

	if (result)
		fx_datum_add_storages(result, &storages);
	for (size_t i = 0; storages.count && i < fx_node_input_count(node);
		i++) {
		const struct fx_datum *input =
			fx_env_get(env, fx_node_input(node, i)->id);

		if (input)
			fx_datum_see_storages(input, forget_storage, &storages);
	}
	return storages;
}

/* Views of views are found through those that have no value, too. */
static bool
may_lead_to_views(const struct fx_env *env, const struct fx_node *node,
	const struct fx_map *storages)
{
	const struct fx_datum *datum = fx_env_get(env, node->id);

	return datum ? fx_datum_lies_in(datum, storages) : fx_may_alias(node);
}

void
fx_env_drop_views(struct fx_env *env, const struct fx_node *node,
	fx_env_gone_fn *gone, void *context)
{
	FX_AUTO_MAP struct fx_map storages = own_storages(env, node);
	FX_AUTO_BITSET struct fx_bitset seen = { 0 };
	FX_VEC(const struct fx_node *) waiting = { 0 };
	const struct fx_use *use;

	if (storages.count)
		fx_vec_push(&waiting, node);
	while (waiting.count) {
		node = fx_vec_pop(&waiting);
		fx_node_for_each_user (use, node) {
			struct fx_node *user = use->user;

			if (fx_bitset_has(&seen, (uint32_t)user->id) ||
				!may_lead_to_views(env, user, &storages))
				continue;
			fx_bitset_add(&seen, (uint32_t)user->id);
			fx_vec_push(&waiting, user);
			if (gone && fx_env_get(env, user->id))
				gone(context, user);
			fx_env_drop(env, user->id);
		}
	}
	fx_vec_deinit(&waiting);
}
