/* Tensors beside each other: where they differ, and by how much. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/compare.h"
#include "run/datum.h"
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

static const char *
compared(const struct fx_datum *a, const struct fx_datum *b, double rtol)
{
	static char said[300];
	const struct fx_tolerance tolerance = { rtol, 0, false };
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_difference difference;

	FXT_OK(fx_compare(a, b, &tolerance, NULL, &difference));
	FXT_OK(fx_difference_print(&out, &difference, &tolerance, a, b));
	snprintf(said, sizeof(said), "%s", fx_buf_text(&out));
	return said;
}

static void
a_difference_names_place_and_values(void)
{
	static const double left[] = { 1, 2, 3, 4 };
	static const double right[] = { 1, 2.25, 3, 8 };
	FX_AUTO_DATUM struct fx_datum *a = tensor("f32[2,2]", left, 4);
	FX_AUTO_DATUM struct fx_datum *b = tensor("f64[2,2]", right, 4);
	FX_AUTO_DATUM struct fx_datum *row = tensor("f32[4]", left, 4);
	FX_AUTO_DATUM struct fx_datum *one = tensor("f32[]", left, 1);

	FXT_SAME(compared(a, a, 0), "all 4 elements are near");
	FXT_SAME(compared(a, b, 0),
		"2 of 4 elements differ by more than rtol 0, atol 0; first at "
		"[0,1]: 2.0 and 2.25; worst at [1,1]: 4.0 and 8.0");
	FXT_SAME(compared(a, b, 0.2),
		"1 of 4 elements differ by more than rtol 0.2, atol 0; first "
		"at [1,1]: 4.0 and 8.0");
	FXT_SAME(compared(a, row, 0), "the shapes differ: [2, 2] and [4]");
	FXT_SAME(compared(one, row, 0),
		"3 of 4 elements differ by more than rtol 0, atol 0; first at "
		"[1]: 1.0 and 2.0; worst at [3]: 1.0 and 4.0");
}

static void
nan_is_near_nothing_and_infinity_itself(void)
{
	static const double left[] = { NAN, INFINITY, INFINITY, 1 };
	static const double right[] = { NAN, INFINITY, -INFINITY, INFINITY };
	FX_AUTO_DATUM struct fx_datum *a = tensor("f32[4]", left, 4);
	FX_AUTO_DATUM struct fx_datum *b = tensor("f32[4]", right, 4);

	FXT_SAME(compared(a, b, 10),
		"3 of 4 elements differ by more than rtol 10, atol 0; first at "
		"[0]: nan and nan");
}

static void
large_integers_are_compared_exactly(void)
{
	static const int64_t left[] = { INT64_MAX, -1 };
	static const int64_t right[] = { INT64_MAX - 1, -1 };
	struct fx_value two = { .kind = FX_VALUE_INT, .integer = 2 };
	const struct fx_tensor_meta meta = { .dtype = FX_DTYPE_I64,
		.has_shape = true,
		.rank = 1,
		.sizes = &two };
	FX_AUTO_BACKEND struct fx_backend *backend = fx_backend_meta_new();
	FX_AUTO_DATUM struct fx_datum *a = NULL;
	FX_AUTO_DATUM struct fx_datum *b = NULL;

	FXT_OK(fx_values_write(backend, &meta, left, &a));
	FXT_OK(fx_values_write(backend, &meta, right, &b));
	FXT_SAME(compared(a, b, 0),
		"1 of 2 elements differ by more than rtol 0, atol 0; first at "
		"[0]: 9223372036854775807 and 9223372036854775806");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_difference_names_place_and_values),
		FXT_CASE(nan_is_near_nothing_and_infinity_itself),
		FXT_CASE(large_integers_are_compared_exactly),
	};

	return fxt_run("compare", cases, FX_ARRAY_LEN(cases));
}
