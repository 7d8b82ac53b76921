/* fold_weight.h - the weight and bias of a layer that a normalisation of its
 * channels is folded into.
 */
#ifndef FX_PASS_FOLD_WEIGHT_H
#define FX_PASS_FOLD_WEIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fx_graph;
struct fx_module;
struct fx_tensor;

/* All tensors are contiguous, have values, and are of one float dtype. */
struct fx_folding {
	const struct fx_tensor *weight;
	const struct fx_tensor *bias; /* or NULL: zeros */
	const struct fx_tensor *mean;
	const struct fx_tensor *variance;
	const struct fx_tensor *gamma; /* or NULL: ones */
	const struct fx_tensor *beta;  /* or NULL: zeros */
	double eps;
	uint32_t axis; /* of the channels of a group in WEIGHT: 0 or 1 */
	size_t count;  /* of channels */
	/* In place of a normalisation: by what each channel is multiplied, and
	 * what is added; or NULL.
	 */
	const double *scale;
	const double *shift;
};

/* The folded tensors, for GRAPH.  They are computed in WEIGHT's dtype when they
 * are first looked at, and in f64 for who widens them (ir/tensor_storage.h).
 */
FX_NODISCARD struct fx_error *fx_fold_weight(struct fx_graph *graph,
	const struct fx_folding *folding, struct fx_tensor **weight_ret,
	struct fx_tensor **bias_ret);

/* The numbers of TENSOR, COUNT of them, not rounded where that is known; with
 * NULL COUNT times FALLBACK.  The caller's.
 */
FX_NODISCARD struct fx_error *fx_fold_read(const struct fx_tensor *tensor,
	size_t count, double fallback, double **ret);

/* The weight and bias (NULL: neither has one) of a linear layer that does what
 * SECOND does with the results of FIRST, for GRAPH.
 */
FX_NODISCARD struct fx_error *fx_fold_product(struct fx_graph *graph,
	const struct fx_module *first, const struct fx_module *second,
	struct fx_tensor **weight_ret, struct fx_tensor **bias_ret);

/* The COUNT tensors PARTS, of one dtype and of one size but for their first
 * dimension, as one along that, for GRAPH.  Its elements are read when somebody
 * first looks at them.
 */
FX_NODISCARD struct fx_error *fx_fold_join(struct fx_graph *graph,
	const struct fx_tensor *const *parts, size_t count,
	struct fx_tensor **ret);

#endif /* FX_PASS_FOLD_WEIGHT_H */
