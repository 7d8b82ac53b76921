/* saved.c - what was saved before a node wrote in place, beside what is there.
 */
#include <config.h>

#include <string.h>

#include "base/blob.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/timeline.h"
#include "run/values.h"

static bool
has_same_shape(const struct fx_saved *saved)
{
	const struct fx_backend_ops *ops = saved->tensor->backend->ops;
	struct fx_blob *shape = NULL;
	struct fx_error *err = NULL;
	bool ret;

	if (!saved->shape)
		return true;
	err = ops->shape_save(saved->tensor->payload, &shape);
	ret = !err && shape && fx_blob_equal(shape, saved->shape);
	fx_error_free(err);
	fx_blob_unref(shape);
	return ret;
}

bool
fx_saved_is_unchanged(const struct fx_saved *saved)
{
	const struct fx_backend_ops *ops = saved->tensor->backend->ops;
	const void *bytes = saved->bytes && ops->bytes && has_same_shape(saved)
				    ? ops->bytes(saved->tensor->payload)
				    : NULL;
	struct fx_extent extent;
	struct fx_error *err;
	size_t size;

	if (!bytes)
		return false;
	err = fx_extent_of(saved->tensor, &extent);
	fx_error_free(err);
	size = err ? 0
		   : (size_t)extent.count * fx_dtype_info(extent.dtype)->size;
	return size && size == fx_blob_size(saved->bytes) &&
	       memcmp(bytes, fx_blob_data(saved->bytes), size) == 0;
}
