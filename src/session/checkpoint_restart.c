/* checkpoint_restart.c - returning to a checkpoint.
 *
 * The run starts over, gets the values that were kept and goes on to where it
 * stood; nodes that have a value are skipped on the way.  Nested graphs are
 * entered again, up to the turn of a loop.
 */
#include <config.h>

#include "base/blob.h"
#include "ir/control.h"
#include "ir/journal.h"
#include "run/datum.h"
#include "session/checkpoint_private.h"
#include "session/position_private.h"

struct fx_error *
fx_checkpoint_check_closed(const struct fx_model *model)
{
	struct fx_error *err = fx_model_check_edits(model);

	if (err || !fx_journal_is_open(model->graph))
		return err;
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "a transaction is open in %s",
				     model->name),
		"commit or abort it first");
}

/* Nothing has changed when this fails: the time may be forgotten. */
static struct fx_error *
check_time(const struct fx_checkpoint *c)
{
	struct fx_model *model = c->model;
	uint32_t now = fx_journal_now(model->graph);
	struct fx_error *err = fx_checkpoint_check_closed(model);

	if (err || c->time == now)
		return err;
	err = fx_session_need_writable(model->session);
	if (!err)
		err = fx_journal_goto(model->graph, c->time);
	return err ? err : fx_journal_goto(model->graph, now);
}

/* The inputs, values that were set and the seed; the run has ended. */
static struct fx_error *
put_back_givens(const struct fx_checkpoint *c)
{
	struct fx_model *model = c->model;
	struct fx_error *err = NULL;

	if (model->session->seed != c->seed)
		fx_session_set_seed(model->session, c->seed);
	fx_kept_inputs_give(&c->inputs, model);
	fx_data_deinit(&model->run->overrides);
	fx_data_add(&model->run->overrides, &c->given);
	if (c->backend == model->backend)
		return NULL;
	err = fx_model_carry_inputs(model);
	fx_model_carry_overrides(model);
	return err;
}

/* The run stands at the beginning: what C has. */
static void
put_back_values(const struct fx_checkpoint *c)
{
	struct fx_activation *place = fx_run_activation(c->model->run);
	size_t at = 0;
	uintptr_t id;
	uintptr_t datum;

	while (fx_map_next(&c->values, &at, &id, &datum))
		fx_env_take(&place->env, id,
			fx_datum_ref((struct fx_datum *)datum));
}

/* The run stands at the outermost stop of C. */
static void
put_back_random(const struct fx_checkpoint *c)
{
	struct fx_timeline *timeline = &c->model->run->timeline;

	for (size_t i = 0; i < c->draws.count; i++) {
		const struct fx_checkpoint_draw *draw = &c->draws.items[i];
		struct fx_effect effect = {
			.graph = c->places.items[0].graph,
			.node = draw->node,
			.random = fx_blob_ref(draw->random),
		};

		fx_vec_push(&timeline->effects, effect);
		fx_map_set(&timeline->kinds, (uintptr_t)draw->node,
			FX_SIDE_EFFECT_DRAWS);
	}
	if (!c->random)
		return;
	fx_blob_unref(timeline->random);
	timeline->random = fx_blob_ref(c->random);
	fx_timeline_keep_random(timeline);
}

/* On into the graph of PLACE, to its stop and turn, without stops on the way;
 * false where something else stopped it.
 */
static bool
enter_again(const struct fx_checkpoint *c,
	const struct fx_checkpoint_place *place, struct fx_stop *ret)
{
	struct fx_model *model = c->model;
	size_t executed = ret->executed;
	struct fx_request request;
	const struct fx_activation *now;

	fx_stop_deinit(ret);
	request = fx_request_new(model->session, model, ret);
	request.ignores_breaks = true;
	request.has_watches = false;
	request.target = place->stop;
	request.inside = place->graph;
	fx_request_drive(&request);
	/* Earlier turns come to the same node. */
	for (now = fx_run_activation(model->run);
		ret->reason == FX_STOP_TARGET && now->loop &&
		now->loop->number < place->turn;
		now = fx_run_activation(model->run)) {
		request.passed = place->stop;
		request.is_stopped = false;
		fx_request_drive(&request);
	}
	fx_request_finish(&request);
	ret->executed += executed;
	return ret->reason == FX_STOP_TARGET;
}

/* Start over and go to where C stood. */
static struct fx_error *
run_again(const struct fx_checkpoint *c, struct fx_stop *ret)
{
	struct fx_model *model = c->model;
	const struct fx_checkpoint_place *outer = &c->places.items[0];
	size_t position = model->graph->node_count;
	struct fx_error *err = fx_position_begin(model->session, model);
	const struct fx_node *stop;
	bool is_whole;

	if (err)
		return err;
	stop = outer->stop ? fx_graph_find_id(model->graph, outer->stop) : NULL;
	if (stop)
		position = fx_graph_position(model->graph, stop);
	is_whole = !c->why && c->backend == model->backend;
	if (is_whole)
		put_back_values(c);
	err = fx_position_goto(model->session, model, position, ret);
	if (err ||
		(ret->reason != FX_STOP_TARGET && ret->reason != FX_STOP_END))
		return err;
	if (is_whole)
		put_back_random(c);
	for (size_t i = 1; i < c->places.count; i++) {
		const struct fx_checkpoint_place *place = &c->places.items[i];

		if (!place->stop ||
			!fx_control_path(model->graph, place->graph) ||
			!enter_again(c, place, ret))
			break;
	}
	return NULL;
}

struct fx_error *
fx_checkpoint_restart(struct fx_session *session, const struct fx_checkpoint *c,
	struct fx_edit_report *report, struct fx_stop *ret)
{
	struct fx_model *model = c->model;
	struct fx_error *err = check_time(c);

	(void)session;
	*report = (struct fx_edit_report){ .position = 0 };
	*ret = (struct fx_stop){ .reason = FX_STOP_STEP };
	if (err)
		return err;
	fx_position_kill(model);
	model->entered = NULL;
	if (c->time != fx_journal_now(model->graph))
		err = fx_model_goto_time(model, c->time, report);
	if (!err)
		err = put_back_givens(c);
	if (!err && c->places.count)
		err = run_again(c, ret);
	return err;
}
