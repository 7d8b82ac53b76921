/* eval_match.c - words, globs, regular expressions and shapes of queries.
 *
 * Regular expressions are the C library's extended ones, with what could cost
 * without limit refused before compiling: length, back references and large
 * repetitions.  \d and \D are rewritten, as Python's are not known there.
 */
#include <config.h>

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"
#include "lang/query.h"
#include "run/eval_private.h"

#define REGEX_LENGTH_LIMIT     500
#define REGEX_REPETITION_LIMIT 2000

enum matcher_kind {
	MATCH_EQUAL,
	MATCH_CONTAINS, /* ~ without any wildcard */
	MATCH_GLOB,
	MATCH_REGEX,
};

struct fx_matcher {
	enum matcher_kind kind;
	const char *text;
	regex_t regex; /* REGEX */
};

/* Whether the product of all repetition counts, which bounds what the compiled
 * automaton may grow to, is within the limit.
 */
static bool
is_affordable(const char *pattern)
{
	uint64_t product = 1;

	for (const char *c = pattern; *c; c++) {
		uint64_t count = 0;
		uint64_t most = 1;

		if (*c == '\\' && c[1]) {
			c++;
			continue;
		}
		if (*c != '{')
			continue;
		for (c++; *c && *c != '}'; c++) {
			count = isdigit((unsigned char)*c)
					? count * 10 + (uint64_t)(*c - '0')
					: 0;
			if (count > REGEX_REPETITION_LIMIT)
				return false;
			most = FX_MAX(most, count);
		}
		product *= most;
		if (product > REGEX_REPETITION_LIMIT)
			return false;
		if (!*c)
			break;
	}
	return true;
}

static struct fx_error *
bad_regex(const char *pattern, const char *why)
{
	return fx_error_new(FX_ERR_SYNTAX,
		"query: regular expression r\"%s\": "
		"%s",
		pattern, why);
}

/* Python's spelling as the C library's. */
static struct fx_error *
translate(const char *pattern, struct fx_buf *out)
{
	if (strlen(pattern) > REGEX_LENGTH_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"query: the regular expression is longer than %d",
			REGEX_LENGTH_LIMIT);
	if (!is_affordable(pattern))
		return fx_error_new(FX_ERR_LIMIT,
			"query: the regular expression repeats more than %d "
			"times",
			REGEX_REPETITION_LIMIT);
	if (strstr(pattern, "(?"))
		return bad_regex(pattern, "\"(?\" is not supported");
	for (const char *c = pattern; *c; c++) {
		if (*c != '\\' || !c[1]) {
			fx_buf_add_char(out, *c);
			continue;
		}
		c++;
		if (isdigit((unsigned char)*c))
			return bad_regex(pattern,
				"back references are not supported");
		if (*c == 'd')
			fx_buf_add(out, "[0-9]");
		else if (*c == 'D')
			fx_buf_add(out, "[^0-9]");
		else
			fx_buf_addf(out, "\\%c", *c);
	}
	return NULL;
}

static struct fx_error *
compile(struct fx_matcher *matcher, const char *pattern)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err = translate(pattern, &text);
	char why[200];
	int code;

	if (err)
		return err;
	code = regcomp(&matcher->regex, fx_buf_text(&text),
		REG_EXTENDED | REG_NOSUB);
	if (!code)
		return NULL;
	regerror(code, NULL, why, sizeof(why));
	return bad_regex(pattern, why);
}

struct fx_error *
fx_matcher_new(const struct fx_query *query, struct fx_matcher **ret)
{
	struct fx_matcher *matcher = FX_NEW(struct fx_matcher);
	struct fx_error *err;

	matcher->text = query->text;
	*ret = matcher;
	if (query->op != FX_AST_MATCHES)
		matcher->kind = MATCH_EQUAL;
	else if (!query->is_regex)
		matcher->kind = strpbrk(query->text, "*?[") ? MATCH_GLOB
							    : MATCH_CONTAINS;
	else
		matcher->kind = MATCH_REGEX;
	if (matcher->kind != MATCH_REGEX)
		return NULL;
	err = compile(matcher, query->text);
	if (err) {
		free(matcher);
		*ret = NULL;
	}
	return err;
}

void
fx_matcher_free(struct fx_matcher *matcher)
{
	if (!matcher)
		return;
	if (matcher->kind == MATCH_REGEX)
		regfree(&matcher->regex);
	free(matcher);
}

bool
fx_matcher_test(const struct fx_matcher *matcher, const char *text)
{
	switch (matcher->kind) {
	case MATCH_EQUAL:
		return fx_str_equal(matcher->text, text);
	case MATCH_CONTAINS:
		return strstr(text, matcher->text) != NULL;
	case MATCH_GLOB:
		return fx_str_glob(matcher->text, text);
	case MATCH_REGEX:
		break;
	}
	return regexec(&matcher->regex, text, 0, NULL, 0) == 0;
}

/* --- shapes ------------------------------------------------------------- */

/* One size: any, a number, the name of a symbol. */
static bool
match_size(const struct fx_ast *pattern, struct fx_value size)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (pattern->kind == FX_AST_NAME && fx_str_equal(pattern->text, "*"))
		return true;
	if (pattern->kind == FX_AST_INT && !pattern->text)
		return size.kind == FX_VALUE_INT &&
		       size.integer == pattern->integer;
	if (pattern->kind != FX_AST_NAME || size.kind != FX_VALUE_SYMBOL)
		return false;
	fx_size_print(&text, size);
	return fx_str_equal(fx_buf_text(&text), pattern->text);
}

static bool
match_tensor(const struct fx_ast *pattern, const struct fx_tensor_meta *meta)
{
	if (!meta->has_shape || meta->rank != pattern->kid_count)
		return false;
	for (uint32_t i = 0; i < meta->rank; i++)
		if (!match_size(pattern->kids[i], meta->sizes[i]))
			return false;
	return true;
}

bool
fx_match_shape(const struct fx_ast *pattern, const struct fx_value *meta)
{
	if (!meta)
		return false;
	if (meta->kind == FX_VALUE_TENSOR)
		return match_tensor(pattern, meta->tensor);
	if (!fx_value_is_sequence(meta))
		return false;
	for (size_t i = 0; i < fx_value_item_count(meta); i++)
		if (fx_match_shape(pattern, &meta->items[i]))
			return true;
	return false;
}
