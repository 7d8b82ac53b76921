/* buf.c - growable text. */
#include <config.h>

#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"

void
fx_buf_deinit(struct fx_buf *buf)
{
	free(buf->data);
	*buf = (struct fx_buf){ 0 };
}

void
fx_buf_reserve(struct fx_buf *buf, size_t more)
{
	size_t wanted;

	fx_assert(more < SIZE_MAX / 4 && buf->length < SIZE_MAX / 4);
	wanted = buf->length + more + 1;
	if (wanted <= buf->capacity)
		return;
#ifdef FX_HARD_MODE
	/* Without room to spare, until that would cost quadratic time. */
	if (wanted > 4096)
		wanted += wanted / 4;
#else
	wanted = FX_MAX(FX_MAX(wanted, buf->capacity * 2), (size_t)64);
#endif
	buf->data = fx_xrealloc(buf->data, wanted);
	buf->data[buf->length] = '\0';
	buf->capacity = wanted;
}

void
fx_buf_insert(struct fx_buf *buf, size_t at, const char *bytes, size_t size)
{
	fx_assert(at <= buf->length);
	fx_buf_reserve(buf, size);
	memmove(buf->data + at + size, buf->data + at, buf->length - at + 1);
	if (size)
		memcpy(buf->data + at, bytes, size);
	buf->length += size;
}

void
fx_buf_add_repeat(struct fx_buf *buf, char c, size_t count)
{
	if (!count)
		return;
	fx_buf_reserve(buf, count);
	memset(buf->data + buf->length, c, count);
	buf->length += count;
	buf->data[buf->length] = '\0';
}

void
fx_buf_add_int(struct fx_buf *buf, long long number)
{
	char digits[24];
	size_t at = sizeof(digits);
	unsigned long long rest = number < 0 ? 0ULL - (unsigned long long)number
					     : (unsigned long long)number;

	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (number < 0)
		digits[--at] = '-';
	fx_buf_add_n(buf, digits + at, sizeof(digits) - at);
}

void
fx_buf_addv(struct fx_buf *buf, const char *format, va_list args)
{
	va_list again;
	int length;

	fx_buf_reserve(buf, 64);
	va_copy(again, args);
	length = vsnprintf(buf->data + buf->length, buf->capacity - buf->length,
		format, args);
	fx_assert(length >= 0);
	if ((size_t)length >= buf->capacity - buf->length) {
		fx_buf_reserve(buf, (size_t)length);
		vsnprintf(buf->data + buf->length, buf->capacity - buf->length,
			format, again);
	}
	va_end(again);
	buf->length += (size_t)length;
}

void
fx_buf_addf(struct fx_buf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fx_buf_addv(buf, format, args);
	va_end(args);
}

void
fx_buf_truncate(struct fx_buf *buf, size_t length)
{
	if (length >= buf->length)
		return;
	buf->length = length;
	buf->data[length] = '\0';
}

void
fx_buf_clear(struct fx_buf *buf)
{
	fx_buf_truncate(buf, 0);
}

const char *
fx_buf_text(const struct fx_buf *buf)
{
	return buf->data ? buf->data : "";
}

char *
fx_buf_take(struct fx_buf *buf)
{
	char *text = buf->data ? buf->data : fx_xstrdup("");

	*buf = (struct fx_buf){ 0 };
	return text;
}
