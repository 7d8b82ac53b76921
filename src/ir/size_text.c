/* size_text.c - symbolic integers as text, both ways. */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "ir/size.h"
#include "ir/size_private.h"
#include "lang/ast.h"

/* A sum or product leans left, a level for each of its parts: whatever is
 * printed here has fewer.
 */
#define DEPTH_LIMIT (3 * FX_SIZE_WEIGHT_LIMIT)

/* How tightly what is around a text binds. */
enum {
	IN_SUM,
	IN_PRODUCT,
	IN_POWER,
};

static void print_at(struct fx_buf *out, struct fx_value size, int level);

static void
print_division(struct fx_buf *out, const struct fx_size_atom *atom, int level)
{
	if (level > IN_SUM)
		fx_buf_add_char(out, '(');
	print_at(out, atom->operands[0], IN_PRODUCT);
	fx_buf_add(out, atom->kind == FX_SIZE_MOD ? " % " : "//");
	print_at(out, atom->operands[1], IN_POWER);
	if (level > IN_SUM)
		fx_buf_add_char(out, ')');
}

static void
print_atom(struct fx_buf *out, const struct fx_size_atom *atom, int level)
{
	switch (atom->kind) {
	case FX_SIZE_NAME:
		fx_buf_add(out, atom->name);
		break;
	case FX_SIZE_FLOORDIV:
	case FX_SIZE_MOD:
		print_division(out, atom, level);
		break;
	case FX_SIZE_MIN:
	case FX_SIZE_MAX:
		fx_buf_add(out, atom->kind == FX_SIZE_MIN ? "Min(" : "Max(");
		print_at(out, atom->operands[0], IN_SUM);
		fx_buf_add(out, ", ");
		print_at(out, atom->operands[1], IN_SUM);
		fx_buf_add_char(out, ')');
		break;
	}
}

/* The absolute value of TERM; its sign is the caller's. */
static void
print_term(struct fx_buf *out, const struct fx_size_term *term, int level)
{
	uint64_t number = term->coefficient < 0
				  ? 0 - (uint64_t)term->coefficient
				  : (uint64_t)term->coefficient;
	bool needs_star = number != 1 || !term->factor_count;

	if (needs_star)
		fx_buf_addf(out, "%llu", (unsigned long long)number);
	if (needs_star || term->factor_count > 1)
		level = IN_PRODUCT;
	for (uint32_t i = 0; i < term->factor_count; i++) {
		if (needs_star)
			fx_buf_add_char(out, '*');
		print_atom(out, term->factors[i].atom,
			term->factors[i].power > 1 ? IN_POWER : level);
		if (term->factors[i].power > 1)
			fx_buf_addf(out, "**%u", term->factors[i].power);
		needs_star = true;
	}
}

/* Whether a sum of these terms needs brackets at LEVEL. */
static bool
needs_brackets(const struct fx_size_expr *expr, int level)
{
	const struct fx_size_term *first = expr->terms;

	if (expr->term_count > 1)
		return level > IN_SUM;
	if (first->coefficient == 1 && first->factor_count == 1 &&
		first->factors[0].power == 1)
		return false;
	return level == IN_POWER || (level > IN_SUM && first->coefficient < 0);
}

static void
print_at(struct fx_buf *out, struct fx_value size, int level)
{
	const struct fx_size_expr *expr = size.symbol;
	bool brackets;

	if (size.kind != FX_VALUE_SYMBOL) {
		fx_buf_add_int(out, size.integer);
		return;
	}
	brackets = needs_brackets(expr, level);
	if (brackets)
		fx_buf_add_char(out, '(');
	if (brackets || expr->term_count > 1)
		level = IN_SUM;
	for (uint32_t i = 0; i < expr->term_count; i++) {
		bool negative = expr->terms[i].coefficient < 0;

		if (i > 0)
			fx_buf_add(out, negative ? " - " : " + ");
		else if (negative)
			fx_buf_add_char(out, '-');
		print_term(out, &expr->terms[i], negative ? IN_PRODUCT : level);
	}
	if (brackets)
		fx_buf_add_char(out, ')');
}

void
fx_size_print(struct fx_buf *out, struct fx_value size)
{
	if (size.kind == FX_VALUE_INT || size.kind == FX_VALUE_SYMBOL)
		print_at(out, size, IN_SUM);
	else
		fx_buf_add_char(out, '?');
}

/* Where a tree is being read. */
struct reader {
	struct fx_arena *arena;
	const char *text;
	int depth;
};

static struct fx_error *read_tree(struct reader *reader,
	const struct fx_ast *expr, struct fx_value *ret);

static struct fx_error *
no_size_here(struct reader *reader, const struct fx_ast *expr)
{
	return fx_error_at(fx_error_new(FX_ERR_SYNTAX,
				   "a size is made of names, integers and + - "
				   "* // %% **"),
		reader->text, expr->span);
}

static struct fx_error *
read_power(struct reader *reader, const struct fx_ast *expr,
	struct fx_value base, struct fx_value *ret)
{
	const struct fx_ast *power = expr->kids[1];
	struct fx_value product = fx_value_int(1);

	if (power->kind != FX_AST_INT || power->text || power->integer < 0 ||
		power->integer > 64)
		return no_size_here(reader, power);
	for (int64_t i = 0; i < power->integer; i++)
		product = fx_size_mul(reader->arena, product, base);
	*ret = product;
	return NULL;
}

static struct fx_error *
apply(struct reader *reader, const struct fx_ast *expr, enum fx_ast_op op,
	const struct fx_value *operands, struct fx_value *ret)
{
	struct fx_arena *arena = reader->arena;
	struct fx_value a = operands[0];
	struct fx_value b = operands[1];

	if ((op == FX_AST_FLOORDIV || op == FX_AST_MOD || op == FX_AST_DIV) &&
		b.kind == FX_VALUE_INT && b.integer == 0)
		return fx_error_at(fx_error_new(FX_ERR_VALUE,
					   "a size is divided by zero"),
			reader->text, expr->span);
	if (op == FX_AST_ADD)
		*ret = fx_size_add(arena, a, b);
	else if (op == FX_AST_SUB)
		*ret = fx_size_sub(arena, a, b);
	else if (op == FX_AST_MUL)
		*ret = fx_size_mul(arena, a, b);
	else if (op == FX_AST_FLOORDIV || op == FX_AST_DIV)
		*ret = fx_size_floordiv(arena, a, b);
	else if (op == FX_AST_MOD)
		*ret = fx_size_mod(arena, a, b);
	else
		return no_size_here(reader, expr);
	return NULL;
}

static struct fx_error *
read_binary(struct reader *reader, const struct fx_ast *expr,
	struct fx_value *ret)
{
	struct fx_value operands[2];
	struct fx_error *err = read_tree(reader, expr->kids[0], &operands[0]);

	if (err)
		return err;
	if (expr->op == FX_AST_POW)
		return read_power(reader, expr, operands[0], ret);
	err = read_tree(reader, expr->kids[1], &operands[1]);
	return err ? err : apply(reader, expr, expr->op, operands, ret);
}

/* Min(a, b), Max(a, b, ...), FloorDiv(a, b), Mod(a, b) and what torch writes
 * like them; the part after the last dot decides.
 */
static struct fx_error *
read_call(struct reader *reader, const struct fx_ast *expr,
	struct fx_value *ret)
{
	static const struct {
		const char *name;
		enum fx_ast_op op; /* NONE: MIN or MAX */
		bool is_max;
	} functions[] = {
		{ "Min", FX_AST_OP_NONE, false },
		{ "min", FX_AST_OP_NONE, false },
		{ "Max", FX_AST_OP_NONE, true },
		{ "max", FX_AST_OP_NONE, true },
		{ "FloorDiv", FX_AST_FLOORDIV, false },
		{ "CleanDiv", FX_AST_FLOORDIV, false },
		{ "Mod", FX_AST_MOD, false },
		{ "PythonMod", FX_AST_MOD, false },
	};
	const char *name = expr->kids[0]->text;
	struct fx_value operands[2];
	struct fx_error *err;
	size_t i = 0;

	while (name && i < FX_ARRAY_LEN(functions) &&
		strcmp(name, functions[i].name) != 0)
		i++;
	if (!name || i == FX_ARRAY_LEN(functions) || expr->kid_count < 3 ||
		(functions[i].op && expr->kid_count != 3))
		return no_size_here(reader, expr);
	err = read_tree(reader, expr->kids[1], &operands[0]);
	for (uint32_t k = 2; !err && k < expr->kid_count; k++) {
		err = read_tree(reader, expr->kids[k], &operands[1]);
		if (err)
			break;
		if (functions[i].op)
			err = apply(reader, expr, functions[i].op, operands,
				&operands[0]);
		else if (functions[i].is_max)
			operands[0] = fx_size_max(reader->arena, operands[0],
				operands[1]);
		else
			operands[0] = fx_size_min(reader->arena, operands[0],
				operands[1]);
	}
	*ret = operands[0];
	return err;
}

static struct fx_error *
read_tree(struct reader *reader, const struct fx_ast *expr,
	struct fx_value *ret)
{
	struct fx_error *err;

	if (reader->depth >= DEPTH_LIMIT)
		return fx_error_at(fx_error_new(FX_ERR_LIMIT,
					   "a size is nested more than %d deep",
					   DEPTH_LIMIT),
			reader->text, expr->span);
	reader->depth++;
	if (expr->kind == FX_AST_NAME) {
		*ret = fx_size_symbol(reader->arena, expr->text);
		err = NULL;
	} else if (expr->kind == FX_AST_INT && !expr->text) {
		*ret = fx_value_int(expr->integer);
		err = NULL;
	} else if (expr->kind == FX_AST_UNARY && expr->op == FX_AST_NEG) {
		err = read_tree(reader, expr->kids[0], ret);
		if (!err)
			*ret = fx_size_mul(reader->arena, *ret,
				fx_value_int(-1));
	} else if (expr->kind == FX_AST_BINARY) {
		err = read_binary(reader, expr, ret);
	} else if (expr->kind == FX_AST_CALL) {
		err = read_call(reader, expr, ret);
	} else {
		err = no_size_here(reader, expr);
	}
	reader->depth--;
	return err;
}

struct fx_error *
fx_size_from_ast(struct fx_arena *arena, const char *text,
	const struct fx_ast *expr, struct fx_value *ret)
{
	struct reader reader = { .arena = arena, .text = text };
	struct fx_error *err = read_tree(&reader, expr, ret);

	if (!err && ret->kind == FX_VALUE_UNKNOWN)
		return fx_error_at(fx_error_new(FX_ERR_LIMIT, "%s", ret->text),
			text, expr->span);
	return err;
}

/* Quotients and remainders of symbolic integers.
 *
 * A quotient gives up what is divisible, and nested quotients by constants
 * become one, so a chain of strided convolutions ends in one division.
 */

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

/* Greatest number that divides B and every symbolic term of A. */
static int64_t
common_divisor(const struct fx_size_expr *a, int64_t b)
{
	int64_t divisor = b;

	for (uint32_t i = 0; i < a->term_count; i++)
		if (a->terms[i].factor_count)
			divisor = fx_size_gcd(divisor, a->terms[i].coefficient);
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
