/* host_tensor.c - tensors that are metadata and perhaps bytes of ours. */
#include <config.h>

#include "run/host_tensor.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/size.h"
#include "ir/value_text.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/values.h"

static void
copy_size(struct fx_host_tensor *payload, struct fx_value *to,
	struct fx_value size)
{
	*to = size;
	if (size.kind != FX_VALUE_SYMBOL)
		return;
	if (!payload->arena)
		payload->arena = fx_arena_new();
	*to = fx_size_clone(payload->arena, size);
}

struct fx_host_tensor *
fx_host_tensor_new(const struct fx_tensor_meta *meta)
{
	size_t rank = meta->has_shape ? meta->rank : 0;
	size_t items = meta->strides ? 2 * rank : rank;
	struct fx_host_tensor *payload = fx_xcalloc(1,
		sizeof(*payload) + items * sizeof(*payload->sizes));

	payload->meta = *meta;
	payload->meta.sizes = payload->sizes;
	payload->meta.strides = meta->strides ? payload->sizes + rank : NULL;
	for (size_t i = 0; i < rank; i++)
		copy_size(payload, &payload->sizes[i], meta->sizes[i]);
	for (size_t i = rank; i < items; i++)
		copy_size(payload, &payload->sizes[i], meta->strides[i - rank]);
	return payload;
}

void
fx_host_tensor_free(void *pointer)
{
	struct fx_host_tensor *payload = pointer;

	fx_arena_free(payload->arena);
	fx_strided_bytes_deinit(&payload->held);
	free(payload);
}

struct fx_error *
fx_host_tensor_write(const struct fx_backend *backend,
	const struct fx_tensor_meta *meta, const void *bytes,
	struct fx_datum **ret)
{
	struct fx_host_tensor *payload;
	struct fx_tensor_meta dense = *meta;
	struct fx_extent extent;
	struct fx_strided_bytes held;
	struct fx_error *err = fx_extent_of_meta(meta, &extent);

	dense.strides = NULL;
	if (!err)
		err = fx_strided_bytes_copy(&dense, bytes,
			(size_t)extent.count *
				fx_dtype_info(extent.dtype)->size,
			&held);
	if (err)
		return err;
	payload = fx_host_tensor_new(&dense);
	payload->held = held;
	*ret = fx_datum_payload_take(FX_DATUM_TENSOR, backend, payload);
	return NULL;
}

struct fx_kind
fx_host_tensor_kind(const void *pointer)
{
	const struct fx_host_tensor *payload = pointer;

	return (struct fx_kind){
		.kind = FX_VALUE_TENSOR,
		.dtype = (uint8_t)payload->meta.dtype,
		.rank = payload->meta.has_shape ? (int16_t)payload->meta.rank
						: (int16_t)-1,
	};
}

const struct fx_tensor_meta *
fx_host_tensor_meta(const void *pointer, struct fx_arena *arena)
{
	(void)arena;
	return &((const struct fx_host_tensor *)pointer)->meta;
}

void
fx_host_tensor_print(const void *pointer, bool in_full, struct fx_buf *out)
{
	const struct fx_host_tensor *payload = pointer;
	struct fx_value value = {
		.kind = FX_VALUE_TENSOR,
		.tensor = &payload->meta,
	};

	(void)in_full;
	fx_value_print_shape(out, &value, false);
}

struct fx_error *
fx_host_tensor_read(const void *pointer, uint64_t first, size_t count,
	void *bytes)
{
	const struct fx_host_tensor *payload = pointer;

	return fx_strided_bytes_read(&payload->held, &payload->meta, first,
		count, bytes);
}

struct fx_error *
fx_host_tensor_truth(const void *pointer, bool *ret)
{
	const struct fx_host_tensor *payload = pointer;

	return fx_strided_bytes_truth(&payload->held, &payload->meta, ret);
}

uintptr_t
fx_host_tensor_storage(const void *pointer, size_t *bytes_ret)
{
	return fx_strided_bytes_storage(&((const struct fx_host_tensor *)
							pointer)
						 ->held,
		bytes_ret);
}

struct fx_error *
fx_host_tensor_save(const void *pointer, struct fx_blob **ret)
{
	return fx_strided_bytes_save(&((const struct fx_host_tensor *)pointer)
					      ->held,
		ret);
}

struct fx_error *
fx_host_tensor_restore(const void *pointer, const struct fx_blob *saved)
{
	return fx_strided_bytes_restore(&((const struct fx_host_tensor *)
							pointer)
						 ->held,
		saved);
}
