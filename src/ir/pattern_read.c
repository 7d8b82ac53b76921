/* pattern_read.c - reading patterns.
 *
 * The names are placeholders; the rest is built as any code is (ir/build.h),
 * with an environment in which layers are described rather than made.
 */
#include <config.h>

#include "ir/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/build.h"
#include "ir/pattern_private.h"
#include "ir/rewrite_private.h"
#include "ir/signature.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "ops/layertab.h"
#include "ops/optab.h"
#include "ops/spellings.h"

/* --- the environment ----------------------------------------------------- */

/* What _ is: one node for all of them. */
static const struct fx_value *
anything(struct fx_rule_reading *reading)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = "_" };

	if (reading->read.any.kind != FX_VALUE_NODE)
		reading->read.any =
			fx_value_node(fx_graph_append(reading->build.graph,
				&spec));
	return &reading->read.any;
}

static const struct fx_value *
find(struct fx_builder *builder, const char *name)
{
	struct fx_rule_reading *reading = (struct fx_rule_reading *)builder;

	if (!strcmp(name, "_"))
		return anything(reading);
	return fx_map_get_pointer(&reading->read.names, name);
}

/* Bare names are operations by any spelling, else what torch calls so. */
const char *
fx_rule_function(struct fx_builder *builder, const char *name)
{
	static const char *const homes[] = { "torch.", "torch.nn.functional.",
		"operator.", "math." };
	const struct fx_spelling *spelling = fx_spelling_of_operation(name);

	(void)builder;
	if (spelling && spelling->opcode == FX_OPCODE_CALL_FUNCTION)
		return spelling->target;
	for (size_t i = 0; i < FX_ARRAY_LEN(homes); i++) {
		const char *full = fx_intern_format("%s%s", homes[i], name);

		if (fx_op_find(full) != FX_OP_NONE || fx_functional_find(full))
			return full;
	}
	return NULL;
}

struct fx_error *
fx_rule_refuse(struct fx_builder *builder, enum fx_build_problem problem,
	const struct fx_ast *tree)
{
	const struct fx_ast *called = tree->kid_count ? tree->kids[0] : tree;
	const char *name = called->text;
	struct fx_nearest nearest;
	struct fx_error *err;

	switch (problem) {
	case FX_BUILD_UNDEFINED:
		return fx_build_error(builder, tree, FX_ERR_NO_NAME,
			"\"%s\" is no name of this rule", tree->text);
	case FX_BUILD_NOT_CALLABLE:
		return fx_build_error(builder, called, FX_ERR_TYPE,
			"\"%s\" stands for a value and cannot be called", name);
	case FX_BUILD_NO_FUNCTION:
		break;
	}
	err = fx_build_error(builder, called, FX_ERR_NO_NAME,
		"\"%s\" is no function that fxdb knows", name);
	if (fx_layer_find(name))
		return fx_error_hint(err, "a layer is called nn.%s(x)", name);
	fx_nearest_init(&nearest, name);
	for (size_t i = 0; fx_operation_at(i); i++)
		fx_nearest_offer(&nearest, fx_operation_at(i)->name);
	return fx_nearest_note(&nearest, err);
}

/* torch.fx sees the calls that functions of torch.nn.functional make of
 * themselves: relu(x) as relu(x, inplace=False).  Of those that take one
 * tensor, the rest are keywords with their defaults.
 */
static void
materialise(struct fx_builder *builder, struct fx_node_spec *spec)
{
	static const char home[] = "torch.nn.functional.";
	struct fx_arena *arena = builder->graph->permanent;
	enum fx_op op = fx_op_find(spec->target);
	const struct fx_signature *signature = fx_signature_of(op);
	struct fx_call_values call = { spec->target, spec->args, spec->kwargs };
	size_t count = signature->count;
	struct fx_value *bound;
	struct fx_value *pairs;
	struct fx_error *err;

	if (!fx_str_starts(spec->target, home) ||
		!fx_str_starts(fx_op_info(op)->spelling, home) || !count)
		return;
	for (size_t i = 0; i < count; i++)
		if (signature->parameters[i].is_required != (i == 0))
			return;
	bound = FX_ARENA_ARRAY(arena, struct fx_value, count);
	pairs = FX_ARENA_ARRAY(arena, struct fx_value, 2 * count);
	err = fx_signature_bind(arena, signature, &call, bound);
	fx_error_free(err);
	if (err)
		return;
	for (size_t i = 1; i < count; i++) {
		pairs[2 * i - 2] =
			fx_value_string(signature->parameters[i].name);
		pairs[2 * i - 1] = bound[i];
	}
	spec->args = fx_value_sequence(builder->graph->values, FX_VALUE_TUPLE,
		bound, 1);
	spec->kwargs = fx_value_dict(builder->graph->values, pairs, count - 1);
}

/* Take `...` from the end of the arguments of SPEC, of a pattern; x[...] is an
 * index.
 */
static bool
take_rest(struct fx_node_spec *spec)
{
	struct fx_value *args = &spec->args;

	if (!args->count || fx_op_find(spec->target) == FX_OP_GETITEM ||
		args->items[args->count - 1].kind != FX_VALUE_ELLIPSIS)
		return false;
	args->count--;
	return true;
}

struct fx_node *
fx_rule_emit(struct fx_builder *builder, const struct fx_build_left *left,
	struct fx_node_spec *spec)
{
	struct fx_rule_reading *reading = (struct fx_rule_reading *)builder;
	const struct fx_pattern *pattern = reading->pattern;
	bool is_open = false;
	struct fx_node *node;

	if (reading->replacement)
		pattern = reading->replacement->pattern;
	if (!(pattern->how & FX_PATTERN_TORCH))
		is_open = reading->pattern && take_rest(spec);
	else if (spec->opcode == FX_OPCODE_CALL_FUNCTION)
		materialise(builder, spec);

	(void)left;
	node = fx_graph_append(builder->graph, spec);
	if (is_open)
		fx_map_set(&reading->read.open, (uintptr_t)node, 1);
	return node;
}

/* Whether TREE is nn.Conv2d, or the class of another module. */
const char *
fx_rule_class(struct fx_builder *builder, const struct fx_ast *tree)
{
	const char *name;

	if (tree->kind != FX_AST_ATTR || tree->text[0] < 'A' ||
		tree->text[0] > 'Z')
		return NULL;
	name = fx_build_dotted(builder, tree);
	if (!name)
		return NULL;
	if (!fx_str_starts(name, "torch.nn."))
		return fx_str_starts(name, "torch.") ? NULL : name;
	return strchr(name + strlen("torch.nn."), '.')
		       ? name
		       : fx_intern(name + strlen("torch.nn."));
}

/* Make the first arguments of CALL, a constructor's, keywords by the names that
 * LAYER's __init__ has for them.
 */
static struct fx_error *
name_arguments(struct fx_builder *builder, const struct fx_ast *call,
	struct fx_pattern_layer *layer)
{
	struct fx_arena *arena = builder->graph->permanent;
	const struct fx_layer *known = fx_layer_find(layer->class_name);
	const struct fx_ast *init =
		known ? fx_layer_method(known, "__init__", NULL) : NULL;
	struct fx_value args;
	struct fx_value kwargs;
	struct fx_value *items;
	struct fx_error *err =
		fx_build_layer_arguments(builder, call, &args, &kwargs);

	if (err)
		return err;
	items = FX_ARENA_ARRAY(arena, struct fx_value,
		2 * ((size_t)args.count + kwargs.count));
	for (uint32_t i = 0; i < args.count; i++) {
		const struct fx_ast *parameter = init && i + 1 < init->kid_count
							 ? init->kids[i + 1]
							 : NULL;

		if (!parameter || parameter->kind != FX_AST_PARAM ||
			parameter->op != FX_AST_OP_NONE)
			return fx_build_error(builder, call, FX_ERR_TYPE,
				"what argument %u of %s is, is not known: give "
				"it by name",
				i + 1, layer->class_name);
		items[2 * i] = fx_value_string(parameter->text);
		items[2 * i + 1] = args.items[i];
	}
	for (uint32_t i = 0; i < 2 * kwargs.count; i++)
		items[2 * args.count + i] = kwargs.items[i];
	layer->config =
		fx_value_dict(arena, items, (size_t)args.count + kwargs.count);
	return NULL;
}

/* nn.X(...)(x) has its configuration in the first call, nn.X(x, ...) by name
 * among the arguments.
 */
static struct fx_error *
construct(struct fx_builder *builder, const struct fx_ast *call, bool is_called,
	const char **ret)
{
	struct fx_rule_reading *reading = (struct fx_rule_reading *)builder;
	struct fx_pattern *pattern = reading->pattern;
	const char *name = fx_rule_class(builder, call->kids[0]);
	struct fx_pattern_layer *layer;
	struct fx_error *err = NULL;

	if (!name)
		return NULL;
	layer = FX_ARENA_NEW(builder->graph->permanent,
		struct fx_pattern_layer);
	layer->class_name = name;
	layer->is_made = is_called;
	layer->config = fx_value_dict(builder->graph->permanent, NULL, 0);
	if (is_called)
		err = name_arguments(builder, call, layer);
	*ret = fx_intern_format("%s.%zu", name, pattern->layers.count);
	fx_vec_push(&pattern->layers, layer);
	return err;
}

static const struct fx_build_environment environment = {
	.find = find,
	.function = fx_rule_function,
	.refuse = fx_rule_refuse,
	.emit = fx_rule_emit,
	.construct = construct,
};

/* --- names --------------------------------------------------------------- */

struct fx_value *
fx_rule_add_name(struct fx_rule_reading *reading, const char *name)
{
	struct fx_graph *graph = reading->build.graph;
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = name };
	struct fx_value *value =
		FX_ARENA_NEW(graph->permanent, struct fx_value);

	*value = fx_value_node(fx_graph_append(graph, &spec));
	fx_map_set_pointer(&reading->read.names, name, value);
	return value;
}

static bool
is_free_name(const struct fx_rule_reading *reading, const struct fx_ast *tree)
{
	static const char *const words[] = { "_", "self", "inf", "nan",
		"Ellipsis", "int", "float", "bool", "str" };

	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		if (!strcmp(tree->text, words[i]))
			return false;
	return !fx_map_has(&reading->read.names, (uintptr_t)tree->text);
}

/* Make the bare names of TREE that nothing else is called names of the pattern.
 */
static void
collect(struct fx_rule_reading *reading, const struct fx_ast *tree)
{
	uint32_t first = 0;

	if (!tree)
		return;
	if (tree->kind == FX_AST_NAME) {
		if (is_free_name(reading, tree))
			fx_rule_add_name(reading, tree->text);
		return;
	}
	if (tree->kind == FX_AST_ATTR && fx_build_dotted(&reading->build, tree))
		return;
	if (tree->kind == FX_AST_CALL && tree->kids[0]->kind == FX_AST_NAME)
		first = 1;
	for (uint32_t i = first; i < tree->kid_count; i++)
		collect(reading, tree->kids[i]);
}

/* --- statements ---------------------------------------------------------- */

static struct fx_error *
not_a_rule(const struct fx_rule_reading *reading, const struct fx_ast *tree)
{
	return fx_build_error(&reading->build, tree, FX_ERR_SYNTAX,
		"a rule only assigns and returns: nothing in it runs");
}

/* NAME = EXPRESSION. */
static struct fx_error *
read_assignment(struct fx_rule_reading *reading, const struct fx_ast *tree,
	bool is_expression)
{
	const struct fx_ast *target = tree->kids[0];
	struct fx_value *value;
	struct fx_error *err;

	if (tree->kid_count != 2 || target->kind != FX_AST_NAME)
		return fx_build_error(&reading->build, tree, FX_ERR_SYNTAX,
			"a rule gives one name to one value");
	if (reading->pattern && is_expression)
		collect(reading, tree->kids[1]);
	value = FX_ARENA_NEW(reading->build.graph->permanent, struct fx_value);
	err = fx_build_value(&reading->build, tree->kids[1], value);
	if (err)
		return err;
	if (fx_map_has(&reading->read.names, (uintptr_t)target->text))
		return fx_build_error(&reading->build, target,
			FX_ERR_NAME_TAKEN, "\"%s\" has a meaning already",
			target->text);
	fx_map_set_pointer(&reading->read.names, target->text, value);
	return NULL;
}

static struct fx_error *
read_result(struct fx_rule_reading *reading, const struct fx_ast *tree,
	bool is_expression)
{
	if (reading->has_result)
		return not_a_rule(reading, tree);
	reading->has_result = true;
	if (reading->pattern && is_expression)
		collect(reading, tree);
	return fx_build_value(&reading->build, tree, &reading->read.result);
}

/* One line of a function, or a part of an expression divided by semicolons. */
static struct fx_error *
read_statement(struct fx_rule_reading *reading, const struct fx_ast *tree,
	bool is_expression)
{
	if (tree->height > FX_BUILD_HEIGHT)
		return fx_build_error(&reading->build, tree, FX_ERR_LIMIT,
			"the pattern is nested too deep");
	switch ((int)tree->kind) {
	case FX_AST_ASSIGN:
		return reading->has_result
			       ? not_a_rule(reading, tree)
			       : read_assignment(reading, tree, is_expression);
	case FX_AST_PASS:
		return NULL;
	case FX_AST_RETURN:
		if (is_expression || !tree->kids[0])
			break;
		return read_result(reading, tree->kids[0], false);
	case FX_AST_EXPRESSION:
		if (is_expression)
			return read_result(reading, tree->kids[0], true);
		if (tree->kids[0]->kind == FX_AST_STRING)
			return NULL;
		break;
	}
	return not_a_rule(reading, tree);
}

static struct fx_error *
read_statements(struct fx_rule_reading *reading, const struct fx_ast *block,
	bool is_expression)
{
	struct fx_error *err = NULL;

	for (uint32_t i = 0; i < block->kid_count && !err; i++)
		err = read_statement(reading, block->kids[i], is_expression);
	if (!err && !reading->has_result)
		err = fx_error_new(FX_ERR_SYNTAX, "the rule gives no result");
	return err;
}

static struct fx_error *
read_function(struct fx_rule_reading *reading, const struct fx_ast *tree)
{
	uint32_t i = 0;

	for (; tree->kids[i]->kind == FX_AST_PARAM; i++) {
		const struct fx_ast *parameter = tree->kids[i];

		if (parameter->op != FX_AST_OP_NONE ||
			(parameter->kid_count > 1 && parameter->kids[1]))
			return fx_build_error(&reading->build, parameter,
				FX_ERR_SYNTAX,
				"the parameters of a rule are plain names");
		if (fx_map_has(&reading->read.names,
			    (uintptr_t)parameter->text))
			return fx_build_error(&reading->build, parameter,
				FX_ERR_NAME_TAKEN,
				"\"%s\" is a parameter twice", parameter->text);
		fx_rule_add_name(reading, parameter->text);
	}
	return read_statements(reading, tree->kids[i], false);
}

struct fx_error *
fx_rule_read(struct fx_rule_reading *reading, const struct fx_ast *tree)
{
	return tree->kind == FX_AST_FUNCTION
		       ? read_function(reading, tree)
		       : read_statements(reading, tree, true);
}

/* --- reading ------------------------------------------------------------- */

static struct fx_pattern *
pattern_new(const char *text, unsigned how)
{
	struct fx_pattern *pattern = FX_NEW(struct fx_pattern);

	pattern->graph = fx_graph_new(0);
	pattern->how = how;
	pattern->text = fx_xstrdup(text);
	pattern->forms = fx_forms_new();
	return pattern;
}

/* The output and the slots, when all is built. */
static struct fx_error *
finish(struct fx_rule_reading *reading)
{
	struct fx_pattern *pattern = reading->pattern;
	struct fx_node_spec output = { .opcode = FX_OPCODE_OUTPUT,
		.target = "output" };

	if (!(pattern->how & FX_PATTERN_TORCH))
		(void)anything(reading);
	output.args = fx_value_sequence(pattern->graph->values, FX_VALUE_TUPLE,
		&reading->read.result, 1);
	fx_graph_append(pattern->graph, &output);
	return fx_pattern_finish(pattern, &reading->read);
}

static struct fx_error *
read_pattern(const char *text, const struct fx_ast *tree, unsigned how,
	struct fx_pattern **ret)
{
	struct fx_pattern *pattern = pattern_new(text, how);
	struct fx_rule_reading reading = {
		.build = { .environment = &environment,
			.graph = pattern->graph,
			.root = pattern->graph->module,
			.text = text },
		.pattern = pattern
	};
	struct fx_error *err;

	err = fx_rule_read(&reading, tree);
	if (!err)
		err = finish(&reading);
	fx_map_deinit(&reading.read.names);
	fx_map_deinit(&reading.read.open);
	if (err)
		fx_pattern_free(pattern);
	else
		*ret = pattern;
	return err;
}

struct fx_error *
fx_pattern_read(const char *text, unsigned how, struct fx_pattern **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_ast *tree;
	struct fx_error *err =
		fx_parse_module(arena, text, strlen(text), &tree, NULL);

	return err ? err : read_pattern(text, tree, how, ret);
}

struct fx_error *
fx_pattern_read_function(const char *text, const struct fx_ast *function,
	unsigned how, struct fx_pattern **ret)
{
	return read_pattern(text, function, how, ret);
}
