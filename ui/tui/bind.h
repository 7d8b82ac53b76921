/* bind.h - keys of the user's own. */
#ifndef FX_UI_TUI_BIND_H
#define FX_UI_TUI_BIND_H

#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

struct tui;

struct tui_binding {
	unsigned panes; /* bits of enum tui_view_id */
	uint32_t key;
	char *name; /* of the key, as typed */
	char *line; /* a command, with %(node) and the like */
};

struct tui_bindings {
	FX_VEC(struct tui_binding) items;
};
void tui_bindings_deinit(struct tui_bindings *bindings);

/* TEXT is "PANE KEY = COMMAND", PANE the word of a pane or "all"; without a
 * command the key means again what it meant.
 */
FX_NODISCARD struct fx_error *tui_bindings_add(struct tui_bindings *bindings,
	const char *text);

/* What KEY is bound to in the pane with the focus, or NULL; and that is done.
 */
const struct tui_binding *tui_bind_find(const struct tui *tui, uint32_t key);
void tui_bind_run(struct tui *tui, const struct tui_binding *binding);

#endif /* FX_UI_TUI_BIND_H */
