/* parse_leaf.c - operands without brackets: names, numbers, strings,
 * designators.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/number.h"
#include "base/str.h"
#include "base/utf8.h"
#include "lang/literal.h"
#include "lang/parse_private.h"

/* Whether a keyword stands next that no operand begins with. */
static bool
is_reserved(const struct fx_parser *parser)
{
	static const char *const operands[] = { "None", "True", "False",
		"lambda", "not" };
	size_t length = parser->token.end - parser->token.begin;
	char text[16] = "";
	bool is_operand = false;

	/* No keyword is as long as this. */
	if (length >= sizeof(text))
		return false;
	memcpy(text, parser->lexer.text + parser->token.begin, length);
	if (!fx_str_is_keyword(text))
		return false;
	for (size_t i = 0; i < FX_ARRAY_LEN(operands); i++)
		is_operand |= !strcmp(text, operands[i]);
	return !is_operand;
}

/* `<class 'int'>`: torch.fx prints the repr of what has no literal. */
static bool
at_opaque(const struct fx_parser *parser)
{
	return !(parser->flags & (FX_PARSE_DESIGNATORS | FX_PARSE_QUERY)) &&
	       fx_parser_at(parser, "<");
}

bool
fx_parser_at_operand(const struct fx_parser *parser)
{
	bool in_query = parser->flags & FX_PARSE_QUERY;
	const char *c = parser->lexer.text + parser->token.begin;

	switch (parser->token.kind) {
	case FX_TOKEN_NUMBER:
	case FX_TOKEN_STRING:
	case FX_TOKEN_NODE:
	case FX_TOKEN_POSITION:
	case FX_TOKEN_HERE:
	case FX_TOKEN_DOLLAR:
		return true;
	case FX_TOKEN_NAME:
		return !is_reserved(parser) ||
		       (in_query && (fx_parser_at(parser, "in") ||
					    fx_parser_at(parser, "pass")));
	case FX_TOKEN_OP:
		return strchr("([{-+~*", *c) || fx_parser_at(parser, "...") ||
		       at_opaque(parser);
	case FX_TOKEN_END:
	case FX_TOKEN_NEWLINE:
	case FX_TOKEN_INDENT:
	case FX_TOKEN_DEDENT:
	case FX_TOKEN_STEP:
	case FX_TOKEN_COMMENT:
	case FX_TOKEN_ERROR:
		break;
	}
	return false;
}

const char *
fx_parser_text(const struct fx_parser *parser, size_t skip)
{
	size_t begin = parser->token.begin + skip;

	return fx_intern_n(parser->lexer.text + begin,
		parser->token.end - begin);
}

struct fx_ast *
fx_parser_leaf(struct fx_parser *parser, enum fx_ast_kind kind)
{
	size_t begin = parser->token.begin;

	fx_parser_advance(parser);
	return fx_parser_node(parser, kind, begin);
}

static struct fx_ast *
parse_name(struct fx_parser *parser)
{
	bool in_query = parser->flags & FX_PARSE_QUERY;
	const char *text;
	struct fx_ast *node;

	/* `pass` is a field of queries. */
	if (is_reserved(parser) && !(in_query && fx_parser_at(parser, "pass")))
		return fx_parser_expected(parser, "a value");
	text = fx_parser_text(parser, 0);
	if (!strcmp(text, "None"))
		return fx_parser_leaf(parser, FX_AST_NONE);
	if (!strcmp(text, "True") || !strcmp(text, "False")) {
		node = fx_parser_leaf(parser, FX_AST_BOOL);
		node->integer = text[0] == 'T';
		return node;
	}
	node = fx_parser_leaf(parser, FX_AST_NAME);
	node->text = text;
	return node;
}

/* Decimal digits of a whole number of base 2, 8 or 16 too big for 64 bits.
 * Schoolbook, so the length is limited; null when it is too long or wrong.
 */
static const char *
big_based(const char *text, size_t length, int base)
{
	unsigned char digits[400] = { 0 };
	char out[400];
	size_t count = 1;
	size_t i;
	size_t k;

	for (i = 0; i < length; i++) {
		int carry = fx_number_digit(text[i], base);

		if (text[i] == '_')
			continue;
		if (carry < 0 || count > 380)
			return NULL;
		for (k = 0; k < count; k++) {
			carry += digits[k] * base;
			digits[k] = (unsigned char)(carry % 10);
			carry /= 10;
		}
		for (; carry > 0; carry /= 10)
			digits[count++] = (unsigned char)(carry % 10);
	}
	for (k = 0; k < count; k++)
		out[k] = (char)('0' + digits[count - 1 - k]);
	return fx_intern_n(out, count);
}

/* Longest whole number, as in Python. */
#define MAX_DIGITS 4300

static const char *
big_decimal(const char *text, size_t length)
{
	char out[MAX_DIGITS];
	size_t count = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		if (text[i] == '_')
			continue;
		if (text[i] < '0' || text[i] > '9' || count == MAX_DIGITS)
			return NULL;
		out[count++] = text[i];
	}
	return fx_intern_n(out, count);
}

static const char *
big_integer(const char *text, size_t length)
{
	int letter = length > 2 ? text[1] | 0x20 : 0;

	if (text[0] != '0')
		return big_decimal(text, length);
	if (letter == 'x')
		return big_based(text + 2, length - 2, 16);
	if (letter == 'o')
		return big_based(text + 2, length - 2, 8);
	if (letter == 'b')
		return big_based(text + 2, length - 2, 2);
	return NULL;
}

static struct fx_ast *
parse_number(struct fx_parser *parser)
{
	struct fx_span span = { parser->token.begin, parser->token.end };
	const char *text = parser->lexer.text + span.begin;
	size_t length = span.end - span.begin;
	struct fx_ast *node = fx_parser_leaf(parser, FX_AST_INT);
	bool imaginary = (text[length - 1] | 0x20) == 'j';
	int letter = length > 1 && text[0] == '0' ? text[1] | 0x20 : 0;
	bool based = letter == 'x' || letter == 'o' || letter == 'b';

	if (fx_number_parse_int(text, length, &node->integer))
		return node;
	if (imaginary || (!based && (memchr(text, '.', length) ||
					    memchr(text, 'e', length) ||
					    memchr(text, 'E', length)))) {
		node->kind = imaginary ? FX_AST_IMAGINARY : FX_AST_FLOAT;
		if (fx_number_parse_double(text, length - imaginary,
			    &node->real))
			return node;
	} else {
		node->integer = 0;
		node->text = big_integer(text, length);
		if (node->text)
			return node;
	}
	return fx_parser_fail(parser, span,
		length > MAX_DIGITS ? "a number of more than 4300 digits"
				    : "this is no number");
}

static bool
is_fstring(const char *text)
{
	for (; *text != '"' && *text != '\''; text++)
		if (*text == 'f' || *text == 'F')
			return true;
	return false;
}

/* Decode the string token into NODE; to TOTAL too if it is not the first. */
static bool
add_string(struct fx_parser *parser, struct fx_ast *node, struct fx_buf *total)
{
	struct fx_span span = { parser->token.begin, parser->token.end };
	const char *written = parser->lexer.text + span.begin;
	struct fx_literal literal;
	struct fx_error *err;

	err = fx_literal_string(parser->arena, written, span.end - span.begin,
		&literal);
	if (err) {
		fx_parser_fail(parser, span, fx_error_message(err));
		fx_error_free(err);
		return false;
	}
	if (node->string && literal.is_bytes != (node->kind == FX_AST_BYTES)) {
		fx_parser_fail(parser, span, "bytes and text cannot be joined");
		return false;
	}
	node->kind = literal.is_bytes ? FX_AST_BYTES : FX_AST_STRING;
	if (*written == 'r' || *written == 'R')
		node->text = fx_intern("r");
	if (node->string)
		fx_buf_add_n(total, literal.text, literal.length);
	node->string = literal.text;
	node->length = literal.length;
	return true;
}

/* The strings from BEGIN on, one of which is an f-string, as written. */
static struct fx_ast *
parse_fstring(struct fx_parser *parser, size_t begin)
{
	struct fx_ast *node;

	do
		fx_parser_advance(parser);
	while (parser->token.kind == FX_TOKEN_STRING);
	node = fx_parser_node(parser, FX_AST_FSTRING, begin);
	node->string = fx_arena_strndup(parser->arena,
		parser->lexer.text + begin, parser->end - begin);
	node->length = parser->end - begin;
	return node;
}

static struct fx_ast *
parse_string(struct fx_parser *parser)
{
	FX_AUTO_BUF struct fx_buf total = { 0 };
	size_t begin = parser->token.begin;
	struct fx_ast *node = fx_parser_node(parser, FX_AST_STRING, begin);

	if (is_fstring(parser->lexer.text + begin))
		return parse_fstring(parser, begin);
	if (!add_string(parser, node, &total))
		return NULL;
	fx_parser_advance(parser);
	if (parser->token.kind == FX_TOKEN_STRING)
		fx_buf_add_n(&total, node->string, node->length);
	while (parser->token.kind == FX_TOKEN_STRING) {
		if (is_fstring(parser->lexer.text + parser->token.begin))
			return parse_fstring(parser, begin);
		if (!add_string(parser, node, &total))
			return NULL;
		fx_parser_advance(parser);
	}
	if (total.data) {
		node->string = fx_arena_strndup(parser->arena, total.data,
			total.length);
		node->length = total.length;
	}
	node->span.end = parser->end;
	return node;
}

/* The number after SKIP bytes of the next token, with its sign. */
static bool
token_number(struct fx_parser *parser, size_t skip, int64_t *ret)
{
	struct fx_span span = { parser->token.begin, parser->token.end };
	const char *text = parser->lexer.text + span.begin + skip;
	size_t length = span.end - span.begin - skip;
	bool negative = length > 0 && *text == '-';

	*ret = 0;
	if (length > 0 && (*text == '-' || *text == '+')) {
		text++;
		length--;
	}
	while (length > 1 && *text == '0') {
		text++;
		length--;
	}
	if (length > 0 && !fx_number_parse_int(text, length, ret)) {
		fx_parser_fail(parser, span, "this number is too big");
		return false;
	}
	if (negative)
		*ret = -*ret;
	return true;
}

static struct fx_ast *
parse_numbered(struct fx_parser *parser, enum fx_ast_kind kind)
{
	struct fx_ast *node;
	int64_t number;

	if (!token_number(parser, 1, &number))
		return NULL;
	node = fx_parser_leaf(parser, kind);
	node->integer = number;
	return node;
}

/* `$` 0, `$$` -1, `$$N` -N, `$N` N; `$name` and `$_` are variables. */
static struct fx_ast *
parse_dollar(struct fx_parser *parser)
{
	const char *text = fx_parser_text(parser, 1);
	bool back = *text == '$';
	struct fx_ast *node;
	int64_t number;

	if (*text != '\0' && !strchr("$0123456789", *text)) {
		node = fx_parser_leaf(parser, FX_AST_VARIABLE);
		node->text = text;
		return node;
	}
	if (!token_number(parser, back ? 2 : 1, &number))
		return NULL;
	node = fx_parser_leaf(parser, FX_AST_HISTORY);
	if (back)
		node->integer = text[1] ? -number : -1;
	else
		node->integer = number;
	return node;
}

static struct fx_ast *
parse_opaque(struct fx_parser *parser)
{
	const char *text = parser->lexer.text;
	size_t begin = parser->token.begin;
	size_t at = begin;
	int open = 0;
	struct fx_ast *node;

	for (; at < parser->lexer.length && (unsigned char)text[at] >= ' ';
		at++) {
		if (text[at] == '<')
			open++;
		if (text[at] == '>' && --open == 0)
			break;
	}
	if (at >= parser->lexer.length || text[at] != '>' || at < begin + 2 ||
		fx_utf8_valid(text + begin, at - begin) < at - begin)
		return fx_parser_expected(parser, "a value");
	parser->lexer.at = at + 1;
	parser->lexer.operand_expected = false;
	parser->token.end = at + 1;
	node = fx_parser_leaf(parser, FX_AST_OPAQUE);
	node->text = fx_intern_n(text + begin, at + 1 - begin);
	return node;
}

struct fx_ast *
fx_parse_leaf(struct fx_parser *parser)
{
	struct fx_ast *node;
	const char *text;

	switch (parser->token.kind) {
	case FX_TOKEN_NAME:
		return parse_name(parser);
	case FX_TOKEN_NUMBER:
		return parse_number(parser);
	case FX_TOKEN_STRING:
		return parse_string(parser);
	case FX_TOKEN_NODE:
		text = fx_parser_text(parser, 1);
		node = fx_parser_leaf(parser, FX_AST_NODE);
		node->text = text;
		return node;
	case FX_TOKEN_POSITION:
		return parse_numbered(parser, FX_AST_POSITION);
	case FX_TOKEN_HERE:
		return parse_numbered(parser, FX_AST_HERE);
	case FX_TOKEN_DOLLAR:
		return parse_dollar(parser);
	case FX_TOKEN_OP:
		if (fx_parser_at(parser, "..."))
			return fx_parser_leaf(parser, FX_AST_ELLIPSIS);
		if (at_opaque(parser))
			return parse_opaque(parser);
		break;
	case FX_TOKEN_END:
	case FX_TOKEN_NEWLINE:
	case FX_TOKEN_INDENT:
	case FX_TOKEN_DEDENT:
	case FX_TOKEN_STEP:
	case FX_TOKEN_COMMENT:
	case FX_TOKEN_ERROR:
		break;
	}
	return fx_parser_expected(parser, "a value");
}
