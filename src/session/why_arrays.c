/* why_arrays.c - a reference that is a file of numpy's: what its nodes give. */
#include <config.h>

#include "session/why_private.h"

#include "base/blob.h"
#include "ir/graph.h"
#include "ir/node.h"
#include "ir/side_effects.h"
#include "meta/promote.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/interp.h"
#include "run/replay.h"
#include "session/arrays.h"

struct fx_error *
fx_inquiry_read_array(struct fx_inquiry *a, const struct fx_node *node,
	struct fx_datum **ret)
{
	const struct fx_node *mine = fx_graph_find(a->model->graph, node->name);
	struct fx_datum *given = mine ? fx_replay_value(a->replay, mine) : NULL;
	struct fx_extent extent = { .dtype = FX_DTYPE_NONE };
	struct fx_error *err = fx_arrays_read(a->backend, a->wish->arrays,
		node->name, given, ret);

	if (err || !*ret)
		return err;
	if (given && given->kind == FX_DATUM_TENSOR)
		err = fx_extent_of(given, &extent);
	if (!err && fx_dtype_is_float(extent.dtype))
		err = fx_widen_datum(a->backend,
			extent.dtype == FX_DTYPE_F64 ? FX_DTYPE_NONE
						     : extent.dtype,
			ret);
	if (!err)
		return NULL;
	fx_datum_unref(*ret);
	*ret = NULL;
	return err;
}

/* Whether the file may have what NODE gives. */
static bool
is_asked_for(const struct fx_inquiry *a, const struct fx_node *node)
{
	return node->graph == a->reference &&
	       node->opcode != FX_OPCODE_PLACEHOLDER &&
	       node->opcode != FX_OPCODE_OUTPUT;
}

/* Whether NODE has to run for what it writes in place to be written. */
static bool
has_to_write(const struct fx_node *node)
{
	return (node->op != FX_OP_NONE ||
		       node->opcode == FX_OPCODE_CALL_MODULE) &&
	       fx_side_effects(node) & FX_SIDE_EFFECT_WRITES;
}

/* What the file has stands in for what NODE would give. */
static enum fx_answer
take_array(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct fx_inquiry *a = context;
	struct fx_datum *datum;
	struct fx_error *err;

	if (!is_asked_for(a, node) || has_to_write(node))
		return FX_ANSWER_GO;
	err = fx_inquiry_read_array(a, node, &datum);
	if (err || !datum)
		return fx_inquiry_fail(a, err);
	a->arrays++;
	fx_env_take(interp->env, node->id, datum);
	return FX_ANSWER_SKIP;
}

/* Write the elements of FROM over those of TO in TO's storage, for others who
 * lie there too; *RET: that this was possible.
 */
static struct fx_error *
write_over(const struct fx_datum *to, const struct fx_datum *from, bool *ret)
{
	const struct fx_backend_ops *ops;
	struct fx_extent extent;
	struct fx_extent other;
	struct fx_blob *bytes;
	struct fx_error *err = fx_extent_of(from, &extent);
	size_t size;

	*ret = false;
	if (!err)
		err = fx_extent_of(to, &other);
	if (err || extent.dtype != other.dtype ||
		!fx_extent_same_sizes(&extent, &other))
		return err;
	ops = to->backend->ops;
	if (!ops->bytes || !ops->bytes(to->payload) || !ops->storage_restore ||
		!ops->storage(to->payload, &size) ||
		size != extent.count * fx_dtype_info(extent.dtype)->size)
		return NULL;
	err = fx_values_read_all(from, &extent, &bytes);
	if (err)
		return err;
	err = ops->storage_restore(to->payload, bytes);
	fx_blob_unref(bytes);
	*ret = !err;
	return err;
}

/* NODE wrote in place: what the file has of it is written there as well. */
static enum fx_answer
overwrite(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	struct fx_inquiry *a = context;
	struct fx_datum *datum;
	bool is_written = false;
	struct fx_error *err;

	if (!is_asked_for(a, node))
		return FX_ANSWER_GO;
	err = fx_inquiry_read_array(a, node, &datum);
	if (err || !datum)
		return fx_inquiry_fail(a, err);
	a->arrays++;
	if (result->kind == FX_DATUM_TENSOR)
		err = write_over(result, datum, &is_written);
	if (err || is_written)
		fx_datum_unref(datum);
	else
		fx_env_take(interp->env, node->id, datum);
	return fx_inquiry_fail(a, err);
}

struct fx_observer
fx_inquiry_arrays_observer(struct fx_inquiry *a)
{
	return (struct fx_observer){
		.context = a, .before = take_array, .after = overwrite
	};
}
