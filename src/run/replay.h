/* replay.h - a graph run once more, aside, to ask its nodes again.
 *
 * All values are kept.  Asked about a node, the run is first taken back to
 * before that node, so that its inputs are what the node was given, also where
 * something was written in place later; the node may then be called as often as
 * is wanted, on those inputs or on others, and leaves no trace.  A layer or
 * composite function can be entered: a replay of what it is made of.
 */
#ifndef FX_RUN_REPLAY_H
#define FX_RUN_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "run/env.h"
#include "run/observer.h"
#include "run/plan.h"

struct fx_activation;
struct fx_backend;
struct fx_blob;
struct fx_graph;
struct fx_run;

struct fx_replay {
	struct fx_replay *outer; /* that it was entered from, or NULL ... */
	struct fx_node *call;    /* ... at this node */
	struct fx_opened opened; /* what that is made of */
	struct fx_graph *graph;
	struct fx_backend *backend;
	struct fx_ticker *ticker;
	struct fx_run *run;
	struct fx_activation *activation;
	struct fx_blob *random; /* the generator's state before it, or NULL */
};

/* What to run: GRAPH on INPUTS, of its placeholders in order (null: to its
 * default), from SEED up to before END (NULL: all of it).  OBSERVERS may stand
 * values in.
 */
struct fx_replay_wish {
	struct fx_graph *graph;
	struct fx_backend *backend;
	struct fx_datum *const *inputs;
	size_t input_count;
	uint64_t seed;
	struct fx_node *end;
	struct fx_ticker *ticker; /* may be NULL */
	const struct fx_observer *observers;
	size_t observer_count;
	/* What nodes of nested graphs are to have instead of running (plan.h);
	 * may be null.
	 */
	fx_given_fn *given;
	void *owner;
};

/* *RET is new; the graph and the backend must outlive it.  INTERRUPTED, or what
 * a node failed with.
 */
FX_NODISCARD struct fx_error *fx_replay_new(const struct fx_replay_wish *wish,
	struct fx_replay **ret);
/* Enter NODE of OUTER, which stands before it, as PART, if that is not null,
 * says: its entry, and where to stop, watched by whom.  *RET is NULL where NODE
 * is one operation, and new else; it is to be freed before OUTER moves.
 */
struct fx_replay_part {
	struct fx_entry entry;
	struct fx_node *end;
	const struct fx_observer *observers;
	size_t observer_count;
};
FX_NODISCARD struct fx_error *fx_replay_enter(struct fx_replay *outer,
	struct fx_node *node, const struct fx_replay_part *part,
	struct fx_replay **ret);
/* Whether its graph is one that the user sees, not an expansion. */
bool fx_replay_is_seen(const struct fx_replay *replay);
/* Everything that it wrote and drew is taken back. */
void fx_replay_free(struct fx_replay *replay);
FX_DEFINE_CLEANUP(replay, struct fx_replay, fx_replay_free);
#define FX_AUTO_REPLAY FX_AUTO(replay)

/* Take it back to before NODE (NULL: it stays at its end).  It never goes
 * onwards again.
 */
void fx_replay_rewind(struct fx_replay *replay, const struct fx_node *node);
/* The value of NODE as it is there, borrowed, or NULL. */
struct fx_datum *fx_replay_value(const struct fx_replay *replay,
	const struct fx_node *node);

/* Call NODE, before which REPLAY stands, with the values of its inputs in ENV,
 * and tell SEE, before what was written is put back.
 */
typedef struct fx_error *fx_replay_see_fn(void *context,
	struct fx_datum *result);
FX_NODISCARD struct fx_error *fx_replay_call(struct fx_replay *replay,
	struct fx_node *node, struct fx_env *env, fx_replay_see_fn *see,
	void *context);

/* The last node before NODE that wrote in place into the storage of TENSOR, the
 * value of MAKER, after MAKER gave it, and the tensor through which it wrote;
 * or NULL.  REPLAY stands before NODE.
 */
struct fx_node *fx_replay_writer(const struct fx_replay *replay,
	const struct fx_node *maker, const struct fx_datum *tensor,
	struct fx_datum **through_ret);
/* Which element of B lies where element INDEX of A does; *FOUND_RET false: none
 * does.  Both lie in one storage.
 */
FX_NODISCARD struct fx_error *fx_replay_same_place(const struct fx_datum *a,
	uint64_t index, const struct fx_datum *b, uint64_t *ret,
	bool *found_ret);

#endif /* FX_RUN_REPLAY_H */
