/* size_equation.h - what an equation of symbolic integers tells of its names.
 *
 * Names stand for sizes: integers that are not negative, and not 0 where they
 * are factors of something that has to be 0.
 */
#ifndef FX_IR_SIZE_EQUATION_H
#define FX_IR_SIZE_EQUATION_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/value.h"

struct fx_arena;
struct fx_buf;

enum fx_size_fact_kind {
	FX_SIZE_OPEN,   /* it could not be solved for a name */
	FX_SIZE_ALWAYS, /* it holds for all sizes */
	FX_SIZE_NEVER,  /* it holds for none */
	FX_SIZE_IS,     /* NAME is VALUE, in which NAME does not stand */
	FX_SIZE_RANGE,  /* NAME is LOW to HIGH */
	FX_SIZE_REST,   /* NAME % DIVISOR is LOW */
};

struct fx_size_fact {
	enum fx_size_fact_kind kind;
	const char *name; /* interned; IS, RANGE, REST */
	struct fx_value value;
	int64_t low;
	int64_t high;
	int64_t divisor;
};

/* What A = B, both of them INT or SYMBOL, tells. */
void fx_size_solve(struct fx_arena *arena, struct fx_value a, struct fx_value b,
	struct fx_size_fact *ret);

/* Whether two facts of kind RANGE or REST of one name cannot both hold; false
 * also where that was too much to try.
 */
bool fx_size_facts_clash(const struct fx_size_fact *a,
	const struct fx_size_fact *b);

/* SIZE with VALUE in place of NAME (interned); UNKNOWN when it grows too large
 * or something is divided by zero.
 */
struct fx_value fx_size_substitute(struct fx_arena *arena, struct fx_value size,
	const char *name, struct fx_value value);

/* Whether NAME stands in SIZE. */
bool fx_size_mentions(struct fx_value size, const char *name);

/* The name that SIZE is, or NULL when it is anything else. */
const char *fx_size_bare_name(struct fx_value size);

/* Append what FACT says: "H = 2*W", "25 <= H <= 32", "H % 2 = 0". */
void fx_size_fact_print(struct fx_buf *out, const struct fx_size_fact *fact);

#endif /* FX_IR_SIZE_EQUATION_H */
