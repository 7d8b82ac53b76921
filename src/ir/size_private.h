/* size_private.h - how the files of size.h see a symbolic integer.
 *
 * A sum of terms, each a coefficient times atoms to powers.  Terms stand by
 * falling degree, then by their atoms; atoms by kind and name; the constant
 * term last.  No coefficient and no power is 0, so equal sizes have equal
 * trees.
 */
#ifndef FX_IR_SIZE_PRIVATE_H
#define FX_IR_SIZE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/value.h"

enum fx_size_atom_kind {
	FX_SIZE_NAME,
	FX_SIZE_FLOORDIV,
	FX_SIZE_MOD,
	FX_SIZE_MIN,
	FX_SIZE_MAX,
};

struct fx_size_atom {
	enum fx_size_atom_kind kind;
	const char *name;            /* NAME: interned */
	struct fx_value operands[2]; /* others: INT or SYMBOL */
};

struct fx_size_factor {
	const struct fx_size_atom *atom;
	uint32_t power;
};

struct fx_size_term {
	int64_t coefficient;
	uint32_t factor_count;
	const struct fx_size_factor *factors;
};

struct fx_size_expr {
	uint32_t term_count;
	uint32_t weight; /* terms, atoms and those within, for the limit */
	const struct fx_size_term *terms;
};

/* More than this is no size that a person could read.  It bounds what a copy
 * costs, as one operand may stand in many atoms, and every recursion.
 */
#define FX_SIZE_WEIGHT_LIMIT 600

/* Whether VALUE is an INT or a SYMBOL, and what an operation gives when A or B
 * is not.
 */
bool fx_size_is(struct fx_value value);
struct fx_value fx_size_none(struct fx_value a, struct fx_value b);

/* SIZE as an expression: an INT becomes a constant term. */
const struct fx_size_expr *fx_size_expr_of(struct fx_arena *arena,
	struct fx_value size);

/* The sum of COUNT canonical TERMS, which stay in ARENA; an INT if constant,
 * UNKNOWN if too large.
 */
struct fx_value fx_size_from_terms(struct fx_arena *arena,
	struct fx_size_term *terms, size_t count);

/* KIND (not NAME) of A and B. */
struct fx_value fx_size_new_atom(struct fx_arena *arena,
	enum fx_size_atom_kind kind, struct fx_value a, struct fx_value b);

/* The greatest that divides both, above 0; of 0 and B, B.  INT64_MIN, which has
 * no positive, stays as it is.
 */
int64_t fx_size_gcd(int64_t a, int64_t b);

/* The order of atoms in a product; 0 when equal. */
int fx_size_compare_atoms(const struct fx_size_atom *a,
	const struct fx_size_atom *b);

#endif /* FX_IR_SIZE_PRIVATE_H */
