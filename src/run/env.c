/* env.c - a map from node ids to data that owns its references. */
#include <config.h>

#include "run/env.h"

#include "run/datum.h"

void
fx_env_deinit(struct fx_env *env)
{
	fx_env_clear(env);
	fx_map_deinit(&env->values);
}

struct fx_datum *
fx_env_get(const struct fx_env *env, uint64_t id)
{
	return (struct fx_datum *)fx_map_get(&env->values, (uintptr_t)id, 0);
}

void
fx_env_take(struct fx_env *env, uint64_t id, struct fx_datum *datum_taken)
{
	struct fx_datum *old = fx_env_get(env, id);

	fx_map_set(&env->values, (uintptr_t)id, (uintptr_t)datum_taken);
	fx_datum_unref(old);
}

void
fx_env_drop(struct fx_env *env, uint64_t id)
{
	struct fx_datum *old = fx_env_get(env, id);

	if (!old)
		return;
	fx_map_erase(&env->values, (uintptr_t)id);
	fx_datum_unref(old);
}

void
fx_env_clear(struct fx_env *env)
{
	size_t at = 0;
	uintptr_t id;
	uintptr_t datum;

	while (fx_map_next(&env->values, &at, &id, &datum))
		fx_datum_unref((struct fx_datum *)datum);
	fx_map_clear(&env->values);
}

size_t
fx_env_count(const struct fx_env *env)
{
	return env->values.count;
}
