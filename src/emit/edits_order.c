/* edits_order.c - the commands that turn one graph into another: what goes, and
 * the order of what is left.
 *
 * The longest run of nodes that are in order stays.  Of the others those that
 * have to go down are moved first, the last of them first, then those that have
 * to go up, the first first: so no move is in the way of an edge.
 */
#include <config.h>

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "emit/edits_private.h"
#include "ir/diff.h"
#include "ir/edit.h"
#include "ir/order.h"
#include "ir/pair.h"

/* Most names in one line. */
#define NAMES_LIMIT 50

static void
say_erased(struct fx_edits *e, const char *const *names, size_t count)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (size_t i = 0; i < count; i++)
		fx_buf_addf(&text, "%sname=%s", i ? " or " : "", names[i]);
	if (count == 1)
		fx_edits_say(e, "erase %%%s", names[0]);
	else if (count)
		fx_edits_say(e, "erase {%s}", fx_buf_text(&text));
}

/* Users before what they use. */
static void
erase(struct fx_edits *e)
{
	const char *names[NAMES_LIMIT];
	struct fx_node *node = fx_graph_last(e->pairs->graphs[0]);
	size_t count = 0;

	for (; node; node = fx_graph_previous(node)) {
		struct fx_node *copied = fx_map_get_pointer(&e->before, node);
		struct fx_error *err;

		if (fx_pairs_mate(e->pairs, node))
			continue;
		if (count == NAMES_LIMIT) {
			say_erased(e, names, count);
			count = 0;
		}
		names[count] = copied->name;
		err = fx_edit_erase(copied);
		if (err)
			fx_edits_cannot(e, err, "%s cannot be erased",
				copied->name);
		else
			count++;
	}
	say_erased(e, names, count);
}

struct places {
	struct fx_node **nodes; /* of the copy, as they are to stand */
	bool *is_placed;
	size_t count;
};

/* The placed node nearest to I in direction STEP, or NULL. */
static struct fx_node *
neighbour(const struct places *places, size_t i, int step)
{
	for (i += (size_t)step; i < places->count; i += (size_t)step)
		if (places->is_placed[i])
			return places->nodes[i];
	return NULL;
}

static void
move_down(struct fx_edits *e, struct places *places)
{
	for (size_t i = places->count; i-- > 0;) {
		struct fx_node *node = places->nodes[i];
		struct fx_node *above = neighbour(places, i, -1);
		struct fx_node *below = neighbour(places, i, 1);
		struct fx_node *last = fx_graph_last(e->copy);

		if (places->is_placed[i] || !above ||
			fx_node_is_before(above, node))
			continue;
		if (below)
			fx_edits_move(e, node, below, "before", below);
		else
			fx_edits_move(e, node, NULL, "after", last);
		places->is_placed[i] = true;
	}
}

static void
move_up(struct fx_edits *e, struct places *places)
{
	for (size_t i = 0; i < places->count; i++) {
		struct fx_node *node = places->nodes[i];
		struct fx_node *first = fx_graph_first(e->copy);

		if (places->is_placed[i])
			continue;
		if (i == 0)
			fx_edits_move(e, node, first, "before", first);
		else
			fx_edits_move(e, node,
				fx_graph_next(places->nodes[i - 1]), "after",
				places->nodes[i - 1]);
		places->is_placed[i] = true;
	}
}

static void
sort(struct fx_edits *e)
{
	size_t most = e->pairs->counts[1];
	struct places places = { .nodes = fx_xcalloc(most + 1,
					 sizeof(*places.nodes)),
		.is_placed = fx_xcalloc(most + 1, sizeof(*places.is_placed)) };
	uint64_t *orders = fx_xcalloc(most + 1, sizeof(*orders));
	struct fx_node *node;

	fx_graph_for_each_node (node, e->pairs->graphs[1]) {
		struct fx_node *copied = fx_edits_copied(e, node);

		if (!copied)
			continue;
		orders[places.count] = copied->order;
		places.nodes[places.count++] = copied;
	}
	fx_order_longest(orders, places.count, places.is_placed);
	move_down(e, &places);
	move_up(e, &places);
	free(orders);
	free(places.nodes);
	free(places.is_placed);
}

void
fx_edits_order(struct fx_edits *e)
{
	erase(e);
	sort(e);
}
