/* cmd_tensor.c - tensors that are shown, as rows of numbers beside the text. */
#include <config.h>

#include "commands/cmd_tensor.h"

#include "base/arena.h"
#include "commands/cmd_show.h"
#include "commands/out.h"
#include "run/datum.h"
#include "run/hooks.h"

void
cmd_tensors_deinit(struct cmd_tensors *tensors)
{
	for (size_t i = 0; i < tensors->list.count; i++)
		fx_datum_unref(tensors->list.items[i].datum);
	fx_vec_deinit(&tensors->list);
}

static void
add_tensor(void *context, const struct fx_datum *tensor,
	const struct fx_stats *stats)
{
	struct cmd_tensors *tensors = context;
	struct cmd_tensor one = {
		.datum = fx_datum_ref((struct fx_datum *)tensor),
		.is_known = stats != NULL,
	};

	if (stats)
		one.stats = *stats;
	fx_vec_push(&tensors->list, one);
}

struct fx_error *
cmd_print_tensors(struct cmd_ctx *ctx, const struct fx_datum *datum,
	struct fx_buf *text, struct cmd_tensors *tensors)
{
	struct fx_ticker ticker;
	struct fx_datum_printer printer = cmd_datum_printer(ctx, &ticker);

	printer.format = ctx->format;
	printer.tensor = add_tensor;
	printer.tensor_context = tensors;
	return fx_datum_print(text, datum, &printer);
}

/* An element's place; nothing when IS_NONE. */
static void
cell_place(struct out *out, const struct fx_stats *stats, uint64_t index,
	bool is_none)
{
	int64_t at[FX_VALUES_RANK_LIMIT];

	if (is_none) {
		out_cell_none(out, "");
		return;
	}
	fx_extent_unravel(&stats->extent, index, at);
	cmd_cell_sizes(out, at, stats->extent.rank);
}

static void
cell_number(struct out *out, double number, bool is_none)
{
	if (is_none)
		out_cell_none(out, "");
	else
		out_cell_double(out, FX_ROLE_NUMBER, number);
}

static void
cells_of_stats(struct out *out, const struct fx_stats *stats)
{
	bool none = stats->nan == stats->seen;
	uint64_t infinite = stats->plus_inf + stats->minus_inf;
	int64_t bins[FX_STATS_BINS];

	out_cell_int(out, FX_ROLE_NUMBER, (int64_t)stats->extent.count);
	out_cell_int(out, FX_ROLE_NUMBER, (int64_t)stats->seen);
	cell_number(out, stats->min, none);
	cell_place(out, stats, stats->min_index, none);
	cell_number(out, stats->max, none);
	cell_place(out, stats, stats->max_index, none);
	cell_number(out, stats->mean, !stats->finite);
	cell_number(out, stats->std, !stats->finite);
	out_cell_int(out, FX_ROLE_NUMBER, (int64_t)stats->nonzero);
	out_cell_int(out, FX_ROLE_NUMBER, (int64_t)stats->nan);
	cell_place(out, stats, stats->nan_index, !stats->nan);
	out_cell_int(out, FX_ROLE_NUMBER, (int64_t)infinite);
	cell_place(out, stats, stats->inf_index, !infinite);
	for (size_t i = 0; i < FX_STATS_BINS; i++)
		bins[i] = (int64_t)stats->bins[i];
	cmd_cell_sizes(out, bins, FX_STATS_BINS);
}

static void
cells_of(struct out *out, const struct cmd_tensor *tensor, size_t columns)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value meta = fx_datum_to_value(arena, tensor->datum);

	cmd_cell_dtype(out, &meta);
	cmd_cell_shape(out, &meta);
	if (tensor->is_known) {
		cells_of_stats(out, &tensor->stats);
		return;
	}
	for (size_t i = 2; i < columns; i++)
		out_cell_none(out, "");
}

void
cmd_say_tensors(struct out *out, const struct cmd_tensors *tensors)
{
	/* All of it is in the text already. */
	static const char *const keys[] = { "~dtype", "~shape", "~elements",
		"~seen", "~min", "~min_index", "~max", "~max_index", "~mean",
		"~std", "~nonzero", "~nan", "~nan_index", "~inf", "~inf_index",
		"~bins" };

	if (!tensors->list.count)
		return;
	out_table_begin(out, "tensors", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < tensors->list.count; i++)
		cells_of(out, &tensors->list.items[i], FX_ARRAY_LEN(keys));
	out_table_end(out);
}
