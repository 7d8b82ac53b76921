/* heat_map.c - x/m: a tensor as a picture of characters.
 *
 * The last two dimensions are rows and columns.  What has more of them than
 * the terminal is averaged over blocks; an element that is NaN or infinite
 * shows, whatever it is averaged with.
 */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/front.h"
#include "commands/shell/shell.h"
#include "commands/verbs/elements.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/ticker.h"
#include "session/settings.h"

/* Cells of a map at most, each two characters wide; more need no reading. */
#define COLUMNS     ((int64_t)38)
#define ROWS        ((int64_t)38)
#define WIDTH_LIMIT ((int64_t)200)

struct map {
	int64_t sizes[2]; /* rows and columns of the tensor */
	int64_t cells[2]; /* of the map */
	double *sums;     /* of the finite elements of a cell */
	uint64_t *counts;
	bool *special; /* a cell has NaN or infinities */
	double least;
	double most;
};

static void
map_deinit(struct map *map)
{
	free(map->sums);
	free(map->counts);
	free(map->special);
}

static void
add_element(struct map *map, uint64_t index, double number)
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
	map->sums[cell] += number;
	map->counts[cell]++;
}

/* Read the first rows times columns elements, absolute values of complex ones.
 */
static struct fx_error *
fill(struct map *map, const struct fx_datum *tensor, struct fx_ticker *ticker)
{
	uint64_t total = (uint64_t)(map->sizes[0] * map->sizes[1]);
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];
	struct fx_error *err = NULL;

	for (uint64_t first = 0; !err && first < total;) {
		size_t count = (size_t)FX_MIN(total - first,
			(uint64_t)FX_VALUES_CHUNK);

		err = fx_values_numbers(tensor, first, count, real, imag);
		for (size_t i = 0; !err && i < count; i++)
			add_element(map, first + i,
				imag[i] == 0 ? real[i]
					     : hypot(real[i], imag[i]));
		first += count;
		if (!err)
			err = fx_ticker_check(ticker, first, total);
	}
	return err;
}

static void
average(struct map *map)
{
	map->least = INFINITY;
	map->most = -INFINITY;
	for (int64_t i = 0; i < map->cells[0] * map->cells[1]; i++) {
		if (!map->counts[i])
			continue;
		map->sums[i] /= (double)map->counts[i];
		map->least = fmin(map->least, map->sums[i]);
		map->most = fmax(map->most, map->sums[i]);
	}
}

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
say_cell(struct out *out, const struct map *map, size_t cell, bool is_ascii)
{
	double range = map->most - map->least;

	if (map->special[cell])
		out_piece(out, FX_ROLE_NONFINITE, "!!");
	else if (!map->counts[cell])
		out_piece(out, FX_ROLE_PLAIN, "  ");
	else
		out_piece(out, FX_ROLE_PLAIN, "%s",
			shade(range > 0 ? (map->sums[cell] - map->least) / range
					: 0.5,
				is_ascii));
}

static void
say_legend(struct cmd_ctx *ctx, const struct map *map, bool is_ascii)
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
say(struct cmd_ctx *ctx, const struct map *map)
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

/* The sizes of TENSOR's map; says which part is drawn. */
static void
set_sizes(struct cmd_ctx *ctx, const struct fx_extent *extent, struct map *map)
{
	int64_t width = (int64_t)ctx->front->columns(ctx->front->context);
	uint32_t rank = extent->rank;
	FX_AUTO_BUF struct fx_buf part = { 0 };

	map->sizes[0] = rank > 1 ? extent->sizes[rank - 2] : 1;
	map->sizes[1] = rank ? extent->sizes[rank - 1] : 1;
	width = width ? FX_MIN(width, WIDTH_LIMIT) / 2 - 1 : COLUMNS;
	map->cells[0] = FX_MIN(map->sizes[0], ROWS);
	map->cells[1] = FX_MIN(map->sizes[1], FX_MAX(width, (int64_t)1));
	for (uint32_t i = 2; i < rank; i++)
		fx_buf_addf(&part, "%s0", i > 2 ? "," : "");
	if (rank > 2)
		out_line(ctx->out, FX_ROLE_MUTED,
			"[%s] of it:", fx_buf_text(&part));
}

struct fx_error *
cmd_say_map(struct cmd_ctx *ctx, const struct fx_datum *tensor)
{
	struct map map = { .least = 0 };
	struct fx_extent extent;
	struct fx_ticker ticker;
	size_t count;
	struct fx_error *err = fx_extent_of(tensor, &extent);

	if (err)
		return err;
	if (!extent.count) {
		out_line(ctx->out, FX_ROLE_MUTED, "No elements.");
		return NULL;
	}
	set_sizes(ctx, &extent, &map);
	count = (size_t)(map.cells[0] * map.cells[1]);
	map.sums = fx_xcalloc(count, sizeof(*map.sums));
	map.counts = fx_xcalloc(count, sizeof(*map.counts));
	map.special = fx_xcalloc(count, sizeof(*map.special));
	fx_ticker_init(&ticker, ctx->front->tick, ctx->front->context);
	err = fill(&map, tensor, &ticker);
	if (!err) {
		average(&map);
		say(ctx, &map);
	}
	map_deinit(&map);
	return err;
}
