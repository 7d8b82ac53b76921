/* frame.c - painting the whole screen, from the state alone.
 *
 * Every frame is painted anew; what has changed on the terminal is the
 * screen's business.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "run/progress.h"
#include "run/ticker.h"
#include "session/node_text.h"
#include "session/position.h"
#include "session/session.h"
#include "session/settings.h"
#include "ui/signals.h"
#include "ui/tui/graph_rows.h"
#include "ui/tui/tui_private.h"

enum {
	HINT_LEAST = 12, /* columns left of a hint, for the prompt */
};

static void
put_line(struct tui *tui, const struct fx_area *area, int row, int column,
	unsigned arms)
{
	/* Square corners for frames, rounded ones for graphs. */
	enum fx_lines lines =
		tui->lines == FX_LINES_UTF8 ? FX_LINES_ACS : tui->lines;

	fx_area_put(area, row, column, FX_LOOK(BORDER),
		fx_lines_code(lines, arms));
}

static void
paint_border(struct tui *tui, const struct fx_area *area)
{
	int bottom = area->rows - 1;
	int right = area->columns - 1;

	for (int x = 1; x < right; x++) {
		put_line(tui, area, 0, x, FX_ARM_LEFT | FX_ARM_RIGHT);
		put_line(tui, area, bottom, x, FX_ARM_LEFT | FX_ARM_RIGHT);
	}
	for (int y = 1; y < bottom; y++) {
		put_line(tui, area, y, 0, FX_ARM_UP | FX_ARM_DOWN);
		put_line(tui, area, y, right, FX_ARM_UP | FX_ARM_DOWN);
	}
	put_line(tui, area, 0, 0, FX_ARM_DOWN | FX_ARM_RIGHT);
	put_line(tui, area, 0, right, FX_ARM_DOWN | FX_ARM_LEFT);
	put_line(tui, area, bottom, 0, FX_ARM_UP | FX_ARM_RIGHT);
	put_line(tui, area, bottom, right, FX_ARM_UP | FX_ARM_LEFT);
}

/* What to type where there is no graph yet. */
static void
paint_beginning(const struct fx_area *area)
{
	static const char *const lines[] = { "nothing is open:", "  :load FILE",
		"  :trace FILE.py:CLASS", "  :demo" };

	for (int i = 0; i < (int)FX_ARRAY_LEN(lines) && i < area->rows; i++)
		fx_area_text(area, i, 0, FX_LOOK(MUTED), lines[i]);
}

static void
paint_pane(struct tui *tui, enum tui_view_id id)
{
	const struct tui_rect *rect = &tui->plan.panes[id];
	struct tui_view *view = &tui->views[id];
	struct fx_area screen = fx_canvas_area(tui->grid);
	struct fx_area frame = fx_area_part(&screen, rect->top, rect->left,
		rect->rows, rect->columns);
	struct fx_area area = frame;
	bool has_frame = tui->plan.is_framed && rect->rows > 1;

	if (has_frame) {
		paint_border(tui, &frame);
		area = fx_area_part(&frame, 1, 1, frame.rows - 2,
			frame.columns - 2);
	}
	view->refresh(tui, area.columns);
	tui_view_paint(view, &area, tui->focus == id);
	if (id == TUI_VIEW_GRAPH && !tui_model(tui))
		paint_beginning(&area);
	if (has_frame)
		tui_titles_paint(tui, id, &frame);
}

/* "/turn" for a nested graph; returns the column after it. */
static int
paint_path(const struct tui *tui, const struct fx_area *area, int column)
{
	const struct fx_model *model = tui_model(tui);
	const char *path =
		model ? fx_model_graph_path(model, fx_position_graph(model))
		      : "";

	if (!*path)
		return column;
	column = fx_area_text(area, 0, column, FX_LOOK(MUTED), "/");
	return fx_area_text(area, 0, column, FX_LOOK(SCOPE), path);
}

/* fxdb  resnet18 > layer2 > 0 */
static int
paint_crumbs(struct tui *tui, const struct fx_area *area)
{
	const struct fx_model *model = tui_model(tui);
	const char *arrow =
		tui->lines == FX_LINES_UTF8 ? " \xe2\x80\xba " : " > ";
	const char *step = model ? tui_graph_scope(model) : "";
	int column = fx_area_text(area, 0, 1, FX_LOOK(TITLE), "fxdb") + 2;

	column = fx_area_text(area, 0, column, FX_LOOK(STATUS),
		model ? fx_model_name(model) : "no graph");
	column = paint_path(tui, area, column);
	while (step && *step) {
		size_t length = strcspn(step, ".");
		FX_AUTO_BUF struct fx_buf part = { 0 };

		fx_buf_add_n(&part, step, length);
		column = fx_area_text(area, 0, column, FX_LOOK(MUTED), arrow);
		column = fx_area_text(area, 0, column, FX_LOOK(SCOPE),
			fx_buf_text(&part));
		step += length + (step[length] == '.');
	}
	return column;
}

/* Where execution stands, and how far undo goes. */
static void
add_state(struct tui *tui, struct fx_buf *out)
{
	struct fx_model *model = tui_model(tui);
	const struct fx_node *node;
	struct fx_graph *graph;
	size_t position;

	if (!model)
		return;
	graph = fx_position_is_started(model) ? fx_position_innermost(model)
					      : fx_position_graph(model);
	position = fx_position_get(model);
	node = fx_position_node(model);
	if (tui->is_running && !tui->is_paused)
		fx_buf_addf(out, "running @%zu/%zu %s", position,
			graph->node_count, node ? node->name : "");
	else if (!fx_position_is_started(model))
		fx_buf_addf(out, "not started, %zu nodes", graph->node_count);
	else if (position >= graph->node_count)
		fx_buf_addf(out, "finished, %zu nodes", graph->node_count);
	else
		fx_buf_addf(out, "stopped before @%zu/%zu", position,
			graph->node_count);
	if (fx_position_is_started(model) && !fx_model_has_values(model))
		fx_buf_add(out, ", shapes only");
	fx_buf_addf(out, "  undo %zu ", fx_journal_undo_count(graph));
}

static void
paint_title(struct tui *tui)
{
	const struct tui_rect *rect = &tui->plan.title;
	struct fx_area screen = fx_canvas_area(tui->grid);
	struct fx_area area = fx_area_part(&screen, rect->top, rect->left,
		rect->rows, rect->columns);
	FX_AUTO_BUF struct fx_buf state = { 0 };
	int column;
	int width;

	column = paint_crumbs(tui, &area);
	add_state(tui, &state);
	width = (int)fx_utf8_text_width(fx_buf_text(&state), state.length);
	if (column + 2 + width <= area.columns)
		fx_area_text(&area, 0, area.columns - width, FX_LOOK(STATUS),
			fx_buf_text(&state));
}

/* f32[1,128,28,28] 1 in 1 user   layer2.0 */
static void
paint_facts(struct tui *tui)
{
	const struct tui_rect *rect = &tui->plan.facts;
	struct fx_area screen = fx_canvas_area(tui->grid);
	struct fx_area area = fx_area_part(&screen, rect->top, rect->left,
		rect->rows, rect->columns);
	const struct fx_node *node = tui_selected(tui);
	FX_AUTO_BUF struct fx_buf facts = { 0 };
	size_t before;

	if (!node)
		return;
	tui_filter_print(tui, &facts);
	fx_buf_add(&facts, facts.length ? "  " : "");
	before = facts.length;
	fx_node_text_shape(&facts, node, false);
	fx_buf_add(&facts, facts.length > before ? " " : "");
	fx_buf_addf(&facts, "%zu in %u user%s", fx_node_input_count(node),
		node->user_count, node->user_count == 1 ? "" : "s");
	if (node->scope)
		fx_buf_addf(&facts, "   %s", node->scope->path);
	fx_area_text(&area, 0, 0, FX_LOOK(STATUS), fx_buf_text(&facts));
}

/* TEXT with what it would do to a terminal made visible; returns the columns
 * of its first CURSOR bytes.
 */
static int
add_typed(struct fx_buf *out, const char *text, size_t cursor)
{
	size_t columns;

	fx_utf8_add_visible(out, text, cursor);
	columns = fx_utf8_text_width(fx_buf_text(out), out->length);
	fx_utf8_add_visible(out, text + cursor, strlen(text + cursor));
	return (int)columns;
}

/* Paint TEXT, "WHAT; END": what is at work, and how the user ends it. */
static void
paint_state(const struct fx_area *area, const char *text)
{
	/* Only its end, where the prompt leaves no more room. */
	int room = area->columns - (int)strlen("(fxdb) ") - 2;

	if ((int)strlen(text) > room)
		text = strchr(text, ';') + 2;
	fx_area_text(area, 0, area->columns - (int)strlen(text), FX_LOOK(MUTED),
		text);
}

static void
paint_progress(struct tui *tui, const struct fx_area *area)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	long long now = fx_clock_ms();

	fx_progress_print(fx_session_progress(tui->session),
		now - tui->running_ms, now, &text);
	fx_buf_add(&text, UI_STOPS_TEXT);
	paint_state(area, fx_buf_text(&text));
}

/* What may be pressed now, where nothing is typed after PROMPT: the longest of
 * several that fits in COLUMNS.
 */
static const char *
hint_of(const struct tui *tui, const char *prompt, int columns)
{
	static const char *const hints[][2] = {
		{ "s step  n next  c continue  b break  / search  v values"
		  "  : command  ? keys  q leave",
			"/ search  v values  : command  Esc graph  ? keys"
			"  q back" },
		{ "s n step  c continue  b break  / search  : command  ? keys"
		  "  q leave",
			"/ search  v values  : command  ? keys  q back" },
		{ "? keys   : command   q leave",
			"? keys   : command   q back" },
		{ "? keys", "? keys" },
	};
	bool is_question = strcmp(prompt, tui->prompt) != 0;
	int is_aside = tui->focus != TUI_VIEW_GRAPH;
	int width = (int)fx_utf8_text_width(prompt, strlen(prompt));
	int least = FX_MAX(HINT_LEAST, width + 2);
	size_t i = 0;

	if (tui->focus == TUI_VIEW_CMD)
		return is_question ? "" : "Esc back";
	if (columns >= 60 && tui_log_recent(&tui->log) >
				     (size_t)tui->views[TUI_VIEW_CMD].rows)
		return is_aside ? "? keys   : PgUp more   q back"
				: "? keys   : PgUp more   q leave";
	while ((int)strlen(hints[i][is_aside]) + least > columns &&
		i + 1 < FX_ARRAY_LEN(hints))
		i++;
	return hints[i][is_aside];
}

/* HINT at the right edge. */
static void
paint_hint(const struct fx_area *area, const char *hint)
{
	fx_area_text(area, 0, area->columns - (int)strlen(hint) - 2,
		FX_LOOK(MUTED), hint);
}

/* The prompt and what is typed; scrolls sideways to keep the cursor in sight.
 * Returns the cursor's column.
 */
static int
paint_line(struct tui *tui, const struct fx_area *area)
{
	struct tui_line_look look;
	FX_AUTO_BUF struct fx_buf typed = { 0 };
	int prompt;
	int cursor;
	int skip;

	tui->line->look(tui->line->context, &look);
	cursor = add_typed(&typed, look.text, look.cursor);
	prompt = (int)fx_utf8_text_width(look.prompt, strlen(look.prompt));
	skip = prompt + cursor - (area->columns - 1);
	skip = skip > 0 ? skip : 0;
	fx_area_text(area, 0, -skip, FX_LOOK(PROMPT), look.prompt);
	fx_area_text(area, 0, prompt - skip, FX_LOOK(PLAIN),
		fx_buf_text(&typed));
	if (tui->is_slow)
		paint_progress(tui, area);
	else if (tui->is_paused)
		paint_state(area, "a key goes on; Ctrl-C stops");
	else if (*tui->note)
		fx_area_text(area, 0, area->columns - (int)strlen(tui->note),
			FX_LOOK(NOTE), tui->note);
	else if (!typed.length)
		paint_hint(area, hint_of(tui, look.prompt, area->columns));
	return prompt + cursor - skip;
}

/* The candidates of a completion, above the command line. */
static void
paint_candidates(struct tui *tui, int bottom)
{
	char **words = tui->line->candidates(tui->line->context);
	struct fx_area screen = fx_canvas_area(tui->grid);
	int width = 1;
	int across;
	int count = 0;
	int rows;

	for (; words && words[count]; count++) {
		int columns = (int)fx_utf8_text_width(words[count],
			strlen(words[count]));

		width = columns + 2 > width ? columns + 2 : width;
	}
	if (!count)
		return;
	across = screen.columns / width;
	across = across > 0 ? across : 1;
	rows = (count + across - 1) / across;
	if (rows > bottom - 1)
		rows = bottom - 1 > 0 ? bottom - 1 : 0;
	for (int row = 0; row < rows; row++) {
		struct fx_area line = fx_area_part(&screen, bottom - rows + row,
			0, 1, screen.columns);

		fx_area_fill(&line, FX_LOOK(PLAIN));
		for (int i = 0; i < across && row * across + i < count; i++)
			fx_area_text(&line, 0, i * width, FX_LOOK(KEYWORD),
				words[row * across + i]);
	}
	if (rows * across < count && rows > 0) {
		FX_AUTO_BUF struct fx_buf more = { 0 };

		fx_buf_addf(&more, " +%d more ", count - rows * across);
		fx_area_text(&screen, bottom - 1,
			screen.columns - (int)more.length, FX_LOOK(MUTED),
			fx_buf_text(&more));
	}
}

/* The log and, below it, the command line.  Returns the cursor's column. */
static int
paint_commands(struct tui *tui)
{
	const struct tui_rect *rect = &tui->plan.panes[TUI_VIEW_CMD];
	struct fx_area screen = fx_canvas_area(tui->grid);
	struct fx_area log = fx_area_part(&screen, rect->top, rect->left,
		rect->rows - 1, rect->columns);
	struct fx_area line = fx_area_part(&screen, rect->top + rect->rows - 1,
		rect->left, 1, rect->columns);
	int cursor;

	tui->views[TUI_VIEW_CMD].refresh(tui, log.columns);
	if (!tui->log_is_back)
		tui->views[TUI_VIEW_CMD].top = tui_text_count(&tui->log.text);
	tui_view_paint(&tui->views[TUI_VIEW_CMD], &log, false);
	cursor = paint_line(tui, &line);
	if (tui->focus == TUI_VIEW_CMD)
		paint_candidates(tui, rect->top + rect->rows - 1);
	return cursor;
}

static void
paint_keys(struct tui *tui)
{
	struct fx_area screen = fx_canvas_area(tui->grid);
	struct fx_area area = fx_area_part(&screen, tui->plan.title.rows, 0,
		screen.rows - tui->plan.title.rows, screen.columns);

	fx_area_fill(&area, FX_LOOK(PLAIN));
	paint_border(tui, &area);
	fx_area_text(&area, 0, 2, FX_LOOK(TITLE),
		" keys (j k scroll, Esc closes) ");
	area = fx_area_part(&area, 1, 2, area.rows - 2, area.columns - 4);
	tui_view_paint(&tui->keys_view, &area, false);
}

/* TEXT from the first row on, broken at blanks; whether all of it fits. */
static bool
paint_words(const struct fx_area *area, const char *text)
{
	int row = 0;
	int column = 0;

	while (*text) {
		int length = (int)strcspn(text, " ");
		FX_AUTO_BUF struct fx_buf word = { 0 };

		fx_buf_add_n(&word, text, (size_t)length);
		if (column && column + length > area->columns) {
			row++;
			column = 0;
		}
		if (row >= area->rows || length > area->columns)
			return false;
		column = fx_area_text(area, row, column, FX_LOOK(WARNING),
				 fx_buf_text(&word)) +
			 1;
		text += length + (text[length] == ' ');
	}
	return true;
}

/* The last words of it, where there is no room for all. */
static void
paint_notice(struct tui *tui, int rows, int columns)
{
	FX_AUTO_FREE char *notice =
		fx_xasprintf("terminal too small (%dx%d), need %dx%d", columns,
			rows, TUI_LEAST_COLUMNS, TUI_LEAST_ROWS);
	struct fx_area screen = fx_canvas_area(tui->grid);
	const char *at = notice;

	while (!paint_words(&screen, at) && strchr(at, ' ')) {
		fx_canvas_clear(tui->grid);
		at = strchr(at, ' ') + 1;
	}
}

static void
paint_all(struct tui *tui, int *cursor_row, int *cursor_column)
{
	const struct tui_rect *cmd = &tui->plan.panes[TUI_VIEW_CMD];
	int column;

	if (tui->plan.title.rows)
		paint_title(tui);
	for (int i = 0; i < TUI_VIEW_CMD; i++)
		if (tui->plan.panes[i].rows > 0)
			paint_pane(tui, (enum tui_view_id)i);
	if (tui->plan.facts.rows)
		paint_facts(tui);
	column = paint_commands(tui);
	if (tui->shows_keys) {
		paint_keys(tui);
	} else if (tui->focus == TUI_VIEW_CMD) {
		*cursor_row = cmd->top + cmd->rows - 1;
		*cursor_column = column;
	}
}

/* What the terminal can show, unless `set ascii` wants less. */
static void
choose_lines(struct tui *tui)
{
	bool ascii = tui->screen->lines == FX_LINES_ASCII ||
		     fx_settings_int(fx_session_settings(tui->session),
			     FX_SET_ASCII);

	tui->lines = ascii ? FX_LINES_ASCII : tui->screen->lines;
	if (tui->log.ascii != ascii) {
		tui->log.ascii = ascii;
		tui->log.text.width = -1; /* lay it out anew */
	}
}

static void
choose_mouse(struct tui *tui)
{
	bool wants = fx_settings_int(fx_session_settings(tui->session),
		FX_SET_MOUSE);

	if (tui->mouse.is_on != wants)
		tui->screen->set_mouse(tui->screen->context, wants);
	tui->mouse.is_on = wants;
}

/* Colours go once they are not wanted. */
static void
choose_theme(struct tui *tui)
{
	const struct fx_settings *settings = fx_session_settings(tui->session);
	const char *color = fx_settings_text(settings, FX_SET_COLOR);
	const char *word = fx_settings_text(settings, FX_SET_THEME);
	enum ui_theme theme = strcmp(color, "never") == 0 ? UI_THEME_MONO
							  : ui_theme_find(word);

	if (tui->theme != theme)
		tui->screen->set_theme(tui->screen->context, theme);
	tui->theme = theme;
}

/* Where several views share a pane and none was chosen: a node before anything
 * ran, then what it gives.
 */
static unsigned
front_views(const struct tui *tui)
{
	const struct fx_model *model = tui_model(tui);

	if (tui->front_views)
		return tui->front_views;
	return 1u << (model && fx_position_executed(model) ? TUI_VIEW_VALUES
							   : TUI_VIEW_NODE);
}

void
tui_plan(struct tui *tui)
{
	struct tui_layout_input input = { .layout = tui->layout,
		.focus = tui->focus == TUI_VIEW_CMD ? tui->before : tui->focus,
		.front = front_views(tui),
		.sizes = tui->sizes,
		.rows = tui->grid->rows,
		.columns = tui->grid->columns };

	input.cmd_rows =
		(int)FX_MIN(tui_log_recent(&tui->log), (size_t)input.rows) + 1;
	tui_layout_plan(&input, &tui->plan);
}

void
tui_frame(struct tui *tui)
{
	int rows;
	int columns;
	int cursor_row = -1;
	int cursor_column = 0;

	tui->is_painting = true;
	choose_lines(tui);
	choose_mouse(tui);
	choose_theme(tui);
	tui->screen->size(tui->screen->context, &rows, &columns);
	if (tui->grid->rows != rows || tui->grid->columns != columns)
		fx_canvas_resize(tui->grid, rows, columns);
	else
		fx_canvas_clear(tui->grid);
	tui_log_lay(&tui->log, columns);
	tui_plan(tui);
	if (tui->plan.is_too_small)
		paint_notice(tui, rows, columns);
	else
		paint_all(tui, &cursor_row, &cursor_column);
	tui->is_partial = !tui->screen->show(tui->screen->context, tui->grid,
		cursor_row, cursor_column);
	tui->is_painting = false;
}
