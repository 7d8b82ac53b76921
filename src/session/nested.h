/* nested.h - a graph within a model's graph is looked at and edited without
 * standing in it.
 */
#ifndef FX_SESSION_NESTED_H
#define FX_SESSION_NESTED_H

#include <stddef.h>

#include "base/error.h"
#include "session/model.h"

struct fx_meta_report;

/* The graphs nested in MODEL's graph: those of its modules, then those of the
 * modules of these, and so on.  The caller deinits *RET.
 */
struct fx_nested_graphs {
	struct fx_graph **items;
	size_t count;
	size_t capacity;
};
void fx_model_nested(const struct fx_model *model,
	struct fx_nested_graphs *ret);
/* Enter the graph nested at PATH, "" for none: names, positions and edits are
 * of that graph until execution moves or a frame is selected.  NO_NAME.
 */
FX_NODISCARD struct fx_error *fx_model_enter(struct fx_model *model,
	const char *path);
/* Where the graph is nested that NODE runs, or NULL: of two the one that
 * execution stands in, else a loop's body or the branch for true.  A module
 * with a graph that NODE gives counts too.
 */
const char *fx_model_run_by(const struct fx_model *model,
	const struct fx_node *node);
/* The first node of GRAPH that runs NESTED, or NULL; NESTED may be gone. */
const struct fx_node *fx_nested_caller(const struct fx_graph *graph,
	const struct fx_graph *nested);
/* The path of the one that was entered; "" for none. */
const char *fx_model_entered_path(const struct fx_model *model);

/* The nested graph that was entered, or NULL; the shapes of GRAPH,
 * which may be one, from what its first caller gives it.
 */
struct fx_graph *fx_model_entered(const struct fx_model *model);
struct fx_shape_report fx_model_shape_nested(struct fx_model *model,
	struct fx_graph *graph);

/* shapes.c: what REPORT, of a nested graph, found impossible. */
void fx_model_keep_problems(struct fx_model *model,
	const struct fx_meta_report *report);

#endif /* FX_SESSION_NESTED_H */
