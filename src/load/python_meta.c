/* python_meta.c - what verbose code says beside the statements: shapes in
 * annotations, source lines in comments.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "emit/folder.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "load/python_private.h"

/* What is known of "Sym(u0 >= 0)" or "Sym(2.5)": no sizes, but their type. */
static bool
read_symbolic(const char *text, struct fx_value *ret)
{
	static const char head[] = "Sym(";
	size_t length = strlen(text);
	double real;

	if (!fx_str_starts(text, head) || text[length - 1] != ')')
		return false;
	text += sizeof(head) - 1;
	length -= sizeof(head);
	if (fx_number_parse_double(text, length, &real))
		*ret = fx_value_float(real);
	else if (strcspn(text, "<>=") < length)
		*ret = fx_value_text(FX_VALUE_UNKNOWN,
			fx_intern_format("bool %.*s", (int)length, text));
	else
		return false;
	return true;
}

const struct fx_value *
fx_py_meta(struct fx_py *py, const struct fx_ast *annotation)
{
	struct fx_value *meta;
	struct fx_error *err;

	if (!annotation || annotation->kind != FX_AST_STRING)
		return NULL;
	if (!py->dialect)
		py->dialect = "2.x";
	meta = FX_ARENA_NEW(py->build.graph->values, struct fx_value);
	err = fx_tensor_meta_parse(py->build.graph->values, annotation->string,
		annotation->length, meta);
	if (!err)
		return meta;
	fx_error_free(err);
	if (read_symbolic(annotation->string, meta))
		return meta;
	fx_build_notice(&py->build, "the annotation \"%s\" is not understood",
		annotation->string);
	return NULL;
}

/* The number at TEXT, up to a blank or comma; 0 when there is none. */
static int
line_number(const char *text)
{
	int64_t number;

	if (!fx_number_parse_int(text, strspn(text, "0123456789"), &number) ||
		number > INT32_MAX)
		return 0;
	return (int)number;
}

/* "path:12 in forward, code: y = x" after "File: "; LENGTH bytes. */
static void
read_place(struct fx_py *py, const char *text, size_t length)
{
	FX_AUTO_FREE char *line = fx_xstrndup(text, length);
	char *code = strstr(line, ", code: ");
	struct fx_source_frame frame = { 0 };
	char *colon;
	char *function;

	if (code) {
		*code = '\0';
		frame.text = fx_intern(code + strlen(", code: "));
	}
	for (colon = line + strlen(line); colon > line; colon--)
		if (*colon == ':' && line_number(colon + 1) > 0)
			break;
	if (*colon != ':')
		return;
	function = strstr(colon, " in ");
	if (function)
		frame.function = fx_intern(function + strlen(" in "));
	if (!py->dialect)
		py->dialect = function ? "2.x" : "1.13";
	frame.line = line_number(colon + 1);
	frame.file = fx_intern_n(line, (size_t)(colon - line));
	py->source = fx_graph_source(py->build.graph, &frame, 1);
}

static void
read_comment(struct fx_py *py, const char *line, size_t length)
{
	static const char none[] = "# No stacktrace found";
	size_t i;

	if (length >= sizeof(none) - 1 &&
		!strncmp(line, none, sizeof(none) - 1)) {
		py->source = NULL;
		if (!py->dialect)
			py->dialect = line[length - 1] == ' ' ? "1.13" : "2.x";
		return;
	}
	for (i = 0; i + 6 < length; i++) {
		if (!strncmp(line + i, "File: ", 6)) {
			read_place(py, line + i + 6, length - i - 6);
			return;
		}
	}
}

void
fx_py_comments(struct fx_py *py, const struct fx_ast *statement)
{
	const char *at = statement->comment_above;

	while (at && *at) {
		size_t length = strcspn(at, "\n");

		read_comment(py, at, length);
		at += length;
		at += *at == '\n';
	}
}

/* A class around `forward`: its module tree, wrapped
 * functions and inner classes, which are the graphs of child modules.
 */

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

const char fx_py_graph_class[] = "torch.fx.graph_module.GraphModule";

static bool
has_no_graph_yet(const struct fx_module *module)
{
	return module && !module->graph &&
	       fx_str_equal(module->class_name, fx_py_graph_class);
}

/* The module that is to have the graph of the inner class CLASS_NAME. */
static struct fx_module *
child_module(struct fx_py *py, const char *class_name)
{
	struct fx_module *root = py->build.graph->module;
	struct fx_module *module = NULL;
	const char *name = class_name;
	const struct fx_member *member;

	if (fx_str_starts(class_name, FX_FOLDER_GRAPH))
		name = fx_intern(class_name + strlen(FX_FOLDER_GRAPH));
	if (py->class_depth == 0)
		module = fx_map_get_pointer(py->graph_classes, class_name);
	member = fx_module_member(root, name);
	if (!module && member)
		module = member->child;
	if (has_no_graph_yet(module))
		return module;
	module = fx_module_new(py->build.graph, fx_py_graph_class);
	fx_module_add_child(root, name, module);
	return module;
}

/* Whether MODULE, which may be NULL, has a graph, or one stands below it. */
static bool
holds_graph(struct fx_module *module)
{
	struct fx_module_walk *walk;
	struct fx_module *below;
	const char *path;
	bool found = false;

	if (!module)
		return false;
	walk = fx_module_walk_new(module, true);
	while (!found && fx_module_walk_next(walk, &below, &path))
		found = below->graph || has_no_graph_yet(below);
	fx_module_walk_free(walk);
	return found;
}

/* What `__init__` of the class around it gave OWNER its graph has; graphs
 * within, and what holds them, are of that alone.
 */
static void
share_members(struct fx_module *owner)
{
	struct fx_module *root = owner->graph->module;
	size_t i = 0;

	while (i < owner->member_count) {
		const struct fx_member *m = &owner->members[i++];

		if (holds_graph(m->child)) {
			fx_module_add_child(root, m->name, m->child);
			fx_module_remove_member(owner, --i);
		} else if (m->child)
			fx_module_add_child(root, m->name, m->child);
		else if (m->tensor)
			fx_module_add_tensor(root, m->name, m->tensor);
		else
			fx_module_add_none(root, m->name, m->kind);
	}
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
	inner.build.graph->class_name = fx_intern(fx_py_graph_class);
	module = child_module(py, tree->text);
	module->graph = inner.build.graph;
	share_members(module);
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
	fx_load_finish(py->build.graph, py->input->notices);
	return NULL;
}
