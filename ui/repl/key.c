/* key.c - one key of the terminal, without its Enter. */
#include <config.h>

#include "ui/repl/key.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <termios.h>
#include <unistd.h>

#include "base/compiler.h"
#include "ui/repl/interrupt.h"

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
	struct termios saved;
	struct termios raw;
	unsigned char key;
	bool stop = false;
	ssize_t n = 0;

	if (tcgetattr(STDIN_FILENO, &saved) < 0)
		return KEY_STOP;
	raw = saved;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	if (!wait_for_key(timeout_ms, &stop)) {
		tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
		return stop ? KEY_STOP : KEY_NONE;
	}
	n = read(STDIN_FILENO, &key, 1);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
	return n == 1 ? key : KEY_STOP;
}
