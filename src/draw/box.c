/* box.c - a box diagram: a window of a graph as boxes with routed lines. */
#include <config.h>

#include "draw/box.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/utf8.h"
#include "draw/dag.h"
#include "draw/layers.h"

char *
fx_box_label(const char *label, int columns, enum fx_lines lines)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_BUF struct fx_buf visible = { 0 };
	const char *more = lines == FX_LINES_UTF8 ? "\xe2\x80\xa6" : "~";
	const char *text;
	const char *dot;
	uint32_t code;

	fx_utf8_add_visible(&visible, label, strlen(label));
	text = fx_buf_text(&visible);
	while ((int)fx_utf8_text_width(text, strlen(text)) > columns &&
		(dot = strchr(text, '.')) && dot[1])
		text = dot + 1;
	if ((int)fx_utf8_text_width(text, strlen(text)) <= columns)
		return fx_xstrdup(text);
	fx_buf_add_n(&out, text,
		fx_utf8_fit(text, strlen(text), (size_t)columns / 3));
	fx_buf_add(&out, more);
	while ((int)fx_utf8_text_width(text, strlen(text)) >
		columns - columns / 3 - 1)
		text += fx_utf8_decode(text, strlen(text), &code);
	fx_buf_add(&out, text);
	return fx_buf_take(&out);
}

/* Boxes as wide as their labels. */
static void
measure_boxes(struct fx_layers *layers, const struct fx_box_style *style)
{
	struct fx_item *item;

	fx_vec_for_each (item, &layers->items) {
		FX_AUTO_FREE char *label = NULL;

		if (!item->is_box)
			continue;
		label = fx_box_label(layers->dag->nodes[item->node].label,
			style->label ? style->label : FX_BOX_LABEL,
			style->lines);
		item->width = (int)fx_utf8_text_width(label, strlen(label)) +
			      (layers->tiny ? 2 : 4);
	}
}

struct fx_canvas *
fx_box_draw(const struct fx_dag *dag, const struct fx_box_style *style)
{
	struct fx_layers layers = {
		.dag = dag, .tiny = style->tiny, .box_rows = style->tiny ? 1 : 3
	};
	struct fx_canvas *grid;

	fx_assert(dag->count <= FX_BOX_MAX);
	fx_layers_build(&layers);
	measure_boxes(&layers, style);
	fx_layers_order(&layers);
	fx_layers_place(&layers);
	fx_layers_route(&layers);
	grid = fx_canvas_new(layers.height, layers.width);
	fx_layers_paint(&layers, style, grid);
	fx_layers_deinit(&layers);
	return grid;
}

/* A walk in all directions from the centre, nearest first. */
struct search {
	const struct fx_dag *dag;
	const struct fx_box_window *window;
	uint32_t *first_user; /* users by node, as inputs in fx_dag */
	uint32_t *users;
	int *distance; /* -1: not seen */
	FX_VEC(size_t) found;
	size_t left_out;
};

static void
index_users(struct search *search)
{
	const struct fx_dag *dag = search->dag;
	uint32_t *at;

	search->first_user = fx_xcalloc(dag->count + 2, sizeof(uint32_t));
	search->users = fx_xcalloc(dag->input_count + 1, sizeof(uint32_t));
	for (size_t n = 0; n < dag->count; n++)
		search->first_user[n + 1] =
			search->first_user[n] + dag->nodes[n].user_count;
	at = fx_xcalloc(dag->count + 1, sizeof(*at));
	for (size_t n = 0; n < dag->count; n++) {
		const uint32_t *inputs = fx_dag_inputs(dag, n);

		for (uint32_t i = 0; i < dag->nodes[n].input_count; i++)
			search->users[search->first_user[inputs[i]] +
				      at[inputs[i]]++] = (uint32_t)n;
	}
	free(at);
}

static void
reach(struct search *search, uint32_t node, int distance)
{
	if (search->distance[node] >= 0 ||
		(search->dag->nodes[node].kind == FX_DAG_PARAMETER &&
			distance > 0))
		return;
	search->distance[node] = distance;
	if (search->found.count < search->window->limit)
		fx_vec_push(&search->found, (size_t)node);
	else
		search->left_out++;
}

static void
spread(struct search *search, size_t node)
{
	const struct fx_dag *dag = search->dag;
	const uint32_t *inputs = fx_dag_inputs(dag, node);
	int next = search->distance[node] + 1;

	if (next > search->window->hops)
		return;
	if (dag->nodes[node].user_count > search->window->hub_limit &&
		node != search->window->center)
		return;
	for (uint32_t i = 0; i < dag->nodes[node].input_count; i++)
		reach(search, inputs[i], next);
	for (uint32_t i = search->first_user[node];
		i < search->first_user[node + 1]; i++)
		reach(search, search->users[i], next);
}

void
fx_box_window(const struct fx_dag *dag, const struct fx_box_window *window,
	size_t **numbers_ret, size_t *count_ret, size_t *left_out_ret)
{
	struct search search = { .dag = dag, .window = window };

	index_users(&search);
	search.distance = fx_xmalloc((dag->count + 1) * sizeof(int));
	for (size_t n = 0; n < dag->count; n++)
		search.distance[n] = -1;
	if (window->center < dag->count)
		reach(&search, (uint32_t)window->center, 0);
	for (size_t i = 0; i < search.found.count; i++)
		spread(&search, search.found.items[i]);
	if (search.found.count)
		qsort(search.found.items, search.found.count, sizeof(size_t),
			fx_number_compare_sizes);
	free(search.first_user);
	free(search.users);
	free(search.distance);
	*numbers_ret = search.found.items;
	*count_ret = search.found.count;
	*left_out_ret = search.left_out;
}
