/* replay.c - runs a fuzz entry over files, where libFuzzer is not there.
 *
 *	fuzz_parse [FILE or FOLDER]...
 *
 * Without arguments: the corpus of that entry in the source tree.
 */
#include <config.h>

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
replay_file(const char *path)
{
	FX_AUTO_FREE char *data = NULL;
	FX_AUTO_ERROR struct fx_error *err = NULL;
	size_t size;

	err = fx_file_read(path, 0, &data, &size);
	if (err) {
		fprintf(stderr, "%s\n", fx_error_message(err));
		return -1;
	}
	LLVMFuzzerTestOneInput((const uint8_t *)data, size);
	return 1;
}

/* The number of files run, or -1. */
static int
replay(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	int count = 0;

	if (!folder)
		return replay_file(path);
	while (count >= 0 && (entry = readdir(folder)) != NULL) {
		FX_AUTO_FREE char *file = NULL;

		if (entry->d_name[0] == '.')
			continue;
		file = fx_xasprintf("%s/%s", path, entry->d_name);
		count = replay_file(file) < 0 ? -1 : count + 1;
	}
	closedir(folder);
	return count;
}

/* tests/fuzz/corpus/parse for .../fuzz_parse. */
static char *
corpus_of(const char *program)
{
	const char *root = getenv("FXDB_SRCDIR");
	const char *name = strrchr(program, '_');

	return fx_xasprintf("%s/tests/fuzz/corpus/%s", root ? root : ".",
		name ? name + 1 : program);
}

int
main(int argc, char **argv)
{
	FX_AUTO_FREE char *corpus = corpus_of(argv[0]);
	int total = argc > 1 ? 0 : replay(corpus);
	int i;

	for (i = 1; total >= 0 && i < argc; i++) {
		int count = replay(argv[i]);

		total = count < 0 ? -1 : total + count;
	}
	fx_intern_shutdown();
	if (total < 1)
		fprintf(stderr, "nothing was run\n");
	else
		printf("%d inputs\n", total);
	return total < 1;
}
