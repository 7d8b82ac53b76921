/* signals.h - what signals mean while the full screen has the terminal. */
#ifndef FX_UI_TUI_SIGNALS_H
#define FX_UI_TUI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

#define TUI_SIGNAL_COUNT 11

/* The handlers that were there before. */
struct tui_signals {
	struct sigaction before[TUI_SIGNAL_COUNT];
};

/* Note the handlers, before curses sets its own; take over Ctrl-C, the orders
 * to leave, and crashes; set back what was noted.  MODES of the line are what a
 * crash restores.
 */
void tui_signals_save(struct tui_signals *signals);
void tui_signals_catch(const struct termios *modes);
void tui_signals_restore(const struct tui_signals *signals);

/* Readable when a signal came, so that a wait ends; empty it after that. */
int tui_signals_file(void);
void tui_signals_drain(void);

/* Whether Ctrl-C was typed since the last call. */
bool tui_signals_take_interrupt(void);
/* Whether a line was written over the screen since the last call. */
bool tui_signals_take_told(void);
/* The signal that orders to leave, or 0. */
int tui_signals_ending(void);

#endif /* FX_UI_TUI_SIGNALS_H */
