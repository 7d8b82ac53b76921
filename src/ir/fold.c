/* fold.c - operators of Python on values: dispatch, truth; fold_compare.c has
 * the comparisons.
 */
#include <config.h>

#include "ir/fold.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "ir/fold_private.h"
#include "ir/value_text.h"

bool
fx_fold_has(const struct fx_value *value, enum fx_value_kind kind)
{
	size_t count = fx_value_item_count(value);

	if (value->kind == kind)
		return true;
	for (size_t i = 0; i < count; i++)
		if (fx_fold_has(&value->items[i], kind))
			return true;
	return false;
}

bool
fx_fold_is_number(const struct fx_value *value)
{
	switch (value->kind) {
	case FX_VALUE_BOOL:
	case FX_VALUE_INT:
	case FX_VALUE_BIGINT:
	case FX_VALUE_FLOAT:
	case FX_VALUE_COMPLEX:
	case FX_VALUE_SYMBOL:
		return true;
	case FX_VALUE_UNKNOWN:
		return !value->is_input &&
		       (fx_fold_is_some(value, "float") ||
			       fx_fold_is_some(value, "int") ||
			       fx_fold_is_some(value, "bool"));
	}
	return false;
}

struct fx_error *
fx_fold_bad_operands(enum fx_ast_op op, const struct fx_value *left,
	const struct fx_value *right)
{
	return fx_error_new(FX_ERR_TYPE,
		"unsupported operand types for %s: \"%s\" and \"%s\"",
		fx_ast_op_text(op), fx_value_kind_name(left->kind),
		fx_value_kind_name(right->kind));
}

static bool
is_tensor(const struct fx_value *value)
{
	return value->kind == FX_VALUE_TENSOR || value->kind == FX_VALUE_HELD;
}

static bool
is_comparison(enum fx_ast_op op)
{
	return op >= FX_AST_EQ && op <= FX_AST_IS_NOT;
}

static const struct fx_value *
first_unknown(const struct fx_value *a, const struct fx_value *b)
{
	if (a->kind == FX_VALUE_UNKNOWN && !fx_fold_is_number(a))
		return a;
	if (b->kind == FX_VALUE_UNKNOWN && !fx_fold_is_number(b))
		return b;
	return NULL;
}

struct fx_error *
fx_fold_binary(struct fx_arena *arena, enum fx_ast_op op,
	const struct fx_value *left, const struct fx_value *right,
	struct fx_value *ret)
{
	const struct fx_value *unknown = first_unknown(left, right);
	struct fx_error *err = NULL;

	if (op == FX_AST_IS || op == FX_AST_IS_NOT)
		return fx_fold_compare(arena, op, left, right, ret);
	if ((is_tensor(left) && op != FX_AST_IN && op != FX_AST_NOT_IN) ||
		is_tensor(right))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%s of a tensor needs a backend", fx_ast_op_text(op));
	if (unknown) {
		*ret = *unknown;
		return NULL;
	}
	if (is_comparison(op))
		return fx_fold_compare(arena, op, left, right, ret);
	if (op == FX_AST_ADD && fx_fold_concat(arena, left, right, ret, &err))
		return err;
	if (op == FX_AST_MUL && fx_fold_repeat(arena, left, right, ret, &err))
		return err;
	if (op == FX_AST_MOD && left->kind == FX_VALUE_STRING)
		return fx_fold_format(arena, left, right, ret);
	if (!fx_fold_is_number(left) || !fx_fold_is_number(right) ||
		op == FX_AST_MATMUL)
		return fx_fold_bad_operands(op, left, right);
	return fx_fold_arithmetic(arena, op, left, right, ret);
}

static struct fx_error *
bad_operand(enum fx_ast_op op, const struct fx_value *value)
{
	return fx_error_new(FX_ERR_TYPE,
		"bad operand type for unary %s: \"%s\"", fx_ast_op_text(op),
		fx_value_kind_name(value->kind));
}

struct fx_error *
fx_fold_unary(struct fx_arena *arena, enum fx_ast_op op,
	const struct fx_value *value, struct fx_value *ret)
{
	struct fx_value zero = fx_value_int(0);
	struct fx_value minus_one = fx_value_int(-1);
	bool truth;

	if (op == FX_AST_NOT) {
		*ret = fx_fold_truth(value, &truth) ? fx_value_bool(!truth)
						    : fx_fold_some("bool");
		return NULL;
	}
	if (is_tensor(value))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"unary %s of a tensor needs a backend",
			fx_ast_op_text(op));
	if (value->kind == FX_VALUE_UNKNOWN && !fx_fold_is_number(value)) {
		*ret = *value;
		return NULL;
	}
	if (!fx_fold_is_number(value))
		return bad_operand(op, value);
	if (op == FX_AST_POS && value->kind == FX_VALUE_FLOAT) {
		*ret = *value;
		return NULL;
	}
	if (op == FX_AST_POS)
		return fx_fold_arithmetic(arena, FX_AST_ADD, value, &zero, ret);
	if (op == FX_AST_NEG && value->kind == FX_VALUE_FLOAT) {
		*ret = fx_value_float(-value->real);
		return NULL;
	}
	if (op == FX_AST_NEG)
		return fx_fold_arithmetic(arena, FX_AST_MUL, value, &minus_one,
			ret);
	if (value->kind == FX_VALUE_FLOAT || value->kind == FX_VALUE_COMPLEX)
		return bad_operand(op, value);
	/* ~x is -1 - x. */
	return fx_fold_arithmetic(arena, FX_AST_SUB, &minus_one, value, ret);
}

bool
fx_fold_truth(const struct fx_value *value, bool *truth_ret)
{
	int64_t length;

	switch ((enum fx_value_kind)value->kind) {
	case FX_VALUE_NONE:
		*truth_ret = false;
		return true;
	case FX_VALUE_BOOL:
		*truth_ret = value->truth;
		return true;
	case FX_VALUE_INT:
		*truth_ret = value->integer != 0;
		return true;
	case FX_VALUE_FLOAT:
		*truth_ret = value->real != 0;
		return true;
	case FX_VALUE_COMPLEX:
		*truth_ret = value->pair[0] != 0 || value->pair[1] != 0;
		return true;
	case FX_VALUE_STRING:
	case FX_VALUE_BYTES:
	case FX_VALUE_TUPLE:
	case FX_VALUE_LIST:
	case FX_VALUE_SIZE:
	case FX_VALUE_DICT:
	case FX_VALUE_NAMEDTUPLE:
		*truth_ret = value->count != 0;
		return true;
	case FX_VALUE_BIGINT:
	case FX_VALUE_ELLIPSIS:
	case FX_VALUE_DTYPE:
	case FX_VALUE_DEVICE:
	case FX_VALUE_LAYOUT:
	case FX_VALUE_MEMORY_FORMAT:
	case FX_VALUE_SLICE:
	case FX_VALUE_FUNCTION:
	case FX_VALUE_NODE_ID:
		*truth_ret = true;
		return true;
	case FX_VALUE_RANGE:
		if (!fx_fold_range_length(value, &length))
			break;
		*truth_ret = length != 0;
		return true;
	case FX_VALUE_NODE:
	case FX_VALUE_HELD:
	case FX_VALUE_OPAQUE:
	case FX_VALUE_TENSOR:
	case FX_VALUE_SYMBOL:
	case FX_VALUE_UNKNOWN:
	case FX_VALUE_KIND_COUNT:
		break;
	}
	return false;
}

/* Str() and the % of strings. */

/* Widths and precisions that nobody means. */
#define WIDTH_LIMIT 1000

static bool
is_known(const struct fx_value *value)
{
	size_t count = fx_value_item_count(value);

	if (value->kind == FX_VALUE_UNKNOWN || value->kind == FX_VALUE_TENSOR ||
		value->kind == FX_VALUE_HELD || value->kind == FX_VALUE_SYMBOL)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!is_known(&value->items[i]))
			return false;
	return true;
}

bool
fx_fold_add_str(struct fx_buf *out, const struct fx_value *value)
{
	if (!is_known(value))
		return false;
	if (value->kind == FX_VALUE_STRING)
		fx_buf_add_n(out, value->text, value->count);
	else if (value->kind == FX_VALUE_DEVICE)
		fx_buf_add(out, value->text);
	else
		fx_value_print_as(out, value, FX_STYLE_REPR);
	return true;
}

/* A conversion, %-08.3f. */
struct conversion {
	char flags[8]; /* of "-+ #0" */
	int width;
	int precision; /* -1: none */
	char type;
};

static bool
has_flag(const struct conversion *c, char flag)
{
	return strchr(c->flags, flag) != NULL;
}

static const char *
read_number(const char *at, const char *end, int *ret)
{
	for (*ret = 0; at < end && isdigit((unsigned char)*at); at++)
		*ret = FX_MIN(*ret * 10 + (*at - '0'), WIDTH_LIMIT + 1);
	return at;
}

static const char *
read_conversion(const char *at, const char *end, struct conversion *ret)
{
	size_t count = 0;

	*ret = (struct conversion){ .precision = -1 };
	for (; at < end && strchr("-+ #0", *at); at++)
		if (count < sizeof(ret->flags) - 1)
			ret->flags[count++] = *at;
	at = read_number(at, end, &ret->width);
	if (at < end && *at == '.')
		at = read_number(at + 1, end, &ret->precision);
	while (at < end && strchr("hlL", *at))
		at++;
	ret->type = '\0';
	if (at < end)
		ret->type = *at++;
	return at;
}

/* TEXT after PREFIX (a sign, 0x), filled up to the width. */
static void
add_filled(struct fx_buf *out, const struct conversion *c, const char *prefix,
	const char *text)
{
	int length = (int)strlen(prefix);
	int missing;

	for (const char *t = text; *t; t++)
		length += ((unsigned char)*t & 0xc0) != 0x80;
	missing = c->width - length;
	if (!has_flag(c, '-') && !has_flag(c, '0'))
		for (; missing > 0; missing--)
			fx_buf_add_char(out, ' ');
	fx_buf_add(out, prefix);
	if (!has_flag(c, '-'))
		for (; missing > 0; missing--)
			fx_buf_add_char(out, '0');
	fx_buf_add(out, text);
	for (; missing > 0; missing--)
		fx_buf_add_char(out, ' ');
}

static const char *
sign_of(const struct conversion *c, bool negative)
{
	return negative           ? "-"
	       : has_flag(c, '+') ? "+"
	       : has_flag(c, ' ') ? " "
				  : "";
}

static struct fx_error *
add_integer(struct fx_buf *out, const struct conversion *c,
	const struct fx_value *value)
{
	FX_AUTO_BUF struct fx_buf digits = { 0 };
	FX_AUTO_BUF struct fx_buf prefix = { 0 };
	struct fx_value number = *value;
	bool is_decimal = strchr("diu", c->type) != NULL;
	bool negative;

	if (number.kind == FX_VALUE_BOOL)
		number = fx_value_int(number.truth);
	if (number.kind == FX_VALUE_FLOAT && is_decimal &&
		fabs(number.real) < 0x1p126)
		number = fx_fold_from_wide((fx_wide)number.real);
	if ((number.kind == FX_VALUE_BIGINT && !is_decimal) ||
		(number.kind == FX_VALUE_FLOAT && is_decimal &&
			isfinite(number.real)))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%%%c of a number of more than 64 bits", c->type);
	if (number.kind != FX_VALUE_INT && number.kind != FX_VALUE_BIGINT)
		return fx_error_new(FX_ERR_TYPE,
			"%%%c format: a number is required, not \"%s\"",
			c->type, fx_value_kind_name(value->kind));
	if (is_decimal) {
		fx_value_print_as(&digits, &number, FX_STYLE_REPR);
		negative = *fx_buf_text(&digits) == '-';
	} else {
		uint64_t bits = (uint64_t)number.integer;

		negative = number.integer < 0;
		bits = negative ? -bits : bits;
		fx_buf_addf(&digits,
			c->type == 'x'   ? "%" PRIx64
			: c->type == 'X' ? "%" PRIX64
					 : "%" PRIo64,
			bits);
	}
	fx_buf_add(&prefix, sign_of(c, negative));
	if (!is_decimal && has_flag(c, '#'))
		fx_buf_addf(&prefix, "0%c", c->type);
	for (int i = (int)digits.length - (is_decimal && negative);
		i < c->precision; i++)
		fx_buf_add_char(&prefix, '0');
	add_filled(out, c, fx_buf_text(&prefix),
		fx_buf_text(&digits) + (is_decimal && negative));
	return NULL;
}

static struct fx_error *
add_float(struct fx_buf *out, const struct conversion *c,
	const struct fx_value *value)
{
	int precision = c->precision < 0 ? 6 : c->precision;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	double number;

	if (!fx_fold_double(value, &number))
		return fx_error_new(FX_ERR_TYPE,
			"%%%c format: a number is required, not \"%s\"",
			c->type, fx_value_kind_name(value->kind));
	if (c->type == 'e')
		fx_buf_addf(&text, "%.*e", precision, fabs(number));
	else if (c->type == 'g')
		fx_buf_addf(&text, "%.*g", precision, fabs(number));
	else
		fx_buf_addf(&text, "%.*f", precision, fabs(number));
	add_filled(out, c, sign_of(c, signbit(number) && !isnan(number)),
		fx_buf_text(&text));
	return NULL;
}

/* The bytes of the first COUNT characters of TEXT. */
static size_t
bytes_of(const char *text, int count)
{
	size_t at = 0;

	while (text[at] && count-- > 0)
		do
			at++;
		while (((unsigned char)text[at] & 0xc0) == 0x80);
	return at;
}

static void
add_text(struct fx_buf *out, struct conversion *c, const struct fx_value *value)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (c->type == 's')
		fx_fold_add_str(&text, value);
	else
		fx_value_print_as(&text, value, FX_STYLE_REPR);
	if (c->precision >= 0)
		fx_buf_truncate(&text,
			bytes_of(fx_buf_text(&text), c->precision));
	/* Only numbers are filled with zeros. */
	for (char *flag = c->flags; *flag; flag++)
		*flag = *flag == '0' ? '#' : *flag;
	add_filled(out, c, "", fx_buf_text(&text));
}

static struct fx_error *
add_conversion(struct fx_buf *out, struct conversion *c,
	const struct fx_value *value, bool *is_known_ret)
{
	*is_known_ret = is_known(value);
	if (!*is_known_ret)
		return NULL;
	if (c->width > WIDTH_LIMIT || c->precision > WIDTH_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"a format of more than %d characters", WIDTH_LIMIT);
	if (c->type && strchr("diuxXo", c->type))
		return add_integer(out, c, value);
	if (c->type && strchr("feg", c->type))
		return add_float(out, c, value);
	if (c->type == 's' || c->type == 'r') {
		add_text(out, c, value);
		return NULL;
	}
	return fx_error_new(FX_ERR_VALUE, "unsupported format character \"%c\"",
		c->type);
}

/* The name between parentheses at AT, "(name)", or NULL; AT goes behind it. */
static const char *
read_name(const char **at, const char *end)
{
	const char *first = *at + 1;
	const char *close;

	if (*at == end || **at != '(')
		return NULL;
	close = memchr(first, ')', (size_t)(end - first));
	if (!close)
		return NULL;
	*at = close + 1;
	return fx_intern_n(first, (size_t)(close - first));
}

struct fx_error *
fx_fold_format(struct fx_arena *arena, const struct fx_value *format,
	const struct fx_value *args, struct fx_value *ret)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	const char *at = format->text;
	const char *end = at + format->count;
	bool is_tuple = fx_fold_is_tuple(args);
	const struct fx_value *items = is_tuple ? args->items : args;
	size_t left = is_tuple ? args->count : 1;
	bool is_known_text = true;
	struct fx_error *err = NULL;

	while (at < end && !err && is_known_text) {
		const struct fx_value *item = items;
		struct conversion c;
		const char *name;

		if (*at != '%' || (at + 1 < end && at[1] == '%')) {
			fx_buf_add_char(&out, *at);
			at += *at == '%' ? 2 : 1;
			continue;
		}
		at++;
		name = read_name(&at, end);
		at = read_conversion(at, end, &c);
		if (name)
			item = fx_value_dict_get(args, name);
		else if (left)
			left--, items++;
		else
			item = NULL;
		if (!item)
			return fx_error_new(FX_ERR_TYPE,
				name ? "there is no such key for the format"
				     : "not enough arguments for the format");
		err = add_conversion(&out, &c, item, &is_known_text);
	}
	if (!err && left && is_known_text && args->kind != FX_VALUE_DICT)
		err = fx_error_new(FX_ERR_TYPE,
			"not all arguments are used by the format");
	*ret = is_known_text
		       ? fx_value_string_n(arena, fx_buf_text(&out), out.length)
		       : fx_fold_unknown("a formatted string");
	return err;
}
