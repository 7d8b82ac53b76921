/* yes_no.h - questions that are answered by yes or no.
 *
 * Only y, yes, n and no are answers, in any case, as in gdb: "nodes" typed at
 * the wrong moment must not answer for its first letter.
 */
#ifndef FX_UI_YES_NO_H
#define FX_UI_YES_NO_H

#include <stdbool.h>
#include <stddef.h>

/* How a front end asks; CONTEXT is its own. */
struct ui_asker {
	void *context;
	size_t columns; /* of the terminal; 0: any */
	/* A line; the caller frees; NULL at the end of input, after Ctrl-C. */
	char *(*ask)(void *context, const char *prompt);
	void (*say)(void *context, const char *text);
};

/* Ask QUESTION until there is an answer; true for yes.  The end of input is
 * no.
 */
bool ui_ask_yes_no(const struct ui_asker *asker, const char *question);

#endif /* FX_UI_YES_NO_H */
