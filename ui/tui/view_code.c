/* view_code.c - the generated Python, with the stop and the selected node. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "commands/out/wrap.h"
#include "session/node_text.h"
#include "session/position.h"
#include "session/settings.h"
#include "ui/tui/tui_private.h"

static void
take_lines(struct tui_code *code, const char *text)
{
	tui_text_clear(&code->text);
	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "\n");

		tui_text_add(&code->text,
			*(at + strspn(at, " ")) == '#' ? FX_ROLE_COMMENT
						       : FX_ROLE_PLAIN,
			at, length);
		tui_text_end_line(&code->text);
		at += length + (at[length] == '\n');
	}
}

static void
make_code(struct tui *tui, struct fx_graph *graph)
{
	const char *dialect =
		fx_settings_text(fx_session_settings(tui->session),
			FX_SET_DIALECT);
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_node_text_code(&text, graph, dialect, &tui->code.line_of);
	take_lines(&tui->code, fx_buf_text(&text));
}

static void
code_refresh(struct tui *tui, int columns)
{
	struct tui_code *code = &tui->code;
	struct tui_view *view = &tui->views[TUI_VIEW_CODE];
	struct fx_model *model = tui_model(tui);
	struct fx_graph *graph = model ? fx_position_graph(model) : NULL;
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
	size_t stop = 0;
	struct fx_area rest = fx_area_part(area, 0, 2, 1, area->columns - 2);

	if (model && fx_position_in(model, fx_position_graph(model), &stop) &&
		stop < tui->code.line_of.count &&
		tui->code.line_of.items[stop] == index)
		fx_area_text(area, 0, 0, FX_LOOK(CURRENT), "=>");
	tui_text_paint(&tui->code.text, index, &rest, 0,
		tui->views[TUI_VIEW_CODE].skip);
}

static size_t
code_count(void *context)
{
	return tui_text_count(&((struct tui *)context)->code.text);
}

static bool
code_has(void *context, size_t index, const char *words)
{
	return tui_text_has(&((struct tui *)context)->code.text, index, words);
}

static void
code_deinit(struct tui *tui)
{
	tui_text_deinit(&tui->code.text);
	fx_vec_deinit(&tui->code.line_of);
}

void
tui_code_init(struct tui *tui)
{
	struct tui_view *view = &tui->views[TUI_VIEW_CODE];

	view->has_selection = true;
	view->deinit = code_deinit;
	view->refresh = code_refresh;
	view->source = (struct tui_source){ .context = tui,
		.count = code_count,
		.row = code_row,
		.has = code_has };
}

/* The command log, and the pane of keys. */

static void
cmd_refresh(struct tui *tui, int columns)
{
	tui_log_lay(&tui->log, columns);
}

static void
cmd_deinit(struct tui *tui)
{
	tui_log_deinit(&tui->log);
}

void
tui_cmd_init(struct tui *tui)
{
	tui->views[TUI_VIEW_CMD].deinit = cmd_deinit;
	tui->views[TUI_VIEW_CMD].refresh = cmd_refresh;
	tui->views[TUI_VIEW_CMD].source = tui_text_source(&tui->log.text);
}

enum {
	NAMES_WIDTH = 15, /* of keys, before what they do */
	FRAME_WIDTH = 4,  /* of the pane of keys, both sides */
};

static void
put(const struct out_layout *layout, enum fx_role role, const char *text)
{
	layout->piece(layout->context, role, text, strlen(text));
}

/* What does not fit beside the names goes on below itself. */
static void
add_key(struct tui_text *text, const char *names, const char *help,
	const char *line)
{
	struct out_layout layout = tui_text_layout(text);
	FX_AUTO_BUF struct fx_buf padded = { 0 };
	FX_AUTO_BUF struct fx_buf command = { 0 };
	struct out_wrap wrap;

	fx_buf_addf(&padded, "%-*s", NAMES_WIDTH, names);
	if (line)
		fx_buf_addf(&command, "  (%s)", line);
	out_wrap_init(&wrap, &layout, layout.width);
	wrap.hang = NAMES_WIDTH;
	put(&wrap.layout, FX_ROLE_KEYWORD, fx_buf_text(&padded));
	put(&wrap.layout, FX_ROLE_PLAIN, help);
	put(&wrap.layout, FX_ROLE_MUTED, fx_buf_text(&command));
	wrap.layout.line_end(wrap.layout.context);
	out_wrap_deinit(&wrap);
}

/* All keys of ACTION in the pane in focus: "j, Down"; nothing when there is
 * none.
 */
static void
add_names(const struct tui *tui, struct fx_buf *names,
	enum tui_action_id action)
{
	struct tui_key_row row;

	for (size_t i = 0; tui_keymap_at(tui->focus, i, &row); i++)
		if (row.action == action && !tui_bind_find(tui, row.key))
			fx_buf_addf(names, "%s%s", names->length ? ", " : "",
				row.name);
}

/* GROUP before the first of its keys; NULL: it stands there already. */
static void
add_group(struct tui_text *text, const char *group)
{
	if (!group)
		return;
	tui_text_addf(text, FX_ROLE_HEAD, "%s", group);
	tui_text_end_line(text);
}

/* Keys of the user's own. */
static void
add_bound(const struct tui *tui, struct tui_text *text)
{
	const char *group = "Bound";
	const struct tui_binding *binding;

	fx_vec_for_each (binding, &tui->bindings->items) {
		if (!(binding->panes >> tui->focus & 1))
			continue;
		add_group(text, FX_TAKE(group));
		add_key(text, binding->name, binding->line, NULL);
	}
}

void
tui_keys_show(struct tui *tui)
{
	struct tui_text *text = &tui->keys;
	const char *group = NULL;

	tui_text_clear(text);
	text->width = tui->grid->columns - FRAME_WIDTH;
	tui_text_addf(text, FX_ROLE_TITLE, "In the pane \"%s\"",
		tui->views[tui->focus].title);
	tui_text_end_line(text);
	add_bound(tui, text);
	for (int i = 0; i < TUI_ACTION_COUNT; i++) {
		const struct tui_action *action =
			tui_action_at((enum tui_action_id)i);
		FX_AUTO_BUF struct fx_buf names = { 0 };

		if (tui_action_group((enum tui_action_id)i))
			group = tui_action_group((enum tui_action_id)i);
		add_names(tui, &names, (enum tui_action_id)i);
		if (!names.length)
			continue;
		add_group(text, FX_TAKE(group));
		add_key(text, fx_buf_text(&names), action->help, action->line);
	}
	add_key(text, "digits", "how often the next key does it; 42G: to @42",
		NULL);
	add_key(text, "other keys", "begin a command", NULL);
	add_key(text, ": PgUp, PgDn", "scroll what commands said", NULL);
	add_key(text, "Ctrl-C", "stop what runs", NULL);
	add_key(text, "Ctrl-Z", "suspend fxdb", NULL);
	tui->keys_view = (struct tui_view){ .source = tui_text_source(text) };
	tui->shows_keys = true;
}
