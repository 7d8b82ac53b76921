/* view_cmd.c - the command log, and the pane of keys. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "commands/out/wrap.h"
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
	text->width = tui->grid->columns - FRAME_WIDTH;
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
	add_key(text, ": PgUp, PgDn", "scroll what commands said", NULL);
	add_key(text, "Ctrl-C", "stop what runs", NULL);
	add_key(text, "Ctrl-Z", "suspend fxdb", NULL);
	tui->keys_view = (struct tui_view){ .source = tui_text_source(text) };
	tui->shows_keys = true;
}
