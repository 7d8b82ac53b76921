/* statistics.c - stats: the elements of tensors in numbers. */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "commands/out/out.h"
#include "commands/shell/front.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/elements.h"
#include "commands/verbs/show.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/summary.h"
#include "run/ticker.h"

static const char *const stats_keys[] = {
	"of",
	"~dtype",
	"1shape",
#define FX_STATISTIC(key, kind, detail, function, help) \
	(detail) ? "~" key : key,
#include "run/statistics.def"
};

/* Rows for the tensors of a value, one each, or one for each index of the
 * dimension BY.
 */
struct stats_rows {
	struct cmd_ctx *ctx;
	struct fx_ticker ticker;
	const char *expression;
	const char *by; /* NULL: for whole tensors */
	size_t limit;   /* of rows, 0: none */
	size_t rows;
	struct fx_error *err;
};

/* Return whether there is room for another row. */
static bool
begin_row(struct stats_rows *rows)
{
	rows->rows++;
	return (!rows->limit || rows->rows <= rows->limit) &&
	       out_more(rows->ctx->out);
}

static void
cells_of(struct stats_rows *rows, const struct fx_datum *tensor,
	const struct fx_stats *stats, const struct fx_value *shape)
{
	const struct fx_statistic *one;

	cmd_cell_dtype(rows->ctx->out, shape);
	cmd_cell_shape(rows->ctx->out, shape);
	for (size_t i = 0; (one = fx_statistic_at(i)); i++)
		cmd_cell_statistic(rows->ctx->out, tensor, stats, one);
}

static void
whole_row(struct stats_rows *rows, const char *path,
	const struct fx_datum *tensor)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value shape = fx_datum_to_value(arena, tensor);
	struct fx_stats stats;

	rows->err = fx_stats_compute(tensor, &rows->ticker, &stats);
	if (rows->err || !begin_row(rows))
		return;
	out_cell(rows->ctx->out, FX_ROLE_NODE, "%s%s", rows->expression, path);
	cells_of(rows, tensor, &stats, &shape);
	if (stats.seen < stats.extent.count)
		out_note(rows->ctx->out,
			"%" PRIu64 " of %" PRIu64 " elements sampled; --by "
			"reads all",
			stats.seen, stats.extent.count);
}

/* The dimension that rows->by means: channels are the second, or the only. */
static struct fx_error *
find_dimension(const struct stats_rows *rows, const struct fx_extent *extent,
	uint32_t *ret)
{
	int64_t rank = extent->rank;
	int64_t number = rank > 1;

	if (strcmp(rows->by, "channel") != 0 &&
		!fx_number_parse_int(rows->by, strlen(rows->by), &number))
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "--by takes channel or a "
					     "dimension, not \"%s\"",
					     rows->by),
			"stats %s --by 0", rows->expression);
	if (number < -rank || number >= rank)
		return fx_error_new(FX_ERR_RANGE,
			"%s has %d dimension%s, no dimension %s",
			rows->expression, (int)rank, rank == 1 ? "" : "s",
			rows->by);
	*ret = (uint32_t)(number < 0 ? number + rank : number);
	return NULL;
}

/* Indices of a dimension whose statistics are kept at once. */
#define GROUP_LIMIT ((int64_t)1 << 20)

/* What is at one index has the shape without that dimension. */
static struct fx_value
shape_without(struct fx_arena *arena, const struct fx_extent *extent,
	uint32_t dimension)
{
	int64_t sizes[FX_RANK_LIMIT];
	uint32_t rank = 0;

	for (uint32_t i = 0; i < extent->rank; i++)
		if (i != dimension)
			sizes[rank++] = extent->sizes[i];
	return fx_tensor_meta_ints(arena, extent->dtype, sizes, rank);
}

static void
index_row(struct stats_rows *rows, const char *path, uint32_t dimension,
	int64_t index)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_addf(&text, "%s[", path);
	for (uint32_t i = 0; i < dimension; i++)
		fx_buf_add(&text, ":,");
	fx_buf_addf(&text, "%" PRId64 "]", index);
	out_cell(rows->ctx->out, FX_ROLE_NODE, "%s", fx_buf_text(&text));
}

static void
rows_by(struct stats_rows *rows, const char *path,
	const struct fx_datum *tensor)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_FREE struct fx_stats *stats = NULL;
	struct fx_extent extent;
	struct fx_value shape;
	uint32_t dimension = 0;
	int64_t count;

	rows->err = fx_extent_of(tensor, &extent);
	if (!rows->err)
		rows->err = find_dimension(rows, &extent, &dimension);
	if (rows->err)
		return;
	count = extent.sizes[dimension];
	if (count > GROUP_LIMIT) {
		rows->err = fx_error_new(FX_ERR_LIMIT,
			"dimension %" PRIu32 " has %" PRId64 " indices; at "
			"most %" PRId64 " can be told apart",
			dimension, count, GROUP_LIMIT);
		return;
	}
	shape = shape_without(arena, &extent, dimension);
	stats = fx_xcalloc((size_t)FX_MAX(count, 1), sizeof(*stats));
	rows->err =
		fx_stats_compute_by(tensor, dimension, &rows->ticker, stats);
	for (int64_t i = 0; !rows->err && i < count; i++) {
		if (!begin_row(rows))
			continue;
		index_row(rows, path, dimension, i);
		cells_of(rows, tensor, &stats[i], &shape);
	}
}

static bool
see_tensor(void *context, const char *path, const struct fx_datum *tensor)
{
	struct stats_rows *rows = context;

	rows->err = cmd_elements_check(tensor, rows->expression);
	if (!rows->err && rows->by)
		rows_by(rows, path, tensor);
	else if (!rows->err)
		whole_row(rows, path, tensor);
	return !rows->err;
}

struct fx_error *
cmd_stats_exec(struct cmd_ctx *ctx)
{
	struct stats_rows rows = {
		.ctx = ctx,
		.expression = cmd_elements_expression(ctx),
		.by = cmd_flag(ctx, "by"),
		.limit = cmd_row_limit(ctx),
	};
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err = cmd_evaluate(ctx, rows.expression, &datum);

	if (!err && !fx_datum_has_tensor(datum))
		err = cmd_elements_check(datum, rows.expression);
	if (err)
		return err;
	fx_ticker_init(&rows.ticker, ctx->front->tick, ctx->front->context);
	out_table_begin(ctx->out, "stats", FX_ARRAY_LEN(stats_keys),
		stats_keys);
	fx_datum_see_tensors(datum, see_tensor, &rows);
	if (rows.limit && rows.rows > rows.limit)
		out_table_more(ctx->out, rows.rows - rows.limit,
			"-m 0 shows all");
	out_table_end(ctx->out);
	return rows.err;
}
