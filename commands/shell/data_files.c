/* data_files.c - files that come with fxdb: examples, demos. */
#include <config.h>

#include "commands/shell/data_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

/* The folders in which each bundle may lie.  The source tree comes first, so
 * that a build that was not installed uses its own files.
 */
static const char *const folders[][2] = {
	[CMD_BUNDLE_EXAMPLES] = { FX_SOURCE_FOLDER "/../doc/examples",
		FX_PKGDATADIR "/examples" },
	[CMD_BUNDLE_DEMO] = { FX_SOURCE_FOLDER "/../scripts/demo",
		FX_PKGDATADIR "/demo" },
};
#define PLACES FX_ARRAY_LEN(folders[0])

static char *
folder_of(size_t bundle, size_t place)
{
	return fx_file_installed(folders[bundle][place]);
}

struct fx_error *
cmd_data_files(enum cmd_bundle bundle, const char *name, char **ret)
{
	FX_AUTO_BUF struct fx_buf looked = { 0 };

	for (size_t i = 0; i < PLACES; i++) {
		FX_AUTO_FREE char *folder = folder_of(bundle, i);
		FX_AUTO_FREE char *path = fx_xasprintf("%s/%s", folder, name);

		*ret = access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
		if (*ret)
			return NULL;
		fx_buf_addf(&looked, "%s%s", i ? " and " : "", folder);
	}
	return fx_error_note(fx_error_new(FX_ERR_IO,
				     "%s, which comes with fxdb, is not there",
				     name),
		"looked in %s", fx_buf_text(&looked));
}

bool
cmd_is_data_file(const char *path)
{
	FX_AUTO_FREE char *file = realpath(path, NULL);
	char *slash = file ? strrchr(file, '/') : NULL;

	if (!slash)
		return false;
	*slash = '\0';
	for (size_t i = 0; i < FX_ARRAY_LEN(folders) * PLACES; i++) {
		FX_AUTO_FREE char *named = folder_of(i / PLACES, i % PLACES);
		FX_AUTO_FREE char *folder = realpath(named, NULL);

		if (folder && !strcmp(folder, file))
			return true;
	}
	return false;
}

static void
list_folder(const char *folder, const char *suffix, struct cmd_names *ret)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (fx_str_ends(entry->d_name, suffix))
			fx_vec_push(&ret->items, fx_xstrdup(entry->d_name));
	if (dir)
		closedir(dir);
}

void
cmd_data_files_names(enum cmd_bundle bundle, const char *suffix,
	struct cmd_names *ret)
{
	*ret = (struct cmd_names){ .items = { 0 } };
	for (size_t i = 0; !ret->items.count && i < PLACES; i++) {
		FX_AUTO_FREE char *folder = folder_of(bundle, i);

		list_folder(folder, suffix, ret);
	}
	if (ret->items.count)
		qsort(ret->items.items, ret->items.count,
			sizeof(*ret->items.items), fx_str_compare);
}

void
cmd_names_deinit(struct cmd_names *names)
{
	for (size_t i = 0; i < names->items.count; i++)
		free(names->items.items[i]);
	fx_vec_deinit(&names->items);
}

bool
cmd_data_files_have(enum cmd_bundle bundle, const char *name,
	const char *suffix)
{
	FX_AUTO_FREE char *file = fx_xasprintf("%s%s", name, suffix);
	struct cmd_names names;
	bool is_there = false;

	cmd_data_files_names(bundle, suffix, &names);
	for (size_t i = 0; i < names.items.count; i++)
		is_there |= !strcmp(names.items.items[i], file);
	cmd_names_deinit(&names);
	return is_there;
}

struct fx_error *
cmd_hint_example(struct fx_error *err, const char *name)
{
	if (!err || !cmd_data_files_have(CMD_BUNDLE_EXAMPLES, name, ".fxg"))
		return err;
	return fx_error_hint(err,
		"demo --open %s opens the one that comes "
		"with fxdb",
		name);
}
