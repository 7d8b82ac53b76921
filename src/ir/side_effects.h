/* side_effects.h - what a node may do beside giving a result, told without
 * running it: what is not known to only compute may do anything.
 */
#ifndef FX_IR_SIDE_EFFECTS_H
#define FX_IR_SIDE_EFFECTS_H

#include <stdbool.h>

#include "ops/optab.h"

struct fx_node;

/* Bits of what a node is known, or suspected, to do. */
enum fx_side_effect {
	FX_SIDE_EFFECT_WRITES = 1, /* into memory that others see */
	FX_SIDE_EFFECT_DRAWS = 2,  /* random numbers */
};

/* Bits of fx_side_effect: by its operation or layer, and by what its arguments
 * or the layer's configuration ask for: inplace=True, training=True,
 * max_norm=1.0.
 */
unsigned fx_side_effects(const struct fx_node *node);

/* Whether NODE draws, and nothing in it is only suspected to: no operation or
 * module that is unknown.
 */
bool fx_is_known_to_draw(const struct fx_node *node);

/* Whether NODE's result may lie in the storage of an argument. */
bool fx_may_alias(const struct fx_node *node);

/* The function that a layer of CLASS_NAME (interned) is by ops/spellings.def,
 * or NONE.
 */
enum fx_op fx_layer_operation(const char *class_name);
/* NODE's operation: of a layer without own code that function. */
enum fx_op fx_node_operation(const struct fx_node *node);

#endif /* FX_IR_SIDE_EFFECTS_H */
