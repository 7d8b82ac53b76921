/* recompute.c - running nodes out of the usual order: those that were left out
 * or whose values were dropped.
 *
 * A node reads its inputs as they were when it stood at the stop.  Where
 * something was written in place since, or numbers were drawn, that is taken
 * back first, and the nodes that did it run again after the missing ones.
 */
#include <config.h>

#include <stdlib.h>

#include "base/bitset.h"
#include "base/mem.h"
#include "ir/order.h"
#include "run/datum.h"
#include "session/activation.h"
#include "session/run_private.h"
#include "session/session_private.h"

struct fx_error *
fx_activation_execute(struct fx_model *model, struct fx_interp *interp,
	struct fx_node *node)
{
	struct fx_recorder recorder = { .model = model, .is_again = true };
	const struct fx_observer observer = fx_recorder_observer(&recorder);
	struct fx_error *err;
	enum fx_answer answer;

	interp->observers = &observer;
	interp->observer_count = 1;
	err = fx_interp_step(interp, node, &answer);
	interp->observer_count = 0;
	return err ? err : recorder.error;
}

/* --- what is missing ----------------------------------------------------- */

struct missing {
	const struct fx_activation *place;
	struct fx_env *env;
	FX_VEC(struct fx_node *) nodes;
	struct fx_bitset seen;
	size_t closed;               /* nodes whose inputs were looked at */
	const struct fx_node *first; /* in graph order */
};

static void
missing_deinit(struct missing *missing)
{
	fx_vec_deinit(&missing->nodes);
	fx_bitset_deinit(&missing->seen);
}
FX_DEFINE_DEINIT(missing, struct missing, missing_deinit);

static void
add(struct missing *missing, struct fx_node *node)
{
	size_t index = (uint32_t)node->id;

	if (fx_bitset_has(&missing->seen, index))
		return;
	fx_bitset_add(&missing->seen, index);
	fx_vec_push(&missing->nodes, node);
	if (!missing->first || fx_node_is_before(node, missing->first))
		missing->first = node;
}

static void
add_inputs(struct missing *missing, const struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		struct fx_node *input = fx_node_input(node, i);

		if (!fx_env_get(missing->env, input->id))
			add(missing, input);
	}
}

static const struct fx_node *
first_of(struct missing *missing)
{
	while (missing->closed < missing->nodes.count)
		add_inputs(missing, missing->nodes.items[missing->closed++]);
	return missing->first;
}

/* A view of what is given anew is computed anew. */
static void
add_view(void *context, struct fx_node *node)
{
	struct missing *missing = context;

	if (fx_activation_is_above(missing->place, node))
		add(missing, node);
}

/* Effects from the first missing node on are to be done again; where their
 * own inputs are missing it begins even earlier.
 */
static struct fx_error *
add_effects(struct fx_model *model, struct missing *missing,
	const struct fx_graph *graph, const struct fx_node **first_ret)
{
	size_t at = model->run->timeline.effects.count;
	const struct fx_node *first = first_of(missing);

	while (first && at) {
		const struct fx_effect *effect =
			&model->run->timeline.effects.items[--at];
		struct fx_node *node = fx_graph_find_id(graph, effect->node);

		/* Effects of other graphs that the innermost graph finds are
		 * older than its own.
		 */
		if (effect->graph != graph &&
			graph == fx_run_activation(model->run)->graph)
			break;
		if (effect->graph != graph)
			return fx_error_hint(
				fx_error_new(FX_ERR_UNSUPPORTED,
					"%%%s is not held, and computing it "
					"again would disturb the nested graph",
					first->name),
				"finish leaves it");
		if (!node || fx_node_is_before(node, first))
			break;
		/* Inputs that were there may have gone. */
		if (fx_timeline_drop_lost(&model->run->timeline, effect,
			    missing->env))
			missing->closed = 0;
		add(missing, node);
		fx_env_drop_views(missing->env, node, add_view, missing);
		first = first_of(missing);
	}
	*first_ret = first;
	return NULL;
}

static struct fx_error *
run_missing(struct fx_model *model, struct fx_interp *interp,
	struct missing *missing)
{
	struct fx_activation *place =
		fx_run_activation_of(model->run, interp->graph);
	const struct fx_node *first = NULL;
	struct fx_error *err = NULL;

	if (missing->nodes.count)
		err = add_effects(model, missing, interp->graph, &first);
	if (err || !first)
		return err;
	fx_timeline_rewind(&model->run->timeline, interp->graph, &place->env,
		first);
	qsort(missing->nodes.items, missing->nodes.count,
		sizeof(*missing->nodes.items), fx_order_compare);
	/* What fails must not keep effects from being done again. */
	for (size_t i = 0; i < missing->nodes.count; i++) {
		struct fx_error *one = fx_activation_execute(model, interp,
			missing->nodes.items[i]);

		if (err)
			fx_error_free(one);
		else
			err = one;
	}
	return err;
}

/* Most often every input has a value already and nothing is collected. */
struct fx_error *
fx_activation_ensure(struct fx_model *model, struct fx_interp *interp,
	struct fx_node *node)
{
	FX_AUTO(missing)
	struct missing missing = {
		.place = fx_run_activation_of(model->run, interp->graph),
		.env = interp->env,
	};

	add_inputs(&missing, node);
	return run_missing(model, interp, &missing);
}

static void
tell(struct fx_model *model, const struct fx_interp *interp,
	const struct fx_node *node, const struct fx_node *first)
{
	FX_AUTO_FREE char *words = fx_record_limit_words(model->session);

	fx_model_say(model,
		fx_xasprintf("%%%s was not kept (%s); recomputing %zu node%s "
			     "from @%zu ... done",
			node->name, words, interp->executed,
			interp->executed == 1 ? "" : "s",
			fx_graph_position(interp->graph, first)));
}

struct fx_error *
fx_activation_compute(struct fx_model *model, struct fx_activation *place,
	struct fx_node *node)
{
	FX_AUTO(missing)
	struct missing missing = {
		.place = place,
		.env = &place->env,
	};
	struct fx_interp interp = fx_activation_interp(model, place);
	bool was_dropped =
		fx_map_has(&model->run->timeline.dropped, (uintptr_t)node->id);
	struct fx_error *err;

	fx_model_ready_backend(model);
	fx_timeline_keep_random(&model->run->timeline);
	add(&missing, node);
	err = run_missing(model, &interp, &missing);
	model->run->executed += interp.executed;
	if (was_dropped && !err)
		tell(model, &interp, node, missing.first);
	return err;
}
