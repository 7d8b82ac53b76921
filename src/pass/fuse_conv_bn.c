/* fuse_conv_bn.c - batch normalisations folded into the layers before them.
 *
 * A normalisation in evaluation multiplies each channel by a number and adds
 * one; a convolution or matrix can do so with its own weight and bias.  They
 * are computed when somebody first asks for them (fold_weight.h), so that
 * folding a large model and undoing it cost no memory.  A layer that somebody
 * else calls or reads stays as it is: the folded one then gets a path of its
 * own.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/module.h"
#include "ops/fusion.h"
#include "pass/fold_weight.h"
#include "pass/sweep.h"

struct state {
	struct fx_sweep sweep; /* first */
	struct fx_map holders; /* module -> how many nodes need it as it is */
};

/* The call of a layer, and the normalisation of its result. */
struct pair {
	struct fx_node *layer_node;
	struct fx_node *norm_node;
	struct fx_module *layer;
	struct fx_module *norm;
	const struct fx_fusion *row;
};

extern const struct fx_pass fx_pass_fuse_conv_bn;

/* --- who holds what ------------------------------------------------------ */

static void
hold(struct state *state, const struct fx_module *module)
{
	fx_map_set(&state->holders, (uintptr_t)module,
		fx_map_get(&state->holders, (uintptr_t)module, 0) + 1);
}

/* NODE needs every module on the way to what it names, and what is below. */
static void
hold_path(struct state *state, const struct fx_node *node)
{
	struct fx_module *module = node->graph->module;
	struct fx_module_walk *walk;
	const char *rest = node->target;
	const char *path;

	while (module && rest) {
		const char *dot = strchr(rest, '.');
		size_t length = dot ? (size_t)(dot - rest) : strlen(rest);
		struct fx_member *member =
			fx_module_member(module, fx_intern_n(rest, length));

		module = member ? member->child : NULL;
		rest = dot ? dot + 1 : NULL;
		if (module)
			hold(state, module);
	}
	if (!module || !module->member_count)
		return;
	walk = fx_module_walk_new(module, true);
	(void)fx_module_walk_next(walk, &module, &path);
	while (fx_module_walk_next(walk, &module, &path))
		hold(state, module);
	fx_module_walk_free(walk);
}

static bool
is_only_holder(const struct state *state, const struct fx_module *module)
{
	return fx_map_get(&state->holders, (uintptr_t)module, 0) == 1;
}

static struct fx_error *
fuse_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);
	struct fx_node *node;

	fx_sweep_begin(&state->sweep, graph);
	fx_graph_for_each_node (node, graph)
		if (node->opcode == FX_OPCODE_CALL_MODULE ||
			node->opcode == FX_OPCODE_GET_ATTR)
			hold_path(state, node);
	ctx->state = state;
	return NULL;
}

static void
fuse_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	fx_sweep_end(&state->sweep);
	fx_map_deinit(&state->holders);
	free(state);
}

/* --- which --------------------------------------------------------------- */

static const struct fx_tensor *
tensor_of(const struct fx_module *module, const char *name)
{
	struct fx_member *member = fx_module_member(module, fx_intern(name));

	return member ? member->tensor : NULL;
}

/* Whether TENSOR has values of DTYPE, and COUNT of them unless that is 0. */
static bool
is_usable(const struct fx_tensor *tensor, enum fx_dtype dtype, int64_t count)
{
	uint64_t reach;

	return tensor && tensor->dtype == dtype && tensor->storage &&
	       tensor->storage->blob && fx_tensor_is_contiguous(tensor) &&
	       fx_tensor_reach(tensor, &reach) &&
	       reach <= fx_blob_size(tensor->storage->blob) &&
	       (!count || fx_tensor_numel(tensor) == count);
}

static bool
is_usable_or_none(const struct fx_tensor *tensor, enum fx_dtype dtype,
	int64_t count)
{
	return !tensor || is_usable(tensor, dtype, count);
}

static bool
has_rank(const struct fx_node *node, uint32_t rank)
{
	const struct fx_value *meta = node->meta;

	/* Normalisations of images and volumes take nothing else. */
	if (!meta || meta->kind != FX_VALUE_TENSOR || !meta->tensor->has_shape)
		return rank > 3;
	return meta->tensor->rank == rank;
}

/* How many channels PAIR has; 0: its tensors do not fit or have no values. */
static int64_t
channel_count(const struct pair *pair)
{
	const struct fx_tensor *weight = tensor_of(pair->layer, "weight");
	const struct fx_tensor *mean = tensor_of(pair->norm, "running_mean");
	const struct fx_value *groups =
		fx_value_dict_get(&pair->layer->config, fx_intern("groups"));
	enum fx_dtype dtype = weight ? weight->dtype : FX_DTYPE_NONE;
	int64_t count = mean ? fx_tensor_numel(mean) : 0;
	const struct fx_value *eps =
		fx_value_dict_get(&pair->norm->config, fx_intern("eps"));
	int64_t own = 0;

	if (!count || !eps ||
		(eps->kind != FX_VALUE_FLOAT && eps->kind != FX_VALUE_INT) ||
		!is_usable(weight, dtype, 0) ||
		fx_dtype_info(dtype)->category != FX_DTYPE_CATEGORY_FLOAT ||
		weight->rank <= pair->row->axis)
		return 0;
	own = weight->sizes[pair->row->axis];
	if (pair->row->axis && groups && groups->kind == FX_VALUE_INT)
		own *= groups->integer;
	if (own != count || !is_usable(mean, dtype, count) ||
		!is_usable(tensor_of(pair->norm, "running_var"), dtype, count))
		return 0;
	return is_usable_or_none(tensor_of(pair->norm, "weight"), dtype,
		       count) &&
			       is_usable_or_none(tensor_of(pair->norm, "bias"),
				       dtype, count) &&
			       is_usable_or_none(tensor_of(pair->layer, "bias"),
				       dtype, count)
		       ? count
		       : 0;
}

/* What NODE normalises, if that can be folded. */
static bool
find_pair(struct fx_node *node, struct pair *ret)
{
	const struct fx_value *input;

	if (node->opcode != FX_OPCODE_CALL_MODULE || node->args.count != 1 ||
		node->kwargs.count)
		return false;
	input = &node->args.items[0];
	if (input->kind != FX_VALUE_NODE ||
		input->node->opcode != FX_OPCODE_CALL_MODULE ||
		input->node->user_count != 1)
		return false;
	*ret = (struct pair){ .layer_node = input->node, .norm_node = node };
	ret->layer = fx_module_find(node->graph->module, input->node->target);
	ret->norm = fx_module_find(node->graph->module, node->target);
	if (!ret->layer || !ret->norm || ret->layer->own_code ||
		ret->norm->own_code || ret->norm->training)
		return false;
	ret->row =
		fx_fusion_find(ret->layer->class_name, ret->norm->class_name);
	return ret->row && has_rank(input->node, ret->row->rank) &&
	       channel_count(ret);
}

static bool
fuse_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;
	struct fx_node *node;
	struct pair pair;

	(void)graph;
	while ((node = fx_sweep_next(&state->sweep))) {
		if (!find_pair(node, &pair))
			continue;
		fx_sweep_offer(&state->sweep, node, ret,
			"fold %%%s into %%%s%s", node->name,
			pair.layer_node->name,
			is_only_holder(state, pair.layer) ? "" : ", a copy");
		return true;
	}
	return false;
}

/* PAIR's layer with the normalisation in it. */
static FX_NODISCARD struct fx_error *
make_layer(struct fx_graph *graph, const struct pair *pair,
	struct fx_module **ret)
{
	const struct fx_value *eps =
		fx_value_dict_get(&pair->norm->config, fx_intern("eps"));
	struct fx_folding folding = {
		.weight = tensor_of(pair->layer, "weight"),
		.bias = tensor_of(pair->layer, "bias"),
		.mean = tensor_of(pair->norm, "running_mean"),
		.variance = tensor_of(pair->norm, "running_var"),
		.gamma = tensor_of(pair->norm, "weight"),
		.beta = tensor_of(pair->norm, "bias"),
		.eps = eps->kind == FX_VALUE_INT ? (double)eps->integer
						 : eps->real,
		.axis = pair->row->axis,
		.count = (size_t)channel_count(pair),
	};
	struct fx_tensor *weight;
	struct fx_tensor *bias;
	struct fx_error *err = fx_fold_weight(graph, &folding, &weight, &bias);

	if (err)
		return err;
	*ret = fx_module_clone(graph, pair->layer);
	fx_module_add_tensor(*ret, fx_intern("weight"), weight);
	fx_module_add_tensor(*ret, fx_intern("bias"), bias);
	return NULL;
}

/* --- edits --------------------------------------------------------------- */

static const char *
free_path(struct fx_graph *graph, const char *path)
{
	const char *found = fx_intern_format("%s_fused", path);

	for (int i = 1; fx_module_find(graph->module, found) ||
			fx_module_find_tensor(graph->module, found);
		i++)
		found = fx_intern_format("%s_fused_%d", path, i);
	return found;
}

static struct fx_error *
fuse_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct state *state = ctx->state;
	struct fx_node *node = fx_graph_find_id(graph, candidate->node);
	const char *norm_path = node->target;
	const char *path;
	struct fx_module *layer = NULL;
	struct fx_value value;
	struct pair pair;
	bool is_own;
	struct fx_error *err;

	if (!find_pair(node, &pair))
		return fx_error_new(FX_ERR_INTERNAL, "%%%s cannot be folded",
			node->name);
	is_own = is_only_holder(state, pair.layer);
	path = is_own ? pair.layer_node->target
		      : free_path(graph, pair.layer_node->target);
	value = fx_value_node(pair.layer_node);
	err = make_layer(graph, &pair, &layer);
	if (!err)
		err = fx_edit_set_module(graph, path, layer);
	if (!err && !is_own)
		err = fx_edit_set_target(pair.layer_node, path);
	if (!err)
		err = fx_edit_replace_uses(node, &value, NULL, NULL, NULL);
	if (!err)
		err = fx_edit_erase(node);
	if (!err && is_only_holder(state, pair.norm))
		err = fx_edit_set_module(graph, norm_path, NULL);
	hold(state, layer);
	return err;
}

const struct fx_pass fx_pass_fuse_conv_bn = {
	.name = "fuse-conv-bn",
	.summary = "batch normalisations into the layers before them",
	.claim = FX_CLAIM_ALGEBRAIC,
	.needs_weights = true,
	.open = fuse_open,
	.close = fuse_close,
	.plan = fuse_plan,
	.apply = fuse_apply,
};
