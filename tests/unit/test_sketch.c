/* Tensors as pictures: histograms of a few characters, heat maps. */
#include <config.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/heat_map.h"
#include "run/sketch.h"
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
sketch_of(const char *meta, const double *numbers, size_t count)
{
	static char said[64];
	FX_AUTO_DATUM struct fx_datum *datum = tensor(meta, numbers, count);
	FX_AUTO_BUF struct fx_buf out = { 0 };

	fx_sketch_print(&out, datum, true);
	snprintf(said, sizeof(said), "%s", fx_buf_text(&out));
	return said;
}

static void
a_sketch_is_a_small_histogram(void)
{
	static const double few[] = { 0, 0, 0, 0, 1, 8, NAN, INFINITY };
	static const double huge[] = { -DBL_MAX, DBL_MAX };
	FX_AUTO_FREE double *many = fx_xcalloc(100000, sizeof(*many));

	FXT_SAME(sketch_of("f64[8]", few, 8), "@:     :");
	FXT_SAME(sketch_of("f64[2]", huge, 2), "@      @");
	FXT_SAME(sketch_of("f64[0]", few, 0), "");
	FXT_SAME(sketch_of("f64[]", few, 1), "    @   ");
	FXT_SAME(sketch_of("f64[2]", few + 6, 2), "");
	for (size_t i = 0; i < 100000; i++)
		many[i] = (double)i;
	/* From all over it. */
	FXT_EQ(strspn(sketch_of("f64[100000]", many, 100000), "@#*"), 8);
}

static void
a_heat_map_averages_blocks_of_a_plane(void)
{
	static const double numbers[] = { 9, 9, 9, 9, 9, 9, 9, 9, /**/
		0, 1, 2, 3, 4, 5, NAN, 7 };
	FX_AUTO_DATUM struct fx_datum *datum =
		tensor("f32[2,2,4]", numbers, 16);
	FX_AUTO_HEAT_MAP struct fx_heat_map map = { .least = 0 };

	FXT_OK(fx_heat_map_compute(datum, 1, (const int64_t[]){ 10, 2 }, NULL,
		&map));
	FXT_EQ(map.cells[0], 2);
	FXT_EQ(map.cells[1], 2);
	CU_ASSERT(map.means[0] == 0.5);
	CU_ASSERT(map.means[1] == 2.5);
	CU_ASSERT(map.means[2] == 4.5);
	CU_ASSERT(map.means[3] == 7);
	CU_ASSERT(map.special[3] && !map.special[0]);
	/* Of the elements, whatever the size of the map. */
	CU_ASSERT(map.least == 0 && map.most == 7);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_sketch_is_a_small_histogram),
		FXT_CASE(a_heat_map_averages_blocks_of_a_plane),
	};

	return fxt_run("sketch", cases, FX_ARRAY_LEN(cases));
}
