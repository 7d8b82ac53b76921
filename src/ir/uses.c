/* uses.c - the edges of a graph. */
#include <config.h>

#include "ir/uses.h"

#include "base/arena.h"
#include "base/vec.h"
#include "ir/edit.h"
#include "ir/edit_check.h"
#include "ir/graph_private.h"
#include "ir/journal_private.h"
#include "ir/value_walk.h"

enum {
	MARK_SEEN = 1
};

/* Most nodes have few inputs, and few users. */
struct nodes {
	FX_VEC(struct fx_node *) others;
	struct fx_node *first[8];
	size_t count;
};

static struct fx_node *
node_at(const struct nodes *nodes, size_t index)
{
	size_t few = FX_ARRAY_LEN(nodes->first);

	return index < few ? nodes->first[index]
			   : nodes->others.items[index - few];
}

static void
add_node(struct nodes *nodes, struct fx_node *node)
{
	if (nodes->count < FX_ARRAY_LEN(nodes->first))
		nodes->first[nodes->count] = node;
	else
		fx_vec_push(&nodes->others, node);
	nodes->count++;
}

static bool
collect(void *context, struct fx_node *node)
{
	if (node->mark & MARK_SEEN)
		return true;
	node->mark |= MARK_SEEN;
	add_node(context, node);
	return true;
}

void
fx_uses_build(struct fx_graph *graph, struct fx_node *node)
{
	struct nodes inputs = { .count = 0 };

	fx_value_visit_nodes(&node->args, collect, &inputs);
	fx_value_visit_nodes(&node->kwargs, collect, &inputs);
	node->use_count = (uint32_t)inputs.count;
	node->uses = NULL;
	if (inputs.count > 0)
		node->uses = fx_arena_alloc(graph->values,
			inputs.count * sizeof(*node->uses));
	for (size_t i = 0; i < inputs.count; i++) {
		struct fx_node *input = node_at(&inputs, i);

		input->mark &= (uint8_t)~MARK_SEEN;
		node->uses[i] = (struct fx_use){ .user = node, .input = input };
	}
	fx_vec_deinit(&inputs.others);
}

void
fx_uses_append(struct fx_node *node)
{
	for (size_t i = 0; i < node->use_count; i++) {
		struct fx_use *use = &node->uses[i];
		struct fx_node *input = use->input;

		use->previous = input->last_user;
		use->next = NULL;
		if (input->last_user)
			input->last_user->next = use;
		else
			input->first_user = use;
		input->last_user = use;
		input->user_count++;
	}
}

static void
leave(struct fx_use *use)
{
	struct fx_node *input = use->input;

	if (use->previous)
		use->previous->next = use->next;
	else
		input->first_user = use->next;
	if (use->next)
		use->next->previous = use->previous;
	else
		input->last_user = use->previous;
	input->user_count--;
}

static void
rejoin(struct fx_use *use)
{
	struct fx_node *input = use->input;

	if (use->previous)
		use->previous->next = use;
	else
		input->first_user = use;
	if (use->next)
		use->next->previous = use;
	else
		input->last_user = use;
	input->user_count++;
}

void
fx_uses_retract(struct fx_node *node)
{
	for (size_t i = node->use_count; i-- > 0;)
		leave(&node->uses[i]);
}

void
fx_uses_remove(struct fx_node *node)
{
	for (size_t i = 0; i < node->use_count; i++)
		leave(&node->uses[i]);
}

void
fx_uses_restore(struct fx_node *node)
{
	for (size_t i = node->use_count; i-- > 0;)
		rejoin(&node->uses[i]);
}

/* Replacing all uses of a node. */

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
	struct nodes *users)
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
		add_node(users, use->user);
	}
	return NULL;
}

struct fx_error *
fx_edit_replace_uses(struct fx_node *node, const struct fx_value *replacement,
	fx_edit_filter_fn *filter, void *context, size_t *count_ret)
{
	struct fx_value kept = *replacement;
	struct replacing r = { .node = node, .replacement = &kept };
	struct nodes users = { .count = 0 };
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

		r.user = node_at(&users, i);
		rewire(&r, &args, &kwargs);
		fx_edit_apply_args(r.user, args, kwargs, true);
	}
	if (!err && count_ret)
		*count_ret = users.count;
	fx_vec_deinit(&users.others);
	return err;
}
