/* parse_bracket.c - parentheses, lists, dicts, sets, comprehensions and
 * queries in braces.
 */
#include <config.h>

#include "base/intern.h"
#include "lang/parse_private.h"

struct fx_ast *
fx_parse_comprehension(struct fx_parser *parser, struct fx_ast *element)
{
	size_t mark = parser->stack.count;
	struct fx_ast *target;
	struct fx_ast *iterable;
	struct fx_ast *condition = NULL;

	fx_parser_advance(parser);
	target = fx_parse_tuple(parser, fx_parse_postfix, "in");
	if (!target || !fx_parser_expect(parser, "in"))
		return NULL;
	iterable = fx_parse_or(parser);
	if (iterable && fx_parser_accept(parser, "if")) {
		condition = fx_parse_or(parser);
		if (!condition)
			return NULL;
	}
	if (!iterable)
		return NULL;
	fx_parser_push(parser, element);
	fx_parser_push(parser, target);
	fx_parser_push(parser, iterable);
	fx_parser_push(parser, condition);
	return fx_parser_collect(parser, FX_AST_COMPREHENSION,
		element->span.begin, mark);
}

static struct fx_ast *
parse_parenthesis(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	struct fx_ast *node;

	fx_parser_advance(parser);
	if (fx_parser_at(parser, ")")) {
		fx_parser_advance(parser);
		node = fx_parser_node(parser, FX_AST_TUPLE, begin);
	} else {
		node = fx_parse_list(parser);
		if (node && node->kind == FX_AST_STARRED)
			return fx_parser_fail(parser, node->span,
				"a starred value alone needs a comma behind "
				"it");
		if (node && fx_parser_at(parser, "for"))
			node = fx_parse_comprehension(parser, node);
		if (!node || !fx_parser_expect(parser, ")"))
			return NULL;
	}
	node->span.begin = begin;
	node->span.end = parser->end;
	node->parenthesised = true;
	return node;
}

struct fx_ast *
fx_parse_element(struct fx_parser *parser)
{
	char next = fx_lexer_peek(&parser->lexer);
	struct fx_ast *node;

	if (!fx_parser_at(parser, "*") || !(parser->flags & FX_PARSE_QUERY) ||
		(next != ',' && next != ']'))
		return fx_parse_item(parser);
	node = fx_parser_leaf(parser, FX_AST_NAME);
	node->text = fx_intern("*");
	return node;
}

static struct fx_ast *
parse_brackets(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;
	struct fx_ast *first = NULL;

	fx_parser_advance(parser);
	if (!fx_parser_at(parser, "]")) {
		first = fx_parse_element(parser);
		if (!first)
			return NULL;
	}
	if (first && fx_parser_at(parser, "for")) {
		first = fx_parse_comprehension(parser, first);
		if (!first || !fx_parser_expect(parser, "]"))
			return NULL;
		first->span.begin = begin;
		first->span.end = parser->end;
		return first;
	}
	if (first)
		fx_parser_push(parser, first);
	if (first && !fx_parser_accept(parser, ",")) {
		if (!fx_parser_expect(parser, "]"))
			return NULL;
	} else if (!fx_parse_items(parser, fx_parse_element, "]")) {
		return NULL;
	}
	return fx_parser_collect(parser, FX_AST_LIST, begin, mark);
}

struct fx_ast *
fx_parse_braced_query(struct fx_parser *parser, size_t begin)
{
	unsigned flags = parser->flags;
	bool in_index = parser->in_index;
	size_t mark = parser->stack.count;
	struct fx_ast *kid = NULL;

	parser->flags |= FX_PARSE_QUERY;
	parser->in_index = false;
	fx_parser_advance(parser);
	if (!fx_parser_at(parser, "}")) {
		kid = fx_parse_either(parser);
		if (!kid)
			return NULL;
	}
	if (!fx_parser_at(parser, "}"))
		return fx_parser_expected(parser, "\"}\"");
	parser->flags = flags;
	parser->in_index = in_index;
	fx_parser_advance(parser);
	fx_parser_push(parser, kid);
	return fx_parser_collect(parser, FX_AST_QUERY, begin, mark);
}

static bool
at_literal(const struct fx_parser *parser)
{
	return parser->token.kind == FX_TOKEN_NUMBER ||
	       parser->token.kind == FX_TOKEN_STRING ||
	       fx_parser_at(parser, "None") || fx_parser_at(parser, "True") ||
	       fx_parser_at(parser, "False");
}

/* `{k: v}` or, in Python text, `{a, b}`. */
static struct fx_ast *
parse_pairs(struct fx_parser *parser, size_t begin, bool designators)
{
	size_t mark = parser->stack.count;
	enum fx_ast_kind kind = FX_AST_DICT;

	while (!fx_parser_at(parser, "}")) {
		bool first = parser->stack.count == mark;

		if (!fx_parser_keep(parser, fx_parse_one(parser)))
			return NULL;
		if (first && !designators && !fx_parser_at(parser, ":"))
			kind = FX_AST_SET;
		if (kind == FX_AST_DICT &&
			(!fx_parser_expect(parser, ":") ||
				!fx_parser_keep(parser, fx_parse_one(parser))))
			return NULL;
		if (!fx_parser_accept(parser, ","))
			break;
	}
	if (!fx_parser_expect(parser, "}"))
		return NULL;
	return fx_parser_collect(parser, kind, begin, mark);
}

static struct fx_ast *
parse_braces(struct fx_parser *parser)
{
	bool designators =
		parser->flags & (FX_PARSE_DESIGNATORS | FX_PARSE_QUERY);
	size_t begin = parser->token.begin;
	struct fx_parser ahead = *parser;

	if (!designators) {
		fx_parser_advance(parser);
		return parse_pairs(parser, begin, false);
	}
	/* One token ahead decides: a dict only before } or a literal. */
	ahead.token = fx_lexer_next(&ahead.lexer);
	if (!fx_parser_at(&ahead, "}") && !at_literal(&ahead))
		return fx_parse_braced_query(parser, begin);
	fx_parser_advance(parser);
	return parse_pairs(parser, begin, true);
}

struct fx_ast *
fx_parse_atom(struct fx_parser *parser)
{
	bool in_index = parser->in_index;
	struct fx_ast *node;

	if (!fx_parser_at(parser, "(") && !fx_parser_at(parser, "[") &&
		!fx_parser_at(parser, "{"))
		return fx_parse_leaf(parser);
	if (!fx_parser_enter(parser))
		return NULL;
	parser->in_index = false;
	if (fx_parser_at(parser, "("))
		node = parse_parenthesis(parser);
	else if (fx_parser_at(parser, "["))
		node = parse_brackets(parser);
	else
		node = parse_braces(parser);
	parser->in_index = in_index;
	fx_parser_leave(parser);
	return node;
}
