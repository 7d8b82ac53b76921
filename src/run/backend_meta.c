/* backend_meta.c - the backend that computes shapes and dtypes only: no values,
 * but what is given, parameters and files, keeps its own.
 */
#include <config.h>

#include "run/backend.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "meta/propagate.h"
#include "run/datum.h"
#include "run/host_tensor.h"

struct state {
	struct fx_arena *scratch;
};

struct plan {
	struct fx_meta_call call; /* without arguments */
	size_t keyword_count;
	const char *keywords[];
};

/* --- calls -------------------------------------------------------------- */

static void
meta_free(struct fx_backend *backend)
{
	struct state *state = backend->state;

	fx_arena_free(state->scratch);
	free(state);
	free(backend);
}

static struct fx_error *
meta_resolve(struct fx_backend *backend, const struct fx_call_site *site,
	void **plan_ret)
{
	struct plan *plan = fx_xcalloc(1,
		sizeof(*plan) + site->keyword_count * sizeof(*plan->keywords));

	(void)backend;
	plan->call = (struct fx_meta_call){
		.opcode = site->opcode,
		.target = site->target,
		.op = fx_op_of_target(site->opcode, site->target),
		.graph = site->graph,
	};
	plan->keyword_count = site->keyword_count;
	for (size_t i = 0; i < site->keyword_count; i++)
		plan->keywords[i] = site->keywords[i];
	*plan_ret = plan;
	return NULL;
}

static struct fx_error *meta_call(struct fx_backend *backend, void *pointer,
	struct fx_datum *const *data, size_t count, struct fx_datum **ret);

static struct fx_value
keyword_values(struct fx_arena *arena, const struct plan *plan,
	struct fx_datum *const *data)
{
	size_t count = plan->keyword_count;
	struct fx_value *items =
		FX_ARENA_ARRAY(arena, struct fx_value, 2 * count);

	for (size_t i = 0; i < count; i++) {
		items[2 * i] = fx_value_string(plan->keywords[i]);
		items[2 * i + 1] = fx_datum_to_value(arena, data[i]);
	}
	return fx_value_dict(arena, items, count);
}

/* A slice of what is given has values as well. */
static void
keep_values(const struct plan *plan, const struct fx_datum *from,
	const struct fx_value *index, struct fx_datum *result)
{
	const struct fx_host_tensor *source = from->payload;

	if (from->kind != FX_DATUM_TENSOR ||
		from->backend->ops->call != meta_call || !source->held.blob ||
		result->kind != FX_DATUM_TENSOR ||
		plan->call.op != FX_OP_GETITEM)
		return;
	fx_strided_bytes_index(&source->held, &source->meta, index,
		&((struct fx_host_tensor *)result->payload)->held);
}

static struct fx_error *
meta_call(struct fx_backend *backend, void *pointer,
	struct fx_datum *const *data, size_t count, struct fx_datum **ret)
{
	struct state *state = backend->state;
	struct plan *plan = pointer;
	struct fx_arena *arena = state->scratch;
	struct fx_arena_mark mark = fx_arena_mark(arena);
	size_t positional = count - plan->keyword_count;
	struct fx_value *items =
		FX_ARENA_ARRAY(arena, struct fx_value, positional);
	struct fx_meta_call call = plan->call;
	struct fx_value result;
	struct fx_error *err;

	for (size_t i = 0; i < positional; i++)
		items[i] = fx_datum_to_value(arena, data[i]);
	call.args = fx_value_sequence(arena, FX_VALUE_TUPLE, items, positional);
	call.kwargs = keyword_values(arena, plan, data + positional);
	err = fx_meta_eval(fx_backend_shapes(backend), arena, &call, &result);
	if (!err)
		err = fx_datum_of_value(&result, ret);
	if (!err && count == 2 && positional == 2)
		keep_values(plan, data[0], &items[1], *ret);
	fx_arena_rollback(arena, mark);
	return err;
}

static void
meta_plan_free(struct fx_backend *backend, void *plan)
{
	(void)backend;
	free(plan);
}

/* What data say they are of: their payloads need no backend. */
static const struct fx_backend *stateless(void);

static struct fx_error *
meta_from_tensor(struct fx_backend *backend, const struct fx_tensor *tensor,
	struct fx_datum **ret)
{
	struct state *state = backend->state;
	struct fx_arena_mark mark = fx_arena_mark(state->scratch);
	struct fx_value value = fx_meta_of_tensor(state->scratch, tensor);
	struct fx_host_tensor *payload = fx_host_tensor_new(value.tensor);

	fx_strided_bytes_of_tensor(tensor, &payload->held);
	*ret = fx_datum_payload_take(FX_DATUM_TENSOR, stateless(), payload);
	fx_arena_rollback(state->scratch, mark);
	return NULL;
}

static struct fx_error *
meta_generate(struct fx_backend *backend, const struct fx_tensor_meta *meta,
	uint64_t seed, struct fx_datum **ret)
{
	(void)backend;
	(void)seed;
	*ret = fx_meta_tensor(meta);
	return NULL;
}

/* --- values of what is given --------------------------------------------- */

static struct fx_error *
meta_truth(const void *pointer, bool *ret)
{
	const struct fx_host_tensor *payload = pointer;

	if (payload->held.blob)
		return fx_host_tensor_truth(payload, ret);
	return fx_error_new(FX_ERR_NOT_KNOWN,
		"the truth of a tensor needs its values; the meta backend "
		"computes shapes and dtypes only");
}

static struct fx_error *
meta_read(const void *pointer, uint64_t first, size_t count, void *bytes)
{
	const struct fx_host_tensor *payload = pointer;

	if (payload->held.blob)
		return fx_host_tensor_read(payload, first, count, bytes);
	return fx_error_new(FX_ERR_TYPE,
		"no values: the meta backend computes shapes and dtypes only");
}

static struct fx_error *
meta_write(struct fx_backend *backend, const struct fx_tensor_meta *meta,
	const void *bytes, struct fx_datum **ret)
{
	(void)backend;
	return fx_host_tensor_write(stateless(), meta, bytes, ret);
}

static const struct fx_backend_ops meta_ops = {
	.name = "meta",
	.has_values = false,
	.free = meta_free,
	.resolve = meta_resolve,
	.call = meta_call,
	.plan_free = meta_plan_free,
	.from_tensor = meta_from_tensor,
	.generate = meta_generate,
	.payload_free = fx_host_tensor_free,
	.kind = fx_host_tensor_kind,
	.meta = fx_host_tensor_meta,
	.print = fx_host_tensor_print,
	.truth = meta_truth,
	.read = meta_read,
	.write = meta_write,
	.storage = fx_host_tensor_storage,
	.storage_save = fx_host_tensor_save,
	.storage_restore = fx_host_tensor_restore,
};

static const struct fx_backend *
stateless(void)
{
	static const struct fx_backend backend = { .ops = &meta_ops };

	return &backend;
}

struct fx_datum *
fx_meta_tensor(const struct fx_tensor_meta *meta)
{
	return fx_datum_payload_take(FX_DATUM_TENSOR, stateless(),
		fx_host_tensor_new(meta));
}

struct fx_backend *
fx_backend_meta_new(void)
{
	struct fx_backend *backend = FX_NEW(struct fx_backend);
	struct state *state = FX_NEW(struct state);

	state->scratch = fx_arena_new();
	backend->ops = &meta_ops;
	backend->state = state;
	return backend;
}

/* --- for every backend -------------------------------------------------- */

void
fx_backend_free(struct fx_backend *backend)
{
	if (!backend)
		return;
	if (backend->has_own_meta)
		fx_meta_free(backend->meta);
	backend->ops->free(backend);
}

struct fx_meta *
fx_backend_shapes(struct fx_backend *backend)
{
	if (!backend->meta) {
		backend->meta = fx_meta_new();
		backend->has_own_meta = true;
	}
	return backend->meta;
}

void
fx_backend_new_run(struct fx_backend *backend)
{
	for (; backend; backend = backend->fallback) {
		backend->runs++;
		if (backend->ops->new_run)
			backend->ops->new_run(backend);
	}
}

struct fx_kind
fx_kind_of(const struct fx_datum *datum)
{
	if (datum->kind == FX_DATUM_TENSOR)
		return datum->backend->ops->kind(datum->payload);
	return (struct fx_kind){ .kind = fx_value_plain(&datum->value).kind,
		.rank = -1 };
}
