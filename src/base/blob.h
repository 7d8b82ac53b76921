/* blob.h - counted bytes with a release function: weights, values. */
#ifndef FX_BASE_BLOB_H
#define FX_BASE_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fx_blob;

/* NO_SPACE: SIZE bytes are more than the memory that is left. */
FX_NODISCARD struct fx_error *fx_blob_no_space(uint64_t size);

/* SIZE bytes of zeros; fails when memory does not suffice. */
FX_NODISCARD struct fx_error *fx_blob_new(size_t size, struct fx_blob **ret);

/* Bytes owned by somebody else; RELEASE(CONTEXT) is called when the last
 * reference goes.
 */
struct fx_blob *fx_blob_wrap(void *data, size_t size,
	void (*release)(void *context), void *context);

/* Map SIZE bytes at OFFSET of the file PATH privately; the file's size is
 * checked first.
 */
FX_NODISCARD struct fx_error *fx_blob_map(const char *path, size_t offset,
	size_t size, struct fx_blob **ret);

/* SIZE bytes that FILL writes to DATA when they are first asked for.  RELEASE
 * is called once, after that or with the blob.  Fails, with CONTEXT still the
 * caller's, when memory does not suffice.
 */
FX_NODISCARD struct fx_error *fx_blob_new_later(size_t size,
	void (*fill)(void *context, void *data), void (*release)(void *context),
	void *context, struct fx_blob **ret);

/* A part of PARENT, which it keeps alive. */
struct fx_blob *fx_blob_slice(struct fx_blob *parent, size_t offset,
	size_t size);

/* Nobody writes the bytes of BLOB from now on: a graph has them.  In hard mode
 * (FX_HARD_MODE) who does so all the same gets SIGSEGV.
 */
void fx_blob_seal(struct fx_blob *blob);

struct fx_blob *fx_blob_ref(struct fx_blob *blob);
void fx_blob_unref(struct fx_blob *blob);

void *fx_blob_data(const struct fx_blob *blob);
size_t fx_blob_size(const struct fx_blob *blob);
/* Whether A and B hold the same bytes. */
bool fx_blob_equal(const struct fx_blob *a, const struct fx_blob *b);

/* Read the bytes into OUT, noticing a mapped file that was cut short beneath
 * us: an error, not a fault.
 */
FX_NODISCARD struct fx_error *fx_blob_read(const struct fx_blob *blob,
	size_t offset, size_t size, void *out);

#endif /* FX_BASE_BLOB_H */
