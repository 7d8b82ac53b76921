/* layers.h - layers that a pass gives other numbers: who else needs them as
 * they are, and which tensors can be computed with.
 */
#ifndef FX_PASS_LAYERS_H
#define FX_PASS_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/map.h"
#include "ir/value.h"

struct fx_graph;
struct fx_module;
struct fx_node;
struct fx_tensor;

/* How many nodes need a module as it is: those that call it or something below
 * or above it, or read a tensor of it.
 */
struct fx_holders {
	struct fx_map counts;
};

/* Of GRAPH as it is now; fx_holders_deinit releases it. */
void fx_holders_find(struct fx_holders *holders, const struct fx_graph *graph);
void fx_holders_deinit(struct fx_holders *holders);
/* One node more needs MODULE. */
void fx_holders_add(struct fx_holders *holders, const struct fx_module *module);
bool fx_holders_is_only(const struct fx_holders *holders,
	const struct fx_module *module);

/* The layer that NODE, of HOLDERS, calls becomes LAYER: where it stands, or,
 * where others need it as it is, at a path of its own.
 */
FX_NODISCARD struct fx_error *fx_layer_change(struct fx_holders *holders,
	struct fx_node *node, struct fx_module *layer);
/* NODE goes, and with it a layer that it alone calls; its users get INSTEAD. */
FX_NODISCARD struct fx_error *fx_layer_absorb(const struct fx_holders *holders,
	struct fx_node *node, struct fx_node *instead);
/* Remove the module at PATH, unless somebody else needs it. */
FX_NODISCARD struct fx_error *fx_layer_drop(const struct fx_holders *holders,
	struct fx_graph *graph, const char *path);

/* CONFIG of a layer with VALUE for KEY, in GRAPH. */
struct fx_value fx_layer_with_entry(struct fx_graph *graph,
	const struct fx_value *config, const char *key, int64_t value);

/* PATH_fused, numbered if it is taken; interned. */
const char *fx_layer_free_path(struct fx_graph *graph, const char *path);

/* The parameter or buffer NAME of MODULE itself, or NULL. */
const struct fx_tensor *fx_layer_tensor(const struct fx_module *module,
	const char *name);
/* Whether TENSOR has values of DTYPE in order, and COUNT of them unless that is
 * 0.
 */
bool fx_tensor_is_usable(const struct fx_tensor *tensor, enum fx_dtype dtype,
	int64_t count);

#endif /* FX_PASS_LAYERS_H */
