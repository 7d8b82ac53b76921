/* model_stdout.c - what the user's Python prints, as lines of the output.
 */
#include <config.h>

#include "commands/shell/model_stdout.h"

#include "commands/out/out.h"
#include "commands/shell/shell.h"

/* Longer lines go on in the next. */
#define LINE_LIMIT 8192

static void
say_line(struct cmd_model_stdout *printed)
{
	out_note(printed->out, "%s", fx_buf_text(&printed->line));
	fx_buf_clear(&printed->line);
}

bool
cmd_model_stdout_add(void *context, const char *text, size_t length)
{
	const struct cmd_shell *shell = context;
	struct cmd_model_stdout *printed = shell->printed;

	if (!printed)
		return false;
	if (!length && printed->line.length)
		say_line(printed);
	for (size_t i = 0; i < length; i++) {
		if (text[i] != '\n')
			fx_buf_add_char(&printed->line, text[i]);
		if (text[i] == '\n' || printed->line.length >= LINE_LIMIT)
			say_line(printed);
	}
	return true;
}

void
cmd_model_stdout_end(struct cmd_model_stdout *printed)
{
	if (printed->line.length)
		say_line(printed);
	fx_buf_deinit(&printed->line);
}
