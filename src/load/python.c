/* python.c - finds the graph in a text of Python and has it read. */
#include <config.h>

#include "load/python.h"

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"
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

/* The text of TREE as it stands, interned. */
static const char *
py_span(const struct fx_py *py, const struct fx_ast *tree)
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
		spec->type = py_span(py, left->annotation);
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
		if (fx_str_starts(end + strspn(end, " \t"),
			    "Graph signature:")) {
			*end = '\0';
			fx_build_notice(&py->build,
				"the graph signature and range "
				"constraints are not kept");
			return;
		}
		end += strcspn(end, "\n");
	}
}

/* fx_graph_runnable.py of torch.compile: a program around the class of a graph.
 * All but the class becomes blank; what calls it would have to be run.
 */
static void
cut_runnable(char *text)
{
	static const char head[] = "class Repro(torch.nn.Module):\n";
	char *line = text;
	char *class;
	size_t indent; /* of a quoted text */

	while (*line && !fx_str_starts(line + strspn(line, " \t"), head))
		line = (char *)fx_str_next_line(line);
	if (!*line)
		return;
	indent = strspn(line, " \t");
	class = line;
	for (char *at = text; at < class; at++)
		if (*at != '\n')
			*at = ' ';
	do
		line = (char *)fx_str_next_line(line);
	while (*line && (strspn(line, " \t") > indent ||
				line[strspn(line, " \t")] == '\n'));
	*line = '\0';
}

struct fx_error *
fx_load_python(const struct fx_load_input *input, struct fx_graph **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(input->serial);
	FX_AUTO_MAP struct fx_map noticed = { 0 };
	FX_AUTO_MAP struct fx_map graph_classes = { 0 };
	FX_AUTO_FREE char *text = NULL;
	size_t node_total = 0;
	uint32_t graph_total = 0;
	struct fx_py py = { .build = { .environment = &environment,
				    .graph = graph,
				    .root = graph->module },
		.input = input,
		.noticed = &noticed,
		.graph_classes = &graph_classes,
		.node_total = &node_total,
		.graph_total = &graph_total };
	struct fx_ast *understood = NULL;
	struct fx_ast *module;
	struct fx_error *err;
	size_t length;
	bool is_printed;

	text = fx_strip_log(input, &length);
	cut_exported(&py, text);
	cut_runnable(text);
	length = strlen(text);
	py.build.text = text;
	is_printed = fx_py_printed(&py, text);
	err = fx_parse_module(arena, text, length, &module, &understood);
	if (!err)
		err = read_module(&py, module);
	if (!err && is_printed)
		fx_py_note_parameters(&py);
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

/* The parameters of `forward` as placeholders.
 *
 * A placeholder's target is the parameter; when torch.fx had to rename it, the
 * body begins with alias lines (`input_1 = input`) that give the node's name.
 * With nested inputs the body first flattens them, and the flattened names are
 * the placeholders (semantics 6.9).
 */

/* What the head of the body says about the parameters. */
struct head {
	struct fx_map aliases; /* parameter -> node name */
	struct fx_map types;   /* name -> annotation tree */
	struct fx_map names;   /* of parameters or flattened inputs -> 1 */
	const struct fx_ast *flatten; /* the ASSIGN, or NULL */
	uint32_t next;                /* first statement after it */
};

static bool
is_alias(const struct fx_ast *statement)
{
	return statement->kind == FX_AST_ASSIGN && statement->kid_count == 2 &&
	       statement->kids[0]->kind == FX_AST_NAME &&
	       statement->kids[1]->kind == FX_AST_NAME;
}

/* `a, b, = fx_pytree.tree_flatten_spec(...)`. */
static bool
is_flatten(struct fx_py *py, const struct fx_ast *statement)
{
	const struct fx_ast *call;
	const char *name;

	if (statement->kind != FX_AST_ASSIGN || statement->kid_count != 2 ||
		statement->kids[1]->kind != FX_AST_CALL)
		return false;
	call = statement->kids[1];
	name = fx_build_dotted(&py->build, call->kids[0]);
	return name && call->kid_count >= 2 &&
	       fx_str_ends(name, "tree_flatten_spec");
}

static void
add_name(struct head *head, const struct fx_ast *tree)
{
	if (tree->text)
		fx_map_set(&head->names, (uintptr_t)tree->text, 1);
}

/* The names that an alias line may have on its right. */
static void
collect_names(struct head *head, const struct fx_ast *function)
{
	const struct fx_ast *names =
		head->flatten ? head->flatten->kids[0] : NULL;
	uint32_t i;

	if (names && names->kind != FX_AST_TUPLE)
		add_name(head, names);
	for (i = 0;
		names && names->kind == FX_AST_TUPLE && i < names->kid_count;
		i++)
		add_name(head, names->kids[i]);
	for (i = 0; !names && i + 2 < function->kid_count; i++)
		add_name(head, function->kids[i]);
}

static void
read_head(struct fx_py *py, const struct fx_ast *function, struct head *head)
{
	const struct fx_ast *block = function->kids[function->kid_count - 2];
	uint32_t i = 0;

	for (; i < block->kid_count; i++) {
		const struct fx_ast *s = block->kids[i];

		if (s->kind != FX_AST_ANNOTATED || s->kids[2] ||
			s->kids[0]->kind != FX_AST_NAME)
			break;
		fx_map_set_pointer(&head->types, s->kids[0]->text, s->kids[1]);
	}
	if (i < block->kid_count && is_flatten(py, block->kids[i]))
		head->flatten = block->kids[i++];
	collect_names(head, function);
	for (; i < block->kid_count && is_alias(block->kids[i]); i++) {
		const struct fx_ast *s = block->kids[i];
		const char *parameter = s->kids[1]->text;

		if (!fx_map_has(&head->names, (uintptr_t)parameter))
			break;
		fx_map_set_pointer(&head->aliases, parameter, s->kids[0]->text);
	}
	head->next = i;
}

/* One placeholder; ANNOTATION and FALLBACK may be null. */
static struct fx_error *
add_placeholder(struct fx_py *py, const struct head *head,
	const struct fx_ast *param, const struct fx_ast *annotation,
	const struct fx_ast *fallback)
{
	const char *alias = fx_map_get_pointer(&head->aliases, param->text);
	struct fx_build_left left = { alias ? alias : param->text, annotation };
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER };
	struct fx_node *node;

	spec.target = fx_intern_format("%s%s", fx_ast_op_text(param->op),
		param->text);
	if (fx_py_get(py, param->text) || (alias && fx_py_get(py, alias)))
		return fx_build_error(&py->build, param, FX_ERR_SYNTAX,
			"two inputs are called %s", param->text);
	if (fallback && param->op != FX_AST_OP_NONE)
		return fx_build_error(&py->build, fallback, FX_ERR_SYNTAX,
			"a starred parameter has no default");
	if (fallback) {
		struct fx_value value;
		struct fx_error *err;

		err = fx_build_plain(&py->build, fallback,
			"a default must be a plain value", &value);
		if (err)
			return err;
		spec.args = fx_value_sequence(py->build.graph->values,
			FX_VALUE_TUPLE, &value, 1);
	}
	node = fx_py_node(py, &left, &spec);
	fx_py_set(py, param->text, fx_value_node(node));
	return NULL;
}

static struct fx_error *
add_parameters(struct fx_py *py, const struct fx_ast *function,
	const struct head *head)
{
	uint32_t i;

	for (i = 0; i + 2 < function->kid_count; i++) {
		const struct fx_ast *param = function->kids[i];
		struct fx_error *err;

		if (i == 0 && !strcmp(param->text, "self") && !param->op)
			continue;
		err = add_placeholder(py, head, param, param->kids[0],
			param->kids[1]);
		if (err)
			return err;
	}
	return NULL;
}

/* Inside `[...]` or `([...], {...})`: the latter when there are keywords. */
static void
note_pytree(struct fx_py *py, const struct fx_ast *function,
	const struct fx_ast *bracketed, bool with_self)
{
	struct fx_arena *arena = py->build.graph->permanent;
	struct fx_pytree *pytree = FX_ARENA_NEW(arena, struct fx_pytree);
	const char **names =
		FX_ARENA_ARRAY(arena, const char *, function->kid_count);
	uint32_t i;

	for (i = 0; i + 2 < function->kid_count; i++) {
		const struct fx_ast *param = function->kids[i];

		if (i > 0 || strcmp(param->text, "self") != 0)
			names[pytree->input_count++] = param->text;
	}
	pytree->inputs = names;
	pytree->with_self = with_self;
	pytree->with_kwargs = bracketed->kind == FX_AST_TUPLE;
	pytree->in_text = py_span(py, bracketed);
	py->build.graph->pytree = pytree;
}

static struct fx_error *
add_flattened(struct fx_py *py, const struct fx_ast *function,
	const struct head *head)
{
	const struct fx_ast *names = head->flatten->kids[0];
	uint32_t count = names->kind == FX_AST_TUPLE ? names->kid_count : 1;
	bool with_self = false;
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct fx_ast *name =
			names->kind == FX_AST_TUPLE ? names->kids[i] : names;
		struct fx_error *err;

		if (name->kind != FX_AST_NAME)
			return fx_build_error(&py->build, name, FX_ERR_SYNTAX,
				"expected the name of an input");
		if (i == 0 && !strcmp(name->text, "self")) {
			with_self = true;
			continue;
		}
		err = add_placeholder(py, head, name,
			fx_map_get_pointer(&head->types, name->text), NULL);
		if (err)
			return err;
	}
	note_pytree(py, function, head->flatten->kids[1]->kids[1], with_self);
	return NULL;
}

struct fx_error *
fx_py_signature(struct fx_py *py, const struct fx_ast *function,
	uint32_t *first_ret)
{
	struct head head = { 0 };
	struct fx_error *err;

	read_head(py, function, &head);
	if (head.flatten)
		err = add_flattened(py, function, &head);
	else
		err = add_parameters(py, function, &head);
	*first_ret = head.next;
	fx_map_deinit(&head.aliases);
	fx_map_deinit(&head.types);
	fx_map_deinit(&head.names);
	return err;
}
