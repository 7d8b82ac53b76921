/* eval_operand.c - names, module paths and nodes, before their value. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/fold.h"
#include "ir/module_text.h"
#include "ir/value_text.h"
#include "lang/parse.h"
#include "run/backend.h"
#include "run/eval_private.h"
#include "run/parameters.h"

static const struct {
	const char *name;
	const char *qualified;
} spaces[] = {
	{ "torch", "torch" },
	{ "operator", "operator" },
	{ "math", "math" },
	{ "F", "torch.nn.functional" },
	{ "nn", "torch.nn" },
	/* Generated code has these two (torch/fx/graph.py). */
	{ "inf", "math.inf" },
	{ "nan", "math.nan" },
};

static void
set_datum(struct fx_operand *ret, struct fx_datum *datum_taken)
{
	*ret = (struct fx_operand){
		.kind = FX_OPERAND_DATUM,
		.datum = datum_taken,
	};
}

static void
set_text(struct fx_operand *ret, enum fx_operand_kind kind, const char *text)
{
	*ret = (struct fx_operand){ .kind = kind, .text = text };
}

static void
set_node(struct fx_operand *ret, struct fx_node *node)
{
	*ret = (struct fx_operand){ .kind = FX_OPERAND_NODE, .node = node };
}

static void
set_string(struct fx_operand *ret, const char *text)
{
	set_datum(ret, fx_datum_string(text, strlen(text)));
}

/* --- looking up --------------------------------------------------------- */

static bool
is_path(struct fx_graph *graph, const char *path)
{
	return fx_module_find(graph->module, path) ||
	       fx_module_find_tensor(graph->module, path);
}

const char *
fx_operand_find_path(struct fx_evaluator *evaluator, const char *path)
{
	const struct fx_resolver *resolver = evaluator->resolver;
	const char *below;

	if (!resolver->graph)
		return NULL;
	if (is_path(resolver->graph, path))
		return fx_intern(path);
	if (!resolver->scope || !*resolver->scope)
		return NULL;
	below = fx_intern_format("%s.%s", resolver->scope, path);
	return is_path(resolver->graph, below) ? below : NULL;
}

static const char *
graph_name(const struct fx_resolver *resolver)
{
	if (resolver->graph_name)
		return resolver->graph_name;
	return resolver->graph->name ? resolver->graph->name : "the graph";
}

/* How to list the nodes that are called like NAME, when they are more than the
 * SHOWN ones: ` (nodes name~"*conv*" lists 20)`.
 */
static void
add_others(struct fx_buf *out, struct fx_graph *graph, const char *name,
	size_t shown)
{
	size_t length = strlen(name);
	FX_AUTO_FREE char *stem = NULL;
	struct fx_node *node;
	size_t count = 0;

	while (length && strchr("0123456789_", name[length - 1]))
		length--;
	if (length < 3)
		return;
	stem = fx_xstrndup(name, length);
	fx_graph_for_each_node (node, graph)
		count += strstr(node->name, stem) != NULL;
	if (count > shown)
		fx_buf_addf(out, " (nodes name~\"*%s*\" lists %zu)", stem,
			count);
}

/* NO_NODE with the nearest names and how to list more. */
static struct fx_error *
no_node(const struct fx_resolver *resolver, const char *name)
{
	FX_AUTO_BUF struct fx_buf near = { 0 };
	struct fx_nearest nearest;
	struct fx_node *node;
	struct fx_error *err;

	if (!resolver->graph)
		return fx_error_hint(fx_error_new(FX_ERR_NO_GRAPH,
					     "no node \"%s\": no graph is open",
					     name),
			"load FILE opens one");
	err = fx_error_new(FX_ERR_NO_NODE, "no node \"%s\" in %s", name,
		graph_name(resolver));
	fx_nearest_init(&nearest, name);
	fx_graph_for_each_node (node, resolver->graph)
		fx_nearest_offer(&nearest, node->name);
	if (!nearest.count)
		return err;
	fx_nearest_print(&nearest, &near);
	add_others(&near, resolver->graph, nearest.names[0],
		(size_t)nearest.count);
	return fx_error_note(err, "nearest: %s", fx_buf_text(&near));
}

struct fx_error *
fx_eval_find(const struct fx_resolver *resolver, const char *name,
	struct fx_node **ret)
{
	struct fx_node *node =
		resolver->graph ? fx_graph_find(resolver->graph, name) : NULL;

	if (!node)
		return no_node(resolver, name);
	*ret = node;
	return NULL;
}

/* A path that holds a parameter or buffer becomes its value at once. */
static struct fx_error *
operand_of_path(struct fx_evaluator *evaluator, const char *path,
	struct fx_operand *ret)
{
	struct fx_backend *backend = evaluator->resolver->backend;
	const struct fx_tensor *tensor =
		fx_module_find_tensor(evaluator->resolver->graph->module, path);
	struct fx_datum *datum;
	struct fx_error *err;

	if (!tensor) {
		set_text(ret, FX_OPERAND_PATH, path);
		return NULL;
	}
	err = backend->ops->from_tensor(backend, tensor, &datum);
	if (!err) {
		set_datum(ret, datum);
		return NULL;
	}
	return fx_parameters_name_missing(err, path);
}

/* COMMANDS 2, "A bare name": a node, a module path, a name space; else one that
 * the model's source has at the stop.
 */
struct fx_error *
fx_operand_of_name(struct fx_evaluator *evaluator, const char *name,
	struct fx_operand *ret)
{
	const struct fx_resolver *resolver = evaluator->resolver;
	struct fx_node *node =
		resolver->graph ? fx_graph_find(resolver->graph, name) : NULL;
	const char *path;

	if (node) {
		set_node(ret, node);
		return NULL;
	}
	path = fx_operand_find_path(evaluator, name);
	if (path)
		return operand_of_path(evaluator, path, ret);
	if (resolver->graph && fx_str_equal(name, "self")) {
		set_text(ret, FX_OPERAND_PATH, fx_intern(""));
		return NULL;
	}
	for (size_t i = 0; i < FX_ARRAY_LEN(spaces); i++)
		if (fx_str_equal(name, spaces[i].name)) {
			set_text(ret, FX_OPERAND_FUNCTION,
				fx_intern(spaces[i].qualified));
			return NULL;
		}
	if (fx_fold_is_class(name)) {
		set_text(ret, FX_OPERAND_FUNCTION, fx_intern(name));
		return NULL;
	}
	node = resolver->local ? resolver->local(resolver->context, name)
			       : NULL;
	if (!node)
		return fx_eval_hint_function(no_node(resolver, name), name);
	set_node(ret, node);
	return NULL;
}

struct fx_error *
fx_operand_of_chain(struct fx_evaluator *evaluator, const char *name,
	const struct fx_chain *chain, struct fx_operand *ret, size_t *taken_ret)
{
	FX_AUTO_BUF struct fx_buf path = { 0 };
	bool is_self = fx_str_equal(name, "self") &&
		       evaluator->resolver->graph &&
		       !fx_graph_find(evaluator->resolver->graph, name);
	const char *best = NULL;

	*taken_ret = 0;
	if (!is_self)
		fx_buf_add(&path, name);
	for (size_t i = 0; i < chain->count; i++) {
		const char *found;

		if (path.length)
			fx_buf_add_char(&path, '.');
		fx_buf_add(&path, chain->steps[i]);
		found = fx_operand_find_path(evaluator, fx_buf_text(&path));
		if (!found)
			break;
		best = found;
		*taken_ret = i + 1;
	}
	if (best)
		return operand_of_path(evaluator, best, ret);
	return fx_operand_of_name(evaluator, name, ret);
}

/* --- designators -------------------------------------------------------- */

static struct fx_error *
node_at(struct fx_evaluator *evaluator, int64_t position,
	struct fx_operand *ret)
{
	struct fx_graph *graph = evaluator->resolver->graph;

	if (!graph)
		return fx_error_new(FX_ERR_NO_GRAPH, "no graph is open");
	if (position < 0 || (uint64_t)position >= graph->node_count)
		return fx_error_new(FX_ERR_NO_NODE,
			"no node @%" PRId64 " in %s: it has %zu nodes",
			position, graph_name(evaluator->resolver),
			graph->node_count);
	set_node(ret, fx_graph_at(graph, (size_t)position));
	return NULL;
}

static struct fx_error *
node_here(struct fx_evaluator *evaluator, int64_t offset,
	struct fx_operand *ret)
{
	const struct fx_resolver *resolver = evaluator->resolver;
	size_t position;
	struct fx_error *err;

	if (!resolver->here || !resolver->graph)
		return fx_error_new(FX_ERR_NOT_RUN,
			"there is no position here");
	err = resolver->here(resolver->context, &position);
	if (err)
		return err;
	if (!offset && position >= resolver->graph->node_count)
		return fx_error_hint(fx_error_new(FX_ERR_NO_NODE,
					     "execution is at the end: \".\" "
					     "is no node"),
			".-1 is the last node");
	if (offset > INT32_MAX || offset < -INT32_MAX)
		offset = offset > 0 ? INT32_MAX : -INT32_MAX;
	offset += (int64_t)position;
	if (offset >= 0)
		return node_at(evaluator, offset, ret);
	if (resolver->is_before_first)
		*resolver->is_before_first = true;
	return fx_error_new(FX_ERR_NO_NODE, "no node stands before @0 in %s",
		graph_name(resolver));
}

static struct fx_error *
saved_value(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	const struct fx_resolver *resolver = evaluator->resolver;
	struct fx_datum *datum;
	struct fx_error *err;

	if (tree->kind == FX_AST_HISTORY && resolver->history)
		err = resolver->history(resolver->context, tree->integer,
			&datum);
	else if (tree->kind == FX_AST_VARIABLE && resolver->variable)
		err = resolver->variable(resolver->context, tree->text, &datum);
	else
		err = fx_error_new(FX_ERR_NO_NAME,
			"there are no variables here");
	if (!err)
		set_datum(ret, datum);
	return err;
}

struct fx_error *
fx_operand_designator(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	struct fx_node *node = NULL;
	struct fx_error *err;

	switch ((int)tree->kind) {
	case FX_AST_POSITION:
		return node_at(evaluator, tree->integer, ret);
	case FX_AST_HERE:
		return node_here(evaluator, tree->integer, ret);
	case FX_AST_HISTORY:
	case FX_AST_VARIABLE:
		return saved_value(evaluator, tree, ret);
	}
	err = fx_eval_find(evaluator->resolver, tree->text, &node);
	if (!err)
		set_node(ret, node);
	return err;
}

struct fx_node *
fx_operand_node(struct fx_evaluator *evaluator,
	const struct fx_operand *operand)
{
	const uint64_t *ids;
	size_t count;

	if (operand->kind == FX_OPERAND_NODE)
		return operand->node;
	if (operand->kind != FX_OPERAND_DATUM || !evaluator->resolver->graph)
		return NULL;
	ids = fx_eval_ids(operand->datum, &count);
	return ids && count == 1
		       ? fx_graph_find_id(evaluator->resolver->graph, *ids)
		       : NULL;
}

/* --- steps -------------------------------------------------------------- */

/* Shape and dtype are known before a node has run. */
static bool
is_known_ahead(const struct fx_node *node, const char *step)
{
	return node->meta && node->meta->kind == FX_VALUE_TENSOR &&
	       fx_eval_is_value_word(step);
}

static struct fx_error *
step_node(struct fx_evaluator *evaluator, struct fx_node *node,
	const char *step, struct fx_operand *ret)
{
	FX_AUTO_DATUM struct fx_datum *value = NULL;
	struct fx_datum *result;
	struct fx_operand self = { .kind = FX_OPERAND_NODE, .node = node };
	struct fx_error *err;

	result = fx_eval_node_word(node, step);
	if (result) {
		set_datum(ret, result);
		return NULL;
	}
	err = fx_operand_force(evaluator, &self, &value);
	if (err && is_known_ahead(node, step)) {
		fx_error_free(err);
		err = NULL;
		value = fx_datum_from_value(node->meta);
	}
	if (!err)
		err = fx_eval_attribute(evaluator, value, step, &result);
	if (!err) {
		set_datum(ret, result);
		return NULL;
	}
	return fx_eval_note_nearest(err, node->graph,
		node->opcode == FX_OPCODE_CALL_MODULE ? node->target : NULL,
		step, true);
}

/* A child or tensor of a module, or an attribute of its configuration. */
static struct fx_error *
step_path(struct fx_evaluator *evaluator, const char *path, const char *step,
	struct fx_operand *ret)
{
	struct fx_graph *graph = evaluator->resolver->graph;
	struct fx_module *module = fx_module_find(graph->module, path);
	const char *below = fx_module_path(path, step);
	const struct fx_value *config;

	if (is_path(graph, below))
		return operand_of_path(evaluator, below, ret);
	config = module && module->config.kind == FX_VALUE_DICT
			 ? fx_value_dict_get(&module->config, step)
			 : NULL;
	if (config)
		set_datum(ret, fx_datum_from_value(config));
	else if (module && fx_str_equal(step, "training"))
		set_datum(ret, fx_datum_bool(module->training));
	else if (module && fx_str_equal(step, "__class__"))
		set_string(ret, module->class_name);
	else
		return fx_eval_note_nearest(
			fx_error_new(FX_ERR_NO_MODULE,
				"%s has no child, parameter, buffer or "
				"attribute \"%s\"",
				*path ? path : "the root module", step),
			graph, path, step, false);
	return NULL;
}

struct fx_error *
fx_operand_step(struct fx_evaluator *evaluator, struct fx_operand *base,
	const char *step, struct fx_operand *ret)
{
	struct fx_node *node;
	struct fx_datum *result;
	struct fx_error *err;

	switch (base->kind) {
	case FX_OPERAND_NODE:
		return step_node(evaluator, base->node, step, ret);
	case FX_OPERAND_PATH:
		return step_path(evaluator, base->text, step, ret);
	case FX_OPERAND_FUNCTION:
		set_text(ret, FX_OPERAND_FUNCTION,
			fx_intern_format("%s.%s", base->text, step));
		return NULL;
	case FX_OPERAND_DATUM:
		break;
	}
	node = fx_datum_is(base->datum, FX_VALUE_NODE_ID)
		       ? fx_operand_node(evaluator, base)
		       : NULL;
	if (node)
		return step_node(evaluator, node, step, ret);
	err = fx_eval_attribute(evaluator, base->datum, step, &result);
	if (!err)
		set_datum(ret, result);
	return err;
}

/* --- values ------------------------------------------------------------- */

static struct fx_error *
force_node(struct fx_evaluator *evaluator, struct fx_node *node,
	struct fx_datum **ret)
{
	const struct fx_resolver *resolver = evaluator->resolver;

	if (!resolver->value)
		return fx_error_new(FX_ERR_NO_VALUE, "%%%s has no value here",
			node->name);
	return resolver->value(resolver->context, node, ret);
}

static bool
constant(const char *name, double *ret)
{
	static const struct {
		const char *name;
		double value;
	} constants[] = {
		{ "math.pi", 3.141592653589793 },
		{ "math.e", 2.718281828459045 },
		{ "math.tau", 6.283185307179586 },
		{ "math.inf", INFINITY },
		{ "math.nan", NAN },
		{ "torch.pi", 3.141592653589793 },
		{ "torch.e", 2.718281828459045 },
		{ "torch.inf", INFINITY },
		{ "torch.nan", NAN },
	};

	for (size_t i = 0; i < FX_ARRAY_LEN(constants); i++)
		if (fx_str_equal(name, constants[i].name)) {
			*ret = constants[i].value;
			return true;
		}
	return false;
}

/* torch.float32, math.pi; a function by itself is a value too. */
static struct fx_error *
force_function(struct fx_evaluator *evaluator, const char *name,
	struct fx_datum **ret)
{
	struct fx_value value;
	struct fx_ast *tree;
	struct fx_error *err;
	double number;

	if (constant(name, &number)) {
		*ret = fx_datum_float(number);
		return NULL;
	}
	err = fx_parse_expression(evaluator->arena, name, strlen(name),
		FX_PARSE_PYTHON, &tree);
	if (!err)
		err = fx_value_from_ast(evaluator->arena, NULL, name, tree,
			&value);
	if (err) {
		fx_error_free(err);
		value = fx_value_text(FX_VALUE_FUNCTION, name);
	}
	*ret = fx_datum_from_value(&value);
	return NULL;
}

static struct fx_datum *
force_module(struct fx_evaluator *evaluator, const char *path)
{
	struct fx_module *module =
		fx_module_find(evaluator->resolver->graph->module, path);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_value value;

	if (module)
		fx_module_print(&text, module,
			*path ? NULL : evaluator->resolver->graph->class_name);
	else
		fx_buf_addf(&text, "<module %s>", path);
	value = fx_value_text(FX_VALUE_OPAQUE, fx_buf_text(&text));
	return fx_datum_from_value(&value);
}

struct fx_error *
fx_operand_force(struct fx_evaluator *evaluator,
	const struct fx_operand *operand, struct fx_datum **ret)
{
	switch (operand->kind) {
	case FX_OPERAND_NODE:
		return force_node(evaluator, operand->node, ret);
	case FX_OPERAND_PATH:
		*ret = force_module(evaluator, operand->text);
		return NULL;
	case FX_OPERAND_FUNCTION:
		return force_function(evaluator, operand->text, ret);
	case FX_OPERAND_DATUM:
		break;
	}
	*ret = fx_datum_ref(operand->datum);
	return NULL;
}
