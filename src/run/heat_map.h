/* heat_map.h - a plane of a tensor averaged over blocks: what pictures of
 * values are made of.
 *
 * The last two dimensions are rows and columns, the others count planes.  An
 * element that is NaN or infinite shows, whatever it is averaged with.
 */
#ifndef FX_RUN_HEAT_MAP_H
#define FX_RUN_HEAT_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "run/values.h"

struct fx_ticker;

struct fx_heat_map {
	int64_t sizes[2]; /* rows and columns of the plane */
	int64_t cells[2]; /* of the map: no more than those */
	double *means;    /* of the finite elements of a cell */
	uint64_t *counts; /* how many those are */
	bool *special;    /* a cell has NaN or infinities */
	/* Of the finite elements, so that the scale of a picture does not
	 * depend on its size; least is above most when there are none.
	 */
	double least;
	double most;
};
void fx_heat_map_deinit(struct fx_heat_map *map);
FX_DEFINE_DEINIT(heat_map, struct fx_heat_map, fx_heat_map_deinit);
#define FX_AUTO_HEAT_MAP FX_AUTO(heat_map)

/* Rows and columns of the planes of EXTENT, 1 where it has no such dimension;
 * returns how many planes there are.
 */
uint64_t fx_heat_map_sizes(const struct fx_extent *extent, int64_t ret[2]);

/* Plane PLANE of TENSOR, which has elements, in at most CELLS rows and columns;
 * absolute values of complex ones.  INTERRUPTED when TICKER says so.
 */
FX_NODISCARD struct fx_error *fx_heat_map_compute(const struct fx_datum *tensor,
	uint64_t plane, const int64_t cells[2], struct fx_ticker *ticker,
	struct fx_heat_map *ret);

#endif /* FX_RUN_HEAT_MAP_H */
