/* nonfinite.c - whether a tensor holds NaN or infinities: the bytes are looked
 * at as they are, where they lie.
 */
#include <config.h>

#include "run/nonfinite.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/str.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "meta/promote.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/stats_private.h"
#include "run/summary.h"
#include "run/ticker.h"

/* Read at once; fits into the first cache. */
#define PROBE_BYTES ((size_t)1 << 14)

/* The bits that are all ones in NaN and infinities, and in nothing else. */
static const uint64_t special_bits[FX_DTYPE_COUNT] = {
	[FX_DTYPE_F16] = 0x7c00,
	[FX_DTYPE_BF16] = 0x7f80,
	[FX_DTYPE_F32] = 0x7f800000,
	[FX_DTYPE_F64] = 0x7ff0000000000000,
	[FX_DTYPE_F8E4M3FN] = 0x7f,
	[FX_DTYPE_F8E5M2] = 0x7c,
};

/* Loops of a known length and without branches are made wide; wider ones read
 * memory twice as fast.
 */
#ifdef __x86_64__
#define WIDE __attribute__((target("avx2")))
#else
#define WIDE
#endif

#define DEFINE_HAS_SPECIAL(name, type, how) \
	how static bool name(const void *bytes, type ones) \
	{ \
		const type *numbers = bytes; \
		type any = 0; \
\
		for (size_t i = 0; i < PROBE_BYTES / sizeof(type); i++) \
			any |= (type)((numbers[i] & ones) == ones); \
		return any; \
	}
DEFINE_HAS_SPECIAL(has_special_8, uint8_t, )
DEFINE_HAS_SPECIAL(has_special_16, uint16_t, )
DEFINE_HAS_SPECIAL(has_special_32, uint32_t, )
DEFINE_HAS_SPECIAL(has_special_64, uint64_t, )
DEFINE_HAS_SPECIAL(wide_has_special_32, uint32_t, WIDE)

static bool
is_wide(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

/* Whether one of the numbers of SIZE bytes each in PROBE_BYTES is special. */
static bool
has_special(const void *bytes, size_t size, uint64_t ones)
{
	if (size == 4 && is_wide())
		return wide_has_special_32(bytes, (uint32_t)ones);
	switch (size) {
	case 1:
		return has_special_8(bytes, (uint8_t)ones);
	case 2:
		return has_special_16(bytes, (uint16_t)ones);
	case 4:
		return has_special_32(bytes, (uint32_t)ones);
	}
	return has_special_64(bytes, ones);
}

/* Where the elements of TENSOR lie, if loops may look at them there. */
static const char *
bytes_of(const struct fx_datum *tensor)
{
	const char *bytes =
		tensor->backend->ops->bytes
			? tensor->backend->ops->bytes(tensor->payload)
			: NULL;

	return (uintptr_t)bytes % sizeof(uint64_t) ? NULL : bytes;
}

struct fx_error *
fx_stats_find_nonfinite(const struct fx_datum *tensor,
	const struct fx_extent *extent, struct fx_ticker *ticker, bool *ret)
{
	const struct fx_dtype_info *info = fx_dtype_info(extent->dtype);
	enum fx_dtype part = info->part ? info->part : extent->dtype;
	uint64_t all_ones = special_bits[part];
	const char *bytes = bytes_of(tensor);
	_Alignas(uint64_t) char room[PROBE_BYTES];
	struct fx_reading reading = fx_reading_of(extent->count, FX_STATS_LIMIT,
		PROBE_BYTES / info->size);

	*ret = false;
	for (uint64_t i = 0; all_ones && i < reading.blocks && !*ret; i++) {
		uint64_t first = fx_reading_start(&reading, i);
		size_t count = FX_MIN(extent->count - first, reading.size);
		const char *at = bytes ? bytes + first * info->size : room;
		struct fx_error *err = NULL;

		/* The last block has zeros behind it. */
		if (!bytes || count < reading.size) {
			at = room;
			memset(room, 0, sizeof(room));
			err = fx_values_read(tensor, first, count, room);
		}
		if (!err)
			err = fx_ticker_check(ticker, first + count,
				extent->count);
		if (err)
			return err;
		*ret = has_special(at, fx_dtype_info(part)->size, all_ones);
	}
	/* A file under BYTES may have been cut short: that is told here. */
	return bytes ? fx_values_read(tensor, 0, 0, NULL) : NULL;
}

static bool
is_nonfinite(const struct fx_datum *tensor)
{
	struct fx_extent extent;
	bool found = false;
	struct fx_error *err = fx_extent_of(tensor, &extent);

	if (!err)
		err = fx_values_read(tensor, 0, 0, NULL);
	if (!err)
		err = fx_stats_find_nonfinite(tensor, &extent, NULL, &found);
	fx_error_free(err);
	return !err && found;
}

static bool
holds_nonfinite(void *context, struct fx_datum *held)
{
	enum fx_dtype dtype = (enum fx_dtype)fx_kind_of(held).dtype;

	(void)context;
	return (fx_dtype_is_float(dtype) || fx_dtype_is_complex(dtype)) &&
	       is_nonfinite(held);
}

bool
fx_datum_is_nonfinite(const struct fx_datum *datum)
{
	return fx_datum_each_held(datum, holds_nonfinite, NULL);
}

/* --- how many ------------------------------------------------------------ */

struct counting {
	struct fx_nonfinite_count *count;
	struct fx_ticker *ticker;
	struct fx_error *err;
	const char *path; /* of the tensor */
	struct fx_extent extent;
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];
};

/* Element INDEX is the first of its kind. */
static void
note_first(struct counting *counting, uint64_t index)
{
	struct fx_nonfinite_count *count = counting->count;

	count->path = fx_intern(counting->path);
	count->extent = counting->extent;
	count->index = index;
}

/* SIZE elements from FIRST on, which were read. */
static void
count_chunk(struct counting *counting, uint64_t first, size_t size)
{
	struct fx_nonfinite_count *count = counting->count;
	const double *real = counting->real;
	const double *imag = counting->imag;

	for (size_t i = 0; i < size; i++) {
		/* Times nothing, what is not finite is NaN. */
		if (real[i] * 0 == 0 && imag[i] * 0 == 0)
			continue;
		if (isnan(real[i]) || isnan(imag[i])) {
			if (!count->nan++)
				note_first(counting, first + i);
		} else if (!count->inf++ && !count->nan) {
			note_first(counting, first + i);
		}
	}
}

static bool
count_tensor(void *context, const char *path, const struct fx_datum *tensor)
{
	struct counting *counting = context;
	struct fx_extent *extent = &counting->extent;
	struct fx_error *err = fx_extent_of(tensor, extent);
	bool can_be = !err && (fx_dtype_is_float(extent->dtype) ||
				      fx_dtype_is_complex(extent->dtype));

	counting->path = path;
	for (uint64_t at = 0; can_be && !err && at < extent->count;
		at += FX_VALUES_CHUNK) {
		size_t size = FX_MIN(extent->count - at, FX_VALUES_CHUNK);

		err = fx_values_numbers(tensor, at, size, counting->real,
			counting->imag);
		if (err)
			break;
		count_chunk(counting, at, size);
		err = fx_ticker_check(counting->ticker, at + size,
			extent->count);
	}
	if (!err)
		counting->count->elements += extent->count;
	counting->err = err;
	return !err;
}

struct fx_error *
fx_nonfinite_count(const struct fx_datum *datum, struct fx_ticker *ticker,
	struct fx_nonfinite_count *ret)
{
	struct counting counting = { .count = ret, .ticker = ticker };

	*ret = (struct fx_nonfinite_count){ .path = fx_intern("") };
	fx_datum_see_tensors(datum, count_tensor, &counting);
	return counting.err;
}

void
fx_nonfinite_print_count(struct fx_buf *out,
	const struct fx_nonfinite_count *count)
{
	if (count->nan)
		fx_buf_addf(out, "%" PRIu64 " NaN", count->nan);
	if (count->inf)
		fx_buf_addf(out, "%s%" PRIu64 " inf", count->nan ? ", " : "",
			count->inf);
	fx_buf_addf(out, " of %" PRIu64, count->elements);
}

void
fx_nonfinite_print_first(struct fx_buf *out,
	const struct fx_nonfinite_count *count)
{
	fx_buf_add(out, count->path);
	fx_extent_print_index(out, &count->extent, count->index);
}

/* --- meant --------------------------------------------------------------- */

static bool
has_special_literal(const struct fx_value *value)
{
	size_t count = fx_value_item_count(value);

	if (value->kind == FX_VALUE_FLOAT)
		return !isfinite(value->real);
	for (size_t i = 0; i < count; i++)
		if (has_special_literal(&value->items[i]))
			return true;
	return false;
}

bool
fx_nonfinite_fills(const struct fx_node *node)
{
	enum fx_op op =
		fx_op_of_target((enum fx_opcode)node->opcode, node->target);

	return (fx_op_info(op)->traits & FX_OP_FILLS) ||
	       has_special_literal(&node->args) ||
	       has_special_literal(&node->kwargs);
}

bool
fx_nonfinite_may_hold_inf(const struct fx_node *node)
{
	const struct fx_tensor *tensor;

	if (node->opcode != FX_OPCODE_GET_ATTR)
		return true;
	tensor = fx_module_find_tensor(node->graph->module, node->target);
	return !tensor || tensor->is_buffer || !tensor->requires_grad;
}
