/* graph_facts.c - what a row of the graph pane says of its node between the
 * name and the shape, as far as there is room:
 *
 *	conv1   Conv2d 64 -> 128 3x3 ...   73.7 k  .:=@*:.   [1,128,28,28]
 *
 * A histogram first, then the parameters, then class and configuration.
 */
#include <config.h>

#include "base/buf.h"
#include "base/number.h"
#include "base/utf8.h"
#include "run/datum.h"
#include "run/sketch.h"
#include "session/brief.h"
#include "session/position.h"
#include "ui/tui/tui_private.h"

enum {
	GAP = 2,
	COUNT_COLUMNS = 7,  /* "11.69 M" */
	SHAPE_COLUMNS = 17, /* what shapes take: histograms stand in a column */
	TEXT_LEAST = 12,
	PANE_LEAST = 56, /* narrower ones have names and shapes */
};

/* TEXT up to the last word that ends within COLUMNS. */
static void
cut_words(struct fx_buf *text, int columns)
{
	const char *whole = fx_buf_text(text);
	size_t fit = fx_utf8_fit(whole, text->length, (size_t)columns);

	while (fit < text->length && fit && whole[fit] != ' ')
		fit--;
	fx_buf_truncate(text, fit);
}

static void
paint_sketch(struct tui *tui, const struct fx_node *node,
	const struct fx_area *area, int column)
{
	const struct fx_datum *datum = fx_position_value(tui_model(tui), node);
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (datum && datum->kind == FX_DATUM_TENSOR &&
		fx_sketch_print(&text, datum, tui->lines == FX_LINES_ASCII))
		fx_area_text(area, 0, column, FX_LOOK(NUMBER),
			fx_buf_text(&text));
}

/* With its end before column END. */
static void
paint_count(uint64_t count, const struct fx_area *area, int end)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_number_add_count(&text, count);
	fx_area_text(area, 0, end - (int)text.length, FX_LOOK(MUTED),
		fx_buf_text(&text));
}

void
tui_graph_paint_facts(struct tui *tui, const struct fx_node *node,
	const struct fx_area *area, int from, int end)
{
	const struct fx_model *model = tui_model(tui);
	/* Before anything ran there is nothing to leave room for. */
	bool has_values =
		fx_position_is_started(model) && fx_model_has_values(model);
	bool has_columns = false;
	int shape = end - GAP;
	FX_AUTO_BUF struct fx_buf what = { 0 };
	struct fx_area part;
	uint64_t count;
	int least;

	from += GAP;
	end = FX_MIN(end, area->columns - SHAPE_COLUMNS) - GAP;
	if (area->columns < PANE_LEAST)
		return;
	fx_brief_print(&what, node, tui->lines == FX_LINES_ASCII);
	/* What is short needs no more than it is long. */
	least = FX_MIN(TEXT_LEAST,
		(int)fx_utf8_text_width(fx_buf_text(&what), what.length));
	if (has_values && end - FX_SKETCH_COLUMNS - least >= from) {
		end -= FX_SKETCH_COLUMNS;
		paint_sketch(tui, node, area, end);
		end -= GAP;
		has_columns = true;
	}
	count = fx_brief_parameters(node);
	/* Where there is no room for the one there is none for the other. */
	if (has_columns == has_values && count &&
		end - COUNT_COLUMNS - least >= from) {
		paint_count(count, area, end);
		end -= COUNT_COLUMNS + GAP;
		has_columns = true;
	}
	/* Columns are for what stands in them. */
	if (!has_columns)
		end = shape;
	if (end - from < least)
		return;
	cut_words(&what, end - from);
	part = fx_area_part(area, 0, from, 1, end - from);
	fx_area_text(&part, 0, 0, FX_LOOK(TARGET), fx_buf_text(&what));
}
