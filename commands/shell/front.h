/* front.h - what a command may ask of its front end. */
#ifndef FX_COMMANDS_SHELL_FRONT_H
#define FX_COMMANDS_SHELL_FRONT_H

#include <stdbool.h>
#include <stddef.h>

enum front_request {
	FRONT_TUI,    /* argument: "on", "off" */
	FRONT_LAYOUT, /* argument: name of the layout */
	FRONT_FOCUS,  /* argument: pane */
	FRONT_FILTER, /* argument: a set of nodes; "": all of them */
	FRONT_BIND,   /* argument: "PANE KEY = COMMAND" */
	FRONT_REFRESH,
	FRONT_QUIT, /* argument: exit status as text */
};

struct beside;
struct fx_error;

/* All members required but the last.  CONTEXT is the front end's. */
struct front {
	void *context;
	/* A yes-or-no question; batch answers no and says so. */
	bool (*confirm)(void *context, const char *question);
	/* Read one line of a block (define, commands); the caller frees; NULL
	 * at the end of input.
	 */
	char *(*read_line)(void *context, const char *prompt);
	/* Leave the terminal to somebody else and take it back. */
	void (*suspend)(void *context);
	void (*resume)(void *context);
	/* Between two nodes: paint, poll keys.  True: interrupted. */
	bool (*tick)(void *context);
	/* Wait until SECONDS are over (negative: for ever) or the user presses
	 * a key.  True: interrupted.
	 */
	bool (*pause)(void *context, double seconds);
	/* Takes effect after the command. */
	struct fx_error *(*request)(void *context, enum front_request what,
		const char *argument);
	/* Columns for a picture; 0: any number. */
	size_t (*columns)(void *context);
	/* Whether standard output shows 256 colours; NULL: not. */
	bool (*has_palette)(void *context);
	/* Whether the user can answer (confirm, pending breakpoints). */
	bool (*is_interactive)(void *context);
	/* Show two graphs beside each other; BESIDE is the front end's now.
	 * NULL: it has no place for that.
	 */
	void (*beside)(void *context, struct beside *beside_taken);
};

/* Where nobody looks: 0. */
size_t front_any_columns(void *context);

#endif /* FX_COMMANDS_SHELL_FRONT_H */
