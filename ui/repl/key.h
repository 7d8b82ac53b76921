/* key.h - one key of the terminal, without its Enter. */
#ifndef FX_UI_REPL_KEY_H
#define FX_UI_REPL_KEY_H

#include <stdbool.h>

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

#endif /* FX_UI_REPL_KEY_H */
