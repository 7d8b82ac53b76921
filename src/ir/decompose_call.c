/* decompose_call.c - calls in layers.py and functionals.py.
 *
 * A call is folded (builtins on constants), expanded in place (functions of
 * the two files, methods of layers, children), or becomes a node (operators).
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "ir/decompose_private.h"
#include "ir/fold.h"
#include "lang/ast.h"
#include "ops/layertab.h"
#include "ops/optab.h"

void
fx_partial_args_deinit(struct fx_partial_args *args)
{
	fx_vec_deinit(&args->items);
	fx_vec_deinit(&args->keywords);
}

static struct fx_error *
add_starred(struct fx_partial *partial, const struct fx_object *object,
	struct fx_partial_args *args)
{
	const struct fx_value *items;
	struct fx_value value;
	size_t count;
	struct fx_error *err = fx_partial_value(object, &value);

	if (!err)
		err = fx_partial_iterate(partial, &value, &items, &count);
	for (size_t i = 0; !err && i < count; i++)
		fx_vec_push(&args->items, fx_object_value(items[i]));
	return err;
}

static struct fx_error *
read_args(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *call, struct fx_partial_args *args)
{
	struct fx_error *err = NULL;

	for (uint32_t i = 1; !err && i < call->kid_count; i++) {
		const struct fx_ast *kid = call->kids[i];
		bool is_plain = kid->kind != FX_AST_KEYWORD &&
				kid->kind != FX_AST_STARRED;
		struct fx_variable keyword;
		struct fx_object object;

		if (kid->kind == FX_AST_DOUBLE_STARRED)
			return fx_error_new(FX_ERR_UNSUPPORTED,
				"** in a call is not evaluated");
		err = fx_partial_eval(partial, frame,
			is_plain ? kid : kid->kids[0], &object);
		if (err)
			return err;
		if (kid->kind == FX_AST_STARRED) {
			err = add_starred(partial, &object, args);
		} else if (kid->kind == FX_AST_KEYWORD) {
			keyword.name = kid->text;
			keyword.object = object;
			fx_vec_push(&args->keywords, keyword);
		} else {
			fx_vec_push(&args->items, object);
		}
	}
	return err;
}

/* ARGS as a TUPLE and a DICT of values. */
static struct fx_error *
args_values(struct fx_partial *partial, const struct fx_partial_args *args,
	struct fx_value *tuple_ret, struct fx_value *dict_ret)
{
	struct fx_value *items = FX_ARENA_ARRAY(partial->arena, struct fx_value,
		args->items.count);
	struct fx_value *pairs = FX_ARENA_ARRAY(partial->arena, struct fx_value,
		2 * args->keywords.count);
	struct fx_error *err = NULL;

	for (size_t i = 0; !err && i < args->items.count; i++)
		err = fx_partial_value(&args->items.items[i], &items[i]);
	for (size_t i = 0; !err && i < args->keywords.count; i++) {
		pairs[2 * i] = fx_value_string(args->keywords.items[i].name);
		err = fx_partial_value(&args->keywords.items[i].object,
			&pairs[2 * i + 1]);
	}
	*tuple_ret = fx_value_sequence(partial->arena, FX_VALUE_TUPLE, items,
		args->items.count);
	*dict_ret = fx_value_dict(partial->arena, pairs, args->keywords.count);
	return err;
}

/* Binding the parameters of a FUNCTION tree. */
struct applying {
	struct fx_partial *partial;
	struct fx_location *frame;
	const struct fx_partial_function *function;
	const struct fx_partial_args *args;
	size_t next; /* positional argument */
	size_t used; /* keywords */
};

static const struct fx_object *
keyword_named(struct applying *a, const char *name)
{
	for (size_t i = 0; i < a->args->keywords.count; i++)
		if (a->args->keywords.items[i].name == name) {
			a->used++;
			return &a->args->keywords.items[i].object;
		}
	return NULL;
}

static struct fx_error *
bind_rest(struct applying *a, const struct fx_ast *param)
{
	size_t count = a->args->items.count > a->next
			       ? a->args->items.count - a->next
			       : 0;
	struct fx_value *items =
		FX_ARENA_ARRAY(a->partial->arena, struct fx_value, count);
	struct fx_object object;
	struct fx_error *err = NULL;

	for (size_t i = 0; !err && i < count; i++)
		err = fx_partial_value(&a->args->items.items[a->next + i],
			&items[i]);
	a->next += count;
	object = fx_object_value(fx_value_sequence(a->partial->arena,
		FX_VALUE_TUPLE, items, count));
	fx_location_set(a->frame, param->text, &object);
	return err;
}

static struct fx_error *
bind_param(struct applying *a, const struct fx_ast *param)
{
	const struct fx_object *given;
	struct fx_object fallback;
	struct fx_error *err;

	if (param->op == FX_AST_MUL)
		return bind_rest(a, param);
	if (param->op == FX_AST_POW) {
		a->used = a->args->keywords.count;
		return NULL;
	}
	given = keyword_named(a, param->text);
	if (a->next < a->args->items.count) {
		if (given)
			return fx_error_new(FX_ERR_TYPE,
				"%s() got two values for \"%s\"",
				a->function->name, param->text);
		given = &a->args->items.items[a->next++];
	}
	if (given) {
		fx_location_set(a->frame, param->text, given);
		return NULL;
	}
	if (param->kid_count < 2 || !param->kids[1])
		return fx_error_new(FX_ERR_TYPE, "%s() needs \"%s\"",
			a->function->name, param->text);
	err = fx_partial_eval(a->partial, a->frame, param->kids[1], &fallback);
	if (!err)
		fx_location_set(a->frame, param->text, &fallback);
	return err;
}

static struct fx_error *
bind_all(struct applying *a)
{
	const struct fx_ast *tree = a->function->tree;
	struct fx_error *err = NULL;

	for (uint32_t i = 0; !err && i < tree->kid_count; i++) {
		if (tree->kids[i]->kind != FX_AST_PARAM)
			break;
		err = bind_param(a, tree->kids[i]);
	}
	if (err)
		return err;
	if (a->next < a->args->items.count)
		return fx_error_new(FX_ERR_TYPE,
			"%s() takes %zu positional arguments, not %zu",
			a->function->name, a->next, a->args->items.count);
	if (a->used < a->args->keywords.count)
		return fx_error_new(FX_ERR_TYPE,
			"%s() has no parameter of one of the names given",
			a->function->name);
	return NULL;
}

/* The BLOCK of a FUNCTION: after its parameters. */
static const struct fx_ast *
block_of(const struct fx_ast *tree)
{
	for (uint32_t i = 0; i < tree->kid_count; i++)
		if (tree->kids[i] && tree->kids[i]->kind == FX_AST_BLOCK)
			return tree->kids[i];
	return NULL;
}

struct fx_error *
fx_partial_apply(struct fx_partial *partial,
	const struct fx_partial_function *function,
	const struct fx_partial_args *args, struct fx_object *ret)
{
	struct fx_location frame = { .text = function->text };
	struct applying applying = { partial, &frame, function, args, 0, 0 };
	struct fx_error *err;

	if (partial->depth >= FX_PARTIAL_DEPTH)
		return fx_error_new(FX_ERR_LIMIT,
			"functions call each other more than %d deep",
			FX_PARTIAL_DEPTH);
	partial->depth++;
	frame.result = fx_object_value(fx_value_none());
	err = bind_all(&applying);
	if (!err)
		err = fx_partial_run(partial, &frame, block_of(function->tree));
	*ret = frame.result;
	fx_vec_deinit(&frame.variables);
	partial->depth--;
	return err;
}

struct fx_error *
fx_partial_method(struct fx_partial *partial, const struct fx_object *module,
	const char *method, struct fx_partial_args *args, struct fx_object *ret)
{
	const struct fx_layer *layer =
		fx_layer_find(module->module->class_name);
	struct fx_partial_function function = { .name = method };

	if (strcmp(method, "children") == 0) {
		*ret = *module;
		ret->kind = FX_OBJECT_CHILDREN;
		return NULL;
	}
	if (module->module->own_code && strcmp(method, "forward") == 0)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"a %s with %s runs in Python only",
			fx_class_short_name(module->module->class_name),
			module->module->own_code);
	if (layer)
		function.tree = fx_layer_method(layer, method, &function.text);
	if (!function.tree)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"what %s of %s does is not known", method,
			module->module->class_name);
	fx_vec_insert(&args->items, 0, *module);
	return fx_partial_apply(partial, &function, args, ret);
}

/* A method of a value: of a node it becomes a node, unless metadata answer. */
static struct fx_error *
call_value_method(struct fx_partial *partial, const struct fx_value *receiver,
	const char *method, const struct fx_partial_args *args,
	struct fx_object *ret)
{
	struct fx_value tuple;
	struct fx_value dict;
	struct fx_value self = *receiver;
	struct fx_value result;
	struct fx_value all;
	bool asks_rank =
		strcmp(method, "dim") == 0 || strcmp(method, "ndimension") == 0;
	struct fx_error *err = args_values(partial, args, &tuple, &dict);

	if (err)
		return err;
	if (receiver->kind != FX_VALUE_NODE || asks_rank) {
		struct fx_value meta = fx_partial_meta(partial, receiver);

		err = fx_fold_method(partial->arena, &meta, method, &tuple,
			&result);
		if (err)
			return err;
		*ret = fx_object_value(result);
		if (result.kind != FX_VALUE_UNKNOWN)
			return NULL;
		if (asks_rank)
			return fx_error_new(FX_ERR_UNSUPPORTED,
				"the rank of a tensor is not known");
		return NULL;
	}
	all = fx_value_sequence(partial->arena, FX_VALUE_TUPLE, &self, 1);
	err = fx_fold_binary(partial->arena, FX_AST_ADD, &all, &tuple, &all);
	if (err)
		return err;
	*ret = fx_object_value(fx_partial_emit(partial, FX_OPCODE_CALL_METHOD,
		method, all, dict));
	return NULL;
}

/* setattr(module, name, value), which only constructors use. */
static struct fx_error *
call_setattr(struct fx_partial *partial, const struct fx_partial_args *args)
{
	const struct fx_object *items = args->items.items;

	if (args->items.count != 3 || items[0].kind != FX_OBJECT_MODULE ||
		items[1].value.kind != FX_VALUE_STRING)
		return fx_error_new(FX_ERR_TYPE, "setattr() is used wrongly");
	return fx_partial_assign(partial, &items[0], items[1].value.text,
		&items[2]);
}

/* Of a module; of values as any builtin. */
static bool
is_module_getattr(const char *name, const struct fx_partial_args *args)
{
	const struct fx_object *items = args->items.items;

	return strcmp(name, "getattr") == 0 && args->items.count == 2 &&
	       items[0].kind == FX_OBJECT_MODULE &&
	       items[1].kind == FX_OBJECT_VALUE &&
	       items[1].value.kind == FX_VALUE_STRING;
}

/* A builtin, or a function of math: folded, unless a node takes part that
 * metadata do not decide.
 */
static struct fx_error *
call_builtin(struct fx_partial *partial, const char *name,
	const struct fx_partial_args *args, struct fx_object *ret)
{
	struct fx_value tuple;
	struct fx_value dict;
	struct fx_value metas;
	struct fx_value result;
	struct fx_error *err = args_values(partial, args, &tuple, &dict);

	if (err)
		return err;
	if (dict.count)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%s() with keywords is not evaluated", name);
	metas = fx_partial_meta(partial, &tuple);
	/* tuple(x) of a sequence with nodes keeps the nodes. */
	err = fx_fold_call(partial->arena, name,
		strcmp(name, "len") == 0 || strcmp(name, "isinstance") == 0
			? metas.items
			: tuple.items,
		tuple.count, &result);
	if (!err && (!fx_partial_has_node(&tuple) ||
			    fx_value_is_sequence(&result) ||
			    result.kind == FX_VALUE_BOOL ||
			    result.kind == FX_VALUE_INT)) {
		*ret = fx_object_value(result);
		return NULL;
	}
	if (err && !fx_partial_has_node(&tuple))
		return err;
	fx_error_free(err);
	*ret = fx_object_value(fx_partial_emit(partial, FX_OPCODE_CALL_FUNCTION,
		strchr(name, '.') ? fx_intern(name)
				  : fx_intern_format("builtins.%s", name),
		tuple, dict));
	return NULL;
}

static struct fx_error *
call_functional(struct fx_partial *partial,
	const struct fx_functional *functional,
	const struct fx_partial_args *args, struct fx_object *ret)
{
	const struct fx_ast *tree = fx_functional_tree(functional);
	struct fx_partial_function function = { tree, functional->text,
		tree->text };

	return fx_partial_apply(partial, &function, args, ret);
}

/* Whether CANONICAL is another way to write NAME.  A row may serve several
 * operations, and a function that is itself expanded is not what it calls.
 */
static bool
is_spelling_of(const char *name, const char *canonical)
{
	const char *last = strrchr(name, '.');
	const char *other = strrchr(canonical, '.');

	return fx_str_starts(canonical, "torch.") && last && other &&
	       strcmp(last, other) == 0 && !fx_functional_find(canonical);
}

/* An operator by its canonical spelling, so that a fragment reads as what
 * tracing the layer would print.
 */
static struct fx_error *
call_operator(struct fx_partial *partial, const char *name,
	const struct fx_partial_args *args, struct fx_object *ret)
{
	enum fx_op op = fx_op_find(name);
	const char *target = op ? fx_op_info(op)->spelling : name;
	struct fx_value tuple;
	struct fx_value dict;
	struct fx_error *err = args_values(partial, args, &tuple, &dict);

	if (err)
		return err;
	if (!partial->expander)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"a constructor calls %s()", name);
	if (op && !is_spelling_of(name, target))
		target = name;
	*ret = fx_object_value(fx_partial_emit(partial, FX_OPCODE_CALL_FUNCTION,
		fx_intern(target), tuple, dict));
	return NULL;
}

static struct fx_error *
call_class(struct fx_partial *partial, const char *name,
	struct fx_partial_args *args, struct fx_object *ret)
{
	struct fx_module *module;
	struct fx_error *err;

	if (partial->expander)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"a layer is made while another is called");
	err = fx_partial_construct(partial, name, args, &module);
	*ret = (struct fx_object){
		.kind = FX_OBJECT_MODULE, .module = module, .name = ""
	};
	return err;
}

static struct fx_error *
call_name(struct fx_partial *partial, const char *name,
	struct fx_partial_args *args, struct fx_object *ret)
{
	const struct fx_functional *functional = fx_functional_find(name);
	bool is_bare = !strchr(name, '.');

	/* What has a row of its own is an operator in the fragment. */
	if (functional && (is_bare || !fx_op_find(name)))
		return call_functional(partial, functional, args, ret);
	if (strcmp(name, "Parameter") == 0 || strcmp(name, "Buffer") == 0)
		return fx_partial_tensor(partial, name[0] == 'B', args, ret);
	if (strcmp(name, "setattr") == 0)
		return call_setattr(partial, args);
	if (is_module_getattr(name, args))
		return fx_partial_attribute(partial, &args->items.items[0],
			args->items.items[1].value.text, ret);
	if (fx_layer_find(name))
		return call_class(partial, name, args, ret);
	if (is_bare || fx_str_starts(name, "math."))
		return call_builtin(partial, name, args, ret);
	return call_operator(partial, name, args, ret);
}

static struct fx_error *
call_object(struct fx_partial *partial, const struct fx_object *callee,
	struct fx_partial_args *args, struct fx_object *ret)
{
	if (callee->kind == FX_OBJECT_NAME)
		return call_name(partial, callee->name, args, ret);
	if (callee->kind == FX_OBJECT_MODULE)
		return fx_partial_method(partial, callee, "forward", args, ret);
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"something that is no function is called");
}

struct fx_error *
fx_partial_call(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *call, struct fx_object *ret)
{
	FX_AUTO_PARTIAL_ARGS struct fx_partial_args args = { 0 };
	const struct fx_ast *callee = call->kids[0];
	struct fx_object owner;
	struct fx_object object;
	struct fx_error *err = read_args(partial, frame, call, &args);

	if (err)
		return err;
	if (callee->kind != FX_AST_ATTR) {
		err = fx_partial_eval(partial, frame, callee, &object);
		return err ? err : call_object(partial, &object, &args, ret);
	}
	err = fx_partial_eval(partial, frame, callee->kids[0], &owner);
	if (err)
		return err;
	if (owner.kind == FX_OBJECT_VALUE)
		return call_value_method(partial, &owner.value, callee->text,
			&args, ret);
	if (owner.kind == FX_OBJECT_MODULE &&
		!fx_module_member(owner.module, callee->text))
		return fx_partial_method(partial, &owner, callee->text, &args,
			ret);
	err = fx_partial_eval(partial, frame, callee, &object);
	return err ? err : call_object(partial, &object, &args, ret);
}
