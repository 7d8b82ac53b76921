/* spread.c - hist and freq: how the elements of a tensor are spread. */
#include <config.h>

#include <inttypes.h>

#include "commands/out/out.h"
#include "commands/shell/front.h"
#include "commands/shell/groups.h"
#include "commands/verbs/elements.h"
#include "commands/verbs/show.h"
#include "meta/promote.h"
#include "run/datum.h"
#include "run/distribution.h"
#include "run/stats.h"
#include "run/ticker.h"

/* --- hist ---------------------------------------------------------------- */

static void
say_histogram(struct cmd_ctx *ctx, const struct fx_histogram *histogram)
{
	static const char *const keys[] = { "from", "to", "count", "1bar" };
	size_t limit = cmd_row_limit(ctx);
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < histogram->bins; i++)
		most = FX_MAX(most, histogram->counts[i]);
	out_table_begin(ctx->out, "histogram", FX_ARRAY_LEN(keys), keys);
	for (i = 0; i < histogram->bins && (!limit || i < limit); i++) {
		out_cell_double(ctx->out, FX_ROLE_NUMBER, histogram->edges[i]);
		out_cell_double(ctx->out, FX_ROLE_NUMBER,
			histogram->edges[i + 1]);
		out_cell_int(ctx->out, FX_ROLE_NUMBER,
			(int64_t)histogram->counts[i]);
		cmd_cell_bar(ctx, histogram->counts[i], most);
	}
	if (i < histogram->bins)
		out_table_more(ctx->out, histogram->bins - i, "-m 0 shows all");
	out_table_end(ctx->out);
}

struct fx_error *
cmd_hist_exec(struct cmd_ctx *ctx)
{
	int64_t bins = cmd_flag_int(ctx, "bins", FX_STATS_BINS);
	FX_AUTO_DATUM struct fx_datum *tensor = NULL;
	FX_AUTO_HISTOGRAM struct fx_histogram histogram = { 0 };
	struct fx_ticker ticker;
	struct fx_error *err;

	if (bins < 1 || bins > (int64_t)FX_HISTOGRAM_LIMIT)
		return fx_error_new(FX_ERR_RANGE,
			"--bins is from 1 to %zu, not %" PRId64,
			FX_HISTOGRAM_LIMIT, bins);
	err = cmd_elements_of(ctx, cmd_elements_expression(ctx), &tensor);
	if (err)
		return err;
	fx_ticker_init(&ticker, ctx->front->tick, ctx->front->context);
	err = fx_histogram_compute(tensor, (size_t)bins, &ticker, &histogram);
	if (err)
		return err;
	out_value_int(ctx->out, "finite", (int64_t)histogram.finite);
	out_value_int(ctx->out, "left_out", (int64_t)histogram.left_out);
	if (histogram.finite)
		say_histogram(ctx, &histogram);
	else
		out_line(ctx->out, FX_ROLE_PLAIN, "No finite elements.");
	if (histogram.left_out)
		out_line(ctx->out, FX_ROLE_WARNING,
			"%" PRIu64 " NaN or infinite elements are in no bin.",
			histogram.left_out);
	return NULL;
}

/* --- freq ---------------------------------------------------------------- */

/* Digits behind the point that doubles have. */
#define DIGITS_LIMIT 15

static void
cell_value(struct cmd_ctx *ctx, const struct fx_datum *tensor,
	const struct fx_frequencies *frequencies,
	const struct fx_frequency *one)
{
	enum fx_dtype dtype = frequencies->extent.dtype;

	if (fx_dtype_is_integer(dtype) || cmd_flag(ctx, "round") == NULL)
		cmd_cell_element(ctx->out, tensor, dtype, one->first);
	else if (fx_dtype_is_complex(dtype))
		out_cell(ctx->out, FX_ROLE_NUMBER, "(%g%+gj)", one->real,
			one->imag);
	else
		out_cell_double(ctx->out, FX_ROLE_NUMBER, one->real);
}

static void
say_frequencies(struct cmd_ctx *ctx, const struct fx_datum *tensor,
	const struct fx_frequencies *frequencies)
{
	static const char *const keys[] = { "value", "count", "share", "1bar" };
	size_t limit = cmd_element_limit(ctx);
	size_t count = frequencies->list.count;
	size_t i;

	out_table_begin(ctx->out, "frequencies", FX_ARRAY_LEN(keys), keys);
	for (i = 0; i < count && (!limit || i < limit) && out_more(ctx->out);
		i++) {
		const struct fx_frequency *one = &frequencies->list.items[i];

		cell_value(ctx, tensor, frequencies, one);
		out_cell_int(ctx->out, FX_ROLE_NUMBER, (int64_t)one->count);
		out_cell_double(ctx->out, FX_ROLE_NUMBER,
			(double)one->count / (double)frequencies->extent.count);
		cmd_cell_bar(ctx, one->count, frequencies->list.items->count);
	}
	if (i < count)
		out_table_more(ctx->out, count - i, "-m 0 shows all");
	out_table_end(ctx->out);
}

struct fx_error *
cmd_freq_exec(struct cmd_ctx *ctx)
{
	int64_t digits = cmd_flag_int(ctx, "round", -1);
	FX_AUTO_DATUM struct fx_datum *tensor = NULL;
	FX_AUTO_FREQUENCIES struct fx_frequencies frequencies = { 0 };
	struct fx_ticker ticker;
	struct fx_error *err;

	if (digits > DIGITS_LIMIT)
		return fx_error_new(FX_ERR_RANGE,
			"--round is from 0 to %d digits, not %" PRId64,
			DIGITS_LIMIT, digits);
	err = cmd_elements_of(ctx, cmd_elements_expression(ctx), &tensor);
	if (err)
		return err;
	fx_ticker_init(&ticker, ctx->front->tick, ctx->front->context);
	err = fx_frequencies_compute(tensor, (int)digits, &ticker,
		&frequencies);
	if (err)
		return fx_error_code(err) == FX_ERR_LIMIT
			       ? fx_error_hint(err, "freq %s --round 2",
					 cmd_elements_expression(ctx))
			       : err;
	out_value_int(ctx->out, "different", (int64_t)frequencies.list.count);
	if (frequencies.list.count)
		say_frequencies(ctx, tensor, &frequencies);
	else
		out_line(ctx->out, FX_ROLE_PLAIN, "No elements.");
	return NULL;
}
