/* test_size.c - symbolic integers and metadata of tensors. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "ir/size.h"
#include "ir/size_equation.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "lang/parse.h"
#include "tests/support/random.h"
#include "tests/support/unit.h"

static struct fx_value
read(struct fx_arena *arena, const char *text)
{
	struct fx_value value = fx_value_none();
	struct fx_ast *tree;

	FXT_OK(fx_parse_expression(arena, text, strlen(text), FX_PARSE_PYTHON,
		&tree));
	FXT_OK(fx_size_from_ast(arena, text, tree, &value));
	return value;
}

/* The canonical text of TEXT. */
static const char *
canonical(struct fx_arena *arena, const char *text)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };

	fx_size_print(&out, read(arena, text));
	return fx_arena_strndup(arena, fx_buf_text(&out), out.length);
}

static void
sizes_have_one_form(void)
{
	static const char *const pairs[][2] = {
		{ "N + 1 + N", "2*N + 1" },
		{ "b*a - a*b", "0" },
		{ "(N + 1)*(N - 1)", "N**2 - 1" },
		{ "16*s27*s77", "16*s27*s77" },
		{ "s77*s27", "s27*s77" },
		{ "(2*N + 6)//2", "N + 3" },
		{ "(N + 3)//2", "(N + 1)//2 + 1" },
		{ "((N + 1)//2 + 1)//2", "(N + 3)//4 " },
		{ "(4*N)//6", "2*N//3" },
		{ "(6*a*b)//(2*a)", "3*b" },
		{ "(4*N + 5) % 4", "1" },
		{ "N//N", "1" },
		{ "Min(N, N + 2)", "N" },
		{ "Max(N, N + 2)", "N + 2" },
		{ "FloorDiv(N, 3)", "N//3" },
		{ "-7//2", "-4" },
		{ "-7 % 3", "2" },
		{ "2*(N//2)", "2*(N//2)" },
		{ "(N//2)**2", "(N//2)**2" },
		{ "N - (M - N)", "-M + 2*N" },
	};

	for (size_t i = 0; i < FX_ARRAY_LEN(pairs); i++) {
		FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();

		FXT_SAME(canonical(arena, pairs[i][0]),
			canonical(arena, pairs[i][1]));
	}
}

static void
sizes_print_as_torch_prints_them(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();

	FXT_SAME(canonical(arena, "N + 1"), "N + 1");
	FXT_SAME(canonical(arena, "s77*2"), "2*s77");
	FXT_SAME(canonical(arena, "s27*s27"), "s27**2");
	FXT_SAME(canonical(arena, "(N+1)//2"), "(N + 1)//2");
	FXT_SAME(canonical(arena, "1 - N"), "-N + 1");
}

/* A random expression in `a` and `b`, as text and as a number for values of
 * them, by Python's rules.
 */
static long
random_expr(struct fx_buf *text, struct fxt_random *random, const long *values,
	int depth)
{
	long left;
	long right;
	int op = depth ? (int)fxt_random_below(random, 6)
		       : 6 + (int)fxt_random_below(random, 2);

	if (op >= 6) {
		long number = (long)fxt_random_below(random, 9);

		if (op == 6) {
			fx_buf_addf(text, "%ld", number);
			return number;
		}
		fx_buf_add_char(text, (char)('a' + number % 2));
		return values[number % 2];
	}
	fx_buf_add_char(text, '(');
	left = random_expr(text, random, values, depth - 1);
	if (op >= 3) {
		long number = 1 + (long)fxt_random_below(random, 5);

		fx_buf_addf(text, op == 3 ? ")%%%ld" : ")//%ld", number);
		right = left % number;
		right += right < 0 ? number : 0;
		return op == 3 ? right : (left - right) / number;
	}
	fx_buf_add(text, op == 0 ? ")+(" : op == 1 ? ")-(" : ")*(");
	right = random_expr(text, random, values, depth - 1);
	fx_buf_add_char(text, ')');
	return op == 0 ? left + right : op == 1 ? left - right : left * right;
}

/* TEXT with the names replaced by their values. */
static void
substitute(struct fx_buf *out, const char *text, const long *values)
{
	for (; *text; text++)
		if (*text == 'a' || *text == 'b')
			fx_buf_addf(out, "(%ld)", values[*text - 'a']);
		else
			fx_buf_add_char(out, *text);
}

static void
the_canonical_form_keeps_the_number(void)
{
	struct fxt_random random = fxt_random_seed(7);

	for (int i = 0; i < 3000; i++) {
		FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
		FX_AUTO_BUF struct fx_buf text = { 0 };
		FX_AUTO_BUF struct fx_buf numbers = { 0 };
		FX_AUTO_BUF struct fx_buf again = { 0 };
		long values[2] = { 1 + (long)fxt_random_below(&random, 20),
			1 + (long)fxt_random_below(&random, 20) };
		long expected = random_expr(&text, &random, values, 3);
		struct fx_value size = read(arena, fx_buf_text(&text));
		struct fx_value number;

		FXT_IS_FATAL(size.kind, !=, FX_VALUE_UNKNOWN);
		fx_size_print(&again, size);
		substitute(&numbers, fx_buf_text(&again), values);
		number = read(arena, fx_buf_text(&numbers));
		FXT_EQ(number.kind, FX_VALUE_INT);
		if (number.integer != expected)
			FXT_SAME(fx_buf_text(&again), fx_buf_text(&text));
		/* Reading what was printed gives the same size. */
		CU_ASSERT(fx_size_equal(read(arena, fx_buf_text(&again)),
			size));
	}
}

static void
what_is_certain_is_known_and_nothing_else(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value n = read(arena, "N");
	struct fx_value m = read(arena, "M");

	CU_ASSERT(fx_size_differs(n, read(arena, "N + 1")));
	CU_ASSERT_FALSE(fx_size_differs(n, m));
	CU_ASSERT_FALSE(fx_size_equal(n, m));
	CU_ASSERT_FALSE(fx_size_differs(n, fx_value_int(3)));
	CU_ASSERT(fx_size_differs(fx_value_int(2), fx_value_int(3)));
}

static void
numbers_beyond_64_bits_are_unknown(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value big = fx_value_int(INT64_MAX);

	FXT_EQ(fx_size_mul(arena, big, big).kind, FX_VALUE_UNKNOWN);
	FXT_EQ(fx_size_add(arena, big, fx_value_int(1)).kind, FX_VALUE_UNKNOWN);
}

static void
specs_read_back_as_they_print(void)
{
	static const char *const specs[] = { "f32[1, 3, 224, 224]", "i64[]",
		"f32[N, 3, H, W]", "b8[2*s77]", "Sym(s77)", "f32[...]",
		"?[2, 3]" };

	for (size_t i = 0; i < FX_ARRAY_LEN(specs); i++) {
		FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
		FX_AUTO_BUF struct fx_buf out = { 0 };
		struct fx_value value = fx_value_none();

		FXT_OK(fx_tensor_meta_parse(arena, specs[i], strlen(specs[i]),
			&value));
		fx_value_print_shape(&out, &value, true);
		FXT_SAME(fx_buf_text(&out), specs[i]);
	}
}

static void
strides_and_devices_are_read(void)
{
	static const char text[] = "f32[s77, s27, 16][16*s27, 16, 1]cuda:0";
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value value = fx_value_none();

	FXT_OK(fx_tensor_meta_parse(arena, text, strlen(text), &value));
	FXT_EQ_FATAL(value.kind, FX_VALUE_TENSOR);
	FXT_SAME(value.tensor->device, "cuda:0");
	FXT_EQ(value.tensor->strides[1].integer, 16);
}

static void
bad_specs_are_refused(void)
{
	static const char *const specs[] = { "", "f32", "f32[", "f32[1", "x[2]",
		"f32[-1]", "f32[1,,2]", "f32[2]!", "f32[1][2,3]", "f32[1.5]",
		"3 x", "f32[2//0]", "Sym(", "[2]" };

	for (size_t i = 0; i < FX_ARRAY_LEN(specs); i++) {
		FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
		struct fx_value value;
		struct fx_error *err = fx_tensor_meta_parse(arena, specs[i],
			strlen(specs[i]), &value);

		CU_ASSERT_PTR_NOT_NULL(err);
		if (!err)
			FXT_SAME(specs[i], "refused");
		fx_error_free(err);
	}
}

/* TEXT with A and B as numbers. */
static int64_t
number_of(struct fx_arena *arena, struct fx_value size, int64_t a, int64_t b)
{
	size = fx_size_substitute(arena, size, fx_intern("A"), fx_value_int(a));
	size = fx_size_substitute(arena, size, fx_intern("B"), fx_value_int(b));
	FXT_EQ(size.kind, FX_VALUE_INT);
	return size.integer;
}

static bool
fact_holds(struct fx_arena *arena, const struct fx_size_fact *fact, int64_t a,
	int64_t b)
{
	int64_t name = fact->name == fx_intern("A") ? a : b;

	if (fact->kind == FX_SIZE_IS)
		return name == number_of(arena, fact->value, a, b);
	if (fact->kind == FX_SIZE_RANGE)
		return name >= fact->low && name <= fact->high;
	if (fact->kind == FX_SIZE_REST)
		return name % fact->divisor == fact->low;
	return fact->kind == FX_SIZE_ALWAYS;
}

/* A random sum of multiples of A, B, quotients and remainders. */
static struct fx_value
random_side(struct fx_arena *arena, struct fxt_random *random)
{
	static const char *const atoms[] = { "A", "B", "(A + 3)//4", "B//2",
		"(2*A - 1)//3", "A % 4", "(3*B + 1) % 6", "A*B", "A**2", "0" };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	size_t count = 1 + fxt_random_below(random, 2);

	for (size_t i = 0; i < count; i++)
		fx_buf_addf(&text, "%d*(%s) + ",
			(int)fxt_random_below(random, 5),
			atoms[fxt_random_below(random, FX_ARRAY_LEN(atoms))]);
	fx_buf_addf(&text, "%d", (int)fxt_random_below(random, 12) - 3);
	return read(arena, fx_buf_text(&text));
}

/* For sizes from 1: a factor that is 0 is left out of account. */
static void
what_an_equation_tells_is_what_it_says(void)
{
	struct fxt_random random = fxt_random_seed(7);
	size_t solved = 0;

	for (int i = 0; i < 3000; i++) {
		FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
		struct fx_value left = random_side(arena, &random);
		struct fx_value right = random_side(arena, &random);
		struct fx_size_fact fact;
		bool agrees = true;

		fx_size_solve(arena, left, right, &fact);
		solved += fact.kind != FX_SIZE_OPEN;
		for (int64_t k = 0; k < 144 && fact.kind != FX_SIZE_OPEN; k++) {
			int64_t a = 1 + k / 12;
			int64_t b = 1 + k % 12;

			agrees &= fact_holds(arena, &fact, a, b) ==
				  (number_of(arena, left, a, b) ==
					  number_of(arena, right, a, b));
		}
		if (!agrees)
			fprintf(stderr, "equation %d: kind %d\n", i, fact.kind);
		CU_ASSERT(agrees);
	}
	CU_ASSERT(solved > 500);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(sizes_have_one_form),
		FXT_CASE(sizes_print_as_torch_prints_them),
		FXT_CASE(the_canonical_form_keeps_the_number),
		FXT_CASE(what_is_certain_is_known_and_nothing_else),
		FXT_CASE(numbers_beyond_64_bits_are_unknown),
		FXT_CASE(specs_read_back_as_they_print),
		FXT_CASE(strides_and_devices_are_read),
		FXT_CASE(bad_specs_are_refused),
		FXT_CASE(what_an_equation_tells_is_what_it_says),
	};

	return fxt_run("size", cases, FX_ARRAY_LEN(cases));
}
