/* utf8.h - code points, validity and display width. */
#ifndef FX_BASE_UTF8_H
#define FX_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fx_buf;

/* Decode one code point of TEXT (LENGTH bytes, at least 1); returns the bytes
 * used.  Bad input gives U+FFFD and 1.
 */
size_t fx_utf8_decode(const char *text, size_t length, uint32_t *ret);

/* Encode CODE into OUT (4 bytes at most); returns the bytes written. */
size_t fx_utf8_encode(uint32_t code, char out[4]);

/* Offset of the first bad byte, or LENGTH. */
size_t fx_utf8_valid(const char *text, size_t length);

/* Columns that CODE takes on a terminal: 0, 1 or 2, whatever the locale.
 */
int fx_utf8_width(uint32_t code);

/* Whether Python's repr shows CODE as it is. */
bool fx_utf8_is_printable(uint32_t code);

/* The sum over the code points of TEXT. */
size_t fx_utf8_text_width(const char *text, size_t length);

/* Bytes of TEXT that fit in COLUMNS. */
size_t fx_utf8_fit(const char *text, size_t length, size_t columns);

/* Whether CODE would do something to a terminal, or to the order of a line,
 * instead of being shown.
 */
bool fx_utf8_disturbs(uint32_t code);

/* Append TEXT with control characters, escapes and bad bytes made visible
 * (\n \t \x1b; characters that turn the reading direction too), so that
 * printing it cannot disturb a terminal.
 */
void fx_utf8_add_visible(struct fx_buf *out, const char *text, size_t length);

#endif /* FX_BASE_UTF8_H */
