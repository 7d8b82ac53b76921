/* view_values.c - what is known of the selected node's value; at the stop, of
 * the one that was computed last.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "commands/out/wrap.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/summary.h"
#include "run/tensor_text.h"
#include "run/ticker.h"
#include "run/values.h"
#include "session/node_text.h"
#include "session/position.h"
#include "ui/tui/tui_private.h"

enum {
	RUNNING_ELEMENTS = 100000,
	PARTS_MOST = 20, /* of a tuple, that are described */
};

/* fx_node_fact_fn */
static void
add_fact(void *context, const char *word, enum fx_role role, const char *value)
{
	struct tui_text *text = context;

	tui_text_addf(text, FX_ROLE_MUTED, "%-9s", word);
	tui_text_addf(text, role, "%s", value);
	tui_text_end_line(text);
}

/* A line that is too long is broken between words. */
static void
add_line(struct tui_text *text, const char *line, size_t length)
{
	struct out_layout layout = tui_text_layout(text);
	struct out_wrap wrap;

	out_wrap_init(&wrap, &layout, layout.width);
	wrap.hang = 0;
	wrap.layout.piece(&wrap, FX_ROLE_NUMBER, line, length);
	wrap.layout.line_end(&wrap);
	out_wrap_deinit(&wrap);
}

static void
add_lines(struct tui_text *text, const char *lines)
{
	while (*lines) {
		size_t length = strcspn(lines, "\n");

		add_line(text, lines, length);
		lines += length + (lines[length] == '\n');
	}
}

struct description {
	struct tui *tui;
	const struct fx_node *node;
	struct fx_ticker ticker;
	struct fx_buf *out;
	size_t left; /* tensors that are still shown */
};

/* Append the statistics of the part of a value at PATH.  An empty PATH is the
 * value itself, whose shape is printed above.
 */
static void
add_part(const struct description *to, const char *path,
	const struct fx_stats *stats)
{
	if (*path) {
		fx_buf_addf(to->out, "%%%s%s  ", to->node->name, path);
		fx_stats_print(to->out, stats,
			to->tui->lines == FX_LINES_ASCII);
	} else {
		fx_stats_print_facts(to->out, stats,
			to->tui->lines == FX_LINES_ASCII);
	}
	fx_buf_add_char(to->out, '\n');
}

/* Small enough to be looked through while something runs. */
static bool
is_small(const struct fx_datum *tensor)
{
	struct fx_extent extent;
	FX_AUTO_ERROR struct fx_error *err = fx_extent_of(tensor, &extent);

	return !err && extent.count <= RUNNING_ELEMENTS;
}

static void
add_range(struct description *to, const char *path,
	const struct fx_datum *tensor)
{
	struct fx_stats stats;
	FX_AUTO_ERROR struct fx_error *err =
		fx_stats_compute(tensor, &to->ticker, &stats);

	if (err)
		fx_buf_addf(to->out, "large: print %%%s%s tells its range\n",
			to->node->name, path);
	else
		add_part(to, path, &stats);
}

/* Append "min -1.2@[0,3] max ...", then the elements of TENSOR as PyTorch
 * prints them.  Returns false when enough tensors were described.
 */
static bool
describe_tensor(void *context, const char *path, const struct fx_datum *tensor)
{
	struct description *to = context;

	if (!fx_values_known(tensor))
		return true;
	if (!to->tui->is_running || is_small(tensor))
		add_range(to, path, tensor);
	fx_error_free(fx_tensor_text_within(to->out, tensor,
		(size_t)FX_MAX(to->tui->values.width, 1)));
	fx_buf_add_char(to->out, '\n');
	return --to->left > 0;
}

static void
describe(struct tui *tui, const struct fx_node *node, struct fx_datum *datum,
	struct fx_buf *out)
{
	struct tui_patience patience = tui_patience_begin(tui);
	struct fx_datum_printer printer = { .format = "", .limit = 100 };
	struct description to = {
		.tui = tui, .node = node, .out = out, .left = PARTS_MOST
	};

	fx_ticker_init(&to.ticker, tui_patience_is_over, &patience);
	fx_datum_see_tensors(datum, describe_tensor, &to);
	if (!out->length && datum->kind != FX_DATUM_TENSOR)
		fx_error_free(fx_datum_print(out, datum, &printer));
}

/* Append the statistics that remain of a value that was not kept. */
static void
describe_summary(struct tui *tui, const struct fx_node *node,
	const struct fx_summary *summary, struct fx_buf *out)
{
	const struct description to = { .tui = tui, .node = node, .out = out };

	for (size_t i = 0; i < summary->parts.count && i < PARTS_MOST; i++)
		add_part(&to, summary->parts.items[i].path,
			&summary->parts.items[i].stats);
	fx_buf_add(out, "not kept (record limit)");
}

bool
tui_value_is_kept(const struct tui *tui, const struct fx_datum *datum,
	const struct fx_summary *summary)
{
	const struct tui_value *shown = &tui->value;
	const struct fx_model *model = tui_model(tui);

	if (datum != shown->datum || summary != shown->summary ||
		tui->values.width != shown->columns ||
		(shown->in_passing && !tui->is_running))
		return false;
	return tui->is_running ||
	       (fx_position_executed(model) == shown->executed &&
		       fx_position_get(model) == shown->position);
}

void
tui_value_keep(struct tui *tui, struct fx_datum *datum,
	const struct fx_summary *summary)
{
	const struct fx_model *model = tui_model(tui);
	struct tui_value *shown = &tui->value;

	fx_datum_ref(datum);
	fx_datum_unref(shown->datum);
	shown->datum = datum;
	shown->summary = summary;
	shown->executed = fx_position_executed(model);
	shown->position = fx_position_get(model);
	shown->in_passing = tui->is_running;
	shown->columns = tui->values.width;
	fx_buf_clear(&shown->text);
}

static void
add_value(struct tui *tui, const struct fx_node *node)
{
	const struct fx_model *model = tui_model(tui);
	struct tui_value *shown = &tui->value;
	struct fx_datum *datum = fx_position_value(model, node);
	const struct fx_summary *summary = fx_position_summary(model, node);

	if (!datum && !summary)
		return;
	if (!tui_value_is_kept(tui, datum, summary) || !shown->text.length) {
		tui_value_keep(tui, datum, summary);
		if (datum)
			describe(tui, node, datum, &shown->text);
		else
			describe_summary(tui, node, summary, &shown->text);
	}
	add_lines(&tui->values, fx_buf_text(&shown->text));
}

const struct fx_node *
tui_value_node(struct tui *tui)
{
	const struct fx_node *node = tui_selected(tui);
	const struct fx_model *model = tui_model(tui);
	const struct fx_node *before;

	if (!node || node != fx_position_node(model))
		return node;
	before = fx_graph_previous(node);
	if (!before || !(fx_position_value(model, before) ||
			       fx_position_summary(model, before)))
		return node;
	return before;
}

/* Add a heading, one line, that names NODE, which is not the selected node. */
static void
add_heading(struct tui_text *text, const struct fx_node *node)
{
	int width = text->width;

	text->width = 0;
	tui_text_addf(text, FX_ROLE_NODE, "%s", node->name);
	tui_text_addf(text, FX_ROLE_NUMBER, "  @%zu",
		fx_graph_position(node->graph, node));
	tui_text_addf(text, FX_ROLE_MUTED, "  last result");
	tui_text_end_line(text);
	text->width = width;
}

/* --- the pane ------------------------------------------------------------ */

/* What is looked for first stands first: the pane may be low. */
static void
values_refresh(struct tui *tui, int columns)
{
	struct tui_text *text = &tui->values;
	const struct fx_node *node = tui_value_node(tui);
	const struct fx_model *model = tui_model(tui);
	const char *problem;

	text->width = columns;
	tui_show_anew(&tui->views[TUI_VIEW_VALUES], node, &tui->values_shown);
	if (tui_value_show_look(tui, node))
		return;
	tui_text_clear(text);
	tui_value_forget_look(tui);
	if (!node)
		return;
	if (node != tui_selected(tui))
		add_heading(text, node);
	fx_node_text_type(node, add_fact, text);
	add_value(tui, node);
	problem = fx_model_shape_problem(model, node);
	if (problem) {
		tui_text_addf(text, FX_ROLE_WARNING, "%s", problem);
		tui_text_end_line(text);
	}
	add_fact(text, "state", FX_ROLE_PLAIN,
		tui_state(tui, fx_model_state(model, node)));
	fx_node_text_tensor(node, add_fact, text);
}

static size_t
values_count(void *context)
{
	const struct tui *tui = context;

	return tui_text_count(&tui->values) +
	       (size_t)tui_picture_cells(&tui->value.picture,
		       &tui->value.made.pen);
}

/* Lines above the picture: in a low pane the legend stands below it. */
static size_t
lines_above(const struct tui *tui)
{
	size_t lines = tui_text_count(&tui->values);

	return tui_value_is_low(tui) ? FX_MIN(lines, 1) : lines;
}

static void
values_row(void *context, size_t index, const struct fx_area *area)
{
	const struct tui *tui = context;
	const struct tui_value *value = &tui->value;
	const struct tui_pen *pen = &value->made.pen;
	size_t above = lines_above(tui);
	size_t cells = (size_t)tui_picture_cells(&value->picture, pen);

	if (index >= above && index - above < cells)
		tui_picture_paint(&value->picture, pen, (int)(index - above),
			area);
	else
		tui_text_paint(&tui->values,
			index < above ? index : index - cells, area, 0, 0);
}

static bool
values_has(void *context, size_t index, const char *words)
{
	const struct tui *tui = context;
	size_t above = lines_above(tui);
	size_t cells = (size_t)tui_picture_cells(&tui->value.picture,
		&tui->value.made.pen);

	if (index >= above && index - above < cells)
		return false;
	return tui_text_has(&tui->values, index < above ? index : index - cells,
		words);
}

static void
values_deinit(struct tui *tui)
{
	fx_datum_unref(tui->value.datum);
	fx_buf_deinit(&tui->value.text);
	tui_picture_deinit(&tui->value.picture);
	tui_text_deinit(&tui->values);
}

void
tui_values_init(struct tui *tui)
{
	struct tui_view *view = &tui->views[TUI_VIEW_VALUES];

	view->deinit = values_deinit;
	view->refresh = values_refresh;
	view->source = (struct tui_source){ .context = tui,
		.count = values_count,
		.row = values_row,
		.has = values_has };
}
