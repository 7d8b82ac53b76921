/* python_pass.h - `pass run python:...`: a pass of the user's Python, whose
 * changes are candidates.
 */
#ifndef FX_COMMANDS_VERBS_PYTHON_PASS_H
#define FX_COMMANDS_VERBS_PYTHON_PASS_H

#include <stdbool.h>

#include "base/error.h"

struct cmd_ctx;

/* Whether NAME, where a pass is named, is a function of the user's Python:
 * "python:FILE.py:FUNCTION" or "python:package.module.FUNCTION".
 */
bool cmd_is_python_pass(const char *name);

/* pass run NAME: it runs, then its changes at once, or with -s to the first. */
FX_NODISCARD struct fx_error *cmd_python_pass(struct cmd_ctx *ctx,
	const char *name);

#endif /* FX_COMMANDS_VERBS_PYTHON_PASS_H */
