/* mem.h - small allocations, which cannot fail: out of memory aborts. */
#ifndef FX_BASE_MEM_H
#define FX_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

#include "base/compiler.h"

/* What comes in huge pages comes in multiples of them. */
#define FX_HUGE_PAGE ((size_t)2 << 20)

/* Like malloc and its family, with a valid pointer for size 0. */
void *fx_xmalloc(size_t size);
void *fx_xcalloc(size_t count, size_t size);
void *fx_xrealloc(void *memory, size_t size);

/* The same for what is large and visited all over: in huge pages where the
 * system has them, as then half of the way through page tables is saved.  To be
 * released with free.
 */
void *fx_xmalloc_large(size_t size);
void *fx_xcalloc_large(size_t count, size_t size);

/* A copy of TEXT, of its first LENGTH bytes, of what FORMAT makes; the
 * caller's.
 */
char *fx_xstrdup(const char *text);
char *fx_xstrndup(const char *text, size_t length);
FX_PRINTF(1, 2)
char *fx_xasprintf(const char *format, ...);
FX_PRINTF(1, 0)
char *fx_xvasprintf(const char *format, va_list args);

/* Up to BYTES of what is freed stays with the process, for the next time; what
 * is left of it goes back to the system.  Neither does anything where the C
 * library cannot.
 */
void fx_mem_keep(int bytes);
void fx_mem_give_back(void);

/* A cleared object of TYPE, released with free. */
#define FX_NEW(type) ((type *)fx_xcalloc(1, sizeof(type)))

#endif /* FX_BASE_MEM_H */
