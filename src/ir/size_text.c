/* size_text.c - symbolic integers as text, both ways. */
#include <config.h>

#include <string.h>

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
