/* value_read.h - trees of lang/ as values: what those who walk them share. */
#ifndef FX_IR_VALUE_READ_H
#define FX_IR_VALUE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ir/value.h"

struct fx_arena;
struct fx_ast;
struct fx_graph;

struct fx_value_reader {
	struct fx_arena *arena;
	struct fx_graph *graph;
	const char *text;
};

/* EXPR as a value if it is a number, a text, None, True, False or an ellipsis;
 * else false, and RET is None.
 */
bool fx_value_read_literal(struct fx_arena *arena, const struct fx_ast *expr,
	struct fx_value *ret);

/* EXPR as a value; SYNTAX with a span at what is none. */
FX_NODISCARD struct fx_error *fx_value_read(const struct fx_value_reader *r,
	const struct fx_ast *expr, struct fx_value *ret);

/* A call that stands for a value: slice(...), torch.device(...). */
FX_NODISCARD struct fx_error *
fx_value_read_call(const struct fx_value_reader *r, const struct fx_ast *expr,
	struct fx_value *ret);

/* Kids FIRST and up of EXPR as values, into fresh memory of the arena. */
FX_NODISCARD struct fx_error *
fx_value_read_items(const struct fx_value_reader *r, const struct fx_ast *expr,
	uint32_t first, struct fx_value **ret);

/* The error for EXPR, which is no value. */
FX_NODISCARD struct fx_error *
fx_value_read_refuse(const struct fx_value_reader *r,
	const struct fx_ast *expr);

/* The dotted name that EXPR spells, interned; NULL when it spells none. */
const char *fx_value_read_name(const struct fx_ast *expr);

/* A real number as a double. */
bool fx_value_as_double(const struct fx_value *value, double *ret);

/* What Python's float() makes of TEXT (LENGTH bytes): a literal, inf, nan, with
 * a minus sign or without; false if it is none of these.
 */
bool fx_value_float_of(const char *text, size_t length, double *ret);

#endif /* FX_IR_VALUE_READ_H */
