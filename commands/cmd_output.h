/* cmd_output.h - what may be written over. */
#ifndef FX_COMMANDS_CMD_OUTPUT_H
#define FX_COMMANDS_CMD_OUTPUT_H

#include "commands/cmd.h"

/* READ_ONLY where files may not be written. */
FX_NODISCARD struct fx_error *cmd_output_allowed(struct cmd_ctx *ctx);

/* An error when -o PATH would replace the file of a graph without -f. */
FX_NODISCARD struct fx_error *cmd_output_check(struct cmd_ctx *ctx,
	const char *path);

/* Whether saving to PATH may go on: an existing file that is not the model's
 * own is asked about, where somebody can answer.
 */
bool cmd_output_may_replace(struct cmd_ctx *ctx, const char *path);

#endif /* FX_COMMANDS_CMD_OUTPUT_H */
