/* picture.c - pixels in a pane. */
#include <config.h>

#include "ui/tui/picture.h"

#include <math.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "run/heat_map.h"

enum {
	GREYS_FIRST = 232, /* of the 256 colours: 24 greys */
	GREYS = 24,
	CUBE_FIRST = 16, /* and 6 x 6 x 6 others */
	CUBE = 6,
	RED = 196,
};

void
tui_picture_deinit(struct tui_picture *picture)
{
	free(picture->pixels);
	*picture = (struct tui_picture){ 0 };
}

void
tui_picture_clear(struct tui_picture *picture, int rows, int columns)
{
	tui_picture_deinit(picture);
	picture->rows = rows;
	picture->columns = columns;
	picture->pixels = fx_xcalloc((size_t)rows * (size_t)columns + 1,
		sizeof(*picture->pixels));
}

/* SHARE, from 0 to 1, as one of COUNT steps. */
static int
step_of(double share, int count)
{
	int step = (int)(share * count);

	return FX_MAX(FX_MIN(step, count - 1), 0);
}

struct tui_pixel
tui_pixel_shade(double share)
{
	return (struct tui_pixel){ .kind = TUI_PIXEL_SHADE,
		.level = (uint8_t)step_of(share, 256),
		.color = (uint8_t)(GREYS_FIRST + step_of(share, GREYS)) };
}

struct tui_pixel
tui_pixel_rgb(const double shares[3])
{
	double light = 0.3 * shares[0] + 0.59 * shares[1] + 0.11 * shares[2];
	int color = 0;

	for (int i = 0; i < 3; i++)
		color = color * CUBE + step_of(shares[i], CUBE);
	return (struct tui_pixel){ .kind = TUI_PIXEL_SHADE,
		.level = (uint8_t)step_of(light, 256),
		.color = (uint8_t)(CUBE_FIRST + color) };
}

void
tui_picture_put(struct tui_picture *picture, int row, int column,
	struct tui_pixel pixel)
{
	if (row >= 0 && row < picture->rows && column >= 0 &&
		column < picture->columns)
		picture->pixels[row * picture->columns + column] = pixel;
}

static struct tui_pixel
pixel_of(const struct fx_heat_map *map, size_t cell,
	const struct tui_scale *scale)
{
	double range = scale->most - scale->least;

	if (map->special[cell])
		return (struct tui_pixel){
			.kind = TUI_PIXEL_SPECIAL, .level = 255, .color = RED
		};
	if (!map->counts[cell])
		return (struct tui_pixel){ .kind = TUI_PIXEL_NONE };
	return tui_pixel_shade(range > 0 ? (map->means[cell] - scale->least) /
						   range
					 : 0.5);
}

void
tui_picture_put_map(struct tui_picture *picture, const struct tui_tile *tile,
	const struct fx_heat_map *map, const struct tui_scale *scale)
{
	int rows = (int)map->cells[0] * tile->size;
	int columns = (int)map->cells[1] * tile->size;

	for (int y = 0; y < rows; y++)
		for (int x = 0; x < columns; x++)
			tui_picture_put(picture, tile->row + y,
				tile->column + x,
				pixel_of(map,
					(size_t)(y / tile->size *
							 map->cells[1] +
						 x / tile->size),
					scale));
}

void
tui_pen_room(const struct tui_pen *pen, int rows, int columns, int64_t ret[2])
{
	ret[0] = FX_MAX(pen->has_halves ? rows * 2 : rows, 1);
	ret[1] = FX_MAX(pen->has_halves ? columns : columns / 2, 1);
}

int
tui_picture_cells(const struct tui_picture *picture, const struct tui_pen *pen)
{
	return pen->has_halves ? (picture->rows + 1) / 2 : picture->rows;
}

static const char *const shades[] = { " ", "\u2591", "\u2592", "\u2593",
	"\u2588" };
static const char *const signs[] = { " ", ".", ":", "-", "=", "+", "*", "#",
	"%", "@" };

static const char *
shade_of(const struct tui_pen *pen, unsigned level)
{
	bool is_ascii = pen->lines == FX_LINES_ASCII;
	size_t count = is_ascii ? FX_ARRAY_LEN(signs) : FX_ARRAY_LEN(shades);

	return (is_ascii ? signs : shades)[level * count / 256];
}

const char *
tui_pen_lightest(const struct tui_pen *pen)
{
	return shade_of(pen, 255);
}

static uint8_t
color_at(const struct tui_picture *picture, int row, int column)
{
	const struct tui_pixel *pixel =
		&picture->pixels[row * picture->columns + column];

	return row < picture->rows && pixel->kind != TUI_PIXEL_NONE
		       ? pixel->color
		       : 0;
}

static void
paint_shade(const struct tui_pixel *pixel, const struct tui_pen *pen,
	int column, const struct fx_area *area)
{
	const char *text = shade_of(pen, pixel->level);
	struct fx_look look = FX_LOOK(PLAIN);

	if (pixel->kind == TUI_PIXEL_NONE)
		return;
	if (pixel->kind == TUI_PIXEL_SPECIAL) {
		text = "!";
		look = FX_LOOK(NONFINITE);
	}
	fx_area_text(area, 0, 2 * column, look, text);
	fx_area_text(area, 0, 2 * column + 1, look, text);
}

void
tui_picture_paint(const struct tui_picture *picture, const struct tui_pen *pen,
	int row, const struct fx_area *area)
{
	for (int column = 0; column < picture->columns; column++) {
		if (pen->has_halves)
			fx_area_pixels(area, 0, column,
				color_at(picture, 2 * row, column),
				2 * row + 1 < picture->rows
					? color_at(picture, 2 * row + 1, column)
					: 0);
		else
			paint_shade(&picture->pixels[row * picture->columns +
						     column],
				pen, column, area);
	}
}
