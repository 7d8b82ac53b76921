/* line.c - what line editors share: words to choose from. */
#include <config.h>

#include "ui/tui/line.h"

#include <stdlib.h>
#include <string.h>

size_t
tui_line_common(char *const *words)
{
	size_t length = strlen(words[0]);

	for (size_t i = 1; words[i]; i++) {
		size_t n = 0;

		while (n < length && words[0][n] == words[i][n])
			n++;
		length = n;
	}
	/* Not in the middle of a character. */
	while (length && ((unsigned char)words[0][length] & 0xc0) == 0x80)
		length--;
	return length;
}

void
tui_line_free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}
