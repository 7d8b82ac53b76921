/* python.c - finds the graph in a text of Python and has it read. */
#include <config.h>

#include "load/python.h"

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "ir/module.h"
#include "lang/parse.h"
#include "load/python_private.h"
#include "load/source.h"

static void
notice(struct fx_builder *builder, const char *line)
{
	struct fx_py *py = (struct fx_py *)builder;

	if (!py->input->notices ||
		!fx_map_set(py->noticed, (uintptr_t)fx_intern(line), 1))
		return;
	fx_utf8_add_visible(py->input->notices, line, strlen(line));
	fx_buf_add_char(py->input->notices, '\n');
}

const char *
fx_py_span(const struct fx_py *py, const struct fx_ast *tree)
{
	return fx_intern_n(py->build.text + tree->span.begin,
		tree->span.end - tree->span.begin);
}

const struct fx_value *
fx_py_get(const struct fx_py *py, const char *name)
{
	return fx_map_get_pointer(&py->names, name);
}

void
fx_py_set(struct fx_py *py, const char *name, struct fx_value value)
{
	struct fx_value *place =
		FX_ARENA_NEW(py->build.graph->values, struct fx_value);

	*place = value;
	fx_map_set_pointer(&py->names, name, place);
}

/* Scopes along a module path: layer1, layer1.0, layer1.0.conv1. */
static const struct fx_scope *
scope_of(struct fx_py *py, const char *path)
{
	const struct fx_scope *scope = NULL;
	const char *at = path;

	while (*at) {
		const char *part;
		const struct fx_module *module;

		at += strcspn(at, ".");
		part = fx_intern_n(path, (size_t)(at - path));
		module = fx_module_find(py->build.graph->module, part);
		scope = fx_graph_scope(py->build.graph, scope, part,
			module && module->class_name ? module->class_name : "");
		at += *at == '.';
	}
	return scope;
}

struct fx_node *
fx_py_node(struct fx_py *py, const struct fx_build_left *left,
	struct fx_node_spec *spec)
{
	struct fx_node *node;

	spec->name = left->name;
	spec->name_is_exact = left->name && !fx_names_is_illegal(left->name);
	spec->meta = fx_py_meta(py, left->annotation);
	if (left->annotation && left->annotation->kind != FX_AST_STRING)
		spec->type = fx_py_span(py, left->annotation);
	if (spec->opcode != FX_OPCODE_PLACEHOLDER)
		spec->source = py->source;
	if (spec->opcode == FX_OPCODE_CALL_MODULE)
		spec->scope = scope_of(py, spec->target);
	node = fx_graph_append(py->build.graph, spec);
	if (left->name && node->name != left->name)
		fx_build_notice(&py->build, "%s is %s: the node is called %s",
			left->name,
			fx_names_is_illegal(left->name) ? "no name of a node"
							: "assigned again",
			node->name);
	if (left->name)
		fx_py_set(py, left->name, fx_value_node(node));
	py->last = node;
	++*py->node_total;
	return node;
}

/* "x is not defined" with the nearest names. */
static struct fx_error *
undefined(const struct fx_builder *builder, const struct fx_ast *tree)
{
	FX_AUTO_BUF struct fx_buf list = { 0 };
	struct fx_nearest nearest;
	struct fx_error *err;
	struct fx_node *node;

	err = fx_build_error(builder, tree, FX_ERR_NO_NAME,
		"\"%s\" is not defined above", tree->text);
	fx_nearest_init(&nearest, tree->text);
	fx_graph_for_each_node (node, builder->graph)
		fx_nearest_offer(&nearest, node->name);
	fx_nearest_print(&nearest, &list);
	if (nearest.count == 0)
		return err;
	return fx_error_hint(err, "nearest: %s", fx_buf_text(&list));
}

static struct fx_error *
refuse(struct fx_builder *builder, enum fx_build_problem problem,
	const struct fx_ast *tree)
{
	switch (problem) {
	case FX_BUILD_UNDEFINED:
		return undefined(builder, tree);
	case FX_BUILD_NO_FUNCTION:
		return undefined(builder, tree->kids[0]);
	case FX_BUILD_NOT_CALLABLE:
		break;
	}
	tree = tree->kids[0];
	return fx_error_hint(fx_build_error(builder, tree, FX_ERR_TYPE,
				     "%%%s is a value and cannot be called",
				     tree->text),
		"a module is called as self.%s(...)", tree->text);
}

static const struct fx_value *
find(struct fx_builder *builder, const char *name)
{
	return fx_py_get((struct fx_py *)builder, name);
}

static struct fx_node *
emit(struct fx_builder *builder, const struct fx_build_left *left,
	struct fx_node_spec *spec)
{
	return fx_py_node((struct fx_py *)builder, left, spec);
}

/* Names are variables of the text. */
static const struct fx_build_environment environment = {
	.find = find,
	.refuse = refuse,
	.emit = emit,
	.notice = notice,
	.names_places = true,
};

/* The graph of MODULE: the first class with a `forward`, or a function of that
 * name, or the first function.
 */
static const struct fx_ast *
find_graph(struct fx_py *py, const struct fx_ast *module,
	const struct fx_ast **class_ret)
{
	const struct fx_ast *found = fx_py_find_function(module, "forward");
	uint32_t others = 0;
	uint32_t i;

	*class_ret = NULL;
	for (i = 0; i < module->kid_count; i++) {
		const struct fx_ast *kid = module->kids[i];
		const struct fx_ast *forward = NULL;

		if (kid->kind == FX_AST_CLASS)
			forward = fx_py_find_function(kid->kids[kid->kid_count -
								1],
				"forward");
		if (forward && found)
			others++;
		if (!forward || found)
			continue;
		found = forward;
		*class_ret = kid;
	}
	for (i = 0; !found && i < module->kid_count; i++)
		if (module->kids[i]->kind == FX_AST_FUNCTION)
			found = module->kids[i];
	if (others > 0)
		fx_build_notice(&py->build,
			"%u more graph%s in the text %s left out", others,
			others == 1 ? "" : "s", others == 1 ? "is" : "are");
	return found;
}

static struct fx_error *
read_module(struct fx_py *py, const struct fx_ast *module)
{
	const struct fx_ast *class_tree;
	const struct fx_ast *function = find_graph(py, module, &class_tree);
	uint32_t i;

	for (i = 0; i < module->kid_count; i++)
		fx_py_wrap(py, module->kids[i]);
	if (!function)
		return fx_error_new(FX_ERR_SYNTAX,
			"the text has no \"def forward\"");
	return fx_py_graph(py, class_tree, function);
}

/* How far it went: the nodes of what was understood before the error. */
static struct fx_error *
note_progress(struct fx_py *py, struct fx_error *err,
	const struct fx_ast *understood)
{
	size_t *total = py->node_total;

	if (understood && *total == 0) {
		FX_AUTO_GRAPH struct fx_graph *scratch = fx_graph_new(0);
		struct fx_load_input input = *py->input;
		struct fx_py partial = *py;

		input.notices = NULL;
		partial.input = &input;
		partial.build.graph = scratch;
		partial.build.root = scratch->module;
		fx_error_free(read_module(&partial, understood));
		fx_map_deinit(&partial.names);
		fx_map_deinit(&partial.build.wrapped);
	}
	return fx_error_note(err,
		"while reading %s: %zu node%s understood "
		"before this",
		fx_load_name(py->input), *total, *total == 1 ? "" : "s");
}

/* str(ExportedProgram): the heading becomes blank, and the text ends where the
 * signature begins.
 */
static void
cut_exported(struct fx_py *py, char *text)
{
	static const char heading[] = "ExportedProgram:";
	char *at = text + strspn(text, " \t\n");
	char *end;

	if (!fx_str_starts(at, heading))
		return;
	memset(at, ' ', sizeof(heading) - 1);
	for (end = at; *end; end += *end == '\n') {
		if (fx_str_starts(end, "Graph signature:")) {
			*end = '\0';
			fx_build_notice(&py->build,
				"the graph signature and range "
				"constraints are not kept");
			return;
		}
		end += strcspn(end, "\n");
	}
}

struct fx_error *
fx_load_python(const struct fx_load_input *input, struct fx_graph **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(input->serial);
	FX_AUTO_MAP struct fx_map noticed = { 0 };
	FX_AUTO_FREE char *text = NULL;
	size_t node_total = 0;
	uint32_t graph_total = 0;
	struct fx_py py = { .build = { .environment = &environment,
				    .graph = graph,
				    .root = graph->module },
		.input = input,
		.noticed = &noticed,
		.node_total = &node_total,
		.graph_total = &graph_total };
	struct fx_ast *understood = NULL;
	struct fx_ast *module;
	struct fx_error *err;
	size_t length;

	text = fx_strip_log(input, &length);
	cut_exported(&py, text);
	length = strlen(text);
	py.build.text = text;
	err = fx_parse_module(arena, text, length, &module, &understood);
	if (!err)
		err = read_module(&py, module);
	fx_map_deinit(&py.names);
	fx_map_deinit(&py.build.wrapped);
	if (err) {
		memset(&py.names, 0, sizeof(py.names));
		memset(&py.build.wrapped, 0, sizeof(py.build.wrapped));
		return note_progress(&py, err, understood);
	}
	*ret = FX_TAKE(graph);
	return NULL;
}
