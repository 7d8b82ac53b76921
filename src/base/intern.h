/* intern.h - names once.
 *
 * Equal texts have equal pointers, so names compare with ==.  The table is
 * process-wide and only grows; it is one of the few listed globals.
 */
#ifndef FX_BASE_INTERN_H
#define FX_BASE_INTERN_H

#include <stddef.h>

#include "base/compiler.h"

/* The interned copy of TEXT; null gives null.  May not contain NUL bytes. */
const char *fx_intern(const char *text);
const char *fx_intern_n(const char *text, size_t length);
FX_PRINTF(1, 2)
const char *fx_intern_format(const char *format, ...);

/* Return the interned copy of TEXT, or NULL if TEXT was never interned.  Adds
 * nothing to the table.
 */
const char *fx_intern_find(const char *text);

/* Length of an interned string, in constant time. */
size_t fx_intern_length(const char *interned);

/* Release the table; for leak-free exits of programs and tests. */
void fx_intern_shutdown(void);

#endif /* FX_BASE_INTERN_H */
