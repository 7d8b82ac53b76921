/* align.h - how far two graphs do the same from their beginnings on.
 *
 * Nodes that do nothing but compute what nobody uses are left out.  Names,
 * types and places do not matter; what a node calls, with which module and
 * tensors, and in which order nodes have effects, does.
 */
#ifndef FX_IR_ALIGN_H
#define FX_IR_ALIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bitset.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "ir/graph.h"

struct fx_module;

struct fx_alignment {
	struct fx_graph *graphs[2];
	/* By the low half of the id: nodes that give something to the output,
	 * or may have an effect; placeholders.
	 */
	struct fx_bitset live[2];
	struct fx_map twins; /* node of the second graph -> of the first */
	/* The first live nodes that are not twins; NULL: there is none. */
	struct fx_node *parted[2];
	size_t shared; /* how many twins there are */
};

/* All zero is empty. */
void fx_alignment_deinit(struct fx_alignment *alignment);
FX_DEFINE_DEINIT(alignment, struct fx_alignment, fx_alignment_deinit);
#define FX_AUTO_ALIGNMENT FX_AUTO(alignment)

/* Tensors are the same when they lie alike in one storage. */
void fx_align(struct fx_graph *a, struct fx_graph *b, struct fx_alignment *ret);

/* Whether both graphs do the same to their ends. */
bool fx_alignment_is_whole(const struct fx_alignment *alignment);

/* NODE's live neighbour in graph WHICH, or NULL. */
struct fx_node *fx_alignment_live(const struct fx_alignment *alignment,
	int which, struct fx_node *node);

/* Whether A and B compute alike: class, configuration, members with the same
 * storages.
 */
bool fx_align_is_same_module(const struct fx_module *a,
	const struct fx_module *b);

#endif /* FX_IR_ALIGN_H */
