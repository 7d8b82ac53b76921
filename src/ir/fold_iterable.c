/* fold_iterable.c - builtins that make sequences or walk them. */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "ir/fold_private.h"
#include "ir/size.h"

/* One of A and B for min (or max), symbols too. */
static struct fx_error *
pick(const struct fx_fold_arguments *call, const struct fx_value *a,
	const struct fx_value *b, struct fx_value *ret)
{
	struct fx_value wins;
	struct fx_error *err;

	if ((a->kind == FX_VALUE_SYMBOL && b->kind == FX_VALUE_INT) ||
		(b->kind == FX_VALUE_SYMBOL &&
			(a->kind == FX_VALUE_INT ||
				a->kind == FX_VALUE_SYMBOL))) {
		*ret = call->variant == FX_AST_GT
			       ? fx_size_max(call->arena, *a, *b)
			       : fx_size_min(call->arena, *a, *b);
		return NULL;
	}
	err = fx_fold_binary(call->arena, (enum fx_ast_op)call->variant, b, a,
		&wins);
	if (err)
		return err;
	if (wins.kind == FX_VALUE_BOOL)
		*ret = wins.truth ? *b : *a;
	else
		*ret = fx_fold_is_some(a, "int") && fx_fold_is_some(b, "int")
			       ? *a
			       : fx_fold_unknown("a number of unknown order");
	return NULL;
}

struct fx_error *
fx_fold_call_min_max(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	const struct fx_value *items = call->args;
	size_t count = call->count;
	struct fx_value best;
	struct fx_error *err = NULL;

	if (count == 1)
		err = fx_fold_iterate(call->arena, &call->args[0], &items,
			&count);
	if (err)
		return err;
	if (count == 0)
		return fx_error_new(FX_ERR_VALUE, "%s() of an empty sequence",
			call->name);
	best = items[0];
	for (size_t i = 1; !err && i < count; i++)
		err = pick(call, &best, &items[i], &best);
	*ret = best;
	return err;
}

/* sum and math.prod. */
struct fx_error *
fx_fold_call_sum(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	enum fx_ast_op op = (enum fx_ast_op)call->variant;
	struct fx_value total = call->count > 1
					? call->args[1]
					: fx_value_int(op == FX_AST_MUL);
	const struct fx_value *items;
	size_t count;
	struct fx_error *err =
		fx_fold_iterate(call->arena, &call->args[0], &items, &count);

	for (size_t i = 0; !err && i < count; i++)
		err = fx_fold_binary(call->arena, op, &total, &items[i],
			&total);
	*ret = total;
	return err;
}

struct fx_error *
fx_fold_call_sequence(const struct fx_fold_arguments *call,
	struct fx_value *ret)
{
	const struct fx_value *items = NULL;
	size_t count = 0;
	struct fx_error *err = NULL;

	if (call->count && call->args[0].kind == FX_VALUE_UNKNOWN) {
		*ret = call->args[0];
		return NULL;
	}
	if (call->count)
		err = fx_fold_iterate(call->arena, &call->args[0], &items,
			&count);
	if (!err)
		*ret = fx_value_sequence(call->arena,
			(enum fx_value_kind)call->variant, items, count);
	return err;
}

struct fx_error *
fx_fold_call_reversed(const struct fx_fold_arguments *call,
	struct fx_value *ret)
{
	const struct fx_value *items;
	struct fx_value *copy;
	size_t count;
	struct fx_error *err =
		fx_fold_iterate(call->arena, &call->args[0], &items, &count);

	if (err)
		return err;
	copy = FX_ARENA_ARRAY(call->arena, struct fx_value, count);
	for (size_t i = 0; i < count; i++)
		copy[i] = items[count - 1 - i];
	*ret = fx_value_sequence(call->arena, FX_VALUE_LIST, copy, count);
	return NULL;
}

/* Longer ones are left to a backend: each item is moved to its place. */
#define SORT_LIMIT 20000

struct fx_error *
fx_fold_call_sorted(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	const struct fx_value *items;
	struct fx_value *sorted;
	struct fx_value less;
	size_t count;
	struct fx_error *err =
		fx_fold_iterate(call->arena, &call->args[0], &items, &count);

	if (!err && count > SORT_LIMIT)
		err = fx_error_new(FX_ERR_UNSUPPORTED,
			"sorted() of more than %d items", SORT_LIMIT);
	if (err)
		return err;
	sorted = FX_ARENA_ARRAY(call->arena, struct fx_value, count);
	for (size_t i = 0; i < count; i++) {
		size_t low = 0;
		size_t high = i;

		while (low < high && !err) {
			size_t middle = (low + high) / 2;

			err = fx_fold_binary(call->arena, FX_AST_LT, &items[i],
				&sorted[middle], &less);
			if (!err && less.kind != FX_VALUE_BOOL)
				err = fx_error_new(FX_ERR_UNSUPPORTED,
					"the order is not known");
			if (!err && less.truth)
				high = middle;
			else
				low = middle + 1;
		}
		if (err)
			return err;
		memmove(&sorted[low + 1], &sorted[low],
			(i - low) * sizeof(*sorted));
		sorted[low] = items[i];
	}
	*ret = fx_value_sequence(call->arena, FX_VALUE_LIST, sorted, count);
	return NULL;
}

struct fx_error *
fx_fold_call_enumerate(const struct fx_fold_arguments *call,
	struct fx_value *ret)
{
	const struct fx_value *items;
	struct fx_value *pairs;
	size_t count;
	struct fx_error *err =
		fx_fold_iterate(call->arena, &call->args[0], &items, &count);

	if (err)
		return err;
	pairs = FX_ARENA_ARRAY(call->arena, struct fx_value, count);
	for (size_t i = 0; i < count; i++) {
		struct fx_value pair[2] = { fx_value_int((int64_t)i),
			items[i] };

		pairs[i] =
			fx_value_sequence(call->arena, FX_VALUE_TUPLE, pair, 2);
	}
	*ret = fx_value_sequence(call->arena, FX_VALUE_LIST, pairs, count);
	return NULL;
}

struct fx_error *
fx_fold_call_zip(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	const struct fx_value *items[8];
	size_t count = SIZE_MAX;
	struct fx_value *rows;
	struct fx_value row[8];

	if (call->count == 0 || call->count > FX_ARRAY_LEN(items))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"zip() of %zu sequences is not known", call->count);
	for (size_t i = 0; i < call->count; i++) {
		size_t length;
		struct fx_error *err = fx_fold_iterate(call->arena,
			&call->args[i], &items[i], &length);

		if (err)
			return err;
		count = FX_MIN(count, length);
	}
	rows = FX_ARENA_ARRAY(call->arena, struct fx_value, count);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < call->count; j++)
			row[j] = items[j][i];
		rows[i] = fx_value_sequence(call->arena, FX_VALUE_TUPLE, row,
			call->count);
	}
	*ret = fx_value_sequence(call->arena, FX_VALUE_LIST, rows, count);
	return NULL;
}

struct fx_error *
fx_fold_call_range(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	struct fx_value parts[3] = { fx_value_int(0), fx_value_int(0),
		fx_value_int(1) };

	for (size_t i = 0; i < call->count; i++) {
		size_t at = call->count == 1 ? 1 : i;

		parts[at] = call->args[i];
		if (parts[at].kind == FX_VALUE_BOOL)
			parts[at] = fx_value_int(parts[at].truth);
		if (parts[at].kind == FX_VALUE_UNKNOWN) {
			*ret = fx_fold_unknown("a range of unknown length");
			return NULL;
		}
		if (parts[at].kind != FX_VALUE_INT &&
			parts[at].kind != FX_VALUE_SYMBOL)
			return fx_error_new(FX_ERR_TYPE,
				"range() needs integers, not \"%s\"",
				fx_value_kind_name(parts[at].kind));
	}
	if (parts[2].kind == FX_VALUE_INT && parts[2].integer == 0)
		return fx_error_new(FX_ERR_VALUE,
			"the step of a range cannot be zero");
	*ret = fx_value_range(call->arena, parts[0], parts[1], parts[2]);
	return NULL;
}

struct fx_error *
fx_fold_call_slice(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	struct fx_value none = fx_value_none();
	const struct fx_value *args = call->args;

	if (call->count == 1)
		*ret = fx_value_slice(call->arena, none, args[0], none);
	else
		*ret = fx_value_slice(call->arena, args[0], args[1],
			call->count > 2 ? args[2] : none);
	return NULL;
}

/* all and any. */
struct fx_error *
fx_fold_call_all_any(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	bool is_any = call->variant;
	bool unsure = false;
	const struct fx_value *items;
	size_t count;
	struct fx_error *err =
		fx_fold_iterate(call->arena, &call->args[0], &items, &count);

	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		bool truth;

		if (!fx_fold_truth(&items[i], &truth))
			unsure = true;
		else if (truth == is_any) {
			*ret = fx_value_bool(is_any);
			return NULL;
		}
	}
	*ret = unsure ? fx_fold_some("bool") : fx_value_bool(!is_any);
	return NULL;
}

/* Classes by name: the kind that type() gives, all that are instances. */
static const struct {
	const char *name;
	enum fx_value_kind kind;
	uint64_t kinds;
} classes[] = {
#define BIT(kind) ((uint64_t)1 << FX_VALUE_##kind)
	{ "int", FX_VALUE_INT,
		BIT(INT) | BIT(BOOL) | BIT(BIGINT) | BIT(SYMBOL) },
	{ "float", FX_VALUE_FLOAT, BIT(FLOAT) },
	{ "bool", FX_VALUE_BOOL, BIT(BOOL) },
	{ "complex", FX_VALUE_COMPLEX, BIT(COMPLEX) },
	{ "str", FX_VALUE_STRING, BIT(STRING) },
	{ "bytes", FX_VALUE_BYTES, BIT(BYTES) },
	{ "tuple", FX_VALUE_TUPLE, BIT(TUPLE) | BIT(SIZE) | BIT(NAMEDTUPLE) },
	{ "list", FX_VALUE_LIST, BIT(LIST) },
	{ "dict", FX_VALUE_DICT, BIT(DICT) },
	{ "slice", FX_VALUE_SLICE, BIT(SLICE) },
	{ "range", FX_VALUE_RANGE, BIT(RANGE) },
	{ "torch.Size", FX_VALUE_SIZE, BIT(SIZE) },
	{ "torch.Tensor", FX_VALUE_TENSOR, BIT(TENSOR) },
	{ "torch.dtype", FX_VALUE_DTYPE, BIT(DTYPE) },
	{ "torch.device", FX_VALUE_DEVICE, BIT(DEVICE) },
	{ "torch.SymInt", FX_VALUE_SYMBOL, BIT(SYMBOL) },
	{ "NoneType", FX_VALUE_NONE, BIT(NONE) },
	{ "ellipsis", FX_VALUE_ELLIPSIS, BIT(ELLIPSIS) },
	{ "type(None)", FX_VALUE_NONE, BIT(NONE) },
#undef BIT
};

bool
fx_fold_is_class(const char *name)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(classes); i++)
		if (strcmp(classes[i].name, name) == 0)
			return true;
	return false;
}

struct fx_error *
fx_fold_call_type(const struct fx_fold_arguments *call, struct fx_value *ret)
{
	enum fx_value_kind kind = (enum fx_value_kind)call->args[0].kind;

	if (kind == FX_VALUE_BIGINT)
		kind = FX_VALUE_INT;
	for (size_t i = 0; i < FX_ARRAY_LEN(classes); i++)
		if (classes[i].kind == kind) {
			*ret = fx_value_text(FX_VALUE_FUNCTION,
				classes[i].name);
			return NULL;
		}
	*ret = fx_fold_unknown("a type that is not known");
	return NULL;
}

static enum fx_tristate
is_instance(const struct fx_value *value, const struct fx_value *class_)
{
	const char *name =
		class_->kind == FX_VALUE_FUNCTION ? class_->text : NULL;

	if (name && fx_str_starts(name, "builtins."))
		name += 9;
	for (size_t i = 0; name && i < FX_ARRAY_LEN(classes); i++) {
		if (strcmp(classes[i].name, name) != 0)
			continue;
		if (value->kind == FX_VALUE_UNKNOWN)
			return fx_fold_is_some(value, name) ? FX_TRUE
			       : fx_fold_is_number(value)   ? FX_FALSE
							    : FX_MAYBE;
		return classes[i].kinds >> value->kind & 1 ? FX_TRUE : FX_FALSE;
	}
	return FX_MAYBE;
}

struct fx_error *
fx_fold_call_isinstance(const struct fx_fold_arguments *call,
	struct fx_value *ret)
{
	const struct fx_value *wanted = &call->args[1];
	size_t count = 1;
	enum fx_tristate found = FX_FALSE;

	if (fx_value_is_sequence(wanted)) {
		count = wanted->count;
		wanted = wanted->items;
	}
	for (size_t i = 0; i < count && found != FX_TRUE; i++) {
		enum fx_tristate one = is_instance(&call->args[0], &wanted[i]);

		if (one != FX_FALSE)
			found = one;
	}
	*ret = fx_fold_from_tristate(found);
	return NULL;
}
