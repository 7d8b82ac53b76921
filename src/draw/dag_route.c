/* dag_route.c - lines between ranks: which row each turns in.
 *
 * Between two ranks every value is one net: down from its source, along a
 * track, down to its targets.  Nets share a track where they do not overlap.
 * Where net A's source and net B's target are in the same column, A's track
 * must be above B's, or the two would run over each other.  Nets that demand
 * this of each other in a circle are cut: one takes a free column at the right
 * on its way.
 */
#include <config.h>

#include "draw/layers.h"

#include "base/compiler.h"

static void
add_target(struct fx_net *net, int column)
{
	fx_vec_push(&net->targets, column);
	net->left = FX_MIN(net->left, column);
	net->right = FX_MAX(net->right, column);
}

static void
net_of_item(struct fx_layers *layers, uint32_t number)
{
	struct fx_item *item = fx_layers_item(layers, number);
	struct fx_net net = { .item = number,
		.rank = item->rank,
		.source = item->x,
		.left = item->x,
		.right = item->x,
		.track = -1 };

	for (size_t i = 0; i < item->children.count; i++) {
		struct fx_item *child =
			fx_layers_item(layers, item->children.items[i]);

		for (size_t p = 0; p < child->parents.count; p++)
			if (child->parents.items[p] == number)
				add_target(&net, fx_layers_port(child, p));
	}
	if (net.targets.count)
		fx_vec_push(&layers->nets, net);
}

/* Whether A's track must be above B's. */
static bool
is_above(const struct fx_net *a, const struct fx_net *b)
{
	if (a->item == b->item)
		return a->is_cut && b->is_rest &&
		       a->targets.items[0] == b->source;
	for (size_t i = 0; i < b->targets.count; i++)
		if (b->targets.items[i] == a->source)
			return true;
	return false;
}

static bool
has_turn(const struct fx_net *net)
{
	return net->left != net->right;
}

/* The nets of one gap, layers->nets from FIRST on. */
struct gap {
	struct fx_layers *layers;
	size_t first;
	int track;
};

static struct fx_net *
gap_net(const struct gap *gap, size_t index)
{
	return &gap->layers->nets.items[gap->first + index];
}

static size_t
gap_count(const struct gap *gap)
{
	return gap->layers->nets.count - gap->first;
}

/* Whether NET may go on the current track: what must be above it is. */
static bool
is_ready(const struct gap *gap, const struct fx_net *net)
{
	for (size_t i = 0; i < gap_count(gap); i++) {
		const struct fx_net *other = gap_net(gap, i);

		if (other != net && has_turn(other) &&
			(other->track < 0 || other->track == gap->track) &&
			is_above(other, net))
			return false;
	}
	return true;
}

/* The unplaced net that is ready and begins leftmost from COLUMN on. */
static struct fx_net *
next_on_track(const struct gap *gap, int column)
{
	struct fx_net *best = NULL;

	for (size_t i = 0; i < gap_count(gap); i++) {
		struct fx_net *net = gap_net(gap, i);

		if (has_turn(net) && net->track < 0 && net->left >= column &&
			(!best || net->left < best->left) && is_ready(gap, net))
			best = net;
	}
	return best;
}

static struct fx_net *
first_unplaced(const struct gap *gap)
{
	for (size_t i = 0; i < gap_count(gap); i++) {
		struct fx_net *net = gap_net(gap, i);

		if (has_turn(net) && net->track < 0)
			return net;
	}
	return NULL;
}

/* Send NET to a free column at the right and on from there as another net. */
static void
cut_circle(struct gap *gap, struct fx_net *net)
{
	int column = gap->layers->width + 1;
	struct fx_net rest = *net;

	gap->layers->width = column + 1;
	rest.source = column;
	rest.left = rest.right = column;
	rest.track = -1;
	rest.is_rest = true;
	rest.is_cut = false;
	for (size_t i = 0; i < rest.targets.count; i++)
		rest.left = FX_MIN(rest.left, rest.targets.items[i]);
	net->is_cut = true;
	net->targets.items = NULL;
	net->targets.count = net->targets.capacity = 0;
	net->left = net->right = net->source;
	add_target(net, column);
	fx_vec_push(&gap->layers->nets, rest);
}

static int
assign_tracks(struct gap *gap)
{
	struct fx_net *net;

	while ((net = first_unplaced(gap))) {
		int column = 0;
		bool any = false;

		while ((net = next_on_track(gap, column))) {
			net->track = gap->track;
			column = net->right + 1;
			any = true;
		}
		if (any)
			gap->track++;
		else
			cut_circle(gap, first_unplaced(gap));
	}
	return gap->track;
}

/* The rest of a cut net begins where its first part ends. */
static void
find_beginnings(const struct gap *gap)
{
	for (size_t i = 0; i < gap_count(gap); i++) {
		struct fx_net *net = gap_net(gap, i);

		for (size_t k = 0; net->is_rest && k < gap_count(gap); k++) {
			const struct fx_net *other = gap_net(gap, k);

			if (other != net && is_above(other, net) &&
				other->item == net->item)
				net->first_row = other->track + 1;
		}
	}
}

void
fx_layers_route(struct fx_layers *layers)
{
	int row = 0;

	for (size_t r = 0; r < layers->layers.count; r++) {
		struct fx_layer *layer = &layers->layers.items[r];
		struct gap gap = { .layers = layers,
			.first = layers->nets.count };

		for (size_t i = 0; i < layer->items.count; i++)
			net_of_item(layers, layer->items.items[i]);
		layer->tracks = assign_tracks(&gap);
		find_beginnings(&gap);
		if (layers->tiny && r + 1 < layers->layers.count)
			layer->tracks = FX_MAX(layer->tracks, 1);
		layer->top = row;
		row += layers->box_rows + layer->tracks;
	}
	layers->height = row;
}
