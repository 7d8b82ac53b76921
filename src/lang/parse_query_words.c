/* parse_query_words.c - the bare words of a query: op=call_module, in layer1.0.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "lang/parse_private.h"
#include "lang/query.h"

/* Words that go on with the query, so no values. */
static const char *const joints[] = { "and", "or", "not", "in", "if", "where",
	"as" };

static bool
is_joint(const char *text)
{
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(joints); i++)
		if (!strcmp(text, joints[i]))
			return true;
	return false;
}

/* Say that a value is missing after what stands from BEGIN to the end of the
 * next token.
 */
static struct fx_ast *
missing_value(struct fx_parser *parser, size_t begin)
{
	parser->begin = begin;
	parser->end = parser->token.end;
	parser->token = fx_lexer_next(&parser->lexer);
	return fx_parser_expected(parser, "a value");
}

/* Whether a quoted string, maybe with the prefix r, or a designator or bracket
 * stands after the next token: an ordinary expression.
 */
static bool
expression_follows(const struct fx_parser *parser)
{
	struct fx_lexer ahead = parser->lexer;
	char c = fx_lexer_peek(&ahead);

	if (c == '\0' || strchr("%@$([{\"'", c))
		return c != '\0';
	ahead.operand_expected = true;
	return fx_lexer_next(&ahead).kind == FX_TOKEN_STRING;
}

/* The bare word after the next token; the error is about BEGIN. */
static struct fx_ast *
parse_word(struct fx_parser *parser, size_t begin)
{
	struct fx_lexer saved = parser->lexer;
	struct fx_token token = fx_lexer_word(&parser->lexer);
	size_t length = token.end - token.begin;
	const char *text = fx_arena_strndup(parser->arena,
		parser->lexer.text + token.begin, length);
	struct fx_ast *node;

	if (length == 0 || is_joint(text)) {
		parser->lexer = saved;
		return missing_value(parser, begin);
	}
	parser->token = token;
	fx_parser_advance(parser);
	node = fx_parser_node(parser, FX_AST_STRING, token.begin);
	node->text = fx_intern("word");
	node->string = text;
	node->length = length;
	return node;
}

struct fx_ast *
fx_parse_field_word(struct fx_parser *parser, const struct fx_ast *left)
{
	bool fits = fx_parser_at(parser, "=") || fx_parser_at(parser, "==") ||
		    fx_parser_at(parser, "!=") || fx_parser_at(parser, "~");

	if (!fits || left->kind != FX_AST_NAME ||
		!fx_query_is_text_field(left->text) ||
		expression_follows(parser))
		return NULL;
	return parse_word(parser, left->span.begin);
}

struct fx_ast *
fx_parse_scope_word(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	struct fx_ast *node;

	if (expression_follows(parser)) {
		fx_parser_advance(parser);
		node = fx_parse_postfix(parser);
	} else {
		node = parse_word(parser, begin);
	}
	if (!node)
		return NULL;
	node = fx_parser_node_of(parser, FX_AST_UNARY, node, NULL);
	node->op = FX_AST_IN;
	node->span.begin = begin;
	return node;
}
