/* safetensors_write.c - files of named tensors: writing.
 *
 * Wider elements come first, so that every tensor is aligned in a mapped file;
 * what is kept as plain bytes comes last.
 */
#include <config.h>

#include "load/safetensors.h"

#include <endian.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
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

FX_NODISCARD static struct fx_error *
write_blob(struct fx_file_writer *file, const struct fx_blob *blob, char *chunk)
{
	size_t size = fx_blob_size(blob);
	struct fx_error *err = NULL;

	for (size_t at = 0; at < size && !err; at += CHUNK) {
		size_t part = FX_MIN(size - at, (size_t)CHUNK);

		err = fx_blob_read(blob, at, part, chunk);
		if (!err)
			err = fx_file_writer_add(file, chunk, part);
	}
	return err;
}

FX_NODISCARD static struct fx_error *
write_all(struct fx_file_writer *file, const struct fx_weights *weights,
	const struct fx_buf *header)
{
	FX_AUTO_BUF struct fx_buf chunk = { 0 };
	uint64_t length = htole64(header->length);
	struct fx_error *err = fx_file_writer_add(file, &length, 8);

	fx_buf_reserve(&chunk, CHUNK);
	if (!err)
		err = fx_file_writer_add(file, header->data, header->length);
	for (size_t i = 0; i < FX_ARRAY_LEN(sizes_in_order) && !err; i++) {
		const struct fx_weight *weight;
		size_t at = 0;

		while (!err && (weight = next_of_size(weights,
					sizes_in_order[i], &at)))
			err = write_blob(file, weight->storage->blob,
				chunk.data);
	}
	return err;
}

struct fx_error *
fx_safetensors_write(const char *path, const struct fx_weights *weights,
	uint64_t *size_ret, struct fx_file_writer **ret)
{
	FX_AUTO_BUF struct fx_buf header = { 0 };
	struct fx_file_writer *file = NULL;
	uint64_t data_size = 0;
	struct fx_error *err;

	make_header(&header, weights, &data_size);
	*size_ret = 8 + header.length + data_size;
	err = fx_file_writer_new(path, &file);
	if (err)
		return err;
	err = write_all(file, weights, &header);
	if (err)
		fx_file_writer_abort(file);
	else
		*ret = file;
	return err;
}
