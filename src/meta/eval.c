/* eval.c - the metadata of one call.
 *
 * A call is folded (plain values), ruled (operations with a row), or expanded
 * and evaluated node by node (layers, composite functions, modules that own a
 * graph).
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/control.h"
#include "ir/fold.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/signature.h"
#include "ir/tensor_meta.h"
#include "ir/value_walk.h"
#include "meta/eval_private.h"
#include "meta/rules.h"
#include "ops/layertab.h"
#include "ops/meaning.h"

/* Graphs within graphs deeper than this are not followed. */
#define DEPTH_LIMIT 50
/* Nodes that one call may go through: graphs may call each other twice. */
#define STEP_LIMIT 200000

/* A node of a fragment that is being built: its rank and dtype may decide what
 * comes after it.
 */
static void
learn(void *context, struct fx_node *node)
{
	struct fx_meta *meta = context;
	struct fx_meta_env env = { NULL };
	struct fx_arena_mark mark = fx_arena_mark(meta->scratch);
	struct fx_size_conditions *conditions = meta->conditions;
	struct fx_value value;
	struct fx_error *err;

	/* They are noted when the fragment is evaluated. */
	meta->conditions = NULL;
	err = fx_meta_eval_node(meta, meta->scratch, &env, node, &value);
	meta->conditions = conditions;
	if (!err)
		fx_graph_set_meta(node, &value);
	fx_error_free(err);
	fx_arena_rollback(meta->scratch, mark);
}

struct fx_expander *
fx_meta_expander(struct fx_meta *meta)
{
	return meta->expander;
}

struct fx_meta *
fx_meta_new(void)
{
	struct fx_meta *meta = FX_NEW(struct fx_meta);

	meta->expander = fx_expander_new();
	meta->scratch = fx_arena_new();
	fx_expander_set_learn(meta->expander, learn, meta);
	return meta;
}

void
fx_meta_free(struct fx_meta *meta)
{
	if (!meta)
		return;
	fx_expander_free(meta->expander);
	fx_arena_free(meta->scratch);
	fx_map_deinit(&meta->names);
	free(meta);
}

struct fx_value
fx_meta_of_tensor(struct fx_arena *arena, const struct fx_tensor *tensor)
{
	return fx_tensor_meta_ints(arena, tensor->dtype, tensor->sizes,
		tensor->rank);
}

/* The device that a bound call asks for, or that of its first tensor. */
static const char *
device_of(const struct fx_shape_call *call)
{
	const char *device = NULL;

	for (size_t i = 0; i < call->signature->count; i++) {
		const struct fx_value *value = &call->bound[i];

		if ((value->kind == FX_VALUE_DEVICE ||
			    value->kind == FX_VALUE_STRING) &&
			!strcmp(call->signature->parameters[i].name, "device"))
			return value->text;
		if (value->kind == FX_VALUE_TENSOR && !device)
			device = value->tensor->device;
		if (fx_value_is_sequence(value) && value->count &&
			value->items[0].kind == FX_VALUE_TENSOR && !device)
			device = value->items[0].tensor->device;
		if (fx_value_is_sequence(value) && value->count &&
			value->items[0].kind == FX_VALUE_DEVICE)
			return value->items[0].text;
	}
	return device;
}

static struct fx_value
with_device(struct fx_arena *arena, struct fx_value value, const char *device)
{
	struct fx_tensor_meta *copy;
	struct fx_value *items;

	if (value.kind == FX_VALUE_TENSOR) {
		copy = FX_ARENA_NEW(arena, struct fx_tensor_meta);
		*copy = *value.tensor;
		copy->device = device;
		copy->strides = NULL;
		value.tensor = copy;
	} else if (value.kind == FX_VALUE_TUPLE && value.count &&
		   value.items[0].kind == FX_VALUE_TENSOR) {
		items = FX_ARENA_ARRAY(arena, struct fx_value, value.count);
		for (uint32_t i = 0; i < value.count; i++)
			items[i] = with_device(arena, value.items[i], device);
		value = fx_value_sequence(arena, FX_VALUE_TUPLE, items,
			value.count);
	}
	return value;
}

/* Return the name of TARGET without its module.  The name is cached, because
 * many nodes ask for it.
 */
static const char *
short_name(struct fx_meta *meta, const char *target)
{
	const char *name = fx_map_get_pointer(&meta->names, target);
	const char *word;
	size_t length;

	if (name)
		return name;
	word = fx_meaning_word(target, &length);
	name = fx_intern_n(word, length);
	fx_map_set_pointer(&meta->names, target, name);
	return name;
}

/* An operation with a row. */
static struct fx_error *
eval_rule(struct fx_meta *meta, struct fx_arena *arena,
	const struct fx_meta_call *call, struct fx_value *ret)
{
	struct fx_shape_call shape = { .arena = arena,
		.op = call->op,
		.needs_no_reason = call->lacks_input,
		.conditions = meta->conditions };
	struct fx_call_values values = { NULL, call->args, call->kwargs };
	struct fx_value *bound;
	const char *device;
	struct fx_error *err;

	shape.name = short_name(meta, call->target);
	values.name = shape.name;
	shape.signature = fx_signature_of(call->op);
	bound = FX_ARENA_ARRAY(arena, struct fx_value,
		shape.signature->count + 1);
	err = fx_signature_bind(arena, shape.signature, &values, bound);
	if (err)
		return err;
	shape.bound = bound;
	shape.result = (struct fx_value){ .kind = FX_VALUE_UNKNOWN };
	fx_shape_rule_of(call->op)(&shape);
	if (shape.error)
		return shape.error;
	if (shape.result.kind == FX_VALUE_UNKNOWN && !shape.result.text &&
		!call->lacks_input)
		shape.result = fx_fold_unknown("the rule does not say");
	device = device_of(&shape);
	*ret = device ? with_device(arena, shape.result, device) : shape.result;
	return NULL;
}

/* What folding or expanding does not know is not known, no failure. */
static struct fx_error *
soften(struct fx_error *err, struct fx_value *ret)
{
	if (!err || fx_error_code(err) != FX_ERR_UNSUPPORTED)
		return err;
	*ret = fx_fold_unknown(fx_error_message(err));
	fx_error_free(err);
	return NULL;
}

/* Python's own functions, and operators on plain values; the rules of
 * subscripts know both plain values and tensors.
 */
static bool
is_pythons(const struct fx_meta_call *call)
{
	fx_shape_rule *rule = fx_shape_rule_of(call->op);

	if (rule == fx_shape_python)
		return true;
	return strcmp(fx_op_info(call->op)->family, "operator") == 0 &&
	       rule != fx_shape_getitem && rule != fx_shape_setitem &&
	       !fx_fold_has(&call->args, FX_VALUE_TENSOR);
}

static struct fx_error *
eval_python(struct fx_arena *arena, const struct fx_meta_call *call,
	struct fx_value *ret)
{
	const char *name = fx_op_info(call->op)->spelling;

	if (call->kwargs.kind == FX_VALUE_DICT && call->kwargs.count)
		return soften(fx_error_new(FX_ERR_UNSUPPORTED,
				      "%s with keywords is not known", name),
			ret);
	return soften(fx_fold_call(arena, name, call->args.items,
			      call->args.count, ret),
		ret);
}

/* The leaves of a call in the order that fragments take them. */
struct leaves {
	struct fx_arena *arena;
	const struct fx_value **items;
	size_t count;
	size_t capacity;
};

static void
add_leaf(void *context, const struct fx_value *leaf)
{
	struct leaves *leaves = context;

	if (leaves->count == leaves->capacity) {
		size_t capacity = leaves->capacity ? 2 * leaves->capacity : 8;
		const struct fx_value **items = FX_ARENA_ARRAY(leaves->arena,
			const struct fx_value *, capacity);

		for (size_t i = 0; i < leaves->count; i++)
			items[i] = leaves->items[i];
		leaves->items = items;
		leaves->capacity = capacity;
	}
	leaves->items[leaves->count++] = leaf;
}

struct fx_error *
fx_meta_eval_graph(struct fx_meta *meta, struct fx_arena *arena,
	struct fx_graph *graph, const struct fx_value *const *inputs,
	struct fx_value *ret)
{
	FX_AUTO_MAP struct fx_map values = { 0 };
	struct fx_meta_env env = { &values };
	struct fx_node *node;
	struct fx_error *err = NULL;

	if (meta->depth >= DEPTH_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"graphs are nested more than %d deep", DEPTH_LIMIT);
	if (meta->depth++ == 0)
		meta->steps = 0;
	*ret = fx_value_none();
	fx_graph_for_each_node (node, graph) {
		struct fx_value *value = FX_ARENA_NEW(arena, struct fx_value);

		if (++meta->steps > STEP_LIMIT)
			err = fx_error_new(FX_ERR_LIMIT,
				"a call takes more than %d operations",
				STEP_LIMIT);
		else if (node->opcode == FX_OPCODE_PLACEHOLDER)
			*value = **inputs++;
		else
			err = fx_meta_eval_node(meta, arena, &env, node, value);
		if (err)
			break;
		fx_map_set_pointer(&values, node, value);
		if (node->opcode == FX_OPCODE_OUTPUT)
			*ret = *value;
	}
	meta->depth--;
	return err;
}

/* What a call expands to; MODULE has the members, NULL for functions. */
struct expansion {
	const struct fx_decomposition *fragment;
	struct fx_module *module;
};

/* A fragment with the arguments of CALL. */
static struct fx_error *
eval_fragment(struct fx_meta *meta, struct fx_arena *arena,
	const struct expansion *expansion, const struct fx_meta_call *call,
	struct fx_value *ret)
{
	const struct fx_decomposition *fragment = expansion->fragment;
	struct leaves leaves = { .arena = arena };
	const struct fx_value **inputs = FX_ARENA_ARRAY(arena,
		const struct fx_value *, fragment->input_count);
	size_t next = 0;

	fx_decompose_leaves(&call->args, add_leaf, &leaves);
	fx_decompose_leaves(&call->kwargs, add_leaf, &leaves);
	for (size_t i = 0; i < fragment->input_count; i++) {
		struct fx_value *value;
		const struct fx_tensor *tensor;

		if (!fragment->members[i]) {
			fx_assert(next < leaves.count);
			inputs[i] = leaves.items[next++];
			continue;
		}
		tensor = fx_module_find_tensor(expansion->module,
			fragment->members[i]);
		value = FX_ARENA_NEW(arena, struct fx_value);
		*value = tensor ? fx_meta_of_tensor(arena, tensor)
				: fx_fold_unknown("a parameter is missing");
		inputs[i] = value;
	}
	return fx_meta_eval_graph(meta, arena, fragment->graph, inputs, ret);
}

/* A graph that CALL calls: arguments go to its placeholders by position and
 * name, the rest take their defaults.
 */
static struct fx_error *
eval_nested(struct fx_meta *meta, struct fx_arena *arena,
	struct fx_graph *graph, const struct fx_meta_call *call,
	struct fx_value *ret)
{
	const struct fx_value **inputs = FX_ARENA_ARRAY(arena,
		const struct fx_value *, graph->node_count + 1);
	size_t own = call->node ? fx_control_own_count(call->node) : 0;
	struct fx_node *node;
	size_t count = 0;

	fx_graph_for_each_node (node, graph) {
		const struct fx_value *value = NULL;

		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		if (own + count < call->args.count)
			value = &call->args.items[own + count];
		else if (call->kwargs.kind == FX_VALUE_DICT &&
			 !(own && fx_control_is_own(call->node, node->target)))
			value = fx_value_dict_get(&call->kwargs, node->target);
		if (!value && node->args.count)
			value = &node->args.items[0];
		if (!value)
			return fx_error_new(FX_ERR_TYPE,
				"%s is called without its argument \"%s\"",
				call->target, node->target);
		inputs[count++] = value;
	}
	if (call->args.count > own + count)
		return fx_error_new(FX_ERR_TYPE,
			"%s takes %zu arguments, gets %u", call->target,
			own + count, call->args.count);
	return fx_meta_eval_graph(meta, arena, graph, inputs, ret);
}

/* An operator that calls a graph. */
static struct fx_error *
eval_called(struct fx_meta *meta, struct fx_arena *arena,
	const struct fx_meta_call *call, struct fx_value *ret)
{
	struct fx_graph *graphs[2];
	struct fx_error *err = fx_control_need(call->node, graphs);

	if (err)
		return soften(err, ret);
	return eval_nested(meta, arena, graphs[0], call, ret);
}

static struct fx_error *
eval_module(struct fx_meta *meta, struct fx_arena *arena,
	const struct fx_meta_call *call, struct fx_value *ret)
{
	struct fx_module *module =
		call->graph ? fx_module_find(call->graph->module, call->target)
			    : NULL;
	struct expansion expansion = { NULL, module };
	struct fx_error *err;

	if (!module) {
		*ret = fx_fold_unknown(fx_intern_format(
			"what the module %s is, is not known", call->target));
		return NULL;
	}
	if (module->graph)
		return eval_nested(meta, arena, module->graph, call, ret);
	err = fx_decompose_module(meta->expander, module, &call->args,
		&call->kwargs, &expansion.fragment);
	if (!err)
		err = eval_fragment(meta, arena, &expansion, call, ret);
	return soften(err, ret);
}

static struct fx_error *
eval_functional(struct fx_meta *meta, struct fx_arena *arena,
	const struct fx_meta_call *call, struct fx_value *ret)
{
	struct expansion expansion = { NULL, NULL };
	struct fx_error *err;

	if (!fx_functional_find(call->target)) {
		*ret = fx_fold_unknown(fx_intern_format("%s has no shape rule",
			call->target));
		return NULL;
	}
	err = fx_decompose_function(meta->expander, call->target, &call->args,
		&call->kwargs, &expansion.fragment);
	if (!err)
		err = eval_fragment(meta, arena, &expansion, call, ret);
	return soften(err, ret);
}

/* A method of something that is no tensor. */
static struct fx_error *
eval_plain_method(struct fx_arena *arena, const struct fx_meta_call *call,
	struct fx_value *ret)
{
	struct fx_value rest = { .kind = FX_VALUE_TUPLE,
		.count = call->args.count - 1,
		.items = call->args.items + 1 };

	return soften(fx_fold_method(arena, &call->args.items[0], call->target,
			      &rest, ret),
		ret);
}

static struct fx_value
plain(void *context, const struct fx_value *leaf)
{
	(void)context;
	return fx_value_plain(leaf);
}

struct fx_error *
fx_meta_eval(struct fx_meta *meta, struct fx_arena *arena,
	const struct fx_meta_call *call, struct fx_value *ret)
{
	struct fx_meta_call known = *call;
	bool is_method = call->opcode == FX_OPCODE_CALL_METHOD;

	if (fx_fold_has(&call->args, FX_VALUE_OPAQUE) ||
		fx_fold_has(&call->kwargs, FX_VALUE_OPAQUE)) {
		known.args = fx_value_map(arena, &call->args, plain, NULL);
		known.kwargs = fx_value_map(arena, &call->kwargs, plain, NULL);
	}
	call = &known;
	*ret = fx_value_none();
	if (call->opcode == FX_OPCODE_CALL_MODULE)
		return eval_module(meta, arena, call, ret);
	if (call->node && fx_control_is(call->node))
		return fx_meta_eval_control(meta, arena, call, ret);
	if (call->node && fx_control_calls(call->node))
		return eval_called(meta, arena, call, ret);
	if (!known.op)
		known.op = fx_op_of_target(call->opcode, call->target);
	if (is_method && !call->args.count)
		return fx_error_new(FX_ERR_TYPE,
			"the method %s has no receiver", call->target);
	if (is_method && call->args.items[0].kind != FX_VALUE_TENSOR &&
		known.op != FX_OP_ITEM)
		return eval_plain_method(arena, call, ret);
	if (known.op && is_pythons(&known))
		return eval_python(arena, &known, ret);
	if (known.op && (fx_shape_rule_of(known.op) != fx_shape_none ||
				!fx_functional_find(call->target)))
		return eval_rule(meta, arena, &known, ret);
	return eval_functional(meta, arena, call, ret);
}
