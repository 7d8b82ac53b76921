/* planted_passes.c - passes that are wrong at one node, and right at others.
 *
 * All visit the nodes of one target, in order.  At the node called "bad" they
 * do something wrong, and at others something that changes nothing.
 */
#include <config.h>

#include "tests/support/planted_passes.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/edit.h"
#include "ir/module.h"

/* What is wrong with a row of the table. */
enum wrong {
	WRONG_ARGUMENT, /* argument INDEX becomes VALUE */
	WRONG_BYPASS,   /* users take the first argument instead */
	WRONG_CALL,     /* another method or function of the same arguments */
	WRONG_OPERANDS, /* the first two arguments change places */
	WRONG_LIST,     /* those in the first argument do */
	WRONG_CLONE,    /* a copy of the first argument */
	WRONG_SWAP,     /* the node is moved behind the next one */
	WRONG_FOLD,     /* the first user is folded in, for all others too */
	WRONG_TIED,     /* a factor goes into the weight w, which others read */
	WRONG_ELSEWHERE, /* users take the node before it instead */
};

struct row {
	const char *name;
	const char *target; /* of the nodes that are visited */
	enum wrong wrong;
	size_t index;
	struct fx_value value;
	enum fx_claim claim;
	const char *body;
	const char *x;
	const char *call; /* WRONG_CALL: the other one */
};

#define REAL(number) \
	{ \
		.kind = FX_VALUE_FLOAT, .real = (number) \
	}
#define BOOL(value) \
	{ \
		.kind = FX_VALUE_BOOL, .truth = (value) \
	}
#define INT(number) \
	{ \
		.kind = FX_VALUE_INT, .integer = (number) \
	}

static const struct row rows[] = {
	{ "drop-in-place", "add_", WRONG_BYPASS, 0, INT(0), FX_CLAIM_EXACT,
		"a = torch.relu(x)\ng = a.add_(1.0)\nbad = a.add_(2.0)\n"
		"h = a.add_(3.0)\nreturn a * 2.0",
		.x = "f32[2, 3]" },
	{ "wrong-epsilon", "operator.add", WRONG_ARGUMENT, 1, REAL(1.001e-5),
		FX_CLAIM_ALGEBRAIC,
		"v = x * x\ng = v + 1e-05\nr = torch.rsqrt(g)\nbad = v + "
		"1e-05\n"
		"s = torch.rsqrt(bad)\nh = v + 1e-05\nt = torch.sqrt(h)\n"
		"return r + s + t",
		.x = "f32[4, 3]" },
	{ "lost-transpose", "transpose", WRONG_BYPASS, 0, INT(0),
		FX_CLAIM_ALGEBRAIC,
		"g = x.transpose(0, 1)\nb = g.contiguous()\n"
		"bad = b.transpose(0, 1)\nc = bad.reshape(9)\nreturn c",
		.x = "f32[3, 3]" },
	{ "axis-off-by-one", "softmax", WRONG_ARGUMENT, 1, INT(1),
		FX_CLAIM_ALGEBRAIC,
		"g = x.softmax(0)\nb = g + 1.0\nbad = b.softmax(0)\n"
		"return bad + g",
		.x = "f32[3, 3]" },
	{ "fold-second-user", "operator.mul", WRONG_FOLD, 0, INT(0),
		FX_CLAIM_ALGEBRAIC,
		"g = x * 2.0\nu = g + 1.0\nbad = u * 3.0\nv = bad / 0.5\n"
		"w = bad.sin()\nreturn v + w",
		.x = "f32[3]" },
	{ "lost-dtype", "to", WRONG_BYPASS, 0, INT(0), FX_CLAIM_ALGEBRAIC,
		"a = x.relu()\nbad = a.to(torch.float16)\nb = bad * 2.0\n"
		"c = b.to(torch.float32)\nreturn c",
		.x = "f32[3]" },
	{ "lost-integer", "to", WRONG_BYPASS, 0, INT(0), FX_CLAIM_ALGEBRAIC,
		"a = x * 3.0\nbad = a.to(torch.int64)\n"
		"b = bad * 2.0\nreturn b",
		.x = "f32[9]" },
	{ "mask-sign", "masked_fill", WRONG_ARGUMENT, 2, REAL(1e9),
		FX_CLAIM_ALGEBRAIC,
		"m = x > 0.0\ng = x.masked_fill(m, -1e9)\n"
		"bad = x.masked_fill(m, -1e9)\nreturn bad.softmax(0) + g",
		.x = "f32[8]" },
	{ "order-of-draws", "torch.rand_like", WRONG_SWAP, 0, INT(0),
		FX_CLAIM_EXACT,
		"g = torch.rand_like(x)\nbad = torch.rand_like(x)\n"
		"c = torch.randn_like(x)\nreturn g + bad * c",
		.x = "f32[8]" },
	{ "tied-weight", "operator.mul", WRONG_TIED, 0, INT(0),
		FX_CLAIM_ALGEBRAIC,
		"w = self.w\nw_1 = self.w\ng = x * 2.0\na = x - w\n"
		"bad = w * 2.0\nreturn g + bad + a * w_1",
		.x = "f32[3]" },
	{ "wrong-operand", "torch.relu", WRONG_ELSEWHERE, 0, INT(0),
		FX_CLAIM_EXACT,
		"a = x * 1.0\ng = torch.relu(a)\nb = g - 0.5\n"
		"bad = torch.relu(b)\nreturn bad",
		.x = "f32[8]" },
	{ "other-method", "sin", WRONG_CALL, 0, INT(0), FX_CLAIM_ALGEBRAIC,
		"g = x.sin()\nb = g + 1.0\nbad = b.sin()\nreturn bad", "f32[3]",
		.call = "sinh" },
	{ "negative-index", "select", WRONG_ARGUMENT, 2, INT(1), FX_CLAIM_EXACT,
		"g = x.select(0, 1)\nbad = x.select(0, 0)\nreturn g + bad",
		.x = "f32[3, 3]" },
	{ "wrong-padding", "torch.avg_pool1d", WRONG_ARGUMENT, 3, INT(0),
		FX_CLAIM_ALGEBRAIC,
		"g = torch.avg_pool1d(x, 3, 1, 1)\n"
		"bad = torch.avg_pool1d(g, 3, 1, 1)\n"
		"s = bad.sum(1)\nreturn s + g.sum(1)",
		.x = "f32[2, 8]" },
	{ "stride-ignored", "torch.avg_pool1d", WRONG_ARGUMENT, 2, INT(1),
		FX_CLAIM_ALGEBRAIC,
		"g = torch.avg_pool1d(x, 2, 2)\n"
		"bad = torch.avg_pool1d(g, 2, 2)\nreturn bad.mean(1)",
		.x = "f32[2, 8]" },
	{ "wrong-keepdim", "sum", WRONG_ARGUMENT, 2, BOOL(false),
		FX_CLAIM_ALGEBRAIC,
		"g = x.sum(0, True)\nb = x - g\nbad = b.sum(1, True)\n"
		"return b - bad",
		.x = "f32[3, 3]" },
	{ "dropped-bias", "torch.nn.functional.linear", WRONG_ARGUMENT, 2,
		{ .kind = FX_VALUE_NONE }, FX_CLAIM_ALGEBRAIC,
		"w = self.w\ng = torch.nn.functional.linear(x, x, w)\n"
		"bad = torch.nn.functional.linear(g, x, w)\nreturn bad",
		.x = "f32[3, 3]" },
	{ "swapped-operands", "operator.sub", WRONG_OPERANDS, 0, INT(0),
		FX_CLAIM_EXACT,
		"a = x.exp()\ng = a - x\nbad = g - x\nreturn bad * 2.0",
		.x = "f32[8]" },
	{ "min-for-max", "amax", WRONG_CALL, 0, INT(0), FX_CLAIM_EXACT,
		"g = x.amax(0)\nb = x * 2.0\nbad = b.amax(0)\n"
		"return g + bad",
		.x = "f32[3, 3]", .call = "amin" },
	{ "mean-for-sum", "torch.sum", WRONG_CALL, 0, INT(0),
		FX_CLAIM_ALGEBRAIC,
		"g = torch.sum(x, 0)\nb = x * g\nbad = torch.sum(b, 1)\n"
		"return bad",
		.x = "f32[3, 3]", .call = "torch.mean" },
	{ "dropped-scale", "operator.mul", WRONG_BYPASS, 0, INT(0),
		FX_CLAIM_ALGEBRAIC,
		"g = x * 2.0\ns = g.softmax(0)\nbad = s * 0.125\n"
		"return bad + g",
		.x = "f32[8]" },
	{ "wrong-default", "torch.nn.functional.leaky_relu", WRONG_ARGUMENT, 1,
		REAL(0.01), FX_CLAIM_EXACT,
		"g = torch.nn.functional.leaky_relu(x, 0.2)\nb = g - 1.0\n"
		"bad = torch.nn.functional.leaky_relu(b, 0.2)\nreturn bad",
		.x = "f32[8]" },
	{ "lost-alias", "view", WRONG_CLONE, 0, INT(0), FX_CLAIM_EXACT,
		"a = x * 1.0\ng = a.view(3, 3)\nb = x * 3.0\n"
		"bad = b.view(3, 3)\nc = bad.add_(1.0)\n"
		"return g + b",
		.x = "f32[3, 3]" },
	{ "order-of-list", "torch.cat", WRONG_LIST, 0, INT(0), FX_CLAIM_EXACT,
		"a = x.neg()\ng = torch.cat([x, a])\nb = g.exp()\n"
		"bad = torch.cat([g, b])\nreturn bad",
		.x = "f32[3]" },
	{ "order-of-writes", "mul_", WRONG_SWAP, 0, INT(0), FX_CLAIM_EXACT,
		"a = torch.relu(x)\ng = a.mul_(2.0)\nbad = a.mul_(3.0)\n"
		"h = a.add_(1.0)\nreturn a * 2.0",
		.x = "f32[8]" },
	{ "off-by-one", "narrow", WRONG_ARGUMENT, 2, INT(1), FX_CLAIM_EXACT,
		"g = x.narrow(0, 1, 2)\nbad = x.narrow(0, 0, 2)\n"
		"return g + bad",
		.x = "f32[3, 3]" },
	{ "transposed-product", "torch.matmul", WRONG_OPERANDS, 0, INT(0),
		FX_CLAIM_ALGEBRAIC,
		"g = torch.matmul(x, x)\nb = x.exp()\n"
		"bad = torch.matmul(g, b)\nreturn bad",
		.x = "f32[3, 3]" },
	{ "wrong-exponent", "pow", WRONG_ARGUMENT, 1, INT(3),
		FX_CLAIM_ALGEBRAIC,
		"g = x.pow(2)\nb = g + 1.0\nbad = b.pow(2)\nreturn bad",
		.x = "f32[3]" },
	{ "lost-rounding", "round", WRONG_BYPASS, 0, INT(0), FX_CLAIM_ALGEBRAIC,
		"g = x.round()\na = x * 3.0\nbad = a.round()\n"
		"return bad * 0.5 + g",
		.x = "f32[9]" },
};

struct state {
	const struct row *row;
	struct fx_node *at;
	const struct fx_node *bad; /* came up already */
	char *text;
};

static const struct row *
row_of(const struct fx_pass *pass)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(rows); i++)
		if (fx_str_equal(rows[i].name, pass->name))
			return &rows[i];
	return NULL;
}

static struct fx_error *
planted_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);

	state->row = row_of(ctx->pass);
	state->at = fx_graph_first(graph);
	ctx->state = state;
	return NULL;
}

static void
planted_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	free(state->text);
	free(state);
}

static bool
planted_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;

	(void)graph;
	while (state->at) {
		struct fx_node *node = state->at;

		state->at = fx_graph_next(node);
		if (!fx_str_equal(node->target, state->row->target) ||
			node == state->bad)
			continue;
		if (fx_str_equal(node->name, "bad"))
			state->bad = node;
		free(state->text);
		state->text = fx_xasprintf("improve %%%s", node->name);
		ret->node = node->id;
		ret->text = state->text;
		return true;
	}
	return false;
}

static struct fx_error *
set_argument(struct fx_node *node, size_t index, struct fx_value value)
{
	size_t count = fx_value_item_count(&node->args);
	struct fx_value *items =
		FX_ARENA_ARRAY(node->graph->values, struct fx_value, count);

	memcpy(items, node->args.items, count * sizeof(*items));
	items[index] = value;
	return fx_edit_set_args(node,
		fx_value_sequence(node->graph->values, FX_VALUE_TUPLE, items,
			count),
		node->kwargs);
}

static struct fx_error *
set_all(struct fx_node *node, const struct fx_value *items, size_t count)
{
	return fx_edit_set_args(node,
		fx_value_sequence(node->graph->values, FX_VALUE_TUPLE, items,
			count),
		node->kwargs);
}

/* The first two items of LIST, the arguments of NODE or their first, change
 * places.
 */
static struct fx_error *
exchange(struct fx_node *node, const struct fx_value *list)
{
	size_t count = fx_value_item_count(list);
	struct fx_value *items =
		FX_ARENA_ARRAY(node->graph->values, struct fx_value, count);
	struct fx_value changed;

	memcpy(items, list->items, count * sizeof(*items));
	items[0] = list->items[1];
	items[1] = list->items[0];
	if (list == &node->args)
		return set_all(node, items, count);
	changed = fx_value_sequence(node->graph->values, FX_VALUE_LIST, items,
		count);
	return set_argument(node, 0, changed);
}

static struct fx_error *
let_users_take(struct fx_node *node, struct fx_node *other)
{
	struct fx_value value = fx_value_node(other);
	struct fx_error *err =
		fx_edit_replace_uses(node, &value, NULL, NULL, NULL);

	return err ? err : fx_edit_erase(node);
}

/* Name a node anew: what is right at other nodes. */
static struct fx_error *
do_nothing(struct fx_node *node)
{
	FX_AUTO_FREE char *name = fx_xasprintf("%s_new", node->name);

	return fx_edit_set_name(node, name);
}

static struct fx_error *
double_weight(struct fx_graph *graph)
{
	const struct fx_tensor *tensor =
		fx_module_find_tensor(graph->module, "w");
	const float *from = fx_blob_data(tensor->storage->blob);
	struct fx_storage *storage;
	struct fx_blob *blob;
	struct fx_error *err =
		fx_blob_new(fx_blob_size(tensor->storage->blob), &blob);

	if (err)
		return err;
	for (size_t i = 0; i < fx_blob_size(blob) / sizeof(float); i++)
		((float *)fx_blob_data(blob))[i] = 2 * from[i];
	storage = fx_storage_new(blob);
	err = fx_edit_bind_tensor(graph, "w",
		fx_tensor_new_like(graph, tensor, storage));
	fx_storage_unref(storage);
	return err;
}

static struct fx_error *
do_wrong(const struct row *row, struct fx_node *node)
{
	struct fx_node *input = fx_node_input(node, 0);
	struct fx_error *err;

	switch (row->wrong) {
	case WRONG_ARGUMENT:
		return set_argument(node, row->index, row->value);
	case WRONG_BYPASS:
		return let_users_take(node, input);
	case WRONG_CALL:
		return fx_edit_set_target(node, row->call);
	case WRONG_OPERANDS:
		return exchange(node, &node->args);
	case WRONG_LIST:
		return exchange(node, &node->args.items[0]);
	case WRONG_CLONE:
		err = set_all(node, &node->args.items[0], 1);
		return err ? err : fx_edit_set_target(node, "clone");
	case WRONG_SWAP:
		return fx_edit_move(fx_graph_next(node), node);
	case WRONG_FOLD:
		err = set_argument(node, 1, (struct fx_value)REAL(6.0));
		return err ? err : let_users_take(node->first_user->user, node);
	case WRONG_TIED:
		err = double_weight(node->graph);
		return err ? err : let_users_take(node, input);
	case WRONG_ELSEWHERE:
		return let_users_take(node, fx_node_input(input, 0));
	}
	return NULL;
}

static struct fx_error *
planted_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	const struct state *state = ctx->state;
	struct fx_node *node = fx_graph_find_id(graph, candidate->node);

	return fx_str_equal(node->name, "bad") ? do_wrong(state->row, node)
					       : do_nothing(node);
}

bool
fxt_planted_at(size_t index, struct fxt_planted *ret)
{
	const struct row *row;

	if (index >= FX_ARRAY_LEN(rows))
		return false;
	row = &rows[index];
	*ret = (struct fxt_planted){
		.pass = { .name = row->name,
			.summary = "wrong",
			.claim = row->claim,
			.open = planted_open,
			.close = planted_close,
			.plan = planted_plan,
			.apply = planted_apply },
		.body = row->body,
		.x = row->x,
		.guilty = "bad",
	};
	return true;
}
