/* soak_lines.h - random command lines, valid and not, from the table of
 * commands and the open graph.
 */
#ifndef FX_TESTS_FUZZ_SOAK_LINES_H
#define FX_TESTS_FUZZ_SOAK_LINES_H

#include <stdbool.h>

#include "base/buf.h"
#include "tests/support/random.h"

struct fx_graph;

/* Append one line without its newline.  GRAPH may be NULL.  *WRITES_RET says
 * that it writes files: names without folders, in the current one.  Lines
 * that run programs, trace, or leave are never made.
 */
void soak_line(struct fxt_random *random, struct fx_graph *graph,
	struct fx_buf *line, bool *writes_ret);

#endif /* FX_TESTS_FUZZ_SOAK_LINES_H */
