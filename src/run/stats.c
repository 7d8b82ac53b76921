/* stats.c - statistics of a tensor, chunk by chunk.
 *
 * Two passes: the bins of the histogram need the range.  A histogram that
 * grows as it goes would need one, but its bars would depend on the order of
 * the elements; reading twice costs less than computing ever did.
 */
#include <config.h>

#include "run/stats.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "meta/promote.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/stats_private.h"
#include "run/ticker.h"

/* Of a sample: elements, and how many of them stand side by side. */
#define SAMPLE_LIMIT ((uint64_t)1 << 12)
#define SAMPLE_CHUNK ((size_t)1 << 7)

/* What stands at one index of the dimension that statistics are by. */
struct group {
	struct fx_stats *stats;
	double squares;
};

struct pass {
	const struct fx_datum *tensor;
	struct fx_ticker *ticker;
	struct fx_stats *stats;
	const double *numbers; /* that a function is called for: in real */
	uint64_t limit;        /* of elements: beyond it, a sample ... */
	size_t chunk;          /* ... of as many at once */
	double squares;        /* of differences from the mean */
	double scale; /* of the numbers, 0 for none: see measure_scaled */
	struct group *groups;
	uint64_t group_count;
	uint64_t inner; /* elements of a group that stand side by side */
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];
};

typedef void chunk_fn(struct pass *pass, uint64_t first, size_t count);

/* --- reading ------------------------------------------------------------- */

struct fx_error *
fx_stats_read(const struct fx_datum *tensor, uint64_t first, size_t count,
	double *real, double *imag)
{
	bool is_complex =
		fx_dtype_is_complex((enum fx_dtype)fx_kind_of(tensor).dtype);
	struct fx_error *err = fx_values_numbers(tensor, first, count, real,
		is_complex ? imag : NULL);

	for (size_t i = 0; !err && is_complex && i < count; i++)
		real[i] = isnan(real[i]) || isnan(imag[i])
				  ? NAN
				  : hypot(real[i], imag[i]);
	return err;
}

static struct fx_error *
read_chunk(struct pass *pass, uint64_t first, size_t count)
{
	struct fx_error *err = fx_stats_read(pass->tensor, first, count,
		pass->real, pass->imag);

	for (size_t i = 0; !err && pass->scale != 0 && i < count; i++)
		pass->real[i] *= pass->scale;
	pass->numbers = pass->real;
	return err;
}

/* FUNCTION on every chunk, or on a sample of them. */
static struct fx_error *
each_chunk(struct pass *pass, chunk_fn *function)
{
	uint64_t total = pass->stats->extent.count;
	struct fx_reading reading =
		fx_reading_of(total, pass->limit, pass->chunk);

	for (uint64_t i = 0; i < reading.blocks; i++) {
		uint64_t first = fx_reading_start(&reading, i);
		size_t count = FX_MIN(total - first, reading.size);
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

/* Numbers are added up in as many sums, which do not wait for each other. */
#define LANES ((size_t)4)

static double
lanes_sum(const double *lanes)
{
	return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

static double
sum_of(const double *numbers, size_t count)
{
	double sums[LANES] = { 0 };
	size_t whole = count - count % LANES;

	for (size_t i = 0; i < whole; i += LANES)
		for (size_t k = 0; k < LANES; k++)
			sums[k] += numbers[i + k];
	for (size_t i = whole; i < count; i++)
		sums[i - whole] += numbers[i];
	return lanes_sum(sums);
}

static double
squares_of(const double *numbers, size_t count, double mean)
{
	double sums[LANES] = { 0 };
	size_t whole = count - count % LANES;

	for (size_t i = 0; i < whole; i += LANES)
		for (size_t k = 0; k < LANES; k++)
			sums[k] += (numbers[i + k] - mean) *
				   (numbers[i + k] - mean);
	for (size_t i = whole; i < count; i++)
		sums[i - whole] += (numbers[i] - mean) * (numbers[i] - mean);
	return lanes_sum(sums);
}

/* The common case, all finite, in loops without branches. */
static void
measure_finite(struct pass *pass, uint64_t first, size_t count)
{
	struct fx_stats *stats = pass->stats;
	const double *numbers = pass->numbers;
	double low = numbers[0];
	double high = numbers[0];
	double mean = sum_of(numbers, count) / (double)count;
	size_t nonzero = 0;

	for (size_t i = 0; i < count; i++) {
		low = numbers[i] < low ? numbers[i] : low;
		high = numbers[i] > high ? numbers[i] : high;
		nonzero += numbers[i] != 0;
	}
	stats->nonzero += nonzero;
	widen(stats, numbers, first, low, high);
	merge(pass, count, mean, squares_of(numbers, count, mean));
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
		double number = pass->numbers[i];

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
	/* Comparing the count of NaN before and after this chunk tells whether
	 * the chunk has a number.
	 */
	after = stats->nan;
	stats->nan = before;
	if (after - before < count)
		widen(stats, pass->numbers, first, low, high);
	stats->nan = after;
}

static void
measure(struct pass *pass, uint64_t first, size_t count)
{
	/* Times nothing, an element that is NaN or infinite is NaN. */
	bool is_mixed = false;

	for (size_t i = 0; i < count; i++)
		is_mixed |= pass->numbers[i] * 0 != 0;
	if (!is_mixed)
		measure_finite(pass, first, count);
	else
		measure_mixed(pass, first, count);
	pass->stats->seen += count;
}

/* The mean and the deviation once more, where squares outgrow a double. */
static struct fx_error *
measure_scaled(struct pass *pass)
{
	const double scale = 0x1p-600;
	struct fx_stats *stats = pass->stats;
	struct fx_stats first = *stats;
	struct fx_error *err;

	*stats = (struct fx_stats){ .extent = first.extent };
	pass->squares = 0;
	pass->scale = scale;
	err = each_chunk(pass, measure);
	pass->scale = 0;
	first.mean = stats->mean / scale;
	first.std = sqrt(pass->squares / (double)(first.finite - 1)) / scale;
	*stats = first;
	return err;
}

/* Where the least and the greatest of 64-bit integers stand, which doubles do
 * not tell apart.
 */
static struct fx_error *
place_exactly(struct pass *pass)
{
	struct fx_stats *stats = pass->stats;
	struct fx_reading reading =
		fx_reading_of(stats->extent.count, pass->limit, pass->chunk);
	/* Unsigned numbers are in order as signed ones with this bit turned. */
	uint64_t turned =
		stats->extent.dtype == FX_DTYPE_U64 ? (uint64_t)1 << 63 : 0;
	uint64_t bits[FX_VALUES_CHUNK];
	int64_t least = INT64_MAX;
	int64_t most = INT64_MIN;
	bool is_first = true;

	for (uint64_t i = 0; i < reading.blocks; i++) {
		uint64_t first = fx_reading_start(&reading, i);
		size_t count =
			FX_MIN(reading.total - first, (uint64_t)reading.size);
		struct fx_error *err =
			fx_values_read(pass->tensor, first, count, bits);

		for (size_t k = 0; !err && k < count; k++) {
			int64_t number = (int64_t)(bits[k] ^ turned);

			if (is_first || number < least)
				stats->min_index = first + k;
			if (is_first || number > most)
				stats->max_index = first + k;
			least = FX_MIN(least, number);
			most = FX_MAX(most, number);
			is_first = false;
		}
		if (err)
			return err;
	}
	return NULL;
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

/* The pass that begins: TENSOR has values. */
static struct fx_error *
begin(struct pass *pass, struct fx_stats *ret)
{
	struct fx_error *err;

	*ret = (struct fx_stats){ .seen = 0 };
	err = fx_extent_of(pass->tensor, &ret->extent);
	return err ? err : fx_values_read(pass->tensor, 0, 0, NULL);
}

static struct fx_error *
compute(struct pass *pass)
{
	struct fx_stats *ret = pass->stats;
	bool is_long = ret->extent.dtype == FX_DTYPE_I64 ||
		       ret->extent.dtype == FX_DTYPE_U64;
	struct fx_error *err = each_chunk(pass, measure);

	ret->std = ret->finite > 1
			   ? sqrt(pass->squares / (double)(ret->finite - 1))
			   : NAN;
	if (!err && ret->finite > 1 && !isfinite(ret->std))
		err = measure_scaled(pass);
	if (!err && is_long && (ret->min < -0x1p53 || ret->max > 0x1p53))
		err = place_exactly(pass);
	if (err)
		return err;
	ret->least = ret->min;
	ret->most = ret->max;
	if (ret->plus_inf || ret->minus_inf) {
		ret->least = INFINITY;
		ret->most = -INFINITY;
		err = each_chunk(pass, find_range);
	}
	if (!err && ret->finite && ret->extent.dtype != FX_DTYPE_BOOL)
		err = each_chunk(pass, fill_bins);
	return err;
}

struct fx_error *
fx_stats_compute(const struct fx_datum *tensor, struct fx_ticker *ticker,
	struct fx_stats *ret)
{
	struct pass pass = {
		.tensor = tensor,
		.ticker = ticker,
		.stats = ret,
		.limit = FX_STATS_LIMIT,
		.chunk = FX_VALUES_CHUNK,
	};
	struct fx_error *err = begin(&pass, ret);

	return err ? err : compute(&pass);
}

/* --- by a dimension ------------------------------------------------------ */

/* Each run of elements that belong to one group is measured for that group. */
static void
measure_groups(struct pass *pass, uint64_t first, size_t count)
{
	struct fx_stats *whole = pass->stats;
	size_t run;

	for (size_t done = 0; done < count; done += run) {
		uint64_t at = first + done;
		struct group *group =
			&pass->groups[at / pass->inner % pass->group_count];

		run = (size_t)FX_MIN((uint64_t)(count - done),
			pass->inner - at % pass->inner);
		pass->stats = group->stats;
		pass->squares = group->squares;
		pass->numbers = pass->real + done;
		measure(pass, at, run);
		group->squares = pass->squares;
	}
	pass->stats = whole;
}

static void
finish_group(struct fx_stats *stats, double squares)
{
	stats->std = stats->finite > 1
			     ? sqrt(squares / (double)(stats->finite - 1))
			     : NAN;
	stats->least = stats->min;
	stats->most = stats->max;
}

/* The groups once more, where squares of one outgrow a double. */
static struct fx_error *
measure_groups_scaled(struct pass *pass)
{
	const double scale = 0x1p-600;
	size_t count = (size_t)pass->group_count;
	FX_AUTO_FREE struct fx_stats *again = fx_xcalloc(count, sizeof(*again));
	FX_AUTO_FREE struct group *groups = fx_xcalloc(count, sizeof(*groups));
	struct group *first = pass->groups;
	struct fx_error *err;

	for (size_t i = 0; i < count; i++)
		groups[i].stats = &again[i];
	pass->groups = groups;
	pass->scale = scale;
	err = each_chunk(pass, measure_groups);
	pass->groups = first;
	pass->scale = 0;
	for (size_t i = 0; !err && i < count; i++) {
		struct fx_stats *stats = first[i].stats;

		if (stats->finite < 2 || isfinite(stats->std))
			continue;
		finish_group(&again[i], groups[i].squares);
		stats->mean = again[i].mean / scale;
		stats->std = again[i].std / scale;
	}
	return err;
}

/* The groups of DIMENSION, whose statistics go to RET. */
static struct fx_error *
compute_groups(struct pass *pass, uint32_t dimension, struct fx_stats *ret)
{
	const struct fx_extent *extent = &pass->stats->extent;
	size_t count = (size_t)extent->sizes[dimension];
	FX_AUTO_FREE struct group *groups = fx_xcalloc(count, sizeof(*groups));
	bool is_large = false;
	struct fx_error *err;

	pass->groups = groups;
	pass->group_count = count;
	pass->inner = 1;
	for (uint32_t i = dimension + 1; i < extent->rank; i++)
		pass->inner *= (uint64_t)extent->sizes[i];
	for (size_t i = 0; i < count; i++) {
		ret[i] = (struct fx_stats){ .extent = *extent };
		ret[i].extent.count = extent->count / count;
		groups[i].stats = &ret[i];
	}
	err = each_chunk(pass, measure_groups);
	for (size_t i = 0; !err && i < count; i++) {
		finish_group(&ret[i], groups[i].squares);
		is_large |= ret[i].finite > 1 && !isfinite(ret[i].std);
	}
	return !err && is_large ? measure_groups_scaled(pass) : err;
}

struct fx_error *
fx_stats_compute_by(const struct fx_datum *tensor, uint32_t dimension,
	struct fx_ticker *ticker, struct fx_stats *ret)
{
	struct fx_stats whole;
	struct pass pass = {
		.tensor = tensor,
		.ticker = ticker,
		.stats = &whole,
		.limit = UINT64_MAX,
		.chunk = FX_VALUES_CHUNK,
	};
	struct fx_error *err = begin(&pass, &whole);

	if (err)
		return err;
	fx_assert(dimension < whole.extent.rank);
	return compute_groups(&pass, dimension, ret);
}

/* --- a sample ------------------------------------------------------------ */

struct fx_error *
fx_stats_sample(const struct fx_datum *tensor, struct fx_stats *ret)
{
	struct pass pass = {
		.tensor = tensor,
		.stats = ret,
		.limit = SAMPLE_LIMIT,
		.chunk = SAMPLE_CHUNK,
	};
	bool is_special = false;
	struct fx_error *err = begin(&pass, ret);

	if (!err && ret->extent.count > SAMPLE_LIMIT)
		err = fx_stats_find_nonfinite(tensor, &ret->extent, NULL,
			&is_special);
	if (err)
		return err;
	return is_special ? fx_stats_compute(tensor, NULL, ret)
			  : compute(&pass);
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
