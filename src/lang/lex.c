/* lex.c - the lexer.
 *
 * One pass, a token a call.  The state that matters is whether an operand can
 * start here: `%`, `@`, `.` and `$` are designators there, operators elsewhere.
 */
#include <config.h>

#include "lang/lex.h"

#include <string.h>

#include "base/compiler.h"

/* Words after which an operand can start; all other names are operands. */
static const char *const operator_words[] = { "and", "or", "not", "in", "is",
	"if", "else", "elif", "lambda", "return", "assert", "del", "raise",
	"for", "while", "import", "from", "yield", "await", "def", "class" };

/* Longest first within a first character. */
static const char *const operators[] = { "...",
	"**=", "//=", ">>=", "<<=", "!=", "==", "<=", ">=", "->", "=>",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", "**", "//", "<<",
	">>", ":=", "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "=", "<",
	">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "@" };

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static bool
is_name_char(char c)
{
	return is_name_start(c) || is_digit(c);
}

/* Byte AT of the text, NUL past its end. */
static char
byte(const struct fx_lexer *lexer, size_t at)
{
	return at < lexer->length ? lexer->text[at] : '\0';
}

/* Length of the colour sequence (ESC [ numbers letter) at AT, or 0. */
static size_t
colour_length(const struct fx_lexer *lexer, size_t at)
{
	size_t i = at + 2;

	if (byte(lexer, at) != '\033' || byte(lexer, at + 1) != '[')
		return 0;
	while (is_digit(byte(lexer, i)) || byte(lexer, i) == ';')
		i++;
	return byte(lexer, i) >= '@' && byte(lexer, i) <= '~' ? i + 1 - at : 0;
}

/* Bytes of the blank at AT: a newline is one unless lines matter here. */
static size_t
blank_length(const struct fx_lexer *lexer, size_t at)
{
	bool lines = (lexer->flags & FX_LEX_LINES) && lexer->depth == 0;
	char c = byte(lexer, at);

	if (at >= lexer->length)
		return 0;
	if (c == ' ' || c == '\t' || c == '\f' || c == '\r')
		return 1;
	if (c == '\n')
		return lines ? 0 : 1;
	if (c == '\\' && byte(lexer, at + 1) == '\n')
		return 2;
	if (c == '\\' && byte(lexer, at + 1) == '\r' &&
		byte(lexer, at + 2) == '\n')
		return 3;
	return colour_length(lexer, at);
}

static size_t
skip_blanks(const struct fx_lexer *lexer, size_t at)
{
	size_t step;

	while ((step = blank_length(lexer, at)) > 0)
		at += step;
	return at;
}

/* What some editors begin a file with says that it is UTF-8. */
static size_t
skip_mark(const struct fx_lexer *lexer, size_t at)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t size = strlen(mark);

	return at == 0 && lexer->length >= size &&
			       !memcmp(lexer->text, mark, size)
		       ? size
		       : at;
}

void
fx_lexer_init(struct fx_lexer *lexer, const char *text, size_t length,
	unsigned flags)
{
	lexer->text = text;
	lexer->length = length;
	lexer->at = 0;
	lexer->flags = flags;
	lexer->depth = 0;
	lexer->operand_expected = true;
	lexer->after_dot = false;
	lexer->at_line_start = (flags & FX_LEX_LINES) != 0;
	lexer->indent_count = 0;
	lexer->pending_dedents = 0;
}

/* Take the bytes up to END as a token of KIND. */
static struct fx_token
take(struct fx_lexer *lexer, enum fx_token_kind kind, size_t end)
{
	struct fx_token token = {
		.kind = kind, .begin = lexer->at, .end = end
	};

	lexer->at = end;
	return token;
}

static struct fx_token
fail(struct fx_lexer *lexer, size_t end, const char *message)
{
	struct fx_token token = take(lexer, FX_TOKEN_ERROR, end);

	token.message = message;
	return token;
}

static size_t
comment_end(const struct fx_lexer *lexer, size_t at)
{
	const char *newline =
		memchr(lexer->text + at, '\n', lexer->length - at);

	return newline ? (size_t)(newline - lexer->text) : lexer->length;
}

/* Measure the indentation at AT; *END_RET is where the line's text begins.
 * Colour sequences have no width.
 */
static size_t
measure_indent(const struct fx_lexer *lexer, size_t at, size_t *end_ret)
{
	size_t width = 0;

	for (;;) {
		char c = byte(lexer, at);
		size_t colour = colour_length(lexer, at);

		if (colour > 0)
			at += colour - 1;
		else if (c == ' ')
			width++;
		else if (c == '\t')
			width += 8 - width % 8;
		else if (c == '\f')
			width = 0;
		else if (c != '\r')
			break;
		at++;
	}
	*end_ret = at;
	return width;
}

static struct fx_token
indent_to(struct fx_lexer *lexer, size_t width)
{
	size_t *indents = lexer->indents;

	if (width > indents[lexer->indent_count - 1]) {
		if (lexer->indent_count == FX_ARRAY_LEN(lexer->indents))
			return fail(lexer, lexer->at,
				"too many levels of indentation");
		indents[lexer->indent_count++] = width;
		return take(lexer, FX_TOKEN_INDENT, lexer->at);
	}
	while (lexer->indent_count > 1 &&
		width < indents[lexer->indent_count - 1]) {
		lexer->indent_count--;
		lexer->pending_dedents++;
	}
	if (width != indents[lexer->indent_count - 1]) {
		lexer->pending_dedents = 0;
		indents[lexer->indent_count - 1] = width;
		return fail(lexer, lexer->at,
			"this indentation matches no outer line");
	}
	lexer->pending_dedents--;
	return take(lexer, FX_TOKEN_DEDENT, lexer->at);
}

/* At the start of a line: pass empty ones and comments.  True when *RET is
 * the token: a comment, a change of indentation, or the end.
 */
static bool
begin_line(struct fx_lexer *lexer, struct fx_token *ret)
{
	size_t width;
	size_t at;

	for (;;) {
		width = measure_indent(lexer, lexer->at, &at);
		lexer->at = at;
		if (byte(lexer, at) == '#') {
			size_t end = comment_end(lexer, at);

			if (lexer->flags & FX_LEX_COMMENTS) {
				*ret = take(lexer, FX_TOKEN_COMMENT, end);
				return true;
			}
			lexer->at = end;
		} else if (byte(lexer, at) == '\n' && at < lexer->length) {
			lexer->at = at + 1;
		} else {
			break;
		}
	}
	if (at >= lexer->length)
		return false;
	lexer->at_line_start = false;
	if (lexer->indent_count == 0) {
		lexer->indents[lexer->indent_count++] = width;
		return false;
	}
	if (width == lexer->indents[lexer->indent_count - 1])
		return false;
	*ret = indent_to(lexer, width);
	return true;
}

static struct fx_token
end_of_text(struct fx_lexer *lexer)
{
	if (!(lexer->flags & FX_LEX_LINES) || lexer->depth > 0)
		return take(lexer, FX_TOKEN_END, lexer->length);
	if (!lexer->at_line_start) {
		lexer->at_line_start = true;
		return take(lexer, FX_TOKEN_NEWLINE, lexer->length);
	}
	if (lexer->indent_count > 1) {
		lexer->indent_count--;
		return take(lexer, FX_TOKEN_DEDENT, lexer->length);
	}
	return take(lexer, FX_TOKEN_END, lexer->length);
}

/* Whether a string literal starts at AT: up to two prefix letters, a quote.
 * *QUOTE_RET is the offset of the quote.
 */
static bool
starts_string(const struct fx_lexer *lexer, size_t at, size_t *quote_ret)
{
	size_t i = at;

	while (i < at + 2 && byte(lexer, i) != '\0' &&
		strchr("rRbBuUfF", byte(lexer, i)))
		i++;
	*quote_ret = i;
	return byte(lexer, i) == '"' || byte(lexer, i) == '\'';
}

static struct fx_token
lex_string(struct fx_lexer *lexer, size_t quote)
{
	char mark = byte(lexer, quote);
	bool triple = byte(lexer, quote + 1) == mark &&
		      byte(lexer, quote + 2) == mark;
	size_t at = quote + (triple ? 3 : 1);

	for (; at < lexer->length; at++) {
		char c = lexer->text[at];

		if (c == '\\') {
			at++;
		} else if (c == '\n' && !triple) {
			break;
		} else if (c == mark && !triple) {
			return take(lexer, FX_TOKEN_STRING, at + 1);
		} else if (c == mark && byte(lexer, at + 1) == mark &&
			   byte(lexer, at + 2) == mark) {
			return take(lexer, FX_TOKEN_STRING, at + 3);
		}
	}
	return fail(lexer, FX_MIN(at, lexer->length),
		"the string is not closed");
}

static size_t
skip_digits(const struct fx_lexer *lexer, size_t at)
{
	while (is_digit(byte(lexer, at)) ||
		(byte(lexer, at) == '_' && is_digit(byte(lexer, at + 1))))
		at++;
	return at;
}

/* Offset after the number at the current place; only its extent matters here,
 * the parser converts it.
 */
static size_t
number_end(const struct fx_lexer *lexer)
{
	size_t at = lexer->at;
	char second = byte(lexer, at + 1);

	if (byte(lexer, at) == '0' && second != '\0' &&
		strchr("xXoObB", second)) {
		at += 2;
		while (is_name_char(byte(lexer, at)))
			at++;
		return at;
	}
	at = skip_digits(lexer, at);
	if (byte(lexer, at) == '.')
		at = skip_digits(lexer, at + 1);
	if (byte(lexer, at) == 'e' || byte(lexer, at) == 'E') {
		size_t digits = at + 1;

		if (byte(lexer, digits) == '+' || byte(lexer, digits) == '-')
			digits++;
		if (is_digit(byte(lexer, digits)))
			at = skip_digits(lexer, digits);
	}
	if (byte(lexer, at) == 'j' || byte(lexer, at) == 'J')
		at++;
	return at;
}

static struct fx_token
lex_number(struct fx_lexer *lexer)
{
	size_t end = number_end(lexer);

	if (is_name_start(byte(lexer, end))) {
		while (is_name_char(byte(lexer, end)))
			end++;
		return fail(lexer, end, "this is no number");
	}
	lexer->operand_expected = false;
	return take(lexer, FX_TOKEN_NUMBER, end);
}

static struct fx_token
lex_name(struct fx_lexer *lexer, enum fx_token_kind kind, size_t at)
{
	struct fx_token token;
	size_t i;

	while (is_name_char(byte(lexer, at)))
		at++;
	token = take(lexer, kind, at);
	lexer->operand_expected = false;
	if (kind != FX_TOKEN_NAME)
		return token;
	for (i = 0; i < FX_ARRAY_LEN(operator_words); i++)
		if (fx_token_is(&token, lexer->text, operator_words[i]))
			lexer->operand_expected = true;
	return token;
}

/* `.`, `.-1`, `.+3`: the signed digits belong to it only without blanks. */
static struct fx_token
lex_here(struct fx_lexer *lexer)
{
	size_t at = lexer->at + 1;
	char sign = byte(lexer, at);

	if ((sign == '-' || sign == '+') && is_digit(byte(lexer, at + 1)))
		for (at++; is_digit(byte(lexer, at)); at++)
			;
	return take(lexer, FX_TOKEN_HERE, at);
}

static struct fx_token
lex_dollar(struct fx_lexer *lexer)
{
	size_t at = lexer->at + 1;

	if (byte(lexer, at) == '$')
		at++;
	else if (is_name_start(byte(lexer, at)))
		return lex_name(lexer, FX_TOKEN_DOLLAR, at);
	while (is_digit(byte(lexer, at)))
		at++;
	return take(lexer, FX_TOKEN_DOLLAR, at);
}

/* A designator where an operand can start.  False when none stands here. */
static bool
lex_designator(struct fx_lexer *lexer, struct fx_token *ret)
{
	size_t at = lexer->at;
	char c = byte(lexer, at);
	char next = byte(lexer, at + 1);

	if (c == '%' && is_name_start(next)) {
		*ret = lex_name(lexer, FX_TOKEN_NODE, at + 1);
	} else if (c == '@' && is_digit(next)) {
		*ret = take(lexer, FX_TOKEN_POSITION,
			skip_digits(lexer, at + 1));
	} else if (c == '.') {
		*ret = lex_here(lexer);
	} else if (c == '$') {
		*ret = lex_dollar(lexer);
	} else {
		return false;
	}
	lexer->operand_expected = false;
	return true;
}

static struct fx_token
lex_operator(struct fx_lexer *lexer)
{
	size_t left = lexer->length - lexer->at;
	const char *at = lexer->text + lexer->at;
	bool ended = !lexer->operand_expected;
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(operators); i++) {
		size_t length;

		/* `...` is one word only where an operand can start. */
		if (operators[i][0] != *at || (ended && i == 0))
			continue;
		length = strlen(operators[i]);
		if (length <= left && !memcmp(at, operators[i], length))
			break;
	}
	if (i == FX_ARRAY_LEN(operators))
		return fail(lexer, lexer->at + 1,
			"this character has no meaning here");
	if (strchr("([{", *at))
		lexer->depth++;
	if (strchr(")]}", *at) && lexer->depth > 0)
		lexer->depth--;
	lexer->after_dot = operators[i][0] == '.' && !operators[i][1];
	lexer->operand_expected = i != 0 && !strchr(")]}", *at);
	return take(lexer, FX_TOKEN_OP, lexer->at + strlen(operators[i]));
}

static bool
starts_comment(const struct fx_lexer *lexer, bool space)
{
	if (byte(lexer, lexer->at) != '#')
		return false;
	return !(lexer->flags & FX_LEX_DESIGNATORS) || space || lexer->at == 0;
}

/* The token at the current place, which is no blank. */
static struct fx_token
lex_here_now(struct fx_lexer *lexer)
{
	struct fx_token token;
	char c = byte(lexer, lexer->at);
	char next = byte(lexer, lexer->at + 1);
	bool dotted = lexer->after_dot;
	size_t quote;

	lexer->after_dot = false;
	if (c == '\n') {
		lexer->at_line_start = true;
		lexer->operand_expected = true;
		return take(lexer, FX_TOKEN_NEWLINE, lexer->at + 1);
	}
	if (dotted && is_name_char(c))
		return lex_name(lexer, FX_TOKEN_STEP, lexer->at);
	if (starts_string(lexer, lexer->at, &quote)) {
		lexer->operand_expected = false;
		return lex_string(lexer, quote);
	}
	if (is_name_start(c))
		return lex_name(lexer, FX_TOKEN_NAME, lexer->at);
	if (is_digit(c))
		return lex_number(lexer);
	if (!lexer->operand_expected)
		return lex_operator(lexer);
	if (c == '.' && is_digit(next))
		return lex_number(lexer);
	if (c == '.' && next == '.' && byte(lexer, lexer->at + 2) == '.')
		return lex_operator(lexer);
	if ((lexer->flags & FX_LEX_DESIGNATORS) &&
		lex_designator(lexer, &token))
		return token;
	return lex_operator(lexer);
}

struct fx_token
fx_lexer_next(struct fx_lexer *lexer)
{
	struct fx_token token;
	size_t begin = lexer->at;

	if (lexer->pending_dedents > 0) {
		lexer->pending_dedents--;
		return take(lexer, FX_TOKEN_DEDENT, lexer->at);
	}
	lexer->at = skip_mark(lexer, lexer->at);
	if (lexer->at_line_start && lexer->depth == 0 &&
		begin_line(lexer, &token))
		return token;
	for (;;) {
		lexer->at = skip_blanks(lexer, lexer->at);
		if (!starts_comment(lexer, lexer->at > begin))
			break;
		if (lexer->flags & FX_LEX_COMMENTS)
			return take(lexer, FX_TOKEN_COMMENT,
				comment_end(lexer, lexer->at));
		lexer->at = comment_end(lexer, lexer->at);
	}
	if (lexer->at >= lexer->length) {
		token = end_of_text(lexer);
	} else {
		size_t at = lexer->at;

		token = lex_here_now(lexer);
		token.space_before = at > begin;
	}
	return token;
}

char
fx_lexer_peek(const struct fx_lexer *lexer)
{
	return byte(lexer, skip_blanks(lexer, lexer->at));
}

struct fx_token
fx_lexer_word(struct fx_lexer *lexer)
{
	size_t end;

	lexer->at = skip_blanks(lexer, lexer->at);
	end = lexer->at;
	while (end < lexer->length && (unsigned char)lexer->text[end] > ' ' &&
		!strchr("()[]{},\"'<>=~!#;", lexer->text[end]))
		end++;
	lexer->operand_expected = false;
	lexer->after_dot = false;
	return take(lexer, FX_TOKEN_STRING, end);
}

bool
fx_token_equals(const struct fx_token *token, const char *text,
	const char *word)
{
	size_t length = token->end - token->begin;

	return !strncmp(text + token->begin, word, length) && !word[length];
}
