/* uses.h - the edges of a graph, stored twice: at the user and at the input.
 *
 * For graph.c, the edits and the journal only.  A node's edges lie in one array
 * (one per distinct input, in argument order); the edges to one input are a
 * list, oldest assignment first, which is torch.fx's order of users.
 *
 * Leaving a list keeps the edge's own links, so that fx_uses_restore puts it
 * back exactly where it stood, provided that everything done since was undone
 * in reverse ("dancing links").  That is all the journal needs to restore
 * users' order.
 */
#ifndef FX_IR_USES_H
#define FX_IR_USES_H

#include "ir/graph.h"

/* Give NODE a new array of edges for its arguments, in no list yet. */
void fx_uses_build(struct fx_graph *graph, struct fx_node *node);

/* Append NODE's edges to the lists of its inputs; take them out again. */
void fx_uses_append(struct fx_node *node);
void fx_uses_retract(struct fx_node *node);

/* Take NODE's edges, wherever they stand, out of the lists; put them back. */
void fx_uses_remove(struct fx_node *node);
void fx_uses_restore(struct fx_node *node);

#endif /* FX_IR_USES_H */
