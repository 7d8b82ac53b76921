/* fallback.c - what one backend cannot run, run by another. */
#include <config.h>

#include "run/fallback.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/mem.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/plan_private.h"
#include "run/values.h"

static struct fx_error *
move_tensor(struct fx_backend *backend, struct fx_datum *tensor,
	struct fx_datum **ret)
{
	struct fx_arena *arena = fx_arena_new();
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
	fx_arena_free(arena);
	return err;
}

static struct fx_error *
move_items(struct fx_backend *backend, const struct fx_datum *datum,
	struct fx_datum **ret)
{
	size_t count = fx_datum_item_count(datum), done = 0;
	FX_AUTO_FREE struct fx_datum **items =
		fx_xcalloc(count + 1, sizeof(struct fx_datum *));
	struct fx_error *err = NULL;

	while (done < count && !err) {
		err = fx_fallback_move(backend, datum->items[done],
			&items[done]);
		done += !err;
	}
	if (!err) {
		*ret = fx_datum_items_take(datum->kind, items, datum->count);
		return NULL;
	}
	while (done > 0)
		fx_datum_unref(items[--done]);
	return err;
}

struct fx_error *
fx_fallback_move(struct fx_backend *backend, struct fx_datum *datum,
	struct fx_datum **ret)
{
	bool is_there = datum->kind != FX_DATUM_TENSOR ||
			datum->backend->ops == backend->ops;

	if (fx_datum_item_count(datum) && fx_datum_has_tensor(datum))
		return move_items(backend, datum, ret);
	if (!is_there)
		return move_tensor(backend, datum, ret);
	*ret = fx_datum_ref(datum);
	return NULL;
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

/* The call itself, on data that are there. */
static struct fx_error *
call_moved(struct fx_backend *backend, void *plan,
	const struct fx_fallback_call *call, struct fx_datum *const *moved,
	struct fx_datum **ret)
{
	const struct fx_plan_watch *watch = call->watch;
	struct fx_backend *fallback = backend->fallback;
	struct fx_error *err = NULL;

	if (watch && call->may_draw)
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
	return err;
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
	if (!err)
		err = call_moved(backend, plan, call, moved, &result);
	while (done > 0)
		fx_datum_unref(moved[--done]);
	return err ? err : fx_fallback_move(backend, result, ret);
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
