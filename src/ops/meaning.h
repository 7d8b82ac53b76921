/* meaning.h - what operations and layers do, in a few plain words. */
#ifndef FX_OPS_MEANING_H
#define FX_OPS_MEANING_H

#include <stddef.h>

struct fx_buf;

/* What the function, method or class NAME does, by any usual spelling
 * ("torch.conv2d", "relu_", "torch.nn.modules.conv.Conv2d",
 * "torch.ops.aten.add.Tensor"), or NULL.
 */
const char *fx_meaning_find(const char *name);

/* Append the short name that NAME is found by: "conv" for "torch.conv1d" and
 * "nn.Conv2d", "batchnorm" for "batch_norm".
 */
void fx_meaning_add_name(struct fx_buf *out, const char *name);

/* The part of NAME that says what is computed, *LENGTH_RET bytes: "add" of
 * "torch.ops.aten.add.Tensor", else what stands behind the last dot.
 */
const char *fx_meaning_word(const char *name, size_t *length_ret);

#endif /* FX_OPS_MEANING_H */
