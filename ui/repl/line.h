/* line.h - reading lines with Readline, at the prompt and on the full screen.
 *
 * readline_glue.c is the only file that includes Readline.
 */
#ifndef FX_UI_REPL_LINE_H
#define FX_UI_REPL_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct cmd_shell;
struct tui_line;

/* Set Readline up, with the shell's completion and the history in PATH (NULL:
 * none; at most SIZE lines), and release it.
 */
void line_begin(struct cmd_shell *shell, const char *history, size_t size);
void line_end(void);

/* Read a line; the caller frees.  NULL at the end of input, or, with
 * *INTERRUPTED_RET, after Ctrl-C.
 */
char *line_read(const char *prompt, bool *interrupted_ret);

/* IDLE is called when nobody types: it may take a while the first time in a
 * line, and is called again, if it returns true, while nobody does.  LAST is
 * called before a signal that was sent ends the program.
 */
typedef bool line_idle_fn(void *context);
typedef void line_last_fn(void *context);
void line_set_idle(line_idle_fn *idle, line_last_fn *last, void *context);

/* KEY was typed before there was a prompt: the next line begins with it. */
void line_begin_with(char key);

/* Remember LINE, in the file too. */
void line_remember(const char *line);

/* The same editor for the screen's command pane; line_read works again after
 * line_leave_tui.  One for the program.
 */
struct tui_line *line_enter_tui(void);
void line_leave_tui(void);

#endif /* FX_UI_REPL_LINE_H */
