/* tui.c - the full screen: one loop, one command at a time. */
#include <config.h>

#include "ui/tui/tui.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/out/record.h"
#include "commands/shell/prompt.h"
#include "commands/shell/recovery.h"
#include "run/ticker.h"
#include "session/settings.h"
#include "ui/at_work.h"
#include "ui/signals.h"
#include "ui/tui/tui_private.h"

enum {
	RECORDING_MAX = 1000,
	EVENTS_A_FRAME = 64, /* handled before it is painted again */
};

struct fx_model *
tui_model(const struct tui *tui)
{
	return fx_session_model(tui->session);
}

/* One of them is no letter. */
const char *
tui_state(const struct tui *tui, const char *state)
{
	return tui->lines == FX_LINES_ASCII && (unsigned char)*state >= 0x80
		       ? "."
		       : state;
}

void
tui_collect(struct tui *tui)
{
	size_t total = out_recording_total(tui->recording);
	size_t kept = out_recording_count(tui->recording);

	if (tui->seen < total - kept)
		tui->seen = total - kept;
	for (; tui->seen < total; tui->seen++)
		tui_log_add_item(&tui->log,
			out_recording_at(tui->recording,
				kept - (total - tui->seen)));
}

void
tui_begin_work(struct tui *tui)
{
	tui->is_slow = false;
	ui_signals_begin_work();
	tui->running_ms = fx_clock_ms();
	ui_at_work_begin(tui->session, tui->grid->columns, true);
}

static void
read_prompt(struct tui *tui)
{
	FX_AUTO_BUF struct fx_buf prompt = { 0 };

	cmd_shell_print_prompt(tui->shell, &prompt);
	snprintf(tui->prompt, sizeof(tui->prompt), "%s", fx_buf_text(&prompt));
}

void
tui_run_line(struct tui *tui, const char *line)
{
	struct fx_error *err;

	tui_log_mark(&tui->log);
	tui_log_addf(&tui->log, FX_ROLE_PROMPT, "%s%s", tui->prompt, line);
	tui->log_is_back = false;
	tui->is_running = true;
	tui_begin_work(tui);
	err = cmd_run(tui->shell, line, tui->out);
	ui_at_work_end();
	tui->is_running = false;
	tui->is_slow = false;
	read_prompt(tui);
	if (err) {
		cmd_shell_report(tui->shell, err);
		out_error(tui->out, err);
		/* The Ctrl-C has been obeyed, also where nobody asked for it.
		 */
		if (fx_error_code(err) == FX_ERR_INTERRUPTED)
			tui->screen->interrupted(tui->screen->context);
		fx_error_free(err);
	}
	tui_collect(tui);
	tui_diff_follow(tui);
	tui_graph_follow(tui);
}

void
tui_run_linef(struct tui *tui, const char *format, ...)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };
	va_list args;

	va_start(args, format);
	fx_buf_addv(&line, format, args);
	va_end(args);
	tui_run_line(tui, fx_buf_text(&line));
}

void
tui_say(struct tui *tui, const char *format, ...)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };
	va_list args;

	va_start(args, format);
	fx_buf_addv(&line, format, args);
	va_end(args);
	tui_log_addf(&tui->log, FX_ROLE_NOTE, "%s", fx_buf_text(&line));
	tui->log_is_back = false;
}

bool
tui_is_shown(const struct tui *tui, enum tui_view_id view)
{
	return tui->plan.groups[view] != 0;
}

void
tui_focus(struct tui *tui, enum tui_view_id view)
{
	if (view == TUI_VIEW_CMD && tui->focus != TUI_VIEW_CMD)
		tui->before = tui->focus;
	tui->focus = view;
	if (tui_layout_is_aside(view))
		tui->front_views =
			(tui->front_views & ~tui->plan.groups[view]) |
			1u << view;
}

static size_t
text_count(void *context)
{
	return tui_text_count(context);
}

static void
text_row(void *context, size_t index, const struct fx_area *area)
{
	tui_text_paint(context, index, area, 0, 0);
}

static bool
text_has(void *context, size_t index, const char *words)
{
	return tui_text_has(context, index, words);
}

struct tui_source
tui_text_source(struct tui_text *text)
{
	return (struct tui_source){ .context = text,
		.count = text_count,
		.row = text_row,
		.has = text_has };
}

static void
init_views(struct tui *tui)
{
	static const struct {
		const char *word;
		const char *title;
	} names[] = {
#define TUI_VIEW(id, word, title, init, place) \
	[TUI_VIEW_##id] = { word, title },
#include "commands/shell/panes.def"
	};

	for (int i = 0; i < TUI_VIEW_COUNT; i++) {
		tui->views[i].word = names[i].word;
		tui->views[i].title = names[i].title;
	}
#define TUI_VIEW(id, word, title, init, place) tui_##init##_init(tui);
#include "commands/shell/panes.def"
}

/* A warning of what was opened would be lost under the screen. */
static void
take_warnings(struct tui *tui)
{
	const struct out_recording *said = cmd_shell_said(tui->shell);

	for (size_t i = 0; i < out_recording_count(said); i++) {
		struct out_item *item = out_recording_at(said, i);

		if (item->kind == OUT_ITEM_WARNING)
			tui_log_add_item(&tui->log, item);
	}
}

static void
init(struct tui *tui, struct tui_screen *screen,
	const struct tui_options *options)
{
	tui->shell = options->shell;
	tui->session = cmd_shell_session(options->shell);
	tui->line = options->line;
	tui->screen = screen;
	tui->bindings =
		options->bindings ? options->bindings : &tui->own_bindings;
	tui->lines = screen->lines;
	tui->recording = out_recording_new();
	out_recording_set_limit(tui->recording, RECORDING_MAX);
	tui->out = out_new_recording(tui->recording);
	tui->grid = fx_canvas_new(0, 0);
	tui->layout = TUI_LAYOUT_SPLIT;
	tui->log.ascii = screen->lines == FX_LINES_ASCII;
	read_prompt(tui);
	init_views(tui);
	tui_front_init(tui);
	cmd_shell_set_front(tui->shell, &tui->front);
	if (options->is_first)
		take_warnings(tui);
}

static void
deinit(struct tui *tui)
{
	cmd_shell_set_front(tui->shell, NULL);
	tui->line->close(tui->line->context);
	out_free(tui->out);
	out_recording_free(tui->recording);
	for (int i = 0; i < TUI_VIEW_COUNT; i++)
		if (tui->views[i].deinit)
			tui->views[i].deinit(tui);
	fx_vec_deinit(&tui->jumps.places);
	tui_text_deinit(&tui->keys);
	tui_bindings_deinit(&tui->own_bindings);
	fx_canvas_free(tui->grid);
	tui_search_deinit(&tui->search);
}

/* Write weights while no event comes; whether one came. */
static bool
work_while_idle(struct tui *tui, struct tui_event *ret)
{
	int patience = UI_IDLE_MS;

	while (cmd_recovery_has_work(tui->shell)) {
		tui->screen->next(tui->screen->context, patience, ret);
		if (ret->kind != TUI_EVENT_NONE)
			return true;
		cmd_recovery_work(tui->shell);
		patience = 0;
	}
	return false;
}

void
tui_next(struct tui *tui, int timeout_ms, struct tui_event *ret)
{
	while (tui->is_partial || tui_search_goes_on(tui)) {
		tui->screen->next(tui->screen->context, 0, ret);
		if (ret->kind != TUI_EVENT_NONE)
			return;
		if (!tui->is_partial)
			tui_search_go_on(tui);
		tui_frame(tui);
	}
	if (timeout_ms < 0 && work_while_idle(tui, ret))
		return;
	tui->screen->next(tui->screen->context, timeout_ms, ret);
}

/* Wait for an event and handle it with those that came along. */
static void
turn(struct tui *tui)
{
	struct tui_event event;
	int timeout = -1;

	for (int i = 0; i < EVENTS_A_FRAME && !tui->is_leaving; i++) {
		tui_next(tui, timeout, &event);
		if (event.kind == TUI_EVENT_NONE)
			break;
		tui_handle(tui, &event);
		timeout = 0;
	}
}

void
tui_run_on(struct tui_screen *screen, const struct tui_options *options,
	struct tui_result *ret)
{
	struct tui *tui = FX_NEW(struct tui);

	init(tui, screen, options);
	tui_open_line(tui);
	tui_diff_begin(tui);
	tui_graph_follow(tui);
	while (!tui->is_leaving) {
		tui_frame(tui);
		turn(tui);
	}
	*ret = tui->result;
	deinit(tui);
	free(tui);
}

struct fx_error *
tui_run(const struct tui_options *options, struct tui_result *ret)
{
	struct tui_screen_options how = { .ascii = options->ascii,
		.no_color = options->no_color };
	struct tui_screen *screen;
	struct fx_error *err = tui_screen_curses(&how, &screen);

	if (err)
		return err;
	tui_run_on(screen, options, ret);
	tui_screen_free(screen);
	return NULL;
}
