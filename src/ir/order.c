/* order.c - order labels, reachability, paths.
 *
 * Labels are 64-bit numbers that grow along the list.  A node put between two
 * gets the middle of their labels; where there is none, the smallest aligned
 * range of labels around it that is sparse enough is spread evenly (Bender and
 * others, "Two Simplified Algorithms for Maintaining Order in a List"): the
 * larger the range, the sparser it has to be, which makes insertion amortised
 * O(log n) wherever it happens.
 */
#include <config.h>

#include "ir/order.h"

#include <stdlib.h>

#include "base/compiler.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"
#include "ir/changed_nodes.h"

enum {
	MARK_VISITED = 2
};

/* Distance of labels at the end, where graphs grow. */
#define END_GAP ((uint64_t)1 << 32)

/* How many labels out of 2^BITS may be in use: (2 / 1.4)^BITS. */
static double
capacity(int bits)
{
	double result = 1;

	for (int i = 0; i < bits; i++)
		result *= 2 / 1.4;
	return result;
}

static bool
is_root(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_COUNT;
}

/* Spread the nodes from FIRST, COUNT of them, over 2^BITS labels from BASE. */
static void
spread(struct fx_node *first, size_t count, uint64_t base, int bits)
{
	uint64_t room = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	uint64_t step = room / (count + 1);

	for (size_t i = 0; i < count; i++) {
		first->order = base + step * (i + 1);
		first = first->next;
	}
}

/* Spread the labels around NODE, whose label equals the label of a neighbour.
 */
static void
relabel(struct fx_node *node)
{
	struct fx_node *first = node;
	struct fx_node *last = node;
	size_t count = 1;
	uint64_t base = 0;
	int bits;

	for (bits = 2; bits < 64; bits++) {
		uint64_t mask = ((uint64_t)1 << bits) - 1;

		base = node->order & ~mask;
		while (!is_root(first->previous) &&
			first->previous->order >= base) {
			first = first->previous;
			count++;
		}
		while (!is_root(last->next) &&
			last->next->order <= (base | mask)) {
			last = last->next;
			count++;
		}
		if ((double)(count + 1) < capacity(bits) &&
			(((uint64_t)1 << bits) - 1) / (count + 1) > 1)
			break;
	}
	if (bits == 64)
		base = 0;
	spread(first, count, base, bits);
}

void
fx_order_label(struct fx_node *node)
{
	uint64_t low = is_root(node->previous) ? 0 : node->previous->order;
	uint64_t high = is_root(node->next) ? UINT64_MAX : node->next->order;
	bool at_end = is_root(node->next);

	/* A node that comes back may keep the label it had. */
	if (node->order > low && node->order < high)
		return;
	if (at_end && high - low > END_GAP) {
		node->order = low + END_GAP;
		return;
	}
	node->order = low + (high - low) / 2;
	if (node->order == low || node->order == high)
		relabel(node);
}

/* A stack of visited nodes, whose marks are cleared at the end. */
struct visits {
	FX_VEC(struct fx_node *) nodes;
	size_t done; /* before it: expanded */
};

static void
visit(struct visits *visits, struct fx_node *node)
{
	if (node->mark & MARK_VISITED)
		return;
	node->mark |= MARK_VISITED;
	fx_vec_push(&visits->nodes, node);
}

static void
forget(struct visits *visits)
{
	for (size_t i = 0; i < visits->nodes.count; i++)
		visits->nodes.items[i]->mark &= (uint8_t)~MARK_VISITED;
}

static void
end_visits(struct visits *visits)
{
	forget(visits);
	fx_vec_deinit(&visits->nodes);
}

int
fx_order_compare(const void *a, const void *b)
{
	const struct fx_node *x = *(struct fx_node *const *)a;
	const struct fx_node *y = *(struct fx_node *const *)b;

	return (x->order > y->order) - (x->order < y->order);
}

bool
fx_order_depends(struct fx_node *node, struct fx_node *input)
{
	struct visits visits = { .done = 0 };
	bool found;

	visit(&visits, node);
	while (visits.done < visits.nodes.count &&
		!(input->mark & MARK_VISITED)) {
		struct fx_node *at = visits.nodes.items[visits.done++];

		for (size_t i = 0; i < at->use_count; i++)
			if (at->uses[i].input->order >= input->order)
				visit(&visits, at->uses[i].input);
	}
	found = node != input && (input->mark & MARK_VISITED);
	end_visits(&visits);
	return found;
}

/* One more ring of the cone: all that is next to what was not expanded. */
static void
grow(struct visits *visits, bool up)
{
	size_t end = visits->nodes.count;

	for (; visits->done < end; visits->done++) {
		struct fx_node *at = visits->nodes.items[visits->done];
		struct fx_use *use;

		if (up)
			for (size_t i = 0; i < at->use_count; i++)
				visit(visits, at->uses[i].input);
		else
			fx_node_for_each_user (use, at)
				visit(visits, use->user);
	}
}

void
fx_order_cone(struct fx_node *node, bool up, int depth, size_t **positions_ret,
	size_t *count_ret)
{
	struct visits visits = { .done = 0 };
	size_t count;
	size_t *positions;

	visit(&visits, node);
	for (int i = 0; depth < 0 || i < depth; i++) {
		if (visits.done == visits.nodes.count)
			break;
		grow(&visits, up);
	}
	count = visits.nodes.count;
	positions = fx_xcalloc(count, sizeof(*positions));
	for (size_t i = 0; i < count; i++)
		positions[i] =
			fx_graph_position(node->graph, visits.nodes.items[i]);
	end_visits(&visits);
	qsort(positions, count, sizeof(*positions), fx_number_compare_sizes);
	*positions_ret = positions;
	*count_ret = count;
}

/* Of so many, one of SHARE, it is faster to walk the graph once. */
#define SHARE 16

static bool
has_visited_input(const struct fx_node *node)
{
	for (size_t i = 0; i < node->use_count; i++)
		if (node->uses[i].input->mark & MARK_VISITED)
			return true;
	return false;
}

/* From many nodes: what has an input in the cone comes after it. */
static void
walk_down(struct visits *visits, struct fx_graph *graph,
	const struct fx_bitset *ids)
{
	struct fx_node *node;

	fx_vec_reserve(&visits->nodes, graph->node_count);
	fx_graph_for_each_node (node, graph)
		if (fx_bitset_has(ids, (uint32_t)node->id) ||
			has_visited_input(node))
			visit(visits, node);
}

/* From a few: their users, and those of these. */
static void
walk_users(struct visits *visits, struct fx_graph *graph,
	const struct fx_bitset *ids)
{
	for (size_t at = 0; fx_bitset_next(ids, &at); at++) {
		struct fx_node *node =
			fx_graph_find_id(graph, fx_graph_id_at(graph, at));

		if (node)
			visit(visits, node);
	}
	while (visits->done < visits->nodes.count)
		grow(visits, false);
}

/* A few are sorted. */
static void
put_in_order(struct visits *visits, struct fx_graph *graph)
{
	struct fx_node *node;
	size_t count = 0;

	if (visits->nodes.count < graph->node_count / SHARE) {
		if (visits->nodes.count)
			qsort(visits->nodes.items, visits->nodes.count,
				sizeof(*visits->nodes.items), fx_order_compare);
		return;
	}
	fx_graph_for_each_node (node, graph)
		if (node->mark & MARK_VISITED)
			visits->nodes.items[count++] = node;
}

void
fx_order_cone_of(struct fx_graph *graph, const struct fx_bitset *ids,
	struct fx_node ***ret, size_t *count_ret)
{
	struct visits visits = { .done = 0 };

	if (fx_bitset_count(ids) >= graph->node_count / SHARE) {
		walk_down(&visits, graph, ids);
	} else {
		walk_users(&visits, graph, ids);
		put_in_order(&visits, graph);
	}
	*count_ret = visits.nodes.count;
	*ret = visits.nodes.items;
	forget(&visits);
}

/* Breadth first from FROM along users; CAME tells each one's predecessor. */
static bool
search(struct fx_node *from, struct fx_node *to, struct fx_map *came)
{
	struct visits visits = { .done = 0 };
	bool found;

	visit(&visits, from);
	while (visits.done < visits.nodes.count && !(to->mark & MARK_VISITED)) {
		struct fx_node *at = visits.nodes.items[visits.done++];
		struct fx_use *use;

		fx_node_for_each_user (use, at) {
			if (use->user->mark & MARK_VISITED ||
				use->user->order > to->order)
				continue;
			visit(&visits, use->user);
			fx_map_set_pointer(came, use->user, at);
		}
	}
	found = to->mark & MARK_VISITED;
	end_visits(&visits);
	return found;
}

void
fx_order_path(struct fx_node *from, struct fx_node *to,
	struct fx_node ***nodes_ret, size_t *count_ret)
{
	FX_AUTO_MAP struct fx_map came = { 0 };
	struct fx_node *at = to;
	size_t count = 1;

	*nodes_ret = NULL;
	*count_ret = 0;
	if (!search(from, to, &came))
		return;
	for (; at != from; at = fx_map_get_pointer(&came, at))
		count++;
	*nodes_ret = fx_xcalloc(count, sizeof(**nodes_ret));
	*count_ret = count;
	for (at = to; count-- > 0; at = fx_map_get_pointer(&came, at))
		(*nodes_ret)[count] = at;
}

/* Patience sorting: tails are the ends of the runs of each length. */
void
fx_order_longest(const uint64_t *places, size_t count, bool *stayed)
{
	FX_AUTO_FREE size_t *tails = fx_xcalloc(count + 1, sizeof(*tails));
	FX_AUTO_FREE size_t *previous =
		fx_xcalloc(count + 1, sizeof(*previous));
	size_t length = 0;

	for (size_t i = 0; i < count; i++) {
		size_t low = 0;
		size_t high = length;

		if (places[i] == FX_ORDER_NONE)
			continue;
		while (low < high) {
			size_t middle = (low + high) / 2;

			if (places[tails[middle]] < places[i])
				low = middle + 1;
			else
				high = middle;
		}
		previous[i] = low > 0 ? tails[low - 1] : SIZE_MAX;
		tails[low] = i;
		if (low == length)
			length++;
	}
	for (size_t i = length > 0 ? tails[length - 1] : SIZE_MAX;
		i != SIZE_MAX; i = previous[i])
		stayed[i] = true;
}
