/* pass_run.h - passes that run, at once or step by step. */
#ifndef FX_COMMANDS_VERBS_PASS_RUN_H
#define FX_COMMANDS_VERBS_PASS_RUN_H

#include "base/error.h"

struct cmd_ctx;

/* There is no pass NAME. */
FX_NODISCARD struct fx_error *cmd_pass_unknown(const char *name);
/* pass run WHAT...: at once, or with -s to the first candidate. */
FX_NODISCARD struct fx_error *cmd_pass_run(struct cmd_ctx *ctx);
/* pass yes|no|all|keep|quit: ACTION for the candidate at hand. */
FX_NODISCARD struct fx_error *cmd_pass_answer(struct cmd_ctx *ctx,
	const char *action);

#endif /* FX_COMMANDS_VERBS_PASS_RUN_H */
