/* graph_private.h - what only src/ir knows of a graph.
 *
 * Nodes lie in slabs, in the order of their ids, and never move: the slab
 * table is the table of ids, and node pointers are as stable as ids until
 * compaction gives a wholly unreachable slab back.
 */
#ifndef FX_IR_GRAPH_PRIVATE_H
#define FX_IR_GRAPH_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "ir/graph.h"

enum {
	FX_SLAB_NODES = 64,
	/* So many slabs have memory of their own; the others share blocks. */
	FX_SINGLE_SLABS = 64,
	/* Deepest argument or module tree; beyond it edits are refused. */
	FX_DEPTH_LIMIT = 200,
};

struct fx_decided;
struct fx_storage;

/* A huge page of slabs that follow each other. */
struct fx_slab_block {
	struct fx_node *nodes;
	size_t live; /* slabs made and not given back */
};

struct fx_graph_private {
	FX_VEC(struct fx_node *) slabs; /* null: given back */
	FX_VEC(struct fx_slab_block) blocks;
	uint32_t made; /* nodes made; the last one's index */

	/* Graph order, when index_version is the graph's version. */
	struct fx_node **at;
	uint32_t *positions; /* by node index */
	uint64_t index_version;
	size_t index_size; /* bytes of both */

	FX_VEC(struct fx_module *) modules;
	FX_VEC(struct fx_storage *) storages;
	/* There was no module tree when the journal was opened: paths lead
	 * nowhere and that is no fault, also after a module was set.
	 */
	bool is_bare;
	struct fx_map sources; /* hash -> chain of equal hashes */
	struct fx_map scopes;
	struct fx_map notes; /* node index -> chain */
	/* By slab, as far as needed: what its nodes were derived from
	 * (node_info.c); NULL for those of which nothing is told.
	 */
	FX_VEC(struct fx_derived **) derived;
	size_t compacted_size; /* of the value arena, when last compacted */
	struct fx_decided *decided; /* the first, or NULL (decided.h) */
	struct fx_decided *last_decided;
};

/* Low half of a node's id, from 1. */
static inline uint32_t
fx_node_index(const struct fx_node *node)
{
	return (uint32_t)node->id;
}

/* The node with INDEX, in the graph or not; NULL when there is none. */
struct fx_node *fx_graph_slot(const struct fx_graph *graph, uint32_t index);

/* Give back the slab at INDEX, which is not the last one, if it has memory. */
void fx_graph_free_slab(struct fx_graph *graph, size_t index);

/* A node called NAME made from SPEC, whose target is interned, with edges of
 * its own but in no list.
 */
struct fx_node *fx_graph_make_node(struct fx_graph *graph,
	const struct fx_node_spec *spec, const char *name);

/* NODE, which is new, came from the COUNT nodes with IDS. */
void fx_graph_set_derived(struct fx_node *node, const uint64_t *ids,
	uint32_t count);

/* Put NODE into the list after PREVIOUS, with an order label; its name and its
 * edges are the caller's business.  And out again: the links stay, so that the
 * same place can be taken again.
 */
void fx_graph_link(struct fx_graph *graph, struct fx_node *node,
	struct fx_node *previous);
void fx_graph_unlink(struct fx_graph *graph, struct fx_node *node);

/* NAME (interned) leads to NODE from now on.  A name leads to the last node
 * that got it, also when that was erased or renamed: fx_graph_name_owner looks.
 */
void fx_graph_own_name(struct fx_graph *graph, const char *name,
	struct fx_node *node);
/* The node called NAME (interned), or NULL. */
struct fx_node *fx_graph_name_owner(const struct fx_graph *graph,
	const char *name);

/* node_info.c: release its tables. */
void fx_graph_deinit_annotations(struct fx_graph *graph);

/* module.c: free the registered modules and let the storages go. */
void fx_graph_deinit_modules(struct fx_graph *graph);
size_t fx_graph_modules_memory(const struct fx_graph *graph);

/* module_gc.c: free modules and storages that tree and journal do not reach. */
void fx_graph_collect_modules(struct fx_graph *graph);
void fx_module_free(struct fx_module *module);

/* journal.c: free the journal, its memory. */
void fx_journal_free(struct fx_journal *journal);
size_t fx_journal_memory(const struct fx_journal *journal);

#endif /* FX_IR_GRAPH_PRIVATE_H */
