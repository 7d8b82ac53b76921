/* test_fold.c - Python's arithmetic on plain values (tests/parity/shapes.py
 * compares thousands of cases with Python; here are the ones that matter).
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "ir/fold.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "tests/support/read_text.h"
#include "tests/support/unit.h"

static struct fx_value
read(struct fx_arena *arena, const char *text)
{
	if (strcmp(text, "N") == 0)
		return fx_size_symbol(arena, "N");
	if (strcmp(text, "some float") == 0)
		return fx_fold_unknown("float");
	return fxt_read_value(arena, text);
}

static const char *
show(struct fx_arena *arena, const struct fx_value *value)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };

	if (value->kind == FX_VALUE_UNKNOWN)
		fx_buf_addf(&out, "? %s", value->text);
	else if (value->kind == FX_VALUE_SYMBOL)
		fx_size_print(&out, *value);
	else
		fx_value_print_as(&out, value, FX_STYLE_CODE);
	return fx_arena_strndup(arena, fx_buf_text(&out), out.length);
}

static void
check_binary(enum fx_ast_op op, const char *left, const char *right,
	const char *expected)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value a = read(arena, left);
	struct fx_value b = read(arena, right);
	struct fx_value result;
	struct fx_error *err = fx_fold_binary(arena, op, &a, &b, &result);

	if (err) {
		FXT_SAME(fx_error_word(fx_error_code(err)), expected);
	} else {
		FXT_SAME(show(arena, &result), expected);
	}
	fx_error_free(err);
}

static void
floor_and_remainder_follow_the_divisor(void)
{
	check_binary(FX_AST_FLOORDIV, "-7", "2", "-4");
	check_binary(FX_AST_MOD, "-7", "2", "1");
	check_binary(FX_AST_MOD, "7", "-2", "-1");
	check_binary(FX_AST_FLOORDIV, "-7.5", "2", "-4.0");
	check_binary(FX_AST_MOD, "-7.5", "2", "0.5");
	check_binary(FX_AST_FLOORDIV, "1", "0", "value");
	check_binary(FX_AST_MOD, "1.0", "0", "value");
}

static void
true_division_and_powers_give_what_python_gives(void)
{
	check_binary(FX_AST_DIV, "6", "3", "2.0");
	check_binary(FX_AST_DIV, "0", "-2", "-0.0");
	check_binary(FX_AST_POW, "2", "-1", "0.5");
	check_binary(FX_AST_POW, "8", "0.5", "2.8284271247461903");
	check_binary(FX_AST_POW, "-2", "3", "-8");
	check_binary(FX_AST_POW, "0.0", "-1", "value");
	check_binary(FX_AST_ADD, "True", "2", "3");
	check_binary(FX_AST_BITAND, "True", "False", "False");
	check_binary(FX_AST_LSHIFT, "1", "-1", "value");
}

static void
ints_outgrow_64_bits(void)
{
	check_binary(FX_AST_POW, "2", "64", "18446744073709551616");
	check_binary(FX_AST_ADD, "9223372036854775807", "1",
		"9223372036854775808");
	check_binary(FX_AST_SUB, "9223372036854775808", "1",
		"9223372036854775807");
	/* Beyond what is computed it is some int, never a wrong one. */
	check_binary(FX_AST_POW, "10", "100", "? int");
}

static void
sequences_join_repeat_and_compare(void)
{
	check_binary(FX_AST_ADD, "(1, 2)", "(3,)", "(1, 2, 3)");
	check_binary(FX_AST_MUL, "[0]", "3", "[0, 0, 0]");
	check_binary(FX_AST_MUL, "2", "'ab'", "'abab'");
	check_binary(FX_AST_LT, "(1, 2)", "(1, 3)", "True");
	check_binary(FX_AST_EQ, "(1, 2)", "[1, 2]", "False");
	check_binary(FX_AST_EQ, "1", "True", "True");
	check_binary(FX_AST_IN, "2", "(1, 2.0)", "True");
	check_binary(FX_AST_ADD, "1", "'a'", "type");
	check_binary(FX_AST_MUL, "(1, 2)", "10000000", "limit");
}

static void
symbols_stay_symbols(void)
{
	check_binary(FX_AST_ADD, "N", "1", "N + 1");
	check_binary(FX_AST_MUL, "2", "N", "2*N");
	check_binary(FX_AST_FLOORDIV, "N", "2", "N//2");
	check_binary(FX_AST_POW, "N", "2", "N**2");
	check_binary(FX_AST_DIV, "N", "2", "? float");
	check_binary(FX_AST_EQ, "N", "N", "True");
	check_binary(FX_AST_EQ, "N", "3", "? bool");
	check_binary(FX_AST_LT, "N", "3", "? bool");
}

static void
what_is_not_known_is_not_guessed(void)
{
	check_binary(FX_AST_ADD, "some float", "1", "? float");
	check_binary(FX_AST_LT, "some float", "1", "? bool");
	check_binary(FX_AST_IS, "some float", "None", "False");
}

static void
check_item(const char *value, const char *index, const char *expected)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value a = read(arena, value);
	struct fx_value b = read(arena, index);
	struct fx_value result;
	struct fx_error *err = fx_fold_subscript(arena, &a, &b, &result);

	if (err) {
		FXT_SAME(fx_error_word(fx_error_code(err)), expected);
	} else {
		FXT_SAME(show(arena, &result), expected);
	}
	fx_error_free(err);
}

static void
subscripts_count_from_both_ends(void)
{
	check_item("(1, 2, 3)", "-1", "3");
	check_item("(1, 2, 3)", "3", "range");
	check_item("(1, 2, 3)", "slice(None, None, -1)", "(3, 2, 1)");
	check_item("[1, 2, 3]", "slice(1, None, None)", "[2, 3]");
	check_item("[1, 2, 3]", "slice(None, None, 0)", "value");
	check_item("{'a': 1}", "'a'", "1");
	check_item("{'a': 1}", "'b'", "range");
	check_item("'h\xc3\xa9llo'", "1", "'\xc3\xa9'");
	check_item("3", "0", "type");
}

static void
tensors_answer_what_metadata_know(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value tensor = fx_value_none();
	struct fx_value none = { .kind = FX_VALUE_TUPLE };
	struct fx_value result;

	FXT_OK(fx_tensor_meta_parse(arena, "f32[N,3]", 8, &tensor));
	FXT_OK(fx_fold_attribute(arena, &tensor, "ndim", &result));
	FXT_EQ(result.integer, 2);
	FXT_OK(fx_fold_attribute(arena, &tensor, "shape", &result));
	FXT_EQ(result.kind, FX_VALUE_SIZE);
	FXT_OK(fx_fold_method(arena, &tensor, "numel", &none, &result));
	FXT_SAME(show(arena, &result), "3*N");
	FXT_FAILS(fx_fold_attribute(arena, &tensor, "nonsense", &result),
		FX_ERR_UNSUPPORTED);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(floor_and_remainder_follow_the_divisor),
		FXT_CASE(true_division_and_powers_give_what_python_gives),
		FXT_CASE(ints_outgrow_64_bits),
		FXT_CASE(sequences_join_repeat_and_compare),
		FXT_CASE(symbols_stay_symbols),
		FXT_CASE(what_is_not_known_is_not_guessed),
		FXT_CASE(subscripts_count_from_both_ends),
		FXT_CASE(tensors_answer_what_metadata_know),
	};

	return fxt_run("fold", cases, FX_ARRAY_LEN(cases));
}
