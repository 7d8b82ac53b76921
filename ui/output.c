/* output.c - where output goes: JSON, or text fitted to the terminal. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands/out/out.h"
#include "run/ticker.h"
#include "session/session.h"
#include "session/settings.h"
#include "ui/repl/pager.h"
#include "ui/signals.h"
#include "ui/theme.h"
#include "ui/ui.h"

static int
file_of(bool error)
{
	return error ? STDERR_FILENO : STDOUT_FILENO;
}

bool
ui_has_colors(const struct ui *ui, bool error)
{
	enum {
		AUTO,
		ALWAYS
	} color = (int)fx_settings_int(ui->settings, FX_SET_COLOR);
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (color != AUTO)
		return color == ALWAYS;
	return isatty(file_of(error)) && !(no_color && *no_color) && term &&
	       *term && strcmp(term, "dumb") != 0;
}

static bool
has_styles(void *context, bool error)
{
	return ui_has_colors(context, error);
}

size_t
ui_width(const struct ui *ui, bool error)
{
	const struct fx_settings *settings = ui->settings;
	int64_t chosen = fx_settings_int(settings, FX_SET_WIDTH);
	struct winsize size;

	if (!isatty(file_of(error)))
		return error ? 0 : (size_t)chosen;
	if (chosen > 0)
		return (size_t)chosen;
	if (ioctl(file_of(error), TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

size_t
ui_columns(void *context)
{
	return ui_width(context, false);
}

static size_t
width(void *context, bool error)
{
	return ui_width(context, error);
}

static size_t
rows(void *context)
{
	struct ui *ui = context;

	if (!isatty(STDOUT_FILENO))
		return 0;
	return (size_t)fx_settings_int(ui->settings, FX_SET_MAX_ROWS);
}

/* Lines of a page; 0 when nobody looks at pages. */
static size_t
page_height(void *context)
{
	struct ui *ui = context;
	const struct fx_settings *settings = ui->settings;
	int64_t chosen = fx_settings_int(settings, FX_SET_HEIGHT);
	struct winsize size;

	if (!ui->pages || !fx_settings_int(settings, FX_SET_PAGINATION))
		return 0;
	if (chosen > 0)
		return (size_t)chosen;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_row > 2 ? size.ws_row : 0;
}

void
ui_begin_work(void *context)
{
	struct ui *ui = context;

	if (ui->has_keys)
		key_hold();
	ui_signals_begin_work();
	ui->working_ms = fx_clock_ms();
}

void
ui_lend_terminal(void *context)
{
	struct ui *ui = context;

	key_release();
	ui->working_ms = 0;
}

bool
ui_tick(struct ui *ui)
{
	static const char text[] = UI_WORKING_TEXT "\n";
	ssize_t n;

	if (ui_signals_take_interrupt())
		return true;
	if (!ui->working_ms || !ui->interactive || !isatty(STDERR_FILENO) ||
		fx_clock_ms() < ui->working_ms + UI_WORKING_MS)
		return false;
	/* Past the output, which may be in the middle of a line's pieces. */
	n = write(STDERR_FILENO, text, sizeof(text) - 1);
	(void)n;
	ui->working_ms = 0;
	return false;
}

struct out *
ui_output_new(struct ui *ui)
{
	struct out_stream standard = out_stream_standard();
	struct out_stream stream =
		pager_stream(&standard, page_height, width, ui);
	struct out_term term = { .context = ui,
		.has_styles = has_styles,
		.style = ui_theme_style,
		.reset = UI_THEME_RESET,
		.width = width,
		.rows = rows,
		.ascii = fx_settings_int(ui->settings, FX_SET_ASCII) };

	ui->standard = standard;
	ui->pager = stream;
	if (ui->options->json)
		return out_new_json(&stream);
	return out_new_term(&stream, &term);
}
