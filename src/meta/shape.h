/* shape.h - what the shape rules are written with.
 *
 * Getters answer whether the rule can go on: when they say no, the call has
 * its error or a result that says what is not known, and the rule returns.
 */
#ifndef FX_META_SHAPE_H
#define FX_META_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"
#include "ir/tensor_meta.h"
#include "ir/value.h"
#include "meta/promote.h"
#include "meta/rules.h"

/* Sizes being put together. */
struct fx_shape {
	struct fx_value sizes[FX_RANK_LIMIT];
	size_t rank;
};

/* Leave an error, the first one stays; a reason why nothing is known.  Both
 * return false.
 */
FX_PRINTF(3, 4)
bool fx_rule_fail(struct fx_shape_call *call, enum fx_error_code code,
	const char *format, ...);
FX_PRINTF(2, 3)
bool fx_rule_give_up(struct fx_shape_call *call, const char *format, ...);

/* "f32[2, 3]" in the call's arena; one size: "3", "N + 1". */
const char *fx_rule_text(struct fx_shape_call *call,
	const struct fx_tensor_meta *meta);
const char *fx_rule_size_text(struct fx_shape_call *call, struct fx_value size);

/* How many spatial dimensions the call's name tells: 3 of conv_transpose3d; 2
 * where it has no digit.
 */
size_t fx_rule_spatial(const struct fx_shape_call *call);

/* The bound value of parameter NAME; NULL when the signature has none. */
const struct fx_value *fx_arg(const struct fx_shape_call *call,
	const char *name);
/* Whether NAME was given something other than None. */
bool fx_arg_is_given(const struct fx_shape_call *call, const char *name);
/* The parameter at INDEX. */
const struct fx_value *fx_arg_at(const struct fx_shape_call *call,
	size_t index);

/* A tensor with a shape; OPTIONAL may be None or absent: then NULL. */
bool fx_arg_tensor(struct fx_shape_call *call, const char *name,
	const struct fx_tensor_meta **ret);
bool fx_arg_optional(struct fx_shape_call *call, const char *name,
	const struct fx_tensor_meta **ret);
/* The first parameter. */
bool fx_arg_first(struct fx_shape_call *call,
	const struct fx_tensor_meta **ret);
/* VALUE as a tensor with a shape; WHAT for messages. */
bool fx_arg_as_tensor(struct fx_shape_call *call, const struct fx_value *value,
	const char *what, const struct fx_tensor_meta **ret);

/* A plain integer; a size (INT or SYMBOL); a truth. */
bool fx_arg_int(struct fx_shape_call *call, const char *name, int64_t *ret);
bool fx_arg_size(struct fx_shape_call *call, const char *name,
	struct fx_value *ret);
bool fx_arg_bool(struct fx_shape_call *call, const char *name, bool *ret);
/* The same of VALUE. */
bool fx_arg_as_int(struct fx_shape_call *call, const struct fx_value *value,
	const char *what, int64_t *ret);
bool fx_arg_as_size(struct fx_shape_call *call, const struct fx_value *value,
	const char *what, struct fx_value *ret);

/* A dimension of a tensor of RANK, negative ones counted from the end. */
bool fx_arg_dim(struct fx_shape_call *call, const char *name, size_t rank,
	size_t *ret);
bool fx_rule_dim(struct fx_shape_call *call, int64_t dim, size_t rank,
	size_t *ret);
/* Dimensions as a set of bits; None and () give all of them. */
bool fx_arg_dims(struct fx_shape_call *call, const char *name, size_t rank,
	uint64_t *ret);

/* A list of sizes, or one size. */
bool fx_arg_sizes(struct fx_shape_call *call, const char *name,
	struct fx_shape *ret);
bool fx_arg_as_sizes(struct fx_shape_call *call, const struct fx_value *value,
	const char *what, struct fx_shape *ret);
/* Set COUNT integers at RET from argument NAME: a list of COUNT integers, or
 * one integer, bare or in a list, for all of them.
 */
bool fx_arg_ints(struct fx_shape_call *call, const char *name, size_t count,
	int64_t *ret);

/* A dtype, or FALLBACK when not given. */
bool fx_arg_dtype(struct fx_shape_call *call, const char *name,
	enum fx_dtype fallback, enum fx_dtype *ret);

/* A text, "" when not given. */
const char *fx_arg_text(const struct fx_shape_call *call, const char *name);

/* Results. */
struct fx_value fx_rule_value(struct fx_shape_call *call, enum fx_dtype dtype,
	const struct fx_shape *shape);
void fx_rule_give(struct fx_shape_call *call, enum fx_dtype dtype,
	const struct fx_shape *shape);
void fx_rule_give_same(struct fx_shape_call *call,
	const struct fx_tensor_meta *meta, enum fx_dtype dtype);
void fx_rule_give_tuple(struct fx_shape_call *call,
	const struct fx_value *items, size_t count);
/* A tuple of two tensors of SHAPE. */
void fx_rule_give_two(struct fx_shape_call *call, enum fx_dtype first,
	enum fx_dtype second, const struct fx_shape *shape);

/* The sizes of META. */
void fx_rule_of(const struct fx_tensor_meta *meta, struct fx_shape *ret);
/* Append SIZE; fails beyond FX_RANK_LIMIT dimensions. */
bool fx_rule_push(struct fx_shape_call *call, struct fx_shape *shape,
	struct fx_value size);
/* Take out dimension DIM; a shape without dimensions stays. */
void fx_rule_drop(struct fx_shape *shape, size_t dim);

/* Make SHAPE what it and the COUNT sizes broadcast to. */
bool fx_rule_broadcast(struct fx_shape_call *call, struct fx_shape *shape,
	const struct fx_value *sizes, size_t count);

/* Whether A and B certainly differ.  Where that depends on symbols, false, and
 * it becomes a condition that they are equal; WHAT says which sizes they are.
 */
bool fx_rule_differs(struct fx_shape_call *call, const char *what,
	struct fx_value a, struct fx_value b);

/* Whether A and B can be equal; false fails with WHAT and both. */
bool fx_rule_same_size(struct fx_shape_call *call, const char *what,
	struct fx_value a, struct fx_value b);

/* Whether A and B, when both known, are of one dtype. */
bool fx_rule_same_dtype(struct fx_shape_call *call,
	const struct fx_tensor_meta *a, const struct fx_tensor_meta *b);
/* Fail with TYPE unless DTYPE, or the dtype of META, is a float or complex one
 * or is not known.  Returns false if it failed.
 */
bool fx_rule_needs_float_dtype(struct fx_shape_call *call, enum fx_dtype dtype);

static inline bool
fx_rule_needs_float(struct fx_shape_call *call,
	const struct fx_tensor_meta *meta)
{
	return fx_rule_needs_float_dtype(call, meta->dtype);
}

/* Whether one of DIMS, a set of bits, is certainly 0 in META. */
bool fx_rule_is_empty(const struct fx_tensor_meta *meta, uint64_t dims);

/* Arithmetic on sizes in the call's arena. */
struct fx_value fx_add(struct fx_shape_call *call, struct fx_value a,
	struct fx_value b);
struct fx_value fx_add_int(struct fx_shape_call *call, struct fx_value a,
	int64_t b);
struct fx_value fx_mul(struct fx_shape_call *call, struct fx_value a,
	struct fx_value b);
/* The product of COUNT sizes. */
struct fx_value fx_mul_all(struct fx_shape_call *call,
	const struct fx_value *sizes, size_t count);
struct fx_value fx_div_int(struct fx_shape_call *call, struct fx_value a,
	int64_t b);
struct fx_value fx_mul_int(struct fx_shape_call *call, struct fx_value a,
	int64_t b);

static inline bool
fx_size_is_int(struct fx_value size, int64_t number)
{
	return size.kind == FX_VALUE_INT && size.integer == number;
}

#endif /* FX_META_SHAPE_H */
