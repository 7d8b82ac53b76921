/* match_layer.c - whether a layer is one that a pattern describes. */
#include <config.h>

#include <string.h>

#include "base/intern.h"
#include "base/str.h"
#include "ir/graph_private.h"
#include "ir/match_private.h"
#include "ir/module.h"

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

/* KEY of the layer that NODE calls: an argument of the call, a part of the
 * configuration, whether there is a parameter.
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
	if (!found)
		return fx_try_differs(try, "%%%s says nothing of %s",
			node->name, pair[0].text);
	return fx_try_setting(try, &pair[1], found);
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
			return false;
	if (slot->is_open)
		return fx_try_beginning(try, slot->node, node);
	if (node->args.count != slot->node->args.count)
		return fx_try_differs(try, "%%%s has other arguments",
			node->name);
	return fx_try_items(try, &slot->node->args, &node->args);
}
