/* shapes.c - keeping shapes up to date, and what is impossible. */
#include <config.h>

#include <stdlib.h>

#include "base/bitset.h"
#include "base/mem.h"
#include "ir/changed_nodes.h"
#include "ir/control.h"
#include "ir/order.h"
#include "meta/propagate.h"
#include "meta/size_conditions.h"
#include "session/nested.h"
#include "session/session_private.h"
#include "session/size_conditions.h"

/* --- problems ----------------------------------------------------------- */

void
fx_model_forget_problem(struct fx_model *model, uint64_t id)
{
	char *text = (char *)fx_map_get(&model->problems, (uintptr_t)id, 0);

	if (!text)
		return;
	free(text);
	fx_map_erase(&model->problems, (uintptr_t)id);
}

static void
set_problem(struct fx_model *model, const struct fx_meta_failure *failure)
{
	const char *message = fx_error_message(failure->error);
	FX_AUTO_FREE char *broken =
		fx_model_broken_condition(model, failure->node);

	fx_model_forget_problem(model, failure->node);
	fx_map_set(&model->problems, (uintptr_t)failure->node,
		(uintptr_t)(broken ? fx_xasprintf("%s; %s", message, broken)
				   : fx_xstrdup(message)));
}

const char *
fx_model_shape_problem(const struct fx_model *model, const struct fx_node *node)
{
	const char *text = (const char *)fx_map_get(&model->problems,
		(uintptr_t)node->id, 0);

	if (text)
		return text;
	if (node->meta && node->meta->kind == FX_VALUE_UNKNOWN &&
		node->meta->text && *node->meta->text)
		return fx_value_why(node->meta);
	return NULL;
}

bool
fx_model_lacks_shapes(const struct fx_model *model,
	const struct fx_graph *graph)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (fx_model_shape_problem(model, node) &&
			!fx_control_given(node))
			return true;
	return false;
}

void
fx_model_clear_problems(struct fx_model *model)
{
	size_t at = 0;
	uintptr_t id;
	uintptr_t text;

	while (fx_map_next(&model->problems, &at, &id, &text))
		free((char *)text);
	fx_map_clear(&model->problems);
}

void
fx_model_keep_problems(struct fx_model *model,
	const struct fx_meta_report *report)
{
	for (size_t i = 0; i < report->failure_count; i++)
		set_problem(model, &report->failures[i]);
}

static struct fx_shape_report
keep_report(struct fx_model *model, const struct fx_meta_report *report)
{
	fx_model_clear_problems(model);
	fx_model_keep_problems(model, report);
	return (struct fx_shape_report){
		.known = report->known,
		.unknown = report->unknown,
		.bad = report->failure_count,
	};
}

struct fx_shape_report
fx_model_propagate(struct fx_model *model)
{
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	struct fx_graph *here = fx_position_graph(model);
	struct fx_meta *meta = model->session->meta;
	struct fx_size_conditions *conditions = fx_size_conditions_new();
	struct fx_shape_report known;

	fx_file_meta_review(model, NULL, 0);
	fx_meta_set_conditions(meta, conditions);
	fx_meta_propagate(meta, model->graph, false, &report);
	fx_meta_set_conditions(meta, NULL);
	fx_size_conditions_solve(conditions);
	fx_model_keep_conditions(model, conditions);
	known = keep_report(model, &report);
	return here == model->graph ? known
				    : fx_model_shape_nested(model, here);
}

void
fx_model_propagate_at_open(struct fx_model *model)
{
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };

	fx_file_meta_open(model, &report);
	keep_report(model, &report);
}

/* --- cones -------------------------------------------------------------- */

/* Nodes are told apart by the low half of their id, which counts them. */
struct cone {
	FX_VEC(struct fx_node *) nodes;
	struct fx_bitset seen;
};

static void
visit(struct cone *cone, struct fx_node *node)
{
	size_t index = (uint32_t)node->id;

	if (fx_bitset_has(&cone->seen, index))
		return;
	fx_bitset_add(&cone->seen, index);
	fx_vec_push(&cone->nodes, node);
}

/* Of so many, one of SHARE, it is faster to walk the graph once. */
#define SHARE 16

/* From many nodes: what has an input in the cone comes after it. */
static void
walk_down(struct cone *cone, struct fx_graph *graph,
	const struct fx_bitset *ids)
{
	struct fx_node *node;

	fx_vec_reserve(&cone->nodes, graph->node_count);
	fx_graph_for_each_node (node, graph) {
		size_t i = 0;

		if (!fx_bitset_has(ids, (uint32_t)node->id)) {
			while (i < node->use_count &&
				!fx_bitset_has(&cone->seen,
					(uint32_t)node->uses[i].input->id))
				i++;
			if (i == node->use_count)
				continue;
		}
		visit(cone, node);
	}
}

/* From a few: their users, and those of these. */
static void
visit_users(struct cone *cone, struct fx_graph *graph,
	const struct fx_bitset *ids)
{
	for (size_t at = 0; fx_bitset_next(ids, &at); at++) {
		struct fx_node *node =
			fx_graph_find_id(graph, fx_graph_id_at(graph, at));

		if (node)
			visit(cone, node);
	}
	for (size_t i = 0; i < cone->nodes.count; i++) {
		const struct fx_use *use;

		fx_node_for_each_user (use, cone->nodes.items[i])
			visit(cone, use->user);
	}
}

/* A few are sorted. */
static void
put_in_order(struct cone *cone, struct fx_graph *graph)
{
	struct fx_node *node;
	size_t count = 0;

	if (cone->nodes.count < graph->node_count / SHARE) {
		if (cone->nodes.count)
			qsort(cone->nodes.items, cone->nodes.count,
				sizeof(*cone->nodes.items), fx_order_compare);
		return;
	}
	fx_graph_for_each_node (node, graph)
		if (fx_bitset_has(&cone->seen, (uint32_t)node->id))
			cone->nodes.items[count++] = node;
}

void
fx_cone_in(struct fx_graph *graph, const struct fx_bitset *ids,
	struct fx_node ***ret, size_t *count_ret)
{
	struct cone cone = { .nodes = { 0 } };

	if (fx_bitset_count(ids) >= graph->node_count / SHARE) {
		walk_down(&cone, graph, ids);
	} else {
		visit_users(&cone, graph, ids);
		put_in_order(&cone, graph);
	}
	fx_bitset_deinit(&cone.seen);
	*ret = cone.nodes.items;
	*count_ret = cone.nodes.count;
}

/* --- after an edit ------------------------------------------------------ */

static void
count_bad(const struct fx_graph *graph, const struct fx_meta_failure *failure,
	struct fx_edit_report *ret)
{
	const struct fx_node *node = fx_graph_find_id(graph, failure->node);

	if (!ret->bad_shapes++)
		ret->bad_shape_text =
			fx_xasprintf("%%%s: %s", node ? node->name : "?",
				fx_error_message(failure->error));
}

/* Nodes of the cone that had a problem are computed again too: whether they
 * still have it cannot be seen otherwise.
 */
void
fx_model_reshape(struct fx_model *model, const struct fx_change *change,
	struct fx_edit_report *ret)
{
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	FX_AUTO_MAP struct fx_map had = { 0 };
	FX_VEC(uint64_t) list = { 0 };

	struct fx_graph *graph = change->graph ? change->graph : model->graph;

	if (graph == model->graph)
		fx_file_meta_review(model, change->cone, change->count);
	fx_vec_reserve(&list, change->count);
	for (size_t i = 0; i < change->count; i++) {
		uintptr_t id = (uintptr_t)change->cone[i]->id;
		bool is_bad = fx_map_has(&model->problems, id);

		if (is_bad)
			fx_map_set(&had, id, 1);
		if (is_bad || fx_bitset_has(&change->ids, (uint32_t)id))
			fx_vec_push(&list, (uint64_t)id);
		fx_model_forget_problem(model, id);
	}
	if (list.count)
		fx_meta_update(model->session->meta, graph, list.items,
			list.count, &report);
	for (size_t i = 0; i < report.failure_count; i++) {
		set_problem(model, &report.failures[i]);
		if (!fx_map_has(&had, (uintptr_t)report.failures[i].node))
			count_bad(graph, &report.failures[i], ret);
	}
	fx_vec_deinit(&list);
}
