/* fuse_linear.c - linear layers with what is linear behind them in them.
 *
 * A Linear that a number or a vector of its results is multiplied with, divided
 * by, added to or subtracted from is a Linear with other numbers, and so are
 * two of them one after the other, if that is no larger than both.  RULES says
 * what stands behind, as patterns (ir/match.h), so that every spelling of it is
 * found. A layer that somebody else calls or reads stays: the new one gets a
 * path of its own.
 */
#include <config.h>

#include <stdlib.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/match.h"
#include "ir/module.h"
#include "ir/written.h"
#include "pass/fold_weight.h"
#include "pass/layers.h"
#include "pass/sweep.h"

/* Numbers of a product that is made. */
#define PRODUCT_LIMIT ((int64_t)1 << 24)

/* What a number is multiplied with and added to: of Y, the constant. */
enum factor {
	FACTOR_ONE,
	FACTOR_MINUS,
	FACTOR_Y,
	FACTOR_INVERSE,
};
enum term {
	TERM_NONE,
	TERM_Y,
	TERM_MINUS,
};

/* In a pattern `first` is the layer, `y` a constant, the last operation what
 * goes.
 */
static const struct rule {
	const char *pattern;
	enum factor factor;
	enum term term;
	bool is_chain; /* the last operation is a layer too */
} rules[] = {
	{ "first = nn.Linear(x); nn.Linear(first)", FACTOR_ONE, TERM_NONE,
		true },
	{ "first = nn.Linear(x); first * y", FACTOR_Y, TERM_NONE, false },
	{ "first = nn.Linear(x); y * first", FACTOR_Y, TERM_NONE, false },
	{ "first = nn.Linear(x); first / y", FACTOR_INVERSE, TERM_NONE, false },
	{ "first = nn.Linear(x); first + y", FACTOR_ONE, TERM_Y, false },
	{ "first = nn.Linear(x); y + first", FACTOR_ONE, TERM_Y, false },
	{ "first = nn.Linear(x); first - y", FACTOR_ONE, TERM_MINUS, false },
	{ "first = nn.Linear(x); y - first", FACTOR_MINUS, TERM_Y, false },
	{ "first = nn.Linear(x); torch.neg(first)", FACTOR_MINUS, TERM_NONE,
		false },
};

/* A place where a rule fits. */
struct place {
	const struct rule *rule;
	uint64_t layer_id;
	uint64_t node_id; /* that goes */
	struct fx_value y;
};

/* The same, looked at. */
struct pair {
	const struct rule *rule;
	struct fx_node *layer_node;
	struct fx_node *node;
	struct fx_module *layer;
	struct fx_module *second; /* of a chain */
	const struct fx_tensor *weight;
	const struct fx_tensor *constant; /* NULL: Y is a number, or none */
	double number;
};

struct state {
	struct fx_sweep sweep; /* first */
	struct fx_pattern *patterns[FX_ARRAY_LEN(rules)];
	struct fx_holders holders;
	struct fx_written written;
	bool grows;
	FX_VEC(struct place) places; /* of this round */
	size_t next;
	bool has_changed;   /* since it began */
	struct fx_map seen; /* nodes that came up */
	struct place offered;
};

extern const struct fx_pass fx_pass_fuse_linear;

/* --- where --------------------------------------------------------------- */

static FX_NODISCARD struct fx_error *
add_places(struct state *state, struct fx_graph *graph, size_t index)
{
	const struct fx_pattern *pattern = state->patterns[index];
	size_t first = fx_pattern_slot(pattern, "first");
	size_t y = fx_pattern_slot(pattern, "y");
	FX_AUTO_MATCHES struct fx_matches *matches = NULL;
	struct fx_error *err = fx_matches_find(graph, pattern, NULL, &matches);

	for (size_t i = 0; !err && i < fx_matches_count(matches); i++) {
		const struct fx_value *values = fx_matches_at(matches, i);
		struct place place = {
			.rule = &rules[index],
			.layer_id = values[first].node->id,
			.node_id =
				values[fx_pattern_output(pattern, 0)].node->id
		};

		if (y)
			place.y = values[y];
		fx_vec_push(&state->places, place);
	}
	return err;
}

/* The places of all rules, as the graph is now. */
static FX_NODISCARD struct fx_error *
begin_round(struct state *state, struct fx_graph *graph)
{
	struct fx_error *err = NULL;

	fx_vec_clear(&state->places);
	state->next = 0;
	state->has_changed = false;
	for (size_t i = 0; i < FX_ARRAY_LEN(rules) && !err; i++)
		err = add_places(state, graph, i);
	return err;
}

/* --- what ---------------------------------------------------------------- */

static bool
is_linear(const struct fx_module *module, enum fx_dtype dtype)
{
	const struct fx_tensor *weight = fx_layer_tensor(module, "weight");
	const struct fx_tensor *bias = fx_layer_tensor(module, "bias");

	return !module->own_code && weight && weight->rank == 2 &&
	       fx_tensor_is_usable(weight, dtype, 0) &&
	       fx_tensor_numel(weight) > 0 &&
	       (!bias || fx_tensor_is_usable(bias, dtype, weight->sizes[0]));
}

/* Whether the product of the two layers of PAIR is to be made. */
static bool
find_second(const struct state *state, struct pair *pair)
{
	const struct fx_tensor *weight;
	int64_t in = pair->weight->sizes[1];
	int64_t between = pair->weight->sizes[0];
	int64_t out;

	pair->second =
		fx_module_find(pair->node->graph->module, pair->node->target);
	if (!pair->second || !is_linear(pair->second, pair->weight->dtype))
		return false;
	weight = fx_layer_tensor(pair->second, "weight");
	out = weight->sizes[0];
	if (weight->sizes[1] != between || in > PRODUCT_LIMIT / out)
		return false;
	return state->grows || in * out <= between * (in + out);
}

/* Whether PLACE's constant is one: a number, or as many of the layer's dtype as
 * it has results.
 */
static bool
find_constant(const struct state *state, const struct place *place,
	struct pair *pair)
{
	const struct fx_value *y = &place->y;
	const struct fx_tensor *tensor;

	if (pair->rule->factor == FACTOR_MINUS && pair->rule->term == TERM_NONE)
		return true;
	if (y->kind == FX_VALUE_INT || y->kind == FX_VALUE_FLOAT) {
		pair->number =
			y->kind == FX_VALUE_INT ? (double)y->integer : y->real;
		return pair->rule->factor != FACTOR_INVERSE ||
		       pair->number != 0;
	}
	if (y->kind != FX_VALUE_NODE || !y->node->is_in_graph ||
		y->node->opcode != FX_OPCODE_GET_ATTR ||
		fx_written_touches(&state->written, y->node))
		return false;
	tensor = fx_module_find_tensor(y->node->graph->module, y->node->target);
	pair->constant = tensor;
	return tensor && tensor->rank <= 1 &&
	       fx_tensor_is_usable(tensor, pair->weight->dtype, 0) &&
	       (fx_tensor_numel(tensor) == 1 ||
		       fx_tensor_numel(tensor) == pair->weight->sizes[0]);
}

static bool
find_pair(const struct state *state, struct fx_graph *graph,
	const struct place *place, struct pair *ret)
{
	struct fx_node *layer = fx_graph_find_id(graph, place->layer_id);
	struct fx_node *node = fx_graph_find_id(graph, place->node_id);
	const struct fx_tensor *weight;

	if (!layer || !node || !layer->is_in_graph || !node->is_in_graph ||
		layer->user_count != 1 || layer->first_user->user != node)
		return false;
	*ret = (struct pair){ .rule = place->rule,
		.layer_node = layer,
		.node = node,
		.layer = fx_module_find(graph->module, layer->target) };
	weight = ret->layer ? fx_layer_tensor(ret->layer, "weight") : NULL;
	if (!weight || !is_linear(ret->layer, weight->dtype) ||
		fx_dtype_info(weight->dtype)->category !=
			FX_DTYPE_CATEGORY_FLOAT ||
		fx_written_touches(&state->written, layer) ||
		fx_written_touches(&state->written, node))
		return false;
	ret->weight = weight;
	return place->rule->is_chain ? find_second(state, ret)
				     : find_constant(state, place, ret);
}

/* --- begin and end ------------------------------------------------------- */

static void
linear_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	fx_sweep_end(&state->sweep);
	for (size_t i = 0; i < FX_ARRAY_LEN(rules); i++)
		fx_pattern_free(state->patterns[i]);
	fx_holders_deinit(&state->holders);
	fx_written_deinit(&state->written);
	fx_vec_deinit(&state->places);
	fx_map_deinit(&state->seen);
	free(state);
}

static struct fx_error *
linear_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);
	struct fx_error *err = NULL;

	ctx->state = state;
	state->grows = fx_pass_has_option(ctx, "grow");
	fx_holders_find(&state->holders, graph);
	fx_written_find(&state->written, graph);
	for (size_t i = 0; i < FX_ARRAY_LEN(rules) && !err; i++)
		err = fx_pattern_read(rules[i].pattern, 0, &state->patterns[i]);
	if (!err)
		err = begin_round(state, graph);
	if (err)
		linear_close(graph, ctx);
	return err;
}

/* --- candidates ---------------------------------------------------------- */

/* The next place; false when all are done and nothing changed meanwhile. */
static bool
next_place(struct state *state, struct fx_graph *graph, struct place *ret)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;

	if (state->next == state->places.count && state->has_changed)
		err = begin_round(state, graph);
	if (err || state->next == state->places.count)
		return false;
	*ret = state->places.items[state->next++];
	return true;
}

static bool
linear_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;
	struct pair pair;

	while (next_place(state, graph, &state->offered)) {
		if (!find_pair(state, graph, &state->offered, &pair) ||
			!fx_map_set(&state->seen, (uintptr_t)pair.node, 1))
			continue;
		fx_sweep_offer(&state->sweep, pair.node, ret,
			"fold %%%s into %%%s%s", pair.node->name,
			pair.layer_node->name,
			fx_holders_is_only(&state->holders, pair.layer)
				? ""
				: ", a copy");
		return true;
	}
	return false;
}

/* --- numbers ------------------------------------------------------------- */

/* Y of PAIR for each of COUNT results; the caller's. */
static FX_NODISCARD struct fx_error *
read_constant(const struct pair *pair, size_t count, double **ret)
{
	size_t has = pair->constant ? (size_t)fx_tensor_numel(pair->constant)
				    : count;
	FX_AUTO_FREE double *numbers = NULL;
	struct fx_error *err =
		fx_fold_read(pair->constant, has, pair->number, &numbers);

	if (err)
		return err;
	*ret = fx_xcalloc(count, sizeof(**ret));
	for (size_t i = 0; i < count; i++)
		(*ret)[i] = numbers[has == 1 ? 0 : i];
	return NULL;
}

/* PAIR's layer with the constant in it. */
static FX_NODISCARD struct fx_error *
fold_constant(struct fx_graph *graph, const struct pair *pair,
	struct fx_tensor **weight_ret, struct fx_tensor **bias_ret)
{
	size_t count = (size_t)pair->weight->sizes[0];
	FX_AUTO_FREE double *y = NULL;
	FX_AUTO_FREE double *scale = fx_xcalloc(count, sizeof(double));
	FX_AUTO_FREE double *shift = fx_xcalloc(count, sizeof(double));
	struct fx_error *err = read_constant(pair, count, &y);
	const struct fx_folding folding = { .weight = pair->weight,
		.bias = fx_layer_tensor(pair->layer, "bias"),
		.count = count,
		.scale = scale,
		.shift = shift };

	for (size_t i = 0; !err && i < count; i++) {
		const double factors[] = { [FACTOR_ONE] = 1,
			[FACTOR_MINUS] = -1,
			[FACTOR_Y] = y[i],
			[FACTOR_INVERSE] = 1 / y[i] };
		const double terms[] = {
			[TERM_NONE] = 0, [TERM_Y] = y[i], [TERM_MINUS] = -y[i]
		};

		scale[i] = factors[pair->rule->factor];
		shift[i] = terms[pair->rule->term];
	}
	return err ? err
		   : fx_fold_weight(graph, &folding, weight_ret, bias_ret);
}

/* --- edits --------------------------------------------------------------- */

/* What stands in the place of both. */
static FX_NODISCARD struct fx_error *
make_layer(struct fx_graph *graph, const struct pair *pair,
	struct fx_module **ret)
{
	struct fx_tensor *weight;
	struct fx_tensor *bias = NULL;
	struct fx_error *err;

	if (pair->rule->is_chain)
		err = fx_fold_product(graph, pair->layer, pair->second, &weight,
			&bias);
	else
		err = fold_constant(graph, pair, &weight, &bias);
	if (err)
		return err;
	if (!pair->rule->is_chain && pair->rule->term == TERM_NONE &&
		!fx_layer_tensor(pair->layer, "bias"))
		bias = NULL;
	*ret = fx_module_clone(graph,
		pair->rule->is_chain ? pair->second : pair->layer);
	fx_module_add_tensor(*ret, fx_intern("weight"), weight);
	fx_module_add_tensor(*ret, fx_intern("bias"), bias);
	if (pair->rule->is_chain)
		(*ret)->config = fx_layer_with_entry(graph, &(*ret)->config,
			"in_features", weight->sizes[1]);
	return NULL;
}

static struct fx_error *
linear_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct state *state = ctx->state;
	struct fx_module *layer = NULL;
	struct pair pair;
	struct fx_error *err;

	if (!find_pair(state, graph, &state->offered, &pair))
		return fx_error_new(FX_ERR_INTERNAL, "@%llu cannot be folded",
			(unsigned long long)candidate->node);
	state->has_changed = true;
	err = make_layer(graph, &pair, &layer);
	if (!err)
		err = fx_layer_change(&state->holders, pair.layer_node, layer);
	if (!err)
		err = fx_layer_absorb(&state->holders, pair.node,
			pair.layer_node);
	if (!err && state->offered.y.kind == FX_VALUE_NODE &&
		!state->offered.y.node->user_count)
		err = fx_edit_erase(state->offered.y.node);
	return err;
}

static const struct fx_pass_option options[] = {
	{ "grow", FX_PASS_OPTION_SWITCH, "off",
		"two layers also where one has more numbers", NULL },
	{ .name = NULL },
};

const struct fx_pass fx_pass_fuse_linear = {
	.name = "fuse-linear",
	.summary = "what is linear behind a linear layer into it",
	.takes = options,
	.claim = FX_CLAIM_ALGEBRAIC,
	.needs_weights = true,
	.open = linear_open,
	.close = linear_close,
	.plan = linear_plan,
	.apply = linear_apply,
};
