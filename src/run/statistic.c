/* statistic.c - single statistics by name (statistics.def). */
#include <config.h>

#include <math.h>

#include "base/str.h"
#include "run/stats.h"

static bool
elements_of(const struct fx_stats *stats, struct fx_statistic_value *ret)
{
	ret->number = stats->extent.count;
	return true;
}

static bool
seen_of(const struct fx_stats *stats, struct fx_statistic_value *ret)
{
	ret->number = stats->seen;
	return true;
}

static bool
min_of(const struct fx_stats *stats, struct fx_statistic_value *ret)
{
	ret->place = stats->min_index;
	ret->real = stats->min;
	return stats->nan < stats->seen;
}

static bool
max_of(const struct fx_stats *stats, struct fx_statistic_value *ret)
{
	ret->place = stats->max_index;
	ret->real = stats->max;
	return stats->nan < stats->seen;
}

static bool
mean_of(const struct fx_stats *stats, struct fx_statistic_value *ret)
{
	ret->real = stats->mean;
	return stats->finite > 0;
}

static bool
std_of(const struct fx_stats *stats, struct fx_statistic_value *ret)
{
	ret->real = stats->std;
	return stats->finite > 0;
}

/* Of n numbers whose squares of differences from the mean sum to S the squares
 * sum to S + n * mean^2.
 */
static bool
norm_of(const struct fx_stats *stats, struct fx_statistic_value *ret)
{
	double n = (double)stats->finite;
	double apart = stats->finite > 1 ? stats->std * sqrt(n - 1) : 0;

	ret->real = hypot(apart, stats->mean * sqrt(n));
	return true;
}

static bool
nonzero_of(const struct fx_stats *stats, struct fx_statistic_value *ret)
{
	ret->number = stats->nonzero;
	return true;
}

static bool
nan_of(const struct fx_stats *stats, struct fx_statistic_value *ret)
{
	ret->number = stats->nan;
	ret->place = stats->nan_index;
	return true;
}

static bool
inf_of(const struct fx_stats *stats, struct fx_statistic_value *ret)
{
	ret->number = stats->plus_inf + stats->minus_inf;
	ret->place = stats->inf_index;
	return true;
}

static bool
nan_place_of(const struct fx_stats *stats, struct fx_statistic_value *ret)
{
	return nan_of(stats, ret) && ret->number;
}

static bool
inf_place_of(const struct fx_stats *stats, struct fx_statistic_value *ret)
{
	return inf_of(stats, ret) && ret->number;
}

static const struct fx_statistic statistics[] = {
#define FX_STATISTIC(key, kind, detail, function, help) \
	{ key, FX_STATISTIC_##kind, detail, help, function },
#include "run/statistics.def"
};

const struct fx_statistic *
fx_statistic_at(size_t index)
{
	return index < FX_ARRAY_LEN(statistics) ? &statistics[index] : NULL;
}

const struct fx_statistic *
fx_statistic_find(const char *key)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(statistics); i++)
		if (fx_str_equal(statistics[i].key, key))
			return &statistics[i];
	return NULL;
}
