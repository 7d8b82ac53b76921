/* rules_matrix.c - products of matrices. */
#include <config.h>

#include "ir/size.h"
#include "meta/shape.h"

static bool
needs_rank(struct fx_shape_call *call, const struct fx_tensor_meta *meta,
	const char *what, uint32_t rank)
{
	if (meta->rank == rank)
		return true;
	return fx_rule_fail(call, FX_ERR_SHAPE,
		"%s needs %u dimensions, not those of %s", what, rank,
		fx_rule_text(call, meta));
}

/* The inner dimensions of a product of A and B. */
static bool
inner_agree(struct fx_shape_call *call, const struct fx_tensor_meta *a,
	const struct fx_tensor_meta *b)
{
	struct fx_value left = a->sizes[a->rank - 1];
	struct fx_value right = b->sizes[b->rank > 1 ? b->rank - 2 : 0];

	if (!fx_rule_differs(call, "inner dimensions", left, right))
		return fx_rule_same_dtype(call, a, b);
	return fx_rule_fail(call, FX_ERR_SHAPE,
		"inner dimensions differ, %s and %s: %s and %s",
		fx_rule_size_text(call, left), fx_rule_size_text(call, right),
		fx_rule_text(call, a), fx_rule_text(call, b));
}

static bool
two_tensors(struct fx_shape_call *call, const struct fx_tensor_meta **a,
	const struct fx_tensor_meta **b)
{
	return fx_arg_first(call, a) &&
	       fx_arg_as_tensor(call, fx_arg_at(call, 1), "the second operand",
		       b);
}

void
fx_shape_matmul(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;
	struct fx_shape shape = { .rank = 0 };

	if (!two_tensors(call, &a, &b))
		return;
	if (a->rank == 0 || b->rank == 0) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"both need dimensions: %s and %s",
			fx_rule_text(call, a), fx_rule_text(call, b));
		return;
	}
	if (!inner_agree(call, a, b))
		return;
	if (a->rank > 2)
		fx_rule_broadcast(call, &shape, a->sizes, a->rank - 2);
	if (b->rank > 2 &&
		!fx_rule_broadcast(call, &shape, b->sizes, b->rank - 2))
		return;
	if (a->rank > 1)
		shape.sizes[shape.rank++] = a->sizes[a->rank - 2];
	if (b->rank > 1)
		shape.sizes[shape.rank++] = b->sizes[b->rank - 1];
	fx_rule_give(call, a->dtype ? a->dtype : b->dtype, &shape);
}

/* The product of two tensors of RANK, the first dimensions batches. */
static bool
multiply(struct fx_shape_call *call, const struct fx_tensor_meta *a,
	const struct fx_tensor_meta *b, uint32_t rank, struct fx_shape *ret)
{
	if (!needs_rank(call, a, "the first matrix", rank) ||
		!needs_rank(call, b, "the second matrix", rank) ||
		!inner_agree(call, a, b))
		return false;
	if (rank == 3 &&
		!fx_rule_same_size(call, "batches", a->sizes[0], b->sizes[0]))
		return false;
	fx_rule_of(a, ret);
	ret->sizes[rank - 1] = b->sizes[rank - 1];
	return true;
}

void
fx_shape_mm(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;
	struct fx_shape shape;

	if (two_tensors(call, &a, &b) && multiply(call, a, b, 2, &shape))
		fx_rule_give(call, a->dtype, &shape);
}

void
fx_shape_bmm(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;
	struct fx_shape shape;

	if (two_tensors(call, &a, &b) && multiply(call, a, b, 3, &shape))
		fx_rule_give(call, a->dtype, &shape);
}

void
fx_shape_mv(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;
	struct fx_shape shape = { .rank = 1 };

	if (!two_tensors(call, &a, &b) ||
		!needs_rank(call, a, "the matrix", 2) ||
		!needs_rank(call, b, "the vector", 1) ||
		!inner_agree(call, a, b))
		return;
	shape.sizes[0] = a->sizes[0];
	fx_rule_give(call, a->dtype, &shape);
}

/* Append the sizes of META that are not among DIMS, a set of bits. */
static bool
push_others(struct fx_shape_call *call, const struct fx_tensor_meta *meta,
	uint64_t dims, struct fx_shape *shape)
{
	for (uint32_t i = 0; i < meta->rank; i++)
		if (!(dims >> i & 1) &&
			!fx_rule_push(call, shape, meta->sizes[i]))
			return false;
	return true;
}

/* Sums over the last dimensions; a tensor without any is a factor. */
void
fx_shape_inner(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;
	struct fx_shape shape = { .rank = 0 };

	if (!two_tensors(call, &a, &b))
		return;
	if (a->rank == 0 || b->rank == 0) {
		fx_rule_give_same(call, a->rank ? a : b, a->dtype);
		return;
	}
	if (fx_rule_same_size(call, "lengths", a->sizes[a->rank - 1],
		    b->sizes[b->rank - 1]) &&
		fx_rule_same_dtype(call, a, b) &&
		push_others(call, a, (uint64_t)1 << (a->rank - 1), &shape) &&
		push_others(call, b, (uint64_t)1 << (b->rank - 1), &shape))
		fx_rule_give(call, a->dtype, &shape);
}

/* dot, vdot. */
void
fx_shape_dot(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;

	if (two_tensors(call, &a, &b) &&
		needs_rank(call, a, "the first vector", 1) &&
		needs_rank(call, b, "the second vector", 1))
		fx_shape_inner(call);
}

void
fx_shape_outer(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;
	struct fx_shape shape = { .rank = 2 };

	if (!two_tensors(call, &a, &b) ||
		!needs_rank(call, a, "the first vector", 1) ||
		!needs_rank(call, b, "the second vector", 1))
		return;
	shape.sizes[0] = a->sizes[0];
	shape.sizes[1] = b->sizes[0];
	fx_rule_give(call, fx_promote_pair(a->dtype, b->dtype), &shape);
}

/* Whether ADDED can be added to a result of SHAPE without making it grow. */
static bool
expands_to(struct fx_shape_call *call, const struct fx_tensor_meta *added,
	const struct fx_shape *shape)
{
	struct fx_shape sum = *shape;

	if (!fx_rule_broadcast(call, &sum, added->sizes, added->rank))
		return false;
	for (size_t i = 0; i < shape->rank; i++)
		if (sum.rank != shape->rank ||
			fx_rule_differs(call, "sizes of the product",
				sum.sizes[i], shape->sizes[i]))
			return fx_rule_fail(call, FX_ERR_SHAPE,
				"%s does not expand to the product",
				fx_rule_text(call, added));
	return true;
}

/* input + a @ b, the input only broadcast. */
static void
add_product(struct fx_shape_call *call, uint32_t rank)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_as_tensor(call, fx_arg_at(call, 1), "the first matrix",
			&a) ||
		!fx_arg_as_tensor(call, fx_arg_at(call, 2), "the second matrix",
			&b) ||
		!multiply(call, a, b, rank, &shape) ||
		!fx_rule_same_dtype(call, input, a))
		return;
	if (expands_to(call, input, &shape))
		fx_rule_give(call, a->dtype, &shape);
}

void
fx_shape_addmm(struct fx_shape_call *call)
{
	add_product(call, 2);
}

void
fx_shape_baddbmm(struct fx_shape_call *call)
{
	add_product(call, 3);
}

void
fx_shape_linear(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *input;
	const struct fx_tensor_meta *weight;
	const struct fx_tensor_meta *bias;
	struct fx_shape shape;

	if (!fx_arg_first(call, &input) ||
		!fx_arg_tensor(call, "weight", &weight) ||
		!fx_arg_optional(call, "bias", &bias))
		return;
	/* A vector of weights and a bias meet in matmul only. */
	if (weight->rank == 0 || weight->rank > 2 || input->rank == 0 ||
		(bias && weight->rank == 1 && input->rank < 4)) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"a matrix of weights is needed: %s and %s",
			fx_rule_text(call, input), fx_rule_text(call, weight));
		return;
	}
	if (fx_rule_differs(call, "inner dimensions",
		    input->sizes[input->rank - 1],
		    weight->sizes[weight->rank - 1])) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"inner dimensions differ: input %s, weight %s",
			fx_rule_text(call, input), fx_rule_text(call, weight));
		return;
	}
	if (!fx_rule_same_dtype(call, input, weight) ||
		!fx_rule_same_dtype(call, input, bias))
		return;
	fx_rule_of(input, &shape);
	if (weight->rank == 2)
		shape.sizes[shape.rank - 1] = weight->sizes[0];
	else
		shape.rank--;
	if (!bias || expands_to(call, bias, &shape))
		fx_rule_give(call, input->dtype, &shape);
}

void
fx_shape_bilinear(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;
	const struct fx_tensor_meta *weight;
	struct fx_shape shape;

	if (!two_tensors(call, &a, &b) ||
		!fx_arg_tensor(call, "weight", &weight) ||
		!needs_rank(call, weight, "the weight", 3))
		return;
	if (a->rank == 0 || a->rank != b->rank) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"inputs differ in rank: %s and %s",
			fx_rule_text(call, a), fx_rule_text(call, b));
		return;
	}
	for (uint32_t i = 0; i + 1 < a->rank; i++)
		if (!fx_rule_same_size(call, "batches", a->sizes[i],
			    b->sizes[i]))
			return;
	if (!fx_rule_same_size(call, "features of the first input",
		    a->sizes[a->rank - 1], weight->sizes[1]) ||
		!fx_rule_same_size(call, "features of the second input",
			b->sizes[b->rank - 1], weight->sizes[2]))
		return;
	fx_rule_of(a, &shape);
	shape.sizes[shape.rank - 1] = weight->sizes[0];
	fx_rule_give(call, a->dtype, &shape);
}

/* Set *RET to the list of dimensions of META that tensordot contracts.  META is
 * the first operand if FIRST, else the second.
 */
static bool
contracted(struct fx_shape_call *call, const struct fx_value *dims, bool first,
	const struct fx_tensor_meta *meta, struct fx_shape *ret)
{
	if (dims->kind == FX_VALUE_INT) {
		int64_t count = dims->integer;

		if (count < 0 || count > meta->rank)
			return fx_rule_fail(call, FX_ERR_RANGE,
				"%lld dimensions of %s cannot be contracted",
				(long long)count, fx_rule_text(call, meta));
		ret->rank = (size_t)count;
		for (int64_t i = 0; i < count; i++)
			ret->sizes[i] =
				fx_value_int(first ? meta->rank - count + i
						   : i);
		return true;
	}
	if (!fx_value_is_sequence(dims) || dims->count != 2)
		return fx_rule_give_up(call, "dims are not known");
	return fx_arg_as_sizes(call, &dims->items[!first], "dims", ret);
}

/* Make LIST, dimensions of META, their sizes, and *USED_RET the set of them. */
static bool
take_contracted(struct fx_shape_call *call, const struct fx_tensor_meta *meta,
	struct fx_shape *list, uint64_t *used_ret)
{
	*used_ret = 0;
	for (size_t i = 0; i < list->rank; i++) {
		int64_t number;
		size_t dim = 0;

		if (!fx_arg_as_int(call, &list->sizes[i], "dims", &number) ||
			!fx_rule_dim(call, number, meta->rank, &dim))
			return false;
		if (dim >= meta->rank)
			return fx_rule_fail(call, FX_ERR_RANGE,
				"a tensor without dimensions has none to "
				"contract");
		if (*used_ret >> dim & 1)
			return fx_rule_fail(call, FX_ERR_VALUE,
				"dimension %zu appears twice", dim);
		*used_ret |= (uint64_t)1 << dim;
		list->sizes[i] = meta->sizes[dim];
	}
	return true;
}

void
fx_shape_tensordot(struct fx_shape_call *call)
{
	const struct fx_value *dims = fx_arg(call, "dims");
	const struct fx_tensor_meta *metas[2];
	struct fx_shape lists[2];
	struct fx_shape shape = { .rank = 0 };
	uint64_t used[2];

	if (!two_tensors(call, &metas[0], &metas[1]))
		return;
	for (int k = 0; k < 2; k++)
		if (!contracted(call, dims, k == 0, metas[k], &lists[k]) ||
			!take_contracted(call, metas[k], &lists[k], &used[k]))
			return;
	if (lists[0].rank != lists[1].rank) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"unequal numbers of dimensions are contracted");
		return;
	}
	for (size_t i = 0; i < lists[0].rank; i++)
		if (!fx_rule_same_size(call, "contracted dimensions",
			    lists[0].sizes[i], lists[1].sizes[i]))
			return;
	if (push_others(call, metas[0], used[0], &shape) &&
		push_others(call, metas[1], used[1], &shape) &&
		fx_rule_same_dtype(call, metas[0], metas[1]))
		fx_rule_give(call, metas[0]->dtype, &shape);
}

void
fx_shape_cdist(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *a;
	const struct fx_tensor_meta *b;
	struct fx_shape shape = { .rank = 0 };

	if (!two_tensors(call, &a, &b))
		return;
	if (a->rank < 2 || b->rank < 2) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"both need 2 dimensions: %s and %s",
			fx_rule_text(call, a), fx_rule_text(call, b));
		return;
	}
	if (!fx_rule_needs_float(call, a) || !fx_rule_needs_float(call, b) ||
		!fx_rule_same_size(call, "features", a->sizes[a->rank - 1],
			b->sizes[b->rank - 1]) ||
		!fx_rule_broadcast(call, &shape, a->sizes, a->rank - 2) ||
		!fx_rule_broadcast(call, &shape, b->sizes, b->rank - 2))
		return;
	shape.sizes[shape.rank++] = a->sizes[a->rank - 2];
	shape.sizes[shape.rank++] = b->sizes[b->rank - 2];
	fx_rule_give(call, fx_promote_pair(a->dtype, b->dtype), &shape);
}

void
fx_shape_square_matrix(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *a;

	if (!fx_arg_first(call, &a))
		return;
	if (a->rank < 2 ||
		fx_rule_differs(call, "rows and columns", a->sizes[a->rank - 1],
			a->sizes[a->rank - 2]))
		fx_rule_fail(call, FX_ERR_SHAPE,
			"square matrices are needed, not %s",
			fx_rule_text(call, a));
	else if (fx_rule_needs_float(call, a))
		fx_rule_give_same(call, a, a->dtype);
}

/* [..., L, E] x [..., S, E] x [..., S, Ev] gives [..., L, Ev]. */
void
fx_shape_attention(struct fx_shape_call *call)
{
	const struct fx_tensor_meta *query;
	const struct fx_tensor_meta *key;
	const struct fx_tensor_meta *value;
	struct fx_shape shape;

	if (!fx_arg_tensor(call, "query", &query) ||
		!fx_arg_tensor(call, "key", &key) ||
		!fx_arg_tensor(call, "value", &value))
		return;
	if (query->rank < 2 || key->rank < 2 || value->rank < 2) {
		fx_rule_fail(call, FX_ERR_SHAPE,
			"query, key and value need 2 dimensions");
		return;
	}
	if (!fx_rule_same_size(call, "features of query and key",
		    query->sizes[query->rank - 1], key->sizes[key->rank - 1]) ||
		!fx_rule_same_size(call, "lengths of key and value",
			key->sizes[key->rank - 2],
			value->sizes[value->rank - 2]) ||
		!fx_rule_same_dtype(call, query, key) ||
		!fx_rule_same_dtype(call, query, value))
		return;
	fx_rule_of(query, &shape);
	shape.sizes[shape.rank - 1] = value->sizes[value->rank - 1];
	fx_rule_give(call, query->dtype, &shape);
}
