/* fold_call.c - builtins and functions of math on plain values.
 *
 * Each function is a row: its name, how many arguments it takes, what does it.
 */
#include <config.h>

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/fold_private.h"
#include "ir/value_read.h"

static struct fx_error *
call_len(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	return fx_fold_length(call->arena, &call->args[0], ret);
}

static struct fx_error *
bad_argument(const struct fx_fold_arguments *call, const char *wanted)
{
	return fx_error_new(FX_ERR_TYPE, "%s() needs %s, not \"%s\"",
		call->name, wanted, fx_value_kind_name(call->args[0].kind));
}

/* A float cut, floored or raised to an int. */
static struct fx_error *
int_of_double(const struct fx_fold_arguments *call, double number,
	struct fx_value *ret)
{
	if (!isfinite(number))
		return fx_error_new(FX_ERR_VALUE,
			"%s() cannot make an integer of %s", call->name,
			isnan(number) ? "nan" : "infinity");
	*ret = fabs(number) < 1e37 ? fx_fold_from_wide((fx_wide)number)
				   : fx_fold_some("int");
	return NULL;
}

static struct fx_error *
int_of_text(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	int64_t number;

	if (!fx_number_parse_int(call->args[0].text, call->args[0].count,
		    &number))
		return fx_error_new(FX_ERR_VALUE,
			"\"%s\" is no integer that int() reads",
			call->args[0].text);
	*ret = fx_value_int(number);
	return NULL;
}

static struct fx_error *
call_int(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	const struct fx_value *value = &call->args[0];
	fx_wide number;

	if (call->count == 0) {
		*ret = fx_value_int(0);
		return NULL;
	}
	if (fx_fold_wide(value, &number)) {
		*ret = fx_fold_from_wide(number);
		return NULL;
	}
	if (value->kind == FX_VALUE_FLOAT)
		return int_of_double(call, trunc(value->real), ret);
	if (value->kind == FX_VALUE_STRING)
		return int_of_text(call, ret);
	if (value->kind == FX_VALUE_SYMBOL || value->kind == FX_VALUE_BIGINT)
		*ret = *value;
	else if (value->kind == FX_VALUE_UNKNOWN ||
		 value->kind == FX_VALUE_TENSOR)
		*ret = fx_fold_some("int");
	else
		return bad_argument(call, "a number or a string");
	return NULL;
}

static struct fx_error *
call_float(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	const struct fx_value *value = &call->args[0];
	double number = 0;

	if (call->count && value->kind == FX_VALUE_STRING) {
		if (!fx_value_float_of(value->text, value->count, &number))
			return fx_error_new(FX_ERR_VALUE,
				"\"%s\" is no number that float() reads",
				value->text);
	} else if (call->count && !fx_fold_double(value, &number)) {
		if (!fx_fold_is_number(value) &&
			value->kind != FX_VALUE_UNKNOWN &&
			value->kind != FX_VALUE_TENSOR)
			return bad_argument(call, "a number or a string");
		*ret = fx_fold_some("float");
		return NULL;
	}
	*ret = fx_value_float(number);
	return NULL;
}

static struct fx_error *
call_bool(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	bool truth = false;

	if (call->count && !fx_fold_truth(&call->args[0], &truth))
		*ret = fx_fold_some("bool");
	else
		*ret = fx_value_bool(truth);
	return NULL;
}

static struct fx_error *
call_not(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	return fx_fold_unary(call->arena, FX_AST_NOT, &call->args[0], ret);
}

static struct fx_error *
call_str(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (call->count && !fx_fold_add_str(&text, &call->args[0]))
		*ret = fx_fold_unknown("the text of something unknown");
	else
		*ret = fx_value_string_n(call->arena, fx_buf_text(&text),
			text.length);
	return NULL;
}

static struct fx_error *
call_abs(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	const struct fx_value *value = &call->args[0];
	struct fx_value zero = fx_value_int(0);
	struct fx_value negative;
	struct fx_error *err;

	if (value->kind == FX_VALUE_COMPLEX) {
		*ret = fx_value_float(hypot(value->pair[0], value->pair[1]));
		return NULL;
	}
	if (value->kind == FX_VALUE_FLOAT) {
		*ret = fx_value_float(fabs(value->real));
		return NULL;
	}
	err = fx_fold_binary(call->arena, FX_AST_LT, value, &zero, &negative);
	if (err)
		return err;
	if (negative.kind != FX_VALUE_BOOL) {
		*ret = fx_fold_is_number(value) ? fx_fold_some("int") : *value;
		return NULL;
	}
	return fx_fold_unary(call->arena,
		negative.truth ? FX_AST_NEG : FX_AST_POS, value, ret);
}

/* Half to even, by way of the text that is correctly rounded. */
static struct fx_error *
call_round(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_value *value = &call->args[0];
	bool has_digits =
		call->count > 1 && call->args[1].kind != FX_VALUE_NONE;
	double number;

	if (value->kind != FX_VALUE_FLOAT) {
		if (!fx_fold_is_number(value) ||
			value->kind == FX_VALUE_COMPLEX)
			return bad_argument(call, "a number");
		*ret = fx_fold_is_some(value, "float") && !has_digits
			       ? fx_fold_some("int")
		       : value->kind == FX_VALUE_BOOL
			       ? fx_value_int(value->truth)
			       : *value;
		if (has_digits && value->kind != FX_VALUE_UNKNOWN &&
			(call->args[1].kind != FX_VALUE_INT ||
				call->args[1].integer < 0))
			*ret = fx_fold_some("int");
		return NULL;
	}
	if (!has_digits)
		return int_of_double(call, nearbyint(value->real), ret);
	if (call->args[1].kind != FX_VALUE_INT || call->args[1].integer < 0 ||
		call->args[1].integer > 30 || !isfinite(value->real)) {
		*ret = isfinite(value->real) ? fx_fold_some("float") : *value;
		return NULL;
	}
	fx_buf_addf(&text, "%.*f", (int)call->args[1].integer, value->real);
	if (!fx_number_parse_double(fx_buf_text(&text), text.length, &number))
		*ret = fx_fold_some("float");
	else
		*ret = fx_value_float(number);
	return NULL;
}

static struct fx_error *
call_divmod(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	struct fx_value pair[2];
	struct fx_error *err = fx_fold_binary(call->arena, FX_AST_FLOORDIV,
		&call->args[0], &call->args[1], &pair[0]);

	if (!err)
		err = fx_fold_binary(call->arena, FX_AST_MOD, &call->args[0],
			&call->args[1], &pair[1]);
	if (!err)
		*ret = fx_value_sequence(call->arena, FX_VALUE_TUPLE, pair, 2);
	return err;
}

static struct fx_error *
call_pow(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	return fx_fold_binary(call->arena, FX_AST_POW, &call->args[0],
		&call->args[1], ret);
}

/* math.pow works in floats. */
static struct fx_error *
call_math_pow(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	double a;
	double b;
	struct fx_value x;

	if (!fx_fold_double(&call->args[0], &a) ||
		!fx_fold_double(&call->args[1], &b)) {
		*ret = fx_fold_some("float");
		return NULL;
	}
	x = fx_value_float(a);
	return fx_fold_binary(call->arena, FX_AST_POW, &x, &call->args[1], ret);
}

static struct fx_error *
call_isqrt(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	int64_t number = call->args[0].integer;
	int64_t root;

	if (call->args[0].kind != FX_VALUE_INT) {
		*ret = fx_fold_some("int");
		return NULL;
	}
	if (number < 0)
		return fx_error_new(FX_ERR_VALUE,
			"isqrt() of a negative number");
	root = (int64_t)sqrt((double)number);
	while (root > 0 && root > number / root)
		root--;
	while ((root + 1) <= number / (root + 1))
		root++;
	*ret = fx_value_int(root);
	return NULL;
}

/* math.floor (-1), ceil (1), trunc (0): ints stay, floats become ints. */
static struct fx_error *
call_whole(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	const struct fx_value *value = &call->args[0];
	fx_wide number;
	double real;

	if (fx_fold_wide(value, &number)) {
		*ret = fx_fold_from_wide(number);
		return NULL;
	}
	if (value->kind == FX_VALUE_SYMBOL) {
		*ret = *value;
		return NULL;
	}
	if (value->kind != FX_VALUE_FLOAT) {
		if (value->kind != FX_VALUE_UNKNOWN)
			return bad_argument(call, "a number");
		*ret = fx_fold_some("int");
		return NULL;
	}
	real = call->variant < 0   ? floor(value->real)
	       : call->variant > 0 ? ceil(value->real)
				   : trunc(value->real);
	return int_of_double(call, real, ret);
}

static struct fx_error *
call_log(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	double number;
	double base = 0;

	if (!fx_fold_double(&call->args[0], &number) ||
		(call->count > 1 && !fx_fold_double(&call->args[1], &base))) {
		*ret = fx_fold_some("float");
		return NULL;
	}
	if (number <= 0 || (call->count > 1 && base <= 0))
		return fx_error_new(FX_ERR_VALUE, "math domain error");
	*ret = fx_value_float(call->count > 1 ? log(number) / log(base)
					      : log(number));
	return NULL;
}

/* Functions of one float. */
static const struct {
	const char *name;
	double (*function)(double);
} float_functions[] = {
	{ "math.sqrt", sqrt },
	{ "torch.sym_sqrt", sqrt },
	{ "torch._sym_sqrt", sqrt },
	{ "math.log2", log2 },
	{ "math.log10", log10 },
	{ "math.log1p", log1p },
	{ "math.exp", exp },
	{ "math.sin", sin },
	{ "math.cos", cos },
	{ "math.tan", tan },
	{ "math.atan", atan },
	{ "math.tanh", tanh },
	{ "math.fabs", fabs },
};

static struct fx_error *
call_math(const struct fx_fold_arguments *call, double (*function)(double),
	struct fx_value *ret)
{
	double number;
	double result;

	if (!fx_fold_double(&call->args[0], &number)) {
		if (!fx_fold_is_number(&call->args[0]) &&
			call->args[0].kind != FX_VALUE_UNKNOWN)
			return bad_argument(call, "a number");
		*ret = fx_fold_some("float");
		return NULL;
	}
	result = function(number);
	if ((isnan(result) && !isnan(number)) ||
		(isinf(result) && isfinite(number)))
		return fx_error_new(FX_ERR_VALUE, "math domain error");
	*ret = fx_value_float(result);
	return NULL;
}

static const struct {
	const char *name;
	size_t least;
	size_t most;
	fx_fold_builtin *call;
	int variant; /* where one function does several */
} calls[] = {
	{ "len", 1, 1, call_len, 0 },
	{ "int", 0, 1, call_int, 0 },
	{ "float", 0, 1, call_float, 0 },
	{ "bool", 0, 1, call_bool, 0 },
	{ "str", 0, 1, call_str, 0 },
	{ "type", 1, 1, fx_fold_call_type, 0 },
	{ "abs", 1, 1, call_abs, 0 },
	{ "min", 1, SIZE_MAX, fx_fold_call_min_max, FX_AST_LT },
	{ "max", 1, SIZE_MAX, fx_fold_call_min_max, FX_AST_GT },
	{ "sum", 1, 2, fx_fold_call_sum, FX_AST_ADD },
	{ "round", 1, 2, call_round, 0 },
	{ "tuple", 0, 1, fx_fold_call_sequence, FX_VALUE_TUPLE },
	{ "list", 0, 1, fx_fold_call_sequence, FX_VALUE_LIST },
	{ "torch.Size", 0, 1, fx_fold_call_sequence, FX_VALUE_SIZE },
	{ "sorted", 1, 1, fx_fold_call_sorted, 0 },
	{ "reversed", 1, 1, fx_fold_call_reversed, 0 },
	{ "enumerate", 1, 1, fx_fold_call_enumerate, 0 },
	{ "zip", 1, SIZE_MAX, fx_fold_call_zip, 0 },
	{ "range", 1, 3, fx_fold_call_range, 0 },
	{ "slice", 1, 3, fx_fold_call_slice, 0 },
	{ "all", 1, 1, fx_fold_call_all_any, false },
	{ "any", 1, 1, fx_fold_call_all_any, true },
	{ "divmod", 2, 2, call_divmod, 0 },
	{ "pow", 2, 2, call_pow, 0 },
	{ "isinstance", 2, 2, fx_fold_call_isinstance, 0 },
	{ "math.pow", 2, 2, call_math_pow, 0 },
	{ "math.isqrt", 1, 1, call_isqrt, 0 },
	{ "math.floor", 1, 1, call_whole, -1 },
	{ "math.ceil", 1, 1, call_whole, 1 },
	{ "math.trunc", 1, 1, call_whole, 0 },
	{ "math.log", 1, 2, call_log, 0 },
	{ "math.prod", 1, 1, fx_fold_call_sum, FX_AST_MUL },
	{ "operator.not_", 1, 1, call_not, 0 },
	{ "operator.truth", 1, 1, call_bool, 0 },
	{ "operator.abs", 1, 1, call_abs, 0 },
	{ "operator.index", 1, 1, call_int, 0 },
	{ "torch.sym_not", 1, 1, call_not, 0 },
	{ "torch.sym_int", 1, 1, call_int, 0 },
	{ "torch.sym_float", 1, 1, call_float, 0 },
	{ "torch.sym_max", 2, 2, fx_fold_call_min_max, FX_AST_GT },
	{ "torch.sym_min", 2, 2, fx_fold_call_min_max, FX_AST_LT },
};

bool
fx_fold_is_builtin(const char *name)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(calls); i++)
		if (strcmp(calls[i].name, name) == 0)
			return !strchr(name, '.');
	return false;
}

bool
fx_fold_is_of_metadata(const char *name)
{
	return name &&
	       (strcmp(name, "type") == 0 || strcmp(name, "isinstance") == 0);
}

/* The operator that NAME of the operator module is; NONE when none. */
static enum fx_ast_op
operator_named(const char *name)
{
	for (int op = FX_AST_OP_NONE + 1; op < FX_AST_OP_COUNT; op++) {
		const char *word = fx_ast_op_function((enum fx_ast_op)op);
		size_t length = strlen(word);

		/* "iand" is "and_" in place. */
		if (length && word[length - 1] == '_')
			length--;
		if (length && strncmp(word, name, length) == 0 &&
			(!name[length] || strcmp(name + length, "_") == 0))
			return (enum fx_ast_op)op;
	}
	return FX_AST_OP_NONE;
}

/* Functions of the operator module that are operators of the language. */
static struct fx_error *
call_operator(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	const char *word = call->name + strlen("operator.");
	const struct fx_value *args = call->args;
	enum fx_ast_op op = operator_named(word);

	if (call->count == 2 && strcmp(word, "getitem") == 0)
		return fx_fold_subscript(call->arena, &args[0], &args[1], ret);
	if (call->count == 2 && strcmp(word, "contains") == 0)
		return fx_fold_binary(call->arena, FX_AST_IN, &args[1],
			&args[0], ret);
	if (!op && word[0] == 'i')
		op = operator_named(word + 1);
	if (op && call->count == 1)
		return fx_fold_unary(call->arena, op, &args[0], ret);
	if (op && call->count == 2)
		return fx_fold_binary(call->arena, op, &args[0], &args[1], ret);
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"%s() is not known on plain values", call->name);
}

struct fx_error *
fx_fold_call(struct fx_arena *arena, const char *name,
	const struct fx_value *args, size_t count, struct fx_value *ret)
{
	static const struct fx_value nothing[1];
	struct fx_fold_arguments call = { .arena = arena,
		.name = name,
		.args = count ? args : nothing,
		.count = count };

	if (fx_str_starts(name, "builtins."))
		call.name = name + strlen("builtins.");
	for (size_t i = 0; i < FX_ARRAY_LEN(calls); i++) {
		if (strcmp(calls[i].name, call.name) != 0)
			continue;
		if (count < calls[i].least || count > calls[i].most)
			return fx_error_new(FX_ERR_TYPE,
				"%s() does not take %zu arguments", call.name,
				count);
		call.variant = calls[i].variant;
		return calls[i].call(&call, ret);
	}
	for (size_t i = 0; i < FX_ARRAY_LEN(float_functions); i++)
		if (count == 1 &&
			strcmp(float_functions[i].name, call.name) == 0)
			return call_math(&call, float_functions[i].function,
				ret);
	if (fx_str_starts(call.name, "operator."))
		return call_operator(&call, ret);
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"%s() is not known on plain values", name);
}
