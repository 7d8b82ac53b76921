/* value_read.c - a parsed expression as a value; the inverse of value_text.c.
 */
#include <config.h>

#include "ir/value_read.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/intern.h"
#include "base/number.h"
#include "base/vec.h"
#include "ir/graph.h"
#include "ir/value_text.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "ops/optab.h"

/* Trees deeper than what the parser nests can only be chains that lean left,
 * which are no values.
 */
#define HEIGHT_LIMIT (2 * FX_PARSE_DEPTH)

static const char *const layouts[] = { "strided", "sparse_coo", "sparse_csr",
	"sparse_csc", "sparse_bsr", "sparse_bsc", "_mkldnn", "jagged" };
static const char *const memory_formats[] = { "contiguous_format",
	"preserve_format", "channels_last", "channels_last_3d" };

static bool
is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool
is_layout(const char *name)
{
	return is_among(name, layouts, FX_ARRAY_LEN(layouts));
}

static bool
is_memory_format(const char *name)
{
	return is_among(name, memory_formats, FX_ARRAY_LEN(memory_formats));
}

bool
fx_value_is_torch_constant(const char *name)
{
	return fx_dtype_find(name) != FX_DTYPE_NONE || is_layout(name) ||
	       is_memory_format(name) || strcmp(name, "inf") == 0 ||
	       strcmp(name, "nan") == 0;
}

FX_NODISCARD struct fx_error *
fx_value_read_refuse(const struct fx_value_reader *r, const struct fx_ast *expr)
{
	int length = (int)FX_MIN(expr->span.end - expr->span.begin, 60);
	struct fx_error *err =
		fx_error_new(FX_ERR_SYNTAX, "expected a value, found \"%.*s\"",
			length, r->text + expr->span.begin);

	return fx_error_at(err, r->text, expr->span);
}

FX_NODISCARD static struct fx_error *
no_such_node(const struct fx_value_reader *r, const struct fx_ast *expr)
{
	struct fx_error *err =
		fx_error_new(FX_ERR_NO_NODE, "no node \"%s\"", expr->text);

	return fx_error_at(err, r->text, expr->span);
}

const char *
fx_value_read_name(const struct fx_ast *expr)
{
	FX_AUTO_BUF struct fx_buf name = { 0 };
	FX_VEC(const char *) steps = { 0 };
	const char *result = NULL;

	for (; expr->kind == FX_AST_ATTR; expr = expr->kids[0])
		fx_vec_push(&steps, expr->text);
	if (expr->kind == FX_AST_NAME) {
		fx_buf_add(&name, expr->text);
		while (steps.count) {
			fx_buf_add_char(&name, '.');
			fx_buf_add(&name, fx_vec_pop(&steps));
		}
		result = fx_intern(fx_buf_text(&name));
	}
	fx_vec_deinit(&steps);
	return result;
}

static bool
read_torch_constant(const char *name, struct fx_value *ret)
{
	enum fx_dtype dtype = fx_dtype_find(name);

	if (dtype != FX_DTYPE_NONE)
		*ret = fx_value_dtype(dtype);
	else if (is_layout(name))
		*ret = fx_value_text(FX_VALUE_LAYOUT, name);
	else if (is_memory_format(name))
		*ret = fx_value_text(FX_VALUE_MEMORY_FORMAT, name);
	else if (strcmp(name, "inf") == 0)
		*ret = fx_value_float(INFINITY);
	else if (strcmp(name, "nan") == 0)
		*ret = fx_value_float(NAN);
	else
		return false;
	return true;
}

static bool
read_known_name(const struct fx_value_reader *r, const char *name,
	struct fx_value *ret)
{
	struct fx_node *node = r->graph ? fx_graph_find(r->graph, name) : NULL;

	if (node)
		*ret = fx_value_node(node);
	else if (strcmp(name, "inf") == 0 || strcmp(name, "nan") == 0)
		return read_torch_constant(name, ret);
	else if (strcmp(name, "Ellipsis") == 0)
		*ret = (struct fx_value){ .kind = FX_VALUE_ELLIPSIS };
	else if (strncmp(name, "torch.", 6) == 0 &&
		 read_torch_constant(name + 6, ret))
		return true;
	else if (strcmp(name, "math.inf") == 0 || strcmp(name, "math.nan") == 0)
		return read_torch_constant(name + 5, ret);
	else if (fx_value_is_function_name(name) ||
		 fx_op_find(name) != FX_OP_NONE)
		*ret = fx_value_text(FX_VALUE_FUNCTION, name);
	else
		return false;
	return true;
}

FX_NODISCARD static struct fx_error *
read_name(const struct fx_value_reader *r, const struct fx_ast *expr,
	struct fx_value *ret)
{
	const char *name = fx_value_read_name(expr);

	if (name && read_known_name(r, name, ret))
		return NULL;
	if (expr->kind == FX_AST_NAME && r->graph)
		return no_such_node(r, expr);
	return fx_value_read_refuse(r, expr);
}

FX_NODISCARD static struct fx_error *
read_node(const struct fx_value_reader *r, const struct fx_ast *expr,
	struct fx_value *ret)
{
	struct fx_node *node =
		r->graph ? fx_graph_find(r->graph, expr->text) : NULL;

	if (!node)
		return no_such_node(r, expr);
	*ret = fx_value_node(node);
	return NULL;
}

FX_NODISCARD struct fx_error *
fx_value_read_items(const struct fx_value_reader *r, const struct fx_ast *expr,
	uint32_t first, struct fx_value **ret)
{
	uint32_t count = expr->kid_count - first;
	struct fx_value *items =
		FX_ARENA_ARRAY(r->arena, struct fx_value, count);

	for (uint32_t i = 0; i < count; i++) {
		struct fx_error *err =
			fx_value_read(r, expr->kids[first + i], &items[i]);

		if (err)
			return err;
	}
	*ret = items;
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_container(const struct fx_value_reader *r, const struct fx_ast *expr,
	struct fx_value *ret)
{
	struct fx_value *items = NULL;
	struct fx_error *err = fx_value_read_items(r, expr, 0, &items);

	if (err)
		return err;
	ret->count = expr->kid_count;
	ret->items = items;
	if (expr->kind == FX_AST_DICT) {
		ret->kind = FX_VALUE_DICT;
		ret->count /= 2;
	} else {
		ret->kind = expr->kind == FX_AST_LIST ? FX_VALUE_LIST
						      : FX_VALUE_TUPLE;
	}
	return NULL;
}

/* The digits of the least int of 64 bits. */
#define LEAST_DIGITS "9223372036854775808"

/* NUMBER is an INT, BIGINT or FLOAT. */
static void
negate(struct fx_value *number)
{
	if (number->kind == FX_VALUE_FLOAT)
		number->real = -number->real;
	else if (number->kind == FX_VALUE_INT && number->integer != INT64_MIN)
		number->integer = -number->integer;
	else if (number->kind == FX_VALUE_INT)
		*number = fx_value_text(FX_VALUE_BIGINT, LEAST_DIGITS);
	else if (strcmp(number->text, LEAST_DIGITS) == 0)
		*number = fx_value_int(INT64_MIN);
	else if (*number->text == '-')
		*number = fx_value_text(FX_VALUE_BIGINT, number->text + 1);
	else
		*number = fx_value_text(FX_VALUE_BIGINT,
			fx_intern_format("-%s", number->text));
}

bool
fx_value_as_double(const struct fx_value *value, double *ret)
{
	if (value->kind == FX_VALUE_FLOAT)
		*ret = value->real;
	else if (value->kind == FX_VALUE_INT)
		*ret = (double)value->integer;
	else
		return false;
	return true;
}

bool
fx_value_float_of(const char *text, size_t length, double *ret)
{
	size_t sign = length && *text == '-';
	bool is_word = length - sign == 3;

	if (is_word && memcmp(text + sign, "inf", 3) == 0)
		*ret = INFINITY;
	else if (is_word && memcmp(text + sign, "nan", 3) == 0)
		*ret = NAN;
	else
		return fx_number_parse_double(text, length, ret);
	*ret = sign ? -*ret : *ret;
	return true;
}

/* -1, +2.5, -2j; nothing else is folded. */
FX_NODISCARD static struct fx_error *
read_unary(const struct fx_value_reader *r, const struct fx_ast *expr,
	struct fx_value *ret)
{
	const struct fx_ast *operand = expr->kids[0];
	struct fx_error *err;

	if (expr->op != FX_AST_NEG && expr->op != FX_AST_POS)
		return fx_value_read_refuse(r, expr);
	err = fx_value_read(r, operand, ret);
	if (err)
		return err;
	switch (ret->kind) {
	case FX_VALUE_INT:
	case FX_VALUE_BIGINT:
	case FX_VALUE_FLOAT:
		if (expr->op == FX_AST_NEG)
			negate(ret);
		return NULL;
	case FX_VALUE_COMPLEX:
		if (expr->op == FX_AST_NEG)
			*ret = fx_value_complex(r->arena, 0, -ret->pair[1]);
		return NULL;
	default:
		return fx_value_read_refuse(r, expr);
	}
}

static bool
is_minus_zero(const struct fx_ast *expr)
{
	return expr->kind == FX_AST_UNARY && expr->op == FX_AST_NEG &&
	       expr->kids[0]->kind == FX_AST_INT && !expr->kids[0]->text &&
	       expr->kids[0]->integer == 0;
}

/* Only the repr of a complex number: (1+2j), (-0-1j). */
FX_NODISCARD static struct fx_error *
read_binary(const struct fx_value_reader *r, const struct fx_ast *expr,
	struct fx_value *ret)
{
	bool is_minus = expr->op == FX_AST_SUB;
	struct fx_value left;
	struct fx_value right;
	struct fx_error *err;
	double real;

	if (expr->op != FX_AST_ADD && !is_minus)
		return fx_value_read_refuse(r, expr);
	err = fx_value_read(r, expr->kids[0], &left);
	if (!err)
		err = fx_value_read(r, expr->kids[1], &right);
	if (err)
		return err;
	if (!fx_value_as_double(&left, &real) ||
		right.kind != FX_VALUE_COMPLEX ||
		expr->kids[1]->kind != FX_AST_IMAGINARY)
		return fx_value_read_refuse(r, expr);
	if (is_minus_zero(expr->kids[0]))
		real = -0.0;
	*ret = fx_value_complex(r->arena, real,
		is_minus ? -right.pair[1] : right.pair[1]);
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_slice(const struct fx_value_reader *r, const struct fx_ast *expr,
	struct fx_value *ret)
{
	struct fx_value parts[3] = { { 0 } };

	for (uint32_t i = 0; i < expr->kid_count && i < 3; i++) {
		struct fx_error *err =
			expr->kids[i]
				? fx_value_read(r, expr->kids[i], &parts[i])
				: NULL;

		if (err)
			return err;
	}
	*ret = fx_value_slice(r->arena, parts[0], parts[1], parts[2]);
	return NULL;
}

bool
fx_value_read_literal(struct fx_arena *arena, const struct fx_ast *expr,
	struct fx_value *ret)
{
	*ret = fx_value_none();
	switch ((int)expr->kind) {
	case FX_AST_NONE:
		return true;
	case FX_AST_BOOL:
		*ret = fx_value_bool(expr->integer != 0);
		return true;
	case FX_AST_INT:
		*ret = expr->text ? fx_value_text(FX_VALUE_BIGINT, expr->text)
				  : fx_value_int(expr->integer);
		return true;
	case FX_AST_FLOAT:
		*ret = fx_value_float(expr->real);
		return true;
	case FX_AST_IMAGINARY:
		*ret = fx_value_complex(arena, 0, expr->real);
		return true;
	case FX_AST_STRING:
		*ret = fx_value_string_n(arena, expr->string, expr->length);
		return true;
	case FX_AST_BYTES:
		*ret = fx_value_bytes(arena, expr->string, expr->length);
		return true;
	case FX_AST_ELLIPSIS:
		ret->kind = FX_VALUE_ELLIPSIS;
		return true;
	}
	return false;
}

static void
read_opaque(const struct fx_value_reader *r, const struct fx_ast *expr,
	struct fx_value *ret)
{
	const char *text = expr->text;

	if (!text)
		text = fx_intern_n(r->text + expr->span.begin,
			expr->span.end - expr->span.begin);
	*ret = fx_value_text(FX_VALUE_OPAQUE, text);
}

FX_NODISCARD struct fx_error *
fx_value_read(const struct fx_value_reader *r, const struct fx_ast *expr,
	struct fx_value *ret)
{
	if (fx_value_read_literal(r->arena, expr, ret))
		return NULL;
	switch ((int)expr->kind) {
	case FX_AST_OPAQUE:
		read_opaque(r, expr, ret);
		return NULL;
	case FX_AST_NODE:
		return read_node(r, expr, ret);
	case FX_AST_NAME:
	case FX_AST_ATTR:
		return read_name(r, expr, ret);
	case FX_AST_TUPLE:
	case FX_AST_LIST:
	case FX_AST_DICT:
		return read_container(r, expr, ret);
	case FX_AST_SLICE:
		return read_slice(r, expr, ret);
	case FX_AST_CALL:
		return fx_value_read_call(r, expr, ret);
	case FX_AST_UNARY:
		return read_unary(r, expr, ret);
	case FX_AST_BINARY:
		return read_binary(r, expr, ret);
	default:
		return fx_value_read_refuse(r, expr);
	}
}

FX_NODISCARD struct fx_error *
fx_value_from_ast(struct fx_arena *arena, struct fx_graph *graph,
	const char *text, const struct fx_ast *expr, struct fx_value *ret)
{
	const struct fx_value_reader r = { arena, graph, text };

	if (expr->height > HEIGHT_LIMIT)
		return fx_error_at(fx_error_new(FX_ERR_LIMIT,
					   "the expression nests more than %d "
					   "levels",
					   HEIGHT_LIMIT),
			text, expr->span);
	return fx_value_read(&r, expr, ret);
}
