/* node_keys.h - marks: nodes that a letter leads back to. */
#ifndef FX_UI_TUI_NODE_KEYS_H
#define FX_UI_TUI_NODE_KEYS_H

#include <stdbool.h>
#include <stdint.h>

struct tui;

enum tui_mark_pending {
	TUI_MARK_NONE,
	TUI_MARK_SET, /* the next key names a mark to set ... */
	TUI_MARK_GO,  /* ... or to go to */
};

struct tui_mark {
	uint64_t id;     /* of the node; 0: not set */
	uint32_t serial; /* of its graph */
};

struct tui_marks {
	enum tui_mark_pending pending;
	struct tui_mark of[128]; /* by letter */
};

/* KEY was pressed in a pane: whether it named a mark. */
bool tui_mark_key(struct tui *tui, uint32_t key);

#endif /* FX_UI_TUI_NODE_KEYS_H */
