/* env.h - the values of nodes while a graph runs, by node id. */
#ifndef FX_RUN_ENV_H
#define FX_RUN_ENV_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct fx_datum;
struct fx_node;

/* Ids of one graph differ in their low half, which counts its nodes from 1: an
 * array is smaller and faster than a map.
 */
struct fx_env {
	struct fx_datum **values; /* by the low half of the id, referenced */
	size_t capacity;
	size_t count; /* values held */
};

/* All zero is empty.  The values of one graph's nodes only. */
void fx_env_deinit(struct fx_env *env);
FX_DEFINE_DEINIT(env, struct fx_env, fx_env_deinit);
#define FX_AUTO_ENV FX_AUTO(env)

/* The value of the node with ID, borrowed; NULL when there is none. */
static inline struct fx_datum *
fx_env_get(const struct fx_env *env, uint64_t id)
{
	uint32_t index = (uint32_t)id;

	return index < env->capacity ? env->values[index] : NULL;
}

/* DATUM is taken. */
void fx_env_take(struct fx_env *env, uint64_t id, struct fx_datum *datum_taken);
void fx_env_drop(struct fx_env *env, uint64_t id);
void fx_env_clear(struct fx_env *env);

/* NODE is to run again and will give something else: values that lie in what
 * it gave go too, so that what is written into either is seen by both.  What
 * lies in its inputs stays.  GONE (may be NULL) is told of each node.
 */
typedef void fx_env_gone_fn(void *context, struct fx_node *node);
void fx_env_drop_views(struct fx_env *env, const struct fx_node *node,
	fx_env_gone_fn *gone, void *context);

#endif /* FX_RUN_ENV_H */
