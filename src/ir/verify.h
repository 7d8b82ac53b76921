/* verify.h - every rule of a graph, checked.
 *
 * torch.fx's lint (semantics 5) and our own invariants: list and labels, uses
 * both ways, names, ids, targets, modules.
 */
#ifndef FX_IR_VERIFY_H
#define FX_IR_VERIFY_H

#include <stddef.h>

#include "base/error.h"
#include "ir/graph.h"

struct fx_problem {
	const char *code;   /* stable word: "use-before-definition" */
	const char *node;   /* interned name, or NULL: the whole graph */
	const char *detail; /* interned sentence, whole by itself */
};

/* All problems, at most LIMIT; the caller frees *RET.  */
void fx_verify(struct fx_graph *graph, size_t limit, struct fx_problem **ret,
	size_t *count_ret);

/* The first one as an error of code LINT, or NULL. */
FX_NODISCARD struct fx_error *fx_verify_error(struct fx_graph *graph);

#endif /* FX_IR_VERIFY_H */
