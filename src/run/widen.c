/* widen.c - tensors and graphs in another precision. */
#include <config.h>

#include "run/widen.h"

#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/intern.h"
#include "base/str.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/signature.h"
#include "ir/tensor_meta.h"
#include "ir/value_walk.h"
#include "ops/optab.h"
#include "run/datum.h"
#include "run/values.h"

void
fx_widening_deinit(struct fx_widening *widening)
{
	size_t at = 0;
	uintptr_t narrow;
	uintptr_t wide;

	while (fx_map_next(&widening->storages, &at, &narrow, &wide)) {
		fx_storage_unref((struct fx_storage *)narrow);
		fx_storage_unref((struct fx_storage *)wide);
	}
	fx_map_deinit(&widening->storages);
	fx_map_deinit(&widening->dtypes);
}

/* What DTYPE becomes where floats are to be TO (NONE: f64): itself when it is
 * no float, or a complex one that is not to be wide.
 */
static enum fx_dtype
becomes(enum fx_dtype dtype, enum fx_dtype to)
{
	switch (fx_dtype_info(dtype)->category) {
	case FX_DTYPE_CATEGORY_FLOAT:
		return to ? to : FX_DTYPE_F64;
	case FX_DTYPE_CATEGORY_COMPLEX:
		return to ? dtype : FX_DTYPE_C128;
	default:
		return dtype;
	}
}

static enum fx_dtype
wide(enum fx_dtype dtype)
{
	return becomes(dtype, FX_DTYPE_NONE);
}

/* COUNT elements at FROM, of DTYPE, at TO as INTO. */
static void
convert(enum fx_dtype dtype, const char *from, size_t count, enum fx_dtype into,
	char *to)
{
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];

	for (size_t at = 0; at < count; at += FX_VALUES_CHUNK) {
		size_t part = FX_MIN(count - at, FX_VALUES_CHUNK);

		fx_elements_decode(dtype,
			from + at * fx_dtype_info(dtype)->size, part, real,
			imag);
		fx_elements_encode(into, real, imag, part,
			to + at * fx_dtype_info(into)->size);
	}
}

/* --- parameters and buffers ---------------------------------------------- */

static struct fx_error *
widen_storage(struct fx_widening *widening, struct fx_storage *storage,
	enum fx_dtype dtype, struct fx_storage **ret)
{
	size_t count = fx_blob_size(storage->blob) / fx_dtype_info(dtype)->size;
	enum fx_dtype into = becomes(dtype, widening->to);
	struct fx_blob *blob;
	struct fx_error *err;

	*ret = fx_map_get_pointer(&widening->storages, storage);
	if (*ret && fx_map_get(&widening->dtypes, (uintptr_t)storage, 0) !=
			    (uintptr_t)dtype)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"some parameters lie in the same memory with two "
			"dtypes");
	if (*ret)
		return NULL;
	err = fx_blob_new(count * fx_dtype_info(into)->size, &blob);
	if (err)
		return err;
	/* What was rounded once is not rounded here. */
	if (storage->recipe && into == FX_DTYPE_F64)
		storage->recipe->fill(storage->recipe, FX_DTYPE_F64,
			fx_blob_data(blob));
	else
		convert(dtype, fx_blob_data(storage->blob), count, into,
			fx_blob_data(blob));
	widening->bytes += fx_blob_size(blob);
	*ret = fx_storage_new(blob);
	fx_map_set_pointer(&widening->storages, fx_storage_ref(storage), *ret);
	fx_map_set(&widening->dtypes, (uintptr_t)storage, (uintptr_t)dtype);
	return NULL;
}

static struct fx_error *
widen_tensor(struct fx_widening *widening, struct fx_graph *graph,
	struct fx_map *done, struct fx_member *member)
{
	const struct fx_tensor *tensor = member->tensor;
	struct fx_storage *storage = tensor->storage;
	struct fx_tensor *copy = fx_map_get_pointer(done, tensor);
	struct fx_error *err = NULL;

	if (fx_dtype_info(tensor->dtype)->category ==
		FX_DTYPE_CATEGORY_QUANTIZED)
		return fx_error_new(FX_ERR_UNSUPPORTED, "%s is quantized",
			member->name);
	if (becomes(tensor->dtype, widening->to) == tensor->dtype)
		return NULL;
	if (!copy && storage && storage->blob)
		err = widen_storage(widening, storage, tensor->dtype, &storage);
	if (err)
		return err;
	if (!copy) {
		copy = fx_tensor_clone(graph, tensor, storage);
		copy->dtype = becomes(tensor->dtype, widening->to);
		fx_map_set_pointer(done, tensor, copy);
	}
	member->tensor = copy;
	return NULL;
}

static struct fx_error *
widen_modules(struct fx_widening *widening, struct fx_graph *graph)
{
	FX_AUTO_MAP struct fx_map done = { 0 };
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, true);
	struct fx_module *module;
	struct fx_error *err = NULL;
	const char *path;

	while (!err && fx_module_walk_next(walk, &module, &path)) {
		for (size_t i = 0; i < module->member_count && !err; i++)
			if (module->members[i].tensor)
				err = widen_tensor(widening, graph, &done,
					&module->members[i]);
		if (!err && module->graph)
			err = fx_widen_graph(widening, module->graph);
	}
	fx_module_walk_free(walk);
	return err;
}

/* --- nodes --------------------------------------------------------------- */

static struct fx_value
widen_leaf(void *context, const struct fx_value *leaf)
{
	(void)context;
	return leaf->kind == FX_VALUE_DTYPE
		       ? fx_value_dtype((int)wide((enum fx_dtype)leaf->integer))
		       : *leaf;
}

/* Whether META is of a tensor that would be wider. */
static bool
is_narrow(const struct fx_value *meta)
{
	return meta && meta->kind == FX_VALUE_TENSOR && meta->tensor->dtype &&
	       wide(meta->tensor->dtype) != meta->tensor->dtype;
}

static bool
takes_tensor(const struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_value *meta = fx_node_input(node, i)->meta;

		if (!meta || meta->kind == FX_VALUE_TENSOR)
			return true;
	}
	return false;
}

/* Whether NODE makes floats of the default dtype: it could be told one. */
static bool
makes_narrow(const struct fx_node *node)
{
	const struct fx_signature *signature;

	if (node->opcode != FX_OPCODE_CALL_FUNCTION || !is_narrow(node->meta) ||
		takes_tensor(node) || fx_node_kwarg(node, fx_intern("dtype")))
		return false;
	signature = fx_signature_of((enum fx_op)node->op);
	for (size_t i = 0; i < signature->count; i++)
		if (fx_str_equal(signature->parameters[i].name, "dtype"))
			return true;
	return false;
}

/* KWARGS with dtype=torch.float64, or what META becomes. */
static struct fx_value
with_dtype(struct fx_graph *graph, const struct fx_value *kwargs,
	const struct fx_value *meta)
{
	size_t count = fx_value_item_count(kwargs);
	struct fx_value *items =
		FX_ARENA_ARRAY(graph->values, struct fx_value, count + 2);

	if (count)
		memcpy(items, kwargs->items, count * sizeof(*items));
	items[count] = fx_value_string("dtype");
	items[count + 1] = fx_value_dtype((int)wide(meta->tensor->dtype));
	return fx_value_dict(graph->values, items, count / 2 + 1);
}

/* --- casts that round ---------------------------------------------------- */

/* What is known of NODE's result: NONE: no tensor, or nothing. */
static enum fx_dtype
dtype_of(const struct fx_node *node)
{
	const struct fx_value *meta = node->meta;

	return meta && meta->kind == FX_VALUE_TENSOR ? meta->tensor->dtype
						     : FX_DTYPE_NONE;
}

static struct fx_value
find_dtype(void *context, const struct fx_value *leaf)
{
	enum fx_dtype *dtype = context;

	if (leaf->kind == FX_VALUE_DTYPE && !*dtype)
		*dtype = (enum fx_dtype)leaf->integer;
	return *leaf;
}

/* The dtype of NODE's result, which its call may say where nothing else does.
 */
static enum fx_dtype
dtype_made(const struct fx_node *node)
{
	enum fx_dtype dtype = dtype_of(node);

	if (!dtype && node->op == FX_OP_TO_HALF)
		return FX_DTYPE_F16;
	if (!dtype && node->op == FX_OP_TO_BFLOAT16)
		return FX_DTYPE_BF16;
	if (!dtype) {
		(void)fx_value_map(node->graph->values, &node->args, find_dtype,
			&dtype);
		(void)fx_value_map(node->graph->values, &node->kwargs,
			find_dtype, &dtype);
	}
	return dtype;
}

/* What NODE has the elements of, perhaps in another dtype, or NULL. */
static struct fx_node *
source_of(const struct fx_node *node)
{
	const struct fx_value *arg = fx_node_arg(node, 0);
	bool keeps = fx_op_info((enum fx_op)node->op)->traits & FX_OP_VIEW ||
		     node->op == FX_OP_ATEN_TO_COPY;

	return keeps && arg && arg->kind == FX_VALUE_NODE ? arg->node : NULL;
}

static bool
is_half(enum fx_dtype dtype)
{
	const struct fx_dtype_info *info = fx_dtype_info(dtype);

	return dtype && info->category == FX_DTYPE_CATEGORY_FLOAT &&
	       info->size <= 2;
}

/* Whether NODE is a cast to half a float of what has not been one.  Where
 * nothing is known of that, as behind a function of the user's, it may be.
 */
static bool
rounds(const struct fx_node *node)
{
	const struct fx_node *source = source_of(node);
	enum fx_dtype dtype = source ? dtype_made(node) : FX_DTYPE_NONE;

	if (!is_half(dtype) ||
		(dtype_of(source) &&
			fx_dtype_info(dtype_of(source))->category !=
				FX_DTYPE_CATEGORY_FLOAT))
		return false;
	for (; source; source = source_of(source))
		if (dtype_of(source) == dtype)
			return false;
	return true;
}

/* Round the first of ARGS, which are to be NODE's, to DTYPE. */
static FX_NODISCARD struct fx_error *
round_first(struct fx_node *node, enum fx_dtype dtype, struct fx_value *args)
{
	struct fx_graph *graph = node->graph;
	struct fx_value *items = FX_ARENA_ARRAY(graph->values, struct fx_value,
		fx_value_item_count(args));
	const struct fx_value taken[] = { args->items[0],
		fx_value_dtype((int)dtype) };
	const struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_METHOD,
		.target = "to",
		.args = fx_value_sequence(graph->values, FX_VALUE_TUPLE, taken,
			FX_ARRAY_LEN(taken)) };
	struct fx_node *rounded;
	struct fx_error *err = fx_edit_create(graph, &spec, node, &rounded);

	if (err)
		return err;
	memcpy(items, args->items, fx_value_item_count(args) * sizeof(*items));
	items[0] = fx_value_node(rounded);
	*args = fx_value_sequence(graph->values, FX_VALUE_TUPLE, items,
		fx_value_item_count(args));
	return NULL;
}

static struct fx_error *
widen_node(struct fx_graph *graph, struct fx_node *node, bool may_round)
{
	static const char *const casts[] = { "float", "half", "bfloat16" };
	struct fx_value args =
		fx_value_map(graph->values, &node->args, widen_leaf, NULL);
	struct fx_value kwargs =
		fx_value_map(graph->values, &node->kwargs, widen_leaf, NULL);

	if (may_round && rounds(node)) {
		struct fx_error *err =
			round_first(node, dtype_made(node), &args);

		if (err)
			return err;
	}
	if (makes_narrow(node))
		kwargs = with_dtype(graph, &kwargs, node->meta);
	for (size_t i = 0; i < FX_ARRAY_LEN(casts); i++)
		if (node->opcode == FX_OPCODE_CALL_METHOD &&
			fx_str_equal(node->target, casts[i])) {
			struct fx_error *err =
				fx_edit_set_target(node, "double");

			if (err)
				return err;
		}
	if (fx_value_equal(&args, &node->args) &&
		fx_value_equal(&kwargs, &node->kwargs))
		return NULL;
	return fx_edit_set_args(node, args, kwargs);
}

struct fx_error *
fx_widen_graph(struct fx_widening *widening, struct fx_graph *graph)
{
	struct fx_error *err = widen_modules(widening, graph);
	struct fx_node *node;

	if (err || widening->to)
		return err;
	fx_graph_for_each_node (node, graph) {
		err = widen_node(graph, node, widening->rounds);
		if (err)
			return err;
	}
	return NULL;
}

/* --- values -------------------------------------------------------------- */

struct converting {
	struct fx_backend *backend;
	enum fx_dtype from; /* NONE: any float */
	enum fx_dtype to;
};

static struct fx_error *
convert_held(void *context, struct fx_datum *held, struct fx_datum **ret)
{
	const struct converting *converting = context;
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	enum fx_dtype into = FX_DTYPE_NONE;
	struct fx_extent extent;
	struct fx_blob *bytes;
	struct fx_blob *other;
	struct fx_value meta;
	struct fx_error *err;

	*ret = fx_datum_ref(held);
	if (held->kind != FX_DATUM_TENSOR)
		return NULL;
	err = fx_extent_of(held, &extent);
	if (!err && converting->from)
		into = extent.dtype == converting->from ? converting->to
							: extent.dtype;
	else if (!err)
		into = becomes(extent.dtype, converting->to);
	if (!err && into == extent.dtype)
		return NULL;
	fx_datum_unref(*ret);
	*ret = NULL;
	if (!err)
		err = fx_values_read_all(held, &extent, &bytes);
	if (err)
		return err;
	meta = fx_tensor_meta_ints(arena, into, extent.sizes, extent.rank);
	err = fx_blob_new((size_t)extent.count * fx_dtype_info(into)->size,
		&other);
	if (!err) {
		convert(extent.dtype, fx_blob_data(bytes), (size_t)extent.count,
			into, fx_blob_data(other));
		err = fx_values_write(converting->backend, meta.tensor,
			fx_blob_data(other), ret);
		fx_blob_unref(other);
	}
	fx_blob_unref(bytes);
	return err;
}

struct fx_error *
fx_widen_datum(struct fx_backend *backend, enum fx_dtype to,
	struct fx_datum **datum)
{
	FX_AUTO_DATUM struct fx_datum *before = *datum;
	struct converting converting = { backend, FX_DTYPE_NONE, to };

	return fx_datum_map(before, convert_held, &converting, datum);
}

struct fx_error *
fx_convert_datum(struct fx_backend *backend, enum fx_dtype from,
	enum fx_dtype to, struct fx_datum **datum)
{
	FX_AUTO_DATUM struct fx_datum *before = *datum;
	struct converting converting = { backend, from, to };

	*datum = NULL;
	return fx_datum_map(before, convert_held, &converting, datum);
}
