/* difference.c - two data, element by element. */
#include <config.h>

#include "run/difference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "meta/promote.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/float_pairs.h"
#include "run/ticker.h"

void
fx_gap_deinit(struct fx_gap *gap)
{
	free(gap->mismatch);
	gap->mismatch = NULL;
}

/* Where elements are copied to that do not lie one after the other, and what
 * numbers they are; most need none of it.
 */
struct room {
	char bytes[FX_VALUES_CHUNK * 16];
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];
};

/* One side, and its elements that are looked at. */
struct side {
	const struct fx_datum *tensor;
	struct fx_extent extent;
	const char *all; /* where they all lie, or NULL */
	const char *bytes;
	double *real; /* in ROOM */
	double *imag;
	struct room *room; /* NULL: not needed yet */
};

/* What was found in one tensor.  Of many that were measured at once it is known
 * in which chunk the place lies, and looked up at the end.
 */
struct found {
	double max_abs;
	double largest;
	double ulp;
	uint64_t index; /* an element of that chunk, if SEEKS_INDEX */
	uint64_t first;
	bool seeks_index;
	bool seeks_first;
	bool differs;
};

struct comparing {
	struct fx_gap *gap;
	struct fx_ticker *ticker;
	bool any_dtype;
	uint32_t path[FX_GAP_DEPTH];
	size_t depth;
	double steps_most; /* that any number of the dtype has */
	struct side sides[2];
};

/* --- one element --------------------------------------------------------- */

/* Bits of a float's fraction, and its smallest exponent. */
static int
fraction_bits(enum fx_dtype dtype, int *least_ret)
{
	*least_ret = -126;
	switch (fx_dtype_real(dtype)) {
	case FX_DTYPE_F64:
		*least_ret = -1022;
		return 52;
	case FX_DTYPE_F32:
		return 23;
	case FX_DTYPE_BF16:
		return 7;
	case FX_DTYPE_F16:
		*least_ret = -14;
		return 10;
	default:
		return 0;
	}
}

/* BY in steps of DTYPE at the magnitude of NEAR. */
static double
steps(enum fx_dtype dtype, double by, double near)
{
	int least;
	int bits = fraction_bits(dtype, &least);

	if (!bits)
		return 0;
	if (!isfinite(by) || !isfinite(near))
		return INFINITY;
	return by /
	       ldexp(1, FX_MAX(near > 0 ? ilogb(near) : least, least) - bits);
}

static bool
is_same_part(double a, double b)
{
	return (isnan(a) && isnan(b)) || a == b;
}

static bool
is_same_element(const struct side *a, const struct side *b, size_t i)
{
	if (fx_dtype_is_integer(a->extent.dtype) &&
		fx_dtype_is_integer(b->extent.dtype))
		return fx_element_int(a->extent.dtype, a->bytes, i) ==
		       fx_element_int(b->extent.dtype, b->bytes, i);
	return is_same_part(a->real[i], b->real[i]) &&
	       is_same_part(a->imag[i], b->imag[i]);
}

static bool
has_same_signs(const struct side *a, const struct side *b, size_t i)
{
	return isnan(a->real[i]) || isnan(a->imag[i]) ||
	       (!signbit(a->real[i]) == !signbit(b->real[i]) &&
		       !signbit(a->imag[i]) == !signbit(b->imag[i]));
}

static double
size_of(double real, double imag)
{
	return imag == 0 ? fabs(real) : hypot(real, imag);
}

/* How far apart two elements that are not the same lie. */
static double
distance(const struct side *a, const struct side *b, size_t i)
{
	double by = size_of(a->real[i] - b->real[i], a->imag[i] - b->imag[i]);

	/* Integers that doubles cannot tell apart. */
	return isnan(by) ? INFINITY : by == 0 ? 1 : by;
}

/* --- one tensor ---------------------------------------------------------- */

static void
see_largest(const struct side *side, size_t count, struct found *found)
{
	for (size_t i = 0; i < count; i++) {
		double size = size_of(side->real[i], side->imag[i]);

		if (size > found->largest && size <= DBL_MAX)
			found->largest = size;
	}
}

static void
see_difference(struct comparing *c, struct found *found, uint64_t at, size_t i)
{
	const struct side *a = &c->sides[0];
	const struct side *b = &c->sides[1];
	double by = distance(a, b, i);
	double near = fmax(size_of(a->real[i], a->imag[i]),
		size_of(b->real[i], b->imag[i]));

	c->gap->differing++;
	c->gap->is_bit_equal = false;
	if (!found->differs)
		found->first = at;
	if (!found->differs || by > found->max_abs) {
		found->max_abs = by;
		found->index = at;
		found->seeks_index = false;
	}
	/* A step is more than NEAR / STEPS_MOST: most need no look. */
	if (!(by * c->steps_most <= found->ulp * near))
		found->ulp = fmax(found->ulp, steps(a->extent.dtype, by, near));
	found->differs = true;
}

static void
compare_chunk(struct comparing *c, struct found *found, uint64_t at,
	size_t count)
{
	const struct side *a = &c->sides[0];
	const struct side *b = &c->sides[1];
	size_t size = fx_dtype_info(a->extent.dtype)->size;

	see_largest(a, count, found);
	if (a->extent.dtype == b->extent.dtype &&
		!memcmp(a->bytes, b->bytes, count * size))
		return;
	for (size_t i = 0; i < count; i++) {
		if (!is_same_element(a, b, i))
			see_difference(c, found, at + i, i);
		else if (!has_same_signs(a, b, i))
			c->gap->is_bit_equal = false;
	}
}

static void
add_parts(struct fx_gap *gap, const double *a, const double *b, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double by = a[i] - b[i];

		gap->dot += a[i] * b[i];
		gap->squares[0] += a[i] * a[i];
		gap->squares[1] += b[i] * b[i];
		gap->noise += by * by;
	}
}

static void
side_make_room(struct side *side)
{
	if (side->room)
		return;
	side->room = fx_xmalloc(sizeof(*side->room));
	side->real = side->room->real;
	side->imag = side->room->imag;
}

/* Look for where the elements lie. */
static void
side_locate(struct side *side)
{
	const struct fx_backend_ops *ops = side->tensor->backend->ops;
	size_t size = fx_dtype_info(side->extent.dtype)->size;

	side->all = side->extent.count && ops->bytes
			    ? ops->bytes(side->tensor->payload)
			    : NULL;
	if ((uintptr_t)side->all % FX_MIN(size, sizeof(uint64_t)))
		side->all = NULL;
}

/* Look at COUNT elements from AT. */
static struct fx_error *
side_read(struct side *side, uint64_t at, size_t count)
{
	if (side->all) {
		side->bytes = side->all +
			      at * fx_dtype_info(side->extent.dtype)->size;
		return NULL;
	}
	side_make_room(side);
	side->bytes = side->room->bytes;
	return fx_values_read(side->tensor, at, count, side->room->bytes);
}

static void
side_decode(struct side *side, size_t count)
{
	side_make_room(side);
	fx_elements_decode(side->extent.dtype, side->bytes, count, side->real,
		side->imag);
}

static struct fx_error *
read_both(struct comparing *c, uint64_t at, size_t *count_ret)
{
	struct fx_error *err;

	*count_ret = FX_MIN(c->sides[0].extent.count - at, FX_VALUES_CHUNK);
	err = side_read(&c->sides[0], at, *count_ret);
	return err ? err : side_read(&c->sides[1], at, *count_ret);
}

/* One by one. */
static void
see_chunk(struct comparing *c, struct found *found, uint64_t at, size_t count)
{
	const struct side *a = &c->sides[0];
	const struct side *b = &c->sides[1];

	side_decode(&c->sides[0], count);
	side_decode(&c->sides[1], count);
	add_parts(c->gap, a->real, b->real, count);
	if (fx_dtype_is_complex(a->extent.dtype) ||
		fx_dtype_is_complex(b->extent.dtype))
		add_parts(c->gap, a->imag, b->imag, count);
	compare_chunk(c, found, at, count);
}

/* Where in its chunk the first element lies that differs by BY or more. */
static struct fx_error *
seek(struct comparing *c, double by, uint64_t *index)
{
	const struct side *a = &c->sides[0];
	const struct side *b = &c->sides[1];
	size_t count;
	struct fx_error *err = read_both(c, *index, &count);

	if (err)
		return err;
	side_decode(&c->sides[0], count);
	side_decode(&c->sides[1], count);
	for (size_t i = 0; i < count; i++)
		if (a->real[i] != b->real[i] &&
			fabs(a->real[i] - b->real[i]) >= by) {
			*index += i;
			break;
		}
	return NULL;
}

static struct fx_error *
seek_places(struct comparing *c, struct found *found)
{
	struct fx_error *err = NULL;

	if (found->seeks_first)
		err = seek(c, 0, &found->first);
	if (!err && found->seeks_index)
		err = seek(c, found->max_abs, &found->index);
	return err;
}

/* The same for finite floats of one dtype, many at once; false: for others. */
static bool
see_floats(struct comparing *c, struct found *found, uint64_t at, size_t count)
{
	const struct side *a = &c->sides[0];
	const struct side *b = &c->sides[1];
	enum fx_dtype dtype = a->extent.dtype;
	struct fx_gap *gap = c->gap;
	struct fx_float_pairs pairs = { .max_abs = found->max_abs,
		.max_ulp = found->ulp };

	if ((dtype != FX_DTYPE_F32 && dtype != FX_DTYPE_F64) ||
		dtype != b->extent.dtype ||
		!fx_float_pairs_measure(dtype, a->bytes, b->bytes, count,
			&pairs))
		return false;
	gap->dot += pairs.dot;
	gap->squares[0] += pairs.squares[0];
	gap->squares[1] += pairs.squares[1];
	gap->noise += pairs.noise;
	gap->differing += pairs.differing;
	found->largest = fmax(found->largest, pairs.largest);
	found->ulp = pairs.max_ulp;
	/* Zeros of other signs do not differ. */
	if (pairs.differing ||
		memcmp(a->bytes, b->bytes, count * fx_dtype_info(dtype)->size))
		gap->is_bit_equal = false;
	if (!pairs.differing)
		return true;
	if (!found->differs) {
		found->first = at;
		found->seeks_first = true;
	}
	if (!found->differs || pairs.max_abs > found->max_abs) {
		found->max_abs = pairs.max_abs;
		found->index = at;
		found->seeks_index = true;
	}
	found->differs = true;
	return true;
}

/* FOUND is told if it is the worst so far. */
static void
add_found(struct comparing *c, const struct found *found)
{
	struct fx_gap *gap = c->gap;
	double rel = found->max_abs == 0 ? 0 : found->max_abs / found->largest;
	bool is_first = gap->depth == SIZE_MAX;

	if (!is_first && rel <= gap->max_rel)
		return;
	gap->max_abs = found->max_abs;
	gap->max_rel = rel;
	gap->max_ulp = found->ulp;
	gap->largest = found->largest;
	gap->extent = c->sides[0].extent;
	gap->index = found->index;
	gap->first = found->first;
	gap->depth = c->depth;
	memcpy(gap->path, c->path, sizeof(gap->path));
}

static void
mismatch(struct comparing *c, const struct fx_value *a,
	const struct fx_value *b)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_value *values[2] = { a, b };

	if (c->gap->mismatch)
		return;
	for (size_t i = 0; i < 2; i++) {
		FX_AUTO_DATUM struct fx_datum *held =
			fx_datum_ref(fx_datum_held(values[i]));
		const struct fx_datum_printer brief = {
			.format = "", .limit = 8, .is_brief = true
		};

		if (!held)
			held = fx_datum_from_value(values[i]);
		fx_buf_add(&text, i ? " and " : "");
		fx_error_free(fx_datum_print(&text, held, &brief));
	}
	c->gap->mismatch = fx_buf_take(&text);
}

/* Whether both sides are known to hold the same bytes. */
static struct fx_error *
find_same_bytes(struct comparing *c, bool *ret)
{
	const struct side *a = &c->sides[0];
	const struct side *b = &c->sides[1];
	uint64_t total = a->extent.count;
	size_t size = fx_dtype_info(a->extent.dtype)->size;
	struct fx_error *err = NULL;

	*ret = a->all && b->all && a->extent.dtype == b->extent.dtype;
	if (!*ret || a->all == b->all)
		return NULL;
	for (uint64_t at = 0; at < total && *ret && !err;
		at += FX_VALUES_CHUNK) {
		size_t count = FX_MIN(total - at, FX_VALUES_CHUNK);

		*ret = !memcmp(a->all + at * size, b->all + at * size,
			count * size);
		err = fx_ticker_check(c->ticker, at + count, total);
	}
	return err;
}

static struct fx_error *
compare_elements(struct comparing *c, struct found *found)
{
	enum fx_dtype dtype = c->sides[0].extent.dtype;
	uint64_t total = c->sides[0].extent.count;
	struct fx_error *err = NULL;
	size_t count;
	int least;

	c->steps_most = ldexp(1, fraction_bits(dtype, &least) + 1);
	for (uint64_t at = 0; at < total && !err; at += count) {
		err = read_both(c, at, &count);
		if (err)
			return err;
		if (!see_floats(c, found, at, count))
			see_chunk(c, found, at, count);
		err = fx_ticker_check(c->ticker, at + count, total);
	}
	return err ? err : seek_places(c, found);
}

/* What can be read, of both sides; a file under them may have been cut short.
 */
static struct fx_error *
check_values(const struct comparing *c)
{
	struct fx_error *err = fx_values_read(c->sides[0].tensor, 0, 0, NULL);

	return err ? err : fx_values_read(c->sides[1].tensor, 0, 0, NULL);
}

static struct fx_error *
compare_tensors(struct comparing *c, const struct fx_value *a,
	const struct fx_value *b)
{
	struct found found = { .max_abs = 0 };
	bool is_same = false;
	struct fx_error *err = NULL;

	c->sides[0].tensor = fx_datum_held(a);
	c->sides[1].tensor = fx_datum_held(b);
	for (size_t i = 0; i < 2 && !err; i++)
		err = fx_extent_of(c->sides[i].tensor, &c->sides[i].extent);
	if (!err)
		err = check_values(c);
	if (err)
		return err;
	if (!fx_extent_same_sizes(&c->sides[0].extent, &c->sides[1].extent) ||
		(!c->any_dtype &&
			c->sides[0].extent.dtype != c->sides[1].extent.dtype)) {
		mismatch(c, a, b);
		return NULL;
	}
	c->gap->elements += c->sides[0].extent.count;
	side_locate(&c->sides[0]);
	side_locate(&c->sides[1]);
	/* Sums over a container are over all of its tensors. */
	if (!c->depth)
		err = find_same_bytes(c, &is_same);
	if (!err && !is_same)
		err = compare_elements(c, &found);
	if (!err)
		err = check_values(c);
	if (!err)
		add_found(c, &found);
	return err;
}

/* --- plain values and containers ----------------------------------------- */

static void
compare_floats(struct comparing *c, double a, double b)
{
	struct side *sides = c->sides;
	struct found found = { .max_abs = 0 };

	c->steps_most = INFINITY;
	for (size_t i = 0; i < 2; i++) {
		side_make_room(&sides[i]);
		sides[i].extent =
			(struct fx_extent){ .dtype = FX_DTYPE_F64, .count = 1 };
		sides[i].real[0] = i ? b : a;
		sides[i].imag[0] = 0;
		sides[i].bytes = (const char *)sides[i].real;
	}
	c->gap->elements++;
	compare_chunk(c, &found, 0, 1);
	add_found(c, &found);
}

static bool
is_tensor(const struct fx_value *value)
{
	const struct fx_datum *held = fx_datum_held(value);

	return held && held->kind == FX_DATUM_TENSOR;
}

static struct fx_error *
compare(struct comparing *c, const struct fx_value *a, const struct fx_value *b)
{
	size_t count = fx_value_item_count(a);
	struct fx_error *err = NULL;

	if (is_tensor(a) && is_tensor(b))
		return compare_tensors(c, a, b);
	if (a->kind != b->kind || count != fx_value_item_count(b) ||
		is_tensor(a) || is_tensor(b)) {
		mismatch(c, a, b);
		return NULL;
	}
	if (a->kind == FX_VALUE_FLOAT) {
		compare_floats(c, a->real, b->real);
		return NULL;
	}
	if (!count) {
		c->gap->elements++;
		if (!fx_value_equal(a, b))
			mismatch(c, a, b);
		return NULL;
	}
	for (size_t i = 0; i < count && !err; i++) {
		if (c->depth < FX_GAP_DEPTH)
			c->path[c->depth] = (uint32_t)i;
		c->depth++;
		err = compare(c, &a->items[i], &b->items[i]);
		c->depth--;
	}
	return err;
}

struct fx_error *
fx_gap_compute(const struct fx_datum *a, const struct fx_datum *b,
	bool any_dtype, struct fx_ticker *ticker, struct fx_gap *ret)
{
	struct comparing c = {
		.gap = ret, .ticker = ticker, .any_dtype = any_dtype
	};
	struct fx_error *err;

	*ret = (struct fx_gap){ .is_bit_equal = true, .depth = SIZE_MAX };
	err = compare(&c, &a->value, &b->value);
	free(c.sides[0].room);
	free(c.sides[1].room);
	if (ret->depth == SIZE_MAX)
		ret->depth = 0;
	ret->depth = FX_MIN(ret->depth, FX_GAP_DEPTH);
	if (ret->mismatch)
		ret->is_bit_equal = false;
	if (err)
		fx_gap_deinit(ret);
	return err;
}

void
fx_gap_print_index(struct fx_buf *out, const struct fx_gap *gap)
{
	if (gap->extent.rank)
		fx_extent_print_index(out, &gap->extent, gap->index);
}
