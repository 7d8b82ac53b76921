/* build_call.c - one operation of the text as one node. */
#include <config.h>

#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/build.h"
#include "ir/fold.h"
#include "ir/module.h"
#include "ops/optab.h"

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

void
fx_build_notice(struct fx_builder *builder, const char *format, ...)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };
	va_list list;

	if (!builder->environment->notice)
		return;
	va_start(list, format);
	fx_buf_addv(&line, format, list);
	va_end(list);
	builder->environment->notice(builder, fx_buf_text(&line));
}

struct fx_error *
fx_build_error(const struct fx_builder *builder, const struct fx_ast *tree,
	enum fx_error_code code, const char *format, ...)
{
	FX_AUTO_BUF struct fx_buf message = { 0 };
	const char *text = builder->text;
	va_list list;

	va_start(list, format);
	fx_buf_addv(&message, format, list);
	va_end(list);
	if (builder->environment->names_places)
		fx_buf_addf(&message, " (line %d, column %d)",
			fx_span_line(text, tree->span.begin),
			fx_span_column(text, tree->span.begin));
	return fx_error_at(fx_error_new(code, "%s", fx_buf_text(&message)),
		text, tree->span);
}

/* The dotted path of self.a.b or getattr(self.a, "0"), interned; NULL when
 * TREE is no path; "" for self alone, and for nothing else.
 */
static const char *
path_of(struct fx_builder *builder, const struct fx_ast *tree)
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
		  !builder->environment->find(builder, tree->text);
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
read_arguments(struct fx_builder *builder, const struct fx_ast *call,
	const struct fx_value *receiver, struct fx_node_spec *spec)
{
	struct fx_arena *arena = builder->graph->values;
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
			return fx_build_error(builder, kid, FX_ERR_SYNTAX,
				"a graph cannot hold starred arguments");
		if (kid->kind == FX_AST_KEYWORD) {
			if (!kwargs)
				kwargs = FX_ARENA_ARRAY(arena, struct fx_value,
					2 * (call->kid_count - i));
			kwargs[2 * pairs] = fx_value_string(kid->text);
			place = &kwargs[2 * pairs++ + 1];
			kid = kid->kids[0];
		} else if (pairs > 0) {
			return fx_build_error(builder, kid, FX_ERR_SYNTAX,
				"a positional argument follows a keyword");
		} else {
			count++;
		}
		err = fx_build_value(builder, kid, place);
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
tuple_of(struct fx_builder *builder, const struct fx_value *items, size_t count)
{
	return fx_value_sequence(builder->graph->values, FX_VALUE_TUPLE, items,
		count);
}

static struct fx_error *
call_module(struct fx_builder *builder, const struct fx_ast *tree,
	const char *path, struct fx_node_spec *spec)
{
	if (!*path)
		return fx_build_error(builder, tree, FX_ERR_SYNTAX,
			"a graph cannot call itself");
	spec->opcode = FX_OPCODE_CALL_MODULE;
	spec->target = path;
	return read_arguments(builder, tree, NULL, spec);
}

/* Whether the function NAME is a builtin such as __import__ or exec: whoever
 * runs the graph would run what its arguments say.
 */
static bool
is_unknown_builtin(const char *name)
{
	static const char prefix[] = "builtins.";

	return fx_str_starts(name, prefix) && !fx_op_find(name) &&
	       !fx_fold_is_builtin(name + sizeof(prefix) - 1);
}

static struct fx_error *
call_function(struct fx_builder *builder, const struct fx_ast *tree,
	const char *name, struct fx_node_spec *spec)
{
	if (builder->known_builtins && is_unknown_builtin(name))
		return fx_build_error(builder, tree->kids[0],
			FX_ERR_UNSUPPORTED,
			"%s is no operation: of Python's builtins a graph is "
			"given those that only compute",
			name);
	spec->opcode = FX_OPCODE_CALL_FUNCTION;
	spec->target = name;
	return read_arguments(builder, tree, NULL, spec);
}

static struct fx_error *
call_name(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_node_spec *spec)
{
	const struct fx_ast *function = tree->kids[0];
	const char *name;

	if (builder->environment->find(builder, function->text))
		return builder->environment->refuse(builder,
			FX_BUILD_NOT_CALLABLE, tree);
	name = builder->environment->function
		       ? builder->environment->function(builder, function->text)
		       : NULL;
	if (!name)
		name = fx_build_function(builder, function->text, true);
	if (!name)
		return builder->environment->refuse(builder,
			FX_BUILD_NO_FUNCTION, tree);
	spec->is_wrapped =
		fx_map_has(&builder->wrapped, (uintptr_t)function->text);
	return call_function(builder, tree, name, spec);
}

/* x.view(2), or getattr(x, "class")() where x.class() is no Python. */
static struct fx_error *
call_method(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_node_spec *spec)
{
	const struct fx_ast *function = tree->kids[0];
	bool is_attribute = function->kind == FX_AST_ATTR;
	struct fx_value receiver;
	struct fx_error *err = fx_build_value(builder,
		function->kids[is_attribute ? 0 : 1], &receiver);

	if (err)
		return err;
	spec->opcode = FX_OPCODE_CALL_METHOD;
	spec->target = is_attribute ? function->text
				    : fx_intern(function->kids[2]->string);
	return read_arguments(builder, tree, &receiver, spec);
}

/* self.w.view(-1): a method of a parameter that is known. */
static bool
is_method_of_tensor(struct fx_builder *builder, const struct fx_ast *function)
{
	const char *path;

	if (function->kind != FX_AST_ATTR)
		return false;
	path = path_of(builder, function->kids[0]);
	return path && *path && fx_module_find_tensor(builder->root, path);
}

/* The path of the module that is made and called: nn.X(...)(...). */
static struct fx_error *
make_layer(struct fx_builder *builder, const struct fx_ast *tree,
	const char **path_ret)
{
	const struct fx_build_environment *environment = builder->environment;

	*path_ret = NULL;
	if (tree->kids[0]->kind == FX_AST_CALL)
		return environment->construct(builder, tree->kids[0], true,
			path_ret);
	return environment->construct(builder, tree, false, path_ret);
}

static struct fx_error *
read_call(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_node_spec *spec)
{
	const struct fx_ast *function = tree->kids[0];
	const char *path = path_of(builder, tree);
	const char *name;

	if (path) {
		spec->opcode = FX_OPCODE_GET_ATTR;
		spec->target = path;
		return NULL;
	}
	if (builder->environment->construct) {
		struct fx_error *err = make_layer(builder, tree, &path);

		if (err || path)
			return err ? err
				   : call_module(builder, tree, path, spec);
	}
	if (is_method_of_tensor(builder, function))
		return call_method(builder, tree, spec);
	path = path_of(builder, function);
	if (path)
		return call_module(builder, tree, path, spec);
	if (function->kind == FX_AST_NAME)
		return call_name(builder, tree, spec);
	if (is_getattr(function))
		return call_method(builder, tree, spec);
	if (function->kind != FX_AST_ATTR)
		return fx_build_error(builder, function, FX_ERR_SYNTAX,
			"this cannot be called in a graph");
	name = fx_build_dotted(builder, function);
	if (name) {
		spec->is_wrapped =
			fx_map_has(&builder->wrapped, (uintptr_t)name);
		return call_function(builder, tree, name, spec);
	}
	return call_method(builder, tree, spec);
}

/* x.shape, or self.weight. */
static struct fx_error *
read_attribute(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_node_spec *spec)
{
	const char *path = path_of(builder, tree);
	struct fx_value items[2];
	struct fx_error *err;

	if (path) {
		spec->opcode = FX_OPCODE_GET_ATTR;
		spec->target = path;
		return NULL;
	}
	err = fx_build_value(builder, tree->kids[0], &items[0]);
	if (err)
		return err;
	items[1] = fx_value_string(tree->text);
	spec->opcode = FX_OPCODE_CALL_FUNCTION;
	spec->target = "builtins.getattr";
	spec->args = tuple_of(builder, items, 2);
	return NULL;
}

/* The function `operator.NAME` of one or two operands. */
static struct fx_error *
read_operator(struct fx_builder *builder, const char *name,
	const struct fx_ast *left, const struct fx_ast *right,
	struct fx_node_spec *spec)
{
	struct fx_value items[2];
	struct fx_error *err = fx_build_value(builder, left, &items[0]);

	if (!err && right)
		err = fx_build_value(builder, right, &items[1]);
	if (err)
		return err;
	spec->opcode = FX_OPCODE_CALL_FUNCTION;
	spec->target = fx_intern_format("operator.%s", name);
	spec->args = tuple_of(builder, items, right ? 2 : 1);
	return NULL;
}

static struct fx_error *
read_compare(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_node_spec *spec)
{
	enum fx_ast_op op = tree->ops[0];

	if (tree->kid_count != 2)
		return fx_build_error(builder, tree, FX_ERR_SYNTAX,
			"a graph holds one comparison at a time");
	if (op == FX_AST_IN)
		return read_operator(builder, "contains", tree->kids[1],
			tree->kids[0], spec);
	if (!*fx_ast_op_function(op))
		return fx_build_error(builder, tree, FX_ERR_SYNTAX,
			"\"%s\" is no operation of a graph",
			fx_ast_op_text(op));
	return read_operator(builder, fx_ast_op_function(op), tree->kids[0],
		tree->kids[1], spec);
}

/* torch.fx prints pow(-2, x) as `-2 ** x`, which Python reads otherwise; the
 * name on the left tells what it was.
 */
static struct fx_error *
read_unary(struct fx_builder *builder, const struct fx_ast *tree,
	const struct fx_build_left *left, struct fx_node_spec *spec)
{
	const struct fx_ast *inner = tree->kids[0];
	struct fx_value items[2];
	struct fx_error *err;

	if (tree->op != FX_AST_NEG || inner->kind != FX_AST_BINARY ||
		inner->op != FX_AST_POW || inner->parenthesised ||
		inner->kids[0]->kind != FX_AST_INT || inner->kids[0]->text ||
		!left->name || !fx_str_starts(left->name, "pow"))
		return read_operator(builder, fx_ast_op_function(tree->op),
			inner, NULL, spec);
	err = fx_build_value(builder, inner->kids[1], &items[1]);
	if (err)
		return err;
	items[0] = fx_value_int(-inner->kids[0]->integer);
	fx_build_notice(builder,
		"%s: read as (%lld) ** ..., which torch.fx prints "
		"without parentheses",
		left->name, (long long)items[0].integer);
	spec->opcode = FX_OPCODE_CALL_FUNCTION;
	spec->target = "operator.pow";
	spec->args = tuple_of(builder, items, 2);
	return NULL;
}

static struct fx_error *
read_spec(struct fx_builder *builder, const struct fx_ast *tree,
	const struct fx_build_left *left, struct fx_node_spec *spec)
{
	switch ((int)tree->kind) {
	case FX_AST_CALL:
		return read_call(builder, tree, spec);
	case FX_AST_ATTR:
		return read_attribute(builder, tree, spec);
	case FX_AST_SUBSCRIPT:
		return read_operator(builder, "getitem", tree->kids[0],
			tree->kids[1], spec);
	case FX_AST_BINARY:
		return read_operator(builder, fx_ast_op_function(tree->op),
			tree->kids[0], tree->kids[1], spec);
	case FX_AST_UNARY:
		return read_unary(builder, tree, left, spec);
	case FX_AST_COMPARE:
		return read_compare(builder, tree, spec);
	}
	return fx_build_error(builder, tree, FX_ERR_SYNTAX,
		"a graph cannot hold this expression");
}

struct fx_error *
fx_build_operation(struct fx_builder *builder, const struct fx_ast *tree,
	const struct fx_build_left *left, struct fx_node **ret)
{
	struct fx_node_spec spec = { 0 };
	struct fx_error *err;

	if (tree->height > FX_BUILD_HEIGHT)
		return fx_build_error(builder, tree, FX_ERR_LIMIT,
			"this expression has more than %d levels",
			FX_BUILD_HEIGHT);
	err = read_spec(builder, tree, left, &spec);
	if (err)
		return err;
	*ret = builder->environment->emit(builder, left, &spec);
	return NULL;
}

/* The functions that code names.
 *
 * torch's are printed in full, builtins bare; all others as one identifier
 * with underscores for the dots, so where its module ends is a guess.  A wrong
 * guess prints as the same text again.
 */

/* How printed names begin, and the module that is. */
static const struct {
	const char *printed;
	const char *module;
	bool is_certain;
} mangled[] = {
	{ "_operator_", "operator.", true },
	{ "operator_", "operator.", false },
	{ "__main___", "__main__.", false },
	{ "builtins_", "builtins.", false },
	{ "collections_", "collections.", false },
	{ "functools_", "functools.", false },
	{ "itertools_", "itertools.", false },
	{ "math_", "math.", true },
};

/* First steps of dotted names, and what they are short for. */
static const struct {
	const char *step;
	const char *full;
} roots[] = {
	{ "torch", "torch" },
	{ "F", "torch.nn.functional" },
	{ "nn", "torch.nn" },
	{ "operator", "operator" },
	{ "_operator", "operator" },
	{ "math", "math" },
	{ "builtins", "builtins" },
	{ "torchvision", "torchvision" },
	{ "np", "numpy" },
	{ "numpy", "numpy" },
	{ "typing", "typing" },
	{ "collections", "collections" },
	{ "functools", "functools" },
	{ "itertools", "itertools" },
	{ "fx_pytree", "torch.fx._pytree" },
	{ "pytree", "torch.utils._pytree" },
	{ "__main__", "__main__" },
};

/* The function that NAME must be, by how it begins; or NULL. */
static const char *
known_function(struct fx_builder *builder, const char *name)
{
	size_t i;

	if (!strcmp(name, "device"))
		return fx_intern("torch.device");
	if (fx_str_is_builtin(name))
		return fx_intern_format("builtins.%s", name);
	for (i = 0; i < FX_ARRAY_LEN(mangled); i++) {
		const char *full;

		if (!fx_str_starts(name, mangled[i].printed))
			continue;
		full = fx_intern_format("%s%s", mangled[i].module,
			name + strlen(mangled[i].printed));
		if (!mangled[i].is_certain)
			fx_build_notice(builder, "%s: taken for %s", name,
				full);
		return full;
	}
	return NULL;
}

const char *
fx_build_function(struct fx_builder *builder, const char *name, bool is_called)
{
	const char *full = known_function(builder, name);

	if (full)
		return full;
	/* An argument may as well be a node that is missing. */
	if (!fx_map_has(&builder->wrapped, (uintptr_t)name) &&
		!(is_called && strchr(name, '_')))
		return NULL;
	fx_build_notice(builder,
		"%s: the text does not say which module it is from; the name "
		"is kept as printed",
		name);
	return name;
}

static const char *
root_name(const char *step)
{
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(roots); i++)
		if (!strcmp(step, roots[i].step))
			return roots[i].full;
	return NULL;
}

const char *
fx_build_dotted(struct fx_builder *builder, const struct fx_ast *tree)
{
	FX_AUTO_BUF struct fx_buf name = { 0 };
	FX_VEC(const char *) steps = { 0 };
	const char *root = NULL;
	bool is_name = true;

	for (; tree->kind == FX_AST_ATTR; tree = tree->kids[0]) {
		is_name = is_name && strspn(tree->text, "0123456789") == 0;
		fx_vec_push(&steps, tree->text);
	}
	if (is_name && tree->kind == FX_AST_NAME &&
		!builder->environment->find(builder, tree->text))
		root = root_name(tree->text);
	if (root) {
		fx_buf_add(&name, root);
		while (steps.count > 0) {
			fx_buf_add_char(&name, '.');
			fx_buf_add(&name, fx_vec_pop(&steps));
		}
	}
	fx_vec_deinit(&steps);
	return root ? fx_intern_n(name.data, name.length) : NULL;
}
