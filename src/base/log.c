/* log.c - debug topics. */
#include <config.h>

#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"

static bool
is_on(const char *topic)
{
	const char *list = getenv("FXDB_DEBUG");

	return list &&
	       (fx_str_has_word(list, ',', "all", 3) ||
		       fx_str_has_word(list, ',', topic, strlen(topic)));
}

void
fx_log(const char *topic, const char *format, ...)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };
	va_list args;

	if (!is_on(topic))
		return;
	fx_buf_addf(&line, "fxdb: %s: ", topic);
	va_start(args, format);
	fx_buf_addv(&line, format, args);
	va_end(args);
	fx_buf_add_char(&line, '\n');
	/* A log that cannot be written is not worth failing for. */
	if (write(STDERR_FILENO, line.data, line.length) < 0)
		return;
}
