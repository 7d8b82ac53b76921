/* safetensors.h - files of named tensors: mapped and written.
 *
 * The format: eight bytes with the length of a JSON header, little-endian; the
 * header, {"name": {"dtype", "shape", "data_offsets"}}; then the bytes.
 */
#ifndef FX_LOAD_SAFETENSORS_H
#define FX_LOAD_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/map.h"

struct fx_file_writer;
struct fx_arena;
struct fx_blob;
struct fx_weights;

/* Longest header that is read. */
#define FX_SAFETENSORS_HEADER_LIMIT ((uint64_t)100 << 20)

struct fx_safetensors_entry {
	const char *name;    /* interned */
	enum fx_dtype dtype; /* NONE: a type that is not known here */
	uint32_t rank;
	const int64_t *sizes;
	uint64_t begin; /* of its bytes, from the start of the data */
	uint64_t end;
};

struct fx_safetensors {
	char *path;
	struct fx_arena *arena;
	struct fx_safetensors_entry *entries; /* in order of their bytes */
	size_t count;
	struct fx_map index;  /* interned name -> position + 1 */
	struct fx_blob *data; /* the mapped bytes */
	uint64_t file_size;
};

/* Map PATH.  FORMAT when it is none, is cut short, or its header contradicts
 * itself: offsets outside the file or overlapping, a size that does not fit
 * the shape, a name twice.  LIMIT for absurd lengths; IO.
 */
FX_NODISCARD struct fx_error *fx_safetensors_open(const char *path,
	struct fx_safetensors **ret);
void fx_safetensors_free(struct fx_safetensors *file);

FX_DEFINE_CLEANUP(safetensors, struct fx_safetensors, fx_safetensors_free);
#define FX_AUTO_SAFETENSORS FX_AUTO(safetensors)

/* The entry NAME, or NULL.  Borrowed. */
const struct fx_safetensors_entry *
fx_safetensors_find(const struct fx_safetensors *file, const char *name);

/* The bytes of ENTRY, a reference for the caller; they outlive FILE. */
struct fx_blob *fx_safetensors_blob(const struct fx_safetensors *file,
	const struct fx_safetensors_entry *entry);

/* Write the storages of WEIGHTS that have bytes to PATH; *RET is for the caller
 * to commit.  One that is no plain tensor stands as U8 of its length. *SIZE_RET
 * is the size of the file.  IO, NO_SPACE.
 */
FX_NODISCARD struct fx_error *fx_safetensors_write(const char *path,
	const struct fx_weights *weights, uint64_t *size_ret,
	struct fx_file_writer **ret);

/* The same in pieces: the bytes are referenced, and WEIGHTS may go. */
struct fx_safetensors_writer;
FX_NODISCARD struct fx_error *fx_safetensors_writer_new(const char *path,
	const struct fx_weights *weights, uint64_t *size_ret,
	struct fx_safetensors_writer **ret);
/* Write SIZE bytes more; *RET stays NULL until all are written, and then is for
 * the caller to commit.
 */
FX_NODISCARD struct fx_error *
fx_safetensors_writer_go_on(struct fx_safetensors_writer *writer, uint64_t size,
	struct fx_file_writer **ret);
void fx_safetensors_writer_free(struct fx_safetensors_writer *writer);

#endif /* FX_LOAD_SAFETENSORS_H */
