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

#include "base/intern.h"
#include "base/mem.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/layer_call.h"
#include "ir/module.h"
#include "ops/fusion.h"
#include "pass/fold_weight.h"
#include "pass/layers.h"
#include "pass/sweep.h"

struct state {
	struct fx_sweep sweep; /* first */
	struct fx_holders holders;
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

static struct fx_error *
fuse_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);

	fx_sweep_begin(&state->sweep, graph);
	fx_holders_find(&state->holders, graph);
	ctx->state = state;
	return NULL;
}

static void
fuse_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	fx_sweep_end(&state->sweep);
	fx_holders_deinit(&state->holders);
	free(state);
}

/* --- which --------------------------------------------------------------- */

static bool
is_usable_or_none(const struct fx_tensor *tensor, enum fx_dtype dtype,
	int64_t count)
{
	return !tensor || fx_tensor_is_usable(tensor, dtype, count);
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
	const struct fx_tensor *weight = fx_layer_tensor(pair->layer, "weight");
	const struct fx_tensor *mean =
		fx_layer_tensor(pair->norm, "running_mean");
	const struct fx_value *groups =
		fx_value_dict_get(&pair->layer->config, fx_intern("groups"));
	enum fx_dtype dtype = weight ? weight->dtype : FX_DTYPE_NONE;
	int64_t count = mean ? fx_tensor_numel(mean) : 0;
	const struct fx_value *eps =
		fx_value_dict_get(&pair->norm->config, fx_intern("eps"));
	int64_t own = 0;

	if (!count || !eps ||
		(eps->kind != FX_VALUE_FLOAT && eps->kind != FX_VALUE_INT) ||
		!fx_tensor_is_usable(weight, dtype, 0) ||
		fx_dtype_info(dtype)->category != FX_DTYPE_CATEGORY_FLOAT ||
		weight->rank <= pair->row->axis)
		return 0;
	own = weight->sizes[pair->row->axis];
	if (pair->row->axis && groups && groups->kind == FX_VALUE_INT)
		own *= groups->integer;
	if (own != count || !fx_tensor_is_usable(mean, dtype, count) ||
		!fx_tensor_is_usable(fx_layer_tensor(pair->norm, "running_var"),
			dtype, count))
		return 0;
	return is_usable_or_none(fx_layer_tensor(pair->norm, "weight"), dtype,
		       count) &&
			       is_usable_or_none(fx_layer_tensor(pair->norm,
							 "bias"),
				       dtype, count) &&
			       is_usable_or_none(fx_layer_tensor(pair->layer,
							 "bias"),
				       dtype, count)
		       ? count
		       : 0;
}

/* What NODE normalises, if that can be folded. */
static bool
find_pair(struct fx_node *node, struct pair *ret)
{
	const struct fx_value *input;

	if (node->opcode != FX_OPCODE_CALL_MODULE ||
		node->args.count + node->kwargs.count != 1)
		return false;
	*ret = (struct pair){ .norm_node = node };
	ret->norm = fx_module_find(node->graph->module, node->target);
	input = ret->norm ? fx_layer_given(ret->norm, node, 0) : NULL;
	if (!input || input->kind != FX_VALUE_NODE ||
		input->node->opcode != FX_OPCODE_CALL_MODULE ||
		input->node->user_count != 1)
		return false;
	ret->layer_node = input->node;
	ret->layer = fx_module_find(node->graph->module, input->node->target);
	if (!ret->layer || ret->layer->own_code || ret->norm->own_code ||
		ret->norm->training)
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
			fx_holders_is_only(&state->holders, pair.layer)
				? ""
				: ", a copy");
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
		.weight = fx_layer_tensor(pair->layer, "weight"),
		.bias = fx_layer_tensor(pair->layer, "bias"),
		.mean = fx_layer_tensor(pair->norm, "running_mean"),
		.variance = fx_layer_tensor(pair->norm, "running_var"),
		.gamma = fx_layer_tensor(pair->norm, "weight"),
		.beta = fx_layer_tensor(pair->norm, "bias"),
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

static struct fx_error *
fuse_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct state *state = ctx->state;
	struct fx_node *node = fx_graph_find_id(graph, candidate->node);
	struct fx_module *layer = NULL;
	struct pair pair;
	struct fx_error *err;

	if (!find_pair(node, &pair))
		return fx_error_new(FX_ERR_INTERNAL, "%%%s cannot be folded",
			node->name);
	err = make_layer(graph, &pair, &layer);
	if (!err)
		err = fx_layer_change(&state->holders, pair.layer_node, layer);
	return err ? err
		   : fx_layer_absorb(&state->holders, node, pair.layer_node);
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
