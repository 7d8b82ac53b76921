/* break_match.c - the nodes that a breakpoint stands on now. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/control.h"
#include "ir/outline.h"
#include "session/break_private.h"
#include "session/resolve.h"
#include "session/session_private.h"

static void
add_node(struct fx_break *b, const struct fx_node *node)
{
	fx_map_set(&b->nodes, (uintptr_t)node->id, 1);
}

/* A line is hit once a run through it: at the first of the nodes that come
 * from it one after the other.
 */
static void
match_source(struct fx_break *b)
{
	struct fx_node *node;
	bool was_from = false;

	fx_graph_for_each_node (node, b->graph) {
		bool is = fx_break_is_from(node, b->shown.where);

		if (is && !was_from)
			add_node(b, node);
		was_from = is;
	}
}

static bool
is_in_scope(const struct fx_node *node, const char *path)
{
	const char *at = node->scope ? node->scope->path : NULL;

	if (node->opcode == FX_OPCODE_CALL_MODULE ||
		node->opcode == FX_OPCODE_GET_ATTR)
		at = node->target;
	return at && fx_str_is_below(at, path);
}

static void
match_scope(struct fx_break *b)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, b->graph)
		if (is_in_scope(node, b->path)) {
			add_node(b, node);
			return;
		}
}

/* A query is about B's graph, wherever one stands now. */
static struct fx_error *
match_set(struct fx_session *session, struct fx_break *b)
{
	FX_AUTO_FREE size_t *positions = NULL;
	size_t count = 0;
	struct fx_model *model = b->model;
	const char *path = fx_control_path(model->graph, b->graph);
	const char *entered = model->entered;
	struct fx_error *err;

	/* A nested graph may be gone. */
	if (!path)
		return NULL;
	if (fx_position_graph(model) != b->graph)
		model->entered = path;
	err = fx_resolve_set_quietly(session, model, b->shown.where, &positions,
		&count);
	model->entered = entered;
	for (size_t i = 0; !err && i < count; i++)
		add_node(b, fx_graph_at(b->graph, positions[i]));
	return err;
}

/* Whether WHERE still means NODE. */
static bool
is_called(const struct fx_node *node, const char *where)
{
	int64_t position;

	if (*where == '@')
		return fx_number_parse_int(where + 1, strlen(where + 1),
			       &position) &&
		       (uint64_t)position ==
			       fx_graph_position(node->graph, node);
	return fx_str_equal(where + (*where == '%'), node->name);
}

/* NODE becomes what B stands on; of a nested graph it is named with its path.
 */
static void
call_it(struct fx_break *b, const struct fx_node *node)
{
	const char *path = fx_control_path(b->model->graph, node->graph);
	bool is_nested = path && *path;

	if (!is_nested && is_called(node, b->shown.where))
		return;
	free((char *)b->shown.where);
	b->shown.where = fx_xasprintf("%s%s%s", is_nested ? path : "",
		is_nested ? "." : "", node->name);
}

/* The node that B was set on, by id or else by name, or NULL. */
static const struct fx_node *
find_at_home(const struct fx_break *b)
{
	struct fx_graph *root = b->model->graph;
	const struct fx_node *node;

	/* A nested graph may be gone. */
	if (b->home != root && !fx_control_path(root, b->home))
		return NULL;
	node = fx_graph_find_id(b->home, b->node);
	if ((!node || !node->is_in_graph) && b->name)
		node = fx_graph_find(b->home, b->name);
	return node && node->is_in_graph ? node : NULL;
}

/* What B's node became in another graph, or was there before, or NULL. */
static const struct fx_node *
find_elsewhere(const struct fx_break *b)
{
	struct fx_graph *root = b->model->graph;
	const struct fx_node *node = fx_outline_find(root, b->node);

	if (!node && b->first != b->node)
		node = fx_outline_find(root, b->first);
	if (!node && b->from)
		node = fx_graph_find_id(root, b->from);
	return node && node->is_in_graph ? node : NULL;
}

/* B is on NODE, which is at home. */
static void
settle(struct fx_break *b, const struct fx_node *node)
{
	uint32_t count;
	const uint64_t *ids = fx_graph_derived(node, &count);

	if (!b->node)
		b->first = node->id;
	b->node = node->id;
	b->name = node->name;
	if (count && b->home != b->model->graph)
		b->from = ids[0];
}

/* Match B to its node, whose present name it takes, or to what that is in
 * another graph: undo brings it back.
 */
static void
match_node(struct fx_break *b)
{
	const struct fx_node *node = find_at_home(b);

	if (node)
		settle(b, node);
	else
		node = find_elsewhere(b);
	if (!node)
		return;
	b->graph = node->graph;
	add_node(b, node);
	call_it(b, node);
}

/* Whether B is about all nodes, and not about none of them. */
static bool
is_about_nodes(const struct fx_break *b)
{
	return b->kind == FX_BREAK_ALL && b->is_watch && !b->watch.is_path;
}

void
fx_breaks_forget(const struct fx_model *model)
{
	struct fx_session *session = model->session;

	for (size_t i = 0; i < session->breaks.count; i++)
		session->breaks.items[i]->is_fresh = false;
	for (size_t i = 0; i < session->skips.count; i++)
		session->skips.items[i]->is_fresh = false;
}

struct fx_error *
fx_break_match(struct fx_session *session, struct fx_break *b)
{
	struct fx_error *err = NULL;

	fx_map_clear(&b->nodes);
	b->is_matching = true;
	switch (b->kind) {
	case FX_BREAK_NODE:
		match_node(b);
		break;
	case FX_BREAK_SET:
		err = match_set(session, b);
		break;
	case FX_BREAK_SCOPE:
		match_scope(b);
		break;
	case FX_BREAK_SOURCE:
		match_source(b);
		break;
	case FX_BREAK_ALL:
		break;
	}
	b->version = b->model->graph->version;
	b->is_matching = false;
	b->is_fresh = true;
	b->shown.is_set = b->kind == FX_BREAK_SET;
	b->shown.match_count = b->nodes.count;
	b->shown.is_pending = b->kind != FX_BREAK_ALL && !b->nodes.count;
	if (is_about_nodes(b))
		b->shown.match_count = b->graph->node_count;
	return err;
}
