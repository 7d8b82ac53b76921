/* stats.c - statistics of a tensor, chunk by chunk.
 *
 * Two passes: the bins of the histogram need the range.  A histogram that
 * grows as it goes would need one, but its bars would depend on the order of
 * the elements; reading twice costs less than computing ever did.
 */
#include <config.h>

#include "run/stats.h"

#include <inttypes.h>
#include <math.h>

#include "base/buf.h"
#include "meta/promote.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/hooks.h"

struct pass {
	const struct fx_datum *tensor;
	struct fx_ticker *ticker;
	struct fx_stats *stats;
	double squares; /* of differences from the mean */
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];
};

typedef void chunk_fn(struct pass *pass, uint64_t first, size_t count);

/* --- reading ------------------------------------------------------------- */

/* Where block INDEX of COUNT begins: evenly spread, the last ends at the
 * end.
 */
static uint64_t
block_start(uint64_t total, uint64_t index, uint64_t count)
{
	uint64_t room = total > FX_VALUES_CHUNK ? total - FX_VALUES_CHUNK : 0;

	if (count < 2)
		return 0;
	return room / (count - 1) * index +
	       room % (count - 1) * index / (count - 1);
}

static struct fx_error *
read_chunk(struct pass *pass, uint64_t first, size_t count)
{
	bool is_complex = fx_dtype_is_complex(pass->stats->extent.dtype);
	struct fx_error *err = fx_values_numbers(pass->tensor, first, count,
		pass->real, is_complex ? pass->imag : NULL);

	for (size_t i = 0; !err && is_complex && i < count; i++)
		pass->real[i] = isnan(pass->real[i]) || isnan(pass->imag[i])
					? NAN
					: hypot(pass->real[i], pass->imag[i]);
	return err;
}

/* FUNCTION on every chunk, or on a sample of them. */
static struct fx_error *
each_chunk(struct pass *pass, chunk_fn *function)
{
	uint64_t total = pass->stats->extent.count;
	bool is_sampled = total > FX_STATS_LIMIT;
	uint64_t blocks =
		((is_sampled ? FX_STATS_LIMIT : total) + FX_VALUES_CHUNK - 1) /
		FX_VALUES_CHUNK;

	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t first = is_sampled ? block_start(total, i, blocks)
					    : i * FX_VALUES_CHUNK;
		size_t count = FX_MIN(total - first, FX_VALUES_CHUNK);
		struct fx_error *err = read_chunk(pass, first, count);

		if (err)
			return err;
		function(pass, first, count);
		err = fx_ticker_check(pass->ticker, first + count, total);
		if (err)
			return err;
	}
	return NULL;
}

/* --- the range and the mean ---------------------------------------------- */

static void
count_special(struct fx_stats *stats, double number, uint64_t index)
{
	if (isnan(number)) {
		if (!stats->nan++)
			stats->nan_index = index;
		return;
	}
	if (!stats->plus_inf && !stats->minus_inf)
		stats->inf_index = index;
	if (number > 0)
		stats->plus_inf++;
	else
		stats->minus_inf++;
}

/* Where NUMBER first stands among NUMBERS. */
static size_t
place_of(const double *numbers, double number)
{
	size_t i = 0;

	while (numbers[i] != number)
		i++;
	return i;
}

/* LOW and HIGH are the ends of NUMBERS, which begin at element FIRST. */
static void
widen(struct fx_stats *stats, const double *numbers, uint64_t first, double low,
	double high)
{
	bool is_first = stats->seen == stats->nan;

	if (is_first || low < stats->min) {
		stats->min = low;
		stats->min_index = first + place_of(numbers, low);
	}
	if (is_first || high > stats->max) {
		stats->max = high;
		stats->max_index = first + place_of(numbers, high);
	}
}

/* The mean and the squares of two sets from theirs (Chan, Golub, LeVeque). */
static void
merge(struct pass *pass, size_t count, double mean, double squares)
{
	struct fx_stats *stats = pass->stats;
	double before = (double)stats->finite;
	double total = before + (double)count;
	double step = mean - stats->mean;

	if (!count)
		return;
	stats->mean += step * (double)count / total;
	pass->squares += squares + step * step * before * (double)count / total;
	stats->finite += count;
}

/* The common case, all finite, in loops without branches. */
static void
measure_finite(struct pass *pass, uint64_t first, size_t count)
{
	struct fx_stats *stats = pass->stats;
	const double *numbers = pass->real;
	double low = numbers[0];
	double high = numbers[0];
	double sum = 0;
	double squares = 0;
	size_t nonzero = 0;

	for (size_t i = 0; i < count; i++) {
		low = numbers[i] < low ? numbers[i] : low;
		high = numbers[i] > high ? numbers[i] : high;
		sum += numbers[i];
		nonzero += numbers[i] != 0;
	}
	stats->nonzero += nonzero;
	sum /= (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (numbers[i] - sum) * (numbers[i] - sum);
	widen(stats, numbers, first, low, high);
	merge(pass, count, sum, squares);
}

/* With NaN or infinities: what is finite is measured on its own. */
static void
measure_mixed(struct pass *pass, uint64_t first, size_t count)
{
	struct fx_stats *stats = pass->stats;
	double finite[FX_VALUES_CHUNK];
	double low = INFINITY;
	double high = -INFINITY;
	double sum = 0;
	double squares = 0;
	uint64_t before = stats->nan;
	uint64_t after;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		double number = pass->real[i];

		stats->nonzero += number != 0;
		low = fmin(low, number);
		high = fmax(high, number);
		if (isfinite(number))
			finite[kept++] = number;
		else
			count_special(stats, number, first + i);
	}
	for (size_t i = 0; i < kept; i++)
		sum += finite[i] / (double)kept;
	for (size_t i = 0; i < kept; i++)
		squares += (finite[i] - sum) * (finite[i] - sum);
	merge(pass, kept, sum, squares);
	/* Whether there was a number before these tells those before. */
	after = stats->nan;
	stats->nan = before;
	if (after - before < count)
		widen(stats, pass->real, first, low, high);
	stats->nan = after;
}

static void
measure(struct pass *pass, uint64_t first, size_t count)
{
	/* NaN as soon as one of them is NaN or infinite. */
	double probe = 0;

	for (size_t i = 0; i < count; i++)
		probe += pass->real[i] * 0;
	if (probe == 0)
		measure_finite(pass, first, count);
	else
		measure_mixed(pass, first, count);
	pass->stats->seen += count;
}

/* --- the histogram ------------------------------------------------------- */

static void
find_range(struct pass *pass, uint64_t first, size_t count)
{
	struct fx_stats *stats = pass->stats;

	(void)first;
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(pass->real[i]))
			continue;
		stats->least = fmin(stats->least, pass->real[i]);
		stats->most = fmax(stats->most, pass->real[i]);
	}
}

static void
fill_bins(struct pass *pass, uint64_t first, size_t count)
{
	struct fx_stats *stats = pass->stats;
	/* Halves, as the width of all doubles is none. */
	double least = stats->least / 2;
	double width = stats->most / 2 - least;
	double scale = FX_STATS_BINS / width;
	/* Bins that a tiny or no width cannot tell apart are one. */
	bool is_narrow = !(width > 0) || !isfinite(scale);

	(void)first;
	for (size_t i = 0; i < count; i++) {
		int bin = FX_STATS_BINS / 2;

		if (!isfinite(pass->real[i]))
			continue;
		if (!is_narrow)
			bin = (int)((pass->real[i] / 2 - least) * scale);
		stats->bins[FX_MIN(FX_MAX(bin, 0), FX_STATS_BINS - 1)]++;
	}
}

struct fx_error *
fx_stats_compute(const struct fx_datum *tensor, struct fx_ticker *ticker,
	struct fx_stats *ret)
{
	struct pass pass = { .tensor = tensor, .ticker = ticker, .stats = ret };
	struct fx_error *err;

	*ret = (struct fx_stats){ .seen = 0 };
	err = fx_extent_of(tensor, &ret->extent);
	if (!err)
		err = fx_values_read(tensor, 0, 0, NULL);
	if (!err)
		err = each_chunk(&pass, measure);
	if (err)
		return err;
	ret->std = ret->finite > 1
			   ? sqrt(pass.squares / (double)(ret->finite - 1))
			   : NAN;
	ret->least = ret->min;
	ret->most = ret->max;
	if (ret->plus_inf || ret->minus_inf) {
		ret->least = INFINITY;
		ret->most = -INFINITY;
		err = each_chunk(&pass, find_range);
	}
	if (!err && ret->finite && ret->extent.dtype != FX_DTYPE_BOOL)
		err = each_chunk(&pass, fill_bins);
	return err;
}

/* --- answers ------------------------------------------------------------- */

double
fx_stats_mean(const struct fx_stats *stats)
{
	if (stats->nan || !stats->seen || (stats->plus_inf && stats->minus_inf))
		return NAN;
	if (stats->plus_inf || stats->minus_inf)
		return stats->plus_inf ? INFINITY : -INFINITY;
	return stats->mean;
}

double
fx_stats_std(const struct fx_stats *stats)
{
	return stats->finite == stats->seen ? stats->std : NAN;
}

double
fx_stats_absmax(const struct fx_stats *stats)
{
	return stats->nan || !stats->seen
		       ? NAN
		       : fmax(fabs(stats->min), fabs(stats->max));
}

/* Nothing times a number is nothing, unless it is NaN or infinite. */
static void
probe(struct pass *pass, uint64_t first, size_t count)
{
	double sum = 0;

	(void)first;
	for (size_t i = 0; i < count; i++)
		sum += pass->real[i] * 0;
	pass->squares += sum;
}

/* As fx_stats_compute would find, at a fraction of its cost. */
static bool
is_nonfinite(const struct fx_datum *tensor)
{
	struct fx_stats stats = { .seen = 0 };
	struct pass pass = { .tensor = tensor, .stats = &stats };
	struct fx_error *err = fx_extent_of(tensor, &stats.extent);

	if (!err)
		err = fx_values_read(tensor, 0, 0, NULL);
	if (!err)
		err = each_chunk(&pass, probe);
	fx_error_free(err);
	return !err && pass.squares != 0;
}

bool
fx_datum_is_nonfinite(const struct fx_datum *datum)
{
	enum fx_dtype dtype = (enum fx_dtype)fx_kind_of(datum).dtype;

	for (size_t i = 0; i < fx_datum_item_count(datum); i++)
		if (fx_datum_is_nonfinite(datum->items[i]))
			return true;
	return (fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype)) &&
	       is_nonfinite(datum);
}

/* --- text ---------------------------------------------------------------- */

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
