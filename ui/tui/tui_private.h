/* tui_private.h - the full screen's state, shared by its files. */
#ifndef FX_UI_TUI_TUI_PRIVATE_H
#define FX_UI_TUI_TUI_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "commands/shell/cmd.h"
#include "commands/shell/front.h"
#include "session/model.h"
#include "session/session.h"
#include "ui/tui/action.h"
#include "ui/tui/bind.h"
#include "ui/tui/graph_rows.h"
#include "ui/tui/jump.h"
#include "ui/tui/layout.h"
#include "ui/tui/line.h"
#include "ui/tui/mouse.h"
#include "ui/tui/node_keys.h"
#include "ui/tui/screen.h"
#include "ui/tui/search.h"
#include "ui/tui/text.h"
#include "ui/tui/tui.h"
#include "ui/tui/view.h"
#include "ui/tui/view_code.h"
#include "ui/tui/view_diff.h"
#include "ui/tui/view_graph.h"
#include "ui/tui/view_source.h"
#include "ui/tui/view_time.h"
#include "ui/tui/view_values.h"

struct tui {
	struct cmd_shell *shell;
	struct fx_session *session;
	struct tui_screen *screen;
	struct tui_line *line;
	struct front front;
	struct out_recording *recording;
	struct out *out;
	size_t seen; /* items of the recording that are in the log */

	struct fx_canvas *grid;
	struct tui_plan plan;
	enum tui_layout layout;
	struct tui_sizes sizes;
	enum tui_view_id focus;
	enum tui_view_id before; /* focus to return to after a command */
	unsigned front_views;    /* chosen in panes with tabs, as bits */
	struct tui_view views[TUI_VIEW_COUNT];
	enum fx_lines lines;
	enum ui_theme theme;

	struct tui_graph graph;
	struct tui_text node;
	uint64_t node_shown; /* id: of which node */
	struct tui_text values;
	uint64_t values_shown;
	struct tui_value value;
	struct tui_code code;
	struct tui_listing listing;
	struct tui_diff diff;
	struct tui_time time;
	struct tui_jumps jumps;
	struct tui_marks marks;
	struct tui_bindings *bindings;
	struct tui_bindings own_bindings; /* where nobody else has them */
	struct tui_log log;
	bool log_is_back; /* scrolled away from its end */
	struct tui_text keys;

	bool shows_keys;
	struct tui_view keys_view;
	struct tui_mouse_state mouse;
	bool types;        /* letters begin commands, as other keys do */
	bool has_prefix;   /* Ctrl-x was typed */
	long count;        /* digits typed before a key; 0: none */
	bool is_searching; /* the command line takes words to search for */
	struct tui_search search;
	char note[32]; /* "3 of 12"; until the next key */
	char prompt[64];
	bool is_running;      /* inside a command ... */
	bool is_slow;         /* ... that takes its time */
	bool is_paused;       /* a lecture waits for a key */
	long long running_ms; /* when it began, or the user was asked last */
	bool is_partial;      /* the last frame is not all on the screen */
	bool is_painting;     /* what a frame asks for paints no other one */
	bool is_suspended;    /* somebody else has the terminal */
	long long painted_ms; /* by the last tick */
	bool is_leaving;
	struct tui_result result;
};

/* The current model, or NULL; the node selected in the graph pane, or NULL. */
struct fx_model *tui_model(const struct tui *tui);
struct fx_node *tui_selected(struct tui *tui);

/* Return STATE, a state letter, in a form that the screen can show. */
const char *tui_state(const struct tui *tui, const char *state);

/* VIEW is about NODE now (NULL: none): of another one than *SHOWN, the id of
 * the one before, it is shown from its beginning.
 */
void tui_show_anew(struct tui_view *view, const struct fx_node *node,
	uint64_t *shown);

/* tui.c: a command begins, or goes on after the user was asked. */
void tui_begin_work(struct tui *tui);

/* tui.c: run LINE as if the user had typed it, and show LINE and its output. */
void tui_run_line(struct tui *tui, const char *line);
FX_PRINTF(2, 3)
void tui_run_linef(struct tui *tui, const char *format, ...);
/* A line of the program's own in the log. */
FX_PRINTF(2, 3)
void tui_say(struct tui *tui, const char *format, ...);
void tui_focus(struct tui *tui, enum tui_view_id view);
/* Whether VIEW has a place in the present layout. */
bool tui_is_shown(const struct tui *tui, enum tui_view_id view);
/* Move what the recording got into the log. */
void tui_collect(struct tui *tui);

/* titles.c: the title of VIEW; those of the views that share the pane of VIEW,
 * on the frame of AREA.
 */
void tui_title_print(const struct tui *tui, enum tui_view_id view,
	struct fx_buf *out);
void tui_titles_paint(struct tui *tui, enum tui_view_id view,
	const struct fx_area *area);
/* frame.c: arrange the panes as sizes and focus now are. */
void tui_plan(struct tui *tui);
/* sizes.c: the pane of VIEW gets BY columns or rows more, or fewer. */
void tui_widen(struct tui *tui, enum tui_view_id view, int by);
void tui_heighten(struct tui *tui, enum tui_view_id view, int by);
/* frame.c: paint everything and show it. */
void tui_frame(struct tui *tui);
/* The next event, as the screen has it; before it waits, what the last frame
 * left out is painted.
 */
void tui_next(struct tui *tui, int timeout_ms, struct tui_event *ret);

/* input.c: one event; and a line that answers a question: NULL when there is
 * none (interrupt, end of input).
 */
void tui_handle(struct tui *tui, const struct tui_event *event);
char *tui_ask(struct tui *tui, const char *prompt);
/* Wait MS (negative: for ever) or for a key; true when interrupted. */
bool tui_pause(struct tui *tui, long ms);
void tui_open_line(struct tui *tui);
/* tui_front.c: fill tui->front. */
void tui_front_init(struct tui *tui);

/* view_*.c: set up a view. */
#define TUI_VIEW(id, word, title, init, place) \
	void tui_##init##_init(struct tui *tui);
#include "commands/shell/panes.def"
/* tui_front.c: the panes are arranged anew. */
void tui_set_layout(struct tui *tui, enum tui_layout layout);
/* keys pane: fill it for the view that has the focus. */
void tui_keys_show(struct tui *tui);

/* A source of a text pane. */
struct tui_source tui_text_source(struct tui_text *text);

#endif /* FX_UI_TUI_TUI_PRIVATE_H */
