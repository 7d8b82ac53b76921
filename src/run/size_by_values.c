/* size_by_values.c - the operators whose results are as large as values say. */
#include <config.h>

#include "run/size_by_values.h"

#include "base/compiler.h"
#include "base/dtype.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/values.h"

/* What decides: the STATS of a tensor of integers, the FIRST tensor, and a
 * NUMBER that is given for the size, -1: none.
 */
struct deciding {
	struct fx_stats stats;
	struct fx_extent first;
	double number;
};
typedef double bytes_fn(const struct deciding *deciding);

static double
one_hot_bytes(const struct deciding *d)
{
	return d->number >= 0 ? 0
			      : (double)d->first.count * (d->stats.max + 1) * 8;
}

static double
bincount_bytes(const struct deciding *d)
{
	return FX_MAX(d->stats.max + 1, d->number) * 8;
}

/* One number may be for all elements; of those along a dimension each stands
 * for equally many.
 */
static double
repeated_bytes(const struct deciding *d)
{
	return d->number >= 0
		       ? 0
		       : d->stats.mean * (double)d->first.count *
				 (double)fx_dtype_info(d->first.dtype)->size;
}

/* Operators whose result is as large as the values of an argument say, that
 * argument (where it is not given, the first), and the one that has a number.
 */
struct rule {
	enum fx_op op;
	bytes_fn *bytes;
	size_t position;
	const char *name;
	size_t number_position;
	const char *number;
};
static const struct rule rules[] = {
	{ FX_OP_ONE_HOT, one_hot_bytes, 0, "input", 1, "num_classes" },
	{ FX_OP_BINCOUNT, bincount_bytes, 0, "input", 2, "minlength" },
	{ FX_OP_REPEAT_INTERLEAVE, repeated_bytes, 1, "repeats", SIZE_MAX,
		"output_size" },
};

static const struct rule *
find_rule(enum fx_op op)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(rules); i++)
		if (rules[i].op == op)
			return &rules[i];
	return NULL;
}

bool
fx_size_has_values(enum fx_op op)
{
	return find_rule(op);
}

static double
number_of(struct fx_size_argument argument)
{
	const struct fx_value *value =
		argument.datum ? &argument.datum->value : argument.value;

	return value && value->kind == FX_VALUE_INT ? (double)value->integer
						    : -1;
}

/* Whether DATUM is a tensor of integers, which RET is the extent of. */
static bool
has_integers(const struct fx_datum *datum, struct fx_extent *ret)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;

	if (!datum || datum->kind != FX_DATUM_TENSOR)
		return false;
	err = fx_extent_of(datum, ret);
	return !err && ret->count &&
	       fx_dtype_info(ret->dtype)->category == FX_DTYPE_CATEGORY_INT;
}

uint64_t
fx_size_by_values(enum fx_op op, fx_size_argument_fn *argument,
	const void *context)
{
	const struct rule *rule = find_rule(op);
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_size_argument first, given;
	struct deciding deciding;
	double bytes;

	if (!rule)
		return 0;
	first = argument(context, 0, "input");
	given = argument(context, rule->position, rule->name);
	if (!given.datum && !given.value)
		given = first;
	if (!has_integers(given.datum, &deciding.first) || !first.datum ||
		first.datum->kind != FX_DATUM_TENSOR)
		return 0;
	err = fx_extent_of(first.datum, &deciding.first);
	if (!err)
		err = fx_stats_compute(given.datum, NULL, &deciding.stats);
	if (err)
		return 0;
	deciding.number = number_of(argument(context, rule->number_position,
		rule->number));
	bytes = rule->bytes(&deciding);
	return bytes > 0x1p62 ? UINT64_MAX : bytes > 0 ? (uint64_t)bytes : 0;
}
