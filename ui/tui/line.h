/* line.h - what the command pane asks of a line editor.
 *
 * In the program that is Readline's callback interface (ui/repl's
 * readline_glue.c, the only file that includes Readline); tests have a small
 * one of their own.
 */
#ifndef FX_UI_TUI_LINE_H
#define FX_UI_TUI_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct tui_line_look {
	const char *prompt; /* what stands before the text now */
	const char *text;
	size_t cursor; /* byte in text */
};

/* All members required. */
struct tui_line {
	void *context;
	/* Begin a line, and leave off (its text is lost). */
	void (*open)(void *context, const char *prompt);
	void (*close)(void *context);
	/* Bytes as a terminal sends them. */
	void (*feed)(void *context, const char *bytes, size_t length);
	/* TEXT as it stands, at the cursor: newlines finish nothing. */
	void (*paste)(void *context, const char *text);
	/* The line that Enter finished, the caller's; NULL when there is
	 * none.  *EOF_RET: Ctrl-D on an empty line.  A finished line must be
	 * taken before another is opened.
	 */
	char *(*take)(void *context, bool *eof_ret);
	void (*look)(void *context, struct tui_line_look *ret);
	/* Replace the text, with the cursor at its end. */
	void (*set_text)(void *context, const char *text);
	/* LINE is run: Up brings it back. */
	void (*remember)(void *context, const char *line);
	/* Candidates that the last key listed, NULL-terminated and borrowed,
	 * or NULL.
	 */
	char **(*candidates)(void *context);
};

/* Bytes of whole characters that all of WORDS, which end with NULL and are at
 * least one, begin with.
 */
size_t tui_line_common(char *const *words);
/* Free each of WORDS and the array.  WORDS may be null. */
void tui_line_free_words(char **words);

#endif /* FX_UI_TUI_LINE_H */
