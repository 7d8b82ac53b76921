/* safetensors_write.c - files of named tensors: writing.
 *
 * Wider elements come first, so that every tensor is aligned in a mapped file;
 * what is kept as plain bytes comes last.
 */
#include <config.h>

#include "load/safetensors.h"

#include <endian.h>
#include <stdlib.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/vec.h"
#include "emit/weights.h"
#include "ir/module.h"

enum {
	CHUNK = 1 << 20,
};

static size_t
element_size(const struct fx_weight *weight)
{
	return weight->whole ? fx_dtype_info(weight->whole->dtype)->size : 0;
}

/* The storages of element size SIZE that have bytes, one by one: *AT starts
 * at 0; NULL at the end.
 */
static const struct fx_weight *
next_of_size(const struct fx_weights *weights, size_t size, size_t *at)
{
	while (*at < weights->count) {
		const struct fx_weight *weight = &weights->items[(*at)++];

		if (weight->storage->blob && element_size(weight) == size)
			return weight;
	}
	return NULL;
}

static const size_t sizes_in_order[] = { 16, 8, 4, 2, 1, 0 };

static void
add_entry(struct fx_json *json, const struct fx_weight *weight,
	uint64_t *offset)
{
	const struct fx_tensor *whole = weight->whole;
	size_t bytes = fx_blob_size(weight->storage->blob);

	fx_json_key(json, weight->key);
	fx_json_object_begin(json);
	fx_json_put_text(json, "dtype",
		whole ? fx_dtype_info(whole->dtype)->safetensors : "U8");
	fx_json_key(json, "shape");
	fx_json_array_begin(json);
	for (size_t i = 0; whole && i < whole->rank; i++)
		fx_json_int(json, whole->sizes[i]);
	if (!whole)
		fx_json_int(json, (int64_t)bytes);
	fx_json_array_end(json);
	fx_json_key(json, "data_offsets");
	fx_json_array_begin(json);
	fx_json_int(json, (int64_t)*offset);
	*offset += bytes;
	fx_json_int(json, (int64_t)*offset);
	fx_json_array_end(json);
	fx_json_object_end(json);
}

/* The header, padded with blanks so that the data is aligned. */
static void
make_header(struct fx_buf *header, const struct fx_weights *weights,
	uint64_t *data_size)
{
	struct fx_json json;

	fx_json_init(&json, header);
	fx_json_object_begin(&json);
	for (size_t i = 0; i < FX_ARRAY_LEN(sizes_in_order); i++) {
		const struct fx_weight *weight;
		size_t at = 0;

		while ((weight = next_of_size(weights, sizes_in_order[i], &at)))
			add_entry(&json, weight, data_size);
	}
	fx_json_object_end(&json);
	fx_buf_add_repeat(header, ' ', (64 - (8 + header->length) % 64) % 64);
}

/* --- piece by piece ------------------------------------------------------- */

struct fx_safetensors_writer {
	struct fx_file_writer *file;
	FX_VEC(struct fx_blob *) blobs; /* in the order of the file */
	size_t at;                      /* the blob that is written */
	size_t written;                 /* of it */
	char *chunk;
};

void
fx_safetensors_writer_free(struct fx_safetensors_writer *writer)
{
	if (!writer)
		return;
	fx_file_writer_abort(writer->file);
	for (size_t i = 0; i < writer->blobs.count; i++)
		fx_blob_unref(writer->blobs.items[i]);
	fx_vec_deinit(&writer->blobs);
	free(writer->chunk);
	free(writer);
}

struct fx_error *
fx_safetensors_writer_new(const char *path, const struct fx_weights *weights,
	uint64_t *size_ret, struct fx_safetensors_writer **ret)
{
	FX_AUTO_BUF struct fx_buf header = { 0 };
	struct fx_safetensors_writer *writer =
		FX_NEW(struct fx_safetensors_writer);
	uint64_t data_size = 0;
	uint64_t length;
	struct fx_error *err;

	make_header(&header, weights, &data_size);
	length = htole64(header.length);
	*size_ret = 8 + header.length + data_size;
	for (size_t i = 0; i < FX_ARRAY_LEN(sizes_in_order); i++) {
		const struct fx_weight *weight;
		size_t at = 0;

		while ((weight = next_of_size(weights, sizes_in_order[i], &at)))
			fx_vec_push(&writer->blobs,
				fx_blob_ref(weight->storage->blob));
	}
	writer->chunk = fx_xmalloc(CHUNK);
	err = fx_file_writer_new(path, &writer->file);
	if (!err)
		err = fx_file_writer_add(writer->file, &length, 8);
	if (!err)
		err = fx_file_writer_add(writer->file, header.data,
			header.length);
	if (err)
		fx_safetensors_writer_free(writer);
	else
		*ret = writer;
	return err;
}

struct fx_error *
fx_safetensors_writer_go_on(struct fx_safetensors_writer *writer, uint64_t size,
	struct fx_file_writer **ret)
{
	struct fx_error *err = NULL;

	*ret = NULL;
	while (size && !err && writer->at < writer->blobs.count) {
		const struct fx_blob *blob = writer->blobs.items[writer->at];
		size_t left = fx_blob_size(blob) - writer->written;
		size_t part = FX_MIN(FX_MIN(left, (size_t)CHUNK), (size_t)size);

		err = fx_blob_read(blob, writer->written, part, writer->chunk);
		if (!err)
			err = fx_file_writer_add(writer->file, writer->chunk,
				part);
		writer->written += part;
		size -= part;
		if (part == left) {
			writer->at++;
			writer->written = 0;
		}
	}
	if (!err && writer->at == writer->blobs.count)
		*ret = FX_TAKE(writer->file);
	else if (!err)
		err = fx_file_writer_pace(writer->file);
	return err;
}

struct fx_error *
fx_safetensors_write(const char *path, const struct fx_weights *weights,
	uint64_t *size_ret, struct fx_file_writer **ret)
{
	struct fx_safetensors_writer *writer = NULL;
	struct fx_error *err =
		fx_safetensors_writer_new(path, weights, size_ret, &writer);

	if (!err)
		err = fx_safetensors_writer_go_on(writer, UINT64_MAX, ret);
	fx_safetensors_writer_free(writer);
	return err;
}
