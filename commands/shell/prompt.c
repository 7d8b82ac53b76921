/* prompt.c - what stands before a line, and lines that answer it. */
#include <config.h>

#include "commands/shell/prompt.h"

#include <string.h>

#include "base/str.h"
#include "commands/shell/shell.h"
#include "session/model.h"
#include "session/nested.h"
#include "session/passing.h"
#include "session/session.h"

bool
cmd_prompt_decides(const struct cmd_shell *shell)
{
	return fx_session_passing(shell->session) != NULL;
}

/* The one that is set; in a nested graph that was entered, "(fxdb /turn) ". */
static void
print_usual(const struct cmd_shell *shell, struct fx_buf *out)
{
	const char *text = fx_settings_text(shell->settings, FX_SET_PROMPT);
	const struct fx_model *model = fx_session_model(shell->session);
	const char *entered = model ? fx_model_entered_path(model) : "";
	size_t length = strlen(text);

	if (!*entered || !fx_str_ends(text, ") "))
		fx_buf_add(out, text);
	else
		fx_buf_addf(out, "%.*s /%s) ", (int)length - 2, text, entered);
}

void
cmd_shell_print_prompt(const struct cmd_shell *shell, struct fx_buf *out)
{
	const struct fx_passing *passing = fx_session_passing(shell->session);

	if (!passing) {
		print_usual(shell, out);
		return;
	}
	fx_buf_addf(out, "(fxdb:%s ", fx_passing_pass(passing)->name);
	fx_passing_print_place(passing, out);
	fx_buf_add(out, ") ");
}

const char *
cmd_prompt_read_decision(const struct cmd_shell *shell, const char *line)
{
	static const char *const lines[] = { "pass yes", "pass no", "pass all",
		"pass keep", "pass quit" };
	const char *begin = line + strspn(line, " \t");

	if (!fx_session_passing(shell->session) || !*begin ||
		begin[1 + strspn(begin + 1, " \t\r\n")] ||
		(shell->script && shell->script->is_command &&
			!shell->stop_commands.is_running))
		return line;
	for (size_t i = 0; i < FX_ARRAY_LEN(lines); i++)
		if (*begin == lines[i][5])
			return lines[i];
	return line;
}

const char *
cmd_prompt_skip(const char *line)
{
	const char *begin = line + strspn(line, " \t");
	const char *end = strstr(begin, ") ");

	return end && (fx_str_starts(begin, "(fxdb) ") ||
			      fx_str_starts(begin, "(fxdb /") ||
			      fx_str_starts(begin, "(fxdb:"))
		       ? end + 2
		       : line;
}
