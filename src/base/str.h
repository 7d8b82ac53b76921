/* str.h - questions about text. */
#ifndef FX_BASE_STR_H
#define FX_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

struct fx_buf;
struct fx_error;

bool fx_str_starts(const char *text, const char *prefix);
bool fx_str_ends(const char *text, const char *suffix);
bool fx_str_equal(const char *a, const char *b); /* nulls allowed */
/* fx_str_has_word says whether the LENGTH bytes of WORD are one of WORDS, which
 * SEPARATOR divides, as in "add iadd"; fx_str_is_choice, whether TEXT is one of
 * CHOICES, as in "auto|on|off".  The empty word is none of them.
 */
bool fx_str_has_word(const char *words, char separator, const char *word,
	size_t length);
bool fx_str_is_choice(const char *choices, const char *text);
/* For qsort of an array of texts. */
int fx_str_compare(const void *a, const void *b);
/* Return what follows the first newline of TEXT, or the end of TEXT. */
const char *fx_str_next_line(const char *text);
/* Whether the dotted PATH is ABOVE or lies below it; "" is above all. */
bool fx_str_is_below(const char *path, const char *above);

/* Newlines and others: none may stand in what is shown on one line. */
bool fx_str_has_controls(const char *text);

/* Python's str.isidentifier for ASCII, and whether it is a keyword. */
bool fx_str_is_identifier(const char *text);
bool fx_str_is_keyword(const char *text);
/* Whether TEXT is a name in Python's `builtins` module. */
bool fx_str_is_builtin(const char *text);

/* Shell-like match of the whole TEXT: * ? [abc] [!abc]. */
bool fx_str_glob(const char *pattern, const char *text);

/* Whether TEXT has WORDS in it; capitals differ only where WORDS has one. */
bool fx_str_has(const char *text, const char *words);

/* Edits (insert, delete, replace, swap neighbours) between two names. */
int fx_str_distance(const char *a, const char *b);

/* A collector of the nearest names to WANTED: offer candidates, then read up
 * to 3 in order of nearness; those too far away to be meant are left out.
 */
struct fx_nearest {
	const char *wanted;
	const char *names[3]; /* borrowed from the offers */
	int distances[3];
	int count;
};
void fx_nearest_init(struct fx_nearest *nearest, const char *wanted);
void fx_nearest_offer(struct fx_nearest *nearest, const char *name);
/* Append "a, b, c"; nothing when none. */
void fx_nearest_print(const struct fx_nearest *nearest, struct fx_buf *out);
/* ERR with the note "nearest: a, b, c"; as it is when none. */
FX_NODISCARD struct fx_error *fx_nearest_note(const struct fx_nearest *nearest,
	struct fx_error *err);

/* Append TEXT (LENGTH bytes) quoted as Python's repr(str) / repr(bytes). */
void fx_str_python_repr(struct fx_buf *out, const char *text, size_t length);
void fx_str_python_bytes(struct fx_buf *out, const char *bytes, size_t length);

#endif /* FX_BASE_STR_H */
