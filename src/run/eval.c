/* eval.c - the walk over a tree of lang/, with Python's order of evaluation.
 *
 * A tree first gives an operand, which may be a node, a module path or a
 * function; a value is asked for only where one is needed, so that
 * `%conv1.users` works before anything has run.
 */
#include <config.h>

#include "run/eval.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "ir/fold.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/value_read.h"
#include "lang/parse.h"
#include "run/eval_private.h"

/* Trees lean left without limit (a + b + c ...); this one is refused. */
#define HEIGHT_LIMIT 1000

void
fx_operand_deinit(struct fx_operand *operand)
{
	fx_datum_unref(operand->datum);
	operand->datum = NULL;
}

static struct fx_error *
set_datum(struct fx_operand *ret, struct fx_datum *datum_taken)
{
	*ret = (struct fx_operand){
		.kind = FX_OPERAND_DATUM,
		.datum = datum_taken,
	};
	return NULL;
}

struct fx_error *
fx_eval_datum(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_datum **ret)
{
	FX_AUTO_OPERAND struct fx_operand operand = { 0 };
	struct fx_error *err = fx_eval_operand(evaluator, tree, &operand);

	if (!err)
		err = fx_operand_force(evaluator, &operand, ret);
	return err ? fx_error_at(err, evaluator->text, tree->span) : NULL;
}

static void
swap(struct fx_datum **a, struct fx_datum **b)
{
	struct fx_datum *first = *a;

	*a = *b;
	*b = first;
}

/* Keys that are equal are one key, with the last of the values. */
static struct fx_error *
join_keys(struct fx_datum **items, size_t *count)
{
	size_t left = 0;

	for (size_t i = 0; i < *count; i += 2) {
		size_t at = 0;

		if (!fx_fold_is_hashable(&items[i]->value))
			return fx_error_new(FX_ERR_TYPE,
				"a %s cannot be the key of a dict",
				fx_datum_kind_name(items[i]));
		while (at < left && fx_fold_equal(&items[at]->value,
					    &items[i]->value) != FX_TRUE)
			at += 2;
		if (at == left) {
			swap(&items[left], &items[i]);
			left += 2;
		}
		swap(&items[at + 1], &items[i + 1]);
	}
	for (size_t i = left; i < *count; i++)
		fx_datum_unref(items[i]);
	*count = left;
	return NULL;
}

/* Items of a tuple, list or dict. */
static struct fx_error *
eval_items(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	enum fx_value_kind kind, struct fx_operand *ret)
{
	size_t count = tree->kid_count;
	struct fx_datum **items = fx_xcalloc(count, sizeof(*items));
	struct fx_error *err = NULL;
	size_t done = 0;

	while (done < count && !err) {
		err = fx_eval_datum(evaluator, tree->kids[done], &items[done]);
		done += !err;
	}
	if (!err && kind == FX_VALUE_DICT)
		err = join_keys(items, &done);
	if (err)
		for (size_t i = 0; i < done; i++)
			fx_datum_unref(items[i]);
	else
		set_datum(ret,
			fx_datum_items_take(kind, items,
				kind == FX_VALUE_DICT ? done / 2 : done));
	free(items);
	return err;
}

static struct fx_error *
eval_slice(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	struct fx_datum *items[3] = { NULL, NULL, NULL };

	for (size_t i = 0; i < 3; i++) {
		struct fx_error *err = NULL;

		if (i < tree->kid_count && tree->kids[i])
			err = fx_eval_datum(evaluator, tree->kids[i],
				&items[i]);
		else
			items[i] = fx_datum_none();
		if (err) {
			while (i-- > 0)
				fx_datum_unref(items[i]);
			return err;
		}
	}
	return set_datum(ret, fx_datum_items_take(FX_VALUE_SLICE, items, 3));
}

/* Whether OPERAND is about nodes rather than their values. */
static bool
is_of_nodes(const struct fx_operand *operand)
{
	size_t count;

	return operand->kind == FX_OPERAND_DATUM &&
	       fx_eval_ids(operand->datum, &count);
}

/* A node beside a set (`. in {Q}`, `%a == %b.inputs[0]`) or beside a node in
 * `is` stands for itself, else for its value.
 */
static struct fx_error *
force_beside(struct fx_evaluator *evaluator, const struct fx_operand *operand,
	bool as_node, struct fx_datum **ret)
{
	if (as_node && operand->kind == FX_OPERAND_NODE) {
		*ret = fx_datum_node(operand->node->id);
		return NULL;
	}
	return fx_operand_force(evaluator, operand, ret);
}

static struct fx_error *
combine(struct fx_evaluator *evaluator, enum fx_ast_op op,
	const struct fx_operand *left, const struct fx_operand *right,
	struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *a = NULL;
	FX_AUTO_DATUM struct fx_datum *b = NULL;
	bool both = left->kind == FX_OPERAND_NODE &&
		    right->kind == FX_OPERAND_NODE &&
		    (op == FX_AST_IS || op == FX_AST_IS_NOT);
	bool nodes = both || is_of_nodes(left) || is_of_nodes(right);
	struct fx_error *err = force_beside(evaluator, left, nodes, &a);

	if (!err)
		err = force_beside(evaluator, right, nodes, &b);
	return err ? err : fx_eval_binary(evaluator, op, a, b, ret);
}

static struct fx_error *
eval_binary(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	FX_AUTO_OPERAND struct fx_operand left = { 0 };
	FX_AUTO_OPERAND struct fx_operand right = { 0 };
	struct fx_datum *result;
	struct fx_error *err = fx_eval_operand(evaluator, tree->kids[0], &left);

	if (!err)
		err = fx_eval_operand(evaluator, tree->kids[1], &right);
	if (!err)
		err = combine(evaluator, tree->op, &left, &right, &result);
	return err ? err : set_datum(ret, result);
}

static struct fx_error *
eval_unary(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	FX_AUTO_DATUM struct fx_datum *value = NULL;
	struct fx_datum *result;
	struct fx_error *err = fx_eval_datum(evaluator, tree->kids[0], &value);

	if (!err)
		err = fx_eval_unary(evaluator, tree->op, value, &result);
	return err ? err : set_datum(ret, result);
}

/* Python's and, or: the operand that decided. */
static struct fx_error *
eval_boolean(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	bool stops_at = tree->op == FX_AST_OR;

	for (uint32_t i = 0;; i++) {
		FX_AUTO_DATUM struct fx_datum *value = NULL;
		struct fx_error *err =
			fx_eval_datum(evaluator, tree->kids[i], &value);
		bool truth;

		if (err)
			return err;
		if (i + 1 == tree->kid_count)
			return set_datum(ret, FX_TAKE(value));
		err = fx_datum_truth(value, &truth);
		if (err)
			return fx_error_at(err, evaluator->text,
				tree->kids[i]->span);
		if (truth == stops_at)
			return set_datum(ret, FX_TAKE(value));
	}
}

/* a < b < c is a < b and b < c, each evaluated once. */
static struct fx_error *
eval_compare(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	FX_AUTO_OPERAND struct fx_operand left = { 0 };
	struct fx_error *err = fx_eval_operand(evaluator, tree->kids[0], &left);

	for (uint32_t i = 0; !err; i++) {
		FX_AUTO_OPERAND struct fx_operand right = { 0 };
		FX_AUTO_DATUM struct fx_datum *result = NULL;
		bool truth;

		err = fx_eval_operand(evaluator, tree->kids[i + 1], &right);
		if (!err)
			err = combine(evaluator, tree->ops[i], &left, &right,
				&result);
		if (err)
			break;
		if (i + 2 == tree->kid_count)
			return set_datum(ret, FX_TAKE(result));
		err = fx_datum_truth(result, &truth);
		if (!err && !truth)
			return set_datum(ret, FX_TAKE(result));
		fx_operand_deinit(&left);
		left = right;
		right.datum = NULL;
	}
	return err;
}

static struct fx_error *
eval_conditional(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	FX_AUTO_DATUM struct fx_datum *test = NULL;
	bool truth;
	struct fx_error *err = fx_eval_datum(evaluator, tree->kids[0], &test);

	if (!err)
		err = fx_datum_truth(test, &truth);
	if (err)
		return err;
	return fx_eval_operand(evaluator, tree->kids[truth ? 1 : 2], ret);
}

static int64_t
count_children(const struct fx_evaluator *evaluator, const char *path)
{
	const struct fx_module *module =
		fx_module_find(evaluator->resolver->graph->module, path);
	int64_t count = 0;

	for (size_t i = 0; module && i < module->member_count; i++)
		count += module->members[i].child != NULL;
	return count;
}

/* layer1[0], layers[-1], heads["a"]: what layer1.0 means. */
static struct fx_error *
index_module(struct fx_evaluator *evaluator, struct fx_operand *base,
	const struct fx_datum *index, struct fx_operand *ret)
{
	FX_AUTO_FREE char *number = NULL;
	int64_t integer = index->value.integer;

	if (fx_datum_is(index, FX_VALUE_STRING))
		return fx_operand_step(evaluator, base, index->value.text, ret);
	if (!fx_datum_is(index, FX_VALUE_INT))
		return fx_error_new(FX_ERR_TYPE,
			"a module is indexed by a number or a name");
	if (integer < 0)
		integer += count_children(evaluator, base->text);
	number = fx_xasprintf("%lld", (long long)integer);
	return fx_operand_step(evaluator, base, number, ret);
}

static struct fx_error *
eval_subscript(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	FX_AUTO_OPERAND struct fx_operand base = { 0 };
	FX_AUTO_DATUM struct fx_datum *value = NULL;
	FX_AUTO_DATUM struct fx_datum *index = NULL;
	struct fx_datum *result;
	struct fx_error *err = fx_eval_operand(evaluator, tree->kids[0], &base);

	if (!err && base.kind != FX_OPERAND_PATH)
		err = fx_operand_force(evaluator, &base, &value);
	if (err)
		return fx_error_at(err, evaluator->text, tree->kids[0]->span);
	err = fx_eval_datum(evaluator, tree->kids[1], &index);
	if (!err && base.kind == FX_OPERAND_PATH)
		return index_module(evaluator, &base, index, ret);
	if (!err)
		err = fx_eval_subscript(evaluator, value, index, &result);
	return err ? err : set_datum(ret, result);
}

/* A dotted chain: its longest part that is a path, or what stands first; then
 * step by step, without recursion as chains have no limit.
 */
static struct fx_error *
eval_attribute(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	FX_AUTO_FREE const char **steps =
		fx_xcalloc(tree->height, sizeof(*steps));
	FX_AUTO_OPERAND struct fx_operand base = { 0 };
	const struct fx_ast *first = tree;
	size_t count = 0;
	size_t taken = 0;
	struct fx_error *err;

	for (; first->kind == FX_AST_ATTR; first = first->kids[0])
		count++;
	first = tree;
	for (size_t i = count; i-- > 0; first = first->kids[0])
		steps[i] = first->text;
	if (first->kind == FX_AST_NAME)
		err = fx_operand_of_chain(evaluator, first->text,
			&(struct fx_chain){ steps, count }, &base, &taken);
	else
		err = fx_eval_operand(evaluator, first, &base);
	for (; !err && taken < count; taken++) {
		struct fx_operand next = { 0 };

		err = fx_operand_step(evaluator, &base, steps[taken], &next);
		fx_operand_deinit(&base);
		base = next;
	}
	if (err)
		return err;
	*ret = base;
	base.datum = NULL;
	return NULL;
}

static struct fx_error *
unsupported(const char *what)
{
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"%s is not part of the debugger's expressions", what);
}

/* The kinds that are no expression of values. */
static struct fx_error *
eval_other(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	struct fx_datum *set;
	struct fx_error *err;

	switch ((int)tree->kind) {
	case FX_AST_QUERY:
		err = fx_eval_set(evaluator, tree, &set);
		return err ? err : set_datum(ret, set);
	case FX_AST_LAMBDA:
		return unsupported("lambda");
	case FX_AST_COMPREHENSION:
		return unsupported("a comprehension");
	case FX_AST_FSTRING:
		return unsupported("an f-string");
	case FX_AST_STARRED:
	case FX_AST_DOUBLE_STARRED:
		return fx_error_hint(unsupported("a starred argument"),
			"without the star, print NAME shows a tensor in one "
			"line and print/v NAME its values");
	}
	return unsupported("this");
}

static struct fx_error *
eval_tree(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	struct fx_value literal;

	if (fx_value_read_literal(evaluator->arena, tree, &literal))
		return set_datum(ret, fx_datum_from_value(&literal));
	switch ((int)tree->kind) {
	case FX_AST_NAME:
		return fx_operand_of_name(evaluator, tree->text, ret);
	case FX_AST_NODE:
	case FX_AST_POSITION:
	case FX_AST_HERE:
	case FX_AST_HISTORY:
	case FX_AST_VARIABLE:
		return fx_operand_designator(evaluator, tree, ret);
	case FX_AST_ATTR:
		return eval_attribute(evaluator, tree, ret);
	case FX_AST_SUBSCRIPT:
		return eval_subscript(evaluator, tree, ret);
	case FX_AST_SLICE:
		return eval_slice(evaluator, tree, ret);
	case FX_AST_CALL:
		return fx_eval_call(evaluator, tree, ret);
	case FX_AST_UNARY:
		return eval_unary(evaluator, tree, ret);
	case FX_AST_BINARY:
		return eval_binary(evaluator, tree, ret);
	case FX_AST_BOOLEAN:
		return eval_boolean(evaluator, tree, ret);
	case FX_AST_COMPARE:
		return eval_compare(evaluator, tree, ret);
	case FX_AST_CONDITIONAL:
		return eval_conditional(evaluator, tree, ret);
	case FX_AST_TUPLE:
		return eval_items(evaluator, tree, FX_VALUE_TUPLE, ret);
	case FX_AST_LIST:
		return eval_items(evaluator, tree, FX_VALUE_LIST, ret);
	case FX_AST_DICT:
		return eval_items(evaluator, tree, FX_VALUE_DICT, ret);
	}
	return eval_other(evaluator, tree, ret);
}

struct fx_error *
fx_eval_operand(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	struct fx_error *err;

	if (tree->height > HEIGHT_LIMIT || evaluator->depth > HEIGHT_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"the expression is more than %d levels deep",
			HEIGHT_LIMIT);
	evaluator->depth++;
	err = eval_tree(evaluator, tree, ret);
	evaluator->depth--;
	if (!err && ret->kind == FX_OPERAND_DATUM)
		err = fx_datum_check(&ret->datum->value);
	if (err)
		fx_operand_deinit(ret);
	return err ? fx_error_at(err, evaluator->text, tree->span) : NULL;
}

struct fx_error *
fx_eval(const struct fx_resolver *resolver, const char *text,
	const struct fx_ast *expr, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_evaluator evaluator = {
		.resolver = resolver,
		.text = text,
		.arena = arena,
	};

	return fx_eval_datum(&evaluator, expr, ret);
}

struct fx_error *
fx_eval_text(const struct fx_resolver *resolver, const char *text,
	bool condition, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	unsigned flags = FX_PARSE_DESIGNATORS;
	struct fx_ast *tree;
	struct fx_error *err;

	if (condition)
		flags |= FX_PARSE_EQUAL_COMPARES;
	err = fx_parse_expression(arena, text, strlen(text), flags, &tree);
	return err ? err : fx_eval(resolver, text, tree, ret);
}

struct fx_error *
fx_eval_node(const struct fx_resolver *resolver, const char *text,
	const struct fx_ast *expr, struct fx_node **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = NULL;
	FX_AUTO_OPERAND struct fx_operand operand = { 0 };
	struct fx_evaluator evaluator = { .resolver = resolver, .text = text };
	struct fx_error *err;

	if (expr->kind == FX_AST_NAME) {
		err = fx_eval_find(resolver, expr->text, ret);
		return err ? fx_error_at(err, text, expr->span) : NULL;
	}
	evaluator.arena = arena = fx_arena_new();
	err = fx_eval_operand(&evaluator, expr, &operand);
	if (err)
		return err;
	*ret = fx_operand_node(&evaluator, &operand);
	if (*ret)
		return NULL;
	err = fx_error_new(FX_ERR_TYPE, "\"%.*s\" is no node",
		(int)(expr->span.end - expr->span.begin),
		text + expr->span.begin);
	if (expr->kind == FX_AST_INT && !expr->text)
		err = fx_error_hint(err, "a position is written @%lld",
			(long long)expr->integer);
	return fx_error_at(err, text, expr->span);
}
