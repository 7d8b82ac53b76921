/* sketch.c - a tensor's histogram in a few characters. */
#include <config.h>

#include "run/sketch.h"

#include <math.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "run/values.h"

enum {
	RUNS = 16, /* places that elements are taken from */
	RUN_LENGTH = 64,
	SAMPLES = RUNS * RUN_LENGTH,
	LEVELS = 8,
};

/* Up to SAMPLES finite elements; returns how many. */
static size_t
take(const struct fx_datum *tensor, const struct fx_extent *extent,
	double samples[SAMPLES])
{
	uint64_t length = FX_MIN(extent->count, (uint64_t)RUN_LENGTH);
	uint64_t runs = FX_MIN(extent->count / length, (uint64_t)RUNS);
	size_t count = 0;

	for (uint64_t i = 0; i < runs; i++) {
		/* Spread over the whole, without the remainder at its end. */
		uint64_t first =
			runs > 1 ? (extent->count - length) / (runs - 1) * i
				 : 0;
		double run[RUN_LENGTH];
		struct fx_error *err = fx_values_numbers(tensor, first,
			(size_t)length, run, NULL);

		if (err) {
			fx_error_free(err);
			return 0;
		}
		for (uint64_t k = 0; k < length; k++)
			if (isfinite(run[k]))
				samples[count++] = run[k];
	}
	return count;
}

static void
print(struct fx_buf *out, const unsigned bins[FX_SKETCH_COLUMNS], bool is_ascii)
{
	static const char *const blocks[LEVELS + 1] = { " ", "\u2581", "\u2582",
		"\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char signs[] = " .:-=+*#@";
	unsigned most = 1;

	for (int i = 0; i < FX_SKETCH_COLUMNS; i++)
		most = FX_MAX(most, bins[i]);
	for (int i = 0; i < FX_SKETCH_COLUMNS; i++) {
		unsigned level = (bins[i] * LEVELS + most - 1) / most;

		if (is_ascii)
			fx_buf_add_char(out, signs[level]);
		else
			fx_buf_add(out, blocks[level]);
	}
}

bool
fx_sketch_print(struct fx_buf *out, const struct fx_datum *tensor,
	bool is_ascii)
{
	double samples[SAMPLES];
	unsigned bins[FX_SKETCH_COLUMNS] = { 0 };
	double least = INFINITY;
	double most = -INFINITY;
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of(tensor, &extent);
	size_t count;

	if (err || !extent.count || !fx_values_known(tensor)) {
		fx_error_free(err);
		return false;
	}
	count = take(tensor, &extent, samples);
	for (size_t i = 0; i < count; i++) {
		least = fmin(least, samples[i]);
		most = fmax(most, samples[i]);
	}
	for (size_t i = 0; i < count; i++) {
		/* Halves: the range of two large numbers may be none. */
		double share = most > least ? (samples[i] / 2 - least / 2) /
						      (most / 2 - least / 2)
					    : 0.5;
		int bin = (int)(share * FX_SKETCH_COLUMNS);

		bins[FX_MIN(bin, FX_SKETCH_COLUMNS - 1)]++;
	}
	if (count)
		print(out, bins, is_ascii);
	return count > 0;
}
