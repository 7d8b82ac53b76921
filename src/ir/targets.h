/* targets.h - what a node may name.
 *
 * Shared by the edits, which refuse, and the verifier, which reports.
 */
#ifndef FX_IR_TARGETS_H
#define FX_IR_TARGETS_H

#include "ir/graph.h"

enum fx_target_state {
	FX_TARGET_OK,
	FX_TARGET_EMPTY,
	FX_TARGET_MALFORMED,  /* no identifier, an empty part of a path */
	FX_TARGET_MISSING,    /* nothing stands there */
	FX_TARGET_NOT_MODULE, /* something else than a module does */
};

/* What is wrong with TARGET (interned) for OPCODE.  Paths are looked up only in
 * graphs that came with a module tree: a graph read from bare code has none,
 * and every path is allowed there.
 */
enum fx_target_state fx_target_check(const struct fx_graph *graph,
	enum fx_opcode opcode, const char *target);

/* Whether PATH is parts separated by dots, none of them empty. */
bool fx_target_is_path(const char *path);

#endif /* FX_IR_TARGETS_H */
