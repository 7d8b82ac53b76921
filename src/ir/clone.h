/* clone.h - copies of graphs and parts of them. */
#ifndef FX_IR_CLONE_H
#define FX_IR_CLONE_H

#include "base/map.h"
#include "ir/graph.h"

/* A copy without journal, with new ids; module tree copied, storages shared.
 * If MAP is not NULL it gets old node -> new node.  The caller owns it.
 */
struct fx_graph *fx_graph_clone(const struct fx_graph *graph, uint32_t serial,
	struct fx_map *map);

/* VALUE of another graph brought into GRAPH, its nodes replaced through MAP
 * (absent ones become NONE).
 */
struct fx_value fx_graph_import(struct fx_graph *graph,
	const struct fx_value *value, const struct fx_map *map);

/* SCOPE of another graph (NULL: none) as one of GRAPH. */
const struct fx_scope *fx_graph_import_scope(struct fx_graph *graph,
	const struct fx_scope *scope);
/* What a copy of NODE, which is of another graph, is made of in GRAPH: all but
 * its name and what it is derived from.  Nodes are replaced through MAP.
 */
struct fx_node_spec fx_graph_import_node(struct fx_graph *graph,
	const struct fx_node *node, const struct fx_map *map);

/* A deep copy of MODULE for GRAPH. */
struct fx_module *fx_module_clone(struct fx_graph *graph,
	const struct fx_module *module);

#endif /* FX_IR_CLONE_H */
