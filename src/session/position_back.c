/* position_back.c - the verbs back in time: nothing runs, the stop moves. */
#include <config.h>

#include "session/position_private.h"

/* --- back in time ------------------------------------------------------- */

/* The node before the stop; in a nested graph's beginning the call itself.
 * NULL at the beginning of everything.
 */
static struct fx_node *
step_back(struct fx_model *model)
{
	struct fx_activation *place = fx_run_activation(model->run);
	struct fx_node *stop = fx_activation_stop(place);
	struct fx_node *node =
		stop ? fx_graph_previous(stop) : fx_graph_last(place->graph);
	struct fx_activation *outer;

	/* What lies before the first computing node of a nested graph was
	 * passed when it was entered.
	 */
	if (model->run->activations.count > 1)
		while (node && !fx_position_is_computing(node))
			node = fx_graph_previous(node);
	if (node) {
		fx_run_set_stop(model->run, place, node);
		return node;
	}
	if (model->run->activations.count == 1)
		return NULL;
	outer = model->run->activations
			.items[model->run->activations.count - 2];
	node = fx_graph_find_id(outer->graph, place->call);
	fx_run_pop(model->run);
	fx_run_set_stop(model->run, outer, node);
	return node;
}

/* reverse-step onto a call: into its graph, before its last node. */
static void
enter_back(struct fx_request *request, struct fx_node *call)
{
	struct fx_model *model = request->model;
	struct fx_stop aside = { .number = 0 };
	struct fx_request inner =
		fx_request_new(request->session, model, &aside);
	struct fx_activation *place;

	if (!fx_interp_nested(call))
		return;
	inner.ignores_breaks = true;
	fx_request_enter(&inner);
	place = fx_run_activation(model->run);
	if (!inner.is_stopped && place->call == call->id) {
		inner.target = 0;
		while (!inner.is_stopped && fx_position_node(model))
			fx_request_advance(&inner);
		fx_run_set_stop(model->run, place, fx_graph_last(place->graph));
	}
	request->stop->executed += aside.executed;
	fx_stop_deinit(&aside);
}

/* Steps, or until out of SCOPE: then before the first node inside it. */
static void
back_steps(struct fx_request *request, bool enters, size_t count)
{
	struct fx_model *model = request->model;

	for (size_t i = 0; i < count; i++) {
		struct fx_node *node = step_back(model);

		if (!node) {
			fx_request_stop(request, FX_STOP_BEGIN);
			return;
		}
		if (enters)
			enter_back(request, node);
		if (i + 1 < count && fx_request_breaks(request, node))
			return;
		if (fx_ticker_poll(&request->ticker)) {
			fx_request_stop(request, FX_STOP_INTERRUPT);
			return;
		}
	}
	fx_request_stop(request, FX_STOP_STEP);
}

static void
back_continue(struct fx_request *request)
{
	struct fx_model *model = request->model;

	while (!request->is_stopped) {
		struct fx_node *node = step_back(model);

		if (!node)
			fx_request_stop(request, FX_STOP_BEGIN);
		else if (!fx_request_breaks(request, node) &&
			 fx_ticker_poll(&request->ticker))
			fx_request_stop(request, FX_STOP_INTERRUPT);
	}
}

static void
back_finish(struct fx_request *request)
{
	struct fx_model *model = request->model;
	size_t depth = model->run->activations.count;
	struct fx_node *node = fx_position_node(model);
	const char *scope = node ? fx_position_scope(model, node) : "";

	while (!request->is_stopped) {
		struct fx_activation *place = fx_run_activation(model->run);
		struct fx_node *stop = fx_activation_stop(place);
		struct fx_node *before = stop ? fx_graph_previous(stop)
					      : fx_graph_last(place->graph);

		if (depth == 1 && *scope && before &&
			!fx_position_is_inside(before, scope)) {
			fx_request_stop(request, FX_STOP_STEP);
			return;
		}
		node = step_back(model);
		if (!node)
			fx_request_stop(request, FX_STOP_BEGIN);
		else if (model->run->activations.count < depth)
			fx_request_stop(request, FX_STOP_STEP);
		else if (!fx_request_breaks(request, node) &&
			 fx_ticker_poll(&request->ticker))
			fx_request_stop(request, FX_STOP_INTERRUPT);
	}
}

void
fx_request_back(struct fx_request *request, enum fx_move move, size_t count)
{
	switch (move) {
	case FX_MOVE_STEP:
	case FX_MOVE_NEXT:
		back_steps(request, move == FX_MOVE_STEP, count ? count : 1);
		break;
	case FX_MOVE_CONTINUE:
		back_continue(request);
		break;
	case FX_MOVE_FINISH:
		back_finish(request);
		break;
	}
}
