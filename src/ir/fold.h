/* fold.h - Python's arithmetic on plain and symbolic values.
 *
 * One place knows that -7 // 2 is -4, that True + 1 is 2, that ints outgrow 64
 * bits and what x.shape[0] is: partial evaluation (ir/decompose), shape rules
 * (src/meta) and the evaluator (run/eval) all ask here.  Operands are values
 * in the sense of metadata: plain ones, SYMBOL (a symbolic int), UNKNOWN.
 * What Python would refuse is an error with Python's reason (TYPE, VALUE,
 * RANGE); what cannot be known yet is UNKNOWN, never a wrong number.  An
 * UNKNOWN whose text is "float", "int" or "bool" is a number of that type whose
 * value is not known.  Tensors have shape, dtype and the like here; arithmetic
 * on them is src/meta's, and asking for it is UNSUPPORTED.
 */
#ifndef FX_IR_FOLD_H
#define FX_IR_FOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "ir/value.h"
#include "lang/ast.h"

/* An index of a tensor that is a list of so many items is never read as a
 * tuple; torch has the number.
 */
#define FX_FOLD_LONG_LIST 32

enum fx_tristate {
	FX_FALSE,
	FX_TRUE,
	FX_MAYBE,
};

/* Python's ==; MAYBE when that is not known. */
enum fx_tristate fx_fold_equal(const struct fx_value *a,
	const struct fx_value *b);

/* Whether Python lets VALUE be the key of a dict. */
bool fx_fold_is_hashable(const struct fx_value *value);

/* Whether VALUE or anything in it has KIND. */
bool fx_fold_has(const struct fx_value *value, enum fx_value_kind kind);

/* Whether VALUE is a number: a bool, int, float, complex or symbol, or an
 * UNKNOWN value that is known to be a number.
 */
bool fx_fold_is_number(const struct fx_value *value);

/* LEFT OP RIGHT for arithmetic, bit operations, comparisons, IN, NOT_IN, IS,
 * IS_NOT.  *RET is in ARENA.
 */
FX_NODISCARD struct fx_error *fx_fold_binary(struct fx_arena *arena,
	enum fx_ast_op op, const struct fx_value *left,
	const struct fx_value *right, struct fx_value *ret);

/* OP VALUE for NEG, POS, INVERT, NOT. */
FX_NODISCARD struct fx_error *fx_fold_unary(struct fx_arena *arena,
	enum fx_ast_op op, const struct fx_value *value, struct fx_value *ret);

/* Python's truth of VALUE; false if it is not known. */
bool fx_fold_truth(const struct fx_value *value, bool *truth_ret);

/* len(VALUE): INT or SYMBOL. */
FX_NODISCARD struct fx_error *fx_fold_length(struct fx_arena *arena,
	const struct fx_value *value, struct fx_value *ret);

/* VALUE[INDEX] for sequences, dicts, strings and ranges. */
FX_NODISCARD struct fx_error *fx_fold_subscript(struct fx_arena *arena,
	const struct fx_value *value, const struct fx_value *index,
	struct fx_value *ret);

/* The items that iterating over VALUE gives (a dict: its keys), in ARENA. */
FX_NODISCARD struct fx_error *fx_fold_iterate(struct fx_arena *arena,
	const struct fx_value *value, const struct fx_value **items_ret,
	size_t *count_ret);

/* Where SLICE begins and how many items it takes of LENGTH: Python's
 * slice.indices.  The fields are none or ints; VALUE when the step is 0.
 */
struct fx_slice_range {
	int64_t start;
	int64_t step;
	int64_t count;
};
FX_NODISCARD struct fx_error *fx_fold_slice_range(const struct fx_value *slice,
	int64_t length, struct fx_slice_range *ret);

/* VALUE.NAME, which is no call: shape, dtype, ndim, device, is_cuda... of a
 * tensor, real and imag of a number, fields of slices and ranges.
 * UNSUPPORTED when there is none that fxdb knows.
 */
FX_NODISCARD struct fx_error *fx_fold_attribute(struct fx_arena *arena,
	const struct fx_value *value, const char *name, struct fx_value *ret);

/* VALUE.NAME(*ARGS), ARGS a TUPLE, of plain values (keys, values, items, get,
 * index, count, startswith, endswith, numel of a size) and of tensors where
 * only metadata matters (size, dim, numel...).  UNSUPPORTED when there is none.
 */
FX_NODISCARD struct fx_error *fx_fold_method(struct fx_arena *arena,
	const struct fx_value *value, const char *name,
	const struct fx_value *args, struct fx_value *ret);

/* A builtin or a function of math by name ("len", "builtins.len",
 * "math.sqrt", "operator.not_", "torch.sym_sqrt").  UNSUPPORTED when NAME is
 * none that fxdb knows.
 */
FX_NODISCARD struct fx_error *fx_fold_call(struct fx_arena *arena,
	const char *name, const struct fx_value *args, size_t count,
	struct fx_value *ret);

/* Whether NAME is a builtin of Python that fx_fold_call has ("len", "int"); one
 * that asks for no more than metadata of tensors (may be NULL); a class.
 */
bool fx_fold_is_builtin(const char *name);
bool fx_fold_is_of_metadata(const char *name);
bool fx_fold_is_class(const char *name);

/* "unknown" with a reason for people. */
static inline struct fx_value
fx_fold_unknown(const char *why)
{
	return fx_value_text(FX_VALUE_UNKNOWN, why);
}

#endif /* FX_IR_FOLD_H */
