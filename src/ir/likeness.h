/* likeness.h - how far two modules or tensors are the same. */
#ifndef FX_IR_LIKENESS_H
#define FX_IR_LIKENESS_H

struct fx_module;
struct fx_tensor;

enum fx_likeness {
	FX_LIKENESS_SAME,
	FX_LIKENESS_OTHER_VALUES, /* of tensors alone */
	FX_LIKENESS_DIFFERENT,
};

/* Null is different from all but null. */
enum fx_likeness fx_likeness_of_tensors(const struct fx_tensor *a,
	const struct fx_tensor *b);
/* MINE, which may be null, and OTHER with all below them. */
enum fx_likeness fx_likeness_of_modules(struct fx_module *mine,
	struct fx_module *other);

#endif /* FX_IR_LIKENESS_H */
