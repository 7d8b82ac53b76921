/* node_keys.c - keys about the selected node: its stops, its edit, marks. */
#include <config.h>

#include <ctype.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "session/breakpoint.h"
#include "session/brief.h"
#include "session/position.h"
#include "ui/tui/tui_private.h"

/* The stop that stands on NODE alone, or NULL: a wider one is about more than
 * what is pointed at.
 */
static const struct fx_breakpoint *
breakpoint_at(struct tui *tui, const struct fx_node *node)
{
	size_t count = fx_breakpoint_count(tui->session);

	for (size_t i = 0; i < count; i++) {
		const struct fx_breakpoint *breakpoint =
			fx_breakpoint_at(tui->session, i);
		FX_AUTO_FREE struct fx_node **nodes = NULL;
		size_t matches;

		fx_breakpoint_nodes(tui->session, breakpoint, &nodes, &matches);
		if (!breakpoint->is_set && matches == 1 && nodes[0] == node)
			return breakpoint;
	}
	return NULL;
}

void
tui_do_break(struct tui *tui)
{
	const struct fx_node *node = tui_selected(tui);
	const struct fx_breakpoint *stop;

	if (!node)
		return;
	stop = breakpoint_at(tui, node);
	if (stop)
		tui_run_linef(tui, "delete %d", stop->number);
	else
		tui_run_linef(tui, "break %%%s", node->name);
}

void
tui_do_disable(struct tui *tui)
{
	const struct fx_node *node = tui_selected(tui);
	const struct fx_breakpoint *stop =
		node ? breakpoint_at(tui, node) : NULL;

	if (stop)
		tui_run_linef(tui, "%s %d",
			stop->is_enabled ? "disable" : "enable", stop->number);
	else
		tui_note(tui, "no stop here; b sets one");
}

/* The command line with TEXT in it; only Enter runs it. */
static void
begin_line(struct tui *tui, const char *text)
{
	tui_focus(tui, TUI_VIEW_CMD);
	tui->line->set_text(tui->line->context, text);
}

void
tui_do_filter(struct tui *tui)
{
	begin_line(tui, "filter ");
}

void
tui_do_condition(struct tui *tui)
{
	const struct fx_node *node = tui_selected(tui);
	const struct fx_breakpoint *stop =
		node ? breakpoint_at(tui, node) : NULL;
	FX_AUTO_BUF struct fx_buf line = { 0 };

	if (!node)
		return;
	if (stop)
		fx_buf_addf(&line, "condition %d %s", stop->number,
			stop->condition ? stop->condition : "");
	else
		fx_buf_addf(&line, "break %%%s if ", node->name);
	begin_line(tui, fx_buf_text(&line));
}

void
tui_do_watch(struct tui *tui)
{
	const struct fx_node *node = tui_selected(tui);

	if (node)
		tui_run_linef(tui, "watch %%%s", node->name);
}

void
tui_do_go_here(struct tui *tui)
{
	const struct fx_node *node = tui_selected(tui);

	if (node)
		tui_run_linef(tui, "goto %%%s", node->name);
}

void
tui_do_tag(struct tui *tui)
{
	const struct fx_node *node = tui_selected(tui);

	if (node)
		tui_run_linef(tui, "%s %%%s",
			fx_model_is_tagged(tui_model(tui), node->id) ? "untag"
								     : "tag",
			node->name);
}

void
tui_do_edit(struct tui *tui)
{
	const struct fx_node *node = tui_selected(tui);
	FX_AUTO_BUF struct fx_buf line = { 0 };

	if (!node)
		return;
	if (fx_brief_replace(&line, node))
		begin_line(tui, fx_buf_text(&line));
	else
		tui_note(tui, "not a call");
}

/* --- marks --------------------------------------------------------------- */

void
tui_do_mark(struct tui *tui)
{
	tui->marks.pending = TUI_MARK_SET;
	tui_note(tui, "mark with a letter");
}

void
tui_do_go_mark(struct tui *tui)
{
	tui->marks.pending = TUI_MARK_GO;
	tui_note(tui, "to which mark?");
}

static void
go_to_mark(struct tui *tui, const struct tui_mark *mark, char letter)
{
	struct fx_model *model = tui_model(tui);
	struct fx_graph *graph = model ? fx_position_graph(model) : NULL;
	const struct fx_node *node =
		graph && mark->id && mark->serial == graph->serial
			? fx_graph_find_id(graph, mark->id)
			: NULL;

	if (node)
		tui_jump(tui, node);
	else
		tui_note(tui, mark->id ? "mark %c is not here" : "no mark %c",
			letter);
}

bool
tui_mark_key(struct tui *tui, uint32_t key)
{
	enum tui_mark_pending pending = tui->marks.pending;
	const struct fx_node *node = tui_selected(tui);
	struct tui_mark *mark;

	tui->marks.pending = TUI_MARK_NONE;
	if (pending == TUI_MARK_NONE)
		return false;
	if (key >= 0x80 || !isalpha((int)key)) {
		tui_note(tui, "marks are letters");
		return true;
	}
	mark = &tui->marks.of[key];
	if (pending == TUI_MARK_GO) {
		go_to_mark(tui, mark, (char)key);
	} else if (node) {
		*mark = (struct tui_mark){ .id = node->id,
			.serial = node->graph->serial };
		tui_note(tui, "mark %c is set", (char)key);
	}
	return true;
}
