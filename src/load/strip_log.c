/* strip_log.c - pasted text made plain: no colours, no carriage returns. */
#include <config.h>

#include "load/strip_log.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "load/open.h"

/* Bytes of the colour sequence at TEXT, or 0. */
static size_t
colour_length(const char *text)
{
	size_t i = 2;

	if (text[0] != '\033' || text[1] != '[')
		return 0;
	while ((text[i] >= '0' && text[i] <= '9') || text[i] == ';')
		i++;
	return text[i] >= '@' && text[i] <= '~' ? i + 1 : 0;
}

static size_t
drop_colours(char *text, size_t length)
{
	size_t to = 0;
	size_t from = 0;

	while (from < length) {
		size_t colour = colour_length(text + from);

		if (colour > 0)
			from += colour;
		else if (text[from] == '\r')
			from++;
		else
			text[to++] = text[from++];
	}
	text[to] = '\0';
	return to;
}

/* The mark that every line with text begins with: "> " or "| "; '\0' when
 * there is none.
 */
static char
common_mark(const char *text)
{
	char mark = '\0';

	while (*text) {
		const char *line = text + strspn(text, " \t");
		const char *end = text + strcspn(text, "\n");

		if (line < end) {
			bool fits = *line == '>' || *line == '|';

			if (!fits || (mark && *line != mark))
				return '\0';
			mark = *line;
		}
		text = *end ? end + 1 : end;
	}
	return mark;
}

static void
blank_marks(char *text)
{
	while (*text) {
		char *line = text + strspn(text, " \t");
		char *end = text + strcspn(text, "\n");

		if (line < end)
			*line = ' ';
		text = *end ? end + 1 : end;
	}
}

char *
fx_strip_log(const struct fx_load_input *input, size_t *length_ret)
{
	char *text = fx_xstrndup(input->text, input->length);

	if (memchr(text, '\033', input->length) ||
		memchr(text, '\r', input->length))
		drop_colours(text, input->length);
	if (common_mark(text))
		blank_marks(text);
	*length_ret = strlen(text);
	return text;
}
