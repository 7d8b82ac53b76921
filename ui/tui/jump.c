/* jump.c - from a node to those it is connected with, and back. */
#include <config.h>

#include "base/compiler.h"
#include "ui/tui/tui_private.h"

enum {
	PLACES_MOST = 200,
};

void
tui_jump(struct tui *tui, const struct fx_node *node)
{
	struct tui_jumps *jumps = &tui->jumps;
	const struct fx_node *from = tui_selected(tui);
	uint64_t id = from ? from->id : 0;

	if (!tui_graph_go_to(tui, node) || !from || from == node)
		return;
	/* What lay ahead is another way now. */
	jumps->places.count = FX_MIN(jumps->places.count, jumps->at);
	if (jumps->places.count == PLACES_MOST)
		fx_vec_remove(&jumps->places, 0);
	fx_vec_push(&jumps->places, id);
	jumps->at = jumps->places.count;
}

/* Swap the selected node for the one at INDEX of the places. */
static bool
swap_places(struct tui *tui, size_t index)
{
	struct tui_jumps *jumps = &tui->jumps;
	const struct fx_node *from = tui_selected(tui);
	const struct fx_node *node =
		from ? fx_graph_find_id(from->graph, jumps->places.items[index])
		     : NULL;
	uint64_t id = from ? from->id : 0;

	if (!node || !tui_graph_go_to(tui, node))
		return false;
	jumps->places.items[index] = id;
	return true;
}

void
tui_do_jump_back(struct tui *tui)
{
	struct tui_jumps *jumps = &tui->jumps;

	/* Places that were erased since are passed over. */
	while (jumps->at > 0)
		if (swap_places(tui, --jumps->at))
			return;
	tui_note(tui, "no jump before");
}

void
tui_do_jump_forward(struct tui *tui)
{
	struct tui_jumps *jumps = &tui->jumps;

	while (jumps->at < jumps->places.count)
		if (swap_places(tui, jumps->at++))
			return;
	tui_note(tui, "no jump after");
}

/* The user of NODE with number INDEX, in graph order. */
static const struct fx_node *
user_at(const struct fx_node *node, size_t index)
{
	const struct fx_use *use;

	fx_node_for_each_user (use, node)
		if (index-- == 0)
			return use->user;
	return NULL;
}

static const struct fx_node *
neighbour_at(const struct fx_node *node, bool is_input, size_t index)
{
	if (is_input)
		return fx_node_input(node, index);
	return user_at(node, index);
}

static size_t
neighbour_count(const struct fx_node *node, bool is_input)
{
	return is_input ? fx_node_input_count(node) : node->user_count;
}

static void
go_to_neighbour(struct tui *tui, const struct fx_node *node, bool is_input,
	size_t index)
{
	size_t count = node ? neighbour_count(node, is_input) : 0;

	if (!count) {
		tui_note(tui, is_input ? "no inputs" : "no users");
		return;
	}
	index %= count;
	tui_jump(tui, neighbour_at(node, is_input, index));
	tui->jumps.origin = node->id;
	tui->jumps.next = index + 1;
	if (count > 1)
		tui_note(tui, "%s %zu of %zu", is_input ? "input" : "user",
			index + 1, count);
}

/* The one after the neighbour that was gone to last. */
static void
go_to_next(struct tui *tui, bool is_input)
{
	const struct fx_node *selected = tui_selected(tui);
	const struct fx_node *origin =
		selected ? fx_graph_find_id(selected->graph, tui->jumps.origin)
			 : NULL;
	size_t index = tui->jumps.next;
	size_t count = origin ? neighbour_count(origin, is_input) : 0;

	/* Only while one stands on it. */
	if (!index || index > count ||
		neighbour_at(origin, is_input, index - 1) != selected) {
		origin = selected;
		index = 0;
	}
	go_to_neighbour(tui, origin, is_input, index);
}

void
tui_do_input(struct tui *tui)
{
	go_to_neighbour(tui, tui_selected(tui), true, 0);
}

void
tui_do_input_next(struct tui *tui)
{
	go_to_next(tui, true);
}

void
tui_do_user(struct tui *tui)
{
	go_to_neighbour(tui, tui_selected(tui), false, 0);
}

void
tui_do_user_next(struct tui *tui)
{
	go_to_next(tui, false);
}
