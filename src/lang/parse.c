/* parse.c - entry points of the parser and the helpers of its files. */
#include <config.h>

#include "lang/parse.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "lang/parse_private.h"

/* Keep a comment for the statement that it stands above or beside. */
static void
keep_comment(struct fx_parser *parser)
{
	const struct fx_token *token = &parser->token;
	const char *text = parser->lexer.text + token->begin;
	size_t length = token->end - token->begin;

	if (parser->lexer.depth > 0)
		return;
	while (length > 0 && text[length - 1] == '\r')
		length--;
	if (!parser->lexer.at_line_start) {
		parser->after = fx_arena_strndup(parser->arena, text, length);
		return;
	}
	if (parser->above.length == 0)
		parser->above_begin = token->begin;
	else
		fx_buf_add_char(&parser->above, '\n');
	fx_buf_add_n(&parser->above, text, length);
}

static void
read_token(struct fx_parser *parser)
{
	for (;;) {
		parser->token = fx_lexer_next(&parser->lexer);
		if (parser->token.kind != FX_TOKEN_COMMENT)
			return;
		keep_comment(parser);
	}
}

static void
parser_init(struct fx_parser *parser, struct fx_arena *arena,
	const struct fx_parse_range *range, unsigned flags)
{
	unsigned lex_flags = 0;

	*parser = (struct fx_parser){
		.begin = range->begin,
		.end = range->begin,
		.length = range->length,
		.arena = arena,
		.flags = flags,
	};
	if (flags & (FX_PARSE_DESIGNATORS | FX_PARSE_QUERY))
		lex_flags |= FX_LEX_DESIGNATORS;
	fx_lexer_init(&parser->lexer, range->text, range->end, lex_flags);
	parser->lexer.at = range->begin;
}

static void
parser_deinit(struct fx_parser *parser)
{
	fx_vec_deinit(&parser->stack);
	fx_buf_deinit(&parser->above);
	fx_error_free(parser->error);
}

void
fx_parser_advance(struct fx_parser *parser)
{
	parser->begin = parser->token.begin;
	parser->end = parser->token.end;
	read_token(parser);
}

/* "(column 12)", with the line too in a text of several. */
static struct fx_error *
place_error(struct fx_parser *parser, const char *message, struct fx_span span)
{
	bool is_query = parser->flags & FX_PARSE_QUERY;
	const char *prefix = is_query ? "query: " : "";
	FX_AUTO_FREE char *text =
		fx_xstrndup(parser->lexer.text, parser->length);
	int column = fx_span_column(text, span.begin);
	struct fx_error *err;

	if (strchr(text, '\n'))
		err = fx_error_new(FX_ERR_SYNTAX, "%s%s (line %d, column %d)",
			prefix, message, fx_span_line(text, span.begin),
			column);
	else
		err = fx_error_new(FX_ERR_SYNTAX, "%s%s (column %d)", prefix,
			message, column);
	err = fx_error_at(err, text, span);
	return is_query ? fx_error_hint(err, "such as name~\"*relu*\", "
					     "op=call_module or in layer1; "
					     "help query")
			: err;
}

struct fx_ast *
fx_parser_fail(struct fx_parser *parser, struct fx_span span,
	const char *message)
{
	if (!parser->error)
		parser->error = place_error(parser, message, span);
	return NULL;
}

/* Append bytes BEGIN to END of the text in quotes, cut when long. */
static void
add_quoted(const struct fx_parser *parser, struct fx_buf *out, size_t begin,
	size_t end)
{
	size_t length = FX_MIN(end - begin, (size_t)40);

	fx_buf_add_char(out, '"');
	fx_utf8_add_visible(out, parser->lexer.text + begin, length);
	fx_buf_add(out, length < end - begin ? "...\"" : "\"");
}

/* How the next token is called in a message. */
static void
add_token(const struct fx_parser *parser, struct fx_buf *out)
{
	const struct fx_token *token = &parser->token;

	if (token->kind == FX_TOKEN_END ||
		(token->kind == FX_TOKEN_DEDENT &&
			token->end == parser->lexer.length))
		fx_buf_add(out, "the end");
	else if (token->kind == FX_TOKEN_NEWLINE)
		fx_buf_add(out, "the end of the line");
	else if (token->kind == FX_TOKEN_INDENT)
		fx_buf_add(out, "more indentation");
	else if (token->kind == FX_TOKEN_DEDENT)
		fx_buf_add(out, "less indentation");
	else
		add_quoted(parser, out, token->begin, token->end);
}

struct fx_ast *
fx_parser_expected(struct fx_parser *parser, const char *what)
{
	struct fx_span span = { parser->token.begin, parser->token.end };
	FX_AUTO_BUF struct fx_buf message = { 0 };
	bool visible = parser->end > parser->begin &&
		       parser->lexer.text[parser->begin] != '\n';

	if (parser->token.kind == FX_TOKEN_ERROR)
		return fx_parser_fail(parser, span, parser->token.message);
	fx_buf_addf(&message, "expected %s", what);
	if (visible) {
		fx_buf_add(&message, " after ");
		add_quoted(parser, &message, parser->begin, parser->end);
	}
	if (!visible || parser->token.kind != FX_TOKEN_END) {
		fx_buf_add(&message, ", found ");
		add_token(parser, &message);
	}
	return fx_parser_fail(parser, span, fx_buf_text(&message));
}

bool
fx_parser_accept(struct fx_parser *parser, const char *word)
{
	if (!fx_parser_at(parser, word))
		return false;
	fx_parser_advance(parser);
	return true;
}

bool
fx_parser_expect(struct fx_parser *parser, const char *word)
{
	FX_AUTO_BUF struct fx_buf what = { 0 };

	if (fx_parser_accept(parser, word))
		return true;
	fx_buf_addf(&what, "\"%s\"", word);
	fx_parser_expected(parser, fx_buf_text(&what));
	return false;
}

bool
fx_parser_enter(struct fx_parser *parser)
{
	struct fx_span span = { parser->token.begin, parser->token.end };

	if (parser->depth >= FX_PARSE_DEPTH) {
		fx_parser_fail(parser, span, "more than 200 levels of nesting");
		return false;
	}
	parser->depth++;
	return true;
}

void
fx_parser_leave(struct fx_parser *parser)
{
	parser->depth--;
}

struct fx_ast *
fx_parser_node(struct fx_parser *parser, enum fx_ast_kind kind, size_t begin)
{
	struct fx_ast *node = FX_ARENA_NEW(parser->arena, struct fx_ast);

	node->kind = kind;
	node->span.begin = begin;
	node->span.end = parser->end;
	node->height = 1;
	return node;
}

static void
set_kids(struct fx_parser *parser, struct fx_ast *node,
	struct fx_ast *const *kids, size_t count)
{
	size_t i;

	if (count == 0)
		return;
	node->kids = fx_arena_alloc(parser->arena, count * sizeof(*kids));
	node->kid_count = (uint32_t)count;
	for (i = 0; i < count; i++) {
		node->kids[i] = kids[i];
		if (kids[i] && kids[i]->height >= node->height)
			node->height = kids[i]->height + 1;
	}
}

struct fx_ast *
fx_parser_collect(struct fx_parser *parser, enum fx_ast_kind kind, size_t begin,
	size_t mark)
{
	struct fx_ast *node = fx_parser_node(parser, kind, begin);

	if (parser->stack.count > mark)
		set_kids(parser, node, parser->stack.items + mark,
			parser->stack.count - mark);
	parser->stack.count = mark;
	return node;
}

struct fx_ast *
fx_parser_node_of(struct fx_parser *parser, enum fx_ast_kind kind,
	struct fx_ast *first, struct fx_ast *second)
{
	struct fx_ast *kids[2] = { first, second };
	struct fx_ast *node = fx_parser_node(parser, kind, first->span.begin);

	set_kids(parser, node, kids, second ? 2 : 1);
	return node;
}

void
fx_parser_push(struct fx_parser *parser, struct fx_ast *kid)
{
	fx_vec_push(&parser->stack, kid);
}

struct fx_error *
fx_parse_expression_in(struct fx_arena *arena,
	const struct fx_parse_range *range, unsigned flags, struct fx_ast **ret,
	size_t *end_ret)
{
	struct fx_parser parser;
	struct fx_error *err;

	parser_init(&parser, arena, range, flags);
	parser.is_prefix = end_ret != NULL;
	read_token(&parser);
	*ret = fx_parse_list(&parser);
	if (*ret && !end_ret && parser.token.kind != FX_TOKEN_END) {
		*ret = fx_parser_expected(&parser, "an operator or the end");
		if (fx_parser_at(&parser, "="))
			parser.error = fx_error_hint(parser.error,
				"== compares; set assigns");
	}
	if (*ret && end_ret)
		*end_ret = parser.end;
	err = FX_TAKE(parser.error);
	parser_deinit(&parser);
	return err;
}

struct fx_error *
fx_parse_expression(struct fx_arena *arena, const char *text, size_t length,
	unsigned flags, struct fx_ast **ret)
{
	struct fx_parse_range range = { text, length, 0, length };

	return fx_parse_expression_in(arena, &range, flags, ret, NULL);
}

struct fx_error *
fx_parse_module(struct fx_arena *arena, const char *text, size_t length,
	struct fx_ast **ret, struct fx_ast **understood_ret)
{
	struct fx_parse_range range = { text, length, 0, length };
	struct fx_parser parser;
	struct fx_ast *module;
	struct fx_error *err;

	parser_init(&parser, arena, &range, FX_PARSE_PYTHON);
	parser.lexer.flags = FX_LEX_LINES | FX_LEX_COMMENTS;
	parser.lexer.at_line_start = true;
	read_token(&parser);
	module = fx_parse_statements(&parser);
	err = FX_TAKE(parser.error);
	parser_deinit(&parser);
	*ret = err ? NULL : module;
	if (understood_ret)
		*understood_ret = module;
	return err;
}
