/* theme.h - roles to escape sequences. */
#ifndef FX_UI_THEME_H
#define FX_UI_THEME_H

#include "base/role.h"

/* The sequence that begins ROLE, "" when it looks like plain text; and the one
 * that ends it.
 */
const char *ui_theme_style(enum fx_role role);
#define UI_THEME_RESET "\033[0m"

#endif /* FX_UI_THEME_H */
