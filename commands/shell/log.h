/* log.h - log session FILE: typed lines, and what they said as comments. */
#ifndef FX_COMMANDS_SHELL_LOG_H
#define FX_COMMANDS_SHELL_LOG_H

#include "base/error.h"

struct cmd_shell;

FX_NODISCARD struct fx_error *cmd_log_begin(struct cmd_shell *shell,
	const char *path);
/* Nothing happens when there is no log. */
void cmd_log_end(struct cmd_shell *shell);
/* Add one line to the log that there is. */
void cmd_log_line(struct cmd_shell *shell, const char *line);
/* How the line that was added last failed. */
void cmd_log_error(struct cmd_shell *shell, const struct fx_error *err);
/* If the log could not be written, end the log and return the error; else
 * return NULL.
 */
FX_NODISCARD struct fx_error *cmd_log_check(struct cmd_shell *shell);
const char *cmd_log_path(const struct cmd_shell *shell);

#endif /* FX_COMMANDS_SHELL_LOG_H */
