/* archive.c - entries of a zip file, by libzip. */
#include <config.h>

#include "load/archive.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "base/blob.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

/* The most that a byte of a deflated entry can stand for. */
#define DEFLATED_MOST 1032

struct fx_archive {
	char *path;
	zip_t *zip;
	char *folder; /* "model/", or "" */
	uint64_t file_size;
};

bool
fx_is_archive(const char *path)
{
	static const char magic[] = "PK\003\004";
	char head[sizeof(magic) - 1] = { 0 };
	struct stat status;
	int fd;
	bool is;

	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	is = read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
	     !memcmp(head, magic, sizeof(head));
	close(fd);
	return is;
}

FX_NODISCARD static struct fx_error *
open_zip(const char *path, zip_t **ret)
{
	struct fx_error *err;
	zip_error_t why;
	int code = 0;

	*ret = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, &code);
	if (*ret)
		return NULL;
	zip_error_init_with_code(&why, code);
	err = fx_error_new(code == ZIP_ER_OPEN || code == ZIP_ER_READ
				   ? FX_ERR_IO
				   : FX_ERR_FORMAT,
		"%s is a damaged zip archive: %s", path,
		zip_error_strerror(&why));
	zip_error_fini(&why);
	return err;
}

/* The folder that everything lies in: what stands before the first slash of
 * the first name, where all names begin so.
 */
static char *
find_folder(zip_t *zip)
{
	const char *first = zip_get_name(zip, 0, 0);
	size_t length = first ? strcspn(first, "/") : 0;
	zip_int64_t count = zip_get_num_entries(zip, 0);

	if (!first || !first[length])
		return fx_xstrdup("");
	for (zip_int64_t i = 1; i < count; i++) {
		const char *name = zip_get_name(zip, (zip_uint64_t)i, 0);

		if (!name || strncmp(name, first, length + 1) != 0)
			return fx_xstrdup("");
	}
	return fx_xstrndup(first, length + 1);
}

struct fx_error *
fx_archive_open(const char *path, struct fx_archive **ret)
{
	struct fx_archive *archive;
	struct stat status;
	zip_t *zip = NULL;
	struct fx_error *err = open_zip(path, &zip);

	if (err)
		return err;
	archive = FX_NEW(struct fx_archive);
	archive->path = fx_xstrdup(path);
	archive->zip = zip;
	archive->folder = find_folder(zip);
	archive->file_size =
		stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
	*ret = archive;
	return NULL;
}

void
fx_archive_free(struct fx_archive *archive)
{
	if (!archive)
		return;
	zip_discard(archive->zip);
	free(archive->folder);
	free(archive->path);
	free(archive);
}

static zip_int64_t
locate(const struct fx_archive *archive, const char *name)
{
	FX_AUTO_FREE char *full = fx_xasprintf("%s%s", archive->folder, name);

	return zip_name_locate(archive->zip, full, 0);
}

bool
fx_archive_has(const struct fx_archive *archive, const char *name)
{
	return locate(archive, name) >= 0;
}

const char *
fx_archive_name(const struct fx_archive *archive, size_t index)
{
	const char *name = zip_get_name(archive->zip, index, 0);

	return name ? name + strlen(archive->folder) : NULL;
}

FX_NODISCARD static struct fx_error *
check_entry(const struct fx_archive *archive, const zip_stat_t *entry,
	const char *name, size_t limit)
{
	const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
				    ZIP_STAT_COMP_METHOD | ZIP_STAT_INDEX;
	uint64_t most = archive->file_size;

	if ((entry->valid & needed) != needed)
		return fx_error_new(FX_ERR_FORMAT, "%s: %.100s has no size",
			archive->path, name);
	if (entry->comp_method == ZIP_CM_DEFLATE)
		most = FX_MIN(entry->comp_size, most) * DEFLATED_MOST;
	else if (entry->comp_method != ZIP_CM_STORE)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%s: %.100s is compressed by method %d", archive->path,
			name, (int)entry->comp_method);
	if (entry->size > limit)
		return fx_error_new(FX_ERR_LIMIT,
			"%s: %.100s has %" PRIu64
			" bytes, more than the limit of %zu",
			archive->path, name, (uint64_t)entry->size, limit);
	if (entry->size > most)
		return fx_error_new(FX_ERR_FORMAT,
			"%s: %.100s claims more bytes than the file can hold",
			archive->path, name);
	return NULL;
}

/* Read entry INDEX, SIZE bytes, into BYTES; its checksum is compared. */
FX_NODISCARD static struct fx_error *
read_entry(const struct fx_archive *archive, const zip_stat_t *entry,
	const char *name, char *bytes)
{
	zip_file_t *file = zip_fopen_index(archive->zip, entry->index, 0);
	struct fx_error *err = NULL;
	uint64_t done = 0;
	zip_int64_t got = 1;
	char rest;

	while (file && done < entry->size && got > 0) {
		got = zip_fread(file, bytes + done, entry->size - done);
		done += got > 0 ? (uint64_t)got : 0;
	}
	/* The checksum is looked at where the end is met. */
	if (!file || done < entry->size || zip_fread(file, &rest, 1) != 0)
		err = fx_error_new(FX_ERR_FORMAT, "%s: %.100s is damaged: %s",
			archive->path, name,
			file ? zip_file_strerror(file)
			     : zip_strerror(archive->zip));
	if (file)
		zip_fclose(file);
	return err;
}

struct fx_error *
fx_archive_read(const struct fx_archive *archive, const char *name,
	size_t limit, struct fx_blob **ret)
{
	zip_int64_t index = locate(archive, name);
	struct fx_blob *blob = NULL;
	struct fx_error *err;
	zip_stat_t entry;

	if (index < 0 || zip_stat_index(archive->zip, (zip_uint64_t)index, 0,
				 &entry) < 0)
		return fx_error_new(FX_ERR_FORMAT, "%s has no %.100s",
			archive->path, name);
	err = check_entry(archive, &entry, name, limit);
	if (!err)
		err = fx_blob_new(entry.size, &blob);
	if (!err)
		err = read_entry(archive, &entry, name, fx_blob_data(blob));
	if (err) {
		fx_blob_unref(blob);
		return err;
	}
	*ret = blob;
	return NULL;
}
