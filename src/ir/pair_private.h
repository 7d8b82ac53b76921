/* pair_private.h - the files of ir/pair: keys are chosen in pair.c, nodes of
 * equal keys paired in pair_join.c, names seen to in pair_names.c.
 */
#ifndef FX_IR_PAIR_PRIVATE_H
#define FX_IR_PAIR_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "ir/graph.h"

struct fx_arena;
struct fx_pairs;
struct fx_tick;

#define FX_PAIR_NONE SIZE_MAX

/* One graph of the two. */
struct fx_pair_side {
	struct fx_graph *graph;
	size_t count;
	struct fx_node **nodes;
	size_t *mates;  /* positions in the other graph, or FX_PAIR_NONE */
	uint64_t *own;  /* of opcode and target */
	uint64_t *cone; /* of what it is computed from */
	uint64_t *keys; /* of this stage; 0: none */
};

struct fx_pair_item {
	uint64_t key;
	size_t at;
};
typedef FX_VEC(struct fx_pair_item) fx_pair_items;

struct fx_pairing {
	struct fx_pair_side sides[2]; /* before, after */
	struct fx_arena *arena;
	struct fx_buf bytes;
	fx_pair_items rows[2]; /* scratch */
	FX_VEC(size_t) joined; /* positions before of all pairs */
	size_t followed;       /* of those, whose neighbours were looked at */
	/* Neighbours are paired though several have that key. */
	bool is_eager;
	const struct fx_tick *tick;
	size_t ticks;
	bool is_stopped;
};

/* Whether it is broken off; TICK is asked now and then. */
bool fx_pair_is_stopped(struct fx_pairing *p);

static inline size_t
fx_pair_position(const struct fx_pair_side *side, const struct fx_node *node)
{
	return fx_graph_position(side->graph, node);
}

static inline bool
fx_pair_is_free(const struct fx_pair_side *side, size_t at)
{
	return side->mates[at] == FX_PAIR_NONE;
}

enum fx_pair_choice {
	FX_PAIR_UNIQUE,  /* the only one of its key on both sides */
	FX_PAIR_NAMED,   /* of equal names */
	FX_PAIR_IN_ORDER /* one after the other */
};

/* Pair what has equal keys; a new pair's neighbours come first. */
void fx_pair_keys(struct fx_pairing *p, enum fx_pair_choice choice);

/* Pair neighbours, of equal keys, of the pair that stands AT before. */
void fx_pair_follow_one(struct fx_pairing *p, size_t at);
/* The same for all pairs that nobody followed, and those that come of it. */
void fx_pair_follow(struct fx_pairing *p);

/* How many pairs stand in another order. */
size_t fx_pairs_count_moved(const struct fx_pairs *pairs);

/* pair_names.c: pair nodes of equal names instead, where less differs so. */
void fx_pair_names(struct fx_pairs *pairs);

#endif /* FX_IR_PAIR_PRIVATE_H */
