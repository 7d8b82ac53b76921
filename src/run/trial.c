/* trial.c - a run that is taken back when it has ended. */
#include <config.h>

#include "run/trial_private.h"

#include <stdlib.h>

#include "base/blob.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/interp.h"
#include "run/progress.h"
#include "run/run.h"
#include "run/storage.h"
#include "run/ticker.h"
#include "run/values.h"

static struct fx_error *
give_next(void *context, struct fx_node *node, struct fx_datum **ret)
{
	struct fx_trying *trying = context;
	const struct fx_trial *t = trying->trial;

	(void)node;
	*ret = trying->next < t->input_count
		       ? fx_datum_ref(t->inputs[trying->next++])
		       : NULL;
	return NULL;
}

/* --- its effects, to be taken back --------------------------------------- */

static bool
is_needed(const struct fx_trying_part *part, const struct fx_node *input,
	const struct fx_node *node)
{
	const struct fx_use *use = input->last_user;

	if (part->needs)
		return part->needs(part->needs_context, input, node);
	while (use && !fx_node_is_before(node, use->user))
		use = use->previous;
	return part->keeps || use;
}

/* What dies with NODE, if nothing else lies in its memory: bytes that NODE
 * overwrites there are not saved.
 */
static void
foresee(struct fx_trying *trying, const struct fx_env *env,
	const struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_node *input = fx_node_input(node, i);
		const struct fx_datum *datum = fx_env_get(env, input->id);

		if (datum && fx_datum_is_lone(datum) &&
			!is_needed(trying->part, input, node))
			fx_vec_push(&trying->timeline->evictable, datum);
	}
}

static enum fx_answer
begin_effect(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct fx_trying *trying = context;

	fx_timeline_begin(trying->timeline, node);
	foresee(trying, interp->env, node);
	return FX_ANSWER_GO;
}

/* What was saved before NODE and is not asked for again: tensors that were
 * overwritten for good, where what lies in their memory now goes with its own
 * last use; and what NODE might have written and did not, such as the
 * statistics of a layer that does not train.
 */
static void
let_go(struct fx_timeline *timeline, const struct fx_node *node)
{
	struct fx_effect *effect = timeline->effects.count
					   ? &fx_vec_last(&timeline->effects)
					   : NULL;

	if (!effect || effect->graph != node->graph || effect->node != node->id)
		return;
	for (size_t i = effect->saved.count; i-- > 0;) {
		const struct fx_saved *saved = &effect->saved.items[i];

		if ((!saved->bytes && !saved->shape) ||
			fx_saved_is_unchanged(saved))
			(void)fx_timeline_unsave(timeline, effect, i);
	}
}

static enum fx_answer
end_effect(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	struct fx_trying *trying = context;

	(void)interp;
	(void)result;
	trying->error = fx_timeline_end(trying->timeline);
	let_go(trying->timeline, node);
	return trying->error ? FX_ANSWER_STOP : FX_ANSWER_GO;
}

static void
fail_effect(void *context, struct fx_interp *interp, struct fx_node *node,
	const struct fx_error *err)
{
	struct fx_trying *trying = context;

	(void)node;
	(void)err;
	fx_timeline_fail(trying->timeline, interp->env);
}

/* --- running ------------------------------------------------------------- */

struct fx_error *
fx_trying_run(struct fx_trying *trying, struct fx_trying_part *part)
{
	const struct fx_trial *t = trying->trial;
	struct fx_activation *activation = part->activation;
	FX_AUTO_FREE struct fx_observer *observers =
		fx_xcalloc(t->observer_count + 3, sizeof(*observers));
	struct fx_interp interp = {
		.graph = activation->graph,
		.backend = t->backend,
		.env = &activation->env,
		.plans = &activation->plans,
		.input = give_next,
		.input_context = trying,
		.observers = observers,
		.next = part->first,
	};
	struct fx_error *err;

	trying->part = part;
	activation->plans.ticker = t->ticker;
	if (t->ticker)
		observers[interp.observer_count++] =
			fx_ticker_observer(t->ticker);
	for (size_t i = 0; i < t->observer_count; i++)
		observers[interp.observer_count++] = t->observers[i];
	if (part->also)
		observers[interp.observer_count++] = *part->also;
	observers[interp.observer_count++] = (struct fx_observer){
		.context = trying,
		.before = begin_effect,
		.after = end_effect,
		.error = fail_effect,
		.records = part->keeps,
	};
	err = fx_interp_run(&interp, part->end);
	if (t->ticker)
		fx_progress_end_run(t->ticker->progress);
	part->executed += interp.executed;
	if (!err)
		err = FX_TAKE(trying->error);
	if (!err && interp.next && interp.next != part->end)
		err = fx_error_new(FX_ERR_INTERRUPTED, "interrupted at %%%s",
			interp.next->name);
	return err;
}

/* DATUM for who asked, new: a copy, if it may be taken back. */
static struct fx_error *
hand_over(const struct fx_trying *trying, struct fx_datum *datum,
	struct fx_datum **ret)
{
	struct fx_error *err = NULL;

	*ret = fx_datum_ref(datum);
	if (trying->timeline->effects.count)
		err = fx_datum_make_own(trying->trial->backend, ret);
	if (err) {
		fx_datum_unref(*ret);
		*ret = NULL;
	}
	return err;
}

static struct fx_error *
hand_over_all(const struct fx_trying *trying, const struct fx_env *env,
	struct fx_env *kept)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, trying->trial->graph) {
		struct fx_datum *value = fx_env_get(env, node->id);
		struct fx_error *err;

		if (!value)
			continue;
		err = hand_over(trying, value, &value);
		if (err)
			return err;
		fx_env_take(kept, node->id, value);
	}
	return NULL;
}

struct fx_error *
fx_trying_output(const struct fx_trying *trying,
	const struct fx_activation *activation, bool may_change,
	struct fx_datum **ret)
{
	struct fx_node *output = fx_graph_output(activation->graph);
	struct fx_datum *result =
		output ? fx_env_get(&activation->env, output->id) : NULL;
	struct fx_error *err = NULL;

	if (!result) {
		*ret = fx_datum_none();
		return NULL;
	}
	*ret = fx_datum_ref(result);
	if (may_change || trying->timeline->effects.count)
		err = fx_datum_make_own(trying->trial->backend, ret);
	if (err) {
		fx_datum_unref(*ret);
		*ret = NULL;
	}
	return err;
}

struct fx_error *
fx_trying_apart(struct fx_backend *backend, fx_trying_fn *run, void *context)
{
	const struct fx_backend_ops *ops = backend->ops;
	FX_AUTO_RUN struct fx_run *own = fx_run_new();
	struct fx_blob *random = NULL;
	struct fx_error *err = NULL;

	if (ops->has_values && ops->random_save)
		err = ops->random_save(backend, &random);
	if (err)
		return err;
	err = run(context, own);
	/* Clear the run first: that undoes its writes and draws, which moves
	 * the generator as well.
	 */
	fx_run_clear(own);
	if (random)
		fx_error_free(ops->random_restore(backend, random));
	fx_blob_unref(random);
	return err;
}

/* --- one graph ----------------------------------------------------------- */

struct one {
	const struct fx_trial *trial;
	struct fx_env *kept;
	struct fx_datum **output_ret;
};

static struct fx_error *
try_one(void *context, struct fx_run *run)
{
	const struct one *one = context;
	const struct fx_trial *t = one->trial;
	struct fx_trying trying = { .trial = t, .timeline = &run->timeline };
	struct fx_trying_part part = { .first = fx_graph_first(t->graph),
		.keeps = one->kept != NULL };
	struct fx_error *err =
		fx_timeline_start(&run->timeline, t->backend, t->seed);
	struct fx_error *other = NULL;

	if (err)
		return err;
	run->timeline.watch.given = t->given;
	run->timeline.watch.owner = t->owner;
	part.activation = fx_run_push(run, t->graph, t->backend);
	err = fx_trying_run(&trying, &part);
	if (one->kept)
		other = hand_over_all(&trying, &part.activation->env,
			one->kept);
	if (!err)
		err = FX_TAKE(other);
	fx_error_free(other);
	if (err || !one->output_ret)
		return err;
	return fx_trying_output(&trying, part.activation, false,
		one->output_ret);
}

struct fx_error *
fx_trial_run(const struct fx_trial *t, struct fx_env *kept,
	struct fx_datum **output_ret)
{
	struct one one = { t, kept, output_ret };

	return fx_trying_apart(t->backend, try_one, &one);
}
