/* size_by_values.c - the operators whose results are as large as values say. */
#include <config.h>

#include "run/size_by_values.h"

#include "base/compiler.h"
#include "base/dtype.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/storage.h"
#include "run/values.h"

/* Results of fewer bytes are not counted exactly. */
#define SMALL 0x1p26

/* What decides: the STATS of a tensor, the FIRST tensor and how many bytes it
 * lies in, and a NUMBER that is given for the size, -1: none.
 */
struct deciding {
	struct fx_stats stats;
	struct fx_extent first;
	size_t storage;
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

static double
most_places_bytes(const struct deciding *d)
{
	return (double)d->first.count * d->first.rank * 8;
}

static double
places_bytes(const struct deciding *d)
{
	double share =
		(double)d->stats.nonzero / (double)FX_MAX(d->stats.seen, 1);

	return share * most_places_bytes(d);
}

/* One that was expanded or whose windows overlap is copied. */
static double
copied_bytes(const struct deciding *d)
{
	double bytes = (double)d->first.count *
		       (double)fx_dtype_info(d->first.dtype)->size;

	return d->storage && bytes > (double)d->storage ? bytes : 0;
}

/* Operators whose result is as large as the values of an argument say, that
 * argument (where it is not given, the first), and the one that has a number.
 * MOST says without looking at values that it is small.
 */
enum looks {
	AT_INTEGERS,
	AT_VALUES,
	AT_STORAGE, /* at no values */
};
struct rule {
	enum fx_op op;
	enum looks looks;
	bytes_fn *bytes;
	bytes_fn *most; /* or NULL */
	size_t position;
	const char *name;
	size_t number_position;
	const char *number;
};
static const struct rule rules[] = {
	{ FX_OP_ONE_HOT, AT_INTEGERS, one_hot_bytes, NULL, 0, "input", 1,
		"num_classes" },
	{ FX_OP_BINCOUNT, AT_INTEGERS, bincount_bytes, NULL, 0, "input", 2,
		"minlength" },
	{ FX_OP_REPEAT_INTERLEAVE, AT_INTEGERS, repeated_bytes, NULL, 1,
		"repeats", SIZE_MAX, "output_size" },
	{ FX_OP_NONZERO, AT_VALUES, places_bytes, most_places_bytes, 0, "input",
		SIZE_MAX, "" },
	{ FX_OP_CONTIGUOUS, AT_STORAGE, copied_bytes, NULL, 0, "input",
		SIZE_MAX, "" },
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

/* Whether DATUM is a tensor with elements of the kind that RULE LOOKS at, which
 * RET is the extent of.
 */
static bool
has_elements(const struct fx_datum *datum, enum looks looks,
	struct fx_extent *ret)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;

	if (!datum || datum->kind != FX_DATUM_TENSOR)
		return false;
	err = fx_extent_of(datum, ret);
	return !err && ret->count &&
	       (looks != AT_INTEGERS || fx_dtype_info(ret->dtype)->category ==
						FX_DTYPE_CATEGORY_INT);
}

/* Look at GIVEN and the first argument, whose values RULE may not need. */
static bool
look(const struct rule *rule, const struct fx_datum *given,
	const struct fx_datum *first, struct deciding *ret)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;

	if (!has_elements(given, rule->looks, &ret->first) || !first ||
		first->kind != FX_DATUM_TENSOR)
		return false;
	err = fx_extent_of(first, &ret->first);
	if (!err && rule->most && rule->most(ret) < SMALL)
		return false;
	if (!err && rule->looks == AT_STORAGE)
		(void)fx_datum_storage(first, &ret->storage);
	else if (!err)
		err = fx_stats_compute(given, NULL, &ret->stats);
	return !err;
}

uint64_t
fx_size_by_values(enum fx_op op, fx_size_argument_fn *argument,
	const void *context)
{
	const struct rule *rule = find_rule(op);
	struct fx_size_argument first, given;
	struct deciding deciding = { .storage = 0 };
	double bytes;

	if (!rule)
		return 0;
	first = argument(context, 0, "input");
	given = argument(context, rule->position, rule->name);
	if (!given.datum && !given.value)
		given = first;
	if (!look(rule, given.datum, first.datum, &deciding))
		return 0;
	deciding.number = number_of(argument(context, rule->number_position,
		rule->number));
	bytes = rule->bytes(&deciding);
	return bytes > 0x1p62 ? UINT64_MAX : bytes > 0 ? (uint64_t)bytes : 0;
}
