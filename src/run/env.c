/* env.c - values by node, owning its references. */
#include <config.h>

#include "run/env.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "run/datum.h"

void
fx_env_deinit(struct fx_env *env)
{
	fx_env_clear(env);
	free(env->values);
	env->values = NULL;
	env->capacity = 0;
}

struct fx_datum *
fx_env_get(const struct fx_env *env, uint64_t id)
{
	uint32_t index = (uint32_t)id;

	return index < env->capacity ? env->values[index] : NULL;
}

static void
reserve(struct fx_env *env, size_t index)
{
	size_t wanted = FX_MAX(index + 1, env->capacity + env->capacity / 2);

	if (index < env->capacity)
		return;
	env->values = fx_xrealloc(env->values, wanted * sizeof(*env->values));
	memset(env->values + env->capacity, 0,
		(wanted - env->capacity) * sizeof(*env->values));
	env->capacity = wanted;
}

void
fx_env_take(struct fx_env *env, uint64_t id, struct fx_datum *datum_taken)
{
	uint32_t index = (uint32_t)id;

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

size_t
fx_env_count(const struct fx_env *env)
{
	return env->count;
}
