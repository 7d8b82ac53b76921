/* promote.h - which dtype a result has: torch's type promotion.
 *
 * Operands count in three groups, tensors with dimensions, tensors without,
 * and Python numbers; a lower group matters only when its category (bool, int,
 * float, complex) is above that of the groups before it.
 */
#ifndef FX_META_PROMOTE_H
#define FX_META_PROMOTE_H

#include <stdbool.h>

#include "base/dtype.h"
#include "ir/value.h"

/* All zero is nothing seen. */
struct fx_promotion {
	enum fx_dtype dimensioned;
	enum fx_dtype scalar_tensor;
	enum fx_dtype number;
	bool is_unknown; /* an operand of unknown dtype took part */
};

/* Count VALUE in: a TENSOR or a number; anything else makes it unknown. */
void fx_promote_add(struct fx_promotion *promotion,
	const struct fx_value *value);

/* The common dtype; NONE when it is not known. */
enum fx_dtype fx_promote_result(const struct fx_promotion *promotion);

/* The dtype both convert to. */
enum fx_dtype fx_promote_pair(enum fx_dtype a, enum fx_dtype b);

/* Integers and bool become the default float, others stay. */
enum fx_dtype fx_promote_to_float(enum fx_dtype dtype);

bool fx_dtype_is_float(enum fx_dtype dtype);
bool fx_dtype_is_complex(enum fx_dtype dtype);
/* Integers and bool. */
bool fx_dtype_is_integral(enum fx_dtype dtype);

#endif /* FX_META_PROMOTE_H */
