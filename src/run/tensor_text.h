/* tensor_text.h - a tensor's values as PyTorch's print shows them.
 *
 * What set_printoptions says by default: four digits, 80 columns, more than
 * 1000 elements shown by their first and last three in each dimension.
 */
#ifndef FX_RUN_TENSOR_TEXT_H
#define FX_RUN_TENSOR_TEXT_H

#include "base/error.h"

struct fx_datum;

/* Append "tensor([[1., 2.],\n        [3., 4.]])", with the suffixes size= and
 * dtype= where PyTorch has them; never requires_grad or grad_fn.  TYPE when
 * the values are not known, LIMIT when too many elements would be shown.
 */
FX_NODISCARD struct fx_error *fx_tensor_text(struct fx_buf *out,
	const struct fx_datum *tensor);

/* The same as after set_printoptions(linewidth=COLUMNS). */
FX_NODISCARD struct fx_error *fx_tensor_text_within(struct fx_buf *out,
	const struct fx_datum *tensor, size_t columns);

#endif /* FX_RUN_TENSOR_TEXT_H */
