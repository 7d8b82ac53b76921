/* interrupt.h - Ctrl-C as a flag, and a pipe that waits can poll. */
#ifndef FX_UI_REPL_INTERRUPT_H
#define FX_UI_REPL_INTERRUPT_H

#include <stdbool.h>
#include <termios.h>

/* Take SIGINT over, and ignore SIGPIPE; again after somebody else had it. */
void interrupt_install(void);

/* Whether Ctrl-C was typed since the last call. */
bool interrupt_take(void);

/* Readable while it was; -1 when there is no pipe. */
int interrupt_file(void);

/* While ON, the signals that end the program (TERM, HUP, QUIT) only end a wait,
 * like Ctrl-C, so that the terminal can be put back first; then die.
 */
void interrupt_catch_deadly(bool on);
bool interrupt_has_deadly(void);
/* What standard input's modes become when a signal ends the program, a crash
 * too; NULL: they stay.
 */
void interrupt_put_back(const struct termios *modes);
/* End the program by the signal that came, if one did. */
void interrupt_die(void);

#endif /* FX_UI_REPL_INTERRUPT_H */
