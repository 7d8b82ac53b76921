/* action.h - actions and the keys that name them. */
#ifndef FX_UI_TUI_ACTION_H
#define FX_UI_TUI_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "ui/tui/view.h"

enum tui_action_id {
#define TUI_COMMAND(id, line, counts, help)    TUI_ACTION_##id,
#define TUI_START(id, line, counts, help)      TUI_ACTION_##id,
#define TUI_SCREEN(id, function, counts, help) TUI_ACTION_##id,
#include "ui/tui/actions.def"
	TUI_ACTION_COUNT
};

struct tui_action {
	const char *line; /* a command, or NULL: */
	void (*run)(struct tui *tui);
	const char *help;
	bool starts; /* while nothing has run: `start` instead of the line */
	bool counts; /* a number typed before it is how often */
};

const struct tui_action *tui_action_at(enum tui_action_id id);

/* The action of KEY in VIEW, or NULL. */
const struct tui_action *tui_keymap_find(enum tui_view_id view, uint32_t key);

/* The heading of the group that ID begins, or NULL. */
const char *tui_action_group(enum tui_action_id id);

/* Key INDEX of VIEW: its name and what it does; false past the end. */
struct tui_key_row {
	uint32_t key;
	const char *name;
	enum tui_action_id action;
};
bool tui_keymap_at(enum tui_view_id view, size_t index,
	struct tui_key_row *ret);
/* The key called NAME: "x", "Ctrl-x", "Alt-x", "F5", "Space"; 0: none is. */
uint32_t tui_key_named(const char *name);

#define TUI_COMMAND(id, line, counts, help)
#define TUI_START(id, line, counts, help)
#define TUI_SCREEN(id, function, counts, help) \
	void tui_do_##function(struct tui *tui);
#include "ui/tui/actions.def"

/* A word beside the prompt, until the next key. */
FX_PRINTF(2, 3)
void tui_note(struct tui *tui, const char *format, ...);

#endif /* FX_UI_TUI_ACTION_H */
