/* why_run.c - running the session's graph aside, and a reference beside it. */
#include <config.h>

#include "session/why_private.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ir/control.h"
#include "ir/graph.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/interp.h"
#include "run/nonfinite.h"
#include "run/replay.h"
#include "run/stats.h"
#include "run/widen.h"
#include "session/capture.h"
#include "session/made_up.h"
#include "session/override.h"
#include "session/verify_private.h"

void
fx_inquiry_deinit(struct fx_inquiry *a)
{
	fx_inquiry_leave(a);
	fx_replay_free(a->replay);
	fx_replay_free(a->other);
	fx_vec_deinit(&a->ways);
	fx_trial_inputs_deinit(&a->inputs);
	fx_bitset_deinit(&a->spoiled);
	fx_draws_deinit(&a->draws);
	fx_pairs_deinit(&a->pairs);
	fx_graph_free(a->own);
	fx_widening_deinit(&a->widening);
	if (a->backend)
		fx_emulation_use(a->backend, NULL);
	fx_emulation_deinit(&a->emulation);
	if (a->owns_backend)
		fx_backend_free(a->backend);
	fx_error_free(a->error);
}

/* --- inputs -------------------------------------------------------------- */

/* As a run gives it (session/activation.c): what was given, its default, or
 * what follows from its shape and the seed.
 */
static struct fx_error *
make_input(struct fx_inquiry *a, const struct fx_node *node,
	struct fx_datum **ret)
{
	const struct fx_model *model = a->model;
	struct fx_error *err = NULL;

	*ret = NULL;
	for (size_t i = 0; i < model->inputs.count; i++)
		if (model->inputs.items[i].node == node->id)
			*ret = fx_datum_ref(model->inputs.items[i].datum);
	if (!*ret && (fx_value_item_count(&node->args) || !node->user_count))
		return NULL;
	if (!*ret && !fx_value_has_numbers(node->meta))
		return fx_error_new(FX_ERR_NO_INPUT,
			"input %s of %s has no shape", node->target,
			fx_model_name(model));
	if (!*ret)
		return fx_made_up(a->backend, node, node->meta->tensor,
			fx_model_input_seed(model, node), ret);
	err = fx_datum_make_own(a->backend, ret);
	if (!err)
		return NULL;
	fx_datum_unref(*ret);
	*ret = NULL;
	return err;
}

static struct fx_error *
make_inputs(struct fx_inquiry *a)
{
	struct fx_graph *graph = a->model->graph;
	const struct fx_node *node;
	struct fx_error *err = NULL;

	a->inputs.items =
		fx_xcalloc(graph->node_count + 1, sizeof(struct fx_datum *));
	fx_graph_for_each_node (node, graph)
		if (node->opcode == FX_OPCODE_PLACEHOLDER && !err)
			err = make_input(a, node,
				&a->inputs.items[a->inputs.count++]);
	return err;
}

/* --- running it ---------------------------------------------------------- */

enum fx_answer
fx_inquiry_fail(struct fx_inquiry *a, struct fx_error *err)
{
	if (!err)
		return FX_ANSWER_GO;
	fx_error_free(a->error);
	a->error = err;
	return FX_ANSWER_STOP;
}

/* Values that the user set stand in, in nested graphs too. */
static enum fx_answer
stand_in(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct fx_inquiry *a = context;
	struct fx_datum *given = fx_run_given(a->model->run, node->id);
	enum fx_answer answer;
	struct fx_error *err;

	if (!given || node->opcode == FX_OPCODE_PLACEHOLDER)
		return FX_ANSWER_GO;
	err = fx_interp_stand_in(interp, node, given, NULL, &answer);
	return err ? fx_inquiry_fail(a, err) : answer;
}

/* In the reference those that were set there; in this graph in another dtype,
 * those that were set here.
 */
static enum fx_answer
stand_in_there(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct fx_inquiry *a = context;
	const struct fx_model *model =
		a->own ? a->model
		       : fx_session_model_of(a->session, a->reference);
	struct fx_datum *given =
		model ? fx_model_given_in(model, a->reference, node) : NULL;
	enum fx_answer answer;
	struct fx_error *err;

	if (!given)
		return FX_ANSWER_GO;
	err = fx_interp_stand_in(interp, node, given,
		a->wish->dtype ? &a->widening.to : NULL, &answer);
	return err ? fx_inquiry_fail(a, err) : answer;
}

static bool
is_produced(const struct fx_inquiry *a, const struct fx_node *node)
{
	if (node->opcode == FX_OPCODE_PLACEHOLDER ||
		node->opcode == FX_OPCODE_GET_ATTR)
		return !fx_nonfinite_may_hold_inf(node);
	if (fx_nonfinite_fills(node))
		return false;
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (fx_bitset_has(&a->spoiled,
			    (uint32_t)fx_node_input(node, i)->id))
			return false;
	return true;
}

/* RESULT of NODE is not finite: where? */
static struct fx_error *
look_closer(struct fx_inquiry *a, struct fx_node *node, struct fx_datum *result)
{
	bool is_own = is_produced(a, node);
	struct fx_datum *tensor;

	for (size_t k = 0; (tensor = fx_datum_tensor_at(result, k)); k++) {
		struct fx_stats stats;
		struct fx_error *err =
			fx_stats_compute(tensor, &a->ticker, &stats);

		if (err)
			return err;
		if (stats.nan && !a->nan.node)
			a->nan = (struct fx_met){ node, k, stats.nan_index };
		if (!(stats.plus_inf + stats.minus_inf))
			continue;
		if (is_own && !a->inf.node)
			a->inf = (struct fx_met){ node, k, stats.inf_index };
		if (!is_own && !a->given.node &&
			(node->opcode == FX_OPCODE_PLACEHOLDER ||
				node->opcode == FX_OPCODE_GET_ATTR))
			a->given = (struct fx_met){ node, k, stats.inf_index };
	}
	return NULL;
}

static enum fx_answer
notice(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	struct fx_inquiry *a = context;
	struct fx_error *err = NULL;

	(void)interp;
	if (fx_datum_is_nonfinite(result)) {
		if (!a->nan.node || !a->inf.node)
			err = look_closer(a, node, result);
		fx_bitset_add(&a->spoiled, (uint32_t)node->id);
	}
	return fx_inquiry_fail(a, err);
}

/* What was set has not run, and may be wrong itself. */
static enum fx_answer
notice_set(void *context, struct fx_interp *interp, struct fx_node *node)
{
	return notice(context, interp, node, fx_env_get(interp->env, node->id));
}

/* What the mended node gives is finite from now on. */
static enum fx_answer
mend(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	struct fx_inquiry *a = context;
	struct fx_datum *mine;
	struct fx_error *err;

	if (node != a->mended && !fx_control_holds(node, a->mended->graph))
		return FX_ANSWER_GO;
	err = fx_datum_make_finite(a->backend, result, &mine);
	if (!err)
		fx_env_take(interp->env, node->id, mine);
	return fx_inquiry_fail(a, err);
}

static struct fx_error *
run(struct fx_inquiry *a, const struct fx_replay_wish *wish,
	struct fx_replay **ret)
{
	struct fx_error *err = fx_replay_new(wish, ret);

	if (!a->error)
		return err;
	fx_error_free(err);
	return FX_TAKE(a->error);
}

/* The inputs, and what the user set in their places; copies, for the caller to
 * free.
 */
static struct fx_error *
set_inputs(const struct fx_inquiry *a, struct fx_datum **items)
{
	const struct fx_node *node;
	struct fx_error *err = NULL;
	size_t at = 0;

	fx_graph_for_each_node (node, a->model->graph) {
		struct fx_datum *given = fx_run_given(a->model->run, node->id);

		if (node->opcode != FX_OPCODE_PLACEHOLDER || err)
			continue;
		items[at] = fx_datum_ref(given ? given : a->inputs.items[at]);
		if (items[at])
			err = fx_datum_make_own(a->backend, &items[at]);
		at++;
	}
	return err;
}

struct fx_error *
fx_inquiry_run(struct fx_inquiry *a)
{
	FX_AUTO_FREE struct fx_datum **items =
		fx_xcalloc(a->inputs.count + 1, sizeof(struct fx_datum *));
	const bool looks = !a->mended && a->wish->target != FX_WHY_NODE;
	const struct fx_observer observers[] = {
		{ .context = a,
			.before = stand_in,
			.skipped = looks ? notice_set : NULL,
			.after = a->mended ? mend
				 : looks   ? notice
					   : NULL },
		fx_draws_keeper(&a->draws),
	};
	const bool keeps_draws = a->wish->dtype && !a->other;
	const struct fx_replay_wish wish = { .graph = a->model->graph,
		.backend = a->backend,
		.inputs = items,
		.input_count = a->inputs.count,
		.seed = fx_session_seed(a->session),
		.end = a->end,
		.ticker = &a->ticker,
		.observers = observers,
		.observer_count = keeps_draws ? 2 : 1,
		.given = fx_model_given_value,
		.owner = a->model };

	struct fx_error *err = set_inputs(a, items);

	a->draws.backend = a->backend;
	a->draws.first = a->model->graph;
	a->draws.error = &a->error;
	fx_inquiry_leave(a);
	fx_replay_free(FX_TAKE(a->replay));
	if (!err)
		err = run(a, &wish, &a->replay);
	for (size_t i = 0; i < a->inputs.count; i++)
		fx_datum_unref(items[i]);
	if (!err)
		err = fx_inquiry_enter(a, &observers[0]);
	if (!a->error)
		return err;
	fx_error_free(err);
	return FX_TAKE(a->error);
}

/* An input that the file has is what the reference was given. */
static struct fx_error *
take_input(struct fx_inquiry *a, const struct fx_node *node,
	struct fx_datum **item)
{
	struct fx_datum *datum;
	struct fx_error *err;

	if (!a->wish->arrays)
		return NULL;
	err = fx_inquiry_read_array(a, node, &datum);
	if (err || !datum)
		return err;
	a->arrays++;
	fx_datum_unref(*item);
	*item = datum;
	return NULL;
}

/* The inputs in the order of the reference: by their targets, else by their
 * places; for a wide one they are wide.
 */
static struct fx_error *
match_inputs(struct fx_inquiry *a, struct fx_datum **items, size_t *count_ret)
{
	const struct fx_node *node;
	struct fx_error *err = NULL;

	*count_ret = 0;
	fx_graph_for_each_node (node, a->reference) {
		const struct fx_node *mine;
		size_t at = 0;
		size_t place = *count_ret;

		if (node->opcode != FX_OPCODE_PLACEHOLDER || err)
			continue;
		fx_graph_for_each_node (mine, a->model->graph) {
			if (mine->opcode != FX_OPCODE_PLACEHOLDER)
				continue;
			if (mine->target == node->target)
				place = at;
			at++;
		}
		if (place < a->inputs.count && a->inputs.items[place]) {
			items[*count_ret] =
				fx_datum_ref(a->inputs.items[place]);
			err = fx_datum_make_own(a->backend, &items[*count_ret]);
			if (!err && a->wish->dtype)
				err = fx_widen_datum(a->backend, a->widening.to,
					&items[*count_ret]);
		}
		if (!err)
			err = take_input(a, node, &items[*count_ret]);
		++*count_ret;
	}
	return err;
}

/* Where a reference is made here, its weights are those that the worker has. */
static struct fx_error *
make_reference(struct fx_inquiry *a)
{
	FX_AUTO_FREE char *skipped = NULL;
	struct fx_error *err;

	a->reference = a->wish->against;
	if (!a->wish->dtype && !a->wish->arrays)
		return NULL;
	err = fx_model_fetch_weights(a->model, &skipped);
	if (err)
		return err;
	a->reference = a->own =
		fx_verify_copy(a->session, a->model->graph, NULL);
	if (!a->wish->dtype)
		return NULL;
	a->widening.to =
		a->wish->dtype == FX_DTYPE_F64 ? FX_DTYPE_NONE : a->wish->dtype;
	/* Layers of the reference are entered later: until the end. */
	a->emulation.dtype = a->widening.to;
	if (a->widening.to)
		fx_emulation_use(a->backend, &a->emulation);
	return fx_widen_graph(&a->widening, a->own);
}

struct fx_error *
fx_inquiry_run_reference(struct fx_inquiry *a)
{
	FX_AUTO_FREE struct fx_datum **items = NULL;
	struct fx_replay_wish wish = { .backend = a->backend,
		.seed = fx_session_seed(a->session),
		.ticker = &a->ticker };
	const struct fx_observer arrays = fx_inquiry_arrays_observer(a);
	const struct fx_observer others[] = {
		{ .context = a, .before = stand_in_there },
		fx_draws_giver(&a->draws),
	};
	struct fx_error *err = make_reference(a);

	if (err || !a->reference)
		return err;
	fx_pairs_make(a->model->graph, a->reference, NULL, &a->pairs);
	a->draws.pairs = &a->pairs;
	a->draws.to = a->widening.to;
	/* In another dtype what is set within is no value of that. */
	wish.owner = fx_session_model_of(a->session, a->reference);
	wish.given = wish.owner ? fx_model_given_value : NULL;
	wish.observers = a->wish->arrays ? &arrays : others;
	wish.observer_count = a->wish->dtype ? 2 : 1;
	items = fx_xcalloc(a->reference->node_count + 1, sizeof(*items));
	err = match_inputs(a, items, &wish.input_count);
	wish.graph = a->reference;
	wish.inputs = items;
	if (!err)
		err = run(a, &wish, &a->other);
	for (size_t i = 0; i < wish.input_count; i++)
		fx_datum_unref(items[i]);
	if (err)
		return fx_error_note(err, "in the reference");
	if (a->wish->arrays && !a->arrays)
		return fx_error_new(FX_ERR_NO_NAME,
			"%s: no array is called like a node", a->wish->arrays);
	return fx_inquiry_enter_reference(a);
}

/* A reference that was made here goes: what is said of it has to be known. */
void
fx_inquiry_forget_reference(const struct fx_inquiry *a, struct fx_cause *cause)
{
	const struct fx_cause_step *end =
		cause->steps.count ? fx_cause_end_of_way(cause) : NULL;

	if (!a->own)
		return;
	cause->mate = NULL;
	if (!end || end->role != FX_CAUSE_PRODUCES || cause->detail)
		return;
	if (a->wish->dtype)
		cause->detail = fx_xasprintf("there it is in %s",
			fx_dtype_info(a->wish->dtype)->short_name);
	else if (a->wish->arrays)
		cause->detail = fx_xstrdup("weights, and inputs that the file "
					   "lacks, may be others there");
}

/* --- getting ready ------------------------------------------------------- */

static struct fx_error *
check_memory(const struct fx_inquiry *a)
{
	uint64_t bytes = 0;
	const struct fx_node *node;

	fx_graph_for_each_node (node, a->model->graph)
		if (node->meta)
			bytes += fx_value_tensor_bytes(node->meta);
	if (fx_why_has_reference(a->wish))
		bytes *= 3;
	return fx_check_bytes("keeping the values of a graph takes", bytes);
}

struct fx_error *
fx_inquiry_prepare(struct fx_inquiry *a)
{
	struct fx_model *model = a->model;
	FX_AUTO_FREE char *why = NULL;
	struct fx_error *err = NULL;

	if (!fx_position_is_started(model))
		err = fx_model_choose_backend(a->session, model);
	if (err)
		return err;
	if (!model->backend->ops->has_values) {
		why = fx_model_why_no_values(model);
		return fx_error_new(FX_ERR_NOT_KNOWN, "%s", why);
	}
	fx_model_ready_backend(model);
	fx_session_init_ticker(a->session, &a->ticker);
	err = check_memory(a);
	if (!err)
		err = fx_model_trial_backend(model, &a->backend,
			&a->owns_backend);
	if (!err)
		err = make_inputs(a);
	if (fx_position_is_started(model))
		a->end = fx_activation_stop(model->run->activations.items[0]);
	return err;
}
