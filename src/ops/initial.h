/* initial.h - the numbers that a new layer starts with, as PyTorch draws them:
 * rows of initial.def.
 */
#ifndef FX_OPS_INITIAL_H
#define FX_OPS_INITIAL_H

enum fx_initial_rule {
	FX_INITIAL_NUMBER, /* all are the number */
	FX_INITIAL_NORMAL, /* mean 0, deviation the number */
	/* Uniform between plus and minus 1 / sqrt(n), where n is ... */
	FX_INITIAL_FAN,     /* the inputs of an output, by the layer's weight */
	FX_INITIAL_COLUMNS, /* that weight's second size */
	FX_INITIAL_HIDDEN,  /* the layer's hidden_size */
	/* Uniform within sqrt(6 / n), or normal with deviation sqrt(2 / n),
	 * where n is inputs plus outputs by the tensor itself.
	 */
	FX_INITIAL_XAVIER,
	FX_INITIAL_XAVIER_NORMAL,
};

struct fx_initial {
	const char *layer;
	const char *tensor;
	enum fx_initial_rule rule;
	double number;
};

/* For TENSOR of a layer of CLASS_NAME, in any usual spelling (NULL: not known).
 * Never null.
 */
const struct fx_initial *fx_initial_find(const char *class_name,
	const char *tensor);

/* What layers take: rows of takes.def. */

struct fx_takes {
	const char *layer;
	const char *size; /* of its configuration, for "$" in the form, or "" */
	const char *form; /* f32[1,$,H,W] */
};

/* Of a layer of CLASS_NAME, in any usual spelling, or NULL. */
const struct fx_takes *fx_takes_find(const char *class_name);

#endif /* FX_OPS_INITIAL_H */
