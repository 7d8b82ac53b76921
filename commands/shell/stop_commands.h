/* stop_commands.h - the lines that breakpoints run when they stop. */
#ifndef FX_COMMANDS_SHELL_STOP_COMMANDS_H
#define FX_COMMANDS_SHELL_STOP_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cmd_shell;
struct fx_breakpoint;
struct fx_node;
struct out;

struct cmd_stop_commands {
	char *pending;   /* to run after the line, or NULL */
	int number;      /* of the breakpoint whose they are; 0: of several */
	size_t position; /* of the last stop */
	size_t repeats;  /* stops that did not lie further on */
	bool is_running;
	bool has_moved;    /* the list that runs came to another stop */
	const char *given; /* the lines that `commands` gives now; borrowed */
	struct out *out;   /* of the line that runs: dprintf speaks there */
};

/* Whether COMMANDS, which may be NULL, begin with the word silent. */
bool cmd_stop_is_silent(const char *commands);
/* A run stopped before POSITION; COMMANDS, or NULL, of breakpoint NUMBER, or 0:
 * of several.
 */
void cmd_stop_commands_note(struct cmd_shell *shell, const char *commands,
	int number, size_t position);
/* Run what is pending, unless such a list runs already. */
FX_NODISCARD struct fx_error *cmd_stop_commands_run(struct cmd_shell *shell,
	struct out *out);

/* printf.c: what a dprintf says; CONTEXT is the shell. */
void cmd_dprintf_say(void *context, const struct fx_breakpoint *breakpoint,
	const struct fx_node *node);

#endif /* FX_COMMANDS_SHELL_STOP_COMMANDS_H */
