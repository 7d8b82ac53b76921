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

static const char *const shades[] = { "  ", "\u2591\u2591", "\u2592\u2592",
	"\u2593\u2593", "\u2588\u2588" };
static const char *const signs[] = { "  ", "..", "::", "--", "==", "++", "**",
	"##", "%%", "@@" };

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

static void
say_legend(struct cmd_ctx *ctx, const struct fx_heat_map *map, bool is_ascii)
{
	struct out *out = ctx->out;

	if (map->least == map->most)
		out_piece(out, FX_ROLE_MUTED, "all %.3g", map->least);
	else if (map->least < map->most)
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
	int64_t width = (int64_t)ctx->front->columns(ctx->front->context);
	FX_AUTO_BUF struct fx_buf part = { 0 };

	width = width ? FX_MIN(width, WIDTH_LIMIT) / 2 - 1 : COLUMNS;
	ret[0] = ROWS;
	ret[1] = width;
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
