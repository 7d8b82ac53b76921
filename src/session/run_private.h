/* run_private.h - what the files that run a model share: its backend, values
 * that are set, stale or over the limit.
 */
#ifndef FX_SESSION_RUN_PRIVATE_H
#define FX_SESSION_RUN_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/map.h"

struct fx_datum;
struct fx_edit_report;
struct fx_graph_change;
struct fx_model;
struct fx_node;
struct fx_activation;
struct fx_backend;
struct fx_session;
struct fx_value;

/* backend.c */
/* The backend that the settings ask for; what another one ran is dropped and
 * inputs are read again.  When they cannot be, it stays the one before.
 */
FX_NODISCARD struct fx_error *
fx_model_choose_backend(struct fx_session *session, struct fx_model *model);
/* The backend is about to compute for MODEL: with as many threads as are set,
 * and confined as its graph is (ops/world.h).
 */
void fx_model_ready_backend(struct fx_model *model);
/* missing.c: why parameters of MODEL have no values, the caller's; NULL: all
 * have.  Whether some have, so that nodes can be computed.
 */
char *fx_model_why_no_weights(struct fx_model *model);
bool fx_model_has_some_weights(const struct fx_model *model);
/* Why MODEL's backend has no values; the caller's. */
char *fx_model_why_no_values(struct fx_model *model);
/* The backend for trials of MODEL, which is ready: one with the graph's own
 * parameters where there can be, for the caller to free if it IS_OWN.
 */
FX_NODISCARD struct fx_error *fx_model_trial_backend(struct fx_model *model,
	struct fx_backend **ret, bool *is_own_ret);
/* The same for f64 where MODEL runs in Python: libtorch, on the processor, if
 * that is only for the device that it lies on; else UNSUPPORTED.  The caller's.
 */
FX_NODISCARD struct fx_error *fx_model_wide_backend(struct fx_model *model,
	struct fx_backend **ret);
/* What computes values for expressions where nothing has run in MODEL, which
 * may be NULL; NULL when settings or the machine give none.
 */
struct fx_backend *fx_session_value_backend(struct fx_session *session,
	struct fx_model *model);
/* Expressions draw from the session's seed on. */
void fx_session_seed_backends(struct fx_session *session);
void fx_session_free_backends(struct fx_session *session);
/* The model's capture ends, but values of its backend may stay: true when the
 * session took the capture for their sake.
 */
bool fx_session_retire_capture(struct fx_session *session,
	struct fx_model *model);
/* A line to be told after the command that runs; one to be told at once. */
void fx_model_say(struct fx_model *model, char *text_taken);
void fx_model_tell(struct fx_model *model, char *text_taken);

/* record_limit.c: the record limit.  BEGIN a command that runs: what was
 * brought back beyond it goes; after NODE ran, in order, drop values if need
 * be; TELL of it. COUNT what is held.  AFTER_AGAIN: NODE ran out of order, as
 * somebody is about to look at it.
 */
void fx_record_limit_begin(struct fx_session *session, struct fx_model *model);
void fx_record_limit_after(struct fx_model *model, struct fx_activation *place,
	const struct fx_node *node);
void fx_record_limit_after_again(struct fx_model *model,
	const struct fx_activation *place, const struct fx_node *node);
/* Whether NODE's value has to stay: somebody who has not run yet takes it, but
 * for RUNNING, or running does not give it.
 */
bool fx_record_limit_needs(const struct fx_model *model,
	const struct fx_activation *place, const struct fx_node *node,
	const struct fx_node *running);
/* "record limit 2G", as it is set; the caller frees. */
char *fx_record_limit_words(const struct fx_session *session);
void fx_record_limit_tell(struct fx_session *session, struct fx_model *model);
void fx_record_limit_count(struct fx_model *model);
/* release_dead.c: NODE is about to run, and what it will be the last to need
 * need not be saved from it; it ran, and that goes.
 */
void fx_record_limit_foresee(struct fx_model *model,
	const struct fx_activation *place, const struct fx_node *node);
void fx_record_limit_spend(struct fx_model *model, struct fx_activation *place,
	const struct fx_node *node);

/* memory.c: NO_SPACE when BYTES, a value of META, or NODE's result, would not
 * fit.  WHAT says what they are for: "the result takes".
 */
FX_NODISCARD struct fx_error *fx_check_bytes(const char *what, uint64_t bytes);
FX_NODISCARD struct fx_error *fx_check_memory(const struct fx_model *model,
	const struct fx_value *meta);
FX_NODISCARD struct fx_error *fx_check_node_memory(const struct fx_model *model,
	const struct fx_node *node);

/* input.c: all inputs are for the backend of now; on failure they are as
 * before.
 */
FX_NODISCARD struct fx_error *fx_model_carry_inputs(struct fx_model *model);
/* input.c: what is run has the shapes of its inputs again. */
void fx_model_end_look(struct fx_model *model);

/* evaluate.c: TYPE when DATUM is a set of nodes. */
FX_NODISCARD struct fx_error *fx_check_is_value(const struct fx_datum *datum);
/* history.c: what the user has of the storages of DATA, of which those with a
 * bit in WRITES are to be written, gets copies.  CONTEXT is a model.
 */
void fx_model_protect(void *context, struct fx_datum *const *data,
	uint64_t writes);
/* override.c: what the user set for NODE, borrowed, or NULL, of CONTEXT, a
 * model.
 */
struct fx_datum *fx_model_given_value(void *context,
	const struct fx_node *node);
/* Carry the overrides over to the new backend.  An override that the backend
 * cannot hold is dropped, and the user is told.
 */
void fx_model_carry_overrides(struct fx_model *model);

/* decisions.c: what there is to test in the graph of MODEL, if anything. */
struct fx_decisions;
void fx_decisions_open(struct fx_model *model);
void fx_decisions_free(struct fx_decisions *decisions);
/* decisions.c: inputs are others, or a run begins: what shapes tell of the
 * decisions of a recording.
 */
void fx_decisions_review(struct fx_model *model);
/* NODE has run: what it tells.  The user hears what does not hold any more. */
void fx_decisions_see(struct fx_model *model, const struct fx_node *node);

/* undo_cache.c: an edit LEAVES the graph of TIME, whose values that go are
 * KEPT, and ARRIVES at that of another, where those of then come back.  CLEAR
 * when anything but the graph changes.
 */
void fx_undo_cache_leave(struct fx_model *model, uint32_t time);
void fx_undo_cache_keep(struct fx_model *model, uint64_t id,
	struct fx_datum *datum);
void fx_undo_cache_arrive(struct fx_model *model, uint32_t time);
void fx_undo_cache_clear(struct fx_model *model);

/* invalidate.c */
size_t fx_model_dirty_count(const struct fx_model *model);

/* invalidate.c: the values of CHANGE's cone are stale, and of what reads bytes
 * that are written differently now; the position goes back when the first of it
 * lies above.  SAY: how many nodes are dirty after it.
 */
void fx_model_invalidate(struct fx_model *model,
	const struct fx_graph_change *change, struct fx_edit_report *report);
/* The value of NODE, of the innermost place or of a graph that has not run, is
 * another one, and so what the graphs give that it is nested in.
 */
void fx_model_invalidate_value(struct fx_model *model,
	const struct fx_node *node, struct fx_edit_report *report);
/* Like fx_model_invalidate, in PLACE only: CHANGE is a change of PLACE's graph.
 */
void fx_activation_invalidate(struct fx_model *model,
	struct fx_activation *place, const struct fx_graph_change *change,
	struct fx_edit_report *report);

/* input.c: NODE, a placeholder of MODEL, gets a copy of DATUM, which OTHER
 * holds.
 */
FX_NODISCARD struct fx_error *fx_model_give_input(struct fx_model *model,
	struct fx_node *node, const struct fx_model *other,
	struct fx_datum *datum);
/* COPY runs with what MODEL was given; NODES has its node for each of MODEL. */
void fx_model_share_inputs(struct fx_model *copy, const struct fx_model *model,
	const struct fx_map *nodes);

#endif /* FX_SESSION_RUN_PRIVATE_H */
