/* takes.c - rows of takes.def by layer. */
#include <config.h>

#include "ops/takes.h"

#include <stddef.h>
#include <string.h>

#include "base/compiler.h"
#include "ops/layertab.h"

static const struct fx_takes rows[] = {
#define FX_TAKES(layer, size, form) { layer, size, form },
#include "ops/takes.def"
};

const struct fx_takes *
fx_takes_find(const char *class_name)
{
	const struct fx_layer *layer =
		class_name ? fx_layer_find(class_name) : NULL;

	for (size_t i = 0; layer && i < FX_ARRAY_LEN(rows); i++)
		if (!strcmp(rows[i].layer, layer->name))
			return &rows[i];
	return NULL;
}
