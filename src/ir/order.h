/* order.h - questions about order and reachability. */
#ifndef FX_IR_ORDER_H
#define FX_IR_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bitset.h"
#include "ir/graph.h"

/* For graph.c: give NODE, just linked, an order label between its neighbours;
 * relabels neighbours when there is no room (amortised O(log n)).
 */
void fx_order_label(struct fx_node *node);

/* For qsort of an array of struct fx_node *: the order of their graph. */
int fx_order_compare(const void *a, const void *b);

/* Whether NODE depends on INPUT, directly or not.  Visits only what lies
 * between them.
 */
bool fx_order_depends(struct fx_node *node, struct fx_node *input);

/* The nodes NODE depends on (UP) or that depend on it, NODE included, up to
 * DEPTH edges away (-1: all), as positions in graph order, ascending.  The
 * caller frees *POSITIONS_RET.
 */
void fx_order_cone(struct fx_node *node, bool up, int depth,
	size_t **positions_ret, size_t *count_ret);

/* The nodes of GRAPH with IDS (low halves of their ids) and all that depends on
 * them, each once, in graph order; the caller frees *RET.
 */
void fx_order_cone_of(struct fx_graph *graph, const struct fx_bitset *ids,
	struct fx_node ***ret, size_t *count_ret);

/* A shortest dependency path from FROM down to TO, both included; the caller
 * frees.  *COUNT_RET is 0 when there is none.
 */
void fx_order_path(struct fx_node *from, struct fx_node *to,
	struct fx_node ***nodes_ret, size_t *count_ret);

/* Mark in STAYED, which holds false, a longest run of PLACES that ascends; NONE
 * is part of no run.
 */
#define FX_ORDER_NONE UINT64_MAX
void fx_order_longest(const uint64_t *places, size_t count, bool *stayed);

#endif /* FX_IR_ORDER_H */
