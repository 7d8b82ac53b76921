/* timeline.h - what running did that going back has to take back.
 *
 * Values lie in the places (activation.h).  Beside them the timeline keeps what
 * was overwritten in place and the states of the random generator, a record a
 * node that had such an effect, in order of execution: going back over it puts
 * the bytes back.  It also knows which values were dropped to stay below the
 * record limit.
 */
#ifndef FX_RUN_TIMELINE_H
#define FX_RUN_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/side_effects.h"
#include "run/plan.h"

struct fx_bitset;
struct fx_graph;

struct fx_saved {
	struct fx_datum *tensor; /* lies in the storage */
	uintptr_t storage;
	struct fx_blob *bytes; /* before; NULL: saved already, or lost */
	struct fx_blob *shape; /* the tensor's before; NULL too: lost */
};

/* saved.c: whether what was saved of a tensor that fills its storage is still
 * there, as of the statistics of a layer that does not train.
 */
bool fx_saved_is_unchanged(const struct fx_saved *saved);

struct fx_effect {
	const struct fx_graph *graph;
	uint64_t node;
	FX_VEC(struct fx_saved) saved;
	struct fx_blob *random; /* the generator's state before, or NULL */
	bool is_lost; /* what lies where the result does is not put back */
};

struct fx_timeline {
	struct fx_backend *backend; /* borrowed */
	struct fx_plan_watch watch;
	FX_VEC(struct fx_effect) effects;
	struct fx_map kinds;   /* id -> fx_side_effect bits, ever since start */
	struct fx_map written; /* id -> array of storages, 0 at its end */
	struct fx_map generations; /* storage -> how often it was written */
	struct fx_map
		finite; /* id -> generation and answer (nonfinite_cache.c) */
	struct fx_map dropped;        /* id -> what stays of it (dropped.c) */
	struct fx_map strays;         /* id -> 1: was dropped since start */
	struct fx_blob *random;       /* the generator's state now, or NULL */
	const struct fx_graph *graph; /* of the node that runs ... */
	uint64_t node;                /* ... or 0 */
	bool has_effect;              /* the last of effects is its */
	/* Tensors whose values nobody needs any more, so that a call may
	 * overwrite them for good (release_dead.c).
	 */
	FX_VEC(const struct fx_datum *) evictable;
	size_t saved_bytes;
	struct fx_map
		storages;   /* that values lie in -> bytes (record_limit.c) */
	size_t held_bytes;  /* of them */
	size_t limit;       /* of both kinds of bytes; 0: none */
	bool is_off;        /* nothing is kept, no summaries either */
	size_t next_trim;   /* dropping is not tried below */
	size_t dropped_now; /* by this command ... */
	size_t summarised_now; /* ... of which a summary stays */
	/* Since the model was opened. */
	size_t recomputed;
};

/* Empty, for BACKEND, whose generator starts from SEED. */
FX_NODISCARD struct fx_error *fx_timeline_start(struct fx_timeline *timeline,
	struct fx_backend *backend, uint64_t seed);
/* Everything that was overwritten is put back first. */
void fx_timeline_clear(struct fx_timeline *timeline);

/* Around the execution of NODE: what it overwrites in between is kept.  When
 * it failed, that is put back at once; what was lost is dropped from ENV.
 */
void fx_timeline_begin(struct fx_timeline *timeline,
	const struct fx_node *node);
FX_NODISCARD struct fx_error *fx_timeline_end(struct fx_timeline *timeline);
void fx_timeline_fail(struct fx_timeline *timeline, struct fx_env *env);

/* Take back the effects of GRAPH's nodes from STOP on (NULL: none), whose
 * values in ENV go too, as they have to run again.
 */
void fx_timeline_rewind(struct fx_timeline *timeline,
	const struct fx_graph *graph, struct fx_env *env,
	const struct fx_node *stop);
/* The last one; ENV loses its node's value. */
void fx_timeline_take_back(struct fx_timeline *timeline, struct fx_env *env);
/* Effects of GRAPH's nodes are all CALL's, of the graph above it.  The index of
 * the first of them.
 */
size_t fx_timeline_fold(struct fx_timeline *timeline,
	const struct fx_graph *graph, const struct fx_node *call);
/* In the effects from index FIRST on, free the saved bytes of values that
 * nobody has any more, and remove the effects that then keep nothing.
 */
void fx_timeline_prune(struct fx_timeline *timeline, size_t first);
/* The effects from index FIRST to before END, of one node, become one; returns
 * how many fewer there are.
 */
size_t fx_timeline_merge(struct fx_timeline *timeline, size_t first,
	size_t end);

/* EFFECT is to be taken back, but what it overwrote is lost: what lies there,
 * but for its node's own result, is dropped from ENV, as the bytes to write
 * into are to be computed again.  True if anything may lie there.
 */
bool fx_timeline_drop_lost(struct fx_timeline *timeline,
	const struct fx_effect *effect, struct fx_env *env);

/* dropped.c: the value DATUM of NODE goes to stay below the limit; true when
 * its summary stays.  A tensor that is the value of several nodes, as nodes
 * that write in place make it, is measured once: SAMPLED, empty at first, keeps
 * the summaries of those that go together; NULL: DATUM goes alone.
 */
bool fx_timeline_drop(struct fx_timeline *timeline, uint64_t node,
	const struct fx_datum *datum, struct fx_map *sampled);
/* It has a value again, or none any more: true if it was dropped. */
bool fx_timeline_undrop(struct fx_timeline *timeline, uint64_t node);
void fx_timeline_forget_dropped(struct fx_timeline *timeline);
/* The nodes in STALE (by the low half of the id) do not write any more what
 * they wrote: summaries of what was written go.
 */
void fx_timeline_doubt(struct fx_timeline *timeline,
	const struct fx_bitset *stale);

/* Return the summary, borrowed, of NODE's value, which was dropped, or NULL if
 * there is none.  If *WRITER_RET is not 0, the summary holds only once the node
 * with that id has run.
 */
struct fx_summary;
const struct fx_summary *fx_timeline_summary(const struct fx_timeline *timeline,
	uint64_t node, uint64_t *writer_ret);

/* Let go what EFFECT saved, item INDEX; returns its size in bytes. */
size_t fx_timeline_unsave(struct fx_timeline *timeline,
	struct fx_effect *effect, size_t index);

/* Return the side effects that NODE had when it ran last, as bits of enum
 * fx_side_effect.
 */
unsigned fx_timeline_kinds(const struct fx_timeline *timeline, uint64_t node);

/* Put back the generator's state that running left: expressions, and other
 * models on the same backend, draw numbers too.
 */
void fx_timeline_keep_random(struct fx_timeline *timeline);

#endif /* FX_RUN_TIMELINE_H */
