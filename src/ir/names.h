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
	struct fx_map hints; /* interned candidate or base -> next number */
	bool keeps_zeros; /* layer_01 is no layer_1: FX_DIALECT_KEEPS_ZEROS */
	/* After relu_2 comes relu, then relu_3: FX_DIALECT_COUNTS_BASES; and
	 * for a second relu_2 too: FX_DIALECT_COUNTS_NUMBERED.
	 */
	bool counts_bases;
	bool counts_numbered;
};

/* All zero is empty, and makes names as torch 1.13 does. */
void fx_names_deinit(struct fx_names *names);

/* Make names as torch VERSION does (fx_dialect_choose). */
void fx_names_set_version(struct fx_names *names, unsigned version);
/* Make names as LIKE does. */
void fx_names_set_like(struct fx_names *names, const struct fx_names *like);

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
	const char *candidate; /* or base; NULL: none */
	uintptr_t hint;
};
const char *fx_names_create_undoable(struct fx_names *names,
	const char *candidate, struct fx_names_undo *undo_ret);
void fx_names_swap_hint(struct fx_names *names, struct fx_names_undo *undo);
/* NAME is taken as it is: its number counts as if it had been made up. */
void fx_names_count(struct fx_names *names, const char *name,
	struct fx_names_undo *undo_ret);

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
