/* stats_private.h - how statistics read a tensor (stats.c, nonfinite.c). */
#ifndef FX_RUN_STATS_PRIVATE_H
#define FX_RUN_STATS_PRIVATE_H

#include "base/compiler.h"
#include "run/stats.h"

/* A tensor in BLOCKS of SIZE elements: all of them, or a sample, evenly spread,
 * of which the last ends at the end.
 */
struct fx_reading {
	uint64_t total;
	uint64_t blocks;
	size_t size;
	bool is_sampled;
};

static inline struct fx_reading
fx_reading_of(uint64_t total, uint64_t limit, size_t size)
{
	return (struct fx_reading){
		.total = total,
		.blocks = (FX_MIN(total, limit) + size - 1) / size,
		.size = size,
		.is_sampled = total > limit,
	};
}

static inline uint64_t
fx_reading_start(const struct fx_reading *reading, uint64_t index)
{
	uint64_t last = reading->blocks - 1;
	uint64_t room = reading->total - reading->size;

	if (!reading->is_sampled || !last)
		return index * reading->size;
	return room / last * index + room % last * index / last;
}

/* COUNT elements of TENSOR from FIRST as numbers to REAL: of complex ones their
 * absolute values, for which IMAG has room, NaN where a part is.
 */
FX_NODISCARD struct fx_error *fx_stats_read(const struct fx_datum *tensor,
	uint64_t first, size_t count, double *real, double *imag);

/* Whether TENSOR, which has values and is as EXTENT says, holds NaN or
 * infinities, as fx_stats_compute would find, at the speed of memory.  Of a
 * very large tensor a sample tells.  TICKER may be NULL.
 */
FX_NODISCARD struct fx_error *
fx_stats_find_nonfinite(const struct fx_datum *tensor,
	const struct fx_extent *extent, struct fx_ticker *ticker, bool *ret);

#endif /* FX_RUN_STATS_PRIVATE_H */
