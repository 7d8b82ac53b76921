/* view_node.c - the selected node in full. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "session/node_text.h"
#include "ui/tui/tui_private.h"

enum {
	USERS_SHOWN = 50,
};

static void
add_shape(struct tui_text *text, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf shape = { 0 };

	fx_node_text_shape(&shape, node, false);
	if (shape.length)
		tui_text_addf(text, FX_ROLE_SHAPE, "  %s", fx_buf_text(&shape));
}

/* Add a line with WORD, %name, the node's state, HOW the node is used, and its
 * shape.
 */
static void
add_neighbour(struct tui *tui, struct tui_text *text, const char *word,
	const struct fx_node *node, const char *how)
{
	const char *state = fx_model_state(tui_model(tui), node);

	tui_text_addf(text, FX_ROLE_MUTED, "%-5s", word);
	tui_text_addf(text, FX_ROLE_NODE, "%%%s", node->name);
	tui_text_addf(text, FX_ROLE_STATE, " %s", tui_state(tui, state));
	tui_text_addf(text, FX_ROLE_MUTED, "%s", how);
	add_shape(text, node);
	tui_text_end_line(text);
}

static void
add_edges(struct tui *tui, struct tui_text *text, const struct fx_node *node)
{
	const struct fx_use *use;
	size_t shown = 0;

	for (size_t i = 0; i < fx_node_input_count(node); i++)
		add_neighbour(tui, text, "in", fx_node_input(node, i), "");
	fx_node_for_each_user (use, node) {
		FX_AUTO_BUF struct fx_buf how = { 0 };

		if (shown++ == USERS_SHOWN) {
			tui_text_addf(text, FX_ROLE_MUTED, "     +%u more",
				node->user_count - USERS_SHOWN);
			tui_text_end_line(text);
			break;
		}
		fx_node_text_use(&how, use->user, node);
		add_neighbour(tui, text, "user", use->user, fx_buf_text(&how));
	}
}

static void
add_place(struct tui_text *text, const struct fx_node *node)
{
	if (node->scope) {
		tui_text_addf(text, FX_ROLE_MUTED, "scope ");
		tui_text_addf(text, FX_ROLE_SCOPE, "%s", node->scope->path);
		if (node->scope->class_name)
			tui_text_addf(text, FX_ROLE_MUTED, "  %s",
				node->scope->class_name);
		tui_text_end_line(text);
	}
	for (size_t i = 0; node->source && i < node->source->count; i++) {
		const struct fx_source_frame *frame = &node->source->frames[i];

		tui_text_addf(text, FX_ROLE_PATH, "%s:%d",
			frame->file ? frame->file : "?", frame->line);
		if (frame->text)
			tui_text_addf(text, FX_ROLE_COMMENT, "  %s",
				frame->text);
		tui_text_end_line(text);
	}
}

void
tui_show_anew(struct tui_view *view, const struct fx_node *node,
	uint64_t *shown)
{
	uint64_t id = node ? node->id : 0;

	if (id != *shown)
		view->top = 0;
	*shown = id;
}

static void
add_node(struct tui *tui, struct tui_text *text, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };

	tui_text_addf(text, FX_ROLE_NODE, "%s", node->name);
	tui_text_addf(text, FX_ROLE_NUMBER, "  @%zu",
		fx_graph_position(node->graph, node));
	tui_text_end_line(text);
	tui_text_addf(text, FX_ROLE_OP, "%s", fx_node_text_opcode(node));
	tui_text_addf(text, FX_ROLE_TARGET, " %s", node->target);
	tui_text_end_line(text);
	add_edges(tui, text, node);
	fx_node_text_line(&line, node);
	tui_text_add(text, FX_ROLE_COMMENT, fx_buf_text(&line), line.length);
	tui_text_end_line(text);
	add_place(text, node);
}

static void
node_refresh(struct tui *tui, int columns)
{
	const struct fx_node *node = tui_selected(tui);
	struct tui_text lines = { 0 };

	tui_text_clear(&tui->node);
	tui->node.width = columns;
	tui_show_anew(&tui->views[TUI_VIEW_NODE], node, &tui->node_shown);
	if (!node)
		return;
	add_node(tui, &lines, node);
	tui_text_add_lines(&tui->node, &lines);
	tui_text_deinit(&lines);
}

static void
node_deinit(struct tui *tui)
{
	tui_text_deinit(&tui->node);
}

void
tui_node_init(struct tui *tui)
{
	tui->views[TUI_VIEW_NODE].deinit = node_deinit;
	tui->views[TUI_VIEW_NODE].refresh = node_refresh;
	tui->views[TUI_VIEW_NODE].source = tui_text_source(&tui->node);
}
