/* input.c - events: keys to actions or to the command line. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "run/ticker.h"
#include "session/passing.h"
#include "session/position.h"
#include "ui/tui/tui_private.h"

enum {
	COUNT_MOST = 100000,
};

void
tui_open_line(struct tui *tui)
{
	tui->line->open(tui->line->context, tui->prompt);
}

static void
leave_command_line(struct tui *tui)
{
	if (tui->focus == TUI_VIEW_CMD)
		tui_focus(tui, tui->before);
}

static void
hang_up(struct tui *tui, const struct tui_event *event)
{
	tui->is_leaving = true;
	tui->result.end = TUI_END_SIGNAL;
	tui->result.status = 128 + (event->signal ? event->signal : 1);
}

/* The words to search for were typed, and the match is shown; none: the next
 * one of the last search.
 */
static void
search_for(struct tui *tui, char *words_taken)
{
	tui->is_searching = false;
	tui_open_line(tui);
	leave_command_line(tui);
	tui_search_end(tui, words_taken);
}

/* Back to where it began. */
static void
leave_search(struct tui *tui)
{
	if (tui->is_searching)
		tui_search_typed(tui, "");
	tui->is_searching = false;
}

/* What is typed so far. */
static void
search_so_far(struct tui *tui)
{
	struct tui_line_look look;

	tui->line->look(tui->line->context, &look);
	tui_search_typed(tui, look.text);
}

static void
run_typed(struct tui *tui, const char *line)
{
	enum tui_view_id focus;

	if (*line)
		cmd_shell_history_add(tui->shell, line);
	tui->line->remember(tui->line->context, line);
	/* Back to the panes first, so that `focus` in the line has its way. */
	leave_command_line(tui);
	focus = tui->focus;
	/* Who is here already may type what leads here from elsewhere. */
	tui_run_line(tui, line + (line[0] == ':'));
	/* The letters that step a pass are lines, not keys of a pane. */
	if (tui->focus == focus && fx_session_passing(tui->session))
		tui_focus(tui, TUI_VIEW_CMD);
	if (!tui->is_leaving)
		tui_open_line(tui);
}

static void
let_go_of_line(struct tui *tui)
{
	leave_search(tui);
	tui_open_line(tui);
	leave_command_line(tui);
}

/* Ctrl-D on an empty line ends the program, as at the prompt, or the search. */
static void
feed_line(struct tui *tui, const struct tui_event *event)
{
	bool eof;
	char *typed;

	tui->line->feed(tui->line->context, event->bytes, event->length);
	typed = tui->line->take(tui->line->context, &eof);
	if (eof && tui->is_searching) {
		free(typed);
		let_go_of_line(tui);
	} else if (eof) {
		free(typed);
		tui_run_line(tui, "quit");
		if (!tui->is_leaving)
			tui_open_line(tui);
	} else if (typed && tui->is_searching) {
		search_for(tui, typed);
	} else if (typed) {
		run_typed(tui, typed);
		free(typed);
	} else if (tui->is_searching) {
		search_so_far(tui);
	}
}

static void
command_line_key(struct tui *tui, const struct tui_event *event)
{
	struct tui_view *log = &tui->views[TUI_VIEW_CMD];

	switch (event->key) {
	case TUI_KEY_ESCAPE:
		let_go_of_line(tui);
		break;
	case TUI_KEY_BACKTAB:
		tui_do_focus_before(tui);
		break;
	case TUI_KEY_PAGE_UP:
		tui_view_scroll(log, -log->rows);
		tui->log_is_back = true;
		break;
	case TUI_KEY_PAGE_DOWN:
		tui_view_scroll(log, log->rows);
		tui->log_is_back = log->top + (size_t)log->rows <
				   tui_text_count(&tui->log.text);
		break;
	default:
		feed_line(tui, event);
	}
}

static bool
is_printable(uint32_t key)
{
	return key >= ' ' && key != TUI_KEY_BACKSPACE && key < TUI_KEY_UP;
}

static const char *
line_of(const struct tui *tui, const struct tui_action *action)
{
	const struct fx_model *model = tui_model(tui);

	if (action->starts && model && !fx_position_is_started(model))
		return "start";
	return action->line;
}

/* A digit of a count: whether KEY is one. */
static bool
take_digit(struct tui *tui, uint32_t key)
{
	bool is_digit = key >= '0' && key <= '9' && (tui->count || key != '0');

	if (!is_digit)
		return false;
	tui->count = FX_MIN(tui->count * 10 + (long)(key - '0'), COUNT_MOST);
	tui_note(tui, "%ld times", tui->count);
	return true;
}

static void
run_counted(struct tui *tui, const struct tui_action *action, long count)
{
	const char *line = line_of(tui, action);

	/* `start` takes none. */
	if (count && action->counts && line == action->line)
		tui_run_linef(tui, "%s %ld", line, count);
	else
		tui_run_line(tui, line);
}

/* Ctrl-x and the key after it are one: whether *KEY is the first; the second
 * becomes both.
 */
static bool
take_prefix(struct tui *tui, uint32_t *key)
{
	bool had_prefix = tui->has_prefix;

	tui->has_prefix = !had_prefix && *key == TUI_CTRL('x');
	if (had_prefix)
		*key = TUI_CTRL_X(*key);
	if (tui->has_prefix)
		tui_note(tui, "Ctrl-x, and then?");
	return tui->has_prefix;
}

static void
run_action(struct tui *tui, const struct tui_action *action, long count)
{
	if (action->line) {
		run_counted(tui, action, count);
		return;
	}
	action->run(tui);
	for (long i = 1; action->counts && i < count; i++)
		action->run(tui);
}

/* What KEY means in the pane; false when nothing. */
static bool
obey(struct tui *tui, uint32_t key, long count)
{
	const struct tui_binding *bound = tui_bind_find(tui, key);
	const struct tui_action *action = tui_keymap_find(tui->focus, key);

	if (bound)
		tui_bind_run(tui, bound);
	else if (action)
		run_action(tui, action, count);
	return bound || action;
}

static void
pane_key(struct tui *tui, const struct tui_event *event)
{
	uint32_t key = event->key;
	bool is_typed = tui->types && is_printable(key) && !tui->has_prefix;
	long count = tui->count;

	if (!is_typed && (tui_mark_key(tui, key) || take_prefix(tui, &key)))
		return;
	if (is_typed || !obey(tui, key, count)) {
		if (!is_typed && take_digit(tui, key))
			return;
		if (is_printable(key)) {
			tui_focus(tui, TUI_VIEW_CMD);
			feed_line(tui, event);
		}
	}
	tui->count = 0;
}

/* The pane of keys is open. */
static void
keys_key(struct tui *tui, const struct tui_event *event)
{
	struct tui_view *view = &tui->keys_view;

	switch (event->key) {
	case 'j':
	case TUI_KEY_DOWN:
		tui_view_scroll(view, 1);
		break;
	case 'k':
	case TUI_KEY_UP:
		tui_view_scroll(view, -1);
		break;
	case TUI_KEY_PAGE_DOWN:
	case ' ':
		tui_view_scroll(view, view->rows);
		break;
	case TUI_KEY_PAGE_UP:
		tui_view_scroll(view, -view->rows);
		break;
	default:
		tui->shows_keys = false;
	}
}

/* The command line opens with what was pasted; only Enter runs it. */
static void
paste(struct tui *tui, const char *text)
{
	tui->shows_keys = false;
	tui_focus(tui, TUI_VIEW_CMD);
	tui->line->paste(tui->line->context, text);
	if (tui->is_searching)
		search_so_far(tui);
}

static void
interrupt(struct tui *tui)
{
	leave_search(tui);
	tui->shows_keys = false;
	tui_open_line(tui);
	if (tui->focus == TUI_VIEW_CMD)
		leave_command_line(tui);
	else
		tui_say(tui, "Interrupted; q leaves the full screen");
}

void
tui_handle(struct tui *tui, const struct tui_event *event)
{
	if (event->kind != TUI_EVENT_RESIZE && !tui->is_searching)
		tui_search_stop(tui);
	switch (event->kind) {
	case TUI_EVENT_NONE:
	case TUI_EVENT_RESIZE:
		/* Its border may be elsewhere, or gone. */
		tui->mouse.drag.is_on = false;
		break;
	case TUI_EVENT_INTERRUPT:
		interrupt(tui);
		break;
	case TUI_EVENT_HANG_UP:
		hang_up(tui, event);
		break;
	case TUI_EVENT_MOUSE:
		tui_mouse(tui, event);
		break;
	case TUI_EVENT_PASTE:
		paste(tui, event->text);
		break;
	case TUI_EVENT_KEY:
		if (!tui->is_searching)
			*tui->note = '\0';
		if (tui->shows_keys)
			keys_key(tui, event);
		else if (tui->focus == TUI_VIEW_CMD)
			command_line_key(tui, event);
		else
			pane_key(tui, event);
		break;
	}
	tui_graph_remember(tui);
}

/* Whether EVENT ends a pause: *STOP_RET then says whether the lecture, too. */
static bool
ends_pause(struct tui *tui, const struct tui_event *event, bool *stop_ret)
{
	if (event->kind == TUI_EVENT_HANG_UP)
		hang_up(tui, event);
	*stop_ret = event->kind == TUI_EVENT_HANG_UP ||
		    event->kind == TUI_EVENT_INTERRUPT;
	return *stop_ret || event->kind == TUI_EVENT_KEY ||
	       event->kind == TUI_EVENT_NONE;
}

/* Keys that were typed before the pause do not end it; true when interrupted.
 */
static bool
drop_keys(struct tui *tui)
{
	struct tui_event event;
	bool stop;

	do {
		tui->screen->next(tui->screen->context, 0, &event);
		if (ends_pause(tui, &event, &stop) && stop)
			return true;
	} while (event.kind != TUI_EVENT_NONE);
	return false;
}

static bool
wait_for_key(struct tui *tui, long ms)
{
	long long end = fx_clock_ms() + ms;
	struct tui_event event;
	bool stop = false;

	do {
		long long rest = ms < 0 ? -1 : end - fx_clock_ms();

		if (ms >= 0 && rest <= 0)
			return false;
		tui_frame(tui);
		tui_next(tui, (int)rest, &event);
	} while (!ends_pause(tui, &event, &stop));
	return stop;
}

bool
tui_pause(struct tui *tui, long ms)
{
	bool stop;

	tui_collect(tui);
	tui->is_slow = false;
	stop = tui->is_leaving || drop_keys(tui) || wait_for_key(tui, ms);
	tui_begin_work(tui);
	return stop;
}

char *
tui_ask(struct tui *tui, const char *prompt)
{
	enum tui_view_id focus = tui->focus;
	bool was_running = tui->is_running;
	char *typed = NULL;
	bool eof = false;

	tui_collect(tui);
	tui->line->open(tui->line->context, prompt);
	tui_focus(tui, TUI_VIEW_CMD);
	tui->is_running = false;
	tui->is_slow = false;
	while (!typed && !eof && !tui->is_leaving) {
		struct tui_event event;

		tui_frame(tui);
		tui_next(tui, -1, &event);
		if (event.kind == TUI_EVENT_HANG_UP)
			hang_up(tui, &event);
		if (event.kind == TUI_EVENT_INTERRUPT ||
			(event.kind == TUI_EVENT_KEY &&
				event.key == TUI_KEY_ESCAPE))
			eof = true;
		else if (event.kind == TUI_EVENT_PASTE)
			tui->line->paste(tui->line->context, event.text);
		else if (event.kind == TUI_EVENT_KEY) {
			tui->line->feed(tui->line->context, event.bytes,
				event.length);
			typed = tui->line->take(tui->line->context, &eof);
		}
	}
	tui_log_addf(&tui->log, FX_ROLE_PROMPT, "%s%s", prompt,
		typed ? typed : "");
	tui_open_line(tui);
	tui->focus = focus;
	tui->is_running = was_running;
	tui_begin_work(tui);
	return typed;
}
