/* file_write.c - whole files out, all or nothing.
 *
 * The text goes to a temporary file in the folder of the file, which is synced
 * and renamed over it, and then the folder is synced: whatever happens, the
 * name leads to the whole old file or the whole new one.  What is no regular
 * file (a pipe, a terminal, /dev/null) cannot be replaced and is written to.
 *
 * Who is killed leaves its temporary file.  The next writer removes it from the
 * folder: no process has its number, and nobody holds its lock, as one on
 * another machine with the same folder would.
 */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#define PIECE         ((size_t)1 << 18)
#define MOST_LINKS    40
#define MOST_ATTEMPTS 1000

struct fx_file_writer {
	char *shown;     /* the path as the caller gave it */
	char *path;      /* what it leads to */
	char *temporary; /* null when written in place */
	int fd;
	mode_t mode; /* of the file that is replaced */
	bool keeps_mode;
	struct fx_buf pending;
	off_t begun; /* up to there the disk has been told to take it */
};

/* Follow symbolic links, the last of which may lead to nothing yet. */
static char *
follow_links(const char *path)
{
	char *at = fx_xstrdup(path);

	for (int i = 0; i < MOST_LINKS; i++) {
		char target[PATH_MAX];
		ssize_t length = readlink(at, target, sizeof(target) - 1);
		char *next;

		if (length < 0)
			break;
		target[length] = '\0';
		next = fx_file_beside(at, target);
		free(at);
		at = next;
	}
	return at;
}

static void
writer_free(struct fx_file_writer *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->temporary)
		unlink(file->temporary);
	fx_buf_deinit(&file->pending);
	free(file->temporary);
	free(file->path);
	free(file->shown);
	free(file);
}

#define TEMPORARY ".fxdb-%ld-%d.tmp"

/* Whether NAME is that of a temporary file whose process is no more. */
static bool
is_orphan(const char *name)
{
	char again[64];
	long pid;
	int number;

	if (sscanf(name, ".fxdb-%ld-%d", &pid, &number) != 2 || pid <= 0)
		return false;
	snprintf(again, sizeof(again), TEMPORARY, pid, number);
	return strcmp(name, again) == 0 && kill((pid_t)pid, 0) != 0 &&
	       errno == ESRCH;
}

static void
remove_orphans(const char *folder)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		int fd;

		if (!is_orphan(entry->d_name))
			continue;
		fd = openat(dirfd(entries), entry->d_name,
			O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		if (fd < 0)
			continue;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			unlinkat(dirfd(entries), entry->d_name, 0);
		close(fd);
	}
	if (entries)
		closedir(entries);
}

static struct fx_error *
open_temporary(struct fx_file_writer *file)
{
	FX_AUTO_FREE char *folder = fx_file_dirname(file->path);
	int number = EEXIST;

	remove_orphans(folder);
	for (int i = 0; i < MOST_ATTEMPTS && number == EEXIST; i++) {
		char *name = fx_xasprintf("%s/" TEMPORARY, folder,
			(long)getpid(), i);

		file->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			0666);
		if (file->fd >= 0) {
			file->temporary = name;
			(void)flock(file->fd, LOCK_EX | LOCK_NB);
			return NULL;
		}
		number = errno;
		free(name);
	}
	return fx_file_error("write", file->shown, number);
}

static struct fx_error *
open_in_place(struct fx_file_writer *file)
{
	/* As it was given: the link of an open pipe leads nowhere. */
	file->fd =
		open(file->shown, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (file->fd < 0)
		return fx_file_error("write", file->shown, errno);
	if (fcntl(file->fd, F_SETFL, O_WRONLY) != 0)
		return fx_file_error("write", file->shown, errno);
	return NULL;
}

static struct fx_error *
writer_open(struct fx_file_writer *file)
{
	struct stat st;

	if (stat(file->shown, &st) != 0) {
		if (errno != ENOENT)
			return fx_file_error("write", file->shown, errno);
		return open_temporary(file);
	}
	if (S_ISDIR(st.st_mode))
		return fx_file_error("write", file->shown, EISDIR);
	if (!S_ISREG(st.st_mode))
		return open_in_place(file);
	/* A rename would not ask, so a write-protected file is asked about. */
	if (faccessat(AT_FDCWD, file->path, W_OK, AT_EACCESS) != 0)
		return fx_file_error("write", file->shown, errno);
	file->mode = st.st_mode & 07777;
	file->keeps_mode = true;
	return open_temporary(file);
}

struct fx_error *
fx_file_writer_new(const char *path, struct fx_file_writer **ret)
{
	struct fx_file_writer *file = FX_NEW(struct fx_file_writer);
	struct fx_error *err;

	file->fd = -1;
	file->shown = fx_xstrdup(path);
	file->path = follow_links(path);
	err = writer_open(file);
	if (err) {
		writer_free(file);
		return err;
	}
	*ret = file;
	return NULL;
}

static struct fx_error *
write_all(struct fx_file_writer *file, const char *data, size_t size)
{
	while (size) {
		ssize_t done = write(file->fd, data, size);

		if (done < 0)
			return fx_file_error("write", file->shown, errno);
		data += done;
		size -= (size_t)done;
	}
	return NULL;
}

static struct fx_error *
flush(struct fx_file_writer *file)
{
	struct fx_error *err = write_all(file, fx_buf_text(&file->pending),
		file->pending.length);

	fx_buf_clear(&file->pending);
	return err;
}

struct fx_error *
fx_file_writer_add(struct fx_file_writer *file, const void *data, size_t size)
{
	struct fx_error *err;

	if (file->pending.length + size > PIECE) {
		err = flush(file);
		if (err)
			return err;
	}
	if (size > PIECE)
		return write_all(file, data, size);
	fx_buf_add_n(&file->pending, data, size);
	return NULL;
}

struct fx_error *
fx_file_writer_pace(struct fx_file_writer *file)
{
	struct fx_error *err = flush(file);
	off_t end = err ? 0 : lseek(file->fd, 0, SEEK_CUR);

#ifdef SYNC_FILE_RANGE_WRITE
	if (end > file->begun) {
		(void)sync_file_range(file->fd, 0, file->begun,
			SYNC_FILE_RANGE_WAIT_BEFORE);
		(void)sync_file_range(file->fd, file->begun, end - file->begun,
			SYNC_FILE_RANGE_WRITE);
	}
#endif
	file->begun = FX_MAX(file->begun, end);
	return err;
}

/* So that the new name survives a crash of the machine.  Some file systems
 * cannot sync a folder; the file is whole either way.
 */
static void
sync_folder(const char *path)
{
	FX_AUTO_FREE char *folder = fx_file_dirname(path);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* All of it on the disk, under the temporary name still. */
static struct fx_error *
finish(struct fx_file_writer *file)
{
	struct fx_error *err = flush(file);
	int fd = file->fd;

	if (err)
		return err;
	if (file->temporary && file->keeps_mode && fchmod(fd, file->mode) != 0)
		return fx_file_error("write", file->shown, errno);
	if (file->temporary && fsync(fd) != 0)
		return fx_file_error("write", file->shown, errno);
	file->fd = -1;
	if (close(fd) != 0)
		return fx_file_error("write", file->shown, errno);
	return NULL;
}

static struct fx_error *
give_name(struct fx_file_writer *file)
{
	if (!file->temporary)
		return NULL;
	if (rename(file->temporary, file->path) != 0)
		return fx_file_error("write", file->shown, errno);
	free(FX_TAKE(file->temporary));
	sync_folder(file->path);
	return NULL;
}

struct fx_error *
fx_file_writers_commit(struct fx_file_writer *const *files, size_t count)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; i < count && !err; i++)
		err = finish(files[i]);
	for (size_t i = 0; i < count && !err; i++)
		err = give_name(files[i]);
	for (size_t i = 0; i < count; i++)
		writer_free(files[i]);
	return err;
}

struct fx_error *
fx_file_writer_commit(struct fx_file_writer *file)
{
	return fx_file_writers_commit(&file, 1);
}

void
fx_file_writer_abort(struct fx_file_writer *file)
{
	if (file)
		writer_free(file);
}

struct fx_error *
fx_file_writer_begin(const char *path, const char *data, size_t size,
	struct fx_file_writer **ret)
{
	struct fx_file_writer *file;
	struct fx_error *err = fx_file_writer_new(path, &file);

	if (err)
		return err;
	err = fx_file_writer_add(file, data, size);
	if (err)
		fx_file_writer_abort(file);
	else
		*ret = file;
	return err;
}

struct fx_error *
fx_file_write(const char *path, const char *data, size_t size)
{
	struct fx_file_writer *file;
	struct fx_error *err = fx_file_writer_begin(path, data, size, &file);

	return err ? err : fx_file_writer_commit(file);
}
