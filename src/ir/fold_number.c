/* fold_number.c - Python's arithmetic on numbers.
 *
 * Ints are computed in 128 bits and become BIGINT past 64; what outgrows even
 * that is an UNKNOWN int.  Floats follow Python where C differs: // and % take
 * the sign of the divisor, ** of a negative base, division by zero.
 */
#include <config.h>

#include <math.h>
#include <string.h>

#include "ir/fold_private.h"
#include "ir/size.h"

bool
fx_fold_wide(const struct fx_value *value, fx_wide *ret)
{
	const char *text = value->text;
	bool negative;
	fx_wide number = 0;

	if (value->kind == FX_VALUE_BOOL) {
		*ret = value->truth;
		return true;
	}
	if (value->kind == FX_VALUE_INT) {
		*ret = value->integer;
		return true;
	}
	if (value->kind != FX_VALUE_BIGINT)
		return false;
	negative = *text == '-';
	for (text += negative; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(number, 10, &number) ||
			__builtin_add_overflow(number, *text - '0', &number))
			return false;
	*ret = negative ? -number : number;
	return true;
}

struct fx_value
fx_fold_from_wide(fx_wide number)
{
	char digits[48];
	size_t at = sizeof(digits);
	bool negative = number < 0;

	if (number >= INT64_MIN && number <= INT64_MAX)
		return fx_value_int((int64_t)number);
	digits[--at] = '\0';
	while (number) {
		int digit = (int)(number % 10);

		digits[--at] = (char)('0' + (negative ? -digit : digit));
		number /= 10;
	}
	if (negative)
		digits[--at] = '-';
	return fx_value_text(FX_VALUE_BIGINT, digits + at);
}

bool
fx_fold_double(const struct fx_value *value, double *ret)
{
	fx_wide number;

	if (value->kind == FX_VALUE_FLOAT) {
		*ret = value->real;
		return true;
	}
	if (!fx_fold_wide(value, &number))
		return false;
	*ret = (double)number;
	return true;
}

struct fx_value
fx_fold_some(const char *word)
{
	return fx_value_text(FX_VALUE_UNKNOWN, word);
}

bool
fx_fold_is_some(const struct fx_value *value, const char *word)
{
	size_t length;

	if (value->kind != FX_VALUE_UNKNOWN || !value->text ||
		value->is_input || *value->text != *word)
		return false;
	length = strlen(word);
	/* More may stand behind a blank: "bool u0 >= 0". */
	return strncmp(value->text, word, length) == 0 &&
	       (value->text[length] == '\0' || value->text[length] == ' ');
}

static struct fx_error *
zero_division(enum fx_ast_op op)
{
	return fx_error_new(FX_ERR_VALUE, "%s by zero",
		op == FX_AST_MOD ? "integer modulo" : "division");
}

/* Python's // and % for ints. */
static fx_wide
floor_quotient(fx_wide a, fx_wide b, fx_wide *rest_ret)
{
	fx_wide quotient = a / b;
	fx_wide rest = a % b;

	if (rest && (rest < 0) != (b < 0)) {
		quotient--;
		rest += b;
	}
	*rest_ret = rest;
	return quotient;
}

/* A ** B for B >= 0; false when it outgrows 127 bits. */
static bool
wide_power(fx_wide a, fx_wide b, fx_wide *ret)
{
	fx_wide result = 1;

	while (b > 0) {
		if ((b & 1) && __builtin_mul_overflow(result, a, &result))
			return false;
		b >>= 1;
		if (b && __builtin_mul_overflow(a, a, &a))
			return false;
	}
	*ret = result;
	return true;
}

static bool
wide_shift(fx_wide a, fx_wide b, bool left, fx_wide *ret)
{
	if (!left) {
		*ret = b > 126 ? (a < 0 ? -1 : 0) : a >> b;
		return true;
	}
	if (b > 126)
		return a == 0 ? (*ret = 0, true) : false;
	return !__builtin_mul_overflow(a, (fx_wide)1 << b, ret);
}

/* Ints divided truly: right to the last bit, or not known. */
static struct fx_value
true_quotient(fx_wide a, fx_wide b)
{
	const fx_wide exact = (fx_wide)1 << 53;

	if (a <= exact && a >= -exact && b <= exact && b >= -exact)
		return fx_value_float((double)a / (double)b);
	return a % b == 0 ? fx_value_float((double)(a / b))
			  : fx_fold_some("float");
}

/* Float arithmetic. */
static struct fx_error *
fold_floats(enum fx_ast_op op, double a, double b, struct fx_value *ret)
{
	double rest;
	double result = 0;

	if ((op == FX_AST_DIV || op == FX_AST_FLOORDIV || op == FX_AST_MOD) &&
		b == 0)
		return fx_error_new(FX_ERR_VALUE, "float %s by zero",
			op == FX_AST_DIV   ? "division"
			: op == FX_AST_MOD ? "modulo"
					   : "floor division");
	if (op == FX_AST_ADD)
		result = a + b;
	else if (op == FX_AST_SUB)
		result = a - b;
	else if (op == FX_AST_MUL)
		result = a * b;
	else if (op == FX_AST_DIV)
		result = a / b;
	if (op == FX_AST_FLOORDIV || op == FX_AST_MOD) {
		double quotient;

		rest = fmod(a, b);
		quotient = (a - rest) / b;
		if (rest != 0 && (b < 0) != (rest < 0)) {
			rest += b;
			quotient -= 1;
		} else if (rest == 0) {
			rest = copysign(0, b);
		}
		result = op == FX_AST_MOD ? rest
			 : quotient == 0  ? copysign(0, a / b)
					  : floor(quotient);
		if (op == FX_AST_FLOORDIV && quotient - result > 0.5)
			result += 1;
	}
	if (op == FX_AST_POW) {
		if (a == 0 && b < 0)
			return fx_error_new(FX_ERR_VALUE,
				"0.0 cannot be raised to a negative power");
		if (a < 0 && isfinite(b) && b != floor(b)) {
			*ret = fx_value_text(FX_VALUE_UNKNOWN,
				"a complex number");
			return NULL;
		}
		result = pow(a, b);
		if (isinf(result) && isfinite(a) && isfinite(b))
			return fx_error_new(FX_ERR_VALUE,
				"the power is too large for a float");
	}
	*ret = fx_value_float(result);
	return NULL;
}

static struct fx_error *
fold_wides(enum fx_ast_op op, fx_wide a, fx_wide b, struct fx_value *ret)
{
	fx_wide result = 0;
	fx_wide rest = 0;
	bool fits = true;

	if ((op == FX_AST_DIV || op == FX_AST_FLOORDIV || op == FX_AST_MOD) &&
		b == 0)
		return zero_division(op);
	if ((op == FX_AST_LSHIFT || op == FX_AST_RSHIFT) && b < 0)
		return fx_error_new(FX_ERR_VALUE, "negative shift count");
	if (op == FX_AST_POW && b < 0)
		return fold_floats(op, (double)a, (double)b, ret);
	if (op == FX_AST_DIV) {
		*ret = true_quotient(a, b);
		return NULL;
	}
	if (op == FX_AST_ADD)
		fits = !__builtin_add_overflow(a, b, &result);
	else if (op == FX_AST_SUB)
		fits = !__builtin_sub_overflow(a, b, &result);
	else if (op == FX_AST_MUL)
		fits = !__builtin_mul_overflow(a, b, &result);
	else if (op == FX_AST_FLOORDIV)
		result = floor_quotient(a, b, &rest);
	else if (op == FX_AST_MOD)
		floor_quotient(a, b, &result);
	else if (op == FX_AST_POW)
		fits = wide_power(a, b, &result);
	else if (op == FX_AST_LSHIFT || op == FX_AST_RSHIFT)
		fits = wide_shift(a, b, op == FX_AST_LSHIFT, &result);
	else if (op == FX_AST_BITAND)
		result = a & b;
	else if (op == FX_AST_BITOR)
		result = a | b;
	else
		result = a ^ b;
	*ret = fits ? fx_fold_from_wide(result) : fx_fold_some("int");
	return NULL;
}

static bool
is_size(const struct fx_value *value)
{
	return value->kind == FX_VALUE_INT || value->kind == FX_VALUE_SYMBOL ||
	       value->kind == FX_VALUE_BOOL;
}

/* At least one operand is a SYMBOL, the other an int or a symbol. */
static struct fx_error *
fold_sizes(struct fx_arena *arena, enum fx_ast_op op, struct fx_value a,
	struct fx_value b, struct fx_value *ret)
{
	bool divides =
		op == FX_AST_FLOORDIV || op == FX_AST_MOD || op == FX_AST_DIV;

	if (divides && b.kind == FX_VALUE_INT && b.integer == 0)
		return zero_division(op);
	if (op == FX_AST_ADD) {
		*ret = fx_size_add(arena, a, b);
	} else if (op == FX_AST_SUB) {
		*ret = fx_size_sub(arena, a, b);
	} else if (op == FX_AST_MUL) {
		*ret = fx_size_mul(arena, a, b);
	} else if (op == FX_AST_FLOORDIV) {
		*ret = fx_size_floordiv(arena, a, b);
	} else if (op == FX_AST_MOD) {
		*ret = fx_size_mod(arena, a, b);
	} else if (op == FX_AST_POW && b.kind == FX_VALUE_INT &&
		   b.integer >= 0 && b.integer <= 16) {
		*ret = fx_value_int(1);
		for (int64_t i = 0; i < b.integer; i++)
			*ret = fx_size_mul(arena, *ret, a);
	} else {
		bool is_float = op == FX_AST_DIV ||
				(op == FX_AST_POW && b.kind == FX_VALUE_INT &&
					b.integer < 0);

		*ret = fx_fold_some(is_float ? "float" : "int");
	}
	if (ret->kind == FX_VALUE_UNKNOWN && !fx_fold_is_number(ret))
		*ret = fx_fold_some("int");
	return NULL;
}

/* A number whose value is not known takes part: only the type follows. */
static struct fx_value
fold_some(enum fx_ast_op op, const struct fx_value *a, const struct fx_value *b)
{
	bool is_float = op == FX_AST_DIV || a->kind == FX_VALUE_FLOAT ||
			b->kind == FX_VALUE_FLOAT ||
			fx_fold_is_some(a, "float") ||
			fx_fold_is_some(b, "float");

	if (a->kind == FX_VALUE_COMPLEX || b->kind == FX_VALUE_COMPLEX)
		return fx_fold_unknown("a complex number");
	if (op == FX_AST_POW && !is_float)
		return fx_fold_unknown("a power of unknown type");
	return fx_fold_some(is_float ? "float" : "int");
}

static bool
complex_of(const struct fx_value *value, double pair[2])
{
	pair[1] = 0;
	if (value->kind != FX_VALUE_COMPLEX)
		return fx_fold_double(value, &pair[0]);
	pair[0] = value->pair[0];
	pair[1] = value->pair[1];
	return true;
}

static struct fx_error *
fold_complex(struct fx_arena *arena, enum fx_ast_op op,
	const struct fx_value *left, const struct fx_value *right,
	struct fx_value *ret)
{
	double a[2];
	double b[2];

	if (!complex_of(left, a) || !complex_of(right, b)) {
		*ret = fx_fold_unknown("a complex number");
		return NULL;
	}
	if (op == FX_AST_ADD)
		*ret = fx_value_complex(arena, a[0] + b[0], a[1] + b[1]);
	else if (op == FX_AST_SUB)
		*ret = fx_value_complex(arena, a[0] - b[0], a[1] - b[1]);
	else if (op == FX_AST_MUL)
		*ret = fx_value_complex(arena, a[0] * b[0] - a[1] * b[1],
			a[0] * b[1] + a[1] * b[0]);
	else if (op == FX_AST_DIV || op == FX_AST_POW)
		*ret = fx_fold_unknown("a complex number");
	else
		return fx_fold_bad_operands(op, left, right);
	return NULL;
}

static bool
is_bitwise(enum fx_ast_op op)
{
	return op == FX_AST_LSHIFT || op == FX_AST_RSHIFT ||
	       op == FX_AST_BITAND || op == FX_AST_BITOR || op == FX_AST_BITXOR;
}

struct fx_error *
fx_fold_arithmetic(struct fx_arena *arena, enum fx_ast_op op,
	const struct fx_value *left, const struct fx_value *right,
	struct fx_value *ret)
{
	fx_wide a;
	fx_wide b;
	double x;
	double y;
	bool has_float =
		left->kind == FX_VALUE_FLOAT || right->kind == FX_VALUE_FLOAT;
	bool has_complex = left->kind == FX_VALUE_COMPLEX ||
			   right->kind == FX_VALUE_COMPLEX;

	if (is_bitwise(op) && (has_float || has_complex))
		return fx_fold_bad_operands(op, left, right);
	if (is_bitwise(op) && left->kind == FX_VALUE_BOOL &&
		right->kind == FX_VALUE_BOOL && op != FX_AST_LSHIFT &&
		op != FX_AST_RSHIFT) {
		*ret = fx_value_bool(op == FX_AST_BITAND
					     ? left->truth && right->truth
				     : op == FX_AST_BITOR
					     ? left->truth || right->truth
					     : left->truth != right->truth);
		return NULL;
	}
	if (has_complex)
		return fold_complex(arena, op, left, right, ret);
	if (fx_fold_wide(left, &a) && fx_fold_wide(right, &b))
		return fold_wides(op, a, b, ret);
	if (fx_fold_double(left, &x) && fx_fold_double(right, &y))
		return fold_floats(op, x, y, ret);
	if (is_size(left) && is_size(right))
		return fold_sizes(arena, op, fx_fold_as_size(left),
			fx_fold_as_size(right), ret);
	if ((op == FX_AST_DIV || op == FX_AST_FLOORDIV || op == FX_AST_MOD) &&
		fx_fold_double(right, &y) && y == 0)
		return zero_division(op);
	*ret = fold_some(op, left, right);
	return NULL;
}
