/* layertab.h - what layers and functionals mean, as Python text.
 *
 * layers.py and functionals.py are embedded and indexed when fxdb is built;
 * what is used of them is parsed then, to trees of lang/.  A layer is found by
 * any usual spelling of its class: torch.nn.modules.linear.Linear,
 * torch.nn.Linear, nn.Linear, Linear.
 */
#ifndef FX_OPS_LAYERTAB_H
#define FX_OPS_LAYERTAB_H

#include <stdbool.h>
#include <stddef.h>

struct fx_ast;

struct fx_layer {
	const char *name;      /* Linear */
	const char *qualified; /* torch.nn.modules.linear.Linear */
	const char *base;      /* name of the layer it derives from, or "" */
	const char *text;      /* where it begins in its file */
	size_t size;
};

/* The layer that CLASS_NAME means, or NULL. */
const struct fx_layer *fx_layer_find(const char *class_name);

/* The INDEXth layer; NULL past the end. */
const struct fx_layer *fx_layer_at(size_t index);

/* The FUNCTION tree of LAYER's method NAME, its bases' included, or NULL; in
 * *TEXT_RET (may be null) the text that its spans count from.
 */
const struct fx_ast *fx_layer_method(const struct fx_layer *layer,
	const char *name, const char **text_ret);

/* Whether LAYER behaves differently in training mode. */
bool fx_layer_asks_training(const struct fx_layer *layer);

struct fx_functional {
	const char *name; /* qualified: torch.nn.functional.mish */
	const char *text; /* where it begins in its file */
	size_t size;
};

/* Its FUNCTION, whose spans count from its text. */
const struct fx_ast *fx_functional_tree(const struct fx_functional *functional);

/* The composite function of a qualified NAME, or NULL.  Helpers of the two
 * files are found by their bare name.
 */
const struct fx_functional *fx_functional_find(const char *name);
const struct fx_functional *fx_functional_at(size_t index);

/* How many classes and functions were parsed so far. */
size_t fx_layertab_parsed(void);
/* Release what was parsed, of spellings.def too; for leak-free exits. */
void fx_layertab_shutdown(void);

#endif /* FX_OPS_LAYERTAB_H */
