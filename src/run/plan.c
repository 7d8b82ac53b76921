/* plan.c - arguments as slots, and calls of nodes.
 *
 * The arguments of a node become a tree of slots once: constants are data
 * already, nodes are ids, containers with nodes inside are built at each call.
 */
#include <config.h>

#include "run/plan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "base/mem.h"
#include "ir/control.h"
#include "ir/fold.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/emulate.h"
#include "run/env.h"
#include "run/fallback.h"
#include "run/interp.h"
#include "run/plan_private.h"

/* --- plans -------------------------------------------------------------- */

void
fx_plans_init(struct fx_plans *plans, struct fx_backend *backend)
{
	*plans = (struct fx_plans){ .backend = backend };
}

static void
plan_free(struct fx_plans *plans, struct fx_plan *plan)
{
	if (!plan)
		return;
	if (plan->backend_plan)
		plans->backend->ops->plan_free(plans->backend,
			plan->backend_plan);
	for (size_t i = 0; i < plan->count; i++)
		fx_slot_deinit(&plan->slots[i]);
	if (plan->inner)
		fx_plans_deinit(plan->inner);
	free(plan->inner);
	fx_plan_drop_members(plan);
	free(plan);
}

void
fx_plans_clear(struct fx_plans *plans)
{
	for (size_t i = 0; i < plans->capacity; i++) {
		plan_free(plans, plans->by_node[i]);
		plans->by_node[i] = NULL;
	}
}

void
fx_plans_deinit(struct fx_plans *plans)
{
	fx_plans_clear(plans);
	free(plans->by_node);
	plans->by_node = NULL;
	plans->capacity = 0;
}

void
fx_plans_drop(struct fx_plans *plans, uint64_t id)
{
	uint32_t index = (uint32_t)id;

	if (index >= plans->capacity)
		return;
	plan_free(plans, plans->by_node[index]);
	plans->by_node[index] = NULL;
}

/* What is not known may draw. */
static bool
may_draw(const struct fx_node *node)
{
	if (node->op == FX_OP_NONE)
		return true;
	return fx_op_info(node->op)->traits & FX_OP_RANDOM;
}

static struct fx_plan *
plan_new(const struct fx_node *node)
{
	size_t positional = fx_value_item_count(&node->args);
	size_t keywords = fx_value_item_count(&node->kwargs) / 2;
	size_t count = positional + keywords;
	struct fx_plan *plan =
		fx_xcalloc(1, sizeof(*plan) + count * sizeof(*plan->slots) +
				      keywords * sizeof(*plan->keywords) +
				      count * sizeof(*plan->kinds));

	plan->count = count;
	plan->keyword_count = keywords;
	plan->may_draw = may_draw(node);
	plan->is_control = fx_control_is(node) || fx_control_calls(node);
	plan->slots = (struct fx_slot *)(plan + 1);
	plan->keywords = (const char **)(plan->slots + count);
	plan->kinds = (struct fx_kind *)(plan->keywords + keywords);
	for (size_t i = 0; i < positional; i++)
		fx_slot_init(&plan->slots[i], &node->args.items[i]);
	for (size_t i = 0; i < plan->keyword_count; i++) {
		plan->keywords[i] = node->kwargs.items[2 * i].text;
		fx_slot_init(&plan->slots[positional + i],
			&node->kwargs.items[2 * i + 1]);
	}
	return plan;
}

static void
reserve(struct fx_plans *plans, size_t index)
{
	size_t wanted = FX_MAX(index + 1, plans->capacity * 2);

	if (index < plans->capacity)
		return;
	plans->by_node =
		fx_xrealloc(plans->by_node, wanted * sizeof(*plans->by_node));
	memset(plans->by_node + plans->capacity, 0,
		(wanted - plans->capacity) * sizeof(*plans->by_node));
	plans->capacity = wanted;
}

static struct fx_plan *
plan_of(struct fx_plans *plans, const struct fx_node *node)
{
	uint32_t index = (uint32_t)node->id;

	reserve(plans, index);
	if (!plans->by_node[index])
		plans->by_node[index] = plan_new(node);
	return plans->by_node[index];
}

/* --- calling ------------------------------------------------------------ */

static struct fx_call_site
site_of(const struct fx_plan_call *call)
{
	const struct fx_plan *plan = call->plan;

	return (struct fx_call_site){
		.opcode = call->node->opcode,
		.target = call->node->target,
		.graph = call->node->graph,
		.kinds = plan->kinds,
		.count = plan->count,
		.keywords = plan->keywords,
		.keyword_count = plan->keyword_count,
	};
}

static uint64_t
all_bits(size_t count)
{
	return count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
}

/* Tensors count by their kind, anything else by its value. */
static bool
is_fixed(const struct fx_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct fx_slot *slot = &plan->slots[i];
		bool is_tensor = slot->kind == FX_SLOT_NODE &&
				 plan->kinds[i].kind == FX_VALUE_TENSOR;

		if (slot->kind != FX_SLOT_CONSTANT && !is_tensor)
			return false;
	}
	return true;
}

/* Whether the data are of the kinds that the plan was made for, which become
 * theirs.
 */
static bool
has_same_kinds(struct fx_plan *plan, struct fx_datum *const *data)
{
	bool same = true;

	for (size_t i = 0; i < plan->count; i++) {
		struct fx_kind kind = fx_kind_of(data[i]);

		if (memcmp(&kind, &plan->kinds[i], sizeof(kind)) != 0) {
			plan->kinds[i] = kind;
			same = false;
		}
	}
	return same;
}

static struct fx_error *
resolve_again(const struct fx_plan_call *call, struct fx_plan *plan)
{
	struct fx_backend *backend = call->plans->backend;
	struct fx_call_site site = site_of(call);
	struct fx_error *err;

	if (plan->backend_plan)
		backend->ops->plan_free(backend, plan->backend_plan);
	plan->backend_plan = NULL;
	plan->is_expanded = false;
	/* The fragment that the call expanded to holds the old arguments. */
	fx_plan_drop_members(plan);
	plan->fragment = NULL;
	plan->is_fixed = is_fixed(plan);
	plan->writes = 0;
	err = backend->ops->resolve(backend, &site, &plan->backend_plan);
	if (!err && backend->ops->writes)
		plan->writes = backend->ops->writes(plan->backend_plan) &
			       all_bits(plan->count);
	if (!err || fx_error_code(err) != FX_ERR_UNSUPPORTED ||
		!fx_plan_may_decompose(call->node))
		return err;
	fx_error_free(err);
	plan->is_expanded = true;
	return NULL;
}

static inline struct fx_error *
resolve(const struct fx_plan_call *call, struct fx_plan *plan)
{
	bool is_resolved = plan->backend_plan || plan->is_expanded;

	if (has_same_kinds(plan, call->data) && is_resolved)
		return NULL;
	return resolve_again(call, plan);
}

/* A write in place that leaves the bytes alone, if that can be; *DONE tells. */
static struct fx_error *
call_apart(const struct fx_plan_call *call, struct fx_datum **ret, bool *done)
{
	const struct fx_plan *plan = call->plan;
	const struct fx_plan_watch *watch = call->plans->watch;
	struct fx_backend *backend = call->plans->backend;
	struct fx_blob *kept = NULL;
	struct fx_error *err;

	*done = false;
	if (!watch->kept || plan->writes != 1 || plan->may_draw ||
		!backend->ops->call_apart ||
		call->data[0]->kind != FX_DATUM_TENSOR ||
		(watch->may_lose &&
			watch->may_lose(watch->context, call->data[0])))
		return NULL;
	err = backend->ops->call_apart(backend, plan->backend_plan, call->data,
		ret, &kept);
	*done = kept;
	if (kept)
		watch->kept(watch->context, call->data[0], kept);
	return err;
}

struct fx_error *
fx_plan_tell_others(const struct fx_plan_watch *watch,
	const struct fx_backend *backend, const void *backend_plan)
{
	struct fx_datum *others = NULL;

	if (watch && backend->ops->also_writes)
		others = backend->ops->also_writes(backend_plan);
	if (!others)
		return NULL;
	return watch->before(watch->context, &others, 1, false);
}

/* What WATCH wants to know before the call, or *DONE: it was made apart. */
static struct fx_error *
tell_watch(const struct fx_plan_call *call, const struct fx_plan_watch *watch,
	struct fx_datum **ret, bool *done)
{
	const struct fx_plan *plan = call->plan;
	struct fx_error *err = NULL;

	if (plan->writes && watch->protect)
		watch->protect(watch->owner, call->data, plan->writes);
	if (plan->writes)
		err = call_apart(call, ret, done);
	if (err || *done)
		return err;
	if (plan->writes || plan->may_draw)
		err = watch->before(watch->context, call->data, plan->writes,
			plan->may_draw);
	if (err)
		return err;
	return fx_plan_tell_others(watch, call->plans->backend,
		plan->backend_plan);
}

/* An operator that draws and has no kernel may have drawn before it failed. */
static struct fx_error *
call_or_emulate(const struct fx_plan_call *call, struct fx_datum **ret)
{
	const struct fx_plan *plan = call->plan;
	struct fx_backend *backend = call->plans->backend;
	struct fx_call_site site = site_of(call);
	const struct fx_emulated_call other = { &site, call->data,
		plan->writes };
	struct fx_blob *random = NULL;
	struct fx_error *err = NULL;

	if (plan->may_draw && backend->ops->random_save)
		err = backend->ops->random_save(backend, &random);
	if (err)
		return err;
	err = backend->ops->call(backend, plan->backend_plan, call->data,
		plan->count, ret);
	if (err && random)
		fx_error_free(backend->ops->random_restore(backend, random));
	fx_blob_unref(random);
	return err ? fx_emulate_call(backend, &other, err, ret) : NULL;
}

static struct fx_error *
call_backend(const struct fx_plan_call *call, struct fx_datum **ret)
{
	const struct fx_plan *plan = call->plan;
	struct fx_backend *backend = call->plans->backend;
	struct fx_error *err = NULL;
	bool done = false;

	if (call->plans->watch)
		err = tell_watch(call, call->plans->watch, ret, &done);
	if (err || done)
		return err;
	if (backend->emulation)
		return call_or_emulate(call, ret);
	return backend->ops->call(backend, plan->backend_plan, call->data,
		plan->count, ret);
}

static struct fx_error *
call_here(const struct fx_plan_call *call, struct fx_plan *plan,
	struct fx_datum **ret)
{
	bool is_module = call->node->opcode == FX_OPCODE_CALL_MODULE;
	struct fx_graph *nested =
		is_module ? fx_control_owned(call->node) : NULL;
	struct fx_module *module = NULL;
	struct fx_error *err;

	if (nested)
		return fx_plan_nested(call, nested, ret);
	if (plan->is_control)
		return fx_plan_control(call, ret);
	err = resolve(call, plan);
	if (err)
		return err;
	if (!plan->is_expanded)
		return call_backend(call, ret);
	if (is_module) {
		module = fx_module_find(call->node->graph->module,
			call->node->target);
		if (!module)
			return fx_error_new(FX_ERR_NO_MODULE,
				"there is no module \"%s\"",
				call->node->target);
	}
	return fx_plan_decomposed(call, module, ret);
}

/* Run CALL on the fallback of its backend, which refused the call with
 * ERR_TAKEN.  If the fallback does not support the call either, return
 * ERR_TAKEN.
 */
static struct fx_error *
call_fallback(const struct fx_plan_call *call, struct fx_error *err_taken,
	struct fx_datum **ret)
{
	struct fx_call_site site = site_of(call);
	const struct fx_fallback_call other_call = {
		.site = &site,
		.data = call->data,
		.watch = call->plans->watch,
		.may_draw = call->plan->may_draw,
	};
	struct fx_error *other =
		fx_fallback_call(call->plans->backend, &other_call, ret);

	if (other && fx_error_code(other) == FX_ERR_UNSUPPORTED) {
		fx_error_free(other);
		return err_taken;
	}
	fx_error_free(err_taken);
	return other;
}

/* Whether another backend may run CALL, which this one refused with CODE. */
static bool
may_fall_back(const struct fx_plan_call *call, enum fx_error_code code)
{
	const struct fx_backend *backend = call->plans->backend;

	if (!backend->fallback || code == FX_ERR_UNSUPPORTED)
		return backend->fallback != NULL;
	/* An object, as a named tuple, or a tensor that could not come here,
	 * means something where it was made.
	 */
	for (size_t i = 0; i < call->plan->count && code == FX_ERR_TYPE; i++)
		if ((call->data[i]->kind == FX_DATUM_HANDLE ||
			    call->data[i]->kind == FX_DATUM_TENSOR) &&
			call->data[i]->backend->ops == backend->fallback->ops)
			return true;
	return false;
}

static struct fx_error *
call_resolved(const struct fx_plan_call *call, struct fx_plan *plan,
	struct fx_datum **ret)
{
	struct fx_error *err = call_here(call, plan, ret);

	/* A graph cannot be given to another backend; its nodes can. */
	if (!err || plan->is_control ||
		!may_fall_back(call, fx_error_code(err)))
		return err;
	return call_fallback(call, err, ret);
}

/* Gather what NODE is given, and do with it what DO_IT does. */
typedef struct fx_error *call_fn(struct fx_plan_call *call, void *ret);

static inline struct fx_error *
with_arguments(struct fx_plans *plans, const struct fx_env *env,
	struct fx_node *node, call_fn *do_it, void *ret)
{
	struct fx_plan *plan = plan_of(plans, node);
	struct fx_datum *few[8];
	struct fx_plan_call call = {
		.plans = plans,
		.plan = plan,
		.node = node,
		.data = few,
	};
	struct fx_error *err = NULL;
	size_t done = 0;

	if (plan->count > FX_ARRAY_LEN(few))
		call.data = fx_xcalloc(plan->count, sizeof(*call.data));
	while (done < plan->count && !err) {
		err = fx_slot_fill(&plan->slots[done], env, &call.data[done]);
		done += !err;
	}
	if (!err)
		err = do_it(&call, ret);
	for (size_t i = 0; i < done; i++)
		fx_datum_unref(call.data[i]);
	if (call.data != few)
		free(call.data);
	return err;
}

static struct fx_error *
call_it(struct fx_plan_call *call, void *ret)
{
	return call_resolved(call, call->plan, ret);
}

struct fx_error *
fx_plans_call(struct fx_plans *plans, const struct fx_env *env,
	struct fx_node *node, struct fx_datum **ret)
{
	return with_arguments(plans, env, node, call_it, ret);
}

/* A function is one operation where the backend has it; of a layer, what it is
 * made of tells its parameters apart.
 */
struct opening {
	const struct fx_entry *entry;
	struct fx_opened *ret;
};

static struct fx_error *
open_it(struct fx_plan_call *call, void *context)
{
	const struct opening *opening = context;
	struct fx_error *err = NULL;

	if (call->plan->is_control)
		return fx_plan_open_control(call, opening->entry, opening->ret);
	if (call->node->opcode != FX_OPCODE_CALL_MODULE) {
		err = resolve(call, call->plan);
		if (err || !call->plan->is_expanded)
			return err;
	}
	return fx_plan_open(call, opening->ret);
}

struct fx_error *
fx_plans_open(struct fx_plans *plans, const struct fx_env *env,
	struct fx_node *node, const struct fx_entry *entry,
	struct fx_opened *ret)
{
	static const struct fx_entry any = { .graph = NULL };
	struct opening opening = { entry ? entry : &any, ret };

	*ret = (struct fx_opened){ .graph = NULL };
	return with_arguments(plans, env, node, open_it, &opening);
}

struct fx_error *
fx_plans_call_once(struct fx_plans *plans, const struct fx_call_site *site,
	struct fx_datum **data, struct fx_datum **ret)
{
	const struct fx_node node = { .opcode = site->opcode,
		.target = site->target,
		.op = fx_op_of_target(site->opcode, site->target),
		.graph = site->graph };
	struct fx_plan *plan = FX_NEW(struct fx_plan);
	FX_AUTO_FREE struct fx_kind *kinds =
		fx_xcalloc(site->count, sizeof(*kinds));
	FX_AUTO_FREE const char **keywords =
		fx_xcalloc(site->keyword_count, sizeof(*keywords));
	FX_AUTO_FREE struct fx_slot *slots =
		fx_xcalloc(site->count, sizeof(*slots));
	const struct fx_plan_call call = { plans, plan, &node, data };
	struct fx_error *err;

	for (size_t i = 0; i < site->keyword_count; i++)
		keywords[i] = site->keywords[i];
	plan->count = site->count;
	plan->slots = slots;
	plan->kinds = kinds;
	plan->keywords = keywords;
	plan->keyword_count = site->keyword_count;
	plan->may_draw = may_draw(&node);
	err = call_resolved(&call, plan, ret);
	/* The slots hold nothing: there are data already. */
	plan->count = 0;
	plan_free(plans, plan);
	return err;
}
