/* interrupt_escalation.h - Ctrl-C again while nothing takes the first.
 *
 * fxdb looks at Ctrl-C between nodes, and every 30 ms where it loops itself;
 * one operation of libtorch cannot be broken off.  Who asks a second time, a
 * moment later, is told so; a third time ends the program, as there is no
 * other way out.  Called in signal handlers: nothing here that is not safe
 * there.
 */
#ifndef FX_UI_INTERRUPT_ESCALATION_H
#define FX_UI_INTERRUPT_ESCALATION_H

#include <signal.h>
#include <stdbool.h>

#include "run/hooks.h"

#define UI_PATIENCE_TEXT \
	"this operation cannot be broken off; Ctrl-C " \
	"again ends fxdb, unsaved work lost"

/* Keys that are held down, or hit twice, mean one Ctrl-C. */
#define UI_PATIENCE_MS 700

/* What takes longer than this says that it is at work. */
#define UI_WORKING_MS   1000
#define UI_WORKING_TEXT "working; Ctrl-C stops"

enum ui_interrupt_escalation_answer {
	UI_PATIENCE_WAIT,
	UI_PATIENCE_TELL,
	UI_PATIENCE_END,
};

/* Volatile, as a handler writes it. */
struct ui_interrupt_escalation {
	volatile sig_atomic_t is_told;
	volatile long long last_ms; /* when it was asked, or told */
};

/* What to do for a Ctrl-C; IS_PENDING: the one before was not taken yet. */
static inline enum ui_interrupt_escalation_answer
ui_interrupt_escalation_ask(struct ui_interrupt_escalation *patience,
	bool is_pending)
{
	long long now = fx_clock_ms();

	if (!is_pending) {
		patience->is_told = 0;
		patience->last_ms = now;
		return UI_PATIENCE_WAIT;
	}
	if (now - patience->last_ms < UI_PATIENCE_MS)
		return UI_PATIENCE_WAIT;
	patience->last_ms = now;
	if (patience->is_told)
		return UI_PATIENCE_END;
	patience->is_told = 1;
	return UI_PATIENCE_TELL;
}

#endif /* FX_UI_INTERRUPT_ESCALATION_H */
