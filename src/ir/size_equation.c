/* size_equation.c - solving one equation of symbolic integers for one name.
 *
 * The two sides become one sum that is zero.  A name that stands in it once,
 * alone and with the coefficient 1 or -1, is solved for.  A sum of one term and
 * a number gives a power of one atom: a name, a quotient by a number (its name
 * lies in a range), a remainder (its name has a rest).  c*(x//c) = x + k is a
 * remainder of x.  Everything else stays open.
 */
#include <config.h>

#include "ir/size_equation.h"

#include "base/arena.h"
#include "base/buf.h"
#include "ir/size.h"
#include "ir/size_private.h"

/* Beyond these, numbers are not tried one by one. */
#define TRY_LIMIT    65536
#define NUMBER_LIMIT ((int64_t)1 << 40)

/* --- names -------------------------------------------------------------- */

static bool
atom_mentions(const struct fx_size_atom *atom, const char *name)
{
	if (atom->kind == FX_SIZE_NAME)
		return atom->name == name;
	return fx_size_mentions(atom->operands[0], name) ||
	       fx_size_mentions(atom->operands[1], name);
}

bool
fx_size_mentions(struct fx_value size, const char *name)
{
	if (size.kind != FX_VALUE_SYMBOL)
		return false;
	for (uint32_t i = 0; i < size.symbol->term_count; i++) {
		const struct fx_size_term *term = &size.symbol->terms[i];

		for (uint32_t k = 0; k < term->factor_count; k++)
			if (atom_mentions(term->factors[k].atom, name))
				return true;
	}
	return false;
}

/* The atom that TERM is a multiple of, or NULL. */
static const struct fx_size_atom *
single_atom(const struct fx_size_term *term)
{
	return term->factor_count == 1 && term->factors[0].power == 1
		       ? term->factors[0].atom
		       : NULL;
}

const char *
fx_size_bare_name(struct fx_value size)
{
	const struct fx_size_atom *atom;

	if (size.kind != FX_VALUE_SYMBOL || size.symbol->term_count != 1 ||
		size.symbol->terms[0].coefficient != 1)
		return NULL;
	atom = single_atom(&size.symbol->terms[0]);
	return atom && atom->kind == FX_SIZE_NAME ? atom->name : NULL;
}

static struct fx_value
substitute_atom(struct fx_arena *arena, const struct fx_size_atom *atom,
	const char *name, struct fx_value value)
{
	struct fx_value a;
	struct fx_value b;

	if (atom->kind == FX_SIZE_NAME)
		return atom->name == name ? value
					  : fx_size_symbol(arena, atom->name);
	a = fx_size_substitute(arena, atom->operands[0], name, value);
	b = fx_size_substitute(arena, atom->operands[1], name, value);
	switch (atom->kind) {
	case FX_SIZE_NAME:
		break;
	case FX_SIZE_FLOORDIV:
		return fx_size_floordiv(arena, a, b);
	case FX_SIZE_MOD:
		return fx_size_mod(arena, a, b);
	case FX_SIZE_MIN:
		return fx_size_min(arena, a, b);
	case FX_SIZE_MAX:
		return fx_size_max(arena, a, b);
	}
	return a;
}

struct fx_value
fx_size_substitute(struct fx_arena *arena, struct fx_value size,
	const char *name, struct fx_value value)
{
	struct fx_value sum = fx_value_int(0);

	if (!fx_size_mentions(size, name))
		return size;
	for (uint32_t i = 0; i < size.symbol->term_count; i++) {
		const struct fx_size_term *term = &size.symbol->terms[i];
		struct fx_value product = fx_value_int(term->coefficient);

		for (uint32_t k = 0; k < term->factor_count; k++) {
			struct fx_value factor = substitute_atom(arena,
				term->factors[k].atom, name, value);

			for (uint32_t p = 0; p < term->factors[k].power; p++)
				product = fx_size_mul(arena, product, factor);
		}
		sum = fx_size_add(arena, sum, product);
	}
	return sum;
}

/* --- one equation ------------------------------------------------------- */

/* A sum that is to be 0: TERMS terms with atoms, and a number. */
struct equation {
	struct fx_arena *arena;
	struct fx_value sum;
	uint32_t terms;
	int64_t constant;
	int64_t divisor; /* of all coefficients of those terms */
};

static void
read_equation(struct equation *eq, struct fx_value sum)
{
	const struct fx_size_expr *expr = sum.symbol;

	eq->sum = sum;
	eq->terms = expr->term_count;
	eq->constant = 0;
	if (!expr->terms[eq->terms - 1].factor_count)
		eq->constant = expr->terms[--eq->terms].coefficient;
	eq->divisor = 0;
	for (uint32_t i = 0; i < eq->terms; i++)
		eq->divisor =
			fx_size_gcd(eq->divisor, expr->terms[i].coefficient);
}

/* Whether no sizes make it 0: all that is added is positive, or all
 * negative, or the number is no multiple of what the rest is one of.
 */
static bool
is_impossible(const struct equation *eq)
{
	if (eq->constant % eq->divisor)
		return true;
	if (!eq->constant)
		return false;
	for (uint32_t i = 0; i < eq->terms; i++) {
		const struct fx_size_term *term = &eq->sum.symbol->terms[i];

		if ((term->coefficient < 0) != (eq->constant < 0))
			return false;
		for (uint32_t k = 0; k < term->factor_count; k++)
			if (term->factors[k].atom->kind != FX_SIZE_NAME)
				return false;
	}
	return true;
}

static void
set_kind(struct fx_size_fact *ret, enum fx_size_fact_kind kind)
{
	*ret = (struct fx_size_fact){ .kind = kind };
}

static void
set_is(struct fx_size_fact *ret, const char *name, struct fx_value value)
{
	set_kind(ret, value.kind == FX_VALUE_INT && value.integer < 0
			      ? FX_SIZE_NEVER
			      : FX_SIZE_IS);
	ret->name = name;
	ret->value = value;
}

static void
set_range(struct fx_size_fact *ret, const char *name, int64_t low, int64_t high)
{
	low = low < 0 ? 0 : low;
	if (low == high) {
		set_is(ret, name, fx_value_int(low));
		return;
	}
	set_kind(ret, low > high ? FX_SIZE_NEVER : FX_SIZE_RANGE);
	ret->name = name;
	ret->low = low;
	ret->high = high;
}

/* Solve for NAME if it stands in EQ once, alone. */
static bool
solve_for(const struct equation *eq, const char *name, struct fx_size_fact *ret)
{
	struct fx_value rest;
	int64_t coefficient = 0;

	for (uint32_t i = 0; i < eq->terms; i++) {
		const struct fx_size_term *term = &eq->sum.symbol->terms[i];
		const struct fx_size_atom *atom = single_atom(term);

		if (atom && atom->kind == FX_SIZE_NAME && atom->name == name)
			coefficient = term->coefficient / eq->divisor;
	}
	if (coefficient != 1 && coefficient != -1)
		return false;
	rest = fx_size_sub(eq->arena, eq->sum,
		fx_size_mul(eq->arena, fx_size_symbol(eq->arena, name),
			fx_value_int(coefficient * eq->divisor)));
	if (rest.kind == FX_VALUE_UNKNOWN || fx_size_mentions(rest, name))
		return false;
	rest = fx_size_floordiv(eq->arena, rest,
		fx_value_int(-coefficient * eq->divisor));
	if (rest.kind == FX_VALUE_UNKNOWN)
		return false;
	set_is(ret, name, rest);
	return true;
}

/* SIZE as FACTOR * NAME + SHIFT, small numbers, FACTOR > 0. */
static bool
is_linear(struct fx_value size, const char **name, int64_t *factor,
	int64_t *shift)
{
	const struct fx_size_atom *atom;
	const struct fx_size_term *terms;

	if (size.kind != FX_VALUE_SYMBOL || size.symbol->term_count > 2)
		return false;
	terms = size.symbol->terms;
	atom = single_atom(&terms[0]);
	if (!atom || atom->kind != FX_SIZE_NAME)
		return false;
	*name = atom->name;
	*factor = terms[0].coefficient;
	*shift = 0;
	if (size.symbol->term_count == 2) {
		if (terms[1].factor_count)
			return false;
		*shift = terms[1].coefficient;
	}
	return *factor > 0 && *factor < NUMBER_LIMIT &&
	       *shift<NUMBER_LIMIT && * shift> - NUMBER_LIMIT;
}

static bool
is_small(struct fx_value value)
{
	return value.kind == FX_VALUE_INT && value.integer > 0 &&
	       value.integer < NUMBER_LIMIT;
}

/* A // B rounded up and down, B > 0. */
static int64_t
floor_of(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int64_t
ceiling_of(int64_t a, int64_t b)
{
	return -floor_of(-a, b);
}

/* SIZE // DIVISOR = QUOTIENT. */
static void
solve_quotient(const struct fx_size_atom *atom, int64_t quotient,
	struct fx_size_fact *ret)
{
	const char *name;
	int64_t factor;
	int64_t shift;
	int64_t divisor;
	int64_t low;

	if (!is_linear(atom->operands[0], &name, &factor, &shift) ||
		!is_small(atom->operands[1]))
		return;
	divisor = atom->operands[1].integer;
	if (quotient > NUMBER_LIMIT / divisor ||
		quotient < -NUMBER_LIMIT / divisor)
		return;
	low = divisor * quotient - shift;
	set_range(ret, name, ceiling_of(low, factor),
		floor_of(low + divisor - 1, factor));
}

/* SIZE % DIVISOR = REST. */
static void
solve_remainder(struct fx_value size, int64_t divisor, int64_t rest,
	struct fx_size_fact *ret)
{
	const char *name;
	int64_t factor;
	int64_t shift;
	int64_t period;

	if (rest < 0 || rest >= divisor) {
		set_kind(ret, FX_SIZE_NEVER);
		return;
	}
	if (!is_linear(size, &name, &factor, &shift))
		return;
	factor %= divisor;
	shift = (shift % divisor + divisor) % divisor;
	period = divisor / fx_size_gcd(divisor, factor);
	if (divisor > TRY_LIMIT || !factor)
		return;
	for (int64_t i = 0; i < period; i++)
		if ((factor * i + shift) % divisor == rest) {
			*ret = (struct fx_size_fact){ .kind = FX_SIZE_REST,
				.name = name,
				.low = i,
				.divisor = period };
			return;
		}
	set_kind(ret, FX_SIZE_NEVER);
}

/* The number whose power POWER is VALUE, or -1. */
static int64_t
root_of(int64_t value, uint32_t power)
{
	for (int64_t i = 0; i <= TRY_LIMIT; i++) {
		int64_t product = 1;

		for (uint32_t p = 0; p < power && product <= value; p++)
			product *= i;
		if (product == value)
			return i;
		if (product > value)
			return -1;
	}
	return -1;
}

/* The only factor of TERM, or, with IS_ZERO, the only one that can be 0 when
 * names are not; NULL where there are several.
 */
static const struct fx_size_factor *
only_factor(const struct fx_size_term *term, bool is_zero)
{
	const struct fx_size_factor *only = NULL;

	if (term->factor_count == 1)
		return term->factors;
	for (uint32_t i = 0; i < term->factor_count; i++) {
		const struct fx_size_factor *factor = &term->factors[i];

		if (is_zero && factor->atom->kind == FX_SIZE_NAME)
			continue;
		if (only)
			return NULL;
		only = factor;
	}
	return only;
}

/* One term and a number. */
static void
solve_term(const struct equation *eq, struct fx_size_fact *ret)
{
	const struct fx_size_term *term = &eq->sum.symbol->terms[0];
	const struct fx_size_factor *factor =
		only_factor(term, eq->constant == 0);
	const struct fx_size_atom *atom = factor ? factor->atom : NULL;
	uint32_t power = factor ? factor->power : 0;
	int64_t value = -(eq->constant / term->coefficient);

	if (!atom)
		return;
	if (power > 1) {
		if (value < 0 || value >= NUMBER_LIMIT || power > 8)
			return;
		value = root_of(value, power);
		if (value < 0) {
			set_kind(ret, FX_SIZE_NEVER);
			return;
		}
	}
	if (atom->kind == FX_SIZE_NAME)
		set_is(ret, atom->name, fx_value_int(value));
	else if (atom->kind == FX_SIZE_FLOORDIV)
		solve_quotient(atom, value, ret);
	else if (atom->kind == FX_SIZE_MOD && is_small(atom->operands[1]))
		solve_remainder(atom->operands[0], atom->operands[1].integer,
			value, ret);
}

/* m*c*(x//c) - m*x + n: that is n - m*(x % c). */
static bool
solve_difference(const struct equation *eq, struct fx_size_fact *ret)
{
	for (uint32_t i = 0; i < eq->terms; i++) {
		const struct fx_size_term *term = &eq->sum.symbol->terms[i];
		const struct fx_size_atom *atom = single_atom(term);
		struct fx_value whole;
		struct fx_value rest;
		int64_t times;

		if (!atom || atom->kind != FX_SIZE_FLOORDIV ||
			!is_small(atom->operands[1]) ||
			term->coefficient % atom->operands[1].integer)
			continue;
		times = term->coefficient / atom->operands[1].integer;
		whole = fx_size_mul(eq->arena,
			fx_size_new_atom(eq->arena, FX_SIZE_FLOORDIV,
				atom->operands[0], atom->operands[1]),
			fx_value_int(term->coefficient));
		rest = fx_size_add(eq->arena,
			fx_size_sub(eq->arena, eq->sum, whole),
			fx_size_mul(eq->arena, atom->operands[0],
				fx_value_int(times)));
		if (rest.kind != FX_VALUE_INT)
			continue;
		if (rest.integer % times)
			set_kind(ret, FX_SIZE_NEVER);
		else
			solve_remainder(atom->operands[0],
				atom->operands[1].integer, rest.integer / times,
				ret);
		return true;
	}
	return false;
}

static bool
solve_for_any(const struct equation *eq, struct fx_size_fact *ret)
{
	for (uint32_t i = 0; i < eq->terms; i++) {
		const struct fx_size_atom *atom =
			single_atom(&eq->sum.symbol->terms[i]);

		if (atom && atom->kind == FX_SIZE_NAME &&
			solve_for(eq, atom->name, ret))
			return true;
	}
	return false;
}

void
fx_size_solve(struct fx_arena *arena, struct fx_value a, struct fx_value b,
	struct fx_size_fact *ret)
{
	struct fx_value sum = fx_size_sub(arena, a, b);
	const char *left = fx_size_bare_name(a);
	const char *right = fx_size_bare_name(b);
	struct equation eq = { .arena = arena };

	set_kind(ret, FX_SIZE_OPEN);
	if (sum.kind == FX_VALUE_INT)
		set_kind(ret, sum.integer ? FX_SIZE_NEVER : FX_SIZE_ALWAYS);
	if (sum.kind != FX_VALUE_SYMBOL)
		return;
	read_equation(&eq, sum);
	if (is_impossible(&eq))
		set_kind(ret, FX_SIZE_NEVER);
	else if ((right && solve_for(&eq, right, ret)) ||
		 (left && solve_for(&eq, left, ret)) ||
		 solve_for_any(&eq, ret) || solve_difference(&eq, ret))
		return;
	else if (eq.terms == 1)
		solve_term(&eq, ret);
}

/* --- two facts ---------------------------------------------------------- */

static bool
fact_allows(const struct fx_size_fact *fact, int64_t number)
{
	if (fact->kind == FX_SIZE_RANGE)
		return number >= fact->low && number <= fact->high;
	return number % fact->divisor == fact->low;
}

bool
fx_size_facts_clash(const struct fx_size_fact *a, const struct fx_size_fact *b)
{
	const struct fx_size_fact *facts[2] = { a, b };
	int64_t low = 0;
	int64_t high = INT64_MAX;
	int64_t period = 1;

	for (size_t i = 0; i < 2; i++) {
		if (facts[i]->kind == FX_SIZE_RANGE) {
			low = FX_MAX(low, facts[i]->low);
			high = FX_MIN(high, facts[i]->high);
		} else {
			period *= facts[i]->divisor;
		}
	}
	if (low > high)
		return true;
	if (period > TRY_LIMIT)
		return false;
	for (int64_t i = 0; i < period && i <= high - low; i++)
		if (fact_allows(a, low + i) && fact_allows(b, low + i))
			return false;
	return true;
}

void
fx_size_fact_print(struct fx_buf *out, const struct fx_size_fact *fact)
{
	switch (fact->kind) {
	case FX_SIZE_OPEN:
	case FX_SIZE_ALWAYS:
	case FX_SIZE_NEVER:
		break;
	case FX_SIZE_IS:
		fx_buf_addf(out, "%s = ", fact->name);
		fx_size_print(out, fact->value);
		break;
	case FX_SIZE_RANGE:
		fx_buf_addf(out, "%lld <= %s <= %lld", (long long)fact->low,
			fact->name, (long long)fact->high);
		break;
	case FX_SIZE_REST:
		fx_buf_addf(out, "%s %% %lld = %lld", fact->name,
			(long long)fact->divisor, (long long)fact->low);
		break;
	}
}
