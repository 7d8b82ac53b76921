/* guess.h - what a node may do beside giving a result, told without running
 * it: what is not known to only compute may do anything.
 */
#ifndef FX_IR_GUESS_H
#define FX_IR_GUESS_H

#include <stdbool.h>

struct fx_node;

/* Bits of what a node is known, or suspected, to do. */
enum fx_effect_kind {
	FX_EFFECT_WRITES = 1, /* into memory that others see */
	FX_EFFECT_DRAWS = 2,  /* random numbers */
};

/* Bits of fx_effect_kind: by its operation or layer, and by what its arguments
 * or the layer's configuration ask for: inplace=True, training=True,
 * max_norm=1.0.
 */
unsigned fx_effect_guess(const struct fx_node *node);

/* Whether NODE's result may lie in the storage of an argument. */
bool fx_effect_may_alias(const struct fx_node *node);

#endif /* FX_IR_GUESS_H */
