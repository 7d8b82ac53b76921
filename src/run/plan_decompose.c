/* plan_decompose.c - nodes that are run as a graph: layers and composite
 * functions as their expansion, modules that own a graph as that.
 */
#include <config.h>

#include <stdlib.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/control.h"
#include "ir/decompose.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "meta/propagate.h"
#include "ops/layertab.h"
#include "run/backend.h"
#include "run/interp.h"
#include "run/parameters.h"
#include "run/plan_private.h"

/* Arguments of a fragment or nested graph, borrowed and owned ones alike
 * referenced.
 */
struct gathered {
	FX_VEC(struct fx_datum *) data;
};

static void
gathered_deinit(struct gathered *gathered)
{
	for (size_t i = 0; i < gathered->data.count; i++)
		fx_datum_unref(gathered->data.items[i]);
	fx_vec_deinit(&gathered->data);
}
FX_DEFINE_DEINIT(gathered, struct gathered, gathered_deinit);

/* The leaves that an expansion takes as inputs, in the order of
 * fx_decompose_leaves.
 */
static void
gather_leaves(struct gathered *gathered, const struct fx_value *value)
{
	const struct fx_datum *held = fx_datum_held(value);

	if ((held && held->kind == FX_DATUM_TENSOR) ||
		value->kind == FX_VALUE_SYMBOL ||
		value->kind == FX_VALUE_UNKNOWN)
		fx_vec_push(&gathered->data, fx_datum_from_value(value));
	for (size_t i = 0; i < fx_value_item_count(value); i++)
		gather_leaves(gathered, &value->items[i]);
}

/* As functionals.py calls it. */
static const char *
functional_name(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_CALL_METHOD
		       ? fx_intern_format("Tensor.%s", node->target)
		       : node->target;
}

bool
fx_plan_may_decompose(const struct fx_node *node)
{
	return node->opcode != FX_OPCODE_CALL_METHOD ||
	       fx_functional_find(functional_name(node));
}

static void
call_values(const struct fx_plan_call *call, struct fx_arena *arena,
	struct fx_value *args_ret, struct fx_value *kwargs_ret)
{
	const struct fx_plan *plan = call->plan;
	size_t positional = plan->count - plan->keyword_count;
	struct fx_value *args =
		FX_ARENA_ARRAY(arena, struct fx_value, positional);
	struct fx_value *kwargs =
		FX_ARENA_ARRAY(arena, struct fx_value, 2 * plan->keyword_count);

	for (size_t i = 0; i < positional; i++)
		args[i] = fx_datum_to_value(arena, call->data[i]);
	for (size_t i = 0; i < plan->keyword_count; i++) {
		kwargs[2 * i] = fx_value_string(plan->keywords[i]);
		kwargs[2 * i + 1] =
			fx_datum_to_value(arena, call->data[positional + i]);
	}
	*args_ret = fx_value_sequence(arena, FX_VALUE_TUPLE, args, positional);
	*kwargs_ret = fx_value_dict(arena, kwargs, plan->keyword_count);
}

/* The fragment for CALL, or UNSUPPORTED. */
static struct fx_error *
expand(const struct fx_plan_call *call, struct fx_module *module,
	const struct fx_decomposition **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_expander *expander =
		fx_meta_expander(fx_backend_shapes(call->plans->backend));
	struct fx_value args;
	struct fx_value kwargs;

	call_values(call, arena, &args, &kwargs);
	if (module)
		return fx_decompose_module(expander, module, &args, &kwargs,
			ret);
	return fx_decompose_function(expander, functional_name(call->node),
		&args, &kwargs, ret);
}

void
fx_plan_drop_members(struct fx_plan *plan)
{
	for (size_t i = 0; i < plan->member_count; i++)
		fx_datum_unref(plan->members[i].datum);
	free(plan->members);
	plan->members = NULL;
	plan->member_count = 0;
}

/* TENSOR for input INDEX: the datum of the last time, unless the module has
 * another tensor now or its weights were attached since.
 */
static struct fx_error *
member_datum(const struct fx_plan_call *call, size_t index,
	const struct fx_tensor *tensor, struct fx_datum **ret)
{
	struct fx_backend *backend = call->plans->backend;
	struct fx_plan *plan = call->plan;
	const struct fx_blob *blob =
		tensor->storage ? tensor->storage->blob : NULL;
	struct fx_plan_member *member;
	struct fx_error *err = NULL;

	if (!plan->members) {
		plan->member_count = plan->fragment->input_count;
		plan->members =
			fx_xcalloc(plan->member_count, sizeof(*plan->members));
	}
	member = &plan->members[index];
	if (!member->datum || member->tensor != tensor ||
		member->blob != blob || member->run != backend->runs) {
		fx_datum_unref(member->datum);
		*member = (struct fx_plan_member){ tensor, blob, backend->runs,
			NULL };
		err = backend->ops->from_tensor(backend, tensor,
			&member->datum);
	}
	if (!err)
		*ret = fx_datum_ref(member->datum);
	return err;
}

/* What the fragment's inputs get: members of the module and leaves of the
 * arguments, as the fragment says.
 */
static struct fx_error *
gather_inputs(const struct fx_plan_call *call, struct fx_module *module,
	const struct fx_decomposition *fragment, struct gathered *ret)
{
	FX_AUTO(gathered) struct gathered leaves = { .data = { 0 } };
	size_t leaf = 0;

	for (size_t i = 0; i < call->plan->count; i++)
		gather_leaves(&leaves, &call->data[i]->value);
	for (size_t i = 0; i < fragment->input_count; i++) {
		const char *name = fragment->members[i];
		const struct fx_tensor *tensor =
			name ? fx_module_find_tensor(module, name) : NULL;
		struct fx_datum *datum;
		struct fx_error *err;

		if (tensor) {
			err = member_datum(call, i, tensor, &datum);
			if (err)
				return fx_parameters_name_missing(err,
					fx_module_path(call->node->target,
						name));
		} else if (!name && leaf < leaves.data.count) {
			datum = fx_datum_ref(leaves.data.items[leaf++]);
		} else {
			return fx_error_new(FX_ERR_INTERNAL,
				"the expansion of %s takes an input that the "
				"call does not have",
				call->node->target);
		}
		fx_vec_push(&ret->data, datum);
	}
	return NULL;
}

/* The fragment for CALL: that of the last time if it is the same for sure. */
static struct fx_error *
find_fragment(const struct fx_plan_call *call, struct fx_module *module,
	bool *is_same_ret)
{
	struct fx_plan *plan = call->plan;
	const struct fx_graph *graph = call->node->graph;
	uint64_t version = graph ? graph->version : 0;
	const struct fx_decomposition *fragment;
	struct fx_error *err;

	*is_same_ret = true;
	if (plan->fragment && plan->is_fixed && plan->version == version)
		return NULL;
	err = expand(call, module, &fragment);
	if (err)
		return err;
	*is_same_ret = fragment == plan->fragment;
	if (!*is_same_ret)
		fx_plan_drop_members(plan);
	plan->fragment = fragment;
	plan->version = version;
	return NULL;
}

/* Plans of the fragment's nodes, kept while it is the same. */
static struct fx_plans *
inner_plans(const struct fx_plan_call *call, bool is_same)
{
	struct fx_plan *plan = call->plan;

	if (plan->inner && !is_same)
		fx_plans_deinit(plan->inner);
	if (!plan->inner)
		plan->inner = FX_NEW(struct fx_plans);
	if (!plan->inner->backend || !is_same)
		fx_plans_init(plan->inner, call->plans->backend);
	return plan->inner;
}

struct fx_error *
fx_plan_decomposed(const struct fx_plan_call *call, struct fx_module *module,
	struct fx_datum **ret)
{
	FX_AUTO(gathered) struct gathered inputs = { .data = { 0 } };
	const struct fx_decomposition *fragment;
	struct fx_plans *plans;
	bool is_same;
	struct fx_error *err = find_fragment(call, module, &is_same);

	if (err)
		return err;
	fragment = call->plan->fragment;
	plans = inner_plans(call, is_same);
	err = gather_inputs(call, module, fragment, &inputs);
	if (err)
		return err;
	return fx_interp_call(call->plans->backend, fragment->graph,
		&(struct fx_arguments){ inputs.data.items, inputs.data.count,
			call->plans->watch, plans, false, call->plans->ticker },
		call->plans->depth + 1, ret);
}

/* Arguments of a nested graph: by position, then by the placeholder's name.
 * Missing ones are left to their defaults (null).
 */
struct nested_inputs {
	FX_VEC(struct fx_datum *) data; /* borrowed */
};

static struct fx_error *
match_nested(const struct fx_plan_call *call, struct fx_graph *graph,
	struct nested_inputs *ret)
{
	const struct fx_plan *plan = call->plan;
	size_t positional = plan->count - plan->keyword_count;
	size_t own = fx_control_own_count(call->node);
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		struct fx_datum *datum = NULL;

		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		if (own + ret->data.count < positional)
			datum = call->data[own + ret->data.count];
		for (size_t i = 0; i < plan->keyword_count; i++)
			if (plan->keywords[i] == node->target &&
				!fx_control_is_own(call->node, node->target))
				datum = call->data[positional + i];
		fx_vec_push(&ret->data, datum);
	}
	if (positional <= own + ret->data.count)
		return NULL;
	return fx_error_new(FX_ERR_TYPE, "%s takes %zu arguments, gets %zu",
		call->node->target, own + ret->data.count, positional);
}

struct fx_error *
fx_plan_nested(const struct fx_plan_call *call, struct fx_graph *graph,
	struct fx_datum **ret)
{
	struct nested_inputs inputs = { .data = { 0 } };
	struct fx_error *err = match_nested(call, graph, &inputs);

	if (!err)
		err = fx_interp_call(call->plans->backend, graph,
			&(struct fx_arguments){ inputs.data.items,
				inputs.data.count, call->plans->watch, NULL,
				true, call->plans->ticker },
			call->plans->depth + 1, ret);
	fx_vec_deinit(&inputs.data);
	return err;
}

/* --- opened -------------------------------------------------------------- */

void
fx_opened_deinit(struct fx_opened *opened)
{
	for (size_t i = 0; i < opened->count; i++)
		fx_datum_unref(opened->inputs[i]);
	free(opened->inputs);
	free(opened->members);
	*opened = (struct fx_opened){ .graph = NULL };
}

void
fx_opened_fill(struct fx_opened *ret, struct fx_graph *graph,
	struct fx_datum *const *data, size_t count)
{
	ret->graph = graph;
	ret->count = count;
	ret->inputs = fx_xcalloc(count + 1, sizeof(struct fx_datum *));
	ret->members = fx_xcalloc(count + 1, sizeof(char *));
	for (size_t i = 0; i < count; i++)
		ret->inputs[i] = fx_datum_ref(data[i]);
}

static struct fx_error *
open_nested(const struct fx_plan_call *call, struct fx_graph *graph,
	struct fx_opened *ret)
{
	struct nested_inputs inputs = { .data = { 0 } };
	struct fx_error *err = match_nested(call, graph, &inputs);

	if (!err)
		fx_opened_fill(ret, graph, inputs.data.items,
			inputs.data.count);
	ret->is_nested = true;
	fx_vec_deinit(&inputs.data);
	return err;
}

struct fx_error *
fx_plan_open(const struct fx_plan_call *call, struct fx_opened *ret)
{
	FX_AUTO(gathered) struct gathered inputs = { .data = { 0 } };
	struct fx_graph *nested = fx_control_called(call->node);
	struct fx_module *module = NULL;
	const struct fx_decomposition *fragment;
	struct fx_error *err;
	bool is_same;

	if (nested)
		return open_nested(call, nested, ret);
	if (call->node->opcode == FX_OPCODE_CALL_MODULE)
		module = fx_module_find(call->node->graph->module,
			call->node->target);
	err = find_fragment(call, module, &is_same);
	if (!err) {
		/* The plans of its nodes are made anew with it. */
		(void)inner_plans(call, is_same);
		fragment = call->plan->fragment;
		err = gather_inputs(call, module, fragment, &inputs);
	}
	if (err && fx_error_code(err) == FX_ERR_UNSUPPORTED) {
		fx_error_free(err);
		return NULL;
	}
	if (err)
		return err;
	fx_opened_fill(ret, fragment->graph, inputs.data.items,
		inputs.data.count);
	for (size_t i = 0; i < fragment->input_count; i++)
		ret->members[i] = fragment->members[i];
	return NULL;
}
