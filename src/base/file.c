/* file.c - whole files in; paths. */
#include <config.h>

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define DEFAULT_LIMIT ((size_t)1 << 30)
#define LEAST_READ    ((size_t)65536)

static enum fx_error_code
code_of(int number)
{
	if (number == ENOSPC || number == EDQUOT || number == EFBIG ||
		number == ENOMEM)
		return FX_ERR_NO_SPACE;
	return number == EINTR ? FX_ERR_INTERRUPTED : FX_ERR_IO;
}

struct fx_error *
fx_file_error(const char *verb, const char *path, int number)
{
	FX_AUTO_FREE char *why =
		fx_xstrdup(number == EINTR ? "interrupted" : strerror(number));

	if (why[0] >= 'A' && why[0] <= 'Z' && why[1] >= 'a')
		why[0] = (char)(why[0] - 'A' + 'a');
	return fx_error_new(code_of(number), "cannot %s \"%s\": %s", verb, path,
		why);
}

static struct fx_error *
check_readable(const char *path, int fd, size_t limit, size_t *size_ret)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return fx_file_error("read", path, errno);
	if (S_ISDIR(st.st_mode))
		return fx_file_error("read", path, EISDIR);
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
		return fx_error_new(FX_ERR_IO,
			"cannot read \"%s\": it is a device, not a file", path);
	if (st.st_size > 0 && (uintmax_t)st.st_size > limit)
		return fx_error_new(FX_ERR_LIMIT,
			"\"%s\" has %jd bytes, more than the limit of %zu",
			path, (intmax_t)st.st_size, limit);
	*size_ret = st.st_size > 0 ? (size_t)st.st_size : 0;
	return NULL;
}

/* Open for reading.  A pipe with a name waits for its writer, perhaps for ever,
 * and Ctrl-C is what breaks that off; opened without waiting it would look
 * empty until then.
 */
static struct fx_error *
open_readable(const char *path, int *ret)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY;
	struct stat st;
	int fd;

	if (stat(path, &st) == 0 && !S_ISFIFO(st.st_mode))
		flags |= O_NONBLOCK;
	fd = open(path, flags);
	if (fd < 0)
		return fx_file_error("read", path, errno);
	if (fcntl(fd, F_SETFL, 0) != 0) {
		int number = errno;

		close(fd);
		return fx_file_error("read", path, number);
	}
	*ret = fd;
	return NULL;
}

/* Read until the end, or one byte beyond LIMIT. */
static struct fx_error *
read_all(const char *path, int fd, size_t limit, struct fx_buf *buf)
{
	for (;;) {
		size_t room;
		ssize_t got;

		if (buf->capacity - buf->length < 2)
			fx_buf_reserve(buf, LEAST_READ);
		room = buf->capacity - buf->length - 1;
		got = read(fd, buf->data + buf->length, room);
		if (got < 0)
			return fx_file_error("read", path, errno);
		buf->length += (size_t)got;
		buf->data[buf->length] = '\0';
		if (got == 0)
			return NULL;
		if (buf->length > limit)
			return fx_error_new(FX_ERR_LIMIT,
				"\"%s\" is larger than the limit of %zu bytes",
				path, limit);
	}
}

struct fx_error *
fx_file_read(const char *path, size_t limit, char **data_ret, size_t *size_ret)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct fx_error *err;
	size_t expected = 0;
	int fd = -1;

	if (!limit)
		limit = DEFAULT_LIMIT;
	err = open_readable(path, &fd);
	if (err)
		return err;
	err = check_readable(path, fd, limit, &expected);
	if (!err) {
		/* One more byte is reserved, so that the end of the file is
		 * seen without growing the buffer.
		 */
		fx_buf_reserve(&buf, expected + 1);
		err = read_all(path, fd, limit, &buf);
	}
	close(fd);
	if (err)
		return err;
	if (size_ret)
		*size_ret = buf.length;
	*data_ret = fx_buf_take(&buf);
	return NULL;
}

char *
fx_file_dirname(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return fx_xstrdup(".");
	while (slash > path && slash[-1] == '/')
		slash--;
	return slash == path ? fx_xstrdup("/")
			     : fx_xstrndup(path, (size_t)(slash - path));
}

char *
fx_file_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return fx_xstrdup(slash ? slash + 1 : path);
}

char *
fx_file_beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	if (name[0] == '/' || !slash)
		return fx_xstrdup(name);
	return fx_xasprintf("%.*s%s", (int)(slash + 1 - path), path, name);
}

/* The home folder of the user whose name is NAME, "": ours; or null. */
static const char *
home_of(const char *name)
{
	const char *home = getenv("HOME");
	const struct passwd *entry;

	if (!*name && home && *home)
		return home;
	entry = *name ? getpwnam(name) : getpwuid(getuid());
	return entry ? entry->pw_dir : NULL;
}

char *
fx_file_expand(const char *path)
{
	FX_AUTO_FREE char *name = NULL;
	const char *home;
	size_t end;

	if (path[0] != '~')
		return fx_xstrdup(path);
	end = strcspn(path, "/");
	name = fx_xstrndup(path + 1, end - 1);
	home = home_of(name);
	if (!home)
		return fx_xstrdup(path);
	return fx_xasprintf("%s%s", home, path + end);
}
