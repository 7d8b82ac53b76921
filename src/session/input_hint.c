/* input_hint.c - what inputs there are, and how one could be written. */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/str.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "ir/uses.h"
#include "ops/initial.h"
#include "session/capture.h"
#include "session/session_private.h"

/* By target first, then by name (COMMANDS 2). */
struct fx_error *
fx_model_find_input(struct fx_model *model, const char *name,
	struct fx_node **ret)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	struct fx_node *node;

	*ret = NULL;
	if (*name == '%')
		name++;
	fx_graph_for_each_node (node, model->graph) {
		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		fx_buf_addf(&names, "%s%s", names.length ? ", " : "",
			node->target);
		if (fx_str_equal(node->target, name)) {
			*ret = node;
			return NULL;
		}
		if (!*ret && fx_str_equal(node->name, name))
			*ret = node;
	}
	if (*ret)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NO_INPUT,
				     "%s has no input \"%s\"", model->name,
				     name),
		"inputs: %s", names.length ? fx_buf_text(&names) : "none");
}

/* Append the form of input that the layer called by USER takes.  Returns false
 * if that is not known.
 */
static bool
add_taken(struct fx_buf *out, const struct fx_node *user)
{
	const struct fx_module *module =
		user->opcode == FX_OPCODE_CALL_MODULE
			? fx_module_find(user->graph->module, user->target)
			: NULL;
	const struct fx_takes *takes =
		module ? fx_takes_find(module->class_name) : NULL;
	const struct fx_value *size = NULL;

	if (!takes)
		return false;
	if (*takes->size)
		size = fx_value_dict_get(&module->config,
			fx_intern(takes->size));
	if (*takes->size && (!size || size->kind != FX_VALUE_INT))
		return false;
	for (const char *c = takes->form; *c; c++)
		if (*c == '$')
			fx_buf_add_int(out, size ? size->integer : 1);
		else
			fx_buf_add_char(out, *c);
	return true;
}

bool
fx_input_add_form(struct fx_buf *out, const struct fx_node *placeholder)
{
	const struct fx_value *meta = placeholder->meta;
	const struct fx_tensor_meta *tensor =
		meta && meta->kind == FX_VALUE_TENSOR ? meta->tensor : NULL;
	struct fx_use *use;

	if (!tensor || !tensor->has_shape) {
		fx_node_for_each_user (use, placeholder)
			if (add_taken(out, use->user))
				return true;
		return false;
	}
	fx_buf_add(out, tensor->dtype == FX_DTYPE_NONE
				? "f32"
				: fx_dtype_info(tensor->dtype)->short_name);
	fx_buf_add(out, "[");
	for (uint32_t i = 0; i < tensor->rank; i++) {
		bool is_number = tensor->sizes[i].kind == FX_VALUE_INT;
		/* A batch may be small, a picture not. */
		int64_t other = i < 2 ? 2 : 64;

		fx_buf_add(out, i ? "," : "");
		fx_buf_add_int(out,
			is_number ? tensor->sizes[i].integer : other);
	}
	fx_buf_add(out, "]");
	return true;
}

void
fx_input_add_hint(struct fx_buf *out, const struct fx_node *placeholder)
{
	if (!fx_input_add_form(out, placeholder))
		fx_buf_add(out, "f32[...] with its sizes");
}

bool
fx_input_has_letters(const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	const char *form = strchr(text, '=');
	struct fx_value value;
	struct fx_error *err;

	if (!form)
		return false;
	err = fx_tensor_meta_parse(arena, form + 1, strlen(form + 1), &value);
	if (!err)
		return !fx_value_has_numbers(&value);
	fx_error_free(err);
	return false;
}

struct fx_error *
fx_input_hint_form(const struct fx_model *model, const char *text,
	struct fx_error *err)
{
	if (model->traced && strchr(text, '('))
		return fx_error_hint(err,
			"what the model's file has is given when it is traced: "
			"trace %s -i NAME=%s",
			model->traced->spec, text);
	return fx_error_hint(err,
		"an input is a shape, f32[1,3,224,224], or a value, "
		"randn(1, 3)");
}
