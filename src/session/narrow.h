/* narrow.h - which part of a change that came as a whole makes a graph fail. */
#ifndef FX_SESSION_NARROW_H
#define FX_SESSION_NARROW_H

#include "base/error.h"
#include "session/blame.h"

struct fx_buf;
struct fx_graph;
struct fx_model;
struct fx_session;

/* MODEL's graph GRAPH is to become OTHER, which fails. */
struct fx_narrowing {
	struct fx_session *session;
	struct fx_model *model;
	const char *command;
	struct fx_graph *graph; /* of the model, or nested in it */
	struct fx_graph *other;
	const struct fx_blame_test *test;
};

/* Append "first in change 2 of 5: -%relu +%gelu", where changes do not need
 * each other, or all of it: "which hangs together: ...", or why it
 * is not known.  All is as it
 * was. INTERRUPTED is the only error.
 */
FX_NODISCARD struct fx_error *fx_narrow(const struct fx_narrowing *narrowing,
	struct fx_buf *out);

#endif /* FX_SESSION_NARROW_H */
