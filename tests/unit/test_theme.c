/* test_theme.c - that text can be read on a light terminal, by its contrast. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "draw/canvas.h"
#include "tests/support/unit.h"
#include "ui/theme.h"

enum {
	CHANNELS = 3,
};

/* Text is to have it (WCAG 2.1, level AA). */
#define CONTRAST_LEAST 4.5

/* xterm's eight colours, and what bold may make of them. */
static const uint32_t palette[] = { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00,
	0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00,
	0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff };

/* From 0, black, to 1, white, as the eye has it. */
static double
luminance_of(uint32_t rgb)
{
	static const double weights[CHANNELS] = { 0.0722, 0.7152, 0.2126 };
	double sum = 0;

	for (int i = 0; i < CHANNELS; i++, rgb >>= 8) {
		double share = (rgb & 0xff) / 255.0;

		sum += weights[i] *
		       (share <= 0.03928 ? share / 12.92
					 : pow((share + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double
contrast_of(uint32_t a, uint32_t b)
{
	double light = fmax(luminance_of(a), luminance_of(b));
	double dark = fmin(luminance_of(a), luminance_of(b));

	return (light + 0.05) / (dark + 0.05);
}

/* What a terminal makes of LOOK on white: dim text is a third lighter. */
static uint32_t
ink_of(const struct ui_theme_look *look)
{
	size_t color = look->color >= 0 ? (size_t)look->color : 0;

	if (look->color >= 0 && look->style & FX_LOOK_BOLD)
		color += 8;
	return look->style & FX_LOOK_DIM ? palette[color] / 3 * 2 + 0x555555
					 : palette[color];
}

static void
the_contrast_of_known_colours(void)
{
	CU_ASSERT_DOUBLE_EQUAL(contrast_of(0x000000, 0xffffff), 21, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(contrast_of(0x767676, 0xffffff), 4.54, 0.005);
	CU_ASSERT_DOUBLE_EQUAL(contrast_of(0x777777, 0xffffff), 4.48, 0.005);
	/* The default theme's shapes and positions. */
	FXT_IS(contrast_of(palette[2], 0xffffff), <, 2.2);
	FXT_IS(contrast_of(palette[11], 0xffffff), <, 1.2);
}

static void
light_text_can_be_read_on_white(void)
{
	for (int i = 0; i < FX_ROLE_COUNT; i++) {
		struct ui_theme_look look =
			ui_theme_look(UI_THEME_LIGHT, (enum fx_role)i);

		FXT_IS(contrast_of(ink_of(&look), 0xffffff), >=,
			CONTRAST_LEAST);
	}
}

/* What is told apart by colour has a letter, too; what is not, a style. */
static void
mono_keeps_the_styles_alone(void)
{
	for (int i = 0; i < FX_ROLE_COUNT; i++) {
		struct ui_theme_look mono =
			ui_theme_look(UI_THEME_MONO, (enum fx_role)i);
		struct ui_theme_look usual =
			ui_theme_look(UI_THEME_DEFAULT, (enum fx_role)i);

		FXT_EQ(mono.color, -1);
		FXT_EQ(mono.style, usual.style);
	}
}

static void
sequences_are_those_of_the_looks(void)
{
	struct ui_theme_sequences sequences;

	ui_theme_sequences(UI_THEME_DEFAULT, &sequences);
	FXT_SAME(sequences.of[FX_ROLE_ERROR], "\033[1;31m");
	FXT_SAME(sequences.of[FX_ROLE_OP], "\033[36m");
	FXT_SAME(sequences.of[FX_ROLE_MUTED], "\033[2m");
	FXT_SAME(sequences.of[FX_ROLE_PLAIN], "");
	ui_theme_sequences(UI_THEME_LIGHT, &sequences);
	FXT_SAME(sequences.of[FX_ROLE_CURRENT], "\033[4;35m");
	FXT_SAME(sequences.of[FX_ROLE_ERROR], "\033[31m");
	ui_theme_sequences(UI_THEME_MONO, &sequences);
	FXT_SAME(sequences.of[FX_ROLE_ERROR], "\033[1m");
	FXT_SAME(sequences.of[FX_ROLE_OP], "");
}

static void
words_are_those_of_the_setting(void)
{
	FXT_EQ(ui_theme_find("default"), UI_THEME_DEFAULT);
	FXT_EQ(ui_theme_find("light"), UI_THEME_LIGHT);
	FXT_EQ(ui_theme_find("mono"), UI_THEME_MONO);
	FXT_EQ(ui_theme_find(""), UI_THEME_DEFAULT);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(the_contrast_of_known_colours),
		FXT_CASE(light_text_can_be_read_on_white),
		FXT_CASE(mono_keeps_the_styles_alone),
		FXT_CASE(sequences_are_those_of_the_looks),
		FXT_CASE(words_are_those_of_the_setting),
	};

	return fxt_run("theme", cases, FX_ARRAY_LEN(cases));
}
