/* value_look.c - the mode that was chosen for values, and the keys that choose:
 * made once, and again when something ran or another one is wanted.
 */
#include <config.h>

#include "base/compiler.h"
#include "base/intern.h"
#include "run/datum.h"
#include "run/heat_map.h"
#include "run/summary.h"
#include "run/ticker.h"
#include "session/position.h"
#include "ui/tui/tui_private.h"

enum {
	PATIENCE_MS = 300,
	LOW = 4, /* rows: see tui_value_is_low */
};

struct tui_patience
tui_patience_begin(struct tui *tui)
{
	return (struct tui_patience){ tui, fx_clock_ms() + PATIENCE_MS };
}

/* Ctrl-C counts here too. */
bool
tui_patience_is_over(void *context)
{
	struct tui_patience *patience = context;
	struct tui_screen *screen = patience->tui->screen;

	return fx_clock_ms() > patience->until ||
	       screen->interrupted(screen->context);
}

void
tui_value_forget_look(struct tui *tui)
{
	tui->value.made.mode = TUI_VALUE_STATISTICS;
	tui_picture_deinit(&tui->value.picture);
}

bool
tui_value_is_low(const struct tui *tui)
{
	return tui->value.made.rows <= LOW;
}

/* The first tensor of a value that is known, and how it is reached there. */
struct found {
	const struct fx_datum *tensor;
	const char *path; /* interned */
};

static bool
find_tensor(void *context, const char *path, const struct fx_datum *tensor)
{
	struct found *found = context;

	if (!fx_values_known(tensor))
		return true;
	*found = (struct found){ tensor, fx_intern(path) };
	return false;
}

/* The first tensor in the value of NODE, if MODE is for it; no tensor else. */
static struct found
tensor_of(struct tui *tui, const struct fx_node *node, enum tui_value_mode mode,
	struct fx_extent *extent_ret)
{
	struct fx_datum *datum =
		node && tui_model(tui) ? fx_position_value(tui_model(tui), node)
				       : NULL;
	struct found found = { .tensor = NULL };
	struct fx_error *err;

	if (datum)
		fx_datum_see_tensors(datum, find_tensor, &found);
	if (!found.tensor)
		return found;
	err = fx_extent_of(found.tensor, extent_ret);
	if (err || !tui_value_mode_fits(mode, extent_ret))
		found.tensor = NULL;
	fx_error_free(err);
	return found;
}

static struct tui_value_made
wanted_of(struct tui *tui)
{
	const struct tui_view *view = &tui->views[TUI_VIEW_VALUES];
	bool has_colors =
		tui->screen->colors >= 256 && tui->theme != UI_THEME_MONO;

	return (struct tui_value_made){ .mode = tui->value.mode,
		.plane = tui->value.plane,
		.axis = tui->value.axis,
		.skip = view->skip,
		.rows = tui->plan.panes[TUI_VIEW_VALUES].rows -
			(tui->plan.is_framed ? 2 : 0),
		.pen = { .has_halves =
				 has_colors && tui->lines != FX_LINES_ASCII,
			.lines = tui->lines } };
}

static bool
is_made(struct tui *tui, struct fx_datum *datum,
	const struct tui_value_made *wanted)
{
	const struct tui_value_made *made = &tui->value.made;

	return tui_value_is_kept(tui, datum, NULL) &&
	       made->mode == wanted->mode && made->plane == wanted->plane &&
	       made->axis == wanted->axis && made->skip == wanted->skip &&
	       made->rows == wanted->rows &&
	       made->pen.has_halves == wanted->pen.has_halves &&
	       made->pen.lines == wanted->pen.lines;
}

static void
make_look(struct tui *tui, const struct fx_node *node,
	const struct found *found, const struct fx_extent *extent)
{
	struct tui_value *value = &tui->value;
	struct tui_patience patience = tui_patience_begin(tui);
	struct fx_ticker ticker;
	int width = tui->values.width;
	const struct tui_value_look look = { .tensor = found->tensor,
		.extent = *extent,
		.name = fx_intern_format("%s%s", node->name, found->path),
		.plane = value->made.plane,
		.axis = value->made.axis,
		.skip = value->made.skip,
		.rows = value->made.rows,
		.columns = width,
		.is_low = tui_value_is_low(tui),
		.pen = value->made.pen,
		.ticker = &ticker,
		.text = &tui->values,
		.picture = &value->picture };

	fx_ticker_init(&ticker, tui_patience_is_over, &patience);
	tui_picture_deinit(&value->picture);
	tui_text_clear(&tui->values);
	tui->values.width = look.is_low ? 0 : width;
	tui_value_mode_build(value->made.mode, &look);
	tui->values.width = width;
}

bool
tui_value_show_look(struct tui *tui, const struct fx_node *node)
{
	struct tui_value *value = &tui->value;
	struct tui_value_made wanted = wanted_of(tui);
	struct fx_extent extent;
	struct fx_datum *datum;
	struct found found;

	if (value->mode == TUI_VALUE_STATISTICS)
		return false;
	datum = node && tui_model(tui) ? fx_position_value(tui_model(tui), node)
				       : NULL;
	/* What was made stays where its values cannot be read just now. */
	if (datum && is_made(tui, datum, &wanted))
		return true;
	found = tensor_of(tui, node, value->mode, &extent);
	if (!found.tensor)
		return false;
	tui_value_keep(tui, datum, NULL);
	value->made = wanted;
	make_look(tui, node, &found, &extent);
	return true;
}

/* Bring the pane of values to the front where another one hides it; false where
 * it is in sight.
 */
static bool
bring_up(struct tui *tui)
{
	unsigned group;

	tui_plan(tui);
	group = tui->plan.groups[TUI_VIEW_VALUES];

	if (tui->plan.panes[TUI_VIEW_VALUES].rows)
		return false;
	if (!group)
		tui_note(tui, "layout split shows values");
	else if (group & 1u << tui->focus)
		tui_focus(tui, TUI_VIEW_VALUES);
	else
		tui->front_views =
			(tui->front_views & ~group) | 1u << TUI_VIEW_VALUES;
	return true;
}

/* Another mode that is for what is shown. */
static void
turn_mode(struct tui *tui, int by)
{
	const struct fx_node *node = tui_value_node(tui);
	struct fx_extent extent;
	int mode = (int)tui->value.mode;

	if (bring_up(tui))
		return;
	do
		mode = (mode + by + TUI_VALUE_MODE_COUNT) %
		       TUI_VALUE_MODE_COUNT;
	while (mode != TUI_VALUE_STATISTICS &&
		!tensor_of(tui, node, (enum tui_value_mode)mode, &extent)
			 .tensor);
	tui->value.mode = (enum tui_value_mode)mode;
	tui->views[TUI_VIEW_VALUES].top = 0;
	tui->views[TUI_VIEW_VALUES].skip = 0;
	if (mode == TUI_VALUE_STATISTICS &&
		!tensor_of(tui, node, TUI_VALUE_STATISTICS, &extent).tensor)
		tui_note(tui, "no values to look at");
}

void
tui_do_value_next(struct tui *tui)
{
	turn_mode(tui, 1);
}

void
tui_do_value_before(struct tui *tui)
{
	turn_mode(tui, -1);
}

/* The next plane, or the next dimension where those are told apart; numbers
 * wrap around at as many as there are.
 */
static void
turn_plane(struct tui *tui, bool back)
{
	struct tui_value *value = &tui->value;
	struct fx_extent extent;
	int64_t sizes[2];
	uint64_t planes;

	if (!tensor_of(tui, tui_value_node(tui), TUI_VALUE_SLICE, &extent)
			.tensor)
		return;
	planes = fx_heat_map_sizes(&extent, sizes);
	if (value->mode == TUI_VALUE_AXIS)
		value->axis = (value->axis % extent.rank +
				      (back ? extent.rank - 1 : 1)) %
			      extent.rank;
	else
		value->plane =
			(value->plane % planes + (back ? planes - 1 : 1)) %
			planes;
}

void
tui_do_plane_next(struct tui *tui)
{
	turn_plane(tui, false);
}

void
tui_do_plane_before(struct tui *tui)
{
	turn_plane(tui, true);
}
