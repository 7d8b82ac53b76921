/* python_class.c - a class around `forward`: its module tree, wrapped
 * functions and inner classes, which are the graphs of child modules.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "ir/module.h"
#include "load/python_private.h"

static const struct fx_ast *
block_of(const struct fx_ast *tree)
{
	if (tree->kind == FX_AST_FUNCTION)
		return tree->kids[tree->kid_count - 2];
	return tree->kids[tree->kid_count - 1];
}

const struct fx_ast *
fx_py_find_function(const struct fx_ast *block, const char *name)
{
	uint32_t i;

	for (i = 0; i < block->kid_count; i++)
		if (block->kids[i]->kind == FX_AST_FUNCTION &&
			!strcmp(block->kids[i]->text, name))
			return block->kids[i];
	return NULL;
}

/* The graph of the inner class TREE as a child module of PY's. */
static struct fx_error *
add_inner(struct fx_py *py, const struct fx_ast *tree)
{
	const struct fx_ast *function =
		fx_py_find_function(block_of(tree), "forward");
	struct fx_py inner = *py;
	struct fx_module *module;
	struct fx_error *err;

	if (!function)
		return NULL;
	if (py->class_depth >= FX_PY_CLASS_DEPTH)
		return fx_build_error(&py->build, tree, FX_ERR_LIMIT,
			"more than %d levels of inner classes",
			FX_PY_CLASS_DEPTH);
	err = fx_load_inner_graph(py->input, py->graph_total,
		&inner.build.graph);
	if (err)
		return err;
	inner.build.root = inner.build.graph->module;
	inner.build.graph->class_name =
		fx_intern("torch.fx.graph_module.GraphModule");
	module = fx_module_new(py->build.graph,
		"torch.fx.graph_module.GraphModule");
	module->graph = inner.build.graph;
	fx_module_add_child(py->build.graph->module, tree->text, module);
	memset(&inner.names, 0, sizeof(inner.names));
	memset(&inner.build.wrapped, 0, sizeof(inner.build.wrapped));
	inner.class_depth++;
	err = fx_py_graph(&inner, tree, function);
	fx_map_deinit(&inner.names);
	fx_map_deinit(&inner.build.wrapped);
	return err;
}

static struct fx_error *
read_class(struct fx_py *py, const struct fx_ast *tree)
{
	const struct fx_ast *block = block_of(tree);
	const struct fx_ast *init = fx_py_find_function(block, "__init__");
	struct fx_error *err = NULL;
	uint32_t i;

	if (py->class_depth == 0) {
		py->build.graph->class_name = tree->text;
		py->build.graph->module->class_name = tree->text;
	}
	if (init)
		err = fx_py_modules(py, init);
	for (i = 0; !err && i < block->kid_count; i++) {
		if (block->kids[i]->kind == FX_AST_CLASS)
			err = add_inner(py, block->kids[i]);
		else
			fx_py_wrap(py, block->kids[i]);
	}
	return err;
}

/* 2.x frees values that nothing uses on their own line, 1.13 never. */
static void
guess_dialect(struct fx_py *py)
{
	struct fx_node *node;

	if (py->dialect || py->frees == 0)
		return;
	if (py->self_frees > 0) {
		py->dialect = "2.x";
		return;
	}
	fx_graph_for_each_node (node, py->build.graph)
		if (node->user_count == 0 &&
			node->opcode != FX_OPCODE_PLACEHOLDER &&
			node->opcode != FX_OPCODE_OUTPUT)
			py->dialect = "1.13";
}

/* Say in the signature's form that the result is unflattened too. */
static void
note_output(struct fx_py *py)
{
	struct fx_pytree *pytree;

	if (!py->is_output_flat)
		return;
	pytree = FX_ARENA_NEW(py->build.graph->permanent, struct fx_pytree);
	if (py->build.graph->pytree)
		*pytree = *py->build.graph->pytree;
	pytree->has_outputs = true;
	py->build.graph->pytree = pytree;
}

struct fx_error *
fx_py_graph(struct fx_py *py, const struct fx_ast *class_tree,
	const struct fx_ast *function)
{
	const struct fx_ast *returns = function->kids[function->kid_count - 1];
	struct fx_error *err = NULL;
	uint32_t first;

	py->source = NULL;
	py->last = NULL;
	py->is_output_flat = false;
	py->frees = 0;
	py->self_frees = 0;
	if (class_tree)
		err = read_class(py, class_tree);
	if (!err)
		err = fx_py_signature(py, function, &first);
	if (!err)
		err = fx_py_statements(py, block_of(function), first, returns);
	if (err)
		return err;
	note_output(py);
	guess_dialect(py);
	fx_graph_set_dialect(py->build.graph, py->dialect);
	fx_load_note_modules(py->build.graph, py->input->notices);
	return NULL;
}
