/* torch_parameter.c - parameters and buffers in a run.
 *
 * Tensors lie over the graph's bytes, as views of one storage of libtorch's for
 * each of the graph's.  The first write gives that storage memory of its own:
 * whatever is a view of it follows, and the graph and other runs do not.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "base/guard.h"
#include "guest/shim_private.h"
#include "guest/torch_private.h"
#include "ir/module.h"
#include "run/backend.h"

static void
release_blob(void *context)
{
	fx_blob_unref(context);
}

/* Give the storage memory that belongs to this run.  *RET is the memory that
 * the storage had before, or null if the storage had its own memory already.
 */
static struct fx_error *
own(const void *payload, struct fx_blob **ret)
{
	struct fxs_memory kept = { .bytes = NULL };
	struct fx_error *err =
		fx_shim_loaded()->tensor_own((struct fxs_tensor *)(uintptr_t)
						     payload,
			&kept);

	*ret = NULL;
	if (err || !kept.bytes)
		return err;
	*ret = fx_blob_wrap(kept.bytes, kept.byte_count, kept.release,
		kept.context);
	/* It was read to be copied. */
	return fx_guard_check((uintptr_t)kept.bytes, kept.byte_count, NULL);
}

/* Whether MEMORY begins where libtorch would not begin it: MKL's products then
 * round otherwise.  What is large is not copied for that: weights are the right
 * operand, of which it does not hold.
 */
static bool
is_askew(const struct fxs_memory *memory)
{
	return (uintptr_t)memory->bytes % 64 && memory->byte_count <= 1 << 20;
}

/* TENSOR over the bytes of the graph, beside what this run has there. */
static struct fx_error *
tensor_of_storage(const struct fx_torch *torch, const struct fx_tensor *tensor,
	struct fxs_tensor **ret)
{
	struct fx_blob *blob = tensor->storage ? tensor->storage->blob : NULL;
	const struct fx_datum *beside =
		fx_parameters_beside(&torch->parameters, tensor);
	struct fxs_memory memory = {
		.dtype = fx_aten_dtype(tensor->dtype),
		.rank = tensor->rank,
		.sizes = tensor->sizes,
		.strides = tensor->strides,
		.offset = tensor->offset,
		.requires_grad = tensor->requires_grad,
		.beside = beside ? beside->payload : NULL,
		.release = release_blob,
	};
	struct fx_blob *before;
	struct fx_error *err;
	uint64_t reach;

	if (!blob)
		return fx_error_hint(fx_error_new(FX_ERR_NO_VALUE,
					     "the weights are not there"),
			"load the file with its weights");
	fx_blob_seal(blob);
	memory.bytes = fx_blob_data(blob);
	memory.byte_count = fx_blob_size(blob);
	if (!fx_tensor_reach(tensor, &reach) || reach > memory.byte_count)
		return fx_error_new(FX_ERR_FORMAT,
			"a weight reaches beyond its storage");
	err = fx_blob_read(blob, 0, 0, NULL); /* cut short? */
	if (err)
		return err;
	memory.context = beside ? NULL : fx_blob_ref(blob);
	err = torch->shim->tensor_of_memory(&memory, ret);
	if (err && !beside)
		fx_blob_unref(blob);
	if (err || beside || !is_askew(&memory))
		return err;
	err = own(*ret, &before);
	fx_blob_unref(before);
	return err;
}

struct fx_error *
fx_torch_from_tensor(struct fx_backend *backend, const struct fx_tensor *tensor,
	struct fx_datum **ret)
{
	struct fx_torch *torch = backend->state;
	struct fx_datum *known = fx_parameters_find(&torch->parameters, tensor);
	struct fxs_tensor *made = NULL;
	struct fx_error *err;

	if (known) {
		*ret = fx_datum_ref(known);
		return fx_torch_read(known->payload, 0, 0, NULL);
	}
	err = tensor_of_storage(torch, tensor, &made);
	if (err)
		return err;
	*ret = fx_torch_datum(made);
	fx_parameters_add(&torch->parameters, tensor, *ret);
	return NULL;
}

void
fx_torch_new_run(struct fx_backend *backend)
{
	struct fx_torch *torch = backend->state;

	fx_parameters_clear(&torch->parameters);
}

/* --- writing ------------------------------------------------------------ */

static bool
own_one(void *context, struct fx_datum *held)
{
	struct fx_error **err = context;
	struct fx_blob *before = NULL;

	if (fx_torch_tensor(held))
		*err = own(held->payload, &before);
	fx_blob_unref(before);
	return *err != NULL;
}

struct fx_error *
fx_torch_own(struct fx_datum *const *data, size_t count, uint64_t writes)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; i < count && i < 64 && writes >> i && !err; i++)
		if (writes >> i & 1)
			fx_datum_each_held(data[i], own_one, &err);
	return err;
}

/* Not zeros first: a model in place saves all that it computes. */
static struct fx_error *
copy_storage(const void *payload, struct fx_blob **ret)
{
	size_t size;
	void *bytes = fx_shim_loaded()->tensor_storage(payload, &size);
	void *copy;

	if (!bytes && size)
		return fx_error_new(FX_ERR_TYPE,
			"the tensor's storage cannot be read");
	copy = malloc(size + 1);
	if (!copy)
		return fx_error_new(FX_ERR_NO_SPACE,
			"not enough memory for %zu bytes", size);
	if (size)
		memcpy(copy, bytes, size);
	*ret = fx_blob_wrap(copy, size, free, copy);
	return NULL;
}

/* It is saved because it is about to be written. */
struct fx_error *
fx_torch_storage_save(const void *payload, struct fx_blob **ret)
{
	struct fx_error *err = own(payload, ret);

	if (!err && !*ret)
		err = copy_storage(payload, ret);
	if (err) {
		fx_blob_unref(*ret);
		*ret = NULL;
	}
	return err;
}

struct fx_error *
fx_torch_storage_restore(const void *payload, const struct fx_blob *saved)
{
	struct fx_blob *before;
	struct fx_error *err = own(payload, &before);
	size_t size;
	void *bytes;

	fx_blob_unref(before);
	if (err)
		return err;
	bytes = fx_shim_loaded()->tensor_storage(payload, &size);
	/* resize_ lets a storage grow, and the former contents stay at its
	 * beginning.
	 */
	if (size < fx_blob_size(saved))
		return fx_error_new(FX_ERR_VALUE,
			"the storage has %zu bytes now, not %zu", size,
			fx_blob_size(saved));
	if (fx_blob_size(saved))
		memcpy(bytes, fx_blob_data(saved), fx_blob_size(saved));
	return NULL;
}
