/* log.h - the command log: what was run and what it said. */
#ifndef FX_UI_TUI_LOG_H
#define FX_UI_TUI_LOG_H

#include <stdbool.h>

#include "base/role.h"
#include "base/vec.h"
#include "ui/tui/text.h"

/* A line of our own, or an item of a command's output. */
struct tui_log_entry {
	enum fx_role role;
	char *line;
	struct out_item *item;
};

struct tui_log {
	FX_VEC(struct tui_log_entry) entries;
	size_t laid;      /* entries that are in text */
	size_t mark;      /* entry with which the last command begins */
	size_t mark_line; /* and its line */
	bool ascii;
	struct tui_text text; /* at text.width */
};

void tui_log_deinit(struct tui_log *log);

FX_PRINTF(3, 4)
void tui_log_addf(struct tui_log *log, enum fx_role role, const char *format,
	...);
/* The next entry begins a command. */
void tui_log_mark(struct tui_log *log);
/* Lines since then; they were read, and none is recent any more. */
size_t tui_log_recent(const struct tui_log *log);
void tui_log_forget_recent(struct tui_log *log);
/* Refs ITEM. */
void tui_log_add_item(struct tui_log *log, struct out_item *item);
/* Lay out what is new, or all of it at a new WIDTH. */
void tui_log_lay(struct tui_log *log, int width);

#endif /* FX_UI_TUI_LOG_H */
