/* python_stmt.c - the statements of `forward`. */
#include <config.h>

#include <string.h>

#include "base/intern.h"
#include "base/str.h"
#include "load/python_private.h"

bool
fx_py_wrap(struct fx_py *py, const struct fx_ast *tree)
{
	const struct fx_ast *call = tree->kids ? tree->kids[0] : NULL;
	const char *name;

	if (tree->kind != FX_AST_EXPRESSION || call->kind != FX_AST_CALL ||
		call->kid_count != 2 || call->kids[1]->kind != FX_AST_STRING)
		return false;
	name = fx_build_dotted(&py->build, call->kids[0]);
	if (!name || !fx_str_ends(name, ".wrap") ||
		strlen(call->kids[1]->string) != call->kids[1]->length)
		return false;
	fx_map_set(&py->build.wrapped,
		(uintptr_t)fx_intern(call->kids[1]->string), 1);
	return true;
}

/* Whether STATEMENT says NAME = SOURCE and no more: the second half of the
 * in-place forms `y += 1;  y_1 = y` and `x[k] = v;  setitem = x`.
 */
static bool
is_copy_of(const struct fx_ast *statement, const struct fx_ast *source,
	struct fx_build_left *left_ret)
{
	const struct fx_ast *value;

	if (source->kind != FX_AST_NAME)
		return false;
	if (statement->kind == FX_AST_ASSIGN && statement->kid_count == 2)
		value = statement->kids[1];
	else if (statement->kind == FX_AST_ANNOTATED)
		value = statement->kids[2];
	else
		return false;
	if (!value || value->kind != FX_AST_NAME ||
		value->text != source->text ||
		statement->kids[0]->kind != FX_AST_NAME)
		return false;
	left_ret->name = statement->kids[0]->text;
	left_ret->annotation =
		statement->kind == FX_AST_ANNOTATED ? statement->kids[1] : NULL;
	return true;
}

/* The name and annotation that the statement after INDEX gives; true when it
 * belongs to the in-place form on SOURCE.
 */
static bool
copy_follows(const struct fx_ast *block, uint32_t index,
	const struct fx_ast *source, struct fx_build_left *left_ret)
{
	*left_ret = (struct fx_build_left){ 0 };
	return index + 1 < block->kid_count &&
	       is_copy_of(block->kids[index + 1], source, left_ret);
}

/* A function of the operator module on COUNT trees. */
static struct fx_error *
in_place(struct fx_py *py, const char *target,
	const struct fx_ast *const *trees, size_t count,
	const struct fx_build_left *left)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION };
	struct fx_value items[3];
	struct fx_error *err;
	size_t i;

	for (i = 0; i < count; i++) {
		err = fx_build_value(&py->build, trees[i], &items[i]);
		if (err)
			return err;
	}
	spec.target = target;
	spec.args = fx_value_sequence(py->build.graph->values, FX_VALUE_TUPLE,
		items, count);
	fx_py_node(py, left, &spec);
	return NULL;
}

/* `y += 1`, with or without `;  y_1 = y`. */
static struct fx_error *
read_augmented(struct fx_py *py, const struct fx_ast *block, uint32_t *index)
{
	const struct fx_ast *tree = block->kids[*index];
	const struct fx_ast *trees[2] = { tree->kids[0], tree->kids[1] };
	const struct fx_ast *target = tree->kids[0];
	struct fx_build_left left;
	struct fx_error *err;
	const char *function;

	if (target->kind != FX_AST_NAME)
		return fx_build_error(&py->build, target, FX_ERR_SYNTAX,
			"only a name can be changed in place");
	function = fx_ast_op_function(tree->op);
	function = fx_intern_format("operator.i%.*s",
		(int)strcspn(function, "_"), function);
	if (copy_follows(block, *index, target, &left))
		++*index;
	err = in_place(py, function, trees, 2, &left);
	if (!err && !left.name)
		fx_py_set(py, target->text, fx_value_node(py->last));
	return err;
}

/* `x[k] = v`, with or without `;  setitem = x`. */
static struct fx_error *
read_setitem(struct fx_py *py, const struct fx_ast *block, uint32_t *index)
{
	const struct fx_ast *tree = block->kids[*index];
	const struct fx_ast *target = tree->kids[0];
	const struct fx_ast *trees[3] = { target->kids[0], target->kids[1],
		tree->kids[1] };
	struct fx_build_left left;

	if (copy_follows(block, *index, target->kids[0], &left))
		++*index;
	return in_place(py, "operator.setitem", trees, 3, &left);
}

/* `x = None`, `a = b = None`: torch.fx frees values so. */
static bool
is_free(const struct fx_py *py, const struct fx_ast *tree)
{
	uint32_t last = tree->kid_count - 1;
	uint32_t i;

	if (tree->kids[last]->kind != FX_AST_NONE)
		return false;
	for (i = 0; i < last; i++)
		if (tree->kids[i]->kind != FX_AST_NAME ||
			!fx_py_get(py, tree->kids[i]->text))
			return false;
	return true;
}

static void
count_frees(struct fx_py *py, const struct fx_ast *tree)
{
	uint32_t i;

	py->frees++;
	for (i = 0; i + 1 < tree->kid_count; i++)
		if (py->last && tree->kids[i]->text == py->last->name)
			py->self_frees++;
}

/* `name = value` or `name : annotation = value`. */
static struct fx_error *
assign_name(struct fx_py *py, const struct fx_build_left *left,
	const struct fx_ast *value)
{
	struct fx_value constant;
	struct fx_node *node;
	struct fx_error *err;

	if (fx_build_is_operation(&py->build, value))
		return fx_build_operation(&py->build, value, left, &node);
	err = fx_build_value(&py->build, value, &constant);
	if (err)
		return err;
	fx_py_set(py, left->name, constant);
	return NULL;
}

/* `a, b = value`: the value becomes a node, its elements too. */
static struct fx_error *
assign_tuple(struct fx_py *py, const struct fx_ast *targets,
	const struct fx_ast *value)
{
	static const struct fx_build_left nested;
	struct fx_value items[2];
	struct fx_node *node;
	struct fx_error *err;
	uint32_t i;

	if (fx_build_is_operation(&py->build, value)) {
		err = fx_build_operation(&py->build, value, &nested, &node);
		items[0] = err ? fx_value_none() : fx_value_node(node);
	} else {
		err = fx_build_value(&py->build, value, &items[0]);
	}
	if (err)
		return err;
	for (i = 0; i < targets->kid_count; i++) {
		struct fx_build_left left = { targets->kids[i]->text, NULL };
		struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
			.target = "operator.getitem" };

		if (targets->kids[i]->kind != FX_AST_NAME)
			return fx_build_error(&py->build, targets->kids[i],
				FX_ERR_SYNTAX, "expected a name");
		items[1] = fx_value_int(i);
		spec.args = fx_value_sequence(py->build.graph->values,
			FX_VALUE_TUPLE, items, 2);
		fx_py_node(py, &left, &spec);
	}
	return NULL;
}

static struct fx_error *
read_assign(struct fx_py *py, const struct fx_ast *block, uint32_t *index)
{
	const struct fx_ast *tree = block->kids[*index];
	const struct fx_ast *target = tree->kids[0];
	uint32_t last = tree->kid_count - 1;
	struct fx_build_left left = { target->text, NULL };
	struct fx_error *err;
	uint32_t i;

	if (is_free(py, tree)) {
		count_frees(py, tree);
		return NULL;
	}
	if (target->kind == FX_AST_SUBSCRIPT && tree->kid_count == 2)
		return read_setitem(py, block, index);
	if (target->kind == FX_AST_TUPLE && tree->kid_count == 2)
		return assign_tuple(py, target, tree->kids[last]);
	for (i = 0; i < last; i++)
		if (tree->kids[i]->kind != FX_AST_NAME)
			return fx_build_error(&py->build, tree->kids[i],
				FX_ERR_SYNTAX, "a graph cannot assign to this");
	err = assign_name(py, &left, tree->kids[last]);
	for (i = 1; !err && i < last; i++)
		fx_py_set(py, tree->kids[i]->text,
			*fx_py_get(py, target->text));
	return err;
}

static struct fx_error *
read_annotated(struct fx_py *py, const struct fx_ast *tree)
{
	const struct fx_ast *target = tree->kids[0];
	struct fx_build_left left = { target->text, tree->kids[1] };

	if (target->kind != FX_AST_NAME)
		return fx_build_error(&py->build, target, FX_ERR_SYNTAX,
			"a graph cannot assign to this");
	if (!tree->kids[2])
		return NULL;
	return assign_name(py, &left, tree->kids[2]);
}

/* Return the value of a `return` statement.  Of `pytree.tree_unflatten([...],
 * self._out_spec)`, the value is the flat list.
 */
static const struct fx_ast *
returned(struct fx_py *py, const struct fx_ast *tree)
{
	const struct fx_ast *value = tree->kids[0];
	const char *name;

	if (!value || value->kind != FX_AST_CALL || value->kid_count != 3)
		return value;
	name = fx_build_dotted(&py->build, value->kids[0]);
	if (!name || !fx_str_ends(name, "tree_unflatten"))
		return value;
	py->is_output_flat = true;
	return value->kids[1];
}

static struct fx_error *
read_return(struct fx_py *py, const struct fx_ast *tree,
	const struct fx_ast *returns)
{
	struct fx_build_left left = { NULL, returns };
	struct fx_node_spec spec = { .opcode = FX_OPCODE_OUTPUT,
		.target = "output" };
	struct fx_value value;
	struct fx_error *err;

	if (!tree->kids[0])
		return fx_error_hint(fx_build_error(&py->build, tree,
					     FX_ERR_SYNTAX,
					     "expected a value after "
					     "\"return\""),
			"is the dump cut short?");
	err = fx_build_value(&py->build, returned(py, tree), &value);
	if (err)
		return err;
	if (py->is_output_flat && !py->build.graph->pytree &&
		fx_graph_first(py->build.graph) &&
		fx_graph_first(py->build.graph)->opcode ==
			FX_OPCODE_PLACEHOLDER)
		return fx_build_error(&py->build, tree, FX_ERR_SYNTAX,
			"tree_unflatten stands without tree_flatten_spec");
	spec.args = fx_value_sequence(py->build.graph->values, FX_VALUE_TUPLE,
		&value, 1);
	py->source = NULL;
	fx_py_node(py, &left, &spec);
	return NULL;
}

/* A statement that is only an expression: torch._assert(...). */
static struct fx_error *
read_expression(struct fx_py *py, const struct fx_ast *tree)
{
	static const struct fx_build_left nameless;
	struct fx_node *node;

	if (fx_py_wrap(py, tree) || tree->kids[0]->kind == FX_AST_STRING)
		return NULL;
	if (fx_build_is_operation(&py->build, tree->kids[0]))
		return fx_build_operation(&py->build, tree->kids[0], &nameless,
			&node);
	return fx_build_error(&py->build, tree, FX_ERR_SYNTAX,
		"this statement does nothing");
}

static struct fx_error *
read_statement(struct fx_py *py, const struct fx_ast *block, uint32_t *index)
{
	const struct fx_ast *tree = block->kids[*index];

	switch ((int)tree->kind) {
	case FX_AST_ASSIGN:
		return read_assign(py, block, index);
	case FX_AST_ANNOTATED:
		return read_annotated(py, tree);
	case FX_AST_AUGMENTED:
		return read_augmented(py, block, index);
	case FX_AST_EXPRESSION:
		return read_expression(py, tree);
	case FX_AST_PASS:
	case FX_AST_IMPORT:
	case FX_AST_DELETE:
		return NULL;
	}
	return fx_build_error(&py->build, tree, FX_ERR_SYNTAX,
		"a graph cannot hold this statement");
}

static bool
is_only_pass(const struct fx_ast *block, uint32_t first)
{
	return first + 1 == block->kid_count &&
	       block->kids[first]->kind == FX_AST_PASS;
}

struct fx_error *
fx_py_statements(struct fx_py *py, const struct fx_ast *block, uint32_t first,
	const struct fx_ast *returns)
{
	struct fx_error *err;
	uint32_t i;

	for (i = first; i < block->kid_count; i++) {
		const struct fx_ast *tree = block->kids[i];

		fx_py_comments(py, tree);
		if (tree->kind == FX_AST_RETURN) {
			if (i + 1 < block->kid_count)
				fx_build_notice(&py->build,
					"statements after the return "
					"are left out");
			return read_return(py, tree, returns);
		}
		err = read_statement(py, block, &i);
		if (err)
			return err;
	}
	if (is_only_pass(block, first))
		return NULL;
	return fx_error_hint(fx_build_error(&py->build,
				     block->kid_count
					     ? block->kids[block->kid_count - 1]
					     : block,
				     FX_ERR_SYNTAX,
				     "the code ends without a return"),
		"is the dump cut short?");
}
