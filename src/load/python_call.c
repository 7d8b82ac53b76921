/* python_call.c - one operation of the text as one node. */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/module.h"
#include "load/python_private.h"

/* getattr(X, "name"). */
static bool
is_getattr(const struct fx_ast *tree)
{
	return tree->kind == FX_AST_CALL && tree->kid_count == 3 &&
	       tree->kids[0]->kind == FX_AST_NAME &&
	       !strcmp(tree->kids[0]->text, "getattr") &&
	       tree->kids[2]->kind == FX_AST_STRING &&
	       tree->kids[2]->length > 0 &&
	       strlen(tree->kids[2]->string) == tree->kids[2]->length;
}

const char *
fx_py_path(const struct fx_py *py, const struct fx_ast *tree)
{
	FX_AUTO_BUF struct fx_buf path = { 0 };
	FX_VEC(const char *) steps = { 0 };
	bool is_path = false;

	for (;;) {
		if (tree->kind == FX_AST_ATTR) {
			fx_vec_push(&steps, tree->text);
			tree = tree->kids[0];
		} else if (is_getattr(tree)) {
			fx_vec_push(&steps, tree->kids[2]->string);
			tree = tree->kids[1];
		} else {
			break;
		}
	}
	is_path = tree->kind == FX_AST_NAME && !strcmp(tree->text, "self") &&
		  !fx_py_get(py, tree->text);
	while (is_path && steps.count > 0) {
		if (path.length > 0)
			fx_buf_add_char(&path, '.');
		fx_buf_add(&path, fx_vec_pop(&steps));
	}
	fx_vec_deinit(&steps);
	return is_path ? fx_intern(fx_buf_text(&path)) : NULL;
}

/* Arguments of CALL after RECEIVER (null: none). */
static struct fx_error *
read_arguments(struct fx_py *py, const struct fx_ast *call,
	const struct fx_value *receiver, struct fx_node_spec *spec)
{
	struct fx_arena *arena = py->graph->values;
	struct fx_value *args =
		FX_ARENA_ARRAY(arena, struct fx_value, call->kid_count + 1);
	struct fx_value *kwargs = NULL;
	uint32_t count = 0;
	uint32_t pairs = 0;
	uint32_t i;

	if (receiver)
		args[count++] = *receiver;
	for (i = 1; i < call->kid_count; i++) {
		const struct fx_ast *kid = call->kids[i];
		struct fx_value *place = &args[count];
		struct fx_error *err;

		if (kid->kind == FX_AST_STARRED ||
			kid->kind == FX_AST_DOUBLE_STARRED)
			return fx_py_error(py, kid, FX_ERR_SYNTAX,
				"a graph cannot hold starred arguments");
		if (kid->kind == FX_AST_KEYWORD) {
			if (!kwargs)
				kwargs = FX_ARENA_ARRAY(arena, struct fx_value,
					2 * (call->kid_count - i));
			kwargs[2 * pairs] = fx_value_string(kid->text);
			place = &kwargs[2 * pairs++ + 1];
			kid = kid->kids[0];
		} else if (pairs > 0) {
			return fx_py_error(py, kid, FX_ERR_SYNTAX,
				"a positional argument follows a keyword");
		} else {
			count++;
		}
		err = fx_py_value(py, kid, place);
		if (err)
			return err;
	}
	spec->args = (struct fx_value){
		.kind = FX_VALUE_TUPLE, .count = count, .items = args
	};
	if (pairs > 0)
		spec->kwargs = (struct fx_value){
			.kind = FX_VALUE_DICT, .count = pairs, .items = kwargs
		};
	return NULL;
}

/* Two or three values as the arguments of a call. */
static struct fx_value
tuple_of(struct fx_py *py, const struct fx_value *items, size_t count)
{
	return fx_value_sequence(py->graph->values, FX_VALUE_TUPLE, items,
		count);
}

static struct fx_error *
call_module(struct fx_py *py, const struct fx_ast *tree, const char *path,
	struct fx_node_spec *spec)
{
	if (!*path)
		return fx_py_error(py, tree, FX_ERR_SYNTAX,
			"a graph cannot call itself");
	spec->opcode = FX_OPCODE_CALL_MODULE;
	spec->target = path;
	return read_arguments(py, tree, NULL, spec);
}

static struct fx_error *
call_function(struct fx_py *py, const struct fx_ast *tree, const char *name,
	struct fx_node_spec *spec)
{
	spec->opcode = FX_OPCODE_CALL_FUNCTION;
	spec->target = name;
	return read_arguments(py, tree, NULL, spec);
}

static struct fx_error *
call_name(struct fx_py *py, const struct fx_ast *tree,
	struct fx_node_spec *spec)
{
	const struct fx_ast *function = tree->kids[0];
	const char *name;

	if (fx_py_get(py, function->text))
		return fx_error_hint(fx_py_error(py, function, FX_ERR_TYPE,
					     "%%%s is a value and cannot be "
					     "called",
					     function->text),
			"a module is called as self.%s(...)", function->text);
	name = fx_py_function(py, function->text, true);
	if (!name)
		return fx_py_undefined(py, function);
	spec->is_wrapped = fx_map_has(&py->wrapped, (uintptr_t)function->text);
	return call_function(py, tree, name, spec);
}

/* x.view(2), or getattr(x, "class")() where x.class() is no Python. */
static struct fx_error *
call_method(struct fx_py *py, const struct fx_ast *tree,
	struct fx_node_spec *spec)
{
	const struct fx_ast *function = tree->kids[0];
	bool is_attribute = function->kind == FX_AST_ATTR;
	struct fx_value receiver;
	struct fx_error *err = fx_py_value(py,
		function->kids[is_attribute ? 0 : 1], &receiver);

	if (err)
		return err;
	spec->opcode = FX_OPCODE_CALL_METHOD;
	spec->target = is_attribute ? function->text
				    : fx_intern(function->kids[2]->string);
	return read_arguments(py, tree, &receiver, spec);
}

/* self.w.view(-1): a method of a parameter that is known. */
static bool
is_method_of_tensor(struct fx_py *py, const struct fx_ast *function)
{
	const char *path;

	if (function->kind != FX_AST_ATTR)
		return false;
	path = fx_py_path(py, function->kids[0]);
	return path && *path && fx_module_find_tensor(py->graph->module, path);
}

static struct fx_error *
read_call(struct fx_py *py, const struct fx_ast *tree,
	struct fx_node_spec *spec)
{
	const struct fx_ast *function = tree->kids[0];
	const char *path = fx_py_path(py, tree);
	const char *name;

	if (path) {
		spec->opcode = FX_OPCODE_GET_ATTR;
		spec->target = path;
		return NULL;
	}
	if (is_method_of_tensor(py, function))
		return call_method(py, tree, spec);
	path = fx_py_path(py, function);
	if (path)
		return call_module(py, tree, path, spec);
	if (function->kind == FX_AST_NAME)
		return call_name(py, tree, spec);
	if (is_getattr(function))
		return call_method(py, tree, spec);
	if (function->kind != FX_AST_ATTR)
		return fx_py_error(py, function, FX_ERR_SYNTAX,
			"this cannot be called in a graph");
	name = fx_py_dotted(py, function);
	if (name) {
		spec->is_wrapped = fx_map_has(&py->wrapped, (uintptr_t)name);
		return call_function(py, tree, name, spec);
	}
	return call_method(py, tree, spec);
}

/* x.shape, or self.weight. */
static struct fx_error *
read_attribute(struct fx_py *py, const struct fx_ast *tree,
	struct fx_node_spec *spec)
{
	const char *path = fx_py_path(py, tree);
	struct fx_value items[2];
	struct fx_error *err;

	if (path) {
		spec->opcode = FX_OPCODE_GET_ATTR;
		spec->target = path;
		return NULL;
	}
	err = fx_py_value(py, tree->kids[0], &items[0]);
	if (err)
		return err;
	items[1] = fx_value_string(tree->text);
	spec->opcode = FX_OPCODE_CALL_FUNCTION;
	spec->target = "builtins.getattr";
	spec->args = tuple_of(py, items, 2);
	return NULL;
}

/* The function `operator.NAME` of one or two operands. */
static struct fx_error *
read_operator(struct fx_py *py, const char *name, const struct fx_ast *left,
	const struct fx_ast *right, struct fx_node_spec *spec)
{
	struct fx_value items[2];
	struct fx_error *err = fx_py_value(py, left, &items[0]);

	if (!err && right)
		err = fx_py_value(py, right, &items[1]);
	if (err)
		return err;
	spec->opcode = FX_OPCODE_CALL_FUNCTION;
	spec->target = fx_intern_format("operator.%s", name);
	spec->args = tuple_of(py, items, right ? 2 : 1);
	return NULL;
}

static struct fx_error *
read_compare(struct fx_py *py, const struct fx_ast *tree,
	struct fx_node_spec *spec)
{
	enum fx_ast_op op = tree->ops[0];

	if (tree->kid_count != 2)
		return fx_py_error(py, tree, FX_ERR_SYNTAX,
			"a graph holds one comparison at a time");
	if (op == FX_AST_IN)
		return read_operator(py, "contains", tree->kids[1],
			tree->kids[0], spec);
	if (!*fx_ast_op_function(op))
		return fx_py_error(py, tree, FX_ERR_SYNTAX,
			"\"%s\" is no operation of a graph",
			fx_ast_op_text(op));
	return read_operator(py, fx_ast_op_function(op), tree->kids[0],
		tree->kids[1], spec);
}

/* torch.fx prints pow(-2, x) as `-2 ** x`, which Python reads otherwise; the
 * name on the left tells what it was.
 */
static struct fx_error *
read_unary(struct fx_py *py, const struct fx_ast *tree,
	const struct fx_py_left *left, struct fx_node_spec *spec)
{
	const struct fx_ast *inner = tree->kids[0];
	struct fx_value items[2];
	struct fx_error *err;

	if (tree->op != FX_AST_NEG || inner->kind != FX_AST_BINARY ||
		inner->op != FX_AST_POW || inner->parenthesised ||
		inner->kids[0]->kind != FX_AST_INT || inner->kids[0]->text ||
		!left->name || !fx_str_starts(left->name, "pow"))
		return read_operator(py, fx_ast_op_function(tree->op), inner,
			NULL, spec);
	err = fx_py_value(py, inner->kids[1], &items[1]);
	if (err)
		return err;
	items[0] = fx_value_int(-inner->kids[0]->integer);
	fx_py_notice(py,
		"%s: read as (%lld) ** ..., which torch.fx prints "
		"without parentheses",
		left->name, (long long)items[0].integer);
	spec->opcode = FX_OPCODE_CALL_FUNCTION;
	spec->target = "operator.pow";
	spec->args = tuple_of(py, items, 2);
	return NULL;
}

static struct fx_error *
read_spec(struct fx_py *py, const struct fx_ast *tree,
	const struct fx_py_left *left, struct fx_node_spec *spec)
{
	switch ((int)tree->kind) {
	case FX_AST_CALL:
		return read_call(py, tree, spec);
	case FX_AST_ATTR:
		return read_attribute(py, tree, spec);
	case FX_AST_SUBSCRIPT:
		return read_operator(py, "getitem", tree->kids[0],
			tree->kids[1], spec);
	case FX_AST_BINARY:
		return read_operator(py, fx_ast_op_function(tree->op),
			tree->kids[0], tree->kids[1], spec);
	case FX_AST_UNARY:
		return read_unary(py, tree, left, spec);
	case FX_AST_COMPARE:
		return read_compare(py, tree, spec);
	}
	return fx_py_error(py, tree, FX_ERR_SYNTAX,
		"a graph cannot hold this expression");
}

struct fx_error *
fx_py_operation(struct fx_py *py, const struct fx_ast *tree,
	const struct fx_py_left *left, struct fx_node **ret)
{
	struct fx_node_spec spec = { 0 };
	struct fx_error *err;

	if (tree->height > FX_PY_HEIGHT)
		return fx_py_error(py, tree, FX_ERR_LIMIT,
			"this expression has more than %d levels",
			FX_PY_HEIGHT);
	err = read_spec(py, tree, left, &spec);
	if (err)
		return err;
	*ret = fx_py_node(py, left, &spec);
	return NULL;
}
