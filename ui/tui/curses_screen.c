/* curses_screen.c - a terminal: cells to curses, keys to events.
 *
 * The only file that includes curses.  Long because of that.  Traps that
 * this file is built around (measured; see the notes on each): LINES and
 * COLUMNS in the environment break resizing; initscr exits the program;
 * COLOR_PAIR and alloc_pair misbehave on terminals without colours; ISIG must
 * stay, or Ctrl-C cannot stop a run, and with NOFLSH keys that were typed
 * before it would be read after it; curses' own handlers of Ctrl-Z and of a new
 * size allocate memory wherever the program happens to be.
 */
#include <config.h>

#include "ui/tui/screen.h"

#ifdef FX_WITH_CURSES

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

/* curses has macros of these names. */
#undef lines
#undef columns

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "ui/at_work.h"
#include "ui/signals.h"
#include "ui/theme.h"

enum {
	ESCAPE_DELAY_MS = 25,
	PASTE_MS = 500, /* its end is not waited for any longer */
	PASTE_MOST = 1 << 20,
	SEQUENCE_MOST = 256, /* bytes of an answer of the terminal */
	KEY_PASTE = KEY_MAX + 1,
	KEY_PASTE_END,
	SENT_MOST = 3000, /* bytes at once, about: see row_cost */
	MOVE_COST = 8,
	LOOK_COST = 10,
	PICTURE_COST = 22,
	PALETTE = 256,
	COPY_MOST = 2500, /* bytes: some terminals take no more than 4096 */
	PAIRS_MOST = 32000,
	PAIRS_OF_ROLES = 9, /* from 0 on */
};

struct curses_screen {
	struct tui_screen screen;
	SCREEN *term;
	TERMINAL *before; /* the current one, Readline's */
	struct termios saved;
	bool has_colors;
	bool says_idle; /* tests: see say_idle */
	bool was_busy;  /* since the last time it said so */
	unsigned idles;
	struct fx_buf pasted;
	bool has_mouse;
	bool is_pasting;   /* the end of the paste has not come yet */
	size_t held_lines; /* new lines that may stand at the end of it */
	struct ui_theme_look looks[FX_ROLE_COUNT];
	/* Pairs of colours that pictures have, made when first wanted. */
	short pairs[PALETTE][PALETTE];
	short pair_count;
	struct fx_canvas *shown; /* what the terminal has */
};

/* --- cells -------------------------------------------------------------- */

static void
start_colors(struct curses_screen *curses, bool no_color)
{
	for (int i = 0; i < FX_ROLE_COUNT; i++)
		curses->looks[i] =
			ui_theme_look(UI_THEME_DEFAULT, (enum fx_role)i);
	curses->has_colors = !no_color && has_colors();
	if (!curses->has_colors)
		return;
	start_color();
	use_default_colors();
	for (short i = 0; i < 8; i++)
		init_pair((short)(i + 1), i, -1);
}

/* What is on the terminal looks different from now on: as if it were not there.
 */
static void
curses_set_theme(void *context, enum ui_theme theme)
{
	struct curses_screen *curses = context;

	for (int i = 0; i < FX_ROLE_COUNT; i++)
		curses->looks[i] = ui_theme_look(theme, (enum fx_role)i);
	fx_canvas_clear(curses->shown);
}

/* The pair of INK on PAPER, 0 for the terminal's own.  When there are too many
 * they are numbered anew, and everything is painted with them.
 */
static short
pair_of(struct curses_screen *curses, uint8_t ink, uint8_t paper)
{
	short *pair = &curses->pairs[ink][paper];

	if (*pair)
		return *pair;
	if (PAIRS_OF_ROLES + curses->pair_count >=
		FX_MIN(COLOR_PAIRS, PAIRS_MOST)) {
		memset(curses->pairs, 0, sizeof(curses->pairs));
		curses->pair_count = 0;
		clearok(curscr, TRUE);
	}
	*pair = (short)(PAIRS_OF_ROLES + curses->pair_count++);
	init_pair(*pair, ink ? ink : (short)-1, paper ? paper : (short)-1);
	return *pair;
}

static attr_t
attributes_of(unsigned style)
{
	attr_t attributes = A_NORMAL;

	if (style & FX_LOOK_BOLD)
		attributes |= A_BOLD;
	if (style & FX_LOOK_REVERSE)
		attributes |= A_REVERSE;
	if (style & FX_LOOK_UNDERLINE)
		attributes |= A_UNDERLINE;
	if (style & FX_LOOK_DIM)
		attributes |= A_DIM;
	return attributes;
}

static void
show_cell(struct curses_screen *curses, int row, int column,
	const struct fx_cell *cell)
{
	uint32_t code = cell->code ? cell->code : ' ';
	wchar_t text[3] = { (wchar_t)code, (wchar_t)cell->mark, 0 };
	const struct ui_theme_look *look = &curses->looks[cell->role];
	short pair = curses->has_colors && look->color >= 0
			     ? (short)(look->color + 1)
			     : (short)0;
	cchar_t character;

	if (cell->width == 0)
		return;
	if (cell->ink && curses->screen.colors >= PALETTE)
		pair = pair_of(curses, cell->ink, cell->paper);
	/* A blank that looks like nothing is there already. */
	if (code == ' ' &&
		!(cell->style & (FX_LOOK_REVERSE | FX_LOOK_UNDERLINE)))
		return;
	if (curses->screen.lines == FX_LINES_ASCII && code >= 0x80) {
		text[0] = '?';
		text[1] = 0;
	}
	if (setcchar(&character, text, attributes_of(cell->style | look->style),
		    pair, NULL) == OK)
		mvadd_wch(row, column, &character);
}

/* For tests: a private control sequence, which terminals ignore. */
static void
say(const struct curses_screen *curses, const char *word, unsigned number)
{
	char text[48];
	int length;

	if (!curses->says_idle)
		return;
	length = snprintf(text, sizeof(text), "\033]7711;%s;%u\007", word,
		number);
	fflush(stdout);
	if (write(STDOUT_FILENO, text, (size_t)length) < 0) {
		/* The terminal is gone; the next poll says so. */
	}
}

/* Everything typed so far is on the screen. */
static void
say_idle(struct curses_screen *curses)
{
	if (!curses->was_busy)
		return;
	curses->was_busy = false;
	if (curses->says_idle)
		say(curses, "idle", ++curses->idles);
}

/* Bytes that it takes to show CELL after one that looks like BEFORE. */
static int
cell_cost(const struct fx_cell *cell, const struct fx_cell *before)
{
	int cost = cell->code >= 0x800 ? 3 : cell->code >= 0x80 ? 2 : 1;

	if (cell->ink != before->ink || cell->paper != before->paper)
		cost += PICTURE_COST;
	else if (cell->role != before->role || cell->style != before->style)
		cost += LOOK_COST;
	return cost;
}

/* About how many bytes it takes to make row ROW of SHOWN that of GRID. */
static int
row_cost(const struct fx_canvas *shown, const struct fx_canvas *grid, int row)
{
	const struct fx_cell *before = fx_canvas_cell(grid, 0, 0);
	bool was_changed = false;
	int cost = 0;

	for (int column = 0; column < grid->columns; column++) {
		const struct fx_cell *cell = fx_canvas_cell(grid, row, column);
		bool is_changed =
			memcmp(cell, fx_canvas_cell(shown, row, column),
				sizeof(*cell)) != 0;

		if (is_changed)
			cost += cell_cost(cell, before) +
				(was_changed ? 0 : MOVE_COST);
		if (is_changed)
			before = cell;
		was_changed = is_changed;
	}
	return cost;
}

/* Rows of GRID, from the top on, that may be sent at once to a terminal that
 * has SHOWN; one at least.
 */
static int
count_rows(const struct fx_canvas *shown, const struct fx_canvas *grid)
{
	int left = SENT_MOST;
	int row;

	for (row = 0; row < grid->rows; row++) {
		int cost = row_cost(shown, grid, row);

		if (cost > left && left < SENT_MOST)
			break;
		left -= cost;
	}
	return row;
}

static void
refresh_now(void)
{
	ui_at_work_hold(true);
	refresh();
	ui_at_work_hold(false);
}

/* Draw row ROW of what the terminal has from now on. */
static void
show_row(struct curses_screen *curses, int row)
{
	move(row, 0);
	clrtoeol();
	for (int column = 0; column < curses->shown->columns; column++)
		show_cell(curses, row, column,
			fx_canvas_cell(curses->shown, row, column));
}

/* A part goes out row by row: curses would see in it lines that have moved,
 * let the terminal scroll, and then repair the rows below, which it sees
 * again there, at more than row_cost counts.
 */
static bool
curses_show(void *context, const struct fx_canvas *grid, int cursor_row,
	int cursor_column)
{
	struct curses_screen *curses = context;
	struct fx_canvas *shown = curses->shown;
	size_t size = (size_t)grid->columns * sizeof(*grid->cells);
	bool is_all;
	int count;

	if (shown->rows != grid->rows || shown->columns != grid->columns)
		fx_canvas_resize(shown, grid->rows, grid->columns);
	count = count_rows(shown, grid);
	is_all = count == grid->rows;
	leaveok(stdscr, !is_all);
	for (int row = 0; row < grid->rows; row++) {
		struct fx_cell *cells = &shown->cells[row * grid->columns];
		const struct fx_cell *wanted = fx_canvas_cell(grid, row, 0);
		bool is_new = row < count && memcmp(cells, wanted, size) != 0;

		if (is_new)
			memcpy(cells, wanted, size);
		show_row(curses, row);
		if (is_new && !is_all)
			refresh_now();
	}
	curs_set(cursor_row >= 0 ? 1 : 0);
	leaveok(stdscr, FALSE);
	move(FX_MAX(cursor_row, 0), cursor_row >= 0 ? cursor_column : 0);
	refresh_now();
	curses->was_busy = true;
	if (!is_all)
		say(curses, "part", curses->idles);
	return is_all;
}

/* What is on a terminal of another size nobody knows. */
static void
take_size(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row ||
		!size.ws_col || !is_term_resized(size.ws_row, size.ws_col))
		return;
	resize_term(size.ws_row, size.ws_col);
	clearok(curscr, TRUE);
}

static void
curses_size(void *context, int *rows_ret, int *columns_ret)
{
	(void)context;
	take_size();
	*rows_ret = getmaxy(stdscr);
	*columns_ret = getmaxx(stdscr);
}

/* --- keys --------------------------------------------------------------- */

static const struct {
	int code;
	uint32_t key;
} special_keys[] = {
	{ KEY_UP, TUI_KEY_UP },
	{ KEY_DOWN, TUI_KEY_DOWN },
	{ KEY_LEFT, TUI_KEY_LEFT },
	{ KEY_RIGHT, TUI_KEY_RIGHT },
	{ KEY_HOME, TUI_KEY_HOME },
	{ KEY_END, TUI_KEY_END },
	{ KEY_PPAGE, TUI_KEY_PAGE_UP },
	{ KEY_NPAGE, TUI_KEY_PAGE_DOWN },
	{ KEY_IC, TUI_KEY_INSERT },
	{ KEY_DC, TUI_KEY_DELETE },
	{ KEY_BTAB, TUI_KEY_BACKTAB },
	{ KEY_ENTER, TUI_KEY_ENTER },
	{ KEY_BACKSPACE, TUI_KEY_BACKSPACE },
};

static void
set_bytes(struct tui_event *event, const char *bytes, size_t length)
{
	event->length = FX_MIN(length, sizeof(event->bytes));
	memcpy(event->bytes, bytes, event->length);
}

/* What the mouse did: a press, or the wheel; false for anything else. */
static bool
take_mouse(struct tui_event *event)
{
	MEVENT mouse;

	if (getmouse(&mouse) != OK)
		return false;
	if (mouse.bstate & BUTTON1_PRESSED)
		event->mouse = TUI_MOUSE_PRESS;
	else if (mouse.bstate & BUTTON1_RELEASED)
		event->mouse = TUI_MOUSE_RELEASE;
	else if (mouse.bstate & REPORT_MOUSE_POSITION)
		event->mouse = TUI_MOUSE_DRAG;
	else if (mouse.bstate & BUTTON4_PRESSED)
		event->mouse = TUI_MOUSE_UP;
	else if (mouse.bstate & BUTTON5_PRESSED)
		event->mouse = TUI_MOUSE_DOWN;
	else
		return false;
	event->kind = TUI_EVENT_MOUSE;
	event->row = mouse.y;
	event->column = mouse.x;
	return true;
}

/* A key that curses names; Readline gets what the terminal sent. */
static void
take_special(int code, struct tui_event *event)
{
	char *bytes = keybound(code, 0);

	event->key = TUI_KEY_OTHER;
	if (code >= KEY_F(1) && code <= KEY_F(24))
		event->key = TUI_KEY_F1 + (uint32_t)(code - KEY_F(1));
	for (size_t i = 0; i < FX_ARRAY_LEN(special_keys); i++)
		if (special_keys[i].code == code)
			event->key = special_keys[i].key;
	if (event->key == TUI_KEY_BACKSPACE)
		set_bytes(event, "\177", 1);
	else if (event->key == TUI_KEY_ENTER)
		set_bytes(event, "\r", 1);
	else if (bytes)
		set_bytes(event, bytes, strlen(bytes));
	free(bytes);
}

/* Drop the rest of a sequence that curses has no name for, ESC and KIND before
 * it: a key or an answer of the terminal (ECMA-48, 5.4 and 5.6).  False when
 * nothing follows at once.
 */
static bool
drop_sequence(int kind)
{
	bool is_string = kind == ']';
	int code = getch();
	int last = 0;

	/* What the terminal answers begins with a number. */
	if (code == ERR || code >= KEY_MIN ||
		(is_string && (code < '0' || code > '9'))) {
		if (code != ERR)
			ungetch(code);
		return false;
	}
	for (int i = 0; i < SEQUENCE_MOST && code != ERR; i++) {
		if (is_string ? code == '\a' || (last == '\033' && code == '\\')
			      : kind == 'O' || (code >= '@' && code <= '~'))
			break;
		last = code;
		code = getch();
	}
	return true;
}

/* Escape alone, or together with what comes at once: Alt. */
static void
take_escape(struct tui_event *event)
{
	int next = getch();
	bool is_alt = next != ERR && next < KEY_MIN;
	char bytes[2] = { '\033', (char)next };

	if (is_alt && strchr("[O]", next) && drop_sequence(next)) {
		event->key = TUI_KEY_OTHER;
		return;
	}
	if (next != ERR && !is_alt)
		ungetch(next);
	event->key = is_alt ? TUI_ALT(next) : TUI_KEY_ESCAPE;
	set_bytes(event, bytes, is_alt ? 2 : 1);
}

/* A code point of more than one byte. */
static void
take_utf8(int first, struct tui_event *event)
{
	char bytes[4] = { (char)first };
	size_t wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
	size_t length = 1;

	while (length < wanted) {
		int next = getch();

		if (next == ERR)
			break;
		if (next < 0x80 || next > 0xbf) {
			ungetch(next);
			break;
		}
		bytes[length++] = (char)next;
	}
	fx_utf8_decode(bytes, length, &event->key);
	set_bytes(event, bytes, length);
}

/* Collect pasted text until the input pauses; the paste goes on until its end
 * or Ctrl-C.  A key of several bytes becomes those bytes again.  Newlines at
 * the end of the paste are dropped.
 */
static void
take_paste(struct curses_screen *curses, struct tui_event *event)
{
	struct fx_buf *text = &curses->pasted;
	bool is_waiting = false;

	curses->is_pasting = true;
	fx_buf_clear(text);
	for (; curses->held_lines; curses->held_lines--)
		fx_buf_add_char(text, '\n');
	while (curses->is_pasting && !is_waiting) {
		int code = getch();
		char *bytes = code >= KEY_MIN ? keybound(code, 0) : NULL;

		if (code == ERR)
			is_waiting = ui_signals_wait(PASTE_MS) != UI_INPUT_KEY;
		else if (code == KEY_PASTE_END)
			curses->is_pasting = false;
		else if (text->length >= PASTE_MOST)
			;
		else if (bytes)
			fx_buf_add(text, bytes);
		else if (code < KEY_MIN)
			fx_buf_add_char(text, code == '\r' ? '\n' : (char)code);
		free(bytes);
	}
	for (; text->length && text->data[text->length - 1] == '\n';
		curses->held_lines += curses->is_pasting)
		fx_buf_truncate(text, text->length - 1);
	event->kind = TUI_EVENT_PASTE;
	event->text = fx_buf_text(text);
}

static void
take_key(struct curses_screen *curses, int code, struct tui_event *event)
{
	char byte = (char)code;

	event->kind = TUI_EVENT_KEY;
	if (code == KEY_MOUSE) {
		/* What is no event of ours is a key without a meaning. */
		if (!take_mouse(event))
			event->key = TUI_KEY_OTHER;
	} else if (code == KEY_PASTE || curses->is_pasting) {
		if (curses->is_pasting)
			ungetch(code);
		else
			curses->held_lines = 0;
		take_paste(curses, event);
	} else if (code >= KEY_MIN) {
		take_special(code, event);
	} else if (code == '\033') {
		take_escape(event);
	} else if (code >= 0xc0) {
		take_utf8(code, event);
	} else {
		event->key = code == '\b' ? TUI_KEY_BACKSPACE : (uint32_t)code;
		set_bytes(event, &byte, 1);
	}
}

/* Whether the terminal tells pastes from keys.  curses does not write through
 * stdio: without the flush this would come out on leaving.
 */
static void
ask_for_pastes(bool is_wanted)
{
	fputs(is_wanted ? "\033[?2004h" : "\033[?2004l", stdout);
	fflush(stdout);
}

/* Whether the terminal tells how the mouse moves while a button is pressed:
 * mode 1002, which curses does not ask for.  One that lacks it tells presses.
 */
static void
ask_for_drags(bool is_wanted)
{
	fputs(is_wanted ? "\033[?1002h" : "\033[?1002l", stdout);
	fflush(stdout);
}

/* Leave the terminal as it was found, and take it again.  Pastes are told from
 * keys in between.
 */
static void
leave_terminal(const struct curses_screen *curses)
{
	if (curses->has_mouse)
		ask_for_drags(false);
	ask_for_pastes(false);
	endwin();
}

static void
enter_terminal(const struct curses_screen *curses)
{
	reset_prog_mode();
	ask_for_pastes(true);
	take_size();
	clearok(curscr, TRUE);
	refresh();
	/* Behind what curses asks for when it paints again. */
	if (curses->has_mouse)
		ask_for_drags(true);
}

/* Obey all but Ctrl-C: whether the screen is to be painted anew. */
static bool
obey_signals(const struct curses_screen *curses)
{
	bool was_stopped = ui_signals_take_stop();
	unsigned change;

	if (was_stopped) {
		leave_terminal(curses);
		ui_signals_stop();
	}
	change = ui_signals_take_change();
	if (change & UI_CHANGE_BACK && !ui_signals_ending())
		enter_terminal(curses);
	return change;
}

/* What signals have ordered; false when nothing. */
static bool
take_flags(const struct curses_screen *curses, struct tui_event *event)
{
	bool has_changed = obey_signals(curses);

	event->signal = ui_signals_ending();
	if (event->signal)
		event->kind = TUI_EVENT_HANG_UP;
	else if (ui_signals_take_interrupt())
		event->kind = TUI_EVENT_INTERRUPT;
	else if (has_changed)
		event->kind = TUI_EVENT_RESIZE;
	return event->kind != TUI_EVENT_NONE;
}

static void
curses_next(void *context, int timeout_ms, struct tui_event *ret)
{
	struct curses_screen *curses = context;
	bool again = true;

	*ret = (struct tui_event){ .kind = TUI_EVENT_NONE };
	while (again) {
		int code;

		if (take_flags(curses, ret)) {
			if (ret->kind == TUI_EVENT_INTERRUPT)
				curses->is_pasting = false;
			return;
		}
		code = getch();
		if (code != ERR) {
			curses->was_busy = true;
			take_key(curses, code, ret);
			return;
		}
		if (timeout_ms != 0)
			say_idle(curses);
		again = ui_signals_wait(timeout_ms) != UI_INPUT_NONE;
	}
}

static bool
curses_interrupted(void *context)
{
	const struct curses_screen *curses = context;

	obey_signals(curses);
	if (ui_signals_take_told())
		clearok(curscr, TRUE);
	return ui_signals_take_interrupt() || ui_signals_ending();
}

/* --- coming and going --------------------------------------------------- */

static void
curses_suspend(void *context)
{
	const struct curses_screen *curses = context;

	leave_terminal(curses);
	ui_signals_give(UI_KEYS_NOBODY, NULL);
}

/* What somebody else wrote on the normal screen stays until Enter. */
static void
curses_resume(void *context)
{
	static const char text[] = "[Enter goes back to fxdb] ";
	char byte = 0;

	const struct curses_screen *curses = context;

	/* A Ctrl-C that was for the other must not cut the pause short. */
	ui_signals_take_interrupt();
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) > 0)
		while (byte != '\n' && !ui_signals_take_interrupt() &&
			read(STDIN_FILENO, &byte, 1) > 0)
			;
	ui_signals_give(UI_KEYS_SCREEN, NULL);
	enter_terminal(curses);
}

static void
curses_redraw(void *context)
{
	(void)context;
	clearok(curscr, TRUE);
}

static void
curses_beep(void *context)
{
	(void)context;
	beep();
}

/* Presses are told as they come, without waiting for clicks. */
static void
curses_set_mouse(void *context, bool is_on)
{
	struct curses_screen *curses = context;

	mouseinterval(0);
	mousemask(is_on ? BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED |
				  BUTTON5_PRESSED | REPORT_MOUSE_POSITION
			: 0,
		NULL);
	if (is_on != curses->has_mouse)
		ask_for_drags(is_on);
	curses->has_mouse = is_on;
}

/* OSC 52: terminals that allow it put TEXT, in base 64, into the clipboard. */
static void
curses_copy(void *context, const char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn"
				     "opqrstuvwxyz0123456789+/";
	size_t length = FX_MIN(strlen(text), (size_t)COPY_MOST);

	(void)context;
	fputs("\033]52;c;", stdout);
	for (size_t i = 0; i < length; i += 3) {
		size_t count = FX_MIN(length - i, (size_t)3);
		unsigned bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 |
			       (k < count ? (unsigned char)text[i + k] : 0u);
		for (size_t k = 0; k < 4; k++)
			putchar(k <= count ? digits[bits >> (18 - 6 * k) & 63]
					   : '=');
	}
	fputs("\007", stdout);
	fflush(stdout);
}

static void
curses_free(void *context)
{
	struct curses_screen *curses = context;

	leave_terminal(curses);
	delscreen(curses->term);
	set_curterm(curses->before);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &curses->saved);
	ui_signals_give(UI_KEYS_NOBODY, NULL);
	fx_buf_deinit(&curses->pasted);
	fx_canvas_free(curses->shown);
	free(curses);
}

/* Check that the terminal called NAME can do what a screen needs.  The terminal
 * that curses holds as the current one, which is Readline's, is restored.
 */
static struct fx_error *
check_abilities(const char *name)
{
	TERMINAL *before = cur_term;
	const char *address = NULL;
	int status;

	if (setupterm(name, STDOUT_FILENO, &status) != OK)
		return fx_error_new(FX_ERR_TERMINAL,
			"tui: terminal \"%s\" is not known", name);
	address = tigetstr("cup");
	del_curterm(cur_term);
	set_curterm(before);
	if (!address || address == (const char *)-1)
		return fx_error_new(FX_ERR_TERMINAL,
			"tui: terminal \"%s\" cannot address the cursor", name);
	return NULL;
}

static struct fx_error *
check_terminal(void)
{
	const char *name = getenv("TERM");

	if (!name || !*name)
		return fx_error_new(FX_ERR_TERMINAL, "tui: TERM is not set");
	return check_abilities(name);
}

/* Keys one by one and unchanged, but Ctrl-C and Ctrl-Z remain signals, and what
 * was typed before them and not read yet is gone, as at every prompt.
 */
static void
set_modes(void)
{
	struct termios modes;

	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
	if (tcgetattr(STDIN_FILENO, &modes) == 0) {
		modes.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
		modes.c_lflag &= ~(tcflag_t)(IEXTEN | NOFLSH);
		tcsetattr(STDIN_FILENO, TCSANOW, &modes);
	}
	def_prog_mode();
}

static struct fx_error *
open_terminal(struct curses_screen *curses)
{
	tcgetattr(STDIN_FILENO, &curses->saved);
	/* Curses takes only signals that nobody has. */
	ui_signals_give(UI_KEYS_SCREEN, &curses->saved);
	/* They would win over the terminal's real size, for ever. */
	unsetenv("LINES");
	unsetenv("COLUMNS");
	curses->before = cur_term;
	curses->term = newterm(NULL, stdout, stdin);
	if (!curses->term) {
		ui_signals_give(UI_KEYS_NOBODY, NULL);
		return fx_error_new(FX_ERR_TERMINAL,
			"tui: the terminal cannot be used");
	}
	set_term(curses->term);
	set_modes();
	define_key("\033[200~", KEY_PASTE);
	define_key("\033[201~", KEY_PASTE_END);
	ask_for_pastes(true);
	return NULL;
}

struct fx_error *
tui_screen_curses(const struct tui_screen_options *options,
	struct tui_screen **ret)
{
	struct curses_screen *curses;
	struct fx_error *err = check_terminal();

	if (err)
		return err;
	curses = FX_NEW(struct curses_screen);
	err = open_terminal(curses);
	if (err) {
		free(curses);
		return err;
	}
	start_colors(curses, options->no_color);
	curses->shown = fx_canvas_new(0, 0);
	curses->says_idle = getenv("FXDB_TEST_IDLE") != NULL;
	curses->screen = (struct tui_screen){ .context = curses,
		.lines = options->ascii || strcmp(nl_langinfo(CODESET),
						   "UTF-8") != 0
				 ? FX_LINES_ASCII
				 : FX_LINES_UTF8,
		.colors = curses->has_colors ? COLORS : 0,
		.size = curses_size,
		.show = curses_show,
		.next = curses_next,
		.interrupted = curses_interrupted,
		.suspend = curses_suspend,
		.resume = curses_resume,
		.redraw = curses_redraw,
		.beep = curses_beep,
		.set_mouse = curses_set_mouse,
		.set_theme = curses_set_theme,
		.copy = curses_copy,
		.free = curses_free };
	*ret = &curses->screen;
	return NULL;
}

#else

struct fx_error *
tui_screen_curses(const struct tui_screen_options *options,
	struct tui_screen **ret)
{
	(void)options;
	*ret = NULL;
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"tui: this fxdb was built without the full screen");
}

#endif
