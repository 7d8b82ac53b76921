/* position_nested.c - into the graphs that nodes run, and out of them. */
#include <config.h>

#include "ir/control.h"
#include "run/backend.h"
#include "session/activation.h"
#include "session/break_private.h"
#include "session/position_private.h"

bool
fx_position_can_enter(const struct fx_model *model, const struct fx_node *node)
{
	struct fx_graph *graphs[2];

	return fx_control_graphs(node, graphs) &&
	       (!fx_control_is(node) || model->backend->ops->has_values);
}

bool
fx_position_is_opening(const struct fx_model *model, const struct fx_node *node)
{
	if (model->run->activations.count < 2)
		return false;
	while (node && !fx_position_is_computing(node))
		node = fx_graph_previous(node);
	return !node;
}

void
fx_request_begin_graph(struct fx_request *request)
{
	struct fx_model *model = request->model;
	struct fx_activation *place = fx_run_activation(model->run);
	struct fx_interp interp = fx_activation_interp(model, place);
	struct fx_node *node = fx_graph_first(place->graph);
	struct fx_error *err = NULL;

	/* It may be the node that was looked at last, a turn ago. */
	request->passed = 0;
	request->recorder.waited = 0;
	while (!err && node && !fx_position_is_computing(node) &&
		!fx_breaks_name(request->session, model, node)) {
		err = fx_activation_execute(model, &interp, node);
		if (!err)
			node = fx_graph_next(node);
	}
	fx_run_set_stop(model->run, place, node);
	request->stop->executed += interp.executed;
	model->run->executed += interp.executed;
	if (err)
		fx_request_fail(request, node, err);
	else
		request->is_first = false;
}

void
fx_request_enter(struct fx_request *request)
{
	struct fx_model *model = request->model;
	struct fx_node *call = fx_position_node(model);
	struct fx_activation *place = fx_run_activation(model->run);
	struct fx_interp interp = fx_activation_interp(model, place);
	struct fx_error *err = fx_activation_ensure(model, &interp, call);

	request->enters_now = false;
	if (!err)
		err = fx_activation_enter(model, call);
	if (err)
		fx_request_fail(request, call, err);
	else
		fx_request_begin_graph(request);
}

void
fx_request_leave(struct fx_request *request)
{
	struct fx_model *model = request->model;
	struct fx_activation *place = fx_run_activation(model->run);
	struct fx_node *last = fx_graph_last(place->graph);
	size_t depth = model->run->activations.count;
	struct fx_error *err;

	if (depth == 1) {
		fx_request_stop(request,
			request->needed ? FX_STOP_TARGET : FX_STOP_END);
		return;
	}
	err = fx_activation_leave(model);
	if (err) {
		fx_run_set_stop(model->run, place, last);
		fx_request_fail(request, last, err);
		return;
	}
	request->is_first = false;
	if (model->run->activations.count == depth)
		fx_request_begin_graph(request);
	if (request->leaves && model->run->activations.count < request->depth)
		fx_request_stop(request, FX_STOP_STEP);
}
