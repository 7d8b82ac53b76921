/* outline.h - nodes as calls of graphs nested in theirs; ir/inline.h undoes it.
 *
 * The graphs belong to new modules.  Those modules that their nodes call stay
 * where they are in the tree; the new ones have them too, by names without
 * dots, as torch.fx's split_module names them.  All of it is edits inside the
 * open transaction.
 */
#ifndef FX_IR_OUTLINE_H
#define FX_IR_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ir/graph.h"

struct fx_partition;

/* Put a call of a module NAME, which gets a graph of the COUNT nodes in NODES,
 * in their place.  NAME may be NULL: submod_0, or the first number that is
 * free.  Parameters among the nodes stay outside.  VALUE: an input or output
 * among them, no operation, or a node outside that lies between two of them;
 * ORDER: something would write or draw random numbers sooner or later than it
 * does; NAME_TAKEN, BAD_NAME.
 */
FX_NODISCARD struct fx_error *fx_outline(struct fx_graph *graph,
	struct fx_node *const *nodes, size_t count, const char *name,
	struct fx_node **call_ret);

/* Put calls in the place of all operations of PARTITION's graph, each of which
 * is in a part, as split_module does: the same order, names and arguments.
 * With KEEPS_ORDER the calls stand as the parts first come up.  CYCLE: two
 * parts need each other; ORDER: as above, or that order is impossible;
 * NAME_TAKEN.
 */
FX_NODISCARD struct fx_error *fx_split(struct fx_partition *partition,
	bool keeps_order);

/* Where the node with ID went when it came into another graph among ROOT and
 * those nested in it, or NULL.
 */
const struct fx_node *fx_outline_find(struct fx_graph *root, uint64_t id);

#endif /* FX_IR_OUTLINE_H */
