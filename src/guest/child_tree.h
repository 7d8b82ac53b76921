/* child_tree.h - which modules and tensors of a graph are still what the
 * process that traced it holds.
 *
 * Edits change the graph's module tree and not the process: what was edited,
 * or is new, must not be looked up there.
 */
#ifndef FX_GUEST_CHILD_TREE_H
#define FX_GUEST_CHILD_TREE_H

#include <stdbool.h>

struct fx_child_tree;
struct fx_graph;
struct fx_module;
struct fx_safetensors;
struct fx_tensor;

/* The module tree of GRAPH as it was just captured. */
struct fx_child_tree *fx_child_tree_new(const struct fx_graph *graph);
void fx_child_tree_free(struct fx_child_tree *tree);

/* That of COPY, a clone of GRAPH as it is now: what TREE, GRAPH's, still has is
 * in the process at the same paths for the copy.
 */
struct fx_child_tree *fx_child_tree_copy(const struct fx_child_tree *tree,
	const struct fx_graph *graph, const struct fx_graph *copy);

/* Whether MODULE and all modules below it are still as they were captured. */
bool fx_child_tree_has(const struct fx_child_tree *tree,
	const struct fx_module *module);

/* Whether MODULE, of a copy of the graph, and all modules below it compute what
 * the one captured at PATH does, and share its parameters.  Never where there
 * are buffers: the process would write those of the graph.
 */
bool fx_child_tree_has_like(const struct fx_child_tree *tree,
	const struct fx_module *module, const char *path);

/* The path of MODULE in the process (borrowed), through the modules whose
 * graphs it is in, or NULL when it is newer.
 */
const char *fx_child_tree_module_path(const struct fx_child_tree *tree,
	const struct fx_module *module);

/* The same, but NULL also when its class, mode or configuration are newer; what
 * stands below it may be newer all the same.
 */
const char *fx_child_tree_current_path(const struct fx_child_tree *tree,
	const struct fx_module *module);

/* The path of TENSOR in the process (borrowed), or NULL when it is newer. */
const char *fx_child_tree_path(const struct fx_child_tree *tree,
	const struct fx_tensor *tensor);

/* Give each tensor that was captured, and has none, the bytes that FILE has by
 * its path in the process.
 */
void fx_child_tree_attach(const struct fx_child_tree *tree,
	const struct fx_safetensors *file);

#endif /* FX_GUEST_CHILD_TREE_H */
