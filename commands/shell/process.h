/* process.h - running a line of the shell. */
#ifndef FX_COMMANDS_SHELL_PROCESS_H
#define FX_COMMANDS_SHELL_PROCESS_H

#include "commands/shell/cmd.h"

/* Run LINE with /bin/sh in a process group of its own, in front of the
 * terminal if there is one.  INPUT (may be NULL: the terminal's, or nothing)
 * is written to it.  What it says goes to OUTPUT, or where our own does when
 * that is NULL.  *STATUS_RET is its exit status, 128 + N for a signal.
 */
FX_NODISCARD struct fx_error *cmd_process_run(struct cmd_ctx *ctx,
	const char *line, const struct fx_buf *input, struct fx_buf *output,
	int *status_ret);

#endif /* FX_COMMANDS_SHELL_PROCESS_H */
