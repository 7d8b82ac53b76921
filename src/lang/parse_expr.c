/* parse_expr.c - operators, comparisons, conditionals, lambda, by Python's
 * precedence.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "lang/parse_private.h"

/* Operators between two operands by how tightly they bind.  The loops below
 * make long chains (a + b + c ...) cost no stack.
 */
static const struct {
	const char *text;
	enum fx_ast_op op;
	int level;
} binaries[] = {
	{ "|", FX_AST_BITOR, 1 },
	{ "^", FX_AST_BITXOR, 2 },
	{ "&", FX_AST_BITAND, 3 },
	{ "<<", FX_AST_LSHIFT, 4 },
	{ ">>", FX_AST_RSHIFT, 4 },
	{ "+", FX_AST_ADD, 5 },
	{ "-", FX_AST_SUB, 5 },
	{ "*", FX_AST_MUL, 6 },
	{ "@", FX_AST_MATMUL, 6 },
	{ "/", FX_AST_DIV, 6 },
	{ "//", FX_AST_FLOORDIV, 6 },
	{ "%", FX_AST_MOD, 6 },
};

static const struct {
	const char *text;
	enum fx_ast_op op;
} comparisons[] = {
	{ "==", FX_AST_EQ },
	{ "!=", FX_AST_NE },
	{ "<", FX_AST_LT },
	{ "<=", FX_AST_LE },
	{ ">", FX_AST_GT },
	{ ">=", FX_AST_GE },
	{ "in", FX_AST_IN },
	{ "not", FX_AST_NOT_IN },
	{ "is", FX_AST_IS },
};

static struct fx_ast *parse_unary(struct fx_parser *parser);

/* The operand of a prefix operator, one level deeper. */
static struct fx_ast *
parse_prefixed(struct fx_parser *parser, enum fx_ast_op op,
	struct fx_ast *(*parse)(struct fx_parser *))
{
	size_t begin = parser->token.begin;
	struct fx_ast *operand;
	struct fx_ast *node;

	if (!fx_parser_enter(parser))
		return NULL;
	fx_parser_advance(parser);
	operand = parse(parser);
	fx_parser_leave(parser);
	if (!operand)
		return NULL;
	node = fx_parser_node_of(parser, FX_AST_UNARY, operand, NULL);
	node->op = op;
	node->span.begin = begin;
	return node;
}

static struct fx_ast *
binary_node(struct fx_parser *parser, enum fx_ast_op op, struct fx_ast *left,
	struct fx_ast *right)
{
	struct fx_ast *node;

	if (!right)
		return NULL;
	node = fx_parser_node_of(parser, FX_AST_BINARY, left, right);
	node->op = op;
	return node;
}

static struct fx_ast *
parse_power(struct fx_parser *parser)
{
	struct fx_ast *base = fx_parse_postfix(parser);
	struct fx_ast *power;

	if (!base || !fx_parser_at(parser, "**"))
		return base;
	if (!fx_parser_enter(parser))
		return NULL;
	fx_parser_advance(parser);
	power = parse_unary(parser);
	fx_parser_leave(parser);
	return binary_node(parser, FX_AST_POW, base, power);
}

static struct fx_ast *
parse_unary(struct fx_parser *parser)
{
	if (parser->token.kind != FX_TOKEN_OP)
		return parse_power(parser);
	if (fx_parser_at(parser, "-"))
		return parse_prefixed(parser, FX_AST_NEG, parse_unary);
	if (fx_parser_at(parser, "+"))
		return parse_prefixed(parser, FX_AST_POS, parse_unary);
	if (fx_parser_at(parser, "~"))
		return parse_prefixed(parser, FX_AST_INVERT, parse_unary);
	return parse_power(parser);
}

/* The row of the binary operator that stands next, or -1. */
static int
binary_row(const struct fx_parser *parser)
{
	size_t i;

	if (parser->token.kind != FX_TOKEN_OP)
		return -1;
	for (i = 0; i < FX_ARRAY_LEN(binaries); i++)
		if (fx_parser_at(parser, binaries[i].text))
			return (int)i;
	return -1;
}

static struct fx_ast *
parse_binary(struct fx_parser *parser, int level)
{
	struct fx_ast *left = parse_unary(parser);
	int row;

	while (left && (row = binary_row(parser)) >= 0 &&
		binaries[row].level >= level) {
		fx_parser_advance(parser);
		left = binary_node(parser, binaries[row].op, left,
			parse_binary(parser, binaries[row].level + 1));
	}
	return left;
}

/* The comparison that stands next, or NONE.  `not` and `is` may be the first
 * of two words.
 */
static enum fx_ast_op
comparison_op(const struct fx_parser *parser)
{
	size_t i;

	if (parser->token.kind != FX_TOKEN_OP &&
		parser->token.kind != FX_TOKEN_NAME)
		return FX_AST_OP_NONE;
	for (i = 0; i < FX_ARRAY_LEN(comparisons); i++)
		if (fx_parser_at(parser, comparisons[i].text))
			return comparisons[i].op;
	if ((parser->flags & (FX_PARSE_QUERY | FX_PARSE_EQUAL_COMPARES)) &&
		fx_parser_at(parser, "="))
		return FX_AST_EQ;
	if ((parser->flags & FX_PARSE_QUERY) && fx_parser_at(parser, "~"))
		return FX_AST_MATCHES;
	return FX_AST_OP_NONE;
}

/* The right side of a comparison whose operator OP stands next. */
static struct fx_ast *
parse_compared(struct fx_parser *parser, enum fx_ast_op *op,
	const struct fx_ast *left)
{
	struct fx_ast *word;

	if (parser->flags & FX_PARSE_QUERY) {
		word = fx_parse_field_word(parser, left);
		if (word || parser->error)
			return word;
	}
	fx_parser_advance(parser);
	if (*op == FX_AST_NOT_IN && !fx_parser_expect(parser, "in"))
		return NULL;
	if (*op == FX_AST_IS && fx_parser_accept(parser, "not"))
		*op = FX_AST_IS_NOT;
	return parse_binary(parser, 1);
}

static const enum fx_ast_op *
copy_ops(struct fx_parser *parser, const enum fx_ast_op *ops, size_t count)
{
	enum fx_ast_op *copy =
		fx_arena_alloc(parser->arena, count * sizeof(*ops));

	memcpy(copy, ops, count * sizeof(*ops));
	return copy;
}

/* `@10:@20` in a query: LEFT is the first, which may be missing. */
static struct fx_ast *
parse_range(struct fx_parser *parser, struct fx_ast *left)
{
	size_t begin = left ? left->span.begin : parser->token.begin;
	size_t mark = parser->stack.count;
	struct fx_ast *last = NULL;

	fx_parser_advance(parser);
	if (fx_parser_at_operand(parser)) {
		last = parse_binary(parser, 1);
		if (!last)
			return NULL;
	}
	fx_parser_push(parser, left);
	fx_parser_push(parser, last);
	fx_parser_push(parser, NULL);
	return fx_parser_collect(parser, FX_AST_SLICE, begin, mark);
}

static struct fx_ast *
parse_comparison(struct fx_parser *parser)
{
	bool ranges = (parser->flags & FX_PARSE_QUERY) && !parser->in_index;
	FX_VEC(enum fx_ast_op) ops = { 0 };
	size_t mark = parser->stack.count;
	struct fx_ast *operand;
	struct fx_ast *node;
	enum fx_ast_op op;

	if ((parser->flags & FX_PARSE_QUERY) && fx_parser_at(parser, "in"))
		return fx_parse_scope_word(parser);
	if (ranges && fx_parser_at(parser, ":"))
		return parse_range(parser, NULL);
	operand = parse_binary(parser, 1);
	if (operand && ranges && fx_parser_at(parser, ":"))
		return parse_range(parser, operand);
	if (!operand || comparison_op(parser) == FX_AST_OP_NONE)
		return operand;
	while (operand && (op = comparison_op(parser)) != FX_AST_OP_NONE) {
		fx_parser_push(parser, operand);
		operand = parse_compared(parser, &op, operand);
		fx_vec_push(&ops, op);
	}
	fx_parser_push(parser, operand);
	node = fx_parser_collect(parser, FX_AST_COMPARE,
		parser->stack.items[mark]->span.begin, mark);
	node->ops = copy_ops(parser, ops.items, ops.count);
	fx_vec_deinit(&ops);
	return operand ? node : NULL;
}

static struct fx_ast *
parse_not(struct fx_parser *parser)
{
	if (fx_parser_at(parser, "not"))
		return parse_prefixed(parser, FX_AST_NOT, parse_not);
	return parse_comparison(parser);
}

/* Operands joined by WORD: one node with all of them. */
static struct fx_ast *
parse_joined(struct fx_parser *parser, const char *word, enum fx_ast_op op,
	struct fx_ast *(*parse)(struct fx_parser *))
{
	size_t mark = parser->stack.count;
	struct fx_ast *operand = parse(parser);
	struct fx_ast *node;
	size_t begin;

	if (!operand || !fx_parser_at(parser, word))
		return operand;
	begin = operand->span.begin;
	fx_parser_push(parser, operand);
	while (fx_parser_accept(parser, word)) {
		operand = parse(parser);
		if (!operand)
			return NULL;
		fx_parser_push(parser, operand);
	}
	node = fx_parser_collect(parser, FX_AST_BOOLEAN, begin, mark);
	node->op = op;
	return node;
}

static struct fx_ast *
parse_and(struct fx_parser *parser)
{
	return parse_joined(parser, "and", FX_AST_AND, parse_not);
}

struct fx_ast *
fx_parse_or(struct fx_parser *parser)
{
	return parse_joined(parser, "or", FX_AST_OR, parse_and);
}

struct fx_ast *
fx_parse_either(struct fx_parser *parser)
{
	return parse_joined(parser, ",", FX_AST_OR, fx_parse_or);
}

/* `if TEST else ELSE` after THEN.  As the prefix of a command's line the `if`
 * may be the command's: without an else it is given back.
 */
static struct fx_ast *
parse_conditional(struct fx_parser *parser, struct fx_ast *then)
{
	struct fx_parser saved = *parser;
	size_t mark = parser->stack.count;
	struct fx_ast *test;
	struct fx_ast *otherwise;

	fx_parser_advance(parser);
	test = fx_parse_or(parser);
	if (parser->is_prefix && parser->lexer.depth == 0 &&
		(!test || !fx_parser_at(parser, "else"))) {
		fx_error_free(parser->error);
		saved.stack.items = parser->stack.items;
		saved.stack.capacity = parser->stack.capacity;
		*parser = saved;
		return then;
	}
	if (!test || !fx_parser_expect(parser, "else") ||
		!fx_parser_enter(parser))
		return NULL;
	otherwise = fx_parse_one(parser);
	fx_parser_leave(parser);
	if (!otherwise)
		return NULL;
	fx_parser_push(parser, test);
	fx_parser_push(parser, then);
	fx_parser_push(parser, otherwise);
	return fx_parser_collect(parser, FX_AST_CONDITIONAL, then->span.begin,
		mark);
}

static struct fx_ast *
parse_lambda_param(struct fx_parser *parser)
{
	return fx_parse_param(parser, false);
}

static struct fx_ast *
parse_lambda(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;

	fx_parser_advance(parser);
	if (!fx_parse_items(parser, parse_lambda_param, ":") ||
		!fx_parser_keep(parser, fx_parse_one(parser)))
		return NULL;
	return fx_parser_collect(parser, FX_AST_LAMBDA, begin, mark);
}

struct fx_ast *
fx_parse_one(struct fx_parser *parser)
{
	struct fx_ast *node;

	if (fx_parser_at(parser, "lambda")) {
		if (!fx_parser_enter(parser))
			return NULL;
		node = parse_lambda(parser);
		fx_parser_leave(parser);
		return node;
	}
	node = fx_parse_or(parser);
	if (node && fx_parser_at(parser, "if"))
		node = parse_conditional(parser, node);
	return node;
}

/* What stands between commas: items, parameters, `*a`. */

bool
fx_parser_keep(struct fx_parser *parser, struct fx_ast *kid)
{
	if (kid)
		fx_parser_push(parser, kid);
	return kid != NULL;
}

bool
fx_parse_items(struct fx_parser *parser, fx_parse_fn *item, const char *close)
{
	while (!fx_parser_at(parser, close)) {
		if (!fx_parser_keep(parser, item(parser)))
			return false;
		if (!fx_parser_accept(parser, ","))
			break;
	}
	return fx_parser_expect(parser, close);
}

struct fx_ast *
fx_parse_tuple(struct fx_parser *parser, fx_parse_fn *item, const char *end)
{
	size_t mark = parser->stack.count;
	struct fx_ast *first = item(parser);

	if (!first || !fx_parser_at(parser, ","))
		return first;
	fx_parser_push(parser, first);
	while (fx_parser_accept(parser, ",") &&
		(end ? !fx_parser_at(parser, end)
		     : fx_parser_at_operand(parser)))
		if (!fx_parser_keep(parser, item(parser)))
			return NULL;
	return fx_parser_collect(parser, FX_AST_TUPLE, first->span.begin, mark);
}

struct fx_ast *
fx_parse_starred(struct fx_parser *parser, enum fx_ast_kind kind,
	fx_parse_fn *operand)
{
	size_t begin = parser->token.begin;
	struct fx_ast *value;
	struct fx_ast *node;

	fx_parser_advance(parser);
	value = operand(parser);
	if (!value)
		return NULL;
	node = fx_parser_node_of(parser, kind, value, NULL);
	node->span.begin = begin;
	return node;
}

static struct fx_ast *
parse_bitor(struct fx_parser *parser)
{
	return parse_binary(parser, 1);
}

struct fx_ast *
fx_parse_item(struct fx_parser *parser)
{
	if (fx_parser_at(parser, "*"))
		return fx_parse_starred(parser, FX_AST_STARRED, parse_bitor);
	return fx_parse_one(parser);
}

struct fx_ast *
fx_parse_list(struct fx_parser *parser)
{
	return fx_parse_tuple(parser, fx_parse_item, NULL);
}

/* Push the expression that follows WORD, or NULL if WORD is not the next token
 * or is not allowed.
 */
static bool
parse_behind(struct fx_parser *parser, const char *word, bool is_allowed)
{
	if (is_allowed && fx_parser_accept(parser, word))
		return fx_parser_keep(parser, fx_parse_one(parser));
	fx_parser_push(parser, NULL);
	return true;
}

struct fx_ast *
fx_parse_param(struct fx_parser *parser, bool is_annotated)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;
	struct fx_ast *param;
	const char *name;
	enum fx_ast_op star = FX_AST_OP_NONE;

	if (fx_parser_accept(parser, "*"))
		star = FX_AST_MUL;
	else if (fx_parser_accept(parser, "**"))
		star = FX_AST_POW;
	if (parser->token.kind != FX_TOKEN_NAME)
		return fx_parser_expected(parser, "a parameter");
	name = fx_parser_text(parser, 0);
	fx_parser_advance(parser);
	if (!parse_behind(parser, ":", is_annotated) ||
		!parse_behind(parser, "=", true))
		return NULL;
	param = fx_parser_collect(parser, FX_AST_PARAM, begin, mark);
	param->text = name;
	param->op = star;
	return param;
}
