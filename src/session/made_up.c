/* made_up.c - the value of an input of which only the shape is known. */
#include <config.h>

#include "session/made_up.h"

#include "base/arena.h"
#include "base/bitset.h"
#include "base/blob.h"
#include "base/random.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/node.h"
#include "ir/side_effects.h"
#include "ir/tensor_meta.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/values.h"

/* Rows of the table that NODE looks rows up in, or 0. */
static int64_t
rows_of(const struct fx_node *node)
{
	const struct fx_value *table = NULL;
	const struct fx_tensor *weight;
	struct fx_module *module;

	if (fx_node_operation(node) != FX_OP_EMBEDDING)
		return 0;
	if (node->opcode != FX_OPCODE_CALL_MODULE) {
		const struct fx_value *arg = fx_node_arg(node, 1);

		if (arg && arg->kind == FX_VALUE_NODE)
			table = arg->node->meta;
		return fx_value_has_numbers(table) && table->tensor->rank
			       ? table->tensor->sizes[0].integer
			       : 0;
	}
	module = fx_module_find(node->graph->module, node->target);
	weight = fx_module_find_tensor(module, "weight");
	return weight && weight->rank ? weight->sizes[0] : 0;
}

static bool
is_among(const struct fx_node *node, const struct fx_bitset *set)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (fx_bitset_has(set, (uint32_t)fx_node_input(node, i)->id))
			return true;
	return false;
}

/* Whether what NODE gives may hold numbers of what it is given: a truth does
 * not, nor does a size.
 */
static bool
may_hold_numbers(const struct fx_node *node)
{
	if (!node->meta)
		return node->opcode != FX_OPCODE_OUTPUT;
	if (node->meta->kind != FX_VALUE_TENSOR)
		return node->meta->kind == FX_VALUE_UNKNOWN;
	return fx_dtype_info(node->meta->tensor->dtype)->category !=
	       FX_DTYPE_CATEGORY_BOOL;
}

static bool
is_integer(const struct fx_node *node)
{
	return node->meta && node->meta->kind == FX_VALUE_TENSOR &&
	       fx_dtype_info(node->meta->tensor->dtype)->category ==
		       FX_DTYPE_CATEGORY_INT;
}

int64_t
fx_made_up_rows(const struct fx_node *placeholder, bool also_computed)
{
	FX_AUTO_BITSET struct fx_bitset same = { 0 };
	const struct fx_node *node = placeholder;
	int64_t least = 0;

	fx_bitset_add(&same, (uint32_t)placeholder->id);
	while ((node = fx_graph_next(node))) {
		int64_t rows;

		if (!is_among(node, &same))
			continue;
		rows = rows_of(node);
		if (rows > 0)
			least = least ? FX_MIN(least, rows) : rows;
		else if ((fx_op_info((enum fx_op)node->op)->traits &
				 (FX_OP_VIEW | FX_OP_CASTS)) ||
			 (also_computed && is_integer(node)))
			fx_bitset_add(&same, (uint32_t)node->id);
		else if (!also_computed && may_hold_numbers(node))
			return 0;
	}
	return least;
}

struct fx_error *
fx_made_up_integers(struct fx_backend *backend, const struct fx_extent *extent,
	int64_t end, uint64_t seed, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value meta = fx_tensor_meta_ints(arena, extent->dtype,
		extent->sizes, extent->rank);
	size_t size = fx_dtype_info(extent->dtype)->size;
	struct fx_blob *blob;
	struct fx_error *err = fx_blob_new((size_t)extent->count * size, &blob);

	if (err)
		return err;
	for (uint64_t i = 0; i < extent->count; i++) {
		double one = (double)(fx_random_bits(&seed) % (uint64_t)end);

		fx_elements_encode(extent->dtype, &one, NULL, 1,
			(char *)fx_blob_data(blob) + i * size);
	}
	err = fx_values_write(backend, meta.tensor, fx_blob_data(blob), ret);
	fx_blob_unref(blob);
	return err;
}

struct fx_error *
fx_made_up(struct fx_backend *backend, const struct fx_node *placeholder,
	const struct fx_tensor_meta *meta, uint64_t seed, struct fx_datum **ret)
{
	enum fx_dtype_category category = fx_dtype_info(meta->dtype)->category;
	struct fx_extent extent;
	int64_t rows = 0;
	struct fx_error *err;

	if (!backend->ops->has_values ||
		(category != FX_DTYPE_CATEGORY_INT &&
			category != FX_DTYPE_CATEGORY_BOOL))
		return backend->ops->generate(backend, meta, seed, ret);
	if (category == FX_DTYPE_CATEGORY_INT)
		rows = fx_made_up_rows(placeholder, false);
	err = fx_extent_of_meta(meta, &extent);
	return err ? err
		   : fx_made_up_integers(backend, &extent, rows ? rows : 2,
			     seed, ret);
}
