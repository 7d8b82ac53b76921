/* pair_join.c - pairing nodes of equal keys. */
#include <config.h>

#include "ir/pair_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/tick.h"

/* Nodes, or groups of them, between two looks. */
#define TICK_EVERY 1024

bool
fx_pair_is_stopped(struct fx_pairing *p)
{
	if (!p->is_stopped && ++p->ticks % TICK_EVERY == 0)
		p->is_stopped = fx_tick_is_pressed(p->tick);
	return p->is_stopped;
}

static bool
may_pair(const struct fx_pairing *p, size_t before, size_t after)
{
	const struct fx_pair_side *a = &p->sides[0];
	const struct fx_pair_side *b = &p->sides[1];

	return fx_pair_is_free(a, before) && fx_pair_is_free(b, after) &&
	       a->keys[before] && a->keys[before] == b->keys[after];
}

static void
join(struct fx_pairing *p, size_t before, size_t after)
{
	p->sides[0].mates[before] = after;
	p->sides[1].mates[after] = before;
	fx_vec_push(&p->joined, before);
}

static int
compare_items(const void *a, const void *b)
{
	const struct fx_pair_item *left = a;
	const struct fx_pair_item *right = b;

	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	return left->at < right->at ? -1 : left->at > right->at;
}

static void
sort_rows(struct fx_pairing *p)
{
	for (int s = 0; s < 2; s++)
		if (p->rows[s].count)
			qsort(p->rows[s].items, p->rows[s].count,
				sizeof(struct fx_pair_item), compare_items);
}

/* Items of one key on both sides. */
struct group {
	const struct fx_pair_item *items[2];
	size_t counts[2];
};

/* The next group of the sorted rows; AT begins with zeros. */
static bool
next_group(const struct fx_pairing *p, size_t at[2], struct group *ret)
{
	const fx_pair_items *a = &p->rows[0];
	const fx_pair_items *b = &p->rows[1];

	while (at[0] < a->count && at[1] < b->count) {
		uint64_t key = a->items[at[0]].key;
		uint64_t other = b->items[at[1]].key;

		if (key != other) {
			at[key > other]++;
			continue;
		}
		for (int s = 0; s < 2; s++) {
			const fx_pair_items *row = &p->rows[s];
			size_t end = at[s];

			while (end < row->count && row->items[end].key == key)
				end++;
			ret->items[s] = &row->items[at[s]];
			ret->counts[s] = end - at[s];
			at[s] = end;
		}
		return true;
	}
	return false;
}

static void
join_by_name(struct fx_pairing *p, const struct group *group)
{
	for (size_t i = 0; i < group->counts[0]; i++) {
		size_t before = group->items[0][i].at;
		const struct fx_node *node = fx_graph_find(p->sides[1].graph,
			p->sides[0].nodes[before]->name);
		size_t after = node ? fx_pair_position(&p->sides[1], node)
				    : FX_PAIR_NONE;

		if (node && may_pair(p, before, after))
			join(p, before, after);
	}
}

/* Neighbours of a pair: only rows of this one are paired, so what stands
 * elsewhere under the same key does not come in between.
 */
static void
join_neighbours(struct fx_pairing *p)
{
	struct group group;
	size_t at[2] = { 0, 0 };

	sort_rows(p);
	while (next_group(p, at, &group)) {
		size_t count = group.counts[0];

		if (!p->is_eager && (count != 1 || group.counts[1] != 1))
			continue;
		if (count > group.counts[1])
			count = group.counts[1];
		for (size_t i = 0; i < count; i++)
			if (may_pair(p, group.items[0][i].at,
				    group.items[1][i].at))
				join(p, group.items[0][i].at,
					group.items[1][i].at);
	}
}

static void
add_free(struct fx_pairing *p, int s, const struct fx_node *node)
{
	const struct fx_pair_side *side = &p->sides[s];
	struct fx_pair_item item = { .at = fx_pair_position(side, node) };

	item.key = side->keys[item.at];
	if (fx_pair_is_free(side, item.at) && item.key)
		fx_vec_push(&p->rows[s], item);
}

static void
follow_inputs(struct fx_pairing *p, const struct fx_node *before,
	const struct fx_node *after)
{
	for (size_t i = 0; i < before->use_count && i < after->use_count; i++) {
		fx_vec_clear(&p->rows[0]);
		fx_vec_clear(&p->rows[1]);
		add_free(p, 0, before->uses[i].input);
		add_free(p, 1, after->uses[i].input);
		join_neighbours(p);
	}
}

static void
follow_users(struct fx_pairing *p, const struct fx_node *before,
	const struct fx_node *after)
{
	const struct fx_use *use;

	fx_vec_clear(&p->rows[0]);
	fx_vec_clear(&p->rows[1]);
	fx_node_for_each_user (use, before)
		add_free(p, 0, use->user);
	fx_node_for_each_user (use, after)
		add_free(p, 1, use->user);
	join_neighbours(p);
}

void
fx_pair_follow_one(struct fx_pairing *p, size_t at)
{
	const struct fx_node *before = p->sides[0].nodes[at];
	const struct fx_node *after = p->sides[1].nodes[p->sides[0].mates[at]];

	follow_inputs(p, before, after);
	follow_users(p, before, after);
}

void
fx_pair_follow(struct fx_pairing *p)
{
	while (p->followed < p->joined.count && !fx_pair_is_stopped(p))
		fx_pair_follow_one(p, p->joined.items[p->followed++]);
}

static void
collect(struct fx_pairing *p)
{
	for (int s = 0; s < 2; s++) {
		fx_vec_clear(&p->rows[s]);
		for (size_t i = 0; i < p->sides[s].count; i++)
			add_free(p, s, p->sides[s].nodes[i]);
	}
	sort_rows(p);
}

void
fx_pair_keys(struct fx_pairing *p, enum fx_pair_choice choice)
{
	fx_pair_items rows[2] = { { 0 }, { 0 } };
	struct group group;
	size_t at[2] = { 0, 0 };

	if (p->is_stopped)
		return;
	collect(p);
	while (!fx_pair_is_stopped(p) && next_group(p, at, &group)) {
		bool is_single = group.counts[0] == 1 && group.counts[1] == 1;
		size_t next = 0;

		if (choice == FX_PAIR_UNIQUE && !is_single)
			continue;
		/* Following pairs writes over the rows. */
		memcpy(rows, p->rows, sizeof(rows));
		memset(p->rows, 0, sizeof(p->rows));
		if (choice == FX_PAIR_NAMED)
			join_by_name(p, &group);
		for (size_t i = 0;
			choice != FX_PAIR_NAMED && i < group.counts[0]; i++) {
			while (next < group.counts[1] &&
				!fx_pair_is_free(&p->sides[1],
					group.items[1][next].at))
				next++;
			if (next == group.counts[1])
				break;
			if (!may_pair(p, group.items[0][i].at,
				    group.items[1][next].at))
				continue;
			join(p, group.items[0][i].at, group.items[1][next].at);
			fx_pair_follow(p);
		}
		fx_pair_follow(p);
		fx_vec_deinit(&p->rows[0]);
		fx_vec_deinit(&p->rows[1]);
		memcpy(p->rows, rows, sizeof(rows));
	}
}
