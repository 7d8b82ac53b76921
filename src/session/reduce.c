/* reduce.c - the smallest graph that fails as a graph does. */
#include <config.h>

#include "session/reduce.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ir/clone.h"
#include "ir/control.h"
#include "ir/graph.h"
#include "ir/side_effects.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/plan.h"
#include "session/capture.h"
#include "session/reduce_private.h"
#include "session/session_private.h"
#include "session/verify_private.h"

void
fx_reduction_deinit(struct fx_reduction *reduction)
{
	fx_graph_free(reduction->graph);
	free(reduction->what);
	*reduction = (struct fx_reduction){ .graph = NULL };
}

void
fx_reducing_deinit(struct fx_reducing *reducing)
{
	fx_failing_deinit(&reducing->failing);
	fx_env_deinit(&reducing->kept);
	fx_cut_deinit(&reducing->cut);
	fx_datum_unref(reducing->expected);
	for (size_t i = 0; i < reducing->input_count; i++)
		fx_datum_unref(reducing->inputs[i]);
	free(reducing->inputs);
}

/* --- from the failing node upwards --------------------------------------- */

static bool
is_call(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_CALL_FUNCTION ||
	       node->opcode == FX_OPCODE_CALL_METHOD ||
	       node->opcode == FX_OPCODE_CALL_MODULE;
}

/* Take CUT as the smallest so far, if it fails. */
static bool
try_cut(struct fx_reducing *r, const struct fx_cut *cut)
{
	if (!fx_reduce_fails(r, cut))
		return false;
	fx_cut_copy(&r->cut, cut);
	r->has_cut = true;
	return true;
}

/* The nodes that are at most STEPS edges above the failing one; false when
 * there are none beyond.
 */
static bool
cut_around(const struct fx_reducing *r, size_t steps, struct fx_cut *cut)
{
	FX_VEC(struct fx_node *) edge = { 0 };
	bool has_more = true;

	if (is_call(r->failing.node))
		fx_bitset_add(&cut->nodes, (uint32_t)r->failing.node->id);
	fx_vec_push(&edge, r->failing.node);
	for (size_t begin = 0; steps-- && has_more;) {
		size_t end = edge.count;

		has_more = false;
		for (; begin < end; begin++)
			for (size_t i = 0;
				i < fx_node_input_count(edge.items[begin]);
				i++) {
				struct fx_node *input =
					fx_node_input(edge.items[begin], i);

				if (!is_call(input) ||
					fx_bitset_has(&cut->nodes,
						(uint32_t)input->id))
					continue;
				fx_bitset_add(&cut->nodes, (uint32_t)input->id);
				fx_vec_push(&edge, input);
				has_more = true;
			}
	}
	fx_vec_deinit(&edge);
	return has_more;
}

/* All that runs before the failing node. */
static void
cut_before(const struct fx_reducing *r, struct fx_cut *cut)
{
	struct fx_node *node = r->failing.node;

	for (; node; node = fx_graph_previous(node))
		if (is_call(node))
			fx_bitset_add(&cut->nodes, (uint32_t)node->id);
}

static bool
widen(struct fx_reducing *r)
{
	bool has_more = true;

	for (size_t steps = 0; has_more; steps = 2 * steps + 1) {
		FX_AUTO_CUT struct fx_cut cut = { .dropped = 0 };

		has_more = cut_around(r, steps, &cut) || !steps;
		if (try_cut(r, &cut))
			return true;
	}
	cut_before(r, &r->cut);
	r->has_cut = fx_reduce_fails(r, &r->cut);
	return r->has_cut;
}

/* --- and down again ------------------------------------------------------ */

/* Leave in CUT what the failing node depends on, and what may do more than
 * compute.
 */
static void
prune(const struct fx_reducing *r, struct fx_cut *cut)
{
	FX_AUTO_BITSET struct fx_bitset alive = { 0 };
	struct fx_node *node = r->failing.node;

	fx_bitset_add(&alive, (uint32_t)node->id);
	for (; node; node = fx_graph_previous(node)) {
		uint32_t id = (uint32_t)node->id;

		if (!fx_bitset_has(&cut->nodes, id))
			continue;
		if (fx_side_effects(node))
			fx_bitset_add(&alive, id);
		if (!fx_bitset_has(&alive, id)) {
			fx_bitset_remove(&cut->nodes, id);
			continue;
		}
		for (size_t i = 0; i < fx_node_input_count(node); i++)
			fx_bitset_add(&alive,
				(uint32_t)fx_node_input(node, i)->id);
	}
}

/* Try without the COUNT ids at IDS: the values of their nodes are given. */
static bool
try_without(struct fx_reducing *r, const uint32_t *ids, size_t count)
{
	FX_AUTO_CUT struct fx_cut cut = { .dropped = 0 };

	fx_cut_copy(&cut, &r->cut);
	for (size_t i = 0; i < count; i++)
		fx_bitset_remove(&cut.nodes, ids[i]);
	prune(r, &cut);
	return try_cut(r, &cut);
}

/* The ids of the smallest cut but for the failing node's, in order. */
static uint32_t *
list_ids(const struct fx_reducing *r, size_t *count_ret)
{
	uint32_t *ids = fx_xcalloc(r->source->node_count + 1, sizeof(*ids));
	struct fx_node *node;

	*count_ret = 0;
	fx_graph_for_each_node (node, r->source)
		if (node != r->failing.node &&
			fx_bitset_has(&r->cut.nodes, (uint32_t)node->id))
			ids[(*count_ret)++] = (uint32_t)node->id;
	return ids;
}

/* Without parts of SIZE nodes, each once; whether one could go. */
static bool
drop_parts(struct fx_reducing *r, size_t size)
{
	size_t count;
	FX_AUTO_FREE uint32_t *ids = list_ids(r, &count);
	bool has_dropped = false;

	for (size_t at = 0; at < count && !r->stopped; at += size)
		if (fx_bitset_has(&r->cut.nodes, ids[at]) || size > 1)
			has_dropped |= try_without(r, ids + at,
				FX_MIN(size, count - at));
	return has_dropped;
}

static void
drop_nodes(struct fx_reducing *r)
{
	size_t size = fx_bitset_count(&r->cut.nodes);

	while (size > 1 && !r->stopped) {
		size = (size + 1) / 2;
		while (drop_parts(r, size))
			;
	}
}

static bool
is_same_shape(const struct fx_reducing *r, const struct fx_node *a,
	const struct fx_node *b)
{
	const struct fx_datum *values[] = { fx_env_get(&r->kept, a->id),
		fx_env_get(&r->kept, b->id) };
	struct fx_extent extents[2];

	for (int i = 0; i < 2; i++) {
		FX_AUTO_ERROR struct fx_error *err = NULL;

		if (!values[i] || values[i]->kind != FX_DATUM_TENSOR)
			return false;
		err = fx_extent_of(values[i], &extents[i]);
		if (err)
			return false;
	}
	return extents[0].dtype == extents[1].dtype &&
	       fx_extent_same_sizes(&extents[0], &extents[1]);
}

/* Give NODE's users an input of it, of the same shape, in its place. */
static bool
bypass(struct fx_reducing *r, struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_node *input = fx_node_input(node, i);
		FX_AUTO_CUT struct fx_cut cut = { .dropped = 0 };

		if (!is_same_shape(r, node, input))
			continue;
		fx_cut_copy(&cut, &r->cut);
		fx_map_set(&cut.bypassed, (uint32_t)node->id, (uintptr_t)input);
		if (try_cut(r, &cut))
			return true;
	}
	return false;
}

static void
bypass_nodes(struct fx_reducing *r)
{
	struct fx_node *node = r->failing.node;

	while ((node = fx_graph_previous(node)) && !r->stopped)
		if (fx_bitset_has(&r->cut.nodes, (uint32_t)node->id))
			bypass(r, node);
}

/* Try without item AT of the lists that the failing node is given. */
static void
drop_item(struct fx_reducing *r, size_t at)
{
	FX_AUTO_CUT struct fx_cut cut = { .dropped = 0 };

	if (at >= FX_CUT_ITEMS || r->stopped)
		return;
	fx_cut_copy(&cut, &r->cut);
	cut.dropped |= (uint64_t)1 << at;
	try_cut(r, &cut);
}

/* Lists of nodes get shorter; numbers in them mean something by their places.
 */
static void
drop_items(struct fx_reducing *r)
{
	const struct fx_value *args = &r->failing.node->args;
	size_t at = 0;

	for (uint32_t i = 0; i < args->count; i++) {
		const struct fx_value *list = &args->items[i];

		if (list->kind != FX_VALUE_LIST && list->kind != FX_VALUE_TUPLE)
			continue;
		for (uint32_t k = 0; k < list->count; k++, at++)
			if (list->items[k].kind == FX_VALUE_NODE)
				drop_item(r, at);
	}
}

static void
shrink(struct fx_reducing *r)
{
	/* What it should give would be another value. */
	if (r->failing.kind == FX_FAILING_VALUE)
		return;
	drop_nodes(r);
	bypass_nodes(r);
	drop_items(r);
}

/* --- into the graphs that a node runs ------------------------------------ */

static FX_NODISCARD struct fx_error *
add_argument(struct fx_reducing *inner, const struct fx_reducing *r,
	const struct fx_value *value)
{
	return fx_plan_argument(&r->kept, value,
		&inner->inputs[inner->input_count++]);
}

/* What NODE, which failed, gives GRAPH, which it runs. */
static FX_NODISCARD struct fx_error *
take_arguments(struct fx_reducing *inner, const struct fx_reducing *r,
	const struct fx_node *node)
{
	static const size_t operands[] = { FX_LOOP_CARRIED, FX_LOOP_ADDITIONAL,
		FX_BRANCH_OPERANDS };
	size_t begin = fx_control_loops(node) ? 0 : 2;
	size_t end = fx_control_loops(node) ? 2 : 3;
	size_t room = inner->source->node_count + 64;
	struct fx_error *err = NULL;

	inner->inputs = fx_xcalloc(room, sizeof(*inner->inputs));
	for (size_t i = fx_control_own_count(node);
		!fx_control_is(node) && i < node->args.count && !err; i++)
		if (inner->input_count < room)
			err = add_argument(inner, r, &node->args.items[i]);
	for (size_t k = begin; fx_control_is(node) && k < end; k++) {
		const struct fx_value *list =
			fx_control_argument(node, operands[k]);
		size_t count = list ? fx_value_item_count(list) : 0;

		for (size_t i = 0; i < count && !err; i++)
			if (inner->input_count < room)
				err = add_argument(inner, r, &list->items[i]);
	}
	return err;
}

static FX_NODISCARD struct fx_error *reduce_one(struct fx_reducing *r,
	struct fx_built *best);

/* Where the failing node runs a graph that fails alike, that is reduced. */
static FX_NODISCARD struct fx_error *
go_inside(struct fx_reducing *r, struct fx_built *best, bool *ret)
{
	struct fx_graph *graphs[2];
	size_t count = fx_control_graphs(r->failing.node, graphs);
	struct fx_error *err = NULL;

	*ret = false;
	for (size_t i = 0; i < count && !*ret && !err; i++) {
		FX_AUTO_REDUCING struct fx_reducing inner = {
			.session = r->session,
			.backend = r->backend,
			.options = r->options,
			.ticker = r->ticker,
			.source = graphs[i],
			.tries = r->tries,
			.end = r->end,
		};

		if (!graphs[i] || r->failing.kind == FX_FAILING_VALUE)
			continue;
		fx_error_free(take_arguments(&inner, r, r->failing.node));
		err = fx_reduce_observe(&inner);
		if (err || !fx_failing_is_alike(&inner.failing, &r->failing))
			continue;
		err = reduce_one(&inner, best);
		*ret = !err && inner.has_cut;
		r->stopped = inner.stopped;
	}
	return err;
}

/* What R observed is reduced to *BEST, if it fails again. */
static struct fx_error *
reduce_one(struct fx_reducing *r, struct fx_built *best)
{
	bool is_inside = false;
	struct fx_error *err = NULL;

	if (!r->has_cut && !widen(r))
		return NULL;
	shrink(r);
	if (!r->stopped)
		err = go_inside(r, best, &is_inside);
	if (err || is_inside)
		return err;
	fx_built_deinit(best);
	fx_reduce_build(r, &r->cut, best);
	return fx_reduce_finish(r, best);
}

/* --- a model ------------------------------------------------------------- */

/* The values of MODEL's inputs; where there are only shapes, none. */
static FX_NODISCARD struct fx_error *
get_inputs(struct fx_model *model, struct fx_backend *backend,
	struct fx_trial_inputs *ret)
{
	FX_VEC(uint64_t) ids = { 0 };
	struct fx_trial_wish wish = {
		.model = model, .backend = backend, .graph = model->graph
	};
	struct fx_error *err = NULL;
	const struct fx_node *node;

	fx_graph_for_each_node (node, model->graph)
		if (node->opcode == FX_OPCODE_PLACEHOLDER)
			fx_vec_push(&ids, node->id);
	wish.ids = ids.items;
	*ret = (struct fx_trial_inputs){ .count = 0 };
	if (backend->ops->has_values)
		err = fx_trial_inputs_make(&wish, ret);
	fx_vec_deinit(&ids);
	return err;
}

static FX_NODISCARD struct fx_error *
check_memory(const struct fx_model *model)
{
	uint64_t bytes = 0;
	const struct fx_node *node;

	fx_graph_for_each_node (node, model->graph)
		if (node->meta)
			bytes += fx_value_tensor_bytes(node->meta);
	return fx_check_bytes("keeping the values of a graph takes", bytes);
}

/* Run R's graph, and see what fails. */
static FX_NODISCARD struct fx_error *
observe(struct fx_reducing *r, struct fx_model *model)
{
	struct fx_model *other = r->options->against;
	struct fx_trial_inputs inputs;
	struct fx_error *err = get_inputs(model, r->backend, &inputs);

	if (err)
		return err;
	r->inputs = inputs.items;
	r->input_count = inputs.count;
	if (!other)
		return fx_reduce_observe(r);
	return fx_reduce_observe_other(r, other->graph, r->inputs,
		r->input_count);
}

/* R was stopped before WHAT. */
static FX_NODISCARD struct fx_error *
stopped_before(const struct fx_reducing *r, const char *what)
{
	return fx_error_new(r->ticker->stopped ? FX_ERR_INTERRUPTED
					       : FX_ERR_LIMIT,
		"stopped by %s before %s", r->stopped, what);
}

static FX_NODISCARD struct fx_error *
no_failure(const struct fx_reducing *r, const struct fx_model *model)
{
	if (r->stopped)
		return stopped_before(r, "a failure was seen");
	if (r->options->against)
		return fx_error_new(FX_ERR_CHECK,
			"%s gives what %s gives, node by node", model->name,
			r->options->against->name);
	if (r->options->node)
		return fx_error_new(FX_ERR_CHECK, "%%%s is finite",
			r->options->node->name);
	if (!r->backend->ops->has_values)
		return fx_error_new(FX_ERR_CHECK,
			"%s does not fail: its shapes fit", model->name);
	return fx_error_hint(fx_error_new(FX_ERR_CHECK,
				     "%s does not fail: it runs, and its "
				     "output is finite",
				     model->name),
		"reduce --against GRAPH looks for a value that is another");
}

static FX_NODISCARD struct fx_error *
reduce_model(struct fx_reducing *r, struct fx_model *model,
	struct fx_reduction *ret)
{
	FX_AUTO_BUILT struct fx_built best = { .graph = NULL };
	FX_AUTO_BUF struct fx_buf what = { 0 };
	bool is_steady = true;
	const struct fx_node *infinite;
	struct fx_error *err = observe(r, model);

	if (!err && !r->failing.kind)
		err = no_failure(r, model);
	if (!err && r->failing.kind != FX_FAILING_VALUE)
		err = fx_reduce_is_steady(r, &is_steady);
	if (!err)
		err = reduce_one(r, &best);
	if (err)
		return err;
	fx_failing_print(&what, &r->failing);
	if (!best.graph && r->stopped) {
		return fx_error_note(stopped_before(r, "a part failed alike"),
			"%s", fx_buf_text(&what));
	}
	if (!best.graph)
		return fx_error_new(FX_ERR_CHECK,
			"%s: it does not fail alike when it runs again",
			fx_buf_text(&what));
	if (best.failing && best.failing->name != r->failing.node->name)
		fx_buf_addf(&what, " (in it, %%%s does)", best.failing->name);
	ret->graph = FX_TAKE(best.graph);
	ret->what = fx_buf_take(&what);
	ret->kind = r->failing.kind;
	ret->is_nan = r->failing.is_nan;
	infinite = fx_reduce_find_infinite(r);
	ret->infinite = infinite ? infinite->name : NULL;
	ret->node = best.failing ? best.failing->name : "";
	ret->comes_and_goes = !is_steady;
	ret->stopped = r->stopped;
	return NULL;
}

struct fx_error *
fx_reduce(struct fx_session *session, struct fx_model *model,
	const struct fx_reduce_options *options, struct fx_reduction *ret)
{
	struct fx_ticker ticker;
	struct fx_reducing r = { .session = session,
		.options = options,
		.ticker = &ticker,
		.source = model->graph,
		.tries = &ret->tries };
	FX_AUTO_FREE char *skipped = NULL;
	FX_AUTO_FREE char *why = NULL;
	bool is_own = false;
	struct fx_error *err = fx_session_need_room(session);

	*ret = (struct fx_reduction){ .nodes_before =
					      model->graph->node_count };
	fx_session_init_ticker(session, &ticker);
	r.end = fx_clock_ms() + (long long)(options->seconds * 1000);
	if (!err && !model->run->activations.count)
		err = fx_model_choose_backend(session, model);
	if (!err)
		err = check_memory(model);
	if (!err)
		err = fx_model_fetch_weights(model, &skipped);
	if (err)
		return err;
	if (!model->backend->ops->has_values &&
		(options->node || options->against)) {
		why = fx_model_why_no_values(model);
		return fx_error_new(FX_ERR_NOT_KNOWN, "%s", why);
	}
	if (options->isolate && model->backend == model->python)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"--isolate: Python runs it, in a process of its own");
	fx_model_ready_backend(model);
	err = fx_model_trial_backend(model, &r.backend, &is_own);
	if (err)
		return err;
	err = reduce_model(&r, model, ret);
	fx_reducing_deinit(&r);
	if (is_own)
		fx_backend_free(r.backend);
	return err;
}

struct fx_model *
fx_reduction_open(struct fx_session *session, const struct fx_model *model,
	struct fx_reduction *reduction, const struct fx_opening *as)
{
	struct fx_graph *copy = fx_graph_clone(reduction->graph,
		fx_session_serial(session), NULL);
	struct fx_model *opened;

	copy->origin = NULL;
	opened = fx_session_add_graph(session, copy, as->name, as->line);
	fx_model_descend(opened, model);
	return opened;
}
