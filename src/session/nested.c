/* nested.c - a graph within a model's graph is looked at and edited without
 * standing in it.
 */
#include <config.h>

#include "session/nested.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/str.h"
#include "ir/control.h"
#include "ir/fold.h"
#include "ir/module.h"
#include "meta/propagate.h"
#include "session/resolve.h"
#include "session/session_private.h"

void
fx_model_nested(const struct fx_model *model, struct fx_nested_graphs *ret)
{
	FX_VEC(struct fx_graph *) open = { 0 };
	FX_AUTO_MAP struct fx_map seen = { 0 };
	struct fx_module *module;
	const char *path;

	*ret = (struct fx_nested_graphs){ .count = 0 };
	fx_vec_push(&open, model->graph);
	for (size_t i = 0; i < open.count; i++) {
		struct fx_module_walk *walk =
			fx_module_walk_new(open.items[i]->module, true);

		while (fx_module_walk_next(walk, &module, &path)) {
			if (!module->graph ||
				!fx_map_set_pointer(&seen, module, module))
				continue;
			fx_vec_push(&open, module->graph);
			fx_vec_push(ret, module->graph);
		}
		fx_module_walk_free(walk);
	}
	fx_vec_deinit(&open);
}

const char *
fx_model_graph_path(const struct fx_model *model, const struct fx_graph *graph)
{
	const char *path = fx_control_path(model->graph, graph);

	return path ? path : fx_intern("");
}

static struct fx_error *
no_graph(const struct fx_model *model, const char *path)
{
	struct fx_nested_graphs graphs;
	struct fx_nearest nearest;
	struct fx_error *err = fx_error_new(FX_ERR_NO_NAME,
		"no graph \"%s\" in %s", path, model->name);

	fx_nearest_init(&nearest, path);
	fx_model_nested(model, &graphs);
	for (size_t i = 0; i < graphs.count; i++)
		fx_nearest_offer(&nearest,
			fx_model_graph_path(model, graphs.items[i]));
	fx_vec_deinit(&graphs);
	return fx_nearest_note(&nearest, err);
}

struct fx_error *
fx_model_enter(struct fx_model *model, const char *path)
{
	struct fx_graph *graph = fx_control_graph_at(model->graph, path);

	if (!graph)
		return no_graph(model, path);
	/* "" is entered too, where execution stands within. */
	model->entered = *path || fx_position_innermost(model) != graph
				 ? fx_intern(path)
				 : NULL;
	model->run->frame = 0;
	(void)fx_model_shape_nested(model, graph);
	return NULL;
}

struct fx_graph *
fx_model_entered(const struct fx_model *model)
{
	return model->entered
		       ? fx_control_graph_at(model->graph, model->entered)
		       : NULL;
}

const char *
fx_model_entered_path(const struct fx_model *model)
{
	return fx_model_entered(model) ? model->entered : "";
}

const char *
fx_model_run_by(const struct fx_model *model, const struct fx_node *node)
{
	struct fx_graph *graphs[2];
	size_t count = fx_control_graphs(node, graphs);
	const struct fx_graph *graph =
		count ? graphs[fx_control_loops(node)] : fx_control_given(node);
	size_t position;

	for (size_t i = 0; i < count; i++)
		if (graphs[i] && fx_position_in(model, graphs[i], &position))
			graph = graphs[i];
	return graph ? fx_model_graph_path(model, graph) : NULL;
}

const struct fx_node *
fx_nested_caller(const struct fx_graph *graph, const struct fx_graph *nested)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (fx_control_runs(node, nested))
			return node;
	return NULL;
}

/* --- shapes -------------------------------------------------------------- */

/* The items of parameter INDEX of CALL, a cond or while_loop. */
static const struct fx_value *
operands(const struct fx_node *call, size_t index)
{
	const struct fx_value *value = fx_control_argument(call, index);

	return value && fx_value_is_sequence(value) ? value : NULL;
}

/* What CALL gives to PLACEHOLDER, the one with INDEX of the graph that it runs,
 * or NULL.
 */
static const struct fx_value *
given_by(const struct fx_node *call, size_t index,
	const struct fx_node *placeholder)
{
	bool loops = fx_control_loops(call);
	const struct fx_value *first;
	const struct fx_value *more;

	if (!fx_control_is(call))
		return fx_control_operand(call, index, placeholder->target);
	first = operands(call, loops ? FX_LOOP_CARRIED : FX_BRANCH_OPERANDS);
	more = loops ? operands(call, FX_LOOP_ADDITIONAL) : NULL;
	if (first && index < first->count)
		return &first->items[index];
	index -= first ? first->count : 0;
	return more && index < more->count ? &more->items[index] : NULL;
}

/* What GRAPH's placeholders get by CALL. */
static void
shape_placeholders(struct fx_graph *graph, const struct fx_node *call)
{
	struct fx_node *node;
	size_t index = 0;

	fx_graph_for_each_node (node, graph) {
		const struct fx_value *value;

		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		value = given_by(call, index++, node);
		if (value && value->kind == FX_VALUE_NODE)
			value = value->node->meta;
		if (value && !fx_fold_has(value, FX_VALUE_UNKNOWN) &&
			!fx_fold_has(value, FX_VALUE_NODE))
			fx_graph_set_meta(node, value);
	}
}

struct fx_shape_report
fx_model_shape_nested(struct fx_model *model, struct fx_graph *graph)
{
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	struct fx_meta *meta = model->session->meta;
	const struct fx_node *call = fx_control_first_caller(graph);

	if (graph == model->graph || !graph->outer)
		return (struct fx_shape_report){ 0 };
	(void)fx_model_shape_nested(model, graph->outer);
	if (call)
		shape_placeholders(graph, call);
	/* What the file says is not asked: it is of the model's own graph. */
	fx_meta_propagate(meta, graph, true, &report);
	fx_model_keep_problems(model, &report);
	return (struct fx_shape_report){
		.known = report.known,
		.unknown = report.unknown,
		.bad = report.failure_count,
	};
}
