/* distribution.c - histograms and frequencies of a tensor's elements. */
#include <config.h>

#include "run/distribution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/stats_private.h"
#include "run/ticker.h"

/* --- histograms ---------------------------------------------------------- */

void
fx_histogram_deinit(struct fx_histogram *histogram)
{
	free(histogram->edges);
	free(histogram->counts);
}

struct histogram_pass {
	const struct fx_datum *tensor;
	struct fx_ticker *ticker;
	struct fx_histogram *histogram;
	uint64_t count; /* of elements */
	double least;
	double most;
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];
};

static void
find_range(struct histogram_pass *pass, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(pass->real[i])) {
			pass->histogram->left_out++;
			continue;
		}
		pass->histogram->finite++;
		pass->least = fmin(pass->least, pass->real[i]);
		pass->most = fmax(pass->most, pass->real[i]);
	}
}

/* The last bin whose lower edge is not above NUMBER. */
static size_t
bin_of(const struct fx_histogram *histogram, double number)
{
	size_t low = 0;
	size_t high = histogram->bins;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (histogram->edges[middle] <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void
fill(struct histogram_pass *pass, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (isfinite(pass->real[i]))
			pass->histogram->counts[bin_of(pass->histogram,
				pass->real[i])]++;
}

static struct fx_error *
each_chunk(struct histogram_pass *pass,
	void (*function)(struct histogram_pass *pass, size_t count))
{
	for (uint64_t first = 0; first < pass->count;
		first += FX_VALUES_CHUNK) {
		size_t count = (size_t)FX_MIN(pass->count - first,
			(uint64_t)FX_VALUES_CHUNK);
		struct fx_error *err = fx_stats_read(pass->tensor, first, count,
			pass->real, pass->imag);

		if (err)
			return err;
		function(pass, count);
		err = fx_ticker_check(pass->ticker, first + count, pass->count);
		if (err)
			return err;
	}
	return NULL;
}

/* Evenly from the least to the most; half to each side of a single value. */
static void
set_edges(struct histogram_pass *pass)
{
	struct fx_histogram *histogram = pass->histogram;
	double step;

	if (!(pass->least <= pass->most)) {
		pass->least = 0;
		pass->most = 1;
	}
	if (pass->least == pass->most) {
		pass->least -= 0.5;
		pass->most += 0.5;
	}
	step = (pass->most - pass->least) / (double)histogram->bins;
	/* The width of all doubles is none. */
	if (!isfinite(step))
		step = pass->most / (double)histogram->bins -
		       pass->least / (double)histogram->bins;
	for (size_t i = 0; i < histogram->bins; i++)
		histogram->edges[i] = (double)i * step + pass->least;
	histogram->edges[histogram->bins] = pass->most;
}

struct fx_error *
fx_histogram_compute(const struct fx_datum *tensor, size_t bins,
	struct fx_ticker *ticker, struct fx_histogram *ret)
{
	struct histogram_pass pass = { .tensor = tensor,
		.ticker = ticker,
		.histogram = ret,
		.least = INFINITY,
		.most = -INFINITY };
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of(tensor, &extent);

	*ret = (struct fx_histogram){ .bins = bins };
	if (!err)
		err = fx_values_read(tensor, 0, 0, NULL);
	if (err)
		return err;
	ret->edges = fx_xcalloc(bins + 1, sizeof(*ret->edges));
	ret->counts = fx_xcalloc(bins, sizeof(*ret->counts));
	pass.count = extent.count;
	err = each_chunk(&pass, find_range);
	set_edges(&pass);
	return err ? err : each_chunk(&pass, fill);
}

/* --- frequencies --------------------------------------------------------- */

void
fx_frequencies_deinit(struct fx_frequencies *frequencies)
{
	fx_vec_deinit(&frequencies->list);
}

struct counting {
	struct fx_frequencies *found;
	uint32_t *slots; /* index in the list + 1; open addressing */
	size_t capacity; /* a power of two */
	double scale;    /* 10 to the number of digits, 0: no rounding */
};

static uint64_t
mix(uint64_t word)
{
	word ^= word >> 32;
	word *= 0x9e3779b97f4a7c15;
	return word ^ (word >> 29);
}

static uint64_t
bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static size_t
slot_of(const struct counting *counting, const struct fx_frequency *one)
{
	uint64_t hash = mix((uint64_t)one->integer) ^
			mix(bits_of(one->real) + 1) ^
			mix(bits_of(one->imag) + 2) * 3;

	return (size_t)(mix(hash) & (counting->capacity - 1));
}

static bool
is_same(const struct fx_frequency *a, const struct fx_frequency *b)
{
	return a->integer == b->integer &&
	       bits_of(a->real) == bits_of(b->real) &&
	       bits_of(a->imag) == bits_of(b->imag);
}

/* Where ONE is, or would go. */
static uint32_t *
find_slot(const struct counting *counting, const struct fx_frequency *one)
{
	size_t at = slot_of(counting, one);

	while (counting->slots[at] &&
		!is_same(&counting->found->list.items[counting->slots[at] - 1],
			one))
		at = (at + 1) & (counting->capacity - 1);
	return &counting->slots[at];
}

static void
grow(struct counting *counting)
{
	counting->capacity = FX_MAX(2 * counting->capacity, (size_t)256);
	free(counting->slots);
	counting->slots =
		fx_xcalloc(counting->capacity, sizeof(*counting->slots));
	for (size_t i = 0; i < counting->found->list.count; i++)
		*find_slot(counting, &counting->found->list.items[i]) =
			(uint32_t)i + 1;
}

/* False: there are too many. */
static bool
count_one(struct counting *counting, const struct fx_frequency *one)
{
	uint32_t *slot;

	if (2 * (counting->found->list.count + 1) > counting->capacity)
		grow(counting);
	slot = find_slot(counting, one);
	if (!*slot) {
		if (counting->found->list.count == FX_FREQUENCY_LIMIT)
			return false;
		fx_vec_push(&counting->found->list, *one);
		*slot = (uint32_t)counting->found->list.count;
	}
	counting->found->list.items[*slot - 1].count++;
	return true;
}

/* NUMBER as values are told apart: one NaN, one zero, rounded. */
static double
plain(const struct counting *counting, double number)
{
	double rounded = rint(number * counting->scale) / counting->scale;

	if (counting->scale != 0 && isfinite(rounded))
		number = rounded;
	if (isnan(number))
		return (double)NAN;
	return number == 0 ? 0 : number;
}

static struct fx_error *
count_chunk(struct counting *counting, const struct fx_datum *tensor,
	uint64_t first, size_t count)
{
	enum fx_dtype dtype = counting->found->extent.dtype;
	bool is_whole = fx_dtype_is_integer(dtype);
	char bytes[FX_VALUES_CHUNK * 16];
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];
	struct fx_error *err = fx_values_read(tensor, first, count, bytes);

	if (err)
		return err;
	fx_elements_decode(dtype, bytes, count, real, imag);
	for (size_t i = 0; i < count; i++) {
		struct fx_frequency one = { .first = first + i };

		if (is_whole) {
			one.integer = fx_element_int(dtype, bytes, i);
			one.real = real[i];
		} else {
			one.real = plain(counting, real[i]);
			one.imag = plain(counting, imag[i]);
		}
		if (!count_one(counting, &one))
			return fx_error_new(FX_ERR_LIMIT,
				"there are more than %zu different values",
				FX_FREQUENCY_LIMIT);
	}
	return NULL;
}

/* Frequent ones first, then small ones; NaN last. */
static int
compare(const void *first, const void *second)
{
	const struct fx_frequency *a = first;
	const struct fx_frequency *b = second;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	if (isnan(a->real) != isnan(b->real))
		return isnan(a->real) ? 1 : -1;
	if (a->real != b->real && !isnan(a->real))
		return a->real < b->real ? -1 : 1;
	if (a->imag < b->imag || a->imag > b->imag)
		return a->imag < b->imag ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

struct fx_error *
fx_frequencies_compute(const struct fx_datum *tensor, int digits,
	struct fx_ticker *ticker, struct fx_frequencies *ret)
{
	struct counting counting = { .found = ret,
		.scale = digits >= 0 ? pow(10, digits) : 0 };
	struct fx_error *err;

	*ret = (struct fx_frequencies){ 0 };
	err = fx_extent_of(tensor, &ret->extent);
	if (!err)
		err = fx_values_read(tensor, 0, 0, NULL);
	for (uint64_t first = 0; !err && first < ret->extent.count;) {
		size_t count = (size_t)FX_MIN(ret->extent.count - first,
			(uint64_t)FX_VALUES_CHUNK);

		err = count_chunk(&counting, tensor, first, count);
		first += count;
		if (!err)
			err = fx_ticker_check(ticker, first, ret->extent.count);
	}
	free(counting.slots);
	if (!err && ret->list.count)
		qsort(ret->list.items, ret->list.count,
			sizeof(*ret->list.items), compare);
	return err;
}
