/* graph.h - a graph: an ordered list of nodes over a module tree.
 *
 * A graph owns its world: nodes, argument trees, modules, names, journal.  A
 * *new* graph is filled through fx_graph_append before its journal opens;
 * after that everything goes through ir/edit.h inside a transaction.
 */
#ifndef FX_IR_GRAPH_H
#define FX_IR_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ir/names.h"
#include "ir/node.h"

struct fx_journal;
struct fx_module;

/* torch.fx's pytree code generator (semantics 6.9): how the signature looks
 * when inputs or outputs are nested.  NULL in most graphs.
 */
struct fx_pytree {
	size_t input_count;        /* names in the signature */
	const char *const *inputs; /* interned, without self */
	bool with_self;            /* `self` is among the flattened */
	bool with_kwargs;          /* 2.x: ([...], {...}) */
	const char *in_text;       /* the bracketed expression as printed */
	bool has_outputs;          /* result goes through tree_unflatten */
};

struct fx_graph {
	const char *name;       /* what the session calls it; interned */
	const char *class_name; /* of the GraphModule: "ResNet"; interned */
	const char *dialect;    /* torch's version: "1.13"; NULL when unknown */
	const char *origin;     /* command or file it came from; interned */
	uint32_t serial;        /* high half of its node ids */

	struct fx_node root; /* sentinel of the circular list; opcode COUNT */
	size_t node_count;
	size_t shapeless; /* nodes that are (fx_node_is_shapeless) */
	uint64_t version; /* grows with every applied edit */

	struct fx_module *module; /* root of the module tree, never NULL */
	const struct fx_pytree *pytree;
	struct fx_names names;
	struct fx_journal *journal; /* NULL while building */
	struct fx_graph *outer; /* nested in it, with its journal; or NULL */

	struct fx_arena *values;    /* arguments and metadata; compacted */
	struct fx_arena *permanent; /* modules, sources, scopes, notes */
	struct fx_graph_private *private_; /* tables of graph.c */
};

/* An empty graph with an empty module tree.  SERIAL makes its node ids unique
 * in a session.
 */
struct fx_graph *fx_graph_new(uint32_t serial);

/* GRAPH is of the torch version DIALECT (interned; NULL: unknown), by whose
 * rules names are made from now on.
 */
void fx_graph_set_dialect(struct fx_graph *graph, const char *dialect);
void fx_graph_free(struct fx_graph *graph);

FX_DEFINE_CLEANUP(graph, struct fx_graph, fx_graph_free);
#define FX_AUTO_GRAPH FX_AUTO(graph)

/* What a new node is made of.  Zero fields are absent; args NONE is an empty
 * tuple, kwargs NONE an empty dict.  Values must live in the graph's value
 * arena (fx_value_clone brings foreign ones in).
 */
struct fx_node_spec {
	enum fx_opcode opcode;
	const char *target; /* interned by the callee */
	/* Calls the same function or method as this node: TARGET is not asked
	 * and not checked again.
	 */
	const struct fx_node *like;
	/* A candidate for the name; NULL derives it from the target. */
	const char *name;
	bool name_is_exact; /* refuse rather than number it */
	/* For fx_edit_create: takes the name of this node (NAME is not asked),
	 * which the caller erases before the transaction ends.
	 */
	const struct fx_node *heir_of;
	struct fx_value args;
	struct fx_value kwargs;
	const char *type;
	bool is_wrapped;
	const struct fx_source *source;
	const struct fx_scope *scope;
	const struct fx_value *meta;
	const uint64_t *derived; /* ids, copied */
	uint32_t derived_count;
};

/* Add a node at the end while building (no journal, no checks beyond
 * assertions).  Constant time.  Returns it, borrowed.  With name_is_exact
 * and a taken name the name is numbered all the same.
 */
struct fx_node *fx_graph_append(struct fx_graph *graph,
	const struct fx_node_spec *spec);

/* In order: for (node = fx_graph_first(g); node; node = fx_graph_next(node)) */
static inline struct fx_node *
fx_graph_first(const struct fx_graph *graph)
{
	return graph->node_count ? graph->root.next : NULL;
}

static inline struct fx_node *
fx_graph_last(const struct fx_graph *graph)
{
	return graph->node_count ? graph->root.previous : NULL;
}

static inline struct fx_node *
fx_graph_next(const struct fx_node *node)
{
	return node->next->opcode == FX_OPCODE_COUNT ? NULL : node->next;
}

static inline struct fx_node *
fx_graph_previous(const struct fx_node *node)
{
	return node->previous->opcode == FX_OPCODE_COUNT ? NULL
							 : node->previous;
}

#define fx_graph_for_each_node(node, graph) \
	for ((node) = fx_graph_first(graph); (node); \
		(node) = fx_graph_next(node))

/* Lookups; NULL when absent.  Constant time (at, position: an index is built
 * on demand after changes).  NAME need not be interned.
 */
struct fx_node *fx_graph_find(const struct fx_graph *graph, const char *name);
struct fx_node *fx_graph_find_id(const struct fx_graph *graph, uint64_t id);
struct fx_node *fx_graph_at(struct fx_graph *graph, size_t position);
size_t fx_graph_position(struct fx_graph *graph, const struct fx_node *node);

/* The output node, or NULL. */
struct fx_node *fx_graph_output(const struct fx_graph *graph);

/* Whether NODE's metadata says why it is not known. */
bool fx_node_is_shapeless(const struct fx_node *node);

/* Forget a node's metadata or set it (META is copied into the value arena).
 * Metadata is no edit: it is not journaled.
 */
void fx_graph_set_meta(struct fx_node *node, const struct fx_value *meta);

/* Ids of the nodes that an edit put NODE in the place of (those were erased, or
 * stand beside it), borrowed; how many in *COUNT_RET. */
const uint64_t *fx_graph_derived(const struct fx_node *node,
	uint32_t *count_ret);
/* Append what NODE was derived from, "conv1 (call_module conv1)", with commas
 * between; nothing when it was not, or by a note alone.
 */
void fx_graph_print_derived(const struct fx_node *node, struct fx_buf *out);

/* Sources and scopes of GRAPH, equal ones shared. */
const struct fx_source *fx_graph_source(struct fx_graph *graph,
	const struct fx_source_frame *frames, size_t count);
const struct fx_scope *fx_graph_scope(struct fx_graph *graph,
	const struct fx_scope *parent, const char *path,
	const char *class_name);
/* Like the two functions above, for texts that are interned already: these
 * functions do not look them up again.
 */
const struct fx_source *fx_graph_source_interned(struct fx_graph *graph,
	const struct fx_source_frame *frames, size_t count);
const struct fx_scope *fx_graph_scope_interned(struct fx_graph *graph,
	const struct fx_scope *parent, const char *path,
	const char *class_name);

/* Release the value arena's unreachable part (values of erased nodes that the
 * journal no longer holds, replaced arguments and metadata), and the modules
 * that neither tree nor journal reach.  Pointers to values, erased nodes and
 * such modules end: call it between commands only.  Does nothing while a
 * transaction is open, nor, unless FORCE, before the arena has twice the size
 * that it had after the last time.
 */
void fx_graph_compact(struct fx_graph *graph, bool force);

/* The next node made gets the low half ID; false when that is past. */
bool fx_graph_reserve_ids(struct fx_graph *graph, uint32_t id);

/* Bytes held by nodes, values, journal and modules, without storages. */
size_t fx_graph_memory(const struct fx_graph *graph);

#endif /* FX_IR_GRAPH_H */
