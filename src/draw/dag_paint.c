/* dag_paint.c - boxes and lines as characters.
 *
 * Lines are collected as arms (up, down, left, right) a cell, with the value
 * they belong to: arms of one value join, where two values cross the vertical
 * one stays on top, unbroken.
 */
#include <config.h>

#include "draw/layers.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "draw/box.h"
#include "draw/canvas.h"
#include "draw/dag.h"

struct canvas {
	const struct fx_layers *layers;
	const struct fx_box_style *style;
	struct fx_area area;
	uint8_t *arms;
	uint32_t *owner; /* item + 1 of the value's line, 0: none */
};

enum {
	VERTICAL = FX_ARM_UP | FX_ARM_DOWN,
	HORIZONTAL = FX_ARM_LEFT | FX_ARM_RIGHT,
};

static void
add_arms(struct canvas *canvas, int row, int column, uint32_t item,
	unsigned arms)
{
	size_t at;

	if (row < 0 || row >= canvas->area.rows || column < 0 ||
		column >= canvas->area.columns)
		return;
	at = (size_t)row * (size_t)canvas->area.columns + (size_t)column;
	if (canvas->owner[at] && canvas->owner[at] != item + 1) {
		if ((canvas->arms[at] & VERTICAL) == VERTICAL)
			return;
		canvas->arms[at] = 0;
	}
	canvas->owner[at] = item + 1;
	canvas->arms[at] |= (uint8_t)arms;
}

/* A vertical line from the middle of row FROM to the middle of row TO; where
 * it begins and ends depends on what is there.
 */
static void
add_vertical(struct canvas *canvas, int column, uint32_t item, int from, int to)
{
	for (int row = from; row <= to; row++)
		add_arms(canvas, row, column, item, VERTICAL);
}

static void
add_net(struct canvas *canvas, const struct fx_net *net)
{
	const struct fx_layer *layer = &canvas->layers->layers.items[net->rank];
	int top = layer->top + canvas->layers->box_rows;
	int bottom = top + layer->tracks - 1;
	int track = top + net->track;

	if (net->track < 0) {
		add_vertical(canvas, net->source, net->item, top, bottom);
		return;
	}
	add_vertical(canvas, net->source, net->item, top + net->first_row,
		track - 1);
	for (int x = net->left; x <= net->right; x++)
		add_arms(canvas, track, x, net->item,
			(x > net->left ? FX_ARM_LEFT : 0u) |
				(x < net->right ? FX_ARM_RIGHT : 0u));
	add_arms(canvas, track, net->source, net->item, FX_ARM_UP);
	for (size_t i = 0; i < net->targets.count; i++) {
		add_arms(canvas, track, net->targets.items[i], net->item,
			FX_ARM_DOWN);
		if (!net->is_cut)
			add_vertical(canvas, net->targets.items[i], net->item,
				track + 1, bottom);
	}
}

static void
add_passage(struct canvas *canvas, uint32_t number)
{
	const struct fx_item *item = &canvas->layers->items.items[number];
	int top = canvas->layers->layers.items[item->rank].top;

	add_vertical(canvas, item->x, number, top,
		top + canvas->layers->box_rows - 1);
}

static void
paint_lines(struct canvas *canvas)
{
	for (int row = 0; row < canvas->area.rows; row++) {
		for (int x = 0; x < canvas->area.columns; x++) {
			size_t at = (size_t)row * (size_t)canvas->area.columns +
				    (size_t)x;

			if (canvas->arms[at])
				fx_area_put(&canvas->area, row, x,
					FX_LOOK(BORDER),
					fx_lines_code(canvas->style->lines,
						canvas->arms[at]));
		}
	}
}

/* A piece of a box's frame. */
static void
put_arms(struct canvas *canvas, int row, int column, unsigned arms)
{
	fx_area_put(&canvas->area, row, column, FX_LOOK(BORDER),
		fx_lines_code(canvas->style->lines, arms));
}

static bool
is_port(const struct fx_item *item, int column)
{
	for (size_t i = 0; i < item->parents.count; i++)
		if (fx_layers_port(item, i) == column)
			return true;
	return false;
}

/* A stub on the frame for what the picture leaves out. */
static void
paint_stubs(struct canvas *canvas, const struct fx_item *item, int top,
	int right)
{
	const struct fx_dag_node *node =
		&canvas->layers->dag->nodes[item->node];
	int above = item->parents.count ? right - 1 : item->x;
	int below = item->children.count ? right - 1 : item->x;

	while (above > right - item->width + 2 && is_port(item, above))
		above--;
	if (node->hides_inputs)
		put_arms(canvas, top, above, HORIZONTAL | FX_ARM_UP);
	if (node->hides_users)
		put_arms(canvas, top + 2, below, HORIZONTAL | FX_ARM_DOWN);
}

static void
paint_frame(struct canvas *canvas, const struct fx_item *item, int top,
	int left)
{
	int right = left + item->width - 1;

	for (int x = left + 1; x < right; x++) {
		put_arms(canvas, top, x, HORIZONTAL);
		put_arms(canvas, top + 2, x, HORIZONTAL);
	}
	put_arms(canvas, top, left, FX_ARM_DOWN | FX_ARM_RIGHT);
	put_arms(canvas, top, right, FX_ARM_DOWN | FX_ARM_LEFT);
	put_arms(canvas, top + 1, left, VERTICAL);
	put_arms(canvas, top + 1, right, VERTICAL);
	put_arms(canvas, top + 2, left, FX_ARM_UP | FX_ARM_RIGHT);
	put_arms(canvas, top + 2, right, FX_ARM_UP | FX_ARM_LEFT);
	for (size_t i = 0; i < item->parents.count; i++)
		put_arms(canvas, top, fx_layers_port(item, i),
			HORIZONTAL | FX_ARM_UP);
	if (item->children.count)
		put_arms(canvas, top + 2, item->x, HORIZONTAL | FX_ARM_DOWN);
	paint_stubs(canvas, item, top, right);
}

static void
paint_box(struct canvas *canvas, const struct fx_item *item)
{
	const struct fx_dag_node *node =
		&canvas->layers->dag->nodes[item->node];
	int top = canvas->layers->layers.items[item->rank].top;
	int left = item->x - (item->width - 1) / 2;
	int width = item->width - (canvas->layers->tiny ? 2 : 4);
	FX_AUTO_FREE char *label = fx_box_label(node->label,
		canvas->style->label ? canvas->style->label : FX_BOX_LABEL,
		canvas->style->lines);
	int used = (int)fx_utf8_text_width(label, strlen(label));
	struct fx_look look = canvas->style->marked == (int)item->node
				      ? FX_LOOK(CURRENT)
				      : FX_LOOK(NODE);

	if (canvas->layers->tiny) {
		fx_area_put(&canvas->area, top, left, FX_LOOK(BORDER), '[');
		fx_area_put(&canvas->area, top, left + item->width - 1,
			FX_LOOK(BORDER), ']');
		fx_area_text(&canvas->area, top, left + 1 + (width - used) / 2,
			look, label);
		return;
	}
	paint_frame(canvas, item, top, left);
	fx_area_text(&canvas->area, top + 1, left + 2 + (width - used) / 2,
		look, label);
}

void
fx_layers_paint(const struct fx_layers *layers,
	const struct fx_box_style *style, struct fx_canvas *grid)
{
	size_t cells = (size_t)grid->rows * (size_t)grid->columns + 1;
	struct canvas canvas = { .layers = layers,
		.style = style,
		.area = fx_canvas_area(grid),
		.arms = fx_xcalloc(cells, sizeof(uint8_t)),
		.owner = fx_xcalloc(cells, sizeof(uint32_t)) };

	for (size_t i = 0; i < layers->nets.count; i++)
		add_net(&canvas, &layers->nets.items[i]);
	for (size_t i = 0; i < layers->items.count; i++)
		if (!layers->items.items[i].is_box)
			add_passage(&canvas, (uint32_t)i);
	paint_lines(&canvas);
	for (size_t i = 0; i < layers->items.count; i++)
		if (layers->items.items[i].is_box)
			paint_box(&canvas, &layers->items.items[i]);
	free(canvas.arms);
	free(canvas.owner);
}
