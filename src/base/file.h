/* file.h - whole files in and out. */
#ifndef FX_BASE_FILE_H
#define FX_BASE_FILE_H

#include <stddef.h>

#include "base/error.h"

/* Read the whole of PATH (at most LIMIT bytes, 0: 1 GiB).  *DATA_RET is
 * NUL-terminated and the caller's.  Directories and special files that never
 * end are refused; a pipe is waited for until Ctrl-C (INTERRUPTED).
 */
FX_NODISCARD struct fx_error *fx_file_read(const char *path, size_t limit,
	char **data_ret, size_t *size_ret);

/* Write atomically: to a temporary file beside PATH, synced, then renamed.
 * On failure (a full disk too) PATH is as it was and nothing is left over; what
 * a process that was killed left in that folder is removed.
 * An existing file's permissions are kept; a symbolic link is followed.  What
 * is no regular file (a pipe, /dev/null) is written to in place.
 */
FX_NODISCARD struct fx_error *fx_file_write(const char *path, const char *data,
	size_t size);

/* The same in pieces: begin, add any number of times, then commit or abort
 * (both release FILE).
 */
struct fx_file_writer;
FX_NODISCARD struct fx_error *fx_file_writer_new(const char *path,
	struct fx_file_writer **ret);
FX_NODISCARD struct fx_error *fx_file_writer_add(struct fx_file_writer *file,
	const void *data, size_t size);
/* Have the disk take what was added, which is not waited for, when it has what
 * was added before the last time: the end then waits for little.
 */
FX_NODISCARD struct fx_error *fx_file_writer_pace(struct fx_file_writer *file);
/* Begin and add; nothing to release after a failure. */
FX_NODISCARD struct fx_error *fx_file_writer_begin(const char *path,
	const char *data, size_t size, struct fx_file_writer **ret);
FX_NODISCARD struct fx_error *
fx_file_writer_commit(struct fx_file_writer *file);
/* COUNT of them together: all are on the disk before the first has its name. */
FX_NODISCARD struct fx_error *
fx_file_writers_commit(struct fx_file_writer *const *files, size_t count);
void fx_file_writer_abort(struct fx_file_writer *file);

/* The error for errno NUMBER: cannot VERB "PATH": no such file...; a full disk
 * has a code of its own, and so has a wait that Ctrl-C broke off.
 */
FX_RETURNS_NONNULL FX_NODISCARD struct fx_error *fx_file_error(const char *verb,
	const char *path, int number);

/* Directory part ("." when none) and last part of PATH; the caller's. */
char *fx_file_dirname(const char *path);
char *fx_file_basename(const char *path);
/* NAME beside (in the folder of) PATH, or NAME itself when absolute. */
char *fx_file_beside(const char *path, const char *name);
/* NAME in the folder of the running program; the caller's.  NULL when that
 * cannot be told.
 */
char *fx_file_beside_program(const char *name);
/* Where a file lies that was to be installed at PATH: in the tree that the
 * program lies in, which may have been moved since, else at PATH.  The caller
 * frees.
 */
char *fx_file_installed(const char *path);
/* Make the folder PATH, for the user alone, and those above it. */
FX_NODISCARD struct fx_error *fx_file_make_folder(const char *path);
/* PATH with a leading ~ replaced by the home folder. */
char *fx_file_expand(const char *path);
/* Where the file NAME is kept between sessions, $XDG_STATE_HOME/fxdb/NAME;
 * makes the folders.  NULL when there is no such place; the caller's.
 */
char *fx_file_state(const char *name);

#endif /* FX_BASE_FILE_H */
