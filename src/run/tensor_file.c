/* tensor_file.c - tensors in a file: which format, safetensors and CSV. */
#include <config.h>

#include "run/tensor_file.h"

#include <endian.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "load/safetensors.h"
#include "run/values.h"

/* What fills a file: what stands first (or why it cannot), then elements. */
struct tensor_format {
	const char *ending;
	bool has_several;
	struct fx_error *(*begin)(struct fx_file_writer *file,
		const struct fx_npy_entry *entries, size_t count);
	struct fx_error *(*add)(struct fx_file_writer *file,
		const struct fx_npy *array, const void *bytes, uint64_t first,
		size_t count);
};

/* Elements that are asked for at once. */
#define CHUNK ((size_t)4096)

/* Bytes of a CSV that are read. */
#define CSV_LIMIT ((size_t)256 << 20)

/* --- safetensors --------------------------------------------------------- */

static struct fx_error *
which_entry(const struct fx_safetensors *file, const char *path,
	const char *name)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };

	for (size_t i = 0; i < file->count && i < 20; i++)
		fx_buf_addf(&names, "%s%s", i ? ", " : "",
			file->entries[i].name);
	return fx_error_hint(name ? fx_error_new(FX_ERR_NO_NAME,
					    "%s has no tensor \"%s\"", path,
					    name)
				  : fx_error_new(FX_ERR_NO_NAME,
					    "%s has %zu tensors", path,
					    file->count),
		"file(\"%s\", NAME), one of %s", path, fx_buf_text(&names));
}

struct fx_error *
fx_tensor_file_take(const struct fx_safetensors *file, const char *path,
	const char *name, struct fx_npy *ret)
{
	const struct fx_safetensors_entry *entry =
		name               ? fx_safetensors_find(file, name)
		: file->count == 1 ? &file->entries[0]
				   : NULL;

	if (!entry)
		return which_entry(file, path, name);
	if (!entry->dtype)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%s: the element type of \"%s\" is not known here",
			path, entry->name);
	ret->dtype = entry->dtype;
	ret->rank = entry->rank;
	ret->count = 1;
	for (uint32_t i = 0; i < entry->rank; i++) {
		ret->sizes[i] = entry->sizes[i];
		ret->count *= (uint64_t)entry->sizes[i];
	}
	ret->blob = fx_safetensors_blob(file, entry);
	return NULL;
}

static struct fx_error *
read_safetensors(const char *path, const char *name, struct fx_npy *ret)
{
	FX_AUTO_SAFETENSORS struct fx_safetensors *file = NULL;
	struct fx_error *err = fx_safetensors_open(path, &file);

	return err ? err : fx_tensor_file_take(file, path, name, ret);
}

static struct fx_error *
add_entry(struct fx_json *json, const struct fx_npy_entry *entry,
	int64_t *offset)
{
	const struct fx_npy *array = &entry->array;
	const struct fx_dtype_info *info = fx_dtype_info(array->dtype);

	if (!*info->safetensors)
		return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
					     "safetensors has no type for "
					     "elements of torch.%s",
					     info->name),
			"a .npy file may have one");
	fx_json_key(json, entry->name);
	fx_json_object_begin(json);
	fx_json_put_text(json, "dtype", info->safetensors);
	fx_json_key(json, "shape");
	fx_json_array_begin(json);
	for (uint32_t i = 0; i < array->rank; i++)
		fx_json_int(json, array->sizes[i]);
	fx_json_array_end(json);
	fx_json_key(json, "data_offsets");
	fx_json_array_begin(json);
	fx_json_int(json, *offset);
	*offset += (int64_t)(array->count * info->size);
	fx_json_int(json, *offset);
	fx_json_array_end(json);
	fx_json_object_end(json);
	return NULL;
}

static struct fx_error *
begin_safetensors(struct fx_file_writer *file,
	const struct fx_npy_entry *entries, size_t count)
{
	FX_AUTO_BUF struct fx_buf header = { 0 };
	struct fx_json json;
	uint64_t length;
	int64_t offset = 0;
	struct fx_error *err = NULL;

	fx_json_init(&json, &header);
	fx_json_object_begin(&json);
	for (size_t i = 0; i < count && !err; i++)
		err = add_entry(&json, &entries[i], &offset);
	if (err)
		return err;
	fx_json_object_end(&json);
	fx_buf_add_repeat(&header, ' ', (64 - (8 + header.length) % 64) % 64);
	length = htole64(header.length);
	err = fx_file_writer_add(file, &length, sizeof(length));
	return err ? err : fx_file_writer_add(file, header.data, header.length);
}

static struct fx_error *
add_bytes(struct fx_file_writer *file, const struct fx_npy *array,
	const void *bytes, uint64_t first, size_t count)
{
	(void)first;
	return fx_file_writer_add(file, bytes,
		count * fx_dtype_info(array->dtype)->size);
}

/* --- CSV ----------------------------------------------------------------- */

struct csv {
	const char *path;
	FX_VEC(double) numbers;
	FX_VEC(int64_t) integers; /* the same, while all are */
	bool is_whole;
	size_t columns;
	size_t rows;
	size_t line;
};

/* What Python's float() reads beside literals. */
static bool
parse_special(const char *text, size_t length, double *ret)
{
	static const struct {
		const char *word;
		double number;
	} words[] = { { "nan", NAN }, { "inf", INFINITY },
		{ "-inf", -INFINITY } };

	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		if (strlen(words[i].word) == length &&
			!strncasecmp(words[i].word, text, length)) {
			*ret = words[i].number;
			return true;
		}
	return false;
}

static struct fx_error *
read_field(struct csv *csv, const char *text, size_t length)
{
	int64_t integer = 0;
	double number;

	while (length && strchr(" \t\r", *text)) {
		text++;
		length--;
	}
	while (length && strchr(" \t\r", text[length - 1]))
		length--;
	if (!fx_number_parse_int(text, length, &integer))
		csv->is_whole = false;
	if (!fx_number_parse_double(text, length, &number) &&
		!parse_special(text, length, &number))
		return fx_error_new(FX_ERR_FORMAT,
			"%s:%zu: \"%.*s\" is no number", csv->path, csv->line,
			(int)FX_MIN(length, (size_t)40), text);
	fx_vec_push(&csv->numbers, number);
	fx_vec_push(&csv->integers, integer);
	return NULL;
}

/* A line of LENGTH bytes: fields with commas between. */
static struct fx_error *
read_line(struct csv *csv, const char *text, size_t length)
{
	const char *end = text + length;
	size_t fields = 0;

	if (!length || *text == '#' || strspn(text, " \t\r") >= length)
		return NULL;
	for (;;) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		const char *stop = comma ? comma : end;
		struct fx_error *err =
			read_field(csv, text, (size_t)(stop - text));

		if (err)
			return err;
		fields++;
		if (!comma)
			break;
		text = comma + 1;
	}
	if (csv->rows && fields != csv->columns)
		return fx_error_new(FX_ERR_FORMAT,
			"%s:%zu: the row has %zu field%s, those before have "
			"%zu",
			csv->path, csv->line, fields, fields == 1 ? "" : "s",
			csv->columns);
	csv->columns = fields;
	csv->rows++;
	return NULL;
}

static struct fx_error *
take_numbers(const struct csv *csv, struct fx_npy *ret)
{
	size_t count = csv->numbers.count;
	struct fx_error *err =
		fx_blob_new(count * (csv->is_whole ? 8 : 4), &ret->blob);

	if (err)
		return err;
	ret->dtype = csv->is_whole ? FX_DTYPE_I64 : FX_DTYPE_F32;
	ret->rank = csv->columns == 1 ? 1 : 2;
	ret->sizes[0] = (int64_t)csv->rows;
	ret->sizes[1] = (int64_t)csv->columns;
	ret->count = count;
	if (csv->is_whole)
		memcpy(fx_blob_data(ret->blob), csv->integers.items,
			count * sizeof(int64_t));
	for (size_t i = 0; !csv->is_whole && i < count; i++)
		((float *)fx_blob_data(ret->blob))[i] =
			(float)csv->numbers.items[i];
	return NULL;
}

static struct fx_error *
read_csv(const char *path, struct fx_npy *ret)
{
	struct csv csv = { .path = path, .is_whole = true };
	FX_AUTO_FREE char *data = NULL;
	size_t size;
	struct fx_error *err = fx_file_read(path, CSV_LIMIT, &data, &size);

	for (size_t at = 0; !err && at < size;) {
		const char *newline = memchr(data + at, '\n', size - at);
		size_t end = newline ? (size_t)(newline - data) : size;

		csv.line++;
		err = read_line(&csv, data + at, end - at);
		at = end + 1;
	}
	if (!err && !csv.rows)
		err = fx_error_new(FX_ERR_FORMAT, "%s has no numbers", path);
	if (!err)
		err = take_numbers(&csv, ret);
	fx_vec_deinit(&csv.numbers);
	fx_vec_deinit(&csv.integers);
	return err;
}

static struct fx_error *
begin_csv(struct fx_file_writer *file, const struct fx_npy_entry *entries,
	size_t count)
{
	const struct fx_npy *array = &entries->array;

	(void)file;
	(void)count;
	if (array->rank > 2)
		return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
					     "a CSV has rows and columns, the "
					     "tensor has %" PRIu32
					     " dimensions",
					     array->rank),
			"x.flatten(1) has two, x[0,0] may have");
	if (fx_dtype_info(array->dtype)->category == FX_DTYPE_CATEGORY_COMPLEX)
		return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
					     "a CSV has no complex numbers"),
			"x.real, x.imag and x.abs() are real");
	return NULL;
}

static struct fx_error *
add_rows(struct fx_file_writer *file, const struct fx_npy *array,
	const void *bytes, uint64_t first, size_t count)
{
	uint64_t columns =
		array->rank == 2 ? (uint64_t)array->sizes[1] : (uint64_t)1;
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (array->dtype == FX_DTYPE_BOOL)
			fx_buf_add_int(&text, ((const char *)bytes)[i] != 0);
		else
			fx_element_print(&text, array->dtype, bytes, i);
		fx_buf_add_char(&text, (first + i + 1) % columns ? ',' : '\n');
	}
	return fx_file_writer_add(file, text.data, text.length);
}

/* --- formats ------------------------------------------------------------- */

static struct fx_error *
write_elements(const struct fx_npy_entry *entry, struct fx_file_writer *file,
	const struct tensor_format *format, fx_npy_source *source)
{
	const struct fx_npy *array = &entry->array;
	size_t size = fx_dtype_info(array->dtype)->size;
	FX_AUTO_FREE char *bytes = fx_xmalloc(CHUNK * size);
	struct fx_error *err = NULL;

	for (uint64_t first = 0; !err && first < array->count;) {
		size_t count =
			(size_t)FX_MIN(array->count - first, (uint64_t)CHUNK);

		err = source(entry->context, first, count, bytes);
		if (!err)
			err = format->add(file, array, bytes, first, count);
		first += count;
	}
	return err;
}

static const struct tensor_format formats[] = {
	{ ".npy", false, NULL, NULL },
	{ ".npz", true, NULL, NULL },
	{ ".safetensors", true, begin_safetensors, add_bytes },
	{ ".csv", false, begin_csv, add_rows },
};

const char *
fx_tensor_file_ending(size_t index)
{
	return index < FX_ARRAY_LEN(formats) ? formats[index].ending : NULL;
}

struct fx_error *
fx_tensor_file_write(const char *path, const struct fx_npy_entry *entries,
	size_t count, fx_npy_source *source)
{
	const struct tensor_format *format = formats;
	struct fx_file_writer *file;
	struct fx_error *err;

	while (!fx_str_ends(path, format->ending))
		format++;
	if (count != 1 && !format->has_several)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "a %s file has one tensor, not "
					     "%zu",
					     format->ending, count),
			".npz and .safetensors have several");
	if (!format->begin)
		return format->has_several
			       ? fx_npz_write(path, entries, count, source)
			       : fx_npy_write(path, &entries->array, source,
					 entries->context);
	err = fx_file_writer_new(path, &file);
	if (err)
		return err;
	err = format->begin(file, entries, count);
	for (size_t i = 0; i < count && !err; i++)
		err = write_elements(&entries[i], file, format, source);
	if (!err)
		return fx_file_writer_commit(file);
	fx_file_writer_abort(file);
	return err;
}

struct fx_error *
fx_tensor_file_read(const char *path, const char *name, struct fx_npy *ret)
{
	struct fx_error *err;

	*ret = (struct fx_npy){ .rank = 0 };
	if (fx_str_ends(path, ".safetensors"))
		err = read_safetensors(path, name, ret);
	else if (fx_str_ends(path, ".csv"))
		err = read_csv(path, ret);
	else
		return fx_npz_read(path, name, ret);
	if (err)
		fx_npy_deinit(ret);
	return err;
}
