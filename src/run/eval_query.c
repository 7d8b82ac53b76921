/* eval_query.c - which nodes a query selects.
 *
 * A query is prepared once: texts become matchers, what names other nodes
 * becomes a set of positions.  Then every node is tested, so the cost is
 * nodes times the words of the query.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bitset.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/dominators.h"
#include "ir/module.h"
#include "ir/order.h"
#include "lang/query.h"
#include "run/backend.h"
#include "run/eval_private.h"
#include "run/eval_test.h"

/* --- preparing ---------------------------------------------------------- */

static struct fx_error *
prepare_range(struct fx_evaluator *evaluator, struct fx_test *test)
{
	struct fx_graph *graph = evaluator->resolver->graph;
	const struct fx_query *query = test->query;
	size_t first = 0;
	size_t last = graph->node_count ? graph->node_count - 1 : 0;
	struct fx_node *node;
	struct fx_error *err = NULL;

	if (query->first) {
		err = fx_eval_one_node(evaluator, query->first, &node);
		if (!err)
			first = fx_graph_position(graph, node);
	}
	if (!err && query->last) {
		err = fx_eval_one_node(evaluator, query->last, &node);
		if (!err)
			last = fx_graph_position(graph, node);
	}
	if (!err && first > last && graph->node_count)
		err = fx_error_new(FX_ERR_RANGE,
			"query: the range goes backwards, from @%zu to @%zu",
			first, last);
	for (size_t i = first; !err && i <= last; i++)
		fx_bitset_add(&test->members, i);
	return err;
}

static void
add_datum(struct fx_evaluator *evaluator, const struct fx_datum *datum,
	struct fx_bitset *set)
{
	struct fx_graph *graph = evaluator->resolver->graph;
	size_t count;
	const uint64_t *ids = fx_eval_ids(datum, &count);

	for (size_t i = 0; i < count; i++) {
		struct fx_node *node = fx_graph_find_id(graph, ids[i]);

		if (node && node->is_in_graph)
			fx_bitset_add(set, fx_graph_position(graph, node));
	}
}

/* All nodes inside the scope that a path names. */
static void
add_scope(struct fx_evaluator *evaluator, const char *path,
	struct fx_bitset *set)
{
	struct fx_query query = { .kind = FX_QUERY_INSIDE, .text = path };
	FX_AUTO(test) struct fx_test test = { .query = &query };
	struct fx_node *node;
	size_t position = 0;

	fx_graph_for_each_node (node, evaluator->resolver->graph) {
		if (fx_test_inside(&test, node))
			fx_bitset_add(set, position);
		position++;
	}
}

/* A designator, a variable holding a set, a node's name, a module path. */
static struct fx_error *
add_item(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_bitset *set)
{
	FX_AUTO_OPERAND struct fx_operand operand = { 0 };
	struct fx_graph *graph = evaluator->resolver->graph;
	struct fx_error *err = fx_eval_operand(evaluator, tree, &operand);
	bool is_nodes;
	size_t count;

	if (err)
		return err;
	is_nodes = operand.kind == FX_OPERAND_DATUM &&
		   fx_eval_ids(operand.datum, &count);
	if (operand.kind == FX_OPERAND_NODE)
		fx_bitset_add(set, fx_graph_position(graph, operand.node));
	else if (operand.kind == FX_OPERAND_PATH)
		add_scope(evaluator, operand.text, set);
	else if (is_nodes)
		add_datum(evaluator, operand.datum, set);
	else
		return fx_error_at(fx_error_new(FX_ERR_TYPE,
					   "expected a node or a set here"),
			evaluator->text, tree->span);
	return NULL;
}

static struct fx_error *
prepare_call(struct fx_evaluator *evaluator, struct fx_test *test)
{
	FX_AUTO_FREE size_t *positions = NULL;
	const struct fx_query *query = test->query;
	struct fx_trees arguments = { query->arguments,
		(size_t)query->argument_count };
	size_t count = 0;
	struct fx_error *err = fx_eval_reach(evaluator, query->text, &arguments,
		&positions, &count);

	for (size_t i = 0; !err && i < count; i++)
		fx_bitset_add(&test->members, positions[i]);
	return err;
}

/* A number, or nodes that must be among the users or inputs. */
static struct fx_error *
prepare_count(struct fx_evaluator *evaluator, struct fx_test *test)
{
	const struct fx_ast *operand = test->query->operand;
	int op = test->query->op;

	if (operand->kind == FX_AST_INT && !operand->text) {
		test->number = operand->integer;
		return NULL;
	}
	if ((op != FX_AST_EQ && op != FX_AST_NE) ||
		test->query->field == FX_QUERY_NDIM)
		return fx_error_at(fx_error_new(FX_ERR_SYNTAX,
					   "query: expected a number"),
			evaluator->text, operand->span);
	test->has_members = true;
	return add_item(evaluator, operand, &test->members);
}

/* A word that no node can have is a mistake rather than an empty set. */
static struct fx_error *
check_word(struct fx_evaluator *evaluator, const struct fx_query *query)
{
	FX_AUTO_BUF struct fx_buf words = { 0 };

	if (query->op == FX_AST_MATCHES)
		return NULL;
	if (query->field == FX_QUERY_OP &&
		fx_opcode_find(query->text) == FX_OPCODE_COUNT) {
		for (int i = 0; i < FX_OPCODE_COUNT; i++)
			fx_buf_addf(&words, "%s%s", i ? " " : "",
				fx_opcode_word((enum fx_opcode)i));
		return fx_error_at(fx_error_hint(fx_error_new(FX_ERR_NO_OPCODE,
							 "query: \"%s\" is no "
							 "opcode",
							 query->text),
					   "opcodes: %s", fx_buf_text(&words)),
			evaluator->text, query->operand->span);
	}
	if (query->field == FX_QUERY_DTYPE && !fx_dtype_find(query->text) &&
		!fx_dtype_find_short(query->text))
		return fx_error_at(fx_error_new(FX_ERR_VALUE,
					   "query: \"%s\" is no dtype",
					   query->text),
			evaluator->text, query->operand->span);
	return NULL;
}

static struct fx_error *
prepare_compare(struct fx_evaluator *evaluator, struct fx_test *test)
{
	const struct fx_query *query = test->query;
	struct fx_error *err;

	if (query->field == FX_QUERY_USERS || query->field == FX_QUERY_INPUTS ||
		query->field == FX_QUERY_NDIM)
		return prepare_count(evaluator, test);
	if (query->field == FX_QUERY_SHAPE)
		return NULL;
	err = check_word(evaluator, query);
	if (!err)
		err = fx_matcher_new(query, &test->matcher);
	return err && query->operand
		       ? fx_error_at(err, evaluator->text, query->operand->span)
		       : err;
}

/* The module path nearest to one that nothing is inside of. */
static struct fx_error *
nothing_inside(struct fx_evaluator *evaluator, const char *path)
{
	struct fx_graph *graph = evaluator->resolver->graph;
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, false);
	struct fx_module *module;
	struct fx_nearest nearest;
	const char *name;
	struct fx_error *err;

	fx_nearest_init(&nearest, path);
	while (fx_module_walk_next(walk, &module, &name))
		if (*name)
			fx_nearest_offer(&nearest, name);
	fx_module_walk_free(walk);
	err = fx_error_new(FX_ERR_NO_NODE,
		"query: there is no module \"%s\", and no node inside it",
		path);
	return fx_nearest_note(&nearest, err);
}

/* A path that is no module and that no node lies in is mistyped. */
static struct fx_error *
check_inside(struct fx_evaluator *evaluator, struct fx_test *test)
{
	struct fx_graph *graph = evaluator->resolver->graph;
	const char *path = test->query->text;
	struct fx_node *node;

	if (strpbrk(path, "*?[") || fx_module_find(graph->module, path) ||
		(test->below && fx_module_find(graph->module, test->below)))
		return NULL;
	fx_graph_for_each_node (node, graph)
		if (fx_test_inside(test, node))
			return NULL;
	return nothing_inside(evaluator, path);
}

/* No node is said to be finite that only has a shape. */
static struct fx_error *
check_truth(const struct fx_evaluator *evaluator, const struct fx_query *query)
{
	const struct fx_resolver *resolver = evaluator->resolver;

	if (query->field != FX_QUERY_NONFINITE || !resolver->has_shapes_only)
		return NULL;
	return fx_error_new(FX_ERR_NOT_KNOWN,
		"nonfinite needs values; the %s backend computes shapes and "
		"dtypes only",
		resolver->backend->ops->name);
}

static struct fx_error *
prepare(struct fx_evaluator *evaluator, const struct fx_query *query,
	struct fx_test *test)
{
	const char *scope = evaluator->resolver->scope;
	struct fx_error *err = NULL;

	test->query = query;
	switch (query->kind) {
	case FX_QUERY_AND:
	case FX_QUERY_OR:
	case FX_QUERY_NOT:
		test->kids = fx_xcalloc((size_t)query->kid_count,
			sizeof(*test->kids));
		test->kid_count = (size_t)query->kid_count;
		for (int i = 0; i < query->kid_count && !err; i++)
			err = prepare(evaluator, query->kids[i],
				&test->kids[i]);
		/* A failed kid leaves later ones empty. */
		return err;
	case FX_QUERY_COMPARE:
		return prepare_compare(evaluator, test);
	case FX_QUERY_INSIDE:
		if (scope && *scope)
			test->below =
				fx_intern_format("%s.%s", scope, query->text);
		return check_inside(evaluator, test);
	case FX_QUERY_RANGE:
		return prepare_range(evaluator, test);
	case FX_QUERY_ITEM:
		return add_item(evaluator, query->operand, &test->members);
	case FX_QUERY_CALL:
		return prepare_call(evaluator, test);
	case FX_QUERY_TRUTH:
		return check_truth(evaluator, query);
	case FX_QUERY_ALL:
		break;
	}
	return NULL;
}

/* --- whole queries ------------------------------------------------------ */

/* Whom a query names by themselves needs no search. */
static void
list_members(const struct fx_bitset *members, size_t **positions_ret,
	size_t *count_ret)
{
	size_t count = 0;
	size_t at;

	*positions_ret = fx_xcalloc(fx_bitset_count(members) + 1,
		sizeof(**positions_ret));
	for (at = 0; fx_bitset_next(members, &at); at++)
		(*positions_ret)[count++] = at;
	*count_ret = count;
}

static void
test_all(struct fx_evaluator *evaluator, struct fx_test *test,
	size_t **positions_ret, size_t *count_ret)
{
	struct fx_graph *graph = evaluator->resolver->graph;
	struct fx_node *node;
	size_t position = 0;
	size_t count = 0;

	*positions_ret = fx_xcalloc(graph->node_count, sizeof(**positions_ret));
	fx_graph_for_each_node (node, graph) {
		if (fx_test_node(evaluator, test, node, position))
			(*positions_ret)[count++] = position;
		position++;
	}
	*count_ret = count;
}

static struct fx_error *
select_nodes(struct fx_evaluator *evaluator, const struct fx_query *query,
	size_t **positions_ret, size_t *count_ret)
{
	FX_AUTO(test) struct fx_test test = { .query = query };
	struct fx_error *err;

	if (!evaluator->resolver->graph)
		return fx_error_new(FX_ERR_NO_GRAPH, "no graph is open");
	err = prepare(evaluator, query, &test);
	if (err)
		return err;
	if (query->kind == FX_QUERY_ITEM || query->kind == FX_QUERY_RANGE ||
		query->kind == FX_QUERY_CALL)
		list_members(&test.members, positions_ret, count_ret);
	else
		test_all(evaluator, &test, positions_ret, count_ret);
	return NULL;
}

struct fx_error *
fx_eval_query(const struct fx_resolver *resolver, const char *text,
	const struct fx_query *query, size_t **positions_ret, size_t *count_ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_evaluator evaluator = {
		.resolver = resolver,
		.text = text,
		.arena = arena,
	};

	return select_nodes(&evaluator, query, positions_ret, count_ret);
}

struct fx_error *
fx_eval_set(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_datum **ret)
{
	FX_AUTO_FREE size_t *positions = NULL;
	struct fx_query *query;
	size_t count;
	struct fx_error *err =
		fx_query_read(evaluator->arena, evaluator->text, tree, &query);

	if (!err)
		err = select_nodes(evaluator, query, &positions, &count);
	if (!err)
		*ret = fx_eval_positions(evaluator, positions, count);
	return err;
}

/* From node to node along the edges. */

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
	bool is_dominating = fx_str_equal(function, "dom") ||
			     fx_str_equal(function, "postdom");
	size_t most = is_near || is_dominating ? 1 : 2;
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
	else if (is_dominating)
		fx_dominators(node, *function == 'd', positions_ret, count_ret);
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
