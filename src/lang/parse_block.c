/* parse_block.c - functions, classes, if, for, and comments' places. */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "lang/parse_private.h"

static struct fx_ast *parse_statement(struct fx_parser *parser);

/* Parse `:` and the statements under it, or on the same line.  Returns null if
 * there is no `:`.  On an error, the result has the statements that were
 * understood before it, perhaps none.  Functions and classes hand them up, as
 * they are the graph so far; half of an `if` or a `for` says nothing about the
 * graph, so those drop them.
 */
static struct fx_ast *
parse_block(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;

	if (!fx_parser_expect(parser, ":"))
		return NULL;
	if (parser->token.kind != FX_TOKEN_NEWLINE) {
		fx_parse_line(parser);
		return fx_parser_collect(parser, FX_AST_BLOCK, begin, mark);
	}
	fx_parser_advance(parser);
	parser->after = NULL;
	if (parser->token.kind != FX_TOKEN_INDENT) {
		fx_parser_expected(parser, "an indented block");
		return fx_parser_collect(parser, FX_AST_BLOCK, begin, mark);
	}
	fx_parser_advance(parser);
	while (!parser->error && parser->token.kind != FX_TOKEN_DEDENT &&
		parser->token.kind != FX_TOKEN_END) {
		struct fx_ast *node = parse_statement(parser);

		if (node)
			fx_parser_push(parser, node);
	}
	if (!parser->error && parser->token.kind == FX_TOKEN_DEDENT)
		fx_parser_advance(parser);
	return fx_parser_collect(parser, FX_AST_BLOCK, begin, mark);
}

/* Parameters, pushed.  The lone markers `*` and `/` mean nothing to a graph. */
static bool
parse_params(struct fx_parser *parser)
{
	if (!fx_parser_expect(parser, "("))
		return false;
	while (!fx_parser_at(parser, ")")) {
		char next = fx_lexer_peek(&parser->lexer);
		bool lone = fx_parser_at(parser, "*") && next == ',';

		if (lone || fx_parser_at(parser, "/"))
			fx_parser_advance(parser);
		else if (!fx_parser_keep(parser, fx_parse_param(parser, true)))
			return false;
		if (!fx_parser_accept(parser, ","))
			break;
	}
	return fx_parser_expect(parser, ")");
}

static struct fx_ast *
parse_function(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;
	struct fx_ast *returns = NULL;
	struct fx_ast *block;
	struct fx_ast *node;
	const char *name;

	fx_parser_advance(parser);
	if (parser->token.kind != FX_TOKEN_NAME)
		return fx_parser_expected(parser, "a name");
	name = fx_parser_text(parser, 0);
	fx_parser_advance(parser);
	if (!parse_params(parser))
		return NULL;
	if (fx_parser_accept(parser, "->")) {
		returns = fx_parse_one(parser);
		if (!returns)
			return NULL;
	}
	block = parse_block(parser);
	if (!block)
		return NULL;
	fx_parser_push(parser, block);
	fx_parser_push(parser, returns);
	node = fx_parser_collect(parser, FX_AST_FUNCTION, begin, mark);
	node->text = name;
	return node;
}

/* The name after `class`; torch.compile also writes `<lambda>`. */
static const char *
parse_class_name(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	bool angle = fx_parser_accept(parser, "<");

	if (parser->token.kind != FX_TOKEN_NAME) {
		fx_parser_expected(parser, "a name");
		return NULL;
	}
	fx_parser_advance(parser);
	if (angle && !fx_parser_expect(parser, ">"))
		return NULL;
	return fx_intern_n(parser->lexer.text + begin, parser->end - begin);
}

static struct fx_ast *
parse_class(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;
	struct fx_ast *node;
	const char *name;

	fx_parser_advance(parser);
	name = parse_class_name(parser);
	if (!name)
		return NULL;
	if (fx_parser_accept(parser, "(") &&
		!fx_parse_items(parser, fx_parse_one, ")"))
		return NULL;
	if (!fx_parser_keep(parser, parse_block(parser)))
		return NULL;
	node = fx_parser_collect(parser, FX_AST_CLASS, begin, mark);
	node->text = name;
	return node;
}

static struct fx_ast *
parse_if(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;
	struct fx_ast *kid = NULL;

	fx_parser_advance(parser);
	if (!fx_parser_keep(parser, fx_parse_one(parser)) ||
		!fx_parser_keep(parser, parse_block(parser)) || parser->error)
		return NULL;
	if (fx_parser_at(parser, "elif")) {
		if (!fx_parser_enter(parser))
			return NULL;
		kid = parse_if(parser);
		fx_parser_leave(parser);
		if (!kid)
			return NULL;
		kid = fx_parser_node_of(parser, FX_AST_BLOCK, kid, NULL);
	} else if (fx_parser_accept(parser, "else")) {
		kid = parse_block(parser);
	}
	if (parser->error)
		return NULL;
	fx_parser_push(parser, kid);
	return fx_parser_collect(parser, FX_AST_IF, begin, mark);
}

static struct fx_ast *
parse_for(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;

	fx_parser_advance(parser);
	/* Targets: names, attributes, tuples of them. */
	if (!fx_parser_keep(parser,
		    fx_parse_tuple(parser, fx_parse_postfix, "in")) ||
		!fx_parser_expect(parser, "in") ||
		!fx_parser_keep(parser, fx_parse_list(parser)) ||
		!fx_parser_keep(parser, parse_block(parser)) || parser->error)
		return NULL;
	return fx_parser_collect(parser, FX_AST_FOR, begin, mark);
}

static struct fx_ast *
parse_compound(struct fx_parser *parser)
{
	struct fx_ast *node;

	if (!fx_parser_enter(parser))
		return NULL;
	if (fx_parser_at(parser, "def"))
		node = parse_function(parser);
	else if (fx_parser_at(parser, "class"))
		node = parse_class(parser);
	else if (fx_parser_at(parser, "if"))
		node = parse_if(parser);
	else
		node = parse_for(parser);
	fx_parser_leave(parser);
	return node;
}

static bool
at_compound(const struct fx_parser *parser)
{
	return fx_parser_at(parser, "def") || fx_parser_at(parser, "class") ||
	       fx_parser_at(parser, "if") || fx_parser_at(parser, "for");
}

/* Whether the line before the one of byte AT is empty. */
static bool
empty_line_above(const char *text, size_t at)
{
	while (at > 0 && text[at - 1] != '\n')
		at--;
	if (at == 0)
		return false;
	for (at--; at > 0 && text[at - 1] != '\n'; at--)
		if (!strchr(" \t\r", text[at - 1]))
			return false;
	return true;
}

static void
attach_comments(struct fx_ast *node, struct fx_parser *parser, char *above,
	size_t begin)
{
	node->comment_above = above;
	node->blank_above = empty_line_above(parser->lexer.text, begin);
}

/* One line of statements or one compound statement.  Statements of a line but
 * the last are pushed, the last is returned.
 */
static struct fx_ast *
parse_statement(struct fx_parser *parser)
{
	size_t begin = parser->above.length > 0 ? parser->above_begin
						: parser->token.begin;
	size_t mark = parser->stack.count;
	char *above = NULL;
	struct fx_ast *node;

	if (parser->above.length > 0)
		above = fx_arena_strndup(parser->arena, parser->above.data,
			parser->above.length);
	fx_buf_clear(&parser->above);
	if (fx_parser_at(parser, "@")) {
		while (!fx_parser_at_line_end(parser))
			fx_parser_advance(parser);
		fx_parser_advance(parser);
		return NULL;
	}
	if (at_compound(parser)) {
		node = parse_compound(parser);
		if (!node)
			parser->stack.count = mark;
		else
			attach_comments(node, parser, above, begin);
		return node;
	}
	fx_parse_line(parser);
	if (parser->stack.count == mark) {
		if (!parser->error && fx_parser_at(parser, ";"))
			fx_parser_expected(parser, "a statement");
		return NULL;
	}
	attach_comments(parser->stack.items[mark], parser, above, begin);
	return fx_vec_pop(&parser->stack);
}

struct fx_ast *
fx_parse_statements(struct fx_parser *parser)
{
	size_t begin = parser->token.begin;
	size_t mark = parser->stack.count;

	while (!parser->error && parser->token.kind != FX_TOKEN_END) {
		struct fx_ast *node = parse_statement(parser);

		if (node)
			fx_parser_push(parser, node);
		else if (!parser->error &&
			 parser->token.kind == FX_TOKEN_NEWLINE)
			fx_parser_advance(parser);
	}
	return fx_parser_collect(parser, FX_AST_MODULE, begin, mark);
}
