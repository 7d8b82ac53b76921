/* soak_lines.h - random command lines, valid and not, from the table of
 * commands and the open graph.
 */
#ifndef FX_TESTS_FUZZ_SOAK_LINES_H
#define FX_TESTS_FUZZ_SOAK_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct fx_graph;

/* The same numbers for the same seed, everywhere. */
struct soak_random {
	uint64_t state;
};

/* A number below LIMIT (at least 1). */
unsigned soak_below(struct soak_random *random, unsigned limit);
/* True once in N. */
bool soak_chance(struct soak_random *random, unsigned n);

/* Append one line without its newline.  GRAPH may be NULL.  *WRITES_RET says
 * that it writes files: names without folders, in the current one.  Lines
 * that run programs, trace, or leave are never made.
 */
void soak_line(struct soak_random *random, struct fx_graph *graph,
	struct fx_buf *line, bool *writes_ret);

#endif /* FX_TESTS_FUZZ_SOAK_LINES_H */
