/* pair.c - which nodes of two graphs are one and the same.
 *
 * Three ways are gone, by structure alone and with more and more trust in
 * names, and the one that leaves the smallest difference is taken.
 *
 * Each stage gives every node a key and pairs nodes of equal keys: digests of
 * all that a node is computed from, of all that uses it, of its own call, of
 * its name.  What is paired already stands for itself in the digests, so that a
 * change is seen where it is and not in all that hangs on it.  From each new
 * pair on, neighbours that also have equal keys are paired first: that keeps
 * parallel branches that look alike apart.
 */
#include <config.h>

#include "ir/pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "ir/graph_hash.h"
#include "ir/hash_bytes.h"
#include "ir/order.h"
#include "ir/pair_private.h"
#include "ir/value_walk.h"

static uint64_t
digest(const struct fx_buf *bytes)
{
	uint64_t word = fx_hash_quick(bytes->data, bytes->length);

	return word ? word : 1;
}

static void
hash_own(struct fx_pairing *p, struct fx_pair_side *side)
{
	size_t inputs = 0;

	for (size_t i = 0; i < side->count; i++) {
		const struct fx_node *node = side->nodes[i];

		fx_buf_clear(&p->bytes);
		fx_hash_put_byte(&p->bytes, node->opcode);
		if (node->opcode == FX_OPCODE_PLACEHOLDER)
			fx_hash_put_word(&p->bytes, inputs++);
		else if (node->opcode != FX_OPCODE_OUTPUT)
			fx_hash_put_interned(&p->bytes, node->target);
		side->own[i] = digest(&p->bytes);
	}
}

static void
side_init(struct fx_pairing *p, struct fx_pair_side *side,
	struct fx_graph *graph)
{
	struct fx_node *node;
	size_t count = graph->node_count;
	size_t i = 0;

	side->graph = graph;
	side->count = count;
	side->nodes = FX_ARENA_ARRAY(p->arena, struct fx_node *, count);
	side->mates = FX_ARENA_ARRAY(p->arena, size_t, count);
	side->own = FX_ARENA_ARRAY(p->arena, uint64_t, count);
	side->cone = FX_ARENA_ARRAY(p->arena, uint64_t, count);
	side->keys = FX_ARENA_ARRAY(p->arena, uint64_t, count);
	fx_graph_for_each_node (node, graph) {
		side->mates[i] = FX_PAIR_NONE;
		side->nodes[i++] = node;
	}
	hash_own(p, side);
}

/* What an input is called in a digest: its number when it is paired. */
static uint64_t
known_as(const struct fx_pairing *p, const struct fx_pair_side *side, size_t at,
	const uint64_t *hashes)
{
	size_t mate = side->mates[at];

	if (mate == FX_PAIR_NONE)
		return hashes[at];
	return (side == &p->sides[0] ? at : mate) * UINT64_C(2654435761) + 7;
}

/* --- digests ------------------------------------------------------------- */

struct cone {
	const struct fx_pairing *pairing;
	const struct fx_pair_side *side;
};

static struct fx_value
by_cone(void *context, const struct fx_value *leaf)
{
	const struct cone *cone = context;

	if (leaf->kind != FX_VALUE_NODE)
		return *leaf;
	return fx_value_int((int64_t)known_as(cone->pairing, cone->side,
		fx_pair_position(cone->side, leaf->node), cone->side->cone));
}

/* The arguments of NODE, each leaf mapped by MAP, as bytes. */
static void
put_arguments(struct fx_pairing *p, const struct fx_node *node,
	fx_value_map_fn *map, void *context)
{
	struct fx_arena_mark mark = fx_arena_mark(p->arena);
	struct fx_value value;

	value = fx_value_map(p->arena, &node->args, map, context);
	fx_hash_put_value(&p->bytes, &value, false);
	value = fx_value_map(p->arena, &node->kwargs, map, context);
	fx_hash_put_value(&p->bytes, &value, false);
	fx_arena_rollback(p->arena, mark);
}

static void
hash_cones(struct fx_pairing *p, struct fx_pair_side *side)
{
	struct cone cone = { p, side };

	for (size_t i = 0; i < side->count && !fx_pair_is_stopped(p); i++) {
		fx_buf_clear(&p->bytes);
		fx_hash_put_word(&p->bytes, side->own[i]);
		put_arguments(p, side->nodes[i], by_cone, &cone);
		side->cone[i] = digest(&p->bytes);
	}
}

/* What users make of their inputs, gathered from the end of the graph on. */
struct users {
	const struct fx_pair_side *side;
	uint64_t *sums; /* by position */
	uint64_t user;  /* what this one is called */
	uint64_t leaf;  /* leaves of its arguments so far */
};

static struct fx_value
without_nodes(void *context, const struct fx_value *leaf)
{
	(void)context;
	return leaf->kind == FX_VALUE_NODE ? fx_value_none() : *leaf;
}

static struct fx_value
tell_input(void *context, const struct fx_value *leaf)
{
	struct users *users = context;
	uint64_t words[2] = { users->user, users->leaf++ };

	if (leaf->kind == FX_VALUE_NODE)
		users->sums[fx_pair_position(users->side, leaf->node)] +=
			fx_hash_quick(words, sizeof(words));
	return *leaf;
}

static void
hash_users(struct fx_pairing *p, struct fx_pair_side *side)
{
	struct fx_arena_mark mark = fx_arena_mark(p->arena);
	struct users users = { .side = side,
		.sums = FX_ARENA_ARRAY(p->arena, uint64_t, side->count) };

	for (size_t i = side->count; i-- > 0 && !fx_pair_is_stopped(p);) {
		const struct fx_node *node = side->nodes[i];

		fx_buf_clear(&p->bytes);
		fx_hash_put_word(&p->bytes, side->own[i]);
		fx_hash_put_word(&p->bytes, users.sums[i]);
		put_arguments(p, node, without_nodes, NULL);
		side->keys[i] = digest(&p->bytes);
		users.user = known_as(p, side, i, side->keys);
		users.leaf = 0;
		(void)fx_value_map(p->arena, &node->args, tell_input, &users);
		(void)fx_value_map(p->arena, &node->kwargs, tell_input, &users);
	}
	fx_arena_rollback(p->arena, mark);
}

/* --- stages -------------------------------------------------------------- */

static size_t
count_free(const struct fx_pair_side *side)
{
	size_t count = 0;

	for (size_t i = 0; i < side->count; i++)
		count += fx_pair_is_free(side, i);
	return count;
}

static void
join_same_keys(struct fx_pairing *p)
{
	fx_pair_keys(p, FX_PAIR_UNIQUE);
	fx_pair_keys(p, FX_PAIR_NAMED);
	fx_pair_keys(p, FX_PAIR_IN_ORDER);
}

/* Pair what is computed alike and used alike. */
static void
join_alike(struct fx_pairing *p)
{
	for (int s = 0; s < 2; s++) {
		struct fx_pair_side *side = &p->sides[s];

		hash_cones(p, side);
		hash_users(p, side);
		for (size_t i = 0; i < side->count; i++)
			side->keys[i] ^= side->cone[i] * 31;
	}
	join_same_keys(p);
}

/* Pair what is computed alike, and then what is used alike, until that gives
 * nothing new.
 */
static void
join_cones(struct fx_pairing *p)
{
	size_t before;

	do {
		before = count_free(&p->sides[0]);
		for (int s = 0; s < 2; s++) {
			hash_cones(p, &p->sides[s]);
			memcpy(p->sides[s].keys, p->sides[s].cone,
				p->sides[s].count * sizeof(uint64_t));
		}
		join_same_keys(p);
		for (int s = 0; s < 2; s++)
			hash_users(p, &p->sides[s]);
		join_same_keys(p);
	} while (count_free(&p->sides[0]) < before);
}

static bool
is_end(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_PLACEHOLDER ||
	       node->opcode == FX_OPCODE_OUTPUT;
}

/* A name and, with OWN, the call: the target, or with WHOLE all of it. */
static void
join_names(struct fx_pairing *p, bool own, bool whole)
{
	for (int s = 0; s < 2; s++) {
		struct fx_pair_side *side = &p->sides[s];

		for (size_t i = 0; i < side->count && !fx_pair_is_stopped(p);
			i++) {
			const struct fx_node *node = side->nodes[i];

			fx_buf_clear(&p->bytes);
			fx_hash_put_interned(&p->bytes, node->name);
			fx_hash_put_word(&p->bytes, own ? side->own[i] : 0);
			fx_hash_put_word(&p->bytes,
				whole ? fx_node_hash(node).low : 0);
			/* Inputs are no operations. */
			fx_hash_put_byte(&p->bytes,
				node->opcode == FX_OPCODE_PLACEHOLDER);
			side->keys[i] = digest(&p->bytes);
		}
	}
	fx_pair_keys(p, FX_PAIR_UNIQUE);
}

static void
use_own_keys(struct fx_pairing *p)
{
	for (int s = 0; s < 2; s++)
		memcpy(p->sides[s].keys, p->sides[s].own,
			p->sides[s].count * sizeof(uint64_t));
}

/* From all pairs on, neighbours with the same target. */
static void
join_from_pairs(struct fx_pairing *p)
{
	use_own_keys(p);
	p->is_eager = true;
	p->followed = 0;
	fx_pair_follow(p);
	p->is_eager = false;
}

/* From all pairs on, the only neighbour of that opcode on both sides, though
 * the target is another; from each on, what has the same target comes first.
 */
static void
join_replaced(struct fx_pairing *p)
{
	uint64_t *own[2];
	uint64_t *kind[2];

	use_own_keys(p);
	for (int s = 0; s < 2; s++) {
		struct fx_pair_side *side = &p->sides[s];

		own[s] = side->keys;
		kind[s] = side->cone;
		for (size_t i = 0; i < side->count; i++)
			kind[s][i] = is_end(side->nodes[i])
					     ? 0
					     : side->nodes[i]->opcode + 1U;
	}
	for (size_t i = 0; i < p->joined.count && !fx_pair_is_stopped(p); i++) {
		p->sides[0].keys = kind[0];
		p->sides[1].keys = kind[1];
		p->followed = p->joined.count;
		fx_pair_follow_one(p, p->joined.items[i]);
		p->sides[0].keys = own[0];
		p->sides[1].keys = own[1];
		p->is_eager = true;
		fx_pair_follow(p);
		p->is_eager = false;
	}
}

/* Outputs; inputs of one target, then in order. */
static void
join_ends(struct fx_pairing *p)
{
	for (int s = 0; s < 2; s++) {
		struct fx_pair_side *side = &p->sides[s];

		for (size_t i = 0; i < side->count; i++) {
			const struct fx_node *node = side->nodes[i];

			fx_buf_clear(&p->bytes);
			fx_hash_put_byte(&p->bytes, node->opcode);
			if (node->opcode == FX_OPCODE_PLACEHOLDER)
				fx_hash_put_interned(&p->bytes, node->target);
			side->keys[i] = is_end(node) ? digest(&p->bytes) : 0;
		}
	}
	fx_pair_keys(p, FX_PAIR_IN_ORDER);
	for (int s = 0; s < 2; s++) {
		struct fx_pair_side *side = &p->sides[s];

		for (size_t i = 0; i < side->count; i++)
			side->keys[i] =
				side->nodes[i]->opcode == FX_OPCODE_PLACEHOLDER;
	}
	fx_pair_keys(p, FX_PAIR_IN_ORDER);
}

/* By structure alone; whether nothing is left. */
static bool
join_structure(struct fx_pairing *p)
{
	join_ends(p);
	join_alike(p);
	return !count_free(&p->sides[0]) && !count_free(&p->sides[1]);
}

/* By whole calls, and then by what surrounds them or, with OWN, by names with
 * their targets first.
 */
static void
join_by_names(struct fx_pairing *p, bool own)
{
	join_ends(p);
	join_names(p, true, true);
	if (own)
		join_names(p, true, false);
	join_cones(p);
	use_own_keys(p);
	fx_pair_keys(p, FX_PAIR_UNIQUE);
	join_cones(p);
	join_names(p, true, false);
	join_cones(p);
	join_from_pairs(p);
	join_names(p, false, false);
	join_from_pairs(p);
	join_replaced(p);
}

static void
separate(struct fx_pairing *p)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < p->sides[s].count; i++)
			p->sides[s].mates[i] = FX_PAIR_NONE;
	fx_vec_clear(&p->joined);
	p->followed = 0;
}

size_t
fx_pairs_count_moved(const struct fx_pairs *pairs)
{
	size_t count = pairs->counts[1];
	FX_AUTO_FREE uint64_t *places = fx_xcalloc(count + 1, sizeof(*places));
	FX_AUTO_FREE bool *stayed = fx_xcalloc(count + 1, sizeof(*stayed));
	size_t moved = 0;

	for (size_t i = 0; i < count; i++)
		places[i] = pairs->mates[1][i] ? pairs->mates[1][i]->order
					       : FX_ORDER_NONE;
	fx_order_longest(places, count, stayed);
	for (size_t i = 0; i < count; i++)
		moved += pairs->mates[1][i] && !stayed[i];
	return moved;
}

/* What it takes to tell the difference: a node that came or went, or reads
 * something else, weighs as much as two other names or places.
 */
static size_t
cost(const struct fx_pairing *p, const struct fx_pairs *pairs)
{
	size_t cost;

	if (p->is_stopped)
		return 0;
	cost = fx_pairs_count_moved(pairs);
	for (size_t i = 0; i < pairs->counts[0]; i++)
		cost += pairs->mates[0][i] ? 0 : 2;
	for (size_t i = 0; i < pairs->counts[1]; i++) {
		const struct fx_node *before = pairs->mates[1][i];
		const struct fx_node *after = fx_graph_at(pairs->graphs[1], i);

		if (!before || before->target != after->target ||
			!fx_pairs_equal(pairs, &before->args, &after->args) ||
			!fx_pairs_equal(pairs, &before->kwargs, &after->kwargs))
			cost += 2;
		else
			cost += before->name != after->name;
	}
	return cost;
}

static void
hand_over(const struct fx_pairing *p, struct fx_pairs *ret)
{
	for (int s = 0; s < 2; s++) {
		const struct fx_pair_side *side = &p->sides[s];

		ret->graphs[s] = side->graph;
		ret->counts[s] = side->count;
		ret->mates[s] =
			fx_xcalloc(side->count + 1, sizeof(*ret->mates[s]));
		for (size_t i = 0; i < side->count; i++)
			if (side->mates[i] != FX_PAIR_NONE)
				ret->mates[s][i] =
					p->sides[1 - s].nodes[side->mates[i]];
	}
}

void
fx_pairs_make(struct fx_graph *before, struct fx_graph *after,
	const struct fx_tick *tick, struct fx_pairs *ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_pairing p = { .arena = arena, .tick = tick };
	struct fx_pairs other;
	size_t best = SIZE_MAX;

	side_init(&p, &p.sides[0], before);
	side_init(&p, &p.sides[1], after);
	if (join_structure(&p)) {
		hand_over(&p, ret);
		best = cost(&p, ret);
	}
	for (int own = 0; own < 2 && best > 0; own++) {
		size_t now;

		separate(&p);
		join_by_names(&p, own);
		hand_over(&p, &other);
		now = cost(&p, &other);
		if (best == SIZE_MAX || now < best + !own) {
			if (best != SIZE_MAX)
				fx_pairs_deinit(ret);
			*ret = other;
			best = now;
		} else {
			fx_pairs_deinit(&other);
		}
	}
	if (best > 0 && !p.is_stopped)
		fx_pair_names(ret);
	ret->is_stopped = p.is_stopped;
	fx_vec_deinit(&p.joined);
	fx_vec_deinit(&p.rows[0]);
	fx_vec_deinit(&p.rows[1]);
	fx_buf_deinit(&p.bytes);
}

void
fx_pairs_deinit(struct fx_pairs *pairs)
{
	free(pairs->mates[0]);
	free(pairs->mates[1]);
}

struct fx_node *
fx_pairs_mate(const struct fx_pairs *pairs, const struct fx_node *node)
{
	int s = node->graph == pairs->graphs[1];

	return pairs->mates[s][fx_graph_position(pairs->graphs[s], node)];
}

static struct fx_value
to_mate(void *context, const struct fx_value *leaf)
{
	const struct fx_pairs *pairs = context;
	struct fx_node *mate;

	if (leaf->kind != FX_VALUE_NODE)
		return *leaf;
	mate = fx_pairs_mate(pairs, leaf->node);
	/* A node that has gone equals none of the second graph. */
	return fx_value_node(mate ? mate : leaf->node);
}

bool
fx_pairs_equal(const struct fx_pairs *pairs, const struct fx_value *before,
	const struct fx_value *after)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value mapped =
		fx_value_map(arena, before, to_mate, (void *)pairs);

	return fx_value_equal(&mapped, after);
}
