/* failure.h - why a model could not be captured, as the worker reports it. */
#ifndef FX_GUEST_FAILURE_H
#define FX_GUEST_FAILURE_H

#include <jansson.h>

#include "base/error.h"

struct fx_graph;

/* The error that REPORT describes: the line of the model, what was asked, and
 * where the traced value that was asked came from, found in GRAPH, which holds
 * what was traced so far and may be null.
 */
FX_NODISCARD struct fx_error *fx_failure_error(json_t *report,
	struct fx_graph *graph);

/* Note the places [file, line, function] where a process crashed. */
FX_NODISCARD struct fx_error *fx_failure_note_crash(struct fx_error *err,
	json_t *frames);

#endif /* FX_GUEST_FAILURE_H */
