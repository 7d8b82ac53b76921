/* null_screen.h - a screen without a terminal. */
#ifndef FX_TESTS_SUPPORT_NULL_SCREEN_H
#define FX_TESTS_SUPPORT_NULL_SCREEN_H

#include <stdbool.h>

#include "ui/tui/screen.h"

/* A screen without a terminal: keys come from a script, cells stay. */
struct tui_screen *fxt_null_screen(int rows, int columns, enum fx_lines lines);
/* Queue keys: characters, and names in <>: <Tab> <Enter> <Esc> <Up> <C-d> <A-1>
 * <Space> <lt> <F1> <Interrupt> <Hangup> <Resize 20x5> <Paste text>
 * <Press ROW,COLUMN> <Wheel-up ROW,COLUMN> <Wheel-down ROW,COLUMN>.  False
 * when one is unknown.
 */
bool fxt_null_screen_keys(struct tui_screen *screen, const char *keys);
/* What was copied last, "" for nothing. */
const char *fxt_null_screen_copied(const struct tui_screen *screen);
/* What was shown last; called when no key is left instead of waiting.  After
 * it returns true there must be new keys; false hangs up.
 */
typedef bool fxt_null_screen_idle_fn(void *context,
	const struct fx_canvas *grid, int cursor_row, int cursor_column);
void fxt_null_screen_on_idle(struct tui_screen *screen,
	fxt_null_screen_idle_fn *idle, void *context);

#endif /* FX_TESTS_SUPPORT_NULL_SCREEN_H */
