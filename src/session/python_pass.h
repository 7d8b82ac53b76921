/* python_pass.h - passes that are written in Python. */
#ifndef FX_SESSION_PYTHON_PASS_H
#define FX_SESSION_PYTHON_PASS_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/map.h"

struct fx_graph;
struct fx_model;

/* What a pass made of a graph: another one, and which nodes of the first are
 * called otherwise there (ir/become.h).
 */
struct fx_python_made {
	struct fx_graph *graph;
	struct fx_map renamed;
};
void fx_python_made_deinit(struct fx_python_made *made);
FX_DEFINE_DEINIT(python_made, struct fx_python_made, fx_python_made_deinit);

/* Run the function SPEC of the user's Python ("FILE.py:FUNCTION",
 * "package.module.FUNCTION") over MODEL's graph, which stays as it is.  It runs
 * beside the process that traced the model, or in one of its own.  *RET is for
 * the caller to deinit, also after an error.  Errors as of
 * guest/pass_request.h.
 */
FX_NODISCARD struct fx_error *fx_model_python_pass(struct fx_model *model,
	const char *spec, struct fx_python_made *ret);

/* Whether MADE has parameters that MODEL's graph has not. */
FX_NODISCARD struct fx_error *fx_python_made_is_new(struct fx_model *model,
	const struct fx_python_made *made, bool *ret);

#endif /* FX_SESSION_PYTHON_PASS_H */
