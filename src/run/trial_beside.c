/* trial_beside.c - two graphs node by node. */
#include <config.h>

#include "run/trial_private.h"

#include "ir/graph.h"
#include "run/progress.h"
#include "run/run.h"
#include "run/ticker.h"

struct walking {
	const struct fx_trial_walk *walk;
	struct fx_trying trying[2];
	struct fx_trying_part parts[2];
	struct fx_error **left_ret;
};

/* Run graph WHICH up to before END. */
static struct fx_error *
go_on(struct walking *walking, int which, struct fx_node *end)
{
	struct fx_trying_part *part = &walking->parts[which];
	struct fx_error *err;

	part->end = end;
	err = fx_trying_run(&walking->trying[which], part);
	part->first = end;
	return err;
}

static struct fx_error *
run_first(struct walking *walking, struct fx_node *mate)
{
	struct fx_node *next = walking->parts[0].first;

	if (!mate || !next || fx_node_is_before(mate, next))
		return NULL;
	return go_on(walking, 0, fx_graph_next(mate));
}

static struct fx_error *
run_both(struct walking *walking)
{
	const struct fx_trial_walk *walk = walking->walk;
	struct fx_node *node;

	while ((node = walking->parts[1].first)) {
		struct fx_error *err =
			run_first(walking, walk->mate(walk->context, node));

		if (err)
			return err;
		err = go_on(walking, 1, fx_graph_next(node));
		if (err && fx_error_code(err) == FX_ERR_INTERRUPTED)
			return err;
		if (!err)
			continue;
		*walking->left_ret = err;
		break;
	}
	return go_on(walking, 0, NULL);
}

static struct fx_error *
try_both(void *context, struct fx_run *run)
{
	struct walking *walking = context;
	const struct fx_trial *first = walking->walk->trials[0];
	struct fx_error *err =
		fx_timeline_start(&run->timeline, first->backend, first->seed);

	if (err)
		return err;
	for (int i = 0; i < 2; i++) {
		const struct fx_trial *trial = walking->walk->trials[i];

		walking->trying[i] = (struct fx_trying){ .trial = trial,
			.timeline = &run->timeline };
		walking->parts[i] = (struct fx_trying_part){
			.activation =
				fx_run_push(run, trial->graph, trial->backend),
			.first = fx_graph_first(trial->graph),
		};
	}
	return run_both(walking);
}

struct fx_error *
fx_trial_run_beside(const struct fx_trial_walk *walk,
	struct fx_error **left_ret)
{
	const struct fx_ticker *ticker = walk->trials[0]->ticker;
	struct fx_progress *progress = ticker ? ticker->progress : NULL;
	struct walking walking = { .walk = walk, .left_ret = left_ret };
	struct fx_error *err;

	*left_ret = NULL;
	fx_progress_set_beside(progress, true);
	err = fx_trying_apart(walk->trials[0]->backend, try_both, &walking);
	fx_progress_set_beside(progress, false);
	if (!err)
		return NULL;
	fx_error_free(*left_ret);
	*left_ret = NULL;
	return err;
}
