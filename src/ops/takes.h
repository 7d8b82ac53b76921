/* takes.h - what layers take: rows of takes.def. */
#ifndef FX_OPS_TAKES_H
#define FX_OPS_TAKES_H

struct fx_takes {
	const char *layer;
	const char *size; /* of its configuration, for "$" in the form, or "" */
	const char *form; /* f32[1,$,H,W] */
};

/* Of a layer of CLASS_NAME, in any usual spelling, or NULL. */
const struct fx_takes *fx_takes_find(const char *class_name);

#endif /* FX_OPS_TAKES_H */
