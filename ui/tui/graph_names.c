/* graph_names.c - names of nodes and modules in the graph pane, where there may
 * be less room than they take.
 */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/str.h"
#include "base/utf8.h"
#include "session/position.h"
#include "ui/tui/graph_rows.h"
#include "ui/tui/tui_private.h"

enum {
	LOOKED_AT = 100, /* nodes */
};

/* A word that is neither a number nor ends with one: its first letter stands
 * for it, and the number stays.  "layer12" is l12, "3b" stays.
 */
static void
add_short(struct fx_buf *out, const char *word, size_t length)
{
	size_t digits = 0;
	uint32_t code;

	if (!length || isdigit((unsigned char)*word)) {
		fx_buf_add_n(out, word, length);
		return;
	}
	while (digits < length &&
		isdigit((unsigned char)word[length - digits - 1]))
		digits++;
	fx_buf_add_n(out, word, fx_utf8_decode(word, length, &code));
	fx_buf_add_n(out, word + length - digits, digits);
}

/* NAME with as few as possible of its words short, from the first on, so that
 * it takes ROOM columns; false, when it cannot or no number would be lost
 * otherwise.
 */
static bool
shorten(const char *name, size_t room, struct fx_buf *out)
{
	const char *last = strrchr(name, '_');
	size_t numbered = strcspn(name, "0123456789");
	FX_AUTO_BUF struct fx_buf begin = { 0 };
	const char *at = name;

	if (!last || name + numbered >= last)
		return false;
	while (at < last) {
		size_t length = strcspn(at, "_");

		add_short(&begin, at, length);
		fx_buf_add_char(&begin, '_');
		at += length + 1;
		fx_buf_clear(out);
		fx_buf_add(out, fx_buf_text(&begin));
		fx_buf_add(out, at);
		if (fx_utf8_text_width(fx_buf_text(out), out->length) <= room)
			return true;
	}
	/* "l1_0_c1": then the last one, too, if a number tells it apart. */
	if (!isdigit((unsigned char)name[strlen(name) - 1]))
		return false;
	fx_buf_clear(out);
	fx_buf_add(out, fx_buf_text(&begin));
	add_short(out, at, strlen(at));
	return fx_utf8_text_width(fx_buf_text(out), out->length) <= room;
}

/* NAME without its middle: the end distinguishes it from its neighbours. */
static void
cut_middle(const char *name, size_t room, const char *more, struct fx_buf *out)
{
	size_t length = strlen(name);
	const char *tail = name;
	uint32_t code;

	fx_buf_clear(out);
	fx_buf_add_n(out, name, fx_utf8_fit(name, length, room / 2));
	while (fx_utf8_text_width(tail, strlen(tail)) > room - room / 2 - 1)
		tail += fx_utf8_decode(tail, strlen(tail), &code);
	fx_buf_add(out, more);
	fx_buf_add(out, tail);
}

int
tui_graph_paint_name(const struct tui *tui, const struct fx_area *area,
	const char *name)
{
	const char *more = tui->lines == FX_LINES_ASCII ? "~" : "\xe2\x80\xa6";
	size_t room = (size_t)FX_MAX(area->columns - 1, 0);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	int column = 0;

	if (room < 3 || fx_utf8_text_width(name, strlen(name)) <= room)
		return fx_area_text(area, 0, 0, FX_LOOK(NODE), name);
	if (shorten(name, room - 1, &text))
		column = fx_area_text(area, 0, 0, FX_LOOK(NODE), more);
	/* There is no room for the mark that it is short. */
	else if (!shorten(name, room, &text))
		cut_middle(name, room, more, &text);
	return fx_area_text(area, 0, column, FX_LOOK(NODE), fx_buf_text(&text));
}

/* The class of the module at PATH, which NODE belongs to, or NULL: a function
 * may not say it, but the modules called before do.
 */
static const char *
class_of(const struct fx_node *node, const char *path)
{
	for (int i = 0; node && i < LOOKED_AT; i++) {
		const struct fx_scope *scope = node->scope;

		while (scope && strcmp(scope->path, path) != 0)
			scope = scope->parent;
		if (scope)
			return scope->class_name;
		node = fx_graph_previous(node);
	}
	return NULL;
}

void
tui_graph_heading_print(struct tui *tui, struct fx_buf *out)
{
	const struct tui_view *view = &tui->views[TUI_VIEW_GRAPH];
	const struct fx_model *model = tui_model(tui);
	const char *path = tui_graph_scope_of(tui, view->top);
	const char *scope = model ? tui_graph_scope(model) : "";
	const struct fx_dag_run *run;
	const char *name;

	if (!path || strcmp(path, scope) == 0)
		return;
	run = &tui->graph.rows.runs.items[view->top];
	/* What the row itself is about needs no heading. */
	if (run->fold)
		return;
	name = class_of(fx_graph_at(fx_position_graph(model), run->first),
		path);
	fx_buf_add(out, path);
	if (name && *name)
		fx_buf_addf(out, " %s",
			strrchr(name, '.') ? strrchr(name, '.') + 1 : name);
}
