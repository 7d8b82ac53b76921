/* elements.c - the tensor that an expression gives, and cells about it. */
#include <config.h>

#include "commands/verbs/elements.h"

#include "base/buf.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "meta/promote.h"
#include "run/datum.h"
#include "run/stats.h"
#include "session/settings.h"

const char *
cmd_elements_expression(const struct cmd_ctx *ctx)
{
	const char *expression = cmd_arg_text(ctx, "expression");

	return expression ? expression : "$";
}

struct fx_error *
cmd_elements_check(const struct fx_datum *datum, const char *expression)
{
	if (datum->kind != FX_DATUM_TENSOR &&
		!fx_datum_is(datum, FX_VALUE_UNKNOWN))
		return fx_error_new(FX_ERR_TYPE, "%s is no tensor but %s",
			expression, fx_datum_kind_name(datum));
	if (datum->kind == FX_DATUM_TENSOR && fx_values_known(datum))
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NOT_KNOWN,
				     "the values of %s are not known",
				     expression),
		"print/s tells its shape; fxdb --doctor says what computes "
		"values");
}

struct fx_error *
cmd_elements_of(struct cmd_ctx *ctx, const char *expression,
	struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err = cmd_evaluate(ctx, expression, &datum);

	if (!err)
		err = cmd_elements_check(datum, expression);
	if (!err)
		*ret = FX_TAKE(datum);
	return err;
}

/* --- cells --- */

static void
cell_place(struct out *out, const struct fx_extent *extent, uint64_t index)
{
	int64_t at[FX_RANK_LIMIT];

	fx_extent_unravel(extent, index, at);
	cmd_cell_sizes(out, at, extent->rank);
}

void
cmd_cell_element(struct out *out, const struct fx_datum *tensor,
	enum fx_dtype dtype, uint64_t index)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	char bytes[16] = { 0 };
	FX_AUTO_ERROR struct fx_error *err =
		fx_values_read(tensor, index, 1, bytes);
	double real;

	if (err) {
		out_cell_none(out, "");
		return;
	}
	fx_elements_decode(dtype, bytes, 1, &real, NULL);
	fx_element_print(&text, dtype, bytes, 0);
	if (dtype == FX_DTYPE_BOOL)
		out_cell(out, FX_ROLE_NUMBER, "%s", fx_buf_text(&text));
	else if (fx_dtype_is_integer(dtype) && real < 0x1p63)
		out_cell_int(out, FX_ROLE_NUMBER,
			fx_element_int(dtype, bytes, 0));
	else if (fx_dtype_is_complex(dtype))
		out_cell(out, FX_ROLE_NUMBER, "%s", fx_buf_text(&text));
	else
		out_cell_double(out, FX_ROLE_NUMBER, real);
}

void
cmd_cell_statistic(struct out *out, const struct fx_datum *tensor,
	const struct fx_stats *stats, const struct fx_statistic *statistic)
{
	struct fx_statistic_value value = { 0 };
	enum fx_dtype dtype = stats->extent.dtype;

	if (!statistic->get(stats, &value))
		out_cell_none(out, "");
	else if (statistic->kind == FX_STATISTIC_COUNT)
		out_cell_int(out, FX_ROLE_NUMBER, (int64_t)value.number);
	else if (statistic->kind == FX_STATISTIC_PLACE)
		cell_place(out, &stats->extent, value.place);
	else if (statistic->kind == FX_STATISTIC_ELEMENT &&
		 fx_dtype_is_integer(dtype) && dtype != FX_DTYPE_BOOL)
		cmd_cell_element(out, tensor, dtype, value.place);
	else
		out_cell_double(out, FX_ROLE_NUMBER, value.real);
}

/* Bars of whole, half or ASCII characters. */
#define BAR_LENGTH 40

void
cmd_cell_bar(struct cmd_ctx *ctx, uint64_t count, uint64_t most)
{
	bool is_ascii = fx_settings_int(ctx->shell->settings, FX_SET_ASCII);
	double length = most ? (double)count / (double)most * BAR_LENGTH : 0;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	double left = length;

	for (; left >= 1; left--)
		fx_buf_add(&text, is_ascii ? "#" : "\u2588");
	if (left > 0 && (!is_ascii || length < 1))
		fx_buf_add(&text, is_ascii     ? "."
				  : left < 0.5 ? "\u258f"
					       : "\u258c");
	out_cell(ctx->out, FX_ROLE_MUTED, "%s", fx_buf_text(&text));
}
