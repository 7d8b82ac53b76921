/* literal.h - string and bytes literals as written, to their bytes. */
#ifndef FX_LANG_LITERAL_H
#define FX_LANG_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_arena;

/* A decoded literal: TEXT is in the arena, NUL-terminated, may contain NULs. */
struct fx_literal {
	const char *text;
	size_t length;
	bool is_bytes;
};

/* Decode one Python string or bytes literal as written (prefixes r b u and
 * combinations, single or triple quotes, escapes incl. \x \u \U octal; \N is
 * refused).  The error has no span: it is about the whole literal.
 */
FX_NODISCARD struct fx_error *fx_literal_string(struct fx_arena *arena,
	const char *text, size_t length, struct fx_literal *ret);

#endif /* FX_LANG_LITERAL_H */
