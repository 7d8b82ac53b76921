/* pure.h - calls that are known to give a result and do nothing else. */
#ifndef FX_PASS_PURE_H
#define FX_PASS_PURE_H

#include <stdbool.h>

struct fx_node;

/* Whether NODE reads a parameter or calls an operator or layer of torch that
 * only computes: not in place, not at random, not in training.
 */
bool fx_is_pure(const struct fx_node *node);

#endif /* FX_PASS_PURE_H */
