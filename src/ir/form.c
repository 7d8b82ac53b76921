/* form.c - a call in the words of its operation. */
#include <config.h>

#include "ir/form.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/signature.h"
#include "ops/spellings.h"

struct fx_forms {
	struct fx_arena *arena;
	struct fx_map signatures; /* text of parameters -> fx_signature */
	const char *inplace;      /* interned */
	const char *training;
};

struct fx_forms *
fx_forms_new(void)
{
	struct fx_forms *forms = FX_NEW(struct fx_forms);

	forms->arena = fx_arena_new();
	forms->inplace = fx_intern("inplace");
	forms->training = fx_intern("training");
	return forms;
}

void
fx_forms_free(struct fx_forms *forms)
{
	if (!forms)
		return;
	fx_map_deinit(&forms->signatures);
	fx_arena_free(forms->arena);
	free(forms);
}

/* The signature of PARAMETERS, a text of spellings.def. */
static const struct fx_signature *
signature_of(struct fx_forms *forms, const char *parameters)
{
	struct fx_signature *found =
		fx_map_get_pointer(&forms->signatures, parameters);
	struct fx_error *err;

	if (found)
		return found;
	found = FX_ARENA_NEW(forms->arena, struct fx_signature);
	err = fx_signature_parse(forms->arena, parameters, found);
	/* A row that does not parse is a bug of ours, and a test finds it. */
	fx_assert(!err);
	fx_map_set_pointer(&forms->signatures, parameters, found);
	return found;
}

const struct fx_spelling *
fx_form_spelling(enum fx_opcode opcode, const char *target)
{
	if (opcode == FX_OPCODE_CALL_MODULE) {
		if (!target || !fx_str_starts(target, "torch.nn."))
			return NULL;
		target = fx_intern_find(fx_class_short_name(target));
	}
	return target ? fx_spelling_find(opcode, target) : NULL;
}

struct fx_form_call
fx_form_call_of(const struct fx_node *node)
{
	struct fx_form_call call = { .opcode = (enum fx_opcode)node->opcode,
		.target = node->target,
		.args = node->args,
		.kwargs = node->kwargs };
	const struct fx_module *module;

	if (call.opcode != FX_OPCODE_CALL_MODULE)
		return call;
	module = fx_module_find(node->graph->module, node->target);
	/* A layer with code of its own is not what its class says. */
	call.target = module && !module->own_code ? module->class_name : NULL;
	if (module) {
		call.module = module;
		call.path = node->target;
		call.config = &module->config;
		call.is_training = module->training;
	}
	return call;
}

/* The configuration of a layer, one value a parameter of SIGNATURE. */
static bool
bind_config(const struct fx_forms *forms, const struct fx_form_call *call,
	const struct fx_signature *signature, struct fx_value *ret)
{
	for (size_t i = 0; i < signature->count; i++) {
		const struct fx_parameter *parameter =
			&signature->parameters[i];
		const struct fx_value *found =
			fx_value_dict_get(call->config, parameter->name);

		if (parameter->name == forms->training && !call->unsaid)
			ret[i] = fx_value_bool(call->is_training);
		else if (found)
			ret[i] = *found;
		else if (call->unsaid)
			ret[i] = *call->unsaid;
		else if (!parameter->is_required)
			ret[i] = parameter->fallback;
		else
			return false;
	}
	return true;
}

static size_t
find_parameter(const struct fx_signature *signature, const char *name)
{
	size_t i = 0;

	while (i < signature->count && signature->parameters[i].name != name)
		i++;
	return i;
}

/* Inputs of a layer are the parameters of the operation that its configuration
 * does not have.
 */
static bool
bind_inputs(const struct fx_form_call *call, const struct fx_signature *config,
	const struct fx_signature *operation, struct fx_value *bound)
{
	uint32_t at = 0;
	uint32_t named = 0;
	bool has_keywords = call->kwargs.kind == FX_VALUE_DICT;

	for (size_t i = 0; i < operation->count; i++) {
		const char *name = operation->parameters[i].name;
		const struct fx_value *found = NULL;

		if (find_parameter(config, name) < config->count)
			continue;
		if (at < call->args.count)
			found = &call->args.items[at++];
		else if (has_keywords)
			found = fx_value_dict_get(&call->kwargs, name);
		if (found)
			bound[i] = *found;
		else if (operation->parameters[i].is_required)
			return false;
		named += found &&
			 (at == 0 || found != &call->args.items[at - 1]);
	}
	return at == call->args.count &&
	       (!has_keywords || call->kwargs.count == named);
}

/* Put what the spelling's own parameters got where the operation has them. */
static bool
translate(struct fx_forms *forms, const struct fx_signature *own,
	const struct fx_value *values, const struct fx_value *unsaid,
	struct fx_form *form)
{
	struct fx_value *bound = (struct fx_value *)form->bound;
	const struct fx_signature *operation = signature_of(forms,
		fx_operation_at(form->spelling->operation)->parameters);

	/* What a spelling alone knows is let be where it is not said. */
	for (size_t i = 0; i < own->count; i++) {
		const struct fx_parameter *parameter = &own->parameters[i];
		size_t at = find_parameter(operation, parameter->name);

		if (at < operation->count)
			bound[at] = values[i];
		else if (parameter->name == forms->inplace)
			form->inplace = values[i];
		else if (parameter->name[0] != '_' &&
			 !(unsaid && fx_value_equal(&values[i], unsaid)) &&
			 !fx_value_equal(&values[i], &parameter->fallback))
			return false;
	}
	return true;
}

static bool
bind_call(struct fx_arena *arena, const struct fx_form_call *call,
	const struct fx_signature *own, struct fx_value *ret)
{
	struct fx_call_values values = { call->target, call->args,
		call->kwargs };
	struct fx_error *err = fx_signature_bind(arena, own, &values, ret);

	fx_error_free(err);
	return !err;
}

static bool
is_carried(const struct fx_parameter *parameter)
{
	return parameter->fallback.kind == FX_VALUE_ELLIPSIS;
}

/* What the layer that CALL calls carries for PARAMETER. */
static struct fx_value
carried(const struct fx_form_call *call, const struct fx_parameter *parameter)
{
	const struct fx_member *member =
		call->module ? fx_module_member(call->module, parameter->name)
			     : NULL;
	const char *text;

	if (!call->module)
		return parameter->fallback;
	if (!member || !member->tensor)
		return fx_value_none();
	text = fx_intern_format("self.%s.%s", call->path, parameter->name);
	return (struct fx_value){ .kind = FX_VALUE_OPAQUE,
		.count = (uint32_t)strlen(text),
		.text = text };
}

/* As bind_call, where a pattern leaves out what OPERATION's layers carry, or
 * what the function needs: that gets what is unsaid.
 */
static bool
bind_loosely(struct fx_arena *arena, const struct fx_form_call *call,
	const struct fx_signature *own, const struct fx_signature *operation,
	struct fx_value *ret)
{
	struct fx_parameter *parameters;
	struct fx_signature loose;

	if (!call->unsaid)
		return false;
	parameters = fx_signature_loosen(arena, own, call->is_open,
		call->unsaid, &loose);
	for (size_t i = 0; i < own->count; i++) {
		size_t at = find_parameter(operation, own->parameters[i].name);

		if (at == operation->count ||
			!is_carried(&operation->parameters[at]))
			continue;
		parameters[i].is_required = false;
		parameters[i].fallback = *call->unsaid;
	}
	return bind_call(arena, call, &loose, ret);
}

/* Whether CALL itself says `inplace`, by name or place. */
static bool
says_inplace(const struct fx_forms *forms, const struct fx_form_call *call,
	const struct fx_signature *own)
{
	const struct fx_value *said = call->opcode == FX_OPCODE_CALL_MODULE
					      ? call->config
					      : &call->kwargs;

	return (said && said->kind == FX_VALUE_DICT &&
		       fx_value_dict_get(said, forms->inplace)) ||
	       (call->opcode != FX_OPCODE_CALL_MODULE &&
		       call->args.count > find_parameter(own, forms->inplace));
}

bool
fx_form_of(struct fx_forms *forms, struct fx_arena *arena,
	const struct fx_form_call *call, struct fx_form *ret)
{
	const struct fx_spelling *spelling =
		fx_form_spelling(call->opcode, call->target);
	const struct fx_signature *own;
	const struct fx_signature *operation;
	struct fx_value *values;
	struct fx_value *bound;
	bool carries = false;

	if (!spelling)
		return false;
	own = signature_of(forms, spelling->parameters);
	operation = signature_of(forms,
		fx_operation_at(spelling->operation)->parameters);
	values = FX_ARENA_ARRAY(arena, struct fx_value, own->count);
	bound = FX_ARENA_ARRAY(arena, struct fx_value, operation->count);
	for (size_t i = 0; i < operation->count; i++) {
		bound[i] = call->is_open ? *call->unsaid
					 : operation->parameters[i].fallback;
		if (call->is_open || !is_carried(&operation->parameters[i]))
			continue;
		carries = true;
		bound[i] = carried(call, &operation->parameters[i]);
	}
	*ret = (struct fx_form){ .spelling = spelling,
		.bound = bound,
		.count = operation->count,
		.carries = carries,
		.says_inplace = says_inplace(forms, call, own) };
	if (call->opcode == FX_OPCODE_CALL_MODULE) {
		if (!bind_config(forms, call, own, values) ||
			!bind_inputs(call, own, operation, bound))
			return false;
	} else if ((call->is_open || !bind_call(arena, call, own, values)) &&
		   !bind_loosely(arena, call, own, operation, values)) {
		return false;
	}
	return translate(forms, own, values, call->unsaid, ret);
}

const char *
fx_form_parameter(struct fx_forms *forms, const struct fx_form *form,
	size_t index)
{
	const char *text =
		fx_operation_at(form->spelling->operation)->parameters;

	return signature_of(forms, text)->parameters[index].name;
}
