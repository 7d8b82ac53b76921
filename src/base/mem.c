/* mem.c - allocation that cannot fail. */
#include <config.h>

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

FX_NORETURN static void
out_of_memory(void)
{
	static const char text[] = "fxdb: out of memory\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		abort();
	abort();
}

void *
fx_xmalloc(size_t size)
{
	void *memory = malloc(size ? size : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

void *
fx_xcalloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

void *
fx_xrealloc(void *memory, size_t size)
{
	void *moved = realloc(memory, size ? size : 1);

	if (!moved)
		out_of_memory();
	return moved;
}

void *
fx_xmalloc_large(size_t size)
{
#ifdef MADV_HUGEPAGE
	void *memory;

	if (size > 0 && size % FX_HUGE_PAGE == 0 &&
		posix_memalign(&memory, FX_HUGE_PAGE, size) == 0) {
		(void)madvise(memory, size, MADV_HUGEPAGE);
		return memory;
	}
#endif
	return fx_xmalloc(size);
}

void *
fx_xcalloc_large(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes == 0 ||
		bytes % FX_HUGE_PAGE)
		return fx_xcalloc(count, size);
	return memset(fx_xmalloc_large(bytes), 0, bytes);
}

char *
fx_xstrdup(const char *text)
{
	return fx_xstrndup(text, strlen(text));
}

char *
fx_xstrndup(const char *text, size_t length)
{
	char *copy = fx_xmalloc(length + 1);

	if (length)
		memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *
fx_xvasprintf(const char *format, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, format, args) < 0)
		out_of_memory();
	return text;
}

char *
fx_xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = fx_xvasprintf(format, args);
	va_end(args);
	return text;
}

#ifdef __GLIBC__

/* The largest piece that glibc takes from what it keeps. */
#define LARGEST_PIECE (32 << 20)

void
fx_mem_keep(int bytes)
{
	(void)mallopt(M_MMAP_THRESHOLD, LARGEST_PIECE);
	(void)mallopt(M_TRIM_THRESHOLD, bytes);
}

void
fx_mem_give_back(void)
{
	(void)malloc_trim(0);
}

#else

void
fx_mem_keep(int bytes)
{
	(void)bytes;
}

void
fx_mem_give_back(void)
{
}

#endif
