/* pager.h - standard output, page by page on a terminal. */
#ifndef FX_UI_REPL_PAGER_H
#define FX_UI_REPL_PAGER_H

#include <stdbool.h>
#include <stddef.h>

#include "commands/out/out.h"

/* Asked at each page: its lines, or 0 when output goes on without stopping. */
typedef size_t pager_height_fn(void *context);
/* The columns of standard output, or of the ERROR stream; 0: nobody knows. */
typedef size_t pager_width_fn(void *context, bool error);

/* Whether Ctrl-C was typed. */
typedef bool pager_stopped_fn(void *context);

/* What a pager asks about the terminal. */
struct pager_terminal {
	pager_height_fn *height;
	pager_width_fn *width;
	pager_stopped_fn *stopped;
	void *context;
};

/* A stream over INNER (taken) that stops after each page until a key is
 * pressed; q drops the rest of the command's output, and so does a letter that
 * means nothing here.  Without pages Ctrl-C does, once there is more than
 * anybody reads: what a command says of a change is never that long.
 */
struct out_stream pager_stream(const struct out_stream *inner,
	const struct pager_terminal *terminal);

/* A command begins: a new page, and nothing is dropped any more. */
void pager_restart(const struct out_stream *pager);

/* Return the key that dropped the rest of the output: 'q', or a letter, which
 * begins the next command. 0 if nothing was dropped since the page began.
 */
int pager_left_by(const struct out_stream *pager);

/* One key of the terminal, without its Enter. */

enum {
	KEY_NONE = -1, /* time is up */
	KEY_STOP = -2, /* Ctrl-C, or the end of input */
	KEY_BACK = -3, /* the program was stopped: say again what is asked */
};

/* The key that is pressed within TIMEOUT_MS (negative: wait for ever), a byte,
 * or one of the above.
 */
int key_read(int timeout_ms);

/* Keys are for key_read, also those that are typed before it is called: the
 * terminal shows none.  Until key_release, which drops what was not read,
 * key_let_go, which does not, or a signal that ends the program; each may be
 * called again.  True when they were not held before.
 */
bool key_hold(void);
void key_release(void);
void key_let_go(void);

#endif /* FX_UI_REPL_PAGER_H */
