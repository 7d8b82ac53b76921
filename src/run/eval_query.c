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
#include "base/str.h"
#include "ir/journal.h"
#include "ir/order.h"
#include "ir/tensor_meta.h"
#include "lang/parse.h"
#include "lang/query.h"
#include "run/eval_private.h"

/* A prepared part of a query; kids as in the query. */
struct test {
	const struct fx_query *query;
	struct fx_matcher *matcher; /* COMPARE of text */
	struct fx_bitset members;   /* RANGE, ITEM, CALL; nodes of an operand */
	bool has_members;
	int64_t number;        /* COMPARE of a count */
	struct fx_map insides; /* INSIDE: scope -> 1 outside, 2 inside */
	const char *below;     /* INSIDE: the path below the scope, or NULL */
	struct test *kids;
	size_t kid_count;
};

static void
test_deinit(struct test *test)
{
	fx_matcher_free(test->matcher);
	fx_bitset_deinit(&test->members);
	fx_map_deinit(&test->insides);
	for (size_t i = 0; i < test->kid_count; i++)
		test_deinit(&test->kids[i]);
	free(test->kids);
}
FX_DEFINE_DEINIT(test, struct test, test_deinit);

/* --- positions ---------------------------------------------------------- */

static struct fx_error *
operand_node(struct fx_evaluator *evaluator, const struct fx_ast *tree,
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
	if (depth->kind != FX_DATUM_INT || depth->integer < 0)
		return fx_error_at(fx_error_new(FX_ERR_VALUE,
					   "expected a number of edges"),
			evaluator->text, tree->span);
	*ret = depth->integer > INT32_MAX ? -1 : (int)depth->integer;
	return NULL;
}

static int
compare_sizes(const void *a, const void *b)
{
	size_t x = *(const size_t *)a;
	size_t y = *(const size_t *)b;

	return (x > y) - (x < y);
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
	qsort(*ret, count, sizeof(**ret), compare_sizes);
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
	struct fx_ast *const *arguments, size_t count, size_t **positions_ret,
	size_t *count_ret)
{
	struct fx_graph *graph = evaluator->resolver->graph;
	bool is_path = fx_str_equal(function, "path");
	bool is_near = fx_str_equal(function, "users") ||
		       fx_str_equal(function, "inputs");
	size_t most = is_near ? 1 : 2;
	struct fx_node *node;
	struct fx_node *to;
	int depth = -1;
	struct fx_error *err;

	if (!graph)
		return fx_error_new(FX_ERR_NO_GRAPH, "no graph is open");
	if (count < 1 || count > most || (is_path && count != 2))
		return fx_error_new(FX_ERR_TYPE,
			"%s is called with %zu arguments", function, count);
	err = operand_node(evaluator, arguments[0], &node);
	if (!err && is_path)
		err = operand_node(evaluator, arguments[1], &to);
	else if (!err && count == 2)
		err = read_depth(evaluator, arguments[1], &depth);
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

/* --- scopes ------------------------------------------------------------- */

/* PATH is PREFIX or lies below it. */
static bool
is_below(const char *path, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(path, prefix, length) == 0 &&
	       (!length || !path[length] || path[length] == '.');
}

/* PATH or a module above it matches the glob. */
static bool
glob_inside(const char *glob, const char *path)
{
	FX_AUTO_FREE char *part = fx_xstrdup(path);

	for (;;) {
		char *dot;

		if (fx_str_glob(glob, part))
			return true;
		dot = strrchr(part, '.');
		if (!dot)
			return false;
		*dot = '\0';
	}
}

static bool
path_inside(const char *wanted, const char *path)
{
	if (strpbrk(wanted, "*?["))
		return glob_inside(wanted, path);
	return is_below(path, wanted);
}

static bool
test_path(const struct test *test, const char *path)
{
	return path_inside(test->query->text, path) ||
	       (test->below && path_inside(test->below, path));
}

static bool
has_module_target(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_CALL_MODULE ||
	       node->opcode == FX_OPCODE_GET_ATTR;
}

/* Scopes are shared by their nodes, so each is tested once. */
static bool
test_inside(struct test *test, const struct fx_node *node)
{
	uintptr_t known;

	if (has_module_target(node) && test_path(test, node->target))
		return true;
	if (!node->scope)
		return !*test->query->text;
	known = fx_map_get(&test->insides, (uintptr_t)node->scope, 0);
	if (!known) {
		known = test_path(test, node->scope->path) ? 2 : 1;
		fx_map_set(&test->insides, (uintptr_t)node->scope, known);
	}
	return known == 2;
}

/* --- fields of text ----------------------------------------------------- */

/* A qualified name answers to its last part and to its usual short form. */
static bool
test_qualified(const struct test *test, const char *name)
{
	const struct fx_matcher *matcher = test->matcher;
	const char *wanted = test->query->text;

	if (fx_matcher_test(matcher, name) ||
		fx_matcher_test(matcher, fx_class_short_name(name)))
		return true;
	if (fx_str_starts(wanted, "nn."))
		return fx_str_equal(wanted + 3, fx_class_short_name(name));
	if (fx_str_starts(wanted, "torch.nn.") && !strchr(wanted + 9, '.') &&
		fx_str_starts(name, "torch.nn.modules."))
		return fx_str_equal(wanted + 9, fx_class_short_name(name));
	return false;
}

static bool
test_target(const struct test *test, const struct fx_node *node)
{
	const char *wanted = test->query->text;

	if (fx_matcher_test(test->matcher, node->target))
		return true;
	return node->opcode == FX_OPCODE_CALL_FUNCTION &&
	       fx_str_starts(wanted, "F.") &&
	       fx_str_starts(node->target, "torch.nn.functional.") &&
	       fx_str_equal(wanted + 2, node->target + 20);
}

static bool
test_dtype(const struct test *test, const struct fx_value *meta)
{
	if (!meta)
		return false;
	if (meta->kind == FX_VALUE_TENSOR) {
		const struct fx_dtype_info *info =
			fx_dtype_info(meta->tensor->dtype);

		return info && meta->tensor->dtype != FX_DTYPE_NONE &&
		       (fx_matcher_test(test->matcher, info->name) ||
			       fx_matcher_test(test->matcher,
				       info->short_name));
	}
	if (!fx_value_is_sequence(meta))
		return false;
	for (size_t i = 0; i < fx_value_item_count(meta); i++)
		if (test_dtype(test, &meta->items[i]))
			return true;
	return false;
}

static bool
test_source(const struct test *test, const struct fx_node *node)
{
	const struct fx_source *source = node->source;

	for (size_t i = 0; source && i < source->count; i++) {
		const struct fx_source_frame *frame = &source->frames[i];
		const char *base = strrchr(frame->file, '/');
		FX_AUTO_BUF struct fx_buf place = { 0 };
		size_t file;

		fx_buf_add(&place, base ? base + 1 : frame->file);
		file = place.length;
		fx_buf_addf(&place, ":%d", frame->line);
		if (fx_matcher_test(test->matcher, fx_buf_text(&place)))
			return true;
		fx_buf_truncate(&place, file);
		if (fx_matcher_test(test->matcher, fx_buf_text(&place)) ||
			fx_matcher_test(test->matcher, frame->file))
			return true;
	}
	return false;
}

static bool
test_module(const struct test *test, const struct fx_node *node)
{
	struct fx_module *module;

	if (node->opcode != FX_OPCODE_CALL_MODULE)
		return false;
	module = fx_module_find(node->graph->module, node->target);
	return module && test_qualified(test, module->class_name);
}

/* Who made the node: "dce", "edit"; nodes from the file have no maker. */
static bool
test_maker(const struct test *test, const struct fx_node *node)
{
	const struct fx_transaction *made;

	if (!node->born || !node->graph->journal)
		return fx_matcher_test(test->matcher, "origin");
	made = fx_journal_get(node->graph, node->born);
	return made && made->maker &&
	       fx_matcher_test(test->matcher, made->maker);
}

static bool
test_state(struct fx_evaluator *evaluator, const struct test *test,
	const struct fx_node *node)
{
	const struct fx_resolver *resolver = evaluator->resolver;
	const char *state = resolver->state
				    ? resolver->state(resolver->context, node)
				    : "·";

	/* The middle dot is hard to type. */
	return fx_matcher_test(test->matcher, state) ||
	       (fx_str_equal(state, "·") &&
		       fx_matcher_test(test->matcher, "."));
}

static bool
test_text(struct fx_evaluator *evaluator, const struct test *test,
	const struct fx_node *node)
{
	switch (test->query->field) {
	case FX_QUERY_OP:
		return fx_matcher_test(test->matcher,
			fx_opcode_word(node->opcode));
	case FX_QUERY_TARGET:
		return test_target(test, node);
	case FX_QUERY_NAME:
		return fx_matcher_test(test->matcher, node->name);
	case FX_QUERY_DTYPE:
		return test_dtype(test, node->meta);
	case FX_QUERY_MODULE:
		return test_module(test, node);
	case FX_QUERY_SCOPE:
		return fx_matcher_test(test->matcher,
			node->scope ? node->scope->path : "");
	case FX_QUERY_SOURCE:
		return test_source(test, node);
	case FX_QUERY_STATE:
		return test_state(evaluator, test, node);
	case FX_QUERY_PASS:
		return test_maker(test, node);
	case FX_QUERY_SHAPE:
	case FX_QUERY_USERS:
	case FX_QUERY_INPUTS:
	case FX_QUERY_TAGGED:
	case FX_QUERY_NONFINITE:
	case FX_QUERY_DIRTY:
	case FX_QUERY_FIELD_COUNT:
		break;
	}
	return false;
}

/* --- testing a node ----------------------------------------------------- */

static bool
compare_count(int op, int64_t count, int64_t number)
{
	switch (op) {
	case FX_AST_NE:
		return count != number;
	case FX_AST_LT:
		return count < number;
	case FX_AST_LE:
		return count <= number;
	case FX_AST_GT:
		return count > number;
	case FX_AST_GE:
		return count >= number;
	}
	return count == number;
}

/* users=%x: %x is among them. */
static bool
has_neighbour(const struct test *test, const struct fx_node *node)
{
	struct fx_graph *graph = node->graph;
	const struct fx_use *use;

	if (test->query->field == FX_QUERY_USERS) {
		fx_node_for_each_user (use, node)
			if (fx_bitset_has(&test->members,
				    fx_graph_position(graph, use->user)))
				return true;
		return false;
	}
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (fx_bitset_has(&test->members,
			    fx_graph_position(graph, fx_node_input(node, i))))
			return true;
	return false;
}

static bool
test_compare(struct fx_evaluator *evaluator, const struct test *test,
	const struct fx_node *node)
{
	const struct fx_query *query = test->query;
	bool negated = query->op == FX_AST_NE;

	switch ((int)query->field) {
	case FX_QUERY_USERS:
	case FX_QUERY_INPUTS:
		if (test->has_members)
			return has_neighbour(test, node) != negated;
		return compare_count(query->op,
			query->field == FX_QUERY_USERS
				? (int64_t)node->user_count
				: (int64_t)node->use_count,
			test->number);
	case FX_QUERY_SHAPE:
		return fx_match_shape(query->operand, node->meta) != negated;
	}
	return test_text(evaluator, test, node) != negated;
}

static bool
test_truth(struct fx_evaluator *evaluator, const struct test *test,
	const struct fx_node *node)
{
	const struct fx_resolver *resolver = evaluator->resolver;
	bool (*ask)(void *context, const struct fx_node *node) = NULL;

	if (test->query->field == FX_QUERY_TAGGED)
		ask = resolver->is_tagged;
	else if (test->query->field == FX_QUERY_DIRTY)
		ask = resolver->is_dirty;
	else if (test->query->field == FX_QUERY_NONFINITE)
		ask = resolver->is_nonfinite;
	return ask && ask(resolver->context, node);
}

static bool
test_node(struct fx_evaluator *evaluator, struct test *test,
	const struct fx_node *node, size_t position)
{
	switch (test->query->kind) {
	case FX_QUERY_AND:
		for (size_t i = 0; i < test->kid_count; i++)
			if (!test_node(evaluator, &test->kids[i], node,
				    position))
				return false;
		return true;
	case FX_QUERY_OR:
		for (size_t i = 0; i < test->kid_count; i++)
			if (test_node(evaluator, &test->kids[i], node,
				    position))
				return true;
		return false;
	case FX_QUERY_NOT:
		return !test_node(evaluator, &test->kids[0], node, position);
	case FX_QUERY_COMPARE:
		return test_compare(evaluator, test, node);
	case FX_QUERY_INSIDE:
		return test_inside(test, node);
	case FX_QUERY_TRUTH:
		return test_truth(evaluator, test, node);
	case FX_QUERY_RANGE:
	case FX_QUERY_ITEM:
	case FX_QUERY_CALL:
		return fx_bitset_has(&test->members, position);
	case FX_QUERY_ALL:
		break;
	}
	return true;
}

/* --- preparing ---------------------------------------------------------- */

static struct fx_error *
prepare_range(struct fx_evaluator *evaluator, struct test *test)
{
	struct fx_graph *graph = evaluator->resolver->graph;
	const struct fx_query *query = test->query;
	size_t first = 0;
	size_t last = graph->node_count ? graph->node_count - 1 : 0;
	struct fx_node *node;
	struct fx_error *err = NULL;

	if (query->first) {
		err = operand_node(evaluator, query->first, &node);
		if (!err)
			first = fx_graph_position(graph, node);
	}
	if (!err && query->last) {
		err = operand_node(evaluator, query->last, &node);
		if (!err)
			last = fx_graph_position(graph, node);
	}
	for (size_t i = first; !err && i <= last; i++)
		fx_bitset_add(&test->members, i);
	return err;
}

static void
add_datum(struct fx_evaluator *evaluator, const struct fx_datum *datum,
	struct fx_bitset *set)
{
	struct fx_graph *graph = evaluator->resolver->graph;

	for (size_t i = 0; i < datum->count; i++) {
		struct fx_node *node = fx_graph_find_id(graph, datum->ids[i]);

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
	FX_AUTO(test) struct test test = { .query = &query };
	struct fx_node *node;
	size_t position = 0;

	fx_graph_for_each_node (node, evaluator->resolver->graph) {
		if (test_inside(&test, node))
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

	if (err)
		return err;
	is_nodes = operand.kind == FX_OPERAND_DATUM &&
		   (operand.datum->kind == FX_DATUM_NODE ||
			   operand.datum->kind == FX_DATUM_NODES);
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
prepare_call(struct fx_evaluator *evaluator, struct test *test)
{
	FX_AUTO_FREE size_t *positions = NULL;
	const struct fx_query *query = test->query;
	size_t count = 0;
	struct fx_error *err =
		fx_eval_reach(evaluator, query->text, query->arguments,
			(size_t)query->argument_count, &positions, &count);

	for (size_t i = 0; !err && i < count; i++)
		fx_bitset_add(&test->members, positions[i]);
	return err;
}

/* A number, or nodes that must be among the users or inputs. */
static struct fx_error *
prepare_count(struct fx_evaluator *evaluator, struct test *test)
{
	const struct fx_ast *operand = test->query->operand;
	int op = test->query->op;

	if (operand->kind == FX_AST_INT && !operand->text) {
		test->number = operand->integer;
		return NULL;
	}
	if (op != FX_AST_EQ && op != FX_AST_NE)
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
		return fx_error_at(fx_error_hint(fx_error_new(FX_ERR_VALUE,
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
prepare_compare(struct fx_evaluator *evaluator, struct test *test)
{
	const struct fx_query *query = test->query;
	struct fx_error *err;

	if (query->field == FX_QUERY_USERS || query->field == FX_QUERY_INPUTS)
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

static struct fx_error *
prepare(struct fx_evaluator *evaluator, const struct fx_query *query,
	struct test *test)
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
		return NULL;
	case FX_QUERY_RANGE:
		return prepare_range(evaluator, test);
	case FX_QUERY_ITEM:
		return add_item(evaluator, query->operand, &test->members);
	case FX_QUERY_CALL:
		return prepare_call(evaluator, test);
	case FX_QUERY_TRUTH:
	case FX_QUERY_ALL:
		break;
	}
	return NULL;
}

/* --- whole queries ------------------------------------------------------ */

static struct fx_error *
select_nodes(struct fx_evaluator *evaluator, const struct fx_query *query,
	size_t **positions_ret, size_t *count_ret)
{
	struct fx_graph *graph = evaluator->resolver->graph;
	FX_AUTO(test) struct test test = { .query = query };
	struct fx_node *node;
	size_t position = 0;
	size_t count = 0;
	struct fx_error *err;

	if (!graph)
		return fx_error_new(FX_ERR_NO_GRAPH, "no graph is open");
	err = prepare(evaluator, query, &test);
	if (err)
		return err;
	*positions_ret = fx_xcalloc(graph->node_count, sizeof(**positions_ret));
	fx_graph_for_each_node (node, graph) {
		if (test_node(evaluator, &test, node, position))
			(*positions_ret)[count++] = position;
		position++;
	}
	*count_ret = count;
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
