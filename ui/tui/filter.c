/* filter.c - only some nodes in the graph pane. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "session/position.h"
#include "session/resolve.h"
#include "ui/tui/graph_rows.h"
#include "ui/tui/tui_private.h"

enum {
	TEXT_SHORT = 16, /* columns of it in a title ... */
	TEXT_LONG = 40,
	TITLE_REST = 50, /* ... beside the other ones */
};

/* Ask what is in TEXT now; nothing is an error. */
static FX_NODISCARD struct fx_error *
ask(struct tui *tui, struct fx_model *model, const char *text)
{
	struct tui_filter *filter = &tui->graph.filter;
	FX_AUTO_FREE size_t *positions = NULL;
	size_t count = 0;
	struct fx_error *err = fx_resolve_set_quietly(tui->session, model, text,
		&positions, &count);

	if (err)
		return err;
	if (!count)
		return fx_error_new(FX_ERR_NO_NODE, "no node is in %s", text);
	free(filter->positions);
	filter->positions = FX_TAKE(positions);
	filter->count = count;
	filter->is_fresh = true;
	return NULL;
}

struct fx_error *
tui_filter_set(struct tui *tui, const char *text)
{
	struct tui_filter *filter = &tui->graph.filter;
	struct fx_model *model = tui_model(tui);
	struct fx_error *err;

	if (!*text || !model) {
		tui_filter_deinit(filter);
		filter->version++;
		return NULL;
	}
	err = ask(tui, model, text);
	if (err)
		return err;
	free(filter->text);
	filter->text = fx_xstrdup(text);
	filter->is_steady = fx_resolve_is_steady(model, text);
	filter->version++;
	return NULL;
}

void
tui_filter_end(struct tui *tui, const char *why)
{
	tui_say(tui, "Filter off: %s", why);
	tui_filter_deinit(&tui->graph.filter);
	tui->graph.filter.version++;
}

void
tui_filter_deinit(struct tui_filter *filter)
{
	free(filter->text);
	free(filter->positions);
	filter->text = NULL;
	filter->positions = NULL;
	filter->count = 0;
	filter->is_fresh = false;
}

/* The same of the filter there is: it ends when nothing is in it, which is
 * said.
 */
static bool
ask_again(struct tui *tui, struct fx_model *model)
{
	struct fx_error *err = ask(tui, model, tui->graph.filter.text);

	if (err)
		tui_filter_end(tui, fx_error_message(err));
	fx_error_free(err);
	return tui->graph.filter.text != NULL;
}

void
tui_filter_follow(struct tui *tui)
{
	struct tui_filter *filter = &tui->graph.filter;
	struct fx_model *model = tui_model(tui);
	FX_AUTO_FREE size_t *before = NULL;
	size_t count = filter->count;

	if (!filter->text || filter->is_steady || filter->is_fresh || !model)
		return;
	before = FX_TAKE(filter->positions);
	if (ask_again(tui, model) &&
		(count != filter->count ||
			memcmp(before, filter->positions,
				count * sizeof(*before)) != 0))
		filter->version++;
}

bool
tui_filter_resolve(struct tui *tui, struct fx_model *model)
{
	const struct tui_filter *filter = &tui->graph.filter;

	return filter->text && (filter->is_fresh || ask_again(tui, model));
}

void
tui_filter_reveal(struct tui *tui, size_t position, const char *name)
{
	FX_AUTO_FREE char *why = fx_xasprintf("it leaves out %s", name);

	if (!tui->graph.filter.text || tui_graph_has(tui, position))
		return;
	tui_filter_end(tui, why);
	tui_graph_refresh(tui, 0);
}

void
tui_filter_print(const struct tui *tui, struct fx_buf *out)
{
	const char *text = tui->graph.filter.text;
	const struct fx_model *model = tui_model(tui);
	size_t length = text ? strlen(text) : 0;
	int room = FX_MIN(FX_MAX(tui->grid->columns - TITLE_REST, TEXT_SHORT),
		TEXT_LONG);
	size_t fits;

	if (!text || !model)
		return;
	fits = fx_utf8_fit(text, length, (size_t)room);
	fx_buf_add_n(out, text, fits);
	if (fits < length)
		fx_buf_add(out, "...");
	fx_buf_addf(out, ", %zu of %zu", tui->graph.rows.runs.count,
		fx_position_graph(model)->node_count);
}
