/* theme.h - how roles look: as escape sequences, and as a screen has it. */
#ifndef FX_UI_THEME_H
#define FX_UI_THEME_H

#include "base/role.h"

/* In the order of the words of the setting. */
enum ui_theme {
	UI_THEME_DEFAULT,
	UI_THEME_LIGHT, /* for light terminals */
	UI_THEME_MONO,  /* without colours */
	UI_THEME_COUNT
};

/* The theme called WORD; the default one, if none is. */
enum ui_theme ui_theme_find(const char *word);

/* The escape sequences that begin roles, "" for one that looks like plain text;
 * UI_THEME_RESET ends any of them.
 */
struct ui_theme_sequences {
	char of[FX_ROLE_COUNT][16];
};
void ui_theme_sequences(enum ui_theme theme, struct ui_theme_sequences *ret);
#define UI_THEME_RESET "\033[0m"

/* The same for a grid of cells. */
struct ui_theme_look {
	short color;    /* 0 to 7; -1: the terminal's own */
	unsigned style; /* enum fx_look_bits, or-ed */
};
struct ui_theme_look ui_theme_look(enum ui_theme theme, enum fx_role role);

#endif /* FX_UI_THEME_H */
