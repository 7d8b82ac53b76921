/* golden.c - files that hold what must come out. */
#include <config.h>

#include "tests/support/golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

bool
fxt_is_golden(const char *path, const char *expected, const char *actual)
{
	const char *update = getenv("FXDB_UPDATE");
	struct fx_error *err;

	if (strcmp(expected, actual) == 0)
		return true;
	if (!update || !*update)
		return false;
	err = fx_file_write(path, actual, strlen(actual));
	if (!err)
		return true;
	fprintf(stderr, "%s\n", fx_error_message(err));
	fx_error_free(err);
	return false;
}
