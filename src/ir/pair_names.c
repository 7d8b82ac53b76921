/* pair_names.c - pairs of equal names where structure chose others.
 *
 * A node that is spliced in takes the users of its input, among them one that
 * calls the same: by structure it is that one.  Where a node's name is still
 * there, in a node that nobody is paired with, the two are paired instead if
 * fewer fields differ so.
 */
#include <config.h>

#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"
#include "ir/pair.h"
#include "ir/pair_private.h"

/* PAIRED gives its mate to FREE, of the same graph. */
struct trade {
	struct fx_node *paired;
	struct fx_node *free;
};

static void
set_mate(struct fx_pairs *pairs, struct fx_node *node, struct fx_node *mate)
{
	int s = node->graph == pairs->graphs[1];

	pairs->mates[s][fx_graph_position(pairs->graphs[s], node)] = mate;
}

static void
hand_mate(struct fx_pairs *pairs, struct fx_node *from, struct fx_node *to)
{
	struct fx_node *mate = fx_pairs_mate(pairs, from);

	set_mate(pairs, from, NULL);
	set_mate(pairs, to, mate);
	set_mate(pairs, mate, to);
}

/* How many fields of AFTER are others than its mate's. */
static size_t
count_differing(const struct fx_pairs *pairs, struct fx_node *after)
{
	const struct fx_node *before = fx_pairs_mate(pairs, after);

	if (!before)
		return 0;
	return (size_t)(before->name != after->name) +
	       (before->target != after->target) +
	       !fx_pairs_equal(pairs, &before->args, &after->args) +
	       !fx_pairs_equal(pairs, &before->kwargs, &after->kwargs);
}

static void
add_one(const struct fx_pairs *pairs, struct fx_node *node,
	struct fx_map *concerned)
{
	if (node->graph != pairs->graphs[1])
		node = fx_pairs_mate(pairs, node);
	if (node)
		fx_map_set_pointer(concerned, node, node);
}

/* NODE and its users, as those of the second graph. */
static void
add_concerned(const struct fx_pairs *pairs, struct fx_node *node,
	struct fx_map *concerned)
{
	const struct fx_use *use;

	add_one(pairs, node, concerned);
	fx_node_for_each_user (use, node)
		add_one(pairs, use->user, concerned);
}

static size_t
count_all(const struct fx_pairs *pairs, const struct fx_map *concerned)
{
	uintptr_t key;
	uintptr_t node;
	size_t at = 0;
	size_t count = 0;

	while (fx_map_next(concerned, &at, &key, &node))
		count += count_differing(pairs, (struct fx_node *)node);
	return count;
}

/* Make TRADE if that leaves fewer differences; how many fewer. */
static size_t
try_trade(struct fx_pairs *pairs, const struct trade *trade)
{
	FX_AUTO_MAP struct fx_map concerned = { 0 };
	size_t before;
	size_t after;

	add_concerned(pairs, trade->paired, &concerned);
	add_concerned(pairs, trade->free, &concerned);
	add_concerned(pairs, fx_pairs_mate(pairs, trade->paired), &concerned);
	before = count_all(pairs, &concerned);
	hand_mate(pairs, trade->paired, trade->free);
	after = count_all(pairs, &concerned);
	if (after < before)
		return before - after;
	hand_mate(pairs, trade->free, trade->paired);
	return 0;
}

/* The node of PAIRED's graph that has its mate's name, if it does the same and
 * nobody is paired with it.
 */
static bool
find_trade(const struct fx_pairs *pairs, struct fx_node *paired,
	struct trade *ret)
{
	const struct fx_node *mate = fx_pairs_mate(pairs, paired);
	struct fx_node *free;

	if (!mate || mate->name == paired->name)
		return false;
	free = fx_graph_find(paired->graph, mate->name);
	if (!free || fx_pairs_mate(pairs, free) ||
		free->opcode != mate->opcode || free->target != mate->target ||
		free->opcode == FX_OPCODE_PLACEHOLDER ||
		free->opcode == FX_OPCODE_OUTPUT)
		return false;
	*ret = (struct trade){ paired, free };
	return true;
}

void
fx_pair_names(struct fx_pairs *pairs)
{
	FX_VEC(struct trade) made = { 0 };
	size_t moved = fx_pairs_count_moved(pairs);
	size_t gained = 0;

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < pairs->counts[s]; i++) {
			struct fx_node *node = fx_graph_at(pairs->graphs[s], i);
			struct trade trade;
			size_t fewer;

			if (!find_trade(pairs, node, &trade))
				continue;
			fewer = try_trade(pairs, &trade);
			gained += fewer;
			if (fewer)
				fx_vec_push(&made, trade);
		}
	/* What they cost in places must not be more. */
	if (fx_pairs_count_moved(pairs) > moved + gained)
		while (made.count) {
			struct trade trade = fx_vec_pop(&made);

			hand_mate(pairs, trade.free, trade.paired);
		}
	fx_vec_deinit(&made);
}
