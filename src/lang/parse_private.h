/* parse_private.h - what the files of the parser share: parse.c (entry points
 * and helpers), parse_list.c, parse_expr.c (operators), parse_postfix.c,
 * parse_bracket.c, parse_leaf.c, parse_query_words.c, parse_stmt.c and
 * parse_block.c.
 *
 * The functions return null after a failure and leave the first error in the
 * parser; so a caller only hands null up.  Statements are the exception: a
 * class or function of which a part was understood is returned with the error
 * set, so that a dump cut in the middle can say how far it went.
 */
#ifndef FX_LANG_PARSE_PRIVATE_H
#define FX_LANG_PARSE_PRIVATE_H

#include "base/buf.h"
#include "base/vec.h"
#include "lang/ast.h"
#include "lang/lex.h"
#include "lang/parse.h"

struct fx_parser {
	struct fx_lexer lexer;
	struct fx_token token; /* the next one, not taken yet */
	size_t begin;          /* where the last token taken began and ended */
	size_t end;
	size_t length; /* of the whole text, which carets show */
	struct fx_arena *arena;
	unsigned flags;
	int depth;      /* levels of nesting open now */
	bool is_prefix; /* stop, without an error, after the expression */
	bool in_index;  /* `:` makes a slice, not a range of positions */
	struct fx_error *error;
	FX_VEC(struct fx_ast *) stack; /* kids being collected */

	/* Statements. */
	struct fx_buf above; /* comment lines since the last statement */
	size_t above_begin;
	const char *after; /* comment at the end of the last line */
};

/* Take the token; comments are put aside for the statements. */
void fx_parser_advance(struct fx_parser *parser);

/* Set the error, once, about SPAN; always null. */
struct fx_ast *fx_parser_fail(struct fx_parser *parser, struct fx_span span,
	const char *message);

/* Fail like fx_parser_fail, with the message "expected WHAT" at the next token.
 */
struct fx_ast *fx_parser_expected(struct fx_parser *parser, const char *what);

/* Whether the next token is WORD; take it if so; require it. */
static inline bool
fx_parser_at(const struct fx_parser *parser, const char *word)
{
	return fx_token_is(&parser->token, parser->lexer.text, word);
}
bool fx_parser_accept(struct fx_parser *parser, const char *word);
bool fx_parser_expect(struct fx_parser *parser, const char *word);

/* Whether an expression can start with the next token. */
bool fx_parser_at_operand(const struct fx_parser *parser);

/* Open a level of nesting; false with the error set when too deep. */
bool fx_parser_enter(struct fx_parser *parser);
void fx_parser_leave(struct fx_parser *parser);

/* A node of KIND from BEGIN to the end of the last token taken, with as many
 * kids as were pushed since MARK (they are popped), or with KIDS.
 */
struct fx_ast *fx_parser_node(struct fx_parser *parser, enum fx_ast_kind kind,
	size_t begin);
struct fx_ast *fx_parser_collect(struct fx_parser *parser,
	enum fx_ast_kind kind, size_t begin, size_t mark);
struct fx_ast *fx_parser_node_of(struct fx_parser *parser,
	enum fx_ast_kind kind, struct fx_ast *first, struct fx_ast *second);
void fx_parser_push(struct fx_parser *parser, struct fx_ast *kid);

/* parse_expr.c: expressions. */
struct fx_ast *fx_parse_one(struct fx_parser *parser);
struct fx_ast *fx_parse_or(struct fx_parser *parser);
/* `a, b`, of a query in braces: a or b. */
struct fx_ast *fx_parse_either(struct fx_parser *parser);

/* parse_list.c: an expression or `*a`; the same, where `a, b` and `a,` are a
 * tuple.
 */
struct fx_ast *fx_parse_item(struct fx_parser *parser);
struct fx_ast *fx_parse_list(struct fx_parser *parser);
/* Push KID; false when it is null. */
bool fx_parser_keep(struct fx_parser *parser, struct fx_ast *kid);
typedef struct fx_ast *fx_parse_fn(struct fx_parser *parser);
/* Parse items with ITEM, separated by commas, and push each.  The token CLOSE
 * has to follow and is taken.  Returns false on an error.
 */
bool fx_parse_items(struct fx_parser *parser, fx_parse_fn *item,
	const char *close);
/* What ITEM reads, or a tuple of that when a comma follows; the last comma may
 * stand before END (NULL: before what is no operand).
 */
struct fx_ast *fx_parse_tuple(struct fx_parser *parser, fx_parse_fn *item,
	const char *end);
/* The star that stands next, of KIND, with what OPERAND reads. */
struct fx_ast *fx_parse_starred(struct fx_parser *parser, enum fx_ast_kind kind,
	fx_parse_fn *operand);
/* `a=1`, `*a`; IS_ANNOTATED: `a: int = 1` too. */
struct fx_ast *fx_parse_param(struct fx_parser *parser, bool is_annotated);

/* parse_postfix.c: an operand with its attributes, calls and subscripts. */
struct fx_ast *fx_parse_postfix(struct fx_parser *parser);

/* parse_bracket.c: an operand; a list's element, where `*` alone is any size
 * in a query; `for T in I if C` after ELEMENT; a query after its brace, which
 * stands next.
 */
struct fx_ast *fx_parse_atom(struct fx_parser *parser);
struct fx_ast *fx_parse_element(struct fx_parser *parser);
struct fx_ast *fx_parse_comprehension(struct fx_parser *parser,
	struct fx_ast *element);
struct fx_ast *fx_parse_braced_query(struct fx_parser *parser, size_t begin);

/* parse_leaf.c: an operand without brackets. */
struct fx_ast *fx_parse_leaf(struct fx_parser *parser);

/* Text of the next token from byte SKIP of it, interned; the next token, taken
 * as a leaf of KIND.
 */
const char *fx_parser_text(const struct fx_parser *parser, size_t skip);
struct fx_ast *fx_parser_leaf(struct fx_parser *parser, enum fx_ast_kind kind);

/* parse_query_words.c: the bare word after `in`, and on the right of = and ~
 * when LEFT names a field of text.  Null, without an error, when the right is
 * an ordinary expression.
 */
struct fx_ast *fx_parse_scope_word(struct fx_parser *parser);
struct fx_ast *fx_parse_field_word(struct fx_parser *parser,
	const struct fx_ast *left);

/* parse_stmt.c: simple statements to the end of the line, pushed; false with
 * the error set.
 */
bool fx_parse_line(struct fx_parser *parser);
bool fx_parser_at_line_end(const struct fx_parser *parser);

/* parse_block.c: all statements, as a MODULE. */
struct fx_ast *fx_parse_statements(struct fx_parser *parser);

#endif /* FX_LANG_PARSE_PRIVATE_H */
