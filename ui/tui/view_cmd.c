/* view_cmd.c - the command log, and the pane of keys. */
#include <config.h>

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
add_key(struct tui_text *text, const char *name, const char *line,
	const char *help)
{
	tui_text_addf(text, FX_ROLE_KEYWORD, "%-10s ", name);
	tui_text_addf(text, FX_ROLE_PLAIN, "%s", help);
	if (line)
		tui_text_addf(text, FX_ROLE_MUTED, "  (%s)", line);
	tui_text_end_line(text);
}

void
tui_keys_show(struct tui *tui)
{
	struct tui_text *text = &tui->keys;
	const struct tui_action *action;
	const char *name;

	tui_text_clear(text);
	tui_text_addf(text, FX_ROLE_HEAD, "Keys of the pane \"%s\"",
		tui->views[tui->focus].title);
	tui_text_end_line(text);
	for (size_t i = 0; tui_keymap_at(tui->focus, i, &name, &action); i++)
		add_key(text, name, action->line, action->help);
	add_key(text, "others", NULL, "any other character begins a command");
	add_key(text, "Ctrl-C", NULL, "stop what runs");
	add_key(text, "Ctrl-Z", NULL, "suspend fxdb");
	tui->keys_view = (struct tui_view){ .source = tui_text_source(text) };
	tui->shows_keys = true;
}
