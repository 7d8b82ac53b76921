/* rules_conv.c - convolutions and what they undo. */
#include <config.h>

#include <string.h>

#include "ir/size.h"
#include "meta/shape.h"

/* A convolution over SPATIAL dimensions. */
struct conv {
	size_t spatial;
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *weight;
	const struct fx_tensor_meta *bias;
	bool is_batched;
	int64_t stride[3];
	int64_t padding[3];
	int64_t dilation[3];
	int64_t output_padding[3];
	int64_t groups;
	bool is_same; /* padding='same' */
};

static bool
read_tensors(struct fx_shape_call *call, struct conv *conv)
{
	return fx_arg_first(call, &conv->input) &&
	       fx_arg_tensor(call, "weight", &conv->weight) &&
	       fx_arg_optional(call, "bias", &conv->bias) &&
	       fx_rule_same_dtype(call, conv->input, conv->weight) &&
	       fx_rule_same_dtype(call, conv->input, conv->bias);
}

static bool
read_padding(struct fx_shape_call *call, struct conv *conv)
{
	const char *text = fx_arg_text(call, "padding");

	if (!*text)
		return fx_arg_ints(call, "padding", conv->spatial,
			conv->padding);
	conv->is_same = strcmp(text, "same") == 0;
	if (!conv->is_same && strcmp(text, "valid") != 0)
		return fx_rule_fail(call, FX_ERR_VALUE,
			"padding is \"same\" or \"valid\", not \"%s\"", text);
	return true;
}

static bool
read_numbers(struct fx_shape_call *call, struct conv *conv)
{
	conv->groups = 1;
	if (!fx_arg_ints(call, "stride", conv->spatial, conv->stride) ||
		!read_padding(call, conv) ||
		!fx_arg_ints(call, "dilation", conv->spatial, conv->dilation) ||
		!fx_arg_int(call, "groups", &conv->groups))
		return false;
	for (size_t i = 0; i < conv->spatial; i++) {
		if (conv->stride[i] < 1 || conv->dilation[i] < 1)
			return fx_rule_fail(call, FX_ERR_VALUE,
				"stride and dilation must be positive");
		if (conv->padding[i] < 0)
			return fx_rule_fail(call, FX_ERR_VALUE,
				"padding must not be negative");
		if (conv->is_same && conv->stride[i] != 1)
			return fx_rule_fail(call, FX_ERR_VALUE,
				"padding \"same\" needs a stride of 1");
	}
	if (conv->groups < 1)
		return fx_rule_fail(call, FX_ERR_VALUE,
			"groups must be positive");
	return true;
}

/* [N, C, spatial...] or, without a batch, [C, spatial...]. */
static bool
check_ranks(struct fx_shape_call *call, struct conv *conv)
{
	size_t rank = conv->input->rank;

	conv->is_batched = rank == conv->spatial + 2;
	if ((!conv->is_batched && rank != conv->spatial + 1) ||
		conv->weight->rank != conv->spatial + 2)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"input %s and weight %s do not fit %zu dimensions",
			fx_rule_text(call, conv->input),
			fx_rule_text(call, conv->weight), conv->spatial);
	return true;
}

static struct fx_value
channels_of(const struct conv *conv)
{
	return conv->input->sizes[conv->is_batched];
}

static bool
check_bias(struct fx_shape_call *call, const struct conv *conv,
	struct fx_value out)
{
	if (!conv->bias)
		return true;
	if (conv->bias->rank != 1)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"the bias needs 1 dimension, not those of %s",
			fx_rule_text(call, conv->bias));
	return fx_rule_same_size(call, "bias and output channels",
		conv->bias->sizes[0], out);
}

static bool
check_channels(struct fx_shape_call *call, const struct conv *conv,
	struct fx_value wanted)
{
	if (!fx_rule_differs(call, "channels", channels_of(conv), wanted))
		return true;
	if (conv->groups == 1)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"input %s has another number of channels than weight "
			"%s expects",
			fx_rule_text(call, conv->input),
			fx_rule_text(call, conv->weight));
	return fx_rule_fail(call, FX_ERR_SHAPE,
		"input %s has another number of channels than weight %s "
		"expects with %lld groups",
		fx_rule_text(call, conv->input),
		fx_rule_text(call, conv->weight), (long long)conv->groups);
}

/* (size + 2*padding - dilation*(kernel - 1) - 1) // stride + 1 */
static struct fx_value
window_size(struct fx_shape_call *call, const struct conv *conv, size_t i)
{
	struct fx_value size = conv->input->sizes[conv->is_batched + 1 + i];
	struct fx_value reach = fx_mul_int(call,
		fx_add_int(call, conv->weight->sizes[2 + i], -1),
		conv->dilation[i]);
	struct fx_value room;

	if (conv->is_same)
		return size;
	room = fx_add(call, fx_add_int(call, size, 2 * conv->padding[i] - 1),
		fx_mul_int(call, reach, -1));
	if (room.kind == FX_VALUE_INT && room.integer < 0) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"the kernel of %s is larger than input %s",
			fx_rule_text(call, conv->weight),
			fx_rule_text(call, conv->input));
		return size;
	}
	return fx_add_int(call, fx_div_int(call, room, conv->stride[i]), 1);
}

static void
give_conv(struct fx_shape_call *call, const struct conv *conv,
	struct fx_value channels, const struct fx_value *spatial)
{
	struct fx_shape shape = { .rank = 0 };

	if (conv->is_batched)
		shape.sizes[shape.rank++] = conv->input->sizes[0];
	shape.sizes[shape.rank++] = channels;
	for (size_t i = 0; i < conv->spatial; i++)
		shape.sizes[shape.rank++] = spatial[i];
	if (!call->error)
		fx_rule_give(call, conv->input->dtype, &shape);
}

static void
conv_rule(struct fx_shape_call *call, struct conv *conv)
{
	struct fx_value out = conv->weight->sizes[0];
	struct fx_value spatial[3];

	if (!check_channels(call, conv,
		    fx_mul_int(call, conv->weight->sizes[1], conv->groups)) ||
		!check_bias(call, conv, out))
		return;
	if (out.kind == FX_VALUE_INT && out.integer % conv->groups != 0) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%lld output channels are not divisible by %lld "
			"groups",
			(long long)out.integer, (long long)conv->groups);
		return;
	}
	for (size_t i = 0; i < conv->spatial; i++)
		spatial[i] = window_size(call, conv, i);
	give_conv(call, conv, out, spatial);
}

/* (size - 1)*stride - 2*padding + dilation*(kernel - 1) + output_padding + 1 */
static struct fx_value
unwindow_size(struct fx_shape_call *call, const struct conv *conv, size_t i)
{
	struct fx_value size = conv->input->sizes[conv->is_batched + 1 + i];
	struct fx_value reach = fx_mul_int(call,
		fx_add_int(call, conv->weight->sizes[2 + i], -1),
		conv->dilation[i]);
	struct fx_value grown =
		fx_mul_int(call, fx_add_int(call, size, -1), conv->stride[i]);
	struct fx_value result = fx_add_int(call, fx_add(call, grown, reach),
		conv->output_padding[i] - 2 * conv->padding[i] + 1);

	if (result.kind == FX_VALUE_INT && result.integer < 1)
		fx_rule_fail(call, FX_ERR_SHAPE,
			"input %s is too small for the padding",
			fx_rule_text(call, conv->input));
	return result;
}

static void
transpose_rule(struct fx_shape_call *call, struct conv *conv)
{
	struct fx_value out =
		fx_mul_int(call, conv->weight->sizes[1], conv->groups);
	struct fx_value spatial[3];

	if (!fx_arg_ints(call, "output_padding", conv->spatial,
		    conv->output_padding) ||
		!check_channels(call, conv, conv->weight->sizes[0]) ||
		!check_bias(call, conv, out))
		return;
	for (size_t i = 0; i < conv->spatial; i++) {
		if (conv->output_padding[i] < 0 ||
			(conv->output_padding[i] >= conv->stride[i] &&
				conv->output_padding[i] >= conv->dilation[i])) {
			fx_rule_fail(call, FX_ERR_VALUE,
				"output_padding must be smaller than stride "
				"or dilation");
			return;
		}
		spatial[i] = unwindow_size(call, conv, i);
	}
	give_conv(call, conv, out, spatial);
}

void
fx_shape_conv(struct fx_shape_call *call)
{
	struct conv conv = { .spatial = fx_rule_spatial(call) };

	if (read_tensors(call, &conv) && check_ranks(call, &conv) &&
		read_numbers(call, &conv))
		conv_rule(call, &conv);
}

void
fx_shape_conv_transpose(struct fx_shape_call *call)
{
	struct conv conv = { .spatial = fx_rule_spatial(call) };

	if (read_tensors(call, &conv) && check_ranks(call, &conv) &&
		read_numbers(call, &conv))
		transpose_rule(call, &conv);
}

/* The operator behind them all; the rank of the weight says how many. */
void
fx_shape_convolution(struct fx_shape_call *call)
{
	struct conv conv = { .spatial = 0 };
	bool transposed;

	if (!read_tensors(call, &conv))
		return;
	if (conv.weight->rank < 3 || conv.weight->rank > 5) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"weight %s is for no convolution",
			fx_rule_text(call, conv.weight));
		return;
	}
	conv.spatial = conv.weight->rank - 2;
	if (!check_ranks(call, &conv) || !read_numbers(call, &conv) ||
		!fx_arg_bool(call, "transposed", &transposed))
		return;
	if (!conv.is_batched) {
		fx_rule_fail(call, FX_ERR_SHAPE, "input %s has no batch",
			fx_rule_text(call, conv.input));
		return;
	}
	if (transposed)
		transpose_rule(call, &conv);
	else
		conv_rule(call, &conv);
}
