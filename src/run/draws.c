/* draws.c - the random numbers of one graph in a graph of another dtype. */
#include <config.h>

#include "run/draws.h"

#include "base/blob.h"
#include "base/compiler.h"
#include "ir/pair.h"
#include "ir/side_effects.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/interp.h"
#include "run/values.h"

void
fx_draws_deinit(struct fx_draws *draws)
{
	struct fx_draw *draw;

	fx_vec_for_each (draw, &draws->items) {
		fx_blob_unref(draw->state);
		fx_datum_unref(draw->value);
	}
	fx_vec_deinit(&draws->items);
}

static enum fx_answer
answer(struct fx_draws *draws, struct fx_error *err, enum fx_answer otherwise)
{
	if (!err)
		return otherwise;
	fx_error_free(*draws->error);
	*draws->error = err;
	return FX_ANSWER_STOP;
}

static bool
is_sample(const struct fx_node *node)
{
	return fx_op_info(node->op)->traits & FX_OP_SAMPLES;
}

static bool
draws_in(const struct fx_draws *draws, const struct fx_graph *graph,
	const struct fx_node *node)
{
	return node->graph == graph && draws->backend->ops->random_save &&
	       fx_side_effects(node) & FX_SIDE_EFFECT_DRAWS;
}

static enum fx_answer
keep_state(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct fx_draws *draws = context;
	struct fx_draw draw = { .node = node };
	struct fx_error *err;

	(void)interp;
	if (!draws_in(draws, draws->first, node))
		return FX_ANSWER_GO;
	err = draws->backend->ops->random_save(draws->backend, &draw.state);
	if (!err)
		fx_vec_push(&draws->items, draw);
	return answer(draws, err, FX_ANSWER_GO);
}

/* As it is now: others may write into it. */
static enum fx_answer
keep_value(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	struct fx_draws *draws = context;
	struct fx_datum *own;
	struct fx_draw *last;
	struct fx_error *err;

	(void)interp;
	if (!draws_in(draws, draws->first, node) || !is_sample(node))
		return FX_ANSWER_GO;
	own = fx_datum_ref(result);
	err = fx_datum_make_own(draws->backend, &own);
	last = &draws->items.items[draws->items.count - 1];
	last->value = err ? NULL : own;
	if (err)
		fx_datum_unref(own);
	return answer(draws, err, FX_ANSWER_GO);
}

static const struct fx_draw *
find(const struct fx_draws *draws, const struct fx_node *node)
{
	const struct fx_draw *draw;

	if (node)
		fx_vec_for_each (draw, &draws->items)
			if (draw->node == node)
				return draw;
	return NULL;
}

static enum fx_answer
give(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct fx_draws *draws = context;
	struct fx_backend *backend = draws->backend;
	const struct fx_draw *draw = NULL;
	struct fx_error *err = NULL;

	if (draws_in(draws, draws->pairs->graphs[1], node))
		draw = find(draws, fx_pairs_mate(draws->pairs, node));
	if (!draw)
		return FX_ANSWER_GO;
	if (!draw->value) {
		if (draw->state)
			err = backend->ops->random_restore(backend,
				draw->state);
		return answer(draws, err, FX_ANSWER_GO);
	}
	err = fx_interp_stand_in(interp, node, draw->value, &draws->to, NULL);
	return answer(draws, err, FX_ANSWER_SKIP);
}

struct fx_observer
fx_draws_keeper(struct fx_draws *draws)
{
	return (struct fx_observer){
		.context = draws, .before = keep_state, .after = keep_value
	};
}

struct fx_observer
fx_draws_giver(struct fx_draws *draws)
{
	return (struct fx_observer){ .context = draws, .before = give };
}
