/* crash.c - what a report of a crash says of the session.
 *
 * Called by a signal handler, when anything may be broken: it reads what lies
 * in the shell itself and calls write, no more.
 */
#include <config.h>

#include "commands/shell/crash.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/utf8.h"
#include "commands/shell/recovery.h"
#include "commands/shell/shell.h"

void
cmd_recent_add(struct cmd_recent *recent, const char *line)
{
	char *at = recent->lines[recent->count++ % CMD_RECENT_COUNT];
	size_t length = strcspn(line, "\n");

	if (length >= CMD_RECENT_SIZE)
		length = fx_utf8_fit(line, CMD_RECENT_SIZE - 1, SIZE_MAX);
	memcpy(at, line, length);
	at[length] = '\0';
}

/* Controls in a line must not reach the terminal. */
static void
say_line(int file, const char *line)
{
	char safe[CMD_RECENT_SIZE + 5] = "    ";
	size_t length = 4;

	for (; *line && length < sizeof(safe) - 1; line++)
		safe[length++] = (unsigned char)*line < ' ' ? '?' : *line;
	safe[length++] = '\n';
	if (write(file, safe, length) < 0) {
		/* Nobody reads it: then not. */
	}
}

void
cmd_shell_report_crash(const struct cmd_shell *shell, int file)
{
	static const char last[] = "  the last commands were\n";
	static const char none[] = "  nothing of the session was kept\n";
	static const char kept[] = "  \"recover\" in a new session brings back "
				   "what it changed, kept in\n";
	const char *place = cmd_recovery_place(shell->recovery);
	size_t count = FX_MIN(shell->recent.count, (size_t)CMD_RECENT_COUNT);
	ssize_t n = 0;

	if (count)
		n = write(file, last, sizeof(last) - 1);
	for (size_t i = shell->recent.count - count; i < shell->recent.count;
		i++)
		say_line(file, shell->recent.lines[i % CMD_RECENT_COUNT]);
	if (place) {
		n = write(file, kept, sizeof(kept) - 1);
		say_line(file, place);
	} else {
		n = write(file, none, sizeof(none) - 1);
	}
	(void)n;
}
