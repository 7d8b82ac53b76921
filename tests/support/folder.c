/* folder.c - files of tests. */
#include <config.h>

#include "tests/support/folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/mem.h"

char *
fxt_source(const char *name)
{
	const char *folder = getenv("FXDB_SRCDIR");

	return fx_xasprintf("%s/%s", folder ? folder : ".", name);
}

char *
fxt_folder_new(void)
{
	char *path = fx_xstrdup("/tmp/fxdb-test-XXXXXX");
	char *made = mkdtemp(path);

	fx_assert(made);
	return made;
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	(void)st;
	(void)kind;
	(void)place;
	return remove(path);
}

void
fxt_folder_free(char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(path);
}
