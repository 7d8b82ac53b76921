/* search.h - looking for words in a pane, a few milliseconds at a time, so that
 * keys are heard however many rows it has.
 */
#ifndef FX_UI_TUI_SEARCH_H
#define FX_UI_TUI_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/tui/view.h"

struct tui;

enum tui_search_state {
	TUI_SEARCH_DONE,
	TUI_SEARCH_LOOKS,  /* for the next row with the words */
	TUI_SEARCH_COUNTS, /* all of them, as it stands at one */
};

struct tui_search {
	char *last;    /* the words that Enter ended; NULL: none yet */
	size_t origin; /* the row where typing began */

	enum tui_search_state state;
	char *words;
	enum tui_view_id view;
	bool back;
	size_t start;  /* row it began from */
	size_t looked; /* rows looked at, since the state began */
	size_t count;  /* of rows with the words, so far ... */
	size_t number; /* ... and which of them is shown; 0: a later one */
};

/* WORDS to search for were typed, or some of them: go to the first match after
 * where typing began.  "": back to that place, and no more of it.
 */
void tui_search_typed(struct tui *tui, const char *words);
/* Enter: these are the words; the pane stays where it is.  Takes WORDS; "" are
 * those of the last search, whose next match is gone to.
 */
void tui_search_end(struct tui *tui, char *words_taken);
/* Look on for a moment, when no key waits; whether there is more to look at. */
bool tui_search_goes_on(const struct tui *tui);
void tui_search_go_on(struct tui *tui);
/* What was begun is not wanted any more. */
void tui_search_stop(struct tui *tui);
void tui_search_deinit(struct tui_search *search);

#endif /* FX_UI_TUI_SEARCH_H */
