/* checkpoint_private.h - what making a checkpoint and returning to it share. */
#ifndef FX_SESSION_CHECKPOINT_PRIVATE_H
#define FX_SESSION_CHECKPOINT_PRIVATE_H

#include "session/checkpoint.h"
#include "session/kept_inputs.h"

/* A graph in which the run stood. */
struct fx_checkpoint_place {
	struct fx_graph *graph;
	uint64_t stop; /* 0: at the end */
	size_t turn;   /* of its while_loop, from 1; 0: none */
};

/* A node that drew numbers, and the generator's state before it. */
struct fx_checkpoint_draw {
	uint64_t node;
	struct fx_blob *random;
};

struct fx_checkpoint {
	struct fx_checkpoint_facts facts; /* but for the values */
	int number;
	const char *name; /* interned, or NULL */
	struct fx_model *model;
	uint32_t time;
	uint64_t seed;
	struct fx_kept_inputs inputs;
	struct fx_map given;        /* id -> datum: values that were set */
	struct fx_backend *backend; /* of these and of VALUES */
	FX_VEC(struct fx_checkpoint_place)
	places;                 /* outermost first; none: not started */
	struct fx_map values;   /* id -> datum, of the outermost graph */
	struct fx_map storages; /* of VALUES -> 1 */
	FX_VEC(struct fx_checkpoint_draw) draws; /* in order */
	struct fx_blob *random; /* the generator's state there, or NULL */
	const char *why;        /* it is spoilt: all runs again; or NULL */
};

/* checkpoint_restart.c: USAGE where the graph is as it is at no time of the
 * journal.
 */
FX_NODISCARD struct fx_error *
fx_checkpoint_check_closed(const struct fx_model *model);

#endif /* FX_SESSION_CHECKPOINT_PRIVATE_H */
