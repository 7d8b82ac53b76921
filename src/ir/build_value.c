/* build_value.c - arguments: literals, containers, names, nested operations.
 */
#include <config.h>

#include "ir/build.h"

#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "ir/value_text.h"
#include "ir/value_walk.h"

/* Calls that write a value and no operation, when their arguments are plain:
 * device(type='cpu'), range(3).
 */
static const char *const constructors[] = { "device", "slice", "range",
	"complex", "float", "torch.device", "torch.Size", "set", "frozenset" };

static bool
is_number(struct fx_builder *builder, const struct fx_ast *tree)
{
	if (tree->kind == FX_AST_NAME)
		return !builder->environment->find(builder, tree->text) &&
		       (!strcmp(tree->text, "inf") ||
			       !strcmp(tree->text, "nan"));
	return tree->kind == FX_AST_INT || tree->kind == FX_AST_FLOAT ||
	       tree->kind == FX_AST_IMAGINARY;
}

/* A number with its sign: -1. */
static bool
is_signed_number(struct fx_builder *builder, const struct fx_ast *tree)
{
	if (tree->kind == FX_AST_UNARY &&
		(tree->op == FX_AST_NEG || tree->op == FX_AST_POS))
		tree = tree->kids[0];
	return is_number(builder, tree);
}

/* (1+2j), as Python prints a complex number. */
static bool
is_complex(struct fx_builder *builder, const struct fx_ast *tree)
{
	return tree->kind == FX_AST_BINARY &&
	       (tree->op == FX_AST_ADD || tree->op == FX_AST_SUB) &&
	       tree->kids[1]->kind == FX_AST_IMAGINARY &&
	       is_signed_number(builder, tree->kids[0]);
}

/* Whether nothing in TREE depends on a variable; only asked of the arguments
 * of the constructors.
 */
static bool
is_plain(const struct fx_ast *tree)
{
	uint32_t i;

	if (tree->height > 20 || tree->kind == FX_AST_NAME ||
		tree->kind == FX_AST_SUBSCRIPT || tree->kind == FX_AST_ATTR)
		return false;
	for (i = 0; i < tree->kid_count; i++)
		if (tree->kids[i] && !is_plain(tree->kids[i]))
			return false;
	return true;
}

static bool
is_constructor(struct fx_builder *builder, const struct fx_ast *tree)
{
	const struct fx_ast *function = tree->kids[0];
	const char *name = function->text;
	uint32_t k;
	size_t i;

	if (function->kind == FX_AST_ATTR)
		name = fx_build_dotted(builder, function);
	else if (function->kind != FX_AST_NAME ||
		 builder->environment->find(builder, name))
		return false;
	for (i = 0; name && i < FX_ARRAY_LEN(constructors); i++)
		if (!strcmp(name, constructors[i]))
			break;
	if (!name || i == FX_ARRAY_LEN(constructors))
		return false;
	if (!strcmp(name, "slice"))
		return true;
	for (k = 1; k < tree->kid_count; k++)
		if (!is_plain(tree->kids[k]))
			return false;
	return true;
}

bool
fx_build_is_operation(struct fx_builder *builder, const struct fx_ast *tree)
{
	switch ((int)tree->kind) {
	case FX_AST_CALL:
		return !is_constructor(builder, tree);
	case FX_AST_ATTR:
		return !fx_build_dotted(builder, tree);
	case FX_AST_UNARY:
		return !is_signed_number(builder, tree);
	case FX_AST_BINARY:
		return !is_complex(builder, tree);
	case FX_AST_SUBSCRIPT:
	case FX_AST_COMPARE:
		return true;
	}
	return false;
}

static struct fx_error *
read_kids(struct fx_builder *builder, const struct fx_ast *tree, uint32_t first,
	struct fx_value **ret)
{
	struct fx_value *items = FX_ARENA_ARRAY(builder->graph->values,
		struct fx_value, tree->kid_count);
	uint32_t i;

	for (i = first; i < tree->kid_count; i++) {
		struct fx_error *err = fx_build_value(builder, tree->kids[i],
			&items[i - first]);

		if (err)
			return err;
	}
	*ret = items;
	return NULL;
}

static struct fx_error *
read_container(struct fx_builder *builder, const struct fx_ast *tree,
	enum fx_value_kind kind, struct fx_value *ret)
{
	struct fx_value *items;
	struct fx_error *err = read_kids(builder, tree, 0, &items);

	if (err)
		return err;
	ret->kind = (uint8_t)kind;
	ret->items = items;
	ret->count =
		kind == FX_VALUE_DICT ? tree->kid_count / 2 : tree->kid_count;
	return NULL;
}

/* `a:b:c`, whose parts may be missing. */
static struct fx_error *
read_slice(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_value *ret)
{
	struct fx_value parts[3] = { { 0 } };
	uint32_t i;

	for (i = 0; i < 3; i++) {
		struct fx_error *err = NULL;

		if (tree->kids[i])
			err = fx_build_value(builder, tree->kids[i], &parts[i]);
		if (err)
			return err;
	}
	*ret = fx_value_slice(builder->graph->values, parts[0], parts[1],
		parts[2]);
	return NULL;
}

/* slice(1, x, None), whose parts may be nodes. */
static struct fx_error *
read_slice_call(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_value *ret)
{
	uint32_t count = tree->kid_count - 1;
	struct fx_value parts[3] = { { 0 } };
	uint32_t i;

	if (count < 1 || count > 3)
		return fx_build_error(builder, tree, FX_ERR_SYNTAX,
			"slice takes one to three arguments");
	for (i = 0; i < count; i++) {
		struct fx_error *err = fx_build_value(builder,
			tree->kids[i + 1], &parts[count == 1 ? 1 : i]);

		if (err)
			return err;
	}
	*ret = fx_value_slice(builder->graph->values, parts[0], parts[1],
		parts[2]);
	return NULL;
}

static struct fx_error *
read_name(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_value *ret)
{
	const struct fx_value *known =
		builder->environment->find(builder, tree->text);
	const char *function;

	if (known) {
		*ret = *known;
		return NULL;
	}
	if (!strcmp(tree->text, "inf") || !strcmp(tree->text, "nan") ||
		!strcmp(tree->text, "Ellipsis"))
		return fx_value_from_ast(builder->graph->values, NULL,
			builder->text, tree, ret);
	function = strcmp(tree->text, "self") != 0
			   ? fx_build_function(builder, tree->text, false)
			   : NULL;
	if (!function)
		return builder->environment->refuse(builder, FX_BUILD_UNDEFINED,
			tree);
	*ret = fx_value_text(FX_VALUE_FUNCTION, function);
	return NULL;
}

/* A dotted name that is no variable's attribute: torch.float32, torch.relu. */
static struct fx_error *
read_dotted(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_value *ret)
{
	const char *name = fx_build_dotted(builder, tree);
	struct fx_error *err = fx_value_from_ast(builder->graph->values, NULL,
		builder->text, tree, ret);

	if (!err)
		return NULL;
	fx_error_free(err);
	*ret = fx_value_text(FX_VALUE_FUNCTION, name);
	return NULL;
}

/* `__main___P(x, 1)` among arguments: torch.fx prints one operation a
 * statement, so a bare name called inside is a named tuple.  Where bare names
 * are operations, and nest, it is none.
 */
static bool
is_namedtuple(struct fx_builder *builder, const struct fx_ast *tree)
{
	const struct fx_ast *function = tree->kids[0];

	return function->kind == FX_AST_NAME &&
	       !builder->environment->function &&
	       !builder->environment->find(builder, function->text) &&
	       !fx_str_is_builtin(function->text) &&
	       !fx_map_has(&builder->wrapped, (uintptr_t)function->text) &&
	       strchr(function->text, '_');
}

static struct fx_error *
read_namedtuple(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_value *ret)
{
	const char *name =
		fx_build_function(builder, tree->kids[0]->text, true);
	struct fx_value *fields;
	struct fx_error *err = read_kids(builder, tree, 1, &fields);

	if (err)
		return err;
	if (!name)
		return builder->environment->refuse(builder, FX_BUILD_UNDEFINED,
			tree->kids[0]);
	fx_build_notice(builder,
		"%s(...) among arguments: taken for a named tuple",
		tree->kids[0]->text);
	*ret = fx_value_namedtuple(builder->graph->values, name, fields,
		tree->kid_count - 1);
	return NULL;
}

static struct fx_error *
read_operation(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_value *ret)
{
	static const struct fx_build_left nested;
	struct fx_node *node;
	struct fx_error *err =
		fx_build_operation(builder, tree, &nested, &node);

	if (err)
		return err;
	*ret = fx_value_node(node);
	return NULL;
}

static struct fx_error *
read_call(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_value *ret)
{
	const char *name = tree->kids[0]->text;

	if (is_constructor(builder, tree)) {
		if (!strcmp(name, "slice"))
			return read_slice_call(builder, tree, ret);
		return fx_value_from_ast(builder->graph->values, NULL,
			builder->text, tree, ret);
	}
	if (is_namedtuple(builder, tree))
		return read_namedtuple(builder, tree, ret);
	return read_operation(builder, tree, ret);
}

/* Whether TREE is %name, @N, . or $name, and the environment has such. */
static bool
is_designator(const struct fx_builder *builder, const struct fx_ast *tree)
{
	return builder->environment->designator &&
	       (tree->kind == FX_AST_NODE || tree->kind == FX_AST_POSITION ||
		       tree->kind == FX_AST_HERE ||
		       tree->kind == FX_AST_VARIABLE ||
		       tree->kind == FX_AST_HISTORY);
}

/* This function has one case for each kind of expression, so it is longer than
 * most.
 */
struct fx_error *
fx_build_value(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_value *ret)
{
	*ret = fx_value_none();
	if (!tree)
		return NULL;
	if (builder->plain_only && fx_build_is_operation(builder, tree))
		return fx_build_error(builder, tree, FX_ERR_SYNTAX, "%s",
			builder->plain_only);
	if (is_designator(builder, tree))
		return builder->environment->designator(builder, tree, ret);
	switch ((int)tree->kind) {
	case FX_AST_NAME:
		return read_name(builder, tree, ret);
	case FX_AST_TUPLE:
		return read_container(builder, tree, FX_VALUE_TUPLE, ret);
	case FX_AST_LIST:
		return read_container(builder, tree, FX_VALUE_LIST, ret);
	case FX_AST_DICT:
		return read_container(builder, tree, FX_VALUE_DICT, ret);
	case FX_AST_SLICE:
		return read_slice(builder, tree, ret);
	case FX_AST_CALL:
		return read_call(builder, tree, ret);
	case FX_AST_ATTR:
		if (!fx_build_is_operation(builder, tree))
			return read_dotted(builder, tree, ret);
		return read_operation(builder, tree, ret);
	case FX_AST_UNARY:
	case FX_AST_BINARY:
	case FX_AST_COMPARE:
	case FX_AST_SUBSCRIPT:
		if (fx_build_is_operation(builder, tree))
			return read_operation(builder, tree, ret);
		break;
	case FX_AST_BOOLEAN:
	case FX_AST_CONDITIONAL:
	case FX_AST_LAMBDA:
	case FX_AST_SET:
	case FX_AST_COMPREHENSION:
	case FX_AST_FSTRING:
	case FX_AST_STARRED:
		return fx_build_error(builder, tree, FX_ERR_SYNTAX,
			"a graph cannot hold this expression");
	}
	return fx_value_from_ast(builder->graph->values, NULL, builder->text,
		tree, ret);
}

struct fx_error *
fx_build_plain(struct fx_builder *builder, const struct fx_ast *tree,
	const char *why, struct fx_value *ret)
{
	struct fx_error *err;

	builder->plain_only = why;
	err = fx_build_value(builder, tree, ret);
	builder->plain_only = NULL;
	return err;
}

struct fx_error *
fx_build_layer_arguments(struct fx_builder *builder, const struct fx_ast *call,
	struct fx_value *args_ret, struct fx_value *kwargs_ret)
{
	struct fx_arena *arena = builder->graph->permanent;
	struct fx_value *items = FX_ARENA_ARRAY(arena, struct fx_value,
		3 * (size_t)call->kid_count);
	struct fx_value *pairs = items + call->kid_count;
	size_t count = 0;
	size_t pair_count = 0;
	uint32_t i;

	for (i = 1; i < call->kid_count; i++) {
		const struct fx_ast *kid = call->kids[i];
		struct fx_value *place = &items[count];
		struct fx_error *err;

		if (kid->kind == FX_AST_KEYWORD) {
			pairs[2 * pair_count] = fx_value_string(kid->text);
			place = &pairs[2 * pair_count++ + 1];
			kid = kid->kids[0];
		} else {
			count++;
		}
		err = fx_build_plain(builder, kid,
			"a layer is made of plain values here, not of calls",
			place);
		if (err)
			return err;
	}
	/* Deeply: the value arena is compacted, modules stay. */
	*args_ret = fx_value_sequence(arena, FX_VALUE_TUPLE, items, count);
	*args_ret = fx_value_clone(arena, args_ret);
	*kwargs_ret = fx_value_dict(arena, pairs, pair_count);
	*kwargs_ret = fx_value_clone(arena, kwargs_ret);
	return NULL;
}
