/* python_pass.h - passes that are written in Python. */
#ifndef FX_SESSION_PYTHON_PASS_H
#define FX_SESSION_PYTHON_PASS_H

#include "base/error.h"

struct fx_graph;
struct fx_model;
struct fx_python_passed;
struct fx_verify;
struct fx_verify_result;

/* Inside an edit: MODEL's graph becomes what the function SPEC of the user's
 * Python ("FILE.py:FUNCTION", "package.module.FUNCTION") makes of it.  It runs
 * beside the process that traced the model, or in one of its own.  *RET, what
 * it made, is for the caller to deinit, also after an error.  Errors as of
 * guest/pass_request.h and of edits.
 */
FX_NODISCARD struct fx_error *fx_model_python_pass(struct fx_model *model,
	const char *spec, struct fx_python_passed *ret);

/* What PASSED, which the pass SPEC made of MODEL's graph, computes is refused
 * by RESULT of VERIFY, and the edit is taken back: the error, which names the
 * part of the change that differs.  It is kept for `pass diff`, with AFTER, the
 * graph that was refused, which is taken.
 */
struct fx_python_refusal {
	const char *spec;
	const struct fx_python_passed *passed;
	struct fx_verify *verify;
	const struct fx_verify_result *result;
	struct fx_graph *after_taken;
};
FX_NODISCARD struct fx_error *fx_model_refuse_python(struct fx_model *model,
	const struct fx_python_refusal *refusal);

#endif /* FX_SESSION_PYTHON_PASS_H */
