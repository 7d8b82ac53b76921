/* run.c - a run: its stack of graphs, and starting over. */
#include <config.h>

#include "run/run.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/loop.h"

struct fx_run *
fx_run_new(void)
{
	return FX_NEW(struct fx_run);
}

void
fx_data_deinit(struct fx_map *data)
{
	size_t at = 0;
	uintptr_t id;
	uintptr_t datum;

	while (fx_map_next(data, &at, &id, &datum))
		fx_datum_unref((struct fx_datum *)datum);
	fx_map_deinit(data);
}

void
fx_data_add(struct fx_map *into, const struct fx_map *data)
{
	size_t at = 0;
	uintptr_t id;
	uintptr_t datum;

	while (fx_map_next(data, &at, &id, &datum))
		fx_map_set(into, id,
			(uintptr_t)fx_datum_ref((struct fx_datum *)datum));
}

void
fx_left_clear(struct fx_left *left)
{
	fx_data_deinit(&left->values);
	left->time = 0;
}

void
fx_run_clear(struct fx_run *run)
{
	while (run->activations.count)
		fx_run_pop(run);
	fx_timeline_clear(&run->timeline);
	for (size_t i = 0; i < FX_ARRAY_LEN(run->left); i++)
		fx_left_clear(&run->left[i]);
	fx_map_clear(&run->failures);
	fx_map_clear(&run->dirty);
}

void
fx_run_free(struct fx_run *run)
{
	if (!run)
		return;
	fx_run_clear(run);
	fx_vec_deinit(&run->activations);
	fx_data_deinit(&run->overrides);
	fx_map_deinit(&run->failures);
	fx_map_deinit(&run->dirty);
	fx_map_deinit(&run->stops);
	free(run);
}

/* --- values -------------------------------------------------------------- */

struct fx_datum *
fx_run_given(const struct fx_run *run, uint64_t id)
{
	if (!run->overrides.count)
		return NULL;
	return (struct fx_datum *)fx_map_get(&run->overrides, (uintptr_t)id, 0);
}

void
fx_run_give(struct fx_run *run, uint64_t id, struct fx_datum *datum_taken)
{
	fx_datum_unref(fx_run_given(run, id));
	if (datum_taken)
		fx_map_set(&run->overrides, (uintptr_t)id,
			(uintptr_t)datum_taken);
	else
		fx_map_erase(&run->overrides, (uintptr_t)id);
}

void
fx_run_has_value(struct fx_run *run, const struct fx_node *node)
{
	uintptr_t id = (uintptr_t)node->id;

	run->rerun += fx_map_erase(&run->dirty, id);
	fx_map_erase(&run->failures, id);
	if (run->timeline.dropped.count)
		run->timeline.recomputed +=
			fx_timeline_undrop(&run->timeline, node->id);
}

/* --- the stack ----------------------------------------------------------- */

struct fx_activation *
fx_run_activation(const struct fx_run *run)
{
	return run->activations.count ? fx_vec_last(&run->activations) : NULL;
}

struct fx_activation *
fx_run_activation_of(const struct fx_run *run, const struct fx_graph *graph)
{
	for (size_t i = run->activations.count; i-- > 0;)
		if (run->activations.items[i]->graph == graph)
			return run->activations.items[i];
	return NULL;
}

static void
activation_free(struct fx_activation *activation)
{
	if (!activation)
		return;
	fx_operands_deinit(&activation->operands);
	fx_loop_free(activation->loop);
	fx_env_deinit(&activation->env);
	fx_plans_deinit(&activation->plans);
	free(activation);
}

struct fx_activation *
fx_run_push(struct fx_run *run, struct fx_graph *graph,
	struct fx_backend *backend)
{
	struct fx_activation *activation = FX_NEW(struct fx_activation);

	activation->graph = graph;
	fx_plans_init(&activation->plans, backend);
	activation->plans.depth = (int)run->activations.count;
	if (backend->ops->has_values)
		activation->plans.watch = &run->timeline.watch;
	fx_vec_push(&run->activations, activation);
	fx_run_set_stop(run, activation, fx_graph_first(graph));
	return activation;
}

/* Out of the stack, and without values. */
static struct fx_activation *
take_innermost(struct fx_run *run)
{
	struct fx_activation *activation = fx_vec_pop(&run->activations);

	fx_timeline_rewind(&run->timeline, activation->graph, &activation->env,
		fx_graph_first(activation->graph));
	fx_env_clear(&activation->env);
	run->frame = 0;
	return activation;
}

void
fx_run_pop(struct fx_run *run)
{
	activation_free(take_innermost(run));
}

struct fx_activation *
fx_run_detach(struct fx_run *run)
{
	while (run->activations.count > 1)
		fx_run_pop(run);
	return run->activations.count ? take_innermost(run) : NULL;
}

void
fx_run_attach(struct fx_run *run, struct fx_activation *activation_taken,
	struct fx_graph *graph, struct fx_backend *backend)
{
	struct fx_activation *activation = activation_taken;
	bool fits = activation && activation->graph == graph &&
		    activation->plans.backend == backend;

	if (!fits) {
		activation_free(activation);
		fx_run_push(run, graph, backend);
		return;
	}
	fx_vec_push(&run->activations, activation);
	fx_run_set_stop(run, activation, fx_graph_first(graph));
}

/* --- the stop ------------------------------------------------------------ */

struct fx_node *
fx_activation_stop(const struct fx_activation *activation)
{
	return activation->stop
		       ? fx_graph_find_id(activation->graph, activation->stop)
		       : NULL;
}

void
fx_run_set_stop(struct fx_run *run, struct fx_activation *activation,
	struct fx_node *node)
{
	fx_timeline_rewind(&run->timeline, activation->graph, &activation->env,
		node);
	activation->stop = node ? node->id : 0;
	activation->held = NULL;
	run->frame = 0;
	if (activation == run->activations.items[0])
		fx_map_set(&run->stops,
			(uintptr_t)fx_journal_now(activation->graph) + 1,
			(uintptr_t)activation->stop + 1);
}

bool
fx_activation_is_above(const struct fx_activation *activation,
	const struct fx_node *node)
{
	const struct fx_node *stop = fx_activation_stop(activation);

	return !stop || fx_node_is_before(node, stop);
}

struct fx_datum *
fx_activation_value(const struct fx_activation *activation,
	const struct fx_node *node)
{
	return fx_activation_is_above(activation, node)
		       ? fx_env_get(&activation->env, node->id)
		       : NULL;
}
