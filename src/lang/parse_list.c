/* parse_list.c - what stands between commas: items, parameters, `*a`. */
#include <config.h>

#include "lang/parse_private.h"

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
	return fx_parse_binary(parser, 1);
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

/* WORD and the expression behind it, pushed; else NULL is. */
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
