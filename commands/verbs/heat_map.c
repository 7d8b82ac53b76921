/* heat_map.c - x/m: a tensor as a picture of characters. */
#include <config.h>

#include <inttypes.h>

#include "base/buf.h"
#include "commands/out/out.h"
#include "commands/shell/front.h"
#include "commands/shell/shell.h"
#include "commands/verbs/elements.h"
#include "run/datum.h"
#include "run/heat_map.h"
#include "run/ticker.h"
#include "session/settings.h"

/* Cells of a map at most, each two characters wide; more need no reading. */
#define COLUMNS     ((int64_t)38)
#define ROWS        ((int64_t)38)
#define WIDTH_LIMIT ((int64_t)200)
/* A cell of a small tensor is at most as many half blocks high. */
#define CELL_MOST ((int64_t)4)

static const char *const shades[] = { "  ", "\u2591\u2591", "\u2592\u2592",
	"\u2593\u2593", "\u2588\u2588" };
static const char *const signs[] = { "  ", "..", "::", "--", "==", "++", "**",
	"##", "%%", "@@" };

/* Whether two cells stand above each other in one character, in colours. */
static bool
has_halves(const struct cmd_ctx *ctx)
{
	const struct front *front = ctx->front;

	return front->has_palette && front->has_palette(front->context) &&
	       !fx_settings_int(ctx->shell->settings, FX_SET_ASCII) &&
	       !fx_settings_int(ctx->shell->settings, FX_SET_OUTPUT);
}

static int64_t
columns_of(const struct cmd_ctx *ctx)
{
	int64_t width = (int64_t)ctx->front->columns(ctx->front->context);

	return width ? FX_MIN(width, WIDTH_LIMIT) : 2 * COLUMNS + 2;
}

/* Two characters for a share of the range, from 0 to 1. */
static const char *
shade(double share, bool is_ascii)
{
	size_t count = is_ascii ? FX_ARRAY_LEN(signs) : FX_ARRAY_LEN(shades);
	size_t level = (size_t)(share * (double)count);

	level = FX_MIN(level, count - 1);
	return is_ascii ? signs[level] : shades[level];
}

static void
say_cell(struct out *out, const struct fx_heat_map *map, size_t cell,
	bool is_ascii)
{
	double range = map->most - map->least;

	if (map->special[cell])
		out_piece(out, FX_ROLE_NONFINITE, "!!");
	else if (!map->counts[cell])
		out_piece(out, FX_ROLE_PLAIN, "  ");
	else
		out_piece(out, FX_ROLE_PLAIN, "%s",
			shade(range > 0 ? (map->means[cell] - map->least) /
						  range
					: 0.5,
				is_ascii));
}

static enum fx_heat
heat_of(const struct fx_heat_map *map, int64_t row, int64_t column)
{
	double range = map->most - map->least;
	size_t cell = (size_t)(row * map->cells[1] + column);

	if (row >= map->cells[0] || (!map->special[cell] && !map->counts[cell]))
		return FX_HEAT_NONE;
	if (map->special[cell])
		return FX_HEAT_SPECIAL;
	return (enum fx_heat)FX_MIN(FX_HEAT_LEVELS - 1,
		(int)(FX_HEAT_LEVELS *
			(range > 0 ? (map->means[cell] - map->least) / range
				   : 0.5)));
}

static void
say_half(struct out *out, enum fx_heat top, enum fx_heat bottom, int count)
{
	for (int i = 0; i < count; i++) {
		if (bottom != FX_HEAT_NONE)
			out_piece(out, fx_heat_role(top, bottom), "\u2584");
		else if (top != FX_HEAT_NONE)
			out_piece(out, fx_heat_role(FX_HEAT_NONE, top),
				"\u2580");
		else
			out_piece(out, FX_ROLE_PLAIN, " ");
	}
}

/* How many halves high and columns wide a cell of MAP is. */
static int
cell_size(const struct fx_heat_map *map, int64_t width)
{
	int64_t size = FX_MIN(width / map->cells[1], ROWS / map->cells[0]);

	return (int)FX_MAX(1, FX_MIN(size, CELL_MOST));
}

/* Two rows a line, in colours. */
static void
say_halves(struct cmd_ctx *ctx, const struct fx_heat_map *map, int64_t width)
{
	struct out *out = ctx->out;
	int size = cell_size(map, width);

	for (int64_t row = 0; row < map->cells[0] * size; row += 2) {
		for (int64_t i = 0; i < map->cells[1]; i++)
			say_half(out, heat_of(map, row / size, i),
				heat_of(map, (row + 1) / size, i), size);
		out_line_end(out);
	}
	if (map->least < map->most) {
		say_half(out, (enum fx_heat)0, (enum fx_heat)0, 2);
		out_piece(out, FX_ROLE_MUTED, " %.3g to ", map->least);
		say_half(out, (enum fx_heat)(FX_HEAT_LEVELS - 1),
			(enum fx_heat)(FX_HEAT_LEVELS - 1), 2);
		out_piece(out, FX_ROLE_MUTED, " %.3g", map->most);
	}
}

static void
say_legend(struct cmd_ctx *ctx, const struct fx_heat_map *map, bool is_ascii)
{
	struct out *out = ctx->out;

	if (map->least == map->most)
		out_piece(out, FX_ROLE_MUTED, "all %.3g", map->least);
	else if (map->least < map->most && !has_halves(ctx))
		out_piece(out, FX_ROLE_MUTED, "blank %.3g to %s %.3g",
			map->least, shade(1, is_ascii), map->most);
	if (map->cells[0] < map->sizes[0] || map->cells[1] < map->sizes[1])
		out_piece(out, FX_ROLE_MUTED,
			", averages of %" PRId64 " x %" PRId64 " elements",
			map->sizes[0], map->sizes[1]);
	out_line_end(out);
}

static void
say(struct cmd_ctx *ctx, const struct fx_heat_map *map)
{
	bool is_ascii = fx_settings_int(ctx->shell->settings, FX_SET_ASCII);

	if (has_halves(ctx)) {
		say_halves(ctx, map, columns_of(ctx) - 1);
		say_legend(ctx, map, false);
		return;
	}
	for (int64_t row = 0; row < map->cells[0]; row++) {
		for (int64_t i = 0; i < map->cells[1]; i++)
			say_cell(ctx->out, map,
				(size_t)(row * map->cells[1] + i), is_ascii);
		out_line_end(ctx->out);
	}
	say_legend(ctx, map, is_ascii);
}

/* The most cells of a map of EXTENT; says which part is drawn. */
static void
set_cells(struct cmd_ctx *ctx, const struct fx_extent *extent, int64_t ret[2])
{
	FX_AUTO_BUF struct fx_buf part = { 0 };

	ret[0] = has_halves(ctx) ? 2 * ROWS : ROWS;
	ret[1] =
		has_halves(ctx) ? columns_of(ctx) - 1 : columns_of(ctx) / 2 - 1;
	for (uint32_t i = 2; i < extent->rank; i++)
		fx_buf_addf(&part, "%s0", i > 2 ? "," : "");
	if (part.length)
		out_line(ctx->out, FX_ROLE_MUTED,
			"[%s] of it:", fx_buf_text(&part));
}

struct fx_error *
cmd_say_map(struct cmd_ctx *ctx, const struct fx_datum *tensor)
{
	FX_AUTO_HEAT_MAP struct fx_heat_map map = { .least = 0 };
	struct fx_extent extent;
	struct fx_ticker ticker;
	int64_t cells[2];
	struct fx_error *err = fx_extent_of(tensor, &extent);

	if (err)
		return err;
	if (!extent.count) {
		out_line(ctx->out, FX_ROLE_MUTED, "No elements.");
		return NULL;
	}
	set_cells(ctx, &extent, cells);
	fx_ticker_init(&ticker, ctx->front->tick, ctx->front->context);
	err = fx_heat_map_compute(tensor, 0, cells, &ticker, &map);
	if (!err)
		say(ctx, &map);
	return err;
}
