/* key.h - one key of the terminal, without its Enter. */
#ifndef FX_UI_REPL_KEY_H
#define FX_UI_REPL_KEY_H

enum {
	KEY_NONE = -1, /* time is up */
	KEY_STOP = -2, /* Ctrl-C, or the end of input */
};

/* The key that is pressed within TIMEOUT_MS (negative: wait for ever), a byte,
 * or one of the above.
 */
int key_read(int timeout_ms);

#endif /* FX_UI_REPL_KEY_H */
