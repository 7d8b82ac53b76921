/* rules_recurrent.c - recurrent layers as torch.lstm and its family run them.
 *
 * Input and output are sequence, batch, features (or batch first); a state is
 * layers times directions, batch, features.
 */
#include <config.h>

#include "meta/shape.h"

struct recurrent {
	const struct fx_tensor_meta *input;
	int64_t layers;
	int64_t directions;
	bool batch_first;
};

/* LIST is the argument that is a list, where the sequence is not packed: then
 * the sizes of the batch come before it.
 */
static bool
read_arguments(struct fx_shape_call *call, const char *list,
	struct recurrent *r)
{
	bool is_bidirectional;

	if (fx_arg(call, "hx")->kind == FX_VALUE_UNKNOWN)
		return fx_rule_give_up(call, "the state is not known");
	if (fx_arg(call, list)->kind == FX_VALUE_TENSOR)
		return fx_rule_give_up(call,
			"packed sequences are not known here");
	if (!fx_arg_tensor(call, "input", &r->input) ||
		!fx_arg_int(call, "num_layers", &r->layers) ||
		!fx_arg_bool(call, "bidirectional", &is_bidirectional) ||
		!fx_arg_bool(call, "batch_first", &r->batch_first))
		return false;
	r->directions = is_bidirectional ? 2 : 1;
	if (r->input->rank == 3)
		return true;
	return fx_rule_fail(call, FX_ERR_SHAPE,
		"the input needs 3 dimensions, not those of %s",
		fx_rule_text(call, r->input));
}

/* VALUE is a state that goes with the input. */
static bool
read_state(struct fx_shape_call *call, const struct recurrent *r,
	const struct fx_value *value, const struct fx_tensor_meta **ret)
{
	struct fx_value count =
		fx_mul_int(call, fx_value_int(r->layers), r->directions);
	struct fx_value batch = r->input->sizes[r->batch_first ? 0 : 1];

	if (!fx_arg_as_tensor(call, value, "the state", ret))
		return false;
	if ((*ret)->rank != 3)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"the state needs 3 dimensions, not those of %s",
			fx_rule_text(call, *ret));
	return fx_rule_same_dtype(call, r->input, *ret) &&
	       fx_rule_same_size(call, "layers of the state", count,
		       (*ret)->sizes[0]) &&
	       fx_rule_same_size(call, "batches of input and state", batch,
		       (*ret)->sizes[1]);
}

/* The first weight takes the input's features. */
static bool
check_weights(struct fx_shape_call *call, const struct recurrent *r)
{
	const struct fx_value *params = fx_arg(call, "params");
	const struct fx_tensor_meta *first;

	if ((params->kind != FX_VALUE_LIST && params->kind != FX_VALUE_TUPLE) ||
		params->count == 0)
		return fx_rule_give_up(call, "the weights are not known");
	if (!fx_arg_as_tensor(call, &params->items[0], "a weight", &first))
		return false;
	if (first->rank != 2)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"a weight needs 2 dimensions, not those of %s",
			fx_rule_text(call, first));
	return fx_rule_same_size(call, "features of input and weight",
		r->input->sizes[2], first->sizes[1]);
}

static struct fx_value
output_of(struct fx_shape_call *call, const struct recurrent *r,
	const struct fx_tensor_meta *state)
{
	struct fx_shape shape;

	fx_rule_of(r->input, &shape);
	shape.sizes[2] = fx_mul_int(call, state->sizes[2], r->directions);
	return fx_rule_value(call, r->input->dtype, &shape);
}

static struct fx_value
state_of(struct fx_shape_call *call, const struct fx_tensor_meta *state)
{
	struct fx_shape shape;

	fx_rule_of(state, &shape);
	return fx_rule_value(call, state->dtype, &shape);
}

void
fx_shape_lstm(struct fx_shape_call *call)
{
	const struct fx_value *hx = fx_arg(call, "hx");
	const struct fx_tensor_meta *h;
	const struct fx_tensor_meta *c;
	struct recurrent r;

	if (!read_arguments(call, "hx", &r))
		return;
	if ((hx->kind != FX_VALUE_LIST && hx->kind != FX_VALUE_TUPLE) ||
		hx->count != 2) {
		fx_rule_give_up(call, "the state is not known");
		return;
	}
	if (read_state(call, &r, &hx->items[0], &h) &&
		read_state(call, &r, &hx->items[1], &c) &&
		check_weights(call, &r))
		fx_rule_give_tuple(call,
			(struct fx_value[]){ output_of(call, &r, h),
				state_of(call, h), state_of(call, c) },
			3);
}

/* gru, rnn_tanh, rnn_relu: one state. */
void
fx_shape_recurrent(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *state;
	struct recurrent r;

	if (read_arguments(call, "params", &r) &&
		read_state(call, &r, fx_arg(call, "hx"), &state) &&
		check_weights(call, &r))
		fx_rule_give_tuple(call,
			(struct fx_value[]){ output_of(call, &r, state),
				state_of(call, state) },
			2);
}
