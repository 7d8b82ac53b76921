/* dag_rank.c - which rank each box stands in, and where lines pass.
 *
 * Longest path from the top.  What depends on parameters alone is then pulled
 * down to its first user: without that, a model's weights all stand in the
 * first rank and their lines cross the whole picture.
 */
#include <config.h>

#include "draw/layers.h"

#include "base/compiler.h"
#include "base/mem.h"
#include "draw/dag.h"

/* Ranks from the top; LOOSE says which nodes depend on
 * parameters and constants alone; an input of the graph is loose itself. */
static int
rank_down(const struct fx_dag *dag, int *ranks, bool *loose)
{
	int count = 0;

	for (size_t n = 0; n < dag->count; n++) {
		const uint32_t *inputs = fx_dag_inputs(dag, n);
		uint32_t input_count = dag->nodes[n].input_count;

		ranks[n] = 0;
		loose[n] = true;
		for (uint32_t i = 0; i < input_count; i++) {
			ranks[n] = FX_MAX(ranks[n], ranks[inputs[i]] + 1);
			loose[n] &= loose[inputs[i]] &&
				    dag->nodes[inputs[i]].kind != FX_DAG_INPUT;
		}
		count = FX_MAX(count, ranks[n] + 1);
	}
	return count;
}

/* Pull loose nodes down to just above their first user. */
static void
pull_down(const struct fx_dag *dag, int *ranks, const bool *loose, int count)
{
	int *floor = fx_xmalloc((dag->count + 1) * sizeof(*floor));

	for (size_t n = 0; n < dag->count; n++)
		floor[n] = count;
	for (size_t n = dag->count; n-- > 0;) {
		const uint32_t *inputs = fx_dag_inputs(dag, n);

		if (loose[n] && floor[n] < count)
			ranks[n] = FX_MAX(ranks[n], floor[n] - 1);
		for (uint32_t i = 0; i < dag->nodes[n].input_count; i++)
			floor[inputs[i]] = FX_MIN(floor[inputs[i]], ranks[n]);
	}
	free(floor);
}

/* Close up ranks that pulling down has emptied. */
static int
close_up(const struct fx_dag *dag, int *ranks, int count)
{
	int *map = fx_xcalloc((size_t)count + 1, sizeof(*map));
	int used = 0;

	for (size_t n = 0; n < dag->count; n++)
		map[ranks[n]] = 1;
	for (int r = 0; r < count; r++)
		map[r] = map[r] ? used++ : -1;
	for (size_t n = 0; n < dag->count; n++)
		ranks[n] = map[ranks[n]];
	free(map);
	return used;
}

int
fx_dag_rank(const struct fx_dag *dag, int *ranks)
{
	bool *loose = fx_xcalloc(dag->count + 1, sizeof(*loose));
	int count = rank_down(dag, ranks, loose);

	pull_down(dag, ranks, loose, count);
	free(loose);
	return close_up(dag, ranks, count);
}

size_t
fx_dag_passages(const struct fx_dag *dag, const int *ranks)
{
	size_t passages = 0;

	for (size_t n = 0; n < dag->count; n++) {
		const uint32_t *inputs = fx_dag_inputs(dag, n);

		for (uint32_t i = 0; i < dag->nodes[n].input_count; i++)
			passages += (size_t)(ranks[n] - ranks[inputs[i]] - 1);
	}
	return passages;
}

static uint32_t
add_item(struct fx_layers *layers, uint32_t node, int rank, bool is_box)
{
	struct fx_item item = { .node = node,
		.is_box = is_box,
		.rank = rank,
		.width = 1,
		.aligned = -1 };
	uint32_t number = (uint32_t)layers->items.count;

	item.root = number;
	item.place = (int)layers->layers.items[rank].items.count;
	fx_vec_push(&layers->items, item);
	fx_vec_push(&layers->layers.items[rank].items, number);
	return number;
}

static void
connect(struct fx_layers *layers, uint32_t from, uint32_t to)
{
	fx_vec_push(&layers->items.items[from].children, to);
	fx_vec_push(&layers->items.items[to].parents, from);
}

/* The passages of each node's value: LAST[node] is the lowest item that
 * carries it so far, extended to RANK - 1.
 */
static uint32_t
carry(struct fx_layers *layers, uint32_t *last, uint32_t node, int rank)
{
	while (layers->items.items[last[node]].rank < rank - 1) {
		uint32_t from = last[node];
		int next = layers->items.items[from].rank + 1;
		uint32_t item = add_item(layers, node, next, false);

		connect(layers, from, item);
		last[node] = item;
	}
	return last[node];
}

/* The item that carries NODE's value at RANK: walk up from the lowest one. */
static uint32_t
carrier_at(const struct fx_layers *layers, uint32_t lowest, int rank)
{
	while (layers->items.items[lowest].rank > rank)
		lowest = layers->items.items[lowest].parents.items[0];
	return lowest;
}

void
fx_layers_build(struct fx_layers *layers)
{
	const struct fx_dag *dag = layers->dag;
	int *ranks = fx_xcalloc(dag->count + 1, sizeof(*ranks));
	uint32_t *last = fx_xcalloc(dag->count + 1, sizeof(*last));
	int count = fx_dag_rank(dag, ranks);

	for (int r = 0; r < count; r++)
		fx_vec_push(&layers->layers, ((struct fx_layer){ 0 }));
	for (uint32_t n = 0; n < dag->count; n++)
		last[n] = add_item(layers, n, ranks[n], true);
	for (uint32_t n = 0; n < dag->count; n++) {
		const uint32_t *inputs = fx_dag_inputs(dag, n);

		/* A box has no parents but its inputs, so item N is node N. */
		for (uint32_t i = 0; i < dag->nodes[n].input_count; i++) {
			uint32_t low = carry(layers, last, inputs[i], ranks[n]);

			connect(layers, carrier_at(layers, low, ranks[n] - 1),
				n);
		}
	}
	free(ranks);
	free(last);
}

void
fx_layers_deinit(struct fx_layers *layers)
{
	for (size_t i = 0; i < layers->items.count; i++) {
		fx_vec_deinit(&layers->items.items[i].parents);
		fx_vec_deinit(&layers->items.items[i].children);
	}
	for (size_t i = 0; i < layers->layers.count; i++)
		fx_vec_deinit(&layers->layers.items[i].items);
	for (size_t i = 0; i < layers->nets.count; i++)
		fx_vec_deinit(&layers->nets.items[i].targets);
	fx_vec_deinit(&layers->items);
	fx_vec_deinit(&layers->layers);
	fx_vec_deinit(&layers->nets);
}
