/* promote.c - torch's type promotion. */
#include <config.h>

#include "meta/promote.h"

#include <string.h>

#include "ir/tensor_meta.h"

static enum fx_dtype_category
category_of(enum fx_dtype dtype)
{
	return fx_dtype_info(dtype)->category;
}

bool
fx_dtype_is_float(enum fx_dtype dtype)
{
	return dtype && category_of(dtype) == FX_DTYPE_CATEGORY_FLOAT;
}

bool
fx_dtype_is_complex(enum fx_dtype dtype)
{
	return dtype && category_of(dtype) == FX_DTYPE_CATEGORY_COMPLEX;
}

bool
fx_dtype_is_integral(enum fx_dtype dtype)
{
	return dtype && (category_of(dtype) == FX_DTYPE_CATEGORY_INT ||
				category_of(dtype) == FX_DTYPE_CATEGORY_BOOL);
}

enum fx_dtype
fx_promote_to_float(enum fx_dtype dtype)
{
	return fx_dtype_is_integral(dtype) ? FX_DTYPE_F32 : dtype;
}

/* Return the complex dtype of DTYPE, or complex64 if DTYPE has none of its own.
 */
static enum fx_dtype
complex_of(enum fx_dtype dtype)
{
	enum fx_dtype own = fx_dtype_complex(dtype);

	return own ? own : FX_DTYPE_C64;
}

/* uint8 and a signed type of the same size meet in the next larger one. */
static enum fx_dtype
pair_of_ints(enum fx_dtype a, enum fx_dtype b)
{
	if ((a == FX_DTYPE_U8 && b == FX_DTYPE_I8) ||
		(a == FX_DTYPE_I8 && b == FX_DTYPE_U8))
		return FX_DTYPE_I16;
	return fx_dtype_info(a)->rank >= fx_dtype_info(b)->rank ? a : b;
}

enum fx_dtype
fx_promote_pair(enum fx_dtype a, enum fx_dtype b)
{
	if (!a || !b)
		return a ? a : b;
	if (a == b)
		return a;
	if (category_of(a) < category_of(b)) {
		enum fx_dtype swapped = a;

		a = b;
		b = swapped;
	}
	if (category_of(a) == FX_DTYPE_CATEGORY_COMPLEX &&
		category_of(b) != FX_DTYPE_CATEGORY_COMPLEX)
		return fx_dtype_is_float(b) ? fx_promote_pair(a, complex_of(b))
					    : a;
	if (category_of(a) > category_of(b))
		return a;
	if (category_of(a) == FX_DTYPE_CATEGORY_INT)
		return pair_of_ints(a, b);
	/* float16 and bfloat16 hold neither each other. */
	if (fx_dtype_is_float(a) &&
		fx_dtype_info(a)->rank == fx_dtype_info(b)->rank)
		return FX_DTYPE_F32;
	return fx_dtype_info(a)->rank > fx_dtype_info(b)->rank ? a : b;
}

/* The dtype that a Python number stands for; NONE for what is none. */
static enum fx_dtype
number_dtype(const struct fx_value *value)
{
	switch ((enum fx_value_kind)value->kind) {
	case FX_VALUE_BOOL:
		return FX_DTYPE_BOOL;
	case FX_VALUE_INT:
	case FX_VALUE_BIGINT:
	case FX_VALUE_SYMBOL:
		return FX_DTYPE_I64;
	case FX_VALUE_FLOAT:
		return FX_DTYPE_F32;
	case FX_VALUE_COMPLEX:
		return FX_DTYPE_C64;
	case FX_VALUE_UNKNOWN:
		return !value->text                        ? FX_DTYPE_NONE
		       : strcmp(value->text, "float") == 0 ? FX_DTYPE_F32
		       : strcmp(value->text, "int") == 0   ? FX_DTYPE_I64
		       : strcmp(value->text, "bool") == 0  ? FX_DTYPE_BOOL
							   : FX_DTYPE_NONE;
	default:
		return FX_DTYPE_NONE;
	}
}

void
fx_promote_add(struct fx_promotion *promotion, const struct fx_value *value)
{
	enum fx_dtype *group = &promotion->number;
	enum fx_dtype dtype;

	if (value->kind == FX_VALUE_TENSOR) {
		dtype = value->tensor->dtype;
		group = value->tensor->has_shape && value->tensor->rank == 0
				? &promotion->scalar_tensor
				: &promotion->dimensioned;
	} else {
		dtype = number_dtype(value);
	}
	if (!dtype)
		promotion->is_unknown = true;
	else
		*group = fx_promote_pair(*group, dtype);
}

/* HIGH unless LOW is of a higher category. */
static enum fx_dtype
combine(enum fx_dtype high, enum fx_dtype low)
{
	if (!high || !low)
		return high ? high : low;
	if (category_of(high) >= category_of(low))
		return high;
	/* A complex number takes the width of the floats it meets. */
	if (fx_dtype_is_complex(low) && fx_dtype_is_float(high))
		return complex_of(high);
	return low;
}

enum fx_dtype
fx_promote_result(const struct fx_promotion *promotion)
{
	if (promotion->is_unknown)
		return FX_DTYPE_NONE;
	return combine(combine(promotion->dimensioned,
			       promotion->scalar_tensor),
		promotion->number);
}
