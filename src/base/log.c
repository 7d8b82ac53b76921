/* log.c - debug topics. */
#include <config.h>

#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

/* Whether TOPIC is one of the words of LIST, divided by commas. */
static bool
is_named(const char *list, const char *topic)
{
	size_t length = strlen(topic);

	while (*list) {
		size_t word = strcspn(list, ",");

		if (word == 3 && strncmp(list, "all", 3) == 0)
			return true;
		if (word == length && strncmp(list, topic, length) == 0)
			return true;
		list += word;
		list += *list == ',';
	}
	return false;
}

void
fx_log(const char *topic, const char *format, ...)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };
	const char *list = getenv("FXDB_DEBUG");
	va_list args;

	if (!list || !is_named(list, topic))
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
