/* strip_log.h - pasted text made plain. */
#ifndef FX_LOAD_STRIP_LOG_H
#define FX_LOAD_STRIP_LOG_H

#include <stddef.h>

struct fx_load_input;

/* The text of INPUT without colour sequences and carriage returns, with blanks
 * for a mark that every line begins with ("> ", "| ").  The caller frees it.
 * Lines keep their numbers.
 */
char *fx_strip_log(const struct fx_load_input *input, size_t *length_ret);

#endif /* FX_LOAD_STRIP_LOG_H */
