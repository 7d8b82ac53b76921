/* svg_child.h - running the helper program fxdb-draw.
 *
 * Graphviz can hang, abort and crash, so it lives in a process of its own: DOT
 * goes in through a socket, the picture comes out through a pipe, and after a
 * while it is stopped.
 */
#ifndef FX_DRAW_SVG_CHILD_H
#define FX_DRAW_SVG_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_svg_job {
	const char *engine; /* "dot", "nop2" */
	const char *format;
	const char *text; /* DOT */
	size_t length;
	int timeout_ms;
	bool (*stop)(void *context); /* or NULL */
	void *stop_context;
};

/* Run the helper on JOB and append what it writes to OUT.  CHILD when it
 * cannot be started, fails, crashes or does not finish in time; INTERRUPTED
 * when stop() says so.  OUT is as before then, and no process is left behind.
 */
FX_NODISCARD struct fx_error *fx_svg_child_run(const struct fx_svg_job *job,
	struct fx_buf *out);

/* How long the helper may take, in milliseconds: FXDB_DRAW_TIMEOUT (which
 * tests set) or 10 s.
 */
int fx_svg_child_timeout(void);

#endif /* FX_DRAW_SVG_CHILD_H */
