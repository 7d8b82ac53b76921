/* view_source.c - the model's own Python around the line that made the selected
 * node; after up, down and frame, around the line that was chosen.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "session/position.h"
#include "session/source.h"
#include "ui/tui/tui_private.h"

enum {
	NUMBER_COLUMNS = 8, /* "=>   93 " */
};

static void
take_lines(struct tui_text *text, const char *at)
{
	while (*at) {
		size_t length = strcspn(at, "\n");

		tui_text_add(text,
			at[strspn(at, " \t")] == '#' ? FX_ROLE_COMMENT
						     : FX_ROLE_PLAIN,
			at, length);
		tui_text_end_line(text);
		at += length + (at[length] == '\n');
	}
}

/* The file that FRAME names, once: a file that cannot be read is the one line
 * that the graph knows of it.
 */
static void
read_file(struct tui *tui, const struct fx_model *model,
	const struct fx_source_frame *frame)
{
	struct tui_listing *listing = &tui->listing;
	const char *file = fx_intern(frame->file);
	FX_AUTO_FREE char *text = NULL;

	if (listing->file == file &&
		listing->serial == fx_model_graph(model)->serial)
		return;
	listing->file = file;
	listing->serial = fx_model_graph(model)->serial;
	tui_text_clear(&listing->text);
	text = fx_source_read(model, frame);
	if (text)
		take_lines(&listing->text, text);
}

static void
show_frame(struct tui *tui, const struct fx_model *model,
	const struct fx_source_frame *frame)
{
	struct tui_listing *listing = &tui->listing;
	size_t count;

	listing->line = 0;
	if (!frame || !frame->file)
		return;
	read_file(tui, model, frame);
	count = tui_text_count(&listing->text);
	if (!count && frame->text) {
		take_lines(&listing->text, frame->text);
		listing->file = NULL; /* another line of it is another text */
	}
	listing->line = count ? frame->line : 1;
	/* The heading is a row. */
	tui_view_go(&tui->views[TUI_VIEW_SOURCE], (size_t)listing->line);
}

/* What was chosen last counts: a node in the graph, or a frame. */
static void
source_refresh(struct tui *tui, int columns)
{
	struct tui_listing *listing = &tui->listing;
	const struct fx_model *model = tui_model(tui);
	const struct fx_node *node = tui_selected(tui);
	uint64_t id = node ? node->id : 0;
	size_t location = model ? fx_position_location(model) : 0;
	struct fx_source_frame chosen;
	bool is_same = id == listing->node && location == listing->location &&
		       model &&
		       listing->serial == fx_model_graph(model)->serial;

	(void)columns;
	if (!model || !node) {
		tui_text_clear(&listing->text);
		listing->file = NULL;
		listing->line = 0;
		return;
	}
	if (is_same)
		return;
	listing->is_frame = location != listing->location &&
			    fx_source_selected(model, &chosen);
	listing->node = id;
	listing->location = location;
	if (listing->is_frame)
		show_frame(tui, model, &chosen);
	else
		show_frame(tui, model,
			node->source && node->source->count
				? &node->source->frames[0]
				: NULL);
	listing->serial = fx_model_graph(model)->serial;
}

static void
paint_head(const struct tui *tui, const struct fx_area *area)
{
	const struct tui_listing *listing = &tui->listing;
	int column;

	if (!listing->line) {
		fx_area_text(area, 0, 0, FX_LOOK(MUTED),
			"no line of source made this node");
		return;
	}
	column = fx_area_text(area, 0, 0, FX_LOOK(PATH),
		listing->file ? listing->file : "the file cannot be read");
	if (listing->is_frame)
		fx_area_text(area, 0, column + 2, FX_LOOK(MUTED),
			"frame chosen");
}

/* Whether execution stands at line LINE of the file: in the chosen frame, or
 * before a node that was made there.
 */
static bool
is_stop(const struct tui *tui, int line)
{
	const struct tui_listing *listing = &tui->listing;
	const struct fx_model *model = tui_model(tui);
	struct fx_graph *graph = fx_position_graph(model);
	const struct fx_node *node;
	size_t stop;

	if (listing->is_frame)
		return line == listing->line;
	if (!fx_position_in(model, graph, &stop) || stop >= graph->node_count)
		return false;
	node = fx_graph_at(graph, stop);
	if (!listing->file)
		return node->id == listing->node && line == listing->line;
	return node->source && node->source->count &&
	       node->source->frames[0].line == line &&
	       node->source->frames[0].file == listing->file;
}

static void
source_row(void *context, size_t index, const struct fx_area *area)
{
	const struct tui *tui = context;
	const struct tui_listing *listing = &tui->listing;
	struct fx_area rest = fx_area_part(area, 0, NUMBER_COLUMNS, 1,
		area->columns - NUMBER_COLUMNS);
	char number[24];

	if (index == 0) {
		paint_head(tui, area);
		return;
	}
	if (is_stop(tui, (int)index))
		fx_area_text(area, 0, 0, FX_LOOK(CURRENT), "=>");
	else if (index == (size_t)listing->line)
		fx_area_text(area, 0, 1, FX_LOOK(MUTED), ">");
	snprintf(number, sizeof(number), "%5zu", index);
	if (listing->file)
		fx_area_text(area, 0, 2, FX_LOOK(NUMBER), number);
	tui_text_paint(&listing->text, index - 1, &rest, 0,
		tui->views[TUI_VIEW_SOURCE].skip);
}

static size_t
source_count(void *context)
{
	const struct tui *tui = context;

	return 1 + (tui->listing.line ? tui_text_count(&tui->listing.text) : 0);
}

static bool
source_has(void *context, size_t index, const char *words)
{
	const struct tui *tui = context;

	return index && tui->listing.line &&
	       tui_text_has(&tui->listing.text, index - 1, words);
}

/* The node after the selected one that the line at the cursor made. */
void
tui_do_source_go(struct tui *tui)
{
	const struct fx_node *selected = tui_selected(tui);
	const struct tui_listing *listing = &tui->listing;
	int line = (int)tui->views[TUI_VIEW_SOURCE].selected;
	const struct fx_node *first = NULL;
	const struct fx_node *next = NULL;
	bool is_past = false;
	const struct fx_node *node;

	if (!selected || !listing->file)
		return;
	fx_graph_for_each_node (node, selected->graph) {
		bool is_of = false;

		for (size_t i = 0; node->source && i < node->source->count; i++)
			is_of |= node->source->frames[i].line == line &&
				 node->source->frames[i].file == listing->file;
		if (is_of && !first)
			first = node;
		if (is_of && is_past && !next)
			next = node;
		is_past |= node == selected;
	}
	if (first)
		tui_jump(tui, next ? next : first);
	else
		tui_note(tui, "no node of this line");
}

static void
source_deinit(struct tui *tui)
{
	tui_text_deinit(&tui->listing.text);
}

void
tui_source_init(struct tui *tui)
{
	struct tui_view *view = &tui->views[TUI_VIEW_SOURCE];

	view->has_selection = true;
	view->deinit = source_deinit;
	view->refresh = source_refresh;
	view->source = (struct tui_source){ .context = tui,
		.count = source_count,
		.row = source_row,
		.has = source_has };
}
