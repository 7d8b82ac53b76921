/* verify.c - every rule of a graph, checked.
 *
 * Codes, stable words.  What torch.fx's lint finds too: unknown-opcode,
 * foreign-argument, use-before-definition, duplicate-name, bad-target,
 * missing-target, not-a-module.  Beyond that: erased-argument, bad-arguments,
 * bad-name, many-outputs.  What only a bug of ours can cause: broken-list,
 * miscounted, broken-order, broken-uses, broken-users, lost-name, lost-id.
 */
#include <config.h>

#include "ir/verify.h"

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/graph_private.h"
#include "ir/targets.h"
#include "ir/value_walk.h"

enum {
	MARK_SEEN = 1
};

struct report {
	const struct fx_graph *graph;
	size_t limit;
	FX_VEC(struct fx_problem) problems;
	size_t outputs;
};

/* One problem of NODE, or of the graph when that is null. */
#define PROBLEM(r, code, node, ...) \
	do { \
		if ((r)->problems.count < (r)->limit) \
			add_problem((r), (code), (node), \
				fx_intern_format(__VA_ARGS__)); \
	} while (0)

static void
add_problem(struct report *r, const char *code, const struct fx_node *node,
	const char *detail)
{
	struct fx_problem problem = {
		.code = code, .node = node ? node->name : NULL, .detail = detail
	};

	fx_vec_push(&r->problems, problem);
}

/* The list can be followed past NODE, and back. */
static bool
check_links(struct report *r, const struct fx_node *node)
{
	if (node->next->previous == node && node->is_in_graph)
		return true;
	PROBLEM(r, "broken-list", node, "the list of nodes is broken at %%%s",
		node->name);
	return false;
}

struct edges {
	struct report *r;
	const struct fx_node *node;
	size_t next; /* edge expected for the next new input */
	bool is_broken;
};

static bool
check_mention(void *context, struct fx_node *input)
{
	struct edges *e = context;
	const struct fx_node *node = e->node;

	if (input->graph != node->graph) {
		PROBLEM(e->r, "foreign-argument", node,
			"%%%s uses %%%s of another graph", node->name,
			input->name);
		e->is_broken = true;
		return false;
	}
	if (input->mark & MARK_SEEN)
		return true;
	input->mark |= MARK_SEEN;
	if (!input->is_in_graph)
		PROBLEM(e->r, "erased-argument", node,
			"%%%s uses %%%s, which was erased", node->name,
			input->name);
	else if (!fx_node_is_before(input, node))
		PROBLEM(e->r, "use-before-definition", node,
			"%%%s uses %%%s before it is defined", node->name,
			input->name);
	if (e->next < node->use_count && node->uses[e->next].input == input)
		e->next++;
	else
		e->is_broken = true;
	return true;
}

static bool
clear_mark(void *context, struct fx_node *input)
{
	(void)context;
	input->mark &= (uint8_t)~MARK_SEEN;
	return true;
}

/* USE stands properly in its input's list. */
static bool
is_linked(const struct fx_use *use)
{
	const struct fx_node *input = use->input;

	return (use->previous ? use->previous->next : input->first_user) ==
		       use &&
	       (use->next ? use->next->previous : input->last_user) == use;
}

static void
check_uses(struct report *r, const struct fx_node *node)
{
	struct edges e = { .r = r, .node = node };

	fx_value_visit_nodes(&node->args, check_mention, &e);
	fx_value_visit_nodes(&node->kwargs, check_mention, &e);
	fx_value_visit_nodes(&node->args, clear_mark, NULL);
	fx_value_visit_nodes(&node->kwargs, clear_mark, NULL);
	for (size_t i = 0; i < node->use_count; i++)
		if (node->uses[i].user != node || !is_linked(&node->uses[i]))
			e.is_broken = true;
	if (e.is_broken || e.next != node->use_count)
		PROBLEM(r, "broken-uses", node,
			"the inputs of %%%s are not those of its arguments",
			node->name);
}

static void
check_users(struct report *r, const struct fx_node *node)
{
	const struct fx_use *use = node->first_user;
	uint32_t count = 0;

	for (; use && count <= node->user_count; use = use->next) {
		const struct fx_node *user = use->user;

		if (use->input != node || !user->is_in_graph ||
			use < user->uses || use >= user->uses + user->use_count)
			break;
		count++;
	}
	if (use || count != node->user_count)
		PROBLEM(r, "broken-users", node,
			"the users of %%%s are not those that use it",
			node->name);
}

static void
check_name(struct report *r, const struct fx_node *node)
{
	const struct fx_node *owner = fx_graph_name_owner(r->graph, node->name);

	/* What gives out names gives out good ones. */
	if (owner == node)
		return;
	if (!node->name || !fx_str_is_identifier(node->name))
		PROBLEM(r, "bad-name", node, "\"%s\" is no name for a node",
			node->name ? node->name : "");
	else if (owner)
		PROBLEM(r, "duplicate-name", node,
			"the name %s is used more than once", node->name);
	else
		PROBLEM(r, "lost-name", node,
			"the name %s does not lead to its node", node->name);
}

static void
check_target(struct report *r, const struct fx_node *node)
{
	const char *word = fx_opcode_word((enum fx_opcode)node->opcode);
	const char *target = node->target ? node->target : "";

	switch (fx_target_check(r->graph, (enum fx_opcode)node->opcode,
		node->target)) {
	case FX_TARGET_OK:
		break;
	case FX_TARGET_EMPTY:
	case FX_TARGET_MALFORMED:
		PROBLEM(r, "bad-target", node,
			"the target \"%s\" of %%%s is none for %s", target,
			node->name, word);
		break;
	case FX_TARGET_MISSING:
		PROBLEM(r, "missing-target", node,
			"the target %s of %%%s does not exist", target,
			node->name);
		break;
	case FX_TARGET_NOT_MODULE:
		PROBLEM(r, "not-a-module", node,
			"the target %s of %%%s leads to no module", target,
			node->name);
		break;
	}
}

/* The shape of the arguments; their nodes are check_uses' business. */
static void
check_arguments(struct report *r, const struct fx_node *node)
{
	bool good = node->args.kind == FX_VALUE_TUPLE &&
		    node->kwargs.kind == FX_VALUE_DICT &&
		    fx_value_depth(&node->args) <= FX_DEPTH_LIMIT &&
		    fx_value_depth(&node->kwargs) <= FX_DEPTH_LIMIT;

	for (size_t i = 0; good && i < node->kwargs.count; i++)
		good = node->kwargs.items[2 * i].kind == FX_VALUE_STRING;
	if (!good)
		PROBLEM(r, "bad-arguments", node,
			"the arguments of %%%s are no tuple and dict",
			node->name);
}

static void
check_node(struct report *r, const struct fx_node *node)
{
	if (node->opcode >= FX_OPCODE_COUNT) {
		PROBLEM(r, "unknown-opcode", node,
			"%%%s has the unknown opcode %u", node->name,
			node->opcode);
		return;
	}
	if (node->previous->opcode != FX_OPCODE_COUNT &&
		!fx_node_is_before(node->previous, node))
		PROBLEM(r, "broken-order", node,
			"the order labels of %%%s and its predecessor "
			"disagree",
			node->name);
	if (fx_graph_find_id(r->graph, node->id) != node)
		PROBLEM(r, "lost-id", node,
			"the id of %%%s does not lead to it", node->name);
	if (node->opcode == FX_OPCODE_OUTPUT && ++r->outputs == 2)
		PROBLEM(r, "many-outputs", node, "%%%s is a second output",
			node->name);
	check_arguments(r, node);
	check_uses(r, node);
	check_users(r, node);
	check_name(r, node);
	check_target(r, node);
}

/* All nodes are checked in a single walk, because a large graph does not fit in
 * any cache.
 */
static void
check_nodes(struct report *r)
{
	const struct fx_graph *graph = r->graph;
	const struct fx_node *at = graph->root.next;
	size_t shapeless = 0;
	size_t count = 0;

	for (; at != &graph->root && count <= graph->node_count;
		at = at->next) {
		if (r->problems.count >= r->limit || !check_links(r, at))
			return;
		check_node(r, at);
		shapeless += fx_node_is_shapeless(at);
		count++;
	}
	if (count != graph->node_count)
		PROBLEM(r, "broken-list", NULL,
			"the list of nodes is not as long as it says: %zu",
			graph->node_count);
	else if (shapeless != graph->shapeless)
		PROBLEM(r, "miscounted", NULL,
			"%zu nodes have no shape, %zu are counted", shapeless,
			graph->shapeless);
}

void
fx_verify(struct fx_graph *graph, size_t limit, struct fx_problem **ret,
	size_t *count_ret)
{
	struct report r = { .graph = graph, .limit = limit };

	check_nodes(&r);
	*ret = r.problems.items;
	*count_ret = r.problems.count;
}

struct fx_error *
fx_verify_error(struct fx_graph *graph)
{
	FX_AUTO_FREE struct fx_problem *problems = NULL;
	size_t count;

	fx_verify(graph, 1, &problems, &count);
	if (count == 0)
		return NULL;
	return fx_error_new(FX_ERR_LINT, "%s", problems[0].detail);
}
