/* file_state.c - files that fxdb keeps between sessions. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"

char *
fx_file_state(const char *name)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	FX_AUTO_FREE char *path = NULL;
	char *slash;

	if (state && *state == '/')
		path = fx_xasprintf("%s/fxdb/%s", state, name);
	else if (home && *home)
		path = fx_xasprintf("%s/.local/state/fxdb/%s", home, name);
	else
		return NULL;
	for (slash = strchr(path + 1, '/'); slash;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return NULL;
		*slash = '/';
	}
	return FX_TAKE(path);
}
