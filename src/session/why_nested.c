/* why_nested.c - into the nested graph of what is asked about: by the calls
 * that execution stands in, else by the first that ran.
 */
#include <config.h>

#include "session/why_private.h"

#include "ir/control.h"
#include "ir/graph.h"
#include "run/datum.h"
#include "run/replay.h"
#include "session/activation.h"

/* --- the way ------------------------------------------------------------- */

/* Where execution stands in GRAPH, or in a turn of the loop that runs it. */
static const struct fx_activation *
place_of(const struct fx_run *run, const struct fx_graph *graph)
{
	const struct fx_activation *place = fx_run_activation_of(run, graph);

	for (size_t i = 0; i < run->activations.count && !place; i++) {
		const struct fx_activation *at = run->activations.items[i];

		if (at->loop && (at->loop->graphs[0] == graph ||
					at->loop->graphs[1] == graph))
			place = at;
	}
	return place;
}

/* Whether NODE ran, as far as where execution stands tells. */
static bool
has_run(const struct fx_inquiry *a, const struct fx_node *node)
{
	const struct fx_activation *place =
		fx_run_activation_of(a->model->run, node->graph);
	const struct fx_node *stop = place ? fx_activation_stop(place) : NULL;

	return !stop || fx_node_is_before(node, stop);
}

static struct fx_error *
not_run(const struct fx_inquiry *a, const struct fx_node *node)
{
	const char *path = fx_control_path(a->model->graph, node->graph);

	return fx_error_hint(fx_error_new(FX_ERR_NOT_RUN,
				     "%%%s has not run yet", node->name),
		"run --to %s%s%s", path, *path ? "." : "", node->name);
}

/* Into GRAPH, where execution stands in PLACE; of a loop that may be its other
 * graph.
 */
static struct fx_way_in
way_of_place(const struct fx_inquiry *a, const struct fx_activation *place,
	const struct fx_graph *graph)
{
	struct fx_way_in way = { .call = fx_activation_call(a->model, place),
		.entry = { .graph = graph },
		.stands = place->graph == graph };

	if (way.stands)
		way.end = fx_activation_stop(place);
	if (place->loop)
		way.entry.turn = place->loop->number;
	/* The body was run in the turn before. */
	if (place->loop && !place->loop->in_body &&
		graph == place->loop->graphs[1])
		way.entry.turn--;
	return way;
}

static struct fx_node *
caller_that_ran(const struct fx_inquiry *a, const struct fx_graph *graph)
{
	struct fx_node *call = fx_control_first_caller(graph);

	while (call && !has_run(a, call))
		call = fx_control_next_caller(graph, call);
	return call;
}

static struct fx_error *
add_ways(struct fx_inquiry *a, const struct fx_graph *graph)
{
	const struct fx_activation *place = place_of(a->model->run, graph);
	struct fx_way_in way = { .entry = { .graph = graph } };
	struct fx_error *err;

	if (graph == a->model->graph)
		return NULL;
	if (place)
		way = way_of_place(a, place, graph);
	else
		way.call = caller_that_ran(a, graph);
	if (!way.call && fx_control_first_caller(graph))
		return not_run(a, fx_control_first_caller(graph));
	if (!way.call || (place && place->loop && !way.entry.turn))
		return fx_error_new(FX_ERR_NOT_RUN, "nothing ran /%s",
			fx_control_path(a->model->graph, graph));
	err = add_ways(a, way.call->graph);
	if (!err)
		fx_vec_push(&a->ways, way);
	return err;
}

struct fx_error *
fx_inquiry_find_ways(struct fx_inquiry *a)
{
	const struct fx_run *run = a->model->run;
	const struct fx_node *node = a->wish->node;
	const struct fx_activation *innermost = fx_run_activation(run);
	struct fx_graph *selected = fx_position_graph(a->model);
	struct fx_error *err;

	if (!node && (fx_why_has_reference(a->wish) || !innermost))
		return NULL;
	/* Of a graph that was chosen, else of where execution stands. */
	if (selected == a->model->graph)
		selected = innermost->graph;
	err = add_ways(a, node ? node->graph : selected);
	if (!err && node && !has_run(a, node))
		err = not_run(a, node);
	return err;
}

/* --- going it ------------------------------------------------------------ */

static struct fx_error *
no_way(const struct fx_node *call)
{
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"what %%%s is made of cannot be entered", call->name);
}

struct fx_error *
fx_inquiry_enter(struct fx_inquiry *a, const struct fx_observer *observer)
{
	struct fx_error *err = NULL;

	a->inner = a->replay;
	for (size_t i = 0; i < a->ways.count && !err; i++) {
		const struct fx_way_in *way = &a->ways.items[i];
		const struct fx_replay_part part = { .entry = way->entry,
			.end = way->end,
			.observers = observer,
			.observer_count = 1 };
		struct fx_replay *inner;

		/* It is about the inputs of nodes of one graph. */
		fx_bitset_deinit(&a->spoiled);
		fx_replay_rewind(a->inner, way->call);
		err = fx_replay_enter(a->inner, way->call, &part, &inner);
		if (!err && !inner)
			err = no_way(way->call);
		if (!err)
			a->inner = inner;
	}
	return err;
}

static struct fx_node *
mate_of(const struct fx_inquiry *a, const struct fx_replay *other,
	const struct fx_node *node)
{
	if (!other)
		return NULL;
	if (!other->outer)
		return fx_pairs_mate(&a->pairs, node);
	return other->graph->node_count == node->graph->node_count
		       ? fx_graph_at(other->graph,
				 fx_graph_position(node->graph, node))
		       : NULL;
}

struct fx_error *
fx_inquiry_enter_reference(struct fx_inquiry *a)
{
	struct fx_error *err = NULL;

	a->other_inner = a->other;
	for (size_t i = 0; i < a->ways.count && !err; i++) {
		const struct fx_way_in *way = &a->ways.items[i];
		struct fx_node *mate = mate_of(a, a->other_inner, way->call);
		const struct fx_replay_part part = {
			.entry = { .turn = way->entry.turn }
		};
		struct fx_replay *inner = NULL;

		if (mate) {
			fx_replay_rewind(a->other_inner, mate);
			err = fx_replay_enter(a->other_inner, mate, &part,
				&inner);
		}
		if (!err && !inner)
			err = fx_error_new(FX_ERR_NO_NODE,
				"the reference has nothing in the place of "
				"%%%s",
				way->call->name);
		if (!err)
			a->other_inner = inner;
	}
	return err;
}

static void
leave_one(struct fx_replay **replay)
{
	struct fx_replay *inner = *replay;

	*replay = inner->outer;
	fx_replay_free(inner);
}

void
fx_inquiry_spot(struct fx_inquiry *a, struct fx_node *node,
	struct fx_spot *spot)
{
	while (a->inner->outer && a->inner->graph != node->graph) {
		leave_one(&a->inner);
		if (a->other_inner && a->other_inner->outer)
			leave_one(&a->other_inner);
	}
	spot->replay = a->inner;
	spot->other = a->other_inner;
	spot->node = node;
	spot->mate = mate_of(a, a->other_inner, node);
}

void
fx_inquiry_hand_over(struct fx_inquiry *a)
{
	a->inner = a->other_inner = NULL;
}

void
fx_inquiry_leave(struct fx_inquiry *a)
{
	while (a->inner && a->inner->outer)
		leave_one(&a->inner);
	while (a->other_inner && a->other_inner->outer)
		leave_one(&a->other_inner);
	fx_inquiry_hand_over(a);
}

/* --- which is first ------------------------------------------------------ */

static size_t
depth_of(const struct fx_node *node)
{
	size_t depth = 0;

	for (const struct fx_graph *graph = node->graph; graph->outer;
		graph = graph->outer)
		depth++;
	return depth;
}

static const struct fx_node *
around(const struct fx_node *node)
{
	return fx_control_first_caller(node->graph);
}

bool
fx_inquiry_is_before(const struct fx_node *a, const struct fx_node *b)
{
	size_t depths[] = { depth_of(a), depth_of(b) };

	for (; a && depths[0] > depths[1]; depths[0]--)
		a = around(a);
	for (; b && depths[1] > depths[0]; depths[1]--)
		b = around(b);
	while (a && b && a->graph != b->graph) {
		a = around(a);
		b = around(b);
	}
	return a && b && fx_node_is_before(a, b);
}
