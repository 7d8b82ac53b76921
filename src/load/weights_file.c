/* weights_file.c - the weights file that an .fxg file refers to.
 *
 * A weights file is named for its content, so saving other weights leaves the
 * one before.  It is taken away only when it surely was this graph's alone:
 * whatever cannot be read counts as a reference.
 */
#include <config.h>

#include "load/weights_file.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "load/jsonl.h"

/* A first line is short; hashes, names and sizes. */
#define HEAD_LIMIT 65536

static bool
is_regular(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The start of the file at PATH; NULL when it cannot be read. */
static char *
read_head(const char *path)
{
	FX_AUTO_FREE char *head = fx_xcalloc(HEAD_LIMIT + 1, 1);
	FILE *file = is_regular(path) ? fopen(path, "re") : NULL;
	size_t got;

	if (!file)
		return NULL;
	got = fread(head, 1, HEAD_LIMIT, file);
	if (ferror(file)) {
		fclose(file);
		return NULL;
	}
	fclose(file);
	head[got] = '\0';
	return FX_TAKE(head);
}

/* Its first line; NULL when that is no object of ours. */
static json_t *
read_header(const char *head)
{
	json_t *header = json_loadb(head, strcspn(head, "\n"), 0, NULL);

	if (header && json_object_get(header, "fxg"))
		return header;
	json_decref(header);
	return NULL;
}

bool
fx_weights_file_is_graph(const char *path)
{
	FX_AUTO_FREE char *head = read_head(path);

	return head && fx_is_jsonl(head, strlen(head));
}

char *
fx_weights_file_find(const char *path)
{
	FX_AUTO_FREE char *head = read_head(path);
	json_t *header = head ? read_header(head) : NULL;
	const char *name =
		json_string_value(json_object_get(header, "weights"));
	char *copy = name && !strchr(name, '/') ? fx_xstrdup(name) : NULL;

	json_decref(header);
	return copy;
}

/* Whether the file ENTRY of FOLDER may refer to NAME. */
static bool
may_refer(const char *folder, const char *entry, const char *name)
{
	FX_AUTO_FREE char *path = fx_xasprintf("%s/%s", folder, entry);
	FX_AUTO_FREE char *head = NULL;

	if (!fx_str_ends(entry, ".fxg"))
		return false;
	head = read_head(path);
	return !head || strstr(head, name);
}

static bool
is_needed(const char *path, const char *name)
{
	FX_AUTO_FREE char *folder = fx_file_dirname(path);
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool needed = !dir;

	errno = 0;
	while (!needed && (entry = readdir(dir))) {
		needed = may_refer(folder, entry->d_name, name);
		errno = 0;
	}
	needed = needed || errno;
	if (dir)
		closedir(dir);
	return needed;
}

bool
fx_weights_file_drop(const char *path, const char *former)
{
	FX_AUTO_FREE char *file = fx_file_beside(path, former);
	FX_AUTO_FREE char *now = fx_weights_file_find(path);

	if (!fx_weights_file_is_for(former, path) ||
		(now && !strcmp(now, former)) || is_needed(path, former))
		return false;
	return unlink(file) == 0;
}
