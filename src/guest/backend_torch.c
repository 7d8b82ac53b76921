/* backend_torch.c - the backend that computes with libtorch.
 *
 * A target means an operator, or Python's own arithmetic on plain values, or
 * indexing (torch_target.c).  Which overload is taken depends on what stands
 * in lists too, so it is matched at the first call and kept until the
 * arguments no longer fit it.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/guard.h"
#include "base/mem.h"
#include "guest/shim_private.h"
#include "guest/torch_private.h"
#include "ir/value_text.h"
#include "meta/propagate.h"
#include "ops/world.h"
#include "run/backend.h"

/* Of that size values come and go with every run: asking for it takes long. */
#define KEPT_MEMORY (512 << 20)

/* --- resolving ---------------------------------------------------------- */

static struct fx_torch_plan *
plan_new(const struct fx_call_site *site)
{
	size_t extra = 1; /* for the dtype of a cast */
	struct fx_torch_plan *plan = fx_xcalloc(1,
		sizeof(*plan) + site->count * sizeof(*plan->last) +
			(site->keyword_count + extra) *
				sizeof(*plan->keywords));

	plan->opcode = site->opcode;
	plan->call_target = site->target;
	plan->graph = site->graph;
	plan->count = site->count;
	plan->keyword_count = site->keyword_count;
	plan->last = (struct fx_datum **)(plan + 1);
	plan->keywords = (const char **)(plan->last + site->count);
	for (size_t i = 0; i < site->keyword_count; i++)
		plan->keywords[i] = site->keywords[i];
	fx_torch_target_init(&plan->target, site);
	return plan;
}

static void
torch_plan_free(struct fx_backend *backend, void *pointer)
{
	struct fx_torch *torch = backend->state;
	struct fx_torch_plan *plan = pointer;

	for (size_t i = 0; i < plan->count; i++)
		fx_datum_unref(plan->last[i]);
	if (plan->matched)
		torch->shim->plan_free(plan->matched);
	fx_torch_target_deinit(&plan->target);
	free(plan);
}

/* Return a bit for each argument that the operator writes, judged by the
 * schemas that could be meant.  All that is known of the arguments is their
 * kinds, such as the ints of x.resize_(2, 3), which may be one list.
 */
static uint64_t
writes_of(const struct fx_torch *torch, const struct fx_torch_plan *plan,
	const struct fx_kind *kinds)
{
	struct fxs_value *values = fx_xcalloc(plan->count, sizeof(*values));
	struct fxs_site site = {
		.name = plan->target.name,
		.overload = plan->target.overload,
		.values = values,
		.count = plan->count,
		.keywords = plan->keywords,
		.keyword_count = plan->keyword_count,
	};
	uint64_t bits;

	for (size_t i = 0; i < plan->count - plan->keyword_count; i++)
		if (kinds[i].kind == FX_VALUE_INT)
			values[i].tag = FXS_INT;
		else if (kinds[i].kind == FX_VALUE_TENSOR)
			values[i].tag = FXS_TENSOR;
	bits = torch->shim->writes(&site);
	free(values);
	return bits;
}

static struct fx_error *
torch_resolve(struct fx_backend *backend, const struct fx_call_site *site,
	void **plan_ret)
{
	struct fx_torch *torch = backend->state;
	struct fx_torch_plan *plan = plan_new(site);
	enum fx_torch_way way = plan->target.way;
	bool has_operator = way == FX_TORCH_OPERATOR || way == FX_TORCH_CAST;
	const char *name = plan->target.name;

	if (way == FX_TORCH_EXPAND ||
		(has_operator && (!name || !torch->shim->has(name)))) {
		struct fx_error *err = fx_error_new(FX_ERR_UNSUPPORTED,
			"torch %s has no operator for %s", torch->shim->version,
			site->target);

		torch_plan_free(backend, plan);
		return err;
	}
	plan->writes = plan->target.writes;
	if (has_operator) {
		plan->writes |= writes_of(torch, plan, site->kinds);
		plan->does = fx_world_of_operator(name);
	}
	*plan_ret = plan;
	return NULL;
}

static uint64_t
torch_writes(const void *plan)
{
	return ((const struct fx_torch_plan *)plan)->writes;
}

/* --- operators ---------------------------------------------------------- */

/* Whether a datum is worth to be known again: numbers are converted as fast,
 * and what holds a tensor would keep it alive.
 */
static bool
is_kept(const struct fx_datum *datum)
{
	switch (datum->value.kind) {
	case FX_VALUE_STRING:
	case FX_VALUE_DEVICE:
		return true;
	case FX_VALUE_TUPLE:
	case FX_VALUE_LIST:
	case FX_VALUE_SIZE:
		return !datum->has_held;
	default:
		return false;
	}
}

static inline void
fill_value(struct fx_torch *torch, struct fx_torch_plan *plan, size_t i,
	struct fx_datum *datum, struct fxs_value *ret)
{
	struct fxs_tensor *tensor;

	if (datum->kind == FX_DATUM_TENSOR) {
		tensor = fx_torch_tensor(datum);
		ret->tag = tensor ? FXS_TENSOR : FXS_OTHER;
		ret->tensor = tensor;
	} else if (plan->last[i] && plan->last[i] == datum) {
		ret->tag = FXS_SAME;
	} else {
		fx_torch_value(torch->scratch, &datum->value, ret);
		plan->is_fresh = true;
	}
}

static void
forget_last(struct fx_torch_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		fx_datum_unref(plan->last[i]);
		plan->last[i] = NULL;
	}
}

static void
keep_last(struct fx_torch_plan *plan, struct fx_datum *const *data)
{
	for (size_t i = 0; plan->is_fresh && i < plan->count; i++) {
		if (plan->last[i] == data[i] || !is_kept(data[i]))
			continue;
		fx_datum_unref(plan->last[i]);
		plan->last[i] = fx_datum_ref(data[i]);
	}
}

/* The values of DATA, and the dtype of a cast after them. */
static struct fxs_value *
fill_values(struct fx_torch *torch, struct fx_torch_plan *plan,
	struct fx_datum *const *data, struct fxs_value *few)
{
	struct fxs_value *values = few;

	plan->is_fresh = false;
	if (plan->count >= FX_TORCH_FEW)
		values = FX_ARENA_ARRAY(torch->scratch, struct fxs_value,
			plan->count + 1);
	for (size_t i = 0; i < plan->count; i++)
		fill_value(torch, plan, i, data[i], &values[i]);
	if (plan->target.way == FX_TORCH_CAST)
		values[plan->count] = (struct fxs_value){
			.tag = FXS_DTYPE,
			.integer = fx_aten_dtype((enum fx_dtype)plan->target
							 .parameter),
		};
	return values;
}

static struct fx_error *
match(struct fx_torch *torch, struct fx_torch_plan *plan,
	const struct fxs_value *values)
{
	bool is_cast = plan->target.way == FX_TORCH_CAST;
	struct fxs_site site = {
		.name = plan->target.name,
		.overload = plan->target.overload,
		.values = values,
		.count = plan->count + is_cast,
		.keywords = plan->keywords,
		.keyword_count = plan->keyword_count + is_cast,
	};

	plan->keywords[plan->keyword_count] = "dtype";
	if (plan->matched)
		torch->shim->plan_free(plan->matched);
	plan->matched = NULL;
	return torch->shim->match(&site, &plan->matched);
}

/* Match anew: the arguments are of other kinds than before. */
static struct fx_error *
call_again(struct fx_torch *torch, struct fx_torch_plan *plan,
	struct fx_datum *const *data, struct fxs_value *ret)
{
	struct fxs_value few[FX_TORCH_FEW];
	struct fxs_value *values;
	struct fx_error *err;
	bool again = false;

	forget_last(plan);
	values = fill_values(torch, plan, data, few);
	err = match(torch, plan, values);
	if (!err)
		err = torch->shim->call(plan->matched, values, &again, ret);
	if (!err && again)
		err = fx_error_new(FX_ERR_INTERNAL,
			"%s does not take what it matched", plan->target.name);
	return err;
}

static struct fx_error *
call_operator(struct fx_torch *torch, struct fx_torch_plan *plan,
	struct fx_datum *const *data, struct fx_datum **ret)
{
	struct fxs_value few[FX_TORCH_FEW];
	struct fxs_value result;
	struct fx_error *err = NULL;
	bool again = true;

	if (plan->matched) {
		struct fxs_value *values = fill_values(torch, plan, data, few);

		err = torch->shim->call(plan->matched, values, &again, &result);
	}
	if (!err && again)
		err = call_again(torch, plan, data, &result);
	if (err) {
		/* Who knows what the shim converted. */
		forget_last(plan);
		return err;
	}
	keep_last(plan, data);
	if (result.tag == FXS_TENSOR)
		*ret = fx_torch_datum(result.tensor);
	else
		*ret = fx_torch_result(torch->shim, &plan->target, &result);
	return NULL;
}

struct fx_datum *
fx_torch_datum(struct fxs_tensor *tensor_taken)
{
	return fx_datum_payload_take(FX_DATUM_TENSOR, fx_torch_stateless(),
		tensor_taken);
}

/* --- calls -------------------------------------------------------------- */

static struct fx_error *
call_getattr(struct fx_torch *torch, struct fx_torch_plan *plan,
	struct fx_datum *const *data, struct fx_datum **ret)
{
	struct fx_datum *owner = plan->count ? data[0] : NULL;
	bool has_name =
		plan->count >= 2 && fx_datum_is(data[1], FX_VALUE_STRING);
	const char *name = has_name ? data[1]->value.text : "";
	const struct fx_value *field =
		owner ? fx_torch_field(owner, name) : NULL;
	const char *called = NULL;

	if (has_name && owner->kind == FX_DATUM_TENSOR)
		called = fx_torch_attribute(name);
	if (called)
		return fx_torch_apply(torch, called, data, 1, ret);
	if (field) {
		*ret = fx_datum_part(owner, field);
		return NULL;
	}
	return fx_torch_plain(torch, plan, data, ret);
}

static struct fx_error *
call_by_way(struct fx_torch *torch, struct fx_torch_plan *plan,
	struct fx_datum *const *data, struct fx_datum **ret)
{
	switch (plan->target.way) {
	case FX_TORCH_OPERATOR:
	case FX_TORCH_CAST:
		return call_operator(torch, plan, data, ret);
	case FX_TORCH_GETITEM:
		if (plan->count == 2 && data[0]->kind == FX_DATUM_TENSOR)
			return fx_torch_getitem(torch, data, ret);
		break;
	case FX_TORCH_SETITEM:
		if (plan->count == 3 && data[0]->kind == FX_DATUM_TENSOR)
			return fx_torch_setitem(torch, data, ret);
		break;
	case FX_TORCH_GETATTR:
		return call_getattr(torch, plan, data, ret);
	case FX_TORCH_LIST:
		if (plan->count && fx_torch_tensor(data[0]))
			return fx_values_list(*data, FX_DATUM_ITEM_LIMIT, ret);
		break;
	case FX_TORCH_ADDRESS:
		if (plan->count && fx_torch_tensor(data[0]))
			return fx_torch_address(torch, data[0], ret);
		break;
	case FX_TORCH_NUMBER:
	case FX_TORCH_REFLECTED:
	case FX_TORCH_PLAIN:
	case FX_TORCH_EXPAND:
		break;
	}
	return fx_torch_plain(torch, plan, data, ret);
}

static struct fx_error *
with_code(struct fx_error *err_taken, enum fx_error_code code)
{
	struct fx_error *err =
		fx_error_new(code, "%s", fx_error_message(err_taken));

	fx_error_free(err_taken);
	return err;
}

static struct fx_error *
torch_call(struct fx_backend *backend, void *pointer,
	struct fx_datum *const *data, size_t count, struct fx_datum **ret)
{
	struct fx_torch *torch = backend->state;
	struct fx_torch_plan *plan = pointer;
	struct fx_arena_mark mark = fx_arena_mark(torch->scratch);
	/* At each call: plans stay, who may do what changes. */
	struct fx_error *err = fx_world_check(backend->confinement,
		plan->call_target, plan->does);

	if (!err && plan->writes)
		err = fx_torch_own(data, count, plan->writes);
	if (!err)
		err = call_by_way(torch, plan, data, ret);
	if (fx_guard_any())
		err = fx_torch_check_result(data, count, err, ret);
	if (err && fx_error_code(err) == FX_ERR_BACKEND &&
		fx_torch_is_misfit(torch, plan, data))
		err = with_code(err, FX_ERR_SHAPE);
	fx_arena_rollback(torch->scratch, mark);
	return err;
}

/* *KEPT->bytes is null when nothing was done. */
static struct fx_error *
operate_apart(struct fx_torch *torch, struct fx_torch_plan *plan,
	struct fx_datum *const *data, struct fxs_value *result,
	struct fxs_memory *kept)
{
	struct fxs_value few[FX_TORCH_FEW];
	struct fxs_value *values = fill_values(torch, plan, data, few);
	struct fx_error *err = NULL;

	kept->bytes = NULL;
	if (!plan->matched)
		err = match(torch, plan, values);
	if (!err)
		err = torch->shim->call_apart(plan->matched, values, result,
			kept);
	if (!err && kept->bytes)
		keep_last(plan, data);
	else
		forget_last(plan);
	return err;
}

static struct fx_error *
torch_call_apart(struct fx_backend *backend, void *pointer,
	struct fx_datum *const *data, struct fx_datum **ret,
	struct fx_blob **kept_ret)
{
	struct fx_torch *torch = backend->state;
	struct fx_torch_plan *plan = pointer;
	struct fx_arena_mark mark = fx_arena_mark(torch->scratch);
	struct fxs_memory kept;
	struct fxs_value result;
	struct fx_error *err;

	*kept_ret = NULL;
	if (plan->target.way != FX_TORCH_OPERATOR || plan->does)
		return NULL;
	err = operate_apart(torch, plan, data, &result, &kept);
	fx_arena_rollback(torch->scratch, mark);
	/* What does not match is told by the call that follows. */
	fx_error_free(err);
	if (err || !kept.bytes)
		return NULL;
	*kept_ret = fx_blob_wrap(kept.bytes, kept.byte_count, kept.release,
		kept.context);
	*ret = fx_torch_datum(result.tensor);
	if (!fx_guard_any())
		return NULL;
	return fx_torch_check_result(data, plan->count, NULL, ret);
}

/* --- the rest ----------------------------------------------------------- */

static void
torch_free(struct fx_backend *backend)
{
	struct fx_torch *torch = backend->state;

	fx_parameters_clear(&torch->parameters);
	fx_arena_free(torch->scratch);
	free(torch);
	free(backend);
}

/* A datum of TENSOR unless ERR. */
static struct fx_error *
give(struct fx_error *err, struct fxs_tensor *tensor, struct fx_datum **ret)
{
	if (!err)
		*ret = fx_torch_datum(tensor);
	return err;
}

static struct fx_error *
torch_write(struct fx_backend *backend, const struct fx_tensor_meta *meta,
	const void *bytes, struct fx_datum **ret)
{
	struct fx_torch *torch = backend->state;
	struct fxs_tensor *made = NULL;
	struct fx_error *err = fx_torch_write(torch->shim, meta, bytes, &made);

	return give(err, made, ret);
}

static struct fx_error *
torch_generate(struct fx_backend *backend, const struct fx_tensor_meta *meta,
	uint64_t seed, struct fx_datum **ret)
{
	struct fx_torch *torch = backend->state;
	struct fxs_tensor *made = NULL;
	struct fx_error *err =
		fx_torch_generate(torch->shim, meta, seed, &made);

	return give(err, made, ret);
}

static void
torch_print(const void *payload, bool in_full, struct fx_buf *out)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value value = {
		.kind = FX_VALUE_TENSOR,
		.tensor = fx_torch_meta(payload, arena),
	};

	(void)in_full;
	fx_value_print_shape(out, &value, false);
}

static struct fx_error *
torch_random_save(struct fx_backend *backend, struct fx_blob **ret)
{
	struct fx_torch *torch = backend->state;
	size_t size;
	struct fx_error *err = torch->shim->random_save(NULL, 0, &size);

	*ret = NULL;
	if (!err)
		err = fx_blob_new(size, ret);
	if (!err)
		err = torch->shim->random_save(fx_blob_data(*ret), size, &size);
	if (err) {
		fx_blob_unref(*ret);
		*ret = NULL;
	}
	return err;
}

static struct fx_error *
torch_random_restore(struct fx_backend *backend, const struct fx_blob *saved)
{
	struct fx_torch *torch = backend->state;

	return torch->shim->random_restore(fx_blob_data(saved),
		fx_blob_size(saved));
}

static void
torch_seed(struct fx_backend *backend, uint64_t seed)
{
	((struct fx_torch *)backend->state)->shim->seed(seed);
}

static void
torch_set_threads(struct fx_backend *backend, int count)
{
	const struct fxs_functions *shim =
		((struct fx_torch *)backend->state)->shim;
	int wanted = count ? count : fx_shim_thread_count();

	if (shim->threads != wanted)
		shim->set_threads(wanted);
}

static const struct fx_backend_ops torch_ops = {
	.name = "torch",
	.has_values = true,
	.free = torch_free,
	.resolve = torch_resolve,
	.call = torch_call,
	.plan_free = torch_plan_free,
	.from_tensor = fx_torch_from_tensor,
	.new_run = fx_torch_new_run,
	.generate = torch_generate,
	.payload_free = fx_torch_payload_free,
	.kind = fx_torch_kind,
	.meta = fx_torch_meta,
	.print = torch_print,
	.truth = fx_torch_truth,
	.read = fx_torch_read,
	.bytes = fx_torch_bytes,
	.write = torch_write,
	.storage = fx_torch_storage,
	.storage_save = fx_torch_storage_save,
	.storage_restore = fx_torch_storage_restore,
	.shape_save = fx_torch_shape_save,
	.shape_restore = fx_torch_shape_restore,
	.storage_holders = fx_torch_storage_holders,
	.writes = torch_writes,
	.call_apart = torch_call_apart,
	.random_save = torch_random_save,
	.random_restore = torch_random_restore,
	.seed = torch_seed,
	.set_threads = torch_set_threads,
};

/* Data may outlive the backend that made them, and need none. */
const struct fx_backend *
fx_torch_stateless(void)
{
	static const struct fx_backend backend = { .ops = &torch_ops };

	return &backend;
}

struct fx_error *
fx_backend_torch_new(const struct fx_shim_options *options,
	struct fx_backend **ret)
{
	const struct fxs_functions *shim;
	struct fx_error *err = fx_shim_load(options, &shim);
	struct fx_backend *backend;
	struct fx_torch *torch;

	if (err)
		return err;
	fx_mem_keep(KEPT_MEMORY);
	backend = FX_NEW(struct fx_backend);
	torch = FX_NEW(struct fx_torch);
	torch->shim = shim;
	torch->backend = backend;
	torch->scratch = fx_arena_new();
	*backend = (struct fx_backend){ .ops = &torch_ops, .state = torch };
	*ret = backend;
	return NULL;
}
