/* tensor_storage.h - the bytes that parameters and buffers lie in. */
#ifndef FX_IR_TENSOR_STORAGE_H
#define FX_IR_TENSOR_STORAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/hash.h"

struct fx_blob;

/* How the elements of a storage are computed: counted, and asked when somebody
 * first looks at them, or wants them more exact than the storage has them.
 */
struct fx_recipe {
	unsigned references;
	/* Write all elements to DATA, as the storage's dtype or as F64. */
	void (*fill)(const struct fx_recipe *recipe, enum fx_dtype dtype,
		void *data);
	void (*free)(struct fx_recipe *recipe);
};

/* Counted bytes that tensors lie in.  BLOB is null while weights are not
 * attached; its bytes never change once the graph has a journal: running lays
 * objects of its own over them (run/parameters.h).
 */
struct fx_storage {
	unsigned references;
	struct fx_blob *blob;
	struct fx_recipe *recipe; /* of the blob; or NULL */
	const char *key; /* interned; its name in a safetensors file, or NULL */
	/* Of the bytes; from a file that keeps it, or computed on first need
	 * (ir/graph_hash.h).
	 */
	bool has_digest;
	struct fx_hash digest;
};

struct fx_storage *fx_storage_new(struct fx_blob *blob_taken);
/* COUNT elements of DTYPE that RECIPE_TAKEN gives when they are asked for. */
FX_NODISCARD struct fx_error *
fx_storage_new_later(struct fx_recipe *recipe_taken, enum fx_dtype dtype,
	size_t count, struct fx_storage **ret);
struct fx_storage *fx_storage_ref(struct fx_storage *storage);
void fx_storage_unref(struct fx_storage *storage);

#endif /* FX_IR_TENSOR_STORAGE_H */
