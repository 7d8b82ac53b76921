/* construct.c - a module as the call that constructs it.
 *
 * Arguments whose names are also names in the configuration have those values.
 * What else is there and true or false (bias=) only shows in the parameters
 * that it makes, so the other way than its default is tried too; what comes
 * out is compared with the module before anything is written.
 */
#include <config.h>

#include "emit/construct.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/intern.h"
#include "ir/decompose.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "lang/ast.h"
#include "ops/layertab.h"

enum {
	ARGUMENT_LIMIT = 40,
	SWITCH_LIMIT = 4, /* arguments that are tried both ways */
};

struct call {
	struct fx_value pairs[2 * ARGUMENT_LIMIT];
	size_t count;
	const struct fx_ast *switches[SWITCH_LIMIT]; /* parameters */
	size_t switch_count;
};

static bool
is_same_tensor(const struct fx_tensor *a, const struct fx_tensor *b)
{
	return a->dtype == b->dtype && a->rank == b->rank &&
	       memcmp(a->sizes, b->sizes, a->rank * sizeof(*a->sizes)) == 0;
}

/* Whether every setting that MADE has is that of MODULE: one that was captured
 * may have more, and not those whose names begin with "_".
 */
static bool
is_same_config(const struct fx_module *made, const struct fx_module *module)
{
	for (size_t i = 0; i < made->config.count; i++) {
		const struct fx_value *key = &made->config.items[2 * i];
		const struct fx_value *other =
			key->kind == FX_VALUE_STRING
				? fx_value_dict_get(&module->config, key->text)
				: NULL;

		if (!other && key->kind == FX_VALUE_STRING && *key->text == '_')
			continue;
		if (!other || !fx_value_equal(key + 1, other))
			return false;
	}
	return true;
}

static bool
is_same(const struct fx_module *made, const struct fx_module *module)
{
	if (made->class_name != module->class_name || module->graph ||
		made->member_count != module->member_count ||
		!is_same_config(made, module))
		return false;
	for (size_t i = 0; i < made->member_count; i++) {
		const struct fx_member *a = &made->members[i];
		const struct fx_member *b = fx_module_member(module, a->name);

		/* Of which kind a None is, not every file says rightly. */
		if (!b || !a->child != !b->child || !a->tensor != !b->tensor ||
			(a->tensor && a->kind != b->kind) ||
			(a->tensor && !is_same_tensor(a->tensor, b->tensor)) ||
			(a->child && !is_same(a->child, b->child)))
			return false;
	}
	return true;
}

static void
add_pair(struct call *call, const char *name, struct fx_value value)
{
	if (call->count == ARGUMENT_LIMIT)
		return;
	call->pairs[2 * call->count] = fx_value_string(name);
	call->pairs[2 * call->count++ + 1] = value;
}

/* The dtype of the first parameter, if it is no f32. */
static void
add_dtype(struct call *call, const struct fx_module *module)
{
	for (size_t i = 0; i < module->member_count; i++) {
		const struct fx_tensor *tensor = module->members[i].tensor;

		if (!tensor || tensor->is_buffer)
			continue;
		if (tensor->dtype != FX_DTYPE_F32)
			add_pair(call, "dtype",
				fx_value_dtype((int)tensor->dtype));
		return;
	}
}

static void
add_parameter(struct call *call, const struct fx_ast *parameter,
	const struct fx_module *module)
{
	const char *name = fx_intern(parameter->text);
	const struct fx_value *value = fx_value_dict_get(&module->config, name);
	const struct fx_ast *initial = parameter->kids[1];

	if (!strcmp(name, "dtype"))
		add_dtype(call, module);
	else if (value)
		add_pair(call, name, *value);
	else if (initial && initial->kind == FX_AST_BOOL &&
		 call->switch_count < SWITCH_LIMIT)
		call->switches[call->switch_count++] = parameter;
}

/* The call with the switches that are bits of WHICH turned over; what it
 * makes, or NULL.
 */
static struct fx_module *
construct(struct fx_graph *graph, const struct fx_module *module,
	struct call *call, unsigned which)
{
	struct fx_value args = { .kind = FX_VALUE_TUPLE };
	size_t count = call->count;
	struct fx_module *made = NULL;
	struct fx_value kwargs;

	for (size_t i = 0; i < call->switch_count; i++)
		if (which >> i & 1)
			add_pair(call, call->switches[i]->text,
				fx_value_bool(!call->switches[i]
						       ->kids[1]
						       ->integer));
	kwargs = fx_value_dict(graph->permanent, call->pairs, call->count);
	fx_error_free(fx_layer_construct(graph, module->class_name, &args,
		&kwargs, &made));
	if (made && is_same(made, module))
		return made;
	call->count = count;
	return NULL;
}

/* Whether VALUE is what the parameter NAME of INIT has anyway. */
static bool
is_default(struct fx_graph *graph, const struct fx_layer *layer,
	const struct fx_ast *init, const char *name,
	const struct fx_value *value)
{
	const struct fx_ast *initial = NULL;
	struct fx_value missing;
	FX_AUTO_ERROR struct fx_error *err = NULL;

	for (uint32_t i = 1; i + 2 < init->kid_count; i++)
		if (!strcmp(init->kids[i]->text, name))
			initial = init->kids[i]->kids[1];
	if (!initial)
		return false;
	err = fx_value_from_ast(graph->permanent, NULL, layer->text, initial,
		&missing);
	return !err && fx_value_equal(&missing, value);
}

/* What MADE does not remember and is the default need not be written: not
 * every torch remembers it either.
 */
static void
print_call(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_module *made, const struct call *call)
{
	const struct fx_layer *layer = fx_layer_find(made->class_name);
	const struct fx_ast *init = fx_layer_method(layer, "__init__");
	const char *separator = "";

	fx_buf_addf(out, "%s(", fx_class_short_name(made->class_name));
	for (size_t i = 0; i < call->count; i++) {
		const char *name = call->pairs[2 * i].text;
		const struct fx_value *value = &call->pairs[2 * i + 1];

		if (!fx_value_dict_get(&made->config, name) &&
			is_default(graph, layer, init, name, value))
			continue;
		fx_buf_addf(out, "%s%s=", separator, name);
		fx_value_print_as(out, value, FX_STYLE_CODE);
		separator = ", ";
	}
	fx_buf_add_char(out, ')');
}

bool
fx_emit_construct(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_module *module)
{
	const struct fx_layer *layer = fx_layer_find(module->class_name);
	const struct fx_ast *init =
		layer ? fx_layer_method(layer, "__init__") : NULL;
	struct call call = { .count = 0 };

	if (!init)
		return false;
	/* The first is self; the last two kids are no parameters. */
	for (uint32_t i = 1; i + 2 < init->kid_count; i++)
		if (!init->kids[i]->op)
			add_parameter(&call, init->kids[i], module);
	for (unsigned which = 0; which < 1u << call.switch_count; which++) {
		const struct fx_module *made =
			construct(graph, module, &call, which);

		if (made) {
			print_call(out, graph, made, &call);
			return true;
		}
	}
	return false;
}
