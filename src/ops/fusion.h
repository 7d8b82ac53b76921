/* fusion.h - which normalisations can be folded into which layers. */
#ifndef FX_OPS_FUSION_H
#define FX_OPS_FUSION_H

#include <stdint.h>

/* A row of fusion.def, which says what the members mean. */
struct fx_fusion {
	const char *layer;
	const char *norm;
	uint32_t rank;
	uint32_t axis;
};

/* The row for the classes LAYER and NORM in any usual spelling, or NULL. */
const struct fx_fusion *fx_fusion_find(const char *layer, const char *norm);

#endif /* FX_OPS_FUSION_H */
