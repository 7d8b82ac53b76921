/* fusion.c - the rows of fusion.def. */
#include <config.h>

#include "ops/fusion.h"

#include <string.h>

#include "base/compiler.h"
#include "ops/layertab.h"

static const struct fx_fusion rows[] = {
#define FX_FUSION(layer, norm, rank, axis) { layer, norm, rank, axis },
#include "ops/fusion.def"
};

const struct fx_fusion *
fx_fusion_find(const char *layer, const char *norm)
{
	const struct fx_layer *first = fx_layer_find(layer);
	const struct fx_layer *second = fx_layer_find(norm);

	for (size_t i = 0; first && second && i < FX_ARRAY_LEN(rows); i++)
		if (!strcmp(rows[i].layer, first->name) &&
			!strcmp(rows[i].norm, second->name))
			return &rows[i];
	return NULL;
}
