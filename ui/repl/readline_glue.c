/* readline_glue.c - the only file that includes Readline.
 *
 * Readline's callbacks take no user pointer, so its state is in one static
 * struct.  The callback interface is used throughout: the prompt waits with
 * poll, for keys and for signals; on the full screen keys come from the screen
 * through a queue, and nothing of Readline is painted but what the screen
 * asks for.  Signals stay ours, also that of a new size: Readline divides by
 * the width it is told, less what it keeps for itself.  It may not export LINES
 * and COLUMNS, which would stop curses from noticing a new size.
 */
#include <config.h>

#include "ui/repl/line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "commands/shell/cmd.h"
#include "ui/signals.h"
#include "ui/tui/line.h"

/* Readline's variables on the full screen; at the prompt the user has his. */
static const char *const variables[][2] = {
	{ "bell-style", "none" },
	{ "completion-query-items", "-1" },
	{ "page-completions", "off" },
	{ "blink-matching-paren", "off" },
	{ "enable-bracketed-paste", "on" },
};

enum {
	LEAST_COLUMNS = 20,
};

static struct {
	struct cmd_shell *shell;
	line_idle_fn *idle;
	void *idle_context;
	line_last_fn *last;
	bool may_work; /* idle has not said that there is no more to do */
	char *history;
	size_t history_size;

	char first;   /* typed before the prompt; 0: nothing */
	char *line;   /* what on_line got */
	size_t ended; /* bytes of the end of a paste that were made up */
	bool done;
	bool eof;

	/* The full screen. */
	bool in_tui;
	FILE *nowhere;
	struct fx_buf queue;
	size_t queue_at;
	char **candidates;
	rl_voidfunc_t *deprep;
	rl_vintfunc_t *prep;
	char *before[FX_ARRAY_LEN(variables)];
	struct tui_line tui;
} glue;

static void
on_line(char *line)
{
	glue.line = line;
	glue.done = true;
	glue.eof = !line;
	rl_callback_handler_remove();
}

/* Completion: candidates replace from START on, which need not be where
 * Readline thinks that the word begins.
 */

static char *
shifted(const char *candidate, size_t start, size_t word)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (start <= word) {
		size_t skip = word - start;
		size_t length = strlen(candidate);

		return fx_xstrdup(candidate + (skip < length ? skip : length));
	}
	fx_buf_add_n(&text, rl_line_buffer + word, start - word);
	fx_buf_add(&text, candidate);
	return fx_buf_take(&text);
}

/* Whether a bracket is open before the cursor. */
static bool
is_in_brackets(void)
{
	int depth = 0;
	int i;

	for (i = 0; i < rl_point; i++) {
		if (strchr("([{", rl_line_buffer[i]))
			depth++;
		else if (depth && strchr(")]}", rl_line_buffer[i]))
			depth--;
	}
	return depth > 0;
}

static char **
complete(const char *text, int start, int end)
{
	size_t begin;
	size_t count = 0;
	char **found;
	char **matches;

	(void)text;
	(void)end;
	rl_attempted_completion_over = 1;
	rl_completion_append_character = ' ';
	found = cmd_complete(glue.shell, rl_line_buffer, (size_t)rl_point,
		&begin);
	while (found[count])
		count++;
	if (!count) {
		free(found);
		return NULL;
	}
	matches = fx_xcalloc(count + 2, sizeof(char *));
	for (count = 0; found[count]; count++) {
		matches[count + 1] =
			shifted(found[count], begin, (size_t)start);
		free(found[count]);
	}
	free(found);
	matches[0] = fx_xstrndup(matches[1], tui_line_common(matches + 1));
	if (count == 1) {
		size_t length = strlen(matches[1]);

		if (is_in_brackets() ||
			(length && strchr("/(=:.", matches[1][length - 1])))
			rl_completion_append_character = '\0';
		free(matches[1]);
		matches[1] = NULL;
	}
	return matches;
}

static void
free_candidates(void)
{
	tui_line_free_words(glue.candidates);
	glue.candidates = NULL;
}

static void
keep_candidates(char **matches, int count, int longest)
{
	int i;

	(void)longest;
	free_candidates();
	glue.candidates = fx_xcalloc((size_t)count + 1, sizeof(char *));
	for (i = 0; i < count; i++)
		glue.candidates[i] = fx_xstrdup(matches[i + 1]);
}

/* Incremental search, a numeric argument, half a key sequence: what Readline is
 * in the middle of ends with the line.
 */
static void
end_modes(void)
{
	if (!RL_ISSTATE(RL_STATE_CALLBACK))
		return;
	rl_free_line_state();
	rl_callback_sigcleanup();
}

/* The prompt. */

/* Readline's columns; false when the terminal has less than it can do with. */
static bool
tell_size(void)
{
	struct winsize size = { 0 };

	rl_reset_screen_size();
	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col ||
		size.ws_col >= LEAST_COLUMNS)
		return true;
	rl_set_screen_size(size.ws_row, LEAST_COLUMNS);
	return false;
}

static void
take_change(unsigned change)
{
	bool is_wide;

	if (!change)
		return;
	is_wide = tell_size();
	if (change & UI_CHANGE_BACK) {
		rl_deprep_terminal();
		rl_prep_terminal(1);
		rl_on_new_line();
		rl_redisplay();
	} else if (is_wide) {
		rl_resize_terminal();
	} else {
		rl_forced_update_display();
	}
}

/* False after Ctrl-C, and when it is time to leave. */
static bool
heed_signals(void)
{
	if (ui_signals_take_stop()) {
		rl_deprep_terminal();
		ui_signals_stop();
	}
	if (ui_signals_has_interrupt() || ui_signals_ending())
		return false;
	take_change(ui_signals_take_change());
	return true;
}

/* Wait for a key, at work where none comes.  False as heed_signals. */
static bool
wait_for_key(void)
{
	int timeout = glue.may_work ? UI_IDLE_MS : -1;

	while (heed_signals()) {
		enum ui_input input = ui_signals_wait(timeout);

		if (input == UI_INPUT_KEY)
			return heed_signals();
		if (input == UI_INPUT_NONE && glue.may_work) {
			glue.may_work = glue.idle(glue.idle_context);
			timeout = glue.may_work ? 0 : -1;
		}
	}
	return false;
}

/* A byte.  Where there is none, as the terminal is gone or a signal came in the
 * middle of a paste, the paste ends first: Readline 8.2 reads past what it has
 * of one that is cut short.  The line is dropped.
 */
static int
read_byte(FILE *stream)
{
	static const char paste_end[] = "\033[201~";
	unsigned char byte;

	(void)stream;
	if (!glue.ended && wait_for_key() && read(STDIN_FILENO, &byte, 1) == 1)
		return byte;
	return paste_end[glue.ended] ? paste_end[glue.ended++] : EOF;
}

/* After Ctrl-D Readline would end this line, which is ended here, and every
 * later one.
 */
static void
give_terminal_back(void)
{
#if RL_READLINE_VERSION >= 0x0802
	rl_eof_found = 0;
#endif
	rl_deprep_terminal();
}

void
line_begin(struct cmd_shell *shell, const char *history, size_t size)
{
	static char breaks[] = " \t\n\"'(){}[],=<>!+-*/|&";

	glue.shell = shell;
	glue.history = history ? fx_xstrdup(history) : NULL;
	glue.history_size = size;
	rl_readline_name = "fxdb";
	rl_instream = stdin;
	rl_getc_function = read_byte;
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_change_environment = 0;
	rl_outstream = stderr;
	rl_completer_word_break_characters = breaks;
	rl_attempted_completion_function = complete;
	rl_deprep_term_function = give_terminal_back;
	using_history();
	if (size)
		stifle_history((int)size);
	if (history)
		read_history(history);
}

void
line_end(void)
{
	if (glue.history)
		history_truncate_file(glue.history, (int)glue.history_size);
	free(glue.history);
	glue.history = NULL;
	free_candidates();
	clear_history();
	fx_buf_deinit(&glue.queue);
	if (glue.nowhere)
		fclose(glue.nowhere);
	glue.nowhere = NULL;
}

void
line_remember(const char *line)
{
	HIST_ENTRY *last =
		history_length ? history_get(history_base + history_length - 1)
			       : NULL;

	if (!line[strspn(line, " \t")] || (last && !strcmp(last->line, line)))
		return;
	add_history(line);
	/* At once, so that nothing is lost when fxdb dies. */
	if (glue.history && append_history(1, glue.history) == ENOENT)
		write_history(glue.history);
}

void
line_set_idle(line_idle_fn *idle, line_last_fn *last, void *context)
{
	glue.idle = idle;
	glue.last = last;
	glue.idle_context = context;
}

/* Leave the typed line on the screen as it stands: the cursor may be anywhere
 * in the line, and the line may take several rows.  This has to come before
 * Readline leaves the terminal, since it then goes to the beginning of the row.
 */
static void
drop_line(void)
{
	end_modes();
	rl_point = rl_end;
	rl_redisplay();
	fputs(ui_signals_ending() ? "\n" : "^C\n", stderr);
	rl_replace_line("", 1);
	rl_callback_handler_remove();
}

void
line_begin_with(char key)
{
	glue.first = key;
}

static void
insert_first(void)
{
	char text[] = { glue.first, '\0' };

	if (!glue.first)
		return;
	glue.first = '\0';
	rl_insert_text(text);
	rl_redisplay();
}

/* False after Ctrl-C, and when it is time to leave. */
static bool
edit_line(void)
{
	while (!glue.done && wait_for_key())
		rl_callback_read_char();
	return !ui_signals_take_interrupt() && !ui_signals_ending();
}

char *
line_read(const char *prompt, bool *interrupted_ret)
{
	struct termios before;
	char *line;

	glue.done = false;
	glue.ended = 0;
	glue.line = NULL;
	ui_signals_give(UI_KEYS_LINE,
		tcgetattr(STDIN_FILENO, &before) == 0 ? &before : NULL);
	ui_signals_take_change();
	tell_size();
	rl_callback_handler_install(prompt, on_line);
	insert_first();
	glue.may_work = glue.idle;
	*interrupted_ret = !edit_line();
	glue.may_work = false;
	if (*interrupted_ret)
		drop_line();
	ui_signals_give(UI_KEYS_NOBODY, NULL);
	if (ui_signals_ending() && glue.last)
		glue.last(glue.idle_context);
	ui_signals_die();
	if (!glue.line) {
		if (!*interrupted_ret)
			fputs("\n", stderr);
		return NULL;
	}
	line = fx_xstrdup(glue.line);
	free(FX_TAKE(glue.line));
	return line;
}

/* The full screen: keys from a queue, nothing painted. */

static int
queue_get(FILE *stream)
{
	(void)stream;
	if (glue.queue_at >= glue.queue.length)
		return EOF;
	return (unsigned char)glue.queue.data[glue.queue_at++];
}

static int
queue_has(void)
{
	return glue.queue_at < glue.queue.length;
}

static void
paint_nothing(void)
{
}

static void
clear_queue(void)
{
	fx_buf_clear(&glue.queue);
	glue.queue_at = 0;
}

/* Drop what was typed before, and what Readline made of it. */
static void
tui_open(void *context, const char *prompt)
{
	(void)context;
	end_modes();
	using_history();
	clear_queue();
	free_candidates();
	glue.done = false;
	glue.eof = false;
	rl_callback_handler_install(prompt, on_line);
}

static void
tui_close(void *context)
{
	(void)context;
	end_modes();
	rl_callback_handler_remove();
	glue.done = false;
	free(glue.line);
	glue.line = NULL;
}

static void
tui_feed(void *context, const char *bytes, size_t length)
{
	(void)context;
	free_candidates();
	fx_buf_add_n(&glue.queue, bytes, length);
	while (queue_has() && !glue.done)
		rl_callback_read_char();
	if (!queue_has())
		clear_queue();
}

static void
tui_paste(void *context, const char *text)
{
	(void)context;
	free_candidates();
	end_modes();
	rl_insert_text(text);
}

static char *
tui_take(void *context, bool *eof_ret)
{
	char *line = glue.line;

	(void)context;
	*eof_ret = glue.done && glue.eof;
	if (!glue.done)
		return NULL;
	glue.done = false;
	glue.line = NULL;
	return line;
}

static void
tui_look(void *context, struct tui_line_look *ret)
{
	(void)context;
	ret->prompt = rl_display_prompt ? rl_display_prompt : "";
	ret->text = rl_line_buffer ? rl_line_buffer : "";
	ret->cursor = (size_t)rl_point;
}

static void
tui_set_text(void *context, const char *text)
{
	(void)context;
	rl_replace_line(text, 1);
	rl_point = rl_end;
}

static void
tui_remember(void *context, const char *line)
{
	(void)context;
	line_remember(line);
}

static char **
tui_candidates(void *context)
{
	(void)context;
	return glue.candidates;
}

struct tui_line *
line_enter_tui(void)
{
	if (!glue.nowhere)
		glue.nowhere = fopen("/dev/null", "w");
	glue.in_tui = true;
	glue.prep = rl_prep_term_function;
	glue.deprep = rl_deprep_term_function;
	rl_prep_term_function = NULL;
	rl_deprep_term_function = NULL;
	rl_getc_function = queue_get;
	rl_input_available_hook = queue_has;
	rl_redisplay_function = paint_nothing;
	rl_completion_display_matches_hook = keep_candidates;
	rl_outstream = glue.nowhere ? glue.nowhere : stderr;
	for (size_t i = 0; i < FX_ARRAY_LEN(variables); i++) {
		const char *before = rl_variable_value(variables[i][0]);

		glue.before[i] = fx_xstrdup(before ? before : "");
		rl_variable_bind(variables[i][0], variables[i][1]);
	}
	glue.tui = (struct tui_line){ .context = &glue,
		.open = tui_open,
		.close = tui_close,
		.feed = tui_feed,
		.paste = tui_paste,
		.take = tui_take,
		.look = tui_look,
		.set_text = tui_set_text,
		.remember = tui_remember,
		.candidates = tui_candidates };
	return &glue.tui;
}

void
line_leave_tui(void)
{
	if (!glue.in_tui)
		return;
	tui_close(NULL);
	glue.in_tui = false;
	rl_prep_term_function = glue.prep;
	rl_deprep_term_function = glue.deprep;
	rl_getc_function = read_byte;
	rl_input_available_hook = NULL;
	rl_redisplay_function = rl_redisplay;
	rl_completion_display_matches_hook = NULL;
	rl_outstream = stderr;
	for (size_t i = 0; i < FX_ARRAY_LEN(variables); i++) {
		rl_variable_bind(variables[i][0], glue.before[i]);
		free(glue.before[i]);
		glue.before[i] = NULL;
	}
	clear_queue();
}
