/* parse.h - text to tree: one lexer, one recursive descent parser.
 *
 * Depth is limited to 200 levels of nesting, errors have spans.  Results live
 * in the caller's arena.
 */
#ifndef FX_LANG_PARSE_H
#define FX_LANG_PARSE_H

#include <stddef.h>

#include "base/error.h"

struct fx_arena;
struct fx_ast;

/* What the text may contain. */
enum fx_parse_flags {
	FX_PARSE_PYTHON = 0,         /* plain Python */
	FX_PARSE_DESIGNATORS = 1,    /* %name @N . $name as operands */
	FX_PARSE_QUERY = 2,          /* the words and operators of a query: = ~
				      * `in PATH`, @a:@b, [1,*,3], see query.h */
	FX_PARSE_EQUAL_COMPARES = 4, /* = means == (conditions) */
};

/* Levels of nesting that are read; more is an error. */
#define FX_PARSE_DEPTH 200

/* Part of a text: bytes BEGIN up to END of TEXT (LENGTH bytes).  Spans, columns
 * and carets are those of the whole text.
 */
struct fx_parse_range {
	const char *text;
	size_t length;
	size_t begin;
	size_t end;
};

/* Parse the expression in RANGE.  With END_RET null it must be all of the
 * range; else parse as much as is an expression and say where it stopped
 * (offset in the whole text, blanks after it not included).
 */
FX_NODISCARD struct fx_error *fx_parse_expression_in(struct fx_arena *arena,
	const struct fx_parse_range *range, unsigned flags, struct fx_ast **ret,
	size_t *end_ret);

/* Parse one expression, the whole of TEXT (LENGTH bytes).  A top-level comma
 * makes a TUPLE.
 */
FX_NODISCARD struct fx_error *fx_parse_expression(struct fx_arena *arena,
	const char *text, size_t length, unsigned flags, struct fx_ast **ret);

/* Parse a file of statements to a MODULE.  ANSI colour sequences count as
 * blanks.  On a syntax error *UNDERSTOOD_RET (may be null) has the statements
 * before it, as a MODULE, and the error has the span.
 */
FX_NODISCARD struct fx_error *fx_parse_module(struct fx_arena *arena,
	const char *text, size_t length, struct fx_ast **ret,
	struct fx_ast **understood_ret);

#endif /* FX_LANG_PARSE_H */
