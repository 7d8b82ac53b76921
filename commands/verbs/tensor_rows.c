/* tensor_rows.c - tensors that are shown, as rows of numbers beside the
 * text. */
#include <config.h>

#include "commands/verbs/tensor_rows.h"

#include "base/arena.h"
#include "base/buf.h"
#include "commands/out/out.h"
#include "commands/shell/front.h"
#include "commands/verbs/elements.h"
#include "commands/verbs/show.h"
#include "ir/node.h"
#include "run/datum.h"
#include "run/summary.h"
#include "run/ticker.h"
#include "session/position.h"
#include "session/session.h"
#include "session/settings.h"

/* Most elements of a tuple that are shown where nothing limits them. */
#define ELEMENT_ROWS ((size_t)20)

void
cmd_tensor_rows_deinit(struct cmd_tensor_rows *tensors)
{
	for (size_t i = 0; i < tensors->list.count; i++)
		fx_datum_unref(tensors->list.items[i].datum);
	fx_vec_deinit(&tensors->list);
}

static void
add_tensor(void *context, const struct fx_datum *tensor,
	const struct fx_stats *stats)
{
	struct cmd_tensor_rows *tensors = context;
	struct cmd_tensor_row one = {
		.datum = fx_datum_ref((struct fx_datum *)tensor),
		.is_known = stats != NULL,
	};

	if (stats)
		one.stats = *stats;
	fx_vec_push(&tensors->list, one);
}

struct fx_error *
cmd_print_tensors(struct cmd_ctx *ctx, const struct fx_datum *datum,
	struct fx_buf *text, struct cmd_tensor_rows *tensors)
{
	struct fx_ticker ticker;
	struct fx_datum_printer printer = cmd_datum_printer(ctx, &ticker);

	printer.format = ctx->format;
	printer.tensor = add_tensor;
	printer.tensor_context = tensors;
	return fx_datum_print(text, datum, &printer);
}

static void
cell_bins(struct out *out, const struct fx_stats *stats)
{
	int64_t bins[FX_STATS_BINS];

	for (size_t i = 0; i < FX_STATS_BINS; i++)
		bins[i] = (int64_t)stats->bins[i];
	cmd_cell_sizes(out, bins, FX_STATS_BINS);
}

static void
cells_of(struct out *out, const struct cmd_tensor_row *tensor, size_t columns)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value meta = fx_datum_to_value(arena, tensor->datum);

	cmd_cell_dtype(out, &meta);
	cmd_cell_shape(out, &meta);
	for (size_t i = 2; i < columns; i++) {
		const struct fx_statistic *one = fx_statistic_at(i - 2);

		if (!tensor->is_known)
			out_cell_none(out, "");
		else if (one)
			cmd_cell_statistic(out, tensor->datum, &tensor->stats,
				one);
		else
			cell_bins(out, &tensor->stats);
	}
}

void
cmd_say_tensors(struct out *out, const struct cmd_tensor_rows *tensors)
{
	/* All of it is in the text already. */
	static const char *const keys[] = { "~dtype", "~shape",
#define FX_STATISTIC(key, kind, detail, function, help) "~" key,
#include "run/statistics.def"
		"~bins" };

	if (!tensors->list.count)
		return;
	out_table_begin(out, "tensors", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < tensors->list.count; i++)
		cells_of(out, &tensors->list.items[i], FX_ARRAY_LEN(keys));
	out_table_end(out);
}

/* --- what is known of a node's value ------------------------------------- */

void
cmd_known_deinit(struct cmd_known *known)
{
	fx_summary_free(known->made);
}

struct cmd_known
cmd_known_of(struct cmd_ctx *ctx, const struct fx_node *node)
{
	const struct fx_datum *datum = fx_position_value(ctx->model, node);
	struct cmd_known known = {
		.summary = fx_position_summary(ctx->model, node),
	};
	struct fx_ticker ticker;

	fx_ticker_init(&ticker, ctx->front->tick, ctx->front->context);
	if (datum && !known.summary)
		known.summary = known.made = fx_summary_new(datum, &ticker);
	return known;
}

void
cmd_say_writer(struct cmd_ctx *ctx, const struct fx_node *node)
{
	const struct fx_node *writer = fx_position_writer(ctx->model, node);

	if (writer)
		out_note(ctx->out,
			"%%%s wrote into it in place; goto %s goes back to "
			"what it was",
			writer->name, writer->name);
}

static void
add_facts(struct cmd_ctx *ctx, struct fx_buf *text,
	const struct fx_stats *stats)
{
	fx_stats_print_facts(text, stats,
		fx_settings_int(fx_session_settings(ctx->session),
			FX_SET_ASCII));
}

void
cmd_say_known(struct cmd_ctx *ctx, const struct cmd_known *known)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_summary *summary = known->summary;

	if (!summary)
		return;
	if (*summary->parts.items[0].path)
		cmd_add_count(&text, summary->parts.count, "tensor");
	else
		add_facts(ctx, &text, &summary->parts.items[0].stats);
	out_field(ctx->out, "value", FX_ROLE_PLAIN, "%s%s", fx_buf_text(&text),
		known->made ? "" : " (not kept: print computes it again)");
}

void
cmd_say_elements(struct cmd_ctx *ctx, const struct fx_node *node,
	const struct cmd_known *known)
{
	const struct fx_summary *summary = known->summary;
	static const char *const keys[] = { "element", "shape", "value" };
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	size_t limit = cmd_row_limit(ctx);
	size_t count = summary ? summary->parts.count : 0;

	if (!count || !*summary->parts.items[0].path)
		return;
	count = FX_MIN(count, limit ? limit : ELEMENT_ROWS);
	out_table_begin(ctx->out, "elements", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < count; i++) {
		const struct fx_summary_part *part = &summary->parts.items[i];
		const struct fx_extent *extent = &part->stats.extent;
		struct fx_value meta = fx_tensor_meta_ints(arena, extent->dtype,
			extent->sizes, extent->rank);
		FX_AUTO_BUF struct fx_buf text = { 0 };

		out_cell(ctx->out, FX_ROLE_NODE, "%%%s%s", node->name,
			part->path);
		cmd_cell_shape(ctx->out, &meta);
		add_facts(ctx, &text, &part->stats);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
	}
	if (count < summary->parts.count)
		out_table_more(ctx->out, summary->parts.count - count,
			"print shows more");
	out_table_end(ctx->out);
}
