/* position.c - the verbs of execution.
 *
 * Onwards, one loop drives the interpreter: its hooks say where to stop and
 * skip what has a value already.  Back in time nothing runs: the stop moves,
 * and the values below it are kept for moving onwards again.
 */
#include <config.h>

#include "session/position.h"

#include "base/arena.h"
#include "base/str.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/datum.h"
#include "session/activation.h"
#include "session/break_private.h"
#include "session/capture.h"
#include "session/position_private.h"
#include "session/settings.h"

void
fx_stop_deinit(struct fx_stop *stop)
{
	fx_error_free(stop->error);
	stop->error = NULL;
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

size_t
fx_position_get(const struct fx_model *model)
{
	struct fx_activation *place = fx_run_activation(model->run);
	struct fx_node *node = fx_position_node(model);

	if (!place)
		return 0;
	return node ? fx_graph_position(place->graph, node)
		    : place->graph->node_count;
}

size_t
fx_position_executed(const struct fx_model *model)
{
	return model->run->executed;
}

struct fx_graph *
fx_position_graph(const struct fx_model *model)
{
	struct fx_activation *place = fx_run_activation(model->run);

	return place ? place->graph : model->graph;
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
}

void
fx_position_kill(struct fx_model *model)
{
	fx_run_clear(model->run);
	fx_backend_new_run(model->backend);
}

/* --- what a verb asks for ------------------------------------------------ */

/* Ctrl-C, also where a guest took it and its node ended all the same. */
static bool
is_pressed(void *context)
{
	struct fx_session *session = context;

	return session->is_pressed || fx_session_tick(session);
}

void
fx_request_tick(struct fx_request *request)
{
	/* Loading libtorch took a while. */
	fx_ticker_init(&request->ticker, is_pressed, request->session);
	if (request->model->backend->ops->has_values)
		request->ticker.every = 0;
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
	if (request->is_first)
		return false;
	if (request->scope && fx_position_is_inside(node, request->scope))
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

bool
fx_request_breaks_before(struct fx_request *request, struct fx_node *node)
{
	return !request->is_first && !request->ignores_breaks &&
	       fx_request_breaks(request, node);
}

/* --- hooks -------------------------------------------------------------- */

/* Where to stop, and what to enter. */
static enum fx_hook_answer
stop_before(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct fx_request *request = context;
	struct fx_activation *place = fx_run_activation(request->model->run);
	struct fx_graph *nested;
	bool ends;

	(void)interp;
	/* Onwards there is nothing to take back: that is for the end. */
	place->stop = node->id;
	ends = ends_before(request, node);
	/* Both count: a breakpoint at the end of a step is hit. */
	if (fx_request_breaks_before(request, node) || ends)
		return FX_HOOK_STOP;
	nested = fx_interp_nested(node);
	if (nested &&
		(request->enters || (!request->ignores_breaks &&
					    fx_breaks_inside(request->session,
						    request->model, nested)))) {
		request->enters_now = true;
		return FX_HOOK_STOP;
	}
	request->is_first = false;
	return FX_HOOK_GO;
}

/* The recorder: what has a value is not run again, and what was left out
 * before is run now.
 */
static enum fx_hook_answer
record_before(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct fx_request *request = context;
	struct fx_model *model = request->model;

	if (fx_env_get(interp->env, node->id) ||
		fx_activation_override(model, fx_run_activation(model->run),
			node))
		return FX_HOOK_SKIP;
	request->error = fx_activation_ensure(model, interp, node);
	if (!request->error)
		request->error = fx_check_node_memory(model, node);
	if (request->error)
		return FX_HOOK_STOP;
	fx_timeline_begin(&model->run->timeline, node);
	if (model->run->timeline.is_off)
		fx_record_limit_foresee(model, fx_run_activation(model->run),
			node);
	return FX_HOOK_GO;
}

/* Whether META says all that there is to say. */
static bool
is_known(const struct fx_value *meta)
{
	size_t count = fx_value_item_count(meta);

	if (meta->kind == FX_VALUE_TENSOR)
		return fx_tensor_meta_has_numbers(meta->tensor) &&
		       meta->tensor->dtype;
	for (size_t i = 0; i < count; i++)
		if (!is_known(&meta->items[i]))
			return false;
	return meta->kind != FX_VALUE_UNKNOWN && meta->kind != FX_VALUE_SYMBOL;
}

/* What no rule says of NODE, its value does. */
static void
learn_shape(struct fx_node *node, const struct fx_datum *result)
{
	struct fx_arena *arena;
	struct fx_value meta;

	if (node->meta && is_known(node->meta))
		return;
	arena = fx_arena_new();
	meta = fx_datum_to_value(arena, result);
	if (is_known(&meta))
		fx_graph_set_meta(node, &meta);
	fx_arena_free(arena);
}

static enum fx_hook_answer
record_after(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	struct fx_request *request = context;
	struct fx_model *model = request->model;

	(void)interp;
	if (!model->run->timeline.node)
		return FX_HOOK_GO; /* skipped */
	if (model->backend->ops->has_values)
		learn_shape(node, result);
	fx_run_has_value(model->run, node);
	request->error = fx_timeline_end(&model->run->timeline);
	fx_record_limit_after(model, fx_run_activation(model->run), node);
	return request->error ? FX_HOOK_STOP : FX_HOOK_GO;
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
	fx_request_stop(request, FX_STOP_ERROR);
}

void
fx_request_run_activation(struct fx_request *request)
{
	struct fx_activation *place = fx_run_activation(request->model->run);
	struct fx_interp interp = fx_activation_interp(request->model, place);
	const struct fx_hook hooks[] = {
		{ .context = request, .before = stop_before },
		fx_ticker_hook(&request->ticker),
		{ .context = request,
			.before = record_before,
			.after = record_after,
			.records = true },
	};
	struct fx_error *err;

	interp.hooks = hooks;
	interp.hook_count = FX_ARRAY_LEN(hooks);
	err = fx_interp_run(&interp, NULL);
	if (err)
		fx_timeline_fail(&request->model->run->timeline, &place->env);
	else
		err = FX_TAKE(request->error);
	fx_run_set_stop(request->model->run, place, interp.next);
	request->stop->executed += interp.executed;
	request->model->run->executed += interp.executed;
	if (err)
		fx_request_fail(request, interp.next, err);
	else if (request->ticker.stopped && !request->is_stopped)
		fx_request_stop(request, FX_STOP_INTERRUPT);
}

void
fx_request_enter(struct fx_request *request)
{
	struct fx_model *model = request->model;
	struct fx_node *call = fx_position_node(model);
	struct fx_activation *place = fx_run_activation(model->run);
	struct fx_interp interp = fx_activation_interp(model, place);
	struct fx_error *err = fx_activation_ensure(model, &interp, call);
	struct fx_node *node;

	request->enters_now = false;
	if (!err)
		err = fx_activation_enter(model, call);
	if (err) {
		fx_request_fail(request, call, err);
		return;
	}
	place = fx_run_activation(model->run);
	interp = fx_activation_interp(model, place);
	node = fx_graph_first(place->graph);
	while (!err && node && !fx_position_is_computing(node)) {
		if (!fx_activation_override(model, place, node))
			err = fx_interp_node(&interp, node);
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

/* The innermost place ended. */
static void
leave(struct fx_request *request)
{
	struct fx_model *model = request->model;

	if (model->run->activations.count == 1) {
		fx_request_stop(request, FX_STOP_END);
		return;
	}
	fx_activation_leave(model);
	request->is_first = false;
	if (request->leaves && model->run->activations.count < request->depth)
		fx_request_stop(request, FX_STOP_STEP);
}

/* Drive until something stops.  The hook's count is of nodes passed, so a
 * nested graph's end, which passes none, is no stop by itself.
 */
void
fx_request_drive(struct fx_request *request)
{
	struct fx_model *model = request->model;

	fx_request_tick(request);
	request->depth = model->run->activations.count;
	while (!request->is_stopped) {
		if (request->enters_now)
			fx_request_enter(request);
		else if (!fx_position_node(model))
			leave(request);
		else
			fx_request_run_activation(request);
	}
}

static void
fill_stop(struct fx_model *model, struct fx_stop *stop)
{
	stop->position = fx_position_get(model);
	stop->node = fx_position_node(model);
}

void
fx_request_finish(struct fx_request *request)
{
	request->model->run->ticker = NULL;
	fx_error_free(request->error);
	fx_record_limit_tell(request->session, request->model);
	request->stop->again =
		request->model->run->rerun - request->rerun_before;
	request->stop->seconds =
		(double)(fx_clock_ms() - request->began) / 1000;
	fill_stop(request->model, request->stop);
	fx_breaks_sweep(request->session);
}

struct fx_request
fx_request_new(struct fx_session *session, struct fx_model *model,
	struct fx_stop *ret)
{
	struct fx_request request = {
		.session = session,
		.model = model,
		.stop = ret,
		.is_first = true,
		.rerun_before = model->run->rerun,
		.began = fx_clock_ms(),
	};

	*ret = (struct fx_stop){ .reason = FX_STOP_STEP };
	for (size_t i = 0; i < model->edits.count; i++)
		model->edits.items[i].has_moved_stop = false;
	fx_model_ready_backend(model);
	fx_timeline_keep_random(&model->run->timeline);
	fx_record_limit_begin(session, model);
	session->is_pressed = false;
	fx_ticker_init(&request.ticker, is_pressed, session);
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
			fx_str_equal(fx_settings_word(request->session
							      ->settings,
					     "step-unit"),
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

/* An error if running onwards does not come to NODE. */
static struct fx_error *
check_ahead(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);
	const struct fx_node *stop = place ? fx_activation_stop(place) : NULL;
	bool is_here = stop == node && place == fx_run_activation(model->run);

	if (!place || is_here || (stop && fx_node_is_before(stop, node)))
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
	size_t count = fx_position_graph(model)->node_count;

	if (position > count)
		return fx_error_new(FX_ERR_RANGE,
			"no node @%zu in %s: it has %zu nodes", position,
			model->name, count);
	if (!model->run->activations.count)
		err = fx_position_begin(session, model);
	if (err)
		return err;
	place = fx_run_activation(model->run);
	node = position < count ? fx_graph_at(place->graph, position) : NULL;
	request.ignores_breaks = true;
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
