/* key.c - one key of the terminal, without its Enter. */
#include <config.h>

#include "ui/repl/key.h"

#include <errno.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "base/compiler.h"
#include "ui/repl/interrupt.h"

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
	interrupt_put_back(&found);
	is_held = true;
	/* At once: to wait until what was said is read leaves time to type. */
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	return true;
}

static void
let_go(int when)
{
	tcsetattr(STDIN_FILENO, when, &found);
	interrupt_put_back(NULL);
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

/* Whether a key is there; false when time is up or Ctrl-C was typed, before or
 * meanwhile.
 */
static bool
wait_for_key(int timeout_ms, bool *stop_ret)
{
	struct pollfd files[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = interrupt_file(), .events = POLLIN },
	};
	int n;

	do
		n = poll(files, FX_ARRAY_LEN(files), timeout_ms);
	while (n < 0 && errno == EINTR);
	*stop_ret = interrupt_take();
	return n > 0 && !*stop_ret;
}

int
key_read(int timeout_ms)
{
	bool is_first = key_hold();
	unsigned char key;
	bool stop = false;
	int result;

	if (!is_held)
		return KEY_STOP;
	if (!wait_for_key(timeout_ms, &stop))
		result = stop ? KEY_STOP : KEY_NONE;
	else
		result = read(STDIN_FILENO, &key, 1) == 1 ? key : KEY_STOP;
	if (is_first)
		key_let_go();
	return result;
}
