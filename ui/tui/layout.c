/* layout.c - where each pane goes, as a pure function of the size.
 *
 * Below 60 columns or 12 rows there is one pane and the command line; up to 99
 * columns the graph stands on a pane with tabs; up to 139 the node stands
 * beside it, with values and code below; from 140 on the code has a column of
 * its own.  Which pane is which say the rows of panes.def.
 */
#include <config.h>

#include "ui/tui/layout.h"

#include <string.h>

#include "base/compiler.h"

/* What stands beside the main pane. */
#define ASIDE (TUI_PLACE_SIDE | TUI_PLACE_BELOW | TUI_PLACE_COLUMN)

enum {
	LIST_COLUMNS = 60,
	LIST_ROWS = 12,
	TWO_COLUMNS = 100,
	THREE_COLUMNS = 140,
	PANE_ROWS = 5, /* of each of two panes, with frames */
	PANE_COLUMNS = 36,
	GRAPH_COLUMNS = 72, /* with class, parameters and histogram */
	CODE_COLUMNS = 32,  /* however much the graph would like */
	STRIP_LEAST = 14,   /* rows that the panes have, beside a strip */
};

static const struct {
	const char *word;
	enum tui_view_id about;
} layouts[] = {
#define TUI_LAYOUT(id, word, title, about) \
	[TUI_LAYOUT_##id] = { word, TUI_VIEW_##about },
#include "commands/shell/layouts.def"
};

static const uint8_t places[] = {
#define TUI_VIEW(id, word, title, init, place) \
	[TUI_VIEW_##id] = TUI_PLACE_##place,
#include "commands/shell/panes.def"
};

bool
tui_layout_is_aside(enum tui_view_id view)
{
	return (places[view] & ASIDE) != 0;
}

enum tui_layout
tui_layout_find(const char *word)
{
	int i = 0;

	while (i < TUI_LAYOUT_COUNT && strcmp(layouts[i].word, word) != 0)
		i++;
	return (enum tui_layout)i;
}

const char *
tui_layout_word(enum tui_layout layout)
{
	return layouts[layout].word;
}

static int
clamp(int value, int least, int most)
{
	return FX_MAX(FX_MIN(value, most), least);
}

/* The views whose place is among AT, as bits. */
static unsigned
views_at(unsigned at)
{
	unsigned group = 0;

	for (int i = 0; i < TUI_VIEW_COUNT; i++)
		if (places[i] & at)
			group |= 1u << i;
	return group;
}

/* What the layout is about, as a bit; 0: nothing of its own. */
static unsigned
view_about(enum tui_layout layout)
{
	return 1u << layouts[layout].about &
	       ~(views_at(TUI_PLACE_MAIN | TUI_PLACE_LINE));
}

/* Put the views of GROUP into RECT: the one in focus, else the one in front,
 * else the first, is shown.
 */
static void
put_group(struct tui_plan *plan, const struct tui_layout_input *input,
	unsigned group, struct tui_rect rect)
{
	unsigned wanted = group & 1u << input->focus;
	int shown = 0;

	if (!wanted)
		wanted = group & input->front;
	if (!wanted)
		wanted = group;
	while (!(wanted >> shown & 1))
		shown++;
	for (int i = 0; i < TUI_VIEW_COUNT; i++)
		if (group >> i & 1)
			plan->groups[i] = group;
	plan->panes[shown] = rect;
}

/* The same for those whose place is among AT. */
static void
put(struct tui_plan *plan, const struct tui_layout_input *input, unsigned at,
	struct tui_rect rect)
{
	put_group(plan, input, views_at(at), rect);
}

int
tui_layout_cmd_least(int rows)
{
	return rows < LIST_ROWS ? 1 : clamp(rows / 6, 3, 8);
}

/* Two or three lines, more while the last command had more to say. */
static int
cmd_rows(const struct tui_layout_input *input)
{
	int least = tui_layout_cmd_least(input->rows);
	int most = input->rows < LIST_ROWS ? input->rows - 3 : input->rows / 2;

	return clamp(input->cmd_rows, least, FX_MAX(least, most));
}

/* Of SIZE, how much what stands right or below has: WANTED, which the user may
 * have moved; both sides keep LEAST.  OF: the views that stand there.
 */
static int
share(const struct tui_layout_input *input, int size, int wanted, int least,
	unsigned of)
{
	if (input->sizes.zoom == TUI_ZOOM_HALF)
		wanted = of >> input->focus & 1
				 ? FX_MAX(wanted, size - size / 2)
				 : FX_MIN(wanted, size / 2);
	return clamp(wanted, least, size - least);
}

/* The views that LAYOUT has, beside the command line and strips. */
static unsigned
views_of(enum tui_layout layout)
{
	unsigned group = views_at(TUI_PLACE_MAIN) | view_about(layout);

	return layout == TUI_LAYOUT_SPLIT ? group | views_at(ASIDE) : group;
}

/* All of them share one pane. */
static void
plan_one(const struct tui_layout_input *input, struct tui_rect body,
	struct tui_plan *plan)
{
	put_group(plan, input, views_of(input->layout), body);
}

static void
plan_list(const struct tui_layout_input *input, int rows, struct tui_plan *plan)
{
	bool has_facts = rows >= 4;

	if (has_facts)
		plan->facts = (struct tui_rect){
			.top = rows - 1, .rows = 1, .columns = input->columns
		};
	plan_one(input,
		(struct tui_rect){ .rows = rows - (has_facts ? 1 : 0),
			.columns = input->columns },
		plan);
}

static void
plan_stacked(const struct tui_layout_input *input, struct tui_rect body,
	struct tui_plan *plan)
{
	struct tui_rect below = body;

	below.rows = share(input, body.rows,
		FX_MAX(body.rows * 2 / 5, 5) - input->sizes.rows, PANE_ROWS,
		views_at(ASIDE));
	body.rows -= below.rows;
	below.top += body.rows;
	put(plan, input, TUI_PLACE_MAIN, body);
	put(plan, input, ASIDE, below);
}

static void
plan_columns(const struct tui_layout_input *input, struct tui_rect body,
	struct tui_plan *plan)
{
	bool three = input->columns >= THREE_COLUMNS;
	unsigned under =
		three ? TUI_PLACE_BELOW : TUI_PLACE_BELOW | TUI_PLACE_COLUMN;
	struct tui_rect side = body;
	struct tui_rect below;

	side.columns = share(input, input->columns,
		clamp(three ? input->columns * 3 / 10 : input->columns * 3 / 8,
			PANE_COLUMNS, 56) -
			input->sizes.columns,
		PANE_COLUMNS, views_at(TUI_PLACE_SIDE | under));
	side.left = input->columns - side.columns;
	body.columns -= side.columns;
	if (three) {
		struct tui_rect code = body;

		/* The graph's rows say what they can before lines of code do.
		 */
		code.columns = share(input, body.columns,
			clamp(body.columns - GRAPH_COLUMNS, CODE_COLUMNS,
				body.columns * 9 / 20) -
				input->sizes.middle,
			PANE_COLUMNS / 2, views_at(TUI_PLACE_COLUMN));
		body.columns -= code.columns;
		code.left = body.columns;
		put(plan, input, TUI_PLACE_COLUMN, code);
	}
	put(plan, input, TUI_PLACE_MAIN, body);
	below = side;
	below.rows = share(input, side.rows,
		side.rows - side.rows * 3 / 5 - input->sizes.rows,
		FX_MIN(PANE_ROWS, side.rows / 2), views_at(under));
	side.rows -= below.rows;
	below.top += side.rows;
	put(plan, input, TUI_PLACE_SIDE, side);
	put(plan, input, under, below);
}

/* The graph beside the sheet or, where that would leave it no two sides, above
 * it.
 */
static void
plan_sheet(const struct tui_layout_input *input, struct tui_rect body,
	struct tui_plan *plan)
{
	struct tui_rect sheet = body;
	unsigned about = view_about(input->layout);

	if (input->columns >= THREE_COLUMNS) {
		sheet.columns = share(input, input->columns,
			input->columns -
				clamp(input->columns * 3 / 10, PANE_COLUMNS,
					60) -
				input->sizes.columns,
			PANE_COLUMNS, about);
		body.columns -= sheet.columns;
		sheet.left = body.columns;
	} else if (body.rows >= 10) {
		sheet.rows = share(input, body.rows,
			body.rows - FX_MAX(body.rows * 2 / 5, PANE_ROWS) -
				input->sizes.rows,
			PANE_ROWS, about);
		body.rows -= sheet.rows;
		sheet.top += body.rows;
	} else {
		put_group(plan, input, views_at(TUI_PLACE_MAIN) | about, body);
		return;
	}
	put(plan, input, TUI_PLACE_MAIN, body);
	put_group(plan, input, about, sheet);
}

/* One row of BODY, on screens that have it to spare. */
static void
plan_strip(const struct tui_layout_input *input, struct tui_rect *body,
	struct tui_plan *plan)
{
	struct tui_rect strip = *body;

	if (body->rows <= STRIP_LEAST)
		return;
	body->rows--;
	strip.top += body->rows;
	strip.rows = 1;
	put(plan, input, TUI_PLACE_STRIP, strip);
	for (int i = 0; i < TUI_VIEW_COUNT; i++)
		if (places[i] == TUI_PLACE_STRIP)
			plan->groups[i] = 0;
}

void
tui_layout_plan(const struct tui_layout_input *input, struct tui_plan *ret)
{
	struct tui_rect body = { .top = 1, .columns = input->columns };
	int cmd;

	memset(ret, 0, sizeof(*ret));
	if (input->rows < TUI_LEAST_ROWS ||
		input->columns < TUI_LEAST_COLUMNS) {
		ret->is_too_small = true;
		return;
	}
	cmd = cmd_rows(input);
	put(ret, input, TUI_PLACE_LINE,
		(struct tui_rect){ .top = input->rows - cmd,
			.rows = cmd,
			.columns = input->columns });
	if (input->columns < LIST_COLUMNS || input->rows < LIST_ROWS) {
		plan_list(input, input->rows - cmd, ret);
		return;
	}
	ret->is_framed = true;
	ret->title = (struct tui_rect){ .rows = 1, .columns = input->columns };
	body.rows = input->rows - 1 - cmd;
	plan_strip(input, &body, ret);
	if (input->sizes.zoom == TUI_ZOOM_FULL)
		plan_one(input, body, ret);
	else if (view_about(input->layout))
		plan_sheet(input, body, ret);
	else if (input->layout == TUI_LAYOUT_GRAPH)
		put(ret, input, TUI_PLACE_MAIN, body);
	else if (input->columns < TWO_COLUMNS && body.rows >= 10)
		plan_stacked(input, body, ret);
	else if (input->columns < TWO_COLUMNS)
		put(ret, input, TUI_PLACE_MAIN | ASIDE, body);
	else
		plan_columns(input, body, ret);
}
