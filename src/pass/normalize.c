/* normalize.c - calls written in one way.
 *
 * Arguments: by the names of the parameters and in their order, defaults said,
 * as torch.fx's NormalizeArgs writes them; or those that are given by place
 * stay so.  Spellings: an operation that has several (ops/spellings.def) is
 * called by one, an operator of Python or a function of torch.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/edit.h"
#include "ir/form.h"
#include "ir/module.h"
#include "ir/signature.h"
#include "ir/value_walk.h"
#include "lang/ast.h"
#include "ops/layertab.h"
#include "ops/parameters.h"
#include "ops/spellings.h"
#include "pass/sweep.h"

enum style {
	STYLE_KEEP,
	STYLE_OPERATOR,
	STYLE_FUNCTION,
};

struct state {
	struct fx_sweep sweep;   /* first */
	struct fx_arena *arena;  /* of signatures */
	struct fx_map functions; /* target -> fx_signature, empty: none */
	struct fx_map layers;    /* class -> the same */
	struct fx_forms *forms;
	enum style style;
	bool keeps_places; /* what is given by place stays so */
	bool keeps_arguments;
};

/* What a node calls, and how. */
struct call {
	const char *target; /* interned */
	enum fx_opcode opcode;
	struct fx_value args;
	struct fx_value kwargs;
};

extern const struct fx_pass fx_pass_normalize;

/* --- parameters ---------------------------------------------------------- */

/* TEXT as a signature; one without parameters if it is NULL or no signature. */
static struct fx_signature *
parse(struct state *state, const char *text)
{
	struct fx_signature *found =
		FX_ARENA_NEW(state->arena, struct fx_signature);
	struct fx_error *err =
		text ? fx_signature_parse(state->arena, text, found) : NULL;

	if (err)
		*found = (struct fx_signature){ .count = 0 };
	fx_error_free(err);
	return found;
}

/* The parameters of FUNCTION (NULL: unknown) behind self, the caller's, or
 * NULL. They have no defaults: those differ between versions of torch.
 */
static char *
parameters_of(const struct fx_ast *function)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (uint32_t i = 0; function && i < function->kid_count; i++) {
		const struct fx_ast *kid = function->kids[i];

		if (!kid || kid->kind != FX_AST_PARAM)
			continue;
		if (kid->op != FX_AST_OP_NONE)
			return NULL;
		if (!strcmp(kid->text, "self"))
			continue;
		fx_buf_addf(&text, "%s%s=None", text.length ? ", " : "",
			kid->text);
	}
	return text.length ? fx_buf_take(&text) : NULL;
}

static const struct fx_ast *
find_forward(const char *class_name)
{
	const struct fx_layer *layer = fx_layer_find(class_name);

	return layer ? fx_layer_method(layer, "forward", NULL) : NULL;
}

static const struct fx_ast *
find_functional(const char *target)
{
	const struct fx_functional *functional = fx_functional_find(target);

	return functional ? fx_functional_tree(functional) : NULL;
}

/* The signature of what NODE's call CALL calls; without parameters: none. */
static const struct fx_signature *
signature_of(struct state *state, const struct fx_node *node,
	const struct call *call)
{
	const struct fx_module *module = NULL;
	struct fx_map *map = &state->functions;
	const char *key = call->target;
	FX_AUTO_FREE char *own = NULL;
	const char *text = NULL;
	struct fx_signature *found;

	if (call->opcode == FX_OPCODE_CALL_MODULE) {
		module = fx_module_find(node->graph->module, call->target);
		key = module && !module->own_code ? module->class_name : "";
		map = &state->layers;
	}
	found = fx_map_get_pointer(map, key);
	if (found)
		return found;
	if (call->opcode == FX_OPCODE_CALL_FUNCTION)
		text = fx_parameters_of(key);
	if (call->opcode == FX_OPCODE_CALL_MODULE)
		text = own = parameters_of(find_forward(key));
	else if (!text && fx_op_find(key) == FX_OP_NONE)
		text = own = parameters_of(find_functional(key));
	found = parse(state, text);
	fx_map_set_pointer(map, key, found);
	return found;
}

/* --- arguments ----------------------------------------------------------- */

/* Whether CALL says PARAMETER, the INDEXth. */
static bool
is_given(const struct call *call, const struct fx_parameter *parameter,
	size_t index)
{
	return (!parameter->is_keyword_only && index < call->args.count) ||
	       fx_value_dict_get(&call->kwargs, parameter->name);
}

/* Whether a normal call of CALL names PARAMETER: `out` and what layers take
 * only if it is given.
 */
static bool
is_named(const struct call *call, const struct fx_parameter *parameter,
	size_t index)
{
	if (parameter->is_keywords)
		return false;
	return is_given(call, parameter, index) ||
	       (fx_parameters_of(call->target) &&
		       parameter->name != fx_intern("out") &&
		       !parameter->is_rest);
}

/* *dims as it was given: one sequence.  False for several arguments. */
static bool
find_rest(const struct call *call, size_t index, struct fx_value *ret)
{
	if (call->args.count != index + 1 ||
		!fx_value_is_sequence(&call->args.items[index]))
		return false;
	*ret = call->args.items[index];
	return true;
}

/* CALL with names, into ARENA; false where that cannot be said. */
static bool
name_arguments(const struct state *state, struct fx_arena *arena,
	const struct fx_signature *signature, struct call *call)
{
	struct fx_call_values given = { call->target, call->args,
		call->kwargs };
	struct fx_value *bound =
		FX_ARENA_ARRAY(arena, struct fx_value, signature->count);
	struct fx_value *pairs =
		FX_ARENA_ARRAY(arena, struct fx_value, 2 * signature->count);
	size_t first = state->keeps_places ? call->args.count : 0;
	size_t count = 0;
	struct fx_error *err =
		fx_signature_bind(arena, signature, &given, bound);

	fx_error_free(err);
	if (err)
		return false;
	for (size_t i = 0; i < signature->count; i++) {
		const struct fx_parameter *p = &signature->parameters[i];

		if (p->is_keywords && fx_value_item_count(&bound[i]))
			return false;
		if (p->is_rest && i < call->args.count && i >= first &&
			!find_rest(call, i, &bound[i]))
			return false;
		if (!is_named(call, p, i) || (i < first && !p->is_keyword_only))
			continue;
		pairs[2 * count] = fx_value_string(p->name);
		pairs[2 * count++ + 1] = bound[i];
	}
	call->kwargs = fx_value_dict(arena, pairs, count);
	call->args = fx_value_sequence(arena, FX_VALUE_TUPLE, call->args.items,
		FX_MIN(first, call->args.count));
	return true;
}

/* --- spellings ----------------------------------------------------------- */

/* Whether SPELLING is of the kind that STYLE wants. */
static bool
is_wanted(enum style style, const struct fx_spelling *spelling)
{
	if (spelling->opcode != FX_OPCODE_CALL_FUNCTION)
		return false;
	if (style == STYLE_OPERATOR && fx_infix_find(spelling->target))
		return true;
	return style == STYLE_FUNCTION && fx_parameters_of(spelling->target);
}

/* How the operation of OLD is to be called: the first spelling of the row that
 * is wanted; else a function.  NULL: there is none.
 */
static const struct fx_spelling *
preferred(enum style style, const struct fx_spelling *old)
{
	const struct fx_spelling *first =
		fx_spelling_of_operation(fx_operation_at(old->operation)->name);
	const struct fx_spelling *at;

	if (style == STYLE_KEEP)
		return NULL;
	for (; style <= STYLE_FUNCTION; style++)
		for (at = first; at && at->operation == old->operation; at++)
			if (is_wanted(style, at))
				return at;
	return NULL;
}

/* A plain number beside a number is none of torch's. */
static bool
is_tensor(const struct fx_value *value)
{
	return value->kind == FX_VALUE_NODE && value->node->meta &&
	       value->node->meta->kind == FX_VALUE_TENSOR;
}

/* By place what SPELLING has to be given, the rest by name where it differs
 * from the default.  False where SPELLING cannot say it.
 */
static bool
write_form(struct state *state, const struct fx_form *form,
	const struct fx_spelling *spelling, struct call *ret)
{
	const struct fx_signature *operation =
		parse(state, fx_operation_at(spelling->operation)->parameters);
	const struct fx_signature *own = parse(state, spelling->parameters);
	struct fx_value *args = FX_ARENA_ARRAY(state->arena, struct fx_value,
		operation->count + 1);
	struct fx_value *pairs = FX_ARENA_ARRAY(state->arena, struct fx_value,
		2 * operation->count + 1);
	size_t count = 0;
	size_t named = 0;

	for (size_t i = 0; i < operation->count; i++) {
		const struct fx_parameter *p = &operation->parameters[i];
		bool is_own =
			i < own->count && own->parameters[i].name == p->name;
		bool by_place = is_own && p->is_required && count == i;

		if (by_place) {
			args[count++] = form->bound[i];
			continue;
		}
		if (fx_value_equal(&form->bound[i], &p->fallback))
			continue;
		if (!fx_parameters_of(spelling->target))
			return false;
		pairs[2 * named] = fx_value_string(p->name);
		pairs[2 * named++ + 1] = form->bound[i];
	}
	*ret = (struct call){ .target = spelling->target,
		.opcode = spelling->opcode,
		.args = fx_value_sequence(state->arena, FX_VALUE_TUPLE, args,
			count),
		.kwargs = fx_value_dict(state->arena, pairs, named) };
	return true;
}

/* CALL, that of NODE, by the preferred spelling. */
static void
spell(struct state *state, struct fx_arena *arena, const struct fx_node *node,
	struct call *call)
{
	const struct fx_form_call form_call = fx_form_call_of(node);
	const struct fx_spelling *wanted;
	struct fx_form form;

	if (state->style == STYLE_KEEP || node->is_wrapped ||
		(node->opcode != FX_OPCODE_CALL_METHOD &&
			!fx_parameters_of(node->target) &&
			!fx_infix_find(node->target)) ||
		!fx_form_of(state->forms, arena, &form_call, &form) ||
		form.carries)
		return;
	wanted = preferred(state->style, form.spelling);
	if (!wanted || wanted == form.spelling ||
		(form.inplace.kind == FX_VALUE_BOOL && form.inplace.truth) ||
		(form.inplace.kind != FX_VALUE_NONE &&
			form.inplace.kind != FX_VALUE_BOOL))
		return;
	if (form.count &&
		(fx_parameters_of(node->target) == NULL ||
			fx_infix_find(wanted->target)) &&
		!is_tensor(&form.bound[0]))
		return;
	(void)write_form(state, &form, wanted, call);
}

/* --- both ---------------------------------------------------------------- */

/* How NODE is to be called; false: as it is. */
static bool
find_call(struct state *state, struct fx_arena *arena,
	const struct fx_node *node, struct call *ret)
{
	const struct fx_signature *signature;

	if (node->opcode != FX_OPCODE_CALL_FUNCTION &&
		node->opcode != FX_OPCODE_CALL_METHOD &&
		node->opcode != FX_OPCODE_CALL_MODULE)
		return false;
	*ret = (struct call){ .target = node->target,
		.opcode = (enum fx_opcode)node->opcode,
		.args = node->args,
		.kwargs = node->kwargs };
	spell(state, arena, node, ret);
	if (!state->keeps_arguments && ret->opcode != FX_OPCODE_CALL_METHOD) {
		signature = signature_of(state, node, ret);
		if (signature->count)
			(void)name_arguments(state, arena, signature, ret);
	}
	return ret->target != node->target || ret->opcode != node->opcode ||
	       !fx_value_equal(&ret->args, &node->args) ||
	       !fx_value_equal(&ret->kwargs, &node->kwargs);
}

static struct fx_error *
normalize_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);
	FX_AUTO_FREE char *style = fx_pass_option_text(ctx, "spelling");
	FX_AUTO_FREE char *arguments = fx_pass_option_text(ctx, "args");

	fx_sweep_begin(&state->sweep, graph);
	state->arena = fx_arena_new();
	state->forms = fx_forms_new();
	state->style = !strcmp(style, "operator")   ? STYLE_OPERATOR
		       : !strcmp(style, "function") ? STYLE_FUNCTION
						    : STYLE_KEEP;
	state->keeps_places = !strcmp(arguments, "places");
	state->keeps_arguments = !strcmp(arguments, "keep");
	ctx->state = state;
	return NULL;
}

static void
normalize_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	fx_sweep_end(&state->sweep);
	fx_map_deinit(&state->functions);
	fx_map_deinit(&state->layers);
	fx_forms_free(state->forms);
	fx_arena_free(state->arena);
	free(state);
}

static bool
normalize_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;
	struct fx_node *node;
	bool is_found = false;

	(void)graph;
	while (!is_found && (node = fx_sweep_next(&state->sweep))) {
		FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
		struct call call;

		is_found = find_call(state, arena, node, &call);
		if (is_found && call.target != node->target)
			fx_sweep_offer(&state->sweep, node, ret,
				"%%%s calls %s", node->name, call.target);
		else if (is_found)
			fx_sweep_offer(&state->sweep, node, ret,
				"name the arguments of %%%s", node->name);
	}
	return is_found;
}

static struct fx_error *
normalize_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct fx_node *node = fx_graph_find_id(graph, candidate->node);
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_error *err = NULL;
	struct call call;

	if (!find_call(ctx->state, arena, node, &call))
		return NULL;
	if (call.target != node->target || call.opcode != node->opcode)
		err = fx_edit_set_opcode(node, call.opcode, call.target);
	return err ? err
		   : fx_edit_set_args(node,
			     fx_value_clone(graph->values, &call.args),
			     fx_value_clone(graph->values, &call.kwargs));
}

static const struct fx_pass_option options[] = {
	{ "args", FX_PASS_OPTION_TEXT, "names",
		"all arguments by name, what is given by place left there, or "
		"as they are",
		"names|places|keep" },
	{ "spelling", FX_PASS_OPTION_TEXT, "keep",
		"what operations are called by, where they have several names",
		"keep|operator|function" },
	{ .name = NULL },
};

const struct fx_pass fx_pass_normalize = {
	.name = "normalize",
	.summary = "calls written in one way",
	.takes = options,
	.claim = FX_CLAIM_EXACT,
	.open = normalize_open,
	.close = normalize_close,
	.plan = normalize_plan,
	.apply = normalize_apply,
};
