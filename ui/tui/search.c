/* search.c - looking for words in a pane, a few milliseconds at a time. */
#include <config.h>

#include "ui/tui/search.h"

#include <stdlib.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "run/ticker.h"
#include "ui/tui/tui_private.h"

enum {
	SLICE_MS = 6,        /* a key should take less than a frame of 16 */
	ROWS_UNWATCHED = 64, /* between two looks at the clock */
};

static struct tui_view *
view_of(struct tui *tui)
{
	return &tui->views[tui->search.view];
}

static size_t
row_of(const struct tui_view *view)
{
	return view->has_selection ? view->selected : view->top;
}

static void
go_to(struct tui *tui, size_t row)
{
	struct tui_view *view = view_of(tui);

	if (!view->has_selection)
		view->top = row;
	tui_view_go(view, row);
	tui_graph_remember(tui);
}

static bool
has_words(struct tui *tui, size_t row)
{
	const struct tui_source *source = &view_of(tui)->source;

	return source->has(source->context, row, tui->search.words);
}

/* Whether the next look is in time. */
static bool
is_in_time(const struct tui_search *search, long long end)
{
	return search->looked % ROWS_UNWATCHED || fx_clock_ms() < end;
}

static void
begin_state(struct tui_search *search, enum tui_search_state state)
{
	search->state = state;
	search->looked = search->count = search->number = 0;
}

/* The rows after (BACK: before) the one it began from, once around. */
static void
look(struct tui *tui, size_t rows, long long end)
{
	struct tui_search *search = &tui->search;

	while (search->looked < rows) {
		size_t by = search->looked++;
		size_t row = search->back ? search->start + rows - 1 - by
					  : search->start + 1 + by;

		if (has_words(tui, row % rows)) {
			go_to(tui, row % rows);
			begin_state(search, TUI_SEARCH_COUNTS);
			return;
		}
		if (!is_in_time(search, end)) {
			tui_note(tui, "searching");
			return;
		}
	}
	tui_note(tui, "not found");
	search->state = TUI_SEARCH_DONE;
}

/* "3 of 12": which match is shown. */
static void
count(struct tui *tui, size_t rows, long long end)
{
	struct tui_search *search = &tui->search;
	size_t shown = row_of(view_of(tui));
	bool is_late = false;

	while (search->looked < rows && !is_late) {
		size_t row = search->looked++;

		if (has_words(tui, row)) {
			search->count++;
			if (row == shown)
				search->number = search->count;
		}
		is_late = !is_in_time(search, end);
	}
	if (search->looked >= rows)
		search->state = TUI_SEARCH_DONE;
	if (search->number)
		tui_note(tui, "%zu of %zu%s", search->number, search->count,
			search->state == TUI_SEARCH_DONE ? "" : "+");
}

bool
tui_search_goes_on(const struct tui *tui)
{
	return tui->search.state != TUI_SEARCH_DONE;
}

void
tui_search_go_on(struct tui *tui)
{
	const struct tui_source *source = &view_of(tui)->source;
	size_t rows = source->count(source->context);
	long long end = fx_clock_ms() + SLICE_MS;

	if (tui->search.state == TUI_SEARCH_LOOKS)
		look(tui, rows, end);
	if (tui->search.state == TUI_SEARCH_COUNTS)
		count(tui, rows, end);
}

static void
begin(struct tui *tui, enum tui_view_id view, const char *words, bool back)
{
	struct tui_search *search = &tui->search;

	free(search->words);
	search->words = fx_xstrdup(words);
	search->view = view;
	search->back = back;
	search->start = row_of(view_of(tui));
	begin_state(search, TUI_SEARCH_LOOKS);
	tui_search_go_on(tui);
}

void
tui_search_stop(struct tui *tui)
{
	tui->search.state = TUI_SEARCH_DONE;
}

void
tui_search_typed(struct tui *tui, const char *words)
{
	struct tui_view *view = &tui->views[tui->before];

	*tui->note = '\0';
	tui_search_stop(tui);
	view->top = view->has_selection ? view->top : tui->search.origin;
	tui_view_go(view, tui->search.origin);
	if (*words)
		begin(tui, tui->before, words, false);
}

void
tui_search_end(struct tui *tui, char *words_taken)
{
	if (!*words_taken) {
		free(words_taken);
		tui_do_search_next(tui);
		return;
	}
	free(tui->search.last);
	tui->search.last = words_taken;
}

void
tui_do_search(struct tui *tui)
{
	tui->search.origin = row_of(&tui->views[tui->focus]);
	tui_focus(tui, TUI_VIEW_CMD);
	tui->is_searching = true;
	tui->line->open(tui->line->context, "/");
}

static void
search_again(struct tui *tui, bool back)
{
	if (tui->search.last)
		begin(tui, tui->focus, tui->search.last, back);
}

void
tui_do_search_next(struct tui *tui)
{
	search_again(tui, false);
}

void
tui_do_search_before(struct tui *tui)
{
	search_again(tui, true);
}

void
tui_search_deinit(struct tui_search *search)
{
	free(search->last);
	free(search->words);
}
