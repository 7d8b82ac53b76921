/* heat_map.c - a plane of a tensor averaged over blocks. */
#include <config.h>

#include "run/heat_map.h"

#include <math.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "run/ticker.h"

void
fx_heat_map_deinit(struct fx_heat_map *map)
{
	free(map->means);
	free(map->counts);
	free(map->special);
}

uint64_t
fx_heat_map_sizes(const struct fx_extent *extent, int64_t ret[2])
{
	uint32_t rank = extent->rank;

	ret[0] = rank > 1 ? extent->sizes[rank - 2] : 1;
	ret[1] = rank ? extent->sizes[rank - 1] : 1;
	return extent->count ? extent->count / (uint64_t)(ret[0] * ret[1]) : 0;
}

static void
add_element(struct fx_heat_map *map, uint64_t index, double number)
{
	int64_t row = (int64_t)index / map->sizes[1];
	int64_t column = (int64_t)index % map->sizes[1];
	size_t cell =
		(size_t)(row * map->cells[0] / map->sizes[0] * map->cells[1] +
			 column * map->cells[1] / map->sizes[1]);

	if (!isfinite(number)) {
		map->special[cell] = true;
		return;
	}
	map->least = fmin(map->least, number);
	map->most = fmax(map->most, number);
	map->means[cell] += number;
	map->counts[cell]++;
}

static struct fx_error *
fill(struct fx_heat_map *map, const struct fx_datum *tensor, uint64_t plane,
	bool is_complex, struct fx_ticker *ticker)
{
	uint64_t total = (uint64_t)(map->sizes[0] * map->sizes[1]);
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];
	struct fx_error *err = NULL;

	for (uint64_t first = 0; !err && first < total;) {
		size_t count = (size_t)FX_MIN(total - first,
			(uint64_t)FX_VALUES_CHUNK);

		err = fx_values_numbers(tensor, plane * total + first, count,
			real, imag);
		for (size_t i = 0; !err && i < count; i++)
			add_element(map, first + i,
				is_complex ? hypot(real[i], imag[i]) : real[i]);
		first += count;
		if (!err)
			err = fx_ticker_check(ticker, first, total);
	}
	return err;
}

static void
average(struct fx_heat_map *map)
{
	for (int64_t i = 0; i < map->cells[0] * map->cells[1]; i++)
		if (map->counts[i])
			map->means[i] /= (double)map->counts[i];
}

struct fx_error *
fx_heat_map_compute(const struct fx_datum *tensor, uint64_t plane,
	const int64_t cells[2], struct fx_ticker *ticker,
	struct fx_heat_map *ret)
{
	struct fx_heat_map map = { .least = INFINITY, .most = -INFINITY };
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of(tensor, &extent);
	size_t count;

	if (err)
		return err;
	fx_heat_map_sizes(&extent, map.sizes);
	for (int i = 0; i < 2; i++)
		map.cells[i] = FX_MIN(map.sizes[i], FX_MAX(cells[i], 1));
	count = (size_t)(map.cells[0] * map.cells[1]);
	map.means = fx_xcalloc(count, sizeof(*map.means));
	map.counts = fx_xcalloc(count, sizeof(*map.counts));
	map.special = fx_xcalloc(count, sizeof(*map.special));
	err = fill(&map, tensor, plane,
		fx_dtype_info(extent.dtype)->category ==
			FX_DTYPE_CATEGORY_COMPLEX,
		ticker);
	if (err) {
		fx_heat_map_deinit(&map);
		return err;
	}
	average(&map);
	*ret = map;
	return NULL;
}
