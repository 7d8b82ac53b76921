/* activation.h - running in the graphs in which execution stands. */
#ifndef FX_SESSION_ACTIVATION_H
#define FX_SESSION_ACTIVATION_H

#include "run/interp.h"
#include "run/run.h"
#include "session/session_private.h"

/* Enter the graph nested in CALL, on its arguments' values: of a cond the
 * branch that its predicate chooses, of a while_loop the condition.
 */
FX_NODISCARD struct fx_error *fx_activation_enter(struct fx_model *model,
	struct fx_node *call);
/* Leave the innermost place at its end: its result becomes the call's.  That of
 * a while_loop goes on in its body, or in its condition, while that holds.
 */
FX_NODISCARD struct fx_error *fx_activation_leave(struct fx_model *model);
/* Whether PLACE, at the end of its graph, is to be left: a while_loop is when
 * its condition does not hold.
 */
FX_NODISCARD struct fx_error *
fx_activation_is_over(const struct fx_model *model,
	const struct fx_activation *place, bool *ret);
/* The node of the place above that PLACE was entered by; NULL: the outermost.
 */
struct fx_node *fx_activation_call(const struct fx_model *model,
	const struct fx_activation *place);
/* An interpreter for PLACE. */
struct fx_interp fx_activation_interp(struct fx_model *model,
	struct fx_activation *place);

/* recorder.c: the observer that keeps what running does. */
struct fx_recorder {
	struct fx_model *model;
	bool is_again;     /* out of order, as somebody is about to look */
	bool lacks_inputs; /* the node that it stopped before: run them first */
	uint64_t waited;   /* that node, which it stops before once */
	struct fx_error *error; /* another reason, the receiver's */
};
struct fx_observer fx_recorder_observer(struct fx_recorder *recorder);

/* NODE has the value that was set for it, out of order; false when what it
 * would draw from is not to be had.
 */
bool fx_activation_give(struct fx_model *model, struct fx_activation *place,
	struct fx_node *node);

/* recompute.c: */
/* Run NODE out of order, recording, without stops; an override takes the place
 * of running.
 */
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
/* nonfinite_cache.c: whether NODE's value, if it can be seen, holds NaN or
 * infinities.
 */
bool fx_model_is_nonfinite(struct fx_model *model,
	const struct fx_activation *place, const struct fx_node *node);
/* Whether DATUM, the value of NODE, does. */
bool fx_model_datum_is_nonfinite(struct fx_model *model,
	const struct fx_node *node, const struct fx_datum *datum);
#endif /* FX_SESSION_ACTIVATION_H */
