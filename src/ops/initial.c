/* initial.c - rows of initial.def by layer and tensor. */
#include <config.h>

#include "ops/initial.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/compiler.h"
#include "ops/layertab.h"

static const struct fx_initial rows[] = {
#define FX_INITIAL(layer, tensor, rule, number) \
	{ layer, tensor, FX_INITIAL_##rule, number },
#include "ops/initial.def"
};

static bool
fits(const char *pattern, const char *name)
{
	return !strcmp(pattern, "*") || !strcmp(pattern, name);
}

const struct fx_initial *
fx_initial_find(const char *class_name, const char *tensor)
{
	const struct fx_layer *layer =
		class_name ? fx_layer_find(class_name) : NULL;
	size_t i = 0;

	/* The last row fits everything. */
	while (!fits(rows[i].layer, layer ? layer->name : "") ||
		!fits(rows[i].tensor, tensor))
		i++;
	return &rows[i];
}

/* Taken of takes.def by layer. */

static const struct fx_takes taken[] = {
#define FX_TAKES(layer, size, form) { layer, size, form },
#include "ops/takes.def"
};

const struct fx_takes *
fx_takes_find(const char *class_name)
{
	const struct fx_layer *layer =
		class_name ? fx_layer_find(class_name) : NULL;

	for (size_t i = 0; layer && i < FX_ARRAY_LEN(taken); i++)
		if (!strcmp(taken[i].layer, layer->name))
			return &taken[i];
	return NULL;
}
