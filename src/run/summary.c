/* summary.c - the tensors in a value, and statistics of them all. */
#include <config.h>

#include "run/summary.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ir/value_text.h"
#include "run/datum.h"

struct walk {
	fx_part_fn *see;
	void *context;
	struct fx_buf path;
	int depth;
};

static bool see_value(struct walk *walk, const struct fx_value *value);

/* How item INDEX of VALUE is written behind it. */
static void
add_step(struct walk *walk, const struct fx_value *value, size_t index)
{
	fx_buf_add_char(&walk->path, '[');
	if (value->kind == FX_VALUE_DICT)
		fx_value_print_as(&walk->path, &value->items[2 * index],
			FX_STYLE_CODE);
	else
		fx_buf_add_int(&walk->path, (int64_t)index);
	fx_buf_add_char(&walk->path, ']');
}

static bool
see_items(struct walk *walk, const struct fx_value *value)
{
	bool is_dict = value->kind == FX_VALUE_DICT;
	size_t count = fx_value_item_count(value) / (is_dict ? 2 : 1);
	size_t first = value->kind == FX_VALUE_NAMEDTUPLE;
	size_t length = walk->path.length;
	bool goes_on = true;

	for (size_t i = first; i < count && goes_on; i++) {
		add_step(walk, value, i - first);
		goes_on =
			see_value(walk, &value->items[is_dict ? 2 * i + 1 : i]);
		fx_buf_truncate(&walk->path, length);
	}
	return goes_on;
}

static bool
see_value(struct walk *walk, const struct fx_value *value)
{
	const struct fx_datum *held = fx_datum_held(value);
	bool goes_on;

	if (held)
		return held->kind != FX_DATUM_TENSOR ||
		       walk->see(walk->context, fx_buf_text(&walk->path), held);
	/* This only guards the stack. */
	if (walk->depth > FX_DATUM_DEPTH_LIMIT)
		return true;
	walk->depth++;
	goes_on = see_items(walk, value);
	walk->depth--;
	return goes_on;
}

void
fx_datum_see_tensors(const struct fx_datum *datum, fx_part_fn *see,
	void *context)
{
	struct walk walk = { .see = see, .context = context };

	if (datum->has_held)
		see_value(&walk, &datum->value);
	fx_buf_deinit(&walk.path);
}

/* --- summaries ----------------------------------------------------------- */

struct making {
	struct fx_summary *summary;
	struct fx_ticker *ticker;
	bool is_sample;
	bool failed;
};

static bool
add_part(void *context, const char *path, const struct fx_datum *tensor)
{
	struct making *making = context;
	struct fx_summary_part part;
	FX_AUTO_ERROR struct fx_error *err =
		making->is_sample
			? fx_stats_sample(tensor, &part.stats)
			: fx_stats_compute(tensor, making->ticker, &part.stats);

	making->failed = err != NULL;
	if (err)
		return false;
	part.path = fx_xstrdup(path);
	fx_vec_push(&making->summary->parts, part);
	return true;
}

static struct fx_summary *
summary_new(const struct fx_datum *datum, struct fx_ticker *ticker,
	bool is_sample)
{
	struct making making = {
		.summary = FX_NEW(struct fx_summary),
		.ticker = ticker,
		.is_sample = is_sample,
	};

	fx_datum_see_tensors(datum, add_part, &making);
	if (!making.failed && making.summary->parts.count)
		return making.summary;
	fx_summary_free(making.summary);
	return NULL;
}

struct fx_summary *
fx_summary_new(const struct fx_datum *datum, struct fx_ticker *ticker)
{
	return summary_new(datum, ticker, false);
}

struct fx_summary *
fx_summary_new_sample(const struct fx_datum *datum)
{
	return summary_new(datum, NULL, true);
}

struct fx_summary *
fx_summary_dup(const struct fx_summary *summary)
{
	struct fx_summary *copy = FX_NEW(struct fx_summary);

	for (size_t i = 0; i < summary->parts.count; i++) {
		struct fx_summary_part part = summary->parts.items[i];

		part.path = fx_xstrdup(part.path);
		fx_vec_push(&copy->parts, part);
	}
	return copy;
}

void
fx_summary_free(struct fx_summary *summary)
{
	if (!summary)
		return;
	for (size_t i = 0; i < summary->parts.count; i++)
		free(summary->parts.items[i].path);
	fx_vec_deinit(&summary->parts);
	free(summary);
}

bool
fx_summary_is_nonfinite(const struct fx_summary *summary)
{
	for (size_t i = 0; i < summary->parts.count; i++) {
		const struct fx_stats *stats = &summary->parts.items[i].stats;

		if (stats->finite < stats->seen)
			return true;
	}
	return false;
}
