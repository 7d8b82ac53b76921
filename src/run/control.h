/* control.h - what the graphs of a cond or while_loop are given, and what
 * becomes of what they give.
 *
 * The same for those that run as one node and those that are entered.
 */
#ifndef FX_RUN_CONTROL_H
#define FX_RUN_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"

struct fx_backend;
struct fx_datum;
struct fx_node;

/* Arguments of a graph: of a while_loop those that are carried come first. */
struct fx_operands {
	struct fx_datum **items; /* owned, referenced */
	size_t count;
	size_t carried;
};
void fx_operands_deinit(struct fx_operands *operands);
FX_DEFINE_DEINIT(operands, struct fx_operands, fx_operands_deinit);
#define FX_AUTO_OPERANDS FX_AUTO(operands)
struct fx_operands fx_operands_dup(const struct fx_operands *operands);

/* Set *RET to what NODE gives to its graphs: the items of the sequences CARRIED
 * and MORE.  A null sequence has no items.  Fails with TYPE if CARRIED or MORE
 * is no sequence.
 */
FX_NODISCARD struct fx_error *fx_operands_make(const struct fx_node *node,
	struct fx_datum *carried, struct fx_datum *more,
	struct fx_operands *ret);
/* A turn of NODE, a while_loop, gave RESULT: that is carried on.  TYPE unless
 * it is a sequence of as many.
 */
FX_NODISCARD struct fx_error *fx_operands_carry(const struct fx_node *node,
	struct fx_operands *operands, struct fx_datum *result);
/* What NODE gives when its condition no longer holds: a new tuple.  As in
 * PyTorch they are copies where no turn was taken.
 */
FX_NODISCARD struct fx_error *
fx_operands_result(const struct fx_operands *operands,
	struct fx_backend *backend, bool has_turned, struct fx_datum **ret);

/* Whether PREDICATE, of NODE, a cond or while_loop, holds.  TYPE unless it is a
 * bool or a tensor of one element, for a while_loop a scalar of bools.
 * NOT_KNOWN without its value.
 */
FX_NODISCARD struct fx_error *fx_control_truth(const struct fx_node *node,
	const struct fx_datum *predicate, bool *ret);

#endif /* FX_RUN_CONTROL_H */
