/* layer_call.c - what a layer's call gives the parameters of its forward. */
#include <config.h>

#include "ir/layer_call.h"

#include <string.h>

#include "ir/module.h"
#include "ir/node.h"
#include "lang/ast.h"
#include "ops/layertab.h"

const char *
fx_layer_parameter(const struct fx_module *module, uint32_t index)
{
	const struct fx_layer *layer =
		module->own_code || !module->class_name
			? NULL
			: fx_layer_find(module->class_name);
	const struct fx_ast *forward =
		layer ? fx_layer_method(layer, "forward", NULL) : NULL;

	for (uint32_t i = 0; forward && i < forward->kid_count; i++) {
		const struct fx_ast *kid = forward->kids[i];

		if (!kid || kid->kind != FX_AST_PARAM ||
			!strcmp(kid->text, "self"))
			continue;
		if (kid->op != FX_AST_OP_NONE)
			return NULL;
		if (!index--)
			return kid->text;
	}
	return NULL;
}

const struct fx_value *
fx_layer_given(const struct fx_module *module, const struct fx_node *node,
	uint32_t index)
{
	const char *name;

	if (index < node->args.count)
		return &node->args.items[index];
	name = node->kwargs.count ? fx_layer_parameter(module, index) : NULL;
	return name ? fx_value_dict_get(&node->kwargs, name) : NULL;
}

const struct fx_value *
fx_layer_named(const struct fx_module *module, const struct fx_node *node,
	const char *name)
{
	for (uint32_t i = 0; i < node->args.count; i++) {
		const char *own = fx_layer_parameter(module, i);

		if (own && !strcmp(own, name))
			return &node->args.items[i];
	}
	return NULL;
}
