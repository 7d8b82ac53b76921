/* theme.h - how roles look: as escape sequences, and as a screen has it. */
#ifndef FX_UI_THEME_H
#define FX_UI_THEME_H

#include "base/role.h"

/* Return the escape sequence that begins ROLE, or "" if ROLE looks like plain
 * text.  UI_THEME_RESET ends any role.
 */
const char *ui_theme_style(enum fx_role role);
#define UI_THEME_RESET "\033[0m"

/* The same for a grid of cells. */
struct ui_theme_look {
	short color;    /* 0 to 7; -1: the terminal's own */
	unsigned style; /* enum fx_look_bits, or-ed */
};
struct ui_theme_look ui_theme_look(enum fx_role role);

#endif /* FX_UI_THEME_H */
