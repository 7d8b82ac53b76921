/* become.h - a graph is made equal to another one by edits.
 *
 * Nodes of one name are the same node, which keeps its id and whatever refers
 * to it; modules and tensors are compared by their paths, with their values.
 */
#ifndef FX_IR_BECOME_H
#define FX_IR_BECOME_H

#include <stddef.h>

#include "base/error.h"

struct fx_buf;
struct fx_graph;
struct fx_map;
struct fx_node;

/* RENAMED, which may be null, says which nodes of GRAPH are called otherwise in
 * OTHER: their interned names -> the others.
 *
 * Inside the open transaction of GRAPH: edits after which it has the nodes of
 * OTHER in their order, and at the paths that these name the modules and
 * tensors of OTHER.  What stands at other paths stays; so do
 * annotations of nodes that OTHER does not annotate.  Fails as the edits do;
 * the caller takes the transaction back then.
 */
FX_NODISCARD struct fx_error *fx_graph_become(struct fx_graph *graph,
	struct fx_graph *other, const struct fx_map *renamed);

/* The same changes, some of them: in groups that do not need each other, which
 * are numbered in the order of the graphs.  Two changes are in one group when
 * one node reads the other, before or after, or both read a module that
 * changes.  A node that only reads another one in the place of an input that
 * came or went belongs to that, and does not join what it stands between.
 *
 * GRAPH and OTHER have to live as long; between two calls GRAPH is as it was.
 */
struct fx_becoming;
struct fx_becoming *fx_becoming_new(struct fx_graph *graph,
	struct fx_graph *other, const struct fx_map *renamed);
void fx_becoming_free(struct fx_becoming *becoming);
/* How many groups there are. */
size_t fx_becoming_divide(struct fx_becoming *becoming);
/* As fx_graph_become, those from FIRST to before END. */
FX_NODISCARD struct fx_error *fx_becoming_make(struct fx_becoming *becoming,
	size_t first, size_t end);
/* One more of them: GRAPH is as the groups that were added before left it, or
 * as it was.
 */
FX_NODISCARD struct fx_error *fx_becoming_add(struct fx_becoming *becoming,
	size_t group);
/* After fx_becoming_divide: the first node of GRAPH that the group is about, or
 * NULL; a name for the group, interned: that node's, or its first new node's.
 */
const struct fx_node *fx_becoming_node(const struct fx_becoming *becoming,
	size_t group);
const char *fx_becoming_key(const struct fx_becoming *becoming, size_t group);
/* Append its nodes: "-%relu +%gelu ~%mean"; after fx_becoming_divide. */
void fx_becoming_print(const struct fx_becoming *becoming, size_t group,
	struct fx_buf *out);

#endif /* FX_IR_BECOME_H */
