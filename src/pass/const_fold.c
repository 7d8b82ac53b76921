/* const_fold.c - what does not depend on inputs, computed once.
 *
 * A call that only computes, of parameters, buffers and constants alone, always
 * gives the same.  All such calls run once, when the pass begins; the last
 * ones, which others read, become buffers, or constants where they give plain
 * values. A node that becomes a buffer stays the node that it was.
 *
 * What is written somewhere is not constant.  A result over the limit is not
 * kept: then its inputs are the last ones.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/edit.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "ir/value_walk.h"
#include "ir/written.h"
#include "pass/pure.h"
#include "pass/sweep.h"
#include "run/datum.h"
#include "run/trial.h"
#include "run/values.h"

/* Results in between may be so large. */
#define COMPUTED_LIMIT ((uint64_t)1 << 30)

struct state {
	struct fx_sweep sweep; /* first */
	struct fx_written written;
	struct fx_map constant; /* node -> 1 */
	struct fx_map last;     /* of them, those that become buffers */
	struct fx_env values;
	uint64_t limit;
	const struct fx_node *failed; /* in the last run, or NULL */
};

extern const struct fx_pass fx_pass_const_fold;

/* --- which --------------------------------------------------------------- */

static bool
is_constant(const struct state *state, const struct fx_node *node)
{
	return fx_map_has(&state->constant, (uintptr_t)node);
}

static bool
has_values(const struct fx_node *node)
{
	const struct fx_tensor *tensor =
		fx_module_find_tensor(node->graph->module, node->target);

	return tensor && tensor->storage && tensor->storage->blob;
}

/* Whether NODE gives the same in every run, if its inputs do. */
static bool
is_candidate(const struct state *state, const struct fx_node *node)
{
	if (!fx_is_pure(node) || fx_written_touches(&state->written, node))
		return false;
	if (node->opcode == FX_OPCODE_GET_ATTR)
		return has_values(node);
	return !node->meta || fx_value_tensor_bytes(node->meta) <=
				      FX_MAX(state->limit, COMPUTED_LIMIT);
}

static bool
has_constant_inputs(const struct state *state, const struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (!is_constant(state, fx_node_input(node, i)))
			return false;
	return true;
}

/* False if no call is constant. */
static bool
find_constants(struct state *state, struct fx_graph *graph)
{
	struct fx_node *node;
	bool has_call = false;

	fx_graph_for_each_node (node, graph) {
		if (!is_candidate(state, node) ||
			!has_constant_inputs(state, node))
			continue;
		fx_map_set(&state->constant, (uintptr_t)node, 1);
		has_call |= node->opcode != FX_OPCODE_GET_ATTR;
	}
	return has_call;
}

/* NODE is not constant after all, nor what depends on it. */
static void
forget(struct state *state, const struct fx_node *node)
{
	const struct fx_use *use;

	fx_map_erase(&state->constant, (uintptr_t)node);
	fx_env_drop(&state->values, node->id);
	fx_node_for_each_user (use, node)
		if (is_constant(state, use->user))
			forget(state, use->user);
}

/* --- their values -------------------------------------------------------- */

static enum fx_answer
skip_others(void *context, struct fx_interp *interp, struct fx_node *node)
{
	const struct state *state = context;

	(void)interp;
	return is_constant(state, node) ? FX_ANSWER_GO : FX_ANSWER_SKIP;
}

static void
note_failure(void *context, struct fx_interp *interp, struct fx_node *node,
	const struct fx_error *err)
{
	struct state *state = context;

	(void)interp;
	(void)err;
	state->failed = node;
}

static FX_NODISCARD struct fx_error *
run_constants(struct state *state, struct fx_graph *graph,
	const struct fx_pass_world *world)
{
	const struct fx_observer observer = {
		.context = state, .before = skip_others, .error = note_failure
	};
	const struct fx_trial trial = { .graph = graph,
		.backend = world->backend,
		.ticker = world->ticker,
		.observers = &observer,
		.observer_count = 1 };

	state->failed = NULL;
	fx_env_clear(&state->values);
	return fx_trial_run(&trial, &state->values, NULL);
}

/* Whether DATUM can stand in a graph: one tensor, or a plain value. */
static bool
is_foldable(const struct state *state, const struct fx_datum *datum)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_extent extent;

	if (!datum)
		return false;
	if (datum->kind == FX_DATUM_VALUE)
		return !datum->has_held &&
		       datum->value.kind != FX_VALUE_UNKNOWN;
	if (datum->kind != FX_DATUM_TENSOR || !fx_values_known(datum))
		return false;
	err = fx_extent_of(datum, &extent);
	return !err &&
	       extent.count * fx_dtype_info(extent.dtype)->size <= state->limit;
}

/* Users before inputs: what somebody reads who is not folded himself. */
static void
find_last(struct state *state, struct fx_graph *graph)
{
	FX_AUTO_MAP struct fx_map folded = { 0 }; /* or read by such alone */
	struct fx_node *node = fx_graph_last(graph);

	for (; node; node = fx_graph_previous(node)) {
		bool is_read = false;
		const struct fx_use *use;

		if (!is_constant(state, node) ||
			node->opcode == FX_OPCODE_GET_ATTR)
			continue;
		fx_node_for_each_user (use, node)
			is_read |= !fx_map_has(&folded, (uintptr_t)use->user);
		if (is_read && !is_foldable(state,
				       fx_env_get(&state->values, node->id)))
			continue;
		fx_map_set(&folded, (uintptr_t)node, 1);
		if (is_read)
			fx_map_set(&state->last, (uintptr_t)node, 1);
	}
}

/* --- begin and end ------------------------------------------------------- */

static void
fold_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	fx_sweep_end(&state->sweep);
	fx_written_deinit(&state->written);
	fx_map_deinit(&state->constant);
	fx_map_deinit(&state->last);
	fx_env_deinit(&state->values);
	free(state);
}

static struct fx_error *
fold_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);
	struct fx_error *err = NULL;

	ctx->state = state;
	state->limit = (uint64_t)fx_pass_option_int(ctx, "limit");
	fx_sweep_begin(&state->sweep, graph);
	fx_written_find(&state->written, graph);
	if (!find_constants(state, graph))
		return NULL;
	/* What cannot run is left to who runs the graph. */
	while ((err = run_constants(state, graph, ctx->world)) &&
		state->failed && fx_error_code(err) != FX_ERR_INTERRUPTED) {
		fx_error_free(err);
		forget(state, state->failed);
	}
	if (err)
		fold_close(graph, ctx);
	else
		find_last(state, graph);
	return err;
}

/* --- candidates ---------------------------------------------------------- */

static void
offer(struct state *state, const struct fx_node *node, struct fx_candidate *ret)
{
	const struct fx_datum *datum = fx_env_get(&state->values, node->id);
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_value value = fx_datum_to_value(arena, datum);

	fx_value_print_shape(&text, &value, false);
	if (datum->kind == FX_DATUM_TENSOR)
		fx_buf_addf(&text, ", %" PRIu64 " bytes more",
			fx_value_tensor_bytes(&value));
	fx_sweep_offer(&state->sweep, node, ret, "fold %%%s: %s", node->name,
		fx_buf_text(&text));
}

static bool
fold_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;
	struct fx_node *node;

	(void)graph;
	while ((node = fx_sweep_next(&state->sweep))) {
		if (!fx_map_has(&state->last, (uintptr_t)node))
			continue;
		offer(state, node, ret);
		return true;
	}
	return false;
}

/* --- edits --------------------------------------------------------------- */

static const char *
free_path(struct fx_graph *graph, const char *name)
{
	const char *found = fx_intern_format("folded_%s", name);

	for (int i = 1; fx_module_member(graph->module, found); i++)
		found = fx_intern_format("folded_%s_%d", name, i);
	return found;
}

/* The strides of DATUM, of EXTENT, where its elements fill their storage in
 * another order than by rows; NULL where they lie by rows or have gaps.
 */
static const int64_t *
find_strides(struct fx_arena *arena, const struct fx_datum *datum,
	const struct fx_extent *extent)
{
	const struct fx_value *strides = fx_datum_meta(arena, datum)->strides;
	int64_t *found = FX_ARENA_ARRAY(arena, int64_t, extent->rank + 1);
	uint64_t reach = 1;
	int64_t step = 1;
	bool is_by_rows = true;

	for (uint32_t i = extent->rank; strides && i-- > 0;) {
		if (strides[i].kind != FX_VALUE_INT || strides[i].integer <= 0)
			return NULL;
		found[i] = strides[i].integer;
		reach += (uint64_t)(extent->sizes[i] - 1) * (uint64_t)found[i];
		is_by_rows &= extent->sizes[i] == 1 || found[i] == step;
		step *= extent->sizes[i];
	}
	return strides && !is_by_rows && reach == extent->count ? found : NULL;
}

/* Move the elements of *BLOB, of EXTENT and by rows, to where STRIDES say. */
static FX_NODISCARD struct fx_error *
lay_out(const struct fx_extent *extent, const int64_t *strides,
	struct fx_blob **blob)
{
	size_t size = fx_dtype_info(extent->dtype)->size;
	const char *from = fx_blob_data(*blob);
	struct fx_blob *laid;
	struct fx_error *err = fx_blob_new(fx_blob_size(*blob), &laid);

	if (err)
		return err;
	for (uint64_t i = 0; i < extent->count; i++) {
		int64_t index[FX_RANK_LIMIT];
		size_t at = 0;

		fx_extent_unravel(extent, i, index);
		for (uint32_t k = 0; k < extent->rank; k++)
			at += (size_t)(index[k] * strides[k]);
		memcpy((char *)fx_blob_data(laid) + at * size, from + i * size,
			size);
	}
	fx_blob_unref(*blob);
	*blob = laid;
	return NULL;
}

/* A kernel may round otherwise for a tensor that lies otherwise, so that the
 * buffer keeps the strides of what was computed.
 */
static FX_NODISCARD struct fx_error *
make_buffer(struct fx_graph *graph, const struct fx_datum *datum,
	const char *path)
{
	const int64_t *strides;
	struct fx_storage *storage;
	struct fx_tensor *tensor;
	struct fx_extent extent;
	struct fx_blob *blob;
	struct fx_error *err = fx_values_read_all(datum, &extent, &blob);

	if (err)
		return err;
	strides = find_strides(graph->permanent, datum, &extent);
	if (strides)
		err = lay_out(&extent, strides, &blob);
	if (err) {
		fx_blob_unref(blob);
		return err;
	}
	storage = fx_storage_new(blob);
	tensor = fx_tensor_new(graph, extent.dtype, extent.sizes, extent.rank,
		storage);
	fx_storage_unref(storage);
	tensor->strides = strides;
	tensor->is_buffer = true;
	tensor->is_persistent = true;
	return fx_edit_bind_tensor(graph, path, tensor);
}

/* Erase NODE and what only it needed, as far as it is constant. */
static FX_NODISCARD struct fx_error *
erase_unused(const struct state *state, struct fx_node *node)
{
	FX_VEC(struct fx_node *) todo = { 0 };
	struct fx_error *err = NULL;

	fx_vec_push(&todo, node);
	while (!err && todo.count) {
		struct fx_node *at = fx_vec_pop(&todo);

		if (!at->is_in_graph || at->user_count ||
			!is_constant(state, at))
			continue;
		for (size_t i = 0; i < fx_node_input_count(at); i++)
			fx_vec_push(&todo, fx_node_input(at, i));
		err = fx_edit_erase(at);
	}
	fx_vec_deinit(&todo);
	return err;
}

/* NODE reads the buffer at PATH, and no longer what it was computed from. */
static FX_NODISCARD struct fx_error *
become_buffer(const struct state *state, struct fx_node *node, const char *path)
{
	FX_VEC(struct fx_node *) inputs = { 0 };
	struct fx_error *err;

	for (size_t i = 0; i < fx_node_input_count(node); i++)
		fx_vec_push(&inputs, fx_node_input(node, i));
	err = fx_edit_set_args(node, fx_value_none(), fx_value_none());
	if (!err)
		err = fx_edit_set_opcode(node, FX_OPCODE_GET_ATTR, path);
	for (size_t i = 0; i < inputs.count && !err; i++)
		err = erase_unused(state, inputs.items[i]);
	fx_vec_deinit(&inputs);
	return err;
}

static struct fx_error *
fold_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct state *state = ctx->state;
	struct fx_node *node = fx_graph_find_id(graph, candidate->node);
	const struct fx_datum *datum = fx_env_get(&state->values, node->id);
	const char *path = free_path(graph, node->name);
	struct fx_value value;
	struct fx_error *err;

	if (datum->kind == FX_DATUM_TENSOR) {
		err = make_buffer(graph, datum, path);
		return err ? err : become_buffer(state, node, path);
	}
	value = fx_value_clone(graph->values, &datum->value);
	err = fx_edit_replace_uses(node, &value, NULL, NULL, NULL);
	return err ? err : erase_unused(state, node);
}

static const struct fx_pass_option options[] = {
	{ "limit", FX_PASS_OPTION_INT, "67108864",
		"bytes of the largest result that is kept", NULL },
	{ .name = NULL },
};

const struct fx_pass fx_pass_const_fold = {
	.name = "const-fold",
	.summary = "what depends on no input, computed once",
	.takes = options,
	.claim = FX_CLAIM_EXACT,
	.needs_weights = true,
	.computes = true,
	.open = fold_open,
	.close = fold_close,
	.plan = fold_plan,
	.apply = fold_apply,
};
