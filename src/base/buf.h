/* buf.h - growable text. */
#ifndef FX_BASE_BUF_H
#define FX_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/compiler.h"

struct fx_buf {
	char *data;    /* always NUL-terminated once non-null */
	size_t length; /* without the NUL */
	size_t capacity;
};

/* All zero is an empty buffer. */
void fx_buf_deinit(struct fx_buf *buf);

FX_DEFINE_DEINIT(buf, struct fx_buf, fx_buf_deinit);
#define FX_AUTO_BUF FX_AUTO(buf)

/* Make room for MORE bytes and a NUL. */
void fx_buf_reserve(struct fx_buf *buf, size_t more);

/* Append SIZE bytes, which do not lie in BUF.  Inline, with the next two, as
 * all text that fxdb makes goes through them.
 */
static inline void
fx_buf_add_n(struct fx_buf *buf, const char *bytes, size_t size)
{
	if (!size)
		return;
	if (buf->capacity - buf->length <= size)
		fx_buf_reserve(buf, size);
	memcpy(buf->data + buf->length, bytes, size);
	buf->length += size;
	buf->data[buf->length] = '\0';
}

/* Append TEXT, a character. */
static inline void
fx_buf_add(struct fx_buf *buf, const char *text)
{
	fx_buf_add_n(buf, text, strlen(text));
}

static inline void
fx_buf_add_char(struct fx_buf *buf, char c)
{
	if (buf->capacity - buf->length <= 1)
		fx_buf_reserve(buf, 1);
	buf->data[buf->length++] = c;
	buf->data[buf->length] = '\0';
}

/* Append C, COUNT times; NUMBER in decimal; what FORMAT makes. */
void fx_buf_add_repeat(struct fx_buf *buf, char c, size_t count);
void fx_buf_add_int(struct fx_buf *buf, long long number);
FX_PRINTF(2, 3)
void fx_buf_addf(struct fx_buf *buf, const char *format, ...);
FX_PRINTF(2, 0)
void fx_buf_addv(struct fx_buf *buf, const char *format, va_list args);

/* Shorten to LENGTH. */
void fx_buf_truncate(struct fx_buf *buf, size_t length);
void fx_buf_clear(struct fx_buf *buf);

/* The text, "" when empty; borrowed until the next change. */
const char *fx_buf_text(const struct fx_buf *buf);

/* Put SIZE bytes before the one at AT. */
void fx_buf_insert(struct fx_buf *buf, size_t at, const char *bytes,
	size_t size);

/* Hand the text over (never null); the buffer is empty after. */
char *fx_buf_take(struct fx_buf *buf);

#endif /* FX_BASE_BUF_H */
