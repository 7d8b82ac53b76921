/* reorder.h - whether operations may change places.
 *
 * Two of them may, if neither draws random numbers while the other does, and
 * neither writes memory that the other reads or writes.  Memory is what results
 * may share as far as it can be told without running (ir/side_effects.h), and
 * the tensors of modules.
 */
#ifndef FX_IR_REORDER_H
#define FX_IR_REORDER_H

#include <stddef.h>

#include "base/error.h"

struct fx_node;

/* ORDER if two operations that change places may not.  Each from FIRST to LAST
 * has the rank that RANK gives it: those of a lower rank will stand before
 * those of a higher one.
 */
typedef size_t fx_rank_fn(const void *context, const struct fx_node *node);
FX_NODISCARD struct fx_error *fx_reorder_check(struct fx_node *first,
	const struct fx_node *last, fx_rank_fn *rank, const void *context);

#endif /* FX_IR_REORDER_H */
