/* position_back.c - the verbs back in time: nothing runs, the stop moves. */
#include <config.h>

#include "session/break_private.h"
#include "session/position_private.h"
#include "session/skip.h"

/* --- back in time ------------------------------------------------------- */

/* Run on in the innermost place, without stops, to the end of its graph: that
 * of a while_loop to the end of its condition or BODY in turn NUMBER, 0: when
 * it does not hold.  Then before the last node, or where it could not go on.
 */
static void
run_to_end(struct fx_request *request, struct fx_request *inner, size_t number,
	bool body)
{
	struct fx_model *model = request->model;
	struct fx_activation *place = fx_run_activation(model->run);
	const struct fx_loop *loop = place->loop;

	inner->ignores_breaks = true;
	inner->has_watches = false;
	while (!inner->is_stopped) {
		bool is_there = true;
		struct fx_error *err = NULL;

		if (fx_position_node(model)) {
			fx_request_advance(inner);
			continue;
		}
		if (loop && number)
			is_there =
				loop->number == number && loop->in_body == body;
		else
			err = fx_activation_is_over(model, place, &is_there);
		fx_error_free(err);
		if (err || is_there)
			break;
		fx_request_leave(inner);
	}
	request->stop->executed += inner->stop->executed;
	if (!inner->is_stopped) {
		fx_run_set_stop(model->run, place, fx_graph_last(place->graph));
		return;
	}
	request->stop->error = FX_TAKE(inner->stop->error);
	request->stop->failed = inner->stop->failed;
	fx_request_stop(request, inner->stop->reason);
}

/* Into what was run before in a while_loop: its turn is run again up to there.
 */
static void
turn_back(struct fx_request *request, struct fx_activation *place)
{
	struct fx_model *model = request->model;
	struct fx_stop aside = { .number = 0 };
	struct fx_request inner =
		fx_request_new(request->session, model, &aside);
	bool body = !place->loop->in_body;
	size_t number = place->loop->number - body;

	inner.ticker = request->ticker;
	fx_run_rewind_loop(model->run, number);
	fx_request_begin_graph(&inner);
	run_to_end(request, &inner, number, body);
	fx_stop_deinit(&aside);
}

static bool
begins_loop(const struct fx_activation *place)
{
	return !place->loop ||
	       (place->loop->number == 1 && !place->loop->in_body);
}

/* Out of the innermost place, before its call, which is returned. */
static struct fx_node *
back_out(struct fx_model *model)
{
	struct fx_node *call =
		fx_activation_call(model, fx_run_activation(model->run));

	fx_run_pop(model->run);
	fx_run_set_stop(model->run, fx_run_activation(model->run), call);
	return call;
}

/* The node before the stop in the innermost graph; NULL: none.  What opens a
 * nested graph was passed when it was entered, unless something stands on it.
 */
static struct fx_node *
previous(const struct fx_request *request)
{
	struct fx_model *model = request->model;
	struct fx_activation *place = fx_run_activation(model->run);
	struct fx_node *stop = fx_activation_stop(place);
	struct fx_node *node =
		stop ? fx_graph_previous(stop) : fx_graph_last(place->graph);

	while (node && fx_position_is_opening(model, node) &&
		!fx_breaks_name(request->session, model, node))
		node = fx_graph_previous(node);
	return node;
}

/* The node before the stop; in a nested graph's beginning the call itself, in a
 * loop the end of what ran before.  NULL at the beginning of everything, or
 * when the request has stopped.
 */
static struct fx_node *
step_back(struct fx_request *request)
{
	struct fx_model *model = request->model;
	struct fx_activation *place = fx_run_activation(model->run);
	struct fx_node *node = previous(request);

	if (node) {
		fx_run_set_stop(model->run, place, node);
		return node;
	}
	if (model->run->activations.count == 1) {
		fx_request_stop(request, FX_STOP_BEGIN);
		return NULL;
	}
	if (begins_loop(place))
		return back_out(model);
	turn_back(request, place);
	return request->is_stopped ? NULL : fx_position_node(model);
}

/* Onto a call: into its graph, before its last node. */
static void
enter_back(struct fx_request *request, struct fx_node *call)
{
	struct fx_model *model = request->model;
	struct fx_stop aside = { .number = 0 };
	struct fx_request inner;
	size_t depth = model->run->activations.count;

	if (!fx_position_can_enter(model, call))
		return;
	inner = fx_request_new(request->session, model, &aside);
	inner.ticker = request->ticker;
	fx_request_enter(&inner);
	if (model->run->activations.count > depth)
		run_to_end(request, &inner, 0, false);
	fx_stop_deinit(&aside);
}

static bool
is_interrupted(struct fx_request *request)
{
	if (!request->is_stopped && fx_ticker_poll(&request->ticker))
		fx_request_stop(request, FX_STOP_INTERRUPT);
	return request->is_stopped;
}

/* Steps, or until out of SCOPE: then before the first node inside it. */
static void
back_steps(struct fx_request *request, bool enters, size_t count)
{
	const struct fx_run *run = request->model->run;

	for (size_t i = 0; i < count;) {
		size_t depth = run->activations.count;
		struct fx_node *node = step_back(request);
		bool is_skipped = node && fx_skips_have(request->session,
						  request->model, node);

		/* Out of a graph is not into it again. */
		if (node && enters && !is_skipped &&
			run->activations.count == depth)
			enter_back(request, node);
		if (!node || request->is_stopped)
			return;
		i += !is_skipped;
		if (i < count && fx_request_breaks(request, node))
			return;
		if (is_interrupted(request))
			return;
	}
	fx_request_stop(request, FX_STOP_STEP);
}

/* Whether a watch stops for what NODE gave. */
static bool
is_watched(struct fx_request *request, struct fx_node *node)
{
	struct fx_activation *place = fx_run_activation(request->model->run);

	request->watching.is_back = true;
	if (request->has_watches && node)
		fx_watching_compute(&request->watching, place, node);
	return request->has_watches && node &&
	       fx_watching_look(&request->watching, place, node,
		       fx_env_get(&place->env, node->id)) &&
	       fx_watching_stops(&request->watching, request->stop);
}

/* A step back, and through what a node runs where breakpoints stand in it; they
 * stop.
 */
static void
back_over(struct fx_request *request)
{
	struct fx_model *model = request->model;
	size_t depth = model->run->activations.count;
	/* NULL: out of the graph, or back in a loop. */
	struct fx_node *behind = previous(request);
	/* As onwards, what is gone through is watched within. */
	bool enters = behind &&
		      fx_breaks_inside(request->session, model, behind) &&
		      fx_position_can_enter(model, behind);
	bool stops = !enters && is_watched(request, behind);
	struct fx_node *node = step_back(request);
	/* The end of a graph is come to from behind. */
	bool is_end = node && node != behind &&
		      model->run->activations.count == depth;

	if (enters && node == behind)
		enter_back(request, node);
	if (model->run->activations.count > depth) {
		node = request->is_stopped ? NULL : fx_position_node(model);
		is_end = true;
	}
	if (node && (stops || (is_end && is_watched(request, node)))) {
		request->stop->is_back = true;
		fx_request_stop(request, FX_STOP_WATCH);
		(void)fx_breaks_hit(request->session, model, node,
			request->stop);
		return;
	}
	if (node)
		(void)fx_request_breaks(request, node);
	(void)is_interrupted(request);
}

static void
back_continue(struct fx_request *request)
{
	while (!request->is_stopped)
		back_over(request);
}

/* Before the call of the nested graph, breakpoints on the way count. */
static void
back_out_of_graph(struct fx_request *request)
{
	struct fx_model *model = request->model;
	size_t depth = model->run->activations.count;
	struct fx_node *call =
		fx_activation_call(model, fx_run_activation(model->run));

	if (!fx_breaks_inside(request->session, model, call))
		(void)back_out(model);
	while (!request->is_stopped) {
		if (model->run->activations.count < depth)
			fx_request_stop(request, FX_STOP_STEP);
		else
			back_over(request);
	}
}

static void
back_finish(struct fx_request *request)
{
	struct fx_model *model = request->model;
	struct fx_node *node = fx_position_node(model);
	const char *scope = node ? fx_position_scope(model, node) : "";

	if (model->run->activations.count > 1) {
		back_out_of_graph(request);
		return;
	}
	while (!request->is_stopped) {
		struct fx_activation *place = fx_run_activation(model->run);
		struct fx_node *stop = fx_activation_stop(place);
		struct fx_node *before = stop ? fx_graph_previous(stop)
					      : fx_graph_last(place->graph);

		if (*scope && before && !fx_position_is_inside(before, scope)) {
			fx_request_stop(request, FX_STOP_STEP);
			return;
		}
		back_over(request);
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
