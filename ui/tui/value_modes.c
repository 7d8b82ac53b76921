/* value_modes.c - a tensor shown in one of several ways.
 *
 * The last two dimensions are a plane of rows and columns; the others count
 * planes, which the keys [ and ] go through.  Pictures keep the shape of a
 * plane where it is no long strip.
 */
#include <config.h>

#include "ui/tui/value_modes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "run/heat_map.h"
#include "run/stats.h"

/* Of a sum of shares, which may be in a small dtype. */
#define SHARE_ERROR 0.02

enum {
	NUMBER_COLUMNS = 10, /* of a slice: "-1.234e-05" and a blank */
	SLICE_ROWS = 200,
	SLICE_COLUMNS = 64,
	STRIP = 12,   /* times as long as wide: a strip is not kept in shape */
	ENLARGED = 4, /* pixels of an element at most, of a tile at least */
};

/* --- which tensors ------------------------------------------------------- */

static bool
fits_none(const struct fx_extent *extent)
{
	(void)extent;
	return true;
}

static bool
fits_elements(const struct fx_extent *extent)
{
	return extent->count > 0 && extent->rank > 0;
}

static bool
fits_planes(const struct fx_extent *extent)
{
	int64_t sizes[2];

	return fits_elements(extent) && fx_heat_map_sizes(extent, sizes) > 1;
}

static bool
fits_square(const struct fx_extent *extent)
{
	return fits_elements(extent) && extent->rank > 1 &&
	       extent->sizes[extent->rank - 1] ==
		       extent->sizes[extent->rank - 2] &&
	       extent->sizes[extent->rank - 1] > 1;
}

/* Channels come before rows and columns, or last: how many there are. */
static int64_t
channels_of(const struct fx_extent *extent, bool *are_last_ret)
{
	uint32_t rank = extent->rank;

	*are_last_ret = rank > 2 && extent->sizes[rank - 1] == 3 &&
			extent->sizes[rank - 3] != 3;
	if (*are_last_ret)
		return 3;
	return rank > 2 ? extent->sizes[rank - 3] : 0;
}

static bool
fits_image(const struct fx_extent *extent)
{
	bool are_last;
	int64_t channels = channels_of(extent, &are_last);

	return fits_elements(extent) && (channels == 1 || channels == 3);
}

/* --- headings ------------------------------------------------------------ */

/* "[0,3]": plane PLANE of the tensor, nothing where there is only one. */
static void
add_place(struct fx_buf *out, const struct fx_extent *extent, uint64_t plane)
{
	struct fx_extent outer = { .rank = extent->rank - 2 };
	int64_t place[FX_RANK_LIMIT];

	if (extent->rank < 3)
		return;
	for (uint32_t i = 0; i < outer.rank; i++)
		outer.sizes[i] = extent->sizes[i];
	fx_extent_unravel(&outer, plane, place);
	for (uint32_t i = 0; i < outer.rank; i++)
		fx_buf_addf(out, "%s%" PRId64, i ? "," : "[", place[i]);
	fx_buf_add(out, "]");
}

static bool
is_complex(const struct tui_value_look *look)
{
	return fx_dtype_info(look->extent.dtype)->category ==
	       FX_DTYPE_CATEGORY_COMPLEX;
}

static void
say_plane(const struct tui_value_look *look, uint64_t plane, uint64_t planes)
{
	FX_AUTO_BUF struct fx_buf place = { 0 };

	add_place(&place, &look->extent, plane);
	tui_text_addf(look->text, FX_ROLE_NODE, "%%%s%s", look->name,
		fx_buf_text(&place));
	if (planes > 1)
		tui_text_addf(look->text, FX_ROLE_MUTED,
			"  %" PRIu64 " of %" PRIu64, plane + 1, planes);
	if (is_complex(look))
		tui_text_addf(look->text, FX_ROLE_MUTED, "  absolute values");
	tui_text_end_line(look->text);
}

/* WHAT a cell stands for: "" for an element. */
static void
say_range(const struct tui_value_look *look, const struct tui_scale *scale,
	const char *what)
{
	if (scale->most < scale->least)
		return;
	if (look->pen.has_halves)
		tui_text_addf(look->text, FX_ROLE_MUTED,
			"%sdark %.3g  light %.3g", what, scale->least,
			scale->most);
	else
		tui_text_addf(look->text, FX_ROLE_MUTED,
			"%sblank %.3g  %s %.3g", what, scale->least,
			tui_pen_lightest(&look->pen), scale->most);
	tui_text_end_line(look->text);
}

/* --- text ---------------------------------------------------------------- */

static void
build_nothing(const struct tui_value_look *look)
{
	(void)look;
}

static void
build_axis(const struct tui_value_look *look)
{
	tui_value_build_axis(look);
}

/* COUNT numbers of ROW from element FIRST on. */
static struct fx_error *
slice_row(const struct tui_value_look *look, int64_t row, uint64_t first,
	size_t count)
{
	double numbers[SLICE_COLUMNS];
	double imag[SLICE_COLUMNS];
	struct fx_error *err =
		fx_values_numbers(look->tensor, first, count, numbers, imag);

	if (err)
		return err;
	tui_text_addf(look->text, FX_ROLE_MUTED, "%5" PRId64, row);
	for (size_t i = 0; i < count; i++) {
		if (is_complex(look))
			numbers[i] = hypot(numbers[i], imag[i]);
		/* Its sign says nothing. */
		if (isnan(numbers[i]))
			numbers[i] = (double)NAN;
		tui_text_addf(look->text,
			isfinite(numbers[i]) ? FX_ROLE_PLAIN
					     : FX_ROLE_NONFINITE,
			"%*.4g", NUMBER_COLUMNS + 1, numbers[i]);
	}
	tui_text_end_line(look->text);
	return NULL;
}

static void
build_slice(const struct tui_value_look *look)
{
	int64_t sizes[2];
	uint64_t planes = fx_heat_map_sizes(&look->extent, sizes);
	uint64_t plane = look->plane % planes;
	int64_t wide = FX_MAX((look->columns - 5) / (NUMBER_COLUMNS + 1), 1);
	int64_t first = FX_MIN((int64_t)look->skip,
		FX_MAX(sizes[1] - wide, (int64_t)0));
	int64_t end =
		FX_MIN(first + FX_MIN(wide, (int64_t)SLICE_COLUMNS), sizes[1]);
	struct fx_error *err = NULL;

	say_plane(look, plane, planes);
	tui_text_addf(look->text, FX_ROLE_MUTED, "%5s", "");
	for (int64_t i = first; i < end; i++)
		tui_text_addf(look->text, FX_ROLE_MUTED, "%*" PRId64,
			NUMBER_COLUMNS + 1, i);
	tui_text_end_line(look->text);
	for (int64_t row = 0;
		!err && row < FX_MIN(sizes[0], (int64_t)SLICE_ROWS); row++)
		err = slice_row(look, row,
			(plane * (uint64_t)sizes[0] + (uint64_t)row) *
					(uint64_t)sizes[1] +
				(uint64_t)first,
			(size_t)(end - first));
	if (err)
		tui_value_say_error(look, err);
	if (sizes[0] > SLICE_ROWS) {
		tui_text_addf(look->text, FX_ROLE_MUTED,
			"... of %" PRId64 " rows", sizes[0]);
		tui_text_end_line(look->text);
	}
}

/* --- pictures ------------------------------------------------------------ */

/* Cells of a map of SIZES that has ROOM, and how many pixels each has. */
static int
fit(const int64_t sizes[2], const int64_t room[2], int64_t ret[2])
{
	double scale = fmin((double)room[0] / (double)sizes[0],
		(double)room[1] / (double)sizes[1]);
	bool is_strip =
		sizes[0] > sizes[1] * STRIP || sizes[1] > sizes[0] * STRIP;

	for (int i = 0; i < 2; i++) {
		ret[i] = FX_MIN(sizes[i], room[i]);
		if (scale < 1 && !is_strip)
			ret[i] = FX_MAX((int64_t)((double)sizes[i] * scale), 1);
	}
	return scale >= 2 ? (int)fmin(scale, ENLARGED) : 1;
}

/* Cells below the heading and, where the pane is not low, the legend. */
static void
room_of(const struct tui_value_look *look, int64_t ret[2])
{
	int rows = look->rows - (look->is_low ? 1 : 2);

	tui_pen_room(&look->pen, FX_MAX(rows, 1), look->columns, ret);
}

static const char *
what_of(const struct fx_heat_map *map)
{
	return map->cells[0] < map->sizes[0] || map->cells[1] < map->sizes[1]
		       ? "averages of elements: "
		       : "";
}

static void
put_alone(const struct tui_value_look *look, const struct fx_heat_map *map,
	int size, const struct tui_scale *scale)
{
	const struct tui_tile tile = { .size = size };

	tui_picture_clear(look->picture, (int)map->cells[0] * size,
		(int)map->cells[1] * size);
	tui_picture_put_map(look->picture, &tile, map, scale);
	say_range(look, scale, what_of(map));
}

static struct tui_scale
scale_of(const struct fx_heat_map *map)
{
	return (struct tui_scale){ .least = map->least, .most = map->most };
}

/* The map of the plane that is looked at, said which, with LESS lines left for
 * others; false where it cannot be had, which is said.
 */
static bool
plane_map(const struct tui_value_look *look, int64_t less, int64_t sizes_ret[2],
	struct fx_heat_map *ret, int *size_ret)
{
	int64_t room[2];
	int64_t cells[2];
	uint64_t planes = fx_heat_map_sizes(&look->extent, sizes_ret);
	uint64_t plane = look->plane % planes;
	struct fx_error *err;

	room_of(look, room);
	room[0] = FX_MAX(room[0] - less, (int64_t)1);
	*size_ret = fit(sizes_ret, room, cells);
	say_plane(look, plane, planes);
	err = fx_heat_map_compute(look->tensor, plane, cells, look->ticker,
		ret);
	if (err)
		tui_value_say_error(look, err);
	return !err;
}

static void
build_heat(const struct tui_value_look *look)
{
	int64_t sizes[2];
	FX_AUTO_HEAT_MAP struct fx_heat_map map = { .least = 0 };
	struct tui_scale scale;
	int size;

	if (!plane_map(look, 0, sizes, &map, &size))
		return;
	scale = scale_of(&map);
	put_alone(look, &map, size, &scale);
}

/* Whether the numbers of each row are shares of 1. */
static bool
are_shares(const struct fx_heat_map *map)
{
	for (int64_t row = 0; row < map->cells[0]; row++) {
		double sum = 0;
		double rows = 0;

		for (int64_t i = row * map->cells[1];
			i < (row + 1) * map->cells[1]; i++) {
			if (map->special[i])
				return false;
			sum += map->means[i] * (double)map->counts[i];
			rows += (double)map->counts[i] / (double)map->sizes[1];
		}
		if (fabs(sum - rows) > SHARE_ERROR * rows)
			return false;
	}
	return map->least >= 0;
}

/* Rows ask, columns are asked; shares of 1 are shown as such. */
static void
build_attention(const struct tui_value_look *look)
{
	int64_t sizes[2];
	FX_AUTO_HEAT_MAP struct fx_heat_map map = { .least = 0 };
	struct tui_scale scale;
	bool is_shared;
	int size;

	if (!plane_map(look, look->is_low ? 0 : 2, sizes, &map, &size))
		return;
	is_shared = are_shares(&map);
	tui_text_addf(look->text, FX_ROLE_MUTED,
		"rows ask %" PRId64 " columns%s", sizes[1],
		is_shared ? ", shares of 1" : "");
	tui_text_end_line(look->text);
	scale = is_shared ? (struct tui_scale){ .most = 1 } : scale_of(&map);
	put_alone(look, &map, size, &scale);
}

/* Tiles of a mosaic: how large they are, how many there are. */
struct tiles {
	int64_t cells[2]; /* of each */
	int64_t across;
	uint64_t first; /* plane */
	uint64_t count;
};

/* The largest ones with which all planes fit, else the smallest. */
static struct tiles
tiles_of(const struct tui_value_look *look, const int64_t sizes[2],
	uint64_t planes)
{
	struct tiles tiles = { .first = look->plane % planes };
	int64_t room[2];
	int64_t side;

	room_of(look, room);
	for (side = FX_MIN(room[0], room[1]); side > ENLARGED; side--) {
		uint64_t fitting = (uint64_t)((room[0] + 1) / (side + 1)) *
				   (uint64_t)((room[1] + 1) / (side + 1));

		if (fitting >= planes)
			break;
	}
	side = FX_MAX(FX_MIN(side, FX_MIN(room[0], room[1])), (int64_t)1);
	fit(sizes, (const int64_t[]){ side, side }, tiles.cells);
	tiles.across = FX_MAX((room[1] + 1) / (side + 1), (int64_t)1);
	tiles.count = (uint64_t)tiles.across *
		      (uint64_t)FX_MAX((room[0] + 1) / (side + 1), (int64_t)1);
	if (planes <= tiles.count)
		tiles.first = 0;
	tiles.count = FX_MIN(tiles.count, planes - tiles.first);
	return tiles;
}

static void
put_tiles(const struct tui_value_look *look, const struct tiles *tiles,
	const struct fx_heat_map *maps)
{
	int64_t down = (int64_t)(tiles->count + (uint64_t)tiles->across - 1) /
		       tiles->across;
	struct tui_scale scale = { .least = INFINITY, .most = -INFINITY };

	for (uint64_t i = 0; i < tiles->count; i++) {
		scale.least = fmin(scale.least, maps[i].least);
		scale.most = fmax(scale.most, maps[i].most);
	}
	say_range(look, &scale, tiles->count ? what_of(&maps[0]) : "");
	tui_picture_clear(look->picture,
		(int)(down * (tiles->cells[0] + 1) - 1),
		(int)(tiles->across * (tiles->cells[1] + 1) - 1));
	for (uint64_t i = 0; i < tiles->count; i++) {
		const struct tui_tile tile = {
			.row = (int)((int64_t)i / tiles->across *
				     (tiles->cells[0] + 1)),
			.column = (int)((int64_t)i % tiles->across *
					(tiles->cells[1] + 1)),
			.size = 1,
		};

		tui_picture_put_map(look->picture, &tile, &maps[i], &scale);
	}
}

/* Many planes beside each other, with one scale. */
static void
build_mosaic(const struct tui_value_look *look)
{
	int64_t sizes[2];
	uint64_t planes = fx_heat_map_sizes(&look->extent, sizes);
	struct tiles tiles = tiles_of(look, sizes, planes);
	FX_AUTO_FREE struct fx_heat_map *maps =
		fx_xcalloc(tiles.count, sizeof(*maps));
	struct fx_error *err = NULL;
	uint64_t done = 0;

	for (; !err && done < tiles.count; done += !err)
		err = fx_heat_map_compute(look->tensor, tiles.first + done,
			tiles.cells, look->ticker, &maps[done]);
	tui_text_addf(look->text, FX_ROLE_NODE, "%%%s", look->name);
	tui_text_addf(look->text, FX_ROLE_MUTED,
		"  planes %" PRIu64 " to %" PRIu64 " of %" PRIu64,
		tiles.first + 1, tiles.first + tiles.count, planes);
	tui_text_end_line(look->text);
	if (err)
		tui_value_say_error(look, err);
	else
		put_tiles(look, &tiles, maps);
	for (uint64_t i = 0; i < done; i++)
		fx_heat_map_deinit(&maps[i]);
}

/* --- an image ------------------------------------------------------------ */

/* Where an image lies in a tensor; channels are a dimension apart. */
struct image {
	uint64_t first;      /* element */
	uint64_t strides[3]; /* of channels, rows, columns, in elements */
	int64_t channels;
	int64_t sizes[2];
	struct tui_scale scale;
};

static uint64_t
image_of(const struct tui_value_look *look, struct image *ret)
{
	const struct fx_extent *extent = &look->extent;
	const int64_t *sizes = &extent->sizes[extent->rank - 3];
	uint64_t whole = (uint64_t)(sizes[0] * sizes[1] * sizes[2]);
	uint64_t count = extent->count / whole;
	bool are_last;

	ret->channels = channels_of(extent, &are_last);
	ret->sizes[0] = sizes[are_last ? 0 : 1];
	ret->sizes[1] = sizes[are_last ? 1 : 2];
	ret->strides[0] =
		are_last ? 1 : (uint64_t)(ret->sizes[0] * ret->sizes[1]);
	ret->strides[2] = are_last ? 3 : 1;
	ret->strides[1] = (uint64_t)ret->sizes[1] * ret->strides[2];
	ret->first = look->plane % count * whole;
	return count;
}

/* The element in the middle of what a pixel stands for. */
static struct fx_error *
sample(const struct tui_value_look *look, const struct image *image,
	const int64_t cells[2], const int64_t at[3], double *ret)
{
	int64_t row = (2 * at[1] + 1) * image->sizes[0] / (2 * cells[0]);
	int64_t column = (2 * at[2] + 1) * image->sizes[1] / (2 * cells[1]);

	return fx_values_numbers(look->tensor,
		image->first + (uint64_t)at[0] * image->strides[0] +
			(uint64_t)row * image->strides[1] +
			(uint64_t)column * image->strides[2],
		1, ret, NULL);
}

static struct fx_error *
sample_all(const struct tui_value_look *look, struct image *image,
	const int64_t cells[2], double *ret)
{
	struct fx_error *err = NULL;
	int64_t at[3];
	size_t i = 0;

	image->scale.least = INFINITY;
	image->scale.most = -INFINITY;
	for (at[1] = 0; at[1] < cells[0]; at[1]++)
		for (at[2] = 0; at[2] < cells[1]; at[2]++)
			for (at[0] = 0; !err && at[0] < image->channels;
				at[0]++) {
				err = sample(look, image, cells, at, &ret[i]);
				if (!err && isfinite(ret[i])) {
					image->scale.least =
						fmin(image->scale.least,
							ret[i]);
					image->scale.most =
						fmax(image->scale.most, ret[i]);
				}
				i++;
			}
	return err;
}

static void
put_image(const struct tui_value_look *look, const struct image *image,
	const int64_t cells[2], const double *samples)
{
	double range = image->scale.most - image->scale.least;

	tui_picture_clear(look->picture, (int)cells[0], (int)cells[1]);
	for (int64_t i = 0; i < cells[0] * cells[1]; i++) {
		double shares[3];

		for (int k = 0; k < 3; k++) {
			double sample = samples[i * image->channels +
						(image->channels > 1 ? k : 0)];

			shares[k] =
				range > 0 && isfinite(sample)
					? (sample - image->scale.least) / range
					: 0.5;
		}
		tui_picture_put(look->picture, (int)(i / cells[1]),
			(int)(i % cells[1]),
			image->channels > 1 ? tui_pixel_rgb(shares)
					    : tui_pixel_shade(shares[0]));
	}
	say_range(look, &image->scale, "");
}

static void
build_image(const struct tui_value_look *look)
{
	struct image image;
	uint64_t count = image_of(look, &image);
	int64_t room[2];
	int64_t cells[2];
	FX_AUTO_FREE double *samples = NULL;
	struct fx_error *err;

	room_of(look, room);
	fit(image.sizes, room, cells);
	samples = fx_xcalloc((size_t)(cells[0] * cells[1] * image.channels) + 1,
		sizeof(*samples));
	err = sample_all(look, &image, cells, samples);
	tui_text_addf(look->text, FX_ROLE_NODE, "%%%s", look->name);
	tui_text_addf(look->text, FX_ROLE_MUTED,
		"  picture %" PRIu64 " of %" PRIu64 ", %" PRId64 " x %" PRId64,
		look->plane % count + 1, count, image.sizes[1], image.sizes[0]);
	tui_text_end_line(look->text);
	if (err)
		tui_value_say_error(look, err);
	else
		put_image(look, &image, cells, samples);
}

/* --- the table ----------------------------------------------------------- */

static const struct {
	const char *word;
	bool (*fits)(const struct fx_extent *extent);
	void (*build)(const struct tui_value_look *look);
} modes[] = {
#define TUI_VALUE_MODE(id, word, fits, build) \
	[TUI_VALUE_##id] = { word, fits_##fits, build_##build },
#include "ui/tui/value_modes.def"
};

bool
tui_value_mode_fits(enum tui_value_mode mode, const struct fx_extent *extent)
{
	return modes[mode].fits(extent);
}

void
tui_value_mode_build(enum tui_value_mode mode,
	const struct tui_value_look *look)
{
	tui_text_addf(look->text, FX_ROLE_HEAD, "%s  ", modes[mode].word);
	modes[mode].build(look);
}
