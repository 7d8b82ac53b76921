/* size.c - arithmetic on symbolic integers.
 *
 * Sums and products are expanded to polynomials; division is in size_div.c.
 * Anything too large, and integers beyond 64 bits, become UNKNOWN rather than
 * wrong.
 */
#include <config.h>

#include "ir/size.h"

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "ir/size_private.h"
#include "ir/value.h"

static int compare_exprs(const struct fx_size_expr *a,
	const struct fx_size_expr *b);

static struct fx_value
too_large(void)
{
	return fx_value_text(FX_VALUE_UNKNOWN,
		"a size expression grew too large");
}

bool
fx_size_is(struct fx_value value)
{
	return value.kind == FX_VALUE_INT || value.kind == FX_VALUE_SYMBOL;
}

struct fx_value
fx_size_none(struct fx_value a, struct fx_value b)
{
	if (a.kind == FX_VALUE_UNKNOWN)
		return a;
	if (b.kind == FX_VALUE_UNKNOWN)
		return b;
	return fx_value_text(FX_VALUE_UNKNOWN, "not an integer");
}

static int
compare_values(struct fx_value a, struct fx_value b)
{
	if (a.kind != b.kind)
		return a.kind == FX_VALUE_INT ? 1 : -1;
	if (a.kind == FX_VALUE_INT)
		return (a.integer > b.integer) - (a.integer < b.integer);
	return compare_exprs(a.symbol, b.symbol);
}

int64_t
fx_size_gcd(int64_t a, int64_t b)
{
	while (b) {
		/* INT64_MIN % -1 traps. */
		int64_t rest = b == -1 ? 0 : a % b;

		a = b;
		b = rest;
	}
	return a < 0 && a != INT64_MIN ? -a : a;
}

int
fx_size_compare_atoms(const struct fx_size_atom *a,
	const struct fx_size_atom *b)
{
	int order;

	if (a == b)
		return 0;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == FX_SIZE_NAME)
		return a->name == b->name ? 0 : strcmp(a->name, b->name);
	order = compare_values(a->operands[0], b->operands[0]);
	return order ? order : compare_values(a->operands[1], b->operands[1]);
}

static uint64_t
term_degree(const struct fx_size_term *term)
{
	uint64_t degree = 0;

	for (uint32_t i = 0; i < term->factor_count; i++)
		degree += term->factors[i].power;
	return degree;
}

/* The order of terms in a sum; 0 when they differ in their coefficient only. */
static int
compare_terms(const struct fx_size_term *a, const struct fx_size_term *b)
{
	uint64_t a_degree = term_degree(a);
	uint64_t b_degree = term_degree(b);

	if (a_degree != b_degree)
		return a_degree > b_degree ? -1 : 1;
	for (uint32_t i = 0; i < a->factor_count && i < b->factor_count; i++) {
		int order = fx_size_compare_atoms(a->factors[i].atom,
			b->factors[i].atom);

		if (order)
			return order;
		if (a->factors[i].power != b->factors[i].power)
			return a->factors[i].power > b->factors[i].power ? -1
									 : 1;
	}
	return 0;
}

static int
compare_exprs(const struct fx_size_expr *a, const struct fx_size_expr *b)
{
	if (a == b)
		return 0;
	if (a->term_count != b->term_count)
		return a->term_count < b->term_count ? -1 : 1;
	for (uint32_t i = 0; i < a->term_count; i++) {
		int64_t a_number = a->terms[i].coefficient;
		int64_t b_number = b->terms[i].coefficient;
		int order = compare_terms(&a->terms[i], &b->terms[i]);

		if (order)
			return order;
		if (a_number != b_number)
			return a_number < b_number ? -1 : 1;
	}
	return 0;
}

const struct fx_size_expr *
fx_size_expr_of(struct fx_arena *arena, struct fx_value size)
{
	struct fx_size_expr *expr;
	struct fx_size_term *term;

	if (size.kind == FX_VALUE_SYMBOL)
		return size.symbol;
	expr = FX_ARENA_NEW(arena, struct fx_size_expr);
	if (size.integer == 0)
		return expr;
	term = FX_ARENA_NEW(arena, struct fx_size_term);
	term->coefficient = size.integer;
	expr->terms = term;
	expr->term_count = 1;
	return expr;
}

static size_t
operand_weight(struct fx_value operand)
{
	return operand.kind == FX_VALUE_SYMBOL ? operand.symbol->weight : 1;
}

static size_t
term_weight(const struct fx_size_term *term)
{
	size_t weight = 1;

	for (uint32_t i = 0; i < term->factor_count; i++) {
		const struct fx_size_atom *atom = term->factors[i].atom;

		weight++;
		if (atom->kind != FX_SIZE_NAME)
			weight += operand_weight(atom->operands[0]) +
				  operand_weight(atom->operands[1]);
	}
	return weight;
}

struct fx_value
fx_size_from_terms(struct fx_arena *arena, struct fx_size_term *terms,
	size_t count)
{
	struct fx_size_expr *expr;
	size_t weight = 0;

	if (count == 0)
		return fx_value_int(0);
	if (count == 1 && terms[0].factor_count == 0)
		return fx_value_int(terms[0].coefficient);
	for (size_t i = 0; i < count && weight <= FX_SIZE_WEIGHT_LIMIT; i++)
		weight += term_weight(&terms[i]);
	if (weight > FX_SIZE_WEIGHT_LIMIT)
		return too_large();
	expr = FX_ARENA_NEW(arena, struct fx_size_expr);
	expr->terms = terms;
	expr->term_count = (uint32_t)count;
	expr->weight = (uint32_t)weight;
	return (struct fx_value){ .kind = FX_VALUE_SYMBOL, .symbol = expr };
}

static struct fx_value
from_atom(struct fx_arena *arena, const struct fx_size_atom *atom)
{
	struct fx_size_factor *factor =
		FX_ARENA_NEW(arena, struct fx_size_factor);
	struct fx_size_term *term = FX_ARENA_NEW(arena, struct fx_size_term);

	factor->atom = atom;
	factor->power = 1;
	*term = (struct fx_size_term){ 1, 1, factor };
	return fx_size_from_terms(arena, term, 1);
}

struct fx_value
fx_size_new_atom(struct fx_arena *arena, enum fx_size_atom_kind kind,
	struct fx_value a, struct fx_value b)
{
	struct fx_size_atom *atom = FX_ARENA_NEW(arena, struct fx_size_atom);

	atom->kind = kind;
	atom->operands[0] = a;
	atom->operands[1] = b;
	return from_atom(arena, atom);
}

struct fx_value
fx_size_symbol(struct fx_arena *arena, const char *name)
{
	struct fx_size_atom *atom = FX_ARENA_NEW(arena, struct fx_size_atom);

	atom->kind = FX_SIZE_NAME;
	atom->name = fx_intern(name);
	return from_atom(arena, atom);
}

/* Merge two sorted sums; false when a coefficient outgrows 64 bits. */
static bool
merge_sums(const struct fx_size_expr *a, const struct fx_size_expr *b,
	struct fx_size_term *out, size_t *count_ret)
{
	uint32_t i = 0;
	uint32_t j = 0;
	size_t count = 0;

	while (i < a->term_count || j < b->term_count) {
		int order = i == a->term_count ? 1
			    : j == b->term_count
				    ? -1
				    : compare_terms(&a->terms[i], &b->terms[j]);

		if (order) {
			out[count++] =
				order < 0 ? a->terms[i++] : b->terms[j++];
			continue;
		}
		out[count] = a->terms[i];
		if (__builtin_add_overflow(a->terms[i++].coefficient,
			    b->terms[j++].coefficient, &out[count].coefficient))
			return false;
		if (out[count].coefficient)
			count++;
	}
	*count_ret = count;
	return true;
}

struct fx_value
fx_size_add(struct fx_arena *arena, struct fx_value a, struct fx_value b)
{
	const struct fx_size_expr *left;
	const struct fx_size_expr *right;
	struct fx_size_term *terms;
	size_t count;
	int64_t sum;

	if (!fx_size_is(a) || !fx_size_is(b))
		return fx_size_none(a, b);
	if (a.kind == FX_VALUE_INT && b.kind == FX_VALUE_INT)
		return __builtin_add_overflow(a.integer, b.integer, &sum)
			       ? too_large()
			       : fx_value_int(sum);
	left = fx_size_expr_of(arena, a);
	right = fx_size_expr_of(arena, b);
	terms = FX_ARENA_ARRAY(arena, struct fx_size_term,
		(size_t)left->term_count + right->term_count);
	if (!merge_sums(left, right, terms, &count))
		return too_large();
	return fx_size_from_terms(arena, terms, count);
}

struct fx_value
fx_size_sub(struct fx_arena *arena, struct fx_value a, struct fx_value b)
{
	return fx_size_add(arena, a, fx_size_mul(arena, b, fx_value_int(-1)));
}

/* The product of two terms; false on overflow. */
static bool
multiply_terms(struct fx_arena *arena, const struct fx_size_term *a,
	const struct fx_size_term *b, struct fx_size_term *ret)
{
	struct fx_size_factor *factors =
		FX_ARENA_ARRAY(arena, struct fx_size_factor,
			(size_t)a->factor_count + b->factor_count);
	uint32_t i = 0;
	uint32_t j = 0;
	uint32_t count = 0;

	if (__builtin_mul_overflow(a->coefficient, b->coefficient,
		    &ret->coefficient))
		return false;
	while (i < a->factor_count || j < b->factor_count) {
		int order = i == a->factor_count ? 1
			    : j == b->factor_count
				    ? -1
				    : fx_size_compare_atoms(a->factors[i].atom,
					      b->factors[j].atom);

		factors[count] = order <= 0 ? a->factors[i++] : b->factors[j++];
		if (order == 0 &&
			__builtin_add_overflow(factors[count].power,
				b->factors[j++].power, &factors[count].power))
			return false;
		count++;
	}
	ret->factors = factors;
	ret->factor_count = count;
	return true;
}

struct fx_value
fx_size_mul(struct fx_arena *arena, struct fx_value a, struct fx_value b)
{
	const struct fx_size_expr *left;
	const struct fx_size_expr *right;
	struct fx_value sum = fx_value_int(0);
	int64_t product;

	if (!fx_size_is(a) || !fx_size_is(b))
		return fx_size_none(a, b);
	if (a.kind == FX_VALUE_INT && b.kind == FX_VALUE_INT)
		return __builtin_mul_overflow(a.integer, b.integer, &product)
			       ? too_large()
			       : fx_value_int(product);
	left = fx_size_expr_of(arena, a);
	right = fx_size_expr_of(arena, b);
	if (left->term_count * right->term_count > FX_SIZE_WEIGHT_LIMIT)
		return too_large();
	for (uint32_t i = 0; i < left->term_count; i++)
		for (uint32_t j = 0; j < right->term_count; j++) {
			struct fx_size_term *term =
				FX_ARENA_NEW(arena, struct fx_size_term);

			if (!multiply_terms(arena, &left->terms[i],
				    &right->terms[j], term))
				return too_large();
			sum = fx_size_add(arena, sum,
				fx_size_from_terms(arena, term, 1));
		}
	return sum;
}

static struct fx_value
extreme(struct fx_arena *arena, enum fx_size_atom_kind kind, struct fx_value a,
	struct fx_value b)
{
	struct fx_value difference = fx_size_sub(arena, a, b);

	if (difference.kind == FX_VALUE_UNKNOWN)
		return difference;
	if (difference.kind == FX_VALUE_INT)
		return (difference.integer < 0) == (kind == FX_SIZE_MIN) ? a
									 : b;
	if (compare_values(a, b) > 0)
		return fx_size_new_atom(arena, kind, b, a);
	return fx_size_new_atom(arena, kind, a, b);
}

struct fx_value
fx_size_min(struct fx_arena *arena, struct fx_value a, struct fx_value b)
{
	return extreme(arena, FX_SIZE_MIN, a, b);
}

struct fx_value
fx_size_max(struct fx_arena *arena, struct fx_value a, struct fx_value b)
{
	return extreme(arena, FX_SIZE_MAX, a, b);
}

bool
fx_size_equal(struct fx_value a, struct fx_value b)
{
	return fx_size_is(a) && fx_size_is(b) && compare_values(a, b) == 0;
}

/* Return how many terms SIZE has besides its constant term, which comes last,
 * and set *CONSTANT_RET to that constant, or to 0 if SIZE has none.
 */
static uint32_t
split_constant(struct fx_value size, int64_t *constant_ret)
{
	uint32_t count = size.symbol->term_count;

	*constant_ret = 0;
	if (count && size.symbol->terms[count - 1].factor_count == 0)
		*constant_ret = size.symbol->terms[--count].coefficient;
	return count;
}

bool
fx_size_differs(struct fx_value a, struct fx_value b)
{
	struct fx_size_expr left;
	struct fx_size_expr right;
	int64_t a_constant;
	int64_t b_constant;

	if (a.kind == FX_VALUE_INT && b.kind == FX_VALUE_INT)
		return a.integer != b.integer;
	if (a.kind != FX_VALUE_SYMBOL || b.kind != FX_VALUE_SYMBOL)
		return false;
	left = *a.symbol;
	right = *b.symbol;
	left.term_count = split_constant(a, &a_constant);
	right.term_count = split_constant(b, &b_constant);
	return compare_exprs(&left, &right) == 0 && a_constant != b_constant;
}

static const struct fx_size_atom *
clone_atom(struct fx_arena *arena, const struct fx_size_atom *atom)
{
	struct fx_size_atom *copy = FX_ARENA_NEW(arena, struct fx_size_atom);

	*copy = *atom;
	if (atom->kind != FX_SIZE_NAME)
		for (int i = 0; i < 2; i++)
			copy->operands[i] =
				fx_size_clone(arena, atom->operands[i]);
	return copy;
}

struct fx_value
fx_size_clone(struct fx_arena *arena, struct fx_value size)
{
	const struct fx_size_expr *expr = size.symbol;
	struct fx_size_term *terms;

	if (size.kind != FX_VALUE_SYMBOL)
		return size;
	terms = FX_ARENA_ARRAY(arena, struct fx_size_term, expr->term_count);
	for (uint32_t i = 0; i < expr->term_count; i++) {
		uint32_t count = expr->terms[i].factor_count;
		struct fx_size_factor *factors =
			FX_ARENA_ARRAY(arena, struct fx_size_factor, count);

		for (uint32_t j = 0; j < count; j++) {
			const struct fx_size_factor *from =
				&expr->terms[i].factors[j];

			factors[j].atom = clone_atom(arena, from->atom);
			factors[j].power = from->power;
		}
		terms[i] = expr->terms[i];
		terms[i].factors = factors;
	}
	return fx_size_from_terms(arena, terms, expr->term_count);
}
