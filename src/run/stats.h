/* stats.h - a tensor in one line: range, mean, deviation, histogram.
 *
 * Elements are read in chunks, so memory does not grow with the tensor, and a
 * tensor of more than FX_STATS_LIMIT elements is sampled, which is said.
 */
#ifndef FX_RUN_STATS_H
#define FX_RUN_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "run/values.h"

struct fx_ticker;

#define FX_STATS_BINS  16
#define FX_STATS_LIMIT ((uint64_t)1 << 25)

/* Of complex elements everything is of their absolute values. */
struct fx_stats {
	struct fx_extent extent;
	uint64_t seen;   /* elements read: fewer than there are if sampled */
	uint64_t finite; /* of those */
	uint64_t nan;
	uint64_t plus_inf;
	uint64_t minus_inf;
	uint64_t nonzero;   /* NaN too */
	uint64_t nan_index; /* the first, if there is one */
	uint64_t inf_index;

	/* Of what is no NaN, infinities included; first places in row-major
	 * order.  0 when there is none.
	 */
	double min;
	double max;
	uint64_t min_index;
	uint64_t max_index;

	/* Of the finite ones.  The deviation is torch.std's: divided by n - 1,
	 * NaN for fewer than two.
	 */
	double mean;
	double std;
	double least; /* range of the histogram */
	double most;
	uint64_t bins[FX_STATS_BINS];
};

/* The statistics of TENSOR.  TYPE when its values are not known, INTERRUPTED
 * when TICKER (may be NULL) says so.
 */
FX_NODISCARD struct fx_error *fx_stats_compute(const struct fx_datum *tensor,
	struct fx_ticker *ticker, struct fx_stats *ret);

/* The same of a sample of the elements, at a fraction of the cost: all are
 * looked at for NaN and infinities, and where there is one nothing is sampled.
 */
FX_NODISCARD struct fx_error *fx_stats_sample(const struct fx_datum *tensor,
	struct fx_stats *ret);

/* The statistics of what stands at each index of DIMENSION of TENSOR: RET has
 * as many as that has indices.  All elements are read; extents are the whole
 * tensor's but for the count; there are no bins, and places of 64-bit integers
 * beyond 2^53 may be those of neighbours that doubles do not tell apart.
 */
FX_NODISCARD struct fx_error *fx_stats_compute_by(const struct fx_datum *tensor,
	uint32_t dimension, struct fx_ticker *ticker, struct fx_stats *ret);

/* One statistic: a row of statistics.def. */
enum fx_statistic_kind {
	FX_STATISTIC_COUNT,   /* number */
	FX_STATISTIC_NUMBER,  /* real */
	FX_STATISTIC_ELEMENT, /* the element at place; real as a double */
	FX_STATISTIC_PLACE,   /* place: an index in row-major order */
};
struct fx_statistic_value {
	uint64_t number;
	uint64_t place;
	double real;
};
struct fx_statistic {
	const char *key;
	enum fx_statistic_kind kind;
	bool is_detail; /* not shown as text unless asked for */
	const char *help;
	/* False when STATS have none: a least element of none. */
	bool (*get)(const struct fx_stats *stats,
		struct fx_statistic_value *ret);
};
/* The INDEXth, NULL past the end; the one called KEY, or NULL. */
const struct fx_statistic *fx_statistic_at(size_t index);
const struct fx_statistic *fx_statistic_find(const char *key);

/* Return the statistic that torch would return: a NaN or an infinity among the
 * elements decides it.
 */
double fx_stats_mean(const struct fx_stats *stats);
double fx_stats_std(const struct fx_stats *stats);
double fx_stats_absmax(const struct fx_stats *stats);

/* Whether DATUM, or a tensor in it however deep, holds NaN or infinities;
 * false where values are not known.  Of a very large tensor a sample tells.
 */
bool fx_datum_is_nonfinite(const struct fx_datum *datum);

/* Append "f32[2,3]  min 0@[0,1] max 3.1@[1,2] mean 1.2 std 0.9 |..|", and for
 * what is not finite how many there are and where the first is: " nan 3@[0,2]
 * inf 1@[0,0]".  The bars are block characters, or signs of ASCII.
 */
void fx_stats_print(struct fx_buf *out, const struct fx_stats *stats,
	bool is_ascii);
/* The same from "min" on, where the shape is told already. */
void fx_stats_print_facts(struct fx_buf *out, const struct fx_stats *stats,
	bool is_ascii);

#endif /* FX_RUN_STATS_H */
