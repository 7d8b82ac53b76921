/* activation.h - the stack of graphs in which execution stands.
 *
 * The outermost graph, then the nested ones (of submodules that own one) that
 * `step` entered.  A place holds the values of its nodes by id; those above
 * its stop are there for the user, those below are kept for moving onwards
 * again without running.
 */
#ifndef FX_SESSION_ACTIVATION_H
#define FX_SESSION_ACTIVATION_H

#include "run/env.h"
#include "run/interp.h"
#include "run/plan.h"
#include "session/session_private.h"

struct fx_activation {
	struct fx_graph *graph;
	uint64_t call;        /* node of the place above; 0 in the outermost */
	uint64_t stop;        /* stopped before this node; 0: at the end */
	struct fx_node *held; /* that node while the graph changes */
	struct fx_env env;
	struct fx_plans plans;
	struct fx_datum **arguments; /* nested: of its placeholders */
	size_t argument_count;
};

/* The innermost one, or NULL: not started. */
struct fx_activation *fx_model_activation(const struct fx_model *model);
/* The place whose graph is GRAPH, or NULL. */
struct fx_activation *fx_model_activation_of(const struct fx_model *model,
	const struct fx_graph *graph);
struct fx_node *fx_activation_stop(const struct fx_activation *place);
void fx_activation_set_stop(struct fx_model *model, struct fx_activation *place,
	struct fx_node *node);
struct fx_activation *fx_activation_push(struct fx_model *model,
	struct fx_graph *graph);
void fx_activation_pop(struct fx_model *model);
/* Starting over keeps the outermost place, as its plans took time to make:
 * take it out of the stack, without values (NULL: there is none), and stand
 * before the first node of it, or of a fresh one when it does not fit any
 * more.
 */
struct fx_activation *fx_activation_detach(struct fx_model *model);
void fx_activation_attach(struct fx_model *model,
	struct fx_activation *place_taken);
/* Enter the graph nested in CALL, on its arguments' values. */
FX_NODISCARD struct fx_error *fx_activation_enter(struct fx_model *model,
	struct fx_node *call);
/* Leave the innermost place at its end: its result becomes the call's. */
void fx_activation_leave(struct fx_model *model);
/* An interpreter for PLACE. */
struct fx_interp fx_activation_interp(struct fx_model *model,
	struct fx_activation *place);

/* recompute.c: */
/* Run NODE, recording; an override takes the place of running. */
FX_NODISCARD struct fx_error *fx_activation_execute(struct fx_model *model,
	struct fx_interp *interp, struct fx_node *node);
/* Give NODE's inputs values where they have none; give NODE, above the stop,
 * its own.  What was written in place since is taken back before and done
 * again after.
 */
FX_NODISCARD struct fx_error *fx_activation_ensure(struct fx_model *model,
	struct fx_interp *interp, struct fx_node *node);
FX_NODISCARD struct fx_error *fx_activation_compute(struct fx_model *model,
	struct fx_activation *place, struct fx_node *node);
/* NODE has its value: neither dirty nor failed. */
void fx_model_has_run(struct fx_model *model, const struct fx_node *node);
/* The override of NODE as its value; false when it has none. */
bool fx_activation_override(struct fx_model *model, struct fx_activation *place,
	const struct fx_node *node);
/* nonfinite_cache.c: whether NODE's value, if it can be seen, holds NaN or
 * infinities.
 */
bool fx_model_is_nonfinite(struct fx_model *model,
	const struct fx_activation *place, const struct fx_node *node);
/* Whether NODE, of its graph, lies above the stop of PLACE. */
bool fx_activation_is_above(const struct fx_activation *place,
	const struct fx_node *node);
/* NODE's value, borrowed, if it has one that can be seen: it is above the stop.
 */
struct fx_datum *fx_activation_value(const struct fx_activation *place,
	const struct fx_node *node);

#endif /* FX_SESSION_ACTIVATION_H */
