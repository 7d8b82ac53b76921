/* value_axis.c - a tensor by the indices of a dimension: mean, least and
 * greatest of each, with as many digits as the pane has room for.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "run/stats.h"
#include "ui/tui/value_modes.h"

enum {
	AXIS_LEAST = 8, /* of a number, so that there is a mean */
	AXIS_ODD = 60,  /* where NaN are counted behind the numbers */
};

#define AXIS_ROWS  ((int64_t)1000)
#define AXIS_LIMIT ((int64_t)100000) /* indices that are told apart */

void
tui_value_say_error(const struct tui_value_look *look, struct fx_error *err)
{
	tui_text_addf(look->text, FX_ROLE_WARNING, "%s",
		fx_error_code(err) == FX_ERR_INTERRUPTED
			? "too large to be looked through in passing"
			: fx_error_message(err));
	tui_text_end_line(look->text);
	fx_error_free(err);
}

/* Columns of the index, then of each number. */
struct axis_table {
	int index;
	int number;
	bool has_mean;
};

static struct axis_table
axis_table_of(const struct tui_value_look *look)
{
	struct axis_table table = { .index = look->columns < 30 ? 4 : 6 };
	int room = look->columns - table.index;

	table.has_mean = room >= 3 * AXIS_LEAST;
	table.number = FX_MAX(FX_MIN(room / (table.has_mean ? 3 : 2), 11), 7);
	return table;
}

/* NUMBER with as many digits as fit behind a blank. */
static void
axis_number(const struct tui_value_look *look, const struct axis_table *table,
	double number)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	int digits = 4;

	do {
		fx_buf_clear(&text);
		fx_buf_addf(&text, "%.*g", digits, number);
	} while ((int)text.length >= table->number && digits-- > 1);
	tui_text_addf(look->text, FX_ROLE_PLAIN, "%*s", table->number,
		fx_buf_text(&text));
}

static void
axis_row(const struct tui_value_look *look, const struct axis_table *table,
	int64_t index, const struct fx_stats *stats)
{
	bool is_odd = stats->nan || stats->plus_inf || stats->minus_inf;

	tui_text_addf(look->text, FX_ROLE_NUMBER, "%*" PRId64, table->index,
		index);
	if (stats->finite && table->has_mean)
		axis_number(look, table, stats->mean);
	if (stats->finite) {
		axis_number(look, table, stats->min);
		axis_number(look, table, stats->max);
	}
	if (is_odd && stats->finite && look->columns < AXIS_ODD) {
		tui_text_end_line(look->text);
		tui_text_addf(look->text, FX_ROLE_PLAIN, "%*s", table->index,
			"");
	}
	if (is_odd)
		tui_text_addf(look->text, FX_ROLE_NONFINITE,
			"  nan %" PRIu64 " inf %" PRIu64, stats->nan,
			stats->plus_inf + stats->minus_inf);
	tui_text_end_line(look->text);
}

static void
axis_heading(const struct tui_value_look *look, const struct axis_table *table)
{
	static const char *const words[] = { "mean", "min", "max" };

	tui_text_addf(look->text, FX_ROLE_HEAD, "%*s", table->index,
		table->index < 6 ? "" : "index");
	for (size_t i = !table->has_mean; i < FX_ARRAY_LEN(words); i++)
		tui_text_addf(look->text, FX_ROLE_HEAD, "%*s", table->number,
			words[i]);
	tui_text_end_line(look->text);
}

void
tui_value_build_axis(const struct tui_value_look *look)
{
	uint32_t axis = look->axis % look->extent.rank;
	int64_t count = look->extent.sizes[axis];
	struct axis_table table = axis_table_of(look);
	FX_AUTO_FREE struct fx_stats *stats = NULL;
	struct fx_error *err;

	tui_text_addf(look->text, FX_ROLE_NODE, "%%%s", look->name);
	if (look->columns < AXIS_ODD && !look->is_low)
		tui_text_end_line(look->text);
	tui_text_addf(look->text, FX_ROLE_MUTED,
		"  dimension %" PRIu32 " of %" PRIu32 ", %" PRId64, axis,
		look->extent.rank, count);
	tui_text_end_line(look->text);
	stats = fx_xcalloc((size_t)FX_MIN(count, AXIS_LIMIT), sizeof(*stats));
	err = count > AXIS_LIMIT
		      ? fx_error_new(FX_ERR_LIMIT, "too many to list")
		      : fx_stats_compute_by(look->tensor, axis, look->ticker,
				stats);
	if (err) {
		tui_value_say_error(look, err);
		return;
	}
	axis_heading(look, &table);
	for (int64_t i = 0; i < FX_MIN(count, AXIS_ROWS); i++)
		axis_row(look, &table, i, &stats[i]);
}
