/* rewrite_read.c - reading the replacement of a rule. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/decompose.h"
#include "ir/graph_private.h"
#include "ir/module.h"
#include "ir/pattern_private.h"
#include "ir/rewrite_private.h"
#include "ir/value_walk.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "ops/optab.h"
#include "ops/spellings.h"

/* --- the environment ----------------------------------------------------- */

/* Names of the pattern; those of its operations only when they are asked for.
 */
static const struct fx_value *
find(struct fx_builder *builder, const char *name)
{
	struct fx_rule_reading *reading = (struct fx_rule_reading *)builder;
	const struct fx_pattern *pattern = reading->replacement->pattern;
	const struct fx_value *found =
		fx_map_get_pointer(&reading->read.names, name);
	size_t slot;

	if (found)
		return found;
	slot = fx_pattern_slot(pattern, name);
	if (!slot || fx_pattern_is_input(pattern, slot))
		return NULL;
	return fx_rule_add_name(reading, name);
}

/* Make the layer of CALL, nn.X(...), in the replacement's module tree. */
static struct fx_error *
make_module(struct fx_rule_reading *reading, const struct fx_ast *call,
	const char *class_name, const char **ret)
{
	struct fx_replacement *replacement = reading->replacement;
	struct fx_graph *graph = replacement->graph;
	struct fx_replacement_module made = { 0 };
	FX_AUTO_FREE char *path = fx_xstrdup(class_name);
	struct fx_value args;
	struct fx_value kwargs;
	struct fx_error *told;
	struct fx_error *err;

	err = fx_build_layer_arguments(&reading->build, call, &args, &kwargs);
	if (err)
		return err;
	err = fx_layer_construct(graph, class_name, &args, &kwargs,
		&made.module);
	if (err) {
		told = fx_error_new(fx_error_code(err), "%s",
			fx_error_message(err));
		fx_error_free(err);
		return fx_error_at(told, reading->build.text, call->span);
	}
	for (char *c = path; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	made.path = fx_module_find(graph->module, path)
			    ? fx_intern_format("%s_%zu", path,
				      replacement->modules.count)
			    : fx_intern(path);
	fx_module_add_child(graph->module, made.path, made.module);
	fx_vec_push(&replacement->modules, made);
	*ret = made.path;
	return NULL;
}

static struct fx_error *
construct(struct fx_builder *builder, const struct fx_ast *call, bool is_called,
	const char **ret)
{
	struct fx_rule_reading *reading = (struct fx_rule_reading *)builder;
	const char *name = fx_rule_class(builder, call->kids[0]);

	if (!name)
		return NULL;
	if (strchr(name, '.'))
		return fx_build_error(builder, call, FX_ERR_UNSUPPORTED,
			"fxdb cannot make a %s", name);
	if (!is_called)
		return fx_build_error(builder, call, FX_ERR_TYPE,
			"a new layer is not called: nn.%s()(x) makes one and "
			"calls it",
			name);
	return make_module(reading, call, name, ret);
}

/* As torch.fx, which knows F.gelu by its name in C. */
static struct fx_node *
emit(struct fx_builder *builder, const struct fx_build_left *left,
	struct fx_node_spec *spec)
{
	const struct fx_rule_reading *reading =
		(struct fx_rule_reading *)builder;

	if ((reading->replacement->pattern->how & FX_PATTERN_TORCH) &&
		spec->opcode == FX_OPCODE_CALL_FUNCTION)
		spec->target = fx_spelling_home(fx_intern(spec->target));
	return fx_rule_emit(builder, left, spec);
}

static const struct fx_build_environment environment = {
	.find = find,
	.function = fx_rule_function,
	.refuse = fx_rule_refuse,
	.emit = emit,
	.construct = construct,
};

/* --- names and results --------------------------------------------------- */

/* The slots of PATTERN's inputs that have names, one a call, then 0. */
static size_t
next_input(const struct fx_pattern *pattern, size_t slot)
{
	while (++slot < fx_pattern_slot_count(pattern))
		if (fx_pattern_is_input(pattern, slot))
			return slot;
	return 0;
}

/* The names of an expression are all that the pattern has. */
static void
add_inputs(struct fx_rule_reading *reading)
{
	const struct fx_pattern *pattern = reading->replacement->pattern;

	for (size_t slot = 0; (slot = next_input(pattern, slot));)
		fx_rule_add_name(reading, fx_pattern_name(pattern, slot));
}

/* Which slot each placeholder stands for: of a function, parameters in order.
 */
static struct fx_error *
find_slots(struct fx_rule_reading *reading, bool is_function)
{
	struct fx_replacement *replacement = reading->replacement;
	const struct fx_pattern *pattern = replacement->pattern;
	const struct fx_node *node;
	size_t input = 0;

	replacement->node_limit =
		replacement->graph->private_->made + (size_t)1;
	replacement->slots = fx_xcalloc(replacement->node_limit,
		sizeof(*replacement->slots));
	fx_graph_for_each_node (node, replacement->graph) {
		size_t slot = fx_pattern_slot(pattern, node->target);

		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		if (is_function &&
			(!slot || fx_pattern_is_input(pattern, slot)))
			slot = input = next_input(pattern, input);
		if (!slot)
			return fx_error_new(FX_ERR_VALUE,
				"the replacement has more parameters than the "
				"pattern");
		replacement->slots[fx_node_index(node)] = slot;
	}
	if (is_function && next_input(pattern, input))
		return fx_error_new(FX_ERR_VALUE,
			"the replacement has fewer parameters than the "
			"pattern");
	return NULL;
}

/* An operation of the pattern is gone when its replacement runs: only what its
 * layer holds can be read.
 */
static struct fx_error *
check_gone(const struct fx_replacement *replacement)
{
	const struct fx_node *node;
	const struct fx_use *use;

	fx_graph_for_each_node (node, replacement->graph) {
		size_t slot = replacement->slots[fx_node_index(node)];

		if (!slot || fx_pattern_is_input(replacement->pattern, slot))
			continue;
		fx_node_for_each_user (use, node)
			if (strcmp(use->user->target ? use->user->target : "",
				    "builtins.getattr") != 0)
				return fx_error_new(FX_ERR_VALUE,
					"%s is replaced: only attributes of "
					"its "
					"layer can be read, as in %s.weight",
					node->target, node->target);
	}
	return NULL;
}

/* `...` is for patterns; x[...] is an index. */
static struct fx_error *
check_said(const struct fx_replacement *replacement,
	const struct fx_value *result)
{
	const struct fx_node *node;
	bool is_open = result->kind == FX_VALUE_ELLIPSIS;

	fx_graph_for_each_node (node, replacement->graph) {
		if (node->opcode == FX_OPCODE_OUTPUT ||
			fx_op_find(node->target) == FX_OP_GETITEM)
			continue;
		for (uint32_t i = 0; i < node->args.count; i++)
			is_open |=
				node->args.items[i].kind == FX_VALUE_ELLIPSIS;
	}
	return is_open ? fx_error_new(FX_ERR_VALUE,
				 "... leaves open what a pattern does not say; "
				 "the replacement has to say all")
		       : NULL;
}

static struct fx_error *
find_outputs(struct fx_replacement *replacement, const struct fx_value *result)
{
	const struct fx_pattern *pattern = replacement->pattern;
	bool is_sequence = fx_value_is_sequence(result);
	size_t wanted = 0;
	size_t count = 1;

	while (fx_pattern_output(pattern, wanted))
		wanted++;
	if (is_sequence)
		count = result->count;
	if (count != wanted)
		return fx_error_new(FX_ERR_VALUE,
			"the pattern has %zu result%s, the replacement %zu",
			wanted, wanted == 1 ? "" : "s", count);
	replacement->outputs = fx_value_sequence(replacement->graph->permanent,
		FX_VALUE_TUPLE, is_sequence ? result->items : result, count)
				       .items;
	return NULL;
}

/* --- reading ------------------------------------------------------------- */

static struct fx_error *
finish(struct fx_rule_reading *reading, bool is_function)
{
	struct fx_replacement *replacement = reading->replacement;
	struct fx_node_spec output = { .opcode = FX_OPCODE_OUTPUT,
		.target = "output" };
	struct fx_error *err;

	output.args = fx_value_sequence(replacement->graph->values,
		FX_VALUE_TUPLE, &reading->read.result, 1);
	fx_graph_append(replacement->graph, &output);
	err = find_slots(reading, is_function);
	if (!err)
		err = check_gone(replacement);
	if (!err)
		err = check_said(replacement, &reading->read.result);
	if (!err)
		err = find_outputs(replacement, &reading->read.result);
	return err;
}

struct fx_error *
fx_replacement_read_function(const struct fx_replacement_function *function,
	const struct fx_pattern *pattern, const struct fx_graph *like,
	struct fx_replacement **ret)
{
	struct fx_replacement *replacement = FX_NEW(struct fx_replacement);
	struct fx_rule_reading reading = {
		.build = { .environment = &environment,
			.text = function->text,
			.known_builtins = true },
		.replacement = replacement,
	};
	bool is_function = function->tree->kind == FX_AST_FUNCTION;
	struct fx_error *err;

	replacement->pattern = pattern;
	replacement->graph = fx_graph_new(0);
	replacement->graph->module->training = like->module->training;
	reading.build.graph = replacement->graph;
	reading.build.root = like->module;
	fx_graph_set_dialect(replacement->graph, like->dialect);
	if (!is_function)
		add_inputs(&reading);
	err = fx_rule_read(&reading, function->tree);
	if (!err)
		err = finish(&reading, is_function);
	fx_map_deinit(&reading.read.names);
	if (err)
		fx_replacement_free(replacement);
	else
		*ret = replacement;
	return err;
}

struct fx_error *
fx_replacement_read(const char *text, const struct fx_pattern *pattern,
	const struct fx_graph *like, struct fx_replacement **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_replacement_function whole = { .text = text };
	struct fx_ast *tree;
	struct fx_error *err =
		fx_parse_module(arena, text, strlen(text), &tree, NULL);

	if (err)
		return err;
	whole.tree = tree;
	return fx_replacement_read_function(&whole, pattern, like, ret);
}

void
fx_replacement_free(struct fx_replacement *replacement)
{
	if (!replacement)
		return;
	fx_graph_free(replacement->graph);
	fx_vec_deinit(&replacement->modules);
	free(replacement->slots);
	free(replacement);
}

bool
fx_replacement_has_tensors(const struct fx_replacement *replacement)
{
	for (size_t i = 0; i < replacement->modules.count; i++)
		if (fx_module_has_tensors(replacement->modules.items[i].module))
			return true;
	return false;
}
