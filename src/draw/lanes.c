/* lanes.c - the lane list.
 *
 * Rows are made from the top, with the lanes that are live as the only state:
 *
 * 1. Inputs whose last use is this row free their lanes ("dying").
 * 2. The node takes the lowest dying lane, or the lowest free one if that is
 *    lower.  Without this pull to the left, lanes drift to the right wherever
 *    a value is never used: 77 lanes instead of 27 were measured on a graph of
 *    densenet121's operators.
 * 3. If the first user is the very next row and there are others, the rail
 *    forks at the producer: the trunk goes straight on, the skip goes to the
 *    right.  Otherwise there is one rail and its users tap it.
 * 4. A fork never takes a lane that died in the same row, or "merge" and "tap"
 *    would look alike.
 * 5. Up is input, down is output.  What crosses without contact leaves the
 *    vertical line on top.
 * 6. An input that has no lane is named in its user's row: parameters, inputs
 *    of the graph, hubs, edges longer than the reach, and what the cap on
 *    lanes left out.
 *
 * 7. A node does not stand right below one that gave it nothing, or the two
 *    would look connected; unless there is no other lane.
 *
 * Under the cap the last lane is kept for values that only the next row uses.
 * So every row has a place for its node, and a chain stays a line however much
 * else is alive.
 *
 * An alternative that never forks at the producer (bodies of skip connections
 * move to the right instead) needs as many lanes and was not taken.
 */
#include <config.h>

#include "draw/lanes.h"

#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/vec.h"
#include "draw/dag.h"

#define NOBODY    UINT32_MAX
#define LANES_MAX 64

/* A value's rail, as far as known before and during the walk. */
struct rail {
	uint32_t first; /* row of the first use in reach; 0: none */
	uint32_t last;  /* of the last one */
	uint32_t uses;  /* in reach */
	int8_t trunk;   /* lane, or -1 */
	int8_t fork;    /* lane of the uses after the next row, or -1 */
};

struct fx_lanes {
	size_t count;
	int width;
	FX_VEC(uint32_t) first_cell;  /* per row, count + 1 */
	FX_VEC(uint32_t) first_named; /* per row, count + 1 */
	FX_VEC(uint32_t) hidden;      /* per row */
	FX_VEC(uint8_t) cells;
	FX_VEC(uint32_t) named;
	FX_VEC(struct rail) of; /* per value, while rows are made */
};

struct walk {
	const struct fx_dag *dag;
	struct fx_lanes_options options;
	struct fx_lanes *rails;
	struct rail *of;           /* per value */
	uint32_t lanes[LANES_MAX]; /* value in it, or NOBODY */
	uint32_t until[LANES_MAX]; /* row where the lane dies */

	int ended; /* lane of the row before, where nothing goes on, or -1 */

	/* The row being made. */
	uint32_t row;
	uint8_t cells[LANES_MAX];
	uint64_t died;    /* lanes, as bits */
	uint64_t touched; /* lanes in contact with the node */
};

static bool
is_railed(const struct walk *w, uint32_t value)
{
	const struct fx_dag_node *node = &w->dag->nodes[value];

	return node->kind != FX_DAG_INPUT && node->kind != FX_DAG_PARAMETER &&
	       node->user_count <= (uint32_t)w->options.hub_limit;
}

/* First pass: for each value, the uses that a rail may reach. */
static void
measure(struct walk *w)
{
	const struct fx_dag *dag = w->dag;

	for (uint32_t row = 0; row < dag->count; row++) {
		const uint32_t *inputs = fx_dag_inputs(dag, row);

		w->of[row].trunk = w->of[row].fork = -1;
		for (uint32_t i = 0; i < dag->nodes[row].input_count; i++) {
			struct rail *rail = &w->of[inputs[i]];

			if (!is_railed(w, inputs[i]) ||
				row - inputs[i] > w->options.reach)
				continue;
			if (!rail->uses++)
				rail->first = row;
			rail->last = row;
		}
	}
}

/* The lane in which VALUE arrives at the row being made, or -1. */
static int
lane_for_use(const struct walk *w, uint32_t value)
{
	const struct rail *rail = &w->of[value];
	int lane = rail->fork >= 0 && w->row > value + 1 ? rail->fork
							 : rail->trunk;

	return lane >= 0 && w->lanes[lane] == value ? lane : -1;
}

static void
take_inputs(struct walk *w)
{
	const uint32_t *inputs = fx_dag_inputs(w->dag, w->row);

	for (uint32_t i = 0; i < w->dag->nodes[w->row].input_count; i++) {
		int lane = lane_for_use(w, inputs[i]);

		if (lane < 0) {
			fx_vec_push(&w->rails->named, inputs[i]);
			continue;
		}
		w->touched |= UINT64_C(1) << lane;
		w->cells[lane] = FX_ARM_UP | FX_ARM_DOWN;
		if (w->until[lane] > w->row)
			continue;
		w->cells[lane] = FX_ARM_UP;
		w->died |= UINT64_C(1) << lane;
		w->lanes[lane] = NOBODY;
	}
}

/* The lowest lane from FROM on that is free or dies here. */
static int
free_lane(const struct walk *w, int from)
{
	while (from < w->options.lane_cap && w->lanes[from] != NOBODY)
		from++;
	return from;
}

/* The lowest one, of which there always is one, or the next where that would
 * put the node below a dead end.
 */
static int
lane_for_node(const struct walk *w)
{
	int lane = free_lane(w, 0);
	int beside = lane == w->ended ? free_lane(w, lane + 1) : lane;

	fx_assert(lane < w->options.lane_cap);
	return beside < w->options.lane_cap ? beside : lane;
}

/* Whether the node made in this row, at LANE, is a dead end.  The signs of
 * inputs and parameters say that no lanes leave them.
 */
static bool
is_dead_end(const struct walk *w, int lane)
{
	enum fx_dag_kind kind = w->dag->nodes[w->row].kind;

	return kind != FX_DAG_INPUT && kind != FX_DAG_PARAMETER &&
	       !(w->cells[lane] & FX_ARM_DOWN);
}

/* A free lane to the right of LANE for a value that lives longer than a row,
 * or -1.
 */
static int
lane_for_fork(const struct walk *w, int lane)
{
	for (int i = lane + 1; i < w->options.lane_cap - 1; i++)
		if (w->lanes[i] == NOBODY && !(w->died >> i & 1))
			return i;
	return -1;
}

static void
occupy(struct walk *w, int lane, uint32_t until)
{
	w->lanes[lane] = w->row;
	w->until[lane] = until;
	w->cells[lane] |= FX_ARM_DOWN;
	w->touched |= UINT64_C(1) << lane;
}

/* The value of this row is live until its last use but has no lane. */
static void
hide(struct walk *w, uint32_t last)
{
	w->rails->hidden.items[w->row + 1]++;
	w->rails->hidden.items[last + 1]--;
}

/* Give the value made in this row, at LANE, its rail. */
static void
start_rail(struct walk *w, int lane)
{
	struct rail *rail = &w->of[w->row];
	bool is_next = rail->first == w->row + 1;
	int fork = -1;

	if (!rail->uses)
		return;
	if (is_next && rail->uses > 1)
		fork = lane_for_fork(w, lane);
	if (fork >= 0) {
		rail->fork = (int8_t)fork;
		occupy(w, fork, rail->last);
	}
	if (lane < w->options.lane_cap - 1 || rail->last == w->row + 1) {
		rail->trunk = (int8_t)lane;
		occupy(w, lane, fork >= 0 ? rail->first : rail->last);
		return;
	}
	/* The last lane is for the next row only. */
	if (is_next) {
		rail->trunk = (int8_t)lane;
		occupy(w, lane, rail->first);
	}
	if (fork < 0)
		hide(w, rail->last);
}

/* Lanes that go through without taking part, and the horizontal line between
 * all that do.
 */
static void
join(struct walk *w, int node_lane)
{
	int low = node_lane;
	int high = node_lane;

	for (int i = 0; i < w->options.lane_cap; i++) {
		if (w->lanes[i] != NOBODY && w->lanes[i] != w->row)
			w->cells[i] |= FX_ARM_UP | FX_ARM_DOWN;
		if (w->touched >> i & 1) {
			low = FX_MIN(low, i);
			high = FX_MAX(high, i);
		}
	}
	for (int i = low; i <= high && low < high; i++) {
		bool is_passed =
			w->cells[i] && i != node_lane && !(w->touched >> i & 1);

		if (i > low)
			w->cells[i] |= FX_ARM_LEFT;
		if (i < high)
			w->cells[i] |= FX_ARM_RIGHT;
		if (is_passed)
			w->cells[i] |= FX_LANES_CROSSED;
	}
}

static void
store_row(struct walk *w)
{
	struct fx_lanes *rails = w->rails;
	int used = w->options.lane_cap;

	while (used > 0 && !w->cells[used - 1])
		used--;
	rails->width = FX_MAX(rails->width, used);
	for (int i = 0; i < used; i++)
		fx_vec_push(&rails->cells, w->cells[i]);
	rails->first_cell.items[w->row + 1] = (uint32_t)rails->cells.count;
	rails->first_named.items[w->row + 1] = (uint32_t)rails->named.count;
}

static void
make_row(struct walk *w)
{
	int lane;

	memset(w->cells, 0, sizeof(w->cells));
	w->died = 0;
	w->touched = 0;
	take_inputs(w);
	lane = lane_for_node(w);
	start_rail(w, lane);
	w->cells[lane] |= FX_LANES_NODE;
	join(w, lane);
	w->ended = is_dead_end(w, lane) ? lane : -1;
	store_row(w);
}

/* Room for SIZE items in VEC, all zero. */
#define zero_items(vec, size) \
	do { \
		fx_vec_clear(vec); \
		fx_vec_reserve((vec), (size)); \
		memset((vec)->items, 0, (size) * sizeof(*(vec)->items)); \
	} while (0)

void
fx_lanes_fill(struct fx_lanes *rails, const struct fx_dag *dag,
	const struct fx_lanes_options *options)
{
	struct walk w = {
		.dag = dag, .options = *options, .rails = rails, .ended = -1
	};

	w.options.lane_cap = FX_MIN(FX_MAX(w.options.lane_cap, 1), LANES_MAX);
	for (int i = 0; i < LANES_MAX; i++)
		w.lanes[i] = NOBODY;
	rails->count = dag->count;
	rails->width = 0;
	zero_items(&rails->first_cell, dag->count + 1);
	zero_items(&rails->first_named, dag->count + 1);
	zero_items(&rails->hidden, dag->count + 2);
	zero_items(&rails->of, dag->count + 1);
	w.of = rails->of.items;
	fx_vec_clear(&rails->cells);
	fx_vec_clear(&rails->named);
	measure(&w);
	for (w.row = 0; w.row < dag->count; w.row++)
		make_row(&w);
	/* From changes to counts (the subtractions wrap around, and back). */
	for (size_t i = 1; i < dag->count; i++)
		rails->hidden.items[i] += rails->hidden.items[i - 1];
}

struct fx_lanes *
fx_lanes_new(const struct fx_dag *dag, const struct fx_lanes_options *options)
{
	struct fx_lanes *rails = FX_NEW(struct fx_lanes);

	fx_lanes_fill(rails, dag, options);
	return rails;
}

void
fx_lanes_free(struct fx_lanes *rails)
{
	if (!rails)
		return;
	fx_vec_deinit(&rails->first_cell);
	fx_vec_deinit(&rails->first_named);
	fx_vec_deinit(&rails->hidden);
	fx_vec_deinit(&rails->of);
	fx_vec_deinit(&rails->cells);
	fx_vec_deinit(&rails->named);
	free(rails);
}

int
fx_lanes_width(const struct fx_lanes *rails)
{
	return rails->width;
}

const uint8_t *
fx_lanes_row(const struct fx_lanes *rails, size_t row, int *count_ret)
{
	if (row >= rails->count) {
		*count_ret = 0;
		return NULL;
	}
	*count_ret = (int)(rails->first_cell.items[row + 1] -
			   rails->first_cell.items[row]);
	return rails->cells.items + rails->first_cell.items[row];
}

size_t
fx_lanes_hidden(const struct fx_lanes *rails, size_t row)
{
	return row < rails->count ? rails->hidden.items[row] : 0;
}

const uint32_t *
fx_lanes_named(const struct fx_lanes *rails, size_t row, size_t *count_ret)
{
	*count_ret = row < rails->count ? rails->first_named.items[row + 1] -
						  rails->first_named.items[row]
					: 0;
	return *count_ret ? rails->named.items + rails->first_named.items[row]
			  : NULL;
}

/* The character for a node of KIND (enum fx_dag_kind). */
static uint32_t
lanes_node_code(enum fx_lines lines, uint8_t kind)
{
	static const uint32_t codes[] = {
		[FX_DAG_INPUT] = 0x25cb,     /* ○ */
		[FX_DAG_PARAMETER] = 0x25c7, /* ◇ */
		[FX_DAG_FUNCTION] = 0x25c6,  /* ◆ */
		[FX_DAG_MODULE] = 0x25cf,    /* ● */
		[FX_DAG_OUTPUT] = 0x25ce,    /* ◎ */
		[FX_DAG_FOLD] = 0x25a0,      /* ■ */
	};
	static const char ascii[] = {
		[FX_DAG_INPUT] = 'o',
		[FX_DAG_PARAMETER] = '=',
		[FX_DAG_FUNCTION] = '#',
		[FX_DAG_MODULE] = '*',
		[FX_DAG_OUTPUT] = '@',
		[FX_DAG_FOLD] = '%',
	};

	/* The alternate character set has none of the circles. */
	return lines == FX_LINES_UTF8 ? codes[kind] : (uint32_t)ascii[kind];
}

void
fx_lanes_paint(const struct fx_lanes *rails, size_t row, uint8_t kind,
	const struct fx_lanes_pen *pen, int at)
{
	int count;
	const uint8_t *cells = fx_lanes_row(rails, row, &count);

	for (int i = 0; i < count; i++) {
		unsigned arms = cells[i] & 15;

		if (cells[i] & FX_LANES_CROSSED)
			arms = FX_ARM_UP | FX_ARM_DOWN;
		if (cells[i] & FX_LANES_NODE)
			fx_area_put(pen->area, at, 2 * i, pen->node,
				lanes_node_code(pen->lines, kind));
		else if (arms)
			fx_area_put(pen->area, at, 2 * i, pen->rail,
				fx_lines_code(pen->lines, arms));
		if (cells[i] & FX_ARM_RIGHT)
			fx_area_put(pen->area, at, 2 * i + 1, pen->rail,
				fx_lines_code(pen->lines,
					FX_ARM_LEFT | FX_ARM_RIGHT));
	}
}
