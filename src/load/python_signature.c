/* python_signature.c - the parameters of `forward` as placeholders.
 *
 * A placeholder's target is the parameter; when torch.fx had to rename it, the
 * body begins with alias lines (`input_1 = input`) that give the node's name.
 * With nested inputs the body first flattens them, and the flattened names are
 * the placeholders (semantics 6.9).
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "load/python_private.h"

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
	pytree->in_text = fx_py_span(py, bracketed);
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
