/* tui_front.c - what commands may ask of the full screen. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "commands/shell/beside.h"
#include "run/progress.h"
#include "run/ticker.h"
#include "session/session.h"
#include "ui/signals.h"
#include "ui/tui/tui_private.h"
#include "ui/yes_no.h"

enum {
	TICK_MS = 30,
};

static char *
front_read_line(void *context, const char *prompt)
{
	return tui_ask(context, prompt);
}

static void
front_say(void *context, const char *text)
{
	tui_say(context, "%s", text);
}

static bool
front_confirm(void *context, const char *question)
{
	const struct tui *tui = context;
	const struct ui_asker asker = { .context = context,
		.columns = (size_t)tui->grid->columns,
		.ask = front_read_line,
		.say = front_say };

	return ui_ask_yes_no(&asker, question);
}

static void
front_suspend(void *context)
{
	struct tui *tui = context;

	tui->is_suspended = true;
	tui->screen->suspend(tui->screen->context);
}

static void
front_resume(void *context)
{
	struct tui *tui = context;

	tui->screen->resume(tui->screen->context);
	tui->is_suspended = false;
	tui_begin_work(tui);
}

/* Paint while something runs, now and then, but not over the output of
 * whoever has the terminal.
 */
static bool
front_tick(void *context)
{
	struct tui *tui = context;
	long long now = fx_clock_ms();

	if (tui->screen->interrupted(tui->screen->context))
		return true;
	if (tui->is_suspended || !tui->is_running || tui->is_painting)
		return false;
	/* Another node is shown at once: its ticks are few. */
	if (!tui_graph_follow_run(tui) && now < tui->painted_ms + TICK_MS)
		return false;
	tui->painted_ms = now;
	tui->is_slow = now >= tui->running_ms +
				      fx_session_progress(tui->session)->delay;
	tui_collect(tui);
	tui_frame(tui);
	return false;
}

static bool
front_pause(void *context, double seconds)
{
	long ms = seconds < 0 ? -1 : (long)(FX_MIN(seconds, 3600) * 1000);
	struct tui *tui = context;
	bool stop;

	tui->is_paused = true;
	stop = tui_pause(tui, ms);
	tui->is_paused = false;
	return stop;
}

void
tui_set_layout(struct tui *tui, enum tui_layout layout)
{
	tui->layout = layout;
	tui->focus = TUI_VIEW_GRAPH;
	tui->before = TUI_VIEW_GRAPH;
	/* The next key may come before the next frame. */
	tui_plan(tui);
}

static struct fx_error *
set_layout(struct tui *tui, const char *word)
{
	enum tui_layout layout = tui_layout_find(word);
	FX_AUTO_BUF struct fx_buf words = { 0 };

	if (layout != TUI_LAYOUT_COUNT) {
		tui_set_layout(tui, layout);
		return NULL;
	}
	for (int i = 0; i < TUI_LAYOUT_COUNT; i++)
		fx_buf_addf(&words, "%s%s", i ? ", " : "",
			tui_layout_word((enum tui_layout)i));
	return fx_error_new(FX_ERR_NO_NAME, "no layout \"%s\"; there are %s",
		word, fx_buf_text(&words));
}

static struct fx_error *
set_focus(struct tui *tui, const char *word)
{
	FX_AUTO_BUF struct fx_buf words = { 0 };

	if (strcmp(word, "next") == 0) {
		tui_do_focus_next(tui);
		return NULL;
	}
	for (int i = 0; i < TUI_VIEW_COUNT; i++) {
		if (strcmp(tui->views[i].word, word) == 0 &&
			tui_is_shown(tui, (enum tui_view_id)i)) {
			tui_focus(tui, (enum tui_view_id)i);
			return NULL;
		}
		if (tui_is_shown(tui, (enum tui_view_id)i))
			fx_buf_addf(&words, "%s%s", words.length ? ", " : "",
				tui->views[i].word);
	}
	return fx_error_new(FX_ERR_NO_NAME,
		"no pane \"%s\" on the screen; there are %s", word,
		fx_buf_text(&words));
}

static struct fx_error *
front_request(void *context, enum front_request what, const char *argument)
{
	struct tui *tui = context;

	switch (what) {
	case FRONT_TUI:
		if (argument && strcmp(argument, "off") == 0) {
			tui->is_leaving = true;
			tui->result.end = TUI_END_LEFT;
		}
		return NULL;
	case FRONT_LAYOUT:
		return set_layout(tui, argument ? argument : "");
	case FRONT_FOCUS:
		return set_focus(tui, argument ? argument : "");
	case FRONT_FILTER:
		return tui_filter_set(tui, argument ? argument : "");
	case FRONT_BIND:
		return tui_bindings_add(tui->bindings,
			argument ? argument : "");
	case FRONT_REFRESH:
		tui->screen->redraw(tui->screen->context);
		return NULL;
	case FRONT_QUIT:
		tui->is_leaving = true;
		tui->result.end = TUI_END_QUIT;
		tui->result.status =
			argument ? (int)strtol(argument, NULL, 10) : 0;
		return NULL;
	}
	return NULL;
}

static void
front_beside(void *context, struct beside *beside)
{
	tui_diff_show(context, beside);
}

static size_t
front_columns(void *context)
{
	return (size_t)((struct tui *)context)->grid->columns;
}

static bool
front_is_interactive(void *context)
{
	(void)context;
	return true;
}

void
tui_front_init(struct tui *tui)
{
	tui->front = (struct front){ .context = tui,
		.confirm = front_confirm,
		.read_line = front_read_line,
		.suspend = front_suspend,
		.resume = front_resume,
		.tick = front_tick,
		.pause = front_pause,
		.request = front_request,
		.columns = front_columns,
		.is_interactive = front_is_interactive,
		.beside = front_beside };
}
