/* canvas.c - a grid of characters with meanings. */
#include <config.h>

#include "draw/canvas.h"

#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "base/utf8.h"

static int
clamp_size(int size)
{
	return FX_MIN(FX_MAX(size, 0), FX_GRID_MAX);
}

struct fx_canvas *
fx_canvas_new(int rows, int columns)
{
	struct fx_canvas *grid = FX_NEW(struct fx_canvas);

	fx_canvas_resize(grid, rows, columns);
	return grid;
}

void
fx_canvas_free(struct fx_canvas *grid)
{
	if (!grid)
		return;
	free(grid->cells);
	free(grid);
}

void
fx_canvas_clear(struct fx_canvas *grid)
{
	size_t count = (size_t)grid->rows * (size_t)grid->columns;

	memset(grid->cells, 0, count * sizeof(*grid->cells));
	for (size_t i = 0; i < count; i++)
		grid->cells[i].width = 1;
}

void
fx_canvas_resize(struct fx_canvas *grid, int rows, int columns)
{
	grid->rows = clamp_size(rows);
	grid->columns = clamp_size(columns);
	free(grid->cells);
	grid->cells = fx_xcalloc((size_t)grid->rows * (size_t)grid->columns + 1,
		sizeof(*grid->cells));
	fx_canvas_clear(grid);
}

static struct fx_cell *
cell_at(const struct fx_canvas *grid, int row, int column)
{
	if (row < 0 || row >= grid->rows || column < 0 ||
		column >= grid->columns)
		return NULL;
	return &grid->cells[(size_t)row * (size_t)grid->columns +
			    (size_t)column];
}

const struct fx_cell *
fx_canvas_cell(const struct fx_canvas *grid, int row, int column)
{
	return cell_at(grid, row, column);
}

/* Columns of ROW up to its last character. */
static int
used_columns(const struct fx_canvas *grid, int row)
{
	int used = grid->columns;

	while (used > 0) {
		const struct fx_cell *cell = cell_at(grid, row, used - 1);

		if (cell->width == 0 || (cell->code && cell->code != ' '))
			break;
		used--;
	}
	return used;
}

static int
used_rows(const struct fx_canvas *grid)
{
	int used = grid->rows;

	while (used > 0 && used_columns(grid, used - 1) == 0)
		used--;
	return used;
}

static void
add_code(struct fx_buf *out, uint32_t code)
{
	char bytes[4];

	fx_buf_add_n(out, bytes, fx_utf8_encode(code, bytes));
}

void
fx_canvas_print(const struct fx_canvas *grid, struct fx_buf *out)
{
	int rows = used_rows(grid);

	for (int row = 0; row < rows; row++) {
		int columns = used_columns(grid, row);

		for (int column = 0; column < columns; column++) {
			const struct fx_cell *cell = cell_at(grid, row, column);

			if (cell->width == 0)
				continue;
			add_code(out, cell->code ? cell->code : ' ');
			if (cell->mark)
				add_code(out, cell->mark);
		}
		fx_buf_add_char(out, '\n');
	}
}

struct fx_area
fx_canvas_area(struct fx_canvas *grid)
{
	return (struct fx_area){
		.grid = grid, .rows = grid->rows, .columns = grid->columns
	};
}

/* Cut START and LENGTH to 0 .. SIZE. */
static void
cut(int size, int *start, int *length)
{
	if (*start < 0) {
		*length += *start;
		*start = 0;
	}
	*start = FX_MIN(*start, size);
	*length = FX_MAX(0, FX_MIN(*length, size - *start));
}

struct fx_area
fx_area_part(const struct fx_area *area, int row, int column, int rows,
	int columns)
{
	cut(area->rows, &row, &rows);
	cut(area->columns, &column, &columns);
	return (struct fx_area){ .grid = area->grid,
		.top = area->top + row,
		.left = area->left + column,
		.rows = rows,
		.columns = columns };
}

/* The cell of AREA, or NULL outside of it. */
static struct fx_cell *
area_cell(const struct fx_area *area, int row, int column)
{
	if (row < 0 || row >= area->rows || column < 0 ||
		column >= area->columns)
		return NULL;
	return cell_at(area->grid, area->top + row, area->left + column);
}

void
fx_area_fill(const struct fx_area *area, struct fx_look look)
{
	for (int row = 0; row < area->rows; row++)
		for (int column = 0; column < area->columns; column++)
			fx_area_put(area, row, column, look, ' ');
}

/* Before CELL is overwritten: the other half of a wide character that loses
 * this half becomes a blank.  Its neighbours are those of the grid.
 */
static void
split_wide(const struct fx_canvas *grid, struct fx_cell *cell)
{
	int column = (int)((cell - grid->cells) % grid->columns);

	if (cell->width == 0 && column > 0) {
		cell[-1].code = ' ';
		cell[-1].mark = 0;
		cell[-1].width = 1;
	} else if (cell->width == 2 && column + 1 < grid->columns) {
		cell[1].code = ' ';
		cell[1].width = 1;
	}
	cell->width = 1;
}

static void
set_cell(const struct fx_canvas *grid, struct fx_cell *cell,
	struct fx_look look, uint32_t code)
{
	split_wide(grid, cell);
	cell->code = code;
	cell->mark = 0;
	cell->role = (uint8_t)look.role;
	cell->style = (uint8_t)look.style;
	cell->ink = 0;
	cell->paper = 0;
}

static void
join_mark(const struct fx_area *area, int row, int column, uint32_t code)
{
	struct fx_cell *cell = area_cell(area, row, column - 1);

	if (cell && cell->width == 0)
		cell = area_cell(area, row, column - 2);
	if (cell && cell->code)
		cell->mark = code;
}

int
fx_area_put(const struct fx_area *area, int row, int column,
	struct fx_look look, uint32_t code)
{
	struct fx_cell *cell;
	struct fx_cell *right;
	int width;

	if (fx_utf8_disturbs(code))
		code = 0xfffd;
	width = fx_utf8_width(code);
	cell = area_cell(area, row, column);
	if (width == 0) {
		join_mark(area, row, column, code);
		return 0;
	}
	if (width == 1) {
		if (cell)
			set_cell(area->grid, cell, look, code);
		return 1;
	}
	right = area_cell(area, row, column + 1);
	if (!cell || !right) {
		/* Half of it would be outside: a blank on this side. */
		if (cell)
			set_cell(area->grid, cell, look, ' ');
		if (right)
			set_cell(area->grid, right, look, ' ');
		return 2;
	}
	set_cell(area->grid, cell, look, code);
	set_cell(area->grid, right, look, 0);
	cell->width = 2;
	right->width = 0;
	return 2;
}

void
fx_area_pixels(const struct fx_area *area, int row, int column, uint8_t upper,
	uint8_t lower)
{
	struct fx_cell *cell = area_cell(area, row, column);

	if (!cell || (!upper && !lower))
		return;
	/* Half blocks: the upper half is the ink's, or the lower one. */
	set_cell(area->grid, cell, FX_LOOK(PLAIN), upper ? 0x2580 : 0x2584);
	cell->ink = upper ? upper : lower;
	cell->paper = upper ? lower : 0;
}

int
fx_area_text(const struct fx_area *area, int row, int column,
	struct fx_look look, const char *text)
{
	size_t length = strlen(text);

	while (length) {
		uint32_t code;
		size_t used = fx_utf8_decode(text, length, &code);

		column += fx_area_put(area, row, column, look, code);
		text += used;
		length -= used;
	}
	return column;
}

void
fx_area_restyle(const struct fx_area *area, int row, int column, int count,
	struct fx_look look)
{
	for (int i = 0; i < count; i++) {
		struct fx_cell *cell = area_cell(area, row, column + i);

		if (!cell)
			continue;
		cell->style |= (uint8_t)look.style;
		if (look.role != FX_ROLE_PLAIN)
			cell->role = (uint8_t)look.role;
	}
}

uint32_t
fx_lines_code(enum fx_lines lines, unsigned arms)
{
	/* Indexed by arms: up 1, down 2, left 4, right 8. */
	static const uint16_t rounded[16] = { ' ', 0x2575, 0x2577, 0x2502,
		0x2574, 0x256f, 0x256e, 0x2524, 0x2576, 0x2570, 0x256d, 0x251c,
		0x2500, 0x2534, 0x252c, 0x253c };
	static const uint16_t square[16] = { ' ', 0x2502, 0x2502, 0x2502,
		0x2500, 0x2518, 0x2510, 0x2524, 0x2500, 0x2514, 0x250c, 0x251c,
		0x2500, 0x2534, 0x252c, 0x253c };
	/* A merge from above and a fork to below differ from a tap here too. */
	static const char ascii[] = " |||-'.+-`.+-'.+";

	arms &= 15;
	switch (lines) {
	case FX_LINES_UTF8:
		return rounded[arms];
	case FX_LINES_ACS:
		return square[arms];
	case FX_LINES_ASCII:
		break;
	}
	return (unsigned char)ascii[arms];
}
