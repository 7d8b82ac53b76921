/* pass_run.h - the command pass run. */
#ifndef FX_COMMANDS_VERBS_PASS_RUN_H
#define FX_COMMANDS_VERBS_PASS_RUN_H

#include <stdbool.h>

#include "base/error.h"

struct cmd_ctx;
struct fx_transaction;

/* There is no pass NAME. */
FX_NODISCARD struct fx_error *cmd_pass_unknown(const char *name);
/* pass run WHAT...: at once, or with -s to the first candidate. */
FX_NODISCARD struct fx_error *cmd_pass_run(struct cmd_ctx *ctx);

/* Whether it did T, or another command that goes over candidates, or Python. */
bool cmd_made_by_pass(const struct fx_transaction *t);

#endif /* FX_COMMANDS_VERBS_PASS_RUN_H */
