/* picture.h - pixels in a pane: half blocks in colours, or shades of characters
 * where a terminal has no 256 colours.
 */
#ifndef FX_UI_TUI_PICTURE_H
#define FX_UI_TUI_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "draw/canvas.h"

struct fx_heat_map;

enum tui_pixel_kind {
	TUI_PIXEL_NONE,
	TUI_PIXEL_SHADE,
	TUI_PIXEL_SPECIAL, /* NaN or infinities */
};

struct tui_pixel {
	uint8_t kind;
	uint8_t level; /* from 0 to 255: how light it is */
	uint8_t color; /* of 256, which is as light */
};

/* All zero is empty. */
struct tui_picture {
	int rows; /* in pixels */
	int columns;
	struct tui_pixel *pixels;
};

/* How a terminal shows it. */
struct tui_pen {
	bool has_halves; /* two pixels a cell, in colours; else two cells each
			  */
	enum fx_lines lines;
};

void tui_picture_deinit(struct tui_picture *picture);
/* Without pixels, of another size. */
void tui_picture_clear(struct tui_picture *picture, int rows, int columns);
/* A shade from 0 to 1; a colour of three such shares. */
struct tui_pixel tui_pixel_shade(double share);
struct tui_pixel tui_pixel_rgb(const double shares[3]);
void tui_picture_put(struct tui_picture *picture, int row, int column,
	struct tui_pixel pixel);
/* Where a map goes, and how many pixels high and wide each of its cells is;
 * which values are dark and light.
 */
struct tui_tile {
	int row;
	int column;
	int size;
};
struct tui_scale {
	double least;
	double most;
};
void tui_picture_put_map(struct tui_picture *picture,
	const struct tui_tile *tile, const struct fx_heat_map *map,
	const struct tui_scale *scale);

/* Pixels that ROWS by COLUMNS cells have room for, and rows of cells that
 * PICTURE takes.
 */
void tui_pen_room(const struct tui_pen *pen, int rows, int columns,
	int64_t ret[2]);
int tui_picture_cells(const struct tui_picture *picture,
	const struct tui_pen *pen);
/* Row ROW of cells, on the only row of AREA. */
void tui_picture_paint(const struct tui_picture *picture,
	const struct tui_pen *pen, int row, const struct fx_area *area);
/* The characters of the lightest shade. */
const char *tui_pen_lightest(const struct tui_pen *pen);

#endif /* FX_UI_TUI_PICTURE_H */
