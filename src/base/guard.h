/* guard.h - pages of mapped files that are gone when they are touched.
 *
 * A file may be cut short while it is mapped, and whoever touches a page
 * beyond its new end gets SIGBUS: an operator too, in a thread of its own.
 * Under a guard such pages become zeros instead, and the guard remembers from
 * where on, so that what was computed of them can be thrown away and said.
 */
#ifndef FX_BASE_GUARD_H
#define FX_BASE_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A mapping.  The caller sets these members, which must not change while the
 * mapping is guarded.
 */
struct fx_guard {
	uintptr_t begin; /* of the first page */
	uintptr_t end;   /* of the bytes, within the last page */
	const char *path;
	int fd;
	size_t file_end; /* where the file has the byte at END */
	/* Not these. */
	_Atomic uintptr_t lost; /* from here on it is gone; 0: nothing is */
	struct fx_guard *_Atomic next;
};

/* Guard a mapping.  The first one takes over the signal SIGBUS for the whole
 * process; faults elsewhere end as they did before.
 */
void fx_guard_add(struct fx_guard *guard);
void fx_guard_remove(struct fx_guard *guard);

/* Whether there are guards: asking costs nothing. */
bool fx_guard_any(void);

/* FORMAT when some of SIZE bytes at ADDRESS lie in a file that was cut short
 * since it was mapped, though it may have grown again.  *SEEN, null at first,
 * is the file asked last, which is not asked again; SEEN may be null.
 */
FX_NODISCARD struct fx_error *fx_guard_check(uintptr_t address, size_t size,
	const struct fx_guard **seen);

#endif /* FX_BASE_GUARD_H */
