/* view_graph.h - the graph pane: what it shows, and where it can be led. */
#ifndef FX_UI_TUI_VIEW_GRAPH_H
#define FX_UI_TUI_VIEW_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

struct fx_area;
struct fx_buf;
struct fx_node;
struct tui;

void tui_graph_deinit(struct tui *tui);
/* Bring the rows up to date. */
void tui_graph_refresh(struct tui *tui, int columns);
/* After a command: show the stop or the new node if something moved. */
void tui_graph_follow(struct tui *tui);
/* While one runs: show where execution is; whether it has moved. */
bool tui_graph_follow_run(struct tui *tui);
/* Go to where execution stands, out of the scope entered if it lies outside.
 */
void tui_graph_go_to_stop(struct tui *tui);
/* The row of the node at POSITION, or the nearest before it. */
size_t tui_graph_row_of(const struct tui *tui, size_t position);
/* Select NODE, out of the scope entered if it lies outside; false, and it is
 * said, when it has no row: it is a node of a nested graph.
 */
bool tui_graph_go_to(struct tui *tui, const struct fx_node *node);
/* graph_facts.c: what NODE is, in AREA from column FROM to before END. */
void tui_graph_paint_facts(struct tui *tui, const struct fx_node *node,
	const struct fx_area *area, int from, int end);
/* Remember which node is selected. */
void tui_graph_remember(struct tui *tui);

/* graph_names.c: NAME on the row of AREA, without what does not fit; returns
 * the column after it.
 */
int tui_graph_paint_name(const struct tui *tui, const struct fx_area *area,
	const char *name);
/* The module that the first row in sight belongs to, inside of what was
 * entered, and its class; nothing at the root.
 */
void tui_graph_heading_print(struct tui *tui, struct fx_buf *out);

#endif /* FX_UI_TUI_VIEW_GRAPH_H */
