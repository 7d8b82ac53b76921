/* rules_embedding.c - embeddings and losses. */
#include <config.h>

#include <string.h>

#include "ir/size.h"
#include "meta/shape.h"

static bool
needs_indices(struct fx_shape_call *call, const struct fx_tensor_meta *meta)
{
	if (!meta->dtype || meta->dtype == FX_DTYPE_I64 ||
		meta->dtype == FX_DTYPE_I32)
		return true;
	return fx_rule_fail(call, FX_ERR_TYPE,
		"indices must be int64 or int32, not %s",
		fx_dtype_info(meta->dtype)->name);
}

static bool
check_table(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	const struct fx_tensor_meta *weight)
{
	if (!needs_indices(call, input))
		return false;
	if (weight->rank == 2)
		return true;
	return fx_rule_fail(call, FX_ERR_SHAPE,
		"the weight needs 2 dimensions, not those of %s",
		fx_rule_text(call, weight));
}

static bool
read_embedding(struct fx_shape_call *call, const struct fx_tensor_meta **input,
	const struct fx_tensor_meta **weight)
{
	return fx_arg_tensor(call, "input", input) &&
	       fx_arg_tensor(call, "weight", weight) &&
	       check_table(call, *input, *weight);
}

static bool
is_table(const struct fx_tensor_meta *meta)
{
	return fx_dtype_is_float(meta->dtype);
}

/* The two may stand in the other order, which was the only one once. */
static bool
read_bags(struct fx_shape_call *call, const struct fx_tensor_meta **input,
	const struct fx_tensor_meta **weight)
{
	const struct fx_tensor_meta *first;
	const struct fx_tensor_meta *second;

	if (!fx_arg_tensor(call, "input", &first) ||
		!fx_arg_tensor(call, "weight", &second))
		return false;
	if (is_table(first) && !is_table(second)) {
		*input = second;
		*weight = first;
	} else {
		*input = first;
		*weight = second;
	}
	return check_table(call, *input, *weight);
}

void
fx_shape_embedding(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *weight;
	struct fx_shape shape;

	if (!read_embedding(call, &input, &weight))
		return;
	fx_rule_of(input, &shape);
	if (fx_rule_push(call, &shape, weight->sizes[1]))
		fx_rule_give(call, weight->dtype, &shape);
}

/* Bags are rows, or lie between offsets. */
void
fx_shape_embedding_bag(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *weight;
	const struct fx_tensor_meta *offsets;
	struct fx_shape shape = { .rank = 2 };
	bool include_last;

	if (!read_bags(call, &input, &weight) ||
		!fx_arg_optional(call, "offsets", &offsets) ||
		!fx_arg_bool(call, "include_last_offset", &include_last))
		return;
	if ((input->rank != 2 && input->rank != 1) ||
		(input->rank == 1) != (offsets != NULL) ||
		(offsets && offsets->rank != 1)) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"%s with%s offsets makes no bags",
			fx_rule_text(call, input), offsets ? "" : "out");
		return;
	}
	shape.sizes[0] = offsets ? offsets->sizes[0] : input->sizes[0];
	if (offsets && include_last)
		shape.sizes[0] = fx_add_int(call, shape.sizes[0], -1);
	shape.sizes[1] = weight->sizes[1];
	fx_rule_give(call, weight->dtype, &shape);
}

void
fx_shape_one_hot(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	struct fx_value classes;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_size(call, "num_classes", &classes))
		return;
	if (input->dtype && input->dtype != FX_DTYPE_I64) {
		fx_rule_fail(call, FX_ERR_TYPE, "classes are int64, not %s",
			fx_dtype_info(input->dtype)->name);
		return;
	}
	if (classes.kind == FX_VALUE_INT && classes.integer <= 0) {
		fx_rule_give_up(call, "the number of classes depends on data");
		return;
	}
	fx_rule_of(input, &shape);
	if (fx_rule_push(call, &shape, classes))
		fx_rule_give(call, FX_DTYPE_I64, &shape);
}

/* Give SHAPE if the call reduces nothing, else the shape of a single number. */
static void
give_loss(struct fx_shape_call *call, enum fx_dtype dtype,
	struct fx_shape *shape)
{
	const char *reduction = fx_arg_text(call, "reduction");
	const struct fx_value *reduce = fx_arg(call, "reduce");
	bool none = strcmp(reduction, "none") == 0;

	if (!none && strcmp(reduction, "mean") != 0 &&
		strcmp(reduction, "sum") != 0 &&
		strcmp(reduction, "batchmean") != 0) {
		fx_rule_fail(call, FX_ERR_VALUE, "there is no reduction \"%s\"",
			reduction);
		return;
	}
	if (reduce && reduce->kind == FX_VALUE_BOOL)
		none = !reduce->truth;
	if (!none)
		shape->rank = 0;
	fx_rule_give(call, dtype, shape);
}

static bool
read_loss(struct fx_shape_call *call, const struct fx_tensor_meta **input,
	const struct fx_tensor_meta **target)
{
	return fx_arg_tensor(call, "input", input) &&
	       fx_arg_tensor(call, "target", target);
}

/* Losses of elements, which broadcast. */
void
fx_shape_loss(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *target;
	struct fx_promotion promotion = { 0 };
	struct fx_shape shape;

	if (!read_loss(call, &input, &target))
		return;
	fx_rule_of(input, &shape);
	fx_promote_add(&promotion, fx_arg(call, "input"));
	fx_promote_add(&promotion, fx_arg(call, "target"));
	if (!fx_rule_broadcast(call, &shape, target->sizes, target->rank))
		return;
	if (fx_rule_needs_float_dtype(call, fx_promote_result(&promotion)))
		give_loss(call, fx_promote_result(&promotion), &shape);
}

static bool
same_shape(struct fx_shape_call *call, const struct fx_tensor_meta *a,
	const struct fx_tensor_meta *b)
{
	bool same = a->rank == b->rank;

	for (uint32_t i = 0; same && i < a->rank; i++)
		same = !fx_rule_differs(call, "sizes of both sides",
			a->sizes[i], b->sizes[i]);
	return same;
}

/* Losses whose two sides are of one shape. */
void
fx_shape_loss_same(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *target;
	struct fx_shape shape;

	if (!read_loss(call, &input, &target) ||
		!fx_rule_needs_float(call, input))
		return;
	if (!same_shape(call, input, target)) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"input and target differ: %s and %s",
			fx_rule_text(call, input), fx_rule_text(call, target));
		return;
	}
	fx_rule_of(input, &shape);
	give_loss(call, input->dtype, &shape);
}

/* Input [N, C, ...], classes [N, ...]. */
static void
class_loss(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	const struct fx_tensor_meta *target)
{
	struct fx_shape shape = { .rank = 0 };
	bool batched = input->rank > 1;

	if (input->rank == 0 || target->rank + 1 != input->rank) {
		fx_rule_fail(call, FX_ERR_SHAPE, "classes %s do not fit %s",
			fx_rule_text(call, target), fx_rule_text(call, input));
		return;
	}
	for (uint32_t i = 0; i < target->rank; i++) {
		struct fx_value size =
			input->sizes[i == 0 && batched ? 0 : i + 1];

		if (fx_rule_differs(call, "sizes of the classes", size,
			    target->sizes[i])) {
			fx_rule_fail(call, FX_ERR_SHAPE,
				"classes %s do not fit %s",
				fx_rule_text(call, target),
				fx_rule_text(call, input));
			return;
		}
		shape.sizes[shape.rank++] = size;
	}
	give_loss(call, input->dtype, &shape);
}

void
fx_shape_nll_loss(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *target;

	if (!read_loss(call, &input, &target) ||
		!fx_rule_needs_float(call, input))
		return;
	if (target->dtype && target->dtype != FX_DTYPE_I64 &&
		target->dtype != FX_DTYPE_U8) {
		fx_rule_fail(call, FX_ERR_TYPE, "classes are int64, not %s",
			fx_dtype_info(target->dtype)->name);
		return;
	}
	class_loss(call, input, target);
}

/* The target has classes, or probabilities of the input's shape. */
void
fx_shape_cross_entropy(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *target;
	struct fx_shape shape;

	if (!read_loss(call, &input, &target) ||
		!fx_rule_needs_float(call, input))
		return;
	if (!fx_dtype_is_float(target->dtype) || target->rank != input->rank) {
		fx_shape_nll_loss(call);
		return;
	}
	for (uint32_t i = 0; i < input->rank; i++)
		if (!fx_rule_same_size(call, "input and target",
			    input->sizes[i], target->sizes[i]))
			return;
	fx_rule_of(input, &shape);
	fx_rule_drop(&shape, shape.rank > 1);
	give_loss(call, input->dtype, &shape);
}
