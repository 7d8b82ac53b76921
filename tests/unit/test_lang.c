/* test_lang.c - the lexer, the parser, literals and the printer. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "lang/ast.h"
#include "lang/lex.h"
#include "lang/literal.h"
#include "lang/parse.h"
#include "tests/support/ast_print.h"
#include "tests/support/random.h"
#include "tests/support/unit.h"

/* TEXT parsed with FLAGS and printed again; the error's message instead.  The
 * caller frees it.
 */
static char *
again(const char *text, unsigned flags)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_ast *tree;
	struct fx_error *err;

	err = fx_parse_expression(arena, text, strlen(text), flags, &tree);
	if (err)
		fx_buf_add(&out, fx_error_message(err));
	else
		fxt_ast_print(&out, tree);
	fx_error_free(err);
	return fx_buf_take(&out);
}

static void
check_again(const char *text, unsigned flags, const char *expected)
{
	FX_AUTO_FREE char *got = again(text, flags);

	FXT_SAME(got, expected);
}

#define SAME(text) check_again((text), FX_PARSE_DESIGNATORS, (text))
#define COMMAND(text, expected) \
	check_again((text), FX_PARSE_DESIGNATORS, (expected))
#define PYTHON(text, expected) check_again((text), FX_PARSE_PYTHON, (expected))

static void
designators_stand_only_where_an_operand_can(void)
{
	SAME("%conv1 % %bn");
	SAME("@3 @ @4");
	SAME("x % y @ z");
	SAME("$1 + $$ - $ * $_ / $foo");
	SAME("$$3");
	SAME("-%x");
	SAME("f(%x, @12, .-1)");
	PYTHON("%x", "expected a value, found \"%\" (column 1)");
	PYTHON("x %y", "x % y");
}

static void
a_dot_is_here_an_access_a_float_or_ellipsis(void)
{
	SAME("layer1.0.conv1.weight[0]");
	SAME(".-1.shape");
	SAME("..shape");
	SAME(".[0]");
	SAME(". - 1");
	SAME(".+3");
	COMMAND(".5", "0.5");
	SAME("x[..., 0]");
	SAME("%split.1");
	SAME("self.0.weight");
	SAME("(1).real");
	COMMAND("a..b", "expected a name after \".\", found \".\" "
			"(column 3)");
}

static void
precedence_is_pythons(void)
{
	SAME("a + b * c");
	SAME("(a + b) * c");
	COMMAND("(a * b) + c", "a * b + c");
	SAME("-2 ** x");
	SAME("(-2) ** x");
	SAME("a ** -b ** c");
	SAME("(a ** b) ** c");
	COMMAND("a - (b - c) - d", "a - (b - c) - d");
	SAME("not a == b and c or d");
	SAME("(a or b) and c");
	SAME("a if b else c if d else e");
	SAME("(a if b else c) if d else e");
	SAME("x < y <= z is not w not in v");
	SAME("~x | y & z ^ w << 2");
	SAME("lambda x, y=1: x + y");
	SAME("(lambda x: x)(1)");
	SAME("-x.y[0](z)");
	SAME("(a, b)[0]");
}

static void
containers_calls_and_slices_are_read(void)
{
	SAME("()");
	SAME("(1,)");
	COMMAND("a, b", "(a, b)");
	SAME("[1, [], {}]");
	COMMAND("{'a':1,\"b\":[2,]}", "{'a': 1, 'b': [2]}");
	SAME("f(*a, b, c=1, **d)");
	SAME("x[1:2, ::3, :, None, ...]");
	SAME("x[a:b]");
	SAME("x[(1, 2), 3]");
	COMMAND("x[(1, 2)]", "x[1, 2]");
	SAME("[x for x in y if x > 2]");
	PYTHON("{1, 2}", "{1, 2}");
	COMMAND("{1, 2}", "expected \":\" after \"1\", found \",\" "
			  "(column 3)");
	SAME("f32[1, 3, 224, 224]");
}

static void
braces_are_a_query_except_before_a_literal(void)
{
	SAME("{op=relu}");
	SAME("count{op=call_module and in layer2}");
	COMMAND("count({op=a})", "count{op=a}");
	SAME("count{2 < users}");
	COMMAND("[{op = relu}, {}]", "[{op=relu}, {}]");
	SAME("{'a': {op=relu}}");
	SAME("{not in layer1.0 and target~*bn*}");
	COMMAND("{op=}", "query: expected a value after \"op=\", found \"}\" "
			 "(column 5)");
}

static void
an_equals_sign_compares_in_conditions(void)
{
	unsigned flags = FX_PARSE_DESIGNATORS | FX_PARSE_EQUAL_COMPARES;

	check_again("a = b", flags, "a == b");
	check_again("f(x, dim=1) = 2", flags, "f(x, dim=1) == 2");
	check_again("f((a = b))", flags, "f(a == b)");
	COMMAND("a = b", "expected an operator or the end after \"a\", found "
			 "\"=\" (column 3)");
}

static void
numbers_are_read_as_python_does(void)
{
	COMMAND("0x1F", "31");
	COMMAND("1_000", "1000");
	COMMAND("1e-05", "1e-05");
	COMMAND("1.", "1.0");
	COMMAND("2j", "2j");
	COMMAND("123456789012345678901234567890",
		"123456789012345678901234567890");
	COMMAND("0xffffffffffffffffffffff", "309485009821345068724781055");
	COMMAND("0x", "this is no number (column 1)");
	COMMAND("1abc", "this is no number (column 1)");
	COMMAND("007", "this is no number (column 1)");
	COMMAND("1e999", "inf");
}

static void
check_string(const char *text, const char *expected, size_t length)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_literal got = { "", 0, false };

	FXT_OK(fx_literal_string(arena, text, strlen(text), &got));
	FXT_EQ(got.length, length);
	CU_ASSERT(!memcmp(got.text, expected, FX_MIN(length, got.length)));
}

static void
strings_are_decoded_with_all_escapes(void)
{
	check_string("'a\\n\\t\\\\\\''", "a\n\t\\'", 5);
	check_string("'\\x41\\101\\u00e9\\U0001F600'",
		"AA\xc3\xa9\xf0\x9f\x98\x80", 8);
	check_string("r'\\d'", "\\d", 2);
	check_string("b'\\xff\\0'", "\xff\0", 2);
	check_string("'''a\n\"b\"'''", "a\n\"b\"", 5);
	check_string("'\\q'", "\\q", 2);
	check_string("'a\\\nb'", "ab", 2);
	check_string("''", "", 0);
	COMMAND("'\\N{DASH}'", "\\N{...} in a string is not understood; write "
			       "the character or \\u (column 1)");
	COMMAND("'\\xg'", "\\x in a string needs 2 hexadecimal digits "
			  "(column 1)");
	COMMAND("'\\ud800'", "U+D800 in a string is no character (column 1)");
	COMMAND("'abc", "the string is not closed (column 1)");
	COMMAND("'a' \"b\" 'c'", "'abc'");
	PYTHON("'' 'a' 'b' ''", "'ab'");
	PYTHON("'a' f'{b}'", "'a' f'{b}'");
	COMMAND("'' b'c'", "bytes and text cannot be joined (column 4)");
	COMMAND("'a' b'c'", "bytes and text cannot be joined (column 5)");
}

static void
errors_say_what_was_expected_and_where(void)
{
	COMMAND("", "expected a value, found the end (column 1)");
	COMMAND("a +", "expected a value after \"+\" (column 4)");
	COMMAND("f(a=1, b=g(a=2), a=3)",
		"this keyword is given twice (column 18)");
	COMMAND("f(a b)", "expected \")\" after \"a\", found \"b\" "
			  "(column 5)");
	COMMAND("(*a)",
		"a starred value alone needs a comma behind it (column 2)");
	COMMAND(")", "expected a value, found \")\" (column 1)");
	COMMAND("x?", "this character has no meaning here (column 2)");
	COMMAND("a if b", "expected \"else\" after \"b\" (column 7)");
	COMMAND("and x", "expected a value, found \"and\" (column 1)");
	COMMAND("x.", "expected a name after \".\" (column 3)");
	COMMAND("%", "expected a value, found \"%\" (column 1)");
}

/* COUNT times BEFORE, then MIDDLE, then COUNT times AFTER. */
static char *
nested(const char *before, const char *middle, const char *after, size_t count)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	size_t i;

	for (i = 0; i < count; i++)
		fx_buf_add(&out, before);
	fx_buf_add(&out, middle);
	for (i = 0; i < count; i++)
		fx_buf_add(&out, after);
	return fx_buf_take(&out);
}

static void
check_deep(const char *before, const char *middle, const char *after)
{
	FX_AUTO_FREE char *good = nested(before, middle, after, 199);
	FX_AUTO_FREE char *bad = nested(before, middle, after, 50000);
	FX_AUTO_FREE char *good_again = again(good, FX_PARSE_DESIGNATORS);
	FX_AUTO_FREE char *bad_again = again(bad, FX_PARSE_DESIGNATORS);

	CU_ASSERT_PTR_NULL(strstr(good_again, "200 levels"));
	CU_ASSERT_PTR_NOT_NULL(strstr(bad_again, "200 levels"));
}

static void
nesting_is_limited_to_200_levels(void)
{
	check_deep("(", "x", ")");
	check_deep("[", "x", "]");
	check_deep("f(", "x", ")");
	check_deep("x[", "x", "]");
	check_deep("{1: ", "x", "}");
	check_deep("{", "x", "}");
	check_deep("-", "x", "");
	check_deep("not ", "x", "");
	check_deep("x ** ", "x", "");
	check_deep("x if x else ", "x", "");
	check_deep("lambda: ", "x", "");
	check_deep("lambda x=", "x", ": x");
}

static void
check_long(const char *first, const char *more)
{
	FX_AUTO_FREE char *text = nested("", first, more, 50000);
	FX_AUTO_FREE char *got = again(text, FX_PARSE_DESIGNATORS);

	FXT_SAME(got, text);
}

static void
chains_have_no_limit(void)
{
	check_long("a", " + a");
	check_long("a", ".a");
	check_long("a", "[0]");
	check_long("a", "(b)");
	check_long("a", " and a");
	check_long("a", " < a");
}

static void
a_prefix_stops_where_the_expression_does(void)
{
	static const struct {
		const char *text;
		size_t end;
	} rows[] = {
		{ "layer3 if absmax(%x) > 1e4", 6 },
		{ "conv1(x) => y", 8 },
		{ "a if b else c if", 13 },
		{ "x where y", 1 },
		{ "relu(x) as foo", 7 },
		{ "x  ", 1 },
		{ "{op=relu} only", 9 },
	};
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(rows); i++) {
		FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
		size_t length = strlen(rows[i].text);
		struct fx_parse_range range = { rows[i].text, length, 0,
			length };
		struct fx_ast *tree;
		size_t end = 0;

		FXT_OK(fx_parse_expression_in(arena, &range,
			FX_PARSE_DESIGNATORS, &tree, &end));
		FXT_EQ(end, rows[i].end);
	}
}

static void
a_range_of_a_line_keeps_the_columns_of_the_line(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_parse_range range = { "print a + * b", 13, 6, 13 };
	struct fx_ast *tree;

	err = fx_parse_expression_in(arena, &range, FX_PARSE_DESIGNATORS, &tree,
		NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_SAME(fx_error_message(err),
		"expected a value after \"+\", found \"*\" (column 11)");
	FXT_EQ(fx_error_span(err).begin, 10);
	FXT_SAME(fx_error_text(err), "print a + * b");
}

static void
tokens_say_brackets_blanks_and_operands(void)
{
	static const char text[] = "p/v %x[0] --all 'a b' # end";
	static const char *const expected[] = { "p", "/", "v", "%", "x", "[",
		"0", "]", "-", "-", "all", "'a b'" };
	struct fx_lexer lexer;
	size_t i;

	fx_lexer_init(&lexer, text, strlen(text), FX_LEX_DESIGNATORS);
	for (i = 0; i < FX_ARRAY_LEN(expected); i++) {
		struct fx_token token = fx_lexer_next(&lexer);
		FX_AUTO_FREE char *got = fx_xstrndup(text + token.begin,
			token.end - token.begin);

		FXT_SAME(got, expected[i]);
	}
	FXT_EQ(fx_lexer_next(&lexer).kind, FX_TOKEN_END);
	FXT_EQ(fx_lexer_next(&lexer).kind, FX_TOKEN_END);
}

static void
any_bytes_give_tokens_that_end(void)
{
	static const char some[] = "()[]{}.%@$=~'\"\\\n #\033-x1";
	char text[64];
	struct fxt_random random = fxt_random_seed(1);
	int round;

	for (round = 0; round < 20000; round++) {
		struct fx_lexer lexer;
		struct fx_token token;
		size_t last = 0;
		size_t i;

		for (i = 0; i < sizeof(text); i++) {
			text[i] = fxt_random_chance(&random, 50)
					  ? (char)fxt_random_word(&random)
					  : some[fxt_random_below(&random,
						    sizeof(some) - 1)];
		}
		fx_lexer_init(&lexer, text, sizeof(text),
			(unsigned)(round % 8));
		for (i = 0; i < 300; i++) {
			token = fx_lexer_next(&lexer);
			FXT_IS_FATAL(token.begin, >=, last);
			FXT_IS_FATAL(token.end, <=, sizeof(text));
			last = token.begin;
			if (token.kind == FX_TOKEN_END)
				break;
		}
		FXT_IS_FATAL(i, <, 300);
	}
}

static struct fx_ast *
module_of(struct fx_arena *arena, const char *text)
{
	struct fx_ast *module = NULL;

	FXT_OK(fx_parse_module(arena, text, strlen(text), &module, NULL));
	CU_ASSERT_PTR_NOT_NULL_FATAL(module);
	return module;
}

static void
comments_belong_to_the_statement_below_and_before(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_ast *module = module_of(arena,
		"# one\n# two\nx = 1;  y = 2 # after\n\nz = (3, # no\n 4)\n");

	FXT_EQ_FATAL(module->kid_count, 3);
	FXT_SAME(module->kids[0]->comment_above, "# one\n# two");
	CU_ASSERT_PTR_NULL(module->kids[0]->comment_after);
	FXT_SAME(module->kids[1]->comment_after, "# after");
	CU_ASSERT_PTR_NULL(module->kids[2]->comment_above);
	CU_ASSERT(module->kids[2]->blank_above);
	CU_ASSERT_FALSE(module->kids[0]->blank_above);
}

static void
pasted_text_may_be_indented_and_coloured(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_ast *module = module_of(arena,
		"    def f(self, *a, k : int = 2) -> \"x\":\r\n"
		"        \033[2m# hi\033[0m\n"
		"\treturn \033[34mTrue\033[0m;\n"
		"    class <lambda>(torch.nn.Module):\n"
		"        pass");
	const struct fx_ast *function = module->kids[0];

	FXT_EQ_FATAL(module->kid_count, 2);
	FXT_EQ(function->kind, FX_AST_FUNCTION);
	FXT_EQ_FATAL(function->kid_count, 5);
	FXT_EQ(function->kids[1]->op, FX_AST_MUL);
	FXT_EQ(function->kids[3]->kids[0]->kind, FX_AST_RETURN);
	FXT_EQ(module->kids[1]->kind, FX_AST_CLASS);
	FXT_SAME(module->kids[1]->text, "<lambda>");
}

static void
statements_before_an_error_are_understood(void)
{
	static const char text[] = "def f(x):\n    y = x\n    z = y +\n";
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_ast *understood = NULL;
	struct fx_ast *module;

	err = fx_parse_module(arena, text, strlen(text), &module, &understood);
	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_SAME(fx_error_message(err), "expected a value after \"+\", found "
					"the end of the line (line 3, column "
					"12)");
	CU_ASSERT_PTR_NULL(module);
	CU_ASSERT_PTR_NOT_NULL_FATAL(understood);
	FXT_EQ_FATAL(understood->kid_count, 1);
	FXT_EQ(understood->kids[0]->kids[1]->kid_count, 1);
}

static void
what_a_graph_cannot_hold_is_refused_by_name(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_ast *module;

	err = fx_parse_module(arena, "with a:\n  pass\n", 15, &module, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_SAME(fx_error_message(err), "\"with\" is not understood in a "
					"graph (line 1, column 1)");
	module_of(arena, "match = torch.relu(x)\nmatch.a = 2\n");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(designators_stand_only_where_an_operand_can),
		FXT_CASE(a_dot_is_here_an_access_a_float_or_ellipsis),
		FXT_CASE(precedence_is_pythons),
		FXT_CASE(containers_calls_and_slices_are_read),
		FXT_CASE(braces_are_a_query_except_before_a_literal),
		FXT_CASE(an_equals_sign_compares_in_conditions),
		FXT_CASE(numbers_are_read_as_python_does),
		FXT_CASE(strings_are_decoded_with_all_escapes),
		FXT_CASE(errors_say_what_was_expected_and_where),
		FXT_CASE(nesting_is_limited_to_200_levels),
		FXT_CASE(chains_have_no_limit),
		FXT_CASE(a_prefix_stops_where_the_expression_does),
		FXT_CASE(a_range_of_a_line_keeps_the_columns_of_the_line),
		FXT_CASE(tokens_say_brackets_blanks_and_operands),
		FXT_CASE(any_bytes_give_tokens_that_end),
		FXT_CASE(comments_belong_to_the_statement_below_and_before),
		FXT_CASE(pasted_text_may_be_indented_and_coloured),
		FXT_CASE(statements_before_an_error_are_understood),
		FXT_CASE(what_a_graph_cannot_hold_is_refused_by_name),
	};

	return fxt_run("lang", cases, FX_ARRAY_LEN(cases));
}
