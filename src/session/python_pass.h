/* python_pass.h - passes that are written in Python. */
#ifndef FX_SESSION_PYTHON_PASS_H
#define FX_SESSION_PYTHON_PASS_H

#include "base/error.h"

struct fx_model;

/* Inside an edit: MODEL's graph becomes what the function SPEC of the user's
 * Python ("FILE.py:FUNCTION", "package.module.FUNCTION") makes of it.  It runs
 * beside the process that traced the model, or in one of its own.  Errors as of
 * guest/pass_request.h and of edits.
 */
FX_NODISCARD struct fx_error *fx_model_python_pass(struct fx_model *model,
	const char *spec);

#endif /* FX_SESSION_PYTHON_PASS_H */
