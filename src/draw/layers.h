/* layers.h - a box diagram while it is laid out: what dag_rank, dag_order,
 * dag_place, dag_route and dag_paint hand to each other.
 *
 * Boxes stand in ranks, one above the other.  A value that passes a rank on
 * its way has a "passage" there, one chain for all its users: a value is one
 * line with branches, not one line a user.  So every edge leads from an item
 * to an item of the next rank.
 */
#ifndef FX_DRAW_LAYERS_H
#define FX_DRAW_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct fx_dag;
struct fx_canvas;

typedef FX_VEC(uint32_t) fx_number_vec;

struct fx_item {
	uint32_t node; /* the box's node, or the producer of what passes */
	bool is_box;
	int rank;
	int place;              /* in its rank, from the left */
	int width;              /* columns */
	int x;                  /* column of its middle */
	uint32_t root;          /* item at the top of its straight line */
	int aligned;            /* index of the parent it stands below, or -1 */
	double weight;          /* while ordering */
	fx_number_vec parents;  /* items of the rank above, left to right */
	fx_number_vec children; /* items of the rank below */
};

struct fx_layer {
	fx_number_vec items; /* left to right */
	int top;             /* first row of its boxes */
	int tracks;          /* rows for lines between it and the next */
};

/* A value on its way from one rank to the next: a horizontal line on a track
 * between its source and its targets.
 */
struct fx_net {
	uint32_t item; /* source, names the value for crossings */
	int rank;
	int source; /* column */
	int left;
	int right;
	int track;           /* from the top; -1: straight down, no track */
	int first_row;       /* where the source's line begins in the gap */
	bool is_cut;         /* another net goes on from its only target ... */
	bool is_rest;        /* ... this one */
	FX_VEC(int) targets; /* columns */
};

struct fx_layers {
	const struct fx_dag *dag;
	bool tiny;
	int box_rows; /* 3, or 1 when tiny */
	int width;
	int height;
	FX_VEC(struct fx_item) items;
	FX_VEC(struct fx_layer) layers;
	FX_VEC(struct fx_net) nets;
};

static inline struct fx_item *
fx_layers_item(struct fx_layers *layers, uint32_t number)
{
	return &layers->items.items[number];
}

/* dag_rank.c: the rank of each node by longest path, parameters as late as
 * possible, no rank empty; RANKS has dag->count entries.  Returns the number
 * of ranks.  Linear.
 */
int fx_dag_rank(const struct fx_dag *dag, int *ranks);
/* Places where edges pass a rank: what makes Graphviz slow. */
size_t fx_dag_passages(const struct fx_dag *dag, const int *ranks);

/* dag_rank.c: make the items and layers of dag. */
void fx_layers_build(struct fx_layers *layers);
void fx_layers_deinit(struct fx_layers *layers);
/* dag_order.c: order the items of each layer so that few lines cross. */
void fx_layers_order(struct fx_layers *layers);
/* dag_place.c: the column of each item, and the width of all. */
void fx_layers_place(struct fx_layers *layers);
/* The column at which the line from parent INDEX reaches ITEM. */
int fx_layers_port(const struct fx_item *item, size_t index);

/* dag_route.c: the tracks of lines, then the rows of layers. */
void fx_layers_route(struct fx_layers *layers);

/* dag_paint.c, with MARKED a node to stand out, or -1. */
struct fx_box_style;
void fx_layers_paint(const struct fx_layers *layers,
	const struct fx_box_style *style, struct fx_canvas *grid);

#endif /* FX_DRAW_LAYERS_H */
