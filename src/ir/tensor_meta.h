/* tensor_meta.h - what is known of a tensor: dtype, shape, strides, device. */
#ifndef FX_IR_TENSOR_META_H
#define FX_IR_TENSOR_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"
#include "ir/value.h"

/* The most dimensions that a tensor can have: as in torch. */
#define FX_RANK_LIMIT 64

/* Immutable, in an arena. */
struct fx_tensor_meta {
	enum fx_dtype dtype; /* NONE: unknown */
	bool has_shape;      /* false: rank unknown, rank is 0 */
	uint32_t rank;
	const struct fx_value *sizes;   /* rank of them, INT or SYMBOL */
	const struct fx_value *strides; /* or NULL when unknown */
	const char *device;             /* "cpu", or NULL when unknown */
};

/* A TENSOR value in ARENA; SIZES (RANK of them) are copied. */
struct fx_value fx_tensor_meta_value(struct fx_arena *arena,
	enum fx_dtype dtype, const struct fx_value *sizes, size_t rank);
/* The same with plain integers. */
struct fx_value fx_tensor_meta_ints(struct fx_arena *arena, enum fx_dtype dtype,
	const int64_t *sizes, size_t rank);
/* A tensor of which only the dtype (or nothing: NONE) is known. */
struct fx_value fx_tensor_meta_shapeless(struct fx_arena *arena,
	enum fx_dtype dtype);

/* Whether the rank is known and every size is a number, as of values. */
bool fx_tensor_meta_has_numbers(const struct fx_tensor_meta *meta);
/* The same of VALUE, which may be NULL or no tensor: false. */
bool fx_value_has_numbers(const struct fx_value *value);

/* Bytes of the tensors in VALUE, a node's metadata; of one whose size is not
 * known none, and at most UINT64_MAX.
 */
uint64_t fx_value_tensor_bytes(const struct fx_value *value);

/* Number of elements, INT or SYMBOL. */
struct fx_value fx_tensor_meta_numel(struct fx_arena *arena,
	const struct fx_tensor_meta *meta);

/* Read torch's type comment or a SPEC of a command:
 * "f32[1, 3, 224, 224]", "f32[s77, s27, 16][16*s27, 16, 1]cpu", "Sym(s77)",
 * "i64[]", "f32[N,3,H,W]"; "?" is an unknown dtype, "[...]" an unknown shape.
 * Gives TENSOR, SYMBOL, INT, and of a "Sym" FLOAT, BOOL or UNKNOWN too.
 * SYNTAX, LIMIT with a span in TEXT.
 */
FX_NODISCARD struct fx_error *fx_tensor_meta_parse(struct fx_arena *arena,
	const char *text, size_t length, struct fx_value *ret);

#endif /* FX_IR_TENSOR_META_H */
