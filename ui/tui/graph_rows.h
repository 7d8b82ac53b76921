/* graph_rows.h - the rows of the graph pane, and what they say. */
#ifndef FX_UI_TUI_GRAPH_ROWS_H
#define FX_UI_TUI_GRAPH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "draw/dag.h"
#include "draw/lanes.h"
#include "ui/tui/filter.h"

struct fx_graph;
struct fx_model;
struct fx_node;
struct tui;

struct tui_rows {
	FX_VEC(struct fx_dag_run) runs; /* a row each */
	struct fx_dag *dag;             /* the rows */
	struct fx_lanes *rails;
};

/* What the graph pane shows: rows of nodes and folded modules, with lanes.
 * Rebuilt when one of the things it was made from has changed.
 */
struct tui_graph {
	struct tui_rows rows;
	struct tui_rows aside; /* those without the filter, or none */
	struct fx_map folds;   /* folded module paths, interned */

	/* The graph and the version that the rows were made from.  The serial
	 * counts too, because a new graph may lie at the address of an old one.
	 */
	const struct fx_graph *graph;
	uint32_t serial;
	uint64_t version;
	const char *scope;
	unsigned folds_version;
	unsigned folds_seen;
	struct tui_filter filter;
	unsigned filter_seen;
	bool is_filtered; /* the rows are */
	int lane_cap;
	int hub_limit;

	uint64_t selected; /* id of the node of the selected row */
	size_t position;   /* where execution stood last */
	bool was_started;
	bool has_moved;     /* by the command that runs, or the last */
	uint32_t time;      /* of the journal */
	uint64_t candidate; /* id of the one at hand that was shown last */
};

/* The scope that is shown, "" in a nested graph. */
const char *tui_graph_scope(const struct fx_model *model);
/* The module that row ROW stands in or stands for, or NULL. */
const char *tui_graph_scope_of(struct tui *tui, size_t row);
/* Whether the node at POSITION has a row, or is in a fold's. */
bool tui_graph_has(const struct tui *tui, size_t position);
void tui_graph_toggle_fold(struct tui *tui, const char *path);
/* Fold all modules that are DEPTH steps inside of what is shown, and no others;
 * 0: none.  Whether there are any.
 */
bool tui_graph_fold_all(struct tui *tui, int depth);
/* Where the graph is nested that the node of ROW runs, or NULL. */
const char *tui_graph_run_by(struct tui *tui, size_t row);

/* What a pass that is stepped has to do with NODE: "*" is the candidate at
 * hand, "?" one that is still to come, y and n what was answered.  NULL:
 * nothing.
 */
const char *tui_graph_candidate_mark(const struct tui *tui,
	const struct fx_node *node);

#endif /* FX_UI_TUI_GRAPH_ROWS_H */
