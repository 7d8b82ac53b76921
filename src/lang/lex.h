/* lex.h - text to tokens: Python's, and the debugger's designators.
 *
 * Used by the parser and by the command line (commands/shell/line), which needs
 * the same idea of brackets, strings and of "an operand can start here".
 */
#ifndef FX_LANG_LEX_H
#define FX_LANG_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum fx_token_kind {
	FX_TOKEN_END,
	FX_TOKEN_NEWLINE, /* end of a logical line; only when lines matter */
	FX_TOKEN_INDENT,
	FX_TOKEN_DEDENT,
	FX_TOKEN_NAME,     /* keywords too: the parser compares text */
	FX_TOKEN_NUMBER,   /* int, float, imaginary as written */
	FX_TOKEN_STRING,   /* with prefix and quotes as written */
	FX_TOKEN_NODE,     /* %name */
	FX_TOKEN_POSITION, /* @12 */
	FX_TOKEN_HERE,     /* . .-1 .+3 */
	FX_TOKEN_DOLLAR,   /* $ $$ $3 $name $_ */
	FX_TOKEN_STEP,     /* the step after an access dot: layer1.0.conv1 */
	FX_TOKEN_OP,       /* operator or delimiter, longest match */
	FX_TOKEN_COMMENT,  /* only when asked for */
	FX_TOKEN_ERROR,
};

struct fx_token {
	enum fx_token_kind kind;
	size_t begin;
	size_t end;
	bool space_before;   /* blanks (or colour sequences) stand before it */
	const char *message; /* ERROR: static text saying what is wrong */
};

enum fx_lex_flags {
	FX_LEX_DESIGNATORS = 1, /* %name @N . $name where an operand starts */
	FX_LEX_LINES = 2,       /* NEWLINE, INDENT, DEDENT */
	FX_LEX_COMMENTS = 4,    /* COMMENT tokens instead of skipping them */
};

struct fx_lexer {
	const char *text;
	size_t length;
	size_t at;
	unsigned flags;
	int depth;             /* open brackets */
	bool operand_expected; /* no operand just ended */
	bool after_dot;        /* an access dot was the last token */
	bool at_line_start;
	size_t indents[100]; /* FX_LEX_LINES: open indentation widths */
	int indent_count;
	int pending_dedents;
};

void fx_lexer_init(struct fx_lexer *lexer, const char *text, size_t length,
	unsigned flags);

/* The next token; END for ever at the end.  An ERROR token takes at least one
 * byte, or is about the indentation of its line, which is read once: a loop
 * over tokens ends.
 */
struct fx_token fx_lexer_next(struct fx_lexer *lexer);

/* The next byte that is neither a blank nor part of a colour sequence, without
 * taking it; '\0' at the end.
 */
char fx_lexer_peek(const struct fx_lexer *lexer);

/* Take the bare word of a query that stands next (target=torch.relu): all up
 * to a blank, a bracket, a comma, a quote or a comparison.  Kind STRING, empty
 * when there is none.
 */
struct fx_token fx_lexer_word(struct fx_lexer *lexer);

/* Whether TOKEN of TEXT is exactly the WORD or operator.  Asked several times
 * a token, so the first byte decides inline.
 */
bool fx_token_equals(const struct fx_token *token, const char *text,
	const char *word);

static inline bool
fx_token_is(const struct fx_token *token, const char *text, const char *word)
{
	return (token->kind == FX_TOKEN_NAME || token->kind == FX_TOKEN_OP) &&
	       text[token->begin] == word[0] &&
	       fx_token_equals(token, text, word);
}

#endif /* FX_LANG_LEX_H */
