/* host_tensor.h - a tensor of no library: its metadata, and its values where
 * they are known.
 *
 * One piece of memory: this, the sizes, the strides.  Symbolic sizes point to
 * polynomials, which lie in an arena; only tensors that have some carry one.
 * The meta backend and that of the tests hold theirs so; what takes a void
 * pointer is for their tables (backend.h).
 */
#ifndef FX_RUN_HOST_TENSOR_H
#define FX_RUN_HOST_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ir/tensor_meta.h"
#include "run/strided_bytes.h"

struct fx_backend;
struct fx_kind;

struct fx_host_tensor {
	struct fx_arena *arena; /* of symbolic sizes, or NULL */
	struct fx_strided_bytes held;
	struct fx_tensor_meta meta;
	struct fx_value sizes[]; /* then the strides if any */
};

/* A tensor of a copy of META, without values. */
struct fx_host_tensor *fx_host_tensor_new(const struct fx_tensor_meta *meta);
void fx_host_tensor_free(void *payload);
/* Implements fx_backend_ops.write for a BACKEND whose payloads are host
 * tensors.  Fails with TYPE and LIMIT as fx_extent_of_meta does, and with
 * NO_SPACE.
 */
FX_NODISCARD struct fx_error *
fx_host_tensor_write(const struct fx_backend *backend,
	const struct fx_tensor_meta *meta, const void *bytes,
	struct fx_datum **ret);

struct fx_kind fx_host_tensor_kind(const void *payload);
const struct fx_tensor_meta *fx_host_tensor_meta(const void *payload,
	struct fx_arena *arena);
void fx_host_tensor_print(const void *payload, bool in_full,
	struct fx_buf *out);
struct fx_error *fx_host_tensor_read(const void *payload, uint64_t first,
	size_t count, void *bytes);
struct fx_error *fx_host_tensor_truth(const void *payload, bool *ret);
uintptr_t fx_host_tensor_storage(const void *payload, size_t *bytes_ret);
struct fx_error *fx_host_tensor_save(const void *payload, struct fx_blob **ret);
struct fx_error *fx_host_tensor_restore(const void *payload,
	const struct fx_blob *saved);

#endif /* FX_RUN_HOST_TENSOR_H */
