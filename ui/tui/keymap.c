/* keymap.c - actions and the keys that name them. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/utf8.h"
#include "ui/tui/action.h"
#include "ui/tui/screen.h"

static const struct tui_action actions[] = {
#define TUI_COMMAND(id, line, counts, help) \
	[TUI_ACTION_##id] = { line, NULL, help, false, counts },
#define TUI_START(id, line, counts, help) \
	[TUI_ACTION_##id] = { line, NULL, help, true, counts },
#define TUI_SCREEN(id, function, counts, help) \
	[TUI_ACTION_##id] = { NULL, tui_do_##function, help, false, counts },
#include "ui/tui/actions.def"
};

/* Where the groups of actions begin. */
static const struct {
	enum tui_action_id first;
	const char *title;
} groups[] = {
	{ TUI_ACTION_STEP, "Running" },
	{ TUI_ACTION_BREAK, "Stops" },
	{ TUI_ACTION_UNDO, "Edits" },
	{ TUI_ACTION_DOWN, "Moving" },
	{ TUI_ACTION_INPUT, "Going along the graph" },
	{ TUI_ACTION_SEARCH, "Searching" },
	{ TUI_ACTION_VALUE_NEXT, "Values" },
	{ TUI_ACTION_FOCUS_NEXT, "The screen" },
};

const char *
tui_action_group(enum tui_action_id id)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(groups); i++)
		if (groups[i].first == id)
			return groups[i].title;
	return NULL;
}

enum {
#define TUI_VIEW(id, word, title, init, place) PANES_##id = 1u << TUI_VIEW_##id,
#include "commands/shell/panes.def"
	PANES_ALL = (1u << TUI_VIEW_CMD) - 1,
	PANES_NOT_STOPS = PANES_ALL & ~PANES_STOPS,
};

struct binding {
	unsigned panes;
	struct tui_key_row row;
};

static const struct binding bindings[] = {
#define TUI_KEY(panes, key, name, action) \
	{ PANES_##panes, { (key), name, TUI_ACTION_##action } },
#include "ui/tui/keys.def"
};

const struct tui_action *
tui_action_at(enum tui_action_id id)
{
	return &actions[id];
}

const struct tui_action *
tui_keymap_find(enum tui_view_id view, uint32_t key)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(bindings); i++)
		if (bindings[i].row.key == key && bindings[i].panes >> view & 1)
			return &actions[bindings[i].row.action];
	return NULL;
}

bool
tui_keymap_at(enum tui_view_id view, size_t index, struct tui_key_row *ret)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(bindings); i++) {
		if (!(bindings[i].panes >> view & 1) || index--)
			continue;
		*ret = bindings[i].row;
		return true;
	}
	return false;
}

/* The character that TEXT is, or 0. */
static uint32_t
character(const char *text)
{
	size_t length = strlen(text);
	uint32_t code;

	return length && fx_utf8_decode(text, length, &code) == length &&
			       code > ' ' && code != TUI_KEY_BACKSPACE &&
			       code != 0xfffd
		       ? code
		       : 0;
}

uint32_t
tui_key_named(const char *name)
{
	static const struct {
		const char *text;
		enum {
			CTRL,
			ALT,
			AFTER_CTRL_X
		} kind;
	} before[] = { { "ctrl-x ", AFTER_CTRL_X }, { "c-x ", AFTER_CTRL_X },
		{ "ctrl-", CTRL }, { "c-", CTRL }, { "alt-", ALT },
		{ "m-", ALT } };
	char *end;
	unsigned long number;

	if (character(name))
		return character(name);
	for (size_t i = 0; i < FX_ARRAY_LEN(bindings); i++)
		if (strcasecmp(bindings[i].row.name, name) == 0)
			return bindings[i].row.key;
	for (size_t i = 0; i < FX_ARRAY_LEN(before); i++) {
		size_t length = strlen(before[i].text);
		uint32_t code;

		if (strncasecmp(name, before[i].text, length) != 0)
			continue;
		code = character(name + length);
		if (before[i].kind == AFTER_CTRL_X)
			return code ? TUI_CTRL_X(code) : 0;
		if (before[i].kind == ALT)
			return code ? TUI_ALT(code) : 0;
		return code < 0x80 && isalpha((int)code) ? TUI_CTRL(code) : 0;
	}
	number = strchr("Ff", *name) && *name ? strtoul(name + 1, &end, 10) : 0;
	return number >= 1 && number <= 24 && !*end
		       ? TUI_KEY_F1 + (uint32_t)number - 1
		       : 0;
}
