/* rules_norm.c - normalisation. */
#include <config.h>

#include "ir/size.h"
#include "meta/shape.h"

/* Check that parameter NAME is None, or a tensor with one dimension of size
 * CHANNELS.
 */
static bool
fits_channels(struct fx_shape_call *call, const char *name,
	struct fx_value channels)
{
	const struct fx_tensor_meta *meta;

	if (!fx_arg_optional(call, name, &meta))
		return false;
	if (!meta)
		return true;
	if (meta->rank != 1)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"%s needs 1 dimension, not those of %s", name,
			fx_rule_text(call, meta));
	return fx_rule_same_size(call, name, channels, meta->sizes[0]);
}

static bool
check_batch_norm(struct fx_shape_call *call,
	const struct fx_tensor_meta **input_ret)
{
	static const char *const names[] = { "running_mean", "running_var",
		"weight", "bias" };

	if (!fx_arg_first(call, input_ret) ||
		!fx_rule_needs_float(call, *input_ret))
		return false;
	/* Nothing at all is normalized whatever its rank. */
	if ((*input_ret)->rank == 1 &&
		fx_size_is_int((*input_ret)->sizes[0], 0))
		return true;
	if ((*input_ret)->rank < 2)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"at least 2 dimensions are needed, not those of %s",
			fx_rule_text(call, *input_ret));
	for (size_t i = 0; i < FX_ARRAY_LEN(names); i++)
		if (!fits_channels(call, names[i], (*input_ret)->sizes[1]))
			return false;
	return true;
}

/* One value a channel, in COUNT samples, has no variance to train on. */
static bool
enough_to_train(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	struct fx_value count)
{
	for (uint32_t i = 2; i < input->rank; i++)
		count = fx_mul(call, count, input->sizes[i]);
	if (!fx_size_is_int(count, 1))
		return true;
	return fx_rule_fail(call, FX_ERR_SHAPE,
		"training needs more than one value a channel, not %s",
		fx_rule_text(call, input));
}

static bool
read_batch_norm(struct fx_shape_call *call,
	const struct fx_tensor_meta **input_ret, bool *training_ret)
{
	if (!fx_arg_bool(call, "training", training_ret) ||
		!check_batch_norm(call, input_ret))
		return false;
	if (*training_ret || (fx_arg_is_given(call, "running_mean") &&
				     fx_arg_is_given(call, "running_var")))
		return true;
	return fx_rule_fail(call, FX_ERR_VALUE,
		"running_mean and running_var are needed in evaluation");
}

void
fx_shape_batch_norm(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	bool training;

	if (read_batch_norm(call, &input, &training) &&
		(!training || enough_to_train(call, input, input->sizes[0])))
		fx_rule_give_same(call, input, input->dtype);
}

/* The operator behind it does not mind a single value. */
void
fx_shape_torch_batch_norm(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	bool training;

	if (read_batch_norm(call, &input, &training))
		fx_rule_give_same(call, input, input->dtype);
}

/* The result, and mean and variance that training saves. */
void
fx_shape_native_batch_norm(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape shape;
	struct fx_shape saved = { .rank = 1 };
	struct fx_value results[3];
	bool training;

	if (!fx_arg_bool(call, "training", &training) ||
		!check_batch_norm(call, &input))
		return;
	if (training && input->rank < 2) {
		fx_rule_fail(call, FX_ERR_SHAPE, "%s has no channels",
			fx_rule_text(call, input));
		return;
	}
	fx_rule_of(input, &shape);
	saved.sizes[0] = training ? input->sizes[1] : fx_value_int(0);
	results[0] = fx_rule_value(call, input->dtype, &shape);
	results[1] = fx_rule_value(call, input->dtype, &saved);
	results[2] = results[1];
	fx_rule_give_tuple(call, results, 3);
}

void
fx_shape_instance_norm(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	bool training;

	if (fx_arg_bool(call, "use_input_stats", &training) &&
		check_batch_norm(call, &input) &&
		(!training || enough_to_train(call, input, fx_value_int(1))))
		fx_rule_give_same(call, input, input->dtype);
}

/* The last dimensions are NORMALIZED; weight and bias have just them. */
static bool
check_layer_norm(struct fx_shape_call *call, const struct fx_tensor_meta *input,
	const struct fx_shape *normalized)
{
	static const char *const names[] = { "weight", "bias" };
	size_t offset = input->rank - normalized->rank;

	if (normalized->rank == 0)
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"normalized_shape has no dimensions");
	for (size_t i = 0; i < normalized->rank; i++)
		if (normalized->rank > input->rank ||
			fx_rule_differs(call, "normalized_shape",
				input->sizes[offset + i], normalized->sizes[i]))
			return fx_rule_fail(call, FX_ERR_SHAPE,
				"normalized_shape does not end the shape of "
				"%s",
				fx_rule_text(call, input));
	for (size_t k = 0; k < 2; k++) {
		const struct fx_tensor_meta *meta;

		if (!fx_arg(call, names[k]))
			continue;
		if (!fx_arg_optional(call, names[k], &meta))
			return false;
		for (size_t i = 0; meta && i < normalized->rank; i++)
			if (meta->rank != normalized->rank ||
				fx_rule_differs(call, "normalized_shape",
					meta->sizes[i], normalized->sizes[i]))
				return fx_rule_fail(call, FX_ERR_SHAPE,
					"%s %s is not of normalized_shape",
					names[k], fx_rule_text(call, meta));
	}
	return true;
}

static bool
read_layer_norm(struct fx_shape_call *call,
	const struct fx_tensor_meta **input_ret, struct fx_shape *ret)
{
	return fx_arg_tensor(call, "input", input_ret) &&
	       fx_rule_needs_float(call, *input_ret) &&
	       fx_arg_sizes(call, "normalized_shape", ret) &&
	       check_layer_norm(call, *input_ret, ret);
}

void
fx_shape_layer_norm(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape normalized;

	if (read_layer_norm(call, &input, &normalized))
		fx_rule_give_same(call, input, input->dtype);
}

/* The result, mean and reciprocal deviation. */
void
fx_shape_native_layer_norm(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	struct fx_shape normalized;
	struct fx_shape shape;
	struct fx_value results[3];

	if (!read_layer_norm(call, &input, &normalized))
		return;
	fx_rule_of(input, &shape);
	results[0] = fx_rule_value(call, input->dtype, &shape);
	for (size_t i = input->rank - normalized.rank; i < shape.rank; i++)
		shape.sizes[i] = fx_value_int(1);
	results[1] = fx_rule_value(call, input->dtype, &shape);
	results[2] = results[1];
	fx_rule_give_tuple(call, results, 3);
}

/* Gradients of input, weight and bias; None where not asked for. */
void
fx_shape_native_layer_norm_backward(struct fx_shape_call *call)
{
	static const char *const names[] = { "input", "weight", "bias" };
	const struct fx_value *mask = fx_arg(call, "output_mask");
	struct fx_value results[3];

	for (size_t i = 0; i < 3; i++) {
		const struct fx_value *like = fx_arg(call, names[i]);
		bool wanted = fx_value_is_sequence(mask) && mask->count == 3 &&
			      mask->items[i].kind == FX_VALUE_BOOL &&
			      mask->items[i].truth;

		results[i] = wanted ? *like : fx_value_none();
	}
	fx_rule_give_tuple(call, results, 3);
}

void
fx_shape_group_norm(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	int64_t groups;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_int(call, "num_groups", &groups) ||
		!fx_rule_needs_float(call, input))
		return;
	if (input->rank < 2 || groups < 1 ||
		(input->sizes[1].kind == FX_VALUE_INT &&
			input->sizes[1].integer % groups != 0)) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"channels of %s do not divide into %lld groups",
			fx_rule_text(call, input), (long long)groups);
		return;
	}
	if (fits_channels(call, "weight", input->sizes[1]) &&
		fits_channels(call, "bias", input->sizes[1]))
		fx_rule_give_same(call, input, input->dtype);
}

/* Similarity along one dimension of what the two broadcast to. */
static bool
paired(struct fx_shape_call *call, struct fx_shape *ret,
	enum fx_dtype *dtype_ret)
{
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;

	if (!fx_arg_tensor(call, "x1", &a) || !fx_arg_tensor(call, "x2", &b))
		return false;
	fx_rule_of(a, ret);
	*dtype_ret = fx_promote_pair(a->dtype, b->dtype);
	return fx_rule_broadcast(call, ret, b->sizes, b->rank);
}

void
fx_shape_cosine_similarity(struct fx_shape_call *call)
{
	struct fx_shape shape;
	enum fx_dtype dtype;
	size_t dim;

	if (!paired(call, &shape, &dtype) ||
		!fx_arg_dim(call, "dim", shape.rank, &dim))
		return;
	if (fx_dtype_is_integral(dtype)) {
		fx_rule_fail(call, FX_ERR_TYPE, "only floats are compared");
		return;
	}
	fx_rule_drop(&shape, dim);
	fx_rule_give(call, dtype, &shape);
}

void
fx_shape_pairwise_distance(struct fx_shape_call *call)
{
	struct fx_shape shape;
	enum fx_dtype dtype;
	bool keep;

	if (!paired(call, &shape, &dtype) ||
		!fx_arg_bool(call, "keepdim", &keep))
		return;
	if (keep && shape.rank)
		shape.sizes[shape.rank - 1] = fx_value_int(1);
	else if (shape.rank)
		shape.rank--;
	fx_rule_give(call, fx_promote_to_float(dtype), &shape);
}

/* Slices along a dimension, each scaled down to a norm. */
void
fx_shape_renorm(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	size_t dim;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_dim(call, "dim", input->rank, &dim) ||
		!fx_rule_needs_float(call, input))
		return;
	if (input->rank < 2)
		fx_rule_fail(call, FX_ERR_SHAPE, "%s has no slices",
			fx_rule_text(call, input));
	else
		fx_rule_give_same(call, input, input->dtype);
}
