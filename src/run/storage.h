/* storage.h - which memory data lie in: what is written through one tensor is
 * seen through all that share it.
 */
#ifndef FX_RUN_STORAGE_H
#define FX_RUN_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fx_datum;
struct fx_map;

/* The storage that TENSOR lies in and its size, in bytes (BYTES_RET may be
 * NULL); 0 for what is no tensor, or has none.
 */
uintptr_t fx_datum_storage(const struct fx_datum *tensor, size_t *bytes_ret);

/* Answers true to be told of no more. */
typedef bool fx_storage_fn(void *context, uintptr_t storage, size_t bytes);
/* Tell SEE of the storage of every tensor in DATUM, however deep; whether it
 * answered true.
 */
bool fx_datum_see_storages(const struct fx_datum *datum, fx_storage_fn *see,
	void *context);

/* Put the storages of DATUM into the map STORAGES, as 1; whether one of them is
 * there already.
 */
void fx_datum_add_storages(const struct fx_datum *datum,
	struct fx_map *storages);
bool fx_datum_lies_in(const struct fx_datum *datum,
	const struct fx_map *storages);

/* How many tensors lie in TENSOR's storage, itself included; SIZE_MAX: not
 * known, or no tensor.
 */
size_t fx_datum_storage_holders(const struct fx_datum *tensor);

/* Whether TENSOR's bytes go when the caller gives TENSOR up: nobody else
 * references TENSOR, and no other tensor lies in its storage.  False if that is
 * not known.
 */
bool fx_datum_is_lone(const struct fx_datum *tensor);

#endif /* FX_RUN_STORAGE_H */
