/* eval_reach.c - from node to node along the edges. */
#include <config.h>

#include <stdlib.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/order.h"
#include "run/eval_private.h"

struct fx_error *
fx_eval_one_node(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_node **ret)
{
	FX_AUTO_OPERAND struct fx_operand operand = { 0 };
	struct fx_error *err = fx_eval_operand(evaluator, tree, &operand);

	if (err)
		return err;
	*ret = fx_operand_node(evaluator, &operand);
	if (*ret)
		return NULL;
	return fx_error_at(fx_error_new(FX_ERR_TYPE, "expected a node here"),
		evaluator->text, tree->span);
}

static struct fx_error *
read_depth(struct fx_evaluator *evaluator, const struct fx_ast *tree, int *ret)
{
	FX_AUTO_DATUM struct fx_datum *depth = NULL;
	struct fx_error *err = fx_eval_datum(evaluator, tree, &depth);

	if (err)
		return err;
	if (!fx_datum_is(depth, FX_VALUE_INT) || depth->value.integer < 0)
		return fx_error_at(fx_error_new(FX_ERR_VALUE,
					   "expected a number of edges"),
			evaluator->text, tree->span);
	*ret = depth->value.integer > INT32_MAX ? -1
						: (int)depth->value.integer;
	return NULL;
}

static void
neighbours(struct fx_graph *graph, struct fx_node *node, bool users,
	size_t **ret, size_t *count_ret)
{
	const struct fx_use *use;
	size_t count = 0;

	*ret = fx_xcalloc(node->user_count + node->use_count, sizeof(**ret));
	if (users)
		fx_node_for_each_user (use, node)
			(*ret)[count++] = fx_graph_position(graph, use->user);
	else
		for (size_t i = 0; i < fx_node_input_count(node); i++)
			(*ret)[count++] = fx_graph_position(graph,
				fx_node_input(node, i));
	qsort(*ret, count, sizeof(**ret), fx_number_compare_sizes);
	*count_ret = count;
}

static void
path_positions(struct fx_graph *graph, struct fx_node *from, struct fx_node *to,
	size_t **ret, size_t *count_ret)
{
	FX_AUTO_FREE struct fx_node **nodes = NULL;

	fx_order_path(from, to, &nodes, count_ret);
	*ret = fx_xcalloc(*count_ret, sizeof(**ret));
	for (size_t i = 0; i < *count_ret; i++)
		(*ret)[i] = fx_graph_position(graph, nodes[i]);
}

struct fx_error *
fx_eval_reach(struct fx_evaluator *evaluator, const char *function,
	const struct fx_trees *arguments, size_t **positions_ret,
	size_t *count_ret)
{
	struct fx_graph *graph = evaluator->resolver->graph;
	bool is_path = fx_str_equal(function, "path");
	bool is_near = fx_str_equal(function, "users") ||
		       fx_str_equal(function, "inputs");
	size_t most = is_near ? 1 : 2;
	size_t count = arguments->count;
	struct fx_node *node;
	struct fx_node *to;
	int depth = -1;
	struct fx_error *err;

	if (!graph)
		return fx_error_new(FX_ERR_NO_GRAPH, "no graph is open");
	if (count < 1 || count > most || (is_path && count != 2))
		return fx_error_new(FX_ERR_TYPE,
			"%s is called with %zu arguments", function, count);
	err = fx_eval_one_node(evaluator, arguments->items[0], &node);
	if (!err && is_path)
		err = fx_eval_one_node(evaluator, arguments->items[1], &to);
	else if (!err && count == 2)
		err = read_depth(evaluator, arguments->items[1], &depth);
	if (err)
		return err;
	if (is_path)
		path_positions(graph, node, to, positions_ret, count_ret);
	else if (is_near)
		neighbours(graph, node, *function == 'u', positions_ret,
			count_ret);
	else
		fx_order_cone(node, fx_str_equal(function, "up"), depth,
			positions_ret, count_ret);
	return NULL;
}

struct fx_datum *
fx_eval_positions(struct fx_evaluator *evaluator, const size_t *positions,
	size_t count)
{
	struct fx_graph *graph = evaluator->resolver->graph;
	FX_AUTO_FREE uint64_t *ids = fx_xcalloc(count, sizeof(*ids));

	for (size_t i = 0; i < count; i++)
		ids[i] = fx_graph_at(graph, positions[i])->id;
	return fx_datum_nodes(ids, count);
}
