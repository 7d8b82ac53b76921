/* npy.c - numpy's files: six bytes of magic, a version, the length of a
 * header, which is a Python dict, and the elements.
 */
#include <config.h>

#include "load/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/value_text.h"
#include "lang/parse.h"
#include "load/archive.h"

static const char magic[] = "\x93NUMPY";

struct reader {
	const char *path;
	int fd;
	const char *bytes; /* of an archive, instead of FD; or NULL */
	uint64_t file_size;
	uint64_t offset; /* of the elements */
	bool is_fortran;
	bool is_swapped;
	struct fx_npy *array;
};

void
fx_npy_deinit(struct fx_npy *array)
{
	fx_blob_unref(array->blob);
	array->blob = NULL;
}

static struct fx_error *
bad_file(const struct reader *reader, const char *what)
{
	return fx_error_new(FX_ERR_FORMAT, "\"%s\": %s", reader->path, what);
}

/* SIZE bytes at OFFSET. */
static struct fx_error *
read_at(const struct reader *reader, uint64_t offset, size_t size, void *bytes)
{
	char *at = bytes;

	if (reader->bytes) {
		if (offset > reader->file_size ||
			size > reader->file_size - offset)
			return bad_file(reader, "the file is cut short");
		memcpy(bytes, reader->bytes + offset, size);
		return NULL;
	}
	while (size) {
		ssize_t now = pread(reader->fd, at, size, (off_t)offset);

		if (now < 0 && errno == EINTR)
			continue;
		if (now < 0)
			return fx_file_error("read", reader->path, errno);
		if (!now)
			return bad_file(reader, "the file is cut short");
		at += now;
		offset += (size_t)now;
		size -= (size_t)now;
	}
	return NULL;
}

/* --- the header ---------------------------------------------------------- */

static struct fx_error *
read_dtype(struct reader *reader, const struct fx_value *descr)
{
	const char *text = descr->text;
	bool has_order;

	if (descr->kind != FX_VALUE_STRING)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"\"%s\" holds records, not numbers", reader->path);
	has_order = *text && strchr("<>|=", *text);
	reader->is_swapped = *text == '>';
	if (text[has_order] == 'O')
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"\"%s\" holds Python objects: they would have to be "
			"unpickled, which could run anything",
			reader->path);
	reader->array->dtype = fx_dtype_find_numpy(text + has_order);
	if (!text[has_order] || !reader->array->dtype)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"\"%s\" holds elements of numpy's type \"%s\", which "
			"torch does not have",
			reader->path, text);
	return NULL;
}

static struct fx_error *
read_shape(struct reader *reader, const struct fx_value *shape)
{
	struct fx_npy *array = reader->array;
	uint64_t limit =
		(uint64_t)INT64_MAX / fx_dtype_info(array->dtype)->size;
	bool is_empty = false;

	if (shape->count > FX_RANK_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"\"%s\": %u dimensions are too many", reader->path,
			shape->count);
	array->rank = shape->count;
	array->count = 1;
	for (uint32_t i = 0; i < shape->count; i++) {
		const struct fx_value *size = &shape->items[i];

		if (size->kind != FX_VALUE_INT || size->integer < 0)
			return bad_file(reader,
				"the header has a size that is no number");
		array->sizes[i] = size->integer;
		is_empty = is_empty || !size->integer;
	}
	for (uint32_t i = 0; i < array->rank && !is_empty; i++) {
		if ((uint64_t)array->sizes[i] > limit / array->count)
			return fx_error_new(FX_ERR_LIMIT,
				"\"%s\": the shape has more elements than can "
				"be counted",
				reader->path);
		array->count *= (uint64_t)array->sizes[i];
	}
	if (is_empty)
		array->count = 0;
	return NULL;
}

static struct fx_error *
parse_header(struct reader *reader, const char *text, size_t length)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	const struct fx_value *descr;
	const struct fx_value *order;
	const struct fx_value *shape;
	struct fx_value dict = { .kind = FX_VALUE_NONE };
	struct fx_ast *tree;
	struct fx_error *err = fx_parse_expression(arena, text, length,
		FX_PARSE_PYTHON, &tree);

	if (!err)
		err = fx_value_from_ast(arena, NULL, text, tree, &dict);
	fx_error_free(err);
	if (err || dict.kind != FX_VALUE_DICT)
		return bad_file(reader, "the header is no Python dict");
	descr = fx_value_dict_get(&dict, fx_intern("descr"));
	order = fx_value_dict_get(&dict, fx_intern("fortran_order"));
	shape = fx_value_dict_get(&dict, fx_intern("shape"));
	if (!descr || !order || order->kind != FX_VALUE_BOOL || !shape ||
		shape->kind != FX_VALUE_TUPLE)
		return bad_file(reader,
			"the header lacks descr, fortran_order or shape");
	reader->is_fortran = order->truth;
	err = read_dtype(reader, descr);
	return err ? err : read_shape(reader, shape);
}

static struct fx_error *
read_header(struct reader *reader)
{
	unsigned char start[12] = { 0 };
	FX_AUTO_FREE char *text = NULL;
	size_t width;
	size_t length;
	struct fx_error *err;

	if (reader->file_size < 10)
		return bad_file(reader, "it is no .npy file");
	err = read_at(reader, 0, FX_MIN(reader->file_size, sizeof(start)),
		start);
	if (err)
		return err;
	if (memcmp(start, "PK", 2) == 0)
		return bad_file(reader,
			"it is an archive; numpy.save writes a .npy file");
	if (memcmp(start, magic, sizeof(magic) - 1) != 0)
		return bad_file(reader, "it is no .npy file");
	if (start[6] < 1 || start[6] > 3)
		return fx_error_new(FX_ERR_VERSION,
			"\"%s\" is a .npy file of version %d, newer than 3",
			reader->path, start[6]);
	width = start[6] == 1 ? 2 : 4;
	length = start[8] | (size_t)start[9] << 8;
	if (width == 4)
		length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
	reader->offset = 8 + width + length;
	if (reader->offset > reader->file_size)
		return bad_file(reader, "the file is cut short");
	if (length > FX_NPY_HEADER_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"\"%s\": a header of %zu bytes is too long",
			reader->path, length);
	text = fx_xmalloc(length + 1);
	err = read_at(reader, 8 + width, length, text);
	if (err)
		return err;
	while (length && strchr(" \n", text[length - 1]))
		length--;
	text[length] = '\0';
	return parse_header(reader, text, length);
}

/* --- the elements -------------------------------------------------------- */

static void
swap_bytes(char *bytes, size_t size, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++, bytes += size)
		for (size_t k = 0; k < size / 2; k++) {
			char byte = bytes[k];

			bytes[k] = bytes[size - 1 - k];
			bytes[size - 1 - k] = byte;
		}
}

/* FROM has the first dimension's elements side by side, TO the last's. */
static void
reorder(const struct fx_npy *array, const char *from, char *to)
{
	size_t size = fx_dtype_info(array->dtype)->size;
	int64_t at[FX_RANK_LIMIT] = { 0 };
	uint64_t steps[FX_RANK_LIMIT];
	uint64_t source = 0;
	uint64_t step = 1;

	for (uint32_t i = 0; i < array->rank; i++) {
		steps[i] = step;
		step *= (uint64_t)array->sizes[i];
	}
	for (uint64_t k = 0; k < array->count; k++, to += size) {
		uint32_t i = array->rank;

		memcpy(to, from + source * size, size);
		while (i--) {
			source += steps[i];
			if (++at[i] < array->sizes[i])
				break;
			source -= steps[i] * (uint64_t)array->sizes[i];
			at[i] = 0;
		}
	}
}

/* The elements of a complex number are swapped each for itself. */
static void
tidy(const struct reader *reader, char *bytes)
{
	enum fx_dtype dtype = reader->array->dtype;
	bool is_complex =
		fx_dtype_info(dtype)->category == FX_DTYPE_CATEGORY_COMPLEX;
	size_t size = fx_dtype_info(dtype)->size;
	uint64_t count = reader->array->count;

	if (reader->is_swapped)
		swap_bytes(bytes, is_complex ? size / 2 : size,
			is_complex ? 2 * count : count);
	for (uint64_t i = 0; dtype == FX_DTYPE_BOOL && i < count; i++)
		bytes[i] = bytes[i] != 0;
}

static struct fx_error *
read_elements(struct reader *reader)
{
	struct fx_npy *array = reader->array;
	uint64_t size = array->count * fx_dtype_info(array->dtype)->size;
	bool is_columns = reader->is_fortran && array->rank > 1 && array->count;
	struct fx_blob *other;
	struct fx_error *err;

	if (size > reader->file_size - reader->offset)
		return fx_error_new(FX_ERR_FORMAT,
			"\"%s\" is cut short: %" PRIu64
			" bytes of elements are needed, it has %" PRIu64,
			reader->path, size, reader->file_size - reader->offset);
	/* Not mapped: it is copied anyway, and the file may change. */
	err = fx_blob_new((size_t)size, &array->blob);
	if (!err)
		err = read_at(reader, reader->offset, (size_t)size,
			fx_blob_data(array->blob));
	if (err)
		return err;
	tidy(reader, fx_blob_data(array->blob));
	if (!is_columns)
		return NULL;
	err = fx_blob_new((size_t)size, &other);
	if (err)
		return err;
	reorder(array, fx_blob_data(array->blob), fx_blob_data(other));
	fx_blob_unref(array->blob);
	array->blob = other;
	return NULL;
}

struct fx_error *
fx_npy_read(const char *path, struct fx_npy *ret)
{
	struct reader reader = { .path = path, .array = ret };
	struct stat st;
	struct fx_error *err = NULL;

	*ret = (struct fx_npy){ .rank = 0 };
	/* A pipe that nobody writes to would wait for ever. */
	reader.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (reader.fd < 0)
		return fx_file_error("read", path, errno);
	if (fstat(reader.fd, &st) != 0)
		err = fx_file_error("read", path, errno);
	else if (!S_ISREG(st.st_mode))
		err = fx_error_new(FX_ERR_IO,
			"cannot read \"%s\": it is no regular file", path);
	else
		reader.file_size = (uint64_t)st.st_size;
	if (!err)
		err = read_header(&reader);
	if (!err)
		err = read_elements(&reader);
	close(reader.fd);
	if (err)
		fx_npy_deinit(ret);
	return err;
}

/* --- archives ------------------------------------------------------------ */

/* The entry "NAME.npy" of ARCHIVE, or the only one; the caller's. */
static struct fx_error *
find_array(const struct fx_archive *archive, const char *path, const char *name,
	char **ret)
{
	FX_AUTO_FREE char *wanted = fx_xasprintf("%s.npy", name ? name : "");
	FX_AUTO_BUF struct fx_buf names = { 0 };
	const char *entry;
	size_t count = 0;

	for (size_t i = 0; (entry = fx_archive_name(archive, i)); i++) {
		if (!fx_str_ends(entry, ".npy"))
			continue;
		count++;
		if (count == 1 || !strcmp(entry, wanted)) {
			free(*ret);
			*ret = fx_xstrdup(entry);
		}
		if (!strcmp(entry, wanted))
			return NULL;
		fx_buf_addf(&names, "%s%.*s", count > 1 ? ", " : "",
			(int)(strlen(entry) - strlen(".npy")), entry);
	}
	if (count == 1)
		return NULL;
	if (!count)
		return fx_error_new(FX_ERR_FORMAT,
			"%s is an archive without arrays of numpy", path);
	return fx_error_hint(name ? fx_error_new(FX_ERR_NO_NAME,
					    "%s has no array \"%s\"", path,
					    name)
				  : fx_error_new(FX_ERR_NO_NAME,
					    "%s has %zu arrays", path, count),
		"file(\"%s\", NAME), one of %s", path, fx_buf_text(&names));
}

bool
fx_npz_has(const char *path, const char *name)
{
	FX_AUTO_ARCHIVE struct fx_archive *archive = NULL;
	FX_AUTO_FREE char *wanted = fx_xasprintf("%s.npy", name);
	FX_AUTO_ERROR struct fx_error *err = NULL;
	const char *entry;

	if (!fx_is_archive(path))
		return true;
	err = fx_archive_open(path, &archive);
	if (err)
		return true;
	for (size_t i = 0; (entry = fx_archive_name(archive, i)); i++)
		if (!strcmp(entry, wanted))
			return true;
	return false;
}

struct fx_error *
fx_npz_read(const char *path, const char *name, struct fx_npy *ret)
{
	FX_AUTO_ARCHIVE struct fx_archive *archive = NULL;
	FX_AUTO_FREE char *entry = NULL;
	struct reader reader = { .path = path, .array = ret };
	struct fx_blob *blob = NULL;
	struct fx_error *err;

	if (!fx_is_archive(path))
		return fx_npy_read(path, ret);
	*ret = (struct fx_npy){ .rank = 0 };
	err = fx_archive_open(path, &archive);
	if (!err)
		err = find_array(archive, path, name, &entry);
	if (!err)
		err = fx_archive_read(archive, entry, SIZE_MAX, &blob);
	if (err)
		return err;
	reader.bytes = fx_blob_data(blob);
	reader.file_size = fx_blob_size(blob);
	err = read_header(&reader);
	if (!err)
		err = read_elements(&reader);
	fx_blob_unref(blob);
	if (err)
		fx_npy_deinit(ret);
	return err;
}

/* --- writing ------------------------------------------------------------- */

struct fx_error *
fx_npy_header(const struct fx_npy *array, struct fx_buf *ret)
{
	const struct fx_dtype_info *info = fx_dtype_info(array->dtype);
	size_t start = sizeof(magic) - 1 + 4;

	if (!array->dtype || !*info->numpy)
		return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
					     "numpy has no type for elements "
					     "of torch.%s",
					     info->name),
			"x.float() has one");
	fx_buf_clear(ret);
	fx_buf_add_repeat(ret, ' ', start);
	fx_buf_addf(ret,
		"{'descr': '%c%s', 'fortran_order': False, "
		"'shape': (",
		info->size == 1 ? '|' : '<', info->numpy);
	for (uint32_t i = 0; i < array->rank; i++)
		fx_buf_addf(ret, "%s%" PRId64, i ? ", " : "", array->sizes[i]);
	fx_buf_add(ret, array->rank == 1 ? ",), }" : "), }");
	/* The elements begin at a multiple of 64. */
	while ((ret->length + 1) % 64)
		fx_buf_add_char(ret, ' ');
	fx_buf_add_char(ret, '\n');
	memcpy(ret->data, magic, sizeof(magic) - 1);
	ret->data[6] = 1;
	ret->data[7] = 0;
	ret->data[8] = (char)((ret->length - start) & 0xff);
	ret->data[9] = (char)((ret->length - start) >> 8);
	return NULL;
}

static struct fx_error *
write_elements(struct fx_file_writer *file, const struct fx_npy *array,
	fx_npy_source *source, void *context)
{
	size_t size = fx_dtype_info(array->dtype)->size;
	size_t room = ((size_t)1 << 20) / size;
	FX_AUTO_FREE char *bytes = fx_xmalloc(room * size);
	struct fx_error *err = NULL;

	for (uint64_t at = 0; !err && at < array->count; at += room) {
		size_t count = FX_MIN(array->count - at, room);

		err = source(context, at, count, bytes);
		if (!err)
			err = fx_file_writer_add(file, bytes, count * size);
	}
	return err;
}

struct fx_error *
fx_npy_write(const char *path, const struct fx_npy *array,
	fx_npy_source *source, void *context)
{
	FX_AUTO_BUF struct fx_buf header = { 0 };
	struct fx_file_writer *file;
	struct fx_error *err = fx_npy_header(array, &header);

	if (!err)
		err = fx_file_writer_new(path, &file);
	if (err)
		return err;
	err = fx_file_writer_add(file, header.data, header.length);
	if (!err)
		err = write_elements(file, array, source, context);
	if (!err)
		return fx_file_writer_commit(file);
	fx_file_writer_abort(file);
	return err;
}
