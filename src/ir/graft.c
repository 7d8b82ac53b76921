/* graft.c - a fragment into a graph. */
#include <config.h>

#include "ir/graft.h"

#include <string.h>

#include "base/intern.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/fragment.h"
#include "ir/graph_private.h"
#include "ir/module.h"
#include "ir/value_walk.h"

/* --- modules ------------------------------------------------------------- */

/* PATH, or numbered when something stands there in GRAPH; interned. */
static const char *
free_path(struct fx_graph *graph, const char *path)
{
	const char *found = fx_intern(path);

	for (int i = 1; fx_module_find(graph->module, found) ||
			fx_module_find_tensor(graph->module, found);
		i++)
		found = fx_intern_format("%s_%d", path, i);
	return found;
}

struct fx_error *
fx_graft_module(const struct fx_graft *graft, const char *path)
{
	const struct fx_fragment *fragment = graft->fragment;
	struct fx_module *module =
		fx_module_clone(fragment->target, fragment->module);
	struct fx_error *err = NULL;

	if (graft->fill)
		err = graft->fill(graft->context, module, path);
	return err ? err : fx_edit_set_module(fragment->target, path, module);
}

/* The module of a fragment is called as the result will be, or by its class. */
static FX_NODISCARD struct fx_error *
put_module(const struct fx_graft *graft, const struct fx_graft_place *place)
{
	struct fx_fragment *fragment = graft->fragment;

	if (!fragment->module)
		return NULL;
	fragment->placed = free_path(fragment->target,
		place->name ? place->name : fragment->path);
	return fx_graft_module(graft, fragment->placed);
}

/* --- nodes --------------------------------------------------------------- */

/* Return the scope around NODE, leaving out the scope of the module that NODE
 * itself calls.
 */
static const struct fx_scope *
scope_around(const struct fx_node *node)
{
	bool is_own = node->scope && node->opcode == FX_OPCODE_CALL_MODULE &&
		      !strcmp(node->scope->path, node->target);

	return is_own ? node->scope->parent : node->scope;
}

const struct fx_scope *
fx_graft_scope(struct fx_graph *graph, const struct fx_node_spec *spec,
	const struct fx_node *near)
{
	const struct fx_module *module;

	if (spec->opcode != FX_OPCODE_CALL_MODULE)
		return near->scope;
	module = fx_module_find(graph->module, spec->target);
	if (!module || !module->class_name)
		return near->scope;
	return fx_graph_scope(graph, scope_around(near), spec->target,
		module->class_name);
}

/* Let the nodes in VALUE, a copy that nobody else has yet, be the target's. */
static void
lead_to_made(struct fx_value *value, struct fx_node *const *made)
{
	struct fx_value *items = (struct fx_value *)value->items;
	size_t count = fx_value_item_count(value);

	for (size_t i = 0; i < count; i++)
		lead_to_made(&items[i], made);
	if (value->kind == FX_VALUE_NODE)
		*value = fx_value_node(made[fx_node_index(value->node)]);
}

static struct fx_value
bring(const struct fx_fragment *fragment, const struct fx_value *value)
{
	struct fx_value copy = fx_value_clone(fragment->target->values, value);

	lead_to_made(&copy, fragment->made);
	return copy;
}

/* NODE of the fragment as a node of the target. */
static FX_NODISCARD struct fx_error *
make(const struct fx_fragment *fragment, const struct fx_node *node,
	const struct fx_graft_place *place)
{
	struct fx_graph *graph = fragment->target;
	struct fx_node_spec spec = { .opcode = (enum fx_opcode)node->opcode,
		.target = node->target,
		.args = bring(fragment, &node->args),
		.kwargs = bring(fragment, &node->kwargs),
		.is_wrapped = node->is_wrapped };

	if (fragment->placed && node->target == fragment->path)
		spec.target = fragment->placed;
	if (spec.opcode == FX_OPCODE_CALL_FUNCTION ||
		spec.opcode == FX_OPCODE_CALL_METHOD)
		spec.like = node;
	spec.scope = fx_graft_scope(graph, &spec, place->near);
	if (place->old) {
		spec.source = place->old->source;
		spec.derived = &place->old->id;
		spec.derived_count = 1;
	}
	if (node == fx_fragment_result(fragment)) {
		spec.name = place->name;
		spec.name_is_exact = place->name && !place->is_fresh;
		spec.heir_of = place->is_heir ? place->old : NULL;
	}
	return fx_edit_create(graph, &spec, place->before,
		&fragment->made[fx_node_index(node)]);
}

/* Let the placeholders of the fragment be the nodes that they stand for. */
static FX_NODISCARD struct fx_error *
bind_inputs(const struct fx_fragment *fragment,
	const struct fx_graft_place *place)
{
	const struct fx_node *old = place->old;
	const struct fx_node *node;
	size_t i = 0;

	fx_graph_for_each_node (node, fragment->graph) {
		struct fx_node *input;

		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		input = fragment->inputs.items[i++];
		if (!input && (!old || !old->use_count))
			return fx_error_new(FX_ERR_VALUE,
				"%%%s reads no node that $v could be",
				old ? old->name : "?");
		fragment->made[fx_node_index(node)] =
			input ? input : fx_node_input(old, 0);
	}
	return NULL;
}

struct fx_error *
fx_graft(const struct fx_graft *graft, const struct fx_graft_place *place,
	struct fx_node **first_ret, struct fx_node **ret)
{
	const struct fx_fragment *fragment = graft->fragment;
	const struct fx_node *result = fx_fragment_result(fragment);
	const struct fx_node *node;
	struct fx_error *err;

	if (!result)
		return fx_fragment_no_operation(fragment);
	err = bind_inputs(fragment, place);
	if (!err)
		err = put_module(graft, place);
	if (err)
		return err;
	*first_ret = NULL;
	fx_graph_for_each_node (node, fragment->graph) {
		if (node->opcode == FX_OPCODE_PLACEHOLDER ||
			node->opcode == FX_OPCODE_OUTPUT)
			continue;
		err = make(fragment, node, place);
		if (err)
			return err;
		if (!*first_ret)
			*first_ret = fragment->made[fx_node_index(node)];
	}
	*ret = fragment->made[fx_node_index(result)];
	if (!*first_ret)
		*first_ret = *ret;
	return NULL;
}

/* --- in the place of a node ---------------------------------------------- */

/* Users that existed before the nodes from FIRST to LAST. */
struct splice {
	const struct fx_node *first;
	const struct fx_node *last;
};

static bool
is_old_user(void *context, struct fx_node *user)
{
	const struct splice *splice = context;

	return user->order < splice->first->order ||
	       user->order > splice->last->order;
}

/* Whether NODE gives a module: what is called, or the body of a branch. */
static bool
is_module(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_GET_ATTR &&
	       fx_module_find(node->graph->module, node->target);
}

struct fx_error *
fx_graft_redirect(struct fx_node *old, struct fx_node *first,
	struct fx_node *result)
{
	struct splice splice = { first, result };
	struct fx_value value = fx_value_node(result);

	if (is_module(result) && !is_module(old))
		return fx_error_hint(fx_error_new(FX_ERR_TYPE,
					     "self.%s is a module, not a value",
					     result->target),
			"self.%s(...) calls it", result->target);
	return fx_edit_replace_uses(old, &value, first ? is_old_user : NULL,
		&splice, NULL);
}

static bool
reads(const struct fx_fragment *fragment, const struct fx_node *node)
{
	for (size_t i = 0; i < fragment->inputs.count; i++)
		if (fragment->inputs.items[i] == node)
			return true;
	return false;
}

struct fx_error *
fx_graft_replace(const struct fx_graft *graft, struct fx_node *old,
	const struct fx_node **wraps_ret)
{
	bool is_new = !fx_fragment_is_node(graft->fragment);
	bool wraps = is_new && reads(graft->fragment, old);
	struct fx_graft_place place = { .before = fx_graph_next(old),
		.near = old,
		.old = old,
		.is_heir = !wraps };
	struct fx_node *first;
	struct fx_node *result;
	struct fx_error *err = fx_graft(graft, &place, &first, &result);

	*wraps_ret = NULL;
	if (err)
		return err;
	if (result == old)
		return fx_error_new(FX_ERR_VALUE,
			"%%%s would be replaced by itself", old->name);
	err = fx_graft_redirect(old, is_new ? first : NULL, result);
	if (err)
		return err;
	if (wraps) {
		*wraps_ret = result;
		return NULL;
	}
	return fx_edit_erase(old);
}
