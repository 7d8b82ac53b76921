/* verify_private.h - what the files of verification share. */
#ifndef FX_SESSION_VERIFY_PRIVATE_H
#define FX_SESSION_VERIFY_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/align.h"
#include "run/ticker.h"
#include "run/trial.h"
#include "run/widen.h"
#include "session/verify.h"

struct fx_backend;
struct fx_datum;

/* Values for all placeholders of a graph, in order. */
struct fx_trial_inputs {
	struct fx_datum **items; /* null: to its default */
	size_t count;
};
void fx_trial_inputs_deinit(struct fx_trial_inputs *inputs);

/* What inputs to make. */
struct fx_trial_wish {
	struct fx_model *model;     /* whose session's inputs are meant */
	struct fx_backend *backend; /* they are for */
	/* A copy of MODEL's graph, and the ids there of its placeholders. */
	const struct fx_graph *graph;
	const uint64_t *ids;
	/* 0: the session's, where there are some; others are like them: floats
	 * normal, in every third an eighth of them 32 times as large, integers
	 * drawn from the session's or from what tables have rows for, bools as
	 * they are.
	 */
	size_t number;
	/* How often integers were too large: ranges nobody tells get smaller.
	 */
	size_t attempt;
	bool is_wide; /* floats are f64 */
	bool has_nan; /* some are NaN and infinite */
};
#define FX_TRIAL_ATTEMPTS 3

/* NO_INPUT when one has neither a value nor a shape; else what making it met.
 */
FX_NODISCARD struct fx_error *
fx_trial_inputs_make(const struct fx_trial_wish *wish,
	struct fx_trial_inputs *ret);

#define FX_TRIAL_INPUTS FX_VERIFY_INPUTS

/* verify_kept.c: a graph that ran, its inputs and what is known of it on each.
 */
struct fx_kept_graph {
	enum fx_claim claim;
	struct fx_graph *graph; /* NULL: none */
	struct fx_trial_inputs inputs[FX_TRIAL_INPUTS];
	struct fx_trial_memory memory[FX_TRIAL_INPUTS];
	struct fx_alignment alignment; /* with the one that runs now */
};
void fx_kept_graph_deinit(struct fx_kept_graph *kept);

/* How a backend is set up; pointers are only compared. */
struct fx_kept_setup {
	const struct fx_backend *fallback;
	int confinement;
	int64_t threads;
	uint64_t seed;
};

/* The last ones of a session, the newest first. */
#define FX_KEPT_GRAPHS 4
struct fx_kept_trials {
	struct fx_kept_setup setup;
	struct fx_backend *backend; /* owned */
	struct fx_widening widening;
	struct fx_kept_graph graphs[FX_KEPT_GRAPHS];
};
void fx_kept_trials_free(struct fx_kept_trials *kept);

struct fx_verify {
	struct fx_session *session;
	struct fx_model *model;
	struct fx_verify_options options;
	struct fx_graph *before; /* a copy, in its own dtypes */
	struct fx_map originals; /* id in the model -> node of the copy */
	FX_VEC(uint64_t) ids;    /* of placeholders, in the model */
	struct fx_graph *runs;   /* what is run of it: BEFORE, or a wide copy */
	struct fx_widening widening;
	struct fx_backend *backend; /* NULL: not asked yet */
	bool owns_backend;
	bool tells_nan; /* the last inputs have some NaN and infinities */
	char *why;      /* nothing can run, or NULL */
	struct fx_trial_inputs inputs[FX_TRIAL_INPUTS]; /* made when needed */
	struct fx_trial_memory memory[FX_TRIAL_INPUTS]; /* of RUNS on them */
	size_t attempt;
	struct fx_ticker ticker;
	/* It takes what is kept in the session, and leaves what it ran. */
	bool keeps;
	struct fx_kept_setup setup;
	struct fx_kept_trials *kept; /* what it took, or NULL */
	struct fx_kept_graph after;  /* the last one that was in question */
};

/* verify.c: a copy of GRAPH; ORIGINALS (may be NULL) gets id -> node of it. */
struct fx_graph *fx_verify_copy(struct fx_session *session,
	const struct fx_graph *graph, struct fx_map *originals);
/* verify_run.c: compare by running; COPY is of the graph in question. */
FX_NODISCARD struct fx_error *fx_verify_run(struct fx_verify *verify,
	struct fx_graph *copy_taken, struct fx_verify_result *ret);

/* verify_kept.c: TAKE what the session has for such a backend, which VERIFY
 * gets; ALIGN what runs with it; RECALL what is known of input NUMBER; DROP it.
 * KEEP what the graph in question gave; LEAVE all to the session.
 */
void fx_verify_take_kept(struct fx_verify *verify);
void fx_verify_align_kept(struct fx_verify *verify);
void fx_verify_recall(struct fx_verify *verify, size_t number);
void fx_verify_drop_kept(struct fx_verify *verify);
void fx_verify_keep_after(struct fx_verify *verify, size_t number,
	const struct fx_alignment *alignment,
	const struct fx_trial_results *results);
void fx_verify_leave(struct fx_verify *verify);

/* verify_run.c, for who runs the graphs himself (compare.c): whether it can be
 * run, else VERIFY says why; the first inputs, the session's, made; and those
 * of NUMBER in the order of GRAPH's placeholders: by their targets, else in
 * order.  The caller frees the array, whose data are borrowed.
 */
FX_NODISCARD struct fx_error *fx_verify_ready(struct fx_verify *verify);
FX_NODISCARD struct fx_error *fx_verify_get_inputs(struct fx_verify *verify);
struct fx_datum **fx_verify_match_inputs(const struct fx_verify *verify,
	size_t number, const struct fx_graph *graph, size_t *count_ret);
/* By placeholder of GRAPH: the place of the one that gives it its value, among
 * those of the graph before, or SIZE_MAX.  The caller frees the array.
 */
size_t *fx_verify_pair_inputs(const struct fx_verify *verify,
	const struct fx_graph *graph, size_t *count_ret);
/* Lines where placeholders of GRAPH were given other shapes or dtypes than
 * those of INPUTS, which they get: the caller's, or NULL.
 */
char *fx_verify_tell_inputs(const struct fx_graph *graph,
	struct fx_datum *const *inputs);
/* One of GRAPH that is needed and that nothing gives a value, or NULL. */
const struct fx_node *fx_verify_lone_input(const struct fx_verify *verify,
	const struct fx_graph *graph);

#endif /* FX_SESSION_VERIFY_PRIVATE_H */
