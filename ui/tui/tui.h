/* tui.h - the full screen, for the program's main loop.
 *
 * The same commands as the prompt: a key is a row that names a command line,
 * which runs through cmd_run and appears in the command log.  One thread; the
 * screen is painted between commands and, while a graph runs, by the front
 * end's tick.
 */
#ifndef FX_UI_TUI_TUI_H
#define FX_UI_TUI_TUI_H

#include <stdbool.h>

#include "base/error.h"
#include "draw/canvas.h"

struct cmd_shell;
struct tui_bindings;
struct tui_line;
struct tui_screen;

enum tui_end {
	TUI_END_LEFT,   /* q, "tui off": the session goes on at the prompt */
	TUI_END_QUIT,   /* quit, end of input: status */
	TUI_END_SIGNAL, /* SIGTERM, SIGHUP or a lost terminal: status */
};

struct tui_result {
	enum tui_end end;
	int status; /* exit status; 128 + the signal for SIGNAL */
};

struct tui_options {
	struct cmd_shell *shell;
	struct tui_line *line; /* the line editor; borrowed */
	bool ascii;            /* --ascii */
	bool no_color;         /* as at the prompt: set color, NO_COLOR */
	struct tui_bindings *bindings; /* of the user; borrowed; or NULL */
	bool is_first; /* nothing was seen but what starting said */
};

/* Run the full screen on the terminal (standard input and output) until the
 * user leaves.  Sets the shell's front end; the caller sets its own again
 * afterwards, and restores its signal handlers and Readline.  TERMINAL when
 * standard output is no terminal or cannot address the cursor; UNSUPPORTED
 * when fxdb was built without curses.
 */
FX_NODISCARD struct fx_error *tui_run(const struct tui_options *options,
	struct tui_result *ret);

/* Like tui_run, on a SCREEN that is borrowed: tests pass the null screen. */
void tui_run_on(struct tui_screen *screen, const struct tui_options *options,
	struct tui_result *ret);

#endif /* FX_UI_TUI_TUI_H */
