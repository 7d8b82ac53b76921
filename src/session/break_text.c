/* break_text.c - stops in words: what they are called, the line that sets them,
 * what an edit did to them.
 */
#include <config.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "session/break_private.h"
#include "session/nested.h"

const char *
fx_stop_kind_word(enum fx_stop_kind kind)
{
	static const char *const words[] = {
		[FX_STOP_KIND_BREAK] = "break",
		[FX_STOP_KIND_WATCH] = "watch",
		[FX_STOP_KIND_CATCH] = "catch",
		[FX_STOP_KIND_DPRINTF] = "dprintf",
	};

	return words[kind];
}

const char *
fx_stop_kind_title(enum fx_stop_kind kind)
{
	static const char *const titles[] = {
		[FX_STOP_KIND_BREAK] = "Breakpoint",
		[FX_STOP_KIND_WATCH] = "Watch",
		[FX_STOP_KIND_CATCH] = "Catchpoint",
		[FX_STOP_KIND_DPRINTF] = "Dprintf",
	};

	return titles[kind];
}

void
fx_breakpoint_print(const struct fx_session *session,
	const struct fx_breakpoint *breakpoint, struct fx_buf *out)
{
	const struct fx_break *b = (const struct fx_break *)breakpoint;

	(void)session;
	if (b->shown.is_temporary &&
		(b->shown.kind == FX_STOP_KIND_BREAK ||
			b->shown.kind == FX_STOP_KIND_CATCH))
		fx_buf_add_char(out, 't');
	fx_buf_addf(out, "%s ", fx_stop_kind_word(b->shown.kind));
	switch (b->shown.kind) {
	case FX_STOP_KIND_BREAK:
		fx_buf_add(out, b->shown.where);
		break;
	case FX_STOP_KIND_WATCH:
		fx_watch_print(out, &b->watch, b->shown.where);
		fx_buf_add(out, b->shown.is_inside ? " --inside" : "");
		break;
	case FX_STOP_KIND_CATCH:
		fx_buf_add(out, b->shown.what);
		break;
	case FX_STOP_KIND_DPRINTF:
		fx_buf_addf(out, "%s,%s",
			*b->shown.where ? b->shown.where : "{}", b->shown.what);
		break;
	}
}

const char *
fx_breakpoint_place(const struct fx_breakpoint *breakpoint,
	const struct fx_node *node)
{
	const struct fx_break *b = (const struct fx_break *)breakpoint;
	const char *path = fx_model_graph_path(b->model, node->graph);

	return *path ? fx_intern_format("%s.%s", path, node->name) : node->name;
}

const char *
fx_breakpoint_graph(const struct fx_breakpoint *breakpoint,
	const struct fx_model **model_ret)
{
	const struct fx_break *b = (const struct fx_break *)breakpoint;
	const char *path = fx_model_graph_path(b->model, b->graph);

	*model_ret = b->model;
	return *path ? fx_intern_format("/%s", path) : "";
}

/* --- while editing ------------------------------------------------------- */

static void
tell(struct fx_model *model, const struct fx_break *b)
{
	if (b->shown.is_pending)
		fx_model_say(model,
			fx_xasprintf("%s %d is pending: %s is no longer in "
				     "the graph",
				fx_stop_kind_title(b->shown.kind),
				b->shown.number, b->name));
	else
		fx_model_say(model,
			fx_xasprintf("%s %d is at @%zu %s",
				fx_stop_kind_title(b->shown.kind),
				b->shown.number,
				fx_graph_position(b->graph,
					fx_graph_find(b->graph, b->name)),
				b->name));
}

void
fx_breaks_tell(struct fx_model *model)
{
	struct fx_session *session = model->session;

	for (size_t i = 0; i < session->breaks.count; i++) {
		struct fx_break *b = session->breaks.items[i];
		bool was_pending = b->shown.is_pending;

		if (b->model != model || b->kind != FX_BREAK_NODE)
			continue;
		fx_break_refresh(session, b);
		if (b->shown.is_pending != was_pending &&
			b->kind == FX_BREAK_NODE)
			tell(model, b);
	}
}

void
fx_breakpoint_print_state(const struct fx_breakpoint *breakpoint,
	struct fx_buf *out)
{
	fx_buf_add(out, breakpoint->is_enabled ? "on" : "off");
	if (breakpoint->is_temporary)
		fx_buf_add(out, ", once");
	if (breakpoint->is_pending)
		fx_buf_add(out, ", pending");
	if (breakpoint->ignore_count)
		fx_buf_addf(out, ", ignores %zu", breakpoint->ignore_count);
	if (breakpoint->enable_count)
		fx_buf_addf(out, ", for %zu", breakpoint->enable_count);
}

void
fx_breakpoint_print_place(const struct fx_session *session,
	const struct fx_breakpoint *breakpoint, struct fx_buf *out)
{
	if (breakpoint->kind == FX_STOP_KIND_BREAK)
		fx_buf_add(out, breakpoint->where);
	else
		fx_breakpoint_print(session, breakpoint, out);
}
