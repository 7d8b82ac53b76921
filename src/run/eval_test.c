/* eval_test.c - whether one node is what a prepared query asks for. */
#include <config.h>

#include "run/eval_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/journal.h"
#include "ir/tensor_meta.h"
#include "lang/query.h"

void
fx_test_deinit(struct fx_test *test)
{
	fx_matcher_free(test->matcher);
	fx_bitset_deinit(&test->members);
	fx_map_deinit(&test->insides);
	for (size_t i = 0; i < test->kid_count; i++)
		fx_test_deinit(&test->kids[i]);
	free(test->kids);
}

/* --- scopes ------------------------------------------------------------- */

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
	return fx_str_is_below(path, wanted);
}

static bool
test_path(const struct fx_test *test, const char *path)
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
bool
fx_test_inside(struct fx_test *test, const struct fx_node *node)
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
test_qualified(const struct fx_test *test, const char *name)
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
test_target(const struct fx_test *test, const struct fx_node *node)
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
test_dtype(const struct fx_test *test, const struct fx_value *meta)
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
test_source(const struct fx_test *test, const struct fx_node *node)
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
test_module(const struct fx_test *test, const struct fx_node *node)
{
	struct fx_module *module;

	if (node->opcode != FX_OPCODE_CALL_MODULE)
		return false;
	module = fx_module_find(node->graph->module, node->target);
	return module && test_qualified(test, module->class_name);
}

/* Who made the node: "dce", "edit"; nodes from the file have no maker. */
static bool
test_maker(const struct fx_test *test, const struct fx_node *node)
{
	const struct fx_transaction *made;

	if (!node->born || !node->graph->journal)
		return fx_matcher_test(test->matcher, "origin");
	made = fx_journal_get(node->graph, node->born);
	return made && made->maker &&
	       fx_matcher_test(test->matcher, made->maker);
}

static bool
test_state(struct fx_evaluator *evaluator, const struct fx_test *test,
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
test_text(struct fx_evaluator *evaluator, const struct fx_test *test,
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
	case FX_QUERY_NDIM:
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
has_neighbour(const struct fx_test *test, const struct fx_node *node)
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

/* Of a tensor, or of any in a tuple. */
static bool
test_rank(const struct fx_test *test, const struct fx_value *meta)
{
	if (meta && meta->kind == FX_VALUE_TENSOR)
		return meta->tensor->has_shape &&
		       compare_count(test->query->op, meta->tensor->rank,
			       test->number);
	for (size_t i = 0; meta && i < fx_value_item_count(meta); i++)
		if (test_rank(test, &meta->items[i]))
			return true;
	return false;
}

static bool
test_compare(struct fx_evaluator *evaluator, const struct fx_test *test,
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
	case FX_QUERY_NDIM:
		return test_rank(test, node->meta);
	case FX_QUERY_SHAPE:
		return fx_match_shape(query->operand, node->meta) != negated;
	}
	return test_text(evaluator, test, node) != negated;
}

static bool
test_truth(struct fx_evaluator *evaluator, const struct fx_test *test,
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

bool
fx_test_node(struct fx_evaluator *evaluator, struct fx_test *test,
	const struct fx_node *node, size_t position)
{
	switch (test->query->kind) {
	case FX_QUERY_AND:
		for (size_t i = 0; i < test->kid_count; i++)
			if (!fx_test_node(evaluator, &test->kids[i], node,
				    position))
				return false;
		return true;
	case FX_QUERY_OR:
		for (size_t i = 0; i < test->kid_count; i++)
			if (fx_test_node(evaluator, &test->kids[i], node,
				    position))
				return true;
		return false;
	case FX_QUERY_NOT:
		return !fx_test_node(evaluator, &test->kids[0], node, position);
	case FX_QUERY_COMPARE:
		return test_compare(evaluator, test, node);
	case FX_QUERY_INSIDE:
		return fx_test_inside(test, node);
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
