/* theme.c - how roles look. */
#include <config.h>

#include "ui/theme.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "draw/canvas.h"

enum {
	BLACK = 30, /* the first of eight colours, as numbers of a sequence */
	WHITE = 37,
};

static const struct {
	const char *sgr;
	const char *light;
} styles[FX_ROLE_COUNT] = {
#define UI_STYLE(role, sgr, light) [FX_ROLE_##role] = { sgr, light },
#include "ui/theme.def"
};

static const char *const words[] = { [UI_THEME_DEFAULT] = "default",
	[UI_THEME_LIGHT] = "light",
	[UI_THEME_MONO] = "mono" };

enum ui_theme
ui_theme_find(const char *word)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		if (strcmp(words[i], word) == 0)
			return (enum ui_theme)i;
	return UI_THEME_DEFAULT;
}

/* From the numbers of the escape sequence. */
struct ui_theme_look
ui_theme_look(enum ui_theme theme, enum fx_role role)
{
	static const unsigned bits[] = { [1] = FX_LOOK_BOLD,
		[2] = FX_LOOK_DIM,
		[4] = FX_LOOK_UNDERLINE,
		[7] = FX_LOOK_REVERSE };
	struct ui_theme_look look = { .color = -1 };
	const char *at =
		theme == UI_THEME_LIGHT ? styles[role].light : styles[role].sgr;

	while (at && *at) {
		char *end;
		long number = strtol(at, &end, 10);

		if (number >= BLACK && number <= WHITE)
			look.color = (short)(number - BLACK);
		else if (number > 0 && number <= 7)
			look.style |= bits[number];
		at = end + (*end == ';');
	}
	if (theme == UI_THEME_MONO)
		look.color = -1;
	return look;
}

static void
print_sequence(const struct ui_theme_look *look, char *text, size_t size)
{
	static const struct {
		unsigned bit;
		const char *number;
	} bits[] = { { FX_LOOK_BOLD, "1;" }, { FX_LOOK_DIM, "2;" },
		{ FX_LOOK_UNDERLINE, "4;" }, { FX_LOOK_REVERSE, "7;" } };
	size_t length = (size_t)snprintf(text, size, "\033[");

	for (size_t i = 0; i < FX_ARRAY_LEN(bits); i++)
		if (look->style & bits[i].bit)
			length += (size_t)snprintf(text + length, size - length,
				"%s", bits[i].number);
	if (look->color >= 0)
		length += (size_t)snprintf(text + length, size - length, "%d;",
			BLACK + look->color);
	/* The last ";", or the bracket of what looks like plain text. */
	if (text[length - 1] == ';')
		text[length - 1] = 'm';
	else
		*text = '\0';
}

void
ui_theme_sequences(enum ui_theme theme, struct ui_theme_sequences *ret)
{
	for (int i = 0; i < FX_ROLE_COUNT; i++) {
		struct ui_theme_look look =
			ui_theme_look(theme, (enum fx_role)i);

		print_sequence(&look, ret->of[i], sizeof(ret->of[i]));
	}
}
