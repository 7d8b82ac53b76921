/* names.h - unique names, by torch.fx's rules (semantics 1).
 *
 * A namespace remembers every name it gave, so names are never reused, and
 * keeps a hint per base name, so a chain of one operation is linear.
 */
#ifndef FX_IR_NAMES_H
#define FX_IR_NAMES_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "ir/node.h"

/* The value of a taken name is the node that has it now (graph.c), or 1. */
struct fx_names {
	struct fx_map taken; /* interned name -> node or 1 */
	struct fx_map hints; /* interned candidate -> next number to try */
	bool keeps_zeros; /* layer_01 is no layer_1: FX_DIALECT_KEEPS_ZEROS */
};

/* All zero is empty. */
void fx_names_deinit(struct fx_names *names);

/* The candidate that torch.fx derives from OPCODE and TARGET: last part of a
 * function's name, stripped of double underscores, in snake case; dotted path
 * for modules and attributes.  Interned.
 */
const char *fx_names_candidate(enum fx_opcode opcode, const char *target);

/* The name that torch.fx would give CANDIDATE now (cleaned, numbered, no
 * keyword, no builtin, none of torch.fx's own globals); registers it.
 * Interned.
 */
const char *fx_names_create(struct fx_names *names, const char *candidate);

/* The same for the journal: what to put back with fx_names_swap_hint, which
 * exchanges the hint of a candidate with the remembered one.
 */
struct fx_names_undo {
	const char *candidate; /* NULL: none */
	uintptr_t hint;
};
const char *fx_names_create_undoable(struct fx_names *names,
	const char *candidate, struct fx_names_undo *undo_ret);
void fx_names_swap_hint(struct fx_names *names, struct fx_names_undo *undo);

/* Register NAME without changing it.  Returns false if NAME was taken already.
 */
bool fx_names_take(struct fx_names *names, const char *name);
bool fx_names_is_taken(const struct fx_names *names, const char *name);

/* Whether NAME is one that torch.fx puts into every namespace before anything
 * else: no node is called so, and all code may use it.
 */
bool fx_names_is_everywhere(const char *name);

/* Whether NAME, a keyword or own global, can be no node's at all. */
bool fx_names_is_reserved(const char *name);

/* Whether torch.fx refuses NAME for a node: keyword, builtin, own global. */
bool fx_names_is_illegal(const char *name);

#endif /* FX_IR_NAMES_H */
