/* view_code.c - the generated Python, with the stop and the selected node. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "emit/python.h"
#include "session/position.h"
#include "session/settings.h"
#include "ui/tui/tui_private.h"

/* Lines from TEXT but for the empty ones that torch.fx begins with, and for
 * each node the line on which it begins.
 */
static void
take_lines(struct tui_code *code, const char *text,
	const struct fx_emit_ranges *ranges)
{
	size_t node = 0;
	size_t line = 0;

	tui_text_clear(&code->text);
	fx_vec_clear(&code->line_of);
	for (const char *at = text + strspn(text, "\n"); *at; line++) {
		size_t length = strcspn(at, "\n");
		size_t end = (size_t)(at - text) + length;

		tui_text_add(&code->text,
			*(at + strspn(at, " ")) == '#' ? FX_ROLE_COMMENT
						       : FX_ROLE_PLAIN,
			at, length);
		tui_text_end_line(&code->text);
		while (node < ranges->count &&
			ranges->items[node].begin <= end) {
			fx_vec_push(&code->line_of, line);
			node++;
		}
		at += length + (at[length] == '\n');
	}
}

static void
make_code(struct tui *tui, struct fx_graph *graph)
{
	const char *dialect =
		fx_settings_text(fx_session_settings(tui->session),
			FX_SET_DIALECT);
	struct fx_emit_python options = { .dialect = dialect };
	struct fx_emit_ranges ranges = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_emit_python(&text, graph, &options, &ranges);
	take_lines(&tui->code, fx_buf_text(&text), &ranges);
	fx_emit_ranges_deinit(&ranges);
}

static void
code_refresh(struct tui *tui, int columns)
{
	struct tui_code *code = &tui->code;
	struct tui_view *view = &tui->views[TUI_VIEW_CODE];
	struct fx_model *model = tui_model(tui);
	struct fx_graph *graph = model ? fx_model_graph(model) : NULL;
	unsigned settings =
		fx_settings_version(fx_session_settings(tui->session));
	const struct fx_node *node = tui_selected(tui);

	(void)columns;
	if (!graph) {
		tui_text_clear(&code->text);
		code->graph = NULL;
		return;
	}
	if (code->graph != graph || code->serial != graph->serial ||
		code->version != graph->version || code->settings != settings) {
		code->graph = graph;
		code->serial = graph->serial;
		code->version = graph->version;
		code->settings = settings;
		code->selected = 0;
		make_code(tui, graph);
	}
	if (node && node->id != code->selected) {
		size_t position = fx_graph_position(graph, node);

		code->selected = node->id;
		if (position < code->line_of.count)
			tui_view_go(view, code->line_of.items[position]);
	}
}

static void
code_row(void *context, size_t index, const struct fx_area *area)
{
	struct tui *tui = context;
	const struct fx_model *model = tui_model(tui);
	size_t stop = model ? fx_position_get(model) : 0;
	struct fx_area rest = fx_area_part(area, 0, 2, 1, area->columns - 2);

	if (model && fx_position_is_started(model) &&
		stop < tui->code.line_of.count &&
		tui->code.line_of.items[stop] == index)
		fx_area_text(area, 0, 0, FX_LOOK(CURRENT), "=>");
	tui_text_paint(&tui->code.text, index, &rest, 0, 0);
}

static size_t
code_count(void *context)
{
	return tui_text_count(&((struct tui *)context)->code.text);
}

static long
code_find(void *context, const char *words, long from, bool back)
{
	return tui_text_find(&((struct tui *)context)->code.text, words, from,
		back);
}

void
tui_code_init(struct tui *tui)
{
	struct tui_view *view = &tui->views[TUI_VIEW_CODE];

	view->has_selection = true;
	view->refresh = code_refresh;
	view->source = (struct tui_source){ .context = tui,
		.count = code_count,
		.row = code_row,
		.find = code_find };
}

void
tui_code_deinit(struct tui *tui)
{
	tui_text_deinit(&tui->code.text);
	fx_vec_deinit(&tui->code.line_of);
}
