/* view_cmd.c - the command log, and the pane of keys. */
#include <config.h>

#include "base/buf.h"
#include "ui/tui/tui_private.h"

static void
cmd_refresh(struct tui *tui, int columns)
{
	tui_log_lay(&tui->log, columns);
}

void
tui_cmd_init(struct tui *tui)
{
	tui->views[TUI_VIEW_CMD].refresh = cmd_refresh;
	tui->views[TUI_VIEW_CMD].source = tui_text_source(&tui->log.text);
}

static void
add_key(struct tui_text *text, const char *names, const char *help,
	const char *line)
{
	tui_text_addf(text, FX_ROLE_KEYWORD, "%-14s ", names);
	tui_text_addf(text, FX_ROLE_PLAIN, "%s", help);
	if (line)
		tui_text_addf(text, FX_ROLE_MUTED, "  (%s)", line);
	tui_text_end_line(text);
}

/* All keys of ACTION in VIEW: "j, Down"; nothing when there is none. */
static void
add_names(struct fx_buf *names, enum tui_view_id view,
	enum tui_action_id action)
{
	enum tui_action_id bound;
	const char *name;

	for (size_t i = 0; tui_keymap_at(view, i, &name, &bound); i++)
		if (bound == action)
			fx_buf_addf(names, "%s%s", names->length ? ", " : "",
				name);
}

void
tui_keys_show(struct tui *tui)
{
	struct tui_text *text = &tui->keys;

	tui_text_clear(text);
	tui_text_addf(text, FX_ROLE_HEAD, "In the pane \"%s\"",
		tui->views[tui->focus].title);
	tui_text_end_line(text);
	for (int i = 0; i < TUI_ACTION_COUNT; i++) {
		const struct tui_action *action =
			tui_action_at((enum tui_action_id)i);
		FX_AUTO_BUF struct fx_buf names = { 0 };

		add_names(&names, tui->focus, (enum tui_action_id)i);
		if (names.length)
			add_key(text, fx_buf_text(&names), action->help,
				action->line);
	}
	add_key(text, "other keys", "begin a command", NULL);
	add_key(text, "Ctrl-C", "stop what runs", NULL);
	add_key(text, "Ctrl-Z", "suspend fxdb", NULL);
	tui->keys_view = (struct tui_view){ .source = tui_text_source(text) };
	tui->shows_keys = true;
}
