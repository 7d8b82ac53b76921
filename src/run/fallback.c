/* fallback.c - what one backend cannot run, run by another. */
#include <config.h>

#include "run/fallback.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/plan_private.h"
#include "run/values.h"

static struct fx_error *
move_tensor(struct fx_backend *backend, struct fx_datum *tensor,
	struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_extent extent;
	FX_AUTO_FREE void *bytes = NULL;
	struct fx_error *err = fx_extent_of(tensor, &extent);
	size_t size =
		err ? 0 : extent.count * fx_dtype_info(extent.dtype)->size;

	if (!err && !(bytes = malloc(size + 1)))
		err = fx_error_new(FX_ERR_NO_SPACE,
			"no memory for a copy of %zu bytes", size);
	if (!err)
		err = fx_values_read(tensor, 0, extent.count, bytes);
	if (!err)
		err = fx_values_write(backend, fx_datum_meta(arena, tensor),
			bytes, ret);
	return err;
}

static struct fx_error *
move_held(void *backend, struct fx_datum *held, struct fx_datum **ret)
{
	const struct fx_backend *to = backend;

	if (held->kind == FX_DATUM_TENSOR && held->backend->ops != to->ops)
		return move_tensor(backend, held, ret);
	*ret = fx_datum_ref(held);
	return NULL;
}

struct fx_error *
fx_fallback_move(struct fx_backend *backend, struct fx_datum *datum,
	struct fx_datum **ret)
{
	return fx_datum_map(datum, move_held, backend, ret);
}

/* The same for a result: a tensor that BACKEND cannot have, as one of a dtype
 * that it lacks, stays where it was made.
 */
static struct fx_error *
move_if_held(void *backend, struct fx_datum *held, struct fx_datum **ret)
{
	struct fx_error *err = move_held(backend, held, ret);

	if (!err || fx_error_code(err) != FX_ERR_TYPE)
		return err;
	fx_error_free(err);
	*ret = fx_datum_ref(held);
	return NULL;
}

struct fx_error *
fx_fallback_copy_over(struct fx_backend *backend, struct fx_datum *to,
	struct fx_datum *from)
{
	FX_AUTO_DATUM struct fx_datum *moved = NULL;
	FX_AUTO_DATUM struct fx_datum *result = NULL;
	struct fx_error *err = fx_fallback_move(backend, from, &moved);
	struct fx_datum *data[] = { to, moved };
	struct fx_kind kinds[2];
	const struct fx_call_site site = { .opcode = FX_OPCODE_CALL_METHOD,
		.target = fx_intern("copy_"),
		.kinds = kinds,
		.count = 2 };
	void *plan;

	if (err)
		return err;
	for (size_t i = 0; i < 2; i++)
		kinds[i] = fx_kind_of(data[i]);
	err = backend->ops->resolve(backend, &site, &plan);
	if (err)
		return err;
	err = backend->ops->call(backend, plan, data, 2, &result);
	backend->ops->plan_free(backend, plan);
	return err;
}

const struct fx_value *
fx_fallback_find_shape(const struct fx_backend *backend,
	const struct fx_value *value)
{
	const struct fx_datum *held = fx_datum_held(value);
	size_t count = fx_value_item_count(value);
	const struct fx_value *found = NULL;

	if (!backend->ops->has_values)
		return NULL;
	if (value->kind == FX_VALUE_UNKNOWN)
		return value;
	if (held && held->kind == FX_DATUM_TENSOR)
		return held->backend->ops != backend->ops &&
				       !fx_values_known(held)
			       ? value
			       : NULL;
	for (size_t i = 0; i < count && !found; i++)
		found = fx_fallback_find_shape(backend, &value->items[i]);
	return found;
}

/* Which of the data that PLAN writes hold tensors of another backend. */
static bool
would_write_copies(struct fx_backend *fallback, void *plan,
	struct fx_datum *const *data, size_t count)
{
	uint64_t writes =
		fallback->ops->writes ? fallback->ops->writes(plan) : 0;

	for (size_t i = 0; i < count && i < 64; i++)
		if (writes >> i & 1 && fx_datum_has_tensor(data[i]))
			return true;
	return false;
}

/* Have TO draw random numbers where FROM would. */
static struct fx_error *
pass_random(struct fx_backend *from, struct fx_backend *to)
{
	struct fx_blob *state = NULL;
	struct fx_error *err;

	if (!from->ops->random_save || !to->ops->random_restore)
		return NULL;
	err = from->ops->random_save(from, &state);
	if (!err && state)
		err = to->ops->random_restore(to, state);
	fx_blob_unref(state);
	return err;
}

/* --- what a module writes beside its data -------------------------------- */

static struct fx_error *
own_buffer(struct fx_backend *backend, const struct fx_call_site *site,
	const struct fx_value *name, struct fx_datum **ret)
{
	FX_AUTO_FREE char *path =
		fx_xasprintf("%s.%s", site->target, name->text);
	const struct fx_tensor *tensor =
		site->graph ? fx_module_find_tensor(site->graph->module, path)
			    : NULL;

	*ret = NULL;
	if (tensor && tensor->storage && tensor->storage->blob)
		return backend->ops->from_tensor(backend, tensor, ret);
	*ret = fx_datum_none();
	return NULL;
}

/* BACKEND's own tensors of the buffers that the fallback's PLAN writes, which
 * is what a person looks at; None for what has no values here.  Null: none.
 */
static struct fx_error *
own_buffers(struct fx_backend *backend, const void *plan,
	const struct fx_call_site *site, struct fx_datum **ret)
{
	const struct fx_backend *fallback = backend->fallback;
	const struct fx_datum *names = fallback->ops->also_names
					       ? fallback->ops->also_names(plan)
					       : NULL;
	FX_AUTO_FREE struct fx_datum **items =
		fx_xcalloc((names ? names->value.count : 0) + 1,
			sizeof(*items));
	struct fx_error *err = NULL;
	size_t done = 0;

	*ret = NULL;
	while (names && done < names->value.count && !err) {
		err = own_buffer(backend, site, &names->value.items[done],
			&items[done]);
		done += !err;
	}
	if (!err && names)
		*ret = fx_datum_items_take(FX_VALUE_LIST, items, done);
	while (err && done > 0)
		fx_datum_unref(items[--done]);
	return err;
}

static bool
have_one_shape(const struct fx_datum *a, const struct fx_datum *b)
{
	struct fx_extent x, y;
	FX_AUTO_ERROR struct fx_error *err = fx_extent_of(a, &x);

	if (!err)
		err = fx_extent_of(b, &y);
	return !err && fx_extent_same_sizes(&x, &y);
}

/* Copy the buffers that the fallback wrote back to OWN.  A buffer whose shape
 * the call changed is not copied: OWN keeps the earlier contents, which is what
 * the user sees.
 */
static struct fx_error *
copy_buffers(struct fx_backend *backend, const void *plan,
	const struct fx_datum *own)
{
	const struct fx_datum *theirs =
		backend->fallback->ops->also_writes(plan);
	struct fx_error *err = NULL;

	for (uint32_t i = 0; i < own->value.count && !err; i++) {
		struct fx_datum *to = fx_datum_held(&own->value.items[i]);
		struct fx_datum *from = fx_datum_held(&theirs->value.items[i]);

		if (to && from && have_one_shape(to, from))
			err = fx_fallback_copy_over(backend, to, from);
	}
	return err;
}

/* --- calls --------------------------------------------------------------- */

/* The call itself, on data that are there. */
static struct fx_error *
call_moved(struct fx_backend *backend, void *plan,
	const struct fx_fallback_call *call, struct fx_datum *const *moved,
	struct fx_datum **ret)
{
	const struct fx_plan_watch *watch = call->watch;
	struct fx_backend *fallback = backend->fallback;
	FX_AUTO_DATUM struct fx_datum *own = NULL;
	struct fx_error *err = own_buffers(backend, plan, call->site, &own);

	if (!err && watch && own)
		err = watch->before(watch->context, &own, 1, false);
	if (!err && watch && call->may_draw)
		err = watch->before(watch->context, call->data, 0, true);
	if (!err)
		err = fx_plan_tell_others(watch, fallback, plan);
	if (!err && call->may_draw)
		err = pass_random(backend, fallback);
	if (!err)
		err = fallback->ops->call(fallback, plan, moved,
			call->site->count, ret);
	if (!err && call->may_draw)
		err = pass_random(fallback, backend);
	return err || !own ? err : copy_buffers(backend, plan, own);
}

static struct fx_error *
call_there(struct fx_backend *backend, void *plan,
	const struct fx_fallback_call *call, struct fx_datum **ret)
{
	struct fx_backend *fallback = backend->fallback;
	size_t count = call->site->count;
	FX_AUTO_FREE struct fx_datum **moved =
		fx_xcalloc(count + 1, sizeof(struct fx_datum *));
	FX_AUTO_DATUM struct fx_datum *result = NULL;
	struct fx_error *err = NULL;
	size_t done = 0;

	if (would_write_copies(fallback, plan, call->data, count))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%s writes in place and runs on the %s backend only",
			call->site->target, fallback->ops->name);
	while (done < count && !err) {
		err = fx_fallback_move(fallback, call->data[done],
			&moved[done]);
		done += !err;
	}
	if (err && fx_error_code(err) == FX_ERR_TYPE)
		err = fx_error_hint(err, "set backend %s", fallback->ops->name);
	if (!err)
		err = call_moved(backend, plan, call, moved, &result);
	while (done > 0)
		fx_datum_unref(moved[--done]);
	return err ? err : fx_datum_map(result, move_if_held, backend, ret);
}

struct fx_error *
fx_fallback_call(struct fx_backend *backend,
	const struct fx_fallback_call *call, struct fx_datum **ret)
{
	struct fx_backend *fallback = backend->fallback;
	void *plan;
	struct fx_error *err =
		fallback->ops->resolve(fallback, call->site, &plan);

	if (err)
		return err;
	err = call_there(backend, plan, call, ret);
	fallback->ops->plan_free(fallback, plan);
	backend->fallback_calls += !err;
	return err;
}
