/* reproduce.h - the Python program that runs the module of a folder
 * (emit/folder.h) and says whether it still fails.
 */
#ifndef FX_EMIT_REPRODUCE_H
#define FX_EMIT_REPRODUCE_H

#include <stdint.h>

struct fx_buf;
struct fx_graph;

#define FX_REPRODUCE_FILE "run.py"

struct fx_reproduce {
	const char *what; /* fails: a sentence */
	/* An expression that is true of `result` where it fails, by the names
	 * of the program: has_nan, has_inf, is_far; NULL: an exception says so.
	 */
	const char *fails;
	const char *expected; /* the path of what is right, or NULL */
	double rtol;
	uint64_t seed;
};

/* Append the program for GRAPH, whose inputs have notes (FX_NOTE_INPUT).  It
 * exits with 1, as an exception does, when it fails; with 0 when it does not
 * any more.
 */
void fx_emit_reproduce(struct fx_buf *out, const struct fx_graph *graph,
	const struct fx_reproduce *how);

#endif /* FX_EMIT_REPRODUCE_H */
