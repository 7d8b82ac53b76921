/* draw_aside.c - what a node draws, without the node. */
#include <config.h>

#include "run/draw_aside.h"

#include "base/blob.h"
#include "ir/side_effects.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/plan.h"
#include "run/timeline.h"

bool
fx_draws_aside(const struct fx_backend *backend, const struct fx_node *node)
{
	return backend->ops->has_values && backend->ops->random_save &&
	       fx_is_known_to_draw(node);
}

/* Its own timeline sees what NODE writes.  Starting that seeds the generator,
 * which STATE undoes.
 */
static struct fx_error *
call(struct fx_plans *plans, const struct fx_env *env, struct fx_node *node,
	struct fx_blob *state)
{
	struct fx_backend *backend = plans->backend;
	const struct fx_plan_watch *watch = plans->watch;
	struct fx_timeline aside = { .backend = NULL };
	struct fx_datum *result = NULL;
	struct fx_blob *after = NULL;
	struct fx_error *err = fx_timeline_start(&aside, backend, 0);

	if (!err)
		err = backend->ops->random_restore(backend, state);
	if (err)
		return err;
	if (watch) {
		aside.watch.given = watch->given;
		aside.watch.protect = watch->protect;
		aside.watch.owner = watch->owner;
	}
	fx_timeline_begin(&aside, node);
	plans->watch = &aside.watch;
	err = fx_plans_call(plans, env, node, &result);
	plans->watch = watch;
	if (!err)
		err = fx_timeline_end(&aside);
	if (!err)
		err = backend->ops->random_save(backend, &after);
	fx_timeline_clear(&aside);
	fx_datum_unref(result);
	if (!err)
		err = backend->ops->random_restore(backend, after);
	fx_blob_unref(after);
	return err;
}

void
fx_draw_aside(struct fx_plans *plans, const struct fx_env *env,
	struct fx_node *node)
{
	struct fx_backend *backend = plans->backend;
	const struct fx_plan_watch *watch = plans->watch;
	struct fx_blob *state = NULL;
	struct fx_error *err = backend->ops->random_save(backend, &state);

	if (!err && watch)
		err = watch->before(watch->context, NULL, 0, true);
	if (!err) {
		err = call(plans, env, node, state);
		if (err)
			fx_error_free(backend->ops->random_restore(backend,
				state));
	}
	fx_error_free(err);
	fx_blob_unref(state);
}
