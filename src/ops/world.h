/* world.h - operations that do more than compute: write files, talk to other
 * processes, read memory that is not theirs, run any Python.
 *
 * Graphs that came from files may not do so, nor anything in a read-only
 * session.  What an operation with a row in ops.def does is a trait there; the
 * operators of libtorch are listed in world.def.
 */
#ifndef FX_OPS_WORLD_H
#define FX_OPS_WORLD_H

#include "base/error.h"
#include "ops/optab.h"

/* Who may not reach beyond the graph, and why. */
enum fx_confinement {
	FX_CONFINED_NOT,
	FX_CONFINED_FILE,      /* the graph came from a file */
	FX_CONFINED_READ_ONLY, /* the session changes nothing */
};

/* What the operator NAME of libtorch ("aten::save") does beyond computing, as
 * the end of a sentence ("writes a file"); NULL: nothing.
 */
const char *fx_world_of_operator(const char *name);

/* The same of what a node calls where Python looks TARGET up. */
const char *fx_world_of_target(enum fx_opcode opcode, const char *target);

/* REFUSED or READ_ONLY when CONFINEMENT forbids what TARGET DOES; null when
 * DOES is null or nothing is forbidden.
 */
FX_NODISCARD struct fx_error *fx_world_check(enum fx_confinement confinement,
	const char *target, const char *does);

#endif /* FX_OPS_WORLD_H */
