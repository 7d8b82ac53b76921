/* key.c - one key of the terminal, without its Enter. */
#include <config.h>

#include "ui/repl/key.h"

#include <termios.h>
#include <unistd.h>

#include "ui/signals.h"

/* The terminal as it was found; signal handlers have no user pointer. */
static struct termios found;
static bool is_held;

bool
key_hold(void)
{
	struct termios raw;

	if (is_held || tcgetattr(STDIN_FILENO, &found) < 0)
		return false;
	raw = found;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	ui_signals_give(UI_KEYS_SINGLE, &found);
	is_held = true;
	/* At once: to wait until what was said is read leaves time to type. */
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	return true;
}

static void
let_go(int when)
{
	tcsetattr(STDIN_FILENO, when, &found);
	ui_signals_give(UI_KEYS_NOBODY, NULL);
	is_held = false;
}

void
key_release(void)
{
	if (is_held)
		let_go(TCSAFLUSH);
}

void
key_let_go(void)
{
	if (is_held)
		let_go(TCSADRAIN);
}

static int
wait_for_key(int timeout_ms)
{
	unsigned char key;

	for (;;) {
		enum ui_input input = ui_signals_wait(timeout_ms);

		ui_signals_die();
		if (ui_signals_take_interrupt())
			return KEY_STOP;
		if (ui_signals_take_change() & UI_CHANGE_BACK)
			return KEY_BACK;
		if (input == UI_INPUT_NONE)
			return KEY_NONE;
		if (input == UI_INPUT_KEY)
			return read(STDIN_FILENO, &key, 1) == 1 ? key
								: KEY_STOP;
	}
}

int
key_read(int timeout_ms)
{
	bool is_first = key_hold();
	int key = is_held ? wait_for_key(timeout_ms) : KEY_STOP;

	if (is_first)
		key_let_go();
	return key;
}
