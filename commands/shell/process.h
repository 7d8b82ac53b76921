/* process.h - running a line of the shell. */
#ifndef FX_COMMANDS_SHELL_PROCESS_H
#define FX_COMMANDS_SHELL_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "commands/shell/cmd.h"

/* Run LINE with /bin/sh in a process group of its own, in front of the
 * terminal if there is one.  INPUT (may be NULL: the terminal's, or nothing)
 * is written to it.  What it says goes to OUTPUT, or where our own does when
 * that is NULL.  *STATUS_RET is its exit status, 128 + N for a signal.
 */
FX_NODISCARD struct fx_error *cmd_process_run(struct cmd_ctx *ctx,
	const char *line, const struct fx_buf *input, struct fx_buf *output,
	int *status_ret);

/* Lines that are Python's and no command. */

/* LINE begins with no command.  When it is a statement of Python, the error
 * that says so and what to type; NULL when it is none.
 */
FX_NODISCARD struct fx_error *cmd_refuse_python(const char *line);

/* ERR says that LINE begins with no command.  When it is an expression, as in
 * `gm.graph.lint()` or `fc.weight.mean()`, the hint of what its last step is
 * called here, else of print.
 */
FX_NODISCARD struct fx_error *cmd_hint_python(struct fx_error *err_taken,
	const char *line);

/* Whether an attribute of Python, `.lint`, begins at AT of LINE. */
bool cmd_is_attribute(const char *line, size_t at);

#endif /* FX_COMMANDS_SHELL_PROCESS_H */
