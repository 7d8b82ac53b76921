/* interp.h - the one loop that runs nodes.
 *
 * It knows nothing of debugging: breakpoints, recording, ticking and counting
 * are observers.  When none records, a value is freed at its last use.
 */
#ifndef FX_RUN_INTERP_H
#define FX_RUN_INTERP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/dtype.h"
#include "base/error.h"
#include "run/env.h"
#include "run/observer.h"
#include "run/plan.h"

struct fx_graph;

/* Gives the value of a placeholder; *RET is new, or null: use its default,
 * else its metadata.
 */
typedef struct fx_error *fx_input_fn(void *context, struct fx_node *placeholder,
	struct fx_datum **ret);

struct fx_interp {
	struct fx_graph *graph;
	struct fx_backend *backend;
	struct fx_env *env;     /* borrowed */
	struct fx_plans *plans; /* borrowed */
	fx_input_fn *input;
	void *input_context;
	const struct fx_observer *observers;
	size_t observer_count;
	int depth;            /* nested graphs above this one */
	bool is_fragment;     /* of a layer or function: no listing has it */
	struct fx_node *next; /* where it stands: the node to run next */
	struct fx_datum *instead; /* fx_interp_give: of the node at hand */
	size_t executed;
};

/* The one door through which nodes run: ask the observers, run NODE, put its
 * result into the environment, tell them.  *RET is what they answered before:
 * only at GO it ran.  An output node's result is its argument.  Errors get the
 * note "at %name", or of a fragment what was called.
 */
FX_NODISCARD struct fx_error *fx_interp_step(struct fx_interp *interp,
	struct fx_node *node, enum fx_answer *ret);

/* An observer's answer before NODE, whose value is DATUM: it does not run.  One
 * that draws goes, so that the generator moves as it moves it (draw_aside.h),
 * and others see a node that runs.
 */
enum fx_answer fx_interp_give(struct fx_interp *interp,
	const struct fx_node *node, struct fx_datum *datum_taken);
/* The same with a copy of GIVEN; its floats of dtype *TO (NONE: f64), if TO is
 * not null.  *RET is the answer; a null one: it need not draw either.
 */
FX_NODISCARD struct fx_error *fx_interp_stand_in(struct fx_interp *interp,
	const struct fx_node *node, struct fx_datum *given,
	const enum fx_dtype *to, enum fx_answer *ret);

/* Run from interp->next up to before END (null: to the end of the graph).
 * Returns early when an observer says so; interp->next tells where.  On an
 * error interp->next is the node that failed.
 */
FX_NODISCARD struct fx_error *fx_interp_run(struct fx_interp *interp,
	struct fx_node *end);

/* Run the whole of GRAPH on arguments for its placeholders, in order (null
 * ones are left to their defaults); *RET is its result.  DEPTH: graphs above
 * it.  Values are freed as it goes.  INTERRUPTED when TICKER says so.
 */
struct fx_arguments {
	struct fx_datum *const *items;
	size_t count;
	const struct fx_plan_watch *watch; /* may be NULL */
	/* Of GRAPH's nodes, kept from call to call; NULL: made anew. */
	struct fx_plans *plans;
	bool is_nested;           /* WATCH is asked what its nodes are given */
	struct fx_ticker *ticker; /* asked between its nodes; may be NULL */
};
FX_NODISCARD struct fx_error *fx_interp_call(struct fx_backend *backend,
	struct fx_graph *graph, const struct fx_arguments *arguments, int depth,
	struct fx_datum **ret);

#endif /* FX_RUN_INTERP_H */
