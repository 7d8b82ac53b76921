/* distribution.h - how the elements of a tensor are spread: a histogram of any
 * number of bins, and how often each value stands there.
 *
 * All elements are read, in chunks.
 */
#ifndef FX_RUN_DISTRIBUTION_H
#define FX_RUN_DISTRIBUTION_H

#include "base/vec.h"
#include "run/values.h"

struct fx_ticker;

#define FX_HISTOGRAM_LIMIT ((size_t)1 << 16)

/* Of the finite elements; of complex ones their absolute values.  Bin I has
 * what lies from EDGES[I] to below EDGES[I + 1], the last also what equals its
 * end, as numpy.histogram.  All zero where there are none.
 */
struct fx_histogram {
	size_t bins;
	double *edges; /* one more than bins; owned */
	uint64_t *counts;
	uint64_t finite;
	uint64_t left_out; /* NaN and infinities */
};
void fx_histogram_deinit(struct fx_histogram *histogram);
FX_DEFINE_DEINIT(histogram, struct fx_histogram, fx_histogram_deinit);
#define FX_AUTO_HISTOGRAM FX_AUTO(histogram)

/* BINS is at least 1 and at most FX_HISTOGRAM_LIMIT.  TYPE when values are not
 * known; INTERRUPTED.  TICKER may be NULL.
 */
FX_NODISCARD struct fx_error *
fx_histogram_compute(const struct fx_datum *tensor, size_t bins,
	struct fx_ticker *ticker, struct fx_histogram *ret);

/* A value and how often it stands there.  Values that compare equal are one,
 * and all NaN are.
 */
struct fx_frequency {
	uint64_t count;
	uint64_t first; /* element that has it, the first in row-major order */
	double real;    /* rounded, if that was asked for */
	double imag;
	int64_t integer; /* of integers, exactly; U64 as its bits */
};
struct fx_frequencies {
	FX_VEC(struct fx_frequency) list; /* frequent ones first */
	struct fx_extent extent;
};
void fx_frequencies_deinit(struct fx_frequencies *frequencies);
FX_DEFINE_DEINIT(frequencies, struct fx_frequencies, fx_frequencies_deinit);
#define FX_AUTO_FREQUENCIES FX_AUTO(frequencies)

/* Values that are told apart at most. */
#define FX_FREQUENCY_LIMIT ((size_t)1 << 20)

/* DIGITS: floats are rounded to so many behind the point; negative: not.  LIMIT
 * when there are more different values than can be told apart.
 */
FX_NODISCARD struct fx_error *
fx_frequencies_compute(const struct fx_datum *tensor, int digits,
	struct fx_ticker *ticker, struct fx_frequencies *ret);

#endif /* FX_RUN_DISTRIBUTION_H */
