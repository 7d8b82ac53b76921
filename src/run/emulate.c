/* emulate.c - operators that a backend has for wider floats only. */
#include <config.h>

#include "run/emulate.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/fallback.h"
#include "run/widen.h"

void
fx_emulation_deinit(struct fx_emulation *emulation)
{
	if (emulation->shapes)
		fx_backend_free(emulation->shapes);
	fx_vec_deinit(&emulation->operators);
	*emulation = (struct fx_emulation){ .calls = 0 };
}

static void
count_call(struct fx_emulation *emulation, const char *target)
{
	struct fx_emulated one = { target, 1 };

	emulation->calls++;
	for (size_t i = 0; i < emulation->operators.count; i++) {
		if (emulation->operators.items[i].target != target)
			continue;
		emulation->operators.items[i].calls++;
		return;
	}
	fx_vec_push(&emulation->operators, one);
}

/* --- which calls --------------------------------------------------------- */

static bool
is_narrow(void *context, struct fx_datum *held)
{
	const enum fx_dtype *dtype = context;

	return held->kind == FX_DATUM_TENSOR &&
	       fx_kind_of(held).dtype == *dtype;
}

/* A module that the backend runs as a whole has parameters of its own, which
 * are not among the data.
 */
static bool
may_emulate(const struct fx_emulation *emulation,
	const struct fx_emulated_call *call)
{
	enum fx_dtype dtype = emulation->dtype;

	if (call->site->opcode == FX_OPCODE_CALL_MODULE)
		return false;
	for (size_t i = 0; i < call->site->count; i++)
		if (fx_datum_each_held(call->data[i], is_narrow, &dtype))
			return true;
	return false;
}

/* --- data ---------------------------------------------------------------- */

struct wide_data {
	struct fx_datum **items; /* owned */
	size_t count;
};

static void
wide_data_deinit(struct wide_data *data)
{
	for (size_t i = 0; i < data->count; i++)
		fx_datum_unref(data->items[i]);
	free(data->items);
}
FX_DEFINE_DEINIT(wide_data, struct wide_data, wide_data_deinit);

static struct fx_error *
widen_data(struct fx_backend *backend, const struct fx_emulated_call *call,
	struct wide_data *ret)
{
	enum fx_dtype dtype = backend->emulation->dtype;
	struct fx_error *err = NULL;

	ret->items = fx_xcalloc(call->site->count + 1, sizeof(*ret->items));
	while (ret->count < call->site->count && !err) {
		struct fx_datum **item = &ret->items[ret->count++];
		const struct fx_value wide = fx_value_dtype(FX_DTYPE_F32);

		*item = fx_datum_ref(call->data[ret->count - 1]);
		if (fx_datum_is(*item, FX_VALUE_DTYPE) &&
			(enum fx_dtype)(*item)->value.integer == dtype) {
			fx_datum_unref(*item);
			*item = fx_datum_from_value(&wide);
		} else {
			err = fx_convert_datum(backend, dtype, FX_DTYPE_F32,
				item);
		}
	}
	return err;
}

/* --- calls --------------------------------------------------------------- */

static struct fx_error *
call_once(struct fx_backend *backend, const struct fx_call_site *site,
	struct fx_datum *const *data, struct fx_datum **ret)
{
	FX_AUTO_FREE struct fx_kind *kinds =
		fx_xcalloc(site->count + 1, sizeof(*kinds));
	struct fx_call_site own = *site;
	struct fx_error *err;
	void *plan;

	for (size_t i = 0; i < site->count; i++)
		kinds[i] = fx_kind_of(data[i]);
	own.kinds = kinds;
	err = backend->ops->resolve(backend, &own, &plan);
	if (err)
		return err;
	err = backend->ops->call(backend, plan, data, site->count, ret);
	backend->ops->plan_free(backend, plan);
	return err;
}

/* What CALL gives by the rules of shapes, or NULL where they do not know. */
static struct fx_datum *
foresee(struct fx_emulation *emulation, const struct fx_emulated_call *call)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct wide_data data = { .count = call->site->count };
	struct fx_datum *ret = NULL;

	if (!emulation->shapes)
		emulation->shapes = fx_backend_meta_new();
	data.items = fx_xcalloc(data.count + 1, sizeof(*data.items));
	for (size_t i = 0; i < data.count; i++) {
		struct fx_value value = fx_datum_to_value(arena, call->data[i]);

		data.items[i] = fx_datum_from_value(&value);
	}
	fx_error_free(call_once(emulation->shapes, call->site, data.items,
		&ret));
	wide_data_deinit(&data);
	return ret;
}

struct rounding {
	struct fx_backend *backend;
	enum fx_dtype dtype;
	const enum fx_dtype *wanted; /* of the tensors in order; or NULL */
	size_t count;
	size_t next;
};

static struct fx_error *
round_held(void *context, struct fx_datum *held, struct fx_datum **ret)
{
	struct rounding *rounding = context;
	size_t at = rounding->next;

	*ret = fx_datum_ref(held);
	if (held->kind != FX_DATUM_TENSOR)
		return NULL;
	rounding->next++;
	if (at < rounding->count && rounding->wanted[at] != FX_DTYPE_NONE &&
		rounding->wanted[at] != rounding->dtype)
		return NULL;
	return fx_convert_datum(rounding->backend, FX_DTYPE_F32,
		rounding->dtype, ret);
}

struct dtypes {
	FX_VEC(enum fx_dtype) items;
};

static bool
add_dtype(void *context, struct fx_datum *held)
{
	struct dtypes *dtypes = context;

	if (held->kind == FX_DATUM_TENSOR)
		fx_vec_push(&dtypes->items,
			(enum fx_dtype)fx_kind_of(held).dtype);
	return false;
}

/* WIDE as CALL would have given it. */
static struct fx_error *
round_result(struct fx_backend *backend, const struct fx_emulated_call *call,
	struct fx_datum *wide, struct fx_datum **ret)
{
	struct fx_emulation *emulation = backend->emulation;
	FX_AUTO_DATUM struct fx_datum *foreseen = foresee(emulation, call);
	struct dtypes dtypes = { .items = { 0 } };
	struct rounding rounding = { .backend = backend,
		.dtype = emulation->dtype };
	struct fx_error *err;

	if (foreseen)
		fx_datum_each_held(foreseen, add_dtype, &dtypes);
	rounding.wanted = dtypes.items.items;
	rounding.count = dtypes.items.count;
	err = fx_datum_map(wide, round_held, &rounding, ret);
	fx_vec_deinit(&dtypes.items);
	return err;
}

/* What was written into WIDE goes into the data themselves; *RET is the one
 * that RESULT is, or NULL.
 */
static struct fx_error *
write_back(struct fx_backend *backend, const struct fx_emulated_call *call,
	const struct wide_data *wide, const struct fx_datum *result,
	struct fx_datum **ret)
{
	struct fx_error *err = NULL;
	size_t bytes;

	for (size_t i = 0; i < wide->count && i < 64 && !err; i++) {
		struct fx_datum *own = call->data[i];
		struct fx_datum *other = wide->items[i];

		if (!(call->writes >> i & 1) || own == other)
			continue;
		if (own->kind != FX_DATUM_TENSOR)
			return fx_error_new(FX_ERR_UNSUPPORTED,
				"%s writes several tensors in place",
				call->site->target);
		err = fx_fallback_copy_over(backend, own, other);
		if (!err && result->kind == FX_DATUM_TENSOR &&
			backend->ops->storage &&
			backend->ops->storage(result->payload, &bytes) ==
				backend->ops->storage(other->payload, &bytes))
			*ret = own;
	}
	return err;
}

static struct fx_error *
call_wide(struct fx_backend *backend, const struct fx_emulated_call *call,
	struct fx_datum **ret)
{
	FX_AUTO(wide_data) struct wide_data wide = { .count = 0 };
	FX_AUTO_DATUM struct fx_datum *result = NULL;
	struct fx_datum *written = NULL;
	struct fx_error *err = widen_data(backend, call, &wide);

	if (!err)
		err = call_once(backend, call->site, wide.items, &result);
	if (!err)
		err = write_back(backend, call, &wide, result, &written);
	if (err)
		return err;
	if (written) {
		*ret = fx_datum_ref(written);
		return NULL;
	}
	return round_result(backend, call, result, ret);
}

struct fx_error *
fx_emulate_call(struct fx_backend *backend, const struct fx_emulated_call *call,
	struct fx_error *err_taken, struct fx_datum **ret)
{
	struct fx_emulation *emulation = backend->emulation;
	enum fx_error_code code = fx_error_code(err_taken);
	struct fx_error *err;

	if ((code != FX_ERR_BACKEND && code != FX_ERR_SHAPE) ||
		!may_emulate(emulation, call))
		return err_taken;
	err = call_wide(backend, call, ret);
	if (!err)
		count_call(emulation, call->site->target);
	fx_error_free(err ? err : err_taken);
	return err ? err_taken : NULL;
}

void
fx_emulation_use(struct fx_backend *backend, struct fx_emulation *emulation)
{
	backend->emulation = emulation;
}
