/* float_pairs.h - how far apart two rows of floats lie, many at once. */
#ifndef FX_RUN_FLOAT_PAIRS_H
#define FX_RUN_FLOAT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

/* Of the pairs (a, b) of two rows. */
struct fx_float_pairs {
	uint64_t differing; /* a is not b */
	double largest;     /* of |a| */
	double max_abs;     /* of |a - b| */
	double max_ulp;     /* of |a - b|, in steps at the larger of |a|, |b| */
	double dot;         /* sums of a * b, a * a, b * b, (a - b)^2 */
	double squares[2];
	double noise;
};

/* Measure COUNT pairs of f32 or f64 at A and B, which need no alignment.  *RET
 * comes with the MAX_ABS and MAX_ULP of other pairs, which these may raise; all
 * else is of these pairs alone.  At most 2^31 pairs.  False, and *RET says
 * nothing, where one of them is no finite number or so large that its square is
 * none: these are measured one by one.
 */
bool fx_float_pairs_measure(enum fx_dtype dtype, const void *a, const void *b,
	size_t count, struct fx_float_pairs *ret);

#endif /* FX_RUN_FLOAT_PAIRS_H */
