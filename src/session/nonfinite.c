/* nonfinite.c - where NaN and infinities come from, node by node. */
#include <config.h>

#include "session/nonfinite.h"

#include <math.h>

#include "base/blob.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/storage.h"
#include "run/summary.h"
#include "session/activation.h"
#include "session/session_private.h"

/* Infinities are followed so far up; what is further away was meant. */
#define DEPTH_LIMIT 200

void
fx_nonfinite_look_deinit(struct fx_nonfinite_look *look)
{
	fx_map_deinit(&look->last);
	fx_map_deinit(&look->origins);
}

/* --- effects since then --------------------------------------------------- */

/* Learn of the effects that came to the timeline; of all of them when some
 * were taken back.
 */
static void
learn_effects(struct fx_nonfinite_look *look)
{
	const struct fx_timeline *timeline = &look->model->run->timeline;

	if (look->effects > timeline->effects.count) {
		fx_map_clear(&look->last);
		look->effects = 0;
	}
	for (; look->effects < timeline->effects.count; look->effects++) {
		const struct fx_effect *effect =
			&timeline->effects.items[look->effects];

		for (size_t i = 0; i < effect->saved.count; i++)
			fx_map_set(&look->last, effect->saved.items[i].storage,
				look->effects + 1);
	}
	look->cursor = FX_MIN(look->cursor, look->effects);
}

static size_t
depth_of(const struct fx_run *run, const struct fx_graph *graph)
{
	size_t depth = 0;

	while (depth < run->activations.count &&
		run->activations.items[depth]->graph != graph)
		depth++;
	return depth;
}

/* Whether the effect INDEX came before NODE ran, or, AFTER, while it did. */
static bool
is_effect_before(const struct fx_nonfinite_look *look, size_t index,
	const struct fx_node *node, bool after)
{
	const struct fx_run *run = look->model->run;
	const struct fx_effect *effect = &run->timeline.effects.items[index];
	const struct fx_node *writer;

	if (effect->graph != node->graph)
		return depth_of(run, effect->graph) <
		       depth_of(run, node->graph);
	writer = fx_graph_find_id(node->graph, effect->node);
	return !writer || (after && writer == node) ||
	       fx_node_is_before(writer, node);
}

/* The index of the first effect that came later. */
static size_t
effects_from(struct fx_nonfinite_look *look, const struct fx_node *node,
	bool after)
{
	size_t i = look->cursor;

	while (i > 0 && !is_effect_before(look, i - 1, node, after))
		i--;
	while (i < look->effects && is_effect_before(look, i, node, after))
		i++;
	look->cursor = i;
	return i;
}

/* --- a value as it was --------------------------------------------------- */

struct state {
	struct fx_nonfinite_count count;
	bool is_unseen;
	const struct fx_node *writer; /* that wrote into it last before */
};

struct peek {
	const struct fx_nonfinite_look *look;
	size_t begin; /* effects from here on are put aside */
	FX_VEC(const struct fx_saved *) writes;
	bool is_lost;
};

static bool
add_write(void *context, uintptr_t storage, size_t bytes)
{
	struct peek *peek = context;
	const struct fx_timeline *timeline = &peek->look->model->run->timeline;
	size_t end = (size_t)fx_map_get(&peek->look->last, storage, 0);

	(void)bytes;
	for (size_t i = peek->begin; i < end; i++) {
		const struct fx_effect *effect = &timeline->effects.items[i];

		for (size_t k = 0; k < effect->saved.count; k++) {
			const struct fx_saved *saved = &effect->saved.items[k];

			if (saved->storage != storage)
				continue;
			if (saved->bytes)
				fx_vec_push(&peek->writes, saved);
			peek->is_lost = peek->is_lost || !saved->bytes;
			return false;
		}
	}
	return false;
}

/* Count in DATUM while the bytes of WRITES lie there. */
static struct fx_error *
count_before(const struct peek *peek, const struct fx_datum *datum, size_t at,
	struct fx_nonfinite_count *ret)
{
	const struct fx_saved *saved;
	const struct fx_backend_ops *ops;
	struct fx_blob *now = NULL;
	struct fx_error *err;
	struct fx_error *back;

	if (at == peek->writes.count)
		return fx_nonfinite_count(datum, NULL, ret);
	saved = peek->writes.items[at];
	ops = saved->tensor->backend->ops;
	err = ops->storage_save(saved->tensor->payload, &now);
	if (!err)
		err = ops->storage_restore(saved->tensor->payload,
			saved->bytes);
	if (!err)
		err = count_before(peek, datum, at + 1, ret);
	if (now) {
		back = ops->storage_restore(saved->tensor->payload, now);
		fx_error_free(back);
	}
	fx_blob_unref(now);
	return err;
}

/* The node whose effect came last before BEGIN and wrote into DATUM. */
static const struct fx_node *
writer_before(const struct fx_nonfinite_look *look,
	const struct fx_datum *datum, const struct fx_graph *graph,
	size_t begin)
{
	const struct fx_timeline *timeline = &look->model->run->timeline;
	FX_AUTO_MAP struct fx_map storages = { 0 };

	fx_datum_add_storages(datum, &storages);
	while (begin-- > 0) {
		const struct fx_effect *effect =
			&timeline->effects.items[begin];

		for (size_t i = 0; i < effect->saved.count; i++)
			if (fx_map_has(&storages,
				    effect->saved.items[i].storage))
				return effect->graph == graph
					       ? fx_graph_find_id(graph,
							 effect->node)
					       : NULL;
	}
	return NULL;
}

/* Whether anything was written in place since the run began. */
static bool
was_written(void *context, uintptr_t storage, size_t bytes)
{
	const struct fx_nonfinite_look *look = context;

	(void)bytes;
	return fx_map_has(&look->last, storage);
}

/* What DATUM (of NODE, or NULL) held before the effect BEGIN. */
static struct state
state_of(struct fx_nonfinite_look *look, struct fx_datum *datum,
	const struct fx_node *node, size_t begin)
{
	struct peek peek = { .look = look, .begin = begin };
	struct state state = { .is_unseen = false };
	struct fx_error *err = NULL;

	if (fx_datum_see_storages(datum, was_written, look))
		fx_datum_see_storages(datum, add_write, &peek);
	if (peek.writes.count)
		err = count_before(&peek, datum, 0, &state.count);
	else if (node ? fx_model_datum_is_nonfinite(look->model, node, datum)
		      : fx_datum_is_nonfinite(datum))
		err = fx_nonfinite_count(datum, NULL, &state.count);
	state.is_unseen = err || peek.is_lost;
	fx_error_free(err);
	fx_vec_deinit(&peek.writes);
	return state;
}

/* The same of what the record limit dropped. */
static struct state
state_of_dropped(struct fx_nonfinite_look *look, const struct fx_node *node)
{
	uint64_t writer = 0;
	const struct fx_summary *summary =
		fx_timeline_summary(&look->model->run->timeline, node->id,
			&writer);
	struct state state = { .is_unseen = !summary || writer };

	for (size_t i = 0; !state.is_unseen && i < summary->parts.count; i++) {
		const struct fx_summary_part *part = &summary->parts.items[i];
		const struct fx_stats *stats = &part->stats;
		uint64_t inf = stats->plus_inf + stats->minus_inf;

		if (stats->nan ? !state.count.nan
			       : inf && !state.count.nan && !state.count.inf) {
			state.count.path = fx_intern(part->path);
			state.count.extent = stats->extent;
			state.count.index = stats->nan ? stats->nan_index
						       : stats->inf_index;
		}
		state.count.elements += stats->extent.count;
		state.count.nan += stats->nan;
		state.count.inf += inf;
	}
	return state;
}

/* The value of NODE in PLACE as READER, or NODE itself (NULL) when it had run,
 * found it.
 */
static struct state
state_at(struct fx_nonfinite_look *look, const struct fx_activation *place,
	const struct fx_node *node, const struct fx_node *reader)
{
	struct fx_datum *datum = fx_env_get(&place->env, node->id);
	size_t begin;
	struct state state;

	if (!datum)
		return state_of_dropped(look, node);
	begin = effects_from(look, reader ? reader : node, !reader);
	state = state_of(look, datum, node, begin);
	if (reader && (state.count.nan || state.count.inf))
		state.writer = writer_before(look, datum, node->graph, begin);
	return state;
}

/* --- what a node read ---------------------------------------------------- */

/* What was found among the things that a node read. */
struct read {
	const struct fx_node *nan; /* the first node that holds NaN ... */
	const struct fx_node *inf; /* ... or infinities that are a fault ... */
	const struct fx_node *meant; /* ... or that were meant */
	const char *nan_parameter;
	const char *inf_parameter;
	size_t unseen;
};

static enum fx_nonfinite_origin origin_of(struct fx_nonfinite_look *look,
	const struct fx_activation *place, const struct fx_node *node,
	int depth);

/* The node that is to answer for what INPUT held: INPUT, or what wrote into it
 * in place after it.
 */
static const struct fx_node *
maker_of(const struct fx_node *input, const struct state *state)
{
	return state->writer && fx_node_is_before(input, state->writer)
		       ? state->writer
		       : input;
}

static void
read_inputs(struct fx_nonfinite_look *look, const struct fx_activation *place,
	const struct fx_node *node, int depth, struct read *read)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_node *input = fx_node_input(node, i);
		struct state state = state_at(look, place, input, node);
		const struct fx_node *maker = maker_of(input, &state);

		read->unseen += state.is_unseen;
		if (state.count.nan && !read->nan)
			read->nan = maker;
		if (state.count.nan || !state.count.inf)
			continue;
		if (depth < DEPTH_LIMIT &&
			origin_of(look, place, maker, depth + 1) !=
				FX_NONFINITE_MEANT)
			read->inf = read->inf ? read->inf : maker;
		else
			read->meant = read->meant ? read->meant : maker;
	}
}

static void
read_tensor(struct fx_nonfinite_look *look, const struct fx_node *node,
	const struct fx_tensor *tensor, const char *path, struct read *read)
{
	struct fx_backend *backend = look->model->backend;
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err =
		backend->ops->from_tensor(backend, tensor, &datum);
	struct state state;

	fx_error_free(err);
	if (err || !datum)
		return;
	state = state_of(look, datum, NULL, effects_from(look, node, false));
	if (state.count.nan && !read->nan_parameter)
		read->nan_parameter = path;
	else if (state.count.inf && !read->inf_parameter)
		read->inf_parameter = path;
}

/* The parameters and buffers of the module that NODE calls, however deep. */
static void
read_module(struct fx_nonfinite_look *look, const struct fx_node *node,
	struct read *read)
{
	struct fx_module *module =
		node->opcode == FX_OPCODE_CALL_MODULE
			? fx_module_find(node->graph->module, node->target)
			: NULL;
	struct fx_module_walk *walk;
	const char *path;

	if (!module || !fx_module_has_tensors(module))
		return;
	walk = fx_module_walk_new(module, true);
	while (fx_module_walk_next(walk, &module, &path)) {
		const char *whole = *path ? fx_module_path(node->target, path)
					  : node->target;

		for (size_t i = 0; i < module->member_count; i++)
			if (module->members[i].tensor)
				read_tensor(look, node,
					module->members[i].tensor,
					fx_module_path(whole,
						module->members[i].name),
					read);
	}
	fx_module_walk_free(walk);
}

/* --- the answer ---------------------------------------------------------- */

static bool
is_given(struct fx_nonfinite_look *look, const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_PLACEHOLDER ||
	       node->opcode == FX_OPCODE_GET_ATTR ||
	       fx_run_given(look->model->run, node->id);
}

static enum fx_nonfinite_origin
decide_nan(struct fx_nonfinite *found, const struct read *read)
{
	found->from = read->nan;
	if (found->from)
		return FX_NONFINITE_PROPAGATED;
	found->parameter = read->nan_parameter;
	if (found->parameter)
		return FX_NONFINITE_PROPAGATED;
	found->from = read->inf ? read->inf : read->meant;
	if (!found->from)
		found->parameter = read->inf_parameter;
	return found->from || found->parameter ? FX_NONFINITE_OF_INF
					       : FX_NONFINITE_PRODUCED;
}

static enum fx_nonfinite_origin
decide_inf(struct fx_nonfinite *found, const struct read *read)
{
	found->from = read->nan ? read->nan : read->inf;
	if (!found->from)
		found->parameter = read->nan_parameter ? read->nan_parameter
						       : read->inf_parameter;
	if (found->from || found->parameter)
		return FX_NONFINITE_PROPAGATED;
	return read->meant || fx_nonfinite_fills(found->node)
		       ? FX_NONFINITE_MEANT
		       : FX_NONFINITE_PRODUCED;
}

static void
decide(struct fx_nonfinite_look *look, const struct fx_activation *place,
	int depth, struct fx_nonfinite *found)
{
	const struct fx_node *node = found->node;
	struct read read = { .nan = NULL };

	if (is_given(look, node)) {
		found->origin =
			!found->count.nan && fx_nonfinite_may_hold_inf(node)
				? FX_NONFINITE_MEANT
				: FX_NONFINITE_GIVEN;
		return;
	}
	read_inputs(look, place, node, depth, &read);
	read_module(look, node, &read);
	found->unseen = read.unseen;
	found->origin = found->count.nan ? decide_nan(found, &read)
					 : decide_inf(found, &read);
}

static bool
see(struct fx_nonfinite_look *look, const struct fx_activation *place,
	const struct fx_node *node, int depth, struct fx_nonfinite *ret)
{
	struct state state = state_at(look, place, node, NULL);

	*ret = (struct fx_nonfinite){ .node = node, .count = state.count };
	if (state.count.nan || state.count.inf)
		decide(look, place, depth, ret);
	fx_map_set(&look->origins, (uintptr_t)node->id, ret->origin);
	return ret->origin != FX_NONFINITE_NONE;
}

static enum fx_nonfinite_origin
origin_of(struct fx_nonfinite_look *look, const struct fx_activation *place,
	const struct fx_node *node, int depth)
{
	struct fx_nonfinite found;

	if (!fx_map_has(&look->origins, (uintptr_t)node->id))
		see(look, place, node, depth, &found);
	return (enum fx_nonfinite_origin)fx_map_get(&look->origins,
		(uintptr_t)node->id, FX_NONFINITE_NONE);
}

bool
fx_nonfinite_see(struct fx_nonfinite_look *look,
	const struct fx_activation *place, const struct fx_node *node,
	struct fx_nonfinite *ret)
{
	*ret = (struct fx_nonfinite){ .node = node };
	if (!look->model->backend->ops->has_values)
		return false;
	learn_effects(look);
	return see(look, place, node, 0, ret);
}

bool
fx_nonfinite_is_result(struct fx_model *model)
{
	const struct fx_activation *place =
		fx_run_activation_of(model->run, model->graph);
	const struct fx_node *output = fx_graph_output(model->graph);

	return place && output && fx_model_is_nonfinite(model, place, output);
}

bool
fx_nonfinite_first(struct fx_model *model, struct fx_nonfinite *ret)
{
	FX_AUTO_NONFINITE_LOOK struct fx_nonfinite_look look = {
		.model = model
	};
	const struct fx_activation *place =
		fx_run_activation_of(model->run, model->graph);
	struct fx_node *node;

	if (!place)
		return false;
	fx_graph_for_each_node (node, model->graph) {
		if (!fx_activation_is_above(place, node))
			return false;
		if (fx_nonfinite_see(&look, place, node, ret) &&
			ret->origin != FX_NONFINITE_MEANT)
			return true;
	}
	return false;
}

bool
fx_nonfinite_is_meant(struct fx_model *model, const struct fx_node *node)
{
	FX_AUTO_NONFINITE_LOOK struct fx_nonfinite_look look = {
		.model = model
	};
	const struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);
	struct fx_nonfinite found;

	return place && fx_nonfinite_see(&look, place, node, &found) &&
	       found.origin == FX_NONFINITE_MEANT;
}
