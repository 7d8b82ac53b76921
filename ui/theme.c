/* theme.c - how roles look. */
#include <config.h>

#include "ui/theme.h"

#include <stdlib.h>

#include "draw/canvas.h"

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

/* From the numbers of the escape sequence. */
struct ui_theme_look
ui_theme_look(enum fx_role role)
{
	static const unsigned bits[] = { [1] = FX_LOOK_BOLD,
		[2] = FX_LOOK_DIM,
		[4] = FX_LOOK_UNDERLINE,
		[7] = FX_LOOK_REVERSE };
	struct ui_theme_look look = { .color = -1 };
	const char *at = ui_theme_style(role);

	while (*at && *at != 'm') {
		char *end;
		long number = strtol(at + 1, &end, 10);

		if (number >= 30 && number <= 37)
			look.color = (short)(number - 30);
		else if (number > 0 && number <= 7)
			look.style |= bits[number];
		at = end;
	}
	return look;
}
