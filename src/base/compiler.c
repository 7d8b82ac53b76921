/* compiler.c - the end of a program that contradicts itself. */
#include <config.h>

#include "base/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void
fx_assert_failed(const char *expr, const char *file, int line)
{
	char text[512];
	int length = snprintf(text, sizeof(text),
		"fxdb: a bug: %s:%d: \"%s\" does not hold\n", file, line, expr);

	/* The process is about to die: nothing to do about a short write. */
	if (length > 0 && write(STDERR_FILENO, text,
				  FX_MIN((size_t)length, sizeof(text) - 1)) < 0)
		abort();
	abort();
}
