/* edit_uses.c - replacing all uses of a node. */
#include <config.h>

#include "base/vec.h"
#include "ir/edit.h"
#include "ir/edit_check.h"
#include "ir/graph_private.h"
#include "ir/journal_private.h"
#include "ir/value_walk.h"

typedef FX_VEC(struct fx_node *) node_vec;

struct replacing {
	struct fx_node *node;
	const struct fx_value *replacement;
	struct fx_node *user; /* being checked */
	struct fx_error *err;
};

/* USER may use INPUT, a node of the replacement. */
static bool
check_edge(void *context, struct fx_node *input)
{
	struct replacing *r = context;

	/* Another reference to the node itself adds nothing. */
	if (input != r->node)
		r->err = fx_check_edge("rauw", r->user, input);
	return !r->err;
}

/* The arguments of the checked user with the replacement in place. */
static void
rewire(const struct replacing *r, struct fx_value *args,
	struct fx_value *kwargs)
{
	struct fx_arena *arena = r->node->graph->values;
	size_t count = 0;

	*args = fx_value_replace_node(arena, &r->user->args, r->node,
		r->replacement, &count);
	*kwargs = fx_value_replace_node(arena, &r->user->kwargs, r->node,
		r->replacement, &count);
}

static struct fx_error *
check_user(struct replacing *r)
{
	struct fx_value args;
	struct fx_value kwargs;

	if (!fx_journal_is_relaxed(r->node->graph) &&
		!fx_value_visit_nodes(r->replacement, check_edge, r))
		return r->err;
	/* A leaf cannot make anything deeper. */
	if (fx_value_depth(r->replacement) == 0)
		return NULL;
	rewire(r, &args, &kwargs);
	return fx_check_args(r->node->graph, &args, &kwargs);
}

/* The users that FILTER lets through, in order, all checked. */
static struct fx_error *
choose_users(struct replacing *r, fx_edit_filter_fn *filter, void *context,
	node_vec *users)
{
	struct fx_use *use;

	fx_node_for_each_user (use, r->node) {
		struct fx_error *err;

		if (filter && !filter(context, use->user))
			continue;
		r->user = use->user;
		err = check_user(r);
		if (err)
			return err;
		fx_vec_push(users, use->user);
	}
	return NULL;
}

struct fx_error *
fx_edit_replace_uses(struct fx_node *node, const struct fx_value *replacement,
	fx_edit_filter_fn *filter, void *context, size_t *count_ret)
{
	struct fx_value kept = *replacement;
	struct replacing r = { .node = node, .replacement = &kept };
	node_vec users = { 0 };
	struct fx_error *err = fx_check_present(node);

	if (count_ret)
		*count_ret = 0;
	if (!err)
		err = fx_check_value(node->graph, replacement);
	if (!err && kept.kind == FX_VALUE_NODE && kept.node == node)
		err = fx_error_new(FX_ERR_VALUE, "%%%s cannot replace itself",
			node->name);
	if (!err)
		err = choose_users(&r, filter, context, &users);
	for (size_t i = 0; !err && i < users.count; i++) {
		struct fx_value args;
		struct fx_value kwargs;

		r.user = users.items[i];
		rewire(&r, &args, &kwargs);
		fx_edit_apply_args(r.user, args, kwargs, true);
	}
	if (!err && count_ret)
		*count_ret = users.count;
	fx_vec_deinit(&users);
	return err;
}
