/* run.h - one execution of a graph: what it computed, wrote and drew.
 *
 * A run owns the stack of graphs in which it stands, with their values; the
 * timeline of its effects, with the state of its generator; and the values
 * that were set for it.  A model has a current run.  Ending a run puts back
 * all that it wrote in place.
 */
#ifndef FX_RUN_RUN_H
#define FX_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "run/control.h"
#include "run/env.h"
#include "run/plan.h"
#include "run/timeline.h"

/* A graph in which a run stands: the outermost one, or one nested in a call of
 * the activation above.  The values of nodes above its stop are there for the
 * user, those below are kept for moving onwards again without running.
 */
struct fx_activation {
	struct fx_graph *graph;
	uint64_t call;        /* node of the one above; 0 in the outermost */
	uint64_t stop;        /* stopped before this node; 0: at the end */
	struct fx_node *held; /* that node while the graph changes */
	struct fx_env env;
	struct fx_plans plans;
	struct fx_operands operands; /* nested: of its placeholders */
	struct fx_loop *loop;        /* of a while_loop, or NULL */
};

/* Where a turn of a while_loop began: what it was carried, and how many
 * effects there were then.
 */
struct fx_turn {
	size_t number; /* from 1 */
	size_t effects;
	size_t bytes; /* of what is carried */
	struct fx_operands operands;
};

/* A while_loop that was entered: its activation stands in the condition and in
 * the body by turns.  Going back takes a turn's effects back and runs it again
 * from where it began; of the older ones not all are kept.
 */
struct fx_loop {
	struct fx_graph *graphs[2]; /* condition, body */
	struct fx_plans other; /* of the graph in which it does not stand */
	bool in_body;
	size_t number; /* of the turn */
	FX_VEC(struct fx_turn) turns;
	size_t bytes; /* that they hold, of which no two are shared */
	/* While turns up to AGAIN are run again none is given up of those up to
	 * FIRST, which hold FIXED bytes.
	 */
	size_t again;
	size_t first;
	size_t fixed;
};

/* Values that an edit made stale, of the graph at TIME - 1; 0: none. */
struct fx_left {
	uint32_t time;
	struct fx_map values; /* id -> struct fx_datum * */
};
void fx_left_clear(struct fx_left *left);

struct fx_run {
	FX_VEC(struct fx_activation *) activations; /* outermost first */
	struct fx_timeline timeline;
	struct fx_map overrides;  /* id -> struct fx_datum *: set value */
	struct fx_map failures;   /* id -> 1: running it failed */
	struct fx_map dirty;      /* id -> 1: had a value, has to run again */
	struct fx_map stops;      /* time index + 1 -> stop there + 1 */
	struct fx_left left[2];   /* the last one first (undo_cache.c) */
	bool leaves;              /* an edit drops values into it now */
	struct fx_ticker *ticker; /* of the verb that runs, or NULL */
	size_t frame;             /* that `up` selected; 0: the innermost */
	int stopped_by;  /* number of the stop that ended the last verb, or 0 */
	size_t executed; /* nodes, since it was made */
	size_t rerun;    /* of them: they were dirty */
};

struct fx_run *fx_run_new(void);
/* Drop all values and put back what was overwritten: not started after.  What
 * was set stays.
 */
void fx_run_clear(struct fx_run *run);
void fx_run_free(struct fx_run *run);
FX_DEFINE_CLEANUP(run, struct fx_run, fx_run_free);
#define FX_AUTO_RUN FX_AUTO(run)

/* The value that the user set for the node with ID, borrowed, or NULL. */
struct fx_datum *fx_run_given(const struct fx_run *run, uint64_t id);
/* Set it, or nothing for null. */
void fx_run_give(struct fx_run *run, uint64_t id, struct fx_datum *datum_taken);
/* NODE has its value: neither dirty nor failed. */
void fx_run_has_value(struct fx_run *run, const struct fx_node *node);

/* --- the stack ----------------------------------------------------------- */

/* The innermost activation, or NULL: not started; the one whose graph is GRAPH,
 * or NULL.
 */
struct fx_activation *fx_run_activation(const struct fx_run *run);
struct fx_activation *fx_run_activation_of(const struct fx_run *run,
	const struct fx_graph *graph);
/* Stand in GRAPH, before its first node, on BACKEND; and out of it, without
 * its values.
 */
struct fx_activation *fx_run_push(struct fx_run *run, struct fx_graph *graph,
	struct fx_backend *backend);
void fx_run_pop(struct fx_run *run);
/* loop.c: the innermost activation becomes a while_loop of the CONDITION, in
 * which it stands, and BODY.
 */
void fx_run_begin_loop(struct fx_run *run, struct fx_graph *condition,
	struct fx_graph *body);
/* The innermost activation's graph has ended, and its effects are CALL's, of
 * the graph above it; to stand in the body, or in the condition of the next
 * turn, with the operands of now.
 */
void fx_run_next_phase(struct fx_run *run, struct fx_node *call);
/* To stand in the condition of turn NUMBER or of the last one before it that
 * is kept: effects since then are taken back.
 */
void fx_run_rewind_loop(struct fx_run *run, size_t number);
/* Starting over keeps the outermost activation, as its plans took time to
 * make: take it out of the stack, without values (NULL: there is none), and
 * stand before the first node of it, or of a fresh one when it does not fit
 * GRAPH and BACKEND any more.
 */
struct fx_activation *fx_run_detach(struct fx_run *run);
void fx_run_attach(struct fx_run *run, struct fx_activation *activation_taken,
	struct fx_graph *graph, struct fx_backend *backend);

/* The node that execution stands before; NULL: at the end.  To stand before
 * NODE, effects from it on are taken back.
 */
struct fx_node *fx_activation_stop(const struct fx_activation *activation);
void fx_run_set_stop(struct fx_run *run, struct fx_activation *activation,
	struct fx_node *node);
/* Whether NODE lies above the stop of its graph. fx_activation_value returns
 * the value of such a node, borrowed, or NULL if NODE has none or lies below.
 */
bool fx_activation_is_above(const struct fx_activation *activation,
	const struct fx_node *node);
struct fx_datum *fx_activation_value(const struct fx_activation *activation,
	const struct fx_node *node);

/* Maps of data by node id, such as overrides: give the references up; take new
 * ones to those of DATA INTO another.
 */
void fx_data_deinit(struct fx_map *data);
void fx_data_add(struct fx_map *into, const struct fx_map *data);

#endif /* FX_RUN_RUN_H */
