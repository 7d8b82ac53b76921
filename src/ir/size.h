/* size.h - symbolic integers: sizes that are known only by name.
 *
 * A size is an fx_value of kind INT or SYMBOL.  Sums and products are kept as
 * polynomials in a canonical order, so equal sizes print and compare equal;
 * floor division, modulo, min, max are atoms.  Results that are constant
 * become INT.
 */
#ifndef FX_IR_SIZE_H
#define FX_IR_SIZE_H

#include <stdbool.h>

#include "base/error.h"
#include "ir/value.h"

/* The symbol NAME (interned). */
struct fx_value fx_size_symbol(struct fx_arena *arena, const char *name);

struct fx_value fx_size_add(struct fx_arena *arena, struct fx_value a,
	struct fx_value b);
struct fx_value fx_size_sub(struct fx_arena *arena, struct fx_value a,
	struct fx_value b);
struct fx_value fx_size_mul(struct fx_arena *arena, struct fx_value a,
	struct fx_value b);
/* Python's // and %.  B is not zero. */
struct fx_value fx_size_floordiv(struct fx_arena *arena, struct fx_value a,
	struct fx_value b);
struct fx_value fx_size_mod(struct fx_arena *arena, struct fx_value a,
	struct fx_value b);
struct fx_value fx_size_min(struct fx_arena *arena, struct fx_value a,
	struct fx_value b);
struct fx_value fx_size_max(struct fx_arena *arena, struct fx_value a,
	struct fx_value b);

/* Whether both are certainly equal; certainly different. */
bool fx_size_equal(struct fx_value a, struct fx_value b);
bool fx_size_differs(struct fx_value a, struct fx_value b);

/* Append: 2*s77, s27**2, (N + 1)//2. */
void fx_size_print(struct fx_buf *out, struct fx_value size);

/* Deep copy into ARENA. */
struct fx_value fx_size_clone(struct fx_arena *arena, struct fx_value size);

/* Read an expression over names, integers and + - * // % ** (constant power),
 * Min Max FloorDiv Mod calls as torch prints them.
 */
struct fx_ast;
FX_NODISCARD struct fx_error *fx_size_from_ast(struct fx_arena *arena,
	const char *text, const struct fx_ast *expr, struct fx_value *ret);

#endif /* FX_IR_SIZE_H */
