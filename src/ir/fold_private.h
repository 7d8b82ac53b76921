/* fold_private.h - what the files of fold.h share. */
#ifndef FX_IR_FOLD_PRIVATE_H
#define FX_IR_FOLD_PRIVATE_H

#include <stdbool.h>

#include "ir/fold.h"

/* Python's ints up to 127 bits: enough to never be wrong on 64. */
__extension__ typedef __int128 fx_wide;

/* Items a folded sequence may have; more is LIMIT. */
#define FX_FOLD_ITEM_LIMIT 1000000

/* The integer that VALUE (BOOL, INT, BIGINT) is; false if it is none or larger.
 */
bool fx_fold_wide(const struct fx_value *value, fx_wide *ret);
/* The INT or BIGINT of NUMBER. */
struct fx_value fx_fold_from_wide(fx_wide number);

/* TUPLE or SIZE, which are tuples both; a BOOL as the INT it is among sizes. */
static inline bool
fx_fold_is_tuple(const struct fx_value *value)
{
	return value->kind == FX_VALUE_TUPLE || value->kind == FX_VALUE_SIZE;
}

/* The fields of a NAMEDTUPLE as a TUPLE. */
static inline struct fx_value
fx_fold_fields(const struct fx_value *value)
{
	return (struct fx_value){ .kind = FX_VALUE_TUPLE,
		.count = value->count,
		.items = value->items + 1 };
}

static inline struct fx_value
fx_fold_as_size(const struct fx_value *value)
{
	return value->kind == FX_VALUE_BOOL ? fx_value_int(value->truth)
					    : *value;
}

/* The float that VALUE (BOOL, INT, BIGINT, FLOAT) is. */
bool fx_fold_double(const struct fx_value *value, double *ret);

/* fold_compare.c: ==, !=, <, <=, >, >=, IS, IS_NOT, IN, NOT_IN. */
FX_NODISCARD struct fx_error *fx_fold_compare(struct fx_arena *arena,
	enum fx_ast_op op, const struct fx_value *a, const struct fx_value *b,
	struct fx_value *ret);
/* STATE as a BOOL, or an UNKNOWN one. */
struct fx_value fx_fold_from_tristate(enum fx_tristate state);

/* An UNKNOWN number of type WORD: "int", "float", "bool"; whether VALUE is. */
struct fx_value fx_fold_some(const char *word);
bool fx_fold_is_some(const struct fx_value *value, const char *word);

/* TYPE: unsupported operand type(s) for OP: "str" and "int". */
FX_NODISCARD struct fx_error *fx_fold_bad_operands(enum fx_ast_op op,
	const struct fx_value *left, const struct fx_value *right);

/* fold_sequence.c: how many numbers the RANGE of INTs has, INT64_MAX when more;
 * false when it has symbols.
 */
bool fx_fold_range_length(const struct fx_value *range, int64_t *ret);

/* fold_format.c: FORMAT % ARGS, Python's old way of formatting. */
FX_NODISCARD struct fx_error *fx_fold_format(struct fx_arena *arena,
	const struct fx_value *format, const struct fx_value *args,
	struct fx_value *ret);
/* Append to OUT the text that Python's str() gives for VALUE.  Returns false,
 * with nothing appended, if that text is not known.
 */
bool fx_fold_add_str(struct fx_buf *out, const struct fx_value *value);

/* fold_sequence.c: + and * of strings and sequences; false if A and B are not
 * for it.
 */
bool fx_fold_concat(struct fx_arena *arena, const struct fx_value *a,
	const struct fx_value *b, struct fx_value *ret, struct fx_error **err);
bool fx_fold_repeat(struct fx_arena *arena, const struct fx_value *a,
	const struct fx_value *b, struct fx_value *ret, struct fx_error **err);

/* fold_number.c: arithmetic of numbers, symbols and unknown numbers. */
FX_NODISCARD struct fx_error *fx_fold_arithmetic(struct fx_arena *arena,
	enum fx_ast_op op, const struct fx_value *left,
	const struct fx_value *right, struct fx_value *ret);

/* A call of a builtin, and what does it. */
struct fx_fold_arguments {
	struct fx_arena *arena;
	const char *name; /* without "builtins." */
	int variant;      /* which of the functions that it does; its row's */
	const struct fx_value *args;
	size_t count;
};

typedef struct fx_error *fx_fold_builtin(const struct fx_fold_arguments *call,
	struct fx_value *ret);

/* fold_iterable.c; what their variants are. */
fx_fold_builtin fx_fold_call_min_max;  /* the comparison that wins */
fx_fold_builtin fx_fold_call_sum;      /* the operator: also of math.prod */
fx_fold_builtin fx_fold_call_sequence; /* the kind that is made */
fx_fold_builtin fx_fold_call_reversed;
fx_fold_builtin fx_fold_call_sorted;
fx_fold_builtin fx_fold_call_enumerate;
fx_fold_builtin fx_fold_call_zip;
fx_fold_builtin fx_fold_call_range;
fx_fold_builtin fx_fold_call_slice;
fx_fold_builtin fx_fold_call_all_any; /* the truth that decides */
fx_fold_builtin fx_fold_call_isinstance;
fx_fold_builtin fx_fold_call_type;

#endif /* FX_IR_FOLD_PRIVATE_H */
