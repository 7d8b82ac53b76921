/* output.c - where output goes: JSON, or text fitted to the terminal. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "commands/out/out.h"
#include "run/progress.h"
#include "run/ticker.h"
#include "session/session.h"
#include "session/settings.h"
#include "ui/at_work.h"
#include "ui/repl/pager.h"
#include "ui/signals.h"
#include "ui/standard.h"
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

/* Asked once a command: so often the theme is looked up. */
static bool
has_styles(void *context, bool error)
{
	struct ui *ui = context;
	const char *word;

	if (!ui_has_colors(ui, error))
		return false;
	word = fx_settings_text(ui->settings, FX_SET_THEME);
	ui_theme_sequences(ui_theme_find(word), &ui->sequences);
	return true;
}

/* The number of a shade among 256 colours; -1: the terminal's own. */
static int
color_of(int shade)
{
	enum {
		GREYS_FIRST = 232,
		GREYS = 24,
		RED = 196
	};

	if (shade == FX_HEAT_NONE)
		return -1;
	return shade == FX_HEAT_SPECIAL
		       ? RED
		       : GREYS_FIRST +
				 shade * (GREYS - 1) / (FX_HEAT_LEVELS - 1);
}

/* The lower half is the ink of its character, the upper one the paper. */
static const char *
heat_style(struct ui *ui, int pair)
{
	int paper = color_of(pair / FX_HEAT_COUNT);
	int ink = color_of(pair % FX_HEAT_COUNT);
	size_t at = (size_t)(ink < 0 ? snprintf(ui->heat, sizeof(ui->heat),
					       "\033[39;")
				     : snprintf(ui->heat, sizeof(ui->heat),
					       "\033[38;5;%d;", ink));

	if (paper < 0)
		snprintf(ui->heat + at, sizeof(ui->heat) - at, "49m");
	else
		snprintf(ui->heat + at, sizeof(ui->heat) - at, "48;5;%dm",
			paper);
	return ui->heat;
}

static const char *
style(void *context, enum fx_role role)
{
	struct ui *ui = context;

	if (role >= FX_ROLE_HEAT)
		return heat_style(ui, (int)role - FX_ROLE_HEAT);
	return role < FX_ROLE_COUNT ? ui->sequences.of[role] : "";
}

bool
ui_has_palette(void *context)
{
	const struct ui *ui = context;
	const char *term = getenv("TERM");
	const char *word = fx_settings_text(ui->settings, FX_SET_THEME);

	return ui_has_colors(ui, false) && term && strstr(term, "256color") &&
	       ui_theme_find(word) != UI_THEME_MONO;
}

/* Columns that the terminal itself has, 0: not known, or none. */
static size_t
terminal_width(bool error)
{
	struct winsize size;

	if (!isatty(file_of(error)) ||
		ioctl(file_of(error), TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

size_t
ui_width(const struct ui *ui, bool error)
{
	const struct fx_settings *settings = ui->settings;
	int64_t chosen = fx_settings_int(settings, FX_SET_WIDTH);

	if (chosen < 0)
		return terminal_width(error);
	return error && !isatty(file_of(error)) ? 0 : (size_t)chosen;
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
	if (chosen >= 0)
		return (size_t)chosen;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_row > 2 ? size.ws_row : 0;
}

static bool
is_stopped(void *context)
{
	const struct ui *ui = context;

	return ui->pages && ui_signals_has_interrupt();
}

/* A terminal that cannot clear a line is told once. */
static bool
can_clear(void)
{
	const char *term = getenv("TERM");

	return term && *term && strcmp(term, "dumb") != 0;
}

void
ui_begin_work(void *context)
{
	struct ui *ui = context;

	if (ui->has_keys)
		key_hold();
	ui_signals_begin_work();
	ui->working_ms = fx_clock_ms();
	if (ui->interactive && isatty(STDERR_FILENO) && can_clear())
		ui_at_work_begin(ui->session, (int)terminal_width(true), false);
}

void
ui_lend_terminal(void *context)
{
	struct ui *ui = context;

	key_release();
	ui_end_work(ui);
	ui->working_ms = 0;
}

/* --- how far it is ------------------------------------------------------- */

enum {
	PROGRESS_MS = 100, /* between two looks at the line */
};

static void
say(const char *text, size_t size)
{
	ssize_t n = write(STDERR_FILENO, text, size);

	(void)n;
}

void
ui_clear_progress(struct ui *ui)
{
	static const char text[] = "\r\033[K";

	if (ui_at_work_take_shown() || ui->is_progress_shown)
		say(text, sizeof(text) - 1);
	ui->is_progress_shown = false;
}

static void
show_progress(struct ui *ui, long long now)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_BUF struct fx_buf line = { 0 };
	size_t columns = terminal_width(true);
	bool may_clear = can_clear();

	fx_progress_print(fx_session_progress(ui->session),
		now - ui->working_ms, now, &text);
	fx_buf_add(&text, UI_STOPS_TEXT);
	fx_buf_add(&line, may_clear ? "\r" : "");
	fx_buf_add_n(&line, fx_buf_text(&text),
		columns > 1 ? fx_utf8_fit(fx_buf_text(&text), text.length,
				      columns - 1)
			    : text.length);
	fx_buf_add(&line, may_clear ? "\033[K" : "\n");
	say(fx_buf_text(&line), line.length);
	ui->is_progress_shown = may_clear;
	if (!may_clear)
		ui->working_ms = 0;
}

void
ui_end_work(struct ui *ui)
{
	ui_at_work_end();
	ui_clear_progress(ui);
}

bool
ui_tick(struct ui *ui)
{
	long long delay = fx_session_progress(ui->session)->delay;
	long long now = fx_clock_ms();

	if (ui_signals_take_interrupt()) {
		ui_clear_progress(ui);
		return true;
	}
	if (!ui->working_ms || !ui->interactive || ui->is_in_line ||
		!isatty(STDERR_FILENO) || now < ui->working_ms + delay ||
		(delay && now < ui->progress_ms + PROGRESS_MS))
		return false;
	ui->progress_ms = now;
	ui_at_work_hold(true);
	show_progress(ui, now);
	ui_at_work_hold(false);
	return false;
}

/* The standard files, where progress gives way. */
static void
write_over(void *context, bool error, const char *text, size_t size)
{
	struct ui *ui = context;

	ui_at_work_hold(true);
	ui_clear_progress(ui);
	if (size)
		ui->is_in_line = text[size - 1] != '\n';
	ui->standard.write(ui->standard.context, error, text, size);
	ui_at_work_hold(ui->is_in_line);
}

static bool
write_more(void *context)
{
	const struct ui *ui = context;

	return ui->standard.more(ui->standard.context);
}

static void
write_end(void *context)
{
	struct ui *ui = context;

	ui->standard.free(ui->standard.context);
}

struct out *
ui_output_new(struct ui *ui)
{
	const struct out_stream over = { .context = ui,
		.write = write_over,
		.more = write_more,
		.free = write_end };
	const struct pager_terminal terminal = { page_height, width, is_stopped,
		ui };
	struct out_stream stream = pager_stream(&over, &terminal);
	struct out_term term = { .context = ui,
		.has_styles = has_styles,
		.style = style,
		.reset = UI_THEME_RESET,
		.width = width,
		.rows = rows,
		.ascii = fx_settings_int(ui->settings, FX_SET_ASCII) };

	ui->standard = ui_standard_stream();
	ui->pager = stream;
	if (ui->options->json)
		return out_new_json(&stream);
	return out_new_term(&stream, &term);
}
