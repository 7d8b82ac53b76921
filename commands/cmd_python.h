/* cmd_python.h - lines that are Python's and no command. */
#ifndef FX_COMMANDS_CMD_PYTHON_H
#define FX_COMMANDS_CMD_PYTHON_H

#include "base/error.h"

/* LINE begins with no command.  When it is a statement of Python, the error
 * that says so and what to type; NULL when it is none.
 */
FX_NODISCARD struct fx_error *cmd_refuse_python(const char *line);

#endif /* FX_COMMANDS_CMD_PYTHON_H */
