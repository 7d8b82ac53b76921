/* stats_text.c - statistics of a tensor as a line of text. */
#include <config.h>

#include "run/stats.h"

#include <inttypes.h>
#include <math.h>

#include "base/buf.h"
#include "meta/promote.h"

static void
print_bars(struct fx_buf *out, const struct fx_stats *stats, bool is_ascii)
{
	static const char *const blocks[] = { " ", "\u2581", "\u2582", "\u2583",
		"\u2584", "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char signs[] = " .:-=+*#@";
	uint64_t most = 1;

	for (int i = 0; i < FX_STATS_BINS; i++)
		most = FX_MAX(most, stats->bins[i]);
	fx_buf_add(out, " |");
	for (int i = 0; i < FX_STATS_BINS; i++) {
		uint64_t level = (stats->bins[i] * 8 + most - 1) / most;

		if (is_ascii)
			fx_buf_add_char(out, signs[level]);
		else
			fx_buf_add(out, blocks[level]);
	}
	fx_buf_add_char(out, '|');
}

static void
print_number(struct fx_buf *out, const struct fx_stats *stats, double number)
{
	bool is_whole = fx_dtype_is_integer(stats->extent.dtype);

	fx_buf_addf(out, is_whole && fabs(number) < 1e15 ? "%.0f" : "%.3g",
		number);
}

/* "@[0,2]"; there is only one place in a tensor without dimensions. */
static void
print_index(struct fx_buf *out, const struct fx_stats *stats, uint64_t index)
{
	if (!stats->extent.rank)
		return;
	fx_buf_add_char(out, '@');
	fx_extent_print_index(out, &stats->extent, index);
}

static void
print_range(struct fx_buf *out, const struct fx_stats *stats)
{
	fx_buf_add(out, "min ");
	print_number(out, stats, stats->min);
	print_index(out, stats, stats->min_index);
	fx_buf_add(out, " max ");
	print_number(out, stats, stats->max);
	print_index(out, stats, stats->max_index);
}

/* " nan 3@[0,2]"; nothing for none. */
static void
print_special(struct fx_buf *out, const struct fx_stats *stats,
	const char *name, uint64_t count, uint64_t index)
{
	if (!count)
		return;
	fx_buf_addf(out, "%s %" PRIu64, name, count);
	print_index(out, stats, index);
}

static void
print_some(struct fx_buf *out, const struct fx_stats *stats, bool is_ascii)
{
	if (fx_dtype_is_complex(stats->extent.dtype))
		fx_buf_add(out, "abs ");
	if (stats->nan < stats->seen)
		print_range(out, stats);
	if (stats->finite) {
		fx_buf_addf(out, " mean %.3g", stats->mean);
		if (stats->finite > 1)
			fx_buf_addf(out, " std %.3g", stats->std);
		print_bars(out, stats, is_ascii);
	}
	if (fx_dtype_is_integer(stats->extent.dtype))
		return;
	print_special(out, stats, stats->nan < stats->seen ? " nan" : "nan",
		stats->nan, stats->nan_index);
	print_special(out, stats, " inf", stats->plus_inf + stats->minus_inf,
		stats->inf_index);
}

void
fx_stats_print_facts(struct fx_buf *out, const struct fx_stats *stats,
	bool is_ascii)
{
	const struct fx_extent *extent = &stats->extent;

	if (!extent->count)
		fx_buf_add(out, "empty");
	else if (extent->dtype == FX_DTYPE_BOOL)
		fx_buf_addf(out, "true %" PRIu64 " false %" PRIu64,
			stats->nonzero, stats->seen - stats->nonzero);
	else if (extent->count == 1 && !fx_dtype_is_complex(extent->dtype))
		print_number(out, stats, stats->nan ? (double)NAN : stats->min);
	else
		print_some(out, stats, is_ascii);
	if (stats->seen < extent->count)
		fx_buf_addf(out,
			" (%" PRIu64 " of %" PRIu64 " elements sampled)",
			stats->seen, extent->count);
}

void
fx_stats_print(struct fx_buf *out, const struct fx_stats *stats, bool is_ascii)
{
	const struct fx_extent *extent = &stats->extent;

	fx_buf_add(out, fx_dtype_info(extent->dtype)->short_name);
	fx_buf_add_char(out, '[');
	for (uint32_t i = 0; i < extent->rank; i++)
		fx_buf_addf(out, "%s%" PRId64, i ? "," : "", extent->sizes[i]);
	fx_buf_add(out, "]  ");
	fx_stats_print_facts(out, stats, is_ascii);
}
