/* written.c - which results somebody may write into.
 *
 * From each node that may write, to what it reads; from there along everything
 * that may share memory, up and down.  Parameters are one memory here, as views
 * and tied ones are not told apart.
 */
#include <config.h>

#include "ir/written.h"

#include "base/vec.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/side_effects.h"

struct search {
	struct fx_written *written;
	FX_VEC(struct fx_node *) todo;
	bool parameters; /* are written */
};

static void
mark(struct search *search, struct fx_node *node)
{
	if (fx_map_has(&search->written->nodes, (uintptr_t)node))
		return;
	fx_map_set(&search->written->nodes, (uintptr_t)node, 1);
	fx_vec_push(&search->todo, node);
	search->parameters |= node->opcode == FX_OPCODE_GET_ATTR;
}

static void
mark_inputs(struct search *search, const struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		mark(search, fx_node_input(node, i));
}

static bool
is_call(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_CALL_FUNCTION ||
	       node->opcode == FX_OPCODE_CALL_METHOD ||
	       node->opcode == FX_OPCODE_CALL_MODULE;
}

/* Whether NODE calls a layer that reads tensors of its own. */
static bool
reads_parameters(const struct fx_node *node)
{
	struct fx_module *module;

	if (node->opcode != FX_OPCODE_CALL_MODULE)
		return false;
	module = fx_module_find(node->graph->module, node->target);
	return !module || fx_module_has_tensors(module);
}

static void
spread(struct search *search)
{
	while (search->todo.count) {
		struct fx_node *node = fx_vec_pop(&search->todo);
		struct fx_use *use;

		if (is_call(node) && fx_may_alias(node))
			mark_inputs(search, node);
		fx_node_for_each_user (use, node)
			if (is_call(use->user) && fx_may_alias(use->user))
				mark(search, use->user);
	}
}

void
fx_written_find(struct fx_written *written, struct fx_graph *graph)
{
	struct search search = { .written = written };
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		if (!is_call(node) ||
			!(fx_side_effects(node) & FX_SIDE_EFFECT_WRITES))
			continue;
		mark(&search, node);
		mark_inputs(&search, node);
		search.parameters |= node->opcode == FX_OPCODE_CALL_MODULE;
	}
	spread(&search);
	fx_graph_for_each_node (node, graph)
		written->parameters |=
			node->opcode == FX_OPCODE_GET_ATTR &&
			fx_map_has(&written->nodes, (uintptr_t)node);
	if (search.parameters)
		fx_graph_for_each_node (node, graph)
			if (node->opcode == FX_OPCODE_GET_ATTR)
				mark(&search, node);
	spread(&search);
	fx_vec_deinit(&search.todo);
}

void
fx_written_deinit(struct fx_written *written)
{
	fx_map_deinit(&written->nodes);
}

bool
fx_written_touches(const struct fx_written *written, const struct fx_node *node)
{
	if (fx_map_has(&written->nodes, (uintptr_t)node) ||
		(written->parameters && reads_parameters(node)))
		return true;
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (fx_map_has(&written->nodes,
			    (uintptr_t)fx_node_input(node, i)))
			return true;
	return false;
}
