/* datum_compare.c - what Python's ==, bool() and float() say of data. */
#include <config.h>

#include <string.h>

#include "ir/value_walk.h"
#include "run/backend.h"
#include "run/datum.h"

bool
fx_datum_number(const struct fx_datum *datum, double *ret)
{
	switch (datum->kind) {
	case FX_DATUM_BOOL:
		*ret = datum->truth;
		return true;
	case FX_DATUM_INT:
		*ret = (double)datum->integer;
		return true;
	case FX_DATUM_FLOAT:
		*ret = datum->real;
		return true;
	}
	return false;
}

bool
fx_datum_equal_items(const struct fx_datum *a, const struct fx_datum *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < fx_datum_item_count(a); i++)
		if (!fx_datum_equal(a->items[i], b->items[i]))
			return false;
	return true;
}

static bool
numbers_equal(const struct fx_datum *a, const struct fx_datum *b)
{
	double x = 0;
	double y = 0;

	/* Two integers are compared as such: a double would lose digits. */
	if (a->kind == FX_DATUM_INT && b->kind == FX_DATUM_INT)
		return a->integer == b->integer;
	return fx_datum_number(a, &x) && fx_datum_number(b, &y) && x == y;
}

/* torch.Size is a tuple to Python. */
static int
comparable_kind(const struct fx_datum *datum)
{
	return datum->kind == FX_DATUM_SIZE ? FX_DATUM_TUPLE : datum->kind;
}

bool
fx_datum_equal(const struct fx_datum *a, const struct fx_datum *b)
{
	if (numbers_equal(a, b))
		return true;
	if (comparable_kind(a) != comparable_kind(b))
		return false;
	switch ((enum fx_datum_kind)a->kind) {
	case FX_DATUM_NONE:
		return true;
	case FX_DATUM_BOOL:
	case FX_DATUM_INT:
	case FX_DATUM_FLOAT:
	case FX_DATUM_UNKNOWN:
	case FX_DATUM_KIND_COUNT:
		return false;
	case FX_DATUM_STRING:
	case FX_DATUM_BYTES:
	case FX_DATUM_DEVICE:
		return a->count == b->count &&
		       memcmp(a->text, b->text, a->count) == 0;
	case FX_DATUM_DTYPE:
		return a->integer == b->integer;
	case FX_DATUM_SLICE:
	case FX_DATUM_TUPLE:
	case FX_DATUM_LIST:
	case FX_DATUM_SIZE:
	case FX_DATUM_DICT:
		return fx_datum_equal_items(a, b);
	case FX_DATUM_PLAIN:
		return fx_value_equal(&a->value, &b->value);
	case FX_DATUM_TENSOR:
	case FX_DATUM_HANDLE:
		return a->payload == b->payload;
	case FX_DATUM_NODE:
	case FX_DATUM_NODES:
		return a->count == b->count &&
		       memcmp(a->ids, b->ids, a->count * sizeof(*a->ids)) == 0;
	}
	return false;
}

struct fx_error *
fx_datum_truth(const struct fx_datum *datum, bool *ret)
{
	switch ((enum fx_datum_kind)datum->kind) {
	case FX_DATUM_NONE:
		*ret = false;
		return NULL;
	case FX_DATUM_BOOL:
		*ret = datum->truth;
		return NULL;
	case FX_DATUM_INT:
		*ret = datum->integer != 0;
		return NULL;
	case FX_DATUM_FLOAT:
		*ret = datum->real != 0;
		return NULL;
	case FX_DATUM_STRING:
	case FX_DATUM_BYTES:
	case FX_DATUM_TUPLE:
	case FX_DATUM_LIST:
	case FX_DATUM_SIZE:
	case FX_DATUM_DICT:
	case FX_DATUM_NODES:
		*ret = datum->count != 0;
		return NULL;
	case FX_DATUM_TENSOR:
		return datum->backend->ops->truth(datum->payload, ret);
	case FX_DATUM_PLAIN:
		if (datum->value.kind == FX_VALUE_SYMBOL)
			break;
		*ret = datum->value.kind != FX_VALUE_RANGE ||
		       datum->value.count != 0;
		return NULL;
	case FX_DATUM_DTYPE:
	case FX_DATUM_DEVICE:
	case FX_DATUM_SLICE:
	case FX_DATUM_HANDLE:
	case FX_DATUM_NODE:
		*ret = true;
		return NULL;
	case FX_DATUM_UNKNOWN:
	case FX_DATUM_KIND_COUNT:
		break;
	}
	return fx_error_new(FX_ERR_NOT_KNOWN, "the truth of %s is not known",
		datum->kind == FX_DATUM_PLAIN ? "a symbolic size"
					      : "an unknown value");
}
