/* position.c - the verbs of execution.
 *
 * Onwards, one loop drives the interpreter: its hooks say where to stop and
 * skip what has a value already.  Back in time nothing runs: the stop moves,
 * and the values below it are kept for moving onwards again.
 */
#include <config.h>

#include "ir/control.h"
#include "session/nested.h"
#include "session/position.h"

#include <stdlib.h>

#include "base/str.h"
#include "run/backend.h"
#include "run/datum.h"
#include "session/activation.h"
#include "session/break_private.h"
#include "session/capture.h"
#include "session/position_private.h"
#include "session/settings.h"
#include "session/skip.h"

void
fx_stop_deinit(struct fx_stop *stop)
{
	fx_error_free(stop->error);
	free(stop->commands);
	free(stop->others);
	free(stop->says);
	stop->error = NULL;
	stop->commands = NULL;
	stop->others = NULL;
	stop->says = NULL;
}

bool
fx_position_is_started(const struct fx_model *model)
{
	return model->run->activations.count > 0;
}

struct fx_error *
fx_position_not_run(const struct fx_model *model)
{
	return fx_error_new(FX_ERR_NOT_RUN,
		"%s has not been run; use \"start\" or \"run\"", model->name);
}

struct fx_node *
fx_position_node(const struct fx_model *model)
{
	struct fx_activation *place = fx_run_activation(model->run);

	return place ? fx_activation_stop(place) : NULL;
}

static size_t
position_in(const struct fx_activation *place)
{
	struct fx_node *node = place ? fx_activation_stop(place) : NULL;

	if (!place)
		return 0;
	return node ? fx_graph_position(place->graph, node)
		    : place->graph->node_count;
}

size_t
fx_position_get(const struct fx_model *model)
{
	return position_in(fx_run_activation(model->run));
}

size_t
fx_position_outermost(const struct fx_model *model)
{
	return position_in(fx_run_activation_of(model->run, model->graph));
}

size_t
fx_position_executed(const struct fx_model *model)
{
	return model->run->executed;
}

struct fx_graph *
fx_position_innermost(const struct fx_model *model)
{
	struct fx_activation *place = fx_run_activation(model->run);

	return place ? place->graph : model->graph;
}

/* Only what was entered and a frame of a nested graph lead elsewhere. */
struct fx_graph *
fx_position_graph(const struct fx_model *model)
{
	struct fx_graph *entered =
		model->entered ? fx_model_entered(model) : NULL;
	const struct fx_node *node = NULL;

	if (entered)
		return entered;
	if (model->run->frame && model->run->activations.count > 1)
		node = fx_position_selected(model);
	return node ? node->graph : fx_position_innermost(model);
}

size_t
fx_position_depth(const struct fx_model *model)
{
	return model->run->activations.count ? model->run->activations.count - 1
					     : 0;
}

size_t
fx_position_location(const struct fx_model *model)
{
	return model->run->frame;
}

void
fx_position_set_location(struct fx_model *model, size_t index)
{
	model->run->frame = index;
	model->entered = NULL;
}

void
fx_position_kill(struct fx_model *model)
{
	fx_run_clear(model->run);
	fx_backend_new_run(model->backend);
}

/* --- what a verb asks for ------------------------------------------------ */

void
fx_request_tick(struct fx_request *request)
{
	/* Loading libtorch took a while. */
	fx_session_init_ticker(request->session, &request->ticker);
	if (!request->model->backend->ops->has_values)
		request->ticker.every = FX_TICKER_CHEAP;
	request->model->run->ticker = &request->ticker;
}

void
fx_request_stop(struct fx_request *request, enum fx_stop_reason reason)
{
	request->stop->reason = reason;
	request->is_stopped = true;
}

bool
fx_position_is_inside(const struct fx_node *node, const char *path)
{
	return fx_str_is_below(node->scope ? node->scope->path : "", path);
}

bool
fx_position_is_computing(const struct fx_node *node)
{
	return node->opcode != FX_OPCODE_PLACEHOLDER &&
	       node->opcode != FX_OPCODE_GET_ATTR;
}

/* Whether the verb ends before NODE. */
static bool
ends_before(struct fx_request *request, struct fx_node *node)
{
	if (request->to_computing && fx_position_is_computing(node)) {
		fx_request_stop(request, FX_STOP_STEP);
		return true;
	}
	if (request->target && node->id == request->target) {
		fx_request_stop(request, FX_STOP_TARGET);
		return true;
	}
	/* What was entered for a breakpoint or watch within is not counted. */
	if (request->is_first || fx_position_is_opening(request->model, node) ||
		(!request->enters && request->model->run->activations.count >
					     request->depth))
		return false;
	if (request->scope && fx_position_is_inside(node, request->scope))
		return false;
	if (request->count &&
		fx_skips_have(request->session, request->model, node))
		return false;
	if ((request->leaves && request->scope) ||
		(request->count && !--request->count)) {
		fx_request_stop(request, FX_STOP_STEP);
		return true;
	}
	/* The next unit begins here. */
	if (request->by_scope)
		request->scope = fx_position_unit(node);
	return false;
}

bool
fx_request_breaks(struct fx_request *request, struct fx_node *node)
{
	if (!fx_breaks_hit(request->session, request->model, node,
		    request->stop))
		return false;
	fx_request_stop(request, FX_STOP_BREAKPOINT);
	return true;
}

/* --- what observes the run ----------------------------------------------- */

/* run --to: not what nobody needs for it. */
static bool
is_left_out(const struct fx_request *request, const struct fx_node *node)
{
	return request->needed && node->graph == request->model->graph &&
	       node->id != request->target &&
	       !fx_bitset_has(request->needed,
		       fx_graph_position(node->graph, node));
}

/* Whether the graphs that NODE runs are to be entered. */
static bool
enters(const struct fx_request *request, const struct fx_node *node)
{
	const struct fx_model *model = request->model;

	if (!fx_position_can_enter(model, node))
		return false;
	if ((request->enters &&
		    !fx_skips_have(request->session, model, node)) ||
		(request->inside && fx_control_holds(node, request->inside)))
		return true;
	return !request->ignores_breaks &&
	       fx_breaks_inside(request->session, model, node);
}

/* Where to stop, and what to enter.  Conditions may run nodes, so they are
 * looked at when the interpreter has stopped (fx_request_advance).
 */
static enum fx_answer
stop_before(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct fx_request *request = context;
	struct fx_session *session = request->session;
	struct fx_model *model = request->model;
	bool minds = !request->ignores_breaks;

	(void)interp;
	if (is_left_out(request, node))
		return FX_ANSWER_SKIP;
	if (request->passed != node->id) {
		/* Onwards there is nothing to take back: that is for the
		 * end.
		 */
		fx_run_activation(model->run)->stop = node->id;
		request->at_break = minds && !request->is_first &&
				    fx_breaks_has(session, model, node);
		if (ends_before(request, node) || request->at_break)
			return FX_ANSWER_STOP;
		request->passed = node->id;
	}
	if (enters(request, node)) {
		request->enters_now = true;
		return FX_ANSWER_STOP;
	}
	request->is_first = false;
	return FX_ANSWER_GO;
}

/* --- onwards ------------------------------------------------------------ */

void
fx_request_fail(struct fx_request *request, struct fx_node *node,
	struct fx_error *err)
{
	/* It did not fail, it was broken off. */
	if (fx_error_code(err) == FX_ERR_INTERRUPTED) {
		fx_error_free(err);
		fx_request_stop(request, FX_STOP_INTERRUPT);
		return;
	}
	fx_map_set(&request->model->run->failures, (uintptr_t)node->id, 1);
	request->stop->failed = node;
	request->stop->error = fx_explain_failure(request->model, node, err);
	(void)fx_breaks_catch(request->session, "error", node->name,
		request->stop);
	fx_request_stop(request, FX_STOP_ERROR);
}

/* Run in the innermost activation until it ends or an observer stops. */
static void
run_on(struct fx_request *request)
{
	struct fx_activation *place = fx_run_activation(request->model->run);
	struct fx_interp interp = fx_activation_interp(request->model, place);
	/* Watches look before the recorder lets go what is used up. */
	const struct fx_observer observers[] = {
		fx_watching_observer(&request->watching),
		{ .context = request, .before = stop_before },
		fx_ticker_observer(&request->ticker),
		fx_recorder_observer(&request->recorder),
	};
	size_t first = request->has_watches ? 0 : 1;
	struct fx_error *err;

	interp.observers = observers + first;
	interp.observer_count = FX_ARRAY_LEN(observers) - first;
	err = fx_interp_run(&interp, NULL);
	if (!err)
		err = FX_TAKE(request->recorder.error);
	fx_progress_end_run(request->ticker.progress);
	fx_run_set_stop(request->model->run, place, interp.next);
	request->stop->executed += interp.executed;
	request->model->run->executed += interp.executed;
	if (err)
		fx_request_fail(request, interp.next, err);
	else if (request->ticker.stopped && !request->is_stopped)
		fx_request_stop(request, FX_STOP_INTERRUPT);
}

/* A breakpoint stands on the node ahead: it stops, or the node is passed. */
static void
look_at_break(struct fx_request *request)
{
	struct fx_node *node = fx_position_node(request->model);

	request->at_break = false;
	if (!fx_request_breaks(request, node) && !request->is_stopped)
		request->passed = node->id;
}

/* The node before gave what a watch looks for: it stops, or the run goes on.
 * What stands on the node ahead is hit as well.
 */
static void
look_at_watch(struct fx_request *request)
{
	struct fx_node *node = fx_position_node(request->model);

	if (!fx_watching_stops(&request->watching, request->stop))
		return;
	fx_request_stop(request, FX_STOP_WATCH);
	if (node && !request->ignores_breaks)
		(void)fx_breaks_hit(request->session, request->model, node,
			request->stop);
}

/* Inputs of the node ahead have no values: they were left out or dropped. */
static void
catch_up(struct fx_request *request)
{
	struct fx_model *model = request->model;
	struct fx_activation *place = fx_run_activation(model->run);
	struct fx_interp interp = fx_activation_interp(model, place);
	struct fx_error *err =
		fx_activation_ensure(model, &interp, interp.next);

	request->recorder.lacks_inputs = false;
	request->stop->executed += interp.executed;
	model->run->executed += interp.executed;
	if (err)
		fx_request_fail(request, interp.next, err);
}

void
fx_request_advance(struct fx_request *request)
{
	if (request->at_break)
		look_at_break(request);
	else if (request->enters_now)
		fx_request_enter(request);
	else if (request->recorder.lacks_inputs)
		catch_up(request);
	else
		run_on(request);
}

/* Drive until something stops.  What is counted is nodes passed, so a nested
 * graph's end, which passes none, is no stop by itself.
 */
void
fx_request_drive(struct fx_request *request)
{
	struct fx_model *model = request->model;

	fx_request_tick(request);
	request->depth = model->run->activations.count;
	while (!request->is_stopped || request->at_break ||
		request->watching.node) {
		if (request->watching.node)
			look_at_watch(request);
		else if (fx_position_node(model))
			fx_request_advance(request);
		else
			fx_request_leave(request);
	}
}

void
fx_request_finish(struct fx_request *request)
{
	request->model->run->ticker = NULL;
	fx_record_limit_tell(request->session, request->model);
	request->stop->again =
		request->model->run->rerun - request->rerun_before;
	request->stop->seconds =
		(double)(fx_clock_ms() - request->began) / 1000;
	request->stop->position = fx_position_get(request->model);
	request->stop->node = fx_position_node(request->model);
	request->model->run->stopped_by = request->stop->number;
	fx_watching_end(&request->watching);
	fx_breaks_sweep(request->session);
}

struct fx_request
fx_request_new(struct fx_session *session, struct fx_model *model,
	struct fx_stop *ret)
{
	struct fx_request request = {
		.session = session,
		.model = model,
		.recorder = { .model = model },
		.stop = ret,
		.is_first = true,
		.rerun_before = model->run->rerun,
		.began = fx_clock_ms(),
	};

	*ret = (struct fx_stop){ .reason = FX_STOP_STEP };
	model->entered = NULL;
	for (size_t i = 0; i < model->edits.count; i++)
		model->edits.items[i].has_moved_stop = false;
	fx_model_ready_backend(model);
	fx_timeline_keep_random(&model->run->timeline);
	fx_record_limit_begin(session, model);
	session->is_pressed = false;
	fx_session_init_ticker(session, &request.ticker);
	request.has_watches =
		fx_watching_begin(&request.watching, session, model);
	return request;
}

/* --- the verbs ---------------------------------------------------------- */

static void
ask_onwards(struct fx_request *request, enum fx_move move, size_t count)
{
	struct fx_model *model = request->model;
	struct fx_node *node = fx_position_node(model);

	switch (move) {
	case FX_MOVE_STEP:
	case FX_MOVE_NEXT:
		request->count = count ? count : 1;
		request->enters = move == FX_MOVE_STEP;
		request->by_scope =
			fx_str_equal(fx_settings_text(request->session
							      ->settings,
					     FX_SET_STEP_UNIT),
				"scope");
		if (request->by_scope && node)
			request->scope = fx_position_unit(node);
		break;
	case FX_MOVE_FINISH:
		request->leaves = true;
		if (node)
			request->scope = fx_position_scope(model, node);
		break;
	case FX_MOVE_CONTINUE:
		break;
	}
}

static void
move_onwards(struct fx_request *request, enum fx_move move, size_t count)
{
	struct fx_model *model = request->model;

	if (!fx_position_node(model) && model->run->activations.count == 1) {
		request->stop->stayed = true;
		fx_request_stop(request, FX_STOP_END);
		return;
	}
	ask_onwards(request, move, count);
	fx_request_drive(request);
}

struct fx_error *
fx_position_move(struct fx_session *session, struct fx_model *model,
	const struct fx_movement *movement, struct fx_stop *ret)
{
	struct fx_request request = fx_request_new(session, model, ret);

	if (!model->run->activations.count) {
		if (movement->how != FX_MOVE_CONTINUE || movement->back)
			return fx_position_not_run(model);
		return fx_position_run(session, model, NULL, ret);
	}
	if (movement->back)
		fx_request_back(&request, movement->how, movement->count);
	else
		move_onwards(&request, movement->how, movement->count);
	fx_request_finish(&request);
	return NULL;
}

/* Whether PLACE stands in a while_loop, which may come to its nodes again. */
static bool
is_in_loop(const struct fx_run *run, const struct fx_activation *place)
{
	size_t i = 0;

	while (!run->activations.items[i]->loop &&
		run->activations.items[i] != place)
		i++;
	return run->activations.items[i]->loop;
}

/* An error if running onwards does not come to NODE. */
static struct fx_error *
check_ahead(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);
	const struct fx_node *stop = place ? fx_activation_stop(place) : NULL;
	bool is_here = stop == node && place == fx_run_activation(model->run);

	if (!place || is_here || (stop && fx_node_is_before(stop, node)) ||
		is_in_loop(model->run, place))
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_RANGE,
				     "%%%s has run: running on does not come "
				     "to it again",
				     node->name),
		"goto %s goes back to it", node->name);
}

struct fx_error *
fx_position_until(struct fx_session *session, struct fx_model *model,
	struct fx_node *node, struct fx_stop *ret)
{
	struct fx_request request = fx_request_new(session, model, ret);
	struct fx_error *err;

	if (!model->run->activations.count)
		return fx_position_not_run(model);
	err = check_ahead(model, node);
	if (err)
		return err;
	request.target = node->id;
	request.inside = node->graph;
	if (fx_position_node(model) || model->run->activations.count > 1)
		fx_request_drive(&request);
	else
		fx_request_stop(&request, FX_STOP_END);
	fx_request_finish(&request);
	return NULL;
}

struct fx_error *
fx_position_goto(struct fx_session *session, struct fx_model *model,
	size_t position, struct fx_stop *ret)
{
	struct fx_request request = fx_request_new(session, model, ret);
	struct fx_activation *place;
	struct fx_node *node;
	struct fx_error *err = NULL;
	size_t count = fx_position_innermost(model)->node_count;

	if (position > count)
		return fx_error_new(FX_ERR_RANGE,
			"no node @%zu in %s: it has %zu nodes", position,
			fx_position_graph_name(model), count);
	if (!model->run->activations.count)
		err = fx_position_begin(session, model);
	if (err)
		return err;
	place = fx_run_activation(model->run);
	node = position < count ? fx_graph_at(place->graph, position) : NULL;
	request.ignores_breaks = true;
	request.has_watches = false;
	request.target = node ? node->id : 0;
	if (fx_position_get(model) > position) {
		fx_run_set_stop(model->run, place, node);
		fx_request_stop(&request, FX_STOP_TARGET);
	} else if (fx_position_get(model) == position) {
		fx_request_stop(&request, FX_STOP_TARGET);
	} else {
		request.leaves = model->run->activations.count > 1;
		fx_request_drive(&request);
	}
	fx_request_finish(&request);
	return NULL;
}
