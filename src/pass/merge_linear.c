/* merge_linear.c - linear layers that read one node, as one layer.
 *
 * The three projections of an attention are three products with one matrix; one
 * product with the three weights below each other is faster, and its result is
 * split.  Each layer's node becomes the part that it gave and stays the node
 * that it was.  The pattern (ir/match.h) finds layers and calls of the
 * function, which are merged with their like.
 */
#include <config.h>

#include <stdlib.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/form.h"
#include "ir/match.h"
#include "ir/module.h"
#include "ir/written.h"
#include "pass/fold_weight.h"
#include "pass/layers.h"
#include "pass/sweep.h"

/* A linear call and what it reads. */
struct place {
	uint64_t node_id;
	uint64_t input_id;
};

/* The same, looked at. */
struct linear {
	struct fx_node *node;
	struct fx_node *input;
	const struct fx_tensor *weight;
	const struct fx_tensor *bias; /* or NULL */
	/* Of a function: where they come from. */
	struct fx_node *weight_node;
	struct fx_node *bias_node;
};

struct group {
	FX_VEC(struct linear) items;
};

struct state {
	struct fx_sweep sweep; /* first */
	struct fx_pattern *pattern;
	struct fx_forms *forms;
	struct fx_holders holders;
	struct fx_written written;
	FX_VEC(struct place) places; /* in graph order */
	size_t next;
	struct group offered;
	struct fx_map seen; /* nodes of groups that came up */
};

extern const struct fx_pass fx_pass_merge_linear;

/* --- begin and end ------------------------------------------------------- */

static void
merge_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	fx_sweep_end(&state->sweep);
	fx_pattern_free(state->pattern);
	fx_forms_free(state->forms);
	fx_holders_deinit(&state->holders);
	fx_written_deinit(&state->written);
	fx_vec_deinit(&state->places);
	fx_vec_deinit(&state->offered.items);
	fx_map_deinit(&state->seen);
	free(state);
}

static FX_NODISCARD struct fx_error *
find_places(struct state *state, struct fx_graph *graph)
{
	FX_AUTO_MATCHES struct fx_matches *matches = NULL;
	struct fx_error *err = fx_pattern_read("linear(x)", 0, &state->pattern);
	size_t input;

	if (!err)
		err = fx_matches_find(graph, state->pattern, NULL, &matches);
	if (err)
		return err;
	input = fx_pattern_slot(state->pattern, "x");
	for (size_t i = 0; i < fx_matches_count(matches); i++) {
		const struct fx_value *values = fx_matches_at(matches, i);
		const struct fx_node *node =
			values[fx_pattern_output(state->pattern, 0)].node;
		struct place place = { node->id, 0 };

		if (values[input].kind != FX_VALUE_NODE)
			continue;
		place.input_id = values[input].node->id;
		fx_vec_push(&state->places, place);
	}
	return NULL;
}

static struct fx_error *
merge_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);
	struct fx_error *err;

	ctx->state = state;
	state->forms = fx_forms_new();
	fx_holders_find(&state->holders, graph);
	fx_written_find(&state->written, graph);
	err = find_places(state, graph);
	if (err)
		merge_close(graph, ctx);
	return err;
}

/* --- which layers -------------------------------------------------------- */

/* The tensor that VALUE, an argument, reads; NULL: it is something else. */
static const struct fx_tensor *
read_tensor(const struct state *state, const struct fx_value *value,
	struct fx_node **node_ret)
{
	struct fx_node *node = value->node;

	if (value->kind != FX_VALUE_NODE ||
		node->opcode != FX_OPCODE_GET_ATTR ||
		fx_written_touches(&state->written, node))
		return NULL;
	*node_ret = node;
	return fx_module_find_tensor(node->graph->module, node->target);
}

/* The weight and bias of LINEAR's node, a function's. */
static bool
find_arguments(const struct state *state, struct linear *linear)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_form_call call = fx_form_call_of(linear->node);
	struct fx_form form;

	if (!fx_form_of(state->forms, arena, &call, &form) || form.count != 3)
		return false;
	linear->weight =
		read_tensor(state, &form.bound[1], &linear->weight_node);
	linear->bias = read_tensor(state, &form.bound[2], &linear->bias_node);
	return linear->weight &&
	       (linear->bias || form.bound[2].kind == FX_VALUE_NONE);
}

/* Whether what PLACE names is there and its numbers can be had. */
static bool
find_linear(const struct state *state, struct fx_graph *graph,
	const struct place *place, struct linear *ret)
{
	const struct fx_module *layer;

	*ret = (struct linear){ .node = fx_graph_find_id(graph, place->node_id),
		.input = fx_graph_find_id(graph, place->input_id) };
	if (!ret->node || !ret->input || !ret->node->is_in_graph ||
		!ret->input->is_in_graph ||
		fx_map_has(&state->seen, (uintptr_t)ret->node) ||
		fx_written_touches(&state->written, ret->node) ||
		fx_written_touches(&state->written, ret->input))
		return false;
	if (ret->node->opcode == FX_OPCODE_CALL_MODULE) {
		layer = fx_module_find(graph->module, ret->node->target);
		ret->weight = fx_layer_tensor(layer, "weight");
		ret->bias = fx_layer_tensor(layer, "bias");
	} else if (!find_arguments(state, ret)) {
		return false;
	}
	return ret->weight && ret->weight->rank == 2 &&
	       fx_dtype_info(ret->weight->dtype)->category ==
		       FX_DTYPE_CATEGORY_FLOAT &&
	       fx_tensor_numel(ret->weight) > 0 &&
	       fx_tensor_is_usable(ret->weight, ret->weight->dtype, 0) &&
	       (!ret->bias || (ret->bias->rank == 1 &&
				      fx_tensor_is_usable(ret->bias,
					      ret->weight->dtype,
					      ret->weight->sizes[0])));
}

static bool
is_alike(const struct linear *a, const struct linear *b)
{
	return a->input == b->input && a->node->opcode == b->node->opcode &&
	       a->weight->dtype == b->weight->dtype &&
	       a->weight->sizes[1] == b->weight->sizes[1] &&
	       !a->bias == !b->bias;
}

/* Whether GROUP has the product that LINEAR is: that is for cse. */
static bool
has_same(const struct group *group, const struct linear *linear)
{
	for (size_t i = 0; i < group->items.count; i++)
		if (group->items.items[i].weight == linear->weight)
			return true;
	return false;
}

/* The place INDEX and those behind it that are merged with it. */
static void
find_group(const struct state *state, struct fx_graph *graph, size_t index,
	struct group *ret)
{
	struct linear first;
	struct linear linear;

	if (!find_linear(state, graph, &state->places.items[index], &first))
		return;
	fx_vec_push(&ret->items, first);
	for (size_t i = index + 1; i < state->places.count; i++)
		if (state->places.items[i].input_id ==
				state->places.items[index].input_id &&
			find_linear(state, graph, &state->places.items[i],
				&linear) &&
			is_alike(&first, &linear) && !has_same(ret, &linear))
			fx_vec_push(&ret->items, linear);
}

static bool
merge_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;
	struct group *group = &state->offered;
	FX_AUTO_BUF struct fx_buf names = { 0 };

	do {
		fx_vec_clear(&group->items);
		if (state->next == state->places.count)
			return false;
		find_group(state, graph, state->next++, group);
	} while (group->items.count < 2);
	/* The rest of a group that is skipped is no group of its own. */
	for (size_t i = 0; i < group->items.count; i++)
		fx_map_set(&state->seen, (uintptr_t)group->items.items[i].node,
			1);
	for (size_t i = 1; i < group->items.count; i++)
		fx_buf_addf(&names, "%s%%%s", i > 1 ? ", " : "",
			group->items.items[i].node->name);
	fx_sweep_offer(&state->sweep, group->items.items[0].node, ret,
		"merge %s into %%%s", fx_buf_text(&names),
		group->items.items[0].node->name);
	return true;
}

/* --- edits --------------------------------------------------------------- */

/* The weights (or the biases) of GROUP below each other; NULL: none. */
static FX_NODISCARD struct fx_error *
join(struct fx_graph *graph, const struct group *group, bool is_bias,
	struct fx_tensor **ret)
{
	size_t count = group->items.count;
	FX_AUTO_FREE const struct fx_tensor **parts =
		fx_xcalloc(count, sizeof(*parts));

	*ret = NULL;
	for (size_t i = 0; i < count; i++)
		parts[i] = is_bias ? group->items.items[i].bias
				   : group->items.items[i].weight;
	return parts[0] ? fx_fold_join(graph, parts, count, ret) : NULL;
}

/* A node before the first of GROUP that all of them are merged into. */
static FX_NODISCARD struct fx_error *
add_node(const struct group *group, struct fx_node_spec *spec,
	struct fx_node **ret)
{
	struct fx_node *first = group->items.items[0].node;

	spec->scope = first->scope;
	spec->source = first->source;
	spec->derived = &first->id;
	spec->derived_count = 1;
	return fx_edit_create(first->graph, spec, first, ret);
}

/* %RET reads TENSOR, put beside what READER reads. */
static FX_NODISCARD struct fx_error *
add_tensor(const struct group *group, const struct fx_node *reader,
	const struct fx_tensor *tensor, struct fx_value *ret)
{
	struct fx_graph *graph = group->items.items[0].node->graph;
	struct fx_node_spec spec = { .opcode = FX_OPCODE_GET_ATTR };
	struct fx_node *node;
	struct fx_error *err;

	*ret = fx_value_none();
	if (!tensor)
		return NULL;
	spec.target = fx_layer_free_path(graph, reader->target);
	err = fx_edit_bind_tensor(graph, spec.target, tensor);
	if (!err)
		err = add_node(group, &spec, &node);
	if (!err)
		*ret = fx_value_node(node);
	return err;
}

/* The call that gives what all of GROUP give. */
static FX_NODISCARD struct fx_error *
add_call(struct state *state, const struct group *group, struct fx_node **ret)
{
	const struct linear *first = &group->items.items[0];
	struct fx_graph *graph = first->node->graph;
	struct fx_value items[3] = { fx_value_node(first->input) };
	struct fx_node_spec spec = { .opcode = first->node->opcode };
	bool is_layer = spec.opcode == FX_OPCODE_CALL_MODULE;
	struct fx_module *layer;
	struct fx_tensor *weight;
	struct fx_tensor *bias;
	struct fx_error *err = join(graph, group, false, &weight);

	if (!err)
		err = join(graph, group, true, &bias);
	if (err)
		return err;
	if (is_layer) {
		layer = fx_module_clone(graph,
			fx_module_find(graph->module, first->node->target));
		fx_module_add_tensor(layer, fx_intern("weight"), weight);
		fx_module_add_tensor(layer, fx_intern("bias"), bias);
		layer->config = fx_layer_with_entry(graph, &layer->config,
			"out_features", weight->sizes[0]);
		spec.target = fx_layer_free_path(graph, first->node->target);
		err = fx_edit_set_module(graph, spec.target, layer);
		fx_holders_add(&state->holders, layer);
	} else {
		spec.like = first->node;
		err = add_tensor(group, first->weight_node, weight, &items[1]);
		if (!err)
			err = add_tensor(group, first->bias_node, bias,
				&items[2]);
	}
	spec.args = fx_value_sequence(graph->values, FX_VALUE_TUPLE, items,
		is_layer ? 1 : 3);
	return err ? err : add_node(group, &spec, ret);
}

/* CALL.split([...], -1): the parts of GROUP. */
static FX_NODISCARD struct fx_error *
add_split(const struct group *group, struct fx_node *call, struct fx_node **ret)
{
	struct fx_graph *graph = call->graph;
	size_t count = group->items.count;
	FX_AUTO_FREE struct fx_value *sizes = fx_xcalloc(count, sizeof(*sizes));
	struct fx_value items[3] = { fx_value_node(call), fx_value_none(),
		fx_value_int(-1) };
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_METHOD,
		.target = "split" };

	for (size_t i = 0; i < count; i++)
		sizes[i] = fx_value_int(group->items.items[i].weight->sizes[0]);
	items[1] =
		fx_value_sequence(graph->values, FX_VALUE_LIST, sizes, count);
	spec.args = fx_value_sequence(graph->values, FX_VALUE_TUPLE, items, 3);
	return add_node(group, &spec, ret);
}

/* LINEAR's node becomes part INDEX of SPLIT. */
static FX_NODISCARD struct fx_error *
become_part(const struct state *state, const struct linear *linear,
	struct fx_node *split, size_t index)
{
	struct fx_node *node = linear->node;
	struct fx_graph *graph = node->graph;
	const char *path = node->target;
	bool is_layer = node->opcode == FX_OPCODE_CALL_MODULE;
	struct fx_value items[2] = { fx_value_node(split),
		fx_value_int((int64_t)index) };
	struct fx_value args =
		fx_value_sequence(graph->values, FX_VALUE_TUPLE, items, 2);
	struct fx_error *err;

	err = fx_edit_set_opcode(node, FX_OPCODE_CALL_FUNCTION,
		"operator.getitem");
	if (!err)
		err = fx_edit_set_args(node, args, fx_value_none());
	if (!err && is_layer)
		err = fx_layer_drop(&state->holders, graph, path);
	if (!err && linear->weight_node && !linear->weight_node->user_count)
		err = fx_edit_erase(linear->weight_node);
	if (!err && linear->bias_node && !linear->bias_node->user_count)
		err = fx_edit_erase(linear->bias_node);
	return err;
}

static struct fx_error *
merge_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct state *state = ctx->state;
	const struct group *group = &state->offered;
	struct fx_node *call;
	struct fx_node *split;
	struct fx_error *err;

	(void)graph;
	(void)candidate;
	err = add_call(state, group, &call);
	if (!err)
		err = add_split(group, call, &split);
	for (size_t i = 0; !err && i < group->items.count; i++)
		err = become_part(state, &group->items.items[i], split, i);
	return err;
}

const struct fx_pass fx_pass_merge_linear = {
	.name = "merge-linear",
	.summary = "linear layers that read one node as one",
	.claim = FX_CLAIM_ALGEBRAIC,
	.needs_weights = true,
	.open = merge_open,
	.close = merge_close,
	.plan = merge_plan,
	.apply = merge_apply,
};
