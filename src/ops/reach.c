/* reach.c - the loops over the elements of a sum, by family. */
#include <config.h>

#include "ops/reach.h"

#include "base/mem.h"

/* --- axes ---------------------------------------------------------------- */

static void
stand_at(struct fx_reach_axis *axis, int64_t place)
{
	axis->offset = axis->size == 1 ? 0 : place;
	axis->step = 0;
	axis->divisor = 1;
}

static uint32_t
add_loop(struct fx_reach *reach, int64_t count)
{
	reach->counts[reach->loops] = count;
	return reach->loops++;
}

static void
follow(struct fx_reach_axis *axis, uint32_t loop, int64_t offset, int64_t step)
{
	axis->loop = loop;
	axis->offset = offset;
	axis->step = step;
	axis->divisor = 1;
}

/* --- families ------------------------------------------------------------ */

/* Along some dimensions; the others are those of the result. */
static bool
reduce(const struct fx_reach_call *call, struct fx_reach *reach)
{
	struct fx_reach_operand *a = &reach->operands[0];
	uint32_t at = 0;

	for (uint32_t i = 0; i < a->rank; i++) {
		bool is_gone = call->dims >> i & 1;

		if (is_gone)
			follow(&a->axes[i], add_loop(reach, a->axes[i].size), 0,
				1);
		else if (at >= call->rank)
			return false;
		else
			stand_at(&a->axes[i], call->place[at]);
		at += !is_gone || call->keeps;
	}
	return at == call->rank;
}

/* Along dimensions that all stay as they are. */
static bool
spread(const struct fx_reach_call *call, struct fx_reach *reach)
{
	struct fx_reach_operand *a = &reach->operands[0];

	for (uint32_t i = 0; i < a->rank; i++)
		if (call->dims >> i & 1)
			follow(&a->axes[i], add_loop(reach, a->axes[i].size), 0,
				1);
		else
			stand_at(&a->axes[i], call->place[i]);
	return a->rank == call->rank;
}

/* The channels of one group, and all that follows them. */
static bool
group(const struct fx_reach_call *call, struct fx_reach *reach)
{
	struct fx_reach_operand *a = &reach->operands[0];
	int64_t size;

	if (a->rank < 2 || a->rank != call->rank || call->groups < 1 ||
		a->axes[1].size % call->groups)
		return false;
	size = a->axes[1].size / call->groups;
	stand_at(&a->axes[0], call->place[0]);
	follow(&a->axes[1], add_loop(reach, size), call->place[1] / size * size,
		1);
	for (uint32_t i = 2; i < a->rank; i++)
		follow(&a->axes[i], add_loop(reach, a->axes[i].size), 0, 1);
	return true;
}

/* Rows and columns; leading dimensions are broadcast. */
static bool
matrix(const struct fx_reach_call *call, struct fx_reach *reach)
{
	struct fx_reach_operand *a = &reach->operands[0];
	struct fx_reach_operand *b = &reach->operands[1];
	uint32_t row = a->rank > 1;
	uint32_t column = b->rank > 1;
	uint32_t lead = call->rank - row - column;
	struct fx_reach_axis *sums[2];
	uint32_t loop;

	if (!a->rank || !b->rank || call->rank < row + column ||
		lead + 2 < a->rank || lead + 2 < b->rank)
		return false;
	sums[0] = &a->axes[a->rank - 1];
	sums[1] = &b->axes[b->rank - 1 - column];
	if (sums[0]->size != sums[1]->size)
		return false;
	loop = add_loop(reach, sums[0]->size);
	follow(sums[0], loop, 0, 1);
	follow(sums[1], loop, 0, 1);
	if (row)
		stand_at(&a->axes[a->rank - 2], call->place[lead]);
	if (column)
		stand_at(&b->axes[b->rank - 1], call->place[call->rank - 1]);
	for (uint32_t i = 2; i < a->rank; i++)
		stand_at(&a->axes[a->rank - 1 - i], call->place[lead + 1 - i]);
	for (uint32_t i = 2; i < b->rank; i++)
		stand_at(&b->axes[b->rank - 1 - i], call->place[lead + 1 - i]);
	return true;
}

/* The last dimension of the input with a row of the weights. */
static bool
linear(const struct fx_reach_call *call, struct fx_reach *reach)
{
	struct fx_reach_operand *a = &reach->operands[0];
	struct fx_reach_operand *b = &reach->operands[1];
	uint32_t loop;

	if (!a->rank || b->rank != 2 || call->rank != a->rank ||
		a->axes[a->rank - 1].size != b->axes[1].size)
		return false;
	loop = add_loop(reach, b->axes[1].size);
	for (uint32_t i = 0; i + 1 < a->rank; i++)
		stand_at(&a->axes[i], call->place[i]);
	follow(&a->axes[a->rank - 1], loop, 0, 1);
	stand_at(&b->axes[0], call->place[call->rank - 1]);
	follow(&b->axes[1], loop, 0, 1);
	return true;
}

/* Dimension I, a spatial one, of operand A: where the kernel meets it. */
static void
slide(const struct fx_reach_call *call, uint32_t i, uint32_t loop, int64_t at,
	struct fx_reach_axis *axis)
{
	if (call->is_transposed) {
		follow(axis, loop, at + call->padding[i], -call->dilation[i]);
		axis->divisor = call->stride[i];
	} else {
		follow(axis, loop, at * call->stride[i] - call->padding[i],
			call->dilation[i]);
	}
}

static bool
convolution(const struct fx_reach_call *call, struct fx_reach *reach)
{
	struct fx_reach_operand *a = &reach->operands[0];
	struct fx_reach_operand *b = &reach->operands[1];
	uint32_t spatial = b->rank - 2;
	uint32_t channel = a->rank - spatial - 1; /* 0 without a batch */
	int64_t per_group; /* channels of the result in a group */
	int64_t inputs;
	int64_t which;
	uint32_t loop;

	if (b->rank < 3 || spatial > FX_REACH_SPATIAL ||
		a->rank != call->rank || channel > 1 || call->groups < 1)
		return false;
	per_group = call->is_transposed ? b->axes[1].size
					: b->axes[0].size / call->groups;
	inputs = call->is_transposed ? b->axes[0].size / call->groups
				     : b->axes[1].size;
	if (per_group < 1)
		return false;
	which = call->place[channel] / per_group;
	if (channel)
		stand_at(&a->axes[0], call->place[0]);
	loop = add_loop(reach, inputs);
	follow(&a->axes[channel], loop, which * inputs, 1);
	follow(&b->axes[call->is_transposed ? 0 : 1], loop,
		call->is_transposed ? which * inputs : 0, 1);
	stand_at(&b->axes[call->is_transposed ? 1 : 0],
		call->is_transposed ? call->place[channel] % per_group
				    : call->place[channel]);
	for (uint32_t i = 0; i < spatial; i++) {
		loop = add_loop(reach, b->axes[2 + i].size);
		follow(&b->axes[2 + i], loop, 0, 1);
		slide(call, i, loop, call->place[channel + 1 + i],
			&a->axes[channel + 1 + i]);
	}
	return true;
}

/* How many of SIZE elements a window has, with what is padded counted. */
static int64_t
padded_window(const struct fx_reach_call *call, uint32_t i, int64_t at,
	int64_t size)
{
	int64_t begin = at * call->stride[i] - call->padding[i];

	return FX_MIN(begin + call->kernel[i], size + call->padding[i]) - begin;
}

/* As many of A's last dimensions as SIZES has are the spatial ones; before
 * these the element stands still.
 */
static bool
stand_before(const struct fx_reach_call *call, const int64_t *sizes,
	struct fx_reach_operand *a, uint32_t *spatial_ret)
{
	uint32_t spatial = 0;

	while (spatial < FX_REACH_SPATIAL && sizes[spatial])
		spatial++;
	if (!spatial || a->rank != call->rank || a->rank < spatial)
		return false;
	for (uint32_t i = 0; i < a->rank - spatial; i++)
		stand_at(&a->axes[i], call->place[i]);
	*spatial_ret = spatial;
	return true;
}

/* A window over the last dimensions. */
static bool
window(const struct fx_reach_call *call, struct fx_reach *reach)
{
	struct fx_reach_operand *a = &reach->operands[0];
	uint32_t spatial;
	uint32_t first;

	if (!stand_before(call, call->kernel, a, &spatial))
		return false;
	first = a->rank - spatial;
	for (uint32_t i = 0; i < spatial; i++) {
		struct fx_reach_axis *axis = &a->axes[first + i];

		slide(call, i, add_loop(reach, call->kernel[i]),
			call->place[first + i], axis);
		if (call->counts_padding)
			reach->divisor *= padded_window(call, i,
				call->place[first + i], axis->size);
	}
	return true;
}

/* As many windows as the result has elements. */
static bool
adaptive(const struct fx_reach_call *call, struct fx_reach *reach)
{
	struct fx_reach_operand *a = &reach->operands[0];
	uint32_t spatial;
	uint32_t first;

	if (!stand_before(call, call->output, a, &spatial))
		return false;
	first = a->rank - spatial;
	for (uint32_t i = 0; i < spatial; i++) {
		struct fx_reach_axis *axis = &a->axes[first + i];
		int64_t at = call->place[first + i];
		int64_t out = call->output[i];
		int64_t begin = at * axis->size / out;
		int64_t end = ((at + 1) * axis->size + out - 1) / out;

		follow(axis, add_loop(reach, end - begin), begin, 1);
	}
	return true;
}

/* As the equation has it: what the result has no place for is summed. */
static bool
einsum(const struct fx_reach_call *call, struct fx_reach *reach)
{
	uint32_t loops[UINT8_MAX + 1];
	int64_t places[UINT8_MAX + 1];
	bool is_known[UINT8_MAX + 1] = { false };
	bool has_loop[UINT8_MAX + 1] = { false };

	for (uint32_t i = 0; i < call->rank; i++) {
		is_known[call->result[i]] = true;
		places[call->result[i]] = call->place[i];
	}
	for (size_t k = 0; k < reach->count; k++)
		for (uint32_t i = 0; i < reach->operands[k].rank; i++) {
			struct fx_reach_axis *axis =
				&reach->operands[k].axes[i];
			uint8_t label = call->labels[k][i];

			if (is_known[label] || axis->size == 1) {
				stand_at(axis,
					is_known[label] ? places[label] : 0);
				continue;
			}
			if (!has_loop[label] && reach->loops == FX_REACH_RANK)
				return false;
			if (!has_loop[label])
				loops[label] = add_loop(reach, axis->size);
			has_loop[label] = true;
			follow(axis, loops[label], 0, 1);
		}
	return reach->count > 0;
}

static const struct {
	bool (*fill)(const struct fx_reach_call *call, struct fx_reach *reach);
	size_t operands;
	size_t first;
} families[] = {
	[FX_FORMULA_LAST] = { spread, 1, 0 },
	[FX_FORMULA_GROUP] = { group, 1, 0 },
	[FX_FORMULA_REDUCE] = { reduce, 1, 0 },
	[FX_FORMULA_MATRIX] = { matrix, 2, 0 },
	[FX_FORMULA_MATRIX_ADD] = { matrix, 2, 1 },
	[FX_FORMULA_LINEAR] = { linear, 2, 0 },
	[FX_FORMULA_CONVOLUTION] = { convolution, 2, 0 },
	[FX_FORMULA_EINSUM] = { einsum, 0, 1 },
	[FX_FORMULA_WINDOW] = { window, 1, 0 },
	[FX_FORMULA_ADAPTIVE] = { adaptive, 1, 0 },
	[FX_FORMULA_PLACE] = { NULL, 0, 0 },
};

size_t
fx_reach_operand_count(enum fx_formula_family family)
{
	return families[family].operands;
}

size_t
fx_reach_first_operand(enum fx_formula_family family)
{
	return families[family].first;
}

bool
fx_reach_fill(enum fx_formula_family family, const struct fx_reach_call *call,
	struct fx_reach *ret)
{
	if (families[family].operands)
		ret->count = families[family].operands;
	ret->loops = 0;
	ret->divisor = call->counts_padding;
	return families[family].fill && families[family].fill(call, ret);
}

/* --- going through ------------------------------------------------------- */

uint64_t
fx_reach_rounds(const struct fx_reach *reach)
{
	uint64_t rounds = 1;

	for (uint32_t i = 0; i < reach->loops; i++)
		rounds *= (uint64_t)reach->counts[i];
	return rounds;
}

bool
fx_reach_element(const struct fx_reach *reach, uint64_t round, size_t i,
	uint64_t *ret)
{
	const struct fx_reach_operand *operand = &reach->operands[i];
	int64_t at[FX_REACH_RANK] = { 0 };

	for (uint32_t k = reach->loops; k-- > 0;) {
		at[k] = (int64_t)(round % (uint64_t)reach->counts[k]);
		round /= (uint64_t)reach->counts[k];
	}
	*ret = 0;
	for (uint32_t k = 0; k < operand->rank; k++) {
		const struct fx_reach_axis *axis = &operand->axes[k];
		int64_t place = axis->offset +
				axis->step * (axis->step ? at[axis->loop] : 0);

		if (axis->divisor > 1 && place % axis->divisor)
			return false;
		place /= axis->divisor;
		if (place < 0 || place >= axis->size)
			return false;
		*ret = *ret * (uint64_t)axis->size + (uint64_t)place;
	}
	return true;
}
