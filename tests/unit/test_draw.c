/* test_draw.c - cells, lanes and boxes: what holds for any graph. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "draw/box.h"
#include "draw/canvas.h"
#include "draw/dag.h"
#include "draw/lanes.h"
#include "tests/support/append.h"
#include "tests/support/random.h"
#include "tests/support/unit.h"

static const struct fx_look plain = { .role = FX_ROLE_PLAIN };

/* What GRID says, the caller's. */
static char *
text_of(const struct fx_canvas *grid)
{
	struct fx_buf buf = { 0 };

	fx_canvas_print(grid, &buf);
	return fx_buf_take(&buf);
}

static void
a_wide_character_takes_two_cells(void)
{
	FX_AUTO_CANVAS struct fx_canvas *grid = fx_canvas_new(1, 6);
	struct fx_area area = fx_canvas_area(grid);
	FX_AUTO_FREE char *text = NULL;

	FXT_EQ(fx_area_text(&area, 0, 0, plain, "a日b"), 4);
	FXT_EQ(fx_canvas_cell(grid, 0, 1)->width, 2);
	FXT_EQ(fx_canvas_cell(grid, 0, 2)->width, 0);
	FXT_EQ(fx_canvas_cell(grid, 0, 3)->code, 'b');
	text = text_of(grid);
	FXT_SAME(text, "a日b\n");
}

static void
half_of_a_wide_character_becomes_a_blank(void)
{
	FX_AUTO_CANVAS struct fx_canvas *grid = fx_canvas_new(1, 4);
	struct fx_area area = fx_canvas_area(grid);
	FX_AUTO_FREE char *text = NULL;

	fx_area_text(&area, 0, 0, plain, "日本");
	fx_area_put(&area, 0, 1, plain, 'x');
	fx_area_put(&area, 0, 2, plain, 'y');
	text = text_of(grid);
	FXT_SAME(text, " xy\n");
}

static void
a_wide_character_at_the_edge_is_left_out(void)
{
	FX_AUTO_CANVAS struct fx_canvas *grid = fx_canvas_new(1, 3);
	struct fx_area area = fx_canvas_area(grid);
	FX_AUTO_FREE char *text = NULL;

	FXT_EQ(fx_area_text(&area, 0, 0, plain, "ab日"), 4);
	text = text_of(grid);
	FXT_SAME(text, "ab\n");
}

static void
a_combining_mark_joins_the_character_before(void)
{
	FX_AUTO_CANVAS struct fx_canvas *grid = fx_canvas_new(1, 3);
	struct fx_area area = fx_canvas_area(grid);
	FX_AUTO_FREE char *text = NULL;

	FXT_EQ(fx_area_text(&area, 0, 0, plain, "e\xcc\x81x"), 2);
	text = text_of(grid);
	FXT_SAME(text, "e\xcc\x81x\n");
}

static void
nothing_is_drawn_outside_an_area(void)
{
	FX_AUTO_CANVAS struct fx_canvas *grid = fx_canvas_new(3, 5);
	struct fx_area screen = fx_canvas_area(grid);
	struct fx_area area = fx_area_part(&screen, 1, 1, 1, 3);
	struct fx_area none = fx_area_part(&screen, 9, -4, 5, 2);
	FX_AUTO_FREE char *text = NULL;

	for (int row = -3; row < 6; row++)
		fx_area_text(&area, row, -2, plain, "0123456789");
	fx_area_text(&none, 0, 0, plain, "none");
	fx_area_restyle(&area, 0, -9, 99, FX_LOOK(ERROR));
	text = text_of(grid);
	FXT_SAME(text, "\n 234\n");
	FXT_EQ(fx_canvas_cell(grid, 1, 0)->role, FX_ROLE_PLAIN);
	FXT_EQ(fx_canvas_cell(grid, 1, 1)->role, FX_ROLE_ERROR);
}

static void
control_characters_never_reach_a_grid(void)
{
	FX_AUTO_CANVAS struct fx_canvas *grid = fx_canvas_new(1, 8);
	struct fx_area area = fx_canvas_area(grid);

	fx_area_text(&area, 0, 0, plain, "\033[2J\x9b\n\xe2\x80\xae");
	for (int i = 0; i < grid->columns; i++) {
		uint32_t code = fx_canvas_cell(grid, 0, i)->code;

		CU_ASSERT(code == 0 || (code >= ' ' && code < 0x7f) ||
			  code == 0xfffd);
	}
}

/* A graph of COUNT nodes; what uses what is drawn by lot from SEED. */
static struct fx_dag *
random_dag(unsigned seed, size_t count)
{
	struct fx_dag *dag = fx_dag_new();
	struct fxt_random random = fxt_random_seed(seed);

	for (size_t n = 0; n < count; n++) {
		size_t inputs;

		fx_dag_add(dag,
			n ? (enum fx_dag_kind)fxt_random_below(&random, 5)
			  : FX_DAG_INPUT,
			fx_intern_format("n%zu_", n));
		inputs = n ? fxt_random_below(&random, 4) : 0;
		for (size_t i = 0; i < inputs; i++) {
			size_t back = 1 + fxt_random_below(&random,
						  seed % 3 ? 6 : 40);

			fx_dag_add_input(dag,
				(uint32_t)(back > n ? 0 : n - back));
		}
	}
	return dag;
}

static unsigned
arms_at(const struct fx_lanes *rails, size_t row, int lane)
{
	int count;
	const uint8_t *cells = fx_lanes_row(rails, row, &count);

	return lane < count ? cells[lane] : 0;
}

/* Every line that leaves a row downwards arrives in the next, and no other. */
static void
check_lanes(const struct fx_dag *dag, const struct fx_lanes *rails, int cap)
{
	FXT_IS(fx_lanes_width(rails), <=, cap);
	for (size_t row = 0; row < dag->count; row++) {
		int nodes = 0;

		for (int lane = 0; lane < cap; lane++) {
			unsigned here = arms_at(rails, row, lane);
			unsigned above =
				row ? arms_at(rails, row - 1, lane) : 0;

			nodes += (here & FX_LANES_NODE) != 0;
			FXT_EQ(((here & FX_ARM_UP) != 0),
				((above & FX_ARM_DOWN) != 0));
			FXT_EQ(((here & FX_ARM_RIGHT) != 0),
				((arms_at(rails, row, lane + 1) &
					 FX_ARM_LEFT) != 0));
		}
		FXT_EQ(nodes, 1);
	}
	for (int lane = 0; dag->count && lane < cap; lane++)
		CU_ASSERT(!(arms_at(rails, dag->count - 1, lane) &
			    FX_ARM_DOWN));
}

/* Inputs of ROW that a lane leads to: lanes in contact that come from above,
 * be it at the node itself.
 */
static size_t
railed_inputs(const struct fx_lanes *rails, size_t row)
{
	int count;
	const uint8_t *cells = fx_lanes_row(rails, row, &count);
	size_t inputs = 0;

	for (int i = 0; i < count; i++) {
		bool touches = cells[i] & (FX_ARM_LEFT | FX_ARM_RIGHT) ||
			       cells[i] & FX_LANES_NODE;

		inputs += touches && (cells[i] & FX_ARM_UP) &&
			  !(cells[i] & FX_LANES_CROSSED);
	}
	return inputs;
}

static void
lanes_are_whole_in_any_graph(void)
{
	for (unsigned seed = 0; seed < 200; seed++) {
		FX_AUTO_DAG struct fx_dag *dag = random_dag(seed, 60);
		struct fx_lanes_options options = { .lane_cap =
							    (int)(seed % 9) + 1,
			.hub_limit = 6,
			.reach = seed % 2 ? 200 : 10 };
		FX_AUTO_LANES struct fx_lanes *rails =
			fx_lanes_new(dag, &options);

		check_lanes(dag, rails, options.lane_cap);
	}
}

static void
every_input_has_a_lane_or_is_named(void)
{
	for (unsigned seed = 0; seed < 200; seed++) {
		FX_AUTO_DAG struct fx_dag *dag = random_dag(seed, 60);
		struct fx_lanes_options options = { .lane_cap =
							    (int)(seed % 9) + 1,
			.hub_limit = 6,
			.reach = 30 };
		FX_AUTO_LANES struct fx_lanes *rails =
			fx_lanes_new(dag, &options);

		for (size_t row = 0; row < dag->count; row++) {
			size_t named;

			fx_lanes_named(rails, row, &named);
			FXT_EQ(named + railed_inputs(rails, row),
				dag->nodes[row].input_count);
		}
	}
}

static void
without_a_cap_nothing_is_hidden(void)
{
	FX_AUTO_DAG struct fx_dag *dag = random_dag(3, 60);
	struct fx_lanes_options options = {
		.lane_cap = 64, .hub_limit = 1000, .reach = 1000
	};
	FX_AUTO_LANES struct fx_lanes *rails = fx_lanes_new(dag, &options);

	for (size_t row = 0; row < dag->count; row++)
		FXT_EQ(fx_lanes_hidden(rails, row), 0);
}

/* The boxes of any graph stand apart: every label can be read. */
static void
every_box_can_be_read(void)
{
	for (unsigned seed = 0; seed < 120; seed++) {
		FX_AUTO_DAG struct fx_dag *dag =
			random_dag(seed, seed % 50 + 1);
		struct fx_box_style style = { .tiny = seed % 2,
			.lines = (enum fx_lines)(seed % 3),
			.marked = -1 };
		FX_AUTO_CANVAS struct fx_canvas *grid =
			fx_box_draw(dag, &style);
		FX_AUTO_FREE char *text = text_of(grid);

		for (size_t n = 0; n < dag->count; n++)
			FXT_IS(strstr(text, dag->nodes[n].name), !=, NULL);
	}
}

static void
a_window_is_the_nearest_nodes_up_to_its_limit(void)
{
	FX_AUTO_DAG struct fx_dag *dag = fx_dag_new();
	struct fx_box_window window = {
		.center = 10, .hops = 3, .limit = 5, .hub_limit = 8
	};
	FX_AUTO_FREE size_t *numbers = NULL;
	size_t count;
	size_t left_out;

	for (uint32_t n = 0; n < 20; n++) {
		fx_dag_add(dag, FX_DAG_MODULE, "n");
		if (n)
			fx_dag_add_input(dag, n - 1);
	}
	fx_box_window(dag, &window, &numbers, &count, &left_out);
	CU_ASSERT(count == 5 && left_out == 2);
	CU_ASSERT(numbers[0] == 8 && numbers[4] == 12);
}

static void
a_fold_keeps_the_edges_that_leave_it(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(1);
	FX_AUTO_DAG struct fx_dag *folded = NULL;
	struct fx_node *nodes[6];
	static const struct fx_dag_run runs[] = {
		{ .first = 0, .count = 1 },
		{ .first = 1, .count = 3, .fold = "layer1" },
		{ .first = 5, .count = 1 },
	};

	for (size_t n = 0; n < FX_ARRAY_LEN(nodes); n++)
		nodes[n] = fxt_call(graph, "torch.add", n ? nodes[n - 1] : NULL,
			n == 5 ? nodes[2] : NULL);
	folded = fx_dag_of_runs(graph, runs, FX_ARRAY_LEN(runs));
	FXT_EQ(folded->count, 3);
	FXT_SAME(folded->nodes[1].label, "layer1 (3 nodes)");
	FXT_EQ(folded->nodes[1].input_count, 1);
	/* Node 4 is in no run; the other input of node 5 is in the fold. */
	FXT_EQ(folded->nodes[2].input_count, 1);
	FXT_EQ(fx_dag_inputs(folded, 2)[0], 1);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_wide_character_takes_two_cells),
		FXT_CASE(half_of_a_wide_character_becomes_a_blank),
		FXT_CASE(a_wide_character_at_the_edge_is_left_out),
		FXT_CASE(a_combining_mark_joins_the_character_before),
		FXT_CASE(nothing_is_drawn_outside_an_area),
		FXT_CASE(control_characters_never_reach_a_grid),
		FXT_CASE(lanes_are_whole_in_any_graph),
		FXT_CASE(every_input_has_a_lane_or_is_named),
		FXT_CASE(without_a_cap_nothing_is_hidden),
		FXT_CASE(every_box_can_be_read),
		FXT_CASE(a_window_is_the_nearest_nodes_up_to_its_limit),
		FXT_CASE(a_fold_keeps_the_edges_that_leave_it),
	};

	return fxt_run("draw", cases, FX_ARRAY_LEN(cases));
}
