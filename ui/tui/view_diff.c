/* view_diff.c - two graphs beside each other: what diff and compare were asked,
 * or the graph before and after the candidate of a pass that is stepped.
 *
 *	~ fc = fc(%flat)               | fc = head(%flat)               1.2e-03
 *
 * Long stretches that are the same are one row.
 */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/str.h"
#include "base/utf8.h"
#include "commands/shell/beside.h"
#include "commands/verbs/diff.h"
#include "session/passing.h"
#include "session/position.h"
#include "ui/tui/tui_private.h"

enum {
	TWO_SIDES = 70,  /* narrower panes show one side, the second if any */
	GAP_COLUMNS = 9, /* " 1.2e-03" */
	AROUND = 2,      /* rows that are the same, kept around what is not */
};

static bool
is_same(const struct beside_row *row)
{
	return *row->sign == ' ' && !(row->gap > 0);
}

/* Whether ROW says which nested graph the rows below it are of. */
static bool
is_heading(const struct beside_row *row)
{
	return *row->sign == '/';
}

/* A line for each row that differs or stands near one, and one for each stretch
 * of others.
 */
static void
make_lines(struct tui_diff *diff)
{
	const struct beside *beside = diff->beside;
	size_t count = beside->rows.count;
	size_t next = 0;  /* the next row that differs */
	size_t after = 0; /* rows to be shown after the one before */

	fx_vec_clear(&diff->lines);
	for (size_t i = 0; i < count; i++) {
		struct tui_diff_line line = { .row = i, .count = 1 };

		next = FX_MAX(next, i);
		while (next < count && is_same(&beside->rows.items[next]))
			next++;
		if (next == i)
			after = AROUND + 1;
		if (!after && next > i + AROUND + 1) {
			line.count = next - i - (next < count ? AROUND : 0);
			i += line.count - 1;
		}
		after -= after > 0;
		fx_vec_push(&diff->lines, line);
	}
}

static size_t
first_difference(const struct tui_diff *diff)
{
	for (size_t i = 0; i < diff->lines.count; i++) {
		const struct beside_row *row =
			&diff->beside->rows.items[diff->lines.items[i].row];

		if (!is_same(row) && !is_heading(row))
			return i;
	}
	return 0;
}

void
tui_diff_show(struct tui *tui, struct beside *beside)
{
	struct tui_diff *diff = &tui->diff;
	bool was_candidate = diff->beside && diff->beside->is_candidate;

	beside_free(diff->beside);
	diff->beside = beside;
	make_lines(diff);
	tui_view_go(&tui->views[TUI_VIEW_DIFF], first_difference(diff) + 1);
	if (beside->is_candidate && !was_candidate) {
		diff->layout_before = tui->layout;
		tui_set_layout(tui, TUI_LAYOUT_DIFF);
	}
	diff->is_new = !beside->is_candidate;
}

void
tui_diff_begin(struct tui *tui)
{
	const struct fx_passing *passing = fx_session_passing(tui->session);

	if (passing && fx_passing_candidate(passing))
		cmd_beside_candidate(&tui->front, passing);
}

void
tui_diff_follow(struct tui *tui)
{
	struct tui_diff *diff = &tui->diff;

	if (diff->is_new && tui->layout != TUI_LAYOUT_DIFF)
		tui_say(tui, "layout diff shows them beside each other");
	diff->is_new = false;
	if (!diff->beside || !diff->beside->is_candidate ||
		fx_session_passing(tui->session))
		return;
	beside_free(FX_TAKE(diff->beside));
	fx_vec_clear(&diff->lines);
	if (tui->layout == TUI_LAYOUT_DIFF)
		tui_set_layout(tui, diff->layout_before);
}

/* --- drawing ------------------------------------------------------------- */

static void
paint_side(const struct fx_area *area, int column, int columns,
	enum fx_role role, const char *text)
{
	struct fx_area side = fx_area_part(area, 0, column, 1, columns);

	if (text)
		fx_area_text(&side, 0, 0, (struct fx_look){ .role = role },
			text);
}

/* The size of a difference; one that is none is not worth a number. */
static void
paint_gap(const struct fx_area *area, double gap)
{
	char text[32];

	if (isnan(gap))
		return;
	snprintf(text, sizeof(text), gap > 0 ? "%*.1e" : "%*.0f",
		GAP_COLUMNS - 1, gap);
	fx_area_text(area, 0, area->columns - GAP_COLUMNS + 1,
		gap > 0 ? FX_LOOK(WARNING) : FX_LOOK(MUTED), text);
}

static void
paint_line(const struct tui *tui, const struct fx_area *area,
	enum fx_role const roles[2], const char *const texts[2])
{
	const char *bar = tui->lines == FX_LINES_UTF8 ? "\xe2\x94\x82" : "|";
	int half = (area->columns - 3) / 2;

	if (area->columns < TWO_SIDES) {
		paint_side(area, 0, area->columns, roles[texts[1] != NULL],
			texts[texts[1] != NULL]);
		return;
	}
	paint_side(area, 0, half, roles[0], texts[0]);
	fx_area_text(area, 0, half + 1, FX_LOOK(BORDER), bar);
	paint_side(area, half + 3, area->columns - half - 3, roles[1],
		texts[1]);
}

static void
paint_stretch(const struct tui *tui, const struct fx_area *area, size_t count)
{
	char text[48];

	snprintf(text, sizeof(text), "%s %zu the same",
		tui->lines == FX_LINES_UTF8 ? "\xe2\x8b\xae" : ":", count);
	fx_area_text(area, 0, 2, FX_LOOK(MUTED), text);
}

/* Where the two texts of a row stand: after the sign, before the gap. */
static struct fx_area
sides_of(const struct beside *beside, const struct fx_area *area)
{
	int gap = beside->has_gaps ? GAP_COLUMNS : 0;

	return fx_area_part(area, 0, 2, 1, area->columns - 2 - gap);
}

/* Row 0 names the two; without any it says how to get some. */
static void
paint_head(const struct tui *tui, const struct fx_area *area)
{
	static const enum fx_role roles[] = { FX_ROLE_HEAD, FX_ROLE_HEAD };
	const struct beside *beside = tui->diff.beside;
	struct fx_area rest;

	if (!beside) {
		fx_area_text(area, 0, 0, FX_LOOK(MUTED),
			"nothing compared yet: diff A B, compare A B, pass "
			"diff, pass run NAME -s");
		return;
	}
	rest = sides_of(beside, area);
	paint_line(tui, &rest, roles, (const char *const *)beside->titles);
}

static void
diff_row(void *context, size_t index, const struct fx_area *area)
{
	const struct tui *tui = context;
	const struct tui_diff *diff = &tui->diff;
	const struct tui_diff_line *line;
	const struct beside_row *row;
	enum fx_role roles[2];
	struct fx_area rest;

	if (index == 0) {
		paint_head(tui, area);
		return;
	}
	line = &diff->lines.items[index - 1];
	if (line->count > 1) {
		paint_stretch(tui, area, line->count);
		return;
	}
	row = &diff->beside->rows.items[line->row];
	roles[0] = *row->sign == '~' ? FX_ROLE_REMOVED : row->role;
	roles[1] = row->role;
	if (!is_heading(row))
		fx_area_text(area, 0, 0, (struct fx_look){ .role = row->role },
			row->sign);
	rest = sides_of(diff->beside, area);
	paint_line(tui, &rest, roles, (const char *const *)row->texts);
	if (diff->beside->has_gaps)
		paint_gap(area, row->gap);
}

static size_t
diff_count(void *context)
{
	return ((struct tui *)context)->diff.lines.count + 1;
}

/* Lines stand below the row of the titles. */
static bool
diff_has(void *context, size_t index, const char *words)
{
	const struct tui_diff *diff = &((struct tui *)context)->diff;
	const struct beside_row *row;

	if (!index || diff->lines.items[index - 1].count != 1)
		return false;
	row = &diff->beside->rows.items[diff->lines.items[index - 1].row];
	return (row->texts[0] && fx_str_has(row->texts[0], words)) ||
	       (row->texts[1] && fx_str_has(row->texts[1], words));
}

/* --- Enter --------------------------------------------------------------- */

/* The row that is selected, or NULL. */
static const struct beside_row *
selected_row(struct tui *tui)
{
	const struct tui_diff *diff = &tui->diff;
	size_t line = tui->views[TUI_VIEW_DIFF].selected;

	if (line == 0 || line > diff->lines.count ||
		diff->lines.items[line - 1].count > 1)
		return NULL;
	return &diff->beside->rows.items[diff->lines.items[line - 1].row];
}

/* Into the graph that has side SIDE of ROW: times are of the current one. */
static void
enter_side(struct tui *tui, const struct beside_row *row, int side)
{
	const char *name = tui->diff.beside->titles[side];
	struct fx_model *model = fx_session_find_model(tui->session, name);

	if (!model)
		model = tui_model(tui);
	if (model)
		tui_run_linef(tui, "graph %s/%s", fx_model_name(model),
			row->paths[side]);
}

void
tui_do_diff_go(struct tui *tui)
{
	const struct beside_row *row = selected_row(tui);
	struct fx_model *model;
	struct fx_node *node;
	const char *name;
	int side;

	if (!row)
		return;
	side = row->texts[1] ? 1 : 0;
	name = row->names[side];
	enter_side(tui, row, side);
	model = tui_model(tui);
	node = model && name ? fx_graph_find(fx_position_graph(model), name)
			     : NULL;
	if (node && tui_graph_go_to(tui, node))
		tui_focus(tui, TUI_VIEW_GRAPH);
}

static void
diff_refresh(struct tui *tui, int columns)
{
	(void)tui;
	(void)columns;
}

static void
diff_deinit(struct tui *tui)
{
	beside_free(tui->diff.beside);
	fx_vec_deinit(&tui->diff.lines);
}

void
tui_diff_init(struct tui *tui)
{
	struct tui_view *view = &tui->views[TUI_VIEW_DIFF];

	view->has_selection = true;
	view->deinit = diff_deinit;
	view->refresh = diff_refresh;
	view->source = (struct tui_source){ .context = tui,
		.count = diff_count,
		.row = diff_row,
		.has = diff_has };
}
