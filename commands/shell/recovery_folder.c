/* recovery_folder.c - where session journals lie, and how long they stay. */
#include <config.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "commands/shell/recovery.h"

enum {
	/* Sessions that stay, and for how many days. */
	SESSIONS_KEPT = 20,
	DAYS_KEPT = 30,
};

char *
cmd_recovery_folder(void)
{
	FX_AUTO_FREE char *any = fx_file_state("sessions/any");
	char *folder = any ? fx_file_dirname(any) : NULL;

	return folder;
}

void
cmd_recovery_remove(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		FX_AUTO_FREE char *path =
			fx_xasprintf("%s/%s", folder, entry->d_name);

		/* Also what was being written; "." and ".." stay. */
		(void)unlink(path);
	}
	if (dir)
		closedir(dir);
	(void)rmdir(folder);
}

/* Whether the session of FOLDER still runs: it holds a lock. */
static bool
is_alive(const char *folder)
{
	FX_AUTO_FREE char *path = fx_xasprintf("%s/journal", folder);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool alive = file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0;

	if (file >= 0)
		close(file);
	return alive;
}

/* Names sort by time. */
void
cmd_recovery_remove_old(const char *all)
{
	struct dirent **entries = NULL;
	int count = scandir(all, &entries, NULL, alphasort);
	time_t now = time(NULL);

	for (int i = 0; i < count; i++) {
		FX_AUTO_FREE char *folder =
			fx_xasprintf("%s/%s", all, entries[i]->d_name);
		struct stat about;
		bool is_many = count - i > SESSIONS_KEPT;

		if (entries[i]->d_name[0] != '.' && !stat(folder, &about) &&
			(is_many || now - about.st_mtime >
					    (time_t)DAYS_KEPT * 24 * 3600) &&
			!is_alive(folder))
			cmd_recovery_remove(folder);
		free(entries[i]);
	}
	free(entries);
}

size_t
cmd_recovery_count(void)
{
	FX_AUTO_FREE char *all = cmd_recovery_folder();
	struct dirent **entries = NULL;
	int count = all ? scandir(all, &entries, NULL, NULL) : 0;
	size_t found = 0;

	for (int i = 0; i < count; i++) {
		FX_AUTO_FREE char *path =
			fx_xasprintf("%s/%s", all, entries[i]->d_name);
		FX_AUTO_FREE char *journal = fx_xasprintf("%s/journal", path);
		struct stat about;

		found += entries[i]->d_name[0] != '.' &&
			 !stat(journal, &about) && about.st_size &&
			 !is_alive(path);
		free(entries[i]);
	}
	free(entries);
	return found;
}
