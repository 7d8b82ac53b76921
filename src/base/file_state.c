/* file_state.c - places of fxdb's own: beside the program, and where files are
 * kept between sessions.
 */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

char *
fx_file_beside_program(const char *name)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length <= 0)
		return NULL;
	self[length] = '\0';
	return fx_file_beside(self, name);
}

char *
fx_file_installed(const char *path)
{
	static const char prefix[] = FX_PREFIX "/";
	FX_AUTO_FREE char *name = NULL;
	FX_AUTO_FREE char *moved = NULL;

	if (fx_str_starts(path, prefix)) {
		name = fx_xasprintf("../%s", path + sizeof(prefix) - 1);
		moved = fx_file_beside_program(name);
	}
	return moved && access(moved, R_OK) == 0 ? FX_TAKE(moved)
						 : fx_xstrdup(path);
}

struct fx_error *
fx_file_make_folder(const char *path)
{
	FX_AUTO_FREE char *part = fx_xstrdup(path);
	char *slash = part;

	while (slash) {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (mkdir(part, 0700) < 0 && errno != EEXIST)
			return fx_file_error("create", part, errno);
		if (slash)
			*slash = '/';
	}
	return NULL;
}

char *
fx_file_state(const char *name)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_FREE char *folder = NULL;
	FX_AUTO_ERROR struct fx_error *err = NULL;

	if (state && *state == '/')
		path = fx_xasprintf("%s/fxdb/%s", state, name);
	else if (home && *home)
		path = fx_xasprintf("%s/.local/state/fxdb/%s", home, name);
	else
		return NULL;
	folder = fx_file_dirname(path);
	err = fx_file_make_folder(folder);
	return err ? NULL : FX_TAKE(path);
}
