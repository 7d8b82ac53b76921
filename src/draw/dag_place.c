/* dag_place.c - the column of each item.
 *
 * After Brandes and Koepf, one of their four passes: each item is aligned with
 * the middle one of its parents unless that would cross another alignment, so
 * that items form straight vertical lines ("blocks"); then the blocks are
 * packed to the left.  Long lines, that is chains of passages, go first.  A
 * trunk stays in its column however many side branches join it, as a box's
 * ports are counted from the one it is aligned by.
 */
#include <config.h>

#include "draw/layers.h"

#include "base/compiler.h"

enum {
	GAP = 2, /* blank columns between neighbours */
};

int
fx_layers_port(const struct fx_item *item, size_t index)
{
	if (!item->is_box)
		return item->x;
	if (item->aligned >= 0)
		return item->x + 2 * ((int)index - item->aligned);
	return item->x + 2 * (int)index - ((int)item->parents.count - 1);
}

/* Whether the line from PARENT to ITEM is part of a chain of passages. */
static bool
is_inner(const struct fx_item *parent, const struct fx_item *item)
{
	return !parent->is_box && !item->is_box;
}

/* Whether the line from place FROM to place TO crosses a chain of passages
 * between LAYER and the one above.
 */
static bool
crosses_chain(struct fx_layers *layers, const struct fx_layer *layer, int from,
	int to)
{
	for (size_t i = 0; i < layer->items.count; i++) {
		struct fx_item *item =
			fx_layers_item(layers, layer->items.items[i]);
		struct fx_item *parent;

		if (!item->parents.count)
			continue;
		parent = fx_layers_item(layers, item->parents.items[0]);
		if (is_inner(parent, item) &&
			((parent->place < from && item->place > to) ||
				(parent->place > from && item->place < to)))
			return true;
	}
	return false;
}

/* Align ITEM with its parent INDEX if nothing is in the way; *TAKEN is the
 * rightmost place of the rank above that is aligned already.
 */
static bool
align_with(struct fx_layers *layers, const struct fx_layer *layer,
	struct fx_item *item, size_t index, int *taken)
{
	struct fx_item *parent =
		fx_layers_item(layers, item->parents.items[index]);

	if (parent->place <= *taken)
		return false;
	if (!is_inner(parent, item) &&
		crosses_chain(layers, layer, parent->place, item->place))
		return false;
	item->root = parent->root;
	item->aligned = (int)index;
	*taken = parent->place;
	return true;
}

static void
align_layer(struct fx_layers *layers, const struct fx_layer *layer)
{
	int taken = -1;

	for (size_t i = 0; i < layer->items.count; i++) {
		struct fx_item *item =
			fx_layers_item(layers, layer->items.items[i]);
		size_t count = item->parents.count;

		if (!count)
			continue;
		if (!align_with(layers, layer, item, (count - 1) / 2, &taken))
			align_with(layers, layer, item, count / 2, &taken);
	}
}

/* Boxes wide enough for their ports. */
static void
widen(struct fx_layers *layers)
{
	struct fx_item *item;

	fx_vec_for_each (item, &layers->items) {
		int count = (int)item->parents.count;
		int reach = item->aligned < 0
				    ? count - 1
				    : 2 * FX_MAX(item->aligned,
						  count - 1 - item->aligned);

		if (item->is_box)
			item->width = FX_MAX(item->width, 2 * reach + 3);
	}
}

/* Columns to the left of an item's middle, and to the right. */
static int
left_part(const struct fx_item *item)
{
	return (item->width - 1) / 2;
}

static int
right_part(const struct fx_item *item)
{
	return item->width - 1 - left_part(item);
}

/* Move the blocks of LAYER right where neighbours are too close.  A block's
 * column is its root's.  True if something moved.
 */
static bool
push_right(struct fx_layers *layers, const struct fx_layer *layer)
{
	bool moved = false;
	int free_column = 0;

	for (size_t i = 0; i < layer->items.count; i++) {
		struct fx_item *item =
			fx_layers_item(layers, layer->items.items[i]);
		struct fx_item *root = fx_layers_item(layers, item->root);
		int least = free_column + left_part(item);

		if (root->x < least) {
			root->x = least;
			moved = true;
		}
		free_column = root->x + right_part(item) + 1 + GAP;
	}
	return moved;
}

void
fx_layers_place(struct fx_layers *layers)
{
	struct fx_item *item;
	bool moved = true;

	for (size_t r = 1; r < layers->layers.count; r++)
		align_layer(layers, &layers->layers.items[r]);
	widen(layers);
	/* Alignments never cross, so "is left of" has no cycles among blocks
	 * and this ends; the bound is a belt to those braces.
	 */
	for (size_t i = 0; moved && i <= layers->items.count; i++) {
		moved = false;
		for (size_t r = 0; r < layers->layers.count; r++)
			moved |= push_right(layers, &layers->layers.items[r]);
	}
	fx_vec_for_each (item, &layers->items) {
		item->x = fx_layers_item(layers, item->root)->x;
		layers->width =
			FX_MAX(layers->width, item->x + right_part(item) + 1);
	}
}
