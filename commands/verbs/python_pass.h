/* python_pass.h - `pass run python:...`, and how passes are verified
 * (grp_pass.c).
 */
#ifndef FX_COMMANDS_VERBS_PYTHON_PASS_H
#define FX_COMMANDS_VERBS_PYTHON_PASS_H

#include <stdbool.h>

#include "base/error.h"

struct cmd_ctx;
struct fx_verify;
struct fx_verify_result;

/* Whether NAME, where a pass is named, is a function of the user's Python:
 * "python:FILE.py:FUNCTION" or "python:package.module.FUNCTION".
 */
bool cmd_is_python_pass(const char *name);

/* Run it as one edit. */
FX_NODISCARD struct fx_error *cmd_python_pass(struct cmd_ctx *ctx,
	const char *name);

/* Inside an edit, after the pass NAME: CHECK where the graph computes something
 * else than the one that VERIFY remembers, or by `set verify strict` where that
 * is not known.
 */
FX_NODISCARD struct fx_error *cmd_verify_pass(struct cmd_ctx *ctx,
	const char *name, struct fx_verify *verify,
	struct fx_verify_result *ret);
/* How it was verified; VERIFIED is null when it was not. */
void cmd_say_verified(struct cmd_ctx *ctx,
	const struct fx_verify_result *verified);

#endif /* FX_COMMANDS_VERBS_PYTHON_PASS_H */
