/* test_lang_query.c - queries: sets of nodes as they are typed. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "lang/query.h"
#include "tests/support/ast_print.h"
#include "tests/support/unit.h"

/* QUERY in a prefix form that shows how it was read. */
static void
describe(struct fx_buf *out, const struct fx_query *query)
{
	static const char *const kinds[] = { "and", "or", "not", "compare",
		"inside", "truth", "range", "item", "call", "all" };
	int i;

	fx_buf_addf(out, "(%s", kinds[query->kind]);
	if (query->kind == FX_QUERY_COMPARE || query->kind == FX_QUERY_TRUTH)
		fx_buf_addf(out, " %s", fx_query_field_word(query->field));
	if (query->kind == FX_QUERY_COMPARE)
		fx_buf_addf(out, " %s%s",
			fx_ast_op_text((enum fx_ast_op)query->op),
			query->is_regex ? " regex" : "");
	if (query->text)
		fx_buf_addf(out, " %s", query->text);
	else if (query->operand) {
		fx_buf_add_char(out, ' ');
		fxt_ast_print(out, query->operand);
	}
	for (i = 0; i < query->kid_count; i++) {
		fx_buf_add_char(out, ' ');
		describe(out, query->kids[i]);
	}
	for (i = 0; i < query->argument_count; i++) {
		fx_buf_add_char(out, ' ');
		fxt_ast_print(out, query->arguments[i]);
	}
	if (query->first || query->last) {
		fx_buf_add_char(out, ' ');
		if (query->first)
			fxt_ast_print(out, query->first);
		fx_buf_add_char(out, ' ');
		if (query->last)
			fxt_ast_print(out, query->last);
	}
	fx_buf_add_char(out, ')');
}

static void
check(const char *text, const char *expected)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_query *query;
	struct fx_ast *tree;

	err = fx_parse_expression(arena, text, strlen(text),
		FX_PARSE_DESIGNATORS | FX_PARSE_QUERY, &tree);
	if (!err)
		err = fx_query_read(arena, text, tree, &query);
	if (err)
		fx_buf_add(&out, fx_error_message(err));
	else
		describe(&out, query);
	FXT_SAME(fx_buf_text(&out), expected);
}

static void
words_on_the_right_are_text(void)
{
	check("op=call_module", "(compare op == call_module)");
	check("{op = call_module}", "(compare op == call_module)");
	check("target=torch.ops.aten.add.Tensor",
		"(compare target == torch.ops.aten.add.Tensor)");
	check("target~*relu*", "(compare target ~ *relu*)");
	check("target ~ \"*[ab]*\"", "(compare target ~ *[ab]*)");
	check("target~r\"relu_\\d+\"", "(compare target ~ regex relu_\\d+)");
	check("source=resnet.py:92", "(compare source == resnet.py:92)");
	check("name!=relu", "(compare name != relu)");
	check("name=not_1", "(compare name == not_1)");
	check("name=%x", "(compare name == x)");
	check("pass=fuse-conv-bn", "(compare pass == fuse-conv-bn)");
	check("dtype=f32 or state=V",
		"(or (compare dtype == f32) (compare state == V))");
}

static void
in_tests_scopes_and_lists(void)
{
	check("in layer1.0", "(inside layer1.0)");
	check("not in layer1.*", "(not (inside layer1.*))");
	check("(in layer1) or in layer2",
		"(or (inside layer1) (inside layer2))");
	check("in \"a b\"", "(inside a b)");
	check("op in (\"a\", \"b\")",
		"(or (compare op == a) (compare op == b))");
	check("op not in [\"a\"]", "(and (compare op != a))");
}

static void
the_manuals_example_is_read(void)
{
	check("{op=call_module and in layer2 and not target~\"*.bn*\"}",
		"(and (compare op == call_module) (inside layer2) "
		"(not (compare target ~ *.bn*)))");
}

static void
counts_and_shapes_are_compared(void)
{
	check("users=0", "(compare users == 0)");
	check("2 <= users <= 4",
		"(and (compare users >= 2) (compare users <= 4))");
	check("inputs > 1", "(compare inputs > 1)");
	check("shape=[1,*,768]", "(compare shape == [1, *, 768])");
	check("shape = (2, 3)", "(compare shape == (2, 3))");
}

static void
nodes_ranges_and_functions_are_sets(void)
{
	check("@10:@20", "(range @10 @20)");
	check("@10:", "(range @10 )");
	check(":%relu", "(range  %relu)");
	check("%a or .-1 or @3 or relu",
		"(or (item %a) (item .-1) (item @3) (item relu))");
	check("up(conv1, 3)", "(call up conv1 3)");
	check("path(%a, @4) and users > 1",
		"(and (call path %a @4) (compare users > 1))");
	check("users(x) or inputs(x)", "(or (call users x) (call inputs x))");
	check("nonfinite and not dirty",
		"(and (truth nonfinite) (not (truth dirty)))");
	check("{{op=a} or {}}", "(or (compare op == a) (all))");
	check("{}", "(all)");
	check("{act, drop, op=a and users>1}",
		"(or (item act) (item drop) (and (compare op == a) (compare "
		"users > 1)))");
	check("{act,}", "query: expected a value after \",\", found \"}\" "
			"(column 6)");
}

static void
errors_name_the_place(void)
{
	check("op=", "query: expected a value after \"op=\" (column 4)");
	check("{op= }", "query: expected a value after \"op=\", found \"}\" "
			"(column 6)");
	check("op=and x", "query: expected a value after \"op=\", found "
			  "\"and\" (column 4)");
	check("op", "query: expected a comparison after \"op\" (column 1)");
	check("42", "query: a number is no node (column 1)");
	check("users~3",
		"query: a count is compared with = != < <= > >= (column 7)");
	check("op>3", "query: text is compared with = != or ~ (column 4)");
	check("shape=3", "query: expected a shape such as [1,*,3] (column 7)");
	check("dirty=1", "query: this word stands alone (column 7)");
	check("foo(x)", "query: this is no function of queries (column 1)");
	check("a | b", "query: this is no condition (column 1)");
	check("in", "query: expected a value after \"in\" (column 3)");
	check("op=a op=b", "query: expected an operator or the end after "
			   "\"a\", found \"op\" (column 6)");
	check("1 < 2", "query: no field of a node is compared (column 1)");
	check("{op=a", "query: expected \"}\" after \"a\" (column 6)");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(words_on_the_right_are_text),
		FXT_CASE(in_tests_scopes_and_lists),
		FXT_CASE(the_manuals_example_is_read),
		FXT_CASE(counts_and_shapes_are_compared),
		FXT_CASE(nodes_ranges_and_functions_are_sets),
		FXT_CASE(errors_name_the_place),
	};

	return fxt_run("lang query", cases, FX_ARRAY_LEN(cases));
}
