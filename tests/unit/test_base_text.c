/* test_base_text.c - strings, UTF-8, spans, JSON. */
#include <config.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/span.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tests/support/unit.h"

static void
starts_ends_and_equal(void)
{
	CU_ASSERT(fx_str_starts("relu_1", "relu"));
	CU_ASSERT(fx_str_starts("a", ""));
	CU_ASSERT_FALSE(fx_str_starts("re", "relu"));
	CU_ASSERT(fx_str_ends("a.fxg", ".fxg"));
	CU_ASSERT_FALSE(fx_str_ends("fxg", ".fxg"));
	CU_ASSERT(fx_str_is_below("layer1.0", "layer1"));
	CU_ASSERT(fx_str_is_below("layer1", "layer1"));
	CU_ASSERT(fx_str_is_below("layer1", ""));
	CU_ASSERT_FALSE(fx_str_is_below("layer10", "layer1"));
	CU_ASSERT_FALSE(fx_str_is_below("layer1", "layer1.0"));
	FXT_SAME(fx_str_next_line("a\nb"), "b");
	FXT_SAME(fx_str_next_line("a"), "");
	CU_ASSERT(fx_str_equal(NULL, NULL));
	CU_ASSERT_FALSE(fx_str_equal(NULL, ""));
	CU_ASSERT(fx_str_equal("a", "a"));
}

static void
words_are_found_whole(void)
{
	CU_ASSERT(fx_str_has_word("add iadd", ' ', "iadd", 4));
	CU_ASSERT(fx_str_has_word("add iadd", ' ', "additive", 3));
	CU_ASSERT_FALSE(fx_str_has_word("add iadd", ' ', "ad", 2));
	CU_ASSERT_FALSE(fx_str_has_word("add iadd", ' ', "add iadd", 8));
	CU_ASSERT(fx_str_is_choice("auto|on|off", "off"));
	CU_ASSERT_FALSE(fx_str_is_choice("auto|on||off", ""));
	CU_ASSERT_FALSE(fx_str_is_choice("", "off"));
}

static void
identifiers_keywords_and_builtins(void)
{
	CU_ASSERT(fx_str_is_identifier("_a1"));
	CU_ASSERT(fx_str_is_identifier("class"));
	CU_ASSERT_FALSE(fx_str_is_identifier(""));
	CU_ASSERT_FALSE(fx_str_is_identifier("1a"));
	CU_ASSERT_FALSE(fx_str_is_identifier("a.b"));
	CU_ASSERT_FALSE(fx_str_is_identifier("a b"));
	CU_ASSERT(fx_str_is_keyword("False"));
	CU_ASSERT(fx_str_is_keyword("yield"));
	CU_ASSERT_FALSE(fx_str_is_keyword("match"));
	CU_ASSERT(fx_str_is_builtin("ArithmeticError"));
	CU_ASSERT(fx_str_is_builtin("zip"));
	CU_ASSERT(fx_str_is_builtin("__import__"));
	CU_ASSERT_FALSE(fx_str_is_builtin("copyright"));
	CU_ASSERT_FALSE(fx_str_is_builtin("relu"));
}

static void
names_agree_with_python(void)
{
	FILE *python;
	char word[64];
	char kind;
	int count = 0;

	if (access("/usr/bin/python3", X_OK) != 0)
		FXT_SKIP("no /usr/bin/python3");
	python = popen("/usr/bin/python3 -I -S -c '"
		       "import builtins, keyword\n"
		       "for w in dir(builtins): print(\"b\", w)\n"
		       "for w in keyword.kwlist: print(\"k\", w)'",
		"r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(python);
	while (fscanf(python, " %c %63s", &kind, word) == 2) {
		count++;
		if (!(kind == 'b' ? fx_str_is_builtin(word)
				  : fx_str_is_keyword(word))) {
			fxt_same(word, "known");
			CU_FAIL("a name is missing");
		}
	}
	pclose(python);
	FXT_IS(count, >, 150);
}

static void
globs_match_whole_texts(void)
{
	static const struct {
		const char *pattern;
		const char *text;
		bool matches;
	} rows[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "*", "", true },
		{ "*", "abc", true },
		{ "a*c", "abc", true },
		{ "a*c", "abcd", false },
		{ "layer?.relu", "layer1.relu", true },
		{ "layer?.relu", "layer.relu", false },
		{ "*.conv[12]", "layer1.0.conv2", true },
		{ "*.conv[12]", "layer1.0.conv3", false },
		{ "[!0-9]*", "a1", true },
		{ "[!0-9]*", "1a", false },
		{ "[a-c]x", "bx", true },
		{ "[]]", "]", true },
		{ "[a", "[a", true },
		{ "[a", "a", false },
		{ "[a-]", "-", true },
		{ "**a**b", "xaxxb", true },
		{ "?", "\xc3\xa9", true },
		{ "[\xc3\xa0-\xc3\xaf]", "\xc3\xa9", true },
		{ "\xff", "\xff", true },
		{ "\xff", "\xfe", false },
		{ "\xef\xbf\xbd", "\xff", false },
		{ "a?", "a\xff", true },
	};

	for (size_t i = 0; i < FX_ARRAY_LEN(rows); i++)
		if (fx_str_glob(rows[i].pattern, rows[i].text) !=
			rows[i].matches) {
			fxt_same(rows[i].pattern, rows[i].text);
			CU_FAIL("wrong verdict");
		}
}

static void
a_nasty_glob_ends_soon(void)
{
	char text[5001];

	memset(text, 'a', 5000);
	text[5000] = '\0';
	CU_ASSERT_FALSE(fx_str_glob("*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

static void
distance_counts_edits(void)
{
	char text[3001];

	FXT_EQ(fx_str_distance("", ""), 0);
	FXT_EQ(fx_str_distance("", "abc"), 3);
	FXT_EQ(fx_str_distance("relu", "relu"), 0);
	FXT_EQ(fx_str_distance("relu_1", "relu_9"), 1);
	FXT_EQ(fx_str_distance("rleu", "relu"), 1);
	FXT_EQ(fx_str_distance("kitten", "sitting"), 3);
	FXT_EQ(fx_str_distance("ca", "abc"), 3);
	FXT_EQ(fx_str_distance("abc", "ca"), 3);
	memset(text, 'a', 3000);
	text[3000] = '\0';
	FXT_IS(fx_str_distance(text, "b"), >, 2000);
}

static bool
nearest_are(const char *wanted, const char *expected)
{
	static const char *const names[] = { "conv1", "relu", "relu_1",
		"relu_2", "relu_3", "relu", "maxpool", "Flatten", "relu_10" };
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct fx_nearest nearest;

	fx_nearest_init(&nearest, wanted);
	for (size_t i = 0; i < FX_ARRAY_LEN(names); i++)
		fx_nearest_offer(&nearest, names[i]);
	fx_nearest_print(&nearest, &buf);
	return fxt_same(fx_buf_text(&buf), expected);
}

static void
nearest_names_come_in_order_and_far_ones_not_at_all(void)
{
	CU_ASSERT(nearest_are("relu_9", "relu_1, relu_2, relu_3"));
	CU_ASSERT(nearest_are("rleu", "relu"));
	CU_ASSERT(nearest_are("flatten", "Flatten"));
	CU_ASSERT(nearest_are("embedding", ""));
	CU_ASSERT(nearest_are("relu_10", "relu_10, relu_1, relu_2"));
	CU_ASSERT(nearest_are("", ""));
}

static bool
repr_is(const char *text, size_t length, const char *expected)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	fx_str_python_repr(&buf, text, length);
	return fxt_same(fx_buf_text(&buf), expected);
}

static void
texts_are_quoted_as_python_does(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	CU_ASSERT(repr_is("", 0, "''"));
	CU_ASSERT(repr_is("a", 1, "'a'"));
	CU_ASSERT(repr_is("it's", 4, "\"it's\""));
	CU_ASSERT(repr_is("'\"", 2, "'\\'\"'"));
	CU_ASSERT(repr_is("a\nb\t\\", 5, "'a\\nb\\t\\\\'"));
	CU_ASSERT(repr_is("\0\x7f", 2, "'\\x00\\x7f'"));
	CU_ASSERT(repr_is("\xc3\xa9\xc2\xa0", 4, "'\xc3\xa9\\xa0'"));
	CU_ASSERT(repr_is("\xe2\x80\xa8", 3, "'\\u2028'"));
	CU_ASSERT(repr_is("\xf3\xa0\x80\x81", 4, "'\\U000e0001'"));
	CU_ASSERT(repr_is("\xff", 1, "'\\udcff'"));
	fx_str_python_bytes(&buf, "a'\n\xff\0", 5);
	FXT_SAME(fx_buf_text(&buf), "b\"a'\\n\\xff\\x00\"");
}

/* Every code point that Python knows is either shown or escaped, as it decides;
 * what a newer Unicode than Python's assigns is not compared.
 */
static void
printable_agrees_with_python(void)
{
	FILE *python;
	int wrong = 0;
	int answer;

	if (access("/usr/bin/python3", X_OK) != 0)
		FXT_SKIP("no /usr/bin/python3");
	python = popen("/usr/bin/python3 -I -S -c 'import unicodedata as u; "
		       "print(\"\".join(\"?\" if u.category(chr(c)) == \"Cn\" "
		       "else str(int(chr(c).isprintable())) "
		       "for c in range(0x110000)), end=\"\")'",
		"r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(python);
	for (uint32_t code = 0; code < 0x110000; code++) {
		answer = fgetc(python);
		wrong += answer != '?' &&
			 fx_utf8_is_printable(code) != (answer == '1');
	}
	pclose(python);
	FXT_EQ(wrong, 0);
}

static void
every_code_point_survives_encoding(void)
{
	char bytes[4];
	uint32_t back;
	int wrong = 0;

	for (uint32_t code = 0; code < 0x110000; code++) {
		size_t size = fx_utf8_encode(code, bytes);
		size_t used = fx_utf8_decode(bytes, size, &back);

		if (code >= 0xd800 && code <= 0xdfff)
			wrong += back != 0xfffd || used != 1;
		else
			wrong += back != code || used != size;
	}
	FXT_EQ(wrong, 0);
}

static void
bad_utf8_is_found(void)
{
	static const char *const bad[] = { "\x80", "\xc0\x80", "\xc1\xbf",
		"\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
		"\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3", "\xe2\x82",
		"\xc3(", "\xff" };
	char text[16];

	for (size_t i = 0; i < FX_ARRAY_LEN(bad); i++) {
		snprintf(text, sizeof(text), "ab%s", bad[i]);
		FXT_EQ(fx_utf8_valid(text, strlen(text)), 2);
	}
	FXT_EQ(fx_utf8_valid("a\xef\xbf\xbd\xf0\x9f\x98\x80", 8), 8);
}

static void
widths_are_those_of_a_terminal(void)
{
	FXT_EQ(fx_utf8_width('a'), 1);
	FXT_EQ(fx_utf8_width('\n'), 0);
	FXT_EQ(fx_utf8_width(0x301), 0);
	FXT_EQ(fx_utf8_width(0x200b), 0);
	FXT_EQ(fx_utf8_width(0xad), 1);
	FXT_EQ(fx_utf8_width(0x93e), 1);
	FXT_EQ(fx_utf8_width(0x1161), 0);
	FXT_EQ(fx_utf8_width(0x2502), 1);
	FXT_EQ(fx_utf8_width(0x25cf), 1);
	FXT_EQ(fx_utf8_width(0x4e2d), 2);
	FXT_EQ(fx_utf8_width(0xac00), 2);
	FXT_EQ(fx_utf8_width(0x1f600), 2);
	FXT_EQ(fx_utf8_width(0x20001), 2);
	FXT_EQ(fx_utf8_width(0xff21), 2);
	FXT_EQ(fx_utf8_text_width("a\xe4\xb8\xad", 4), 3);
	FXT_EQ(fx_utf8_fit("a\xe4\xb8\xad z", 6, 2), 1);
	FXT_EQ(fx_utf8_fit("a\xe4\xb8\xad z", 6, 3), 4);
	FXT_EQ(fx_utf8_fit("ae\xcc\x81 z", 6, 2), 4);
}

static void
what_disturbs_a_terminal_is_made_visible(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	static const char text[] =
		"a\n\t\x1b[31m\x80\xc2\x9b\xe2\x80\xae\xe2\x80\x8f\xc3\xa9";

	fx_utf8_add_visible(&buf, text, sizeof(text) - 1);
	FXT_SAME(fx_buf_text(&buf),
		"a\\n\\t\\x1b[31m\\x80\\x9b\\u202e\\u200f\xc3\xa9");
}

static bool
caret_is(const char *text, size_t begin, size_t end, const char *expected)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	fx_span_print(&buf, text, (struct fx_span){ begin, end }, 2);
	return fxt_same(fx_buf_text(&buf), expected);
}

static void
carets_stand_below_the_span(void)
{
	CU_ASSERT(caret_is("a + * b", 4, 5, "  a + * b\n      ^\n"));
	CU_ASSERT(caret_is("x = 1\nfoo bar\nz", 10, 13,
		"  foo bar\n      ^^^\n"));
	CU_ASSERT(caret_is("", 0, 0, "  \n  ^\n"));
	CU_ASSERT(caret_is("ab", 2, 2, "  ab\n    ^\n"));
	CU_ASSERT(caret_is("ab", 90, 95, "  ab\n    ^\n"));
	CU_ASSERT(caret_is("\xe4\xb8\xad b", 4, 5,
		"  \xe4\xb8\xad b\n     ^\n"));
	CU_ASSERT(caret_is("a\tb", 2, 3, "  a b\n    ^\n"));
	CU_ASSERT(caret_is("\x1b b", 2, 3, "  \\x1b b\n       ^\n"));
	CU_ASSERT(caret_is("ab\ncd", 1, 5, "  ab\n   ^\n"));
}

/* The character above the first caret is the one the span begins with. */
static void
long_lines_are_cut_around_the_caret(void)
{
	char text[1001];

	for (int i = 0; i < 1000; i++)
		text[i] = (char)('a' + i % 26);
	text[1000] = '\0';
	for (size_t at = 0; at < 1000; at += 7) {
		FX_AUTO_BUF struct fx_buf buf = { 0 };
		const char *second;
		size_t column;

		fx_span_print(&buf, text, (struct fx_span){ at, at + 5 }, 3);
		second = strchr(fx_buf_text(&buf), '\n') + 1;
		column = strcspn(second, "^");
		FXT_IS(second - fx_buf_text(&buf), <=, 3 + 106 + 1);
		FXT_EQ(fx_buf_text(&buf)[column], text[at]);
	}
}

static void
lines_and_columns_count_from_one(void)
{
	FXT_EQ(fx_span_line("a\nb\nc", 0), 1);
	FXT_EQ(fx_span_line("a\nb\nc", 4), 3);
	FXT_EQ(fx_span_line("a\nb", 1000), 2);
	FXT_EQ(fx_span_column("a\nbc", 3), 2);
	FXT_EQ(fx_span_column("\xe4\xb8\xad"
			      "b",
		       3),
		3);
}

static void
json_puts_commas_between_values(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct fx_json json;

	fx_json_init(&json, &buf);
	fx_json_object_begin(&json);
	fx_json_key(&json, "a");
	fx_json_array_begin(&json);
	fx_json_int(&json, 1);
	fx_json_array_begin(&json);
	fx_json_array_end(&json);
	fx_json_object_begin(&json);
	fx_json_object_end(&json);
	fx_json_null(&json);
	fx_json_array_end(&json);
	fx_json_key(&json, "b");
	fx_json_bool(&json, true);
	fx_json_key(&json, "c");
	fx_json_double(&json, 0.1);
	fx_json_key(&json, "d");
	fx_json_double(&json, -INFINITY);
	fx_json_key(&json, "e");
	fx_json_double(&json, 1e30);
	fx_json_object_end(&json);
	FXT_SAME(fx_buf_text(&buf),
		"{\"a\":[1,[],{},null],\"b\":true,\"c\":0.1,"
		"\"d\":\"-inf\",\"e\":1e+30}");
}

/* What jansson reads back, which we did not write, is what went in. */
static void
json_strings_are_read_back_by_jansson(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_json json;
	json_t *root;
	char bytes[4];

	for (uint32_t code = 1; code < 0x110000; code += code < 0x300 ? 1 : 97)
		if (code < 0xd800 || code > 0xdfff)
			fx_buf_add_n(&text, bytes, fx_utf8_encode(code, bytes));
	fx_json_init(&json, &buf);
	fx_json_array_begin(&json);
	fx_json_string(&json, fx_buf_text(&text));
	fx_json_array_end(&json);
	root = json_loads(fx_buf_text(&buf), 0, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(root);
	FXT_SAME(json_string_value(json_array_get(root, 0)),
		fx_buf_text(&text));
	json_decref(root);
}

static void
json_mends_bad_bytes(void)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct fx_json json;

	fx_json_init(&json, &buf);
	fx_json_string_n(&json, "a\xff\0b", 4);
	FXT_SAME(fx_buf_text(&buf), "\"a\xef\xbf\xbd\\u0000b\"");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(starts_ends_and_equal),
		FXT_CASE(words_are_found_whole),
		FXT_CASE(identifiers_keywords_and_builtins),
		FXT_CASE(names_agree_with_python),
		FXT_CASE(globs_match_whole_texts),
		FXT_CASE(a_nasty_glob_ends_soon),
		FXT_CASE(distance_counts_edits),
		FXT_CASE(nearest_names_come_in_order_and_far_ones_not_at_all),
		FXT_CASE(texts_are_quoted_as_python_does),
		FXT_CASE(printable_agrees_with_python),
		FXT_CASE(every_code_point_survives_encoding),
		FXT_CASE(bad_utf8_is_found),
		FXT_CASE(widths_are_those_of_a_terminal),
		FXT_CASE(what_disturbs_a_terminal_is_made_visible),
		FXT_CASE(carets_stand_below_the_span),
		FXT_CASE(long_lines_are_cut_around_the_caret),
		FXT_CASE(lines_and_columns_count_from_one),
		FXT_CASE(json_puts_commas_between_values),
		FXT_CASE(json_strings_are_read_back_by_jansson),
		FXT_CASE(json_mends_bad_bytes),
	};

	return fxt_run("base text", cases, FX_ARRAY_LEN(cases));
}
