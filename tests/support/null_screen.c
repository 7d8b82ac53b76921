/* null_screen.c - a screen without a terminal. */
#include <config.h>

#include "tests/support/null_screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/vec.h"

struct null_screen {
	struct tui_screen screen;
	int rows;
	int columns;
	struct fx_canvas *shown;
	int cursor_row;
	int cursor_column;
	char *copied; /* or NULL */
	FX_VEC(struct tui_event) events;
	FX_VEC(char *) pasted; /* what events borrow */
	size_t next;
	fxt_null_screen_idle_fn *idle;
	void *idle_context;
};

static void
null_size(void *context, int *rows_ret, int *columns_ret)
{
	struct null_screen *null = context;

	*rows_ret = null->rows;
	*columns_ret = null->columns;
}

static bool
null_show(void *context, const struct fx_canvas *grid, int cursor_row,
	int cursor_column)
{
	struct null_screen *null = context;
	size_t count = (size_t)grid->rows * (size_t)grid->columns;

	fx_canvas_resize(null->shown, grid->rows, grid->columns);
	memcpy(null->shown->cells, grid->cells, count * sizeof(*grid->cells));
	null->cursor_row = cursor_row;
	null->cursor_column = cursor_column;
	return true;
}

static void
null_next(void *context, int timeout_ms, struct tui_event *ret)
{
	struct null_screen *null = context;

	while (null->next == null->events.count) {
		fx_vec_clear(&null->events);
		null->next = 0;
		*ret = (struct tui_event){ .kind = TUI_EVENT_NONE };
		if (timeout_ms == 0)
			return;
		if (!null->idle ||
			!null->idle(null->idle_context, null->shown,
				null->cursor_row, null->cursor_column)) {
			ret->kind = TUI_EVENT_HANG_UP;
			return;
		}
	}
	*ret = null->events.items[null->next++];
	if (ret->kind == TUI_EVENT_RESIZE && ret->key) {
		null->rows = (int)(ret->key >> 16);
		null->columns = (int)(ret->key & 0xffff);
	}
}

/* An interrupt that is the next event is one that happens now. */
static bool
null_interrupted(void *context)
{
	struct null_screen *null = context;

	if (null->next < null->events.count &&
		null->events.items[null->next].kind == TUI_EVENT_INTERRUPT) {
		null->next++;
		return true;
	}
	return false;
}

static void
null_nothing(void *context)
{
	(void)context;
}

static void
null_set_mouse(void *context, bool is_on)
{
	(void)context;
	(void)is_on;
}

static void
null_set_theme(void *context, enum ui_theme theme)
{
	(void)context;
	(void)theme;
}

static void
null_copy(void *context, const char *text)
{
	struct null_screen *null = context;

	free(null->copied);
	null->copied = fx_xstrdup(text);
}

const char *
fxt_null_screen_copied(const struct tui_screen *screen)
{
	const struct null_screen *null = screen->context;

	return null->copied ? null->copied : "";
}

static void
null_free(void *context)
{
	struct null_screen *null = context;

	fx_canvas_free(null->shown);
	fx_vec_deinit(&null->events);
	for (size_t i = 0; i < null->pasted.count; i++)
		free(null->pasted.items[i]);
	fx_vec_deinit(&null->pasted);
	free(null->copied);
	free(null);
}

struct tui_screen *
fxt_null_screen(int rows, int columns, enum fx_lines lines)
{
	struct null_screen *null = FX_NEW(struct null_screen);

	null->rows = rows;
	null->columns = columns;
	null->shown = fx_canvas_new(rows, columns);
	null->screen = (struct tui_screen){ .context = null,
		.lines = lines,
		.size = null_size,
		.show = null_show,
		.next = null_next,
		.interrupted = null_interrupted,
		.suspend = null_nothing,
		.resume = null_nothing,
		.redraw = null_nothing,
		.beep = null_nothing,
		.set_mouse = null_set_mouse,
		.set_theme = null_set_theme,
		.copy = null_copy,
		.free = null_free };
	return &null->screen;
}

static const struct {
	const char *name;
	uint32_t key;
	const char *bytes;
} named[] = {
	{ "Tab", TUI_KEY_TAB, "\t" },
	{ "Enter", TUI_KEY_ENTER, "\r" },
	{ "Esc", TUI_KEY_ESCAPE, "\033" },
	{ "BS", TUI_KEY_BACKSPACE, "\177" },
	{ "Space", ' ', " " },
	{ "lt", '<', "<" },
	{ "Up", TUI_KEY_UP, "\033[A" },
	{ "Down", TUI_KEY_DOWN, "\033[B" },
	{ "Right", TUI_KEY_RIGHT, "\033[C" },
	{ "Left", TUI_KEY_LEFT, "\033[D" },
	{ "Home", TUI_KEY_HOME, "\033[H" },
	{ "End", TUI_KEY_END, "\033[F" },
	{ "PageUp", TUI_KEY_PAGE_UP, "\033[5~" },
	{ "PageDown", TUI_KEY_PAGE_DOWN, "\033[6~" },
	{ "Delete", TUI_KEY_DELETE, "\033[3~" },
	{ "S-Tab", TUI_KEY_BACKTAB, "\033[Z" },
	{ "F1", TUI_KEY_F1, "\033OP" },
	{ "F5", TUI_KEY_F1 + 4, "\033[15~" },
	{ "F9", TUI_KEY_F1 + 8, "\033[20~" },
	{ "F10", TUI_KEY_F1 + 9, "\033[21~" },
	{ "F11", TUI_KEY_F1 + 10, "\033[23~" },
	{ "S-F11", TUI_KEY_F1 + 22, "\033[23;2~" },
};

static void
push_key(struct null_screen *null, uint32_t key, const char *bytes,
	size_t length)
{
	struct tui_event event = { .kind = TUI_EVENT_KEY,
		.key = key,
		.length = FX_MIN(length, sizeof(event.bytes)) };

	memcpy(event.bytes, bytes, event.length);
	fx_vec_push(&null->events, event);
}

/* "Press 10,20", at row and column. */
static bool
push_mouse(struct null_screen *null, const char *name)
{
	static const char *const words[] = { [TUI_MOUSE_PRESS] = "Press",
		[TUI_MOUSE_RELEASE] = "Release",
		[TUI_MOUSE_DRAG] = "Drag",
		[TUI_MOUSE_UP] = "Wheel-up",
		[TUI_MOUSE_DOWN] = "Wheel-down" };
	struct tui_event event = { .kind = TUI_EVENT_MOUSE };
	char word[16];

	if (sscanf(name, "%15s %d,%d", word, &event.row, &event.column) != 3)
		return false;
	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++) {
		if (strcmp(words[i], word) != 0)
			continue;
		event.mouse = (enum tui_mouse)i;
		fx_vec_push(&null->events, event);
		return true;
	}
	return false;
}

/* NAME is what stands between < and >. */
static bool
push_named(struct null_screen *null, const char *name)
{
	struct tui_event event = { .kind = TUI_EVENT_INTERRUPT };
	unsigned rows;
	unsigned columns;

	for (size_t i = 0; i < FX_ARRAY_LEN(named); i++) {
		if (strcmp(named[i].name, name) != 0)
			continue;
		push_key(null, named[i].key, named[i].bytes,
			strlen(named[i].bytes));
		return true;
	}
	if (strncmp(name, "C-", 2) == 0 && name[2] && !name[3]) {
		char byte = (char)TUI_CTRL(name[2]);

		push_key(null, (uint32_t)byte, &byte, 1);
		return true;
	}
	if (strncmp(name, "A-", 2) == 0 && name[2] && !name[3]) {
		char bytes[] = { '\033', name[2] };

		push_key(null, TUI_ALT(name[2]), bytes, sizeof(bytes));
		return true;
	}
	if (push_mouse(null, name))
		return true;
	if (sscanf(name, "Resize %ux%u", &columns, &rows) == 2) {
		event.kind = TUI_EVENT_RESIZE;
		event.key = rows << 16 | columns;
	} else if (strncmp(name, "Paste ", 6) == 0) {
		event.kind = TUI_EVENT_PASTE;
		fx_vec_push(&null->pasted, fx_xstrdup(name + 6));
		event.text = fx_vec_last(&null->pasted);
	} else if (strcmp(name, "Hangup") == 0) {
		event.kind = TUI_EVENT_HANG_UP;
	} else if (strcmp(name, "Interrupt") != 0) {
		return false;
	}
	fx_vec_push(&null->events, event);
	return true;
}

bool
fxt_null_screen_keys(struct tui_screen *screen, const char *keys)
{
	struct null_screen *null = screen->context;
	size_t length = strlen(keys);

	while (length) {
		const char *end = *keys == '<' ? strchr(keys, '>') : NULL;
		uint32_t code;
		size_t used;

		if (end) {
			FX_AUTO_FREE char *name =
				fx_xstrndup(keys + 1, (size_t)(end - keys) - 1);

			if (!push_named(null, name))
				return false;
			used = (size_t)(end - keys) + 1;
		} else {
			used = fx_utf8_decode(keys, length, &code);
			push_key(null, code, keys, used);
		}
		keys += used;
		length -= used;
	}
	return true;
}

void
fxt_null_screen_on_idle(struct tui_screen *screen,
	fxt_null_screen_idle_fn *idle, void *context)
{
	struct null_screen *null = screen->context;

	null->idle = idle;
	null->idle_context = context;
}
