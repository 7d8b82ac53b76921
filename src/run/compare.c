/* compare.c - two tensors, element by element. */
#include <config.h>

#include "run/compare.h"

#include <inttypes.h>
#include <math.h>

#include "base/buf.h"
#include "base/mem.h"
#include "run/datum.h"
#include "run/ticker.h"

/* One side of a comparison: the elements of a tensor, or its first element
 * repeated.
 */
struct side {
	const struct fx_datum *tensor;
	struct fx_extent extent;
	bool is_repeated;
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];
	char bytes[FX_VALUES_CHUNK * 16];
};

struct pair {
	struct side left;
	struct side right;
	const struct fx_tolerance *tolerance;
	struct fx_difference *result;
};

static struct fx_error *
side_read(struct side *side, uint64_t first, size_t count)
{
	struct fx_error *err;

	if (side->is_repeated) {
		first = 0;
		count = 1;
	}
	err = fx_values_read(side->tensor, first, count, side->bytes);
	if (!err)
		fx_elements_decode(side->extent.dtype, side->bytes, count,
			side->real, side->imag);
	return err;
}

/* How far apart; NaN when one is NaN, infinity for what no tolerance takes. */
static double
distance(double a, double a_imag, double b, double b_imag)
{
	if (a == b && a_imag == b_imag)
		return 0;
	return hypot(a - b, a_imag - b_imag);
}

static bool
is_nan(const struct side *side, size_t i)
{
	return isnan(side->real[i]) || isnan(side->imag[i]);
}

/* Integers are the same only bit for bit where nothing is tolerated: doubles
 * would round large ones.
 */
static bool
is_same_integer(const struct pair *pair, size_t i, size_t j)
{
	if (!fx_dtype_is_integer(pair->left.extent.dtype) ||
		!fx_dtype_is_integer(pair->right.extent.dtype))
		return true;
	return fx_element_int(pair->left.extent.dtype, pair->left.bytes, i) ==
	       fx_element_int(pair->right.extent.dtype, pair->right.bytes, j);
}

static bool
is_near(const struct pair *pair, size_t i, size_t j, double *by_ret)
{
	const struct side *a = &pair->left;
	const struct side *b = &pair->right;
	double magnitude = hypot(b->real[j], b->imag[j]);
	double room = pair->tolerance->atol + pair->tolerance->rtol * magnitude;
	double by = distance(a->real[i], a->imag[i], b->real[j], b->imag[j]);

	*by_ret = by;
	if (is_nan(a, i) && is_nan(b, j))
		return pair->tolerance->equal_nan;
	if (by == 0)
		return room > 0 || is_same_integer(pair, i, j);
	/* An infinity is near itself only. */
	return isfinite(by) && by <= room;
}

static void
compare_chunk(struct pair *pair, uint64_t first, size_t count)
{
	struct fx_difference *result = pair->result;

	for (size_t i = 0; i < count; i++) {
		double by;

		if (is_near(pair, pair->left.is_repeated ? 0 : i,
			    pair->right.is_repeated ? 0 : i, &by))
			continue;
		if (!result->count)
			result->first = first + i;
		if (!result->count || by > result->by ||
			(isnan(by) && !isnan(result->by))) {
			result->worst = first + i;
			result->by = by;
		}
		result->count++;
	}
}

static struct fx_error *
compare_all(struct pair *pair, struct fx_ticker *ticker)
{
	uint64_t total = pair->result->total;

	for (uint64_t at = 0; at < total; at += FX_VALUES_CHUNK) {
		size_t count = FX_MIN(total - at, FX_VALUES_CHUNK);
		struct fx_error *err = side_read(&pair->left, at, count);

		if (!err)
			err = side_read(&pair->right, at, count);
		if (err)
			return err;
		compare_chunk(pair, at, count);
		err = fx_ticker_check(ticker, at + count, total);
		if (err)
			return err;
	}
	return NULL;
}

struct fx_error *
fx_compare(const struct fx_datum *left, const struct fx_datum *right,
	const struct fx_tolerance *tolerance, struct fx_ticker *ticker,
	struct fx_difference *ret)
{
	FX_AUTO_FREE struct pair *pair = FX_NEW(struct pair);
	struct fx_error *err;
	bool same;

	*ret = (struct fx_difference){ .count = 0 };
	pair->left.tensor = left;
	pair->right.tensor = right;
	pair->tolerance = tolerance;
	pair->result = ret;
	err = fx_extent_of(left, &pair->left.extent);
	if (!err)
		err = fx_extent_of(right, &pair->right.extent);
	if (!err)
		err = fx_values_read(left, 0, 0, NULL);
	if (!err)
		err = fx_values_read(right, 0, 0, NULL);
	if (err)
		return err;
	ret->left = pair->left.extent;
	ret->right = pair->right.extent;
	same = fx_extent_same_sizes(&ret->left, &ret->right);
	pair->left.is_repeated = !same && ret->left.count == 1;
	pair->right.is_repeated = !same && ret->right.count == 1;
	ret->has_other_sizes =
		!same && !pair->left.is_repeated && !pair->right.is_repeated;
	if (ret->has_other_sizes)
		return NULL;
	ret->total =
		pair->left.is_repeated ? ret->right.count : ret->left.count;
	return compare_all(pair, ticker);
}

bool
fx_difference_none(const struct fx_difference *difference)
{
	return !difference->has_other_sizes && !difference->count;
}

/* --- text ---------------------------------------------------------------- */

static struct fx_error *
print_element(struct fx_buf *out, const struct fx_datum *tensor,
	const struct fx_extent *extent, uint64_t index)
{
	char bytes[16];
	struct fx_error *err = fx_values_read(tensor,
		index < extent->count ? index : 0, 1, bytes);

	if (!err)
		fx_element_print(out, extent->dtype, bytes, 0);
	return err;
}

static struct fx_error *
print_place(struct fx_buf *out, const struct fx_difference *difference,
	const struct fx_datum *left, const struct fx_datum *right,
	uint64_t index)
{
	bool is_left = difference->total == difference->left.count;
	const struct fx_extent *extent =
		is_left ? &difference->left : &difference->right;
	struct fx_error *err;

	if (extent->rank) {
		fx_buf_add(out, " at ");
		fx_extent_print_index(out, extent, index);
	}
	fx_buf_add(out, ": ");
	err = print_element(out, left, &difference->left, index);
	if (!err) {
		fx_buf_add(out, " and ");
		err = print_element(out, right, &difference->right, index);
	}
	return err;
}

struct fx_error *
fx_difference_print(struct fx_buf *out, const struct fx_difference *difference,
	const struct fx_tolerance *tolerance, const struct fx_datum *left,
	const struct fx_datum *right)
{
	struct fx_error *err;

	if (difference->has_other_sizes) {
		fx_buf_add(out, "the shapes differ: ");
		fx_extent_print(out, &difference->left);
		fx_buf_add(out, " and ");
		fx_extent_print(out, &difference->right);
		return NULL;
	}
	if (!difference->count) {
		fx_buf_addf(out, "all %" PRIu64 " elements are near",
			difference->total);
		return NULL;
	}
	fx_buf_addf(out,
		"%" PRIu64 " of %" PRIu64
		" elements differ by more than rtol %g, atol %g; first",
		difference->count, difference->total, tolerance->rtol,
		tolerance->atol);
	err = print_place(out, difference, left, right, difference->first);
	if (err || difference->worst == difference->first)
		return err;
	fx_buf_add(out, "; worst");
	return print_place(out, difference, left, right, difference->worst);
}
