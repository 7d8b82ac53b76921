/* explain_call.c - what the call of a sum says besides its operands. */
#include <config.h>

#include <string.h>

#include "ir/node.h"
#include "ops/reach.h"
#include "run/explain_private.h"

int64_t
fx_explain_int(const struct fx_value *value, int64_t otherwise)
{
	if (value && value->kind == FX_VALUE_INT)
		return value->integer;
	if (value && value->kind == FX_VALUE_BOOL)
		return value->truth;
	return otherwise;
}

/* The first ints of NAME: of a number alone it for each. */
static size_t
read_ints(const struct fx_explaining *e, const char *name, int64_t *ret,
	size_t limit)
{
	const struct fx_value *value = fx_explain_find(e, name);
	size_t count = value ? fx_value_item_count(value) : 0;

	if (value && value->kind == FX_VALUE_INT)
		for (size_t i = 0; i < limit; i++)
			ret[i] = value->integer;
	if (value && value->kind == FX_VALUE_INT)
		return limit;
	for (size_t i = 0; i < count && i < limit; i++)
		ret[i] = fx_explain_int(fx_explain_plain(e, &value->items[i]),
			0);
	/* (2,) stands for each as well. */
	for (size_t i = count; count == 1 && i < limit; i++)
		ret[i] = ret[0];
	return FX_MIN(count, limit);
}

/* The dimensions of the first operand that are gone through. */
static uint32_t
read_dims(const struct fx_explaining *e, int64_t rank)
{
	int64_t dims[FX_REACH_RANK];
	const struct fx_value *dim = fx_explain_find(e, "dim");
	size_t count = fx_value_item_count(dim ? dim : &(struct fx_value){ 0 });
	uint32_t bits = 0;

	if (fx_explain_find(e, "normalized_shape")) {
		count = read_ints(e, "normalized_shape", dims, FX_REACH_RANK);
		for (size_t i = 0; i < count; i++)
			bits |= 1u << (rank - 1 - (int64_t)i);
		return bits;
	}
	if (!dim || dim->kind == FX_VALUE_NONE ||
		(dim->kind != FX_VALUE_INT && !count))
		return rank ? (1u << rank) - 1 : 0;
	read_ints(e, "dim", dims, FX_REACH_RANK);
	for (size_t i = 0; i < FX_MAX(count, 1); i++) {
		int64_t at = dims[i] < 0 ? dims[i] + rank : dims[i];

		if (at >= 0 && at < rank)
			bits |= 1u << at;
	}
	return bits;
}

/* "same" pads as much as keeps the size; "valid" not at all. */
static void
read_padding(const struct fx_explaining *e, const struct fx_reach *reach,
	struct fx_reach_call *call)
{
	const struct fx_value *padding = fx_explain_find(e, "padding");
	const struct fx_reach_operand *weight = &reach->operands[1];

	read_ints(e, "padding", call->padding, FX_REACH_SPATIAL);
	if (!padding || padding->kind != FX_VALUE_STRING ||
		strncmp(padding->text, "same", 4) != 0)
		return;
	for (uint32_t i = 0; i + 2 < weight->rank && i < FX_REACH_SPATIAL; i++)
		call->padding[i] =
			call->dilation[i] * (weight->axes[2 + i].size - 1) / 2;
}

/* Pooling has as many spatial dimensions as its name says. */
static uint32_t
spatial_of(const struct fx_node *node, uint32_t rank)
{
	const char *digit = strpbrk(node->target, "123");

	return digit ? (uint32_t)(*digit - '0') : FX_MIN(rank, 2);
}

void
fx_explain_read_call(const struct fx_explaining *e,
	const struct fx_reach *reach, const struct fx_extent *input,
	struct fx_reach_call *call)
{
	uint32_t rank = input->rank;
	uint32_t spatial = spatial_of(e->spot.node, e->extent.rank);
	static const int64_t ones[FX_REACH_SPATIAL] = { 1, 1, 1 };

	*call = (struct fx_reach_call){ .rank = e->extent.rank,
		.keeps = fx_explain_int(fx_explain_find(e, "keepdim"), 0),
		.groups = fx_explain_int(fx_explain_find(e, "groups"),
			fx_explain_int(fx_explain_find(e, "num_groups"), 1)),
		.is_transposed =
			fx_explain_int(fx_explain_find(e, "transposed"), 0) ||
			fx_explain_find(e, "output_padding") != NULL,
		.counts_padding =
			fx_explain_int(fx_explain_find(e, "count_include_pad"),
				0) };
	if (fx_explain_find(e, "transposed"))
		call->is_transposed =
			fx_explain_int(fx_explain_find(e, "transposed"), 0);
	/* Of instances each channel is a group. */
	if (fx_explain_find(e, "use_input_stats") && rank > 1)
		call->groups = input->sizes[1];
	memcpy(call->place, e->place, sizeof(int64_t) * e->extent.rank);
	memcpy(call->dilation, ones, sizeof(ones));
	memcpy(call->stride, ones, sizeof(ones));
	call->dims = read_dims(e, rank);
	read_ints(e, "kernel_size", call->kernel, spatial);
	if (!read_ints(e, "stride", call->stride, FX_REACH_SPATIAL) &&
		call->kernel[0])
		memcpy(call->stride, call->kernel, sizeof(call->kernel));
	read_ints(e, "dilation", call->dilation, FX_REACH_SPATIAL);
	read_padding(e, reach, call);
	for (uint32_t i = 0; i < spatial && spatial <= e->extent.rank; i++)
		call->output[i] = e->extent.sizes[e->extent.rank - spatial + i];
}
