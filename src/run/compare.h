/* compare.h - whether two tensors hold nearly the same, and where they part. */
#ifndef FX_RUN_COMPARE_H
#define FX_RUN_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "run/stats.h"
#include "run/values.h"

/* Near is |a - b| <= atol + rtol * |b|, as torch.allclose has it. */
struct fx_tolerance {
	double rtol;
	double atol;
	bool equal_nan; /* NaN equals NaN */
};

struct fx_difference {
	bool has_other_sizes; /* nothing was compared */
	struct fx_extent left;
	struct fx_extent right;
	uint64_t total;
	uint64_t count; /* of elements that are not near */
	uint64_t first; /* the first of them, row-major */
	uint64_t worst; /* the one furthest apart */
	double by;      /* how far that is; NaN: one is NaN */
};

/* Compare LEFT and RIGHT, tensors of the same sizes, or one of them with one
 * element.  TYPE when values are not known.
 */
FX_NODISCARD struct fx_error *fx_compare(const struct fx_datum *left,
	const struct fx_datum *right, const struct fx_tolerance *tolerance,
	struct fx_ticker *ticker, struct fx_difference *ret);

/* Whether nothing differs. */
bool fx_difference_none(const struct fx_difference *difference);

/* Append "3 of 10 elements differ by more than rtol 1e-05, atol 1e-08; first
 * at [0,2]: 1.5 and 1.25; worst at [0,7]: 3.0 and 1.0".
 */
FX_NODISCARD struct fx_error *fx_difference_print(struct fx_buf *out,
	const struct fx_difference *difference,
	const struct fx_tolerance *tolerance, const struct fx_datum *left,
	const struct fx_datum *right);

#endif /* FX_RUN_COMPARE_H */
