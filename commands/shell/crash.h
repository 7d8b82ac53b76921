/* crash.h - what a report of a crash says of the session. */
#ifndef FX_COMMANDS_SHELL_CRASH_H
#define FX_COMMANDS_SHELL_CRASH_H

#include <stddef.h>

struct cmd_shell;

enum {
	CMD_RECENT_COUNT = 5,
	CMD_RECENT_SIZE = 120,
};

/* The last lines, cut to what fits; in place, as nothing else may be relied on
 * in a crash.
 */
struct cmd_recent {
	char lines[CMD_RECENT_COUNT][CMD_RECENT_SIZE];
	size_t count; /* of all lines so far */
};

/* LINE is about to run. */
void cmd_recent_add(struct cmd_recent *recent, const char *line);

/* Write to FILE the last lines and where the session can be recovered from.
 * Safe in a signal handler.
 */
void cmd_shell_report_crash(const struct cmd_shell *shell, int file);

#endif /* FX_COMMANDS_SHELL_CRASH_H */
