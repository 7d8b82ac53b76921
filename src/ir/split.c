/* split.c - all of a graph as calls of its parts, as split_module makes them.
 *
 * The order of the calls is that of torch.fx: the parts that need no other are
 * put on a pile as they first come up; the uppermost is next, and those that
 * needed only it and what is done go on top.
 */
#include <config.h>

#include "ir/outline.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/edit.h"
#include "ir/names.h"
#include "ir/outline_private.h"
#include "ir/reorder.h"

/* Parts that need a part, as they come up. */
struct users {
	FX_VEC(size_t) items;
};

struct splitting {
	struct fx_partition *partition;
	size_t count;
	struct users *users;
	size_t *needs; /* how many parts it waits for */
	size_t *order; /* parts as they are called */
	size_t *rank;  /* part -> its place there */
	struct fx_map edges;
};

static void
splitting_deinit(struct splitting *splitting)
{
	for (size_t i = 0; i < splitting->count; i++)
		fx_vec_deinit(&splitting->users[i].items);
	free(splitting->users);
	free(splitting->needs);
	free(splitting->order);
	free(splitting->rank);
	fx_map_deinit(&splitting->edges);
}
FX_DEFINE_DEINIT(splitting, struct splitting, splitting_deinit);

static size_t
index_of(const struct splitting *splitting, const struct fx_node *node)
{
	return fx_map_get(&splitting->partition->of, (uintptr_t)node, 0) - 1;
}

/* USER needs something of the part FROM. */
static void
add_edge(struct splitting *splitting, size_t from, size_t user)
{
	uintptr_t key = (uintptr_t)(from * splitting->count + user + 1);

	if (!fx_map_set(&splitting->edges, key, 1))
		return;
	fx_vec_push(&splitting->users[from].items, user);
	splitting->needs[user]++;
}

static void
add_edges(struct splitting *splitting)
{
	struct fx_partition *partition = splitting->partition;
	struct fx_node *node;

	fx_graph_for_each_node (node, partition->graph) {
		if (!fx_partition_part(partition, node))
			continue;
		for (size_t i = 0; i < fx_node_input_count(node); i++) {
			struct fx_node *input = fx_node_input(node, i);

			if (fx_partition_part(partition, input) &&
				index_of(splitting, input) !=
					index_of(splitting, node))
				add_edge(splitting, index_of(splitting, input),
					index_of(splitting, node));
		}
	}
}

/* --- order --------------------------------------------------------------- */

/* A part that waits for PART and that PART waits for in the end: follow those
 * that wait until one comes up again.
 */
static size_t
find_waiting(const struct splitting *splitting, size_t part)
{
	for (size_t i = 0; i < splitting->count; i++)
		if (splitting->needs[i] &&
			fx_map_has(&splitting->edges,
				(uintptr_t)(i * splitting->count + part + 1)))
			return i;
	return part;
}

static FX_NODISCARD struct fx_error *
cycle(const struct splitting *splitting)
{
	const struct fx_part *parts = splitting->partition->parts.items;
	FX_AUTO_FREE bool *seen = fx_xcalloc(splitting->count, sizeof(*seen));
	FX_AUTO_BUF struct fx_buf text = { 0 };
	size_t part = 0;
	size_t first;

	while (!splitting->needs[part])
		part++;
	for (; !seen[part]; part = find_waiting(splitting, part))
		seen[part] = true;
	first = part;
	do {
		fx_buf_addf(&text, "%s needs ", parts[part].name);
		part = find_waiting(splitting, part);
	} while (part != first);
	return fx_error_new(FX_ERR_CYCLE,
		"cycle exists between partitions: %s%s", fx_buf_text(&text),
		parts[first].name);
}

static FX_NODISCARD struct fx_error *
sort_parts(struct splitting *splitting)
{
	FX_VEC(size_t) pile = { 0 };
	size_t done = 0;

	for (size_t i = 0; i < splitting->count; i++)
		if (!splitting->needs[i])
			fx_vec_push(&pile, i);
	while (pile.count) {
		size_t part = fx_vec_pop(&pile);
		const struct users *users = &splitting->users[part];

		splitting->order[done++] = part;
		for (size_t i = 0; i < users->items.count; i++)
			if (!--splitting->needs[users->items.items[i]])
				fx_vec_push(&pile, users->items.items[i]);
	}
	fx_vec_deinit(&pile);
	return done < splitting->count ? cycle(splitting) : NULL;
}

/* As the parts first come up, if what each needs stands before it. */
static FX_NODISCARD struct fx_error *
keep_order(struct splitting *splitting)
{
	const struct fx_part *parts = splitting->partition->parts.items;

	for (size_t i = 0; i < splitting->count; i++) {
		const struct users *users = &splitting->users[i];

		splitting->order[i] = i;
		for (size_t j = 0; j < users->items.count; j++)
			if (users->items.items[j] < i)
				return fx_error_new(FX_ERR_ORDER,
					"%s comes up first, and needs %s",
					parts[users->items.items[j]].name,
					parts[i].name);
	}
	return NULL;
}

static size_t
part_rank(const void *context, const struct fx_node *node)
{
	const struct splitting *splitting = context;

	return splitting->rank[index_of(splitting, node)];
}

static FX_NODISCARD struct fx_error *
find_order(struct splitting *splitting, bool keeps_order)
{
	struct fx_graph *graph = splitting->partition->graph;
	struct fx_error *err = sort_parts(splitting);

	if (!err && keeps_order)
		err = keep_order(splitting);
	for (size_t i = 0; i < splitting->count && !err; i++)
		splitting->rank[splitting->order[i]] = i;
	return err ? err
		   : fx_reorder_check(fx_graph_first(graph),
			     fx_graph_last(graph), part_rank, splitting);
}

/* --- edits --------------------------------------------------------------- */

/* The names that torch.fx gives in a graph of its own, where those of the nodes
 * that went are free again.
 */
static FX_NODISCARD struct fx_error *
rename_calls(struct fx_outlining *outlining)
{
	struct fx_graph *graph = outlining->partition->graph;
	struct fx_names names = { 0 };
	struct fx_map fresh = { 0 };
	struct fx_error *err = NULL;
	struct fx_node *node;

	fx_names_set_like(&names, &graph->names);
	for (size_t i = 0; i < outlining->calls.count; i++)
		fx_map_set_pointer(&fresh, outlining->calls.items[i], graph);
	fx_graph_for_each_node (node, graph) {
		const char *name;

		if (!fx_map_has(&fresh, (uintptr_t)node)) {
			fx_names_take(&names, node->name);
			continue;
		}
		name = fx_names_create(&names,
			fx_names_candidate((enum fx_opcode)node->opcode,
				node->target));
		/* It may be one that comes later. */
		if (!err && !fx_graph_find(graph, name))
			err = fx_edit_set_name(node, name);
	}
	fx_names_deinit(&names);
	fx_map_deinit(&fresh);
	return err;
}

static FX_NODISCARD struct fx_error *
check_names(const struct fx_partition *partition)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; i < partition->parts.count && !err; i++)
		err = fx_outlining_check_name(partition->graph,
			partition->parts.items[i].name);
	return err;
}

struct fx_error *
fx_split(struct fx_partition *partition, bool keeps_order)
{
	size_t count = partition->parts.count;
	FX_AUTO(splitting)
	struct splitting splitting = {
		.partition = partition,
		.count = count,
		.users = fx_xcalloc(count, sizeof(struct users)),
		.needs = fx_xcalloc(count, sizeof(size_t)),
		.order = fx_xcalloc(count, sizeof(size_t)),
		.rank = fx_xcalloc(count, sizeof(size_t)),
	};
	FX_AUTO_OUTLINING struct fx_outlining outlining = { .partition =
								    partition };
	struct fx_error *err = check_names(partition);

	if (err)
		return err;
	add_edges(&splitting);
	err = find_order(&splitting, keeps_order);
	if (err)
		return err;
	fx_partition_find(partition);
	for (size_t i = 0; i < count && !err; i++)
		err = fx_outlining_add(&outlining,
			&partition->parts.items[splitting.order[i]], true);
	if (!err)
		err = fx_outlining_end(&outlining);
	return err ? err : rename_calls(&outlining);
}
