/* size_div.c - quotients and remainders of symbolic integers.
 *
 * A quotient gives up what is divisible, and nested quotients by constants
 * become one, so a chain of strided convolutions ends in one division.
 */
#include <config.h>

#include "base/arena.h"
#include "ir/size.h"
#include "ir/size_private.h"

/* Python's A % B and A // B; B is neither 0 nor -1, and no step on the way
 * outgrows 64 bits.
 */
static int64_t
floor_rest(int64_t a, int64_t b)
{
	int64_t rest = a % b;

	return rest && (rest < 0) != (b < 0) ? rest + b : rest;
}

static int64_t
floor_division(int64_t a, int64_t b)
{
	return a / b - (a % b && (a < 0) != (b < 0));
}

/* A / B when the term B divides the term A. */
static bool
divide_term(struct fx_arena *arena, const struct fx_size_term *a,
	const struct fx_size_term *b, struct fx_size_term *ret)
{
	struct fx_size_factor *factors =
		FX_ARENA_ARRAY(arena, struct fx_size_factor, a->factor_count);
	uint32_t j = 0;
	uint32_t count = 0;

	if (b->coefficient == -1 || a->coefficient % b->coefficient != 0)
		return false;
	for (uint32_t i = 0; i < a->factor_count; i++) {
		struct fx_size_factor factor = a->factors[i];

		if (j < b->factor_count && fx_size_compare_atoms(factor.atom,
						   b->factors[j].atom) == 0) {
			if (factor.power < b->factors[j].power)
				return false;
			factor.power -= b->factors[j++].power;
		}
		if (factor.power)
			factors[count++] = factor;
	}
	*ret = (struct fx_size_term){ a->coefficient / b->coefficient, count,
		factors };
	return j == b->factor_count;
}

/* Split A into B * quotient + rest, as far as single terms tell; B is one
 * term.
 */
static void
split_by_term(struct fx_arena *arena, struct fx_value a,
	const struct fx_size_term *b, struct fx_value *quotient_ret,
	struct fx_value *rest_ret)
{
	const struct fx_size_expr *expr = fx_size_expr_of(arena, a);
	struct fx_value quotient = fx_value_int(0);
	struct fx_value rest = fx_value_int(0);

	for (uint32_t i = 0; i < expr->term_count; i++) {
		struct fx_size_term *term =
			FX_ARENA_NEW(arena, struct fx_size_term);
		const struct fx_size_term *whole = &expr->terms[i];

		if (divide_term(arena, whole, b, term)) {
			quotient = fx_size_add(arena, quotient,
				fx_size_from_terms(arena, term, 1));
			continue;
		}
		*term = *whole;
		if (!whole->factor_count && !b->factor_count &&
			b->coefficient != -1) {
			quotient = fx_size_add(arena, quotient,
				fx_value_int(floor_division(whole->coefficient,
					b->coefficient)));
			term->coefficient =
				floor_rest(whole->coefficient, b->coefficient);
		}
		rest = fx_size_add(arena, rest,
			fx_size_from_terms(arena, term, 1));
	}
	*quotient_ret = quotient;
	*rest_ret = rest;
}

/* The atom when SIZE is (x // c) + k with a constant c; *K_RET is k. */
static const struct fx_size_atom *
shifted_quotient(struct fx_value size, int64_t *k_ret)
{
	const struct fx_size_term *terms;
	const struct fx_size_atom *atom;

	if (size.kind != FX_VALUE_SYMBOL || size.symbol->term_count > 2)
		return NULL;
	terms = size.symbol->terms;
	*k_ret = 0;
	if (size.symbol->term_count == 2) {
		if (terms[1].factor_count)
			return NULL;
		*k_ret = terms[1].coefficient;
	}
	if (terms[0].coefficient != 1 || terms[0].factor_count != 1 ||
		terms[0].factors[0].power != 1)
		return NULL;
	atom = terms[0].factors[0].atom;
	if (atom->kind != FX_SIZE_FLOORDIV ||
		atom->operands[1].kind != FX_VALUE_INT ||
		atom->operands[1].integer <= 0)
		return NULL;
	return atom;
}

static int64_t
gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a < 0 && a != INT64_MIN ? -a : a;
}

/* Greatest number that divides B and every symbolic term of A. */
static int64_t
common_divisor(const struct fx_size_expr *a, int64_t b)
{
	int64_t divisor = b;

	for (uint32_t i = 0; i < a->term_count; i++)
		if (a->terms[i].factor_count)
			divisor = gcd(divisor, a->terms[i].coefficient);
	return divisor;
}

/* REST // B for a positive constant B, REST a symbol. */
static struct fx_value
divide_by_number(struct fx_arena *arena, struct fx_value rest, int64_t b)
{
	int64_t shift;
	int64_t divisor;
	const struct fx_size_atom *inner = shifted_quotient(rest, &shift);
	int64_t product;
	struct fx_value quotient;
	struct fx_size_term one;

	/* (x // c + k) // b is (x + k*c) // (b*c). */
	if (inner && !__builtin_mul_overflow(inner->operands[1].integer, b,
			     &product))
		return fx_size_floordiv(arena,
			fx_size_add(arena, inner->operands[0],
				fx_size_mul(arena, fx_value_int(shift),
					inner->operands[1])),
			fx_value_int(product));
	divisor = common_divisor(rest.symbol, b);
	if (divisor > 1) {
		one = (struct fx_size_term){ divisor, 0, NULL };
		split_by_term(arena, rest, &one, &quotient, &rest);
		return fx_size_floordiv(arena, quotient,
			fx_value_int(b / divisor));
	}
	return fx_size_new_atom(arena, FX_SIZE_FLOORDIV, rest, fx_value_int(b));
}

struct fx_value
fx_size_floordiv(struct fx_arena *arena, struct fx_value a, struct fx_value b)
{
	const struct fx_size_expr *divisor;
	struct fx_value quotient = fx_value_int(0);
	struct fx_value rest = a;

	if (!fx_size_is(a) || !fx_size_is(b))
		return fx_size_none(a, b);
	if (b.kind == FX_VALUE_INT && b.integer == 0)
		return fx_value_text(FX_VALUE_UNKNOWN, "division by zero");
	if (b.kind == FX_VALUE_INT && b.integer == -1)
		return fx_size_mul(arena, a, b);
	if (a.kind == FX_VALUE_INT && b.kind == FX_VALUE_INT)
		return fx_value_int(floor_division(a.integer, b.integer));
	if (fx_size_equal(a, b))
		return fx_value_int(1);
	divisor = fx_size_expr_of(arena, b);
	if (divisor->term_count == 1)
		split_by_term(arena, a, divisor->terms, &quotient, &rest);
	if (rest.kind == FX_VALUE_INT && rest.integer == 0)
		return quotient;
	if (rest.kind == FX_VALUE_INT && b.kind == FX_VALUE_INT)
		rest = fx_value_int(floor_division(rest.integer, b.integer));
	else if (rest.kind == FX_VALUE_SYMBOL && b.kind == FX_VALUE_INT &&
		 b.integer > 0)
		rest = divide_by_number(arena, rest, b.integer);
	else if (rest.kind != FX_VALUE_UNKNOWN)
		rest = fx_size_new_atom(arena, FX_SIZE_FLOORDIV, rest, b);
	return fx_size_add(arena, quotient, rest);
}

struct fx_value
fx_size_mod(struct fx_arena *arena, struct fx_value a, struct fx_value b)
{
	const struct fx_size_expr *divisor;
	struct fx_value quotient;
	struct fx_value rest = a;

	if (!fx_size_is(a) || !fx_size_is(b))
		return fx_size_none(a, b);
	if (b.kind == FX_VALUE_INT && b.integer == 0)
		return fx_value_text(FX_VALUE_UNKNOWN, "modulo by zero");
	if (b.kind == FX_VALUE_INT && b.integer == -1)
		return fx_value_int(0);
	if (a.kind == FX_VALUE_INT && b.kind == FX_VALUE_INT)
		return fx_value_int(floor_rest(a.integer, b.integer));
	if (fx_size_equal(a, b))
		return fx_value_int(0);
	divisor = fx_size_expr_of(arena, b);
	if (divisor->term_count == 1)
		split_by_term(arena, a, divisor->terms, &quotient, &rest);
	if (rest.kind == FX_VALUE_INT && rest.integer == 0)
		return rest;
	if (rest.kind == FX_VALUE_INT && b.kind == FX_VALUE_INT)
		return fx_size_mod(arena, rest, b);
	return rest.kind == FX_VALUE_UNKNOWN
		       ? rest
		       : fx_size_new_atom(arena, FX_SIZE_MOD, rest, b);
}
