/* Elements of tensors on the meta and replay backends, summaries, text. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/compare.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/storage.h"
#include "run/summary.h"
#include "run/tensor_text.h"
#include "run/ticker.h"
#include "tests/support/replay_backend.h"
#include "tests/support/unit.h"

/* A tensor such as "f32[2,3]" of the meta backend. */
static struct fx_datum *
tensor(const char *meta, const double *numbers, size_t count)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BACKEND struct fx_backend *backend = fx_backend_meta_new();
	struct fx_datum *datum = NULL;
	struct fx_value value;
	FX_AUTO_FREE char *bytes = fx_xcalloc(count + 1, 16);

	CU_ASSERT_FATAL(fxt_ok(fx_tensor_meta_parse(arena, meta, strlen(meta),
		&value)));
	fx_elements_encode(value.tensor->dtype, numbers, NULL, count, bytes);
	CU_ASSERT_FATAL(fxt_ok(fx_values_write(backend, value.tensor, bytes,
		&datum)));
	return datum;
}

/* What the replay backend gives for torch.f(), told by RECORD. */
static struct fx_datum *
recorded(const char *record)
{
	FX_AUTO_FREE char *path =
		fx_xasprintf("values-%ld.jsonl", (long)getpid());
	FX_AUTO_FREE char *text =
		fx_xasprintf("{\"target\": \"torch.f\", \"args\": [], %s}\n",
			record);
	FX_AUTO_BACKEND struct fx_backend *backend = NULL;
	struct fx_call_site site = {
		.opcode = FX_OPCODE_CALL_FUNCTION,
		.target = fx_intern("torch.f"),
	};
	struct fx_datum *datum = NULL;
	void *plan;

	CU_ASSERT_FATAL(fxt_ok(fx_file_write(path, text, strlen(text))));
	CU_ASSERT_FATAL(fxt_ok(fxt_replay_backend_new(path, &backend)));
	unlink(path);
	CU_ASSERT_FATAL(fxt_ok(backend->ops->resolve(backend, &site, &plan)));
	CU_ASSERT_FATAL(fxt_ok(backend->ops->call(backend, plan, NULL, 0,
		&datum)));
	backend->ops->plan_free(backend, plan);
	return datum;
}

static const char *
summary(const struct fx_datum *datum)
{
	static char said[300];
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_stats stats;

	FXT_OK(fx_stats_compute(datum, NULL, &stats));
	fx_stats_print(&out, &stats, true);
	snprintf(said, sizeof(said), "%s", fx_buf_text(&out));
	return said;
}

static const char *
text_of(const struct fx_datum *datum)
{
	static char said[1000];
	FX_AUTO_BUF struct fx_buf out = { 0 };

	FXT_OK(fx_tensor_text(&out, datum));
	snprintf(said, sizeof(said), "%s", fx_buf_text(&out));
	return said;
}

/* --- elements ------------------------------------------------------------ */

/* Every number of DTYPE but NaN is the same after decoding and encoding. */
static void
round_trip(enum fx_dtype dtype, unsigned count)
{
	size_t size = fx_dtype_info(dtype)->size;

	for (unsigned bits = 0; bits < count; bits++) {
		unsigned back = 0;
		double number;

		fx_elements_decode(dtype, &bits, 1, &number, NULL);
		fx_elements_encode(dtype, &number, NULL, 1, &back);
		if (!isnan(number) && back != bits) {
			FXT_EQ(back, bits);
			break;
		}
		if (isnan(number)) {
			fx_elements_decode(dtype, &back, 1, &number, NULL);
			CU_ASSERT(isnan(number));
		}
	}
	FXT_IS(size, <=, 2);
}

static void
small_floats_come_back_bit_for_bit(void)
{
	round_trip(FX_DTYPE_F16, 1U << 16);
	round_trip(FX_DTYPE_BF16, 1U << 16);
	round_trip(FX_DTYPE_F8E4M3FN, 1U << 8);
	round_trip(FX_DTYPE_F8E5M2, 1U << 8);
}

static double
rounded(enum fx_dtype dtype, double number)
{
	char bytes[16] = { 0 };
	double back;

	fx_elements_encode(dtype, &number, NULL, 1, bytes);
	fx_elements_decode(dtype, bytes, 1, &back, NULL);
	return back;
}

static void
small_floats_round_to_even_and_overflow(void)
{
	FXT_EQ(rounded(FX_DTYPE_F16, 2049), 2048);
	FXT_EQ(rounded(FX_DTYPE_F16, 2051), 2052);
	FXT_EQ(rounded(FX_DTYPE_F16, 65504), 65504);
	CU_ASSERT(isinf(rounded(FX_DTYPE_F16, 65520)));
	FXT_EQ(rounded(FX_DTYPE_F16, 0x1p-24), 0x1p-24);
	FXT_EQ(rounded(FX_DTYPE_F16, 0x1p-26), 0);
	FXT_EQ(rounded(FX_DTYPE_F8E4M3FN, 448), 448);
	CU_ASSERT(isnan(rounded(FX_DTYPE_F8E4M3FN, 480)));
	FXT_EQ(rounded(FX_DTYPE_F8E5M2, -57344), -57344);
	CU_ASSERT(isinf(rounded(FX_DTYPE_F8E5M2, 1e6)));
	FXT_EQ(rounded(FX_DTYPE_BF16, 1.00390625), 1);
}

static void
integers_are_cut_to_their_range(void)
{
	FXT_EQ(rounded(FX_DTYPE_I8, -3.7), -3);
	FXT_EQ(rounded(FX_DTYPE_I8, 1000), 127);
	FXT_EQ(rounded(FX_DTYPE_I8, -1000), -128);
	FXT_EQ(rounded(FX_DTYPE_U8, -1), 0);
	FXT_EQ(rounded(FX_DTYPE_U64, 0x1p63), 0x1p63);
	FXT_EQ(rounded(FX_DTYPE_I64, -0x1p63), -0x1p63);
	FXT_EQ(rounded(FX_DTYPE_I32, NAN), 0);
}

/* --- reading ------------------------------------------------------------- */

static void
a_shape_alone_has_no_values(void)
{
	const struct fx_tensor_meta meta = { .dtype = FX_DTYPE_F32,
		.has_shape = true };
	FX_AUTO_DATUM struct fx_datum *datum = fx_meta_tensor(&meta);
	FX_AUTO_DATUM struct fx_datum *number = fx_datum_int(1);
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_stats stats;
	double one;

	CU_ASSERT(!fx_values_known(datum));
	FXT_FAILS(fx_values_numbers(datum, 0, 1, &one, NULL), FX_ERR_TYPE);
	FXT_FAILS(fx_stats_compute(datum, NULL, &stats), FX_ERR_TYPE);
	FXT_FAILS(fx_tensor_text(&out, datum), FX_ERR_TYPE);
	FXT_FAILS(fx_values_read(number, 0, 0, NULL), FX_ERR_TYPE);
	FXT_FAILS(fx_stats_compute(number, NULL, &stats), FX_ERR_TYPE);
}

static void
reading_outside_is_refused(void)
{
	static const double numbers[] = { 1, 2, 3 };
	FX_AUTO_DATUM struct fx_datum *datum = tensor("f64[3]", numbers, 3);
	double two[2];

	FXT_OK(fx_values_numbers(datum, 1, 2, two, NULL));
	FXT_EQ(two[1], 3);
	FXT_FAILS(fx_values_numbers(datum, 2, 2, two, NULL), FX_ERR_RANGE);
	FXT_FAILS(fx_values_numbers(datum, UINT64_MAX, 2, two, NULL),
		FX_ERR_RANGE);
}

static void
a_view_is_read_by_its_strides(void)
{
	FX_AUTO_DATUM struct fx_datum *datum =
		recorded("\"result\": \"f32[3,2][1,3]cpu\", "
			 "\"values\": [0, 1, 2, 3, 4, 5]");
	double numbers[6];
	static const double expected[] = { 0, 3, 1, 4, 2, 5 };

	FXT_OK(fx_values_numbers(datum, 0, 6, numbers, NULL));
	CU_ASSERT(!memcmp(numbers, expected, sizeof(expected)));
	FXT_OK(fx_values_numbers(datum, 3, 2, numbers, NULL));
	FXT_EQ(numbers[1], 2);
}

static void
a_storage_can_be_put_back(void)
{
	static const double numbers[] = { 1, 2, 3 };
	FX_AUTO_DATUM struct fx_datum *datum = tensor("i32[3]", numbers, 3);
	FX_AUTO_DATUM struct fx_datum *other = tensor("i32[1]", numbers, 1);
	const struct fx_backend_ops *ops = datum->backend->ops;
	struct fx_blob *saved = NULL;
	size_t size;
	uintptr_t at = ops->storage(datum->payload, &size);
	double back[3];

	FXT_EQ(size, 12);
	FXT_OK(ops->storage_save(datum->payload, &saved));
	memset((char *)at, 0x7f, size);
	FXT_OK(ops->storage_restore(datum->payload, saved));
	FXT_OK(fx_values_numbers(datum, 0, 3, back, NULL));
	CU_ASSERT(!memcmp(back, numbers, sizeof(back)));
	FXT_FAILS(ops->storage_restore(other->payload, saved), FX_ERR_VALUE);
	fx_blob_unref(saved);
}

/* --- summaries ----------------------------------------------------------- */

static void
a_summary_has_places_and_bars(void)
{
	static const double numbers[] = { 1, -2, 4, 4, 0, 0.5 };
	FX_AUTO_DATUM struct fx_datum *datum = tensor("f32[2,3]", numbers, 6);

	FXT_SAME(summary(datum),
		"f32[2,3]  min -2@[0,1] max 4@[0,2] mean 1.25 std 2.36 "
		"|=    == =      @|");
}

static void
nan_and_infinity_are_counted_apart(void)
{
	static const double numbers[] = { NAN, 1, INFINITY, 3, -INFINITY, NAN };
	FX_AUTO_DATUM struct fx_datum *datum = tensor("f16[6]", numbers, 6);
	FX_AUTO_DATUM struct fx_datum *none = tensor("f32[1]", numbers, 1);
	struct fx_stats stats;

	FXT_SAME(summary(datum),
		"f16[6]  min -inf@[4] max inf@[2] mean 2 std 1.41 "
		"|@              @| nan 2@[0] inf 2@[2]");
	FXT_SAME(summary(none), "f32[1]  nan");
	FXT_OK(fx_stats_compute(datum, NULL, &stats));
	CU_ASSERT(isnan(fx_stats_mean(&stats)));
	CU_ASSERT(isnan(fx_stats_absmax(&stats)));
	FXT_EQ(stats.mean, 2);
}

static void
odd_tensors_have_summaries(void)
{
	static const double numbers[] = { 1, 0, 1, -3 };
	FX_AUTO_DATUM struct fx_datum *empty = tensor("f32[0,3]", numbers, 0);
	FX_AUTO_DATUM struct fx_datum *scalar = tensor("i64[]", numbers, 1);
	FX_AUTO_DATUM struct fx_datum *truth = tensor("b8[3]", numbers, 3);
	FX_AUTO_DATUM struct fx_datum *complex = tensor("c64[4]", numbers, 4);

	FXT_SAME(summary(empty), "f32[0,3]  empty");
	FXT_SAME(summary(scalar), "i64[]  1");
	FXT_SAME(summary(truth), "b8[3]  true 2 false 1");
	FXT_SAME(summary(complex),
		"c64[4]  abs min 0@[1] max 3@[3] mean 1.25 std 1.26 "
		"|=    @         =|");
}

/* In every float dtype, wherever it stands. */
static void
a_sample_says_so_and_misses_no_nan(void)
{
	static const char *const metas[] = { "f16[70001]", "bf16[70001]",
		"f32[70001]", "f64[70001]", "f8e5m2[70001]", "f8e4m3fn[70001]",
		"c64[70001]" };
	static const size_t places[] = { 0, 4095, 4096, 31117, 70000, 9, 1 };
	FX_AUTO_FREE double *numbers = fx_xcalloc(70001, sizeof(*numbers));
	struct fx_stats stats;

	for (size_t i = 0; i < FX_ARRAY_LEN(metas); i++) {
		FX_AUTO_DATUM struct fx_datum *fine =
			tensor(metas[i], numbers, 70001);
		FX_AUTO_DATUM struct fx_datum *datum = NULL;

		numbers[places[i]] = NAN;
		datum = tensor(metas[i], numbers, 70001);
		numbers[places[i]] = 0;
		FXT_OK(fx_stats_sample(fine, &stats));
		CU_ASSERT_EQUAL(stats.finite, 4096);
		FXT_OK(fx_stats_sample(datum, &stats));
		CU_ASSERT(stats.seen == 70001 && stats.nan_index == places[i]);
	}
}

static void
a_huge_expanded_view_is_sampled(void)
{
	FX_AUTO_DATUM struct fx_datum *datum =
		recorded("\"result\": \"u8[2147483648,2][0,1]cpu\", "
			 "\"values\": [3, 5]");

	FXT_SAME(summary(datum),
		"u8[2147483648,2]  min 3@[0,0] max 5@[0,1] mean 4 std 1 "
		"|@              @| (33554432 of 4294967296 elements "
		"sampled)");
	FXT_SAME(text_of(datum),
		"tensor([[3, 5],\n        [3, 5],\n        [3, 5],\n"
		"        ...,\n        [3, 5],\n        [3, 5],\n"
		"        [3, 5]], dtype=torch.uint8)");
}

static bool
end_at_once(void *context)
{
	++*(int *)context;
	return true;
}

static void
a_long_summary_can_be_ended(void)
{
	FX_AUTO_DATUM struct fx_datum *datum =
		recorded("\"result\": \"f32[100000000][0]cpu\", \"values\": "
			 "[3]");
	int asked = 0;
	struct fx_ticker ticker;
	const struct fx_tolerance tolerance = { 0, 0, false };
	struct fx_stats stats;
	struct fx_difference difference;

	fx_ticker_init(&ticker, end_at_once, &asked);
	FXT_FAILS(fx_stats_compute(datum, &ticker, &stats), FX_ERR_INTERRUPTED);
	FXT_EQ(asked, 1);
	FXT_FAILS(fx_compare(datum, datum, &tolerance, &ticker, &difference),
		FX_ERR_INTERRUPTED);
}

/* --- text ---------------------------------------------------------------- */

static void
text_is_as_pytorch_has_it(void)
{
	static const double numbers[] = { 1, 0.5, 1e9, NAN, 0, 1 };
	FX_AUTO_DATUM struct fx_datum *wide = tensor("f32[2,2]", numbers, 4);
	FX_AUTO_DATUM struct fx_datum *truth = tensor("b8[2]", numbers + 4, 2);
	FX_AUTO_DATUM struct fx_datum *small =
		tensor("f8e4m3fn[2]", numbers, 2);
	FX_AUTO_DATUM struct fx_datum *empty = tensor("i32[2,0]", numbers, 0);
	FX_AUTO_BUF struct fx_buf narrow = { 0 };

	FXT_SAME(text_of(wide), "tensor([[1.0000e+00, 5.0000e-01],\n"
				"        [1.0000e+09,        nan]])");
	FXT_SAME(text_of(truth), "tensor([False,  True])");
	FXT_OK(fx_tensor_text_within(&narrow, wide, 20));
	FXT_SAME(fx_buf_text(&narrow),
		"tensor([[1.0000e+00,\n         5.0000e-01],\n"
		"        [1.0000e+09,\n                nan]])");
	FXT_SAME(text_of(small),
		"tensor([1.0000, 0.5000], dtype=torch.float8_e4m3fn)");
	FXT_SAME(text_of(empty), "tensor([], size=(2, 0), dtype=torch.int32)");
}

static void
too_many_corners_are_refused(void)
{
	FX_AUTO_DATUM struct fx_datum *datum =
		recorded("\"result\": "
			 "\"f32[6,6,6,6,6,6,6,6][0,0,0,0,0,0,0,0]cpu\", "
			 "\"values\": [3]");
	FX_AUTO_BUF struct fx_buf out = { 0 };

	FXT_FAILS(fx_tensor_text(&out, datum), FX_ERR_LIMIT);
	FXT_EQ(out.length, 0);
}

static void
large_integers_have_their_places(void)
{
	static const int64_t up[] = { (int64_t)1 << 62, ((int64_t)1 << 62) + 1,
		-((int64_t)1 << 62), -((int64_t)1 << 62) - 1 };
	struct fx_value four = fx_value_int(4);
	struct fx_tensor_meta meta = { .dtype = FX_DTYPE_I64,
		.has_shape = true,
		.rank = 1,
		.sizes = &four };
	FX_AUTO_BACKEND struct fx_backend *backend = fx_backend_meta_new();
	FX_AUTO_DATUM struct fx_datum *signed_ = NULL;
	FX_AUTO_DATUM struct fx_datum *unsigned_ = NULL;
	struct fx_stats stats;

	FXT_OK(fx_values_write(backend, &meta, up, &signed_));
	FXT_OK(fx_stats_compute(signed_, NULL, &stats));
	FXT_EQ(stats.max_index, 1);
	FXT_EQ(stats.min_index, 3);
	meta.dtype = FX_DTYPE_U64;
	FXT_OK(fx_values_write(backend, &meta, up, &unsigned_));
	FXT_OK(fx_stats_compute(unsigned_, NULL, &stats));
	FXT_EQ(stats.max_index, 2);
	FXT_EQ(stats.min_index, 0);
}

static void
a_deviation_of_huge_numbers_is_finite(void)
{
	static const double huge[] = { 1e200, -1e200, 3e200, 1e308, 1e308 };
	FX_AUTO_DATUM struct fx_datum *three = tensor("f64[3]", huge, 3);
	FX_AUTO_DATUM struct fx_datum *all = tensor("f64[5]", huge, 5);
	struct fx_stats stats;

	FXT_OK(fx_stats_compute(three, NULL, &stats));
	CU_ASSERT_DOUBLE_EQUAL(stats.std / 1e200, 2, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(stats.mean / 1e200, 1, 1e-12);
	FXT_OK(fx_stats_compute(all, NULL, &stats));
	CU_ASSERT_DOUBLE_EQUAL(stats.mean / 1e307, 4, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(stats.std / 1e307, 5.4772255750516612, 1e-6);
	FXT_EQ(stats.min_index, 1);
}

/* (A, [B, 1], {"loss": C}) */
static struct fx_datum *
nested(struct fx_datum *a, struct fx_datum *b, struct fx_datum *c)
{
	struct fx_datum *const list[] = { b, fx_datum_int(1) };
	struct fx_datum *const dict[] = { fx_datum_string("loss", 4), c };
	struct fx_datum *const items[] = { a,
		fx_datum_items_take(FX_VALUE_LIST, list, 2),
		fx_datum_items_take(FX_VALUE_DICT, dict, 1) };

	return fx_datum_items_take(FX_VALUE_TUPLE, items, 3);
}

static void
a_summary_of_a_tuple_has_its_tensors(void)
{
	const double finite[] = { 3, -1 };
	const double odd[] = { 2, NAN };
	FX_AUTO_DATUM struct fx_datum *tuple =
		nested(tensor("f32[2]", finite, 2), tensor("f32[1]", finite, 1),
			tensor("f64[2]", odd, 2));
	FX_AUTO_SUMMARY struct fx_summary *of_all = fx_summary_new(tuple, NULL);
	FX_AUTO_SUMMARY struct fx_summary *of_one =
		fx_summary_new(tuple->value.items[0].held, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(of_all);
	FXT_EQ_FATAL(of_all->parts.count, 3);
	FXT_SAME(of_all->parts.items[0].path, "[0]");
	FXT_SAME(of_all->parts.items[1].path, "[1][0]");
	FXT_SAME(of_all->parts.items[2].path, "[2]['loss']");
	FXT_EQ(of_all->parts.items[0].stats.min, -1);
	FXT_EQ(of_all->parts.items[1].stats.max, 3);
	FXT_EQ(of_all->parts.items[2].stats.nan, 1);
	CU_ASSERT(fx_summary_is_nonfinite(of_all));
	CU_ASSERT_PTR_NOT_NULL_FATAL(of_one);
	FXT_SAME(of_one->parts.items[0].path, "");
	CU_ASSERT(!fx_summary_is_nonfinite(of_one));
}

static void
what_has_no_values_has_no_summary(void)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_DATUM struct fx_datum *number = fx_datum_int(1);
	FX_AUTO_DATUM struct fx_datum *tuple = NULL;
	const double one = 1;
	struct fx_value value;

	FXT_OK(fx_tensor_meta_parse(arena, "f32[2]", 6, &value));
	tuple = nested(tensor("f32[1]", &one, 1), fx_meta_tensor(value.tensor),
		tensor("f32[1]", &one, 1));
	CU_ASSERT_PTR_NULL(fx_summary_new(number, NULL));
	CU_ASSERT_PTR_NULL(fx_summary_new(tuple, NULL));
}

static void
a_tuple_lies_where_its_tensors_do(void)
{
	const double one = 1;
	struct fx_datum *shared = tensor("f32[1]", &one, 1);
	FX_AUTO_DATUM struct fx_datum *other = tensor("f32[1]", &one, 1);
	FX_AUTO_DATUM struct fx_datum *tuple = nested(tensor("f32[1]", &one, 1),
		tensor("f32[1]", &one, 1), fx_datum_ref(shared));
	FX_AUTO_MAP struct fx_map storages = { 0 };
	size_t bytes;

	FXT_IS(fx_datum_storage(shared, &bytes), !=, 0);
	FXT_EQ(bytes, 4);
	FXT_EQ(fx_datum_storage(tuple, NULL), 0);
	fx_datum_add_storages(tuple, &storages);
	FXT_EQ(storages.count, 3);
	CU_ASSERT(fx_datum_lies_in(shared, &storages));
	CU_ASSERT(!fx_datum_lies_in(other, &storages));
	fx_map_clear(&storages);
	fx_datum_add_storages(shared, &storages);
	CU_ASSERT(fx_datum_lies_in(tuple, &storages));
	fx_datum_unref(shared);
}

static void
a_text_of_lists_that_hold_each_other_twice_ends(void)
{
	const struct fx_datum_printer printer = { .limit = 200 };
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_datum *datum = fx_datum_int(1);

	for (int i = 0; i < 60; i++) {
		struct fx_datum *both[2] = { datum, fx_datum_ref(datum) };

		datum = fx_datum_items_take(FX_VALUE_LIST, both, 2);
	}
	FXT_OK(fx_datum_print(&out, datum, &printer));
	FXT_IS(out.length, <, 20 << 20);
	CU_ASSERT_PTR_NOT_NULL(strstr(fx_buf_text(&out), ", ..."));
	fx_datum_unref(datum);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(small_floats_come_back_bit_for_bit),
		FXT_CASE(small_floats_round_to_even_and_overflow),
		FXT_CASE(integers_are_cut_to_their_range),
		FXT_CASE(a_shape_alone_has_no_values),
		FXT_CASE(reading_outside_is_refused),
		FXT_CASE(a_view_is_read_by_its_strides),
		FXT_CASE(a_storage_can_be_put_back),
		FXT_CASE(a_summary_has_places_and_bars),
		FXT_CASE(nan_and_infinity_are_counted_apart),
		FXT_CASE(odd_tensors_have_summaries),
		FXT_CASE(a_sample_says_so_and_misses_no_nan),
		FXT_CASE(a_huge_expanded_view_is_sampled),
		FXT_CASE(a_long_summary_can_be_ended),
		FXT_CASE(text_is_as_pytorch_has_it),
		FXT_CASE(too_many_corners_are_refused),
		FXT_CASE(large_integers_have_their_places),
		FXT_CASE(a_deviation_of_huge_numbers_is_finite),
		FXT_CASE(a_summary_of_a_tuple_has_its_tensors),
		FXT_CASE(what_has_no_values_has_no_summary),
		FXT_CASE(a_tuple_lies_where_its_tensors_do),
		FXT_CASE(a_text_of_lists_that_hold_each_other_twice_ends),
	};

	return fxt_run("values", cases, FX_ARRAY_LEN(cases));
}
