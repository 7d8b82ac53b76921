/* dag_order.c - the order of items in each rank, so that few lines cross.
 *
 * Barycentre sweeps, downwards and upwards in turn, keeping the best order
 * seen.  Exchanging neighbours after each sweep (as others do) was left out:
 * windows are small and the sweeps alone find the drawings one expects.
 */
#include <config.h>

#include "draw/layers.h"

#include <stdlib.h>

#include "base/mem.h"

enum {
	SWEEPS = 12,
};

static void
renumber(struct fx_layers *layers, struct fx_layer *layer)
{
	for (size_t i = 0; i < layer->items.count; i++)
		fx_layers_item(layers, layer->items.items[i])->place = (int)i;
}

/* The mean place of NEIGHBOURS, or the item's own place when it has none. */
static double
barycentre(struct fx_layers *layers, const fx_number_vec *neighbours, int own)
{
	double sum = 0;

	for (size_t i = 0; i < neighbours->count; i++)
		sum += fx_layers_item(layers, neighbours->items[i])->place;
	return neighbours->count ? sum / (double)neighbours->count : own;
}

typedef double key_fn(const struct fx_item *item);

static double
weight_of(const struct fx_item *item)
{
	return item->weight;
}

static double
place_of(const struct fx_item *item)
{
	return item->place;
}

/* Insertion sort by KEY: stable, and orders change little. */
static void
sort_items(struct fx_layers *layers, fx_number_vec *items, key_fn *key)
{
	for (size_t i = 1; i < items->count; i++) {
		uint32_t moved = items->items[i];
		double own = key(fx_layers_item(layers, moved));
		size_t at = i;

		for (; at > 0; at--) {
			uint32_t before = items->items[at - 1];

			if (key(fx_layers_item(layers, before)) <= own)
				break;
			items->items[at] = before;
		}
		items->items[at] = moved;
	}
}

static void
sort_layer(struct fx_layers *layers, struct fx_layer *layer)
{
	sort_items(layers, &layer->items, weight_of);
	renumber(layers, layer);
}

static void
sweep(struct fx_layers *layers, bool down)
{
	size_t count = layers->layers.count;

	for (size_t step = 1; step < count; step++) {
		size_t rank = down ? step : count - 1 - step;
		struct fx_layer *layer = &layers->layers.items[rank];

		for (size_t i = 0; i < layer->items.count; i++) {
			struct fx_item *item =
				fx_layers_item(layers, layer->items.items[i]);

			item->weight = barycentre(layers,
				down ? &item->parents : &item->children,
				item->place);
		}
		sort_layer(layers, layer);
	}
}

static int
compare_places(const void *a, const void *b)
{
	int x = *(const int *)a;
	int y = *(const int *)b;

	return x < y ? -1 : x > y;
}

/* Crossings of the edges below LAYER: inversions among the places of the
 * lower ends, taken in the order of the upper ends.
 */
static size_t
crossings_below(struct fx_layers *layers, const struct fx_layer *layer)
{
	FX_VEC(int) ends = { 0 };
	size_t crossings = 0;

	for (size_t i = 0; i < layer->items.count; i++) {
		struct fx_item *item =
			fx_layers_item(layers, layer->items.items[i]);
		size_t first = ends.count;

		for (size_t k = 0; k < item->children.count; k++)
			fx_vec_push(&ends,
				fx_layers_item(layers, item->children.items[k])
					->place);
		if (ends.count > first)
			qsort(ends.items + first, ends.count - first,
				sizeof(int), compare_places);
	}
	for (size_t i = 0; i < ends.count; i++)
		for (size_t k = i + 1; k < ends.count; k++)
			crossings += ends.items[k] < ends.items[i];
	fx_vec_deinit(&ends);
	return crossings;
}

static size_t
crossings(struct fx_layers *layers)
{
	size_t sum = 0;

	for (size_t r = 0; r + 1 < layers->layers.count; r++)
		sum += crossings_below(layers, &layers->layers.items[r]);
	return sum;
}

static void
save_places(const struct fx_layers *layers, int *places)
{
	for (size_t i = 0; i < layers->items.count; i++)
		places[i] = layers->items.items[i].place;
}

static void
restore_places(struct fx_layers *layers, const int *places)
{
	for (size_t i = 0; i < layers->items.count; i++) {
		struct fx_item *item = &layers->items.items[i];

		layers->layers.items[item->rank].items.items[places[i]] =
			(uint32_t)i;
		item->place = places[i];
	}
}

void
fx_layers_order(struct fx_layers *layers)
{
	int *best = fx_xcalloc(layers->items.count + 1, sizeof(*best));
	size_t fewest = crossings(layers);

	save_places(layers, best);
	for (int i = 0; i < SWEEPS && fewest > 0; i++) {
		size_t now;

		sweep(layers, i % 2 == 0);
		now = crossings(layers);
		if (now < fewest) {
			fewest = now;
			save_places(layers, best);
		}
	}
	restore_places(layers, best);
	free(best);
	/* Parents from left to right, which is the order of the ports. */
	for (size_t i = 0; i < layers->items.count; i++)
		sort_items(layers, &layers->items.items[i].parents, place_of);
}
