/* recorder.c - the observer that keeps what running does: values, effects, and
 * the record limit.
 */
#include <config.h>

#include "base/arena.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/draw_aside.h"
#include "session/activation.h"
#include "session/session_private.h"

/* NODE has GIVEN and does not run, so that the run must not count it as run
 * again.  Where NODE draws, it has that behind the draw.
 */
static enum fx_answer
give(struct fx_model *model, struct fx_interp *interp,
	const struct fx_node *node, struct fx_datum *given)
{
	enum fx_answer answer =
		fx_interp_give(interp, node, fx_datum_ref(given));

	fx_map_erase(&model->run->dirty, (uintptr_t)node->id);
	fx_map_erase(&model->run->timeline.finite, (uintptr_t)node->id);
	if (answer == FX_ANSWER_SKIP)
		fx_run_has_value(model->run, node);
	return answer;
}

static bool
has_inputs(const struct fx_env *env, const struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (!fx_env_get(env, fx_node_input(node, i)->id))
			return false;
	return true;
}

/* Decide whether NODE runs: a node that has a value is skipped.  If NODE lacks
 * inputs, the run stops once, so that the owner of the recorder can compute
 * them.
 */
static enum fx_answer
record_before(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct fx_recorder *recorder = context;
	struct fx_model *model = recorder->model;
	struct fx_timeline *timeline = &model->run->timeline;
	struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);
	struct fx_datum *given;

	if (fx_env_get(interp->env, node->id))
		return FX_ANSWER_SKIP;
	given = fx_run_given(model->run, node->id);
	if (given && !fx_draws_aside(model->backend, node))
		return give(model, interp, node, given);
	if (!recorder->is_again && recorder->waited != node->id &&
		!has_inputs(interp->env, node)) {
		recorder->waited = node->id;
		recorder->lacks_inputs = true;
		return FX_ANSWER_STOP;
	}
	if (!given)
		recorder->error = fx_check_node_memory(model, node);
	if (recorder->error)
		return FX_ANSWER_STOP;
	fx_timeline_begin(timeline, node);
	if (given)
		return give(model, interp, node, given);
	if (timeline->is_off && !recorder->is_again)
		fx_record_limit_foresee(model, place, node);
	return FX_ANSWER_GO;
}

/* Whether META is complete: nothing in it is unknown or symbolic. */
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

/* Learn the metadata of NODE from RESULT, its value, if no shape rule gives all
 * of it.
 */
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

static enum fx_answer
record_after(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	struct fx_recorder *recorder = context;
	struct fx_model *model = recorder->model;
	struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);

	bool is_given = fx_model_is_overridden(model, node);

	(void)interp;
	if (model->backend->ops->has_values && !is_given)
		learn_shape(node, result);
	fx_run_has_value(model->run, node);
	recorder->error = fx_timeline_end(&model->run->timeline);
	if (!recorder->is_again && !is_given)
		fx_decisions_see(model, node);
	if (recorder->is_again)
		fx_record_limit_after_again(model, place, node);
	else
		fx_record_limit_after(model, place, node);
	return recorder->error ? FX_ANSWER_STOP : FX_ANSWER_GO;
}

static void
record_error(void *context, struct fx_interp *interp, struct fx_node *node,
	const struct fx_error *err)
{
	const struct fx_recorder *recorder = context;

	(void)node;
	(void)err;
	fx_timeline_fail(&recorder->model->run->timeline, interp->env);
}

struct fx_observer
fx_recorder_observer(struct fx_recorder *recorder)
{
	return (struct fx_observer){
		.context = recorder,
		.before = record_before,
		.after = record_after,
		.error = record_error,
		.records = true,
	};
}

bool
fx_activation_give(struct fx_model *model, struct fx_activation *place,
	struct fx_node *node)
{
	struct fx_interp interp = fx_activation_interp(model, place);
	struct fx_error *err = NULL;

	if (fx_draws_aside(model->backend, node))
		err = fx_activation_ensure(model, &interp, node);
	if (!err)
		err = fx_activation_execute(model, &interp, node);
	if (!err)
		return true;
	fx_error_free(err);
	return false;
}
