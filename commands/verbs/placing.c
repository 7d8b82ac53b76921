/* placing.c - the nodes of a statement into the graph that is edited. */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "commands/verbs/edit.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/module.h"
#include "ops/layertab.h"
#include "session/model.h"

/* The node that the text yields, or NULL when it yields a plain value. */
static const struct fx_node *
result_of(const struct cmd_statement *statement)
{
	const struct fx_node *output = fx_graph_output(statement->graph);

	if (!output || !output->args.count ||
		output->args.items[0].kind != FX_VALUE_NODE)
		return NULL;
	return output->args.items[0].node;
}

bool
cmd_statement_is_node(const struct cmd_statement *statement)
{
	const struct fx_node *result = result_of(statement);

	return result && result->opcode == FX_OPCODE_PLACEHOLDER;
}

/* Placing. */

struct fx_error *
cmd_statement_set_module(const struct cmd_statement *statement,
	struct fx_graph *graph, const char *path)
{
	struct fx_module *module = fx_module_find(statement->graph->module,
		statement->module_name);
	struct fx_error *err;

	if (!module)
		return fx_error_new(FX_ERR_NO_MODULE,
			"the new module could not be read");
	module = fx_module_clone(graph, module);
	err = fx_model_fill_fresh(statement->model, graph, module, path,
		statement->seed);
	return err ? err : fx_edit_set_module(graph, path, module);
}

static bool
has_tensors(struct fx_module *module)
{
	struct fx_module_walk *walk = fx_module_walk_new(module, true);
	bool found = false;
	const char *path;

	while (!found && fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count; i++)
			found |= module->members[i].tensor != NULL;
	fx_module_walk_free(walk);
	return found;
}

char *
cmd_statement_seed(const struct cmd_statement *statement)
{
	struct fx_module *module = fx_module_find(statement->graph->module,
		statement->module_name);

	return module && has_tensors(module)
		       ? fx_xasprintf("%" PRIu64, statement->seed)
		       : NULL;
}

void
cmd_statement_add_module(const struct cmd_statement *statement,
	struct fx_buf *script)
{
	FX_AUTO_FREE char *seed = NULL;

	if (!statement->module_text)
		return;
	seed = cmd_statement_seed(statement);
	fx_buf_addf(script, "%s%s%s\n", statement->module_text,
		seed ? " --seed " : "", seed ? seed : "");
}

/* The scope of NODE of the statement: as the tracer does it, the call of a
 * module lies in that module's own.
 */
static const struct fx_scope *
scope_of(struct fx_graph *graph, const struct fx_node *node,
	const struct cmd_placing *placing)
{
	const struct fx_module *module;

	if (node->opcode != FX_OPCODE_CALL_MODULE)
		return placing->scope;
	module = fx_module_find(graph->module, node->target);
	if (!module || !module->class_name)
		return placing->scope;
	return fx_graph_scope(graph, placing->outer, node->target,
		module->class_name);
}

/* NODE of the statement as a node of GRAPH; MAP has what was placed before. */
static FX_NODISCARD struct fx_error *
place_node(const struct cmd_statement *statement, struct fx_graph *graph,
	const struct fx_node *node, const struct cmd_placing *placing,
	struct fx_map *map)
{
	struct fx_node_spec spec = { .opcode = node->opcode,
		.target = node->target,
		.is_wrapped = node->is_wrapped,
		.scope = scope_of(graph, node, placing) };
	struct fx_node *made;
	struct fx_error *err;

	spec.args = fx_graph_import(graph, &node->args, map);
	spec.kwargs = fx_graph_import(graph, &node->kwargs, map);
	if (node == result_of(statement) && placing->name) {
		spec.name = placing->name;
		spec.name_is_exact = !placing->fresh;
	}
	err = fx_edit_create(graph, &spec, placing->before, &made);
	if (!err)
		fx_map_set_pointer(map, node, made);
	return err;
}

/* Users that existed before the nodes from FIRST to LAST. */
struct splice {
	const struct fx_node *first;
	const struct fx_node *last;
};

static bool
is_old_user(void *context, struct fx_node *user)
{
	const struct splice *splice = context;

	return user->order < splice->first->order ||
	       user->order > splice->last->order;
}

/* Whether NODE gives a module: what is called, or the body of a branch. */
static bool
is_module(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_GET_ATTR &&
	       fx_module_find(node->graph->module, node->target);
}

struct fx_error *
cmd_edit_redirect(struct fx_node *old, struct fx_node *first,
	struct fx_node *result)
{
	struct splice splice = { first, result };
	struct fx_value value = fx_value_node(result);

	if (is_module(result) && !is_module(old))
		return fx_error_hint(fx_error_new(FX_ERR_TYPE,
					     "self.%s is a module, not a value",
					     result->target),
			"self.%s(...) calls it", result->target);
	return fx_edit_replace_uses(old, &value, first ? is_old_user : NULL,
		&splice, NULL);
}

const struct fx_scope *
cmd_edit_scope_around(const struct fx_node *node)
{
	bool is_own = node->scope && node->opcode == FX_OPCODE_CALL_MODULE &&
		      !strcmp(node->scope->path, node->target);

	return is_own ? node->scope->parent : node->scope;
}

/* F.gelu without a call, or a value of Python. */
static FX_NODISCARD struct fx_error *
no_operation(const struct cmd_statement *statement)
{
	const char *text = statement->text;
	struct fx_error *err = fx_error_new(FX_ERR_TYPE,
		"\"%s\" is a value, not an operation", text);

	if (!strchr(text, '.') || (*text >= '0' && *text <= '9') ||
		strpbrk(text, " ()[]{},'\""))
		return err;
	return fx_error_hint(err, "%s%s(%s) calls it", text,
		fx_layer_find(strrchr(text, '.') + 1) ? "(...)" : "",
		statement->argument);
}

struct fx_error *
cmd_statement_place(const struct cmd_statement *statement,
	struct fx_graph *graph, const struct cmd_placing *placing,
	struct fx_node **first_ret, struct fx_node **ret)
{
	FX_AUTO_MAP struct fx_map map = { 0 };
	const struct fx_node *result = result_of(statement);
	struct fx_error *err;
	struct fx_node *node;

	if (!result)
		return no_operation(statement);
	err = statement->module_name ? cmd_statement_set_module(statement,
					       graph, statement->module_name)
				     : NULL;
	*first_ret = NULL;
	fx_graph_for_each_node (node, statement->graph) {
		if (err)
			return err;
		if (node->opcode == FX_OPCODE_OUTPUT)
			break;
		if (node->opcode == FX_OPCODE_PLACEHOLDER) {
			fx_map_set_pointer(&map, node,
				fx_graph_find(graph, node->target));
			continue;
		}
		err = place_node(statement, graph, node, placing, &map);
		if (!err && !*first_ret)
			*first_ret = fx_map_get_pointer(&map, node);
	}
	if (err)
		return err;
	*ret = fx_map_get_pointer(&map, result);
	if (!*first_ret)
		*first_ret = *ret;
	return NULL;
}
