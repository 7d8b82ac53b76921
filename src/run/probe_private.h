/* probe_private.h - what the files of a probe share. */
#ifndef FX_RUN_PROBE_PRIVATE_H
#define FX_RUN_PROBE_PRIVATE_H

#include "run/probe.h"

/* No leaf takes part, and there are no candidates. */
void fx_probe_forget(struct fx_probe *probe);
/* LEAF takes part; its OTHERS are still to be set. */
FX_NODISCARD struct fx_error *fx_probe_take_part(struct fx_probe *probe,
	struct fx_leaf *leaf);
/* Each of what may stand for LEAF's elements becomes WITH. */
void fx_leaf_fill(const struct fx_leaf *leaf, double with);
/* Call it as it was called: what the element is then. */
FX_NODISCARD struct fx_error *fx_probe_see(struct fx_probe *probe);
/* Whether it is wrong with every element replaced but COUNT of them, and with
 * those from LO to before HI replaced.
 */
FX_NODISCARD struct fx_error *fx_probe_keep(struct fx_probe *probe,
	const uint64_t *kept, uint64_t count, bool *bad_ret);
FX_NODISCARD struct fx_error *fx_probe_replace(struct fx_probe *probe,
	uint64_t lo, uint64_t hi, bool *bad_ret);
/* What is not finite among the TOTAL elements at BYTES becomes 1. */
void fx_elements_clean(enum fx_dtype dtype, char *bytes, uint64_t total);

#endif /* FX_RUN_PROBE_PRIVATE_H */
