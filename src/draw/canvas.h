/* canvas.h - a grid of characters with meanings: what every picture is drawn
 * into before anybody knows whether it becomes text or a screen.
 *
 * A cell holds a code point, at most one combining mark, a role and a style.
 * Wide characters take two cells, the second of width 0.  Drawing goes through
 * an area, which clips; nothing here can write outside its grid.
 */
#ifndef FX_DRAW_CANVAS_H
#define FX_DRAW_CANVAS_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/role.h"

struct fx_buf;

/* How lines are drawn: rounded Unicode, the square corners that every
 * terminal's alternate character set has, or plain ASCII.
 */
enum fx_lines {
	FX_LINES_UTF8,
	FX_LINES_ACS,
	FX_LINES_ASCII,
};

enum fx_look_bits {
	FX_LOOK_BOLD = 1,
	FX_LOOK_REVERSE = 2,
	FX_LOOK_UNDERLINE = 4,
	FX_LOOK_DIM = 8,
};

/* Directions in which a piece of line leaves its cell, or-ed. */
enum fx_arm {
	FX_ARM_UP = 1,
	FX_ARM_DOWN = 2,
	FX_ARM_LEFT = 4,
	FX_ARM_RIGHT = 8,
};

struct fx_look {
	enum fx_role role;
	unsigned style; /* enum fx_look_bits, or-ed */
};

#define FX_LOOK(word) ((struct fx_look){ .role = FX_ROLE_##word })

struct fx_cell {
	uint32_t code; /* 0: blank */
	uint32_t mark; /* combining character, or 0 */
	uint8_t role;
	uint8_t style;
	uint8_t width; /* 1, 2, or 0: the right half of a wide one */
	/* Colours of its character and behind it, of a terminal's 256, where a
	 * picture has them; 0: as the role says.
	 */
	uint8_t ink;
	uint8_t paper;
};

struct fx_canvas {
	int rows;
	int columns;
	struct fx_cell *cells;
};

/* Sizes are at least 0 and at most FX_GRID_MAX; more is cut. */
#define FX_GRID_MAX 32000

struct fx_canvas *fx_canvas_new(int rows, int columns);
void fx_canvas_free(struct fx_canvas *grid);

FX_DEFINE_CLEANUP(grid, struct fx_canvas, fx_canvas_free);
#define FX_AUTO_CANVAS FX_AUTO(grid)

/* Blank every cell; RESIZE also changes the size. */
void fx_canvas_clear(struct fx_canvas *grid);
void fx_canvas_resize(struct fx_canvas *grid, int rows, int columns);

/* The cell at ROW and COLUMN, or NULL outside. */
const struct fx_cell *fx_canvas_cell(const struct fx_canvas *grid, int row,
	int column);

/* Append the grid as lines without trailing blanks; blank lines at the end
 * are left out.
 */
void fx_canvas_print(const struct fx_canvas *grid, struct fx_buf *out);

/* A rectangle of a grid to draw in; coordinates are its own. */
struct fx_area {
	struct fx_canvas *grid;
	int top;
	int left;
	int rows;
	int columns;
};

struct fx_area fx_canvas_area(struct fx_canvas *grid);
/* The part of AREA from ROW and COLUMN, ROWS by COLUMNS, cut to AREA. */
struct fx_area fx_area_part(const struct fx_area *area, int row, int column,
	int rows, int columns);

/* Blank AREA, every cell looking like LOOK. */
void fx_area_fill(const struct fx_area *area, struct fx_look look);

/* Put CODE; what does not fit is left out.  Returns the columns it takes, 0
 * for a combining mark, which joins the character before it.  Control
 * characters become U+FFFD.
 */
int fx_area_put(const struct fx_area *area, int row, int column,
	struct fx_look look, uint32_t code);

/* Put two pixels, one above the other, in colours of a terminal's 256; 0: none.
 */
void fx_area_pixels(const struct fx_area *area, int row, int column,
	uint8_t upper, uint8_t lower);

/* Put TEXT (UTF-8) on one row; returns the column after it, even when that is
 * outside.
 */
int fx_area_text(const struct fx_area *area, int row, int column,
	struct fx_look look, const char *text);

/* Add STYLE to COUNT cells from ROW and COLUMN, and ROLE unless PLAIN. */
void fx_area_restyle(const struct fx_area *area, int row, int column, int count,
	struct fx_look look);

/* The character for arms (enum fx_arm, or-ed) in LINES. */
uint32_t fx_lines_code(enum fx_lines lines, unsigned arms);

#endif /* FX_DRAW_CANVAS_H */
