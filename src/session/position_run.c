/* position_run.c - starting over, and running all or what a node needs. */
#include <config.h>

#include "session/position.h"

#include "base/bitset.h"
#include "ir/control.h"
#include "run/backend.h"
#include "session/checkpoint.h"
#include "session/position_private.h"

struct fx_error *
fx_position_begin(struct fx_session *session, struct fx_model *model)
{
	struct fx_error *err = fx_model_choose_backend(session, model);
	struct fx_activation *place;

	if (err)
		return err;
	if (!model->graph->node_count)
		return fx_error_new(FX_ERR_VALUE, "%s has no nodes to run",
			model->name);
	fx_model_end_look(model);
	fx_decisions_review(model);
	place = fx_run_detach(model->run);
	fx_position_kill(model);
	fx_model_ready_backend(model);
	model->fallback_before = model->backend->fallback_calls;
	err = fx_timeline_start(&model->run->timeline, model->backend,
		session->seed);
	model->run->timeline.watch.given = fx_model_given_value;
	model->run->timeline.watch.protect = fx_model_protect;
	model->run->timeline.watch.owner = model;
	fx_run_attach(model->run, place, model->graph, model->backend);
	if (fx_checkpoints_have_values(model))
		fx_record_limit_count(model);
	if (err)
		fx_position_kill(model);
	return err;
}

struct fx_error *
fx_position_start(struct fx_session *session, struct fx_model *model,
	struct fx_stop *ret)
{
	struct fx_request request = fx_request_new(session, model, ret);
	struct fx_error *err = fx_position_begin(session, model);

	if (err)
		return err;
	request.to_computing = true;
	request.is_first = false;
	fx_request_drive(&request);
	fx_request_finish(&request);
	return NULL;
}

/* The positions of what TO needs, and of who writes in place or draws before
 * it, whom it may need though it does not say so, with what they need.  From
 * the end, as inputs stand before who takes them.
 */
static void
need(const struct fx_model *model, const struct fx_node *to,
	struct fx_bitset *set)
{
	bool has_values = model->backend->ops->has_values;
	size_t at = model->graph->node_count;
	bool is_before = false;

	for (const struct fx_node *node = fx_graph_last(model->graph); node;
		node = fx_graph_previous(node)) {
		bool is_it = node == to || fx_control_holds(node, to->graph);

		at--;
		is_before |= is_it;
		if (is_it || (is_before && has_values && fx_side_effects(node)))
			fx_bitset_add(set, at);
		if (!fx_bitset_has(set, at))
			continue;
		for (size_t i = 0; i < fx_node_input_count(node); i++)
			fx_bitset_add(set, fx_graph_position(model->graph,
						   fx_node_input(node, i)));
	}
}

struct fx_error *
fx_position_run(struct fx_session *session, struct fx_model *model,
	struct fx_node *to, struct fx_stop *ret)
{
	struct fx_request request = fx_request_new(session, model, ret);
	FX_AUTO_BITSET struct fx_bitset needed = { 0 };
	struct fx_node *next = to ? fx_graph_next(to) : NULL;
	struct fx_error *err;

	err = fx_position_begin(session, model);
	if (err)
		return err;
	request.is_first = false;
	if (to) {
		need(model, to, &needed);
		request.needed = &needed;
		request.inside = to->graph;
		if (!next && to->graph != model->graph)
			next = to;
		request.target = next ? next->id : 0;
	}
	fx_request_drive(&request);
	fx_request_finish(&request);
	return NULL;
}

int
fx_position_stopped_by(const struct fx_model *model)
{
	return model->run->stopped_by;
}
