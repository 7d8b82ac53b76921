/* at_work.h - says which operation is at work, while that asks
 * nobody: libtorch's run for as long as they take, and what the ticker says
 * comes between two of them.
 *
 * A timer's signal writes the line, from a name that is set before each node.
 */
#ifndef FX_UI_AT_WORK_H
#define FX_UI_AT_WORK_H

#include <stdbool.h>

struct fx_session;

/* Work of SESSION begins: of the node that it is at, once the delay that is set
 * has passed, a line of at most COLUMNS goes to standard error, to be written
 * over there, or to the last row of the screen.
 */
void ui_at_work_begin(struct fx_session *session, int columns, bool is_screen);
/* It ended, or waits for the user. */
void ui_at_work_end(void);
/* Whether the terminal is not to be written to now: it is written to elsewhere,
 * or something stands in the line at the cursor.
 */
void ui_at_work_hold(bool is_held);
/* Whether a line of it stands on standard error since the last time. */
bool ui_at_work_take_shown(void);

#endif /* FX_UI_AT_WORK_H */
