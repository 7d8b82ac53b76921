/* python.h - lines that are Python's and no command. */
#ifndef FX_COMMANDS_SHELL_PYTHON_H
#define FX_COMMANDS_SHELL_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

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

#endif /* FX_COMMANDS_SHELL_PYTHON_H */
