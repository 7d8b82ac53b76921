/* breakpoint.c - where execution stops.
 *
 * A breakpoint knows its nodes by id.  What it matches is looked up again
 * when the graph has changed: a query or scope anew, a node by its id, so that
 * renaming does not lose it, erasing makes it pending and undo revives it. What
 * replaces a node has its name, and the breakpoint.
 */
#include <config.h>

#include "session/breakpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/control.h"
#include "ir/order.h"
#include "session/break_private.h"
#include "session/resolve.h"
#include "session/session_private.h"

/* --- what it matches ---------------------------------------------------- */

/* The file that GRAPH's first node with a source comes from, or NULL. */
static const char *
first_file(const struct fx_graph *graph)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (node->source && node->source->count)
			return node->source->frames[0].file;
	return NULL;
}

/* A number alone is a line for gdb; it may also be meant for a position.  It is
 * never what a node will be called, so nothing to wait for.
 */
static struct fx_error *
check_number(const struct fx_break *b)
{
	const char *where = b->shown.where;
	const char *path = first_file(b->graph);
	FX_AUTO_FREE char *file = path ? fx_file_basename(path) : NULL;
	struct fx_error *err;

	if (!*where || strspn(where, "0123456789") != strlen(where))
		return NULL;
	err = fx_error_new(FX_ERR_USAGE, "no node \"%s\" in %s", where,
		b->model->name);
	if (!file)
		return fx_error_hint(err, "a position is written @%s", where);
	return fx_error_hint(err, "a position is written @%s, a line %s:%s",
		where, file, where);
}

/* What WHERE means: a line, a set, a node, a scope. */
static struct fx_error *
classify(struct fx_session *session, struct fx_break *b)
{
	const char *where = b->shown.where;
	struct fx_node *node;
	const char *path;
	struct fx_error *err;
	struct fx_error *no_scope;

	if (fx_break_is_line(where)) {
		b->kind = FX_BREAK_SOURCE;
		return NULL;
	}
	if (*where == '{') {
		b->kind = FX_BREAK_SET;
		return NULL;
	}
	b->kind = FX_BREAK_NODE;
	b->node = 0;
	err = check_number(b);
	if (err)
		return err;
	err = fx_resolve_node(session, b->model, where, &node);
	if (!err) {
		b->node = b->first = node->id;
		b->graph = b->home = node->graph;
		return NULL;
	}
	node = fx_control_find(b->model->graph, where);
	if (node) {
		fx_error_free(err);
		b->node = b->first = node->id;
		b->graph = b->home = node->graph;
		return NULL;
	}
	no_scope = fx_resolve_scope(b->model, where, &path);
	if (!no_scope) {
		fx_error_free(err);
		b->kind = FX_BREAK_SCOPE;
		b->path = path;
		return NULL;
	}
	fx_error_free(no_scope);
	if (*where == '*')
		return fx_error_hint(err,
			"a set of names is written {name~\"*relu*\"}, all "
			"nodes {}");
	if (fx_error_code(err) == FX_ERR_NO_NODE || !fx_break_is_query(where))
		return err;
	/* A query without its braces. */
	fx_error_free(err);
	b->kind = FX_BREAK_SET;
	return NULL;
}

/* Classify a pending breakpoint again: the name may exist now. */
void
fx_break_refresh(struct fx_session *session, struct fx_break *b)
{
	if (b->is_matching ||
		(b->is_fresh && b->version == b->model->graph->version))
		return;
	if (b->kind == FX_BREAK_NODE && !b->node)
		fx_error_free(classify(session, b));
	fx_error_free(fx_break_match(session, b));
}

/* --- the list ----------------------------------------------------------- */

void
fx_break_free(struct fx_break *b)
{
	free((char *)b->shown.where);
	free((char *)b->shown.what);
	free((char *)b->shown.condition);
	free((char *)b->shown.commands);
	free(b->watch.text);
	fx_map_deinit(&b->nodes);
	free(b);
}

static char *
copy(const char *text)
{
	return text && *text ? fx_xstrdup(text) : NULL;
}

/* What B looks for, as SPEC says: B takes the nodes that WHAT names. */
static struct fx_error *
read_watch(struct fx_session *session, struct fx_break *b,
	const struct fx_breakpoint_spec *spec)
{
	char *where = NULL;
	struct fx_error *err = fx_watch_parse(session, b->model, spec->what,
		&b->watch, &where);

	b->is_watch = true;
	if (!err && b->watch.kind == FX_WATCH_expr)
		b->shown.what = copy(b->watch.text);
	if (!err && where && spec->where)
		err = fx_error_new(FX_ERR_USAGE,
			"watch: nodes are given twice: %s and %s", where,
			spec->where);
	if (err || !where) {
		free(where);
		return err;
	}
	free((char *)b->shown.where);
	b->shown.where = where;
	return NULL;
}

/* B as SPEC says, in the list or not. */
static struct fx_error *
fill(struct fx_session *session, struct fx_break *b,
	const struct fx_breakpoint_spec *spec)
{
	struct fx_error *err = NULL;

	b->shown.kind = spec->kind;
	b->shown.where = fx_xstrdup(spec->where ? spec->where : "");
	b->shown.condition = copy(spec->condition);
	b->shown.is_temporary = spec->is_temporary;
	b->shown.is_inside = spec->is_inside;
	b->shown.is_enabled = true;
	b->is_watch = spec->kind == FX_STOP_KIND_DPRINTF;
	if (spec->kind == FX_STOP_KIND_WATCH)
		err = read_watch(session, b, spec);
	else
		b->shown.what = copy(spec->what);
	if (!err && spec->kind == FX_STOP_KIND_CATCH &&
		fx_str_equal(spec->what, "shape")) {
		b->is_watch = true;
		b->watch.kind = FX_WATCH_mismatch;
	}
	b->kind = FX_BREAK_ALL;
	if (!err && *b->shown.where)
		err = classify(session, b);
	if (!err)
		err = fx_break_match(session, b);
	if (!err && spec->kind == FX_STOP_KIND_BREAK && b->shown.condition)
		err = fx_condition_check(session, b, b->shown.condition);
	if (!err && b->shown.is_pending)
		err = fx_error_new(FX_ERR_NO_NODE, "%s matches no node of %s",
			b->shown.where, b->model->name);
	return err;
}

/* B matches nothing of now. */
static void
await(struct fx_break *b, const struct fx_breakpoint_spec *spec)
{
	b->shown.is_pending = true;
	if (b->shown.kind != FX_STOP_KIND_WATCH || *b->shown.where ||
		b->watch.kind != FX_WATCH_bytes)
		return;
	/* The name of a node that may come. */
	free((char *)b->shown.where);
	b->shown.where = fx_xstrdup(spec->what);
	b->kind = FX_BREAK_NODE;
}

struct fx_error *
fx_break_new(struct fx_session *session, struct fx_model *model,
	const struct fx_breakpoint_spec *spec, struct fx_break **ret)
{
	struct fx_break *b = FX_NEW(struct fx_break);
	struct fx_error *err;

	b->model = model;
	b->graph = b->home = fx_position_graph(model);
	err = fill(session, b, spec);
	if (err && spec->is_pending && fx_error_code(err) == FX_ERR_NO_NODE) {
		fx_error_free(err);
		err = NULL;
		await(b, spec);
	}
	if (err) {
		fx_break_free(b);
		return err;
	}
	*ret = b;
	return NULL;
}

struct fx_error *
fx_breakpoint_add(struct fx_session *session, struct fx_model *model,
	const struct fx_breakpoint_spec *spec, const struct fx_breakpoint **ret)
{
	struct fx_break *b;
	struct fx_error *err = fx_break_new(session, model, spec, &b);

	if (err)
		return err;
	b->shown.number = session->next_break++;
	fx_vec_push(&session->breaks, b);
	*ret = &b->shown;
	return NULL;
}

int
fx_breakpoint_last(const struct fx_session *session)
{
	return session->next_break - 1;
}

static struct fx_break *
find(const struct fx_session *session, int number, size_t *index_ret)
{
	for (size_t i = 0; i < session->breaks.count; i++)
		if (session->breaks.items[i]->shown.number == number) {
			if (index_ret)
				*index_ret = i;
			return session->breaks.items[i];
		}
	return NULL;
}

static struct fx_error *
need(const struct fx_session *session, int number, struct fx_break **ret)
{
	*ret = find(session, number, NULL);
	if (*ret)
		return NULL;
	return fx_error_new(FX_ERR_NO_NAME, "there is no breakpoint %d",
		number);
}

struct fx_error *
fx_breakpoint_delete(struct fx_session *session, int number)
{
	struct fx_break *b;
	size_t index = 0;
	struct fx_error *err = need(session, number, &b);

	if (err)
		return err;
	find(session, number, &index);
	fx_vec_remove(&session->breaks, index);
	fx_break_free(b);
	return NULL;
}

static bool
meets(const struct fx_break *b, const struct fx_break *at)
{
	size_t i = 0;
	uintptr_t id;
	uintptr_t one;

	if (b->shown.kind != FX_STOP_KIND_BREAK || b->model != at->model)
		return false;
	while (fx_map_next(&at->nodes, &i, &id, &one))
		if (fx_map_has(&b->nodes, id))
			return true;
	return false;
}

struct fx_error *
fx_breakpoint_clear(struct fx_session *session, struct fx_model *model,
	const char *where, struct fx_buf *numbers_ret)
{
	const struct fx_breakpoint_spec spec = { .where = where };
	struct fx_break *at;
	struct fx_error *err = fx_break_new(session, model, &spec, &at);

	if (err)
		return err;
	for (size_t i = 0; i < session->breaks.count;) {
		struct fx_break *b = session->breaks.items[i];

		fx_break_refresh(session, b);
		if (!meets(b, at)) {
			i++;
			continue;
		}
		fx_buf_addf(numbers_ret, "%s%d", numbers_ret->length ? " " : "",
			b->shown.number);
		fx_vec_remove(&session->breaks, i);
		fx_break_free(b);
	}
	fx_break_free(at);
	if (numbers_ret->length)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
				     "no breakpoint stands at %s", where),
		session->breaks.count ? "info breakpoints lists them"
				      : "there is none");
}

void
fx_breakpoint_delete_all(struct fx_session *session)
{
	for (size_t i = 0; i < session->breaks.count; i++)
		fx_break_free(session->breaks.items[i]);
	fx_vec_clear(&session->breaks);
}

void
fx_breaks_free(struct fx_session *session)
{
	fx_breakpoint_delete_all(session);
	fx_vec_deinit(&session->breaks);
}

static void
remove_if(struct fx_session *session, struct fx_model *model, bool done)
{
	size_t kept = 0;

	for (size_t i = 0; i < session->breaks.count; i++) {
		struct fx_break *b = session->breaks.items[i];

		if ((model && b->model == model) || (done && b->is_done))
			fx_break_free(b);
		else
			session->breaks.items[kept++] = b;
	}
	session->breaks.count = kept;
}

void
fx_breaks_drop_model(struct fx_session *session, struct fx_model *model)
{
	remove_if(session, model, false);
}

void
fx_breaks_sweep(struct fx_session *session)
{
	remove_if(session, NULL, true);
}

struct fx_error *
fx_breakpoint_enable(struct fx_session *session, int number, bool on)
{
	struct fx_break *b;
	struct fx_error *err = need(session, number, &b);

	if (err)
		return err;
	b->shown.is_enabled = on;
	b->shown.enable_count = 0;
	return NULL;
}

struct fx_error *
fx_breakpoint_enable_for(struct fx_session *session, int number, size_t count,
	bool is_temporary)
{
	struct fx_break *b;
	struct fx_error *err = need(session, number, &b);

	if (err)
		return err;
	b->shown.is_enabled = true;
	b->shown.enable_count = count;
	b->shown.is_temporary = is_temporary;
	return NULL;
}

struct fx_error *
fx_breakpoint_set_commands(struct fx_session *session, int number,
	const char *commands)
{
	struct fx_break *b;
	struct fx_error *err = need(session, number, &b);

	if (err)
		return err;
	free((char *)b->shown.commands);
	b->shown.commands = copy(commands);
	return NULL;
}

struct fx_error *
fx_breakpoint_set_condition(struct fx_session *session, int number,
	const char *condition)
{
	struct fx_break *b;
	struct fx_error *err = need(session, number, &b);

	if (!err && condition && *condition &&
		b->shown.kind == FX_STOP_KIND_BREAK)
		err = fx_condition_check(session, b, condition);
	if (err)
		return err;
	condition = copy(condition);
	free((char *)b->shown.condition);
	b->shown.condition = condition;
	return NULL;
}

struct fx_error *
fx_breakpoint_ignore(struct fx_session *session, int number, size_t count)
{
	struct fx_break *b;
	struct fx_error *err = need(session, number, &b);

	if (!err)
		b->shown.ignore_count = count;
	return err;
}

size_t
fx_breakpoint_count(const struct fx_session *session)
{
	return session->breaks.count;
}

/* Listings show what is true now. */
static const struct fx_breakpoint *
shown(const struct fx_session *session, struct fx_break *b)
{
	fx_break_refresh((struct fx_session *)session, b);
	return &b->shown;
}

const struct fx_breakpoint *
fx_breakpoint_at(const struct fx_session *session, size_t index)
{
	if (index >= session->breaks.count)
		return NULL;
	return shown(session, session->breaks.items[index]);
}

const struct fx_breakpoint *
fx_breakpoint_find(const struct fx_session *session, int number)
{
	struct fx_break *b = find(session, number, NULL);

	return b ? shown(session, b) : NULL;
}

void
fx_breakpoint_nodes(struct fx_session *session,
	const struct fx_breakpoint *breakpoint, struct fx_node ***ret,
	size_t *count_ret)
{
	struct fx_break *b = find(session, breakpoint->number, NULL);
	size_t at = 0;
	uintptr_t id;
	uintptr_t one;

	*ret = NULL;
	*count_ret = 0;
	if (!b || b->model != session->current)
		return;
	fx_break_refresh(session, b);
	*ret = fx_xcalloc(b->nodes.count, sizeof(struct fx_node *));
	while (fx_map_next(&b->nodes, &at, &id, &one))
		(*ret)[(*count_ret)++] = fx_graph_find_id(b->graph, id);
	qsort(*ret, *count_ret, sizeof(struct fx_node *), fx_order_compare);
}
