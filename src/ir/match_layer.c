/* match_layer.c - whether a layer is one that a pattern describes. */
#include <config.h>

#include <string.h>

#include "base/intern.h"
#include "base/str.h"
#include "ir/graph_private.h"
#include "ir/layer_call.h"
#include "ir/match_private.h"
#include "ir/module.h"
#include "ops/layertab.h"
#include "ops/optab.h"
#include "ops/spellings.h"

bool
fx_try_is_of_class(const struct fx_pattern_layer *layer,
	const struct fx_node *node)
{
	const struct fx_module *module;

	if (node->opcode != FX_OPCODE_CALL_MODULE)
		return false;
	module = fx_module_find(node->graph->module, node->target);
	if (!module || !module->class_name)
		return false;
	if (strchr(layer->class_name, '.'))
		return !strcmp(module->class_name, layer->class_name) ||
		       fx_str_equal(fx_class_short_name(module->class_name),
			       fx_class_short_name(layer->class_name));
	return fx_str_starts(module->class_name, "torch.nn.") &&
	       !strcmp(fx_class_short_name(module->class_name),
		       layer->class_name);
}

/* KEY of the layer that NODE calls: an argument of the call, by name or by
 * place, a part of the configuration, whether there is a parameter.
 */
static bool
match_key(struct fx_try *try, const struct fx_module *module,
	const struct fx_node *node, const struct fx_value *pair)
{
	const struct fx_value *found =
		fx_value_dict_get(&node->kwargs, pair[0].text);
	const struct fx_member *member;
	struct fx_value there;

	if (found)
		return fx_try_value(try, &pair[1], found);
	found = fx_value_dict_get(&module->config, pair[0].text);
	member = fx_module_member(module, fx_intern(pair[0].text));
	if (!found && member && member->kind != FX_MEMBER_CHILD) {
		there = fx_value_bool(member->tensor);
		found = &there;
	}
	if (found)
		return fx_try_setting(try, &pair[1], found);
	found = fx_layer_named(module, node, pair[0].text);
	if (!found)
		return fx_try_differs(try, "%%%s says nothing of %s",
			node->name, pair[0].text);
	return fx_try_value(try, &pair[1], found);
}

/* What SLOT gives by place; what NODE so gives besides, SLOT has by name. */
static bool
match_places(struct fx_try *try, const struct fx_module *module,
	const struct fx_pattern_slot *slot, const struct fx_node *node)
{
	const struct fx_value *wanted = &slot->node->args;
	bool fits = true;

	for (uint32_t i = wanted->count; fits && i < node->args.count; i++) {
		const char *name = fx_layer_parameter(module, i);

		fits = slot->is_open ||
		       (name && fx_value_dict_get(&slot->layer->config, name));
	}
	for (uint32_t i = 0; fits && i < wanted->count; i++) {
		const struct fx_value *found = fx_layer_given(module, node, i);

		fits = found;
		if (fits && !fx_try_value(try, &wanted->items[i], found))
			return false;
	}
	return fits ||
	       fx_try_differs(try, "%%%s has other arguments", node->name);
}

bool
fx_try_layer(struct fx_try *try, const struct fx_pattern_slot *slot,
	const struct fx_node *node)
{
	const struct fx_module *module =
		fx_module_find(node->graph->module, node->target);
	const struct fx_value *config = &slot->layer->config;

	for (uint32_t i = 0; i < config->count; i++)
		if (!match_key(try, module, node, &config->items[2 * i]))
			return fx_try_differs_in(try,
				config->items[2 * i].text);
	return match_places(try, module, slot, node);
}

/* --- what a graph cannot have -------------------------------------------- */

/* "; nearest: Conv2d" */
static void
add_nearest(const struct fx_nearest *nearest, struct fx_buf *ret)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };

	fx_nearest_print(nearest, &names);
	if (names.length)
		fx_buf_addf(ret, "; nearest: %s", fx_buf_text(&names));
}

/* Whether GRAPH has a module of the class, called or not. */
static bool
has_class(struct fx_graph *graph, const char *class_name)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, true);
	const char *name = fx_class_short_name(class_name);
	struct fx_module *module;
	const char *path;
	bool has = false;

	while (!has && fx_module_walk_next(walk, &module, &path))
		has = module->class_name &&
		      !strcmp(fx_class_short_name(module->class_name), name);
	fx_module_walk_free(walk);
	return has;
}

static bool
is_unknown_class(struct fx_graph *graph, const char *class_name,
	struct fx_buf *ret)
{
	struct fx_nearest nearest;

	if (fx_layer_find(class_name) || has_class(graph, class_name))
		return false;
	fx_nearest_init(&nearest, fx_class_short_name(class_name));
	for (size_t i = 0; fx_layer_at(i); i++)
		fx_nearest_offer(&nearest, fx_layer_at(i)->name);
	fx_buf_addf(ret, "no layer class \"%s\" is known", class_name);
	add_nearest(&nearest, ret);
	return true;
}

static bool
is_unknown_path(struct fx_graph *graph, const struct fx_node *node,
	struct fx_buf *ret)
{
	bool is_call = node->opcode == FX_OPCODE_CALL_MODULE;

	if (is_call ? fx_module_find(graph->module, node->target) != NULL
		    : fx_module_find_tensor(graph->module, node->target) !=
				NULL)
		return false;
	fx_buf_addf(ret, "there is no self.%s", node->target);
	return true;
}

/* A function or method that fxdb does not know, and that GRAPH does not call.
 */
static bool
is_unknown_function(struct fx_graph *graph, const struct fx_node *wanted,
	struct fx_buf *ret)
{
	bool is_method = wanted->opcode == FX_OPCODE_CALL_METHOD;
	const char *name = strrchr(wanted->target, '.');
	const struct fx_node *node;
	struct fx_nearest nearest;

	if (fx_op_of_target(wanted->opcode, wanted->target) != FX_OP_NONE ||
		fx_functional_find(wanted->target))
		return false;
	fx_graph_for_each_node (node, graph)
		if (node->opcode == wanted->opcode &&
			node->target == wanted->target)
			return false;
	name = name ? name + 1 : wanted->target;
	fx_nearest_init(&nearest, name);
	for (size_t i = 0; fx_operation_at(i); i++)
		fx_nearest_offer(&nearest, fx_operation_at(i)->name);
	fx_buf_addf(ret, "no %s \"%s\" is known",
		is_method ? "method" : "function", wanted->target);
	add_nearest(&nearest, ret);
	return true;
}

static bool
is_unknown(struct fx_graph *graph, const struct fx_pattern_slot *slot,
	struct fx_buf *ret)
{
	if (slot->layer)
		return is_unknown_class(graph, slot->layer->class_name, ret);
	switch (slot->node->opcode) {
	case FX_OPCODE_CALL_MODULE:
	case FX_OPCODE_GET_ATTR:
		return is_unknown_path(graph, slot->node, ret);
	case FX_OPCODE_CALL_FUNCTION:
	case FX_OPCODE_CALL_METHOD:
		return is_unknown_function(graph, slot->node, ret);
	default:
		return false;
	}
}

bool
fx_match_unknown(struct fx_graph *graph, const struct fx_pattern *pattern,
	struct fx_buf *ret)
{
	for (size_t i = 0; i < pattern->operations.count; i++)
		if (is_unknown(graph,
			    &pattern->slots[pattern->operations.items[i]], ret))
			return true;
	return false;
}
