/* parse_stmt.c - simple statements, those that fit on a line. */
#include <config.h>

#include <string.h>

#include "base/intern.h"
#include "lang/parse_private.h"

static const struct {
	const char *text;
	enum fx_ast_op op;
} augmented[] = {
	{ "+=", FX_AST_ADD },
	{ "-=", FX_AST_SUB },
	{ "*=", FX_AST_MUL },
	{ "/=", FX_AST_DIV },
	{ "//=", FX_AST_FLOORDIV },
	{ "%=", FX_AST_MOD },
	{ "**=", FX_AST_POW },
	{ "@=", FX_AST_MATMUL },
	{ "<<=", FX_AST_LSHIFT },
	{ ">>=", FX_AST_RSHIFT },
	{ "&=", FX_AST_BITAND },
	{ "|=", FX_AST_BITOR },
	{ "^=", FX_AST_BITXOR },
};

static const char *const not_understood[] = { "while", "with", "try", "global",
	"nonlocal", "async", "break", "continue", "match", "yield" };

bool
fx_parser_at_line_end(const struct fx_parser *parser)
{
	return parser->token.kind == FX_TOKEN_NEWLINE ||
	       parser->token.kind == FX_TOKEN_END || fx_parser_at(parser, ";");
}

/* A statement of KIND with one optional kid: return, raise. */
static struct fx_ast *
parse_optional(struct fx_parser *parser, enum fx_ast_kind kind)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;

	fx_parser_advance(parser);
	if (fx_parser_at_line_end(parser))
		fx_parser_push(parser, NULL);
	else if (!fx_parser_keep(parser, fx_parse_list(parser)))
		return NULL;
	return fx_parser_collect(parser, kind, begin, mark);
}

static struct fx_ast *
parse_assert(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;

	fx_parser_advance(parser);
	if (!fx_parser_keep(parser, fx_parse_one(parser)))
		return NULL;
	if (!fx_parser_accept(parser, ","))
		fx_parser_push(parser, NULL);
	else if (!fx_parser_keep(parser, fx_parse_one(parser)))
		return NULL;
	return fx_parser_collect(parser, FX_AST_ASSERT, begin, mark);
}

static struct fx_ast *
parse_delete(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;

	do {
		fx_parser_advance(parser);
		if (!fx_parser_keep(parser, fx_parse_one(parser)))
			return NULL;
	} while (fx_parser_at(parser, ","));
	return fx_parser_collect(parser, FX_AST_DELETE, begin, mark);
}

/* import and from: kept as written, nothing in them matters here. */
static struct fx_ast *
parse_import(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	struct fx_ast *node;

	while (!fx_parser_at_line_end(parser) &&
		parser->token.kind != FX_TOKEN_ERROR)
		fx_parser_advance(parser);
	if (parser->token.kind == FX_TOKEN_ERROR)
		return fx_parser_expected(parser, "a name");
	node = fx_parser_node(parser, FX_AST_IMPORT, begin);
	node->text =
		fx_intern_n(parser->lexer.text + begin, parser->end - begin);
	return node;
}

/* `: annotation [= value]` after TARGET. */
static struct fx_ast *
parse_annotated(struct fx_parser *parser, struct fx_ast *target)
{
	size_t mark = parser->stack.count;
	struct fx_ast *annotation;
	struct fx_ast *value = NULL;

	fx_parser_advance(parser);
	annotation = fx_parse_one(parser);
	if (annotation && fx_parser_accept(parser, "=")) {
		value = fx_parse_list(parser);
		if (!value)
			return NULL;
	}
	if (!annotation)
		return NULL;
	fx_parser_push(parser, target);
	fx_parser_push(parser, annotation);
	fx_parser_push(parser, value);
	return fx_parser_collect(parser, FX_AST_ANNOTATED, target->span.begin,
		mark);
}

/* `= value` any number of times after the first target. */
static struct fx_ast *
parse_assignment(struct fx_parser *parser, struct fx_ast *target)
{
	size_t begin = target->span.begin;
	size_t mark = parser->stack.count;

	fx_parser_push(parser, target);
	while (fx_parser_accept(parser, "=")) {
		target = fx_parse_list(parser);
		if (!target)
			return NULL;
		fx_parser_push(parser, target);
	}
	return fx_parser_collect(parser, FX_AST_ASSIGN, begin, mark);
}

static struct fx_ast *
parse_augmented(struct fx_parser *parser, struct fx_ast *target, size_t row)
{
	struct fx_ast *value;
	struct fx_ast *node;

	fx_parser_advance(parser);
	value = fx_parse_list(parser);
	if (!value)
		return NULL;
	node = fx_parser_node_of(parser, FX_AST_AUGMENTED, target, value);
	node->op = augmented[row].op;
	return node;
}

static struct fx_ast *
parse_expression_statement(struct fx_parser *parser)
{
	struct fx_ast *node = fx_parse_list(parser);
	size_t i;

	if (!node)
		return NULL;
	if (fx_parser_at(parser, "="))
		return parse_assignment(parser, node);
	if (fx_parser_at(parser, ":"))
		return parse_annotated(parser, node);
	for (i = 0; i < FX_ARRAY_LEN(augmented); i++)
		if (fx_parser_at(parser, augmented[i].text))
			return parse_augmented(parser, node, i);
	return fx_parser_node_of(parser, FX_AST_EXPRESSION, node, NULL);
}

static struct fx_ast *
parse_simple(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	FX_AUTO_BUF struct fx_buf message = { 0 };
	size_t i;

	if (fx_parser_at(parser, "return"))
		return parse_optional(parser, FX_AST_RETURN);
	if (fx_parser_at(parser, "raise"))
		return parse_optional(parser, FX_AST_RAISE);
	if (fx_parser_at(parser, "assert"))
		return parse_assert(parser);
	if (fx_parser_at(parser, "del"))
		return parse_delete(parser);
	if (fx_parser_at(parser, "import") || fx_parser_at(parser, "from"))
		return parse_import(parser);
	if (fx_parser_accept(parser, "pass"))
		return fx_parser_node(parser, FX_AST_PASS, begin);
	for (i = 0; i < FX_ARRAY_LEN(not_understood); i++) {
		struct fx_span span = { begin, parser->token.end };
		char next = fx_lexer_peek(&parser->lexer);

		/* `match` may be a node; a statement has a word after it. */
		if (!fx_parser_at(parser, not_understood[i]) ||
			(next != '\0' && strchr("=.[(,;+-*/:", next)))
			continue;
		fx_buf_addf(&message, "\"%s\" is not understood in a graph",
			not_understood[i]);
		return fx_parser_fail(parser, span, fx_buf_text(&message));
	}
	return parse_expression_statement(parser);
}

bool
fx_parse_line(struct fx_parser *parser)
{
	struct fx_ast *node = NULL;

	do {
		size_t mark = parser->stack.count;

		if (fx_parser_at_line_end(parser))
			break;
		node = parse_simple(parser);
		if (!node) {
			parser->stack.count = mark;
			return false;
		}
		fx_parser_push(parser, node);
	} while (fx_parser_accept(parser, ";"));
	if (parser->token.kind == FX_TOKEN_END)
		return true;
	if (parser->token.kind != FX_TOKEN_NEWLINE) {
		fx_parser_expected(parser, "the end of the line");
		return false;
	}
	if (node)
		node->comment_after = FX_TAKE(parser->after);
	parser->after = NULL;
	fx_parser_advance(parser);
	return true;
}
