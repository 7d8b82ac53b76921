/* difference.h - how far two results lie apart, and where.
 *
 * Data of any form: tensors, plain values, containers of them.  An element is
 * measured against the largest one of its tensor, since an error of rounding is
 * as large as what was summed up.  As in numpy's allclose with equal_nan, a NaN
 * equals a NaN, and an infinity equals itself only.
 */
#ifndef FX_RUN_DIFFERENCE_H
#define FX_RUN_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "run/values.h"

struct fx_buf;
struct fx_datum;
struct fx_ticker;

/* What somebody says of two graphs: that results are equal bit by bit, or that
 * they would be if numbers were exact.
 */
enum fx_claim {
	FX_CLAIM_EXACT,
	FX_CLAIM_ALGEBRAIC,
};

/* Deeper containers are told by their first levels. */
#define FX_GAP_DEPTH 8

struct fx_gap {
	/* What cannot be compared by elements: "f32[2] and f32[3]", "a tuple
	 * and a list"; the owner's, or NULL.  Nothing else is told then.
	 */
	char *mismatch;
	uint64_t elements;  /* that were compared */
	uint64_t differing; /* of them: other numbers */
	bool is_bit_equal;  /* signs of zeros too; any NaN is like another */

	/* Sums over all elements of tensors: of the products, of the squares of
	 * either side, of the squares of their differences.  0, as LARGEST is,
	 * of two tensors that hold the same bytes.
	 */
	double dot;
	double squares[2];
	double noise;

	/* Of the tensor (or number) in which the relative one is largest, the
	 * first of equal ones.  Infinite where one is not finite, or where
	 * LARGEST, the first side's largest finite absolute value, is 0.
	 */
	double max_abs;
	double max_rel; /* max_abs / largest */
	double max_ulp; /* in steps of its dtype; 0 of integers */
	double largest;
	struct fx_extent extent;
	uint64_t index;              /* of that element, row-major */
	uint64_t first;              /* of the first that differs there */
	uint32_t path[FX_GAP_DEPTH]; /* to the tensor: items of containers */
	size_t depth;
};

/* All zero is empty. */
void fx_gap_deinit(struct fx_gap *gap);
FX_DEFINE_DEINIT(gap, struct fx_gap, fx_gap_deinit);
#define FX_AUTO_GAP FX_AUTO(gap)

/* Compare A and B.  Tensors of other dtypes are a mismatch unless ANY_DTYPE.
 * TYPE when values are not known, INTERRUPTED when TICKER (may be NULL) says
 * so.
 */
FX_NODISCARD struct fx_error *fx_gap_compute(const struct fx_datum *a,
	const struct fx_datum *b, bool any_dtype, struct fx_ticker *ticker,
	struct fx_gap *ret);

/* Append the place of the element furthest apart: "[0,411]"; "" for a number.
 */
void fx_gap_print_index(struct fx_buf *out, const struct fx_gap *gap);

#endif /* FX_RUN_DIFFERENCE_H */
