/* archive.h - the entries of a zip file, as torch writes them.
 *
 * Everything lies below one folder, which is named after the file; names here
 * leave it out.  libzip reads and checks the format (its consistency check is
 * on); what an entry claims about its size is believed only as far as its bytes
 * in the file can hold.
 */
#ifndef FX_LOAD_ARCHIVE_H
#define FX_LOAD_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"

struct fx_archive;
struct fx_blob;

/* Whether the file at PATH begins as a zip file does. */
bool fx_is_archive(const char *path);

/* Open PATH.  FORMAT when it is damaged, IO. */
FX_NODISCARD struct fx_error *fx_archive_open(const char *path,
	struct fx_archive **ret);
void fx_archive_free(struct fx_archive *archive);

FX_DEFINE_CLEANUP(archive, struct fx_archive, fx_archive_free);
#define FX_AUTO_ARCHIVE FX_AUTO(archive)

bool fx_archive_has(const struct fx_archive *archive, const char *name);

/* The name of entry INDEX below the folder; NULL past the last. */
const char *fx_archive_name(const struct fx_archive *archive, size_t index);

/* The bytes of entry NAME, as it is or deflated.  FORMAT when there is none or
 * it is damaged, LIMIT when it has more than LIMIT bytes, NO_SPACE.
 */
FX_NODISCARD struct fx_error *fx_archive_read(const struct fx_archive *archive,
	const char *name, size_t limit, struct fx_blob **ret);

#endif /* FX_LOAD_ARCHIVE_H */
