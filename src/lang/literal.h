/* literal.h - literals both ways: token text to values and back. */
#ifndef FX_LANG_LITERAL_H
#define FX_LANG_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_arena;

/* Decode one Python string or bytes literal as written (prefixes r b u and
 * combinations, single or triple quotes, escapes incl. \N refused, \x \u \U
 * octal).  *RET is in ARENA, NUL-terminated, may contain NULs.
 */
FX_NODISCARD struct fx_error *fx_literal_string(struct fx_arena *arena,
	const char *text, size_t length, const char **ret, size_t *length_ret,
	bool *is_bytes_ret);

#endif /* FX_LANG_LITERAL_H */
