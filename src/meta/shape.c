/* shape.c - arguments, results and broadcasting for the shape rules. */
#include <config.h>

#include "meta/shape.h"

#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "ir/fold.h"
#include "ir/signature.h"
#include "ir/size.h"
#include "ir/value_text.h"

/* The largest integer argument (a stride, a kernel) and the largest size of a
 * result that are accepted, so that arithmetic on them cannot overflow.
 */
#define NUMBER_LIMIT ((int64_t)1 << 30)
#define SIZE_LIMIT   ((int64_t)1 << 53)

/* FORMAT and its arguments in the call's arena. */
FX_PRINTF(2, 0)
static const char *
format_text(struct fx_shape_call *call, const char *format, va_list args)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_addv(&text, format, args);
	return fx_arena_strndup(call->arena, fx_buf_text(&text), text.length);
}

bool
fx_rule_fail(struct fx_shape_call *call, enum fx_error_code code,
	const char *format, ...)
{
	va_list args;

	if (call->error)
		return false;
	va_start(args, format);
	call->error = fx_error_new(code, "%s: %s", call->name,
		format_text(call, format, args));
	va_end(args);
	return false;
}

bool
fx_rule_give_up(struct fx_shape_call *call, const char *format, ...)
{
	va_list args;

	call->result = (struct fx_value){ .kind = FX_VALUE_UNKNOWN };
	if (call->needs_no_reason)
		return false;
	va_start(args, format);
	call->result = fx_fold_unknown(format_text(call, format, args));
	va_end(args);
	return false;
}

const char *
fx_rule_text(struct fx_shape_call *call, const struct fx_tensor_meta *meta)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_value value = { .kind = FX_VALUE_TENSOR, .tensor = meta };

	fx_value_print_shape(&text, &value, true);
	return fx_arena_strndup(call->arena, fx_buf_text(&text), text.length);
}

const char *
fx_rule_size_text(struct fx_shape_call *call, struct fx_value size)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_size_print(&text, size);
	return fx_arena_strndup(call->arena, fx_buf_text(&text), text.length);
}

size_t
fx_rule_spatial(const struct fx_shape_call *call)
{
	const char *digit = strpbrk(call->name, "123");

	return digit ? (size_t)(*digit - '0') : 2;
}

const struct fx_value *
fx_arg(const struct fx_shape_call *call, const char *name)
{
	for (size_t i = 0; i < call->signature->count; i++)
		if (strcmp(call->signature->parameters[i].name, name) == 0)
			return &call->bound[i];
	return NULL;
}

bool
fx_arg_is_given(const struct fx_shape_call *call, const char *name)
{
	const struct fx_value *value = fx_arg(call, name);

	return value && value->kind != FX_VALUE_NONE;
}

const struct fx_value *
fx_arg_at(const struct fx_shape_call *call, size_t index)
{
	return index < call->signature->count ? &call->bound[index] : NULL;
}

bool
fx_arg_as_tensor(struct fx_shape_call *call, const struct fx_value *value,
	const char *what, const struct fx_tensor_meta **ret)
{
	if (!value || value->kind == FX_VALUE_UNKNOWN)
		return fx_rule_give_up(call, "%s is not known", what);
	if (value->kind != FX_VALUE_TENSOR)
		return fx_rule_fail(call, FX_ERR_TYPE,
			"%s must be a tensor, not \"%s\"", what,
			fx_value_kind_name(value->kind));
	if (!value->tensor->has_shape)
		return fx_rule_give_up(call, "the shape of %s is not known",
			what);
	*ret = value->tensor;
	return true;
}

bool
fx_arg_tensor(struct fx_shape_call *call, const char *name,
	const struct fx_tensor_meta **ret)
{
	return fx_arg_as_tensor(call, fx_arg(call, name), name, ret);
}

bool
fx_arg_optional(struct fx_shape_call *call, const char *name,
	const struct fx_tensor_meta **ret)
{
	*ret = NULL;
	return !fx_arg_is_given(call, name) || fx_arg_tensor(call, name, ret);
}

bool
fx_arg_first(struct fx_shape_call *call, const struct fx_tensor_meta **ret)
{
	return fx_arg_as_tensor(call, fx_arg_at(call, 0),
		call->signature->parameters[0].name, ret);
}

bool
fx_arg_as_int(struct fx_shape_call *call, const struct fx_value *value,
	const char *what, int64_t *ret)
{
	if (value && value->kind == FX_VALUE_INT)
		*ret = value->integer;
	else if (value && value->kind == FX_VALUE_BOOL)
		*ret = value->truth;
	else if (!value || value->kind == FX_VALUE_SYMBOL ||
		 value->kind == FX_VALUE_UNKNOWN ||
		 value->kind == FX_VALUE_TENSOR)
		return fx_rule_give_up(call, "%s is not known", what);
	else
		return fx_rule_fail(call, FX_ERR_TYPE,
			"%s must be an int, not \"%s\"", what,
			fx_value_kind_name(value->kind));
	return true;
}

bool
fx_arg_int(struct fx_shape_call *call, const char *name, int64_t *ret)
{
	return fx_arg_as_int(call, fx_arg(call, name), name, ret);
}

bool
fx_arg_as_size(struct fx_shape_call *call, const struct fx_value *value,
	const char *what, struct fx_value *ret)
{
	int64_t number = 0;

	if (value && value->kind == FX_VALUE_SYMBOL) {
		*ret = *value;
		return true;
	}
	if (!fx_arg_as_int(call, value, what, &number))
		return false;
	*ret = fx_value_int(number);
	return true;
}

bool
fx_arg_size(struct fx_shape_call *call, const char *name, struct fx_value *ret)
{
	return fx_arg_as_size(call, fx_arg(call, name), name, ret);
}

bool
fx_arg_bool(struct fx_shape_call *call, const char *name, bool *ret)
{
	const struct fx_value *value = fx_arg(call, name);

	*ret = false;
	if (!value || fx_fold_truth(value, ret))
		return true;
	return fx_rule_give_up(call, "%s is not known", name);
}

bool
fx_rule_dim(struct fx_shape_call *call, int64_t dim, size_t rank, size_t *ret)
{
	int64_t limit = rank ? (int64_t)rank : 1;

	if (dim < -limit || dim >= limit)
		return fx_rule_fail(call, FX_ERR_RANGE,
			"dimension %lld is out of range for a tensor of rank "
			"%zu",
			(long long)dim, rank);
	*ret = (size_t)(dim < 0 ? dim + limit : dim);
	return true;
}

bool
fx_arg_dim(struct fx_shape_call *call, const char *name, size_t rank,
	size_t *ret)
{
	int64_t dim;

	return fx_arg_int(call, name, &dim) &&
	       fx_rule_dim(call, dim, rank, ret);
}

bool
fx_arg_dims(struct fx_shape_call *call, const char *name, size_t rank,
	uint64_t *ret)
{
	const struct fx_value *value = fx_arg(call, name);
	const struct fx_value *items = value;
	size_t count = 1;

	*ret = rank >= 64 ? UINT64_MAX : ((uint64_t)1 << rank) - 1;
	if (!value || value->kind == FX_VALUE_NONE)
		return true;
	if (fx_value_is_sequence(value)) {
		items = value->items;
		count = value->count;
	}
	if (count == 0)
		return true;
	*ret = 0;
	for (size_t i = 0; i < count; i++) {
		int64_t number;
		size_t dim = 0;

		if (!fx_arg_as_int(call, &items[i], name, &number) ||
			!fx_rule_dim(call, number, rank, &dim))
			return false;
		if (*ret >> dim & 1)
			return fx_rule_fail(call, FX_ERR_VALUE,
				"dimension %zu appears twice", dim);
		*ret |= (uint64_t)1 << dim;
	}
	return true;
}

static bool
too_many_dimensions(struct fx_shape_call *call)
{
	return fx_rule_fail(call, FX_ERR_LIMIT, "more than %d dimensions",
		FX_RANK_LIMIT);
}

bool
fx_arg_as_sizes(struct fx_shape_call *call, const struct fx_value *value,
	const char *what, struct fx_shape *ret)
{
	const struct fx_value *items = value;
	size_t count = 1;

	if (value && fx_value_is_sequence(value)) {
		items = value->items;
		count = value->count;
	}
	if (count > FX_RANK_LIMIT)
		return too_many_dimensions(call);
	ret->rank = count;
	for (size_t i = 0; i < count; i++)
		if (!fx_arg_as_size(call, &items[i], what, &ret->sizes[i]))
			return false;
	return true;
}

bool
fx_arg_sizes(struct fx_shape_call *call, const char *name, struct fx_shape *ret)
{
	return fx_arg_as_sizes(call, fx_arg(call, name), name, ret);
}

bool
fx_arg_ints(struct fx_shape_call *call, const char *name, size_t count,
	int64_t *ret)
{
	const struct fx_value *value = fx_arg(call, name);
	bool is_list = value && fx_value_is_sequence(value);

	if (is_list && value->count != 1 && value->count != count)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"%s needs %zu integers, not %u", name, count,
			value->count);
	for (size_t i = 0; i < count; i++) {
		const struct fx_value *item =
			!is_list ? value
				 : &value->items[value->count == 1 ? 0 : i];

		if (!fx_arg_as_int(call, item, name, &ret[i]))
			return false;
		/* Products of two of them must fit 64 bits. */
		if (ret[i] > NUMBER_LIMIT || ret[i] < -NUMBER_LIMIT)
			return fx_rule_fail(call, FX_ERR_LIMIT,
				"%s is too large: %lld", name,
				(long long)ret[i]);
	}
	return true;
}

bool
fx_arg_dtype(struct fx_shape_call *call, const char *name,
	enum fx_dtype fallback, enum fx_dtype *ret)
{
	const struct fx_value *value = fx_arg(call, name);

	*ret = fallback;
	if (!value || value->kind == FX_VALUE_NONE)
		return true;
	if (value->kind == FX_VALUE_UNKNOWN)
		return fx_rule_give_up(call, "%s is not known", name);
	if (value->kind == FX_VALUE_DTYPE)
		*ret = (enum fx_dtype)value->integer;
	else if (value->kind == FX_VALUE_FUNCTION &&
		 strstr(value->text, "float"))
		*ret = FX_DTYPE_F64;
	else if (value->kind == FX_VALUE_FUNCTION && strstr(value->text, "int"))
		*ret = FX_DTYPE_I64;
	else if (value->kind == FX_VALUE_FUNCTION &&
		 strstr(value->text, "bool"))
		*ret = FX_DTYPE_BOOL;
	else
		return fx_rule_fail(call, FX_ERR_TYPE,
			"%s must be a dtype, not \"%s\"", name,
			fx_value_kind_name(value->kind));
	return true;
}

const char *
fx_arg_text(const struct fx_shape_call *call, const char *name)
{
	const struct fx_value *value = fx_arg(call, name);

	return value && value->kind == FX_VALUE_STRING ? value->text : "";
}

/* What an unknowable or absurd size makes of the whole result. */
static bool
bad_size(const struct fx_shape *shape, struct fx_value *ret)
{
	for (size_t i = 0; i < shape->rank; i++) {
		const struct fx_value *size = &shape->sizes[i];

		if (size->kind == FX_VALUE_INT && size->integer > SIZE_LIMIT) {
			*ret = fx_fold_unknown("a size is too large");
			return true;
		}
		if (size->kind != FX_VALUE_INT &&
			size->kind != FX_VALUE_SYMBOL) {
			*ret = *size;
			return true;
		}
	}
	return false;
}

struct fx_value
fx_rule_value(struct fx_shape_call *call, enum fx_dtype dtype,
	const struct fx_shape *shape)
{
	struct fx_value bad;

	return bad_size(shape, &bad) ? bad
				     : fx_tensor_meta_value(call->arena, dtype,
					       shape->sizes, shape->rank);
}

void
fx_rule_give(struct fx_shape_call *call, enum fx_dtype dtype,
	const struct fx_shape *shape)
{
	call->result = fx_rule_value(call, dtype, shape);
}

void
fx_rule_give_same(struct fx_shape_call *call, const struct fx_tensor_meta *meta,
	enum fx_dtype dtype)
{
	call->result = fx_tensor_meta_value(call->arena, dtype, meta->sizes,
		meta->rank);
}

void
fx_rule_give_tuple(struct fx_shape_call *call, const struct fx_value *items,
	size_t count)
{
	call->result =
		fx_value_sequence(call->arena, FX_VALUE_TUPLE, items, count);
}

void
fx_rule_give_two(struct fx_shape_call *call, enum fx_dtype first,
	enum fx_dtype second, const struct fx_shape *shape)
{
	struct fx_value pair[2] = { fx_rule_value(call, first, shape),
		fx_rule_value(call, second, shape) };

	fx_rule_give_tuple(call, pair, 2);
}

void
fx_rule_of(const struct fx_tensor_meta *meta, struct fx_shape *ret)
{
	ret->rank = FX_MIN(meta->rank, FX_RANK_LIMIT);
	for (size_t i = 0; i < ret->rank; i++)
		ret->sizes[i] = meta->sizes[i];
}

bool
fx_rule_push(struct fx_shape_call *call, struct fx_shape *shape,
	struct fx_value size)
{
	if (shape->rank >= FX_RANK_LIMIT)
		return too_many_dimensions(call);
	shape->sizes[shape->rank++] = size;
	return true;
}

void
fx_rule_drop(struct fx_shape *shape, size_t dim)
{
	for (size_t i = dim + 1; i < shape->rank; i++)
		shape->sizes[i - 1] = shape->sizes[i];
	shape->rank -= shape->rank > 0;
}

/* "[2, N]" */
static const char *
sizes_text(struct fx_shape_call *call, const struct fx_value *sizes,
	size_t count)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (size_t i = 0; i < count; i++) {
		fx_buf_add(&text, i ? ", " : "[");
		fx_size_print(&text, sizes[i]);
	}
	fx_buf_add(&text, count ? "]" : "[]");
	return fx_arena_strndup(call->arena, fx_buf_text(&text), text.length);
}

/* Fold one size into another; false when they do not agree.  Sizes that are
 * symbols are taken not to be 1, so they have to be equal.
 */
static bool
broadcast_size(struct fx_shape_call *call, struct fx_value *into,
	struct fx_value size)
{
	if (fx_size_equal(*into, size) || fx_size_is_int(size, 1))
		return true;
	if (fx_size_is_int(*into, 1)) {
		*into = size;
		return true;
	}
	if (fx_rule_differs(call, "sizes that broadcast", *into, size))
		return false;
	if (size.kind == FX_VALUE_INT)
		*into = size;
	return true;
}

bool
fx_rule_broadcast(struct fx_shape_call *call, struct fx_shape *shape,
	const struct fx_value *sizes, size_t count)
{
	size_t rank = FX_MAX(shape->rank, count);
	size_t missing = rank - shape->rank;
	struct fx_shape out;

	if (rank > FX_RANK_LIMIT)
		return too_many_dimensions(call);
	out.rank = rank;
	for (size_t i = 0; i < rank; i++) {
		out.sizes[i] = i < missing ? fx_value_int(1)
					   : shape->sizes[i - missing];
		if (i < rank - count)
			continue;
		if (!broadcast_size(call, &out.sizes[i],
			    sizes[i - (rank - count)]))
			return fx_rule_fail(call, FX_ERR_SHAPE,
				"shapes %s and %s do not broadcast "
				"(dimension %zu)",
				sizes_text(call, shape->sizes, shape->rank),
				sizes_text(call, sizes, count), i);
	}
	*shape = out;
	return true;
}

bool
fx_rule_same_size(struct fx_shape_call *call, const char *what,
	struct fx_value a, struct fx_value b)
{
	if (!fx_rule_differs(call, what, a, b))
		return true;
	return fx_rule_fail(call, FX_ERR_SHAPE, "%s: %s and %s differ", what,
		sizes_text(call, &a, 1), sizes_text(call, &b, 1));
}

bool
fx_rule_same_dtype(struct fx_shape_call *call, const struct fx_tensor_meta *a,
	const struct fx_tensor_meta *b)
{
	if (!a || !b || !a->dtype || !b->dtype || a->dtype == b->dtype)
		return true;
	return fx_rule_fail(call, FX_ERR_TYPE, "dtypes %s and %s differ",
		fx_dtype_info(a->dtype)->name, fx_dtype_info(b->dtype)->name);
}

bool
fx_rule_needs_float_dtype(struct fx_shape_call *call, enum fx_dtype dtype)
{
	if (!fx_dtype_is_integral(dtype))
		return true;
	return fx_rule_fail(call, FX_ERR_TYPE,
		"not possible on %s, only on floats",
		fx_dtype_info(dtype)->name);
}

bool
fx_rule_is_empty(const struct fx_tensor_meta *meta, uint64_t dims)
{
	for (uint32_t i = 0; i < meta->rank; i++)
		if (dims >> i & 1 && fx_size_is_int(meta->sizes[i], 0))
			return true;
	return false;
}

struct fx_value
fx_add(struct fx_shape_call *call, struct fx_value a, struct fx_value b)
{
	return fx_size_add(call->arena, a, b);
}

struct fx_value
fx_add_int(struct fx_shape_call *call, struct fx_value a, int64_t b)
{
	return fx_size_add(call->arena, a, fx_value_int(b));
}

struct fx_value
fx_mul(struct fx_shape_call *call, struct fx_value a, struct fx_value b)
{
	return fx_size_mul(call->arena, a, b);
}

struct fx_value
fx_mul_all(struct fx_shape_call *call, const struct fx_value *sizes,
	size_t count)
{
	struct fx_value result = fx_value_int(1);

	for (size_t i = 0; i < count; i++)
		result = fx_mul(call, result, sizes[i]);
	return result;
}

struct fx_value
fx_mul_int(struct fx_shape_call *call, struct fx_value a, int64_t b)
{
	return fx_size_mul(call->arena, a, fx_value_int(b));
}

struct fx_value
fx_div_int(struct fx_shape_call *call, struct fx_value a, int64_t b)
{
	return fx_size_floordiv(call->arena, a, fx_value_int(b));
}
