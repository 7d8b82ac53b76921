/* npz_write.c - numpy's files of several arrays: writing, by libzip.
 *
 * Entries are stored as they are, as numpy.savez does.  libzip asks for their
 * bytes when the archive is closed, writes them to a file beside it and renames
 * that, so that a file is replaced as a whole or not at all.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/file.h"
#include "base/mem.h"
#include "load/npy.h"

/* Bytes of elements that are asked for at once. */
#define ROOM ((size_t)1 << 18)

/* One array on its way into the archive. */
struct flow {
	const struct fx_npy_entry *entry;
	fx_npy_source *source;
	struct fx_buf header;
	char *bytes;     /* ROOM of them; elements that were asked for */
	size_t at;       /* in HEADER, or in BYTES */
	size_t filled;   /* of BYTES */
	uint64_t next;   /* element */
	zip_error_t why; /* for libzip */
	struct fx_error *err;
};

static size_t
element_size(const struct flow *flow)
{
	return fx_dtype_info(flow->entry->array.dtype)->size;
}

/* Ask for elements; false at the end and when they cannot be had. */
static bool
refill(struct flow *flow)
{
	const struct fx_npy *array = &flow->entry->array;
	size_t size = element_size(flow);
	size_t count = (size_t)FX_MIN(array->count - flow->next,
		(uint64_t)(ROOM / size));

	if (!count)
		return false;
	flow->err = flow->source(flow->entry->context, flow->next, count,
		flow->bytes);
	flow->next += count;
	flow->filled = count * size;
	flow->at = 0;
	return !flow->err;
}

static zip_int64_t
read_some(struct flow *flow, char *data, size_t length)
{
	size_t done = 0;

	while (done < length) {
		bool is_head = !flow->filled;
		const char *from = is_head ? flow->header.data : flow->bytes;
		size_t end = is_head ? flow->header.length : flow->filled;
		size_t part = FX_MIN(end - flow->at, length - done);

		memcpy(data + done, from + flow->at, part);
		flow->at += part;
		done += part;
		if (flow->at == end && !refill(flow))
			break;
	}
	if (!flow->err)
		return (zip_int64_t)done;
	zip_error_set(&flow->why, ZIP_ER_INTERNAL, 0);
	return -1;
}

static void
rewind_flow(struct flow *flow)
{
	flow->at = 0;
	flow->filled = 0;
	flow->next = 0;
}

static zip_int64_t
say_size(const struct flow *flow, zip_stat_t *status)
{
	zip_stat_init(status);
	status->size = flow->header.length +
		       flow->entry->array.count * element_size(flow);
	status->valid = ZIP_STAT_SIZE;
	return sizeof(*status);
}

/* What libzip calls. */
static zip_int64_t
answer(void *context, void *data, zip_uint64_t length, zip_source_cmd_t command)
{
	struct flow *flow = context;

	switch (command) {
	case ZIP_SOURCE_OPEN:
		rewind_flow(flow);
		return 0;
	case ZIP_SOURCE_READ:
		return read_some(flow, data, length);
	case ZIP_SOURCE_STAT:
		return say_size(flow, data);
	case ZIP_SOURCE_ERROR:
		return zip_error_to_data(&flow->why, data, length);
	case ZIP_SOURCE_CLOSE:
	case ZIP_SOURCE_FREE:
		return 0;
	case ZIP_SOURCE_SUPPORTS:
		return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN,
			ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
			ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
	default:
		zip_error_set(&flow->why, ZIP_ER_OPNOTSUPP, 0);
		return -1;
	}
}

/* Why PATH cannot be written, which the system says or libzip. */
static struct fx_error *
cannot_write(const char *path, zip_error_t *why)
{
	if (zip_error_system_type(why) == ZIP_ET_SYS)
		return fx_file_error("write", path, zip_error_code_system(why));
	return fx_error_new(FX_ERR_IO, "cannot write \"%s\": %s", path,
		zip_error_strerror(why));
}

static struct fx_error *
add_entry(zip_t *zip, const char *path, struct flow *flow)
{
	FX_AUTO_FREE char *name = fx_xasprintf("%s.npy", flow->entry->name);
	zip_source_t *source = zip_source_function(zip, answer, flow);
	zip_int64_t index =
		!source ? -1
			: zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8);

	if (index >= 0 && !zip_set_file_compression(zip, (zip_uint64_t)index,
				  ZIP_CM_STORE, 0))
		return NULL;
	if (source && index < 0)
		zip_source_free(source);
	return cannot_write(path, zip_get_error(zip));
}

static struct fx_error *
open_new(const char *path, zip_t **ret)
{
	struct fx_error *err;
	zip_error_t why;
	int code = 0;

	*ret = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
	if (*ret)
		return NULL;
	zip_error_init_with_code(&why, code);
	err = cannot_write(path, &why);
	zip_error_fini(&why);
	return err;
}

static struct fx_error *
add_all(zip_t *zip, const char *path, struct flow *flows, size_t count)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; i < count && !err; i++)
		err = add_entry(zip, path, &flows[i]);
	if (!err && zip_close(zip) == 0)
		return NULL;
	for (size_t i = 0; i < count && !err; i++) {
		err = flows[i].err;
		flows[i].err = NULL;
	}
	if (!err)
		err = cannot_write(path, zip_get_error(zip));
	zip_discard(zip);
	return err;
}

struct fx_error *
fx_npz_write(const char *path, const struct fx_npy_entry *entries, size_t count,
	fx_npy_source *source)
{
	struct flow *flows =
		fx_xcalloc(FX_MAX(count, (size_t)1), sizeof(*flows));
	FX_AUTO_FREE char *bytes = fx_xmalloc(ROOM);
	struct fx_error *err = NULL;
	zip_t *zip;

	for (size_t i = 0; i < count; i++) {
		flows[i].entry = &entries[i];
		flows[i].source = source;
		/* They are read one after the other. */
		flows[i].bytes = bytes;
		zip_error_init(&flows[i].why);
		if (!err)
			err = fx_npy_header(&entries[i].array,
				&flows[i].header);
	}
	if (!err)
		err = open_new(path, &zip);
	if (!err)
		err = add_all(zip, path, flows, count);
	for (size_t i = 0; i < count; i++) {
		fx_buf_deinit(&flows[i].header);
		zip_error_fini(&flows[i].why);
		fx_error_free(flows[i].err);
	}
	free(flows);
	return err;
}
