/* draw.c - which part of a graph is drawn, and as text. */
#include <config.h>

#include "draw/draw.h"

#include "base/buf.h"
#include "base/compiler.h"
#include "draw/box.h"
#include "draw/draw_part.h"
#include "ir/graph.h"

/* Whether one of the COUNT ascending POSITIONS lies in [FIRST, FIRST+FOLDED);
 * *AT walks along.
 */
static bool
is_wanted(const struct fx_draw_options *options, const struct fx_dag_node *node,
	size_t *at)
{
	while (*at < options->count && options->positions[*at] < node->origin)
		(*at)++;
	return *at < options->count &&
	       options->positions[*at] < node->origin + node->folded;
}

static struct fx_dag *
wanted_part(const struct fx_dag *dag, const struct fx_draw_options *options)
{
	FX_VEC(size_t) numbers = { 0 };
	struct fx_dag *part;
	size_t at = 0;

	for (size_t i = 0; i < dag->count; i++)
		if (is_wanted(options, &dag->nodes[i], &at))
			fx_vec_push(&numbers, i);
	part = fx_dag_part(dag, numbers.items, numbers.count);
	for (size_t i = 0; i < part->count; i++)
		part->nodes[i].origin = dag->nodes[numbers.items[i]].origin;
	fx_vec_deinit(&numbers);
	return part;
}

/* The number of the node that stands for position CENTER, or -1. */
static int
number_of(const struct fx_dag *dag, size_t center)
{
	for (size_t i = 0; i < dag->count; i++)
		if (center >= dag->nodes[i].origin &&
			center < (size_t)dag->nodes[i].origin +
					 dag->nodes[i].folded)
			return (int)i;
	return -1;
}

/* The first LIMIT nodes. */
static struct fx_dag *
head_of(const struct fx_dag *dag, size_t limit)
{
	FX_VEC(size_t) numbers = { 0 };
	struct fx_dag *part;

	for (size_t i = 0; i < dag->count && i < limit; i++)
		fx_vec_push(&numbers, i);
	part = fx_dag_part(dag, numbers.items, numbers.count);
	fx_vec_deinit(&numbers);
	return part;
}

static struct fx_dag *
around(const struct fx_dag *dag, size_t number,
	const struct fx_draw_options *options, size_t *left_out_ret)
{
	struct fx_box_window window = { .center = number,
		.hops = options->hops,
		.limit = options->limit,
		.hub_limit = options->hub_limit };
	FX_AUTO_FREE size_t *numbers = NULL;
	size_t count;

	fx_box_window(dag, &window, &numbers, &count, left_out_ret);
	return fx_dag_part(dag, numbers, count);
}

struct fx_dag *
fx_draw_part(struct fx_graph *graph, const struct fx_draw_options *options,
	int *marked_ret, struct fx_draw_report *report)
{
	struct fx_dag *dag = options->fold > 0
				     ? fx_dag_fold(graph, options->fold)
				     : fx_dag_of_graph(graph);
	size_t center = options->center;
	struct fx_dag *part = NULL;
	int number;

	*report = (struct fx_draw_report){ 0 };
	if (options->positions) {
		part = wanted_part(dag, options);
		fx_dag_free(dag);
		dag = part;
	}
	number = number_of(dag, center);
	if (!options->positions && number >= 0) {
		part = around(dag, (size_t)number, options, &report->left_out);
		fx_dag_free(dag);
		dag = part;
		/* Origins are numbers of the walked graph now. */
		center = (size_t)number;
		number = -1;
		for (size_t i = 0; i < dag->count; i++)
			if (dag->nodes[i].origin == center)
				number = (int)i;
	} else if (dag->count > options->limit) {
		report->left_out = dag->count - options->limit;
		part = head_of(dag, options->limit);
		fx_dag_free(dag);
		dag = part;
		number = number < (int)dag->count ? number : -1;
	}
	report->drawn = dag->count;
	*marked_ret = number;
	return dag;
}

void
fx_draw_text(struct fx_graph *graph, const struct fx_draw_options *options,
	struct fx_buf *out, struct fx_draw_report *report)
{
	struct fx_draw_options cut = *options;
	struct fx_box_style style = { .lines = options->lines,
		.tiny = options->tiny,
		.label = FX_BOX_LABEL };
	static const int labels[] = { FX_BOX_LABEL, 16, 12, 8, 5 };
	FX_AUTO_DAG struct fx_dag *dag = NULL;
	FX_AUTO_CANVAS struct fx_canvas *grid = NULL;

	cut.limit = FX_MIN(cut.limit, FX_BOX_MAX);
	dag = fx_draw_part(graph, &cut, &style.marked, report);
	grid = fx_box_draw(dag, &style);
	/* Lower boxes first, then shorter names. */
	for (size_t i = 0; i < FX_ARRAY_LEN(labels) && options->width > 0 &&
			   grid->columns > options->width;
		i++) {
		style.tiny = true;
		style.label = labels[i];
		fx_canvas_free(grid);
		grid = fx_box_draw(dag, &style);
	}
	fx_canvas_print(grid, out);
}
