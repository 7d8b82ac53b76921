/* prompt.h - what stands before a typed line, and lines that answer it. */
#ifndef FX_COMMANDS_SHELL_PROMPT_H
#define FX_COMMANDS_SHELL_PROMPT_H

#include <stdbool.h>

#include "ir/journal.h"

struct cmd_passing_kind;
struct cmd_shell;
struct fx_buf;

/* What is kept of the command that began to step a pass (verbs/passing.h): its
 * words in a script, whether it was forced, what the open transaction had done
 * before it.
 */
struct cmd_stepped {
	char *script; /* owned, or NULL */
	bool force;
	bool lists; /* run at once, its candidates are listed */
	struct fx_edit_counts before;
	const struct cmd_passing_kind *kind;
	void *data; /* of KIND, owned */
};
/* All zero is empty. */
void cmd_stepped_deinit(struct cmd_stepped *stepped);

/* Append the prompt: the setting, or the pass that is stepped,
 * "(fxdb:dce 3/17) ".
 */
void cmd_shell_print_prompt(const struct cmd_shell *shell, struct fx_buf *out);
/* Behind the prompt of a line that was copied with it. */
const char *cmd_prompt_skip(const char *line);

/* Whether a pass waits for a decision.  Then a line of one letter is the
 * command that it stands for; any other, and those of a user's command, stay.
 */
bool cmd_prompt_decides(const struct cmd_shell *shell);
const char *cmd_prompt_read_decision(const struct cmd_shell *shell,
	const char *line);

#endif /* FX_COMMANDS_SHELL_PROMPT_H */
