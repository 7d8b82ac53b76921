/* shapes.c - keeping shapes up to date, and what is impossible. */
#include <config.h>

#include <stdlib.h>

#include "base/bitset.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/changed_nodes.h"
#include "ir/control.h"
#include "ir/fold.h"
#include "meta/propagate.h"
#include "meta/size_conditions.h"
#include "session/changes.h"
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
	return fx_node_is_shapeless(node) ? fx_value_why(node->meta) : NULL;
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

	fx_file_meta_begin(model, NULL, 0);
	fx_meta_set_conditions(meta, conditions);
	fx_meta_propagate(meta, model->graph, false, &report);
	fx_file_meta_end(model);
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
static void
reshape(struct fx_model *model, const struct fx_graph_change *change,
	struct fx_edit_report *ret)
{
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	FX_AUTO_MAP struct fx_map had = { 0 };
	struct fx_graph *graph = change->graph;
	bool has_file = model->given.arena && graph == model->graph;
	FX_VEC(uint64_t) list = { 0 };

	if (has_file)
		fx_file_meta_begin(model, change->cone, change->count);
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
	if (has_file)
		fx_file_meta_end(model);
	for (size_t i = 0; i < report.failure_count; i++) {
		set_problem(model, &report.failures[i]);
		if (!fx_map_has(&had, (uintptr_t)report.failures[i].node))
			count_bad(graph, &report.failures[i], ret);
	}
	fx_vec_deinit(&list);
}

/* What a call gave before the edit. */
struct gave {
	struct fx_node *node;
	const struct fx_value *meta;
};
typedef FX_VEC(struct gave) gave_vec;

static gave_vec
what_calls_gave(const struct fx_graph_change *change)
{
	gave_vec all = { 0 };

	for (size_t at = 0; fx_bitset_next(&change->calls, &at); at++) {
		struct fx_node *node = fx_graph_find_id(change->graph,
			fx_graph_id_at(change->graph, at));

		if (node)
			fx_vec_push(&all, ((struct gave){ node, node->meta }));
	}
	return all;
}

static bool
is_known(const struct fx_value *meta)
{
	return meta && !fx_fold_has(meta, FX_VALUE_UNKNOWN);
}

/* A graph is held to what torch wants of it where it kept to that before. */
static bool
are_all_known(const gave_vec *calls)
{
	const struct gave *gave;

	fx_vec_for_each (gave, calls)
		if (!is_known(gave->meta))
			return false;
	return calls->count > 0;
}

/* How many results META tells of; 0: one that is no sequence. */
static size_t
result_count(const struct fx_value *meta)
{
	return fx_value_is_sequence(meta) ? 1 + meta->count : 0;
}

static void
add_results(struct fx_buf *out, const struct fx_value *meta)
{
	size_t count = result_count(meta);

	if (!count)
		fx_buf_add(out, "one result that is no tuple");
	else
		fx_buf_addf(out, "%zu result%s in a tuple", count - 1,
			count == 2 ? "" : "s");
}

/* Users of CALL take as many results as it gave. */
static void
check_results(const struct gave *call, struct fx_edit_report *ret)
{
	const struct fx_value *now = call->node->meta;
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (!call->node->user_count || !is_known(now) ||
		!is_known(call->meta) ||
		result_count(now) == result_count(call->meta))
		return;
	fx_buf_addf(&text, "%%%s: gives ", call->node->name);
	add_results(&text, now);
	fx_buf_add(&text, ", gave ");
	add_results(&text, call->meta);
	if (!ret->bad_shapes++)
		ret->bad_shape_text = fx_buf_take(&text);
}

/* Where a bad shape is, when several graphs are about. */
static void
say_where(const struct fx_model *model, const struct fx_graph_change *change,
	struct fx_edit_report *ret)
{
	FX_AUTO_FREE char *text = ret->bad_shape_text;
	const char *path = fx_model_graph_path(model, change->graph);

	ret->bad_shape_text =
		fx_xasprintf("%s (in %s)", text, *path ? path : model->name);
}

void
fx_changes_reshape(struct fx_model *model, const struct fx_changes *changes,
	struct fx_edit_report *ret)
{
	const struct fx_graph_change *change;
	const struct gave *gave;

	fx_vec_for_each (change, &changes->items) {
		gave_vec calls = what_calls_gave(change);
		bool had_bad = ret->bad_shapes;

		fx_meta_set_strict(model->session->meta, are_all_known(&calls));
		reshape(model, change, ret);
		fx_meta_set_strict(model->session->meta, false);
		fx_vec_for_each (gave, &calls)
			check_results(gave, ret);
		if (changes->items.count > 1 && !had_bad && ret->bad_shape_text)
			say_where(model, change, ret);
		fx_vec_deinit(&calls);
	}
}
