/* parse_postfix.c - what follows an operand: attributes, calls, subscripts. */
#include <config.h>

#include "base/map.h"
#include "lang/parse_private.h"

static struct fx_ast *
parse_attribute(struct fx_parser *parser, struct fx_ast *value)
{
	struct fx_ast *node;
	const char *text;

	fx_parser_advance(parser);
	if (parser->token.kind != FX_TOKEN_STEP)
		return fx_parser_expected(parser, "a name");
	text = fx_parser_text(parser, 0);
	fx_parser_advance(parser);
	node = fx_parser_node_of(parser, FX_AST_ATTR, value, NULL);
	node->text = text;
	return node;
}

/* Whether the next token, a name, is followed by `=` alone. */
static bool
at_keyword(const struct fx_parser *parser)
{
	struct fx_lexer ahead;
	struct fx_token token;

	if (parser->token.kind != FX_TOKEN_NAME ||
		fx_lexer_peek(&parser->lexer) != '=')
		return false;
	ahead = parser->lexer;
	token = fx_lexer_next(&ahead);
	return fx_token_is(&token, ahead.text, "=");
}

static struct fx_ast *
parse_argument(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	struct fx_ast *value;
	struct fx_ast *node;
	const char *text;

	if (fx_parser_at(parser, "*"))
		return fx_parse_starred(parser, FX_AST_STARRED, fx_parse_one);
	if (fx_parser_at(parser, "**"))
		return fx_parse_starred(parser, FX_AST_DOUBLE_STARRED,
			fx_parse_one);
	if (!at_keyword(parser)) {
		node = fx_parse_one(parser);
		if (node && fx_parser_at(parser, "for"))
			node = fx_parse_comprehension(parser, node);
		return node;
	}
	text = fx_parser_text(parser, 0);
	fx_parser_advance(parser);
	fx_parser_advance(parser);
	value = fx_parse_one(parser);
	if (!value)
		return NULL;
	node = fx_parser_node_of(parser, FX_AST_KEYWORD, value, NULL);
	node->text = text;
	node->span.begin = begin;
	return node;
}

/* Whether the arguments pushed since MARK give each keyword once. */
static bool
check_keywords(struct fx_parser *parser, size_t mark)
{
	FX_AUTO_MAP struct fx_map seen = { 0 };

	for (size_t i = mark; i < parser->stack.count; i++) {
		const struct fx_ast *kid = parser->stack.items[i];

		if (kid->kind != FX_AST_KEYWORD ||
			fx_map_set(&seen, (uintptr_t)kid->text, 1))
			continue;
		fx_parser_fail(parser, kid->span,
			"this keyword is given twice");
		return false;
	}
	return true;
}

static struct fx_ast *
parse_call(struct fx_parser *parser, struct fx_ast *function)
{
	size_t mark = parser->stack.count;

	fx_parser_push(parser, function);
	fx_parser_advance(parser);
	if (!fx_parse_items(parser, parse_argument, ")") ||
		!check_keywords(parser, mark + 1))
		return NULL;
	return fx_parser_collect(parser, FX_AST_CALL, function->span.begin,
		mark);
}

/* A part of a slice, or null where it is left out. */
static bool
parse_slice_part(struct fx_parser *parser)
{
	if (fx_parser_at_operand(parser))
		return fx_parser_keep(parser, fx_parse_one(parser));
	fx_parser_push(parser, NULL);
	return true;
}

static struct fx_ast *
parse_index_item(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;

	if (!fx_parser_at(parser, ":")) {
		struct fx_ast *item = fx_parse_element(parser);

		if (!item || !fx_parser_at(parser, ":"))
			return item;
		fx_parser_push(parser, item);
	} else {
		fx_parser_push(parser, NULL);
	}
	fx_parser_advance(parser);
	if (!parse_slice_part(parser))
		return NULL;
	if (!fx_parser_accept(parser, ":"))
		fx_parser_push(parser, NULL);
	else if (!parse_slice_part(parser))
		return NULL;
	return fx_parser_collect(parser, FX_AST_SLICE, begin, mark);
}

static struct fx_ast *
parse_subscript(struct fx_parser *parser, struct fx_ast *value)
{
	bool in_index = parser->in_index;
	struct fx_ast *index;

	fx_parser_advance(parser);
	parser->in_index = true;
	index = fx_parse_tuple(parser, parse_index_item, "]");
	parser->in_index = in_index;
	if (!index || !fx_parser_expect(parser, "]"))
		return NULL;
	return fx_parser_node_of(parser, FX_AST_SUBSCRIPT, value, index);
}

/* `count{QUERY}` is count({QUERY}). */
static struct fx_ast *
parse_query_call(struct fx_parser *parser, struct fx_ast *function)
{
	struct fx_ast *query =
		fx_parse_braced_query(parser, parser->token.begin);

	if (!query)
		return NULL;
	return fx_parser_node_of(parser, FX_AST_CALL, function, query);
}

static struct fx_ast *
parse_bracketed(struct fx_parser *parser, struct fx_ast *node,
	struct fx_ast *(*parse)(struct fx_parser *, struct fx_ast *))
{
	bool in_index = parser->in_index;

	if (!fx_parser_enter(parser))
		return NULL;
	parser->in_index = false;
	node = parse(parser, node);
	parser->in_index = in_index;
	fx_parser_leave(parser);
	return node;
}

struct fx_ast *
fx_parse_postfix(struct fx_parser *parser)
{
	bool designators = parser->flags & FX_PARSE_DESIGNATORS;
	struct fx_ast *node = fx_parse_atom(parser);

	while (node && parser->token.kind == FX_TOKEN_OP) {
		if (fx_parser_at(parser, "."))
			node = parse_attribute(parser, node);
		else if (fx_parser_at(parser, "["))
			node = parse_bracketed(parser, node, parse_subscript);
		else if (fx_parser_at(parser, "("))
			node = parse_bracketed(parser, node, parse_call);
		else if (designators && node->kind == FX_AST_NAME &&
			 fx_parser_at(parser, "{") &&
			 !parser->token.space_before)
			node = parse_bracketed(parser, node, parse_query_call);
		else
			break;
	}
	return node;
}
