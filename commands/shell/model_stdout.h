/* cmd_model_stdout.h - what the user's Python prints, as lines of the output.
 */
#ifndef FX_COMMANDS_SHELL_MODEL_STDOUT_H
#define FX_COMMANDS_SHELL_MODEL_STDOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct out;

struct cmd_model_stdout {
	struct out *out;
	struct fx_buf line; /* the last, not ended yet */
};

/* LENGTH bytes of TEXT more, none: the line ends here; CONTEXT is the shell.
 * False when no line runs.
 */
bool cmd_model_stdout_add(void *context, const char *text, size_t length);
/* Say what is left, and free it. */
void cmd_model_stdout_end(struct cmd_model_stdout *printed);

#endif /* FX_COMMANDS_SHELL_MODEL_STDOUT_H */
