/* trial.h - running a graph to see what it gives, leaving no trace.
 *
 * A trial is a run of its own that ends at once: what it wrote in place, into
 * parameters, buffers or its inputs, is put back, and the generator is in the
 * state that it was in.  The session's run and its timeline know nothing of it.
 */
#ifndef FX_RUN_TRIAL_H
#define FX_RUN_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/vec.h"
#include "run/env.h"
#include "run/observer.h"
#include "run/plan.h"

struct fx_backend;
struct fx_graph;
struct fx_ticker;

struct fx_trial {
	struct fx_graph *graph;
	/* Its parameters are what they are there now: one made for the trial
	 * has the graph's own.
	 */
	struct fx_backend *backend;
	/* Of the placeholders in order, borrowed; null ones, and those that
	 * lack, are left to their defaults.
	 */
	struct fx_datum *const *inputs;
	size_t input_count;
	uint64_t seed;            /* that the generator starts from */
	struct fx_ticker *ticker; /* asked between nodes; may be null */
	const struct fx_observer *observers;
	size_t observer_count;
	/* What nodes of nested graphs are to have instead of running (plan.h);
	 * may be null.
	 */
	fx_given_fn *given;
	void *owner;
};

/* Run T to its end.  *OUTPUT_RET (null: not wanted) is new: what the graph
 * gives, None where it gives nothing.  KEPT (null: freed at their last use),
 * empty before, gets the values of the nodes; on an error, of those that ran.
 * Nothing of both is written by anybody else.  INTERRUPTED when the ticker or
 * an observer says stop.
 */
FX_NODISCARD struct fx_error *fx_trial_run(const struct fx_trial *t,
	struct fx_env *kept, struct fx_datum **output_ret);

/* Two graphs on the same inputs, as a trial each: what both do alike from the
 * beginning on (ir/align.h) is run once.  ALIGNMENT is of T's graph and the
 * other one, whose placeholders get OTHERS.  What no later node of either needs
 * is freed.
 */
struct fx_alignment;

/* Values of the nodes before AT that the nodes from there on need; AT NULL:
 * there are none.
 */
struct fx_trial_stop {
	struct fx_node *at;
	struct fx_env values;
};

/* What stays of a first graph that is compared with one other after another on
 * the same inputs: what it gave, and the values that there were where the two
 * parted: the last time that no other values would do, and as late as ever.
 * The next ones begin there.
 */
#define FX_TRIAL_STOPS 2
struct fx_trial_memory {
	struct fx_datum *output; /* NULL: it has not run */
	struct fx_trial_stop stops[FX_TRIAL_STOPS];
};
/* All zero is empty. */
void fx_trial_memory_deinit(struct fx_trial_memory *memory);

struct fx_trial_pair {
	const struct fx_trial *trial;
	const struct fx_alignment *alignment;
	struct fx_trial_memory *memory; /* of TRIAL, or NULL */
	struct fx_datum *const *others;
	size_t other_count;
};
/* An input, parameter or buffer that a graph wrote in place. */
struct fx_trial_written {
	const char *name; /* of the input, "bn.running_mean"; interned */
	bool is_input;
	struct fx_datum *value; /* a copy of what the graph left there */
	struct fx_datum *datum; /* itself, in which that is taken back */
};
struct fx_trial_results {
	struct fx_datum *outputs[2]; /* new; NULL where it failed */
	FX_VEC(struct fx_trial_written) written[2];
	struct fx_error *errors[2]; /* of the first: the other did not run */
	size_t executed[2];         /* nodes; the shared ones by the first */
	bool is_traceless; /* the second has run, and wrote its values alone */
};
void fx_trial_results_deinit(struct fx_trial_results *results);
FX_DEFINE_DEINIT(trial_results, struct fx_trial_results,
	fx_trial_results_deinit);
#define FX_AUTO_TRIAL_RESULTS FX_AUTO(trial_results)

/* A graph that cannot be run is no error of this function: INTERRUPTED, or what
 * the generator's state met.
 */
FX_NODISCARD struct fx_error *
fx_trial_run_pair(const struct fx_trial_pair *pair,
	struct fx_trial_results *ret);

/* Two graphs side by side, of one backend and ticker, so that values of both
 * are there at one time and need not be kept: before the second one runs a
 * node, the first goes on to behind the one that MATE gives (NULL: it waits).
 * Neither may draw random numbers or write what the other reads.
 */
typedef struct fx_node *fx_trial_mate_fn(void *context,
	const struct fx_node *node);
struct fx_trial_walk {
	const struct fx_trial *trials[2];
	fx_trial_mate_fn *mate;
	void *context;
};

/* Both to their ends.  What keeps the second from that is *LEFT_RET, the
 * caller's; the error returned is the first's, or INTERRUPTED.
 */
FX_NODISCARD struct fx_error *
fx_trial_run_beside(const struct fx_trial_walk *walk,
	struct fx_error **left_ret);

#endif /* FX_RUN_TRIAL_H */
