/* output.c - where output goes: JSON, or text fitted to the terminal. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands/out.h"
#include "session/session.h"
#include "session/settings.h"
#include "ui/repl/pager.h"
#include "ui/theme.h"
#include "ui/ui.h"

static bool
has_colors(void)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term &&
	       strcmp(term, "dumb") != 0;
}

static const char *
style(void *context, enum fx_role role)
{
	struct ui *ui = context;
	struct fx_settings *settings = fx_session_settings(ui->session);
	const char *color = fx_settings_word(settings, "color");

	if (!strcmp(color, "never") ||
		(!strcmp(color, "auto") && !has_colors()))
		return "";
	return ui_theme_style(role);
}

static size_t
width(void *context)
{
	struct ui *ui = context;
	struct fx_settings *settings = fx_session_settings(ui->session);
	int64_t chosen = fx_settings_int(settings, "width");
	struct winsize size;

	if (chosen > 0)
		return (size_t)chosen;
	if (!isatty(STDOUT_FILENO) ||
		ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

static size_t
rows(void *context)
{
	struct ui *ui = context;

	if (!isatty(STDOUT_FILENO))
		return 0;
	return (size_t)fx_settings_int(fx_session_settings(ui->session),
		"max-rows");
}

/* Lines of a page; 0 when nobody looks at pages. */
static size_t
page_height(void *context)
{
	struct ui *ui = context;
	struct fx_settings *settings = fx_session_settings(ui->session);
	int64_t chosen = fx_settings_int(settings, "height");
	struct winsize size;

	if (!ui->pages || !fx_settings_bool(settings, "pagination"))
		return 0;
	if (chosen > 0)
		return (size_t)chosen;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_row > 2 ? size.ws_row : 0;
}

struct out *
ui_output_new(struct ui *ui)
{
	struct out_stream standard = out_stream_standard();
	struct out_stream stream = pager_stream(&standard, page_height, ui);
	struct out_term term = { .context = ui,
		.style = style,
		.reset = UI_THEME_RESET,
		.width = width,
		.rows = rows,
		.ascii = fx_settings_bool(fx_session_settings(ui->session),
			"ascii") };

	ui->standard = standard;
	ui->pager = stream;
	if (ui->options->json)
		return out_new_json(&stream);
	return out_new_term(&stream, &term);
}
