/* signals.h - what signals mean to the program, whoever reads the keys.
 *
 * One table says it (signals.c): handlers set a flag and write to a pipe that
 * every wait polls, and the loop that waits does the rest.  Only what cannot
 * wait is done by a handler: a crash, and a stop while single keys are read.
 */
#ifndef FX_UI_SIGNALS_H
#define FX_UI_SIGNALS_H

#include <stdbool.h>
#include <termios.h>

struct cmd_shell;

/* Who has not typed for so long, in milliseconds, reads or thinks. */
#define UI_IDLE_MS 150

/* Who reads the keys of the terminal. */
enum ui_keys {
	UI_KEYS_NOBODY, /* a command runs, or another program has it */
	UI_KEYS_LINE,   /* Readline at the prompt, and at its questions */
	UI_KEYS_SINGLE, /* the pager, a lecture */
	UI_KEYS_SCREEN, /* the full screen, also while a command runs there */
	UI_KEYS_COUNT
};

/* Behind how far long work is. */
#define UI_STOPS_TEXT "; Ctrl-C stops"

/* At the start of the program: Ctrl-C is a flag from here on, and SIGPIPE is
 * ignored.
 */
void ui_signals_install(void);

/* WHO reads keys now.  BEFORE (NULL: as said last) are the modes that the
 * terminal gets back when the program stops or ends.
 */
void ui_signals_give(enum ui_keys who, const struct termios *before);

/* Whether Ctrl-C was typed since the last time that it was taken. */
bool ui_signals_has_interrupt(void);
bool ui_signals_take_interrupt(void);
/* Whether Ctrl-Z was; then ui_signals_stop. */
bool ui_signals_take_stop(void);
/* What is different about the terminal, or-ed. */
enum ui_change {
	UI_CHANGE_SIZE = 1, /* perhaps */
	UI_CHANGE_BACK = 2, /* somebody else had it, and left his modes */
};
unsigned ui_signals_take_change(void);
/* In handlers: TEXT over the last row of the screen. */
void ui_signals_say_over(const char *text);
/* Whether a line was written over the screen. */
bool ui_signals_take_told(void);
/* The signal that ordered to leave, SIGHUP also when the terminal is gone; 0:
 * none did.
 */
int ui_signals_ending(void);

/* A crash says what SHELL was doing; NULL: no more. */
void ui_signals_watch(const struct cmd_shell *shell);

/* A command begins: Ctrl-C is counted from here on. */
void ui_signals_begin_work(void);

/* Stop all processes of this job, as its shell expects.  Returns when the job
 * goes on, which counts as a change.  The terminal must be in the state in
 * which fxdb found it.
 */
void ui_signals_stop(void);
/* End by the signal that ordered it; returns when none did. */
void ui_signals_die(void);

enum ui_input {
	UI_INPUT_NONE, /* time is up */
	UI_INPUT_KEY,
	UI_INPUT_SIGNAL, /* one of the above can be taken */
};

/* Wait for a key of standard input, TIMEOUT_MS at most (negative: for ever). */
enum ui_input ui_signals_wait(int timeout_ms);

#endif /* FX_UI_SIGNALS_H */
