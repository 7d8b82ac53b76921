/* describe_node.c - what a node does, in one plain sentence. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "commands/out/out.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ops/layertab.h"
#include "ops/meaning.h"
#include "ops/optab.h"

static void
add_node_list(struct fx_buf *text, const struct fx_node *node)
{
	size_t count = fx_node_input_count(node);
	size_t i;

	for (i = 0; i < count && i < 3; i++)
		fx_buf_addf(text, "%s%%%s",
			!i               ? ""
			: i + 1 == count ? " and "
					 : ", ",
			fx_node_input(node, i)->name);
	if (count > 3)
		fx_buf_addf(text, " and %zu more", count - 3);
	if (!count)
		fx_buf_add(text, "no node");
}

/* Whether NAME is said with a vowel first: an ELU, an LSTM, an MSELoss. */
static bool
sounds_open(const char *name)
{
	if (strchr("FLMNRX", name[0]))
		return isupper((unsigned char)name[1]);
	return strchr("AEIOU", name[0]);
}

static void
add_class(struct fx_buf *text, const char *class_name)
{
	const char *name = fx_class_short_name(class_name);
	const char *meaning =
		fx_layer_find(class_name) ? fx_meaning_find(class_name) : NULL;

	fx_buf_addf(text, ", %s %s", sounds_open(name) ? "an" : "a", name);
	if (meaning)
		fx_buf_addf(text, " (%s)", meaning);
	fx_buf_add_char(text, ',');
}

static void
add_module(struct fx_buf *text, const struct fx_node *node)
{
	struct fx_module *module =
		fx_module_find(node->graph->module, node->target);

	fx_buf_addf(text, "Calls the module %s", node->target);
	if (module)
		add_class(text, module->class_name);
	if (module && module->own_code)
		fx_buf_addf(text, " with %s,", module->own_code);
	fx_buf_add(text, " on ");
	add_node_list(text, node);
}

static void
add_attribute(struct fx_buf *text, const struct fx_node *node)
{
	const struct fx_tensor *tensor =
		fx_module_find_tensor(node->graph->module, node->target);

	fx_buf_addf(text, "Reads the %s %s",
		!tensor             ? "attribute"
		: tensor->is_buffer ? "buffer"
				    : "parameter",
		node->target);
}

static void
add_function(struct fx_buf *text, const struct fx_node *node)
{
	const struct fx_op_info *info = fx_op_info(node->op);
	bool method = node->opcode == FX_OPCODE_CALL_METHOD;
	const char *meaning =
		node->op != FX_OP_NONE || fx_functional_find(node->target)
			? fx_meaning_find(node->target)
			: NULL;

	fx_buf_addf(text, "Calls %s%s", method ? "the method " : "",
		node->target);
	if (meaning || node->op != FX_OP_NONE)
		fx_buf_addf(text, " (%s%s)", meaning ? meaning : info->family,
			info->traits & FX_OP_MUTATES ? ", in place" : "");
	else
		fx_buf_add(text, " (no rule is known for it)");
	fx_buf_add(text, " on ");
	add_node_list(text, node);
}

static void
add_deed(struct fx_buf *text, const struct fx_node *node)
{
	switch ((enum fx_opcode)node->opcode) {
	case FX_OPCODE_PLACEHOLDER:
		fx_buf_add(text, "Is an input of the graph");
		break;
	case FX_OPCODE_GET_ATTR:
		add_attribute(text, node);
		break;
	case FX_OPCODE_CALL_FUNCTION:
	case FX_OPCODE_CALL_METHOD:
		add_function(text, node);
		break;
	case FX_OPCODE_CALL_MODULE:
		add_module(text, node);
		break;
	case FX_OPCODE_OUTPUT:
		fx_buf_add(text, "Returns ");
		add_node_list(text, node);
		break;
	case FX_OPCODE_COUNT:
		break;
	}
}

void
cmd_say_what_node_does(struct cmd_ctx *ctx, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	bool known = node->meta && node->meta->kind != FX_VALUE_UNKNOWN;

	add_deed(&text, node);
	if (known && node->opcode != FX_OPCODE_OUTPUT) {
		fx_buf_add(&text, node->opcode == FX_OPCODE_PLACEHOLDER
					  ? ", "
					  : ", which gives ");
		cmd_add_shape(&text, node);
	}
	if (node->opcode == FX_OPCODE_OUTPUT)
		fx_buf_add(&text, " from the graph.");
	else if (!node->user_count)
		fx_buf_add(&text, "; nothing uses it.");
	else if (node->user_count == 1)
		fx_buf_addf(&text, "; %%%s uses it.",
			node->first_user->user->name);
	else
		fx_buf_addf(&text, "; %u nodes use it.", node->user_count);
	out_line(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
}
