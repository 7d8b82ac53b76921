/* layertab.h - what layers and functionals mean, as Python text.
 *
 * layers.py and functionals.py are embedded, parsed on first use, and give
 * trees of lang/.  A layer is found by any usual spelling of its class:
 * torch.nn.modules.linear.Linear, torch.nn.Linear, nn.Linear, Linear.
 */
#ifndef FX_OPS_LAYERTAB_H
#define FX_OPS_LAYERTAB_H

#include <stdbool.h>
#include <stddef.h>

struct fx_ast;

struct fx_layer {
	const char *name;      /* interned: Linear */
	const char *qualified; /* interned: torch.nn.modules.linear.Linear */
	const struct fx_layer *base; /* or NULL */
	const struct fx_ast *tree;   /* CLASS */
	const char *text;            /* of the file, for carets */
	bool asks_training; /* what it does depends on whether it trains */
};

/* The layer that CLASS_NAME means, or NULL. */
const struct fx_layer *fx_layer_find(const char *class_name);

/* The INDEXth layer; NULL past the end. */
const struct fx_layer *fx_layer_at(size_t index);

/* The FUNCTION tree of LAYER's method NAME, its bases' included, or NULL. */
const struct fx_ast *fx_layer_method(const struct fx_layer *layer,
	const char *name);

struct fx_functional {
	const char *name; /* interned, qualified: torch.nn.functional.mish */
	const struct fx_ast *tree; /* FUNCTION */
	const char *text;
};

/* The composite function of a qualified NAME, or NULL.  Helpers of the two
 * files are found by their bare name.
 */
const struct fx_functional *fx_functional_find(const char *name);
const struct fx_functional *fx_functional_at(size_t index);

/* Release what was parsed; for leak-free exits. */
void fx_layertab_shutdown(void);

#endif /* FX_OPS_LAYERTAB_H */
