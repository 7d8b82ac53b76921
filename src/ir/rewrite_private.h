/* rewrite_private.h - a replacement, as rewrite_read.c reads it. */
#ifndef FX_IR_REWRITE_PRIVATE_H
#define FX_IR_REWRITE_PRIVATE_H

#include "base/vec.h"
#include "ir/rewrite.h"

/* A layer that the replacement makes. */
struct fx_replacement_module {
	const char *path; /* in the replacement; interned */
	struct fx_module *module;
};

struct fx_replacement {
	const struct fx_pattern *pattern;
	struct fx_graph *graph; /* placeholders, operations, an output */
	FX_VEC(struct fx_replacement_module) modules;
	size_t *slots;     /* of placeholders in the pattern, by node index */
	size_t node_limit; /* above all node indices */
	/* One value an output of the pattern. */
	const struct fx_value *outputs;
	bool training; /* the mode of new layers */
};

#endif /* FX_IR_REWRITE_PRIVATE_H */
