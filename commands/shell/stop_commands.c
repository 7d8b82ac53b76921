/* stop_commands.c - the lines that breakpoints run when they stop.
 *
 * They run when the line that came to the stop has ended, so that a list which
 * goes on running does not call itself: its own stop ends it, and what that has
 * to run comes next.
 */
#include <config.h>

#include "commands/shell/stop_commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/shell/shell.h"

/* Lists that one line may lead to; those at whose stop a run stands where it
 * stood before, or further back: such a list can go on for ever.
 */
#define STOP_LIMIT   100000
#define REPEAT_LIMIT 100

/* The end of the line at TEXT. */
static size_t
line_length(const char *text)
{
	return strcspn(text, "\n");
}

static bool
is_silent(const char *line, size_t length)
{
	while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
		length--;
	return length == strlen("silent") && !strncmp(line, "silent", length);
}

bool
cmd_stop_is_silent(const char *commands)
{
	if (!commands)
		return false;
	commands += strspn(commands, " \t");
	return is_silent(commands, line_length(commands));
}

/* COMMANDS without the word silent. */
static char *
without_silent(const char *commands)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };

	while (*commands) {
		const char *line = commands + strspn(commands, " \t");
		size_t length = line_length(line);

		if (!is_silent(line, length)) {
			fx_buf_add_n(&out, line, length);
			fx_buf_add_char(&out, '\n');
		}
		commands = line + length;
		commands += *commands == '\n';
	}
	return fx_buf_take(&out);
}

void
cmd_stop_commands_note(struct cmd_shell *shell, const char *commands,
	int number, size_t position)
{
	struct cmd_stop_commands *state = &shell->stop_commands;

	state->has_moved = true;
	free(state->pending);
	state->pending = commands ? without_silent(commands) : NULL;
	state->number = number;
	state->repeats += position <= state->position;
	state->position = position;
}

static struct fx_error *
check_limits(const struct cmd_stop_commands *state, size_t count)
{
	struct fx_error *err;

	if (count <= STOP_LIMIT && state->repeats <= REPEAT_LIMIT)
		return NULL;
	if (!state->number)
		return fx_error_new(FX_ERR_LIMIT,
			"the commands of what stopped here led to a stop %zu "
			"times",
			count);
	err = fx_error_new(FX_ERR_LIMIT,
		"the commands of breakpoint %d led to a stop %zu times",
		state->number, count);
	return fx_error_hint(err,
		"delete %d, or a condition or ignore count for it",
		state->number);
}

struct fx_error *
cmd_stop_commands_run(struct cmd_shell *shell, struct out *out)
{
	struct cmd_stop_commands *state = &shell->stop_commands;
	const struct cmd_source_options options = { .is_command = true,
		.ends_at_stop = true };
	struct fx_error *err = NULL;
	size_t count = 0;

	if (state->is_running)
		return NULL;
	state->is_running = true;
	state->repeats = 0;
	shell->depth++;
	while (!err && state->pending && !shell->is_quitting) {
		FX_AUTO_FREE char *text = FX_TAKE(state->pending);
		int number = state->number;

		err = check_limits(state, ++count);
		if (err)
			break;
		state->has_moved = false;
		err = cmd_run_text(shell, NULL, text, &options, out);
		if (err)
			err = number ? fx_error_note(err,
					       "in the commands of breakpoint "
					       "%d",
					       number)
				     : fx_error_note(err,
					       "in the commands of what "
					       "stopped here");
	}
	shell->depth--;
	free(state->pending);
	state->pending = NULL;
	state->is_running = false;
	return err;
}
