/* filter.h - only some nodes in the graph pane. */
#ifndef FX_UI_TUI_FILTER_H
#define FX_UI_TUI_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

struct fx_buf;
struct fx_error;
struct fx_model;
struct tui;

struct tui_filter {
	char *text;       /* a set of nodes, as typed; NULL: all */
	bool is_steady;   /* the same while the graph is the same */
	bool is_fresh;    /* what is in it was asked just now */
	unsigned version; /* of the set; with another, rows are made anew */
	size_t *positions;
	size_t count;
};

/* Show the set TEXT, unless no node is in it; "": all nodes.  Rows are made
 * next.
 */
FX_NODISCARD struct fx_error *tui_filter_set(struct tui *tui, const char *text);
/* The filter is no more because of WHY, which is said. */
void tui_filter_end(struct tui *tui, const char *why);
void tui_filter_deinit(struct tui_filter *filter);
/* A command has run: the set may be another one.  Rows are made next. */
void tui_filter_follow(struct tui *tui);
/* Note what of MODEL's graph is in the filter now; false: there is none.  One
 * that selects no node ends, and it is said.
 */
bool tui_filter_resolve(struct tui *tui, struct fx_model *model);
/* The node at POSITION, which is NAME, is to be shown: a filter that leaves it
 * out ends, and it is said.
 */
void tui_filter_reveal(struct tui *tui, size_t position, const char *name);
/* "in layer2, 17 of 71"; nothing when there is no filter. */
void tui_filter_print(const struct tui *tui, struct fx_buf *out);

#endif /* FX_UI_TUI_FILTER_H */
