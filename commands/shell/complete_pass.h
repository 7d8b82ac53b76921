/* complete_pass.h - what `pass run` may be told, for completion. */
#ifndef FX_COMMANDS_SHELL_COMPLETE_PASS_H
#define FX_COMMANDS_SHELL_COMPLETE_PASS_H

#include <stddef.h>

#include "commands/shell/cmd.h"

/* Offer what may stand at START of LINE: passes, options of the one before it
 * and, where the word has its equals sign, their values, each as a whole word.
 */
void cmd_complete_pass(const char *line, size_t start,
	void (*offer)(void *context, const char *text), void *context);

/* How many characters of WORD say that a function of Python follows; or 0. */
size_t cmd_python_pass_length(const char *word);

#endif /* FX_COMMANDS_SHELL_COMPLETE_PASS_H */
