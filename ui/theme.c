/* theme.c - roles to escape sequences. */
#include <config.h>

#include "ui/theme.h"

#include <stddef.h>

static const char *const styles[FX_ROLE_COUNT] = {
#define UI_STYLE(role, sgr) [FX_ROLE_##role] = "\033[" sgr "m",
#include "ui/theme.def"
};

const char *
ui_theme_style(enum fx_role role)
{
	const char *style = role < FX_ROLE_COUNT ? styles[role] : NULL;

	return style ? style : "";
}
