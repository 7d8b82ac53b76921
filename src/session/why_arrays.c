/* why_arrays.c - a reference that is a file of numpy's: what its nodes give. */
#include <config.h>

#include "session/why_private.h"

#include "base/arena.h"
#include "base/blob.h"
#include "ir/graph.h"
#include "ir/tensor_meta.h"
#include "load/npy.h"
#include "meta/promote.h"
#include "run/datum.h"
#include "run/replay.h"

struct fx_error *
fx_inquiry_read_array(struct fx_inquiry *a, const struct fx_node *node,
	struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_NPY struct fx_npy array = { .blob = NULL };
	const struct fx_node *mine = fx_graph_find(a->model->graph, node->name);
	const struct fx_datum *given =
		mine ? fx_replay_value(a->replay, mine) : NULL;
	struct fx_extent extent = { .dtype = FX_DTYPE_NONE };
	struct fx_value meta;
	struct fx_error *err;

	*ret = NULL;
	if (!fx_npz_has(a->wish->arrays, node->name))
		return NULL;
	err = fx_npz_read(a->wish->arrays, node->name, &array);
	if (!err && given && given->kind == FX_DATUM_TENSOR)
		err = fx_extent_of(given, &extent);
	if (err)
		return err;
	meta = fx_tensor_meta_ints(arena, array.dtype, array.sizes, array.rank);
	err = fx_values_write(a->backend, meta.tensor, fx_blob_data(array.blob),
		ret);
	if (!err && fx_dtype_is_float(extent.dtype))
		err = fx_widen_datum(a->backend,
			extent.dtype == FX_DTYPE_F64 ? FX_DTYPE_NONE
						     : extent.dtype,
			ret);
	return err;
}
