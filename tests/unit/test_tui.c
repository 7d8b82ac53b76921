/* test_tui.c - the full screen's parts that need no terminal. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "commands/shell/cmd.h"
#include "commands/shell/front.h"
#include "commands/shell/shell.h"
#include "draw/canvas.h"
#include "ir/graph.h"
#include "session/session.h"
#include "session/settings.h"
#include "tests/support/append.h"
#include "tests/support/line_plain.h"
#include "tests/support/null_screen.h"
#include "tests/support/random.h"
#include "tests/support/unit.h"
#include "ui/tui/action.h"
#include "ui/tui/layout.h"
#include "ui/tui/line.h"
#include "ui/tui/screen.h"
#include "ui/tui/text.h"
#include "ui/tui/tui.h"
#include "ui/tui/view.h"

/* Mark RECT in COUNTS; false when it leaves the screen. */
static bool
mark(const struct tui_rect *rect, const struct tui_layout_input *input,
	unsigned char *counts)
{
	if (rect->rows == 0)
		return true;
	if (rect->rows < 0 || rect->columns <= 0 || rect->top < 0 ||
		rect->left < 0 || rect->top + rect->rows > input->rows ||
		rect->left + rect->columns > input->columns)
		return false;
	for (int y = rect->top; y < rect->top + rect->rows; y++)
		for (int x = rect->left; x < rect->left + rect->columns; x++)
			counts[y * input->columns + x]++;
	return true;
}

/* Whether the panes fill the screen of INPUT exactly. */
static bool
fills_the_screen(const struct tui_layout_input *input)
{
	struct tui_plan plan;
	unsigned char *counts =
		calloc((size_t)input->rows * (size_t)input->columns + 1, 1);
	bool is_whole = true;

	tui_layout_plan(input, &plan);
	is_whole &= mark(&plan.title, input, counts);
	is_whole &= mark(&plan.facts, input, counts);
	for (int i = 0; i < TUI_VIEW_COUNT; i++)
		is_whole &= mark(&plan.panes[i], input, counts);
	for (int i = 0; is_whole && i < input->rows * input->columns; i++)
		is_whole = counts[i] == 1;
	free(counts);
	return is_whole;
}

static void
panes_fill_every_screen_without_overlap(void)
{
	struct tui_layout_input input = { 0 };
	int bad = 0;

	for (input.rows = TUI_LEAST_ROWS; input.rows < 70; input.rows += 1)
		for (input.columns = TUI_LEAST_COLUMNS; input.columns < 210;
			input.columns += 7)
			for (int i = 0; i < TUI_LAYOUT_COUNT * TUI_VIEW_CMD;
				i++) {
				input.layout =
					(enum tui_layout)(i / TUI_VIEW_CMD);
				input.focus =
					(enum tui_view_id)(i % TUI_VIEW_CMD);
				input.front = 1u << TUI_VIEW_NODE;
				input.cmd_rows = i * 7 % 90;
				input.sizes.rows = i % 41 - 20;
				input.sizes.columns = i * 5 % 301 - 150;
				input.sizes.zoom = (enum tui_zoom)(i % 3);
				bad += !fills_the_screen(&input);
			}
	FXT_EQ(bad, 0);
}

static void
a_screen_below_20x5_is_too_small(void)
{
	struct tui_layout_input input = { .rows = 5, .columns = 20 };
	struct tui_plan plan;

	tui_layout_plan(&input, &plan);
	CU_ASSERT(!plan.is_too_small);
	input.rows = 4;
	tui_layout_plan(&input, &plan);
	CU_ASSERT(plan.is_too_small);
	input.rows = 5;
	input.columns = 19;
	tui_layout_plan(&input, &plan);
	CU_ASSERT(plan.is_too_small);
}

static void
the_pane_in_focus_is_shown(void)
{
	struct tui_layout_input input = { .rows = 24,
		.columns = 80,
		.layout = TUI_LAYOUT_SPLIT,
		.focus = TUI_VIEW_CODE,
		.front = 1u << TUI_VIEW_NODE };
	struct tui_plan plan;

	tui_layout_plan(&input, &plan);
	FXT_IS(plan.panes[TUI_VIEW_CODE].rows, >, 0);
	FXT_EQ(plan.panes[TUI_VIEW_NODE].rows, 0);
	input.focus = TUI_VIEW_GRAPH;
	tui_layout_plan(&input, &plan);
	FXT_IS(plan.panes[TUI_VIEW_NODE].rows, >, 0);
}

static void
no_key_is_bound_twice_in_a_pane(void)
{
	for (int view = 0; view < TUI_VIEW_CMD; view++) {
		struct tui_key_row row;
		struct tui_key_row other;

		for (size_t i = 0;
			tui_keymap_at((enum tui_view_id)view, i, &row); i++)
			for (size_t k = 0; k < i; k++) {
				tui_keymap_at((enum tui_view_id)view, k,
					&other);
				CU_ASSERT(strcmp(row.name, other.name) != 0);
				FXT_IS(row.key, !=, other.key);
			}
	}
}

/* What the pane of keys calls a key, `bind` understands. */
static void
every_key_is_found_by_its_name(void)
{
	static const struct {
		const char *name;
		uint32_t key;
	} others[] = { { "x", 'x' }, { "\xc3\xa9", 0xe9 },
		{ "ctrl-T", TUI_CTRL('t') }, { "C-t", TUI_CTRL('t') },
		{ "alt-9", TUI_ALT('9') }, { "M-x", TUI_ALT('x') },
		{ "C-x k", TUI_CTRL_X('k') }, { "f24", TUI_KEY_F24 },
		{ "space", ' ' }, { "PGUP", TUI_KEY_PAGE_UP }, { "F25", 0 },
		{ "F", 'F' }, { "F5x", 0 }, { "xx", 0 }, { "", 0 }, { " ", 0 },
		{ "Ctrl-", 0 }, { "Ctrl-1", 0 }, { "Ctrl-\xc3\xa9", 0 },
		{ "\x7f", 0 }, { "\xff", 0 } };

	for (int view = 0; view < TUI_VIEW_CMD; view++) {
		struct tui_key_row row;

		for (size_t i = 0;
			tui_keymap_at((enum tui_view_id)view, i, &row); i++)
			FXT_EQ(tui_key_named(row.name), row.key);
	}
	for (size_t i = 0; i < FX_ARRAY_LEN(others); i++)
		FXT_EQ(tui_key_named(others[i].name), others[i].key);
}

static void
the_ground_floors_keys_are_bound(void)
{
	static const uint32_t keys[] = { 's', 'S', 'n', 'N', 'c', 'C', 'f', 'F',
		'r', 'b', 'j', 'k', 'g', 'G', TUI_CTRL('d'), TUI_CTRL('u'), 'H',
		'/', TUI_KEY_ENTER, TUI_KEY_ESCAPE, TUI_KEY_TAB, 'U', 'R', 'z',
		':', '?', 'q' };

	for (size_t i = 0; i < FX_ARRAY_LEN(keys); i++)
		FXT_IS(tui_keymap_find(TUI_VIEW_GRAPH, keys[i]), !=, NULL);
	FXT_SAME(tui_keymap_find(TUI_VIEW_GRAPH, 'S')->line, "reverse-step");
	FXT_EQ(tui_keymap_find(TUI_VIEW_GRAPH, 'p'), NULL);
}

static void
every_action_has_a_line_or_a_function(void)
{
	for (int i = 0; i < TUI_ACTION_COUNT; i++) {
		const struct tui_action *action =
			tui_action_at((enum tui_action_id)i);

		FXT_IS((action->line != NULL), !=, (action->run != NULL));
		FXT_IS(*action->help, !=, '\0');
	}
}

static void
text_breaks_at_its_width(void)
{
	struct tui_text text = { .width = 4 };
	FX_AUTO_CANVAS struct fx_canvas *grid = fx_canvas_new(5, 4);
	struct fx_area area = fx_canvas_area(grid);
	FX_AUTO_BUF struct fx_buf out = { 0 };

	tui_text_addf(&text, FX_ROLE_PLAIN, "abcdef日本語\n\tx");
	tui_text_end_line(&text);
	FXT_IS(tui_text_count(&text), >=, 4);
	for (size_t i = 0; i < tui_text_count(&text); i++)
		tui_text_paint(&text, i, &area, (int)i, 0);
	fx_canvas_print(grid, &out);
	CU_ASSERT(strncmp(fx_buf_text(&out), "abcd\nef日\n本語\n", 21) == 0);
	tui_text_deinit(&text);
}

static void
one_column_is_enough_for_text(void)
{
	struct tui_text text = { .width = 1 };

	tui_text_addf(&text, FX_ROLE_PLAIN, "ab日c");
	tui_text_end_line(&text);
	FXT_IS(tui_text_count(&text), >=, 3);
	tui_text_deinit(&text);
}

static void
text_is_found_without_regard_to_case(void)
{
	struct tui_text text = { 0 };

	for (int i = 0; i < 5; i++) {
		tui_text_addf(&text, FX_ROLE_MUTED, "line ");
		tui_text_addf(&text, FX_ROLE_NODE, "%s",
			i % 2 ? "Conv" : "relu");
		tui_text_end_line(&text);
	}
	FXT_EQ(tui_text_has(&text, 1, "conv"), true);
	FXT_EQ(tui_text_has(&text, 3, "line conv"), true);
	FXT_EQ(tui_text_has(&text, 2, "conv"), false);
	FXT_EQ(tui_text_has(&text, 5, "line"), false);
	tui_text_deinit(&text);
}

/* The session under a screen that gets keys by lot. */
struct monkey {
	struct tui_screen *screen;
	struct fxt_random random;
	int left; /* keys */
};

static unsigned
draw_lot(struct monkey *monkey, unsigned below)
{
	return (unsigned)fxt_random_below(&monkey->random, below);
}

static bool
press_any_key(void *context, const struct fx_canvas *grid, int row, int column)
{
	static const char *const keys[] = { "j", "k", "g", "G", "s", "S", "n",
		"c", "C", "f", "F", "r", "b", "H", "z", "z", "U", "R",
		"<Enter>", "<Esc>", "<Tab>", "<S-Tab>", "<C-d>", "<C-u>",
		"<PageUp>", "<PageDown>", "/relu<Enter>", ".", ",", "?", "<F1>",
		":", ":start<Enter>", ":undo<Enter>", ":nodes<Enter>",
		":erase {users=0}<Enter>", ":layout graph<Enter>",
		":layout split<Enter>", ":focus code<Enter>", ":xyz<Enter>",
		":insert after . : y = torch.relu(%x)<Enter>", "<Up>", "<Down>",
		"<Left>", "<Delete>", "<Interrupt>", "<C-l>",
		":rename x_1 q<Enter>", ":set lane-cap 1<Enter>",
		":set lane-cap 200<Enter>", "日", "\033[200~" };
	struct monkey *monkey = context;
	char resize[32];

	(void)row;
	(void)column;
	FXT_IS(grid, !=, NULL);
	if (!monkey->left--)
		return false;
	if (draw_lot(monkey, 10) == 0) {
		snprintf(resize, sizeof(resize), "<Resize %ux%u>",
			draw_lot(monkey, 210), draw_lot(monkey, 70));
		return fxt_null_screen_keys(monkey->screen, resize);
	}
	return fxt_null_screen_keys(monkey->screen,
		keys[draw_lot(monkey, FX_ARRAY_LEN(keys))]);
}

static void
no_keys_in_any_size_do_harm(void)
{
	for (unsigned seed = 1; seed <= 20; seed++) {
		struct fx_session *session = fx_session_new();
		struct cmd_shell *shell = cmd_shell_new(session);
		struct tui_line *line = fxt_line_plain_new(shell);
		struct tui_options options = { .shell = shell, .line = line };
		struct monkey monkey = { .random = fxt_random_seed(seed),
			.left = 300 };
		struct tui_result result;

		cmd_shell_restrict(shell);
		if (seed % 5)
			fx_session_add_graph(session,
				fxt_joined_chain(fx_session_serial(session), 40,
					5),
				"example", "test");
		monkey.screen = fxt_null_screen(24, 80,
			seed % 2 ? FX_LINES_UTF8 : FX_LINES_ASCII);
		fxt_null_screen_on_idle(monkey.screen, press_any_key, &monkey);
		tui_run_on(monkey.screen, &options, &result);
		tui_screen_free(monkey.screen);
		fxt_line_plain_free(line);
		cmd_shell_free(shell);
		fx_session_free(session);
	}
}

/* Looks at what is shown while a command runs. */
struct onlooker {
	struct tui_screen *screen;
	bool (*show)(void *context, const struct fx_canvas *grid, int row,
		int column);
	size_t running; /* frames */
	size_t lost;    /* of them: the stop out of sight, or not selected */
};

static struct onlooker onlooker;

static bool
look_on(void *context, const struct fx_canvas *grid, int row, int column)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const char *shown;
	const char *at;
	bool is_whole = onlooker.show(context, grid, row, column);

	fx_canvas_print(grid, &text);
	shown = fx_buf_text(&text);
	at = strstr(shown, "running @");
	if (!at)
		return is_whole;
	onlooker.running++;
	at += strlen("running ");
	/* The mark, and the pane of the selected node, which says "@7 ". */
	if (!strstr(shown, "=>") ||
		!strstr(shown,
			fx_intern_format("%.*s ", (int)strcspn(at, "/"), at)))
		onlooker.lost++;
	return is_whole;
}

static bool
paint(void *context)
{
	const struct front *front = cmd_shell_front(context);

	return front->tick(front->context);
}

static bool
run_until_seen(void *context, const struct fx_canvas *grid, int row, int column)
{
	int *tries = context;

	(void)grid;
	(void)row;
	(void)column;
	return !onlooker.running && (*tries)-- > 0 &&
	       fxt_null_screen_keys(onlooker.screen, "r");
}

static void
the_panes_follow_a_run(void)
{
	struct fx_session *session = fx_session_new();
	struct cmd_shell *shell = cmd_shell_new(session);
	struct tui_line *line = fxt_line_plain_new(shell);
	struct tui_options options = { .shell = shell, .line = line };
	struct tui_result result;
	const char *meta;
	int backend = fx_settings_match("backend meta", &meta);
	int tries = 50;

	/* libtorch does not run without an input. */
	FXT_OK(fx_settings_set(fx_session_settings(session), backend, meta));
	fx_session_set_tick(session, paint, shell);
	cmd_shell_restrict(shell);
	fx_session_add_graph(session,
		fxt_joined_chain(fx_session_serial(session), 100000, 5),
		"example", "test");
	onlooker.screen = fxt_null_screen(24, 120, FX_LINES_UTF8);
	onlooker.show = onlooker.screen->show;
	onlooker.screen->show = look_on;
	fxt_null_screen_on_idle(onlooker.screen, run_until_seen, &tries);
	tui_run_on(onlooker.screen, &options, &result);
	FXT_IS(onlooker.running, >, 0);
	FXT_EQ(onlooker.lost, 0);
	tui_screen_free(onlooker.screen);
	fxt_line_plain_free(line);
	cmd_shell_free(shell);
	fx_session_free(session);
}

static void
type(struct tui_line *line, const char *bytes)
{
	line->feed(line->context, bytes, strlen(bytes));
}

static void
the_plain_editor_edits(void)
{
	struct tui_line *line = fxt_line_plain_new(NULL);
	struct tui_line_look look;
	bool eof;
	char *typed;

	line->open(line->context, "> ");
	type(line, "ab日");
	type(line, "\033[D\177x");
	line->look(line->context, &look);
	FXT_SAME(look.text, "ax日");
	FXT_SAME(look.prompt, "> ");
	FXT_EQ(look.cursor, 2);
	CU_ASSERT(line->take(line->context, &eof) == NULL && !eof);
	type(line, "\r");
	typed = line->take(line->context, &eof);
	FXT_SAME(typed, "ax日");
	free(typed);
	type(line, "\004");
	CU_ASSERT(line->take(line->context, &eof) == NULL && eof);
	fxt_line_plain_free(line);
}

static void
the_null_screen_plays_keys(void)
{
	struct tui_screen *screen = fxt_null_screen(10, 20, FX_LINES_UTF8);
	struct tui_event event;
	int rows;
	int columns;

	CU_ASSERT(fxt_null_screen_keys(screen, "λ<C-d><Resize 9x3>"));
	CU_ASSERT(!fxt_null_screen_keys(screen, "<NoSuchKey>"));
	screen->next(screen->context, 0, &event);
	CU_ASSERT(event.key == 0x3bb && event.length == 2);
	screen->next(screen->context, 0, &event);
	FXT_EQ(event.key, TUI_CTRL('d'));
	screen->next(screen->context, 0, &event);
	FXT_EQ(event.kind, TUI_EVENT_RESIZE);
	screen->size(screen->context, &rows, &columns);
	CU_ASSERT(rows == 3 && columns == 9);
	screen->next(screen->context, 0, &event);
	FXT_EQ(event.kind, TUI_EVENT_NONE);
	tui_screen_free(screen);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(panes_fill_every_screen_without_overlap),
		FXT_CASE(a_screen_below_20x5_is_too_small),
		FXT_CASE(the_pane_in_focus_is_shown),
		FXT_CASE(no_key_is_bound_twice_in_a_pane),
		FXT_CASE(every_key_is_found_by_its_name),
		FXT_CASE(the_ground_floors_keys_are_bound),
		FXT_CASE(every_action_has_a_line_or_a_function),
		FXT_CASE(text_breaks_at_its_width),
		FXT_CASE(one_column_is_enough_for_text),
		FXT_CASE(text_is_found_without_regard_to_case),
		FXT_CASE(the_plain_editor_edits),
		FXT_CASE(the_null_screen_plays_keys),
		FXT_CASE(no_keys_in_any_size_do_harm),
		FXT_CASE(the_panes_follow_a_run),
	};

	return fxt_run("tui", cases, FX_ARRAY_LEN(cases));
}
