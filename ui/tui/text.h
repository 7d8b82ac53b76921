/* text.h - lines of pieces with roles: what panes of text show. */
#ifndef FX_UI_TUI_TEXT_H
#define FX_UI_TUI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/role.h"
#include "base/vec.h"
#include "commands/out/record.h"
#include "draw/canvas.h"

struct tui_piece {
	size_t offset; /* into bytes */
	size_t length;
	enum fx_role role;
};

struct tui_text {
	struct fx_buf bytes;
	FX_VEC(struct tui_piece) pieces;
	FX_VEC(size_t) lines; /* first piece of each line */
	int width;            /* lines break here; 0: nowhere */
	int column;           /* of the line being added */
	size_t open;          /* first piece of that line */
};

/* All zero is empty. */
void tui_text_deinit(struct tui_text *text);
void tui_text_clear(struct tui_text *text);

/* Add to the last line; newlines end it, tabs become blanks. */
void tui_text_add(struct tui_text *text, enum fx_role role, const char *bytes,
	size_t length);
FX_PRINTF(3, 4)
void tui_text_addf(struct tui_text *text, enum fx_role role, const char *format,
	...);
void tui_text_end_line(struct tui_text *text);

/* Add the lines of FROM, broken between words. */
void tui_text_add_lines(struct tui_text *text, const struct tui_text *from);

/* Return a layout for output which is as wide as TEXT and appends to TEXT. */
struct out_layout tui_text_layout(struct tui_text *text);

/* Lines that are ended. */
size_t tui_text_count(const struct tui_text *text);
/* Draw line INDEX, without its first SKIP columns, on row ROW of AREA. */
void tui_text_paint(const struct tui_text *text, size_t index,
	const struct fx_area *area, int row, int skip);
/* Append the lines as they are, a newline after each. */
void tui_text_print(const struct tui_text *text, struct fx_buf *out);
/* Whether WORDS stand in line INDEX (fx_str_has); in none past the last one. */
bool tui_text_has(const struct tui_text *text, size_t index, const char *words);

/* The command log holds the commands that were run and their output. */

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

#endif /* FX_UI_TUI_TEXT_H */
