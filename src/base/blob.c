/* blob.c - counted bytes.
 *
 * Five kinds: our own memory, the same filled at the first look, somebody's
 * memory, a mapped file, a part of another blob.  A mapped file keeps its
 * descriptor, as only asking it tells that the file was cut short; a guard
 * keeps that from being fatal.
 */
#include <config.h>

#include "base/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/number.h"

struct fx_blob {
	size_t references;
	void *data;
	size_t size;

	void (*release)(void *context);
	void *context;

	/* Of memory that is filled at the first look; null afterwards. */
	void (*fill)(void *context, void *data);
	void (*fill_release)(void *context);
	void *fill_context;

	struct fx_blob *parent; /* of a part */

	/* Of a mapped file: the pages lie around the bytes asked for. */
	void *pages;
	size_t pages_size;
	size_t file_end; /* the file must be at least this long */
	int fd;
	char *path;
	struct fx_guard guard;
};

static struct fx_blob *
new_blob(void *data, size_t size)
{
	struct fx_blob *blob = FX_NEW(struct fx_blob);

	blob->references = 1;
	blob->data = data;
	blob->size = size;
	blob->fd = -1;
	return blob;
}

struct fx_error *
fx_blob_no_space(uint64_t size)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_number_add_bytes(&text, size);
	return fx_error_new(FX_ERR_NO_SPACE,
		"memory does not suffice: %s are needed at once",
		fx_buf_text(&text));
}

struct fx_error *
fx_blob_new(size_t size, struct fx_blob **ret)
{
	void *data = calloc(size ? size : 1, 1);

	if (!data)
		return fx_blob_no_space(size);
	*ret = new_blob(data, size);
	(*ret)->release = free;
	(*ret)->context = data;
	return NULL;
}

struct fx_blob *
fx_blob_wrap(void *data, size_t size, void (*release)(void *context),
	void *context)
{
	struct fx_blob *blob = new_blob(data, size);

	blob->release = release;
	blob->context = context;
	return blob;
}

static struct fx_error *
cut_short(const char *path, size_t wanted, intmax_t size)
{
	return fx_error_new(FX_ERR_FORMAT,
		"\"%s\" is cut short: %zu bytes are needed, it has %jd", path,
		wanted, size);
}

/* Check that the open file FD is regular and at least END bytes long. */
static struct fx_error *
check_file(int fd, const char *path, size_t end)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return fx_file_error("read", path, errno);
	if (!S_ISREG(st.st_mode))
		return fx_error_new(FX_ERR_IO,
			"cannot map \"%s\": it is no regular file", path);
	if ((uintmax_t)st.st_size < end)
		return cut_short(path, end, (intmax_t)st.st_size);
	return NULL;
}

/* Map what BLOB says; its fd, file_end and size are set. */
static struct fx_error *
map_pages(struct fx_blob *blob, size_t offset)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t before = offset % page;

	/* An empty mapping is none. */
	blob->pages_size = before + blob->size;
	if (!blob->size)
		return NULL;
	blob->pages = mmap(NULL, blob->pages_size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_NORESERVE, blob->fd,
		(off_t)(offset - before));
	if (blob->pages == MAP_FAILED) {
		blob->pages = NULL;
		return fx_file_error("map", blob->path, errno);
	}
	blob->data = (char *)blob->pages + before;
	blob->guard.begin = (uintptr_t)blob->pages;
	blob->guard.end = (uintptr_t)blob->data + blob->size;
	blob->guard.path = blob->path;
	blob->guard.fd = blob->fd;
	blob->guard.file_end = blob->file_end;
	fx_guard_add(&blob->guard);
	return NULL;
}

struct fx_error *
fx_blob_map(const char *path, size_t offset, size_t size, struct fx_blob **ret)
{
	struct fx_blob *blob;
	struct fx_error *err;
	size_t end;

	if (__builtin_add_overflow(offset, size, &end))
		return fx_error_new(FX_ERR_RANGE,
			"\"%s\" has no %zu bytes at %zu", path, size, offset);
	blob = new_blob(NULL, size);
	blob->path = fx_xstrdup(path);
	blob->file_end = end;
	blob->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	err = blob->fd < 0 ? fx_file_error("read", path, errno)
			   : check_file(blob->fd, path, end);
	if (!err)
		err = map_pages(blob, offset);
	if (err) {
		fx_blob_unref(blob);
		return err;
	}
	*ret = blob;
	return NULL;
}

struct fx_error *
fx_blob_new_later(size_t size, void (*fill)(void *context, void *data),
	void (*release)(void *context), void *context, struct fx_blob **ret)
{
	/* Memory that nobody touches costs nothing yet. */
	struct fx_error *err = fx_blob_new(size, ret);

	if (err)
		return err;
	(*ret)->fill = fill;
	(*ret)->fill_release = release;
	(*ret)->fill_context = context;
	return NULL;
}

static void
fill_now(const struct fx_blob *blob)
{
	struct fx_blob *filled = (struct fx_blob *)blob;
	void (*fill)(void *context, void *data) = filled->fill;

	if (!fill)
		return;
	filled->fill = NULL;
	fill(filled->fill_context, filled->data);
	filled->fill_release(filled->fill_context);
}

struct fx_blob *
fx_blob_slice(struct fx_blob *parent, size_t offset, size_t size)
{
	struct fx_blob *blob;

	fx_assert(offset <= parent->size && size <= parent->size - offset);
	fill_now(parent);
	blob = new_blob(size ? (char *)parent->data + offset : NULL, size);
	blob->parent = fx_blob_ref(parent);
	return blob;
}

#ifdef FX_HARD_MODE

static void
unmap(void *pages)
{
	struct fx_blob *blob = pages;

	munmap(blob->pages, blob->pages_size);
	blob->pages = NULL;
}

/* Memory of our own moves to pages, which can be protected. */
static void
move_to_pages(struct fx_blob *blob)
{
	void *pages;

	fill_now(blob);
	if (blob->release != free || !blob->size)
		return;
	pages = mmap(NULL, blob->size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return;
	memcpy(pages, blob->data, blob->size);
	free(blob->context);
	blob->data = blob->pages = pages;
	blob->pages_size = blob->size;
	blob->release = unmap;
	blob->context = blob;
}

void
fx_blob_seal(struct fx_blob *blob)
{
	if (!blob->parent && !blob->pages)
		move_to_pages(blob);
	while (blob->parent)
		blob = blob->parent;
	if (blob->pages)
		(void)mprotect(blob->pages, blob->pages_size, PROT_READ);
}

#else

void
fx_blob_seal(struct fx_blob *blob)
{
	(void)blob;
}

#endif

struct fx_blob *
fx_blob_ref(struct fx_blob *blob)
{
	blob->references++;
	return blob;
}

void
fx_blob_unref(struct fx_blob *blob)
{
	/* A loop, so that a long chain of parts cannot exhaust the stack. */
	while (blob && --blob->references == 0) {
		struct fx_blob *parent = blob->parent;

		if (blob->fill)
			blob->fill_release(blob->fill_context);
		if (blob->release)
			blob->release(blob->context);
		if (blob->pages) {
			fx_guard_remove(&blob->guard);
			munmap(blob->pages, blob->pages_size);
		}
		if (blob->fd >= 0)
			close(blob->fd);
		free(blob->path);
		free(blob);
		blob = parent;
	}
}

void *
fx_blob_data(const struct fx_blob *blob)
{
	fill_now(blob);
	return blob->data;
}

size_t
fx_blob_size(const struct fx_blob *blob)
{
	return blob->size;
}

bool
fx_blob_equal(const struct fx_blob *a, const struct fx_blob *b)
{
	size_t size = fx_blob_size(a);

	return size == fx_blob_size(b) &&
	       (!size || memcmp(fx_blob_data(a), fx_blob_data(b), size) == 0);
}

struct fx_error *
fx_blob_read(const struct fx_blob *blob, size_t offset, size_t size, void *out)
{
	if (offset > blob->size || size > blob->size - offset)
		return fx_error_new(FX_ERR_RANGE,
			"%zu bytes at %zu lie outside of %zu bytes", size,
			offset, blob->size);
	fill_now(blob);
	if (size)
		memcpy(out, (const char *)blob->data + offset, size);
	/* Afterwards, so that it cannot happen in between. */
	return fx_guard_check((uintptr_t)blob->data, blob->size, NULL);
}
