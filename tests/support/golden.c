/* golden.c - files that hold what must come out. */
#include <config.h>

#include "tests/support/golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

/* What differs between the file PATH and ACTUAL, as `diff -u` shows it. */
static void
print_difference(const char *path, const char *actual)
{
	char command[4200];
	FILE *diff;

	if (snprintf(command, sizeof(command),
		    "diff -u --label expected --label now '%s' -",
		    path) >= (int)sizeof(command))
		return;
	fflush(stdout);
	diff = popen(command, "w");
	if (!diff)
		return;
	(void)fputs(actual, diff);
	pclose(diff);
}

bool
fxt_golden_is_updated(void)
{
	const char *update = getenv("FXDB_UPDATE");

	return update && *update;
}

bool
fxt_is_golden(const char *path, const char *expected, const char *actual)
{
	struct fx_error *err;

	if (strcmp(expected, actual) == 0)
		return true;
	if (!fxt_golden_is_updated()) {
		print_difference(path, actual);
		return false;
	}
	err = fx_file_write(path, actual, strlen(actual));
	if (!err)
		return true;
	fprintf(stderr, "%s\n", fx_error_message(err));
	fx_error_free(err);
	return false;
}
