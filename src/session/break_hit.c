/* break_hit.c - stops while a run comes to them: whether they stop it. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "session/break_private.h"
#include "session/resolve.h"

bool
fx_break_stands_on(struct fx_session *session, struct fx_break *b,
	const struct fx_model *model, const struct fx_node *node)
{
	if (!b->shown.is_enabled || b->model != model)
		return false;
	if (b->kind == FX_BREAK_ALL)
		return true;
	if (b->graph != node->graph)
		return false;
	fx_break_refresh(session, b);
	return fx_map_has(&b->nodes, (uintptr_t)node->id);
}

static bool
breaks_before(struct fx_session *session, struct fx_break *b,
	const struct fx_model *model, const struct fx_node *node)
{
	return b->shown.kind == FX_STOP_KIND_BREAK &&
	       fx_break_stands_on(session, b, model, node);
}

bool
fx_breaks_has(struct fx_session *session, struct fx_model *model,
	const struct fx_node *node)
{
	for (size_t i = 0; i < session->breaks.count; i++)
		if (breaks_before(session, session->breaks.items[i], model,
			    node))
			return true;
	return false;
}

bool
fx_breaks_name(struct fx_session *session, struct fx_model *model,
	const struct fx_node *node)
{
	for (size_t i = 0; i < session->breaks.count; i++) {
		struct fx_break *b = session->breaks.items[i];
		bool is_bytes = b->shown.kind == FX_STOP_KIND_WATCH &&
				b->watch.kind == FX_WATCH_bytes;

		if (b->kind != FX_BREAK_ALL && !is_bytes &&
			fx_break_stands_on(session, b, model, node))
			return true;
	}
	return false;
}

/* --- a hit -----------------------------------------------------------------
 */

/* The condition of B. */
static struct fx_error *
holds(struct fx_session *session, struct fx_model *model,
	const struct fx_break *b, bool *ret)
{
	const char *condition = b->shown.condition;
	struct fx_error *err;

	*ret = true;
	if (!condition)
		return NULL;
	err = fx_resolve_condition(session, model, condition, ret);
	/* What calls something may have drawn numbers. */
	if (strchr(condition, '('))
		fx_timeline_keep_random(&model->run->timeline);
	return err;
}

/* STOP keeps the first error, that of what NUMBER is called. */
static void
keep_error(struct fx_stop *stop, const struct fx_break *b, struct fx_error *err)
{
	static const char *const names[] = {
		[FX_STOP_KIND_BREAK] = "breakpoint",
		[FX_STOP_KIND_WATCH] = "watch",
		[FX_STOP_KIND_CATCH] = "catchpoint",
		[FX_STOP_KIND_DPRINTF] = "dprintf",
	};

	err = fx_error_note(err, "in the condition of %s %d",
		names[b->shown.kind], b->shown.number);
	if (stop->error)
		fx_error_free(err);
	else
		stop->error = err;
}

static void
add_other(struct fx_stop *stop, const struct fx_break *b)
{
	char *others = fx_xasprintf("%s%s%s %d",
		stop->others ? stop->others : "", stop->others ? ", " : "",
		fx_stop_kind_title(b->shown.kind), b->shown.number);

	free(stop->others);
	stop->others = others;
}

/* What is to be said and run at the stop: it may be deleted by then. */
static void
tell_stop(struct fx_stop *stop, const struct fx_break *b)
{
	FX_AUTO_BUF struct fx_buf lines = { 0 };

	if (b->shown.commands) {
		fx_buf_add(&lines, stop->commands ? stop->commands : "");
		fx_buf_add(&lines, b->shown.commands);
		free(stop->commands);
		stop->commands = fx_buf_take(&lines);
	}
	if (stop->number) {
		add_other(stop, b);
		return;
	}
	stop->kind = b->shown.kind;
	stop->number = b->shown.number;
	stop->is_temporary = b->shown.is_temporary;
	stop->condition =
		b->shown.condition ? fx_intern(b->shown.condition) : NULL;
}

/* As gdb counts: the condition, then the ignore count. */
bool
fx_break_hits(struct fx_session *session, struct fx_model *model,
	struct fx_break *b, struct fx_stop *stop)
{
	bool truth;
	struct fx_error *err = holds(session, model, b, &truth);

	/* One that cannot be answered stops. */
	if (!err && !truth)
		return false;
	b->shown.hit_count++;
	if (b->shown.ignore_count) {
		b->shown.ignore_count--;
		fx_error_free(err);
		return false;
	}
	if (err)
		keep_error(stop, b, err);
	b->is_done = b->shown.is_temporary;
	if (b->shown.enable_count && !--b->shown.enable_count)
		b->shown.is_enabled = false;
	if (b->shown.kind != FX_STOP_KIND_DPRINTF)
		tell_stop(stop, b);
	return true;
}

bool
fx_breaks_hit(struct fx_session *session, struct fx_model *model,
	struct fx_node *node, struct fx_stop *stop)
{
	bool is_hit = false;

	for (size_t i = 0; i < session->breaks.count; i++) {
		struct fx_break *b = session->breaks.items[i];

		if (breaks_before(session, b, model, node) &&
			fx_break_hits(session, model, b, stop))
			is_hit = true;
	}
	return is_hit;
}

/* Whether PATTERN means what is called NAME.  Of a pass of Python it may be
 * "python:", which are all, or leave out where its function is.
 */
static bool
means(const char *pattern, const char *name)
{
	static const char prefix[] = "python:";
	size_t length = sizeof(prefix) - 1;
	const char *function = name;

	if (fx_str_glob(pattern, name))
		return true;
	if (!fx_str_starts(name, prefix) || !fx_str_starts(pattern, prefix))
		return false;
	for (const char *c = name; *c && *c != '('; c++)
		if (*c == ':' || *c == '.')
			function = c + 1;
	return !pattern[length] || fx_str_glob(pattern + length, function);
}

/* Whether B catches WHAT of NAME. */
static bool
catches(const struct fx_break *b, const char *what, const char *name)
{
	const char *event = b->shown.what;
	size_t length = strlen(what);

	if (b->shown.kind != FX_STOP_KIND_CATCH || !b->shown.is_enabled ||
		strncmp(event, what, length) != 0 ||
		(event[length] && event[length] != ' '))
		return false;
	return !event[length] || !name || means(event + length + 1, name);
}

bool
fx_breaks_catch(struct fx_session *session, const char *what, const char *name,
	struct fx_stop *stop)
{
	bool is_hit = false;

	for (size_t i = 0; i < session->breaks.count; i++) {
		struct fx_break *b = session->breaks.items[i];

		if (b->model == session->current && catches(b, what, name) &&
			fx_break_hits(session, b->model, b, stop))
			is_hit = true;
	}
	return is_hit;
}

bool
fx_breakpoint_catch(struct fx_session *session, const char *what,
	const char *name, struct fx_stop *ret)
{
	bool is_caught = fx_breaks_catch(session, what, name, ret);

	fx_breaks_sweep(session);
	return is_caught;
}
