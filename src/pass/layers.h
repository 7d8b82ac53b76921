/* layers.h - layers that a pass gives other numbers: who else needs them as
 * they are, and which tensors can be computed with.
 */
#ifndef FX_PASS_LAYERS_H
#define FX_PASS_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/map.h"

struct fx_graph;
struct fx_module;
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
