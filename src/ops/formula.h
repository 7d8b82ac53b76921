/* formula.h - what operations compute, as formulas, and how it goes wrong. */
#ifndef FX_OPS_FORMULA_H
#define FX_OPS_FORMULA_H

#include <stddef.h>

enum fx_formula_family {
	FX_FORMULA_ELEMENT,
	FX_FORMULA_CHANNEL,
	FX_FORMULA_LAST,
	FX_FORMULA_GROUP,
	FX_FORMULA_REDUCE,
	FX_FORMULA_MATRIX,
	FX_FORMULA_MATRIX_ADD,
	FX_FORMULA_LINEAR,
	FX_FORMULA_CONVOLUTION,
	FX_FORMULA_WINDOW,
	FX_FORMULA_ADAPTIVE,
	FX_FORMULA_EINSUM,
	FX_FORMULA_PICK,
	FX_FORMULA_RECURRENT,
	FX_FORMULA_PLACE,
};

/* What becomes of the elements that one needs. */
enum fx_formula_fold {
	FX_FOLD_NONE,
	FX_FOLD_SUM,       /* of products, where two operands are given */
	FX_FOLD_MAX,       /* the largest, or in indices its place */
	FX_FOLD_MIN,       /* the smallest, the same */
	FX_FOLD_PRODUCT,   /* all multiplied */
	FX_FOLD_VARIANCE,  /* (x - mean) ** 2 summed */
	FX_FOLD_POWER,     /* |x| ** p summed */
	FX_FOLD_EXP,       /* exp(x - the largest) summed */
	FX_FOLD_NORMALISE, /* the mean, and (x - mean) ** 2 / count summed */
};

struct fx_formula {
	const char *names;
	enum fx_formula_family family;
	enum fx_formula_fold fold;
	const char *text;
};

/* The formula of the function or method TARGET, by any usual spelling, or NULL.
 */
const struct fx_formula *fx_formula_find(const char *target);
/* The same of tensor NUMBER of those that it gives. */
const struct fx_formula *fx_formula_find_part(const char *target,
	size_t number);

/* What may be to blame. */
enum fx_reason_test {
	FX_REASON_NEGATIVE,
	FX_REASON_ZERO,
	FX_REASON_BELOW_MINUS_ONE,
	FX_REASON_BEYOND_ONE, /* 1 and -1 themselves, too */
	FX_REASON_LARGE,      /* what came out is infinite */
	FX_REASON_INFINITE,
	FX_REASON_ANY,
	FX_REASON_NONE, /* no element at all */
};

/* What was given to an operation that gave what is not finite. */
struct fx_reason_case {
	const char *target;
	const char *parameter; /* that is to blame, or NULL */
	double value;          /* that it is */
	double result;
	enum fx_reason_test kind; /* ANY: by VALUE; INFINITE, NONE */
};
/* What is wrong with that, in a phrase, or NULL. */
const char *fx_reason_find(const struct fx_reason_case *what);

#endif /* FX_OPS_FORMULA_H */
