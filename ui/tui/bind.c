/* bind.c - keys of the user's own: each is a command line, with what is
 * selected filled in.
 */
#include <config.h>

#include "ui/tui/bind.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "base/str.h"
#include "session/position.h"
#include "ui/tui/graph_rows.h"
#include "ui/tui/tui_private.h"

static const char *const words[] = {
#define TUI_VIEW(id, word, title, init, place) [TUI_VIEW_##id] = word,
#include "commands/shell/panes.def"
};

static void
free_binding(struct tui_binding *binding)
{
	free(binding->name);
	free(binding->line);
}

void
tui_bindings_deinit(struct tui_bindings *bindings)
{
	struct tui_binding *binding;

	fx_vec_for_each (binding, &bindings->items)
		free_binding(binding);
	fx_vec_deinit(&bindings->items);
}

/* The pane called by the LENGTH bytes of TEXT, as bits; the command line has no
 * keys of ours.
 */
static struct fx_error *
read_panes(const char *text, size_t length, unsigned *ret)
{
	FX_AUTO_FREE char *word = fx_xstrndup(text, length);
	FX_AUTO_BUF struct fx_buf names = { 0 };

	*ret = strcmp(word, "all") == 0 ? (1u << TUI_VIEW_CMD) - 1 : 0;
	for (int i = 0; i < TUI_VIEW_CMD; i++) {
		if (strcmp(words[i], word) == 0)
			*ret = 1u << i;
		fx_buf_addf(&names, ", %s", words[i]);
	}
	return *ret ? NULL
		    : fx_error_new(FX_ERR_NO_NAME,
			      "bind: no pane \"%s\"; there are all%s", word,
			      fx_buf_text(&names));
}

/* The end of the key that TEXT begins with: two words after Ctrl-x, one else,
 * which may be "=".
 */
static const char *
end_of_key(const char *text)
{
	const char *end = text + strcspn(text, " \t");
	const char *second = end + strspn(end, " \t");

	if (*second && *second != '=')
		end = second + strcspn(second, " \t=");
	return end;
}

static struct fx_error *
read_key(const char *text, const char *end, struct tui_binding *ret)
{
	ret->name = fx_xstrndup(text, (size_t)(end - text));
	ret->key = tui_key_named(ret->name);
	if (ret->key == TUI_CTRL('c') || ret->key == TUI_CTRL('z'))
		return fx_error_new(FX_ERR_USAGE,
			"bind: %s is the terminal's, it interrupts or suspends",
			ret->name);
	if (ret->key)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NO_NAME, "bind: no key \"%s\"",
				     ret->name),
		"a character, Ctrl-x, Alt-x, F5, Space, or a name that ? "
		"shows");
}

static struct fx_error *
usage(void)
{
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "bind: expected PANE KEY = COMMAND"),
		"bind graph X = node %%(node)");
}

static struct fx_error *
read_binding(const char *text, struct tui_binding *ret)
{
	size_t length = strcspn(text, " \t");
	const char *key = text + length + strspn(text + length, " \t");
	const char *end = end_of_key(key);
	const char *equals = end + strspn(end, " \t");
	struct fx_error *err;

	if (!*key || *equals != '=')
		return usage();
	err = read_panes(text, length, &ret->panes);
	if (err)
		return err;
	ret->line = fx_xstrdup(equals + 1 + strspn(equals + 1, " \t"));
	return read_key(key, end, ret);
}

/* The panes of BINDING have another meaning for its key now. */
static void
forget(struct tui_bindings *bindings, const struct tui_binding *binding)
{
	for (size_t i = bindings->items.count; i-- > 0;) {
		struct tui_binding *old = &bindings->items.items[i];

		if (old->key == binding->key)
			old->panes &= ~binding->panes;
		if (old->panes)
			continue;
		free_binding(old);
		fx_vec_remove(&bindings->items, i);
	}
}

struct fx_error *
tui_bindings_add(struct tui_bindings *bindings, const char *text)
{
	struct tui_binding binding = { 0 };
	struct fx_error *err = read_binding(text, &binding);

	if (!err)
		forget(bindings, &binding);
	if (err || !*binding.line)
		free_binding(&binding);
	else
		fx_vec_push(&bindings->items, binding);
	return err;
}

const struct tui_binding *
tui_bind_find(const struct tui *tui, uint32_t key)
{
	const struct tui_binding *binding;

	fx_vec_for_each (binding, &tui->bindings->items)
		if (binding->key == key && binding->panes >> tui->focus & 1)
			return binding;
	return NULL;
}

/* --- what is filled in --------------------------------------------------- */

static const char *
node_name(struct tui *tui, struct fx_buf *room)
{
	const struct fx_node *node = tui_selected(tui);

	(void)room;
	return node ? node->name : NULL;
}

static const char *
node_scope(struct tui *tui, struct fx_buf *room)
{
	(void)room;
	return tui_graph_scope_of(tui, tui->views[TUI_VIEW_GRAPH].selected);
}

static const char *
node_index(struct tui *tui, struct fx_buf *room)
{
	const struct fx_node *node = tui_selected(tui);

	if (!node)
		return NULL;
	fx_buf_addf(room, "%zu", fx_graph_position(node->graph, node));
	return fx_buf_text(room);
}

static const char *
graph_name(struct tui *tui, struct fx_buf *room)
{
	const struct fx_model *model = tui_model(tui);

	(void)room;
	return model ? fx_model_name(model) : NULL;
}

static const char *
typed_text(struct tui *tui, struct fx_buf *room)
{
	FX_AUTO_FREE char *typed = tui_ask(tui, "%(prompt): ");

	if (!typed || !*typed)
		return NULL;
	fx_buf_add(room, typed);
	return fx_buf_text(room);
}

/* What can be filled in; GET may use ROOM for it, and gives NULL when there is
 * nothing.
 */
static const struct variable {
	const char *text;
	const char *(*get)(struct tui *tui, struct fx_buf *room);
	const char *missing;
} variables[] = {
	{ "%(node)", node_name, "no node is selected" },
	{ "%(index)", node_index, "no node is selected" },
	{ "%(scope)", node_scope, "the node is in no module" },
	{ "%(graph)", graph_name, "no graph is open" },
	{ "%(prompt)", typed_text, "nothing was typed" },
};

/* What TEXT begins with, or NULL. */
static const struct variable *
variable_at(const char *text)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(variables); i++)
		if (fx_str_starts(text, variables[i].text))
			return &variables[i];
	return NULL;
}

void
tui_bind_run(struct tui *tui, const struct tui_binding *binding)
{
	/* The command may bind anew. */
	FX_AUTO_FREE char *line = fx_xstrdup(binding->line);
	FX_AUTO_BUF struct fx_buf out = { 0 };

	for (const char *at = line; *at;) {
		const struct variable *variable = variable_at(at);
		FX_AUTO_BUF struct fx_buf room = { 0 };
		const char *text;

		if (!variable) {
			fx_buf_add_char(&out, *at++);
			continue;
		}
		text = variable->get(tui, &room);
		if (!text) {
			tui_note(tui, "%s", variable->missing);
			return;
		}
		fx_buf_add(&out, text);
		at += strlen(variable->text);
	}
	tui_run_line(tui, fx_buf_text(&out));
}
