/* graph_rows.h - what rows of the graph pane say. */
#ifndef FX_UI_TUI_GRAPH_ROWS_H
#define FX_UI_TUI_GRAPH_ROWS_H

#include <stddef.h>

struct fx_model;
struct fx_node;
struct tui;

/* The scope that is shown, "" in a nested graph. */
const char *tui_graph_scope(const struct fx_model *model);
/* The module that row ROW stands in or stands for, or NULL. */
const char *tui_graph_scope_of(struct tui *tui, size_t row);
void tui_graph_toggle_fold(struct tui *tui, const char *path);
/* Where the graph is nested that the node of ROW runs, or NULL. */
const char *tui_graph_run_by(struct tui *tui, size_t row);

/* What a pass that is stepped has to do with NODE: "*" is the candidate at
 * hand, "?" one that is still to come, y and n what was answered.  NULL:
 * nothing.
 */
const char *tui_graph_candidate_mark(const struct tui *tui,
	const struct fx_node *node);

#endif /* FX_UI_TUI_GRAPH_ROWS_H */
