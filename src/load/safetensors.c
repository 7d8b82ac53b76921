/* safetensors.c - files of named tensors: reading. */
#include <config.h>

#include "load/safetensors.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/tensor_meta.h"

void
fx_safetensors_free(struct fx_safetensors *file)
{
	if (!file)
		return;
	fx_blob_unref(file->data);
	fx_map_deinit(&file->index);
	fx_arena_free(file->arena);
	free(file->path);
	free(file);
}

/* TEXT_TAKEN says what is wrong with FILE. */
FX_NODISCARD static struct fx_error *
bad_file(const struct fx_safetensors *file, char *text_taken)
{
	struct fx_error *err = fx_error_new(FX_ERR_FORMAT,
		"weights file \"%s\": %s", file->path, text_taken);

	free(text_taken);
	return err;
}

/* Numbers of an array, all at least 0. */
static bool
read_sizes(const json_t *array, size_t limit, int64_t *ret)
{
	size_t count = json_array_size(array);

	if (!json_is_array(array) || count > limit)
		return false;
	for (size_t i = 0; i < count; i++) {
		const json_t *number = json_array_get(array, i);

		if (!json_is_integer(number) || json_integer_value(number) < 0)
			return false;
		ret[i] = json_integer_value(number);
	}
	return true;
}

/* Bytes of RANK sizes of DTYPE; false when they do not fit 63 bits. */
static bool
count_bytes(enum fx_dtype dtype, const int64_t *sizes, size_t rank,
	uint64_t *ret)
{
	int64_t bytes = (int64_t)fx_dtype_info(dtype)->size;

	for (size_t i = 0; i < rank; i++)
		if (__builtin_mul_overflow(bytes, sizes[i], &bytes))
			return false;
	*ret = (uint64_t)bytes;
	return true;
}

FX_NODISCARD static struct fx_error *
read_entry(struct fx_safetensors *file, const char *name, const json_t *json,
	struct fx_safetensors_entry *entry)
{
	const json_t *shape = json_object_get(json, "shape");
	const json_t *dtype = json_object_get(json, "dtype");
	const json_t *range = json_object_get(json, "data_offsets");
	int64_t sizes[FX_RANK_LIMIT];
	int64_t offsets[2];
	uint64_t bytes;

	if (!json_is_string(dtype) ||
		!read_sizes(shape, FX_RANK_LIMIT, sizes) ||
		!read_sizes(range, 2, offsets) || json_array_size(range) != 2)
		return bad_file(file,
			fx_xasprintf("the entry \"%.100s\" is damaged", name));
	entry->name = fx_intern(name);
	entry->dtype = fx_dtype_find_safetensors(json_string_value(dtype));
	entry->rank = (uint32_t)json_array_size(shape);
	entry->sizes = fx_arena_alloc(file->arena,
		entry->rank * sizeof(*entry->sizes));
	memcpy((int64_t *)entry->sizes, sizes, entry->rank * sizeof(*sizes));
	entry->begin = (uint64_t)offsets[0];
	entry->end = (uint64_t)offsets[1];
	if (entry->begin > entry->end)
		return bad_file(file,
			fx_xasprintf("the bytes of \"%.100s\" end before "
				     "they begin",
				name));
	if (entry->dtype != FX_DTYPE_NONE &&
		(!count_bytes(entry->dtype, sizes, entry->rank, &bytes) ||
			bytes != entry->end - entry->begin))
		return bad_file(file,
			fx_xasprintf("\"%.100s\" has %" PRIu64
				     " bytes, which does not fit its shape",
				name, entry->end - entry->begin));
	return NULL;
}

static int
compare_places(const void *a, const void *b)
{
	const struct fx_safetensors_entry *x = a;
	const struct fx_safetensors_entry *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

FX_NODISCARD static struct fx_error *
check_places(struct fx_safetensors *file, uint64_t data_size)
{
	uint64_t end = 0;

	qsort(file->entries, file->count, sizeof(*file->entries),
		compare_places);
	for (size_t i = 0; i < file->count; i++) {
		const struct fx_safetensors_entry *entry = &file->entries[i];

		if (entry->begin < end)
			return bad_file(file,
				fx_xasprintf("\"%.100s\" overlaps \"%.100s\"",
					entry->name, entry[-1].name));
		if (entry->end > data_size)
			return bad_file(file,
				fx_xasprintf("cut short: \"%.100s\" ends at "
					     "byte %" PRIu64 " of %" PRIu64,
					entry->name, entry->end, data_size));
		end = entry->end;
		fx_map_set(&file->index, (uintptr_t)entry->name, i + 1);
	}
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_header(struct fx_safetensors *file, const char *text, size_t length,
	uint64_t data_size)
{
	json_error_t where;
	json_t *root = json_loadb(text, length,
		JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &where);
	struct fx_error *err = NULL;
	const char *name;
	json_t *value;

	if (!json_is_object(root)) {
		json_decref(root);
		return bad_file(file,
			fx_xasprintf("its header is damaged: %.200s",
				root ? "no object" : where.text));
	}
	file->entries = FX_ARENA_ARRAY(file->arena, struct fx_safetensors_entry,
		json_object_size(root));
	json_object_foreach(root, name, value)
	{
		if (strcmp(name, "__metadata__") == 0)
			continue;
		err = read_entry(file, name, value,
			&file->entries[file->count++]);
		if (err)
			break;
	}
	json_decref(root);
	return err ? err : check_places(file, data_size);
}

FX_NODISCARD static struct fx_error *
map_data(struct fx_safetensors *file, uint64_t offset, uint64_t size)
{
	if (size == 0)
		return fx_blob_new(0, &file->data);
	return fx_blob_map(file->path, (size_t)offset, (size_t)size,
		&file->data);
}

/* The eight bytes with the header's length and the header itself. */
FX_NODISCARD static struct fx_error *
open_header(struct fx_safetensors *file)
{
	FX_AUTO_FREE char *text = NULL;
	struct fx_blob *head = NULL;
	struct fx_error *err;
	uint64_t length;

	if (file->file_size < 8)
		return bad_file(file,
			fx_xasprintf("cut short: %" PRIu64 " bytes",
				file->file_size));
	err = fx_blob_map(file->path, 0, 8, &head);
	if (err)
		return err;
	err = fx_blob_read(head, 0, 8, &length);
	fx_blob_unref(head);
	if (err)
		return err;
	length = le64toh(length);
	if (length > FX_SAFETENSORS_HEADER_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"weights file \"%s\": its header claims %" PRIu64
			" bytes",
			file->path, length);
	if (length == 0 || length > file->file_size - 8)
		return bad_file(file,
			fx_xasprintf("cut short: its header claims %" PRIu64
				     " bytes",
				length));
	err = fx_blob_map(file->path, 8, (size_t)length, &head);
	if (err)
		return err;
	text = fx_xmalloc(length);
	err = fx_blob_read(head, 0, length, text);
	fx_blob_unref(head);
	if (!err)
		err = read_header(file, text, length,
			file->file_size - 8 - length);
	return err ? err
		   : map_data(file, 8 + length, file->file_size - 8 - length);
}

struct fx_error *
fx_safetensors_open(const char *path, struct fx_safetensors **ret)
{
	FX_AUTO_SAFETENSORS struct fx_safetensors *file =
		FX_NEW(struct fx_safetensors);
	struct fx_error *err;
	struct stat status;

	file->path = fx_xstrdup(path);
	file->arena = fx_arena_new();
	if (stat(path, &status) != 0)
		return errno == ENOENT
			       ? fx_error_new(FX_ERR_IO,
					 "weights file \"%s\" is missing", path)
			       : fx_file_error("read", path, errno);
	if (!S_ISREG(status.st_mode))
		return bad_file(file, fx_xasprintf("not a regular file"));
	file->file_size = (uint64_t)status.st_size;
	err = open_header(file);
	if (err)
		return err;
	*ret = FX_TAKE(file);
	return NULL;
}

const struct fx_safetensors_entry *
fx_safetensors_find(const struct fx_safetensors *file, const char *name)
{
	const char *key = fx_intern_find(name);
	size_t at = key ? fx_map_get(&file->index, (uintptr_t)key, 0) : 0;

	return at ? &file->entries[at - 1] : NULL;
}

struct fx_blob *
fx_safetensors_blob(const struct fx_safetensors *file,
	const struct fx_safetensors_entry *entry)
{
	return fx_blob_slice(file->data, (size_t)entry->begin,
		(size_t)(entry->end - entry->begin));
}
